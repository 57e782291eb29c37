"""Logs of lm-evaluation-harness: ``samples_<task>_<time>.jsonl`` beside ``results_<time>.json``."""

import glob
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import plural
from assay.evidence.readers.lm_eval_metrics import (
    LOSSES,
    PAIRS,
    WEIGHTED,
    aggregation,
    has_scores,
    items,
    notes,
    stated,
)
from assay.evidence.readers.lm_eval_samples import NO_FILTER, HarnessSample, read_samples, twice
from assay.evidence.readers.log_files import document, document_beside
from assay.evidence.readers.log_items import (
    MAX_RUNS,
    Log,
    LogAverage,
    LogRequest,
    LogRun,
    chosen_metric,
    higher_by_name,
    inside,
)

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+?)\.jsonl(\.gz)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d.-]+(?=\.json$)")
_SAID = re.compile(r"(?:^|,)(pretrained|model|path)=([^,]+)")


class Results(msgspec.Struct, kw_only=True):
    """The part of a results file that says what was run; its standard errors are not used."""

    results: dict[str, dict[str, Any]] = {}
    model_name: str | None = None
    lm_eval_version: str | None = None
    higher_is_better: dict[str, dict[str, bool | None]] = {}
    group_subtasks: dict[str, list[str]] = {}
    configs: dict[str, Any] = {}
    counts: Any = msgspec.field(name="n-samples", default=None)
    config: Any = None

    def model(self) -> str | None:
        """The model, by the argument that names it where there is one."""
        arguments = inside(self.config, "model_args", object)
        if isinstance(arguments, str):
            arguments = {found[1]: found[2] for found in reversed([*_SAID.finditer(arguments)])}
        said = [inside(arguments, key, str) for key in ("pretrained", "model", "path")]
        return self.model_name or next(filter(None, said), inside(self.config, "model", str))

    def filters(self, task: str) -> list[str]:
        """The filters of a task in the order in which they were applied."""
        keys = (key.partition(",") for key in self.results.get(task, {}))
        return list(dict.fromkeys(kept for _, comma, kept in keys if comma))

    def groups(self, task: str) -> tuple[str, ...]:
        """The groups that a task belongs to, directly or through another group."""
        found: dict[str, None] = {}
        within = [task]
        while within:
            part = within.pop()
            above = [group for group, parts in self.group_subtasks.items() if part in parts]
            within += [group for group in above if group not in found]
            found |= dict.fromkeys(above)
        return tuple(found)

    def averages(self, task: str, key: str, way: str) -> dict[str, LogAverage]:
        """What the file says of a task and of the groups it belongs to, with how many tasks they have."""
        found = {}
        leaves = [each for each in self.configs if not self.group_subtasks.get(each)]
        for name in (task, *self.groups(task)):
            value = stated(self.results.get(name, {}).get(key), way)
            tasks = 1 if name == task else sum(name in self.groups(each) for each in leaves)
            if value is not None:
                found[name] = LogAverage(value, tasks)
        return found


def find(path: Path, title: str) -> list[Log]:
    """The run in a samples file, or the runs of which a results file is the summary."""
    if path.suffix != ".json":
        return [_log(path, title, _results_beside(path))]
    results = document(path, title, Results)
    time = _TIME.search(path.name)
    samples = (
        path.parent.glob(f"samples_*_{time[0]}.jsonl*") if time else _old_samples(path, results)
    )
    logs = [_log(each, str(each), results) for each in sorted(set(samples))]
    if not logs:
        raise EvidenceError(
            f"{title} holds averages only, and there is no samples file beside it. Run lm_eval "
            "with --log_samples, then give its samples files or its output folder"
        )
    return logs


def _old_samples(path: Path, results: Results) -> Iterator[Path]:
    """Up to 0.4.2 samples are in ``<arguments>_<task>.jsonl`` beside ``results.json``."""
    for task in results.configs:
        yield from path.parent.glob(f"*_{glob.escape(task)}.jsonl")


def _results_beside(path: Path) -> Results:
    """The results file of the same moment in the same folder."""
    named = _NAME.fullmatch(path.name)
    beside = [path.parent / "results.json"]
    if named:
        beside = sorted(path.parent.glob(f"*_{named['time']}.json"))
    return (document_beside(beside[0], Results) if beside else None) or Results()


def _log(path: Path, title: str, results: Results) -> Log:
    named = _NAME.fullmatch(path.name)
    stem = path.name.split(".jsonl")[0]
    ends = [each for each in results.configs if stem.endswith(f"_{each}")]
    task = named["task"] if named else max(ends, key=len, default=stem)
    folder = path.parent.name if named else ""
    return Log(
        path=path,
        title=title,
        harness=f"lm-evaluation-harness {results.lm_eval_version or ''}".rstrip(),
        model=results.model() or folder or stem,
        task=task,
        groups=results.groups(task),
        read=partial(_read, path, title, task, results),
    )


def _read(path: Path, title: str, task: str, results: Results, wanted: LogRequest) -> LogRun:
    samples = read_samples(path, title, results.filters(task), wanted.cluster)
    config = results.configs.get(task)
    label, chosen = _chosen(samples, wanted.metric, config, title)
    metric, _, kept = label.partition(",")
    mine = [sample for sample in samples if sample.filter == (kept or NO_FILTER)]
    again = twice(mine)
    if again:
        raise EvidenceError(
            f"{title} scores item {again[0]} twice ({again[1]}): were two runs written to one file?"
        )
    way = aggregation(metric, [sample.values.get(metric) for sample in mine], config)
    found = tuple(items(mine, metric, way))
    key = f"{metric},{kept or NO_FILTER}"
    said = results.results.get(task, {}).get(key)
    higher = results.higher_is_better.get(task, {}).get(metric)
    return LogRun(
        metric=label,
        items=found,
        higher=way not in LOSSES and (higher_by_name(metric) if higher is None else higher),
        shape="pairs" if way in PAIRS else "weighted" if way in WEIGHTED else "scores",
        measure=PAIRS.get(way),
        reported=results.averages(task, key, way),
        notes=(
            *chosen,
            *notes(found, label, way, title, said),
            *_limited(inside(results.counts, task, dict), title),
        ),
    )


def _chosen(
    samples: Sequence[HarnessSample], asked: str | None, config: Any, title: str
) -> tuple[str, tuple[Note, ...]]:
    """The metric that was asked for, with its filter, or the first that gives items scores."""
    metrics = list(dict.fromkeys(name for sample in samples for name in sample.metrics))
    filters = list(dict.fromkeys(str(sample.filter) for sample in samples))
    if len(metrics) * len(filters) > MAX_RUNS:
        raise EvidenceError(f"{title} has more than {MAX_RUNS:,} metrics: is it a log?")
    scored = [
        name
        for name in metrics
        if has_scores(name, [sample.values.get(name) for sample in samples], config)
    ]
    return chosen_metric(
        None if asked is None else asked.removesuffix(f",{NO_FILTER}"),
        _labels(metrics, filters),
        title,
        scored=_labels(scored, filters),
    )


def _labels(metrics: Sequence[str], filters: Sequence[str]) -> list[str]:
    """Metrics under filters as the harness writes them, without the filter "none"."""
    return [name if kept == NO_FILTER else f"{name},{kept}" for name in metrics for kept in filters]


def _limited(counted: dict[str, Any] | None, title: str) -> Sequence[Note]:
    planned, have = (inside(counted, word, int) for word in ("original", "effective"))
    if not planned or not have or have >= planned:
        return ()
    why = "the run had a limit"
    return (note("partial-log", title=title, have=plural(have, "item"), planned=planned, why=why),)
