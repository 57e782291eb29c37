"""What each column of a store may hold: the same rules for reading it and for rescuing it."""

import math
import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from sqlalchemy import Column, Float, Integer, LargeBinary

from assay.store.schema import dataset, entry, measure, score, task

LARGEST = 2**31 - 1
"""Of a count: what an Integer of PostgreSQL holds."""
LONGEST = 2**28
"""Characters of a text, bytes of an array: more is nothing that assay wrote."""
_NUMBER = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?(e[-+]?[0-9]{1,3})?", re.ASCII | re.IGNORECASE)
"""A number as SQLite and PostgreSQL write it."""


class ColumnRule(NamedTuple):
    """The types a column has, the values it takes, and both in words."""

    kinds: tuple[type, ...]
    words: str
    holds: Callable[[Sequence[Any]], bool]
    """Whether all of some values, of the right types, are allowed."""


def _short_enough(values: Sequence[Any]) -> bool:
    return max(map(len, values)) <= LONGEST


def _count(low: int) -> ColumnRule:
    words = f"a whole number from {low}"
    return ColumnRule((int,), words, lambda all_: low <= min(all_) and max(all_) <= LARGEST)


def _one_of(*names: str) -> ColumnRule:
    allowed = frozenset(names)
    return ColumnRule((str,), " or ".join(map(repr, names)), allowed.issuperset)


def _from_to(low: float, high: float, words: str) -> ColumnRule:
    return ColumnRule((float, int), words, lambda all_: all(low <= one <= high for one in all_))


TEXT = ColumnRule((str,), "text", _short_enough)
BYTES = ColumnRule((bytes,), "bytes", _short_enough)
WHOLE = ColumnRule((int,), "a whole number", lambda _: True)
NUMBER = ColumnRule((float, int), "a number", lambda _: True)
SECONDS = _from_to(0.0, math.nextafter(math.inf, 0.0), "seconds")

MEANINGS: dict[Column[Any], ColumnRule] = {
    entry.c.position: _count(0),
    entry.c.repeat: _count(0),
    entry.c.fold: _count(0),
    entry.c.train_size: _count(1),
    entry.c.noise_on: _one_of("labels", "features"),
    entry.c.noise_level: _from_to(0.0, 1.0, "a share from 0 to 1"),
    task.c.status: _one_of("ok", "failed", "timeout", "memory", "lost"),
    task.c.n_train: _count(0),
    task.c.n_test: _count(0),
    task.c.attempts: _count(0),
    **{task.c[name]: SECONDS for name in task.c.keys() if name.endswith(("_wall", "_cpu"))},  # noqa: SIM118
    dataset.c.task: _one_of("classification", "regression"),
    dataset.c.n: _count(0),
    measure.c.direction: _one_of("higher", "lower", "unknown"),
    score.c.part: _one_of("test", "train"),
}
"""Columns whose type does not say it all."""


def rule_of(column: Column[Any]) -> ColumnRule:
    if column in MEANINGS:
        return MEANINGS[column]
    if isinstance(column.type, Float):
        return NUMBER
    if isinstance(column.type, Integer):
        return WHOLE
    return BYTES if isinstance(column.type, LargeBinary) else TEXT


def fault(column: Column[Any], values: Sequence[Any], *, optional: bool = False) -> str | None:
    """What is wrong with some values of a column, by the first that is; None where all are right.

    ``optional`` allows NULL: the row that would hold the value may be absent.
    """
    kinds = set(map(type, values))
    if type(None) in kinds:
        if not (optional or column.nullable):
            return f"{column} is empty (NULL)"
        kinds.discard(type(None))
        values = [one for one in values if one is not None]
    rule = rule_of(column)
    if not values or (kinds.issubset(rule.kinds) and rule.holds(values)):
        return None
    wrong = next(one for one in values if type(one) not in rule.kinds or not rule.holds((one,)))
    return f"{column} holds {_shown(wrong)} where {rule.words} belongs"


def restored(column: Column[Any], value: Any) -> Any:
    """A value that came back as another type (a dump read without types), if nothing is lost by turning it."""
    kinds = rule_of(column).kinds
    if value is None or type(value) in kinds:
        return value
    said = value
    if isinstance(said, bytes) and bytes not in kinds:
        with suppress(UnicodeDecodeError):
            said = said.decode()
    if isinstance(said, str) and str not in kinds and _NUMBER.fullmatch(said):
        said = float(said) if float in kinds or not said.lstrip("-").isdigit() else int(said)
    if isinstance(said, float) and float not in kinds and said.is_integer():
        said = int(said)
    return said if type(said) in kinds else value


def _shown(value: Any) -> str:
    text = repr(value[:40]) if isinstance(value, str | bytes) else repr(value)
    return text if len(text) <= 60 else f"{text[:60]}…"
