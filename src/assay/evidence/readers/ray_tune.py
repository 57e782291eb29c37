"""Trials of Ray Tune."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.evidence.cell_text import number_of
from assay.evidence.readers import run_tables
from assay.evidence.readers.log_files import decoded, document, lines_of, rows_of
from assay.evidence.readers.log_items import inside
from assay.evidence.readers.tracked_run import TrackedRun, numbers


def runs_of(path: Path) -> Iterator[TrackedRun]:
    """The last report of every trial; one that crashed has left its error."""
    for trial in sorted(
        {*path.glob("*/result.json"), *path.glob("*/progress.csv"), *path.glob("*/error.txt")}
    ):
        place = trial.parent
        beside = [place / name for name in ("result.json", "progress.csv", "error.txt")]
        if trial != next(one for one in beside if one.exists()):
            continue
        last = _last_report(trial)
        given = inside(last, "config", dict) or _parameters(place / "params.json")
        found = {
            k: v
            for k, v in numbers(last).items()
            if k not in run_tables.CLOCKS and not k.startswith("config.")
        }
        name = str(last.get("trial_id") or place.name)
        yield TrackedRun(name, given, found, finished=not (place / "error.txt").exists())


def _last_report(path: Path) -> dict[str, Any]:
    if path.suffix == ".json":
        last: dict[str, Any] = {}
        for number, line in lines_of(path, str(path)):
            last = decoded(line, dict[str, Any], f"line {number} of {path}")
        return last
    if path.suffix == ".csv":
        rows = list(rows_of(path))
        read = {name: number_of(cell) for name, cell in rows[-1].items()} if rows else {}
        return {**(rows[-1] if rows else {}), **{n: v for n, v in read.items() if v is not None}}
    return {}


def _parameters(path: Path) -> dict[str, Any]:
    return document(path, str(path), dict[str, Any]) if path.is_file() else {}
