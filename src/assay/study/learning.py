"""Learning curves: how much of the training part a task sees, the smaller inside the larger."""

import math
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, UsageError
from assay.core.rng import stream
from assay.study.datasets import Dataset

Schedule = Literal["geometric", "arithmetic"]
Rows = NDArray[np.intp]
LEAST = 10
"""Rows at the smallest point, unless the classes need more."""


class LearningCurve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At which training sizes to fit; the whole training part is always the last point."""

    schedule: Schedule = "geometric"
    points: int = 8
    smallest: int | None = None
    """Rows at the first point; geometric: enough for every class, arithmetic: one step."""
    sizes: tuple[int | float, ...] = ()
    """Instead of a schedule: rows, or shares of the training part between 0 and 1."""
    stratify: bool = True
    """Every prefix keeps the classes in proportion; false is one plain shuffle."""

    def checked(self) -> "LearningCurve":
        """Refuse what makes no curve."""
        if self.schedule not in get_args(Schedule):
            known = ", ".join(get_args(Schedule))
            raise UsageError(f"schedule is one of {known}; got {self.schedule!r}")
        if self.points < 2:
            raise UsageError(f"a curve has at least 2 points; got {self.points}")
        if self.smallest is not None and self.smallest < 1:
            raise UsageError(f"smallest is a number of rows, at least 1; got {self.smallest}")
        if self.sizes and self.smallest is not None:
            raise UsageError("give sizes, or a schedule with smallest, not both")
        for size in self.sizes:
            if size <= 0 or (size != int(size) and size > 1):
                raise UsageError(
                    f"sizes are rows (10) or shares (0.1) of the training part; got {size}"
                )
        return self

    def below(self, data: Dataset, whole: int) -> tuple[int, ...]:
        """The sizes of a data set below its whole training part of ``whole`` rows, ascending."""
        if self.sizes:
            wanted = [
                round(size * whole) if isinstance(size, float) and size <= 1 else int(size)
                for size in self.sizes
            ]
        else:
            first = self._first(data, whole)
            space = np.geomspace if self.schedule == "geometric" else np.linspace
            wanted = np.rint(space(first, whole, self.points)).astype(int).tolist()
        beyond = [size for size in wanted if size > whole or size < 1]
        if beyond:
            raise EvidenceError(
                f"{data.name}: {beyond[0]} training rows were asked for, and the smallest training "
                f"part has {whole}"
            )
        return tuple(sorted({size for size in wanted if size < whole}))

    def _first(self, data: Dataset, whole: int) -> int:
        if self.smallest is not None:
            first = self.smallest
        elif self.schedule == "arithmetic":
            first = round(whole / self.points)
        else:
            first = max(smallest_useful(data), round(whole / 2 ** (self.points - 1)))
        if first >= whole:
            raise EvidenceError(
                f"{data.name}: a curve from {first} rows on needs more than the {whole} of the "
                "smallest training part; lower smallest"
            )
        return max(first, 1)


def smallest_useful(data: Dataset) -> int:
    """Rows enough to meet every class once when classes keep their proportions, if that is few."""
    if data.task == "regression":
        return LEAST
    counts = np.unique(data.y, return_counts=True)[1]
    plain = max(LEAST, 2 * counts.size)
    # the first of a class comes once half of its own spacing, n / count, has gone by
    enough = math.ceil(data.n / (2 * int(counts.min()))) + counts.size
    return max(plain, enough) if enough <= data.n / 4 else plain


def apply_train_size(
    train: Rows,
    size: int,
    seed: int,
    *split: int,
    labels: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> Rows:
    """The first ``size`` rows of one order of the training part of a split.

    The order depends on the seed and the split (repeat, fold) alone, so that smaller sets nest in
    larger ones and every learner sees the same. With ``labels`` each prefix keeps the classes in
    proportion; with ``groups`` rows come group by group. Both are those of ``train``.
    """
    if size > train.size:
        raise EvidenceError(f"{size} training rows were asked for; this split has {train.size}")
    rng = stream(seed, *split)
    if groups is not None:
        order = _by_group(groups, rng)
    elif labels is not None:
        order = _by_class(labels, rng)
    else:
        order = rng.permutation(train.size)
    return np.asarray(train[order[:size]])


def _by_class(labels: NDArray[Any], rng: np.random.Generator) -> Rows:
    """An order whose every prefix holds each class in its proportion, to within a few rows."""
    codes = np.unique(labels, return_inverse=True)[1]
    shuffled = rng.permutation(codes.size)
    counts = np.bincount(codes)
    place = np.empty(codes.size)
    for code, count in enumerate(counts.tolist()):
        place[shuffled[codes[shuffled] == code]] = (np.arange(count) + 0.5) / count
    return np.lexsort((rng.random(codes.size), place))


def _by_group(groups: NDArray[Any], rng: np.random.Generator) -> Rows:
    """Whole groups in random order: more data then means more groups, as it does outside."""
    codes = np.unique(groups, return_inverse=True)[1]
    rank = rng.permutation(int(codes.max()) + 1)
    return np.lexsort((rng.random(codes.size), rank[codes]))
