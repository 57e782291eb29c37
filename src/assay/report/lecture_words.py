"""Statements and formulas of the lectures that mislead, each beside what assay computes."""

import math

import numpy as np

from assay.core.formatting import shown, shown_p
from assay.estimates.bootstrap import bootstrap
from assay.estimates.differences import confidence_better, margins_range
from assay.evidence.confusion import from_confusion
from assay.hypotheses.anova import oneway_anova, rm_anova
from assay.hypotheses.friedman_posthoc import nemenyi_from_ranks
from assay.hypotheses.kruskal_wallis import kruskal_wallis
from assay.hypotheses.many_models import friedman
from assay.hypotheses.multiplicity import sidak
from assay.hypotheses.one_model import binomial, measure_against, proportion_z
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_permutation, paired_t, wilcoxon
from assay.hypotheses.resampled_scores import (
    corrected_resampled_t,
    dietterich_5x2_t,
    kfold_paired_t,
)
from assay.hypotheses.two_samples import mann_whitney
from assay.kernels.binomial import at_least, at_most, wald_limits
from assay.kernels.tails import normal_p, normal_reach, t_reach
from assay.measures.curves import roc_curve
from assay.measures.registry import find_measure
from assay.report import lecture_examples as given
from assay.report.lecture_tables import ends
from assay.report.lectures import LectureAnswer


def _interval(estimate: object) -> str:
    low, high = ends(estimate)
    return f"({shown(low)}, {shown(high)})"


def _five_by_two() -> str:
    d = np.array(given.FIVE_BY_TWO)
    halves = d.sum(axis=1, keepdims=True) / 2
    printed = d[0, 0] / math.sqrt(float(((d + halves) ** 2).sum()) / 5)
    right = dietterich_5x2_t(d)
    return (
        f"The formula takes deviations from the pair's mean, so a minus: on our example "
        f"{shown(right.statistic)}. The printed formula gives {shown(printed)}."
    )


def _five_by_two_is_no_paired_t() -> str:
    right, naive = dietterich_5x2_t(given.FIVE_BY_TWO), kfold_paired_t(np.ravel(given.FIVE_BY_TWO))
    return (
        f"t.test(paired = TRUE) on the ten differences gives t = {shown(naive.statistic)} with 9 degrees "
        f"of freedom. Dietterich's t is {shown(right.statistic)} with 5."
    )


def _inverted() -> str:
    t = paired_t(given.FOLDS_A, given.FOLDS_B).statistic
    critical = t_reach(0.95, len(given.FOLDS_A) - 1, "two-sided")
    return (
        f"Equality is rejected if t lies outside the interval. For Ray's five folds, t = {shown(t)} lies "
        f"inside ±{shown(critical)}, so it is not rejected."
    )


def _continuity() -> str:
    plain, corrected = mcnemar(50, 10, 4, 36), mcnemar(50, 10, 4, 36, variant="edwards")
    return (
        f"A valid variant, but conservative. For 10 against 4 its p is {shown_p(corrected.p_value)}, "
        f"without the correction {shown_p(plain.p_value)}, mid-p "
        f"{shown_p(mcnemar(50, 10, 4, 36, variant='mid-p').p_value)}."
    )


def _qqnorm() -> str:
    outcome = proportion_z(20, 100, null=0.15, alternative="greater")
    return (
        "qqnorm draws a plot and tests nothing. The test is z = (X/N - p0)/sqrt(p0 (1 - p0)/N): for 20 "
        f"errors in 100 against 0.15, z = {shown(outcome.statistic)}, p = {shown_p(outcome.p_value)}."
    )


def _kruskal() -> str:
    blocks = np.array(given.DEMSAR)
    ignoring, blocked = kruskal_wallis(list(blocks.T)), friedman(blocks)
    return (
        "Scores on the same data set are paired, and Kruskal-Wallis ignores that. On Demšar's table it "
        f"gives p = {shown_p(ignoring.p_value)}, Friedman's test p = {shown_p(blocked.p_value)}."
    )


