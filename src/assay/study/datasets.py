"""Data sets: whatever the user names, as features, target and a fingerprint of the content."""

import hashlib
import math
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import has_magic
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.core.checks import as_array
from assay.core.errors import EvidenceError, MissingDependency, UsageError
from assay.core.file_names import path_of
from assay.evidence.cell_text import plural, quoted
from assay.evidence.frames import is_frame
from assay.evidence.reading_options import names_given
from assay.study.catalogues import (
    SUITE,
    Listed,
    catalogue_of,
    file_of,
    read_catalogue,
    suite,
)
from assay.study.feature_tables import (
    Columns,
    Task,
    check_columns,
    feature,
    group_codes,
    matrix,
    read_any,
    read_strict,
    target_of,
    task_of,
)

OPENML = "openml:"
MOST_LOOKED_AT = 100_000
"""Files and folders below a pattern."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Dataset:
    """Features ``X`` (a matrix or a frame), target ``y`` and what the splits must respect."""

    name: str
    X: Any
    y: NDArray[Any]
    task: Task
    groups: NDArray[Any] | None = None
    ordered: bool = False
    """Rows are in order of time."""
    target: str = "target"
    fingerprint: str = ""
    source: str = ""
    features: tuple[str, ...] = ()
    """The names of the columns of ``X``, where they have any."""

    @property
    def n(self) -> int:
        return len(self.y)


class Source(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A source with what has to be said about it: a table in a study file."""

    source: Any
    name: str | None = None
    target: str | None = None
    task: Task | None = None
    groups: str | None = None
    ordered: bool = False
    categorical: tuple[str, ...] = ()
    """Columns of codes that look like numbers."""
    ignore: tuple[str, ...] = ()
    """Columns that no learner may see: ids, free text, what is known only afterwards."""


def resolve(source: Any, *, name: str | None = None, **said: Any) -> Dataset:
    """The one data set that ``source`` stands for; see :func:`resolve_all`."""
    found = resolve_all(source, **said)
    if len(found) > 1:
        listed = ", ".join(data.name for data in found[:5])
        raise UsageError(
            f"{source} stands for {len(found)} data sets ({listed}{', …' if len(found) > 5 else ''}): "
            "take all with resolve_all, or name one"
        )
    return found[0] if name is None else replace(found[0], name=name)


def resolve_all(
    source: Any,
    *,
    target: str | None = None,
    task: Task | None = None,
    groups: str | None = None,
    ordered: bool = False,
    categorical: Sequence[str] = (),
    ignore: Sequence[str] = (),
) -> tuple[Dataset, ...]:
    """The data sets that a source stands for.

    A source is a name of the suite (``assay datasets``), a CSV or Parquet file or a pattern of
    them, a folder with a catalogue or ``folder/name``, ``openml:ID``, a frame, a pair ``(X, y)``,
    a Bunch of scikit-learn, or a :class:`Dataset`. The target of a table is ``target=``, else its
    column ``target``, else its last column; of a frame it has to be said.
    """
    said = Source(
        source=source,
        target=target,
        task=task,
        groups=groups,
        ordered=ordered,
        categorical=tuple(categorical),
        ignore=tuple(ignore),
    )
    if isinstance(source, Source):
        return _named(source)
    if isinstance(source, Dataset):
        return (source,)
    if isinstance(source, str | Path):
        return _from_text(str(source), said)
    if isinstance(source, Mapping) and {"data", "target"} <= set(source):
        return (_from_bunch(source, said),)
    if is_frame(source):
        return (_from_frame(source, said),)
    if isinstance(source, tuple) and len(source) == 2:
        return (_from_pair(source, said),)
    raise UsageError(
        f"a data set is a name, a path, a frame, a pair (X, y) or a Bunch; got "
        f"{type(source).__name__}"
    )


