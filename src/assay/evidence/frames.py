"""Which values are data frames: told by the library they come from, so that none has to be loaded."""

from typing import Any

FRAME_MODULES = frozenset(
    {
        *("pandas", "polars", "pyarrow", "narwhals", "duckdb"),
        *("modin", "cudf", "dask", "pyspark", "ibis"),
    }
)
"""Libraries whose tables are taken as evidence; a DuckDB relation is one of them."""


def is_frame(value: Any) -> bool:
    """Whether a value is a table with named columns of a known library, and no single column."""
    module = type(value).__module__.split(".")[0].lstrip("_")
    return module in FRAME_MODULES and hasattr(type(value), "columns")
