"""Scores of many models with intervals that hold together."""

import math

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.notes import note
from assay.core.results import Estimate, Interval
from assay.estimates.board_winner import Contenders
from assay.kernels.binomial import wilson_limits
from assay.kernels.special import ndtr, stdtrit
from assay.kernels.tails import alpha_of
from assay.kernels.winner_limits import two_sided_reach

METHOD = "max_t"
FLAT = note(
    "zero-variance", what="the scores of the units", method="an interval", remedy="none is given"
)


def simultaneous_scores(
    given: Contenders,
    *,
    level: float,
    measure: str,
    n_draws: int,
    seed: int,
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> tuple[Estimate, ...]:
    """Each model's score; all intervals cover at once, as the largest error of all does.

    Of right and wrong items the limits are Wilson's; where units are few, t quantiles stand for normal ones.
    """
    errors = np.sqrt((given.root**2).sum(axis=0))
    reach = two_sided_reach(given.root, alpha_of(level), n_draws, seed) if errors.any() else 0.0
    if given.df is not None and reach > 0.0:
        reach = float(-stdtrit(given.df, ndtr(-reach)))
    values = given.sign * given.values
    low, high = _limits(given, values, errors, reach)
    low, high = np.clip(low, *bounds), np.clip(high, *bounds)
    return tuple(
        Estimate(
            measure=measure,
            value=float(values[place]),
            interval=Interval(
                low=float(low[place]), high=float(high[place]), level=level, method=METHOD
            )
            if errors[place] > 0.0 or given.counts is not None
            else None,
            method=METHOD,
            n=given.n,
            unit=given.unit,
            model=model,
            standard_error=float(errors[place]),
            seed=seed,
            details=(("multiplier", reach),),
            notes=() if errors[place] > 0.0 or given.counts is not None else (FLAT,),
        )
        for place, model in enumerate(given.models)
    )


def _limits(
    given: Contenders, values: FloatArray, errors: FloatArray, reach: float
) -> tuple[FloatArray, FloatArray]:
    if given.counts is None:
        return values - reach * errors, values + reach * errors
    return wilson_limits(np.array(given.counts), np.full(len(values), given.n), reach)
