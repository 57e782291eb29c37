"""Noise curves: a stated share of labels or of feature values replaced at random, in training only."""

from typing import Any, Literal, NamedTuple, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.errors import UsageError
from assay.evidence.cell_text import is_missing
from assay.study.feature_tables import Task

NoiseOn = Literal["labels", "features"]


class NoiseCurve(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is replaced, and how much of it; level 0 is the plain task and always there."""

    on: NoiseOn | tuple[NoiseOn, ...] = "labels"
    levels: tuple[float, ...] = (0.0, 0.1, 0.2, 0.4)

    @property
    def kinds(self) -> tuple[NoiseOn, ...]:
        return (self.on,) if isinstance(self.on, str) else tuple(dict.fromkeys(self.on))

    def checked(self) -> "NoiseCurve":
        """Refuse what makes no curve."""
        strange = [kind for kind in self.kinds if kind not in get_args(NoiseOn)]
        if strange or not self.kinds:
            raise UsageError(f"noise is on {' or '.join(get_args(NoiseOn))}; got {self.on!r}")
        if any(not 0.0 <= level <= 1.0 for level in self.levels) or not self.above_zero:
            raise UsageError(
                f"levels are shares from 0 to 1, one of them above 0; got {list(self.levels)}"
            )
        return self

    @property
    def above_zero(self) -> tuple[float, ...]:
        return tuple(sorted({float(level) for level in self.levels if level > 0}))


class Noisy(NamedTuple):
    """Training data after replacement, and the share of values that really changed."""

    X: Any
    y: NDArray[Any]
    rate: float


def apply_noise(
    X: Any,
    y: NDArray[Any],
    kind: NoiseOn,
    level: float,
    rng: np.random.Generator,
    *,
    task: Task = "classification",
) -> Noisy:
    """Replace the share ``level`` of labels or of feature values at random.

    A label is drawn evenly from the classes of ``y``, the target of a regression and the value of
    a feature from the values of its column (missing ones too), so a draw may be the old value: the
    share that changed is returned. The same generator gives, at a higher level, the same
    replacements and more. ``X`` and ``y`` are not changed.
    """
    if kind == "labels":
        return _on_labels(X, y, level, rng, task)
    return _on_features(X, y, level, rng)


def _on_labels(
    X: Any, y: NDArray[Any], level: float, rng: np.random.Generator, task: Task
) -> Noisy:
    order = rng.permutation(y.size)
    pool = np.unique(y) if task == "classification" else y
    drawn = pool[rng.integers(pool.size, size=y.size)]
    chosen = order[: round(level * y.size)]
    noisy = y.copy()
    noisy[chosen] = drawn[chosen]
    return Noisy(X, noisy, float(np.mean(noisy != y)))


def _on_features(X: Any, y: NDArray[Any], level: float, rng: np.random.Generator) -> Noisy:
    rows, columns = X.shape
    order = rng.permutation(rows * columns)
    source = rng.integers(rows, size=(rows, columns))
    chosen = np.zeros(rows * columns, dtype=bool)
    chosen[order[: round(level * order.size)]] = True
    mask = chosen.reshape(rows, columns)
    noisy, changed = X.copy(), 0
    for column in range(columns):
        at = np.flatnonzero(mask[:, column])
        taken = np.arange(rows)
        taken[at] = source[at, column]
        if hasattr(X, "iloc"):
            old = X.iloc[:, column]
            new = old.iloc[taken].set_axis(old.index)
            noisy.isetitem(column, new)
        else:
            old, new = X[:, column], X[taken, column]
            noisy[:, column] = new
        changed += _changes(old.tolist(), new.tolist(), at.tolist())
    return Noisy(noisy, y, changed / (rows * columns))


def _changes(old: list[Any], new: list[Any], at: list[int]) -> int:
    """How many of the cells differ; two missing ones are the same."""
    pairs = [(old[place], new[place]) for place in at]
    return sum(
        is_missing(one) != is_missing(other)
        if is_missing(one) or is_missing(other)
        else one != other
        for one, other in pairs
    )
