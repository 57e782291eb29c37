"""Strange Python objects: what people hand to a verb, changed, and the same columns as a frame of every kind.

A frame of pandas, polars or Arrow and a mapping of arrays hold the same columns: the same answer, or the same refusal.
"""

import copy
import random
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from assay.core.errors import AssayError
from tests.door.objects import CASES
from tools.fuzz import containers
from tools.fuzz.attempts import Attempt, Wrong, knock, printable
from tools.fuzz.logs import STRANGE
from tools.fuzz.number_shapes import predictions
from tools.fuzz.recomputed import disagreement
from tools.fuzz.tables import TOLD, VERBS, answered

DTYPES = (
    "object",
    "str",
    "float32",
    "float16",
    "int8",
    "bool",
    "complex64",
    "datetime64[ns]",
    "U3",
    "S3",
    "uint64",
)
Form = Callable[[dict[str, Any]], Any]
FORMS: tuple[dict[str, Form], ...] = (
    {"pandas": pd.DataFrame, "polars": pl.DataFrame, "arrow": pa.table},
    {
        "arrays": dict,
        "lists": lambda columns: {name: one.tolist() for name, one in columns.items()},
    },
)
"""Forms of one table that are read alike: a frame may hold columns of no model, a mapping was made for the purpose."""


def opened(_: Path, seed: int) -> Callable[[int], Attempt]:
    """A strange object at one of the verbs, or one table as frames of two kinds, by its number."""

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        what, door = rng.choice((_same_frames, _strange, _held))(rng)
        return Attempt(what, knock(door))

    return attempt


# One table in several frames


def _same_frames(rng: random.Random) -> tuple[str, Callable[[], None]]:
    drawn = np.random.default_rng(rng.getrandbits(64))
    columns = {
        name: np.asarray(one) for name, one in predictions(drawn, rng.choice((1, 2, 3))).items()
    }
    verb = rng.choice(VERBS[1:-1])
    (one, first), (other, second) = rng.sample(list(rng.choice(FORMS).items()), 2)

    def door() -> None:
        if any(column.dtype.kind == "O" for column in columns.values()):
            return  # numbers beyond every type of a frame
        found, again = _answer(verb, first(columns)), _answer(verb, second(columns))
        if str(found) != str(again):
            raise Wrong(f"{verb}: {one} and {other} differ: {found!s:.200} | {again!s:.200}")
        fault = None if isinstance(found, str) else disagreement(columns, "truth", found)
        if fault:
            raise Wrong(fault)

    return f"{verb} of {one} and {other}: {columns!r}", door


def _answer(verb: str, source: Any) -> Any:
    """An answer, or that it was refused; the words may name what came."""
    import assay

    try:
        return answered(verb, assay.read(source))
    except AssayError as error:
        return str(error)


# Any cells in any container


def _held(rng: random.Random) -> tuple[str, Callable[[], None]]:
    arguments, what = containers.evidence(rng)
    told = {name: rng.choice(values) for name, values in TOLD.items() if rng.random() < 0.06}
    return _asked(arguments, told, what, rng)


def _asked(
    arguments: Sequence[Any], told: dict[str, Any], what: str, rng: random.Random
) -> tuple[str, Callable[[], None]]:
    verb = rng.choice(VERBS)

    def door() -> None:
        import assay

        reading = assay.look(*arguments, **told)
        printable(str(reading))
        if verb != "look":
            answered(verb, reading.evidence())

    return f"{verb} {what} {told}", door


# What people hand over, changed


@cache
def _given(place: int) -> Any:
    return CASES[place].build()


def _copied(value: Any) -> Any:
    """A copy; what can be used only once is used here."""
    try:
        return copy.deepcopy(value)
    except TypeError:
        return list(value)


def _strange(rng: random.Random) -> tuple[str, Callable[[], None]]:
    place = rng.randrange(len(CASES))
    given = _given(place)
    words = []
    arguments = [_copied(one) for one in given.arguments]
    for _ in range(rng.choice((1, 1, 2, 4))):
        at = rng.randrange(len(arguments))
        try:
            arguments[at], what = changed(arguments[at], rng)
        except Exception as error:  # noqa: BLE001 - what numpy or pandas refuses to make is not tried
            what = f"not made: {type(error).__name__}"
        words.append(what)
    told = dict(given.keywords)
    told |= {name: rng.choice(values) for name, values in TOLD.items() if rng.random() < 0.05}
    return _asked(arguments, told, f"{CASES[place].id}: {'; '.join(words)}", rng)


