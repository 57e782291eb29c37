"""The arguments of a call as sources: a truth and its predictions, open files, texts, lists, records and matrices."""

import os
from collections.abc import Hashable, Iterator, KeysView, Mapping, Sequence, ValuesView
from dataclasses import asdict, is_dataclass
from functools import partial
from os import PathLike
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import quoted
from assay.evidence.frames import is_frame, module_of, names_of
from assay.evidence.names import known_as, names_items
from assay.evidence.readers.nested_results import are_by_item, joined_by_item
from assay.evidence.readers.objects import as_array, is_column
from assay.evidence.readers.other_objects import refuse_other_objects
from assay.evidence.readers.sklearn_results import is_dump
from assay.evidence.readers.source_tables import is_text, open_sources, table_of_text
from assay.evidence.reading_options import Told
from assay.evidence.scores import KEYS

MOST_SCORES = 100
"""Longer arrays of fractions are predictions of a number rather than scores by fold or data set."""


def _plain_object(source: Any) -> Any:
    """An open file as its path, a text as the table in it, an iterator as the list of what it gives."""
    if hasattr(type(source), "read"):  # a frame may have a column of that name
        name = getattr(source, "name", None)
        source = Path(name) if isinstance(name, str) and Path(name).is_file() else source.read()
    if isinstance(source, bytes) or (isinstance(source, str) and is_text(source)):
        refuse_other_objects(source)
        return table_of_text(source)
    for whole in ("read_all", "toarray"):  # batches of pyarrow, a sparse matrix
        if hasattr(source, whole):
            return getattr(source, whole)()
    if _is_record(source):
        return _fields(source)
    return list(source) if isinstance(source, Iterator | KeysView | ValuesView) else source


def as_arguments(given: Sequence[Any], told: Told) -> Sequence[Any]:
    """The truth followed by a mapping of predictions (or by arrays of them) as one mapping."""
    sources = list(map(_plain_object, given))
    sources = list(sources[0]) if len(sources) == 1 and _lists_sources(sources[0]) else sources
    first, *rest = sources
    if not rest:
        return [_one_source(first, told)]
    if len(rest) == 1 and isinstance(first, Mapping) and is_column(rest[0]):
        first, rest = rest[0], [first]  # the truth came last
    if len(rest) == 1 and are_by_item(first, rest[0]):
        return [joined_by_item({told.truth or "truth": first, **rest[0]})]
    if _is_held(first) and len(first.columns) == 1 and len(rest) == 1:
        first = first[first.columns[0]]
    if not is_column(first):
        return sources
    rest = _listed(rest[0], first) if len(rest) == 1 else rest
    if named := _by_name(rest[0], first) if len(rest) == 1 else {}:
        return [{told.truth or "truth": first, **named}]
    if not all(is_column(one) for one in rest):
        return sources
    arrays = [as_array(one, "") for one in (first, *rest)]
    if _are_scores(arrays, told):
        return [_lettered([first, *rest], told)]
    if len(rest) == 1 and arrays[1].ndim == 2 and _holds(arrays[0], arrays[1]):
        one_each = (arrays[1].sum(axis=1) == 1).all()
        rest = rest if one_each else list(arrays[1].T)  # labels of a model in each column
    return [{"truth": first, **_lettered(rest, told)}]


def _is_file(source: Any) -> bool:
    return isinstance(source, str | PathLike) and os.path.isfile(source)  # noqa: PTH113 (any text is no error)


def _lists_sources(given: Any) -> bool:
    """Whether a list or tuple holds what could be the arguments: files, frames, or columns of one length."""
    if not isinstance(given, list | tuple) or len(given) < 2:
        return False
    if all(map(_is_file, given)) or all(map(is_frame, given)):
        return True
    arrays = given[:1] if isinstance(given[1], Mapping) else given
    sizes = {len(one) if hasattr(one, "__array__") and np.ndim(one) else 0 for one in arrays}
    return len(sizes) == 1 and sizes.pop() > len(given)


def _by_name(predictions: Any, truth: Any) -> dict[Any, Any]:
    """A mapping or a frame as a mapping, without the truth if it is a column of it: df.y beside df."""
    frame = names_of(predictions) if is_frame(predictions) else []
    names = list(predictions) if isinstance(predictions, Mapping) else frame
    if len(set(names)) < len(names):
        return {}
    found, own = {n: predictions[n] for n in names}, getattr(truth, "name", None)
    if own is not None and isinstance(own, Hashable):
        found.pop(own, None)
    return found


def _listed(given: Any, truth: Any) -> list[Any]:
    """A list of predictions as the arguments they could have been, pairs of name and predictions as a mapping."""
    stacked = isinstance(given, np.ndarray) and given.ndim > 1
    if not (isinstance(given, list | tuple) or stacked) or len(given) == (size := _size(truth)):
        return [given]
    if pairs := _of_pairs(given):
        return [pairs]
    beside = all(is_column(one) and _size(one) == size for one in given)
    return list(given) if beside else [given]


def _size(column: Any) -> int:
    return len(as_array(column, "truth"))


def _of_pairs(given: Any) -> dict[str, Any]:
    """A list of pairs of a name and its values as a mapping; nothing where it is none."""
    listed = given if isinstance(given, list | tuple) else ()
    pairs = [tuple(one) for one in listed if isinstance(one, list | tuple) and len(one) == 2]
    named = len(pairs) == len(listed) and all(isinstance(name, str) for name, _ in pairs)
    return dict(pairs) if named and all(is_column(values) for _, values in pairs) else {}


