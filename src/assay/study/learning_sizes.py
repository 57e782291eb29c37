"""Learning curves: how much of the training part a task sees, the smaller inside the larger."""

import math
from functools import lru_cache
from heapq import heappop, heappush
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import IndexArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.rng import stream
from assay.study.datasets import Dataset

Schedule = Literal["geometric", "arithmetic"]
MOST_POINTS = 1_000
LEAST = 10
"""IndexArray at the smallest point, unless the classes need more."""


class LearningCurve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """At which training sizes to fit; the whole training part is always the last point."""

    schedule: Schedule = "geometric"
    points: int = 8
    smallest: int | None = None
    """IndexArray at the first point; geometric: enough for every class, arithmetic: one step."""
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
        if self.points > MOST_POINTS:
            raise UsageError(f"a curve has at most {MOST_POINTS:,} points; got {self.points}")
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
    """IndexArray enough to meet every class once when classes keep their proportions, if that is few."""
    if data.task == "regression":
        return LEAST
    counts = np.unique(data.y, return_counts=True)[1]
    plain = max(LEAST, 2 * counts.size)
    # the first of a class has come at the latest when its share is a whole row, after n / count
    enough = math.ceil(data.n / int(counts.min())) + counts.size
    return max(plain, enough) if enough <= data.n / 4 else plain


def apply_train_size(
    train: IndexArray,
    size: int,
    seed: int,
    *split: int,
    labels: NDArray[Any] | None = None,
    groups: NDArray[Any] | None = None,
) -> IndexArray:
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


def _by_class(labels: NDArray[Any], rng: np.random.Generator) -> IndexArray:
    """An order whose every prefix has less than one row more or less of a class than its share."""
    codes = np.unique(labels, return_inverse=True)[1]
    shuffled = rng.permutation(codes.size)
    counts = np.bincount(codes)
    ranked = np.lexsort((rng.random(counts.size), -counts))  # chance among classes of one size
    sequence = ranked[class_sequence(tuple(counts[ranked].tolist()))]
    by_class = shuffled[np.argsort(codes[shuffled], kind="stable")]
    order = np.empty(codes.size, dtype=np.intp)
    order[np.argsort(sequence, kind="stable")] = by_class
    return order


@lru_cache(maxsize=64)
def class_sequence(counts: tuple[int, ...]) -> IndexArray:
    """Classes one after another so that every prefix holds each within one row of its share.

    Tijdeman (1980), The chairman assignment problem, Discrete Math. 32, theorem 1: with k classes
    no deviation need exceed d = 1 − 1/(2k − 2). Of p rows the share of a class is p·count/n; its
    j-th row must not come while that is below j − d, nor later than the first p at which it is
    above j − 1 + d; of the rows that may come, the one with the nearest deadline does.
    """
    n, k = sum(counts), len(counts)
    if k == 1:
        return np.zeros(n, dtype=np.intp)
    unit = 2 * k - 2
    code = np.repeat(np.arange(k), counts)
    row = np.concatenate([np.arange(1, count + 1) for count in counts])
    spacing = np.repeat(np.array(counts) * unit, counts)
    release = -(-n * (unit * (row - 1) + 1) // spacing)
    deadline = n * (unit * row - 1) // spacing + 1
    waiting: list[tuple[int, int]] = []
    sequence = np.empty(n, dtype=np.intp)
    place = 0
    order = np.argsort(release, kind="stable").tolist()
    for p in range(1, n + 1):
        while place < n and release[order[place]] <= p:
            heappush(waiting, (int(deadline[order[place]]), int(code[order[place]])))
            place += 1
        sequence[p - 1] = heappop(waiting)[1]
    return sequence


def _by_group(groups: NDArray[Any], rng: np.random.Generator) -> IndexArray:
    """Whole groups in random order: more data then means more groups, as it does outside."""
    codes = np.unique(groups, return_inverse=True)[1]
    rank = rng.permutation(int(codes.max()) + 1)
    return np.lexsort((rng.random(codes.size), rank[codes]))
