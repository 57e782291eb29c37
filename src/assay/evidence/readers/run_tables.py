"""Tables of runs that trackers export as CSV, a row a run: MLflow, W&B, Ray Tune, DVC, Optuna, TabArena."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of
from assay.evidence.readers.arff import header_names
from assay.evidence.readers.log_files import head_of, rows_of
from assay.evidence.readers.tracked_run import DATASET, FOLD, ROLES, SEED, TrackedRun, numbers

CLOCKS = frozenset({
    "timestamp", "time_this_iter_s", "time_total_s", "pid", "time_since_restore", "iterations_since_restore",
    "training_iteration", "timesteps_total", "episodes_total", "timesteps_since_restore", "warmup_time",
})  # fmt: skip
"""What Ray Tune reports beside measures."""


class RunTable(NamedTuple):
    """By which columns a table is known, and which of its columns mean what."""

    columns: frozenset[str]
    name: tuple[str, ...]
    """Columns that name the run, the first that is filled."""
    given: str = ""
    """How columns of parameters begin; where nothing tells them from measures, all columns are both."""
    found: str = ""
    """How columns of measures begin."""
    state: str = ""
    finished: str = ""
    """What the column ``state`` says of a run that ended well."""
    beside: frozenset[str] = frozenset()
    """Columns that are no measures."""


TABLES = {
    "MLflow": RunTable(
        frozenset({"run_id", "experiment_id", "status"}),
        ("tags.mlflow.runName", "run_id"),
        given="params.",
        found="metrics.",
        state="status",
        finished="FINISHED",
    ),
    "W&B": RunTable(
        frozenset({"Name", "State", "Created", "Runtime"}),
        ("Name",),
        state="State",
        finished="finished",
        beside=frozenset({"Name", "State", "Created", "Runtime", "Notes", "User", "Tags", "Sweep", "ID"}),
    ),
    "Ray Tune": RunTable(
        frozenset({"trial_id", "training_iteration", "time_total_s"}),
        ("trial_id",),
        given="config/",
        beside=CLOCKS,
    ),
    "DVC": RunTable(
        frozenset({"Experiment", "rev", "typ"}),
        ("Experiment", "rev"),
        beside=frozenset({"Experiment", "rev", "typ", "Created", "parent", "State", "Executor"}),
    ),
    "Optuna": RunTable(
        frozenset({"number", "value", "state", "datetime_start"}),
        ("number",),
        given="params_",
        found="value",
    ),
}  # fmt: skip
PROJECT = frozenset({"summary", "config", "name"})
"""Columns of the table that W&B's documentation shows how to export: texts of dictionaries."""
TABARENA = frozenset({"method", "metric_error"})
CURVE = ("__MIN", "__MAX")
"""How columns end that W&B exports of a chart: values by step, not by run."""


def of_columns(names: set[str]) -> str | None:
    """The tool whose table of runs has these columns."""
    if names >= TABARENA:
        return "TabArena"
    if names >= PROJECT and len(names) <= len(PROJECT) + 1:
        return "W&B"
    if "Step" in names and any(name.endswith(CURVE) for name in names):
        return "W&B"
    return next((tool for tool, table in TABLES.items() if names >= table.columns), None)


def runs_of(path: Path, title: str, tool: str) -> Iterator[TrackedRun]:
    """The runs of a table, one a row."""
    rows = rows_of(path)
    names = header_names(head_of(path))
    if tool == "TabArena":
        return (run for row in rows if (run := _tabarena(row)) is not None)
    if names >= PROJECT:
        return (_project(row, f"line {place} of {title}") for place, row in enumerate(rows, 2))
    if tool not in TABLES or not names >= TABLES[tool].columns:
        raise EvidenceError(
            f"{title} holds a curve by step, as W&B exports a chart; the steps of a run are not "
            "independent. Give the folder wandb, or export the table of runs and name its measure with measure="
        )
    return _experiments(list(rows)) if tool == "DVC" else (_run(row, TABLES[tool]) for row in rows)


def _run(row: dict[str, Any], table: RunTable) -> TrackedRun:
    """A row by the record of its table."""
    filled = {name: cell for name, cell in row.items() if isinstance(name, str) and cell}
    given = after(filled, table.given)
    beside = table.beside | (ROLES if not table.given else frozenset())
    found = {
        name: value
        for name, cell in after(filled, table.found).items()
        if name not in beside
        and not (table.given and name.startswith(table.given))
        and (value := number_of(cell)) is not None
    }
    if table.found == "value":  # one number a trial, which has no other name
        found = {"value": found[""]} if "" in found else {}
    name = next((filled[one] for one in table.name if one in filled), "")
    state = filled.get(table.state, table.finished)
    return TrackedRun(name, given, found, finished=state == table.finished)


def after(row: Mapping[str, Any], start: str) -> dict[str, Any]:
    """The cells of the columns that begin so, by the rest of their names."""
    return {name.removeprefix(start): cell for name, cell in row.items() if name.startswith(start)}


def _experiments(rows: list[dict[str, Any]]) -> Iterator[TrackedRun]:
    """Experiments of DVC; the workspace and the commits they started from would count runs twice."""
    tried = [row for row in rows if row["typ"].startswith("branch")]
    return (_run(row, TABLES["DVC"]) for row in tried or rows)


def _project(row: dict[str, Any], where: str) -> TrackedRun:
    try:
        summary, config = (ast.literal_eval(row[name]) for name in ("summary", "config"))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        raise EvidenceError(
            f"{where}: 'summary' and 'config' are to be texts of dictionaries of plain values"
        ) from None
    if not isinstance(summary, dict) or not isinstance(config, dict):
        raise EvidenceError(f"{where}: 'summary' and 'config' are to be texts of dictionaries")
    return TrackedRun(str(row["name"]), config, numbers(summary))


def _tabarena(row: dict[str, Any]) -> TrackedRun | None:
    """Method, task or dataset, fold or seed, metric_error (less is better)."""
    error = number_of(row.get("metric_error") or "")
    if error is None:
        return None
    place = next((row[one] for one in (*SEED, *FOLD, "split") if row.get(one)), "1")
    where = next((row[one] for one in ("task", *DATASET, "tid") if row.get(one)), "")
    given = {"model": row.get("method"), "dataset": where, "seed": place}
    return TrackedRun(str(row.get("method")), given, {"metric_error": error})
