"""Comparisons that may be looked at as often as one likes: items and models keep arriving (T18)."""

import math
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import (
    LARGEST,
    SMALLEST,
    as_pairs,
)
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.results import Details, Interval, TestOutcome
from assay.core.vocabulary import UNITS, Alternative, Unit
from assay.estimates.method_question import MethodQuestion
from assay.hypotheses.multiplicity import PValues, checked_p_values
from assay.kernels.betting_wealth import log_wealth, log_wealth_path, lower_end
from assay.kernels.tails import alpha_of, tail_of

_TOO_FAR = 1.0 + 1e-9
LOOKS, STEPS = 60, 1000
"""Looks at which a confidence sequence is drawn, and steps to which values are rounded for it."""


@method(
    question="Do two models differ in mean loss on the same units, at any number of looks?",
    takes="pairs",
    gives="test",
    unit=UNITS,
    assumes=(
        "losses are bounded, and no difference exceeds the bound",
        "each unit's mean difference is the same, whatever came before: independent units will do",
        "units are looked at in the order in which they came, none left out",
    ),
    reference="Waudby-Smith & Ramdas (2024), JRSS B 86: 1-27; "
    "Ville (1939), Étude critique de la notion de collectif; Cover (1991), Mathematical Finance 1",
    requirement="T18",
    formula="e = mean over stakes f of the product of 1 + f (x/m - 1), x = (d + bound)/(2 bound), "
    "m = (null + bound)/(2 bound); p = 1/e, doubled for two sides",
    title="anytime-valid test of the mean difference (betting)",
    batched_by="betting_wealth",
    anytime=True,
)
def anytime_mean_difference(
    a: Any,
    b: Any = None,
    *,
    bound: float = 1.0,
    null: float = 0.0,
    alternative: str = "two-sided",
    level: float = 0.95,
    unit: Unit = "item",
) -> TestOutcome:
    """The mean of a - b with an interval and a p-value that hold at every look, and at the first hit.

    ``bound`` is the largest difference possible: 1 for right and wrong and for probabilities. Units
    are in the order in which they came. ``p_ever`` in details is the smallest p so far and
    ``first_n`` the number of units at which the null was first excluded: stopping there is allowed.
    """
    first, second = as_pairs(a, b)
    asked = MethodQuestion.of(
        "anytime_mean_difference", level=level, alternative=alternative, unit=unit, null=null
    )
    reach = _checked_bound(bound, null)
    differences = first - second
    _check_within(differences, reach)
    rising = np.clip((differences + reach) / (2.0 * reach), 0.0, 1.0)
    centre = (float(null) + reach) / (2.0 * reach)
    interval = _interval(rising, reach, asked.level, asked.side)
    log_e = _log_evidence(rising, centre, asked.side)
    mean = float(differences.mean())
    return asked.outcome(
        math.exp(min(log_e, 700.0)),
        math.exp(-max(log_e, 0.0)),
        asked.estimate("mean_difference", mean, differences.size, interval),
        details=_details(rising, centre, asked.side, asked.level, log_e, reach),
    )


@method(
    question="Which models differ, if they arrive and are compared one after another?",
    takes="p-values",
    gives="adjustment",
    unit=UNITS,
    assumes=(
        "each p-value is valid on its own, however they depend on one another",
        "p-values are in the order in which the models came, none left out",
    ),
    reference="Tian & Ramdas (2021), Stat. Methods Med. Res. 30; Foster & Stine (2008), JRSS B 70",
    requirement="T18",
    formula="adjusted = p k² π²/6, k = 1, 2, … in the order of arrival",
    name="arriving Bonferroni",
)
def arriving_bonferroni(p_values: PValues) -> tuple[float, ...]:
    """Adjusted p-values of models in the order in which they came: a later model changes none.

    The k-th model spends the share 6/(π² k²) of alpha; all shares together are one, so the chance
    of any false claim stays below alpha however many models come.
    """
    p = checked_p_values(p_values)
    arrival = np.arange(1.0, p.size + 1.0)
    adjusted = np.minimum(1.0, p * arrival**2 * math.pi**2 / 6.0)
    return tuple(float(one) for one in adjusted)


