"""What nested cross-validation says of a mean loss: Bates, Hastie and Tibshirani (2021)."""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IndexArray
from assay.core.checks import as_codes, as_floats, as_labels, check_size
from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.core.results import Details
from assay.core.tolerances import NOISE

FEW_REPEATS = 20
"""Below so many repeats nested cross-validation carries the note `few-repeats`."""


class NestedErrors(NamedTuple):
    """What nested cross-validation says of the mean loss, and how far it may be off."""

    nested: float
    plain: float
    mse: float
    deviation: float
    largest: float
    """The largest absolute loss: what arithmetic leaves of it is no spread."""
    shape: tuple[int, int, int]
    """Repeats, items, folds."""

    @property
    def bias(self) -> float:
        """Of training on fewer items: Bates, Hastie and Tibshirani (2021), section 4.3."""
        count = self.shape[2]
        return (1.0 + (count - 2) / count) * (self.nested - self.plain)

    @property
    def corrected(self) -> float:
        return self.nested - self.bias

    @property
    def naive(self) -> float:
        return self.deviation / math.sqrt(self.shape[1])

    @property
    def raw(self) -> float:
        """The standard error before it is kept in its bounds."""
        count = self.shape[2]
        return math.sqrt(max(self.mse, 0.0) * (count - 1) / count)

    @property
    def standard_error(self) -> float:
        """Zero where the losses do not vary."""
        error = min(max(self.raw, self.naive), math.sqrt(self.shape[2]) * self.naive)
        return error if error > NOISE * self.largest else 0.0

    @property
    def notes(self) -> tuple[Note, ...]:
        repeats = self.shape[0]
        if repeats >= FEW_REPEATS:
            return ()
        return (note("few-repeats", repeats=repeats, needed=FEW_REPEATS),)

    @property
    def details(self) -> Details:
        return (
            ("nested", self.nested),
            ("plain", self.plain),
            ("mse", self.mse),
            ("bias", self.bias),
            ("standard_error", self.standard_error),
            ("naive", self.naive),
            ("inflation", self.raw / self.naive if self.naive > 0.0 else None),
            ("folds", self.shape[2]),
            ("repeats", self.shape[0]),
        )


def nested_errors(table: FloatArray, codes: IndexArray) -> NestedErrors:
    """Bates, Hastie and Tibshirani (2021), algorithm 1, over all repeats."""
    repeats, n, count = table.shape
    squares, noise = [], []
    inside = np.ones(table.shape, dtype=bool)
    for turn, own in enumerate(codes):
        inside[turn, np.arange(n), own] = False
        for fold in range(count):
            member = own == fold
            outer = table[turn, member, fold]
            squares.append((table[turn, ~member, fold].mean() - outer.mean()) ** 2)
            noise.append(outer.var(ddof=1) / outer.size)
    return NestedErrors(
        nested=float(table[inside].mean()),
        plain=float(table[~inside].mean()),
        mse=float(np.mean(squares) - np.mean(noise)),
        deviation=float(table[inside].std(ddof=1)),
        largest=float(np.abs(table).max()),
        shape=(repeats, n, count),
    )


def nested_table(losses: ArrayLike, folds: Any) -> tuple[FloatArray, IndexArray]:
    """Losses (repeats, items, folds) and fold codes (repeats, items), checked."""
    table = as_floats(losses, "losses", meant="numbers, items x folds")
    if table.ndim not in (2, 3) or not table.size or not np.isfinite(table).all():
        raise EvidenceError(
            "nested losses are finite numbers, items x folds or repeats x items x folds; "
            f"got shape {table.shape}"
        )
    check_size(table, "the nested losses")
    table = table[None] if table.ndim == 2 else table
    names = np.atleast_2d(as_labels(folds, "fold"))
    if names.shape != table.shape[:2]:
        raise EvidenceError(
            f"losses are {table.shape[1]} items in {len(table)} repeats, folds have shape "
            f"{names.shape}: one fold per item and repeat"
        )
    codes = np.stack([fold_codes(row, table.shape[1]) for row in names])
    for row in codes:
        sizes = np.bincount(row)
        if sizes.size != table.shape[2] or sizes.size < 3 or sizes.min() < 2:
            raise EvidenceError(
                f"{sizes.size} folds with at least {sizes.min()} items and {table.shape[2]} "
                "columns of losses. Needed are at least three folds of at least two items, and "
                "one column per fold"
            )
    return table, codes


def fold_codes(folds: Any, n: int) -> IndexArray:
    """The fold of each item as codes from 0, in the order of the sorted names."""
    codes = as_codes(folds, "fold", n)
    if codes.max() == 0:
        raise EvidenceError("all items are in one fold: cross-validation has at least two")
    return codes
