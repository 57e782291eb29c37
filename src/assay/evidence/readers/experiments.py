"""Scores that trackers and tuners keep: MLflow, W&B, Optuna, Ray Tune, Hugging Face's Trainer and Hub, DVC, TabArena.

Each is a folder or a file of runs; a run becomes one score of a model in each measure. Runs of one model are its seeds.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import quoted
from assay.evidence.readers import (
    dvc,
    hugging_face,
    mlflow,
    optuna,
    ray_tune,
    run_tables,
    wandb_folder,
)
from assay.evidence.readers.arff import header_names
from assay.evidence.readers.log_files import head_of
from assay.evidence.readers.log_items import inside, times_seen
from assay.evidence.readers.tracked_run import (
    DATASET,
    FOLD,
    MAX_RUNS,
    MODEL,
    SEED,
    TrackedRun,
    asked,
)
from assay.evidence.reading_options import Told


def records(path: Path, title: str, told: Told, *, tool: str) -> list[dict[str, Any]]:
    """The scores of every run in the measures asked for, or in all that runs have."""
    runs = _finished(list(_runs(path, title, told, tool)), title, told.unscored)
    measures = list(dict.fromkeys(name for run in runs for name in run.found))
    if not measures:
        raise EvidenceError(f"{title} holds no finished run with a measure")
    if len(runs) > MAX_RUNS:
        raise EvidenceError(f"{title} holds more than {MAX_RUNS:,} runs")
    wanted = [told.measure] if told.measure else measures
    if told.measure and told.measure not in measures:
        raise EvidenceError(
            f"{title} has no measure {told.measure!r}; it has {quoted(measures, 20)}"
        )
    rows = [
        {
            "model": run.role(MODEL) or _without_seed(run.name, run.role(SEED)),
            "dataset": run.role(DATASET),
            "seed": run.role(SEED),
            "fold": run.role(FOLD),
            "measure": measure,
            "score": run.found[measure],
        }
        for run in runs
        for measure in wanted
        if measure in run.found
    ]
    if len(runs) > 1:  # a file of one run may be one of several sources
        _refuse_single(rows, title, tool)
    return _numbered(rows)


def _without_seed(name: str, seed: str) -> str:
    """The name of a run without the seed at its end: vit of vit-3, where 3 is its seed."""
    end = rf"[ _./-]+(?:seed|s)?[ _=-]*{re.escape(seed)}$" if seed else "$"
    return re.sub(end, "", name) or name


def _refuse_single(rows: list[dict[str, Any]], title: str, tool: str) -> None:
    """One number of each model has no spread, and without a spread nothing can be decided."""
    if any(row["dataset"] or row["fold"] for row in rows):
        return
    if max(times_seen(repr((row["model"], row["measure"])) for row in rows)) == 1:
        models = quoted(dict.fromkeys(row["model"] for row in rows))
        folds = "; if trials reported a value for each fold, say how many: folds=5"
        raise EvidenceError(
            f"{title} holds one run of each model ({models}); one score of each says nothing about spread. "
            "Run each with several seeds, name the model of each run in a column called model, "
            "or compare predictions item by item" + (folds if tool == "Optuna" else "")
        )


def _runs(path: Path, title: str, told: Told, tool: str) -> Iterator[TrackedRun]:
    """The runs of a tool: of its folder, its database, its document, or a table that it exported."""
    table = path.is_file() and run_tables.of_columns(header_names(head_of(path))) == tool
    if table:
        return run_tables.runs_of(path, title, tool)
    return optuna.runs_of(path, told.folds) if tool == "Optuna" else RUNS[tool](path)


def _finished(runs: list[TrackedRun], title: str, unscored: str) -> list[TrackedRun]:
    """Runs that ended well: what another measured last is what it had reached when it stopped."""
    broken = [run.name for run in runs if not run.finished]
    if broken and unscored != "drop":
        raise EvidenceError(
            f"{len(broken)} of {len(runs)} runs of {title} did not finish: {quoted(broken)}; run them "
            "again, or leave them out with unscored='drop'"
        )
    return [run for run in runs if run.finished]


def _numbered(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Runs that nothing tells apart get a number for a seed; columns that nobody fills are left out."""
    if not any(row["seed"] or row["fold"] for row in rows):
        keys = [repr((row["model"], row["dataset"], row["measure"])) for row in rows]
        for row, time in zip(rows, times_seen(keys), strict=True):
            row["seed"] = str(time)
    several = any(row["dataset"] for row in rows)
    return [
        {key: value for key, value in row.items() if key != "dataset" or several} for row in rows
    ]


RUNS: dict[str, Callable[[Path], Iterator[TrackedRun]]] = {
    "MLflow": mlflow.runs_of,
    "W&B": wandb_folder.runs_of,
    "Ray Tune": ray_tune.runs_of,
    "Hugging Face Trainer": hugging_face.trained,
    "Hugging Face Hub": hugging_face.published,
    "DVC": dvc.runs_of,
}
TOOLS = (*RUNS, "Optuna", "TabArena")
_FOLDERS = (
    ("MLflow", "*/*/metrics"),
    ("W&B", "*run-*/files/wandb-summary.json"),
    ("W&B", "*run-*/run-*.wandb"),
    ("Ray Tune", "*/result.json"),
    ("Ray Tune", "*/progress.csv"),
    *(
        ("Hugging Face Trainer", f"{place}{name}")
        for name in hugging_face.RESULTS
        for place in ("", "*/")
    ),
    ("Hugging Face Trainer", "*/checkpoint-*/trainer_state.json"),
    ("Hugging Face Hub", ".eval_results/*.y*ml"),
    ("Hugging Face Hub", "*/.eval_results/*.y*ml"),
    ("Hugging Face Hub", "*/*/.eval_results/*.y*ml"),
)
_SIGNS = {"Ray Tune": b"trial_id", "Hugging Face Trainer": b'"eval_'}
"""What the beginning of a file holds, where its name alone could be anybody's."""


def of_folder(path: Path) -> str | None:
    """The tool whose runs lie in a folder."""
    for tool, pattern in _FOLDERS:
        first = next(path.glob(pattern), None)
        if first is not None and (tool not in _SIGNS or _SIGNS[tool] in head_of(first)):
            return tool
    return None


def of_database(path: Path) -> str | None:
    """Optuna or MLflow, where an SQLite file has their tables."""
    try:
        rows = asked(path, "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT ?")
    except EvidenceError:
        return None
    names = {row[0] for row in rows}
    if {"studies", "trials", "trial_values"} <= names:
        return "Optuna trials" if optuna.lists_of(path) else "Optuna"
    return "MLflow" if {"runs", "latest_metrics", "params"} <= names else None


def of_document(head: bytes) -> str | None:
    """The tool that wrote a JSON document with this beginning."""
    if re.search(rb'"log_history"\s*:', head) and re.search(rb'"global_step"\s*:', head):
        return "Hugging Face Trainer"
    if re.match(rb'\[\{"rev"\s*:', head) and re.search(rb'"(?:metrics|experiments)"\s*:', head):
        return "DVC"
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    if {"_runtime", "_step"} <= set(found):
        return "W&B"
    inner = next(iter(found.values()), None)
    files = inside(inner, "data", dict) or {}
    shown = bool(files) and all(inside(one, "data", dict) is not None for one in files.values())
    return "DVC" if shown or dvc.is_diff(found) else None
