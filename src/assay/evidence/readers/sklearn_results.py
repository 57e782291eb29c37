"""Results of scikit-learn: what ``cross_validate`` returns and ``cv_results_`` of a search.

Python objects as they are, or their dumps as CSV and JSON.
"""

import ast
import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.duckdb_connection import connect, pattern
from assay.evidence.readers.logs import decoded, document, head_of, json_lines
from assay.evidence.readers.split_design import is_assumed, places_of, same_splits
from assay.evidence.readers.trouble import asking, unreadable
from assay.evidence.rows_sql import literal
from assay.evidence.told import Told

_SPLIT = re.compile(r"split(\d+)_test_(.+)")
_TEST = re.compile(r"test_(.+)")
_TIMES = {"fit_time", "score_time"}
_LONGEST = 10_000
_any = msgspec.json.Decoder(dict[str, Any] | list[dict[str, Any]])
_row = msgspec.json.Decoder(dict[str, Any])


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
    found = list(_records(results, model))
    if said.measure is not None:
        wanted = said.measure.removeprefix("neg_")
        names = dict.fromkeys(record["measure"] for record in found)
        if wanted not in names:
            raise EvidenceError(f"no scores in {said.measure!r}; there are {quoted(names, 20)}")
        found = [record for record in found if record["measure"] == wanted]
    if not found:
        raise EvidenceError("there is no score in these results; did every fit fail?")
    splits = 1 + max(record["split"] for record in found)
    places = places_of(splits, said, _indices(results))
    where = {"dataset": dataset} if dataset else {}
    return [{**where, **places[record.pop("split")], **record} for record in found]


def notes_of(results: Any, told: Told) -> tuple[Note, ...]:
    """That the splits were taken as folds of one run, where nothing says so."""
    splits = 1 + max((record["split"] for record in _records(results, None)), default=0)
    if is_assumed(splits, told, _indices(results)):
        return (note("folds-assumed", splits=splits),)
    return ()


def _indices(results: Any) -> Mapping[str, Any] | None:
    table = _mapping(results)
    if "indices" in table:
        return same_splits({"": table})
    inner = {str(n): one for n, one in table.items() if isinstance(one, Mapping)}
    return same_splits(inner) if inner and len(inner) == len(table) else None


def records_of_file(path: Path, title: str, told: Told) -> list[dict[str, Any]]:
    """Scores by fold from a dump; a model without a name is named after the file."""
    stem = path.name.split(".")[0]
    return records(_loaded(path, title), model=stem, told=told)


def is_table(head: bytes) -> bool:
    """Whether the header of a CSV file is that of a dump."""
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    names = {name.strip(' "\r') for name in line.split(",")}
    return _is_cross_validate(names) or _is_search(names)


def is_document(head: bytes, path: Path) -> bool:
    """Whether a JSON document is a dump: by its keys, also one level below a model's name."""
    if not re.search(rb'"(?:fit_time|mean_fit_time)"\s*:', head) or path.stat().st_size > 2**28:
        return False
    try:
        loaded = _loaded(path, str(path))
    except EvidenceError:
        return False
    return is_results(loaded)


def is_parquet(footer: bytes) -> bool:
    """Whether the footer of a Parquet file names the columns of a dump."""
    return b"mean_fit_time" in footer or (b"fit_time" in footer and b"score_time" in footer)


def is_results(results: Mapping[str, Any]) -> bool:
    """Whether a mapping is what scikit-learn returns, or maps names of models to it."""
    inner = [results] if _is_dump(results) else list(results.values())
    return bool(inner) and all(isinstance(each, Mapping) and _is_dump(each) for each in inner)


def _is_dump(results: Mapping[str, Any]) -> bool:
    return _is_cross_validate(set(results)) or _is_search(set(results))


def _is_cross_validate(names: set[str]) -> bool:
    return names >= _TIMES and any(_TEST.fullmatch(name) for name in names)


def _is_search(names: set[str]) -> bool:
    return "mean_fit_time" in names and any(_SPLIT.fullmatch(name) for name in names)


