"""ROC and precision-recall curves, and what is read off them.

A curve has one point per distinct score, highest first, where an item is called positive if its
score reaches the threshold. The origin (nothing called positive) is not among the points.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import FloatArray, IndexArray
from assay.core.checks import as_matrix
from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Curve, Details
from assay.evidence.argument_checks import as_scored_labels
from assay.kernels.auc import (
    SortedScores,
    auc,
    average_precision,
    roc_points,
    sort_scores,
    u_statistic,
)
from assay.measures.ranking import auc_notes

PIECE = 2**18
"""Points of a curve that are looked at together: it bounds what is copied."""
SAME = 1e-12
"""True positive rates this close are equal; interpolation rounds."""


def roc_curve(truth: ArrayLike, scores: ArrayLike, *, model: str | None = None) -> Curve:
    """The ROC curve; its details hold the AUC and Mann-Whitney's U = AUC n+ n-."""
    groups = _sorted(truth, scores, "an ROC curve")
    fpr, tpr = roc_points(groups)
    area = auc(groups)
    return _curve(
        "roc",
        model,
        {"fpr": fpr, "tpr": tpr, "threshold": groups.thresholds, "tp": groups.tp, "fp": groups.fp},
        (
            ("auc", area),
            ("u", u_statistic(groups)),
            ("n_positive", groups.n_positive),
            ("n_negative", groups.n_negative),
        ),
        notes=auc_notes(area),
    )


def precision_recall_curve(
    truth: ArrayLike, scores: ArrayLike, *, model: str | None = None
) -> Curve:
    """Precision against recall; its details hold the average precision."""
    groups = _sorted(truth, scores, "a precision-recall curve")
    return _curve(
        "precision_recall",
        model,
        {
            "recall": groups.tp / groups.n_positive,
            "precision": groups.tp / (groups.tp + groups.fp),
            "threshold": groups.thresholds,
            "tp": groups.tp,
            "fp": groups.fp,
        },
        (
            ("average_precision", average_precision(groups)),
            ("n_positive", groups.n_positive),
            ("n_negative", groups.n_negative),
        ),
    )


def roc_hull(curve: Curve) -> Curve:
    """The convex hull of an ROC curve, from (0, 0) to (1, 1): what mixing thresholds can reach.

    Only its corners can be optimal for some cost and prior (Provost and Fawcett, 2001).
    """
    tp, fp, thresholds = (_from_origin(curve, name) for name in ("tp", "fp", "threshold"))
    return _hull(tp, fp, thresholds, curve.model)


def roc_hull_of(groups: SortedScores, *, model: str | None = None) -> Curve:
    """As :func:`roc_hull`, from scores that were sorted already: of many, only the corners are kept."""
    tp, fp = (np.append(0, counts) for counts in (groups.tp, groups.fp))
    return _hull(tp, fp, np.append(np.inf, groups.thresholds), model)


