"""Jobs of a study that is about to start: what a table holds, and the study as a file with a store."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, EvidenceError
from assay.evidence.cell_text import class_text, is_missing
from assay.store.store import Store
from assay.study.datasets import Dataset, resolve
from assay.study.feature_tables import Cells, Task, read_any
from assay.study.learners import ALLOWED, Learner
from assay.study.spec import Study
from assay.study.splits import Resampling
from assay.study.study_files import read_study
from assay.web.jobs import failed
from assay.web.limits import MAX_COLUMNS, MAX_STUDY_TASKS
from assay.web.reading_form import in_page_words
from assay.web.study_folder import DATA, FILE, STORE
from assay.web.study_offers import LEARNERS, MEASURES, TASK_WORDS

TARGETS = ("target", "label", "class", "y", "outcome")
"""Names of a column that learners are to predict, the likeliest first; else it is the last one."""


def table_columns(path: str) -> dict[str, Any]:
    """The columns of an uploaded table, and what is proposed for each."""
    try:
        columns = read_any(Path(path))
    except AssayError as error:
        return failed(type(error).__name__, _plain(error, path))
    names = list(columns)
    if len(names) > MAX_COLUMNS:
        message = f"The page takes at most {MAX_COLUMNS} columns; this table has {len(names):,}."
        return failed("UsageError", message)
    lower = {name.strip().lower(): name for name in reversed(names)}
    target = next((lower[word] for word in TARGETS if word in lower), names[-1])
    return {
        "rows": len(columns[names[0]]),
        "columns": names,
        "target": target,
        "ids": [name for name in names if name != target and _is_id(name, columns[name])],
    }


def _is_id(name: str, cells: Cells) -> bool:
    """Whether a column names its rows: text, or whole numbers called an id, with no value twice."""
    listed = cells.tolist()
    called = name.strip().lower() in ("id", "index", "row", "uuid") or name.lower().endswith("_id")
    texts = all(isinstance(cell, str) and not _is_number(cell) for cell in listed)
    return (texts or called) and len(listed) > 1 and len(set(map(str, listed))) == len(listed)


def _is_number(text: str) -> bool:
    try:
        float(text.replace(",", "."))
    except ValueError:
        return False
    return True


class Wrong(Exception):
    """What is wrong with one field of the form."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


def prepare_study(
    folder: str,
    title: str,
    seed: int,
    datasets: Sequence[str],
    files: Sequence[dict[str, Any]],
    learners: Sequence[str],
    resampling: dict[str, Any],
    measures: Sequence[str],
) -> dict[str, Any]:
    """Write the file of a study and plan it in its store; an error names the field it is about."""
    try:
        loaded = _loaded(Path(folder), datasets, files)
        task = _one_task(loaded, files)
        table = {
            "name": title,
            "seed": seed,
            "measures": list(measures),
            "datasets": [*datasets, *(_source(one) for one in files)],
            "resampling": resampling,
            "learners": _learners(learners, task),
        }
        path = Path(folder) / FILE
        path.write_text(_toml(table), encoding="utf-8")
        _tried(read_study(path, ALLOWED)["learners"], loaded, resampling, measures, task)
    except Wrong as error:
        return failed("UsageError", str(error), error.field)
    plan = Study.from_toml(path).plan()
    with Store.open(Path(folder) / STORE) as store:
        store.plan(plan)
    return {"name": title, "tasks": len(plan.entries)}


def _loaded(
    folder: Path, datasets: Sequence[str], files: Sequence[dict[str, Any]]
) -> dict[str, Dataset]:
    found = {name: resolve(name) for name in datasets}
    for one in files:
        path = folder / DATA / one["file"]
        options = {name: one[name] or None for name in ("target", "task", "groups")}
        try:
            data = resolve(path, name=one["name"], ignore=one["ignore"], **options)
            _refuse_many_categories(data)
        except AssayError as error:
            raise Wrong(f"file-{one['key']}", _plain(error, str(path))) from None
        found[one["name"]] = data
    return found