def _loaded(path: Path, title: str) -> dict[str, Any]:
    head = head_of(path, 64).lstrip()
    if head.startswith(b"PAR1"):
        return _of_parquet(path, title)
    if head.startswith((b"{", b"[")):
        return _of_json(path, title)
    lines = [line.decode("utf-8-sig", "replace") for _, line in json_lines(path, title)]
    try:
        rows = list(csv.reader(lines))
    except csv.Error as error:
        raise EvidenceError(f"{title} cannot be read as CSV: {error}") from None
    if len({len(row) for row in rows}) > 1:
        raise EvidenceError(f"the lines of {title} have different numbers of cells")
    return {name: list(column) for name, *column in zip(*rows, strict=True)}


def _of_json(path: Path, title: str) -> dict[str, Any]:
    """A mapping, or rows: in one array, or one a line, as pandas writes records."""
    if path.suffix in (".jsonl", ".ndjson", ".gz"):
        rows = [
            decoded(line, _row, f"line {number} of {title}")
            for number, line in json_lines(path, title)
        ]
        return _columns(rows)
    found: Any = document(path, title, _any)
    return found if isinstance(found, dict) else _columns(found)


def _columns(rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row)
    return {name: [row.get(name) for row in rows] for name in names}


def _of_parquet(path: Path, title: str) -> dict[str, Any]:
    with asking(unreadable(title)):
        found = connect([path]).execute(
            f"select * from read_parquet({literal(pattern(path))})"  # noqa: S608
        )
        names = [str(each[0]) for each in found.description or ()]
        rows = found.fetchall()
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def _records(results: Any, model: str | None) -> Iterator[dict[str, Any]]:
    table = _mapping(results)
    if _is_search(set(table)):
        yield from _of_search(table)
    elif any(_TEST.fullmatch(name) for name in table):
        yield from _of_cross_validate(table, model or "model")
    elif table and all(
        isinstance(part, Mapping) or hasattr(part, "columns") for part in table.values()
    ):
        for name, part in table.items():
            yield from _of_cross_validate(_mapping(part), str(name))
    else:
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


def _of_cross_validate(table: Mapping[str, Any], model: str) -> Iterator[dict[str, Any]]:
    for name, column in table.items():
        found = _TEST.fullmatch(name)
        if found is not None:
            for split, value in enumerate(_values(column)):
                yield from _record(model, found[1], split, value)


def _of_search(table: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    models = _candidates(table)
    for name, column in table.items():
        found = _SPLIT.fullmatch(name)
        if found is not None:
            for model, value in zip(models, _values(column), strict=True):
                yield from _record(model, found[2], int(found[1]), value)


def _candidates(table: Mapping[str, Any]) -> list[str]:
    """Candidates of a search named by their parameters."""
    if "params" not in table:
        raise EvidenceError("cv_results_ has no params, so its candidates have no names")
    names = [_named(params) for params in _values(table["params"])]
    if len(set(names)) < len(names):
        raise EvidenceError("two candidates of the search have the same parameters")
    return names


def _named(params: Any) -> str:
    if isinstance(params, Mapping):
        return ", ".join(f"{key}={value}" for key, value in params.items()) or "default"
    text = str(params)[:_LONGEST]
    try:
        found = ast.literal_eval(text)  # a dict written as text; only literals, nothing runs
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return text
    return _named(found) if isinstance(found, dict) else text


def _values(column: Any) -> list[Any]:
    """A column: an array, a list, or what pandas writes to JSON, a mapping of row to value."""
    if isinstance(column, Mapping):
        return [column[key] for key in sorted(column, key=int)]
    return list(column.tolist() if isinstance(column, np.ndarray) else column)


def _record(model: str, measure: str, split: int, value: Any) -> Iterator[dict[str, Any]]:
    """A score, or nothing where the fit failed: the gap is then named by whoever needs it."""
    number = None if value is None or value == "" else number_of(value)
    if number is None and value not in (None, ""):
        raise EvidenceError(f"split {split} of {model!r} has the score {value!r}: no number")
    if number is not None and number == number:
        turned = measure.startswith("neg_")  # the negative of a loss, so that more is better
        name = measure.removeprefix("neg_")
        score = -number if turned else number
        yield {"model": model, "measure": name, "split": split, "score": score}
