"""Statements and formulas of the lectures that mislead, each beside what assay computes."""

import math

import numpy as np

from assay.core.number_formatting import shown, shown_p
from assay.estimates.bootstrap import bootstrap
from assay.estimates.differences import confidence_better, margins_range
from assay.evidence.confusion import from_confusion
from assay.hypotheses.anova import oneway_anova, rm_anova
from assay.hypotheses.many_models import friedman
from assay.hypotheses.multiplicity import sidak
from assay.hypotheses.one_model import binomial, measure_against, proportion_z
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_permutation, paired_t, wilcoxon
from assay.hypotheses.posthoc import nemenyi_from_ranks
from assay.hypotheses.rank_groups import kruskal_wallis
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
from assay.report.lectures import Answer


def _interval(estimate: object) -> str:
    low, high = ends(estimate)
    return f"({shown(low)}, {shown(high)})"


def _five_by_two() -> str:
    d = np.array(given.FIVE_BY_TWO)
    halves = d.sum(axis=1, keepdims=True) / 2
    printed = d[0, 0] / math.sqrt(float(((d + halves) ** 2).sum()) / 5)
    right = dietterich_5x2_t(d)
    return (
        f"deviations from the pair's mean, so minus: on our example {shown(right.statistic)}, where "
        f"the printed formula gives {shown(printed)}"
    )


def _five_by_two_is_no_paired_t() -> str:
    right, naive = dietterich_5x2_t(given.FIVE_BY_TWO), kfold_paired_t(np.ravel(given.FIVE_BY_TWO))
    return (
        f"t.test(paired = TRUE) on the ten differences has t = {shown(naive.statistic)} with 9 degrees "
        f"of freedom, Dietterich's is {shown(right.statistic)} with 5"
    )


def _inverted() -> str:
    t = paired_t(given.FOLDS_A, given.FOLDS_B).statistic
    critical = t_reach(0.95, len(given.FOLDS_A) - 1, "two-sided")
    return (
        f"equality is rejected outside and kept inside: t = {shown(t)} of the five folds of Ray lies "
        f"inside ±{shown(critical)}, and nothing is rejected"
    )


def _continuity() -> str:
    plain, corrected = mcnemar(50, 10, 4, 36), mcnemar(50, 10, 4, 36, variant="edwards")
    return (
        f"a valid variant that rejects too rarely: of 10 against 4 its p is {shown_p(corrected.p_value)}, "
        f"without the correction {shown_p(plain.p_value)}, mid-p "
        f"{shown_p(mcnemar(50, 10, 4, 36, variant='mid-p').p_value)}"
    )


def _qqnorm() -> str:
    outcome = proportion_z(20, 100, null=0.15, alternative="greater")
    return (
        "qqnorm draws a plot and tests nothing; the test is z = (X/N - p0)/sqrt(p0 (1 - p0)/N): of 20 "
        f"errors in 100 against 0.15 it is {shown(outcome.statistic)}, p = {shown_p(outcome.p_value)}"
    )


def _kruskal() -> str:
    blocks = np.array(given.DEMSAR)
    ignoring, blocked = kruskal_wallis(list(blocks.T)), friedman(blocks)
    return (
        "scores on one data set belong together, which Kruskal-Wallis ignores: on Demšar's table it has "
        f"p = {shown_p(ignoring.p_value)}, Friedman p = {shown_p(blocked.p_value)}"
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
        f"good enough for a look: at N p = 5 (50 items, p0 = 0.1) the test at 5 % errs with "
        f"probability {shown(level)}; binomial is exact at any N"
    )


def _replication() -> str:
    """A new estimate lies within ±1.96 standard errors of the old one if |Z1 - Z2| <= 1.96."""
    within = 1.0 - normal_p(normal_reach(0.95, "two-sided") / math.sqrt(2.0), "two-sided")
    return (
        "the interval is about the true error rate; another estimate from as many examples falls into "
        f"it with probability {shown(within)}, since it varies as much as the first"
    )


def _same_test_set() -> str:
    known = dict(margins_range(20, 25, 100).details)
    return (
        "on the same test set the errors are paired, and the answer depends on how many are shared: "
        f"over the {known['tables']} tables with 20 and 25 errors McNemar's p runs from "
        f"{shown_p(_number(known['p_min']))} to {shown_p(_number(known['p_max']))}"
    )


def _number(value: object) -> float:
    return float(value)  # type: ignore[arg-type]


def _shared_folds() -> str:
    corrected = corrected_resampled_t(given.FOLDS_A, given.FOLDS_B, folds=5)
    return (
        "folds share training data, so the interval is too short; Nadeau and Bengio's correction makes "
        f"it {_interval(corrected.effect)}"
    )