def made(
    name: str,
    X: Any,
    y: NDArray[Any],
    *,
    task: Task | None = None,
    source: str,
    target: str = "target",
    groups: NDArray[Any] | None = None,
    ordered: bool = False,
    features: Sequence[str] = (),
) -> Dataset:
    """A data set with its fingerprint; the task is judged by the target unless said."""
    if hasattr(X, "tocsr"):
        raise UsageError(f"{name}: sparse matrices are not taken; give X.toarray()")
    if np.ndim(X) != 2:
        one = ". One column: X.reshape(-1, 1); of texts a frame, from which a ColumnTransformer takes it"
        raise EvidenceError(
            f"{name}: features are a table; got {plural(np.ndim(X), 'dimension')}{one if np.ndim(X) == 1 else ''}"
        )
    if len(y) != len(X):
        raise EvidenceError(f"{name}: {len(X)} rows of features but {len(y)} of the target")
    judged: Task = task or task_of(y)
    values = y.astype(np.float64) if judged == "regression" else y
    return Dataset(
        name=name,
        X=X,
        y=values,
        task=judged,
        groups=groups,
        ordered=ordered,
        target=target,
        fingerprint=fingerprint(X, values, groups),
        source=source,
        features=tuple(features),
    )


def fingerprint(X: Any, y: NDArray[Any], groups: NDArray[Any] | None = None) -> str:
    """SHA-256 of names, types and values, the same for the same content from any source."""
    digest = hashlib.sha256()
    columns = (
        {str(name): np.asarray(X[name]) for name in X.columns} if hasattr(X, "columns") else {}
    )
    parts = {**columns, "": np.asarray(y)} if columns else {"X": np.asarray(X), "": np.asarray(y)}
    for name, values in {**parts, **({} if groups is None else {"groups": groups})}.items():
        digest.update(_as_bytes(f"{name}|{values.dtype.kind}|{values.shape}|", name))
        if values.dtype.kind in "OUT":
            digest.update(_as_bytes("\x1f".join(map(str, values.ravel().tolist())), name))
        else:
            digest.update(np.ascontiguousarray(values).tobytes())
    return digest.hexdigest()


