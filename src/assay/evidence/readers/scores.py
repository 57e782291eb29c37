"""Tables of numbers: samples in columns, scores by data set, fold or seed in long or wide form."""

import math
import shlex
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError
from assay.core.notes import note
from assay.evidence.cells import is_missing, number_of, quoted
from assay.evidence.readers.factors import factors_among
from assay.evidence.readers.sources import Table
from assay.evidence.roles import KNOWN
from assay.evidence.scores import KEYS, RepeatedScores, Scores

MOST_KINDS = 20
"""Columns of more different words name rows, not parts of a table."""

PLACES: dict[str, tuple[str, ...]] = {
    "dataset": ("dataset", "datasets", "data_set", "data set", "problem", "db", "key_dataset"),
    "fold": ("fold", "fold_id", "cv_fold", "key_fold"),
    "repeat": ("repeat", "repetition", "rep", "run", "key_run"),
    "seed": ("seed", "trial"),
    "model": ("model", "classifier", "learner", "algorithm", "method", "estimator", "key_scheme"),
    "measure": ("measure", "metric"),
    "n_train": ("n_train", "number_of_training_instances"),
    "n_test": ("n_test", "number_of_testing_instances"),
}
"""Column names that place a score, in any case."""


def has_role(name: str) -> bool:
    """Whether a column names or places rows (id, truth, fold, weight …) rather than being a model."""
    lowered = name.strip().lower()
    places = {word for place, words in PLACES.items() if place != "model" for word in words}
    return lowered in places or any(lowered in words for words in KNOWN.values())


def _is_numeric(table: Table, name: str) -> bool:
    values = table.loaded([name])[name].tolist()
    return any(not is_missing(value) for value in values) and all(
        is_missing(value) or _number(value) is not None for value in values
    )


def _numbers(table: Table, name: str) -> list[float]:
    numbers = []
    for place, value in enumerate(table.loaded([name])[name].tolist()):
        number = math.nan if is_missing(value) else _number(value)
        if number is None:
            raise EvidenceError(
                f"column {name!r} of {table.title} has {value!r} in row {place + 1}: a number is needed"
            )
        numbers.append(number)
    return numbers


def _number(value: Any) -> float | None:
    number = number_of(value)
    return number if number is not None and math.isfinite(number) else None


def looks_like_scores(names: Sequence[str]) -> bool:
    """Whether columns speak of scores by data set, fold or seed rather than of items."""
    lowered = {name.strip().lower() for name in names}
    of_items = {*KNOWN["truth"], *KNOWN["id"]} - {"label"}
    return not lowered & of_items and says_unit(names)


def says_unit(names: Sequence[str]) -> bool:
    """Whether a column is called after data sets, folds, repeats or seeds."""
    return bool({"dataset", "fold", "repeat", "seed"} & set(_places(names)))


def read_scores(
    table: Table,
    *,
    unit: str | None = None,
    measure: str | None = None,
    models: Sequence[str] | None = None,
) -> Scores:
    """Scores from a table: a row per score (long) or a column per model (wide).

    In long form without a measure column the name of the score column is the measure; in wide
    form ``measure`` names it. Empty cells are missing scores.
    """
    places = _places(table.names)
    left_out: list[str] = []
    if "model" in places:
        records = list(_long(table, places, measure))
    else:
        columns = _models_of(table, places, models)
        left_out = [] if models else factors_among(_as_arrays(table, columns))
        kept = [name for name in columns if name not in left_out]
        records = list(_wide(table, places, measure or "score", kept, unit))
    notes = [note("settings-left-out", columns=quoted(left_out))] if left_out else []
    try:
        return Scores.from_records(
            records, unit=unit, models=models, sources=(table.title,), notes=notes
        )
    except RepeatedScores as error:
        raise EvidenceError(f"{error}{_which_rows(table, places)}") from None


