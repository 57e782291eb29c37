"""How the splits behind scores were made: folds, repeated folds or random splits; asked if unknown."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.checks import check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.open_questions import which_design
from assay.evidence.told import Told

PLAIN = 10
"""Up to so many splits are one run of cross-validation, as scikit-learn makes by default."""

Place = dict[str, Any]


def places_of(splits: int, told: Told, indices: Mapping[str, Any] | None) -> list[Place]:
    """Where each split stands: its fold, its repeat, and its sizes where they are known."""
    if indices is not None:
        return _by_indices(indices)
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


def _by_indices(indices: Mapping[str, Any]) -> list[Place]:
    """The design that train and test indices show: partitions are folds, all else random splits."""
    tests = [np.asarray(one) for one in indices["test"]]
    trains = [np.asarray(one) for one in indices["train"]]
    sizes = [
        {"n_test": float(t.size), "n_train": float(r.size)}
        for t, r in zip(tests, trains, strict=True)
    ]
    everything = np.unique(np.concatenate(tests)).size
    runs = _partitions(tests, everything)
    if runs is None:
        return [{"fold": n, **size} for n, size in enumerate(sizes)]
    if len(runs) == 1:
        return [{"fold": n, **size} for n, size in enumerate(sizes)]
    places = [
        {"repeat": run, "fold": fold} for run, folds in enumerate(runs) for fold in range(folds)
    ]
    return [{**place, **size} for place, size in zip(places, sizes, strict=True)]


def _partitions(tests: Sequence[Any], everything: int) -> list[int] | None:
    """The number of folds of each run, if the test sets are runs that each meet every item once."""
    runs, seen, folds = [], 0, 0
    met: set[int] = set()
    for test in tests:
        fresh = set(test.tolist())
        if met & fresh:
            return None
        met |= fresh
        seen, folds = seen + len(fresh), folds + 1
        if seen == everything:
            runs.append(folds)
            met, seen, folds = set(), 0, 0
    return runs if not folds and runs else None


def same_splits(results: Mapping[str, Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The indices of the splits, which must be the same for all models; None where one has none."""
    found = [one["indices"] for one in results.values() if "indices" in one]
    if len(found) < len(results) or not found:
        return None
    first = found[0]
    for other in found[1:]:
        pairs = zip(first["test"], other["test"], strict=False)
        if len(first["test"]) != len(other["test"]) or not all(
            np.array_equal(*pair) for pair in pairs
        ):
            raise EvidenceError(
                "the models were tested on different splits, so their scores cannot be paired: give every "
                "model the same cv (an integer random_state, or a list of splits)"
            )
    return first  # type: ignore[no-any-return]