def changed(value: Any, rng: random.Random) -> tuple[Any, str]:
    """An object with something replaced, taken away, renamed, cut or of another type."""
    if rng.random() < 0.03:
        return copy.deepcopy(rng.choice(STRANGE)), "another object"
    if isinstance(value, pd.DataFrame):
        return _changed_frame(value, rng)
    if isinstance(value, pl.DataFrame | pa.Table):
        columns, what = _changed_mapping(_columns(value), rng)
        try:
            return (pl.DataFrame if isinstance(value, pl.DataFrame) else pa.table)(columns), what
        except Exception:  # noqa: BLE001 - no frame can hold it: the columns themselves are tried
            return columns, what
    if isinstance(value, Mapping):
        return _changed_mapping(dict(value), rng)
    if isinstance(value, list | tuple | np.ndarray | pd.Series):
        return _changed_column(value, rng)
    return value, "as it is"


def _columns(frame: Any) -> dict[str, Any]:
    names = frame.columns if isinstance(frame, pl.DataFrame) else frame.column_names
    return {name: frame[name].to_numpy() for name in names}


def _changed_frame(frame: pd.DataFrame, rng: random.Random) -> tuple[Any, str]:
    way = rng.choice(
        ("cells", "cells", "dtype", "head", "rename", "index", "twice", "transposed", "columns")
    )
    if way == "head":
        return frame.head(rng.choice((0, 1, 2, 5))), "head"
    if way == "transposed":
        return frame.T, way
    if way == "index":
        index: Any = rng.choice(
            (list(range(len(frame)))[::-1], [0] * len(frame), ["x"] * len(frame))
        )
        return frame.set_axis(index, axis=0), way
    if way == "twice" and len(frame.columns):
        return pd.concat([frame, frame.iloc[:, [rng.randrange(len(frame.columns))]]], axis=1), way
    if way == "rename":
        names: list[Any] = list(frame.columns)
        names[rng.randrange(len(names))] = rng.choice((None, 0, "", "x", "truth", ("a", "b"), 1.5))
        return frame.set_axis(names, axis=1), way
    if way == "columns":
        return _changed_mapping({name: frame[name].to_numpy() for name in frame.columns}, rng)
    name = rng.choice(list(frame.columns))
    column, what = _changed_column(frame[name].to_numpy(), rng)
    try:
        return frame.assign(**{str(name): column}), what
    except ValueError:
        return frame, "as it is"


def _changed_mapping(columns: dict[Any, Any], rng: random.Random) -> tuple[Any, str]:
    name = rng.choice(list(columns) or ["x"])
    way = rng.choice(
        ("column", "column", "column", "column", "drop", "rename", "twice", "strange", "swap")
    )
    if way == "drop":
        columns.pop(name, None)
    elif way == "rename":
        columns[rng.choice(("", "truth", "id", 0, None, "x\ud800", ("a", 1), " "))] = columns.pop(
            name, []
        )
    elif way == "twice":
        columns[f"{name} again"] = copy.deepcopy(columns.get(name))
    elif way == "strange":
        columns[name] = copy.deepcopy(rng.choice(STRANGE))
    elif way == "swap":
        columns = dict(reversed(columns.items()))
    else:
        columns[name], what = changed(columns.get(name), rng)
        return columns, f"{name!r:.20} {what}"
    return columns, f"{way} {name!r:.20}"


def _changed_column(column: Any, rng: random.Random) -> tuple[Any, str]:
    way = rng.choice(
        ("cell", "cell", "cell", "many", "dtype", "dtype", "cut", "more", "deeper", "list", "empty")
    )
    try:
        array = np.asarray(column)
    except ValueError:
        array = np.array([*column, None], dtype=object)[:-1]
    if way == "dtype":
        kind = rng.choice(DTYPES)
        try:
            with np.errstate(all="ignore"):
                return array.astype(kind), kind
        except (ValueError, TypeError, OverflowError):
            return array.astype(object), "object"
    if way == "cut":
        return array[: rng.choice((0, 1, 2, -1))], way
    if way == "more":
        return np.concatenate([array, array[:1]]), way
    if way == "deeper":
        return np.stack([array] * rng.choice((1, 2, 3)), axis=rng.choice((0, -1))), way
    if way == "empty":
        return rng.choice(([], None, np.array([]), np.array(1.0), "")), way
    cells = array.tolist()
    if not isinstance(cells, list) or not cells or way == "list":
        return cells, "a list"
    places = range(len(cells)) if way == "many" else [rng.randrange(len(cells))]
    value = copy.deepcopy(rng.choice(STRANGE))
    for at in places:
        if way != "many" or rng.random() < 0.3:
            cells[at] = value
    return cells, f"{way} {value!r:.30}"
