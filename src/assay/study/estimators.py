"""Estimators instead of evidence: trained on splits of the data as a study does, then compared."""

import shutil
import tempfile
import weakref
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import UsageError
from assay.study.run import StudyResult
from assay.study.spec import Study

_SPLITTERS = (
    "KFold, StratifiedKFold, RepeatedKFold, RepeatedStratifiedKFold, ShuffleSplit or "
    "StratifiedShuffleSplit of scikit-learn"
)


def trained(
    estimators: Mapping[str, Any] | Sequence[Any],
    data: Sequence[Any],
    *,
    cv: Any,
    fits: int | None,
    measures: Sequence[Any],
    seed: int,
) -> StudyResult:
    """The result of a study of these estimators on one data set, every one on the same splits.

    The fits run in this process; a study (`assay.Study`) has engines, limits and a store.
    """
    if len(data) != 2:
        raise UsageError("estimators are compared on data: compare({'lr': …, 'tree': …}, X, y)")
    study = Study(
        name="comparison",
        learners=_named(estimators),
        datasets={"data": (data[0], data[1])},
        resampling=_resampling(cv, fits),
        measures=[one for one in measures if one is not None],
        seed=seed,
    )
    folder = tempfile.mkdtemp(prefix="assay-")
    result = study.run(Path(folder) / "study.db", engine="inline", progress=False)
    weakref.finalize(result.store, shutil.rmtree, folder, ignore_errors=True)
    return result


def _named(estimators: Mapping[str, Any] | Sequence[Any]) -> Mapping[str, Any]:
    if isinstance(estimators, Mapping):
        return estimators
    names = [type(one).__name__ for one in estimators]
    if len(set(names)) < len(names):
        raise UsageError(f"name the estimators, {{'a': …, 'b': …}}: two are called {names[0]}")
    return dict(zip(names, estimators, strict=True))


def _resampling(cv: Any, fits: int | None) -> Any:
    """How the data are split: as said, or in the way whose test held its level best."""
    if cv is None:
        return {"scheme": "valid", **({} if fits is None else {"fits": fits})}
    if fits is not None:
        raise UsageError("fits= is for the default splits; cv= says how many fits there are")
    if isinstance(cv, int):
        return {"scheme": "cv", "folds": cv}
    name = type(cv).__name__
    stratify = "Stratified" in name
    if name in ("KFold", "StratifiedKFold"):
        return {"scheme": "cv", "folds": cv.n_splits, "stratify": stratify}
    if name in ("RepeatedKFold", "RepeatedStratifiedKFold"):
        folds = cv.cvargs["n_splits"]
        return {"scheme": "cv", "folds": folds, "repeats": cv.n_repeats, "stratify": stratify}
    if name in ("ShuffleSplit", "StratifiedShuffleSplit"):
        size = cv.test_size if isinstance(cv.test_size, float) else 0.1
        splits = {"scheme": "subsampling", "repeats": cv.n_splits, "test_size": size}
        return splits | {"stratify": stratify}
    if isinstance(cv, str | Mapping):
        return cv
    raise UsageError(f"cv is a number of folds, {_SPLITTERS}, or a scheme of a study; got {cv!r}")
