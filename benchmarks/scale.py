"""Evidence larger than one likes to hold: time and peak memory beside a bare DuckDB.

    python benchmarks/scale.py [--rows 10000000] [--folder FOLDER] [--runs 2]

Writes Parquet files (labels of two models, one file each and both in one; scores), then runs each
question in a process of its own, in turns, and prints the best of the runs. The bare queries run in
a process of their own too, with the same limit of memory. The issue asks for --rows 100000000.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

LIMIT = "2500MB"
FILES = {
    "one model a file": ("a.parquet", "b.parquet"),
    "both in one file": ("both.parquet",),
    "the same with ids": ("ids.parquet",),
}
BARE = {
    "one model a file": "select p.y, a, b, count(*) from 'a.parquet' p join 'b.parquet' q using (id) group by all",
    "both in one file": "select y, a, b, count(*) from 'both.parquet' group by all",
    "the same with ids": "select y, a, b, count(*) from 'ids.parquet' group by all",
}
MARKS = {
    "one model a file": (2.0, 4.0),
    "both in one file": (1.5, 1.0),
    # the ids are looked at too: to read them alone makes the bare query 1.8 times as slow
    "the same with ids": (None, 1.0),
}

_MEASURED = """
import json, resource, sys, time
start, cpu = time.perf_counter(), time.process_time()
{body}
print(json.dumps([time.perf_counter() - start, time.process_time() - cpu,
                  resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20]))
"""


def make(folder: Path, rows: int) -> None:
    """Truth and predictions from hashes of the row number: no random state, any number of rows."""
    import duckdb

    connection = duckdb.connect(
        config={"memory_limit": LIMIT, "temp_directory": str(folder / "spill")}
    )
    truth = "(hash(i) % 10 < 3)::int"
    labels = {
        model: f"if(hash(i + {shift}) % 100 < {right}, {truth}, 1 - {truth}) as {model}"
        for model, shift, right in (("a", 1_000_000_007, 85), ("b", 3_000_000_019, 84))
    }
    both = f"{truth} as y, {labels['a']}, {labels['b']}"
    score = f"(hash(i + 7) % 1000000007) / 1000000007.0 + 0.3 * {truth} as a"
    tables = {
        "a": f"i as id, {truth} as y, {labels['a']}",
        "b": f"i as id, {labels['b']}",
        "both": both,
        "ids": f"i as id, {both}",
    }
    for name, columns in tables.items():
        connection.execute(
            f"copy (select {columns} from range({rows}) t(i)) to '{folder}/{name}.parquet'"
        )
    connection.execute(
        f"copy (select {truth} as y, {score} from range({min(rows, 10_000_000)}) t(i)) "
        f"to '{folder}/scores.parquet'"
    )


def measured(folder: Path, body: str) -> tuple[float, float, float]:
    """Wall seconds, CPU seconds and peak GiB of a process; imports are not counted."""
    done = subprocess.run(
        [sys.executable, "-c", _MEASURED.format(body=body)],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    wall, cpu, peak = json.loads(done.stdout.splitlines()[-1])
    return wall, cpu, peak


def bare(query: str) -> str:
    settings = {"memory_limit": LIMIT, "temp_directory": "spill"}
    return (
        "import duckdb\nstart, cpu = time.perf_counter(), time.process_time()\n"
        f"connection = duckdb.connect(config={settings!r})\n"
        "connection.execute('set enable_progress_bar=false')\n"
        f"connection.execute({query!r}).fetchall()"
    )


def ours(files: Sequence[str], measure: str = "accuracy", verb: str = "compare") -> str:
    told = f"measure={measure!r}" if verb == "compare" else f"measures=({measure!r},)"
    return (
        "import assay, duckdb\n"
        "assay.compare({'y': [0, 1, 1], 'a': [0, 1, 1], 'b': [1, 1, 0]}, rng=1)\n"  # loads the rest
        "start, cpu = time.perf_counter(), time.process_time()\n"
        f"assay.{verb}(assay.read(*{list(files)!r}, truth='y'), {told}, rng=1)"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=10_000_000)
    parser.add_argument("--folder", type=Path, help="where the files are kept and found again")
    parser.add_argument("--runs", type=int, default=2)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        if not (folder / "scores.parquet").exists():
            folder.mkdir(parents=True, exist_ok=True)
            make(folder, given.rows)
        print(f"{given.rows:,} rows      bare DuckDB        assay        wall    CPU     memory")
        for name, files in FILES.items():
            runs = [
                (measured(folder, bare(BARE[name])), measured(folder, ours(files)))
                for _ in range(given.runs)
            ]
            least = [
                [min(column) for column in zip(*side, strict=True)]
                for side in zip(*runs, strict=True)
            ]
            (wall, cpu, _), (our_wall, our_cpu, peak) = least
            slowest, largest = MARKS[name]
            fine = (slowest is None or our_wall / wall <= slowest) and peak <= largest
            print(
                f"{name:18} {wall:8.2f} s {our_wall:11.2f} s   x {our_wall / wall:5.2f} "
                f"x {our_cpu / cpu:5.2f}  {peak:5.2f} GiB  (marks {slowest or 'none'}, {largest} GiB) "
                f"{'ok' if fine else 'MISSED'}"
            )
        wall, _, peak = measured(folder, ours(["scores.parquet"], "roc_auc", "evaluate"))
        fine = "ok" if peak <= 2 else "MISSED"
        print(
            f"AUC by DeLong, {min(given.rows, 10_000_000):,} scores: {wall:.2f} s {peak:.2f} GiB (mark 2 GiB) {fine}"
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
