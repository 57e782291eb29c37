"""Tuning inside the training part: the outer score stays honest, the inner one is kept beside it."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

import msgspec
import numpy as np

from assay.core.checks import check_choice
from assay.core.errors import UsageError
from assay.core.study_results import TuningSummary
from assay.store.record_types import Tuned
from assay.study.datasets import Dataset
from assay.study.fingerprints import Plain, describe

Search = Literal["grid", "random", "halving"]
Inner = Literal["cv", "holdout", "time"]
MOST_SETTINGS = 100_000


class Tuning(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which parameters to choose, and how: by cross-validation or on a validation part."""

    grid: dict[str, Any]
    search: Search = "grid"
    candidates: int | None = None
    """How many a random search tries (10)."""
    inner: Inner = "cv"
    folds: int = 5
    measure: str | None = None
    """What decides; the study's first measure unless said."""

    def checked(self, name: str) -> "Tuning":
        """Refuse what cannot work, naming the learner."""
        check_choice(self.search, get_args(Search), f"learner {name}: search")
        check_choice(self.inner, get_args(Inner), f"learner {name}: inner")
        if self.candidates is not None and self.search != "random":
            raise UsageError(f"learner {name}: candidates is for search = 'random'")
        if not _is_whole(self.folds, 2) or not (
            self.candidates is None or _is_whole(self.candidates, 1)
        ):
            raise UsageError(
                f"learner {name}: at least 2 inner folds and 1 candidate, in whole numbers; got "
                f"{self.folds!r} and {self.candidates!r}"
            )
        if not isinstance(self.grid, Mapping):
            raise UsageError(
                f"learner {name}: tune is a table of parameters with their values, got {self.grid!r}"
            )
        for parameter, values in self.grid.items():
            if not (_length(values) or (self.search == "random" and hasattr(values, "rvs"))):
                raise UsageError(
                    f"learner {name}: tune.{parameter} is a list of values, got {values!r}"
                )
        lengths = [_length(values) or 1 for values in self.grid.values()]
        if self.search != "random" and math.prod(lengths) > MOST_SETTINGS:
            raise UsageError(
                f"learner {name}: {math.prod(lengths):,} settings are too many to try each (at most "
                f"{MOST_SETTINGS:,}): search = 'random' tries some of them"
            )
        return self

    def description(self, name: str) -> Plain:
        facts = {field: getattr(self, field) for field in self.__struct_fields__}
        return {field: describe(value, f"{name}.tune") for field, value in facts.items()}


def _is_whole(value: Any, at_least: int) -> bool:
    whole = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return bool(whole and value >= at_least)


def _length(values: Any) -> int:
    """How many values are listed; none where they have no order or no end."""
    listed = isinstance(values, Sequence) or getattr(values, "ndim", 0) == 1
    return len(values) if listed and not isinstance(values, str | bytes) else 0


def search_over(
    estimator: Any, tuning: Tuning, data: Dataset, prefix: str, seed: int, scorer: Any
) -> Any:
    """An estimator that chooses among configurations by ``scorer`` and refits the best."""
    from sklearn import model_selection
    from sklearn.experimental import enable_halving_search_cv  # noqa: F401

    grid = {f"{prefix}{name}": values for name, values in tuning.grid.items()}
    facts = {"scoring": scorer, "cv": _inner_splitter(tuning, data, seed), "n_jobs": 1}
    if tuning.search == "grid":
        return model_selection.GridSearchCV(estimator, grid, **facts)
    if tuning.search == "halving":
        return model_selection.HalvingGridSearchCV(estimator, grid, random_state=seed, **facts)
    tried = tuning.candidates or 10
    sizes = [len(values) for values in grid.values() if hasattr(values, "__len__")]
    if len(sizes) == len(grid):
        tried = min(tried, math.prod(sizes))
    return model_selection.RandomizedSearchCV(
        estimator, grid, n_iter=tried, random_state=seed, **facts
    )


def _inner_splitter(tuning: Tuning, data: Dataset, seed: int) -> Any:
    from sklearn import model_selection as ways

    if tuning.inner == "time":
        return ways.TimeSeriesSplit(n_splits=tuning.folds)
    classes, groups = data.task == "classification", data.groups is not None
    if tuning.inner == "holdout":
        facts = {"n_splits": 1, "test_size": 1 / 3, "random_state": seed}
        if groups:
            return ways.GroupShuffleSplit(**facts)
        return (ways.StratifiedShuffleSplit if classes else ways.ShuffleSplit)(**facts)
    chosen = {
        (False, False): ways.KFold,
        (True, False): ways.StratifiedKFold,
        (False, True): ways.GroupKFold,
        (True, True): ways.StratifiedGroupKFold,
    }[classes, groups]
    return chosen(n_splits=tuning.folds, shuffle=True, random_state=seed)


def tuned(search: Any, prefix: str, measure: str, sign: int) -> Tuned:
    """What a fitted search chose; the score in the measure's own direction."""
    score = sign * float(search.best_score_)
    params = {name.removeprefix(prefix): value for name, value in search.best_params_.items()}
    plain = {name: _plain(value) for name, value in params.items()}
    return Tuned(
        params=plain,
        score=score if math.isfinite(score) else None,
        measure=measure,
        candidates=len(search.cv_results_["params"]),
    )


def _plain(value: Any) -> Any:
    if hasattr(value, "item"):
        value = value.item()
    return value if value is None or isinstance(value, bool | int | float | str) else repr(value)


def summarise(
    dataset: str,
    learner: str,
    chosen: Sequence[Mapping[str, Any]],
    outer: Sequence[float | None],
    direction: str,
) -> TuningSummary:
    """From the choices on every split, and the test scores of the same measure."""
    inner_mean = _mean([one["score"] for one in chosen])
    outer_mean = _mean(outer)
    sign = 1.0 if direction == "higher" else -1.0
    wins = Counter(msgspec.json.encode(one["params"], order="sorted").decode() for one in chosen)
    return TuningSummary(
        dataset=dataset,
        learner=learner,
        measure=chosen[0]["measure"],
        outer=outer_mean,
        inner=inner_mean,
        optimism=None
        if inner_mean is None or outer_mean is None
        else sign * (inner_mean - outer_mean),
        wins=tuple(sorted(wins.items(), key=lambda pair: (-pair[1], pair[0]))),
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None and math.isfinite(value)]
    return sum(known) / len(known) if known and len(known) == len(values) else None
