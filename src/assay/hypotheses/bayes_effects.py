"""Any difference that has a standard error, by posterior probabilities (T16)."""

import math

from assay.core.errors import UsageError
from assay.core.methods import method
from assay.core.results import Posterior
from assay.core.vocabulary import Unit
from assay.hypotheses.posteriors import Shares, question
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.special import ndtr, stdtr
from assay.kernels.tails import normal_reach, t_reach

FLAT = "flat"


@method(
    question="How probable is it that a difference with a standard error is below, within or above a "
    "region of practical equivalence?",
    takes="effect",
    gives="posterior",
    unit=("item", "fold", "seed", "dataset"),
    assumes=(
        "the difference is near normal about the true one, or t with df degrees of freedom",
        "no prior information on the difference",
    ),
    reference="Gelman et al. (2013), Bayesian Data Analysis, 3rd edition, sections 2.8 and 3.2; Box & Tiao "
    "(1973), Bayesian Inference in Statistical Analysis",
    requirement="T16",
    formula="difference ~ value + standard_error t(df); p_right = P(difference > rope)",
    name="Bayesian normal",
)
def bayes_normal(
    value: float,
    standard_error: float,
    *,
    df: float = math.inf,
    rope: float = 0.0,
    extent: float = math.inf,
    level: float = 0.95,
    n: int = 1,
    unit: Unit = "item",
) -> Posterior:
    """The posterior of a difference under a flat prior: normal, or t where the spread was estimated.

    With ``extent``, the largest difference there can be, it is normal in atanh(difference/extent).
    Its central interval is the interval of the test with that standard error, and without a rope
    the smaller probability is half the two-sided p-value. ``n`` counts the units behind it.
    """
    asked = question("bayes_normal", "difference", rope, level, unit)
    centre, error = _finite(value, "value"), _finite(standard_error, "standard_error")
    if error <= 0.0 or not df > 0.0:
        raise UsageError(
            f"standard_error and df are above 0; got {standard_error!r} and {df!r}: without any spread there "
            "is no posterior"
        )
    if abs(centre) >= extent:
        raise UsageError(f"the difference {centre:g} lies inside ±extent, got {extent:g}")
    reach = t_reach(asked.level, df, "two-sided") if math.isfinite(df) else None
    reach = normal_reach(asked.level, "two-sided") if reach is None else reach
    low, high = stretched_interval(centre, reach * error, low=-extent, high=extent)
    return asked.answer(
        _t_shares(centre, error, df, asked.rope, extent),
        (low, centre, high),
        n,
        prior=FLAT,
        details=(("value", centre), ("standard_error", error), ("df", df), ("extent", extent)),
    )


def _t_shares(centre: float, error: float, df: float, rope: float, extent: float) -> Shares:
    """Left, rope and right, each from the tail that keeps its digits."""

    def beyond(side: float, edge: float) -> float:
        z = _distance(side * centre, edge, error, extent)
        return float(ndtr(z) if math.isinf(df) else stdtr(df, z))

    if rope >= extent:
        return 0.0, 1.0, 0.0
    left, right = beyond(-1.0, rope), beyond(1.0, rope)
    if rope == 0.0:
        return left, 0.0, right
    side = 1.0 if centre <= 0.0 else -1.0  # the side of the rope that the posterior is not on
    inside = beyond(side, -rope) - beyond(side, rope)
    return left, max(inside, 0.0), right


def _distance(centre: float, edge: float, error: float, extent: float) -> float:
    """How many standard errors the centre lies above the edge, on the scale without ends."""
    if math.isinf(extent):
        return (centre - edge) / error
    gap = math.atanh(centre / extent) - math.atanh(edge / extent)
    # the slope of the scale at the centre; it may be beyond floats where the gap is none
    return gap * (extent * (1.0 - (centre / extent) ** 2) / error) if gap else 0.0


def _finite(value: float, name: str) -> float:
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError):
        number = math.nan
    if not math.isfinite(number):
        raise UsageError(f"{name} is a number, got {value!r}")
    return number
