"""Caveats as data: a code, a message with the numbers put in, and a docs paragraph for each code.

Every code is listed here once, explained in ``docs/notes.md``, and met by at least one test. How
much it matters (warning, caution or remark) is said here too, and nowhere else.
"""

from dataclasses import dataclass
from typing import Any, Literal, get_args

MESSAGES: dict[str, str] = {
    "items-dropped": "{dropped:,} {dropped:item was|items were} not in every source and {dropped:is|are} left out, "
    "{kept:,} {kept:is|are} kept: {listed}",
    "small-counts": "only {count} {what}, so the interval comes from {method}",
    "binned-scores": "the scores were binned: the area is exact to within {bound:.2g}, and the interval is "
    "widened by as much",
    "normal-replicates": "there are so many scores that the {n_resamples:,} replicates are normal draws with "
    "DeLong's covariance instead of resampled items",
    "thinned-curves": "the scores are not in memory: curves have points at bin edges only, and no calibration "
    "curve is drawn",
    "no-curves": "{scores:,} scores exceed the {most:,} that are loaded by default, so no curves are drawn. Use "
    "scores='exact' or scores='binned' to draw them at bin edges",
    "zero-variance": "{what} do not vary, so {method} has no standard error; {remedy}",
    "single-value": "{what} gives no estimate of spread: {needed} are needed",
    "no-unbiased-variance": "no unbiased estimate of the variance of a cross-validated score exists. "
    "{folds} folds look more certain than they are; corrected_t_one corrects for this",
    "folds-overlap": "folds share training data, so the {folds} scores are not independent and the false-positive "
    "rate exceeds the nominal level",
    "naive-t": "this test treats {folds} folds as independent and underestimates the variance, more so with more "
    "repeats. Use corrected_resampled_t, over repeats of five folds cautious_resampled_t",
    "assumed-one-run": "the {folds} scores were taken as the folds of one run of {folds}-fold cross-validation. "
    "For repeated runs give folds=; for random splits give n_test= and n_train=",
    "heuristic-level": "{method} is an approximation. Its error rate is known from simulation only{measured}; "
    "see docs/calibration.md",
    "unheld-folds": "the test with the most reliable false-positive rate in simulation needs 10 repeats of 5-fold "
    "cross-validation; these are {have}. Use RepeatedKFold(n_splits=5, n_repeats=10), "
    "assay.compare(estimators, X, y), or resampling = 'valid' in a study",
    "near-majority": "{models} {count:is|are} hardly, if at all, better than always answering {majority} "
    "({measure} {share:.3g}). Splits of one sample do not show how such learners vary with their training. {so}; see "
    "docs/folds.md",
    "depends-on-order": "the numerator of the {statistic} uses the first difference only, so the order of the "
    "repeats changes the answer. Use {instead}, which uses all of them",
    "empty-interval": "every difference is rejected at level {level}: the repeats disagree too much for an interval",
    "ignores-blocks": "the groups share the same blocks, and {method} ignores that; use {instead} for paired data",
    "negative-estimate": "{measure} is negative: the groups differ less than expected by chance. Read it as no effect",
    "effect-without-interval": "{measure} describes the check and has no interval",
    "variant-differs": "the p-value comes from the variant {variant}, the interval from {default}. "
    "Near the significance level the two may disagree",
    "roy-bound": "the F of Roy's largest root is an upper bound, so its p-value is too small",
    "too-few-values": "this check needs {needed} and there {count:is|are} {count} {count:value|values}: look at the "
    "values themselves",
    "few-items": "{count} {count:item|items} in the test set, below 30: use exact methods, not normal approximations",
    "few-items-per-fold": "{count} {count:item|items} in the smallest fold, below 30: fold scores are far from "
    "normal. Use fewer folds, or compare the models on the items",
    "few-pairs": "{count} {count:pair|pairs}, below 20: the normal approximation to the Wilcoxon test is poor. Use "
    "the exact p-value",
    "normal-approximation": "N p = {expected:.3g} and N(1-p) = {other:.3g}, and both should reach 5: "
    "use the exact binomial test",
    "ties": "{count} differences are tied in size: use the exact or the tie-corrected p-value",
    "zeros": "{count} {count:difference is|differences are} zero. Choose what signed ranks do with zeros: drop them, "
    "rank and then drop them (Pratt), or split them",
    "accuracy-misleads": "always answering {majority} gives an accuracy of {share:.4g}, and {models}: report "
    "balanced_accuracy, mcc or the recall of each class as well",
    "auc-reversed": "an AUC of {auc:.4g} is below 0.5: the scores rank the classes the wrong way round. "
    "Check positive=; with the classes exchanged it is {turned:.4g}",
    "interval-cut": "the interval from {low:.4g} to {high:.4g} went beyond the range of the measure and was cut: "
    "the normal approximation is poor here",
    "pairing-unknown": "both models were tested on the same {n} items but only totals are known. The answer is a "
    "range over the {tables} joint tables that fit; give the joint table for one answer",
    "few-clusters": "{count} {count:cluster|clusters}, below 4: t intervals over so few depend on normality",
    "clusters-ignored": "the items come in clusters, and {method} treats them as independent, so its p-value is too "
    "small. Use {instead}",
    "one-cluster": "all values belong to one cluster, so the variance between clusters is unknown: at least two "
    "clusters are needed",
    "undefined-value": "{measure} is undefined on these data, and so is its interval",
    "undefined-replicates": "{measure} is undefined on {count} of {total} resamples (a class went missing). The "
    "interval uses the others; stratified resampling avoids this",
    "undefined-replicates-many": "{measure} is undefined on {share:.1%} of the resamples, above 5%, so there is no "
    "interval. Use stratified resampling or the default interval",
    "clusters-too-few": "{count} {count:cluster|clusters}: resampling whole clusters needs at least {needed}",
    "bootstrap-bias": "the bootstrap bias {bias:.3g} exceeds a quarter of the standard error {error:.3g}: "
    "the bias-corrected value is {corrected:.4g}",
    "bca-undefined": "all replicates lie on one side of the estimate, so BCa has no bias correction: use "
    "the percentile interval",
    "jackknife-undefined": "{measure} is undefined when one {unit} is left out, so the jackknife has no "
    "standard error",
    "jackknife-bias": "{measure} is biased upwards on few units, here by about {bias:.3g}. The interval is "
    "centred on {corrected:.4g} and covers slightly less often than stated",
    "heavy-negatives": "negatives weigh {ratio:.2g} times as much as positives, so average precision depends on the "
    "few negatives near the top. In simulation 95% intervals covered 91% with 50 items, and five equal models "
    "had a false difference in 8% of the test sets with 200 items",
    "few-resampled": "{measure} uses a percentile bootstrap of {count} clusters: with so few clusters the interval "
    "covers less often than stated",
    "whole-range": "the data do not bound {measure}, so the interval is its whole range",
    "equal-values": "all values are equal in {n:the one unit|the {n} units}: the interval shows what unseen units "
    "could change",
    "skewed-values": "the {n} {what} are skewed (skewness {skewness:.1f}), so the t interval may cover less often "
    "than stated: {needed:,} {what} would do",
    "unbounded-maximum": "no sample bounds the largest value of its source from above",
    "one-class": "the truth has items of one class only: {consequence}",
    "infinite-value": "{measure} is infinite because of one item that was called impossible; {remedy}",
    "cannot-reach-alpha": "with {have} no outcome could reach p ≤ {alpha:g}: the smallest possible p-value is "
    "{least:.3g}",
    "perfect-agreement": "all {n} {units} rank the models alike, so F is infinite. The probability that random "
    "orders agree as well is p = {p:.3g}",
    "pool-dependent": "mean ranks depend on which models are in the table: removing "
    "{others:the other|any of the {others} others} can change this pair. The method wilcoxon_pairs uses the pair alone",
    "ranks-do-not-sum": "the {k} mean ranks sum to {total:g} instead of {due:g}: some are rounded or "
    "wrong",
    "no-disagreement": "the models do not differ on any of the {n} units. This is no evidence of a difference, "
    "and it does not prove that there is none",
    "interval-gap": "the p-value rejects {null:g} although the interval contains it (the test is discrete); the "
    "interval decides",
    "zeros-dropped": "{count} of {n} differences {count:is|are} zero and {count:was|were} dropped (Wilcoxon's rule); "
    "{effect} is of the others",
    "mean-disagrees": "mean and pseudo-median have opposite signs for {pairs}: a few large "
    "differences outweigh many small ones. Look at a figure of the differences before you choose",
    "normal-used": "{n} values are too many for the exact distribution: the normal approximation is used",
    "interval-by-normal": "the p-value is exact; the interval of {n} values with so many ties uses the normal "
    "approximation",
    "ties-coarse": "the differences take only {count} distinct values, so the shift is no finer than the step between "
    "them",
    "sampled": "the p-value is based on {n} random {what}; its standard error is {error:.2g}",
    "small-expected": "the smallest expected count is {smallest:.3g}, below 5, so the chi-square test is "
    "approximate. For two rates use fisher_exact",
    "rate-from-same-data": "the no-information rate {rate:.4g} is the share of the most common class in the "
    "same {n} items. The test ignores that this is an estimate too",
    "few-disagreements": "the models answer differently on {count} {count:item|items} only, below 10: the percentile "
    "bootstrap is too narrow. Use the exact mcnemar test",
    "seed-sensitive": "an interval end, {end:.4g}, is within the Monte-Carlo error ({error:.2g}) of {edge:g}, "
    "where the verdict changes. Another seed could decide otherwise: raise n_resamples=",
    "coarse-counts": "with n = {n} counts are coarse: at the null {null:g} the test rejects in {size:.2%} of samples "
    "instead of {alpha:g}. Its power is reduced",
    "level-exceeded": "with {n_a} and {n_b} items and error rates near {rate:.3g} this test rejects equal rates in "
    "{size:.2%} of samples, above {alpha:g}. Use fisher_exact where p is near {alpha:g}",
    "wide-where-few-differ": "the models answer differently on {count} {count:item|items} only. Tango's interval "
    "is then {ratio:.2f} times as wide as Agresti and Min's (agresti_min), which also keeps its level",
    "few-outweigh": "a few of the {n} differences outweigh the others: all weigh like {effective:.1f} equal ones. So "
    "the t test is conservative. "
    "paired_permutation keeps its level if differences are symmetric",
    "heavy-tails": "{measure} has no upper end, and a few of the {n} differences carry most of their spread (kurtosis "
    "{kurtosis:.0f}). The interval assumes that larger ones are no more frequent than seen here; {needed:,} items "
    "would not need this assumption",
    "calibration-noise": "noise alone gives an error of about {noise:.3g} in {bins} bins with {n} items. The interval "
    "is of the error of the population in these fixed bins, and allows for that",
    "unseen-differences": "{n} items cannot rule out rare differences that none of them shows. The interval allows for "
    "differences of up to {largest:.3g} on an item. If the models never differ by that much, set bound=",
    "unseen-losses": "{n} items cannot rule out rare losses that none of them shows. The interval allows for losses of "
    "up to {largest:.3g} on an item. If losses are never that large, set max_loss=",
    "unseen-errors": "{n} items cannot rule out a few large errors of the leading model (about {largest:.3g} "
    "squared). They would undo its lead, so the interval contains 0. If errors are never that large, set max_loss=",
    "few-for-the-level": "{n} values at level {level:g}: {why}",
    "uneven-clusters": "the {count} clusters differ much in size and count as {effective:.1f} of one size. Where large "
    "and small clusters are alike the test is conservative. Where not, intervals may miss more often than stated",
    "order-of-arrival": "the {n:,} items count in file order. The interval holds at every look, so you may add items "
    "and look again{decided}",
    "few-effective": "the importance weights differ so much that {n:,} items count as {effective:.3g}. The result "
    "depends on those few",
    "exchangeable-null": "the permutation test asks whether the two models are exchangeable, a stronger hypothesis "
    "than equal {measure}. The interval is the bootstrap's",
    "negative-variance": "the long-run variance at horizon {horizon} is negative ({variance:.3g}): "
    "use a shorter horizon or a longer series",
    "point-posterior": "at least {level:.4g} of the posterior of {measure} is concentrated at {value:.4g}, so "
    "it has no interval",
    "class-below-folds": "{dataset}: the class {name} has {count} members, fewer than the {folds} folds, so some "
    "folds have none",
    "fits-warned": "{count} of {fits} fits of {model} warned: {what}",
    "prepared-features": "{learners} got {how}, made in each split from its training part. A Pipeline that begins "
    "with such a step of its own is left alone",
    "not-stratified": "{dataset}: the class {name} has only {count} members, so the splits are not stratified",
    "not-converged": "the {chains} chains do not agree well enough: R-hat is {r_hat:.3f} (at most {r_hat_most:g}) "
    "with {ess:.0f} effective draws (at least {ess_least}). Raise n_resamples=",
    "zero-cell": "a count of 0 makes the odds ratio {value}: use the variant haldane_anscombe, which is "
    "finite, or the exact interval of conditional",
    "spreadless-resamples": "{measure} is undefined on {share:.1%} of the resamples, which have no spread, so there "
    "is no interval; cliffs_delta needs no spread",
    "few-runs": "{count} {count:run|runs}{where}, below {needed}: the interval depends on the assumption that run "
    "scores are normal",
    "seeds-go-together": "over the seeds the scores of both models rise and fall together (correlation {r:.2f}). "
    "The test of unpaired runs does not use this. If runs of one seed share their data or environment, compare them "
    "as pairs (paired_t)",
    "oob-pessimistic": "out-of-bag items are scored by models trained on fewer items (63% of them, or a third of an "
    "ensemble). The error is often slightly overstated",
    "never-out-of-bag": "{count} of {n} items were in every sample and are left out of the estimate: draw "
    "more samples",
    "training-held-fixed": "one out-of-bag loss per item does not show how other training samples would do. The "
    "interval is for these models on new items and may be too short for the learner",
    "stable-learner": "{method} assumes that one training item hardly changes the model: with few items and "
    "many features its intervals are too short",
    "few-repeats": "repeats of nested cross-validation: {repeats}; below {needed} the standard error is unstable",
    "pooled-scores": "the scores of {folds} models are ranked together, so the area is too small if their scales or "
    "class shares differ. The variant fold-mean ranks within folds",
    "pooled-repeats": "the scores of {count} values of {column!r} are ranked together in one {measure}. It applies to "
    "these {count}, not to others like them (readers, runs), and falls where they use the scale differently",
    "pooled-models": "the predictions of {folds} models, one for each fold, are counted together. How much another "
    "training sample would change them is not in the interval: for that compare with unit='fold'",
    "scored-by-fold": "the predictions on {items} items were scored in each of {folds} folds, so that the algorithms "
    "are compared. For these trained models, all folds together, add unit='item'",
    "chosen-on-the-same-items": "{model} is the best of {models} on the items that judge it, which flatters "
    "it by about {optimism:.3g}",
    "uneven-cells": "{count} {count:fold or seed is|folds or seeds are} missing inside data sets: {where}. There "
    "models are not compared on the same splits",
    "missing-cells": "{count} {count:score is|scores are} missing: {policy}. If they are not missing at random, the "
    "result may be biased",
    "partial-log": "{title} holds {have} of {planned}: {why}",
    "unscored-dropped": "{count} of {total} answers of {model} have no score and are left out: {why}",
    "unscored-wrong": "{count} of {total} answers of {model} have no score and count as 0, as asked: {why}",
    "items-unverified": "{titles}: {count} are paired by id alone; the logs do not show that they are the same "
    "questions",
    "prompts-differ": "{titles}: the prompts of {count} of {total} items differ, so models are compared "
    "together with their prompts",
    "repeats-averaged": "items were not tried equally often by {models}: the scores of each item are "
    "averaged, and every item counts once",
    "doubtful-zeros": "{title}: {count} of 0 may stand for missing ones, which a converter writes as 0. "
    "Use the harness's own log if you can",
    "metric-taken": "{title} holds several scores, and {metric} was taken, the first of them that items have; the "
    "others: {others}",
    "log-perplexity": "{title}: {metric} is analysed as its natural logarithm, the mean loss. The exponential of a "
    "value is the perplexity, that of a difference is the ratio of two",
    "log-disagrees": "{title}: the items give {metric} = {ours:.6g}, and the file with the averages says "
    "{theirs:.6g}. Either items were averaged differently, or the files are of different runs",
    "unknown-fact": "the answer depends on {what}, which is not known. A favourable and an unfavourable "
    "case are shown. Give {option} or a pilot file",
    "folds-limit": "no number of folds reaches power {power:g} at a difference of {difference:g}. Repeats reuse "
    "the same data, and the power stays below {limit:.3g}; more data would help",
    "out-of-search": "no number of {units} up to {most:.0e} gives power {power:g}: the difference is too small",
    "difference-out-of-reach": "with {n} {units} not even the largest possible difference ({most:g}) has that "
    "power",
    "too-few-units": "{have} are too few for this test: it needs {needed}",
    "simulated-power": "the power is based on {n} simulated studies; its standard error is {error:.2g}",
    "holm-first-step": "each of the {pairs} pairs is planned at α = {alpha:.3g}, the first and strictest step of "
    "Holm's procedure. The power is at least this",
    "pilot-small": "the spread is estimated from {count} {units} of the pilot: the n needed may be {low:.2g} to "
    "{high:.2g} times that",
    "undefined-simulated": "{method} gave no answer for up to {count:,} of {replicates:,} replicates (n = {n}): they "
    "count as not rejected and not covered",
    "no-power-law": "a power law does not fit the {points} points of {splits} splits, so no forecast is given. It "
    "needs at least 4 points, 3 splits and a visible bend",
    "no-extrapolation": "{points} {points:difference|differences} at {sizes} training {sizes:size|sizes} give no "
    "curve to extrapolate to {n:,} training items. It takes {needed} sizes and {more} differences or more",
    "study-gaps": "scores of the study are missing: {what}",
    "extrapolated": "the forecast goes beyond the {largest:,.0f} training items seen and assumes that the power "
    "law continues",
    "direction-unknown": "Which is better, higher or lower values of {measure}? Add lower_is_better=False "
    "or lower_is_better=True; until then no model is called better",
    "columns-left-out": "not read as {count:a model|models}: {columns}, which {count:describes|describe} the "
    "rows. If this is wrong, name all models with models=",
    "summary-left-out": "{rows} summarises the table and was left out",
    "gaps-left-out": "{dropped:,} rows in which a model has a blank were left out; {kept:,} remain",
    "gaps-wrong": "a blank of a model counts as a wrong answer",
    "folds-assumed": "the {splits} scores were taken as one run of {splits}-fold cross-validation. If the splits were "
    "different, add folds=, repeats= or test_share=",
    "models-failed": "every fit of {models} failed: {count:it has no score and is|they have no scores and are} not "
    "compared",
    "rows-in-time": "rows are ordered in time ({date}), and differences in loss resemble those of the row before "
    "(correlation {r:.2f}). Rows are therefore not independent: {count} blocks of consecutive rows are the units. For "
    "forecasts of a known horizon use diebold_mariano. If rows are independent, add ignore='{ignored}'",
    "crossed-clusters": "rows of one {other} are in several clusters of {cluster}: only {cluster} is allowed for, so "
    "intervals may be too short. Repeat with cluster='{other}' and use the wider interval",
    "raters-pooled": "{count} values of {raters} rated the same items, and their ratings of an item are averaged: the "
    "answer is about these {count}. For others like them, add cluster='{raters}'",
    "slice-left-out": "slice {slice}: {why}",
    "ties-halved": "{count:,} of {n:,} comparisons are ties and count as half a win for each model{careful}",
    "not-connected": "wins do not connect all models both ways, so not all strengths have an estimate (Ford's "
    "condition): {groups}. Pairs within a group are estimated; the others need more comparisons",
    "position-undefined": "the effect of the position has no finite estimate: one sign of it agrees with every "
    "outcome. Leave position out, or show more pairs in both orders",
    "single-ratings": "{count:,} of {n:,} items have fewer than two ratings and are left out: they carry no "
    "information on agreement",
    "p-at-most": "the p-value is at most {p:g}: it inverts the interval, whose level cannot be distinguished from 1 "
    "beyond that",
    "few-outside": "only {count} items have a rating other than {category!r}. With so few, 95% intervals covered "
    "the true value in as little as 60% of simulated samples. Rate more items of the rarer kinds",
    "ranks-out-of-reach": "with {units} no outcome could separate any two of {models} models at this level. Every "
    "rank is possible: more units are needed",
    "kept-board": "this board is kept in a file and had {arrivals} {arrivals:addition|additions}. Its {level:g} "
    "confidence holds over all of them, for models that were not tuned on these units",
    "assumed-random": "the labelled items are taken as a random sample of all items. If they were chosen in another "
    "way, add labelled_at='strata:COL' or labelled_at='probability:COL'",
    "labelled-differ": "the labelled items do not look like a random sample. The judge's mean is {labelled:.3g} "
    "among them and {others:.3g} among the others (p = {p:.2g}). Say how they were drawn: labelled_at='strata:COL' "
    "or labelled_at='probability:COL'. A choice made by looking at the items cannot be corrected for",
    "judge-unused": "the {labels} labels are used alone, without the judge: {why}",
    "judge-seldom-errs": "few of the {labels} labels disagree with the judge. The interval allows for errors as large "
    "as the scale that no label shows (empirical likelihood)",
    "judge-misleads": "{model}: {measure} by the judge's grades alone, {alone:.3g}, lies outside the corrected "
    "interval",
    "judge-gaps": "{judge} gave no grade to {gaps} {gaps:item|items}. Its usual grade stands there, and people's "
    "labels correct it as they correct its other grades",
    "labels-joined": "people's {rows} labels are of {items} items: the mean of an item's labels counts",
    "few-shared-labels": "people labelled {shared} items for both {a} and {b}, and only these are compared. A board "
    "uses all {labels} labels of each",
    "judge-no-better": "the judge's sensitivity ({sensitivity}) and specificity ({specificity}) do not add up to more "
    "than 1, or are unknown. Its rate cannot be corrected this way; use judged_proportion",
    "log-weights": "the log of {model} states {theirs:.4g} for all tasks together, with other weights. With the "
    "weights used here its task averages give {ours:.4g} (weights='items' weighs every item alike)",
    "criteria-not-joined": "there is no test of all measures together: {why}",
}
"""The message of each code; words in braces are filled in by :func:`note`, two with a bar by a count."""

