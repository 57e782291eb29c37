"""Scores that trackers and tuners keep: MLflow, W&B, Optuna, Ray Tune, Hugging Face's Trainer, DVC, TabArena.

Each is a folder or a file of runs; a run becomes one score of a model in each measure. Runs of one model are its seeds.
"""

import csv
import json
import sqlite3
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.readers.log_files import decoded, document, head_of, lines_of
from assay.evidence.readers.log_items import times_seen
from assay.evidence.told import Told

MAX_RUNS = 100_000
MODEL = ("model", "estimator", "algorithm", "learner", "method", "model_name", "classifier")
"""Parameters that name the model of a run; without one, runs are models."""
SEED = ("seed", "random_state", "random_seed")
DATASET = ("dataset", "data", "task")

Run = tuple[str, Mapping[str, Any], Mapping[str, float]]
"""The name of a run, its parameters, its measures."""


def records(path: Path, title: str, told: Told, *, tool: str) -> list[dict[str, Any]]:
    """The scores of every run in the measures asked for, or in all that all runs have."""
    runs = list(RUNS[tool](path))
    if not runs:
        raise EvidenceError(f"{title} holds no finished run with a measure")
    if len(runs) > MAX_RUNS:
        raise EvidenceError(f"{title} holds more than {MAX_RUNS:,} runs")
    measures = list(dict.fromkeys(name for _, _, found in runs for name in found))
    wanted = [told.measure] if told.measure else measures
    if told.measure and told.measure not in measures:
        raise EvidenceError(
            f"{title} has no measure {told.measure!r}; it has {quoted(measures, 20)}"
        )
    rows = [
        {
            "model": _named(given, MODEL) or name,
            "dataset": _named(given, DATASET),
            "seed": _named(given, SEED),
            "fold": _named(given, ("fold",)),
            "measure": measure,
            "score": found[measure],
        }
        for name, given, found in runs
        for measure in wanted
        if measure in found
    ]
    return _numbered(rows)


def _named(given: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(given[name]) for name in names if given.get(name) not in (None, "")), "")


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


def _mlflow(path: Path) -> Iterator[Run]:
    """The files of a local store: experiment/run/{metrics,params,tags}; of a metric its last line counts."""
    for metrics in sorted(path.glob("*/*/metrics")):
        run = metrics.parent
        given = {one.name: _text(one) for one in (run / "params").glob("*") if one.is_file()}
        name = _text(run / "tags" / "mlflow.runName") or run.name
        found = {}
        for one in sorted(metrics.rglob("*")):
            last = _text(one).splitlines()[-1:] if one.is_file() else []
            value = number_of(last[0].split()[1]) if last and len(last[0].split()) > 1 else None
            if value is not None:
                found[one.relative_to(metrics).as_posix()] = value
        if found:
            yield name, given, found


def _wandb(path: Path) -> Iterator[Run]:
    """Summaries of runs, as they lie in the folder `wandb`; `config.yaml` names model and seed."""
    for summary in sorted(path.glob("*run-*/files/wandb-summary.json")):
        found = document(summary, str(summary), dict[str, Any])
        yield summary.parents[1].name, _config(summary.with_name("config.yaml")), _numbers(found)


def _config(path: Path) -> dict[str, str]:
    """Names with a value below them, as W&B writes its configuration; nothing else of YAML is read."""
    given, name = {}, ""
    for line in _text(path).splitlines():
        if line and not line[0].isspace():
            name = line.partition(":")[0].strip()
        elif line.strip().startswith("value:"):
            given[name] = line.partition(":")[2].strip().strip("'\"")
    return given


def _optuna(path: Path) -> Iterator[Run]:
    """Finished trials of an SQLite storage, each a model; values reported by step are its folds.

    Where trials reported nothing on the way, each has its final value alone. Several studies are data sets.
    """
    head = "SELECT t.number, s.study_name, {} FROM trials t JOIN studies s USING (study_id) JOIN {} v USING (trial_id) "
    finished = "WHERE t.state = 'COMPLETE' {} ORDER BY t.trial_id LIMIT ?"
    steps = head.format(
        "v.step, v.intermediate_value", "trial_intermediate_values"
    ) + finished.format("")
    values = head.format("NULL, v.value", "trial_values") + finished.format("AND v.objective = 0")
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            rows = store.execute(steps, (MAX_RUNS + 1,)).fetchall()
            rows = rows or store.execute(values, (MAX_RUNS + 1,)).fetchall()
    except sqlite3.Error as error:
        raise EvidenceError(f"{path} cannot be read as a storage of Optuna: {error}") from None
    several = len({row[1] for row in rows}) > 1
    for number, study, step, value in rows:
        if isinstance(value, float):
            given = {"dataset": study if several else "", "fold": step}
            yield f"trial {number}", given, {"value": value}


