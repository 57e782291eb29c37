"""Scores larger than memory: time, peak memory and disk of ranking them where they lie.

    python benchmarks/large.py [--rows 100000000] [--models 2] [--cap 4] [--folder FOLDER]

Writes a Parquet file of a truth and the scores of some models, then runs the command line on it in
a process that may not have more than ``--cap`` GiB of data in memory, and prints what each run
took. Up to ten million rows the answer in memory stands beside.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

IN_MEMORY = 10_000_000


def make(path: Path, rows: int, models: int) -> None:
    """Scores from hashes of the row number, nearly all of them different."""
    import duckdb

    truth = "(hash(i) % 10 < 3)::int"
    scores = ", ".join(
        f"0.7 * (hash(i + {7_919 * (place + 1)}) % 1000000007) / 1000000007 "
        f"+ {0.3 - place / 1000} * {truth} as m{place}"
        for place in range(models)
    )
    with duckdb.connect(config={"memory_limit": "2GB"}) as connection:
        connection.execute(
            f"copy (select {truth} as y, {scores} from range({rows}) t(i)) to '{path}'"
        )


def watch(folder: Path, largest: list[int], done: threading.Event) -> None:
    """The most bytes that lay in the folder, looked at twice a second."""
    while not done.wait(0.5):
        found = subprocess.run(
            ["du", "-sb", str(folder)], check=False, capture_output=True, text=True
        )
        largest[0] = max(largest[0], int(found.stdout.split()[0]) if found.stdout else 0)


def run(path: Path, verb: str, how: str | None, cap: float) -> None:
    """One command, its answer in a line, and what it took."""

    words = [verb, str(path), "--truth", "y", "--measure", "roc_auc", "--format", "json"]
    words += ["--models", "m0"] if verb == "evaluate" else []
    words += ["--scores", how] if how is not None else []
    largest, done = [0], threading.Event()
    with tempfile.TemporaryDirectory(dir=path.parent) as spill:
        watcher = threading.Thread(target=watch, args=(Path(spill), largest, done))
        watcher.start()
        start = time.perf_counter()
        process = subprocess.Popen(
            ["prlimit", f"--data={int(cap * 2**30)}", sys.executable, "-m", "assay", *words],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, "TMPDIR": spill},
        )
        out, err = (stream.read() for stream in (process.stdout, process.stderr) if stream)
        _, _, used = os.wait4(process.pid, 0)
        wall = time.perf_counter() - start
        done.set()
        watcher.join()
        left = list(Path(spill).iterdir())
    print(
        f"{verb:9} {how or 'memory':7} {wall:7.1f} s wall {used.ru_utime + used.ru_stime:7.1f} s CPU "
        f"{used.ru_maxrss / 2**20:5.2f} GiB memory {largest[0] / 2**30:5.2f} GiB disk, "
        f"{'nothing left behind' if not left else f'LEFT BEHIND {left}'}"
    )
    print(f"          {answer(out) if out else err.decode().splitlines()[-1]}")


def answer(out: bytes) -> str:
    """The numbers that decide, to the last digit."""
    found = json.loads(out)
    if found["kind"] == "evaluation":
        effect = found["estimates"][0]
    else:
        effect = found["verdicts"][0]["outcome"]["effect"]
    bound = dict(effect["details"]).get("bin_bound", 0.0)
    low, high = (effect["interval"][end] for end in ("low", "high"))
    return f"{effect['value']!r} [{low!r}, {high!r}], hidden by bins at most {bound:.2g}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(float(text)), default=100_000_000)
    parser.add_argument("--models", type=int, default=2)
    parser.add_argument("--cap", type=float, default=4.0, help="GiB of data in memory")
    parser.add_argument("--folder", type=Path, help="where the file is kept and found again")
    parser.add_argument("--only", choices=["evaluate", "compare"], help="one of the two questions")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        folder = given.folder or Path(scratch)
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f"scores-{given.rows}-{given.models}.parquet"
        if not path.exists():
            make(path, given.rows, given.models)
        print(f"{given.rows:,} rows, {given.models} models, {path.stat().st_size / 2**30:.2f} GiB")
        for verb in ("evaluate", "compare") if given.only is None else (given.only,):
            for how in ("binned", "exact", None):
                if how is not None or given.rows <= IN_MEMORY:
                    run(path, verb, how, given.cap)
    return 0


if __name__ == "__main__":
    sys.exit(main())