Level = Literal["warning", "caution", "remark"]
"""How much a note matters: it could change the decision, it qualifies the numbers, or it explains them."""

_WARNINGS = frozenset({
    "accuracy-misleads", "assumed-one-run", "assumed-random", "auc-reversed", "cannot-reach-alpha",
    "chosen-on-the-same-items",
    "clusters-ignored", "crossed-clusters", "raters-pooled",
    "columns-left-out", "depends-on-order", "difference-out-of-reach",
    "direction-unknown", "doubtful-zeros", "empty-interval", "few-disagreements", "few-effective",
    "few-outside", "folds-assumed", "folds-limit", "folds-overlap", "gaps-left-out", "gaps-wrong",
    "ignores-blocks", "infinite-value", "items-dropped", "items-unverified",
    "few-shared-labels", "judge-misleads", "judge-unused", "labelled-differ", "level-exceeded",
    "log-disagrees", "mean-disagrees", "metric-taken", "missing-cells",
    "models-failed", "naive-t", "near-majority", "not-connected",
    "not-converged", "out-of-search", "partial-log", "pooled-models", "pooled-repeats", "pooled-scores",
    "prompts-differ",
    "ranks-do-not-sum", "ranks-out-of-reach", "rows-in-time", "roy-bound", "scored-by-fold", "seed-sensitive",
    "seeds-go-together", "study-gaps",
    "too-few-units", "undefined-replicates-many",
    "undefined-simulated", "unknown-fact", "unscored-dropped", "unscored-wrong", "unseen-errors",
})  # fmt: skip
_REMARKS = frozenset({
    "binned-scores", "calibration-noise", "criteria-not-joined", "effect-without-interval",
    "exchangeable-null", "holm-first-step", "interval-by-normal", "interval-cut", "judge-seldom-errs",
    "log-perplexity", "log-weights", "no-curves", "normal-replicates",
    "normal-used", "oob-pessimistic", "order-of-arrival", "p-at-most", "perfect-agreement", "pool-dependent",
    "rate-from-same-data", "repeats-averaged", "sampled", "simulated-power", "single-ratings", "small-counts",
    "summary-left-out", "thinned-curves", "ties-halved", "unbounded-maximum", "variant-differs",
    "wide-where-few-differ", "zeros-dropped",
})  # fmt: skip