def _ray(path: Path) -> Iterator[Run]:
    """The last line of every trial's result.json."""
    for result in sorted(path.glob("*/result.json")):
        last: dict[str, Any] = {}
        for number, line in lines_of(result, str(result)):
            last = decoded(line, dict[str, Any], f"line {number} of {result}")
        config = last.get("config")
        given = config if isinstance(config, dict) else {}
        plain = {k: v for k, v in _numbers(last).items() if k not in _CLOCKS}
        if plain:
            yield str(last.get("trial_id") or result.parent.name), given, plain


_CLOCKS = {
    "timestamp", "time_this_iter_s", "time_total_s", "pid", "time_since_restore", "iterations_since_restore",
    "training_iteration", "timesteps_total", "episodes_total",
}  # fmt: skip


def _trainer(path: Path) -> Iterator[Run]:
    """Runs of Hugging Face's Trainer in a folder: the measures that `all_results.json` or `eval_results.json` keeps."""
    for name in ("all_results.json", "eval_results.json"):
        files = sorted({*path.glob(name), *path.glob(f"*/{name}")})
        for file in files:
            found = _numbers(document(file, str(file), dict[str, Any]))
            kept = {k.removeprefix("eval_"): v for k, v in found.items() if k.startswith("eval_")}
            skipped = ("runtime", "samples_per_second", "steps_per_second", "samples")
            kept = {k: v for k, v in kept.items() if k not in skipped}
            run, _, seed = file.parent.name.rpartition("seed")
            if kept:
                named = {"model": run.rstrip("-_ "), "seed": seed.strip("-_= ")} if run else {}
                yield file.parent.name, named, kept
        if files:
            return


def _dvc(path: Path) -> Iterator[Run]:
    """What `dvc metrics show --json` prints: revisions, and the files of measures in each."""
    for revision, one in document(path, str(path), dict[str, Any]).items():
        files = one.get("data") if isinstance(one, dict) else None
        found: dict[str, float] = {}
        for file in (files or {}).values():
            found |= _numbers(file.get("data")) if isinstance(file, dict) else {}
        if found:
            yield revision or "workspace", {}, found


def _tabarena(path: Path) -> Iterator[Run]:
    """Rows of TabArena and bencheval: method, task or dataset, fold or seed, metric_error (less is better)."""
    with path.open(encoding="utf-8-sig", newline="") as stream:
        for row in csv.DictReader(stream):
            error = number_of(row.get("metric_error") or "")
            if error is not None:
                place = row.get("seed") or row.get("fold") or row.get("split") or "1"
                where = row.get("task") or row.get("dataset") or row.get("tid") or ""
                given = {"model": row.get("method"), "dataset": where, "seed": place}
                yield str(row.get("method")), given, {"metric_error": error}


def _numbers(found: Any, before: str = "") -> dict[str, float]:
    """The numbers of nested JSON by their paths; truth values and texts are none."""
    numbers: dict[str, float] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, dict) and not name.startswith("_"):
            numbers |= _numbers(value, f"{before}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and name[:1] != "_":
            numbers[f"{before}{name}"] = float(value)
    return numbers


def _text(path: Path) -> str:
    if not path.is_file() or path.stat().st_size > 2**24:
        return ""
    return path.read_text(encoding="utf-8", errors="replace").strip()


RUNS: dict[str, Callable[[Path], Iterator[Run]]] = {
    "MLflow": _mlflow,
    "W&B": _wandb,
    "Optuna": _optuna,
    "Ray Tune": _ray,
    "Hugging Face Trainer": _trainer,
    "DVC": _dvc,
    "TabArena": _tabarena,
}
_FOLDERS = {
    "MLflow": "*/*/metrics",
    "W&B": "*run-*/files/wandb-summary.json",
    "Ray Tune": "*/result.json",
    "Hugging Face Trainer": "*/all_results.json",
}
COLUMNS = frozenset({"method", "metric_error"})
"""By which a table of TabArena is known."""


def of_folder(path: Path) -> str | None:
    """The tool whose runs lie in a folder."""
    for tool, pattern in _FOLDERS.items():
        first = next(path.glob(pattern), None)
        if first is not None and (tool != "Ray Tune" or b'"trial_id"' in head_of(first)):
            return tool
    return "Hugging Face Trainer" if (path / "all_results.json").is_file() else None


def of_database(path: Path) -> str | None:
    """Optuna, where an SQLite file has its tables."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            names = {
                row[0]
                for row in store.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
            }
    except sqlite3.Error:
        return None
    return "Optuna" if {"studies", "trials", "trial_values"} <= names else None


def is_dvc(head: bytes) -> bool:
    """Whether a document is what `dvc metrics show --json` prints."""
    try:
        found = json.loads(head)
    except (ValueError, RecursionError):
        return False
    inner = next(iter(found.values()), None) if isinstance(found, dict) else None
    files = inner.get("data") if isinstance(inner, dict) else None
    return isinstance(files, dict) and all(
        isinstance(f, dict) and "data" in f for f in files.values()
    )
