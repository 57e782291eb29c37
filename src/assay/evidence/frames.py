"""Which values are data frames: told by the library they come from, so that none has to be loaded."""

from typing import Any

FRAME_MODULES = frozenset({
    "pandas", "polars", "pyarrow", "narwhals", "duckdb", "modin", "cudf", "dask", "pyspark", "ibis",
})  # fmt: skip
"""Libraries whose tables are taken as evidence; a DuckDB relation is one of them."""


def module_of(value: Any) -> str:
    """The package that an object's type is from."""
    return type(value).__module__.split(".")[0].lstrip("_")


def is_frame(value: Any) -> bool:
    """Whether a value is a table with named columns of a known library, and no single column."""
    return module_of(value) in FRAME_MODULES and hasattr(type(value), "columns")


def names_of(frame: Any) -> list[Any]:
    """The names of a frame's columns; what pyarrow calls columns are the columns themselves."""
    return list(frame.column_names if module_of(frame) == "pyarrow" else frame.columns)
