"""Run the calibration: every finished batch is written the moment it ends, so a run can resume."""

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from pathlib import Path
from typing import Any

from calibration.designs.cells import Found, Job, Table
from calibration.designs.data_sets import dataset_jobs
from calibration.designs.folds import fold_jobs
from calibration.designs.label_families import more_label_jobs
from calibration.designs.label_measures import label_jobs
from calibration.designs.listed_outcomes import exact_jobs
from calibration.designs.means import mean_jobs
from calibration.designs.ranking_measures import score_jobs

Report = Callable[[str], object]

MAKERS: tuple[Callable[[Mapping[str, Any]], list[Job]], ...] = (
    exact_jobs,
    mean_jobs,
    label_jobs,
    more_label_jobs,
    score_jobs,
    dataset_jobs,
    fold_jobs,
)


def jobs_of(grid: Mapping[str, Any]) -> list[Job]:
    """Every job of a grid, cheap worlds first."""
    return [job for make in MAKERS for job in make(grid["worlds"])]


def calibrate(
    jobs: Iterable[Job],
    folder: Path,
    *,
    workers: int = 2,
    only: str = "",
    at_most: int | None = None,
    report: Report = str,
) -> int:
    """Measure what is missing in ``folder``; the number of batches run.

    The first batch of every job comes before the second of any, so that the whole grid is covered
    coarsely at first. ``only`` keeps jobs whose name begins so; ``at_most`` bounds the batches of
    a job.
    """
    chosen = [job for job in jobs if job.name.startswith(only)]
    done = set(finished(folder))
    due = [
        (job, number)
        for number in range(max((job.batches for job in chosen), default=0))
        for job in chosen
        if number < min(job.batches, at_most or job.batches) and (job.name, number) not in done
    ]
    if workers == 1:
        for job, number in due:
            _written(folder, job, number, job.measure(number), report)
        return len(due)
    with ProcessPoolExecutor(workers, initializer=_one_thread) as pool:
        running: dict[Future[list[Found]], tuple[Job, int]] = {}
        for job, number in due:
            if len(running) >= 2 * workers:
                _collect(running, folder, report)
            running[pool.submit(job.measure, number)] = (job, number)
        while running:
            _collect(running, folder, report)
    return len(due)


def _collect(
    running: dict[Future[list[Found]], tuple[Job, int]], folder: Path, report: Report
) -> None:
    for future in wait(running, return_when=FIRST_COMPLETED).done:
        job, number = running.pop(future)
        _written(folder, job, number, future.result(), report)


def _one_thread() -> None:
    os.nice(5)


def _written(folder: Path, job: Job, number: int, found: list[Found], report: Report) -> None:
    record = {"job": job.name, "batch": number, "found": [_record(one) for one in found]}
    path = folder / f"{job.world}.jsonl"
    with path.open("a+b") as out:
        if out.tell():
            out.seek(-1, os.SEEK_END)
            if out.read() != b"\n":  # the line before was cut off by a crash
                out.write(b"\n")
        out.write((json.dumps(record, separators=(",", ":")) + "\n").encode())
    report(f"{job.name} batch {number + 1} of {job.batches}")


def _record(one: Found) -> dict[str, Any]:
    table = one.table
    return {
        "table": [table.procedure, table.answers, table.world, table.unit, table.measure],
        "parameters": table.parameters,
        "at": one.at,
        "replicates": one.replicates,
        **{
            name: {key: float(f"{value:.7g}") for key, value in values.items()}
            for name, values in (("counts", one.counts), ("sums", one.sums), ("facts", one.facts))
        },
    }


def records(folder: Path) -> Iterator[dict[str, Any]]:
    """Every batch written so far, once; a line cut off by a crash is left out.

    Two runs at a time may measure the same batch: the same draws, which must not count twice.
    """
    met: set[tuple[str, int]] = set()
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text().splitlines():
            try:
                record = json.loads(line)
            except json.JSONDecodeError:
                continue
            key = (record["job"], record["batch"])
            if key not in met:
                met.add(key)
                yield record


def finished(folder: Path) -> Iterator[tuple[str, int]]:
    for record in records(folder):
        yield record["job"], record["batch"]


def merged(folder: Path) -> list[Found]:
    """All batches of each cell added up."""
    cells: dict[tuple[Any, ...], Found] = {}
    for record in records(folder):
        for raw in record["found"]:
            procedure, answers, world, unit, measure = raw["table"]
            table = Table(
                procedure=procedure,
                answers=answers,
                world=world,
                unit=unit,
                measure=measure,
                parameters=tuple(raw["parameters"]),
            )
            one = Found(
                table=table,
                at=tuple(raw["at"]),
                replicates=raw["replicates"],
                counts=raw["counts"],
                sums=raw["sums"],
                facts=raw["facts"],
            )
            key = (table.key, one.at)
            cells[key] = _added(cells[key], one) if key in cells else one
    return list(cells.values())


def _added(first: Found, second: Found) -> Found:
    if first.replicates is None or second.replicates is None:
        return second

    def plus(a: Mapping[str, float], b: Mapping[str, float]) -> dict[str, float]:
        return {name: a.get(name, 0.0) + b.get(name, 0.0) for name in {**a, **b}}

    return Found(
        table=first.table,
        at=first.at,
        replicates=first.replicates + second.replicates,
        counts=plus(first.counts, second.counts),
        sums=plus(first.sums, second.sums),
        facts=first.facts,
    )
