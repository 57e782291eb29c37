"""Splits: every scheme of resampling, the same for all learners, from the seed and the data alone."""

import hashlib
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Literal, get_args

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import IndexArray
from assay.core.checks import check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.fold_budgets import FITS_OF_VALID, PRICES, price_of
from assay.core.notes import Note, note
from assay.core.rng import stream
from assay.evidence.cell_text import plural
from assay.study.datasets import Dataset

Scheme = Literal[
    "holdout", "subsampling", "cv", "5x2", "leave-one-out", "bootstrap", "time"
]  # fmt: skip
SCHEMES: tuple[Scheme, ...] = get_args(Scheme)
Balance = Literal["over", "under"]
Stratify = bool | Literal["rare"]

MOST_LACKING = 0.5
"""Folds of one dealing that lack a class, on average, up to which items are dealt by chance."""
HOLDOUT = 1 / 3
FOLDS = 10
REPEATS: dict[Scheme, int] = {"subsampling": 10, "bootstrap": 50}


class Resampling(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How data are split; what a scheme has no use for is refused, not ignored."""

    scheme: Scheme = "cv"
    folds: int | None = None
    repeats: int | None = None
    test_size: float | None = None
    stratify: Stratify = True
    """Classes in proportion: always, never, or where they are so rare that folds often lack one."""
    balance: Balance | None = None
    """Over- or under-sampling to equal class sizes, inside the training part only."""

    def settled(self) -> "Resampling":
        """With every number filled in, checked against the scheme."""
        if self.scheme not in SCHEMES:
            raise UsageError(f"scheme is one of {', '.join(SCHEMES)}; got {self.scheme!r}")
        if self.balance not in (None, *get_args(Balance)):
            raise UsageError(f"balance is 'over' or 'under'; got {self.balance!r}")
        fixed = {"repeats": 5, "folds": 2} if self.scheme == "5x2" else {"repeats": 1}
        takes = {
            "folds": self.scheme in ("cv", "time"),
            "repeats": self.scheme in ("cv", "subsampling", "bootstrap"),
            "test_size": self.scheme in ("holdout", "subsampling"),
        }
        for name, meant in takes.items():
            if not meant and getattr(self, name) not in (None, fixed.get(name)):
                raise UsageError(f"the scheme {self.scheme} takes no {name}{_fixed(self.scheme)}")
        folds = {"cv": self.folds or FOLDS, "time": self.folds or 5, "5x2": 2}.get(self.scheme)
        repeats = 5 if self.scheme == "5x2" else self.repeats
        if repeats is None:
            repeats = REPEATS.get(self.scheme, 1)
        size = (self.test_size or HOLDOUT) if takes["test_size"] else None
        if (folds is not None and folds < 2) or repeats < 1:
            raise UsageError(f"at least 2 folds and 1 repeat; got {folds} and {repeats}")
        if size is not None and not 0.0 < size < 1.0:
            raise UsageError(f"test_size is a share between 0 and 1; got {size}")
        return msgspec.structs.replace(self, folds=folds, repeats=repeats, test_size=size)

    def count(self, data: Dataset) -> int:
        """How many splits a data set has."""
        if self.scheme == "leave-one-out":
            return data.n if data.groups is None else len(set(data.groups.tolist()))
        settled = self.settled()
        return (settled.repeats or 1) * (settled.folds or 1)

    def cells(self, data: Dataset) -> list[tuple[int, int]]:
        """(repeat, fold) of every split of a data set, without making the splits."""
        settled = self.settled()
        if self.scheme == "leave-one-out":
            return [(0, fold) for fold in range(self.count(data))]
        repeats, folds = settled.repeats or 1, settled.folds or 1
        return [(repeat, fold) for repeat in range(repeats) for fold in range(folds)]


def written_out(given: str | Mapping[str, Any]) -> dict[str, Any]:
    """A table that says how data are split, with the scheme "valid" written out.

    For so many fits of each algorithm these are the splits whose test held its level best (docs/folds.md):
    repeats of five folds, which `compare` decides by `cautious_resampled_t`. Items are dealt to folds
    without regard to their class: folds in proportion hide how much classes vary between samples.
    """
    table = {"scheme": given} if isinstance(given, str) else dict(given)
    if not isinstance(table.get("scheme"), str) or table["scheme"] != "valid":
        return table
    others = sorted(set(table) - {"scheme", "fits", "stratify", "balance"})
    if others:
        raise UsageError(f"the scheme valid takes no {others[0]}; say how many fits it may have")
    fits = check_count(table.pop("fits", FITS_OF_VALID), "fits", at_least=PRICES[0].fits)
    folds = price_of(fits).folds
    return {"stratify": "rare"} | table | {"scheme": "cv", "folds": folds, "repeats": fits // folds}


def _fixed(scheme: str) -> str:
    return ": it is five repeats of two folds" if scheme == "5x2" else ""


def make_splits(
    data: Dataset, resampling: Resampling, seed: int
) -> dict[tuple[int, int], tuple[IndexArray, IndexArray]]:
    """Training and test rows of every (repeat, fold); learners have no say in them."""
    settled = resampling.settled()
    source = split_seed(data, settled, seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # small classes are told by `split_notes`
        found = list(_SPLITTERS[settled.scheme](data, settled, source))
    cells = settled.cells(data)
    return {
        cell: (np.asarray(train, dtype=np.intp), np.asarray(test, dtype=np.intp))
        for cell, (train, test) in zip(cells, found, strict=True)
    }


def split_seed(data: Dataset, settled: Resampling, seed: int) -> int:
    """A whole number below 2**31 from the study's seed, the data and the scheme."""
    text = f"{seed}|{data.fingerprint}|{settled.scheme}".encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=4).digest(), "little") >> 1


