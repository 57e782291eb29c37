"""A ROC curve with a band for the whole curve."""

import json
import math
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_level
from assay.core.errors import EvidenceError
from assay.core.results import Curve
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.auc import SortedScores, auc, roc_points, sort_scores
from assay.measures.ranking import auc_notes

Variant = Literal["likelihood", "campbell"]
VARIANTS: tuple[Variant, ...] = ("likelihood", "campbell")

MOST_POINTS = 1000
"""Points kept of a curve with its band."""
FEW_POINTS = 100
"""A curve of fewer items has points between its corners too: its band bends there."""
GROWTH = 0.06
"""By how much the reach grows where both classes have e times as many items, beyond those measured.

It does so between 300 and 3,000 items, and slower and slower after that.
"""
WINDOW = 4.5
"""Items on either side over which the observed curve is smoothed, in its own scale."""
SHARES, FEW_AND_MANY = 5000, (12, 24)
"""Points of the band's edge: those of each point of the curve differ in how its distance is shared
between the two rates; the closer the points of the curve, the fewer are needed."""


def roc_band(
    truth: ArrayLike,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    model: str | None = None,
    variant: Variant = "likelihood",
) -> Curve:
    """A ROC curve with a band that holds the whole true curve at ``level``.

    "likelihood" is the tube of all points whose likelihood ratio against some point of the observed
    curve, a little smoothed, is small enough (after Einmahl and McKeague 1999): how small was
    measured, so that the whole curve is held in 95 of 100 samples, and hardly depends on the
    curve. "campbell" (1994) moves the curve by Massart's (1990) bounds of both distribution
    functions, each at the square root of the level; that holds for every pair of distributions
    and is about twice as wide.
    """
    labels = as_scored_labels(truth, scores)
    groups = sort_scores(labels.truth, labels.scores[0])
    return roc_band_of(groups, level=level, model=model, variant=variant)


def roc_band_of(
    groups: SortedScores,
    *,
    level: float = 0.95,
    model: str | None = None,
    area: float | None = None,
    variant: Variant = "likelihood",
) -> Curve:
    """As :func:`roc_band`, from sorted scores; the ``area`` where it is known better than they tell."""
    check_choice(variant, VARIANTS, "variant")
    sizes = (groups.n_positive, groups.n_negative)
    if 0 in sizes:
        raise EvidenceError("an ROC curve needs items of both classes; the truth has one")
    fpr, tpr = (np.append(0.0, rates) for rates in roc_points(groups))
    kept = np.unique(np.linspace(0, fpr.size - 1, min(fpr.size, MOST_POINTS)).round().astype(int))
    fpr, tpr = _with_points_between(fpr[kept], tpr[kept])
    limits = likelihood_limits if variant == "likelihood" else campbell_limits
    low, high, reach = limits(groups, fpr, level=check_level(level))
    columns = {"fpr": fpr, "tpr": tpr, "low": low, "high": high}
    area = auc(groups) if area is None else area
    return Curve(
        name="roc_band",
        model=model,
        columns=tuple((name, tuple(values.tolist())) for name, values in columns.items()),
        notes=auc_notes(area),
        details=(
            ("auc", area),
            ("n_positive", sizes[0]),
            ("n_negative", sizes[1]),
            ("level", level),
            ("variant", variant),
            *reach.items(),
        ),
    )


def likelihood_limits(
    groups: SortedScores, at: FloatArray, *, level: float
) -> tuple[FloatArray, FloatArray, dict[str, float]]:
    """The least and the largest true positive rate of the tube at false positive rates ``at``."""
    reach = likelihood_reach(groups.n_positive, groups.n_negative, level)
    fpr, tpr = observed_path(groups)
    low, high = tube(fpr, tpr, groups.n_negative, groups.n_positive, reach, at)
    return low, high, {"reach": reach}


def campbell_limits(
    groups: SortedScores, at: FloatArray, *, level: float
) -> tuple[FloatArray, FloatArray, dict[str, float]]:
    """Campbell's limits at false positive rates ``at``: the curve moved by two Massart bounds."""
    tail = 1.0 - math.sqrt(level)
    sizes = (groups.n_positive, groups.n_negative)
    reach_tpr, reach_fpr = (math.sqrt(math.log(2.0 / tail) / (2.0 * size)) for size in sizes)
    fpr, tpr = (np.append(0.0, rates) for rates in roc_points(groups))
    low = np.where(at < reach_fpr, 0.0, _height(fpr, tpr, at - reach_fpr) - reach_tpr)
    high = _height(fpr, tpr, at + reach_fpr) + reach_tpr
    reaches = {"reach_tpr": reach_tpr, "reach_fpr": reach_fpr}
    return low.clip(min=0.0), high.clip(max=1.0), reaches


