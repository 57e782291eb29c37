"""Estimators instead of evidence: trained on splits of the data as a study does, then compared."""

import shutil
import tempfile
import weakref
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Integral
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.checks import as_array
from assay.core.errors import EvidenceError, UsageError
from assay.core.notes import Note, note
from assay.evidence.cell_text import quoted
from assay.evidence.frames import is_frame
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.study.datasets import Dataset, Source, fingerprint, resolve
from assay.study.feature_tables import Task, group_codes
from assay.study.learners import Learner
from assay.study.preparation import column_kinds, prepares_itself
from assay.study.run import StudyResult
from assay.study.spec import Study

_SPLITTERS = (
    "KFold, StratifiedKFold, RepeatedKFold, RepeatedStratifiedKFold, GroupKFold, ShuffleSplit or "
    "StratifiedShuffleSplit of scikit-learn"
)


MOST_LETTERS = 120
_BY_GROUP = ("GroupKFold", "StratifiedGroupKFold")


def trained(
    estimators: Mapping[str, Any] | Sequence[Any],
    data: Sequence[Any],
    *,
    cv: Any,
    fits: int | None,
    measures: Sequence[Any],
    seed: int,
    groups: Any = None,
) -> "Trained":
    """The result of a study of these estimators on one data set, every one on the same splits.

    The fits run in this process; a study (`assay.Study`) has engines, limits and a store. Items of one
    group are trained on or tested together.
    """
    lone = len(data) == 1 and isinstance(data[0], str | Path | Mapping | tuple | Dataset)
    if len(data) != 2 and not lone:
        raise UsageError("estimators are compared on data: compare({'lr': …, 'tree': …}, X, y)")
    if groups is None and type(cv).__name__ in _BY_GROUP:
        raise UsageError(
            f"{type(cv).__name__} splits by group: give groups=, one for each row of X"
        )
    learners = {str(name): one for name, one in _named(estimators).items()}
    found = _dataset(data, learners, groups)
    study = Study(
        name="comparison",
        learners=learners,
        datasets={"data": found},
        resampling=_resampling(cv, fits, found.n),
        measures=[one for one in measures if one is not None],
        seed=seed,
    )
    folder = tempfile.mkdtemp(prefix="assay-")
    result = study.run(Path(folder) / "study.db", engine="inline", progress=False)
    weakref.finalize(result.store, shutil.rmtree, folder, ignore_errors=True)
    return Trained(result=result, notes=(*study.notes, *_prepared(study), *_warned(result)))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Trained:
    """What came of the estimators, with what was done to their data."""

    result: StudyResult
    notes: tuple[Note, ...]

    def as_evidence(self, **asked: Any) -> Scores | Predictions:
        found = self.result.as_evidence(**asked)
        if not isinstance(found, Scores):
            return found
        return replace(found, notes=(*found.notes, *self.notes))


def _warned(result: StudyResult) -> list[Note]:
    """Of which estimators fits warned, and what most of them said."""
    fits: Counter[str] = Counter()
    warned: dict[str, Counter[str]] = {}
    for record in result.records():
        fits[record["learner"]] += 1
        told = [one for one in record["details"]["warnings"] if "Warning: " in one]
        for one in told[:1]:
            warned.setdefault(record["learner"], Counter())[one.splitlines()[0][:MOST_LETTERS]] += 1
    return [
        note(
            "fits-warned",
            model=name,
            count=said.total(),
            fits=fits[name],
            what=said.most_common(1)[0][0],
        )
        for name, said in warned.items()
    ]


def _prepared(study: Study) -> tuple[Note, ...]:
    """Which estimators were given other features than came, in every split from its training part."""
    (data,) = study.datasets.values()
    helped = [
        name
        for name, one in study.learners.items()
        if one.prepare and not prepares_itself(one.estimator)
    ]
    _, categories, missing = column_kinds(data.X)
    told = [f"one indicator for each value of {quoted(categories, 3)}"] if categories else []
    told += ["the median in place of missing numbers"] if missing else []
    if not told or not helped:
        return ()
    return (note("prepared-features", learners=", ".join(helped), how=" and ".join(told)),)


def _dataset(data: Sequence[Any], learners: Mapping[str, Any], groups: Any) -> Dataset:
    """The data, a pair or a data set of a study; whether the target is classes or numbers the estimators say."""
    _refuse_other_order(data)
    target = data[1] if len(data) == 2 and isinstance(data[1], str) and is_frame(data[0]) else None
    source = data[0] if len(data) == 1 or target is not None else tuple(data)
    found = resolve(Source(source=source, target=target, task=_task(learners)))
    _check_classes(found)
    if groups is None:
        return found
    rows = as_array(groups, "groups")
    if rows.shape != (found.n,):
        raise EvidenceError(
            f"groups= is one group for each of {found.n} rows; got shape {rows.shape}"
        )
    codes = group_codes(rows.astype(object), "groups")
    return replace(found, groups=codes, fingerprint=fingerprint(found.X, found.y, codes))


