"""Questions about two algorithms on one data set: power by the number of fits, and its limit."""

from dataclasses import replace

from assay.core.errors import UsageError
from assay.core.fold_budgets import PRICES
from assay.core.formatting import write_rounded
from assay.core.notes import note
from assay.estimates.folds import HELD_FOLDS
from assay.plan.planning_facts import PlanFacts, PlanQuestion, PlanSetting, each, spread
from assay.plan.power_means import resampled_t_limit, resampled_t_power

FITS = tuple(one.fits for one in PRICES)
"""Fits of each algorithm at which the power of a plan for algorithms is shown."""
_SD = "the sd of the differences between the two algorithms over folds"


def corrected_folds(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """Two algorithms over the folds of one data set: the corrected t, whose power has a limit."""
    sd = spread(facts, _SD)
    if (facts.folds is None) == (facts.test_share is None):
        raise UsageError(
            "how the data are split is not known. Give folds= (cross-validation) or test_share= "
            "(random splits)"
        )
    folds = 1 if facts.folds is None else int(facts.folds)
    tested = 1.0 / folds if facts.test_share is None else facts.test_share
    return (fold_question(setting, sd, tested / (1.0 - tested), folds),)


def fold_question(setting: PlanSetting, sd: float, ratio: float, folds: int = 1) -> PlanQuestion:
    """The same from the ratio of tested to trained items."""
    found = _resampled(setting, sd, ratio, folds, ratio / (1.0 + ratio))
    have = f"runs of {folds} folds" if folds > 1 else "random splits"
    heuristic = note("heuristic-level", method=found.method, measured="")
    return replace(found, notes=(heuristic, note("unheld-folds", have=have)))


def cautious_folds(facts: PlanFacts, setting: PlanSetting) -> tuple[PlanQuestion, ...]:
    """The test whose level held, over repeats of five folds; ``correlation`` is that between folds."""
    folds = HELD_FOLDS if facts.folds is None else int(facts.folds)
    return (cautious_question(setting, spread(facts, _SD), folds, facts.correlation),)


def cautious_question(
    setting: PlanSetting, sd: float, folds: int = HELD_FOLDS, correlation: float | None = None
) -> PlanQuestion:
    """The same from the spread; folds correlate by their test share where nobody says how much."""
    share = 1.0 / folds if correlation is None else correlation
    if share < 0.0:
        raise UsageError(f"scores of folds correlate by 0 or more; got correlation {share:g}")
    method, ratio = "cautious_resampled_t", 1.0 / (folds - 1.0)
    found = _resampled(setting, sd, ratio, folds, share, method=method, caution=2.0)
    return replace(
        found,
        asks="two algorithms on one data set",
        formula="power = P(|T| > t sqrt((1/n + 2 ratio)/(1/n + overlap))), T noncentral t with n - 1 degrees "
        "of freedom, noncentrality = difference/(sd sqrt(1/n + overlap)), overlap = correlation/(1 - correlation)",
        reference="Nadeau & Bengio (2003), Machine Learning 52; assay, docs/folds.md",
        points=FITS,
        details=(*found.details, ("correlation", share), ("overlap", share / (1.0 - share))),
    )


def _resampled(
    setting: PlanSetting,
    sd: float,
    ratio: float,
    folds: int,
    correlation: float,
    method: str = "corrected_resampled_t",
    caution: float = 1.0,
) -> PlanQuestion:
    test = (caution * ratio, correlation / (1.0 - correlation), setting.alpha)
    by_default = correlation == ratio / (1.0 + ratio)
    share = "the share of data tested" if by_default else write_rounded(correlation, 6)
    # docs/folds.md: every cell in which the cautious test fails has an algorithm that hardly learns
    learns = ("both algorithms clearly beat a constant answer",) if caution != 1.0 else ()
    return PlanQuestion(
        method=method,
        asks="two algorithms over folds of one data set",
        unit="fold",
        power=each(
            lambda n, difference: resampled_t_power(n, difference / sd, *test, setting.side)
        ),
        assumptions=(
            f"the correlation between folds is {share}",
            "differences between folds are nearly normal",
            "folds are as large as those from which sd comes",
            *learns,
        ),
        reference="Nadeau & Bengio (2003), Machine Learning 52",
        formula="power = P(|T| > t), T noncentral t with n - 1 degrees of freedom, "
        "noncentrality = difference/(sd sqrt(1/n + ratio))",
        least=max(2, folds),
        multiple=folds,
        limit=lambda difference: resampled_t_limit(difference / sd, *test, setting.side),
        details=(("sd", sd), ("ratio", ratio)),
    )