def arriving_level(arrival: int, level: float) -> float:
    """The level of the interval of the n-th arriving model: 1 minus its share 6/(π² n²) of alpha."""
    return 1.0 - alpha_of(level) * 6.0 / (math.pi**2 * arrival**2)


def confidence_sequence(
    differences: FloatArray, *, bound: float, level: float
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Looks from the first difference to the last, and the limits of the mean at each of them.

    As `anytime_mean_difference` gives them, with values moved outwards to a thousandth of the range
    where there are many different ones: limits can only become wider by that.
    """
    n = differences.size
    looks = np.unique(np.round(np.geomspace(1, n, LOOKS)).astype(np.int64))
    rising = np.clip((differences + bound) / (2.0 * bound), 0.0, 1.0)
    floor, ceiling = rising, rising
    if np.unique(rising).size > STEPS:
        floor, ceiling = np.floor(STEPS * rising) / STEPS, np.ceil(STEPS * rising) / STEPS
    limit = -math.log(tail_of(level, "two-sided"))
    low = [lower_end(*_counted(floor[:look]), limit) for look in looks]
    high = [lower_end(*_counted(1.0 - ceiling[:look]), limit) for look in looks]
    return looks, bound * (2.0 * np.array(low) - 1.0), bound * (1.0 - 2.0 * np.array(high))


def _checked_bound(bound: float, null: float) -> float:
    value = float(bound)
    if not SMALLEST <= value <= LARGEST:
        raise UsageError(f"bound is the largest difference possible, above 0; got {bound!r}")
    if not abs(float(null)) < value:
        raise UsageError(f"null lies strictly within ± bound = {value:g}; got {null!r}")
    return value


def _check_within(differences: FloatArray, bound: float) -> None:
    largest = float(np.abs(differences).max())
    if largest > bound * _TOO_FAR:
        raise EvidenceError(
            f"a difference of {largest:.4g} exceeds the bound {bound:g}. Set bound= to the largest "
            "difference possible (known before looking, not the largest seen). For losses without "
            "a bound fix n before and use paired_t"
        )


def _log_evidence(rising: FloatArray, centre: float, side: Alternative) -> float:
    """The log of the e-value; of two sides the larger, halved for having two chances."""
    values, counts = _counted(rising)
    up = log_wealth(values, counts, centre)
    if side == "greater":
        return up
    down = log_wealth(1.0 - values, counts, 1.0 - centre)
    return down if side == "less" else max(up, down) - math.log(2.0)


def _interval(rising: FloatArray, bound: float, level: float, side: Alternative) -> Interval:
    """The means against which the wealth has stayed below 1/alpha, on each side that has an end."""
    limit = -math.log(tail_of(level, side))
    values, counts = _counted(rising)
    low, high = -math.inf, math.inf
    if side != "less":
        low = bound * (2.0 * lower_end(values, counts, limit) - 1.0)
    if side != "greater":
        high = bound * (1.0 - 2.0 * lower_end(1.0 - values, counts, limit))
    name = "anytime_mean_difference"
    return Interval(low=low, high=high, level=level, method=name, alternative=side)


def _details(
    rising: FloatArray,
    centre: float,
    side: Alternative,
    level: float,
    log_e: float,
    bound: float,
) -> Details:
    """What was true at the looks before this one."""
    paths = {"greater": log_wealth_path(rising, centre)}
    paths["less"] = log_wealth_path(1.0 - rising, 1.0 - centre)
    if side == "two-sided":
        path = np.maximum(paths["greater"], paths["less"]) - math.log(2.0)
    else:
        path = paths[side]
    reached = np.flatnonzero(path >= -math.log(round(1.0 - level, 12)))
    return (
        ("n", rising.size),
        ("bound", bound),
        ("log10_e", log_e / math.log(10.0)),
        ("log10_p", -max(log_e, 0.0) / math.log(10.0)),
        ("p_ever", math.exp(-max(float(path.max()), 0.0))),
        ("first_n", int(reached[0]) + 1 if reached.size else None),
    )


def _counted(values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Distinct values and how often each came: right and wrong have three, however many items."""
    distinct, counts = np.unique(values, return_counts=True)
    return distinct, counts.astype(np.float64)