def _refuse_many_categories(data: Dataset) -> None:
    """A column of free text becomes a feature for each of its values: that is a slip of the pen."""
    if data.X.dtype != object:
        return
    for name, cells in zip(data.features, data.X.T, strict=True):
        texts = {class_text(cell) for cell in cells.tolist() if not is_missing(cell)}
        if len(texts) > 20 and len(texts) > data.n / 2:
            raise EvidenceError(
                f"the column {name!r} has {len(texts):,} different texts in {data.n:,} rows: leave it out"
            )


def _one_task(loaded: Mapping[str, Dataset], files: Sequence[dict[str, Any]]) -> Task:
    """Whether classes or numbers are predicted; no learner and no measure does both."""
    kinds: dict[Task, str] = {}
    for name, data in loaded.items():
        kinds.setdefault(data.task, name)
    if len(kinds) > 1:
        told = " and ".join(f"{TASK_WORDS[task]} ({name})" for task, name in kinds.items())
        last = list(kinds.values())[-1]
        of_file = next((f"file-{one['key']}" for one in files if one["name"] == last), "dataset")
        raise Wrong(of_file, f"The data sets ask for {told}: keep the two kinds in two studies.")
    return next(iter(kinds))


def _source(one: dict[str, Any]) -> dict[str, Any]:
    table = {"source": f"{DATA}/{one['file']}", "name": one["name"], "ignore": one["ignore"]}
    said = {name: one[name] for name in ("target", "task", "groups") if one[name]}
    return {**table, **said}


def _learners(names: Sequence[str], task: Task) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in names:
        steps = LEARNERS[name].steps(task)
        if not steps:
            words = TASK_WORDS[task]
            raise Wrong("learner", f"{name} cannot predict {words}: leave it out.")
        tables = [
            {"estimator": step, **({"params": params} if params else {})} for step, params in steps
        ]
        found[name] = tables[0] if len(tables) == 1 else {"steps": tables}
    return found


def _tried(
    learners: dict[str, Learner],
    loaded: dict[str, Dataset],
    resampling: dict[str, Any],
    measures: Sequence[str],
    task: Task,
) -> None:
    """Build the study piece by piece, so that what is refused is known by its field."""
    try:
        study = Study(learners=learners, datasets=loaded, resampling=resampling)
    except AssayError as error:
        raise Wrong("scheme", in_page_words(error)) from None
    splits = sum(Resampling(**resampling).count(data) for data in loaded.values())
    tasks = splits * len(study.learners)
    if tasks > MAX_STUDY_TASKS:
        raise Wrong(
            "scheme",
            f"These are {tasks:,} fits; the page starts at most {MAX_STUDY_TASKS:,}. Take fewer folds "
            "or repeats, or use the command line: assay run study.toml.",
        )
    other = [name for name in measures if name not in MEASURES[task]]
    if other:
        raise Wrong("measure", f"{other[0]} does not judge {TASK_WORDS[task]}: leave it out.")
    try:
        Study(learners=learners, datasets=loaded, resampling=resampling, measures=measures)
    except AssayError as error:
        raise Wrong("measure", in_page_words(error)) from None


def _plain(error: AssayError, path: str) -> str:
    """The words of an error, with the name of the file in place of where it lies."""
    return in_page_words(str(error).replace(path, Path(path).name))


def _toml(table: Mapping[str, Any]) -> str:
    """A study file; what visitors called things stands in quotes, escaped."""
    head = [f"{key} = {_value(value)}" for key, value in table.items() if key != "learners"]
    parts = [
        f"\n[learners.{name}]\n" + "\n".join(f"{key} = {_value(one)}" for key, one in facts.items())
        for name, facts in table["learners"].items()
    ]
    return "\n".join(["# assay run study.toml --store study.db", *head, *parts, ""])


def _value(value: Any) -> str:
    """A value of TOML; a string of JSON is one of TOML once DEL is escaped as well."""
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{key} = {_value(one)}" for key, one in value.items()) + " }"
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(_value, value))}]"
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "table_columns": table_columns,
    "prepare_study": prepare_study,
}
