"""Results of scikit-learn: what ``cross_validate`` returns and ``cv_results_`` of a search.

Python objects as they are, or their dumps as CSV and JSON.
"""

import ast
import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import is_missing, number_of, quoted, shortened
from assay.evidence.names import place_of
from assay.evidence.readers.duckdb_errors import parquet_columns
from assay.evidence.readers.log_files import head_of, values_of
from assay.evidence.readers.log_items import MAX_NAME, check_name
from assay.evidence.readers.nested_results import are_models
from assay.evidence.readers.split_design import is_assumed, places_of, same_splits
from assay.evidence.reading_options import Told
from assay.evidence.scores import no_such_measure

_SPLIT = re.compile(r"split(\d{1,4})_test_(.+)", re.ASCII)
_TEST = re.compile(r"test_(.+)")
_TIMES = {"fit_time", "score_time"}
MAX_DUMP = 64 * 2**20
"""Bytes of a JSON document that is looked into to tell what it is."""
_Dump: Any = dict[str, Any] | list[dict[str, Any]]


def records(
    results: Any,
    *,
    model: str | None = None,
    dataset: str = "",
    told: Told | None = None,
) -> list[dict[str, Any]]:
    """Scores by fold from ``cross_validate`` or ``cv_results_``; scorers of scikit-learn rise.

    ``results`` may also map names of models to what ``cross_validate`` returned for each. How the
    splits were made follows from their indices, or is told (``folds``, ``repeats``, ``test_share``).
    """
    said = told or Told()
    _refuse_other_numbers(_tables(results, model))
    found = list(_records(results, model))
    if said.measure is not None:
        wanted = said.measure.removeprefix("neg_")
        names = dict.fromkeys(record["measure"] for record in found)
        if list(names) == ["score"]:  # of one scorer, which is said to be this
            sign = 1.0 if wanted == said.measure else -1.0  # the negative of a loss, turned back
            found = [{**one, "measure": wanted, "score": sign * one["score"]} for one in found]
        elif wanted not in names:
            raise no_such_measure(said.measure, names)
        found = [record for record in found if record["measure"] == wanted]
    if not found:
        raise EvidenceError("there is no score in these results; did every fit fail?")
    splits = 1 + max(record["split"] for record in found)
    places = places_of(splits, said, same_splits(_tables(results, model)))
    where = {"dataset": dataset} if dataset else {}
    return [{**where, **places[record.pop("split")], **record} for record in found]


def notes_of(results: Any, told: Told) -> tuple[Note, ...]:
    """Which models have no score at all, and that the splits were taken as folds of one run where nothing says so."""
    tables = _tables(results)
    found = list(_records(results, None))
    scored = {record["model"] for record in found}
    tried = dict.fromkeys(cell[0] for name, table in tables.items() for cell in _cells(name, table))
    failed = [name for name in tried if name not in scored]
    notes = [note("models-failed", models=quoted(failed), count=len(failed))] if failed else []
    splits = 1 + max((record["split"] for record in found), default=0)
    if is_assumed(splits, told, same_splits(tables)):
        notes.append(note("folds-assumed", splits=splits))
    return tuple(notes)


def records_of_file(path: Path, title: str, told: Told) -> list[dict[str, Any]]:
    """Scores by fold from a dump; a model without a name is named after the file."""
    stem = path.name.split(".")[0]
    return records(_loaded(path, title), model=stem, told=told)


def is_document(head: bytes, path: Path) -> bool:
    """Whether a JSON document is a dump: by its keys, also one level below a model's name."""
    named = re.search(rb'"(?:fit_time|mean_fit_time)"\s*:', head)
    if not named or path.stat().st_size > MAX_DUMP:
        return False
    try:
        return is_results(_loaded(path, str(path)))
    except EvidenceError:
        return False


def is_parquet(footer: bytes) -> bool:
    """Whether the footer of a Parquet file names the columns of a dump."""
    return b"mean_fit_time" in footer or (b"fit_time" in footer and b"score_time" in footer)


def by_data_set(results: Mapping[str, Any], told: Told) -> dict[str, Mapping[str, Any]]:
    """What scikit-learn returned by data set, "" where it is of one; none where a mapping is another."""
    if is_results(results):
        return {"": results}
    inner = [one for one in results.values() if isinstance(one, Mapping) and is_results(one)]
    if not inner or len(inner) < len(results):
        return {}
    keys = list(dict.fromkeys(key for one in inner for key in one))
    if are_models(results, told) and not are_models(keys, told):
        return {str(k): {name: one[k] for name, one in results.items() if k in one} for k in keys}
    return dict(results)


def is_results(results: Mapping[str, Any]) -> bool:
    """Whether a mapping is what scikit-learn returns, or maps names of models to it."""
    inner = [results] if is_dump(results) else list(results.values())
    return bool(inner) and all(isinstance(each, Mapping) and is_dump(each) for each in inner)


def is_dump(names: Collection[str]) -> bool:
    """Whether a table has the columns of one model's results, or of a search; no others name its models."""
    others = {*names} - ({"estimator"} if _holds_fitted(names) else {""})
    if any(place_of(str(name)) == "model" for name in others):
        return False
    validated = set(names) >= _TIMES and any(map(_TEST.fullmatch, map(str, names)))
    return validated or _is_search(names)


