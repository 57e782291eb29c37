"""Columns of any cells in any container, under any names: what a mapping or a frame of Python may hold."""

import random
from collections import Counter, UserList, deque
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from fractions import Fraction
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

ROWS = 12
REFUSED = (Exception, pl.exceptions.PanicException)
"""How containers refuse cells: Polars panics."""


class Plain(Enum):
    """Members that are no text."""

    A = 1
    B = 2


class Text(StrEnum):
    """Members that are."""

    A = "a"
    B = "b"


CELLS: dict[str, Callable[[int, random.Random], Any]] = {
    "whole": lambda bit, _: bit, "text": lambda bit, _: "ab"[bit], "float": lambda _, rng: rng.random(),
    "flag": lambda bit, _: bool(bit), "bytes": lambda bit, _: b"ab"[bit : bit + 1],
    "decimal": lambda bit, _: Decimal(bit),
    "none": lambda bit, rng: rng.choice((bit, None)), "nan": lambda bit, rng: rng.choice((bit, np.nan)),
    "NA": lambda bit, rng: rng.choice((bit, pd.NA)), "NaT": lambda bit, rng: rng.choice((bit, pd.NaT)),
    "fraction": lambda bit, _: Fraction(bit, 3), "date": lambda bit, _: date(2020, 1, 1 + bit),
    "time": lambda bit, _: datetime(2020, 1, 1 + bit, tzinfo=UTC), "delta": lambda bit, _: timedelta(bit),
    "enum": lambda bit, _: list(Plain)[bit], "words": lambda bit, _: list(Text)[bit],
    "byte": lambda bit, _: np.int8(bit),
    "list": lambda bit, _: [bit], "tuple": lambda bit, _: (bit, 1), "array": lambda bit, _: np.array([bit, 1 - bit]),
    "texts": lambda *_: np.array(["a", "b"]), "row": lambda bit, _: {"score": bit}, "set": lambda bit, _: {bit},
    "complex": lambda bit, _: bit + 1j, "mixed": lambda bit, rng: rng.choice((bit, str(bit), None, 1.5, True)),
    "huge": lambda bit, _: 10**400 + bit, "object": lambda *_: object(), "ragged": lambda bit, _: [1] * (bit + 1),
    "shares": lambda *_: [0.3, 0.7], "three": lambda *_: [0.3, 0.3, 0.4], "empty": lambda *_: [],
    "half": lambda bit, _: "\ud800" * bit, "nul": lambda bit, _: "\x00" * bit, "nested": lambda bit, _: [[bit], [1]],
    "uuid": lambda bit, _: UUID(int=bit), "infinite": lambda *_: np.inf, "share": lambda bit, _: f"{bit}%",
    "series": lambda bit, _: pl.Series([bit]), "lone": lambda bit, _: np.array(bit),
    "signal": lambda bit, rng: rng.choice((Decimal("sNaN"), bit)),
    "no length": lambda bit, rng: rng.choice((np.timedelta64("NaT"), bit)),
    "merged": lambda bit, rng: rng.choice((None, None, [bit], {"a": bit}, "a", bit)),
}  # fmt: skip
CONTAINERS: dict[str, Callable[[list[Any]], Any]] = {
    "list": list, "array": np.array, "series": pd.Series, "tuple": tuple, "index": pd.Index, "classes": pd.Categorical,
    "objects": lambda cells: np.array([*cells, None], dtype=object)[:-1], "nullable": pd.array, "polars": pl.Series,
    "labelled": lambda cells: pd.Series(cells, index=[f"r{place}" for place in range(len(cells))]),
    "arrow": pa.array, "chunks": lambda cells: pa.chunked_array([cells]),
    "coded": lambda cells: pa.array(cells).dictionary_encode(),
    "generator": lambda cells: (one for one in cells), "values": lambda cells: dict(enumerate(cells)).values(),
    "deque": deque, "user": UserList, "set": set, "keys": lambda cells: dict.fromkeys(cells).keys(), "iterator": iter,
    "memory": lambda cells: memoryview(bytes(cells)), "bytes": bytes, "counter": Counter, "matrix": np.asmatrix,
    "masked": lambda cells: np.ma.masked_array(cells, mask=np.arange(len(cells)) == 0),
    "column": lambda cells: np.array(cells).reshape(-1, 1), "deep": lambda cells: np.array(cells).reshape(-1, 1, 1),
    "pair": lambda cells: np.column_stack([cells, cells]), "half": lambda cells: np.array(cells, np.float16),
    "long": lambda cells: np.array(cells, np.longdouble),
    "frame": lambda cells: pd.DataFrame({"x": cells, "y": cells}),
    "records": lambda cells: np.rec.fromarrays([cells]), "sparse": pd.arrays.SparseArray,
    "lone": lambda cells: cells[0], "joined": lambda cells: "".join(map(str, cells)),
    "numbered": lambda cells: dict(enumerate(cells)), "frozen": lambda cells: np.broadcast_to(cells[:1], len(cells)),
}  # fmt: skip
NAMES: tuple[Any, ...] = (
    "truth", "a", "b", "c", "id", "fold", "seed", "dataset", "model", "score", "weight", "winner", 0, 1, None, ("a", 1),
    "", b"x", 1.5, True, float("nan"), "y", "a:p(1)", "label", np.str_("a"), Plain.A, "prediction", "cluster",
)  # fmt: skip


def evidence(rng: random.Random) -> tuple[tuple[Any, ...], str]:
    """What may be handed to a verb, and what it is in words."""
    names = rng.sample(NAMES, rng.choice((1, 2, 3)))
    if rng.random() < 0.7:
        names = ["truth", *(name for name in names if name != "truth")]
    columns, words = zip(*(_column(rng) for _ in names), strict=True)
    table = dict(zip(names, columns, strict=True))
    form = rng.choice(list(FORMS))
    try:
        given = FORMS[form](table)
    except REFUSED:  # no frame can hold it: the mapping itself is tried
        given = (table,)
    return given, f"{form} {dict(zip(map(repr, names), words, strict=True))}"


def _column(rng: random.Random) -> tuple[Any, str]:
    kind, holder = rng.choice(list(CELLS)), rng.choice(("list", "array", "series", *CONTAINERS))
    size = rng.choice((*[ROWS] * 8, 0, 1, 2, ROWS - 1, ROWS + 1))
    cells = [CELLS[kind](rng.randrange(2), rng) for _ in range(size)]
    try:
        return CONTAINERS[holder](cells), f"{kind} in {holder} of {size}"
    except REFUSED:  # what a container refuses to hold is a list
        return cells, f"{kind} of {size}"


FORMS: dict[str, Callable[[dict[Any, Any]], tuple[Any, ...]]] = {
    "mapping": lambda table: (table,),
    "truth and models": lambda table: (next(iter(table.values())), dict(list(table.items())[1:])),
    "columns": lambda table: tuple(table.values()),
    "list": lambda table: (list(table.values()),),
    "rows": lambda table: (
        [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=False)],
    ),
    "nested": lambda table: ({"m": table, "n": dict(reversed(table.items()))},),
    "pandas": lambda table: (pd.DataFrame(table),),
    "polars": lambda table: (pl.DataFrame({str(name): one for name, one in table.items()}),),
    "arrow": lambda table: (pa.table({str(name): one for name, one in table.items()}),),
}
