"""Worlds of scores: areas under ROC curves of one model and of two, binormal and in five levels."""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtr

from assay.estimates.roc import (
    PRIOR_ITEMS,
    auc_newcombe,
    auc_score,
    delong,
    newcombe_variance,
)
from assay.hypotheses.roc import FEW, delong_test
from assay.kernels.ranks import midranks
from assay.kernels.tails import normal_reach
from assay.simulate.calibration.cells import (
    ALPHAS,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    tally,
)
from assay.simulate.calibration.exact import conditional_reach
from assay.simulate.calibration.means import CHECKED, Disagreement
from assay.simulate.worlds.scores import cuts, distance

Generator = np.random.Generator
BATCH, GOAL = 5_000, 100_000
NUMBERS = 2_000_000
WIDTHS = 100
"""Replicates of a batch whose limits are solved for, to average widths."""
TIES = {"binormal": 0, "5-level": 5}
"""Levels into which the scores are cut; 0 leaves them as they are."""

ONE = Table(
    procedure="auc_score", answers="evaluate", world="scores", measure="roc_auc", unit="item",
    parameters=("ties", "auc", "prevalence", "n"),
)  # fmt: skip
PAIR = Table(
    procedure="delong_test", answers="compare", world="scores", measure="roc_auc", unit="item",
    parameters=("ties", "auc", "prevalence", "n", "correlation"),
)  # fmt: skip


def area_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell; the cell of correlation 0 measures one model as well."""
    world = worlds["scores"]
    cells = product(world["n"], TIES, world["auc"], world["prevalence"], world["correlation"])
    return [
        Job(
            name=f"areas {ties} auc={area:g} prevalence={prevalence:g} n={n} rho={rho:g}",
            world="scores",
            run=partial(areas, ties, area, prevalence, n, rho),
            batch=BATCH if n < 1000 else BATCH // 5,
            goal=GOAL,
        )
        for n, ties, area, prevalence, rho in cells
    ]


def draw_scores(
    rng: Generator, ties: str, area: float, n_positive: int, n: int, rho: float, size: int
) -> FloatArray:
    """Scores of two like models ``(2, size, n)``, the positives first, correlated by ``rho``."""
    shared, own = rng.normal(size=(1, size, n)), rng.normal(size=(2, size, n))
    found = np.sqrt(rho) * shared + np.sqrt(1.0 - rho) * own
    levels = TIES[ties]
    apart = distance(area, levels)
    found[:, :, :n_positive] += apart
    if levels:
        found = np.searchsorted(cuts(apart, levels), found)
    return np.asarray(found, dtype=np.float64)


def areas(
    ties: str, area: float, prevalence: float, n: int, rho: float, rng: Generator, replicates: int
) -> list[Found]:
    """auc_score of one model, DeLong's test of two with the same true area."""
    one: dict[str, float] = {}
    widths: dict[str, float] = {}
    pair: dict[str, float] = {}
    drawn, times = np.unique(rng.binomial(n, prevalence, replicates), return_counts=True)
    defined = 0
    for n_positive, count in zip(drawn.tolist(), times.tolist(), strict=True):
        if 0 < n_positive < n:
            defined += count
            for size in _parts(count, 3 * n):
                values = draw_scores(rng, ties, area, n_positive, n, rho, size)
                _add(one, pair, values, n_positive, area)
    facts = {"minority": n * prevalence}
    reach = {
        at_alpha("reachable", alpha): _reachable(area, prevalence, n, rho, alpha)
        for alpha in ALPHAS
    }
    found = [
        Found(
            table=PAIR, at=(ties, area, prevalence, n, rho), replicates=defined, counts=pair,
            facts={**facts, **reach},
        )
    ]  # fmt: skip
    if rho == 0.0:
        _add_widths(widths, rng, ties, area, prevalence, n, defined)
        one["noted"] = float(times[(drawn < 10) & (drawn > 0)].sum())
        at = (ties, area, prevalence, n)
        found.append(
            Found(table=ONE, at=at, replicates=defined, counts=one, sums=widths, facts=facts)
        )
    return found


def _reachable(area: float, prevalence: float, n: int, rho: float, alpha: float) -> float:
    """What a sign test of the rarer items that the models rank apart could reach, roughly.

    An item is misplaced by a model with probability 1 - area, by one and not the other up to twice
    that, less where scores are correlated (the angle between them over a right angle).
    """
    rarer = max(1, round(n * min(prevalence, 1.0 - prevalence)))
    apart = min(1.0, 2.0 * (1.0 - area)) * float(np.arccos(rho)) / (np.pi / 2.0)
    return conditional_reach(rarer, apart, alpha)


def delong_many(
    values: FloatArray, n_positive: int
) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
    """Areas ``(2, size)``, variances of the first, of the difference, and its degrees of freedom.

    Placements from midranks: among all less among the own class (Sun and Xu 2014); NaN with one
    item of a class.
    """
    n_negative = values.shape[2] - n_positive
    among = midranks(values, exact=True)
    of_positive = (
        among[..., :n_positive] - midranks(values[..., :n_positive], exact=True)
    ) / n_negative
    of_negative = (
        1.0
        - (among[..., n_positive:] - midranks(values[..., n_positive:], exact=True)) / n_positive
    )
    area = of_positive.mean(axis=-1)
    up, down = of_positive - area[..., None], of_negative - area[..., None]
    with np.errstate(invalid="ignore", divide="ignore"):
        weights = (n_positive * (n_positive - 1.0), n_negative * (n_negative - 1.0))
        variance = (up[0] ** 2).sum(-1) / weights[0] + (down[0] ** 2).sum(-1) / weights[1]
        from_positives = ((up[0] - up[1]) ** 2).sum(-1) / weights[0]
        from_negatives = ((down[0] - down[1]) ** 2).sum(-1) / weights[1]
        spread = from_positives + from_negatives
        shares = from_positives**2 / (n_positive - 1) + from_negatives**2 / (n_negative - 1)
        df = spread**2 / shares
    return area, variance, spread, df


