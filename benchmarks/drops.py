"""Seconds of processor from the drop of a file of 10 MB to its verdict, for many kinds of files.

    python -m benchmarks.drops [--runs 3] [--browser] [NAME ...]

Starts `assay serve` for each kind anew, so that the first run is of a page that has answered nothing yet
(it has had the time that a person needs to choose a file), then drops the file again. Counted is what the
server and all its processes used, so that other work on the machine matters little; the clock says what a
person waits, on a quiet machine. With --browser it is the clock of Chromium, from the choice of the file to
the frame that has the verdict, of the first file after the start; of the runs the fastest is given.
"""

import argparse
import gzip
import io
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from assay.web.rendering import WORKING
from benchmarks.page import Visitor

SIZE = 10_000_000
SEED = 7
MARK = 1.0
QUIET = 1.5
FLAGS = ["--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking"]
FEW = 20_000
Columns = dict[str, Any]
Write = Callable[[Columns], bytes]


def labels(rng: np.random.Generator, n: int, models: int) -> Columns:
    truth = rng.integers(0, 2, n)
    right = {
        f"model{k}": np.where(rng.random(n) < 0.85 - 0.01 * k, truth, 1 - truth)
        for k in range(models)
    }
    return {"item": np.arange(n), "truth": truth, **right}


