"""Calibration error of predicted probabilities (ECE, MCE) in bins, and the curve behind it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IndexArray, IntArray
from assay.core.checks import check_choice, check_count
from assay.core.errors import NotApplicable
from assay.core.results import Curve
from assay.kernels.resampled_bins import SortedItems, resampled_gaps
from assay.measures.custom import check_copies, copied_rows
from assay.measures.probabilities import probabilities_of, refuse_beyond
from assay.measures.registry import Measure, ratio, register, register_family

EDGE = 1e-9
"""A probability this near (in bins) to an edge lies on it: 0.29 × 100 is 28.999999999999996."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Binning:
    """How probabilities are put into bins, and of what they are probabilities."""

    n_bins: int = 10
    bins: Literal["width", "mass"] = "width"
    closed: Literal["right", "left"] = "right"
    label: Literal["positive", "top"] = "positive"

    def __post_init__(self) -> None:
        check_count(self.n_bins, "n_bins", at_least=1)
        check_choice(self.bins, ("width", "mass"), "bins")
        check_choice(self.closed, ("right", "left"), "closed")
        check_choice(self.label, ("positive", "top"), "label")


def calibration_error(
    binning: Binning | None = None, *, worst: bool = False, name: str | None = None
) -> Measure:
    """How far predicted probabilities are from observed shares, over bins.

    The mean over items (ECE), or with ``worst`` the largest bin's (MCE). In bins of equal width
    it is a function of means; equal mass moves its edges with the data and needs the rows.
    """
    how = binning or Binning()
    called = name or ("mce" if worst else "ece")
    features: Callable[..., Any] | None = None
    function: Callable[..., Any] = _worst_gap if worst else _mean_gap
    prepare: Callable[..., Callable[..., Any]] | None = None
    limit: Callable[..., FloatArray | None] | None = None
    if how.bins == "mass":
        function, prepare = _by_mass(how, worst=worst), _sorted_by_mass(how, worst=worst)
        limit = _limit_by_mass(how, worst=worst)
    else:
        features = _gap_features(how, shares=worst)
    return Measure(
        name=called if how.n_bins == 10 else f"{called}[{how.n_bins}]",
        title=("largest" if worst else "expected") + " calibration error",
        direction="lower",
        low=0.0,
        high=1.0,
        needs="probabilities",
        reduction="rows" if features is None else "moments",
        function=function,
        features=features,
        prepare=prepare,
        limit=limit,
        two_classes=how.label == "positive",
        instead="mce_top" if worst else "ece_top",
        biased=True,
        requirement="M5",
    )


def calibration_curve(
    truth: ArrayLike,
    prediction: ArrayLike,
    binning: Binning | None = None,
    *,
    model: str | None = None,
) -> Curve:
    """Predicted probability against observed share, one point per non-empty bin."""
    how = binning or Binning()
    outcome, confidence = _outcome(truth, prediction, how)
    bins = _bins(confidence, how)
    shares = np.bincount(bins, minlength=how.n_bins)
    kept = np.flatnonzero(shares)
    edges = np.arange(how.n_bins + 1) / how.n_bins
    if how.bins == "mass":
        limits = [(confidence[bins == b].min(), confidence[bins == b].max()) for b in kept]
        low, high = np.array(limits).reshape(-1, 2).T
    else:
        low, high = edges[kept], edges[kept + 1]
    means = [
        np.bincount(bins, weights=values, minlength=how.n_bins)[kept] / shares[kept]
        for values in (confidence, outcome)
    ]
    columns = {"low": low, "high": high, "predicted": means[0], "observed": means[1]}
    columns["count"] = shares[kept].astype(np.float64)
    return Curve(
        name="calibration",
        model=model,
        columns=tuple((name, tuple(map(float, column))) for name, column in columns.items()),
        details=(
            ("n", int(outcome.size)),
            ("n_bins", how.n_bins),
            ("bins", how.bins),
            ("closed", how.closed),
            ("label", how.label),
        ),
    )


