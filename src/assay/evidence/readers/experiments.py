"""Scores that trackers and tuners keep: MLflow, W&B, Optuna, Ray Tune, Hugging Face's Trainer and Hub, DVC, TabArena.

Each is a folder or a file of runs; a run becomes one score of a model in each measure. Runs of one model are its seeds.
"""

import json
import re
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of, quoted
from assay.evidence.readers import run_tables, wandb_log
from assay.evidence.readers.arff import header_names
from assay.evidence.readers.log_files import decoded, document, head_of, lines_of, rows_of
from assay.evidence.readers.log_items import inside, times_seen
from assay.evidence.readers.tracked_run import (
    DATASET,
    FOLD,
    MODEL,
    SEED,
    TrackedRun,
    numbers,
    text_of,
)
from assay.evidence.reading_options import Told

MAX_RUNS = 100_000


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
    return _optuna(path, told.folds) if tool == "Optuna" else RUNS[tool](path)


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


def _mlflow(path: Path) -> Iterator[TrackedRun]:
    """A local store: its database, or files experiment/run/{metrics,params,tags}; of a metric its last line counts."""
    if path.is_file():
        yield from _mlflow_database(path)
        return
    for metrics in sorted(path.glob("*/*/metrics")):
        run = metrics.parent
        stated = _settings(text_of(run / "meta.yaml"))
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


def _settings(text: str) -> dict[str, str]:
    """The lines `name: value` of a piece of YAML; nothing else of YAML is read."""
    parts = (line.strip().partition(":") for line in text.splitlines())
    return {name: value.partition(" #")[0].strip(" '\"") for name, _, value in parts}


def _mlflow_database(path: Path) -> Iterator[TrackedRun]:
    runs = _asked(
        path,
        "SELECT run_uuid, name, status FROM runs WHERE lifecycle_stage = 'active' "
        "ORDER BY start_time, run_uuid LIMIT ?",
    )
    found = _grouped(
        _asked(path, "SELECT run_uuid, key, value FROM latest_metrics WHERE NOT is_nan LIMIT ?")
    )
    given = _grouped(_asked(path, "SELECT run_uuid, key, value FROM params LIMIT ?"))
    for run, name, status in runs:
        yield TrackedRun(name or run, given.get(run, {}), found.get(run, {}), status == "FINISHED")


def _grouped(rows: Iterable[tuple[Any, ...]]) -> dict[Any, dict[str, Any]]:
    found: dict[Any, dict[str, Any]] = {}
    for run, key, value in rows:
        found.setdefault(run, {})[key] = value
    return found


def _asked(path: Path, question: str) -> list[tuple[Any, ...]]:
    """The rows of a question to an SQLite file, at most a hundred for each run that there may be."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(question, (100 * MAX_RUNS,)).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes damaged bytes as they are
        raise EvidenceError(f"{path} cannot be read as a store of runs: {error}") from None


def _wandb(path: Path) -> Iterator[TrackedRun]:
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


def _optuna(path: Path, folds: int | None) -> Iterator[TrackedRun]:
    """Finished trials of an SQLite storage, each a model; several studies are data sets.

    Values reported on the way are folds only if that is said: most studies report epochs, for pruning.
    """
    what, table, only = "NULL, v.value", "trial_values", "AND v.objective = 0"
    if folds is not None:
        what, table, only = "v.step, v.intermediate_value", "trial_intermediate_values", ""
    rows = _asked(
        path,
        f"SELECT t.number, s.study_name, {what} FROM trials t JOIN studies s USING (study_id) "  # noqa: S608
        f"JOIN {table} v USING (trial_id) WHERE t.state = 'COMPLETE' {only} ORDER BY t.trial_id LIMIT ?",
    )
    several = len({row[1] for row in rows}) > 1
    for number, study, step, value in rows:
        if isinstance(value, float):
            given = {"dataset": study if several else "", "fold": step}
            yield TrackedRun(f"trial {number}", given, {"value": value})


def answers_of(path: Path) -> list[tuple[Any, ...]]:
    """Trial, name and text of the lists that finished trials keep as user attributes: a score for each item."""
    return _asked(
        path,
        "SELECT t.number, a.key, a.value_json FROM trials t JOIN trial_user_attributes a USING (trial_id) "
        "WHERE t.state = 'COMPLETE' AND a.value_json LIKE '[%' ORDER BY t.trial_id, a.key LIMIT ?",
    )


def _ray(path: Path) -> Iterator[TrackedRun]:
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


def _trainer(path: Path) -> Iterator[TrackedRun]:
    """Runs of Hugging Face's Trainer: what they evaluated last, in the first of these files that there is."""
    if path.is_file():
        found = _evaluated(path)
        yield TrackedRun(path.resolve().parent.name, _named_folder(path.resolve().parent), found)
        return
    for run in sorted({path, *(one for one in path.iterdir() if one.is_dir())}):
        states = sorted(run.glob("checkpoint-*/trainer_state.json"), key=_step)
        files = [*(run / name for name in _RESULTS), *states[-1:]]
        kept = next((found for one in files if one.is_file() and (found := _evaluated(one))), None)
        if kept:
            yield TrackedRun(run.name, _named_folder(run), kept)


