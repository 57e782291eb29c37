"""evalstats 0.3.3 of thousands of draws at once: its pairs of rates, means and ratings.

The formulas of `_ppi_paired_bonett_price`, `_ppi_single_t_interval`, `_ppi_single_logit_t` and `_ppi_paired_logit_t` in
arrays with a row per draw; calibration.judges checks them against the package before it counts. Its rates ask for
roots of a quartic each and stay with the package.
"""

from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.kernels.tails import normal_reach, t_reach

Array = NDArray[np.float64]
Ends = tuple[Array, Array]
SHRINKAGE, SHIFT, EDGE, RESAMPLES, SEED = 20.0, 3.0, 1e-9, 800, 0
"""Its constants: labels against which the weight is shrunk, shift of labelled items, ends of the scale, resamples."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Rest:
    """What it needs of the items that nobody labelled: how many, their mean and variance (divisor n)."""

    count: int
    mean: Array
    spread: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class Weighted:
    """Its point and squared standard error, with the weight of the judge."""

    value: Array
    variance: Array
    weight: Array
    inflation: Array


def weighted(people: Array, judge: Array, rest: Rest, *, shift: bool) -> Weighted:
    """`_analytic_mean_point_se`: a tuned weight, shrunk by a resampled target, its own variance added."""
    n = people.shape[1]
    own, said = people.mean(axis=1), judge.mean(axis=1)
    off, aside = people - own[:, None], judge - said[:, None]
    joint = (off * aside).sum(axis=1) / (n - 1) / n
    spread, varied = (part.var(axis=1, ddof=1) / n for part in (judge, people))
    outside = rest.spread / (rest.count - 1)
    below = outside + spread
    raw = np.where(below > 1e-12, np.clip(joint / np.maximum(below, 1e-300), 0.0, 1.0), 1.0)
    known = (spread * n >= 1e-12) & (varied >= spread * 1e-6)
    share = n / (n + SHRINKAGE)
    resampled, means, spreads = _resampled(people, judge, outside)
    target = np.where(known, 1.0 - (resampled < 0.5).mean(axis=1), 1.0)
    weight = share * raw + (1.0 - share) * target
    moved = share * resampled + (1.0 - share) * target[:, None]
    if shift:
        kept = _kept(said, rest.mean, below)
        weight = kept * weight + 1.0 - kept
        still = _kept(means, rest.mean[:, None], outside[:, None] + spreads)
        moved = still * moved + 1.0 - still
    else:
        moved = resampled
    inflation = np.where(known, (rest.mean - said) ** 2 * moved.var(axis=1, ddof=1), 0.0)
    variance = np.maximum(varied + weight**2 * below - 2.0 * weight * joint, 0.0) + inflation
    return Weighted(
        value=own + weight * (rest.mean - said),
        variance=variance,
        weight=weight,
        inflation=inflation,
    )


def _kept(said: Array, elsewhere: Array, variance: Array) -> Array:
    """How much of the tuned weight is kept, given how far labelled items stand off the others."""
    excess = np.maximum(0.0, (said - elsewhere) ** 2 / np.maximum(variance, 1e-300) - 1.0)
    return np.where(variance <= 1e-12, 1.0, 1.0 - excess / (excess + SHIFT))


@cache
def _drawn(n: int) -> Array:
    """How often each of n labels is in each of its resamples."""
    places = np.random.default_rng(SEED).integers(0, n, size=(RESAMPLES, n))
    return np.stack([np.bincount(row, minlength=n) for row in places]).astype(np.float64)


def _resampled(people: Array, judge: Array, outside: Array) -> tuple[Array, Array, Array]:
    """Tuned weights of resamples, and the judge's mean and squared error in them: a row per draw."""
    n, often = people.shape[1], _drawn(people.shape[1]).T
    mean, whole = judge @ often / n, people @ often / n
    spread = np.maximum((judge**2) @ often - n * mean**2, 0.0) / (n - 1) / n
    joint = ((people * judge) @ often - n * mean * whole) / (n - 1) / n
    below = outside[:, None] + spread
    tuned = np.where(below > 1e-12, np.clip(joint / np.maximum(below, 1e-300), 0.0, 1.0), 1.0)
    return tuned, mean, spread


