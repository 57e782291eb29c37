"""Frames are told by their library, and single columns are none."""

from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from assay.evidence.frames import is_frame

COLUMNS = {"a": [1, 2], "b": [3, 4]}


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame(COLUMNS),
        pl.DataFrame(COLUMNS),
        pl.LazyFrame(COLUMNS),
        pa.table(COLUMNS),
        nw.from_native(pd.DataFrame(COLUMNS)),
        duckdb.sql("select 1 as a, 3 as b"),
    ],
    ids=lambda frame: f"{type(frame).__module__}.{type(frame).__name__}",
)
def test_tables_of_known_libraries(frame: Any) -> None:
    assert is_frame(frame)


@pytest.mark.parametrize(
    "value",
    [pd.Series([1, 2]), pl.Series([1, 2]), pa.array([1, 2]), np.eye(2), [1, 2], COLUMNS, "a.csv"],
    ids=lambda value: f"{type(value).__module__}.{type(value).__name__}",
)
def test_all_else(value: Any) -> None:
    assert not is_frame(value)