def _rule_of_thumb() -> str:
    """The true level of the one-sided normal test of p0 = 0.1 with 50 items, where N p = 5."""
    first = next(
        errors
        for errors in range(51)
        if (proportion_z(errors, 50, null=0.1, alternative="greater").p_value or 0.0) <= 0.05
    )
    level = float(at_least(first, 50, 0.1))
    return (
        f"A usable rule: at N p = 5 (50 items, p0 = 0.1) the 5% test has a false-positive rate of "
        f"{shown(level)}. The binomial test is exact at any N."
    )


def _replication() -> str:
    """A new estimate lies within ±1.96 standard errors of the old one if |Z1 - Z2| <= 1.96."""
    within = 1.0 - normal_p(normal_reach(0.95, "two-sided") / math.sqrt(2.0), "two-sided")
    return (
        "The interval is for the true error rate. Another estimate from as many examples varies as much "
        f"as the first, and falls into the interval with probability {shown(within)}."
    )


def _same_test_set() -> str:
    known = dict(margins_range(20, 25, 100).details)
    return (
        "On the same test set the errors are paired, and the answer depends on how many are shared. "
        f"Over the {known['tables']} tables with 20 and 25 errors, McNemar's p ranges from "
        f"{shown_p(_number(known['p_min']))} to {shown_p(_number(known['p_max']))}."
    )


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


def _shared_folds() -> str:
    corrected = corrected_resampled_t(given.FOLDS_A, given.FOLDS_B, folds=5)
    return (
        "Folds share training data, so the interval is too short. With Nadeau and Bengio's correction "
        f"it is {_interval(corrected.effect)}."
    )


def _one_way() -> str:
    groups = [given.FOLDS_A, given.FOLDS_B]
    one_way, repeated = oneway_anova(groups), rm_anova(np.array(groups).T)
    return (
        "Algorithms on the same folds are paired, and one-way ANOVA ignores that. For the two on the "
        f"slides it gives p = {shown_p(one_way.p_value)}, repeated-measures ANOVA "
        f"p = {shown_p(repeated.p_value)}."
    )


def _rank_sum() -> str:
    positive = [score for score, label in zip(given.SCORES, given.TRUTH, strict=True) if label]
    negative = [score for score, label in zip(given.SCORES, given.TRUTH, strict=True) if not label]
    known = dict(mann_whitney(positive, negative).details)
    return (
        "For two unpaired samples it is the rank-sum (Mann-Whitney) test; signed ranks are for pairs. The "
        f"U is right: on the ROC table U = {shown(_number(known['U_a']))}, and U over 25 pairs is "
        f"{shown(_number(known['auc']))}, the area."
    )


def _own_distribution() -> str:
    evidence = from_confusion(given.M1, classes=("+", "-"))
    outcome = measure_against(evidence, measure="f1", null=0.8, rng=1)
    return (
        "The original F1 always lies in the middle of its own replicates. Test it against a given value: "
        f"F1 = {shown(outcome.statistic)} of model M1 against 0.8 gives p = {shown_p(outcome.p_value)}."
    )


def _bias() -> str:
    estimate = bootstrap(from_confusion(given.M1, classes=("+", "-")), measure="f1", rng=1)
    bias, value = _number(dict(estimate.details)["bias"]), _number(estimate.value)
    return (
        f"The bias is the mean of the replicates minus the estimate: {shown(bias)} for the F1 of M1. The "
        f"printed formula leaves out the estimate and gives {shown(value + bias)}."
    )


def _confidence() -> str:
    known = dict(confidence_better(20, 100, 30, 100).details)
    return (
        f"Phi(1.644) = {shown(_number(known['confidence_one_sided']))} is a confidence level: at this level the "
        "data exclude that h2 is as good. It is not the probability of a hypothesis."
    )