def difference_p_values(
    difference: FloatArray, spread: FloatArray, df: FloatArray, rarer: int
) -> FloatArray:
    """DeLong's test with t; where the difference does not vary, that of `flat_z`."""
    varies = spread > 1e-14
    z = np.abs(difference) / np.sqrt(np.where(varies, spread, 1.0))
    flat = np.sqrt(rarer * np.abs(difference))
    p = np.where(varies, 2.0 * stdtr(np.where(varies, df, 1.0), -z), 2.0 * ndtr(-flat))
    return np.asarray(p)


def _add(
    one: dict[str, float], pair: dict[str, float], values: FloatArray, n_positive: int, truth: float
) -> None:
    found, variance, spread, df = delong_many(values, n_positive)
    n_negative = values.shape[2] - n_positive
    rarer = min(n_positive, n_negative)
    p = difference_p_values(found[0] - found[1], spread, df, rarer)
    covered = partial(_covered, found[0], variance, n_positive, n_negative, truth)
    _plus(pair, "noted", float(p.size if rarer < FEW else 0))
    for alpha in ALPHAS:
        reach = normal_reach(1.0 - alpha, "two-sided")
        _plus(pair, at_alpha("level", alpha), tally(p <= alpha))
        for kind, hits in covered(reach).items():
            _plus(one, at_alpha(kind, alpha), tally(hits))
    _check(values, n_positive, found, p)


def _covered(
    found: FloatArray,
    variance: FloatArray,
    n_positive: int,
    n_negative: int,
    truth: float,
    z: float,
) -> dict[str, NDArray[np.bool_]]:
    """Whether the true area lies inside: its distance against the variance at the true area."""
    rarer = min(n_positive, n_negative)
    known = variance > 1e-14
    alone = newcombe_variance(np.clip(found, 1e-9, 1 - 1e-9), n_positive, n_negative)
    ratio = np.where(
        known,
        (rarer * np.where(known, variance, 0.0) / alone + PRIOR_ITEMS) / (rarer + PRIOR_ITEMS),
        1.0,
    )
    there = newcombe_variance(truth, n_positive, n_negative)
    square = (found - truth) ** 2
    inside = square <= z * z * ratio * there * (1.0 + 1e-12)
    newcombe = square <= z * z * there * (1.0 + 1e-12)
    wald = np.where(known, square <= z * z * np.where(known, variance, 1.0), newcombe)
    return {
        "coverage": inside,
        "missed_low": ~inside & (found > truth),
        "missed_high": ~inside & (found < truth),
        "coverage/auc_newcombe": newcombe,
        "coverage/delong": wald,
    }


def _add_widths(
    sums: dict[str, float],
    rng: Generator,
    ties: str,
    area: float,
    prevalence: float,
    n: int,
    replicates: int,
) -> None:
    """Mean widths of the three intervals on the same replicates, by the public methods."""
    methods = {"width": auc_score, "width/auc_newcombe": auc_newcombe, "width/delong": delong}
    done = 0
    while done < WIDTHS:
        n_positive = int(rng.binomial(n, prevalence))
        if not 0 < n_positive < n:
            continue
        done += 1
        truth = np.arange(n) < n_positive
        values = draw_scores(rng, ties, area, n_positive, n, 0.0, 1)[0, 0]
        for alpha in ALPHAS:
            for kind, method in methods.items():
                interval = method(truth, values, level=1.0 - alpha).interval
                if interval is not None:
                    _plus(sums, at_alpha(kind, alpha), interval.width * replicates / WIDTHS)


def _check(values: FloatArray, n_positive: int, found: FloatArray, p: FloatArray) -> None:
    """One replicate of each part goes through the public method."""
    truth = np.arange(values.shape[2]) < n_positive
    outcome = delong_test(truth, values[0, 0], values[1, 0], variant="t")
    theirs = 1.0 if outcome.p_value is None else outcome.p_value
    same = np.isclose(outcome.effect.value or 0.0, found[0, 0] - found[1, 0], atol=1e-9)
    if not same or not np.isclose(theirs, p[0], rtol=1e-6, atol=1e-9):
        raise Disagreement(f"DeLong: {p[0]!r} in calibration, {outcome.p_value!r} from the method")


def check_coverage(truth_area: float, values: FloatArray, n_positive: int) -> None:
    """Whether the quick decision of `_covered` is that of the solved limits, for some replicates."""
    found, variance, _, _ = delong_many(values, n_positive)
    n_negative = values.shape[2] - n_positive
    quick = _covered(
        found[0], variance, n_positive, n_negative, truth_area, normal_reach(0.95, "two-sided")
    )["coverage"]
    truth = np.arange(values.shape[2]) < n_positive
    for row in range(min(CHECKED, values.shape[1])):
        interval = auc_score(truth, values[0, row]).interval
        if interval is not None and interval.contains(truth_area) != bool(quick[row]):
            raise Disagreement("auc_score covers otherwise than calibration counts")


def _parts(count: int, numbers: int) -> list[int]:
    size = max(1, NUMBERS // numbers)
    return [min(size, count - start) for start in range(0, count, size)]


def _plus(counts: dict[str, float], name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value
