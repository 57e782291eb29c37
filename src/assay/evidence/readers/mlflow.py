"""Runs of MLflow: its folder of files, or its database."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from assay.evidence.cell_text import number_of
from assay.evidence.readers.tracked_run import TrackedRun, asked, settings, text_of


def runs_of(path: Path) -> Iterator[TrackedRun]:
    """A local store: its database, or files experiment/run/{metrics,params,tags}; of a metric its last line counts."""
    if path.is_file():
        yield from _of_database(path)
        return
    for metrics in sorted(path.glob("*/*/metrics")):
        run = metrics.parent
        stated = settings(text_of(run / "meta.yaml"))
        if stated.get("lifecycle_stage") == "deleted":
            continue
        given = {one.name: text_of(one) for one in (run / "params").glob("*") if one.is_file()}
        found = {}
        for one in sorted(metrics.rglob("*")):
            last = text_of(one).splitlines()[-1:] if one.is_file() else []
            value = number_of(last[0].split()[1]) if last and len(last[0].split()) > 1 else None
            if value is not None:
                found[one.relative_to(metrics).as_posix()] = value
        name = text_of(run / "tags" / "mlflow.runName") or run.name
        yield TrackedRun(name, given, found, finished=stated.get("status", _ENDED) == _ENDED)


_ENDED = "3"
"""The number of the status FINISHED in MLflow's files."""


def _of_database(path: Path) -> Iterator[TrackedRun]:
    runs = asked(
        path,
        "SELECT run_uuid, name, status FROM runs WHERE lifecycle_stage = 'active' "
        "ORDER BY start_time, run_uuid LIMIT ?",
    )
    found = _grouped(
        asked(path, "SELECT run_uuid, key, value FROM latest_metrics WHERE NOT is_nan LIMIT ?")
    )
    given = _grouped(asked(path, "SELECT run_uuid, key, value FROM params LIMIT ?"))
    for run, name, status in runs:
        yield TrackedRun(name or run, given.get(run, {}), found.get(run, {}), status == "FINISHED")


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for run, key, value in rows:
        found.setdefault(run, {})[key] = value
    return found