_RESULTS = ("all_results.json", "eval_results.json", "trainer_state.json")
_CLOCKED = ("runtime", "samples_per_second", "steps_per_second", "samples", "jit_compilation_time")


def _step(state: Path) -> int:
    number = state.parent.name.rpartition("-")[2]
    return int(number) if number.isdecimal() else 0


def _named_folder(run: Path) -> dict[str, str]:
    """`bert-seed1` names a model and its seed."""
    model, _, seed = run.name.rpartition("seed")
    return {"model": model.rstrip("-_ "), "seed": seed.strip("-_= ")} if model else {}


def _evaluated(path: Path) -> dict[str, float]:
    """Measures of the last evaluation, without the clocks."""
    found = document(path, str(path), dict[str, Any])
    history: Sequence[dict[str, Any]] = inside(found, "log_history", list) or ()
    last: dict[str, Any] = next(
        (one for one in reversed(history)
         if isinstance(one, dict) and any(k.startswith("eval_") for k in one)), {}
    )  # fmt: skip
    evaluated = numbers(last or found).items()
    kept = {k.removeprefix("eval_"): v for k, v in evaluated if k.startswith("eval_")}
    return {k: v for k, v in kept.items() if k not in _CLOCKED}


def _dvc(path: Path) -> Iterator[TrackedRun]:
    """What DVC prints as JSON: `metrics show`, `metrics diff`, or `exp show`."""
    shown: Any = document(path, str(path), object)
    if isinstance(shown, list):
        yield from _experiments(shown)
        return
    if _is_diff(shown):
        for side in ("old", "new"):
            files = (file for file in shown.values() if isinstance(file, dict))
            cells = {n: inside(one, side, object) for file in files for n, one in file.items()}
            yield TrackedRun(side, {}, numbers(cells))
        return
    if not isinstance(shown, dict):
        raise EvidenceError(
            f"{path} holds no metrics by revision, as `dvc metrics show --json` prints"
        )
    for revision, one in shown.items():
        yield TrackedRun(revision or "workspace", {}, _of_files(inside(one, "data", dict)))


def _experiments(shown: list[Any]) -> Iterator[TrackedRun]:
    """Experiments; the workspace and the commits they started from would count runs twice."""
    tried = [
        one
        for commit in shown
        for group in inside(commit, "experiments", list) or ()
        for one in inside(group, "revs", list) or ()
    ]
    for one in tried or shown:
        given: dict[str, Any] = {}
        for file in (inside(one, "data.params", dict) or {}).values():
            given |= inside(file, "data", dict) or {}
        found = _of_files(inside(one, "data.metrics", dict))
        name = inside(one, "name", str) or inside(one, "rev", str) or ""
        yield TrackedRun(name, given, found, finished=inside(one, "error", object) is None)


def _of_files(files: dict[str, Any] | None) -> dict[str, float]:
    found: dict[str, float] = {}
    for file in (files or {}).values():
        found |= numbers(inside(file, "data", dict))
    return found


def _is_diff(shown: Any) -> bool:
    inner = next(iter(shown.values()), None) if isinstance(shown, dict) else None
    first = next(iter(inner.values()), None) if isinstance(inner, dict) else None
    return isinstance(first, dict) and {"old", "new"} <= set(first)


_ENTRY = re.compile(
    r"^- dataset:\s*\n(?P<dataset>(?:[ ]{4}.*\n)+)(?P<rest>(?:[ ]{2}.*(?:\n|$))*)", re.MULTILINE
)


def _hub(path: Path) -> Iterator[TrackedRun]:
    """Entries of `.eval_results/*.yaml` in folders named after their models, a value each."""
    files = [path] if path.is_file() else sorted(path.glob("**/.eval_results/*.y*ml"))
    for file in files:
        place = file.resolve().parents[1]
        for entry in _ENTRY.finditer(text_of(file) + "\n"):
            dataset, rest = (_settings(entry[part]) for part in ("dataset", "rest"))
            value = number_of(rest.get("value", ""))
            if value is not None:
                where = "/".join(filter(None, (dataset.get("id"), dataset.get("task_id"))))
                yield TrackedRun(place.name, {"dataset": where}, {"value": value})


RUNS: dict[str, Callable[[Path], Iterator[TrackedRun]]] = {
    "MLflow": _mlflow,
    "W&B": _wandb,
    "Ray Tune": _ray,
    "Hugging Face Trainer": _trainer,
    "Hugging Face Hub": _hub,
    "DVC": _dvc,
}
TOOLS = (*RUNS, "Optuna", "TabArena")
_FOLDERS = (
    ("MLflow", "*/*/metrics"),
    ("W&B", "*run-*/files/wandb-summary.json"),
    ("W&B", "*run-*/run-*.wandb"),
    ("Ray Tune", "*/result.json"),
    ("Ray Tune", "*/progress.csv"),
    *(("Hugging Face Trainer", f"{place}{name}") for name in _RESULTS for place in ("", "*/")),
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
        rows = _asked(path, "SELECT name FROM sqlite_master WHERE type = 'table' LIMIT ?")
    except EvidenceError:
        return None
    names = {row[0] for row in rows}
    if {"studies", "trials", "trial_values"} <= names:
        return "Optuna trials" if answers_of(path) else "Optuna"
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
    return "DVC" if shown or _is_diff(found) else None