def _which_rows(table: Table, places: Mapping[str, str]) -> str:
    """The filter to type, where a column of words tells repeated scores apart."""
    for name in table.names:
        if name in places.values() or _is_numeric(table, name):
            continue
        words = list(dict.fromkeys(map(str, table.loaded([name])[name].tolist())))
        if 1 < len(words) <= MOST_KINDS:
            chosen = shlex.quote(f"{name}={words[0]}")
            return f". {name!r} has {quoted(words)}: type `--where {chosen}` for the first of them"
    return ""


def _places(names: Sequence[str]) -> dict[str, str]:
    """Which column is what, each name used once."""
    found: dict[str, str] = {}
    for place, known in PLACES.items():
        for name in names:
            if name.strip().lower() in known and name not in found.values():
                found.setdefault(place, name)
    return found


def _free(table: Table, places: Mapping[str, str]) -> list[str]:
    """Columns without a place; a first one without a name is the index that pandas writes."""
    index = table.names[:1] if not table.names[0].strip() else ()
    return [name for name in table.names if name not in (*places.values(), *index)]


def _long(table: Table, places: Mapping[str, str], measure: str | None) -> Iterator[dict[str, Any]]:
    """A row per model and place; every other number column is a measure."""
    free = _free(table, places)
    numeric = [name for name in free if _is_numeric(table, name)]
    if measure in numeric:
        numeric = [measure]
    if not numeric:
        raise EvidenceError(
            f"{table.title} has no column of scores; it has {quoted(table.names, 20)}"
        )
    placed = _placed(table, places)
    for column in numeric:
        for place, value in zip(placed, _numbers(table, column), strict=True):
            if not math.isnan(value):
                named = place.get("measure") or (column if column.lower() != "value" else "score")
                yield {**place, "measure": named, "score": value}


def _models_of(table: Table, places: Mapping[str, str], models: Sequence[str] | None) -> list[str]:
    """The columns that hold the scores of a model each: those asked for, or all numbers."""
    free = _free(table, places)
    columns = (
        list(models) if models else [n for n in free if not has_role(n) and _is_numeric(table, n)]
    )
    unknown = [name for name in columns if name not in table.names]
    if unknown or not columns:
        raise EvidenceError(
            f"{table.title} has no model {quoted(unknown)}; it has {quoted(free, 20)}"
        )
    return columns


def _as_arrays(table: Table, columns: Sequence[str]) -> dict[str, FloatArray]:
    return {name: np.array(_numbers(table, name)) for name in columns}


def _wide(
    table: Table,
    places: Mapping[str, str],
    measure: str,
    columns: Sequence[str],
    unit: str | None,
) -> Iterator[dict[str, Any]]:
    """A column per model; the other columns place the row, or the row is the unit asked for."""
    placed = _placed(table, places)
    if not any(key in places for key in KEYS):
        key = unit if unit in KEYS else "dataset"
        placed = [{key: name} for name in _row_names(table, columns)]
    for column in columns:
        for place, value in zip(placed, _numbers(table, column), strict=True):
            if not math.isnan(value):
                yield {**place, "model": column, "measure": measure, "score": value}


def _placed(table: Table, places: Mapping[str, str]) -> list[dict[str, Any]]:
    columns = {place: table.loaded([name])[name].tolist() for place, name in places.items()}
    size = len(next(iter(table.loaded(table.names[:1]).values())))
    rows = [{place: values[row] for place, values in columns.items()} for row in range(size)]
    for row in rows:
        for size_name in ("n_train", "n_test"):
            if size_name in row:
                row[size_name] = _number(row[size_name])
    return rows


def _row_names(table: Table, columns: Sequence[str]) -> list[str]:
    """Names of rows from the text columns, or their numbers."""
    text = [name for name in table.names if name not in columns]
    rows = list(zip(*(table.loaded([name])[name].tolist() for name in text), strict=True))
    names = [" / ".join(str(part) for part in row) for row in rows]
    size = len(next(iter(table.loaded(columns[:1]).values())))
    return (
        names if names and len(set(names)) == len(names) else [f"row {n + 1}" for n in range(size)]
    )
