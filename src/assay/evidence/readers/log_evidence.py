"""Evidence from logs of evaluation harnesses and from results of other tools."""

import fnmatch
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError, UsageError
from assay.core.measure_names import better_side
from assay.evidence.cell_text import quoted
from assay.evidence.duckdb_connection import parts_of
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers import openml, sklearn_results
from assay.evidence.readers.log_formats import PREDICTIONS, READERS, TABLES, known_files
from assay.evidence.readers.log_items import MAX_RUNS, TASK, Log, LogRequest, LogRun
from assay.evidence.readers.log_join import chosen, join_runs, named_apart
from assay.evidence.readers.split_design import indices_of, told_by
from assay.evidence.reading_options import Told
from assay.evidence.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True)
class LogSource:
    """A path, what it is called in messages, and the files in it that some reader knows."""

    path: Path
    title: str
    files: Sequence[tuple[Path, str]]


def read_logged(
    sources: Sequence[Any], asked: Told, *, as_table: bool = False
) -> Predictions | Unpaired | Scores | None:
    """Evidence that another tool left behind; None where the sources are, or are called, tables."""
    if len(sources) == 1 and not as_table:
        search = sources[0]
        if hasattr(search, "cv_results_"):
            splits = {"indices": rows} if (rows := indices_of(search)) else {}
            return _of_scikit_learn({**search.cv_results_, **splits}, told_by(search, asked))
        if isinstance(search, Mapping):
            found = _of_scikit_learn(search, asked)
            if found is None:
                _refuse_options(asked, sources)
            return found
    opened = [] if as_table else _opened(sources)
    kinds = {kind for source in opened for _, kind in source.files[:1]}
    if not kinds:
        _refuse_options(asked, sources)
        return None
    plain = [source.title for source in opened if not source.files]
    if plain:
        judged = (
            "; score a run with the judgements of its queries, trec_eval -q QRELS RUN > run.txt"
        )
        raise EvidenceError(
            f"{quoted(plain)} cannot be joined with a log of {quoted(kinds)}{judged if kinds == {'trec_eval'} else ''}"
        )
    try:
        if kinds <= set(READERS):
            return _items(opened, asked)
        if kinds <= set(TABLES):
            return _of_tables(opened, asked, rising="scikit-learn" in kinds)
        if kinds == {PREDICTIONS}:
            _refuse_slices(asked.slice)
            return openml.read([(source.path, source.title) for source in opened], asked)
    except RecursionError:
        raise EvidenceError(
            f"{quoted([source.title for source in opened])}: too deeply nested"
        ) from None
    raise EvidenceError(f"results of {quoted(sorted(kinds))} cannot be joined with each other")


def _of_scikit_learn(results: Mapping[str, Any], asked: Told) -> Scores | None:
    """Scores by fold that scikit-learn returned; None where a mapping is another."""
    by_set = sklearn_results.by_data_set(results, asked)
    if not by_set:
        return None
    _refuse_slices(asked.slice)
    records = [
        record
        for name, each in by_set.items()
        for record in sklearn_results.records(each, dataset=name, told=asked)
    ]
    found = _as_scores(records, ["scikit-learn"], asked, rising=True)
    return replace(found, notes=sklearn_results.notes_of(next(iter(by_set.values())), asked))


def _of_tables(sources: Sequence[LogSource], asked: Told, *, rising: bool) -> Scores:
    """Scores in files; ``task`` names data sets where they have several."""
    _refuse_slices(asked.slice)
    records = []
    for source in sources:
        ((path, kind),) = source.files
        found = TABLES[kind](path, source.title, asked)
        known = list(dict.fromkeys(str(record.get("dataset", "")) for record in found))
        kept = _meant(known, asked.task)
        if not kept:
            raise EvidenceError(
                f"{source.title} has no data set {quoted(_patterns(asked.task))}; it has {quoted(known, 30)}"
            )
        records += [record for record in found if str(record.get("dataset", "")) in kept]
    return _as_scores(records, [source.title for source in sources], asked, rising=rising)


def _as_scores(
    records: Sequence[Mapping[str, Any]], titles: Sequence[str], asked: Told, *, rising: bool
) -> Scores:
    """Every scorer of scikit-learn rises; those that negate a loss were turned back."""
    found = Scores.from_records(records, unit=asked.unit, models=asked.listed, sources=titles)
    if not rising:
        return found
    sides = {name: "higher" for name in found.measures if better_side(name) is None}
    return replace(found, directions=sides)


def _patterns(task: str | Sequence[str] | None) -> list[str]:
    return ["*"] if task is None else [task] if isinstance(task, str) else list(task)


def _meant(names: Iterable[str], task: str | Sequence[str] | None) -> set[str]:
    """The names that ``task`` stands for: a name, a pattern or a list; all, where nothing was said."""
    patterns = _patterns(task)
    return {n for n in names if any(n == each or fnmatch.fnmatchcase(n, each) for each in patterns)}


def _refuse_slices(key: str | None) -> None:
    if key is not None:
        raise UsageError(
            f"slices of a log are by a key of its items, or slice='task', without cluster=; {key!r} gives none here"
        )