def _refuse_other_order(data: Sequence[Any]) -> None:
    """Rows are taken as they stand; where both parts name them and in another order, somebody is wrong."""
    if len(data) != 2:
        return
    X, y = (getattr(part, "index", None) for part in data)
    if X is None or y is None or not (hasattr(X, "equals") and hasattr(y, "equals")) or X.equals(y):
        return
    if len(X) == len(y) and X.is_unique and y.is_unique and X.isin(y).all():
        raise EvidenceError(
            "X and y name the same rows in another order. Give y.loc[X.index], or y.to_numpy() to take "
            "rows as they stand"
        )


def _task(learners: Mapping[str, Any]) -> Task | None:
    """None where they do not say, as estimators of one's own may not."""
    from sklearn.base import is_classifier, is_regressor

    bare = {
        name: one.estimator if isinstance(one, Learner) else one for name, one in learners.items()
    }
    numbers = [name for name, one in bare.items() if is_regressor(one)]
    classes = [name for name, one in bare.items() if is_classifier(one)]
    if numbers and classes:
        raise UsageError(
            f"{numbers[0]} is a regressor and {classes[0]} a classifier, which no measure compares: "
            "give estimators of one kind"
        )
    return "regression" if numbers else "classification" if classes else None


def _check_classes(data: Dataset) -> None:
    """Refuse a target that no classifier can be tested on."""
    if data.task != "classification":
        return
    counts = np.unique(data.y, return_counts=True)[1]
    if counts.size == 1:
        raise EvidenceError(
            f"the target has one class only ({data.y[0]}): classifiers need items of two or more"
        )
    if counts.max() == 1:
        raise EvidenceError(
            f"each of the {data.n} items has a class of its own ({data.y[0]}, {data.y[1]}, …). Give classes "
            "that come again, not an identifier; a target of numbers needs regressors"
        )


def _named(estimators: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any]:
    if isinstance(estimators, Mapping):
        if not all(str(name).strip() for name in estimators):
            raise UsageError("every estimator needs a name: compare({'lr': …, 'tree': …}, X, y)")
        return estimators
    names = [type(one).__name__ for one in estimators]
    if len(set(names)) < len(names):
        raise UsageError(f"name the estimators, {{'a': …, 'b': …}}: two are called {names[0]}")
    return dict(zip(names, estimators, strict=True))


def _resampling(cv: Any, fits: int | None, n: int) -> Any:
    """How the data are split: as said, or in the way whose test held its level best."""
    if cv is None:
        return {"scheme": "valid", **({} if fits is None else {"fits": fits})}
    if fits is not None:
        raise UsageError("fits= is for the default splits; cv= says how many fits there are")
    if isinstance(cv, Integral) and not isinstance(cv, bool):
        return {"scheme": "cv", "folds": int(cv)}
    name = type(cv).__name__
    stratify = "Stratified" in name
    if name in ("KFold", "StratifiedKFold", *_BY_GROUP):
        return {"scheme": "cv", "folds": cv.n_splits, "stratify": stratify}
    if name in ("RepeatedKFold", "RepeatedStratifiedKFold"):
        folds = cv.cvargs["n_splits"]
        return {"scheme": "cv", "folds": folds, "repeats": cv.n_repeats, "stratify": stratify}
    if name in ("ShuffleSplit", "StratifiedShuffleSplit"):
        splits = {"scheme": "subsampling", "repeats": cv.n_splits, "test_size": _test_share(cv, n)}
        return splits | {"stratify": stratify}
    if isinstance(cv, str | Mapping):
        return cv
    raise UsageError(f"cv is a number of folds, {_SPLITTERS}, or a scheme of a study; got {name}")


def _test_share(cv: Any, n: int) -> float:
    """The share that a random split of scikit-learn tests, said as a share or as rows of either part."""
    sizes = (cv.test_size, cv.train_size)
    test, train = (
        None if size is None else float(size) / (n if isinstance(size, Integral) else 1)
        for size in sizes
    )
    if train is not None and test is not None and train + test < 1.0 - 0.5 / n:
        raise UsageError(
            "train_size= and test_size= of the splits leave items out, which no test here allows for: give one"
        )
    if test is not None:
        return test
    return 0.1 if train is None else 1.0 - train
