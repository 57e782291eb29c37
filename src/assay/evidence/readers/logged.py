"""Evidence from logs of evaluation harnesses and from results of other tools."""

import fnmatch
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError, UsageError
from assay.core.measure_names import better_side
from assay.evidence.cell_text import plural, quoted
from assay.evidence.duckdb_connection import parts_of
from assay.evidence.names import Role
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.readers import openml, sklearn_results
from assay.evidence.readers.logs import Log, LogRun, Wanted
from assay.evidence.readers.mismatch import check_policy
from assay.evidence.readers.recognise import PREDICTIONS, READERS, TABLES, known_files
from assay.evidence.readers.runs import chosen, join_runs, named_apart
from assay.evidence.scores import Scores
from assay.evidence.told import Told

TASK = "task"
"""The cluster key that stands for the task an item belongs to."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A path, what it is called in messages, and the files in it that some reader knows."""

    path: Path
    title: str
    files: Sequence[tuple[Path, str]]


def read_logged(
    sources: Sequence[Any], asked: Told, *, as_table: bool = False
) -> Predictions | Unpaired | Scores | None:
    """Evidence that another tool left behind; None where the sources are, or are called, tables."""
    key = asked.slice
    alone = key is not None and asked.cluster is None
    found = _left_behind(
        sources, replace(asked, cluster=key) if alone else asked, as_table=as_table
    )
    return found if found is None or key is None else _sliced_by_key(found, key, alone=alone)


def _left_behind(
    sources: Sequence[Any], asked: Told, *, as_table: bool
) -> Predictions | Unpaired | Scores | None:
    if as_table:
        _refuse_options(asked, sources)
        return None
    if len(sources) == 1 and hasattr(sources[0], "cv_results_"):
        sources = [sources[0].cv_results_]
    if len(sources) == 1 and isinstance(sources[0], Mapping):
        return _of_scikit_learn(sources[0], asked)
    opened = _opened(sources)
    kinds = {kind for source in opened for _, kind in source.files[:1]}
    if not kinds:
        _refuse_options(asked, sources)
        return None
    plain = [source.title for source in opened if not source.files]
    if plain:
        raise EvidenceError(f"{quoted(plain)} cannot be joined with a log of {quoted(kinds)}")
    if kinds <= set(TABLES):
        records = [record for source in opened for record in _table(source, asked)]
        found = _as_scores(records, [source.title for source in opened], asked)
        return _rising(found) if "scikit-learn" in kinds else found
    if kinds == {PREDICTIONS}:
        return openml.read(
            [source.path for source in opened],
            [source.title for source in opened],
            asked.listed,
            paired=asked.paired,
            policy=check_policy(asked.on_mismatch),
            positive=asked.positive,
        )
    if kinds & {*TABLES, PREDICTIONS}:
        raise EvidenceError(f"results of {quoted(sorted(kinds))} cannot be joined with each other")
    return _items(opened, asked)


def _sliced_by_key(found: Predictions | Unpaired | Scores, key: str, *, alone: bool) -> Predictions:
    """A log read with its clusters by a key of the items (or by task): they are slices instead."""
    if not (alone and isinstance(found, Predictions) and found.origin and "cluster" in found.roles):
        raise UsageError(
            f"slices of a log are by a key of its items, or slice='task', without cluster=; {key!r} "
            "gives none here"
        )
    roles: dict[Role, str] = {}
    roles |= {role: name for role, name in found.roles.items() if role != "cluster"}
    roles["slice"] = found.roles["cluster"]
    clusters = None
    if "repeat" in roles and "id" in roles:  # items tried several times hang together
        roles["cluster"] = roles["id"]
        clusters = found.rows.distinct([roles["id"]])[0]
    said = found.origin.description.replace(
        f"; {plural(found.clusters or 0, 'cluster')}", f"; slices by {key}"
    )
    origin = replace(found.origin, description=said)
    return replace(found, roles=roles, clusters=clusters, origin=origin)


def _of_scikit_learn(results: Mapping[str, Any], asked: Told) -> Scores | None:
    """Scores by fold that scikit-learn returned; None where a mapping is another."""
    if not sklearn_results.is_results(results):
        return None
    found = _as_scores(sklearn_results.records(results, told=asked), ["scikit-learn"], asked)
    return replace(_rising(found), notes=sklearn_results.notes_of(results, asked))


def _rising(found: Scores) -> Scores:
    """Every scorer of scikit-learn rises; those that negate a loss were turned back."""
    rising = {name: "higher" for name in found.measures if better_side(name) is None}
    return replace(found, directions=rising)


def _opened(sources: Sequence[Any]) -> list[Source]:
    """The sources with the files that are known; none where one is no path or is not there."""
    opened = []
    for source in sources:
        try:
            path = Path(source).expanduser() if isinstance(source, str | Path) else None
            if path is None or not path.exists():
                return []  # said better where tables are opened
            files = known_files(path)
        except (OSError, RuntimeError, ValueError) as error:
            if isinstance(error, EvidenceError):
                raise
            return []
        if path.is_dir() and not files:
            if parts_of(path):
                return []  # a table in parts
            raise EvidenceError(
                f"{source} is a directory without a log of items that assay knows and without "
                "Parquet files; give the files"
            )
        opened.append(Source(path=path, title=str(source), files=files))
    return opened