def check_enough(data: Dataset, resampling: Resampling) -> None:
    """Refuse data that are too small for the scheme."""
    settled = resampling.settled()
    units = data.n if data.groups is None else len(set(data.groups.tolist()))
    needed = settled.folds if settled.scheme in ("cv", "5x2") else 2
    needed = (settled.folds or 0) + 1 if settled.scheme == "time" else needed
    if units < (needed or 2):
        have = plural(units, "row" if data.groups is None else "group")
        raise EvidenceError(f"{data.name} has {have}; {settled.scheme} needs {needed}")
    if settled.balance is not None and data.task != "classification":
        raise UsageError(f"balance is for classes; {data.name} is a regression")


def split_notes(data: Dataset, resampling: Resampling) -> tuple[Note, ...]:
    """What the reader should know about the splits of a data set."""
    settled = resampling.settled()
    if not _in_proportion(data, settled):
        return ()
    name, count = min(Counter(data.y.tolist()).items(), key=lambda pair: pair[1])
    facts = {"dataset": data.name, "name": name, "count": count}
    if settled.folds is not None and settled.scheme != "time" and count < settled.folds:
        return (note("class-below-folds", folds=settled.folds, **facts),)
    if settled.scheme in ("holdout", "subsampling") and not _stratifies(data, settled):
        return (note("not-stratified", **facts),)
    return ()


def _in_proportion(data: Dataset, settled: Resampling) -> bool:
    """Whether classes should be kept in proportion; groups and rare classes leave folds without one."""
    if data.task != "classification" or not settled.stratify:
        return False
    if settled.stratify is True or data.groups is not None:
        return True
    folds, counts = settled.folds or 2, np.unique(data.y, return_counts=True)[1]
    return bool(folds * ((1.0 - 1.0 / folds) ** counts).sum() > MOST_LACKING)


def _stratifies(data: Dataset, settled: Resampling) -> bool:
    """Whether classes can be kept in proportion: each needs two members, and room on both sides."""
    if not _in_proportion(data, settled) or data.groups is not None:
        return False
    counts = np.unique(data.y, return_counts=True)[1]
    if settled.scheme in ("cv", "5x2"):
        return bool(counts.max() >= (settled.folds or 2))
    size = (settled.test_size or 0.5) * data.n
    return bool(counts.min() >= 2 and size >= counts.size and data.n - size >= counts.size)


def _random_splits(data: Dataset, settled: Resampling, seed: int) -> Iterator[Any]:
    from sklearn.model_selection import GroupShuffleSplit, ShuffleSplit, StratifiedShuffleSplit

    facts: dict[str, Any] = {
        "n_splits": settled.repeats, "test_size": settled.test_size, "random_state": seed,
    }  # fmt: skip
    rows = np.arange(data.n)
    if data.groups is not None:
        return iter(GroupShuffleSplit(**facts).split(rows, groups=data.groups))
    if _stratifies(data, settled):
        return iter(StratifiedShuffleSplit(**facts).split(rows, _codes(data)))
    return iter(ShuffleSplit(**facts).split(rows))


