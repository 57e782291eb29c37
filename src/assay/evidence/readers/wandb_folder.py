"""Runs of W&B as they lie in the folder `wandb`."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from assay.evidence.readers import wandb_log
from assay.evidence.readers.log_files import document
from assay.evidence.readers.tracked_run import TrackedRun, numbers, text_of


def runs_of(path: Path) -> Iterator[TrackedRun]:
    """Runs as they lie in the folder `wandb`: the log of an offline run, or the summary of one that was synced."""
    if path.is_file():
        yield _summarised(path) if path.suffix == ".json" else wandb_log.run_of(path)
        return
    for run in sorted({*path.glob("run-*"), *path.glob("offline-run-*")}):
        summary = run / "files" / "wandb-summary.json"
        logs = sorted(run.glob("run-*.wandb"))
        if logs:
            yield wandb_log.run_of(logs[0])
        elif summary.is_file():
            yield _summarised(summary)


def _summarised(summary: Path) -> TrackedRun:
    found = numbers(document(summary, str(summary), dict[str, Any]))
    return TrackedRun(
        summary.resolve().parents[1].name, _config(summary.with_name("config.yaml")), found
    )


def _config(path: Path) -> dict[str, str]:
    """Names with a value below them, as W&B writes its configuration; nothing else of YAML is read."""
    given, name = {}, ""
    for line in text_of(path).splitlines():
        if line and not line[0].isspace():
            name = line.partition(":")[0].strip()
        elif line.strip().startswith("value:"):
            given[name] = line.partition(":")[2].strip().strip("'\"")
    return given
