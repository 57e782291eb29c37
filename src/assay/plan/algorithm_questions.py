"""Questions about algorithms: over folds, over seeds, over data sets."""

import math

from assay.core.checks import check_choice
from assay.core.errors import UsageError
from assay.core.notes import note
from assay.plan.planning_facts import Facts, Question, Setting, each, needed
from assay.plan.power_means import corrected_t_limit, corrected_t_power
from assay.plan.power_ranks import (
    SIMULATED_MOST,
    Differences,
    friedman_closed_power,
    friedman_simulated_power,
    normal_differences,
    wilcoxon_closed_power,
    wilcoxon_simulated_power,
)


def corrected_folds(facts: Facts, setting: Setting) -> tuple[Question, ...]:
    """Two algorithms over the folds of one data set: the corrected t, whose power has a limit."""
    sd = _sd(facts, "the sd of the differences between the two algorithms over folds")
    if (facts.folds is None) == (facts.test_share is None):
        raise UsageError(
            "how the data are split is not known: give folds (of one run of cross-validation) or "
            "test_share (of random splits), one of the two"
        )
    folds = 1 if facts.folds is None else int(facts.folds)
    tested = 1.0 / folds if facts.test_share is None else facts.test_share
    return (fold_question(setting, sd, tested / (1.0 - tested), folds),)


def fold_question(setting: Setting, sd: float, ratio: float, folds: int = 1) -> Question:
    """The same from the ratio of tested to trained items."""

    def power(n: float, difference: float) -> float:
        return corrected_t_power(n, difference / sd, ratio, setting.alpha, setting.side)

    return Question(
        method="corrected_resampled_t",
        asks="two algorithms over folds of one data set",
        unit="fold",
        power=each(power),
        assumptions=(
            "scores of two folds correlate by the tested share of the data",
            "differences between folds near normal",
            "folds of the same size as those that sd comes from",
        ),
        reference="Nadeau & Bengio (2003), Machine Learning 52",
        formula="power = P(|T| > t), T noncentral t with n - 1 degrees of freedom, "
        "noncentrality = difference/(sd sqrt(1/n + ratio))",
        least=max(2, folds),
        multiple=folds,
        details=(("sd", sd), ("ratio", ratio)),
        notes=(note("heuristic-level", method="corrected_resampled_t", measured=""),),
    )


def fold_limit(setting: Setting, question: Question, difference: float) -> float:
    """The power that no number of repeats exceeds."""
    facts = dict(question.details)
    effect = difference / float(facts["sd"] or 1.0)
    return corrected_t_limit(effect, float(facts["ratio"] or 0.0), setting.alpha, setting.side)


def dataset_ranks(facts: Facts, setting: Setting) -> tuple[Question, ...]:
    """Two algorithms over data sets: Wilcoxon's signed ranks, differences normal."""
    sd = _sd(facts, "the sd of the differences between the two algorithms over data sets")
    return (rank_question(setting, normal_differences(sd), "differences are normal"),)


def rank_question(setting: Setting, differences: Differences, shape: str) -> Question:
    """The same with any differences; ``shape`` says what they are."""
    variant = check_choice(setting.variant or "simulated", ("simulated", "closed"), "variant")
    most = SIMULATED_MOST if variant == "simulated" else 0

    def power(n: float, difference: float) -> float:
        if n > most:
            effect, efficiency = difference / differences.sd, differences.efficiency
            return wilcoxon_closed_power(round(n), effect, setting.alpha, setting.side, efficiency)
        return wilcoxon_simulated_power(
            round(n),
            difference,
            differences,
            setting.alpha,
            setting.side,
            n_resamples=setting.n_resamples,
            seed=setting.seed,
        )

    return Question(
        method="wilcoxon" if setting.models == 2 else "wilcoxon_pairs",
        asks="two algorithms over data sets, by signed ranks",
        unit=setting.unit,
        power=each(power),
        assumptions=("data sets are independent", shape),
        reference="Noether (1987), JASA 82; Lehmann (1975), Nonparametrics; Demšar (2006), JMLR 7",
        formula="power = share of simulated studies whose exact signed-rank test rejects; closed: the t "
        "test on 3 n/pi data sets at the level that the exact test attains",
        least=least_for_ranks(setting),
        scan=1 if most else 3,
        simulated=most,
        details=(("sd", differences.sd), ("variant", variant)),
    )


def least_for_ranks(setting: Setting) -> int:
    """The fewest data sets with which signed ranks can reject at all: 2^-n is the least tail."""
    sides = 2.0 if setting.side == "two-sided" else 1.0
    return math.ceil(math.log2(sides / setting.alpha) - 1e-12)


def dataset_friedman(facts: Facts, setting: Setting) -> tuple[Question, ...]:
    """Whether k algorithms differ at all over data sets: Friedman's ranks with Iman-Davenport's F."""
    sd = _sd(facts, "the sd of the differences between two algorithms over data sets")
    k = setting.models
    variant = check_choice(setting.variant or "simulated", ("simulated", "closed"), "variant")
    alpha = setting.alpha * setting.pairs  # one test of all models, not one of each pair

    most = SIMULATED_MOST if variant == "simulated" else 0

    def power(n: float, difference: float) -> float:
        if n > most:
            return friedman_closed_power(n, k, difference / sd, alpha)
        return friedman_simulated_power(
            round(n),
            k,
            difference / sd,
            alpha,
            n_resamples=setting.n_resamples,
            seed=setting.seed,
        )

    return (
        Question(
            method="iman_davenport",
            asks=f"{k} algorithms over data sets: whether they differ at all",
            unit=setting.unit,
            power=each(power),
            assumptions=(
                "data sets are independent",
                "scores are normal around the level of their data set",
                "the difference is that of the best and the worst; the others lie midway",
            ),
            reference="Iman & Davenport (1980), Communications in Statistics A9; Demšar (2006), JMLR 7",
            formula="power = share of simulated studies in which F rejects; closed: noncentral F, "
            "noncentrality = n (difference/sd)² 3 models/(3.14159 (models + 1))",
            least=2,
            scan=1 if most else 0,
            simulated=most,
            details=(("sd", sd), ("models", k), ("variant", variant)),
        ),
    )


def _sd(facts: Facts, hint: str) -> float:
    if isinstance(facts.sd, tuple):
        raise UsageError(f"one sd is needed, {hint}; got {facts.sd!r}")
    return needed(facts.sd, "sd", f"sd, {hint}, or a pilot file")