def _folds(data: Dataset, settled: Resampling, seed: int) -> Iterator[Any]:
    """Repeat after repeat; where items are dealt by chance, again until every fold tests every class."""
    target, rows = _codes(data), np.arange(data.n)
    by_chance = settled.stratify == "rare" and not _in_proportion(data, settled)
    classes = 0 if data.task == "regression" or not by_chance else int(target.max()) + 1
    dealt = 0
    for _ in range(settled.repeats or 1):
        found: list[Any] = []
        while not found or any(np.unique(target[test]).size < classes for _, test in found):
            splitter = _fold_splitter(data, settled, (seed + dealt) % 2**31)
            found = list(splitter.split(rows, target, data.groups))
            dealt += 1
        yield from found


def _codes(data: Dataset) -> NDArray[Any]:
    """The target with classes as numbers, which splitters sort far more quickly than text."""
    if data.task == "regression":
        return data.y
    return np.asarray(np.unique(data.y, return_inverse=True)[1])


def _fold_splitter(data: Dataset, settled: Resampling, seed: int) -> Any:
    from sklearn.model_selection import GroupKFold, KFold, StratifiedGroupKFold, StratifiedKFold

    facts: dict[str, Any] = {"n_splits": settled.folds, "shuffle": True, "random_state": seed}
    classes = _in_proportion(data, settled)
    if data.groups is not None:
        enough = classes and np.unique(data.y, return_counts=True)[1].max() >= (settled.folds or 2)
        return (StratifiedGroupKFold if enough else GroupKFold)(**facts)
    return (StratifiedKFold if _stratifies(data, settled) else KFold)(**facts)


def _leave_one_out(data: Dataset, settled: Resampling, seed: int) -> Iterator[Any]:  # noqa: ARG001
    from sklearn.model_selection import LeaveOneGroupOut, LeaveOneOut

    rows = np.arange(data.n)
    if data.groups is None:
        return iter(LeaveOneOut().split(rows))
    return iter(LeaveOneGroupOut().split(rows, groups=data.groups))


def _bootstrap(data: Dataset, settled: Resampling, seed: int) -> Iterator[Any]:
    """Training parts drawn with replacement (whole groups, where there are); tests are out of bag."""
    units = np.arange(data.n)
    if data.groups is not None:
        units = np.unique(data.groups, return_inverse=True)[1]
    count = int(units.max()) + 1
    members = np.split(np.argsort(units, kind="stable"), np.cumsum(np.bincount(units))[:-1])
    strata = None
    if data.groups is None and _in_proportion(data, settled):
        strata = np.unique(data.y, return_inverse=True)[1]
    for repeat in range(settled.repeats or 1):
        drawn = _drawn(count, strata, stream(seed, repeat))
        left = np.setdiff1d(np.arange(count), drawn)
        if not left.size:
            raise EvidenceError(f"{data.name}: a bootstrap sample left nothing to test on")
        train = np.concatenate([members[unit] for unit in drawn.tolist()])
        yield train, np.sort(np.concatenate([members[unit] for unit in left.tolist()]))


def _drawn(count: int, strata: NDArray[Any] | None, rng: np.random.Generator) -> IndexArray:
    if strata is None:
        return rng.integers(count, size=count)
    parts = [np.flatnonzero(strata == code) for code in range(int(strata.max()) + 1)]
    return np.concatenate([rng.choice(part, size=part.size) for part in parts])


def _in_time(data: Dataset, settled: Resampling, seed: int) -> Iterator[Any]:  # noqa: ARG001
    from sklearn.model_selection import TimeSeriesSplit

    return iter(TimeSeriesSplit(n_splits=settled.folds).split(np.arange(data.n)))


_SPLITTERS: dict[Scheme, Any] = {
    "holdout": _random_splits,
    "subsampling": _random_splits,
    "cv": _folds,
    "5x2": _folds,
    "leave-one-out": _leave_one_out,
    "bootstrap": _bootstrap,
    "time": _in_time,
}
