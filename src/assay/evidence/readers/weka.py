"""Results of Weka's Experimenter, CSV or ARFF: a row per data set, run, fold and scheme."""

import csv
import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.readers.arff import header_names, is_arff, read_arff
from assay.evidence.readers.logs import json_lines
from assay.evidence.told import Told

MEASURE = "Percent_correct"
"""What is read where no measure is asked for."""

_KEYS = {"Key_Dataset": "dataset", "Key_Run": "repeat", "Key_Fold": "fold"}
_SIZES = {"Number_of_training_instances": "n_train", "Number_of_testing_instances": "n_test"}
_SCHEME, _OPTIONS = "Key_Scheme", "Key_Scheme_options"
_AVERAGED = "Avg_"


def is_results(head: bytes) -> bool:
    needed = {"Key_Dataset", _SCHEME}
    if is_arff(head):
        return needed <= header_names(head)
    line = head.split(b"\n", 1)[0].decode("utf-8", "replace")
    return needed <= {name.strip(" '\"\r") for name in line.split(",")}


def records(path: Path, title: str, told: Told) -> list[dict[str, Any]]:
    """Scores by data set, run and fold; cells without a number are left to be missing."""
    names, rows = _table(path, title)
    measures = [name for name in names if _is_measure(name, names, rows)]
    column = _column(told.measure, measures, title)
    models = _models(names, rows)
    places = {name: key for name, key in (*_KEYS.items(), *_SIZES.items()) if name in names}
    found = []
    for row, model in zip(rows, models, strict=True):
        cells = dict(zip(names, row, strict=True))
        score = number_of(cells[column] or "")
        if score is None or score != score:
            continue
        record: dict[str, Any] = {"model": model, "measure": column, "score": score}
        for name, key in places.items():
            record[key] = number_of(cells[name] or "") if name in _SIZES else cells[name]
        found.append(record)
    if not found:
        raise EvidenceError(f"{title} has no score in {column!r}")
    return found


def _table(path: Path, title: str) -> tuple[Sequence[str], list[Sequence[str | None]]]:
    lines = list(json_lines(path, title))
    if lines and is_arff(b"".join(line for _, line in lines[:50])):
        table = read_arff(path, title)
        return table.names, list(table.rows)
    names = _split(lines[0][1].decode("utf-8", "replace"))
    rows: list[Sequence[str | None]] = []
    for number, line in lines[1:]:
        try:
            cells = _split(line.decode("utf-8", "replace"))
        except csv.Error as error:
            raise EvidenceError(f"line {number} of {title}: {error}") from None
        if len(cells) != len(names):
            raise EvidenceError(
                f"line {number} of {title} has {len(cells)} cells; the header names {len(names)}"
            )
        rows.append([None if cell in ("", "?") else cell for cell in cells])
    if not rows:
        raise EvidenceError(f"{title} has no rows of data")
    return names, rows


def _split(line: str) -> list[str]:
    """The cells of a line of Weka's CSV, which quotes with ' and escapes with a backslash."""
    text = line.strip("\r\n")
    mark = '"' if '"' in text and "'" not in text else "'"
    reader = csv.reader(
        io.StringIO(text), quotechar=mark, escapechar="\\", doublequote=mark == '"', strict=False
    )
    return [cell.strip() for cell in next(reader, [])]


def _is_measure(name: str, names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> bool:
    if name.startswith("Key_") or name == "Date_time" or name in _SIZES:
        return False
    place = names.index(name)
    cells = [row[place] for row in rows if row[place] is not None]
    return bool(cells) and all(number_of(cell) is not None for cell in cells)


def _column(asked: str | None, measures: Sequence[str], title: str) -> str:
    for name in (asked or MEASURE, f"{_AVERAGED}{asked or MEASURE}"):
        if name in measures:
            return name
    what = f"no measure {asked!r}" if asked else f"no {MEASURE}, so say which measure is meant"
    raise EvidenceError(f"{title} has {what}; it has {quoted(measures, 40)}")


def _models(names: Sequence[str], rows: Sequence[Sequence[str | None]]) -> list[str]:
    """Schemes by their last word; with their options where a scheme was run with several."""
    schemes = [str(row[names.index(_SCHEME)]) for row in rows]
    options = [str(row[names.index(_OPTIONS)] or "") if _OPTIONS in names else "" for row in rows]
    short: dict[str, set[str]] = {}
    for scheme in schemes:
        short.setdefault(scheme.rsplit(".", 1)[-1], set()).add(scheme)
    of: dict[str, set[str]] = {}
    for scheme, option in zip(schemes, options, strict=True):
        of.setdefault(scheme, set()).add(option)
    models = []
    for scheme, option in zip(schemes, options, strict=True):
        last = scheme.rsplit(".", 1)[-1]
        name = last if len(short[last]) == 1 else scheme
        models.append(f"{name} {option}".strip() if len(of[scheme]) > 1 else name)
    return models
