"""How long reading and counting take beside the least they could take.

    python benchmarks/reduce.py [--rows 1000000] [--runs 9]

Prints the best of several interleaved runs and their ratio: in memory beside one ``bincount`` of
ready-made codes, from files beside a bare DuckDB ``group by``, and the memory that joining two files
by id takes at its peak.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.evidence.tally import Tally

Runs = dict[str, Callable[[], Any]]


def counted(*sources: Any, **options: Any) -> Tally:
    """What is timed: reading and one tally."""
    evidence = read(*sources, **options)
    if not isinstance(evidence, Predictions):
        raise TypeError("these sources are paired")
    return evidence.tally()


def best_times(runs: Runs, repeats: int) -> dict[str, float]:
    """The shortest time of each, taken in turns so that a busy moment hits all alike."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(repeats):
        for name, run in runs.items():
            start = time.perf_counter()
            run()
            best[name] = min(best[name], time.perf_counter() - start)
    return best


def report(title: str, runs: Runs, repeats: int, target: float) -> None:
    base, ours = best_times(runs, repeats).values()
    ratio = ours / base
    verdict = "ok" if ratio <= target else "SLOW"
    print(
        f"{title:34} {base * 1e3:9.2f} ms {ours * 1e3:9.2f} ms   x {ratio:5.2f}  "
        f"(target {target})  {verdict}"
    )


def columns(rows: int) -> dict[str, np.ndarray[Any, np.dtype[np.int64]]]:
    rng = np.random.default_rng(7)
    truth = rng.integers(0, 2, rows)
    return {
        "y": truth,
        "a": np.where(rng.random(rows) < 0.9, truth, 1 - truth),
        "b": np.where(rng.random(rows) < 0.88, truth, 1 - truth),
    }


def in_memory(rows: int, repeats: int) -> None:
    import pandas as pd

    data = columns(rows)
    one = {name: data[name] for name in ("y", "a")}
    frame = pd.DataFrame(data)
    codes = data["y"] * 2 + data["a"]
    wide = codes * 2 + data["b"]
    sources: tuple[tuple[str, Any, Any, float], ...] = (
        ("numpy, one model", one, codes, 3.5),
        ("pandas, one model", frame[["y", "a"]], codes, 3.5),
        ("numpy, two models", data, wide, 4.0),
        ("pandas, two models", frame, wide, 4.0),
    )
    for title, source, ready, target in sources:
        runs: Runs = {
            "bincount": lambda ready=ready: np.bincount(ready),  # type: ignore[misc]
            "assay": lambda source=source: counted(source, truth="y"),  # type: ignore[misc]
        }
        report(title, runs, repeats, target)


def from_files(rows: int, repeats: int, folder: Path) -> None:
    import duckdb
    import pandas as pd

    frame = pd.DataFrame(columns(rows))
    frame.to_csv(folder / "t.csv", index=False)
    frame.to_parquet(folder / "t.parquet")

    def bare(table: str) -> list[Any]:
        with duckdb.connect() as connection:
            query = f"select y, a, b, count(*) from {table} group by all"
            return list(connection.execute(query).fetchall())

    for title, name, table in (
        ("CSV, two models", "t.csv", "read_csv('{}', all_varchar=true)"),
        ("Parquet, two models", "t.parquet", "read_parquet('{}')"),
    ):
        path = folder / name
        runs: Runs = {
            "duckdb": lambda p=path, t=table: bare(t.format(p)),  # type: ignore[misc]
            "assay": lambda p=path: counted(p, truth="y"),  # type: ignore[misc]
        }
        report(title, runs, repeats, 1.3)


def write_parts(rows: int, folder: Path) -> None:
    import pandas as pd

    frame = pd.DataFrame(columns(rows))
    frame.insert(0, "id", [f"item-{place:08d}" for place in range(rows)])
    frame[["id", "y", "a"]].to_csv(folder / "a.csv", index=False)
    shuffled = frame.sample(frac=1, random_state=1)
    shuffled[["id", "y", "b"]].to_csv(folder / "b.csv", index=False)


def join_alone(folder: Path) -> None:
    """In a process of its own: join two files and print seconds and the peak of memory."""
    start = time.perf_counter()
    tally = counted(folder / "a.csv", folder / "b.csv")
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"{tally.n} {seconds:.3f} {peak:.0f}")


def joined(rows: int, folder: Path) -> None:
    write_parts(rows, folder)
    command = [sys.executable, __file__, "--join", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    n, seconds, peak = done.stdout.split()
    verdict = "ok" if float(peak) < 1024 and int(n) == rows else "TOO MUCH"
    print(
        f"{'two CSV files joined by id':34} {seconds} s, peak {peak} MiB (target 1024)  {verdict}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--join", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.join is not None:
        join_alone(given.join)
        return
    print(f"{given.rows:,} rows, best of {given.runs}: the least possible, assay, ratio")
    in_memory(given.rows, given.runs)
    with tempfile.TemporaryDirectory() as folder:
        from_files(given.rows, given.runs, Path(folder))
        joined(given.rows, Path(folder))


if __name__ == "__main__":
    main()
