"""Caveats as data: a code, a message with the numbers put in, and a docs paragraph for each code.

Every code is listed here once, explained in ``docs/notes.md``, and met by at least one test.
"""

from dataclasses import dataclass
from typing import Any

MESSAGES: dict[str, str] = {
    "items-dropped": "{dropped:,} {dropped:item was|items were} not in every source and {dropped:is|are} left out, "
    "{kept:,} {kept:is|are} kept: {listed}",
    "small-counts": "only {count} {what}: intervals rest on few cases, so {method} is used",
    "binned-scores": "scores were put into bins: the area is within {bound:.2g} of that of the scores "
    "themselves, and the interval is widened to hold theirs",
    "normal-replicates": "the scores are not in memory, so the {n_resamples:,} replicates are normal "
    "draws with DeLong's covariance, not resampled items",
    "thinned-curves": "the scores are not in memory: curves have their points at the edges of bins, and "
    "there is no calibration curve",
    "no-curves": "{scores:,} scores are more than the {most:,} that are taken into memory unasked, so "
    "no curves are drawn; scores='exact' or 'binned' draws them at the edges of bins",
    "zero-variance": "{what} do not vary, so {method} has no standard error; {remedy}",
    "single-value": "{what} says nothing about spread: {needed} are needed",
    "no-unbiased-variance": "no unbiased estimate of the variance of a cross-validated score exists; "
    "{folds} folds look more certain than they are: corrected_t_one allows for it",
    "folds-overlap": "folds share training data, so the {folds} scores are not independent and the "
    "stated level is not kept",
    "naive-t": "{folds} folds are taken as independent, so the variance is too small, the more so the "
    "more repeats: corrected_resampled_t is the default",
    "assumed-one-run": "the {folds} scores were taken as the folds of one run of {folds}-fold "
    "cross-validation; for repeats or random splits say folds, or n_test and n_train",
    "heuristic-level": "{method} is a heuristic: its level is measured, not proved{measured}; see docs/calibration",
    "depends-on-order": "the {statistic} has only the first difference in its numerator, so another "
    "order of the repeats gives another answer; {instead} uses all",
    "empty-interval": "no difference is left unrejected at level {level}: the repeats disagree too much",
    "ignores-blocks": "the same blocks serve all groups, and {method} ignores that: {instead} is the "
    "paired answer",
    "negative-estimate": "{measure} is negative because the groups differ less than chance would have "
    "them; read it as no effect",
    "effect-without-interval": "{measure} describes the check and has no interval",
    "variant-differs": "the p-value is that of the variant {variant}, the interval inverts {default}: "
    "near the level the two may disagree",
    "roy-bound": "the F of Roy's largest root is an upper bound, so its p-value is too small",
    "too-few-values": "{count} {count:value|values} came and this check needs {needed}: look at the values themselves",
    "few-items": "{count} {count:item|items} in the test set, below 30: use exact methods, not normal approximations",
    "few-items-per-fold": "{count} {count:item|items} in the smallest fold, below 30: fold scores are far from "
    "normal; use fewer folds, or compare on the items",
    "few-pairs": "{count} {count:pair|pairs}, below 20: the normal approximation of Wilcoxon is poor; use its exact "
    "p-value",
    "normal-approximation": "N p = {expected:.3g} and N(1-p) = {other:.3g}, and both should reach 5: "
    "use the exact binomial",
    "ties": "{count} differences are tied in size: use the exact p-value with ties, or the "
    "tie-corrected one",
    "zeros": "{count} {count:difference is|differences are} zero: signed ranks drop them, rank and drop them (Pratt) "
    "or split them; say which",
    "accuracy-misleads": "accuracy is {accuracy:.4g}, and always answering {majority} gives {share:.4g}: "
    "look at balanced_accuracy, mcc or recall of each class",
    "auc-reversed": "an AUC of {auc:.4g} is below 0.5: the scores rank the classes the wrong way round "
    "(turned round it would be {turned:.4g}); check which class is positive",
    "interval-cut": "the interval reached from {low:.4g} to {high:.4g}, beyond the range of the "
    "measure, and was cut: a sign that the normal approximation is poor here",
    "pairing-unknown": "both models met the same {n} items but only their totals are known: the "
    "answer is a range over the {tables} joint tables that fit; the joint table would settle it",
    "few-clusters": "{count} {count:cluster|clusters}, below 4: t intervals over so few rest on their normality",
    "clusters-ignored": "the items come in clusters and {method} takes them as independent, so that it is surer than "
    "it should be: {instead} takes the clusters in",
    "one-cluster": "all values belong to one cluster, which says nothing about the spread between "
    "clusters: at least two are needed",
    "undefined-value": "{measure} is undefined on this evidence, so it has no interval either",
    "undefined-replicates": "{measure} is undefined on {count} of {total} resamples (a class went missing): "
    "the interval is of the others; stratified resampling avoids it",
    "undefined-replicates-many": "{measure} is undefined on {share:.1%} of the resamples, above 5%: no "
    "interval; resample stratified, or use the default interval",
    "clusters-too-few": "{count} {count:cluster|clusters}: resampling whole clusters needs at least {needed}",
    "bootstrap-bias": "the bootstrap bias {bias:.3g} exceeds a quarter of the standard error {error:.3g}: "
    "the bias-corrected value is {corrected:.4g}",
    "bca-undefined": "all replicates lie on one side of the estimate, so BCa has no bias correction: use "
    "the percentile interval",
    "jackknife-undefined": "{measure} is undefined when one {unit} is left out, so the jackknife has no "
    "standard error",
    "jackknife-bias": "{measure} lies too high on few units, here by about {bias:.3g}: the interval is "
    "around {corrected:.4g}, and holds the true value a little less often than stated",
    "few-resampled": "{measure} has the percentile bootstrap of {count} clusters: with so few it holds the true "
    "value less often than stated",
    "whole-range": "nothing in the evidence bounds {measure}: its whole range is given",
    "equal-values": "nothing varies {n:in the one unit|between the {n} units}: the interval is what others, not yet "
    "seen, could change",
    "skewed-values": "the {n} values are skewed (skewness {skewness:.1f}), so that a mean of so few is not near "
    "normal and the t interval may cover less than stated: {needed:,} values would do",
    "unbounded-maximum": "no sample bounds the largest value of its source from above",
    "one-class": "the truth has items of one class only: {consequence}",
    "infinite-value": "{measure} is infinite: one item called impossible decides it; {remedy}",
    "cannot-reach-alpha": "with {have} no outcome could reach p <= {alpha:g}: the smallest possible is "
    "{least:.3g}",
    "perfect-agreement": "all {n} {units} rank the models alike, so F is infinite; p = {p:.3g} is the chance "
    "that random orders agree as well",
    "pool-dependent": "mean ranks depend on which models are in the table: an answer about a pair can "
    "change with the {others} others; wilcoxon_pairs looks at the pair alone",
    "ranks-do-not-sum": "the {k} mean ranks sum to {total:g} where {due:g} is due: some are rounded or "
    "wrong",
    "no-disagreement": "no unit of {n} tells the two models apart: nothing speaks for a difference, which "
    "does not show that there is none",
    "interval-gap": "the p-value rejects {null:g} although the interval holds it: the values that are not "
    "rejected have a gap there, and the interval decides",
    "zeros-dropped": "{count} of {n} differences {count:is|are} zero and {count:has|have} no sign: {effect} is of "
    "the others",
    "normal-used": "{n} values are too many for the exact distribution: the normal approximation is used",
    "interval-by-normal": "the p-value is exact; for an exact interval of {n} values so tied every shift would need "
    "a distribution of its own: its ends are those of the normal approximation",
    "ties-coarse": "the differences take {count} distinct values only: the shift is located no better than "
    "one step between them",
    "sampled": "the p-value rests on {n} random {what}; its standard error is {error:.2g}",
    "small-expected": "the smallest expected count is {smallest:.3g}, below 5: the chi-square is "
    "approximate; fisher_exact is not, for two rates",
    "rate-from-same-data": "the no-information rate {rate:.4g} is the share of the commonest class in the "
    "same {n} items: it is an estimate too, which the test ignores",
    "few-disagreements": "the models answer differently on {count} {count:item|items} only, below 10: the percentile "
    "bootstrap is too narrow there; read mcnemar, exact, beside it",
    "seed-sensitive": "an end of the interval, {end:.4g}, lies within the Monte-Carlo error ({error:.2g}) of {edge:g}, "
    "where the verdict changes: another seed could decide otherwise; raise the number of resamples",
    "coarse-counts": "with n = {n} counts are coarse: at the null {null:g} the test rejects in {size:.2%} of samples "
    "where {alpha:g} was allowed, so it finds less than its level suggests",
    "level-exceeded": "with {n_a} and {n_b} items and errors at {rate:.3g} this test rejects equal rates in {size:.2%} "
    "of samples, above {alpha:g}: read fisher_exact beside it where p is near {alpha:g}",
    "wide-where-few-differ": "the models answer differently on {count} {count:item|items} only: Tango's interval, "
    "which inverts the test, is wide there, {ratio:.2f} times Agresti and Min's (agresti_min), which also covers there",
    "few-outweigh": "{effective:.1f} of the {n} differences outweigh the others: the t test then rejects less often "
    "than its level; paired_permutation keeps it where differences are symmetric",
    "heavy-tails": "{measure} has no upper end, and a few of the {n} differences carry most of their spread (kurtosis "
    "{kurtosis:.0f}): the interval supposes that larger ones are no more frequent than they show here; with "
    "{needed:,} items that need not be supposed",
    "few-for-the-level": "{n} values at level {level:g}: {why}",
    "uneven-clusters": "the {count} clusters differ so much in size that they leave {df:.1f} degrees of freedom: "
    "the interval is wide and the test careful, more than its level asks for",
    "order-of-arrival": "the {n:,} items count in the order in which they stand in the evidence; the answer holds at "
    "every look, so items may be added and looked at again{decided}",
    "few-effective": "the importance weights differ so much that {n:,} items count as {effective:.3g}: what is "
    "said rests on those few",
    "exchangeable-null": "the permutation test asks whether the two models are exchangeable, which is more "
    "than whether their {measure} is equal; the interval is the bootstrap's",
    "negative-variance": "the long-run variance at horizon {horizon} comes out as {variance:.3g}, below zero: "
    "use a shorter horizon or a longer series",
    "point-posterior": "at least {level:.4g} of the posterior of {measure} stands at {value:.4g} alone, so "
    "it has no interval",
    "class-below-folds": "{dataset}: the class {name} has {count} members, fewer than the {folds} folds: some "
    "folds are without it",
    "not-stratified": "{dataset}: the class {name} has {count} members only, so the splits do not keep the "
    "classes in proportion",
    "not-converged": "the {chains} chains do not agree well enough (R-hat {r_hat:.3f}, {ess:.0f} effective "
    "draws; at most {r_hat_most:g} and at least {ess_least} are due): raise the number of resamples",
    "zero-cell": "a count of 0 makes the odds ratio {value}: use the variant haldane_anscombe, which is "
    "finite, or the exact interval of conditional",
    "spreadless-resamples": "{measure} is undefined on {share:.1%} of the resamples, which have no spread: no "
    "interval; cliffs_delta needs no spread",
    "few-runs": "{count} {count:run|runs}{where}, below {needed}: the interval rests on their being near normal, and "
    "on little else",
    "oob-pessimistic": "out-of-bag items are judged by models that saw less: by 63% of the items, or by a "
    "third of an ensemble; the error is often overstated a little",
    "never-out-of-bag": "{count} of {n} items were in every sample and are left out of the estimate: draw "
    "more samples",
    "training-held-fixed": "one out-of-bag loss per item says nothing about other training samples: the "
    "interval is of these models on new items, and may be too short for the learner",
    "stable-learner": "{method} holds for learners that one training item hardly changes: with few items for "
    "many features its intervals are too short",
    "few-repeats": "repeats of nested cross-validation: {repeats}; below {needed} its standard error is "
    "itself unsteady",
    "pooled-scores": "the scores of {folds} models are ranked together, which makes the area too small where "
    "their scales or class shares differ: the variant fold-mean ranks within folds",
    "chosen-on-the-same-items": "{model} is the best of {models} on the items that judge it, which flatters "
    "it by about {optimism:.3g}",
    "missing-cells": "{count} {count:score is|scores are} missing: {policy}; what is missing may not be missing at "
    "random",
    "partial-log": "{title} holds {have} of {planned}: {why}",
    "unscored-dropped": "{count} of {total} answers of {model} have no score and are left out: {why}",
    "unscored-wrong": "{count} of {total} answers of {model} have no score and count as 0, as asked: {why}",
    "items-unverified": "{titles}: nothing in the logs shows that {count} with the same id are the same "
    "questions; they are paired by id alone",
    "prompts-differ": "{titles}: the prompts of {count} of {total} items differ, so models are compared "
    "together with their prompts",
    "repeats-averaged": "items were not tried equally often by {models}: the scores of each item are "
    "averaged, and every item counts once",
    "doubtful-zeros": "{title}: {count} of 0 may stand for missing ones, which a converter writes as 0; "
    "read the harness's own log if you can",
    "losses-assumed": "no column holds the truth, so numbers were taken as losses of items, of which less is better; "
    "for scores by fold, seed or data set name that unit, for losses end the names of their columns in _loss",
    "metric-taken": "{title} holds several scores, and {metric} was taken, the first of them that items have; the "
    "others: {others}",
    "log-perplexity": "{title}: {metric} is worked with as its natural logarithm, the mean loss: exp of a value is "
    "the perplexity, exp of a difference the ratio of two",
    "log-disagrees": "{title}: the items give {metric} = {ours:.6g}, and the file with the averages says "
    "{theirs:.6g}: items were put together in another way, or the two files are not of one run",
    "unknown-fact": "the answer depends on {what}, which is not known: the best and the worst case are shown; "
    "give it, or a pilot file",
    "folds-limit": "no number of folds reaches power {power:g} at a difference of {difference:g}: repeats use "
    "the same data again, and the power stays below {limit:.3g}; more data would help",
    "out-of-search": "no number of {units} up to {most:.0e} gives power {power:g}: the difference is too small",
    "difference-out-of-reach": "with {n} {units} not even the largest possible difference ({most:g}) has that "
    "power",
    "too-few-units": "{have} are too few for this test to be made: it needs {needed}",
    "simulated-power": "the power rests on {n} simulated studies; its standard error is {error:.2g}",
    "holm-first-step": "each of the {pairs} pairs is planned at {alpha:.3g}, the first and hardest step of "
    "Holm: its power is at least this",
    "pilot-small": "the spread comes from {count} {units} of the pilot and is itself uncertain: the n really "
    "needed may be {low:.2g} to {high:.2g} times that",
    "undefined-simulated": "{method} gave no answer for up to {count:,} of {replicates:,} replicates (n = {n}): they "
    "count as not rejected and not covered",
    "no-power-law": "no power law is told by the {points} points of {splits} splits (at least 4 and 3, and a bend "
    "that they show, are needed), so there is no forecast",
    "study-gaps": "scores of the study are missing: {what}",
    "extrapolated": "the forecast goes beyond the {largest:,.0f} training items seen and holds only if the power "
    "law does",
    "assumed-direction": "nothing says which side of {measure} is better, and higher was taken: name the measure, or "
    "say lower_is_better (--lower-is-better)",
    "settings-left-out": "{columns} repeat in long runs and are taken as settings of the rows, not as models: name the "
    "models (--models) to have it otherwise",
    "slice-left-out": "slice {slice}: {why}",
    "ties-halved": "{count:,} of {n:,} comparisons are ties and count as half a win of each{careful}",
    "not-connected": "wins do not connect all models both ways, so not all strengths have an estimate (Ford's "
    "condition): {groups}. Pairs within a group are answered; the others need more comparisons",
    "position-undefined": "the effect of the position is not finite here: strengths and a position of one sign "
    "agree with every outcome; leave position out, or show the same pairs in both orders more often",
    "single-ratings": "{count:,} of {n:,} items have fewer than two ratings, tell nothing about agreement and are "
    "left out",
    "p-at-most": "the p-value is at most {p:g}: it inverts the interval, whose level cannot be told from 1 "
    "beyond that",
    "few-outside": "only {count} items have a rating other than {category!r}: with so few, 95% "
    "intervals held the true value in as little as 60% of simulated samples; rate more items of the rarer kinds",
    "criteria-not-joined": "there is no test of all measures together: {why}",
}
"""The message of each code; words in braces are filled in by :func:`note`, two with a bar by a count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something the reader should know about a result."""

    code: str
    message: str


class _Fact:
    """What is put into a message; of a number, ``{count:item|items}`` is the word that goes with it."""

    def __init__(self, fact: Any) -> None:
        self.fact = fact

    def __format__(self, spec: str) -> str:
        one, bar, many = spec.partition("|")
        return by_count(self.fact, one, many) if bar else format(self.fact, spec)

    def __repr__(self) -> str:
        return repr(self.fact)


def by_count(count: float, one: str, many: str) -> str:
    """The word that goes with a count."""
    return one if count == 1 else many


def note(code: str, /, **facts: object) -> Note:
    """The note ``code`` with its facts put in."""
    put = {name: _Fact(fact) for name, fact in facts.items()}
    return Note(code=code, message=MESSAGES[code].format(**put))