def _as_bytes(text: str, name: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        where = f"the column {name!r}" if name else "the target"
        half = text[error.start : error.end]
        raise EvidenceError(f"{where} holds half a character ({half}): repair it first") from None


def _named(given: Source) -> tuple[Dataset, ...]:
    options = {field: getattr(given, field) for field in Source.__struct_fields__}
    name = options.pop("name")
    if name is None:
        return resolve_all(**options)
    return (resolve(options.pop("source"), name=name, **options),)


def _from_text(text: str, said: Source) -> tuple[Dataset, ...]:
    """A name of the suite first, then files: a file called iris is ./iris."""
    if text in suite():
        return (_listed(SUITE, suite()[text], said),)
    if text.startswith(OPENML):
        return (_from_openml(text, said),)
    path = path_of(text, "a data set")
    if path.is_dir():
        return tuple(_listed(path, one, said) for one in read_catalogue(path).values())
    if path.is_file():
        return (_from_table(read_any(path), path.name.split(".")[0], text, said),)
    if has_magic(text):
        pattern = str(path.relative_to(path.anchor))
        _refuse_too_wide(path)
        files = sorted(one for one in Path(path.anchor).glob(pattern) if one.is_file())
        if files:
            return tuple(data for file in files for data in _from_text(str(file), said))
        raise EvidenceError(f"no file matches {text!r}")
    if catalogue_of(path.parent) is not None:
        known = read_catalogue(path.parent)
        if path.name in known:
            return (_listed(path.parent, known[path.name], said),)
    raise UsageError(_unknown(text))


def _refuse_too_wide(pattern: Path) -> None:
    """A pattern of folders looks into all of them; `/**` would read the whole disk."""
    steps = pattern.parts[:-1]
    first = next((place for place, step in enumerate(steps) if has_magic(step)), None)
    if first is None:
        return
    depth = math.inf if "**" in steps else len(steps) - first
    base, seen = Path(*steps[:first]), 0
    for folder, inside, files in os.walk(base):
        seen += len(inside) + len(files)
        if seen > MOST_LOOKED_AT:
            raise UsageError(
                f"the pattern {str(pattern)!r} looks at more than {MOST_LOOKED_AT:,} files below "
                f"{base}: begin it with the folder that has the data"
            )
        if len(Path(folder).relative_to(base).parts) >= depth:
            inside.clear()


def _unknown(text: str) -> str:
    from difflib import get_close_matches

    near = get_close_matches(text, suite(), n=2)
    hint = f"did you mean {' or '.join(near)}? " if near else ""
    return (
        f"there is no data set and no file {text!r}; {hint}`assay datasets` lists the names. Or "
        "give a path of a CSV or Parquet file, a pattern, a folder with a catalogue, or openml:ID"
    )


def _listed(folder: Path, listed: Listed, said: Source) -> Dataset:
    """A data set of a catalogue; what the caller says wins over what the catalogue says."""
    if listed.loader is not None and folder == SUITE:
        _refuse_ignore(said)
        return _from_sklearn(listed)
    path = file_of(folder, listed)
    columns = read_strict(path) if path.name.endswith((".csv", ".csv.gz")) else read_any(path)
    check_columns(columns, listed.columns, str(path))
    codes = [name for name, kind in listed.columns.items() if kind == "categorical"]
    group = next((name for name, kind in listed.columns.items() if kind == "group"), None)
    told = Source(
        source=said.source,
        target=said.target or listed.target,
        task=said.task or (listed.task if said.target in (None, listed.target) else None),
        groups=said.groups or listed.group_column or group,
        ordered=said.ordered or listed.ordered,
        categorical=(*codes, *said.categorical),
        ignore=said.ignore,
    )
    origin = listed.obtained_from if folder == SUITE else str(path)
    return _from_table(columns, listed.name, origin, told)


def _from_table(columns: Columns, name: str, origin: str, said: Source) -> Dataset:
    chosen = said.target or ("target" if "target" in columns else list(columns)[-1])
    check_columns(columns, (chosen, said.groups, *said.categorical, *said.ignore), origin)
    y = target_of(columns[chosen], said.task, chosen)
    features = {
        column: feature(cells, categorical=column in said.categorical)
        for column, cells in columns.items()
        if column not in (chosen, said.groups, *said.ignore)
    }
    groups = None if said.groups is None else group_codes(columns[said.groups], said.groups)
    return made(
        name,
        matrix(features),
        y,
        task=said.task,
        source=origin,
        target=chosen,
        groups=groups,
        ordered=said.ordered,
        features=tuple(features),
    )


def _refuse_ignore(said: Source) -> None:
    """Only tables and frames have columns to leave out by name."""
    if said.ignore:
        raise UsageError("ignore is for tables and frames: leave the columns out of X yourself")


def _from_sklearn(listed: Listed) -> Dataset:
    from sklearn import datasets

    found = getattr(datasets, str(listed.loader))()
    y = found.target
    if listed.task == "classification":
        y = np.array([str(found.target_names[code]) for code in y], dtype=object)
    return made(
        listed.name,
        found.data,
        y,
        task=listed.task,
        source=f"sklearn.datasets.{listed.loader}",
        target=listed.target,
        features=[str(name) for name in found.feature_names],
    )


def _from_bunch(bunch: Mapping[str, Any], said: Source) -> Dataset:
    """scikit-learn's own container; codes of classes become their names."""
    _refuse_ignore(said)
    y = _one_target(bunch["target"])
    names = bunch.get("target_names")
    coded = y.dtype.kind in "iu" and names is not None and set(y) == set(range(len(names)))
    if coded and said.task != "regression":
        y = np.array([str(name) for name in np.asarray(names)[y]], dtype=object)
    else:
        y = target_of(y, said.task, "target")
    features = bunch.get("feature_names")
    return made(
        "data",
        _features(bunch["data"]),
        y,
        task=said.task,
        source="memory",
        ordered=said.ordered,
        features=[] if features is None else list(names_given(features, "feature_names")),
    )


def _features(X: Any) -> Any:
    """A frame of pandas or a sparse matrix as it is, other frames by their cells, all else as an array."""
    if hasattr(X, "columns") and len(set(map(str, X.columns))) < len(X.columns):
        raise EvidenceError(f"the features have two columns of the same name: {quoted(X.columns)}")
    if is_frame(X) and not _is_pandas(X):
        return matrix({name: feature(cells) for name, cells in read_any(X).items()})
    if isinstance(X, np.ma.MaskedArray):
        return np.ma.filled(X.astype(np.float64), np.nan)
    kept = hasattr(X, "columns") or hasattr(X, "tocsr")
    return X if kept else as_array(X, "the features")


def _is_pandas(frame: Any) -> bool:
    return type(frame).__module__.split(".")[0] == "pandas"


def _one_target(values: Any) -> NDArray[Any]:
    """The target as one list, also where it came as the only column of a table."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.getmaskarray(values).any():
        raise EvidenceError(
            "the target is masked in some rows: drop them first, assay does not guess"
        )
    y = as_array(values, "the target")
    if y.ndim == 2 and y.shape[1] == 1:
        y = y[:, 0]
    if y.ndim != 1:
        what = f"{y.shape[1]} columns" if y.ndim == 2 else f"{y.ndim} dimensions"
        raise EvidenceError(
            f"the target has {what}, and a learner predicts one: give (X, y) with one"
        )
    return y


def _from_frame(frame: Any, said: Source) -> Dataset:
    """A frame of pandas stays one, so that learners can pick columns by name; others are read."""
    if said.target is None:
        raise UsageError("a frame does not say which column is the target: give target='…'")
    if not _is_pandas(frame):
        return _from_table(read_any(frame), "data", "memory", said)
    dropped = [name for name in (said.target, said.groups, *said.ignore) if name is not None]
    names = [str(name) for name in frame.columns]
    check_columns(names, dropped, "the frame")
    if len(set(names)) < len(names):
        raise EvidenceError(f"the frame has two columns of the same name: {quoted(names)}")
    named = dict(zip(names, frame.columns, strict=True))
    X = frame.drop(columns=[named[name] for name in dropped])
    if said.categorical:
        check_columns([str(name) for name in X.columns], said.categorical, "the frame")
        X = X.astype({named[name]: "category" for name in said.categorical})
    cells = frame[named[said.target]].to_numpy(dtype=object)
    groups = None
    if said.groups is not None:
        groups = group_codes(frame[named[said.groups]].to_numpy(dtype=object), said.groups)
    return made(
        "data",
        X.reset_index(drop=True),
        target_of(cells, said.task, said.target),
        task=said.task,
        source="memory",
        target=said.target,
        groups=groups,
        ordered=said.ordered,
        features=[str(name) for name in X.columns],
    )


def _from_pair(pair: tuple[Any, Any], said: Source) -> Dataset:
    _refuse_ignore(said)
    y = target_of(_one_target(pair[1]), said.task, "y")
    return made(
        "data", _features(pair[0]), y, task=said.task, source="memory", ordered=said.ordered
    )


def _from_openml(text: str, said: Source) -> Dataset:
    """A data set of openml.org by its number; fetched once, then from scikit-learn's cache."""
    from sklearn.datasets import fetch_openml

    _refuse_ignore(said)
    number = text.removeprefix(OPENML)
    if not number.isdigit():
        raise UsageError(f"openml: takes the number of a data set, such as openml:61; got {text!r}")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about retries; the error below says what matters
            found = fetch_openml(data_id=int(number), as_frame=True, n_retries=1, delay=0.5)
    except ImportError:
        raise MissingDependency(
            "data sets of OpenML need pandas: pip install 'assay[pandas]'"
        ) from None
    except OSError as error:
        raise EvidenceError(
            f"{text} has to be fetched from openml.org, which cannot be reached ({error}); without "
            "network use the suite (`assay datasets`) or files"
        ) from None
    except ValueError as error:
        raise EvidenceError(f"{text}: {error}") from None
    if found.target is None or np.ndim(found.target) != 1:
        raise EvidenceError(f"{text} has no single target: fetch it yourself and give (X, y)")
    task = said.task or ("classification" if found.target.dtype == "category" else None)
    cells = found.target.to_numpy(dtype=object)
    return made(
        str(found.details.get("name", text)),
        found.data.reset_index(drop=True),
        target_of(cells, task, str(found.target.name)),
        task=task,
        source=f"https://www.openml.org/d/{number}",
        target=str(found.target.name),
        features=[str(name) for name in found.data.columns],
    )