def _refuse_options(asked: Told, sources: Sequence[Any]) -> None:
    if (asked.metric, asked.task, asked.unscored) != (None, None, "error"):
        named = str(sources[0]) if isinstance(sources[0], str | Path) else "the data"
        raise UsageError(
            "metric=, task= and unscored= are for logs of evaluation harnesses; "
            f"{named} is none, or is not there"
        )


def _table(source: Source, asked: Told) -> list[dict[str, Any]]:
    """The scores in a file; ``task`` names data sets where it has several."""
    ((path, kind),) = source.files
    records = TABLES[kind](path, source.title, asked)
    if asked.task is None:
        return records
    known = list(dict.fromkeys(str(record.get("dataset", "")) for record in records))
    patterns = [asked.task] if isinstance(asked.task, str) else list(asked.task)
    kept = {name for name in known if any(fnmatch.fnmatchcase(name, each) for each in patterns)}
    if not kept:
        raise EvidenceError(
            f"{source.title} has no data set {quoted(patterns)}; it has {quoted(known, 30)}"
        )
    return [record for record in records if str(record.get("dataset", "")) in kept]


def _as_scores(records: Sequence[Mapping[str, Any]], sources: Sequence[str], asked: Told) -> Scores:
    return Scores.from_records(records, unit=asked.unit, models=asked.listed, sources=sources)


def _items(sources: Sequence[Source], asked: Told) -> Predictions | Unpaired:
    """The runs in logs of items, joined."""
    if asked.id not in (None, "hash"):
        raise UsageError(f"logs are joined by their own ids, or by id='hash'; got id={asked.id!r}")
    if asked.unit not in (None, "item"):
        raise UsageError(f"logs speak about items; got unit={asked.unit!r}")
    by_task = asked.cluster == TASK
    task = "*" if by_task and asked.task is None else asked.task
    runs = _runs(sources, Wanted(asked.metric, None if by_task else asked.cluster), task)
    if by_task:
        runs = [_clustered_by_task(run) for run in runs]
    return join_runs(
        chosen(runs, asked.models),
        key=asked.cluster,
        by_content=asked.id == "hash",
        paired=asked.paired,
        policy=check_policy(asked.on_mismatch),
        unscored=asked.unscored,
    )


def _clustered_by_task(run: LogRun) -> LogRun:
    items = tuple(item._replace(cluster=item.task or run.task) for item in run.items)
    return replace(run, items=items)


def _logs(source: Source) -> list[Log]:
    found: list[Log] = []
    for file, kind in source.files:
        inside = file.relative_to(source.path) if source.path.is_dir() else None
        title = source.title if inside is None else str(Path(source.title) / inside)
        found += READERS[kind](file, title)
    return found


def _runs(
    sources: Sequence[Source], wanted: Wanted, task: str | Sequence[str] | None
) -> list[LogRun]:
    """One run per source and model, with the tasks asked for pooled into it."""
    patterns = None if task is None else [task] if isinstance(task, str) else list(task)
    grouped: list[tuple[str, str, list[Log]]] = []
    for source in sources:
        kept = _of_tasks(_logs(source), source.title, patterns)
        for model in dict.fromkeys(log.model for log in kept):
            mine = [log for log in kept if log.model == model]
            _refuse_reruns(mine)
            grouped.append((model, source.title, mine))
    names = named_apart([model for model, _, _ in grouped], [title for _, title, _ in grouped])
    pooled = any(len(logs) > 1 for _, _, logs in grouped)
    return [
        _pooled(name, title, [log.read(wanted) for log in logs], pooled=pooled)
        for name, (_, title, logs) in zip(names, grouped, strict=True)
    ]


def _of_tasks(logs: Sequence[Log], title: str, patterns: Sequence[str] | None) -> list[Log]:
    tasks = list(dict.fromkeys(log.task for log in logs))
    if patterns is None:
        if len(tasks) > 1:
            raise EvidenceError(
                f"{title} holds {len(tasks)} tasks: {quoted(tasks, 30)}; take one with "
                f"task='{tasks[0]}', or all together, each item counting once, with task='*'; "
                "compare with slice='task' looks at each of them and at all"
            )
        return list(logs)
    kept = [
        log
        for log in logs
        if any(
            each in (log.task, *log.groups) or fnmatch.fnmatchcase(log.task, each)
            for each in patterns
        )
    ]
    if not kept:
        groups = list(dict.fromkeys(group for log in logs for group in log.groups))
        also = f", in groups {quoted(groups, 30)}" if groups else ""
        raise EvidenceError(
            f"{title} has no task {quoted(patterns)}; it has {quoted(tasks, 30)}{also}"
        )
    return kept


def _refuse_reruns(logs: Sequence[Log]) -> None:
    seen: dict[str, str] = {}
    for log in logs:
        if log.task in seen:
            raise EvidenceError(
                f"{seen[log.task]} and {log.title} are both runs of {log.model!r} on {log.task!r}; "
                "give the file of the one that counts, or both files as two sources"
            )
        seen[log.task] = log.title


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
            item._replace(id=f"{run.task}/{item.id}", task=run.task)
            for run in runs
            for item in run.items
        ),
        notes=tuple(found for run in runs for found in run.notes),
        pooled=tuple(replace(run, items=()) for run in runs),
    )