def long_labels(rng: np.random.Generator, n: int) -> Columns:
    wide = labels(rng, n // 2, 2)
    return {
        "item": np.tile(wide["item"], 2),
        "model": np.repeat(["model0", "model1"], n // 2),
        "truth": np.tile(wide["truth"], 2),
        "prediction": np.concatenate([wide["model0"], wide["model1"]]),
    }


def long_right(rng: np.random.Generator, n: int) -> Columns:
    wide = labels(rng, n // 2, 2)
    return {
        "item": np.tile(wide["item"], 2),
        "model": np.repeat(["model0", "model1"], n // 2),
        "correct": np.concatenate([wide["model0"], wide["model1"]]) == np.tile(wide["truth"], 2),
    }


def scores(rng: np.random.Generator, n: int) -> Columns:
    truth = rng.integers(0, 2, n)
    said = {f"{name}:score": np.round(rng.beta(2 + truth, 3), 5) for name in ("first", "second")}
    return {"item": np.arange(n), "truth": truth, **said}


def numbers(rng: np.random.Generator, n: int, models: int) -> Columns:
    truth = rng.normal(20, 5, n)
    said = {f"model{k}": np.round(truth + rng.normal(0, 1 + 0.01 * k, n), 3) for k in range(models)}
    return {"item": np.arange(n), "truth": np.round(truth, 3), **said}


def classes(rng: np.random.Generator, n: int) -> Columns:
    truth = rng.integers(0, 5, n)
    found: Columns = {"item": np.arange(n), "truth": [f"c{one}" for one in truth]}
    for name in ("first", "second"):
        shares = rng.dirichlet(np.ones(5), n) + 2 * np.eye(5)[truth] * rng.random((n, 1))
        shares = np.round(shares / shares.sum(axis=1, keepdims=True), 4)
        found |= {f"{name}:c{k}": shares[:, k] for k in range(5)}
    return found


def data_sets(rng: np.random.Generator, n: int, models: int, digits: int) -> Columns:
    base = rng.uniform(0.5, 0.9, n)
    said = {
        f"method{k}": np.round(np.clip(base + rng.normal(0.001 * k, 0.03, n), 0, 1), digits)
        for k in range(models)
    }
    return {"dataset": [f"d{one}" for one in range(n)], **said}


def folds(rng: np.random.Generator, n: int) -> Columns:
    sets = n // 40
    return {
        "dataset": np.repeat([f"d{one}" for one in range(sets)], 40),
        "method": np.tile(np.repeat([f"m{one}" for one in range(4)], 10), sets),
        "fold": np.tile(np.arange(10), sets * 4),
        "accuracy": np.round(rng.uniform(0.5, 0.9, sets).repeat(40) + rng.normal(0, 0.02, n), 3),
    }


def right(rng: np.random.Generator, n: int, models: int) -> Columns:
    said = {f"model{k}": (rng.random(n) < 0.8 - 0.01 * k).astype(int) for k in range(models)}
    return {"item": np.arange(n), **said}


def csv(columns: Columns, delimiter: str = ",") -> bytes:
    stream = io.BytesIO()
    options = pa.csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    pa.csv.write_csv(pa.table(columns), stream, options)
    return stream.getvalue()


def packed(columns: Columns) -> bytes:
    return gzip.compress(csv(columns), 6)


def with_commas(columns: Columns) -> bytes:
    return csv(columns, ";").replace(b".", b",")


def parquet(columns: Columns) -> bytes:
    stream = io.BytesIO()
    pa.parquet.write_table(pa.table(columns), stream)
    return stream.getvalue()


def json_lines(columns: Columns) -> bytes:
    import msgspec

    names = list(columns)
    rows = zip(*(np.asarray(one).tolist() for one in columns.values()), strict=True)
    return b"\n".join(msgspec.json.encode(dict(zip(names, row, strict=True))) for row in rows)


KINDS: dict[str, tuple[Callable[[np.random.Generator, int], Columns], Write, str]] = {
    "labels of 2 models": (partial(labels, models=2), csv, "csv"),
    "labels of 2 models, gzip": (partial(labels, models=2), packed, "csv.gz"),
    "labels of 2 models, Parquet": (partial(labels, models=2), parquet, "parquet"),
    "labels of 5 models": (partial(labels, models=5), csv, "csv"),
    "labels, a row for each model and item": (long_labels, csv, "csv"),
    "right and wrong answers, a row for each model and item": (long_right, csv, "csv"),
    "right and wrong answers of 5 models": (partial(right, models=5), csv, "csv"),
    "labels in JSON lines": (partial(labels, models=2), json_lines, "jsonl"),
    "scores of 2 models": (scores, csv, "csv"),
    "probabilities of 2 models in 5 classes": (classes, csv, "csv"),
    "numbers of 2 models": (partial(numbers, models=2), csv, "csv"),
    "numbers of 3 models": (partial(numbers, models=3), csv, "csv"),
    "numbers of 2 models, Parquet": (partial(numbers, models=2), parquet, "parquet"),
    "numbers of 2 models, semicolons and decimal commas": (
        partial(numbers, models=2), with_commas, "csv",
    ),
    "data sets × 4 methods": (partial(data_sets, models=4, digits=4), csv, "csv"),
    "data sets × 4 methods, every digit": (partial(data_sets, models=4, digits=17), csv, "csv"),
    "data sets × 50 methods": (partial(data_sets, models=50, digits=4), csv, "csv"),
    "data sets × 4 methods × 10 folds": (folds, csv, "csv"),
}  # fmt: skip
WATCH = """
addEventListener("change", () => sessionStorage.setItem("begun", Date.now()), true);
const look = () => {
  if (!document.getElementById("verdict")) return requestAnimationFrame(look);
  requestAnimationFrame(() => { window.took = Date.now() - sessionStorage.getItem("begun"); });
};
look();
"""
"""Notes when a file is chosen, and how long after it a frame with a verdict is drawn."""
TOLD = {"right and wrong answers of 5 models": "?correct=yes"}
"""What the page would ask first."""


def file_of(name: str) -> tuple[bytes, int]:
    """A file of about 10 MB before it is packed, and its rows."""
    make, write, _ = KINDS[name]
    rows, size = FEW, 0
    while not 0.97 * SIZE < size <= SIZE:
        content = write(make(np.random.default_rng(SEED), rows))
        size = len(gzip.decompress(content) if write is packed else content)
        kept, rows = rows, int(rows * 0.99 * SIZE / size) // 40 * 40
    return content, kept


def used(server: psutil.Process) -> float:
    """Seconds of processor of the server and of every process that came from it."""
    total = 0.0
    for process in (server, *server.children(recursive=True)):
        with suppress(psutil.NoSuchProcess):  # it has ended, and its parent counts it
            total += sum(process.cpu_times()[:4])
    return total


@contextmanager
def served() -> Iterator[tuple[Visitor, psutil.Process]]:
    """A page that has been open long enough to be quiet."""
    command = [sys.executable, "-m", "assay", "serve", "--port", "0", "--no-browser"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            visitor = Visitor(re.findall(r"http://\S+", process.stderr.readline())[0])
            server = psutil.Process(process.pid)
            settle(server)
            yield visitor, server
        finally:
            process.terminate()


def settle(server: psutil.Process) -> None:
    """Wait until the page and its processes do nothing."""
    before = -1.0
    while (now := used(server)) > before:
        before = now
        time.sleep(QUIET)


def to_verdict(
    visitor: Visitor, server: psutil.Process, content: bytes, name: str
) -> tuple[float, float]:
    """Seconds of processor, and on the clock, from the drop to the page that shows the verdict."""
    settle(server)
    before, begun = used(server), time.perf_counter()
    address = visitor.drop(content, f"data.{KINDS[name][2]}") + TOLD.get(name, "")
    while (answer := visitor.http.get(address)).status_code == WORKING:
        pass
    assert 'id="verdict"' in answer.text
    return used(server) - before, time.perf_counter() - begun


def in_browser(name: str, content: bytes) -> float:
    """Seconds in Chromium from the choice of the first file after the start to its verdict."""
    from playwright.sync_api import sync_playwright

    with (
        TemporaryDirectory() as folder,
        served() as (visitor, server),
        sync_playwright() as playwright,
    ):
        file = Path(folder, f"data.{KINDS[name][2]}")
        file.write_bytes(content)
        chromium = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=FLAGS)
        context = chromium.new_context()
        origin = str(visitor.http.base_url)
        known: list[Any] = [
            {"name": one.name, "value": one.value, "url": origin}
            for one in visitor.http.cookies.jar
        ]
        context.add_cookies(known)
        page = context.new_page()
        page.add_init_script(WATCH)
        page.goto(origin)
        settle(server)
        page.set_input_files("#drop input[type=file]", file)
        if name in TOLD:
            page.wait_for_url("**/e/*")
            page.evaluate("sessionStorage.setItem('begun', Date.now())")
            page.goto(page.url + TOLD[name])
        page.wait_for_function("() => window.took !== undefined", timeout=600_000)
        took = float(page.evaluate("window.took")) / 1000.0
        chromium.close()
    return took


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--browser", action="store_true")
    parser.add_argument("names", nargs="*", default=list(KINDS))
    given = parser.parse_args()
    return (
        measured_in_browser(given.names, given.runs)
        if given.browser
        else measured(given.names, given.runs)
    )


def measured_in_browser(names: list[str], runs: int) -> int:
    print("| file of 10 MB | rows | first after the start, Chromium |")
    print("|---|---|---|", flush=True)
    slowest = 0.0
    for name in names:
        content, rows = file_of(name)
        took = min(in_browser(name, content) for _ in range(runs))
        print(f"| {name} | {rows:,} | {took:.2f} |", flush=True)
        slowest = max(slowest, took)
    return int(slowest > MARK)


def measured(names: list[str], runs: int) -> int:
    print("| file of 10 MB | rows | first after the start | later | first, clock | later, clock |")
    print("|---|---|---|---|---|---|", flush=True)
    slowest = 0.0
    for name in names:
        content, rows = file_of(name)
        with served() as (visitor, server):
            first, *others = (to_verdict(visitor, server, content, name) for _ in range(runs))
        later = [min(seconds) for seconds in zip(*others, strict=True)]
        shown = " | ".join(f"{s:.2f}" for s in (first[0], later[0], first[1], later[1]))
        print(f"| {name} | {rows:,} | {shown} |", flush=True)
        slowest = max(slowest, first[0])
    return int(slowest > MARK)


if __name__ == "__main__":
    sys.exit(main())