def _hull(tp: NDArray[Any], fp: NDArray[Any], thresholds: FloatArray, model: str | None) -> Curve:
    kept: list[int] = []
    for point in _above_neighbours(tp, fp).tolist():
        while len(kept) > 1 and _turns_left(tp, fp, kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    corners = np.array(kept)
    fpr, tpr = fp[corners] / fp[-1], tp[corners] / tp[-1]
    area = float(np.trapezoid(tpr, fpr))
    columns = {"fpr": fpr, "tpr": tpr, "threshold": thresholds[corners]}
    counts = {"tp": tp[corners], "fp": fp[corners]}
    return _curve("roc_hull", model, {**columns, **counts}, (("auc", area),))


def roc_crossings(a: Curve, b: Curve) -> Curve:
    """Where two ROC curves cross, and who leads on each side.

    One row per stretch of the false positive rate: ``leader`` is 1 where A is above, −1 where B
    is, 0 where they are equal; ``area`` is A minus B over the stretch. A stretch that another
    leader follows ends where the curves cross, at height ``tpr_to``.
    """
    curves = [(_from_origin(curve, "fpr"), _from_origin(curve, "tpr")) for curve in (a, b)]
    grid = np.unique(np.concatenate([fpr for fpr, _ in curves]))
    start = _gap(curves, grid[:-1], side="right")
    end = _gap(curves, grid[1:], side="left")
    edges, gaps = _pieces(grid, start, end)
    widths = np.diff(edges)
    tpr_to = np.maximum(*(_height(fpr, tpr, edges[1:], side="left") for fpr, tpr in curves))
    leader = np.sign(gaps.sum(-1))
    first = np.flatnonzero(np.append(True, leader[1:] != leader[:-1]))
    last = np.append(first[1:], leader.size) - 1
    decided = leader[first][leader[first] != 0]
    crossings = int(np.count_nonzero(decided[1:] != decided[:-1]))
    columns = {
        "fpr_from": edges[first],
        "fpr_to": edges[last + 1],
        "tpr_to": tpr_to[last],
        "leader": leader[first],
        "area": np.add.reduceat(gaps.mean(-1) * widths, first),
    }
    names = (("a", a.model), ("b", b.model), ("crossings", crossings))
    return _curve("roc_crossings", None, columns, names)


def operating_point(curve: Curve, cost: ArrayLike, *, prior: float | None = None) -> Curve:
    """The point of an ROC curve with the least expected cost per item.

    ``cost`` has rows truth and columns prediction, negative before positive; ``prior`` is the
    share of positives where the model will be used, by default that of the curve's data.
    """
    matrix = as_matrix(cost, "the cost matrix", rows=2, columns=2)
    if matrix.shape != (2, 2):
        raise UsageError(f"an operating point needs a 2 x 2 cost matrix; got shape {matrix.shape}")
    fpr, tpr, thresholds = (_from_origin(curve, name) for name in ("fpr", "tpr", "threshold"))
    details = dict(curve.details)
    positives, negatives = float(str(details["n_positive"])), float(str(details["n_negative"]))
    share = positives / (positives + negatives) if prior is None else float(prior)
    if not 0.0 < share < 1.0:
        raise UsageError(f"prior is the share of positives, between 0 and 1; got {prior!r}")
    of_negatives = fpr * matrix[0, 1] + (1 - fpr) * matrix[0, 0]
    of_positives = tpr * matrix[1, 1] + (1 - tpr) * matrix[1, 0]
    expected = share * of_positives + (1 - share) * of_negatives
    # of equally cheap points the one that raises fewest alarms
    best = int(np.flatnonzero(expected <= expected.min() + SAME * np.abs(matrix).max())[0])
    chosen = {"fpr": fpr, "tpr": tpr, "threshold": thresholds, "cost": expected}
    slope = _iso_cost_slope(matrix, share)
    return _curve(
        "operating_point",
        curve.model,
        {name: values[best : best + 1] for name, values in chosen.items()},
        (("prior", share), ("slope", slope)),
    )


def _iso_cost_slope(matrix: FloatArray, prior: float) -> float | None:
    """Points on a line of this slope cost the same; None where misses cost no more than hits."""
    missed = prior * float(matrix[1, 0] - matrix[1, 1])
    alarm = (1 - prior) * float(matrix[0, 1] - matrix[0, 0])
    return alarm / missed if missed > 0 else None


def _sorted(truth: ArrayLike, scores: ArrayLike, what: str) -> SortedScores:
    labels = as_scored_labels(truth, scores)
    groups = sort_scores(labels.truth, labels.scores[0])
    if not groups.n_positive or not groups.n_negative:
        present = "positives" if groups.n_positive else "negatives"
        raise EvidenceError(f"{what} needs items of both classes; there are only {present}")
    return groups


def _curve(
    name: str, model: str | None, columns: dict[str, Any], details: Details, notes: Any = ()
) -> Curve:
    return Curve(
        name=name,
        model=model,
        columns=tuple(
            (column, tuple(np.asarray(values, dtype=np.float64).tolist()))
            for column, values in columns.items()
        ),
        notes=notes,
        details=details,
    )


def _from_origin(curve: Curve, name: str) -> FloatArray:
    """A column of a ROC curve with the origin put before it."""
    if curve.name != "roc":
        raise UsageError(f"expected a curve from roc_curve, got {curve.name!r}")
    first = np.inf if name == "threshold" else 0.0
    return np.concatenate([[first], curve.column(name)])


def _above_neighbours(tp: FloatArray, fp: FloatArray) -> IndexArray:
    """The points left when those on or below the line between their neighbours go, again and again.

    None of those is a corner of the hull; a few passes leave little for the exact walk. A long
    curve is thinned piece by piece first: what is no corner of a piece is none of the whole.
    """
    left = np.arange(min(tp.size, PIECE))
    if tp.size > PIECE:
        pieces = range(0, tp.size, PIECE)
        left = np.concatenate(
            [_above_neighbours(tp[at : at + PIECE], fp[at : at + PIECE]) + at for at in pieces]
        )
    while left.size > 2:
        high, wide = tp[left], fp[left]
        before, after = slice(None, -2), slice(2, None)
        turn = (high[1:-1] - high[before]) * (wide[after] - wide[before]) - (
            wide[1:-1] - wide[before]
        ) * (high[after] - high[before])
        kept = np.concatenate([[True], turn > 0.0, [True]])
        if kept.all():
            break
        left = left[kept]
    return left


def _turns_left(tp: FloatArray, fp: FloatArray, a: int, b: int, c: int) -> bool:
    """Whether b lies on or below the line from a to c; exact, since counts are whole numbers."""
    return bool((fp[b] - fp[a]) * (tp[c] - tp[a]) >= (tp[b] - tp[a]) * (fp[c] - fp[a]))


def _height(fpr: FloatArray, tpr: FloatArray, grid: FloatArray, *, side: Any) -> FloatArray:
    """The curve just left or just right of each grid value: where it is vertical these differ."""
    if side == "right":
        place = np.searchsorted(fpr, grid, side="right") - 1
        after = np.minimum(place + 1, fpr.size - 1)
    else:
        after = np.searchsorted(fpr, grid, side="left")
        place = np.maximum(after - 1, 0)
    run = fpr[after] - fpr[place]
    step = np.divide(grid - fpr[place], run, out=np.zeros_like(grid), where=run > 0)
    on_point = tpr[place] if side == "right" else tpr[after]
    inside = (fpr[place] != grid) & (fpr[after] != grid)
    return np.where(inside, tpr[place] + step * (tpr[after] - tpr[place]), on_point)


def _gap(curves: list[tuple[FloatArray, FloatArray]], grid: FloatArray, *, side: Any) -> FloatArray:
    """How far A is above B."""
    a, b = (_height(fpr, tpr, grid, side=side) for fpr, tpr in curves)
    return np.where(np.abs(a - b) < SAME, 0.0, a - b)


def _pieces(grid: FloatArray, start: FloatArray, end: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Edges of stretches in which the gap keeps its sign, and the gaps at both ends of each.

    Between grid values both curves are straight, so a change of sign is one root.
    """
    root = np.flatnonzero(start * end < 0)
    share = start[root] / (start[root] - end[root])
    crossing = grid[root] + share * (grid[root + 1] - grid[root])
    gaps = np.insert(np.stack([start, end], -1), root, 0.0, axis=0)
    halved = root + np.arange(root.size)  # the first half of each stretch cut in two
    gaps[halved, 0] = start[root]
    gaps[halved + 1, 0] = 0.0
    return np.insert(grid, root + 1, crossing), gaps