def level_of(code: str) -> Level:
    """How much the note of a code matters; a caution unless it is known as more or less."""
    if code in _WARNINGS:
        return "warning"
    return "remark" if code in _REMARKS else "caution"


LEVELS: tuple[Level, ...] = get_args(Level)
"""From what matters most to what matters least, the order in which notes are shown."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something the reader should know about a result."""

    code: str
    message: str

    @property
    def level(self) -> Level:
        return level_of(self.code)


class _Fact:
    """What is put into a message; of a number, ``{count:item|items}`` is the word that goes with it."""

    def __init__(self, fact: Any) -> None:
        self.fact = fact

    def __format__(self, spec: str) -> str:
        one, bar, many = spec.partition("|")
        if bar:
            return by_count(self.fact, one, many)
        if spec.endswith("g") and isinstance(self.fact, int | float):
            from assay.core.formatting import write_given, write_rounded

            return (
                write_rounded(self.fact, int(spec[1:-1])) if spec[1:-1] else write_given(self.fact)
            )
        return format(self.fact, spec)

    def __repr__(self) -> str:
        return repr(self.fact)


def by_count(count: float, one: str, many: str) -> str:
    """The word that goes with a count."""
    return one if count == 1 else many


def note(code: str, /, **facts: object) -> Note:
    """The note ``code`` with its facts put in."""
    if "method" in facts:
        from assay.core.method_names import method_name

        facts["method"] = method_name(str(facts["method"]))
    put = {name: _Fact(fact) for name, fact in facts.items()}
    return Note(code=code, message=MESSAGES[code].format(**put))