def observed_path(groups: SortedScores) -> tuple[FloatArray, FloatArray]:
    """The observed curve, smoothed over about its standard error, as points close to one another.

    Each point is the mean of the curve over as many items before as after it: a few times the root
    of their number where both rates are in the middle, none at the ends. Items of equal score are
    one straight step.
    """
    items = np.append(0.0, groups.tp + groups.fp)
    rates = [np.append(0.0, counts) / counts[-1] for counts in (groups.fp, groups.tp)]
    steps = _close_steps(items, rates)
    fpr, tpr = (np.interp(steps, items, rate) for rate in rates)
    window = WINDOW * np.sqrt(items[-1] * fpr * (1.0 - fpr) * tpr * (1.0 - tpr))
    window = np.minimum(window, np.minimum(steps, items[-1] - steps))
    fpr, tpr = (np.maximum.accumulate(_means_around(items, rate, steps, window)) for rate in rates)
    return fpr, tpr


def _close_steps(items: FloatArray, rates: list[FloatArray]) -> FloatArray:
    """Numbers of items at which the curve is looked at: every one, or so many that none is missed.

    Of many items those at which a rate has moved by the same share of its standard error: near the
    ends of either rate single items count, in the middle they do not.
    """
    if items[-1] <= MOST_POINTS:
        return np.arange(items[-1] + 1.0)
    even = np.sin(np.linspace(0.0, math.pi / 2.0, MOST_POINTS // 2)) ** 2
    return np.unique(np.concatenate([np.interp(even, rate, items) for rate in rates]))


def _means_around(
    knots: FloatArray, values: FloatArray, at: FloatArray, window: FloatArray
) -> FloatArray:
    """Means of the line through (knots, values) from ``at - window`` to ``at + window``."""
    slopes = np.diff(values) / np.diff(knots)
    areas = np.append(0.0, np.cumsum(np.diff(knots) * (values[1:] + values[:-1]) / 2.0))

    def area_to(place: FloatArray) -> FloatArray:
        knot = np.clip(np.searchsorted(knots, place, side="right") - 1, 0, slopes.size - 1)
        beyond = place - knots[knot]
        return areas[knot] + values[knot] * beyond + slopes[knot] * beyond**2 / 2.0

    wide = np.maximum(window, 1e-3)
    means = (area_to(at + wide) - area_to(at - wide)) / (2.0 * wide)
    return np.where(window > 1e-3, means, np.interp(at, knots, values)).clip(0.0, 1.0)


def tube(
    x: FloatArray, y: FloatArray, x_size: int, y_size: int, reach: float, at: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Limits of y at the values ``at`` of x, around a rising path of points (x, y).

    A point (p, q) is in the tube if 2 n₁ KL(x, p) + 2 n₂ KL(y, q) ≤ reach² for some point of the
    path; KL is the divergence of Bernoulli distributions.
    """
    high = _upper_edge(x, y, x_size, y_size, reach, at)
    low = 1.0 - _upper_edge(1.0 - x[::-1], 1.0 - y[::-1], x_size, y_size, reach, 1.0 - at)
    return low.clip(min=0.0), high


def _upper_edge(
    x: FloatArray, y: FloatArray, x_size: int, y_size: int, reach: float, at: FloatArray
) -> FloatArray:
    """The largest y at each value of x: the edge lies up and to the left of every point."""
    shares_of_each = int(np.clip(SHARES // x.size, *FEW_AND_MANY))
    angles, step = np.linspace(0.0, math.pi / 2.0, shares_of_each + 1, retstep=True)
    shares = np.minimum(
        angles + step / 2.0, math.pi / 2.0
    )  # what lies between this angle and the next
    left = 1.0 - _at_divergence(1.0 - x, (reach * np.cos(angles[:, None])) ** 2 / (2.0 * x_size))
    up = _at_divergence(y, (reach * np.sin(shares[:, None])) ** 2 / (2.0 * y_size))
    order = np.argsort(left, axis=None, kind="stable")
    edges, heights = left.ravel()[order], np.maximum.accumulate(up.ravel()[order])
    return heights[np.maximum(np.searchsorted(edges, at, side="right") - 1, 0)]


def _at_divergence(rate: FloatArray, divergence: FloatArray) -> FloatArray:
    """The probability above ``rate`` that lies at this divergence from it, by Newton's method.

    Started beyond the root (Pinsker's inequality, and the one of the last term alone), steps on a
    convex function come back towards it and never cross it.
    """
    rate, divergence = np.broadcast_arrays(rate, divergence)
    inside = (rate < 1.0) & (divergence > 0.0)
    x, goal = rate[inside], divergence[inside]
    rest = 1.0 - x
    own = np.where(x > 0.0, x * np.log(np.where(x > 0.0, x, 1.0)), 0.0) + rest * np.log(rest)
    far = np.minimum(x + np.sqrt(goal / 2.0), -np.expm1(-(goal - own) / rest))
    for _ in range(7):
        far = np.clip(far, x + 1e-300, 1.0 - 1e-16)
        with np.errstate(divide="ignore", invalid="ignore"):
            excess = own - x * np.log(far) - rest * np.log1p(-far) - goal
            far = far - np.where(far > x, excess * far * (1.0 - far) / (far - x), 0.0)
    found = np.array(rate, dtype=np.float64)
    found[inside] = np.maximum(far, x)
    return found


def likelihood_reach(positives: int, negatives: int, level: float) -> float:
    """How far the tube reaches: a quantile measured for sizes near these, between them by logarithms.

    ``calibration/roc_tubes.py`` measures it, ``docs/roc-bands.md`` says how well it holds.
    """
    sizes, tails, reaches = _measured_reaches()
    logs = np.log([positives, negatives])
    (small, one), (large, other) = (_place(sizes, log) for log in logs.clip(sizes[0], sizes[-1]))
    row = sum(
        weight * other_weight * reaches[small + step, large + next_step]
        for step, weight in ((0, 1.0 - one), (1, one))
        for next_step, other_weight in ((0, 1.0 - other), (1, other))
    )
    place, share = _place(tails, -math.log1p(-level))
    squares = row[place] ** 2, row[place + 1] ** 2  # nearly straight against the log of the tail
    reach = math.sqrt(squares[0] + share * (squares[1] - squares[0]))
    return reach + GROWTH * max(float(logs.min()) - float(sizes[-1]), 0.0)


def _place(grid: FloatArray, value: float) -> tuple[int, float]:
    """Between which two numbers of the grid a value lies, and where; beyond the last a line goes on."""
    place = int(np.clip(np.searchsorted(grid, value, side="right") - 1, 0, grid.size - 2))
    return place, (value - grid[place]) / (grid[place + 1] - grid[place])


@cache
def _measured_reaches() -> tuple[FloatArray, FloatArray, FloatArray]:
    """Logarithms of sizes and of tails, and the reach at each: symmetric in the sizes."""
    facts = json.loads(Path(__file__).with_name("roc_reaches.json").read_text(encoding="utf-8"))
    sizes = facts["sizes"]
    rows = np.zeros((len(sizes), len(sizes), len(facts["levels"]) + 1))  # level 0 reaches nowhere
    for first, a in enumerate(sizes):
        for second, b in enumerate(sizes[first:], start=first):
            found = np.maximum.accumulate(facts["reaches"][f"{a} {b}"])
            rows[first, second, 1:] = rows[second, first, 1:] = found
    tails = np.append(0.0, -np.log1p(-np.array(facts["levels"])))
    return np.log(sizes), tails, rows


def _with_points_between(fpr: FloatArray, tpr: FloatArray) -> tuple[FloatArray, FloatArray]:
    """A short curve with points on its steps: straight lines between its corners miss the band."""
    parts = math.ceil(FEW_POINTS / max(fpr.size - 1, 1))
    if parts == 1:
        return fpr, tpr
    corners = np.arange(fpr.size, dtype=np.float64)
    places = np.linspace(0.0, corners[-1], (fpr.size - 1) * parts + 1)
    return np.interp(places, corners, fpr), np.interp(places, corners, tpr)


def _height(fpr: FloatArray, tpr: FloatArray, at: FloatArray) -> FloatArray:
    """The observed true positive rate reached by a false positive rate of at most ``at``."""
    return tpr[np.searchsorted(fpr, at + 1e-12, side="right") - 1]
