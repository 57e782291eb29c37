"""Questions about fitted models on items: right or wrong, areas, means, clusters, repeats."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import cast

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import UsageError
from assay.core.results import Details
from assay.plan.auc_variance import area_variance, difference_variance
from assay.plan.planning_facts import (
    UNKNOWN,
    PlanFacts,
    PlanQuestion,
    PlanSetting,
    both,
    each,
    needed,
    share,
    spread,
)
from assay.plan.power_means import (
    cluster_t_power,
    design_effect,
    normal_power,
    paired_t_power,
    pooled_t_power,
    repeats_sd,
    welch_power,
    withheld_t_power,
)
from assay.plan.power_proportions import (
    McNemarVariant,
    ProportionVariant,
    TwoProportionsVariant,
    mcnemar_power,
    one_proportion_power,
    two_proportions_power,
)

_INDEPENDENT = "items are independent"
_SAME = "both models are tested on every item"
_APART = "each model has items of its own, n of each"
SIMILAR, UNRELATED = 0.9, 0.0
"""Correlations of two models' scores between which most pairs lie."""
HUGE = 1e12
"""Items at which a variance times n has reached its limit."""


def one_proportion(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """One model against a level, right or wrong."""
    null = share(facts.against, "against", "the level to compare with")
    variant = check_choice(setting.variant or "exact", ("exact", "normal", "arcsine"), "variant")

    def power(n: FloatArray, difference: float) -> FloatArray:
        kind = cast("ProportionVariant", variant)
        return one_proportion_power(
            n, null, null + difference, setting.alpha, setting.side, variant=kind
        )

    tooth = math.ceil(3.0 / min(null, 1.0 - null))
    return (
        PlanQuestion(
            method="binomial",
            asks="one model against a level, right or wrong on items",
            unit="item",
            power=power,
            assumptions=(_INDEPENDENT,),
            reference="Cohen (1988), Statistical Power Analysis for the Behavioral Sciences, chapter 6",
            formula="power = sum of the probabilities of k right of n at the rate against + difference, "
            "over all k that the exact test of against rejects",
            least=1,
            reach=(null, 1.0 - null),
            scan=max(32, tooth) if variant == "exact" else 0,
            sigma=math.sqrt(null * (1.0 - null)),
            details=(("against", null), ("variant", variant)),
        ),
    )


def two_proportions(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two models, each on its own items, right or wrong."""
    rate = share(facts.baseline, "baseline", "the rate of one model")
    known = ("enumerated", "normal", "strict", "arcsine")
    usual = "normal" if setting.closed else "enumerated"
    variant = check_choice(setting.variant or usual, known, "variant")

    def power(n: FloatArray, difference: float) -> FloatArray:
        kind = cast("TwoProportionsVariant", variant)
        return two_proportions_power(
            n, rate + difference, rate, setting.alpha, setting.side, variant=kind
        )

    return (
        PlanQuestion(
            method="two_proportions_z",
            asks="two models on different items, right or wrong",
            unit="item",
            power=power,
            assumptions=(_INDEPENDENT, _APART),
            reference="Fleiss, Levin & Paik (2003), Statistical Methods for Rates and Proportions, "
            "chapter 4; Cohen (1988), Statistical Power Analysis, chapter 6",
            formula="power = sum of the probabilities of a and b right of n at the rates baseline + "
            "difference and baseline, over all a and b that the pooled z rejects",
            least=1,
            reach=(rate, 1.0 - rate),
            scan=24 if variant == "enumerated" else 0,
            sigma=math.sqrt(2.0 * rate * (1.0 - rate)),
            apart=True,
            details=(("baseline", rate), ("variant", variant)),
        ),
    )


def mcnemar(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two models on the same items, right or wrong; two cases where the discordance is not known."""
    known = facts.discordant
    if known is not None:
        question = _paired_outcomes(setting, lambda _: known)
        return (
            replace(
                question,
                reach=(known, known),
                sigma=math.sqrt(known),
                details=(("discordant", known), *question.details),
            ),
        )
    if facts.baseline is None:
        raise UsageError(
            f"discordant is not known: give discordant=, {UNKNOWN['discordant']}, or a pilot file. For "
            "the best and the worst case give baseline=, the rate of one model"
        )
    rate = share(facts.baseline, "baseline", "the rate of one model")

    def unrelated(difference: float) -> float:
        other = rate + difference
        return rate * (1.0 - other) + other * (1.0 - rate)

    cases = (
        ("best case: one model's errors are all shared", abs),
        ("cautious case: errors are independent", unrelated),
    )
    return tuple(
        replace(
            _paired_outcomes(setting, discordance),
            reach=(rate, 1.0 - rate),
            label=label,
            missing="discordant",
        )
        for label, discordance in cases
    )


def _paired_outcomes(setting: PlanSetting, discordance: Callable[[float], float]) -> PlanQuestion:
    """McNemar's test where so many items are discordant, given the difference."""
    known = ("score", "exact", "connor")
    usual = "connor" if setting.closed else "score"
    variant = check_choice(setting.variant or usual, known, "variant")

    def power(n: FloatArray, difference: float) -> FloatArray:
        kind = cast("McNemarVariant", variant)
        sizes = max(discordance(difference), 1e-12), difference
        return mcnemar_power(n, *sizes, setting.alpha, setting.side, variant=kind)

    return PlanQuestion(
        method="mcnemar",
        asks="two models on the same items, right or wrong",
        unit="item",
        power=power,
        assumptions=(_INDEPENDENT, _SAME),
        reference="Connor (1987), Biometrics 43; Miettinen (1968), Biometrics 24",
        formula="power = sum over m of P(they disagree on m of n) P(the test of m rejects), A being "
        "right on each of the m with share = (discordant + difference)/(2 discordant)",
        least=1,
        scan=0 if variant == "connor" else 24,
        details=(("variant", variant),),
    )


def one_area(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """The area under the ROC curve of one model: against a level, or by itself."""
    level = facts.baseline if facts.against is None else facts.against
    null = share(level, "against", "the area to compare with")
    prevalence, effect = _prevalence(facts), _clustering(facts)

    def power(n: FloatArray, difference: float) -> FloatArray:
        variance = area_variance(_inside(null + difference), n, prevalence) * effect
        return normal_power(difference / np.sqrt(variance), setting.alpha, setting.side)

    return (
        PlanQuestion(
            method="delong",
            asks="the area under the ROC curve of one model",
            unit="item",
            power=power,
            assumptions=(_INDEPENDENT, "scores are normal in each class, with equal spread"),
            reference="Hanley & McNeil (1982), Radiology 143; DeLong et al. (1988), Biometrics 44",
            formula="power = Φ(difference/error - z) + Φ(-difference/error - z), error² the variance of the "
            "area of normal scores, n prevalence positives among n items",
            least=_least_of_classes(prevalence),
            reach=(null, 1.0 - null),
            sigma=_limit(area_variance(null, np.array(HUGE), prevalence) * effect),
            details=(("area", null), ("prevalence", prevalence)),
        ),
    )


def two_areas(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two models by area on the same items; two cases where the correlation is not known."""
    if facts.correlation is not None:
        return (_areas(facts, setting, facts.correlation, ""),)
    return (
        _areas(facts, setting, SIMILAR, f"best case: scores correlate by {SIMILAR:g}"),
        _areas(facts, setting, UNRELATED, "cautious case: scores are unrelated"),
    )  # fmt: skip


def separate_areas(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two models by area, each on items of its own."""
    one = _areas(facts, setting, 0.0, "")
    assumptions = tuple(_APART if text == _SAME else text for text in one.assumptions)
    asks = "the areas under the ROC curves of two models on different items"
    changed = replace(one, method="delong_independent", asks=asks, assumptions=assumptions)
    return (replace(changed, apart=True),)


def _areas(facts: PlanFacts, setting: PlanSetting, correlation: float, label: str) -> PlanQuestion:
    area = share(facts.baseline, "baseline", "the area of one model")
    prevalence, effect = _prevalence(facts), _clustering(facts)

    def variance(n: FloatArray, difference: float) -> FloatArray:
        areas = area, _inside(area + difference)
        return difference_variance(areas, correlation, n, prevalence) * effect

    def power(n: FloatArray, difference: float) -> FloatArray:
        shift = difference / np.sqrt(variance(n, difference))
        return normal_power(shift, setting.alpha, setting.side)

    return PlanQuestion(
        method="delong_test",
        asks="the areas under the ROC curves of two models on the same items",
        unit="item",
        power=power,
        assumptions=(_INDEPENDENT, _SAME, "scores are normal in each class, with equal spread"),
        reference="DeLong et al. (1988), Biometrics 44; Obuchowski & McClish (1997), Statistics in "
        "Medicine 16",
        formula="power = Φ(difference/error - z) + Φ(-difference/error - z), error² the variance of the "
        "difference of areas of normal scores that correlate by correlation within a class",
        least=_least_of_classes(prevalence),
        reach=(area, 1.0 - area),
        sigma=_limit(variance(np.array(HUGE), 0.0)),
        label=label,
        missing="correlation" if label else "",
        details=(("baseline", area), ("prevalence", prevalence), ("correlation", correlation)),
    )


def paired_means(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """A mean of differences: two models on the same units, or one against a level."""
    sd = spread(facts, "the sd of the differences between the two models, unit by unit")
    withheld = setting.squares and facts.against is None and setting.unit == "item"
    power = withheld_t_power if withheld else paired_t_power
    errors = ("squared errors are those of near normal errors",) if withheld else ()
    return (
        PlanQuestion(
            method="paired_t" if facts.against is None else "one_sample_t",
            asks="the mean difference of two models on the same units"
            if facts.against is None
            else "the mean of one model against a level",
            unit=setting.unit,
            power=each(
                lambda n, difference: power(n, difference / sd, setting.alpha, setting.side)
            ),
            assumptions=("units are independent", "differences near normal, or many units", *errors),
            reference="Cohen (1988), Statistical Power Analysis, chapter 2; Student (1908), Biometrika 6",
            formula="power = P(|T| > t), T noncentral t with n - 1 degrees of freedom, "
            "noncentrality = difference sqrt(n)/sd",
            sigma=sd,
            details=(("sd", sd),),
        ),
    )  # fmt: skip


def separate_means(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Means of two models, each on units of its own: Welch's t, or with one variance for both."""
    needed(facts.sd and 1.0, "sd", "the spread of one model's values, or of each")
    sds = both(facts.sd or 1.0)
    variant = check_choice(setting.variant or "welch", ("welch", "pooled"), "variant")
    sigma = math.hypot(*sds)

    def power(n: float, difference: float) -> float:
        if variant == "welch":
            return welch_power(n, difference, sds, setting.alpha, setting.side)
        effect = difference / (sigma / math.sqrt(2.0))
        return pooled_t_power(n, effect, setting.alpha, setting.side)

    return (
        PlanQuestion(
            method="two_sample_t",
            asks="the means of two models, each on units of its own",
            unit=setting.unit,
            power=each(power),
            assumptions=("units are independent", "n units of each model", "values near normal"),
            reference="Welch (1947), Biometrika 34; Cohen (1988), Statistical Power Analysis, chapter 2",
            formula="power = P(|mean_a - mean_b| > t(df) sqrt(s_a²/n + s_b²/n)) over both sample variances, "
            "the means being apart by difference and the spreads sd_a and sd_b",
            sigma=sigma,
            apart=True,
            details=(("sd_a", sds[0]), ("sd_b", sds[1]), ("variant", variant)),
        ),
    )


def clustered_means(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two models on items in clusters; two cases where the correlation within is not known."""
    size = needed(
        facts.cluster_size,
        "cluster_size",
        "the mean number of items of a cluster",
    )
    if facts.icc is not None:
        return (_clustered(facts, setting, size, facts.icc, ""),)
    return (
        _clustered(facts, setting, size, 0.0, "best case: items of a cluster are unrelated"),
        _clustered(facts, setting, size, 1.0, "worst case: items of a cluster are all alike"),
    )


def _clustered(
    facts: PlanFacts, setting: PlanSetting, size: float, icc: float, label: str
) -> PlanQuestion:
    if setting.outcome:
        variance = needed(facts.discordant, "discordant", UNKNOWN["discordant"])
        details: Details = (("discordant", variance),)
        sd, reach = math.sqrt(variance), (variance, variance)
    else:
        sd = spread(facts, "the sd of the differences between the two models, item by item")
        details, reach = (("sd", sd),), (math.inf, math.inf)

    def power(n: float, difference: float) -> float:
        # a difference of -1, 0 or 1 has variance discordant - difference²
        own = math.sqrt(max(variance - difference**2, 1e-18)) if setting.outcome else sd
        return cluster_t_power(n, difference / own, size, icc, setting.alpha, setting.side)

    return PlanQuestion(
        method="cluster_difference",
        asks="the mean difference of two models on items in clusters",
        unit="item",
        power=each(power),
        assumptions=("clusters are independent and of about one size", _SAME),
        reference="Kish (1965), Survey Sampling; Donner & Klar (2000), Design and Analysis of "
        "Cluster Randomization Trials",
        formula="power = P(|T| > t), T noncentral t with clusters - 1 degrees of freedom, noncentrality = "
        "difference sqrt(n/design_effect)/sd, design_effect = 1 + (cluster_size - 1) icc",
        least=math.ceil(2.0 * size),
        reach=reach,
        sigma=sd * math.sqrt(design_effect(size, icc)),
        label=label,
        missing="icc" if label else "",
        details=(
            *details,
            ("cluster_size", size),
            ("icc", icc),
            ("design_effect", design_effect(size, icc)),
        ),
    )


def repeated_means(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Items answered several times by each model: Miller's formula, with known variances."""
    between = spread(facts, "the sd between items of the true difference of the two models (ω)")
    repeats = both(facts.repeats_per_item or 1.0)
    if facts.repeats_per_item is None or facts.sd_within is not None:
        return (_repeated(setting, between, both(facts.sd_within or 0.0), repeats, ""),)
    if not setting.outcome:
        raise UsageError(
            f"repeats do not help without {UNKNOWN['sd_within']}: give sd_within=, one number or one "
            "for each model"
        )
    return (
        _repeated(setting, between, (0.0, 0.0), repeats, "best case: answers to an item never vary"),
        _repeated(setting, between, (0.5, 0.5), repeats, "worst case: answers are coin flips"),
    )  # fmt: skip


def _repeated(
    setting: PlanSetting,
    between: float,
    within: tuple[float, float],
    repeats: tuple[float, float],
    label: str,
) -> PlanQuestion:
    sigma = repeats_sd(between, within, repeats)

    def power(n: FloatArray, difference: float) -> FloatArray:
        return normal_power(difference * np.sqrt(n) / sigma, setting.alpha, setting.side)

    return PlanQuestion(
        method="cluster_difference",
        asks="the mean difference of two models on items answered several times",
        unit="item",
        power=power,
        assumptions=(_INDEPENDENT, _SAME, "enough items for the normal distribution of a mean"),
        reference="Miller (2024), Adding Error Bars to Evals, arXiv 2411.00640, section 5",
        formula="n = (z_alpha + z_power)² variance/difference², "
        "variance = sd_between² + sd_within_a²/repeats_a + sd_within_b²/repeats_b",
        least=1,
        sigma=sigma,
        label=label,
        missing="sd_within" if label else "",
        details=(
            ("sd_between", between),
            ("sd_within_a", within[0]),
            ("sd_within_b", within[1]),
            ("repeats_a", repeats[0]),
            ("repeats_b", repeats[1]),
        ),
    )


def width_of_rate(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:  # noqa: ARG001
    """The interval of one rate."""
    rate = share(facts.baseline, "baseline", "the rate that is expected")
    return (
        PlanQuestion(
            method="proportion",
            asks="the interval of one model's rate",
            unit="item",
            power=None,
            assumptions=(_INDEPENDENT, "enough of both outcomes for the normal approximation"),
            reference="Cochran (1977), Sampling Techniques, section 4.4",
            formula="half_width = z sqrt(rate (1 - rate)/n)",
            sigma=math.sqrt(rate * (1.0 - rate)),
            details=(("rate", rate),),
        ),
    )


def width_of_mean(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """The interval of one mean."""
    sd = spread(facts, "the sd of one model's values")
    return (
        PlanQuestion(
            method="mean_t",
            asks="the interval of one model's mean",
            unit=setting.unit,
            power=None,
            assumptions=("units are independent", "enough of them for the normal approximation"),
            reference="Cochran (1977), Sampling Techniques, section 4.6",
            formula="half_width = z sd/sqrt(n)",
            sigma=sd,
            details=(("sd", sd),),
        ),
    )


def _prevalence(facts: PlanFacts) -> float:
    return needed(facts.prevalence, "prevalence", "the share of positive items")


def _clustering(facts: PlanFacts) -> float:
    """The design effect; 1 without clusters."""
    if facts.cluster_size is None:
        return 1.0
    icc = needed(facts.icc, "icc", UNKNOWN["icc"])
    return design_effect(facts.cluster_size, icc)


def _least_of_classes(prevalence: float) -> int:
    """Items of which two are expected in the rarer class."""
    return math.ceil(2.0 / min(prevalence, 1.0 - prevalence))


def _inside(area: float) -> float:
    """An area of 0 or 1 has no variance, and a test of it no standard error."""
    return min(max(area, 1e-9), 1.0 - 1e-9)


def _limit(variance: FloatArray) -> float:
    """The standard error times the root of n, from the variance with very many items."""
    return math.sqrt(float(variance) * HUGE)