def _opened(sources: Sequence[Any]) -> list[LogSource]:
    """The sources with the files that are known; none where one is no path or is not there."""
    opened = []
    for source in sources:
        try:
            path = Path(source).expanduser()
            there = path.exists() and bool(str(path).encode())
        except (TypeError, OSError, RuntimeError, ValueError):
            there = False  # also of a name that is not UTF-8
        if not there:
            return []  # said better where tables are opened
        files = known_files(path)
        if path.is_dir() and not files:
            if parts_of(path):
                return []  # a table in parts
            raise EvidenceError(
                f"{source} is a directory without a log of items that assay knows and without "
                "Parquet files; give the files"
            )
        opened.append(LogSource(path=path, title=str(source), files=files))
    return opened


def _refuse_options(asked: Told, sources: Sequence[Any]) -> None:
    if asked.of_logs:
        named = str(sources[0]) if isinstance(sources[0], str | Path) else "the data"
        raise UsageError(
            "metric=, task= and unscored= are for logs of evaluation harnesses; "
            f"{named} is none, or is not there. To choose a measure use measure="
        )


def _items(sources: Sequence[LogSource], asked: Told) -> Predictions | Unpaired:
    """The runs in logs of items, joined."""
    if asked.id not in (None, "hash"):
        raise UsageError(f"logs are joined by their own ids, or by id='hash'; got id={asked.id!r}")
    if asked.unit not in (None, "item"):
        raise UsageError(f"logs hold items; got unit={asked.unit!r}")
    if asked.cluster is not None or not asked.paired:
        _refuse_slices(asked.slice)
    key = asked.slice or asked.cluster
    task = "*" if key == TASK and asked.task is None else asked.task
    runs = _runs(sources, LogRequest(asked.metric, key), task)
    if any(run.shape == "attempts" for run in runs):
        _refuse_slices(asked.slice)
    return join_runs(
        chosen(runs, asked.models),
        key=key,
        role="cluster" if asked.slice is None else "slice",
        by_content=asked.id == "hash",
        paired=asked.paired,
        policy=asked.on_mismatch,
        unscored=asked.unscored,
    )


def _logs(source: LogSource) -> list[Log]:
    found: list[Log] = []
    for file, kind in source.files:
        within = Path(source.title) / file.relative_to(source.path)
        found += READERS[kind](file, source.title if file == source.path else str(within))
    return found


def _runs(
    sources: Sequence[LogSource], wanted: LogRequest, task: str | Sequence[str] | None
) -> list[LogRun]:
    """One run per source and model, with the tasks asked for pooled into it."""
    grouped: dict[tuple[str, int], list[Log]] = {}
    for place, source in enumerate(sources):
        for log in _of_tasks(_logs(source), source.title, task):
            grouped.setdefault((log.model, place), []).append(log)
    if len(grouped) > MAX_RUNS:
        raise EvidenceError(f"there are more than {MAX_RUNS:,} models in these logs")
    titles = [sources[place].title for _, place in grouped]
    names = named_apart([model for model, _ in grouped], titles)
    pooled = any(len(logs) > 1 for logs in grouped.values())
    runs = []
    for name, title, logs in zip(names, titles, grouped.values(), strict=True):
        _refuse_reruns(logs)
        runs.append(_pooled(name, title, [log.run(wanted) for log in logs], pooled=pooled))
    return runs


def _of_tasks(logs: Sequence[Log], title: str, task: str | Sequence[str] | None) -> Sequence[Log]:
    tasks = list(dict.fromkeys(log.task for log in logs))
    if task is None:
        if len(tasks) > 1:
            raise EvidenceError(
                f"{title} holds {len(tasks)} tasks: {quoted(tasks, 30)}. Choose one with task='{tasks[0]}', or pool "
                "all items with task='*'. To compare each task and all of them, add slice='task' to compare. To rank "
                "by the mean of task means, add suite='task' to board"
            )
        return logs
    groups = list(dict.fromkeys(group for log in logs for group in log.groups))
    meant = _meant(tasks, task) | (set(groups) & set(_patterns(task)))
    kept = [log for log in logs if meant & {log.task, *log.groups}]
    if not kept:
        also = f", in groups {quoted(groups, 30)}" if groups else ""
        raise EvidenceError(
            f"{title} has no task {quoted(_patterns(task))}; it has {quoted(tasks, 30)}{also}"
        )
    return kept


def _refuse_reruns(logs: Sequence[Log]) -> None:
    first = {log.task: log for log in reversed(logs)}
    for log in logs:
        if log is not first[log.task]:
            raise EvidenceError(
                f"{first[log.task].title} and {log.title} are both runs of {log.model!r} on "
                f"{log.task!r}. Give only the file you want, or both files as two sources"
            )


def _pooled(model: str, title: str, runs: Sequence[LogRun], *, pooled: bool) -> LogRun:
    """The tasks of a model as one run; an item is then known by its task too."""
    first = runs[0]
    if not pooled:
        return replace(first, model=model)
    if len({(run.shape, run.higher) for run in runs}) > 1:
        listed = "; ".join(f"{run.metric!r} of {run.task!r}" for run in runs)
        raise EvidenceError(f"the tasks of {title} cannot be pooled: {listed}")
    return replace(
        first,
        model=model,
        title=title if len(runs) > 1 else first.title,
        task=first.task if len(runs) == 1 else f"{len(runs)} tasks",
        metric=first.metric if len({run.metric for run in runs}) == 1 else "scores",
        items=tuple(
            item._replace(id=f"{run.task}/{item.id}") for run in runs for item in run.items
        ),
        notes=tuple(found for run in runs for found in run.notes),
        reported={name: said for run in runs for name, said in run.reported.items()},
        logs=tuple(log for run in runs for log in run.logs),
    )