def _holds_fitted(names: Collection[str]) -> bool:
    """Whether the estimators are those that were fitted (return_estimator=True), not names of models."""
    held = names.get("estimator", "") if isinstance(names, Mapping) else ""
    listed = isinstance(held, list | tuple) or bool(getattr(held, "shape", ()))
    return not isinstance(held[0] if listed and len(held) else held, str)


def _is_search(names: Collection[str]) -> bool:
    return "mean_fit_time" in names and any(map(_SPLIT.fullmatch, map(str, names)))


def _loaded(path: Path, title: str) -> dict[str, Any]:
    """A mapping, or rows of a document, one a line (as pandas writes records) or of a table."""
    if head_of(path, 4) == b"PAR1":
        return parquet_columns(path, title)
    found = values_of(path, title, _Dump)
    return found if isinstance(found, dict) else _columns(found)


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _refuse_other_numbers(tables: Mapping[str, Mapping[str, Any]]) -> None:
    """Refuse ten folds of one model beside five of another: the first of each are no pair."""
    sizes = {
        model: 1 + max(split for _, _, split, _ in cells)
        for model, table in tables.items()
        if (cells := list(_cells(model, table)))
    }
    if len(set(sizes.values())) > 1:
        (one, first), (other, second) = list(dict(zip(sizes.values(), sizes, strict=True)).items())[
            :2
        ]
        raise EvidenceError(
            f"{first!r} has {one} splits and {second!r} {other}: scores of different splits cannot be paired. Run both "
            "on the same splits, cross_validate(…, cv=splitter) with one splitter"
        )


def _records(results: Any, model: str | None) -> Iterator[dict[str, Any]]:
    """A record for each score; none where the fit failed: the gap is then named by whoever needs it."""
    cells = (
        cell for name, table in _tables(results, model).items() for cell in _cells(name, table)
    )
    for name, measure, split, value in cells:
        number = math.nan if is_missing(value) else number_of(value)
        if number is None:
            raise EvidenceError(
                f"split {split} of {name!r} has the score {shortened(value)}: no number"
            )
        if not math.isnan(number):
            plain = measure.removeprefix("neg_")  # the negative of a loss, so that more is better
            score = number if plain == measure else -number
            yield {"model": name, "measure": plain, "split": split, "score": score}


def _tables(results: Any, model: str | None = None) -> dict[str, Mapping[str, Any]]:
    """What scikit-learn returned by model: of one, or of several by name."""
    table = _mapping(results)
    if any(pattern.fullmatch(str(name)) for name in table for pattern in (_TEST, _SPLIT)):
        return {model or "model": table}
    if table and all(isinstance(p, Mapping) or hasattr(p, "columns") for p in table.values()):
        return {str(name): _mapping(part) for name, part in table.items()}
    raise EvidenceError(
        "neither what cross_validate returns (test_score …) nor cv_results_ (split0_test_score "
        f"…): it has {quoted(table, 20)}"
    )


def _mapping(results: Any) -> Mapping[str, Any]:
    if isinstance(results, Mapping):
        return results
    if hasattr(results, "columns"):  # a frame
        return {str(name): list(results[name]) for name in results.columns}
    raise EvidenceError(f"results of scikit-learn are a mapping or a frame; got {type(results)}")


def _cells(model: str, table: Mapping[str, Any]) -> Iterator[tuple[str, str, int, Any]]:
    """Model, measure, split and score, wherever scikit-learn puts them."""
    models = _candidates(table) if _is_search(table) else []
    for name, column in table.items():
        found = (_SPLIT if models else _TEST).fullmatch(str(name))
        if found and models:
            scores = zip(models, _values(column, name, len(models)), strict=True)
            yield from ((one, found[2], int(found[1]), score) for one, score in scores)
        elif found:
            yield from ((model, found[1], *cell) for cell in enumerate(_values(column, name)))


def _candidates(table: Mapping[str, Any]) -> list[str]:
    """Candidates of a search named by their parameters."""
    settings = {name: of for name, of in table.items() if str(name)[:6] == "param_"}
    own = {str(name)[6:]: _values(of, name) for name, of in settings.items()}
    if "params" not in table and not own:
        raise EvidenceError("cv_results_ has no params, so its candidates have no names")
    each = [dict(zip(own, cells, strict=True)) for cells in zip(*own.values(), strict=True)]
    names = [
        _named(of) for of in (_values(table["params"], "params") if "params" in table else each)
    ]
    for name in names:
        check_name(name, "the search")
    if len(set(names)) < len(names):
        raise EvidenceError("two candidates of the search have the same parameters")
    return names


def _named(params: Any) -> str:
    if isinstance(params, Mapping):
        return ", ".join(f"{key}={value}" for key, value in params.items()) or "default"
    text = str(params)[:MAX_NAME]
    try:
        found = ast.literal_eval(text)  # a dict written as text; only literals, nothing runs
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        return text
    return _named(found) if isinstance(found, dict) else text


def _values(column: Any, name: str, size: int | None = None) -> list[Any]:
    """A column: an array, a list, or what pandas writes to JSON, a mapping of row to value."""
    cells = column.tolist() if isinstance(column, np.ndarray) else column
    cells = list(cells.values()) if isinstance(cells, Mapping) else cells
    if not isinstance(cells, list | tuple) or (size is not None and len(cells) != size):
        wanted = "a list" if size is None else f"a list of {size:,}"
        raise EvidenceError(
            f"{name} is {wanted} in results of scikit-learn; got {shortened(column)}"
        )
    return list(cells)
