"""Logs of lm-evaluation-harness: ``samples_<task>_<time>.jsonl`` beside ``results_<time>.json``."""

import glob
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import plural
from assay.evidence.readers.lm_eval_lines import NO_FILTER, SamplesFile
from assay.evidence.readers.lm_eval_values import (
    LOSSES,
    PAIRS,
    WEIGHTED,
    aggregation,
    has_scores,
    items,
    notes,
)
from assay.evidence.readers.logs import (
    Log,
    LogRun,
    Shape,
    Wanted,
    chosen_metric,
    document,
    higher_by_name,
    refuse_twice,
)

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+?)\.jsonl(\.gz)?")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT[\d.-]+(?=\.json$)")
_SAID = re.compile(r"(?:^|,)(?:pretrained|model|path)=([^,]+)")


class Counted(msgspec.Struct):
    """How many of the items of a task were run."""

    original: int | None = None
    effective: int | None = None


class Config(msgspec.Struct):
    """The part of the configuration that says which model."""

    model: str | None = None
    model_args: Any = None

    def name(self) -> str | None:
        """The model, by the argument that names it where there is one."""
        if isinstance(self.model_args, Mapping):
            said = [self.model_args.get(key) for key in ("pretrained", "model", "path")]
            return next((str(name) for name in said if name), self.model)
        found = _SAID.search(self.model_args) if isinstance(self.model_args, str) else None
        return found[1] if found else self.model


class Results(msgspec.Struct, kw_only=True):
    """The part of a results file that says what was run; its standard errors are not used."""

    results: dict[str, Any]
    model_name: str | None = None
    lm_eval_version: str | None = None
    higher_is_better: dict[str, dict[str, bool | None]] = {}
    group_subtasks: dict[str, Any] = {}
    configs: dict[str, Any] = {}
    counts: dict[str, Counted] = msgspec.field(name="n-samples", default_factory=dict)
    config: Config = msgspec.field(default_factory=Config)

    def filters(self, task: str) -> list[str]:
        """The filters of a task in the order in which they were applied."""
        known = self.results.get(task)
        keys = [key for key in known if "," in key] if isinstance(known, Mapping) else []
        return list(dict.fromkeys(key.partition(",")[2] for key in keys))

    def said(self, task: str, metric: str, kept: str) -> Any:
        """The harness's own number."""
        known = self.results.get(task)
        return known.get(f"{metric},{kept}") if isinstance(known, Mapping) else None

    def groups(self, task: str) -> tuple[str, ...]:
        """The groups that a task belongs to, directly or through another group."""
        found: dict[str, None] = {}
        within = [task]
        while within:
            part = within.pop()
            above = [
                group
                for group, parts in self.group_subtasks.items()
                if isinstance(parts, list) and part in parts and group not in found
            ]
            found |= dict.fromkeys(above)
            within += above
        return tuple(found)


_results = msgspec.json.Decoder(Results)
_NONE = Results(results={})


def find(path: Path, title: str) -> list[Log]:
    """The run in a samples file, or the runs of which a results file is the summary."""
    if path.suffix != ".json":
        return [_log(path, title, _results_beside(path))]
    results = document(path, title, _results)
    time = _TIME.search(path.name)
    samples = (
        path.parent.glob(f"samples_*_{time[0]}.jsonl*") if time else _old_samples(path, results)
    )
    logs = [_log(each, str(each), results) for each in sorted(set(samples))]
    if not logs:
        raise EvidenceError(
            f"{title} holds averages only, and no samples file stands beside it: run lm_eval "
            "with --log_samples, then give its samples files or its output folder"
        )
    return logs


def _old_samples(path: Path, results: Results) -> Iterator[Path]:
    """Up to 0.4.2 samples are in ``<arguments>_<task>.jsonl`` beside ``results.json``."""
    for task in results.configs:
        yield from path.parent.glob(f"*_{glob.escape(task)}.jsonl")


def _log(path: Path, title: str, results: Results | None) -> Log:
    named = _NAME.fullmatch(path.name)
    stem = path.name.split(".jsonl")[0]
    model = stem if named is None else path.parent.name or stem
    task = stem if named is None else named["task"]
    if results is not None:
        model = results.model_name or results.config.name() or model
        if named is None:
            ends = [each for each in results.configs if stem.endswith(f"_{each}")]
            task = max(ends, key=len, default=task)
    return Log(
        path=path,
        title=title,
        model=model,
        task=task,
        groups=() if results is None else results.groups(task),
        read=partial(_read, path, title, model, task, results or _NONE),
    )


def _results_beside(path: Path) -> Results | None:
    """The results file of the same moment in the same folder."""
    named = _NAME.fullmatch(path.name)
    beside = sorted(path.parent.glob(f"*_{named['time']}.json")) if named else []
    old = path.parent / "results.json"
    if named is None and old.is_file():
        beside = [old]
    return document(beside[0], str(beside[0]), _results) if beside else None


def _read(
    path: Path, title: str, model: str, task: str, results: Results, wanted: Wanted
) -> LogRun:
    file = SamplesFile.open(path, title, results.filters(task))
    config = results.configs.get(task)
    label, chosen = _chosen(file, wanted.metric, config)
    metric, _, kept = label.partition(",")
    kept = kept or NO_FILTER
    lines = list(file.lines(metric, kept, wanted.cluster))
    if not lines:
        raise EvidenceError(f"{title} has no line with filter {kept!r}")
    refuse_twice(((line.item, line.place.partition(" of ")[0]) for line in lines), title)
    way = aggregation(metric, [line.value for line in lines], config)
    shape: Shape = "pairs" if way in PAIRS else "weighted" if way in WEIGHTED else "scores"
    others = [name for name in file.metrics if name != metric]
    found = tuple(items(lines, metric, way, others))
    version = f" {results.lm_eval_version or ''}".rstrip()
    return LogRun(
        path=path,
        title=title,
        harness=f"lm-evaluation-harness{version}",
        model=model,
        task=task,
        metric=label,
        items=found,
        higher=way not in LOSSES and _higher(metric, task, results),
        shape=shape,
        measure=PAIRS.get(way),
        notes=(
            *chosen,
            *notes(found, label, way, title, results.said(task, metric, kept)),
            *_limited(task, title, results),
        ),
    )


def _chosen(file: SamplesFile, asked: str | None, config: Any) -> tuple[str, tuple[Note, ...]]:
    """The metric that was asked for, with its filter, or the first that gives items scores."""
    plain = None if asked is None else asked.removesuffix(f",{NO_FILTER}")
    available = [_label(name, each) for name in file.metrics for each in file.filters]
    scored = [
        _label(name, each)
        for name in file.metrics
        if has_scores(name, [line.get(name) for line in file.first], config)
        for each in file.filters
    ]
    return chosen_metric(plain, available, file.title, scored=scored)


def _label(metric: str, each: str) -> str:
    """A metric under a filter as the harness writes it, without the filter "none"."""
    return metric if each == NO_FILTER else f"{metric},{each}"


def _higher(metric: str, task: str, results: Results) -> bool:
    """Whether more is better: as the results file says, else by the name of the metric."""
    said = results.higher_is_better.get(task, {}).get(metric)
    return higher_by_name(metric) if said is None else said


def _limited(task: str, title: str, results: Results) -> Sequence[Note]:
    counted = results.counts.get(task)
    if counted is None or not counted.original or not counted.effective:
        return ()
    if counted.effective >= counted.original:
        return ()
    return (
        note(
            "partial-log",
            title=title,
            have=plural(counted.effective, "item"),
            planned=counted.original,
            why="the run had a limit",
        ),
    )
