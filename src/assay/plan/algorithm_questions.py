"""Questions about algorithms over data sets; those over folds of one are in `fold_questions`."""

import math

from assay.core.checks import check_choice
from assay.plan.planning_facts import PlanFacts, PlanQuestion, PlanSetting, each, spread
from assay.plan.power_ranks import (
    SIMULATED_MOST,
    Differences,
    friedman_closed_power,
    friedman_simulated_power,
    normal_differences,
    wilcoxon_closed_power,
    wilcoxon_simulated_power,
)


def dataset_ranks(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two algorithms over data sets: Wilcoxon's signed ranks, differences normal."""
    sd = spread(facts, "the sd of the differences between the two algorithms over data sets")
    return (rank_question(setting, normal_differences(sd), "differences are normal"),)


def rank_question(setting: PlanSetting, differences: Differences, shape: str) -> PlanQuestion:
    """The same with any differences; ``shape`` says what they are."""
    usual = "closed" if setting.closed else "simulated"
    variant = check_choice(setting.variant or usual, ("simulated", "closed"), "variant")
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

    return PlanQuestion(
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


def least_for_ranks(setting: PlanSetting) -> int:
    """The fewest data sets with which signed ranks can reject at all: 2^-n is the least tail."""
    sides = 2.0 if setting.side == "two-sided" else 1.0
    return math.ceil(math.log2(sides / setting.alpha) - 1e-12)


def dataset_friedman(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Whether k algorithms differ at all over data sets: Friedman's ranks with Iman-Davenport's F."""
    sd = spread(facts, "the sd of the differences between two algorithms over data sets")
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
        PlanQuestion(
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
