"""How the splits behind scores were made: folds, repeated folds or random splits; asked if unknown."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.checks import check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_text import shortened
from assay.evidence.open_questions import which_design
from assay.evidence.reading_options import Told

PLAIN = 10
"""Up to so many splits are one run of cross-validation, as scikit-learn makes by default."""

_PARTITIONS = {"_BaseKFold", "LeaveOneOut", "LeaveOneGroupOut", "PredefinedSplit"}
"""Splitters of scikit-learn that test every item once."""

Place = dict[str, Any]


def places_of(splits: int, told: Told, indices: Mapping[str, Any] | None) -> list[Place]:
    """Where each split stands: its fold, its repeat, and its sizes where they are known."""
    if indices is not None:
        return _by_indices(indices, splits)
    if told.test_share is not None:
        if not 0.0 < told.test_share < 1.0:
            raise UsageError(f"test_share= is between 0 and 1; got {told.test_share}")
        share = float(told.test_share)
        return [{"fold": n, "n_test": share, "n_train": 1.0 - share} for n in range(splits)]
    folds = told.folds
    if folds is None and told.repeats is not None:
        folds = splits // check_count(told.repeats, "repeats", at_least=1)
    if folds is not None:
        size = check_count(folds, "folds", at_least=2)
        if splits % size or (told.repeats is not None and size * told.repeats != splits):
            raise UsageError(f"there are {splits} splits, which {size} folds do not make up")
        if size == splits:
            return [{"fold": n} for n in range(splits)]
        return [{"repeat": n // size, "fold": n % size} for n in range(splits)]
    if splits > PLAIN:
        raise AmbiguousEvidence([which_design(splits)])
    return [{"fold": n} for n in range(splits)]


def is_assumed(splits: int, told: Told, indices: Mapping[str, Any] | None) -> bool:
    """Whether nothing but the small number of splits says that they are one run of folds."""
    told_so = told.folds or told.repeats or told.test_share
    return indices is None and not told_so and splits <= PLAIN


def told_by(search: Any, told: Told) -> Told:
    """What the splitter of a fitted search says of its splits, where the user has said nothing."""
    if told.folds or told.repeats or told.test_share:
        return told
    cv: Any = getattr(search, "cv", None)
    splits = int(getattr(search, "n_splits_", 0))
    kinds = {kind.__name__ for kind in type(cv).__mro__}
    if kinds & {"BaseShuffleSplit"}:
        return replace(told, test_share=_share_of(cv, splits))
    if kinds & {"_RepeatedSplits"}:
        return replace(told, folds=splits // cv.n_repeats, repeats=cv.n_repeats)
    counted = isinstance(cv, int | np.integer) or cv is None
    if splits > 1 and (counted or kinds & _PARTITIONS) and not kinds & {"TimeSeriesSplit"}:
        return replace(told, folds=splits)
    return told


def _share_of(cv: Any, splits: int) -> float:
    """The part of a random split that is tested, of all that is trained on or tested."""
    test, train = cv.test_size, cv.train_size
    parts = [part for part in (test, train) if part is not None]
    if any(isinstance(part, int | np.integer) for part in parts):  # rows, of unknown many
        if len(parts) < 2 or isinstance(test, float) or isinstance(train, float):
            raise AmbiguousEvidence([which_design(splits)])
        return float(test / (test + train))
    if test is None:
        usual = getattr(cv, "_default_test_size", 0.1)
        test = usual if train is None else 1.0 - train
    return float(test / (test + (1.0 - test if train is None else train)))


def indices_of(search: Any) -> dict[str, list[Any]]:
    """The rows of each split, where a search was given them as a list of pairs."""
    cv = getattr(search, "cv", None)
    if not isinstance(cv, list | tuple):
        return {}
    return {"train": [train for train, _ in cv], "test": [test for _, test in cv]}


def _by_indices(indices: Any, splits: int) -> list[Place]:
    """The design that train and test indices show: partitions are folds, all else random splits."""
    tests, trains = (_rows(indices, side) for side in ("test", "train"))
    if not len(tests) == len(trains) == splits:
        raise EvidenceError(f"there are {splits} splits, and indices of {len(tests)}")
    folds = _partitions(tests)
    places = [{"fold": n} for n in range(splits)]
    if len(folds) > 1:
        places = [{"repeat": r, "fold": n} for r, size in enumerate(folds) for n in range(size)]
    return [
        {**place, "n_test": float(len(test)), "n_train": float(len(train))}
        for place, test, train in zip(places, tests, trains, strict=True)
    ]


def _rows(indices: Any, side: str) -> list[list[int]]:
    """The rows of each split on one side."""
    try:
        return [np.asarray(one, dtype=np.int64).reshape(-1).tolist() for one in indices[side]]
    except (TypeError, ValueError, KeyError, IndexError, OverflowError):
        raise EvidenceError(
            f"indices of splits are lists of row numbers under 'train' and 'test'; got {shortened(indices)}"
        ) from None


def _partitions(tests: Sequence[Sequence[int]]) -> list[int]:
    """The number of folds of each run, if the test sets are runs that each meet every item once."""
    everything = set().union(*tests)
    runs, folds = [], 0
    met: set[int] = set()
    for test in tests:
        if met & set(test):
            return []
        met |= set(test)
        folds += 1
        if met == everything:
            runs.append(folds)
            met, folds = set(), 0
    return [] if folds else runs


def same_splits(results: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The indices of the splits, which must be the same for all models; None where one has none."""
    if not results or not all("indices" in one for one in results.values()):
        return None
    tests = [_rows(one["indices"], "test") for one in results.values()]
    if any(other != tests[0] for other in tests):
        raise EvidenceError(
            "the models were tested on different splits, so their scores cannot be paired. Give "
            "every model the same cv (an integer random_state, or a list of splits)"
        )
    return next(iter(results.values()))["indices"]  # type: ignore[no-any-return]