def _ties() -> str:
    curve = roc_curve(given.TRUTH, given.SCORES)
    points = zip(curve.column("threshold"), curve.column("fpr"), curve.column("tpr"), strict=True)
    fpr, tpr = next((x, y) for threshold, x, y in points if threshold == 0.85)
    truth, scores, area = (
        np.array(given.TRUTH),
        np.array(given.SCORES),
        find_measure("roc_auc").function,
    )
    split = [float(area(truth, scores + nudge * truth)) for nudge in (-1e-6, 1e-6)]
    return (
        f"Tied scores share one point, ({shown(fpr)}, {shown(tpr)}), and the area is "
        f"{shown(float(area(truth, scores)))}. Split by file order it can be anything from "
        f"{shown(split[0])} to {shown(split[1])}."
    )


def _normal_from_30() -> str:
    """The exact coverage of the 95% Wald interval of 30 items at an error rate of 5%."""
    counts = np.arange(31)
    low, high = wald_limits(counts, 30, normal_reach(0.95, "two-sided"))
    inside = counts[(low <= 0.05) & (high >= 0.05)]
    mass = at_most(inside, 30, 0.05) - at_most(inside - 1, 30, 0.05)
    return (
        f"Not for rare errors: with 30 examples and an error rate of 5%, the 95% interval covers with "
        f"probability {shown(float(mass.sum()))}."
    )


def _binomial_is_mcnemar() -> str:
    one, other = binomial(10, 14, null=0.5), mcnemar(50, 10, 4, 36, variant="exact")
    return (
        f"They are the same: for 10 against 4 the binomial test gives p = {shown_p(one.p_value)}, the "
        f"exact McNemar test p = {shown_p(other.p_value)}."
    )


def _one_of_twenty() -> str:
    any_of = sidak([0.05] * 20)[0]
    return f"Correct. Of 20 independent tests at least one errs with probability {shown(any_of)}."


def _least_wilcoxon() -> str:
    least = next(n for n in range(1, 30) if (wilcoxon(range(1, n + 1)).p_value or 1.0) <= 0.05)
    return (
        f"Correct for the normal approximation. assay's p is exact; at least {least} pairs are needed to "
        "reach 5%."
    )


def _critical_difference() -> str:
    known = dict(nemenyi_from_ranks(given.RANKS, 34).details)
    return (
        f"The critical difference is {shown(_number(known['critical_difference']))}: RF and naive Bayes, "
        "0.8 apart, just miss it."
    )


def _which_experiment() -> str:
    one, two = (paired_permutation(*trials) for trials in (given.MOONEY_1, given.MOONEY_2))
    t = paired_t(*given.MOONEY_2)
    return (
        "The first: all five differences agree. Its sign-flip test has the smallest p that five pairs "
        f"allow, {shown_p(one.p_value)}; the second has {shown_p(two.p_value)} (t test: "
        f"{shown_p(t.p_value)}). The t of the first is undefined, since its differences do not vary."
    )


def _null_probability() -> str:
    known = dict(confidence_better(20, 100, 25, 100).details)
    p = 1.0 - _number(known["confidence_two_sided"])
    return (
        f"p is the probability of such a difference, or a larger one, if there is none (0.20 against 0.25 "
        f"of 100: {shown_p(p)}). It is not the probability that there is none."
    )


ANSWERS: dict[str, LectureAnswer] = {
    "five-by-two": _five_by_two,
    "five-by-two-is-no-paired-t": _five_by_two_is_no_paired_t,
    "inverted": _inverted,
    "continuity": _continuity,
    "qqnorm": _qqnorm,
    "rule-of-thumb": _rule_of_thumb,
    "kruskal": _kruskal,
    "replication": _replication,
    "same-test-set": _same_test_set,
    "shared-folds": _shared_folds,
    "one-way": _one_way,
    "rank-sum-test": _rank_sum,
    "own-distribution": _own_distribution,
    "binomial-is-mcnemar": _binomial_is_mcnemar,
    "one-of-twenty": _one_of_twenty,
    "least-wilcoxon": _least_wilcoxon,
    "critical-difference": _critical_difference,
    "confidence-meaning": _confidence,
    "normal-from-30": _normal_from_30,
    "bias": _bias,
    "ties": _ties,
    "which-experiment": _which_experiment,
    "null-probability": _null_probability,
}
