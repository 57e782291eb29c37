"""Answers about a plain table, computed again with the csv module and fractions: accuracy, means, differences.

Only what leaves no choice is judged: a table of items whose cells are all there, without weights.
"""

import csv
import gzip
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

CLOSE = 1e-9
Columns = dict[str, list[str]]


def contradiction(path: Path, reading: Any, answer: Any) -> str | None:
    """What the file says against an answer; None where it agrees or leaves a choice."""
    if reading.shape != "items" or any(
        one.role in ("weight", "count", "repeat") for one in reading.columns
    ):
        return None
    columns = _columns(path)
    truth = next((one.name for one in reading.columns if one.role == "truth"), None)
    if columns is None or not _whole(columns, reading.models, truth):
        return None
    return disagreement(columns, truth, answer)


def disagreement(columns: dict[str, Any], truth: str | None, answer: Any) -> str | None:
    """The estimates and differences of an answer against those of the columns."""
    n = len(next(iter(columns.values())))
    for one in getattr(answer, "estimates", ()):
        if one.model in columns and one.n == n and one.value is not None:
            expected = _measured(one.measure, columns, truth, one.model)
            if expected is not None and not _same(one.value, expected):
                return f"{one.measure} of {one.model} is {one.value!r}, and by hand {float(expected)!r}"
    for verdict in getattr(answer, "verdicts", ()):
        effect = verdict.outcome.effect
        if effect is None or effect.value is None or effect.n != n or effect.method not in PLAIN:
            continue
        both = [_measured(effect.measure, columns, truth, name) for name in (verdict.a, verdict.b)]
        if None not in both and not _same(effect.value, both[0] - both[1]):  # type: ignore[operator]
            return (
                f"{effect.measure}: {verdict.a} − {verdict.b} is {effect.value!r}, by hand {both}"
            )
    return None


PLAIN = ("tango", "mean_t", "paired_t", "newcombe_paired")
"""Intervals whose value is the difference of two means."""


def _same(found: float, expected: Fraction) -> bool:
    return math.isclose(found, float(expected), rel_tol=1e-6, abs_tol=CLOSE)


def _measured(
    measure: str, columns: dict[str, Any], truth: str | None, model: str
) -> Fraction | None:
    predicted = columns.get(model)
    if predicted is None or not len(predicted):
        return None
    if truth is None:
        numbers = _numbers(predicted)
        plain = measure in ("mean_loss", "mean_score") and numbers is not None
        return _mean(numbers) if plain and numbers is not None else None
    if measure == "accuracy":
        pairs = zip(map(_label, columns[truth]), map(_label, predicted), strict=True)
        right = [x == y for x, y in pairs]
        if not {_label(one) for one in predicted} <= {_label(one) for one in columns[truth]}:
            return None  # scores or probabilities, which a threshold makes labels of
        return Fraction(sum(right), len(right))
    numbers, values = _numbers(columns[truth]), _numbers(predicted)
    if numbers is None or values is None or measure not in ERRORS:
        return None
    return _mean([ERRORS[measure](y - x) for x, y in zip(numbers, values, strict=True)])


ERRORS: dict[str, Any] = {"mse": lambda gap: gap * gap, "mae": abs}


def _mean(numbers: list[Fraction]) -> Fraction:
    return sum(numbers, Fraction(0)) / len(numbers)


def _label(cell: Any) -> Any:
    number = _number(cell)
    return str(cell).strip() if number is None else number


def _numbers(cells: Any) -> list[Fraction] | None:
    found = [_number(cell) for cell in cells]
    return None if any(one is None for one in found) else found  # type: ignore[return-value]


def _number(cell: Any) -> Fraction | None:
    """A number as Python writes it; what is not finite is none."""
    try:
        if isinstance(cell, int | np.integer):
            return Fraction(int(cell))  # beyond 2**53 floats of two numbers are one
        return Fraction(float(cell)) if math.isfinite(float(cell)) else None
    except (ValueError, OverflowError, TypeError):
        return None


def _columns(path: Path) -> Columns | None:
    """The cells of a plain CSV file by column; None for every other file."""
    if not path.name.endswith((".csv", ".csv.gz")):
        return None
    try:
        data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        head, *rows = csv.reader(data.decode("utf-8").splitlines(keepends=True), strict=True)
    except (OSError, EOFError, UnicodeError, csv.Error, ValueError):
        return None
    if not rows or any(len(row) != len(head) for row in rows) or len(set(head)) < len(head):
        return None
    return dict(zip(head, map(list, zip(*rows, strict=True)), strict=True))


def _whole(columns: Columns, models: tuple[str, ...], truth: str | None) -> bool:
    """Whether each model has a column of its name, and every cell of it is there."""
    wanted = [*models, *([truth] if truth else [])]
    return set(wanted) <= set(columns) and all(np.char.strip(columns[one]).all() for one in wanted)