def _outcome(truth: Any, prediction: Any, how: Binning) -> tuple[FloatArray, FloatArray]:
    """Whether what was predicted happened (0/1), and the probability it was given."""
    if how.label == "positive" and np.ndim(prediction) == 1:  # no matrix for many items
        chance = np.asarray(prediction, dtype=np.float64)
        refuse_beyond(~((chance >= 0.0) & (chance <= 1.0)))
        return np.asarray(truth).astype(np.float64), chance
    codes, matrix = probabilities_of(truth, prediction)
    if how.label == "positive":
        if matrix.shape[1] != 2:
            raise NotApplicable(
                f"calibration of the positive class needs two classes, got {matrix.shape[1]}: "
                'use label="top" (ece_top)'
            )
        return codes.astype(np.float64), matrix[:, 1]
    top = matrix.argmax(-1)
    if matrix.shape[1] == 2:
        top = (matrix[:, 1] >= matrix[:, 0]).astype(np.intp)  # p >= 0.5 predicts class 1
    return (top == codes).astype(np.float64), matrix.max(-1)


def _bins(confidence: FloatArray, how: Binning) -> IndexArray:
    """The bin of each probability, edges as the decimals they are meant to be."""
    if how.bins == "mass":
        return _mass_bins(confidence, how.n_bins)
    position = confidence * how.n_bins
    nearest = np.round(position)
    position = np.where(np.abs(position - nearest) <= EDGE, nearest, position)
    number = np.ceil(position) - 1 if how.closed == "right" else np.floor(position)
    return np.asarray(np.clip(number, 0, how.n_bins - 1), dtype=np.intp)


def _mass_bins(confidence: FloatArray, n_bins: int) -> IndexArray:
    """Bins of nearly equal size; ties stay together, in the bin where the first of them falls."""
    order = np.argsort(confidence, kind="stable")
    ordered = confidence[order]
    sizes = [part.size for part in np.array_split(order, n_bins)]
    numbers = np.repeat(np.arange(n_bins), sizes)
    bins = np.empty(confidence.size, dtype=np.intp)
    bins[order] = numbers[np.searchsorted(ordered, ordered, side="left")]
    return bins


def _gap_features(how: Binning, *, shares: bool) -> Callable[[Any, Any], FloatArray]:
    """Per bin the gap, observed minus predicted; with ``shares`` also membership, beside it."""

    def features(truth: Any, prediction: Any) -> FloatArray:
        outcome, confidence = _outcome(truth, prediction, how)
        bins = _bins(confidence, how)
        table = np.zeros((outcome.size, how.n_bins * (1 + shares)))
        item = np.arange(outcome.size)
        table[item, bins] = outcome - confidence
        if shares:
            table[item, how.n_bins + bins] = 1.0
        return table

    return features


def _mean_gap(means: Any) -> FloatArray:
    return np.asarray(np.abs(means).sum(-1))


def _worst_gap(means: Any) -> FloatArray:
    gaps, shares = np.split(np.asarray(means), 2, axis=-1)
    by_bin = ratio(np.abs(gaps), shares)
    empty = np.isnan(by_bin)
    return np.where(empty.all(-1), np.nan, np.where(empty, 0.0, by_bin).max(-1))


def _by_mass(how: Binning, *, worst: bool) -> Callable[..., float]:
    """The error over bins of (nearly) equal numbers of items; weights are copies."""

    def function(truth: Any, prediction: Any, weight: Any = None) -> float:
        outcome, confidence = _outcome(truth, prediction, how)
        if weight is not None:
            rows = copied_rows(weight, "calibration error in bins of equal mass")
            outcome, confidence = outcome[rows], confidence[rows]
        if not outcome.size:
            return float("nan")
        bins = _bins(confidence, how)
        gaps = np.abs(np.bincount(bins, weights=outcome - confidence))
        sizes = np.bincount(bins)
        by_bin = gaps[sizes > 0] / sizes[sizes > 0]
        return float(by_bin.max()) if worst else float(gaps.sum()) / outcome.size

    return function


