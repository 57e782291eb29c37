"""The same table in every form that assay reads."""

import csv
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq

from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.reading import read

Table = Mapping[str, Sequence[Any]]


def predictions(*sources: Any, **options: Any) -> Predictions:
    """Paired evidence."""
    found = read(*sources, **options)
    assert isinstance(found, Predictions)
    return found


def unpaired(*sources: Any, **options: Any) -> Unpaired:
    """Evidence on different items."""
    found = read(*sources, paired=False, **options)
    assert isinstance(found, Unpaired)
    return found


def write_csv(path: Path, table: Table) -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(table)
        writer.writerows(zip(*table.values(), strict=True))
    return path


def write_jsonl(path: Path, table: Table) -> Path:
    rows = [dict(zip(table, cells, strict=True)) for cells in zip(*table.values(), strict=True)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def every_form(table: Table, folder: Path) -> Iterator[tuple[str, Any]]:
    """(name of the form, source) for each way of handing over the table."""
    lists = {name: list(values) for name, values in table.items()}
    arrow = pa.table(lists)
    pq.write_table(arrow, folder / "t.parquet")
    yield "lists", lists
    yield "numpy", {name: np.array(values) for name, values in lists.items()}
    yield "pandas", pd.DataFrame(lists)
    yield "polars", pl.DataFrame(lists)
    yield "polars lazy", pl.LazyFrame(lists)
    yield "pyarrow", arrow
    yield "narwhals", nw.from_native(pl.DataFrame(lists))
    yield "csv", write_csv(folder / "t.csv", lists)
    yield "parquet", folder / "t.parquet"
    yield "jsonl", write_jsonl(folder / "t.jsonl", lists)
    yield "duckdb", duckdb.connect().read_parquet(str(folder / "t.parquet"))