def _one_way() -> str:
    groups = [given.FOLDS_A, given.FOLDS_B]
    one_way, repeated = oneway_anova(groups), rm_anova(np.array(groups).T)
    return (
        "algorithms on the same folds are paired, which one-way ANOVA ignores: on the two of the slides "
        f"it has p = {shown_p(one_way.p_value)}, repeated-measures ANOVA p = {shown_p(repeated.p_value)}"
    )


def _rank_sum() -> str:
    positive = [score for score, label in zip(given.SCORES, given.TRUTH, strict=True) if label]
    negative = [score for score, label in zip(given.SCORES, given.TRUTH, strict=True) if not label]
    known = dict(mann_whitney(positive, negative).details)
    return (
        "of two unpaired samples it is the rank-sum (Mann-Whitney) test; signed ranks are for pairs. Its U "
        f"is right: on the ROC table U = {shown(_number(known['U_a']))}, over 25 pairs "
        f"{shown(_number(known['auc']))}, the area"
    )


def _own_distribution() -> str:
    evidence = from_confusion(given.M1, classes=("+", "-"))
    outcome = measure_against(evidence, measure="f1", null=0.8, rng=1)
    return (
        "it always sits in the middle of its own replicates; ask about the value under test: for F1 = "
        f"{shown(outcome.statistic)} of model M1 against 0.8, p = {shown_p(outcome.p_value)}"
    )


def _bias() -> str:
    estimate = bootstrap(from_confusion(given.M1, classes=("+", "-")), measure="f1", rng=1)
    bias, value = _number(dict(estimate.details)["bias"]), _number(estimate.value)
    return (
        f"mean of the replicates minus the estimate: for the F1 of M1 that is {shown(bias)}, where the "
        f"printed formula, without the estimate, gives {shown(value + bias)}"
    )


def _confidence() -> str:
    known = dict(confidence_better(20, 100, 30, 100).details)
    return (
        f"Phi(1.644) = {shown(_number(known['confidence_one_sided']))} is a confidence: the level at "
        "which the data exclude h2 being as good; the hypotheses have no probability here"
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
        f"tied scores share one point, ({shown(fpr)}, {shown(tpr)}), and the area is "
        f"{shown(float(area(truth, scores)))}; split by file order it may be anything from "
        f"{shown(split[0])} to {shown(split[1])}"
    )


def _normal_from_30() -> str:
    """The exact coverage of the 95 % Wald interval of 30 items at an error rate of 5 %."""
    counts = np.arange(31)
    low, high = wald_limits(counts, 30, normal_reach(0.95, "two-sided"))
    inside = counts[(low <= 0.05) & (high >= 0.05)]
    mass = at_most(inside, 30, 0.05) - at_most(inside - 1, 30, 0.05)
    return (
        f"not for rare errors: with 30 examples and an error rate of 5 % the 95 % interval covers with "
        f"probability {shown(float(mass.sum()))}"
    )


def _binomial_is_mcnemar() -> str:
    one, other = binomial(10, 14, null=0.5), mcnemar(50, 10, 4, 36, variant="exact")
    return (
        f"the same: of 10 against 4 binomial has p = {shown_p(one.p_value)}, exact McNemar p = "
        f"{shown_p(other.p_value)}"
    )


def _one_of_twenty() -> str:
    any_of = sidak([0.05] * 20)[0]
    return f"and of 20 independent tests at least one errs with probability {shown(any_of)}"


def _least_wilcoxon() -> str:
    least = next(n for n in range(1, 30) if (wilcoxon(range(1, n + 1)).p_value or 1.0) <= 0.05)
    return (
        f"for the normal approximation; assay's p is exact, and {least} pairs are the fewest that can "
        "reach 5 %"
    )


def _critical_difference() -> str:
    known = dict(nemenyi_from_ranks(given.RANKS, 34).details)
    return (
        f"the critical difference is {shown(_number(known['critical_difference']))}: RF and naive Bayes, "
        "0.8 apart, just miss it"
    )


def _which_experiment() -> str:
    one, two = (paired_permutation(*trials) for trials in (given.MOONEY_1, given.MOONEY_2))
    t = paired_t(*given.MOONEY_2)
    return (
        "the first: all five differences agree, and the sign-flip test has the least p that five pairs "
        f"allow, {shown_p(one.p_value)}, against {shown_p(two.p_value)} of the second (t: "
        f"{shown_p(t.p_value)}); t is undefined where differences do not vary"
    )


def _null_probability() -> str:
    known = dict(confidence_better(20, 100, 25, 100).details)
    p = 1.0 - _number(known["confidence_two_sided"])
    return (
        f"p is the probability of such a difference or a larger one if there is none (0.20 against 0.25 "
        f"of 100: {shown_p(p)}), not the probability that there is none"
    )


ANSWERS: dict[str, Answer] = {
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