def _holds(truth: Any, predicted: Any) -> bool:
    """Whether all that was predicted are classes of the truth."""
    try:
        return set(predicted.flat) <= set(truth.flat)
    except TypeError:  # cells that are lists
        return False


def _lettered(columns: Sequence[Any], told: Told) -> dict[str, Any]:
    """Columns under the names that were told, their own (of series), or letters."""
    own = [str(name) for one in columns if (name := getattr(one, "name", None)) is not None]
    letters = [chr(ord("a") + place) for place in range(len(columns))]
    names = own if len(set(own)) == len(columns) else letters
    listed = told.listed or names
    names = names if set(listed) < set(names) else listed
    if len(names) != len(columns):
        raise UsageError(f"models= names {len(names)} of {len(columns)} columns: {quoted(names)}")
    return dict(zip(names, columns, strict=True))


def _are_scores(arrays: Sequence[Any], told: Told) -> bool:
    """Whether arrays are scores of models, none of them the truth: told so, or fractions all of them."""
    if told.unit in KEYS or told.correct or told.losses:
        return True
    if any(one.ndim != 1 or one.dtype.kind != "f" or one.size > MOST_SCORES for one in arrays):
        return False
    inside = all(one.size and one.min() >= 0.0 and one.max() <= 1.0 for one in arrays)
    return bool(inside and (arrays[0] % 1.0 != 0.0).any())


def _is_held(source: Any) -> bool:
    """Whether a frame is in memory, and asking for its names costs nothing."""
    return is_frame(source) and module_of(source) == "pandas"


def _one_source(source: Any, told: Told) -> Any:
    """A matrix as its columns, frames of scikit-learn's results as the mappings they were."""
    refuse_other_objects(source)
    source = _of_pairs(source) or source
    if isinstance(source, list | tuple) and source:
        if all(isinstance(row, Mapping) and is_dump(row) for row in source):
            return _lettered(source, told)
        if all(map(_is_record, source)):
            return list(map(_fields, source))
        if isinstance(source[0], list | tuple):
            return _of_rows(source, told)
    if is_column(source) and not isinstance(source, Sequence):
        array = as_array(source, "the data")
        return source if array.ndim == 1 else _of_rows(array, told)
    if _is_held(source) and source.index.nlevels == 2 and "fit_time" in source.columns:
        # results of cross_validate one below the other
        groups = source.groupby(level=0, sort=False)
        return {str(name): {str(c): list(of[c]) for c in of.columns} for name, of in groups}
    if _is_held(source) and {"params", "split0_test_score"} <= set(source.columns):
        return {str(name): list(source[name]) for name in source.columns}
    if isinstance(source, Mapping) and source:
        source = _results_by_name(source) or source
        if all(map(_is_file, source.values())):
            tables = open_sources(list(source.values()), told)
            return {n: dict(one.in_memory().arrays) for n, one in zip(source, tables, strict=True)}
        if any(hasattr(one, "cv_results_") for one in source.values()):
            raise UsageError(
                "a search chose its best candidate on these folds, so its scores are optimistic. Compare the "
                "candidates of one search, or what cross_validate(search, …) returns for each"
            )
        named = [str(c) for one in source.values() if _is_held(one) for c in one.columns]
        if all(map(_is_held, source.values())) and not any(map(names_items, named)):
            return {n: {str(c): list(one[c]) for c in one.columns} for n, one in source.items()}
    return source


def _results_by_name(source: Mapping[Any, Any]) -> dict[str, Any]:
    """What a list of names and one of as many lists of scores hold; nothing where they are something else."""
    listed = [
        one
        for one in source.values()
        if isinstance(one, list | tuple) or getattr(one, "ndim", False)
    ]
    if len(source) != 2 or len(listed) != 2 or any(known_as(str(n), "truth") for n in source):
        return {}
    names, results = sorted(listed, key=lambda of: not all(isinstance(one, str) for one in of))
    worded = all(isinstance(name, str) for name in names)
    named = worded and len(set(names)) == len(names) == len(results) > 1
    return dict(zip(names, results, strict=True)) if named and all(map(is_column, results)) else {}


def _is_record(row: Any) -> bool:
    """Whether an object has named fields, as tuples of a frame and instances of data classes have; ours hold none."""
    if module_of(row) == "assay":  # a table that was opened
        return False
    fields = isinstance(row, SimpleNamespace) or (is_dataclass(row) and not isinstance(row, type))
    return fields or hasattr(row, "_asdict")


def _fields(record: Any) -> dict[str, Any]:
    """The named fields of an object."""
    named = record._asdict if hasattr(record, "_asdict") else partial(asdict, record)
    return dict(vars(record) if isinstance(record, SimpleNamespace) else named())


def _of_rows(rows: Any, told: Told) -> dict[str, Any]:
    """The columns of a matrix; a first row of words names them, and models that were told may be its rows."""
    if not len(rows):
        raise EvidenceError("the data has no rows of data")
    listed = all(
        isinstance(row, list | tuple | np.ndarray) and getattr(row, "ndim", 1) for row in rows
    )
    width = len(rows[0]) if listed else 0
    if not listed or any(len(row) != width for row in rows):
        raise UsageError("rows of a list are lists of one length, one cell for each model")
    headed = all(isinstance(cell, str) for cell in rows[0]) and len(rows) > 1
    if headed and not all(isinstance(cell, str) for cell in rows[1]):
        return dict(zip(rows[0], zip(*rows[1:], strict=True), strict=True))
    if len(rows) == len(told.listed or ()) != width:
        return _lettered(list(rows), told)
    return _lettered(list(zip(*rows, strict=True)), told)
