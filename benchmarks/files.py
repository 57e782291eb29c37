"""Bootstrap intervals beside their limits: ratios of the best of several interleaved runs.

    python -m benchmarks files

In memory the unit is numpy's bincount of the same rows, from files a bare DuckDB group-by.
"""

import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow

from assay.estimates.bootstrap import bootstrap, percentile_interval, replicate
from assay.evidence import duckdb_connection
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.measures.registry import find_measure

ROWS = 1_000_000
RESAMPLES = 10_000
MOST_IN_MEMORY = 6.0
MOST_FROM_FILES = 1.5


def race(
    task: str, most: float, ours: Callable[[], Any], unit: Callable[[], Any], *, runs: int = 100
) -> None:
    """Print how many times as long as its unit a task takes."""
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(runs):
        for run, into in zip((ours, unit), times, strict=True):
            start = time.perf_counter()
            run()
            into.append(1e3 * (time.perf_counter() - start))
    mine, base = min(times[0]), min(times[1])
    verdict = "ok" if mine <= most * base else "TOO SLOW"
    print(f"{task:32s} {mine:8.1f} ms {base:8.1f} ms {mine / base:6.2f} (at most {most}) {verdict}")


def interval(evidence: Any) -> Any:
    observed = read(evidence, truth="truth", models=["a"])
    return bootstrap(observed, measure="f1", n_resamples=RESAMPLES, rng=1).interval


def difference(evidence: Any) -> tuple[float, float]:
    observed = read(evidence, truth="truth")
    assert isinstance(observed, Predictions)
    found = replicate(observed, find_measure("f1"), n_resamples=RESAMPLES, rng=1)
    return percentile_interval(found.difference("a", "b")[1])


def query(path: Path, columns: str = "truth, a, b") -> str:
    source = f"'{path}'" if path.suffix == ".parquet" else f"read_csv('{path}', all_varchar=true)"
    return f"SELECT {columns}, count(*) FROM {source} GROUP BY {columns}"


def group_by(path: Path, columns: str = "truth, a, b") -> Any:
    return duckdb.execute(query(path, columns)).fetchall()


def connect_and_group_by(path: Path) -> Any:
    """The same with a new connection, as the first read of a file needs one."""
    with duckdb.connect() as connection:
        return connection.execute(query(path)).fetchall()


def first_difference(path: Path) -> Any:
    """The difference in a process that has read no file yet: its locked database starts first."""
    duckdb_connection._database.cache_clear()
    return difference(path)


def main() -> None:
    rng = np.random.default_rng(1)
    truth = (rng.random(ROWS) < 0.3).astype(np.int64)
    a, b = (np.where(rng.random(ROWS) < error, 1 - truth, truth) for error in (0.10, 0.12))
    columns = {"truth": truth, "a": a, "b": b}
    print(
        f"{ROWS:,} rows, {RESAMPLES:,} resamples: read, count, resample, interval; beside the unit"
    )
    race(
        "F1 interval, arrays",
        MOST_IN_MEMORY,
        lambda: interval({"truth": truth, "a": a}),
        lambda: np.bincount(truth * 2 + a, minlength=4),
    )
    race(
        "F1 paired difference, arrays",
        MOST_IN_MEMORY,
        lambda: difference(columns),
        lambda: np.bincount(truth * 4 + a * 2 + b, minlength=8),
    )
    with tempfile.TemporaryDirectory() as folder:
        table = duckdb.from_arrow(pyarrow.table(columns))
        csv, parquet = (Path(folder) / f"rows.{suffix}" for suffix in ("csv", "parquet"))
        table.to_csv(str(csv))
        table.to_parquet(str(parquet))
        for path in (csv, parquet):
            race(
                f"F1 interval, {path.suffix[1:]}",
                MOST_FROM_FILES,
                lambda path=path: interval(path),  # type: ignore[misc]
                lambda path=path: group_by(path, "truth, a"),  # type: ignore[misc]
            )
            race(
                f"F1 paired difference, {path.suffix[1:]}",
                MOST_FROM_FILES,
                lambda path=path: difference(path),  # type: ignore[misc]
                lambda path=path: group_by(path),  # type: ignore[misc]
            )
            race(
                f"  both with a new connection, {path.suffix[1:]}",
                MOST_FROM_FILES,
                lambda path=path: first_difference(path),  # type: ignore[misc]
                lambda path=path: connect_and_group_by(path),  # type: ignore[misc]
            )


if __name__ == "__main__":
    main()