def pair_of_rates(people: Array, judge: Array, rest: Rest, level: float) -> Ends:
    """`_ppi_paired_bonett_price` of differences -1, 0 and 1."""
    n = people.shape[1]
    found = weighted(people, judge, rest, shift=False)
    w = found.weight

    def parts(ddof: int) -> Array:
        joint = ((people - people.mean(axis=1)[:, None]) * judge).sum(axis=1) / (n - ddof) / n
        own = people.var(axis=1, ddof=ddof) / n
        both = judge.var(axis=1, ddof=ddof) / n + rest.spread / (rest.count - ddof)
        return np.asarray(own + w**2 * both - 2.0 * w * joint)

    variance = np.maximum(found.variance - np.maximum(parts(1), 0.0) + parts(0), 0.0)
    count = _effective(people, judge, rest, w)
    kappa = count / (count + 2.0)
    added = 2.0 * (1.0 + kappa * found.value**2) / (count + 2.0) ** 2
    reach = normal_reach(level, "two-sided") * np.sqrt(kappa**2 * variance + added)
    centre = kappa * found.value
    return np.clip(centre - reach, -1.0, 1.0), np.clip(centre + reach, -1.0, 1.0)


def _effective(people: Array, judge: Array, rest: Rest, w: Array) -> Array:
    """Its number of labels that would be worth as much, two agreeing pseudo-items added."""
    n = people.shape[1] + 2.0
    own, said = people.sum(axis=1) / n, judge.sum(axis=1) / n
    dd, hh, dh = (
        ((a * b).sum(axis=1) + 2.0) / n
        for a, b in ((people, people), (judge, judge), (people, judge))
    )
    both = rest.spread / rest.count + np.maximum(hh - said**2, 0.0) / n
    variance = np.maximum(dd - own**2, 0.0) / n + w**2 * both - 2.0 * w * (dh - own * said) / n
    second = np.clip(dd + w * (rest.spread + rest.mean**2 - hh), 0.0, 1.0)
    varied = np.maximum(second - (own + w * (rest.mean - said)) ** 2, 0.0)
    whole = float(people.shape[1] + rest.count)
    usual = np.minimum(varied / np.maximum(variance, 1e-300), whole)
    return np.where((variance <= 0.0) | (varied <= 0.0), whole, usual)


def mean(people: Array, judge: Array, rest: Rest, level: float) -> Ends:
    """`_ppi_single_t_interval`."""
    found = weighted(people, judge, rest, shift=True)
    reach = t_reach(level, people.shape[1] - 1, "two-sided") * np.sqrt(found.variance)
    return found.value - reach, found.value + reach


def bounded(
    people: Array, judge: Array, rest: Rest, level: float, *, ends: tuple[float, float], shift: bool
) -> Ends:
    """`_ppi_single_logit_t`, or of differences `_ppi_paired_logit_t`: Student's t on the logit scale."""
    found = weighted(people, judge, rest, shift=shift)
    low, span = ends[0], ends[1] - ends[0]
    part = np.clip((found.value - low) / span, EDGE, 1.0 - EDGE)
    reach = t_reach(level, people.shape[1] - 1, "two-sided") * np.sqrt(found.variance)
    logit, reach = np.log(part / (1.0 - part)), reach / span / (part * (1.0 - part))
    sides = (low + span / (1.0 + np.exp(-(logit + side * reach))) for side in (-1.0, 1.0))
    flat = found.variance <= 0.0
    first, second = (np.where(flat, np.clip(found.value, *ends), side) for side in sides)
    return first, second