def _sorted_by_mass(how: Binning, *, worst: bool) -> Callable[..., Callable[..., Any]]:
    """The same for many weights of the same items, sorted once."""

    def prepare(truth: Any, prediction: Any) -> Callable[..., Any]:
        outcome, confidence = _outcome(truth, prediction, how)
        order = np.argsort(confidence, kind="stable")
        begins, gaps = _begins(confidence[order]), (outcome - confidence)[order]

        def function(weights: Any) -> FloatArray:
            given = np.asarray(weights)
            if given.dtype.kind not in "iu":  # resampled counts are whole by their kind
                given = check_copies(given, "calibration error in bins of equal mass")
            room = np.zeros(gaps.size + 1, np.int64), np.empty(gaps.size)
            found = [
                _gaps_by_mass(one.take(order), gaps, begins, how.n_bins, room, worst=worst)
                for one in given
            ]
            return np.array(found)

        return function

    return prepare


def _begins(ordered: FloatArray) -> IndexArray:
    """From each item on, where the next group of equally confident ones begins."""
    groups = np.append(np.flatnonzero(np.diff(ordered, prepend=-1.0)), ordered.size)
    return np.asarray(groups[np.searchsorted(groups, np.arange(ordered.size + 1))])


def _limit_by_mass(how: Binning, *, worst: bool) -> Callable[..., FloatArray | None]:
    """The same in resamples of very many items, from the distribution of edges and sums."""

    def limit(truth: Any, prediction: Any, n_resamples: int, seed: int) -> FloatArray | None:
        outcome, confidence = _outcome(truth, prediction, how)
        order = np.argsort(confidence, kind="stable")
        ordered = confidence[order]
        items = SortedItems.of(outcome[order], ordered, _begins(ordered))
        found = resampled_gaps(items, _edges(ordered.size, how.n_bins), n_resamples, seed)
        if found is None:
            return None
        gaps, sizes = np.abs(found[0]), found[1]
        by_mean = gaps.sum(axis=1) / ordered.size
        return np.asarray(ratio(gaps, sizes).max(axis=1) if worst else by_mean)

    return limit


def _gaps_by_mass(
    weights: Any,
    gaps: FloatArray,
    begins: IndexArray,
    n_bins: int,
    room: tuple[IntArray, FloatArray],
    *,
    worst: bool,
) -> float:
    """The error of one vector of weights on items in the order of their confidence.

    ``room`` is written to: fresh arrays would take as long as the sums.
    """
    reached, weighted = room
    np.cumsum(weights, dtype=np.int64, out=reached[1:])
    n = int(reached[-1])
    if not n:
        return float("nan")
    # a bin begins with the first group of equally confident items that begins at its edge or after
    first = np.searchsorted(reached[:-1], _edges(n, n_bins), side="left")
    starts = np.concatenate([[0], begins[first], [gaps.size]])
    sizes = np.diff(reached[starts])
    np.multiply(weights, gaps, out=weighted)
    sums = np.abs([weighted[a:b].sum() for a, b in pairwise(starts.tolist())])
    return float((sums[sizes > 0] / sizes[sizes > 0]).max()) if worst else float(sums.sum()) / n


@lru_cache(maxsize=64)
def _edges(n: int, n_bins: int) -> IntArray:
    """The items before each bin but the first, as equal as whole numbers can be."""
    return np.cumsum([n // n_bins + (place < n % n_bins) for place in range(n_bins - 1)])


_VARIANTS: dict[str, dict[str, Any]] = {
    "": {},
    "_left": {"closed": "left"},
    "_top": {"label": "top"},
    "_mass": {"bins": "mass"},
}


def _from_text(kind: str, variant: str | None, n_bins: str = "10") -> Measure:
    name = kind + (variant or "")
    binning = Binning(n_bins=int(n_bins), **_VARIANTS[variant or ""])
    return calibration_error(binning, worst=kind == "mce", name=name)


for _suffix in _VARIANTS:
    for _kind in ("ece", "mce"):
        register(_from_text(_kind, _suffix))
register_family("ece[15]", r"(ece|mce)(_left|_top|_mass)?\[(\d+)\]", _from_text)
