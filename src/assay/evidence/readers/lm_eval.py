"""Logs of lm-evaluation-harness: ``samples_<task>_<time>.jsonl`` beside ``results_<time>.json``."""

import itertools
import re
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cells import id_text, plural, quoted
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    choose,
    cluster_of,
    decoded,
    digest,
    document,
    higher_by_name,
    json_lines,
    number_or_word,
    refuse_twice,
)

PAIRS = {"f1": "f1", "mcc": "mcc"}
"""Metrics whose items are [right answer, answer], and our measure for them."""

_NAME = re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+?)\.jsonl(\.gz)?")
_SNIFF = 50
_KNOWN = {
    *("doc_id", "doc", "target", "arguments", "resps", "filtered_resps", "filter", "metrics"),
    *("doc_hash", "prompt_hash", "target_hash"),
}


class Counted(msgspec.Struct):
    """How many of the items of a task were run."""

    original: int | None = None
    effective: int | None = None


class Config(msgspec.Struct):
    """The part of the configuration that says which model."""

    model: str | None = None


class Results(msgspec.Struct, kw_only=True):
    """The part of a results file that says what was run; its scores and errors are not used."""

    results: dict[str, Any]
    model_name: str | None = None
    lm_eval_version: str | None = None
    higher_is_better: dict[str, dict[str, bool | None]] = {}
    counts: dict[str, Counted] = msgspec.field(name="n-samples", default_factory=dict)
    config: Config = msgspec.field(default_factory=Config)


class Line(NamedTuple):
    """What one line says about one item."""

    number: int
    item: str
    value: Any
    content: str
    prompt: str
    cluster: str | None


_results = msgspec.json.Decoder(Results)
_anything = msgspec.json.Decoder(dict[str, Any])


def find(path: Path, title: str) -> list[Log]:
    """The run in a samples file, or the runs of which a results file is the summary."""
    if path.suffix == ".json":
        results = document(path, title, _results)
        time = re.search(r"\d{4}-\d\d-\d\dT[\d.-]+(?=\.json$)", path.name)
        samples = sorted(path.parent.glob(f"samples_*_{time[0]}.jsonl")) if time else []
        if not samples:
            raise EvidenceError(
                f"{title} holds averages only, and no samples file stands beside it: run lm_eval "
                "with --log_samples, then give its samples files or its output folder"
            )
        return [_log(each, f"{path.parent / each.name}", results) for each in samples]
    return [_log(path, title, _results_beside(path))]


def _log(path: Path, title: str, results: Results | None) -> Log:
    named = _NAME.fullmatch(path.name)
    stem = path.name.split(".")[0]
    model = stem if named is None else path.parent.name or stem
    if results is not None:
        model = results.model_name or results.config.model or model
    task = stem if named is None else named["task"]
    return Log(
        path=path,
        title=title,
        model=model,
        task=task,
        read=partial(_read, path, title, model, task, results),
    )


def _results_beside(path: Path) -> Results | None:
    """The results file of the same moment in the same folder."""
    named = _NAME.fullmatch(path.name)
    if named is None:
        return None
    beside = sorted(path.parent.glob(f"*_{named['time']}.json"))
    return document(beside[0], str(beside[0]), _results) if beside else None


def _read(
    path: Path, title: str, model: str, task: str, results: Results | None, wanted: Wanted
) -> LogRun:
    names, filters, hashed = _sniffed(path, title)
    available = [_label(name, each) for name in names for each in filters]
    label = choose(_plain(wanted.metric), available, title)
    metric, _, kept = label.partition(",")
    kept = kept or "none"
    lines = list(_lines(path, title, metric, kept, wanted.cluster, hashed=hashed))
    if not lines:
        raise EvidenceError(f"{title} has no line with filter {kept!r}")
    refuse_twice(((line.item, line.number) for line in lines), title)
    pairs = metric in PAIRS and all(_is_pair(line.value) for line in lines)
    version = "" if results is None else f" {results.lm_eval_version or ''}"
    return LogRun(
        path=path,
        title=title,
        harness=f"lm-evaluation-harness{version.rstrip()}",
        model=model,
        task=task,
        metric=label,
        items=tuple(_items(lines, metric, names, title, pairs=pairs)),
        higher=_higher(metric, task, results),
        shape="pairs" if pairs else "scores",
        measure=PAIRS[metric] if pairs else None,
        notes=_notes(task, title, results),
    )


def _label(metric: str, each: str) -> str:
    """A metric under a filter as the harness writes it, without the filter "none"."""
    return metric if each == "none" else f"{metric},{each}"


def _plain(asked: str | None) -> str | None:
    return asked if asked is None else asked.removesuffix(",none")


def _sniffed(path: Path, title: str) -> tuple[list[str], list[str], bool]:
    """Metrics and filters of the file, and whether its lines carry hashes.

    All lines are asked for their filter, the first ones for their metrics.
    """
    first = [
        (number, decoded(line, _anything, f"line {number} of {title}"))
        for number, line in itertools.islice(json_lines(path, title), _SNIFF)
    ]
    if not first:
        raise EvidenceError(f"{title} is empty")
    names: dict[str, None] = {}
    for _, sample in first:
        listed = sample.get("metrics")
        found = listed if isinstance(listed, list) else [k for k in sample if k not in _KNOWN]
        names |= dict.fromkeys(str(name) for name in found if name not in _KNOWN)
    decoder = msgspec.json.Decoder(msgspec.defstruct("Filter", [("filter", str, "none")]))
    filters: dict[str, None] = {}
    for number, line in json_lines(path, title):
        filters[decoded(line, decoder, f"line {number} of {title}").filter] = None  # type: ignore[attr-defined]
    return list(names), list(filters), all("doc_hash" in sample for _, sample in first)


def _lines(
    path: Path, title: str, metric: str, kept: str, cluster: str | None, *, hashed: bool
) -> Iterator[Line]:
    """The lines of one filter; documents, prompts and responses are skipped unread."""
    fields: list[Any] = [
        ("doc_id", int | str),
        ("value", Any, msgspec.field(name=metric, default=None)),
        *((name, str, "") for name in ("doc_hash", "prompt_hash", "target_hash")),
        ("filter", str, "none"),
    ]
    if cluster is not None or not hashed:
        fields += [("doc", Any, None), ("target", Any, None)]
    decoder = msgspec.json.Decoder(msgspec.defstruct("Sample", fields))
    for number, data in json_lines(path, title):
        line: Any = decoded(data, decoder, f"line {number} of {title}")
        if line.filter == kept:
            yield Line(
                number=number,
                item=id_text(line.doc_id),
                value=line.value,
                content=_content(line, hashed=hashed),
                prompt=line.prompt_hash,
                cluster=None if cluster is None else cluster_of(line.doc, cluster),
            )


def _content(line: Any, *, hashed: bool) -> str:
    """What tells that two lines are about the same item: the harness's hashes, or one of ours."""
    if hashed:
        return f"lm-eval {line.doc_hash} {line.target_hash}"
    return "" if line.doc is None else f"doc {digest(line.doc, line.target)}"


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, str | int | bool) for part in value)
    )


def _items(
    lines: Sequence[Line], metric: str, names: Sequence[str], title: str, *, pairs: bool
) -> Iterator[Item]:
    for line in lines:
        truth = answer = None
        if pairs:
            truth, answer = map(id_text, line.value)
            score, why = None, ""
        elif isinstance(line.value, list | dict):
            others = [name for name in names if name != metric]
            raise EvidenceError(
                f"line {line.number} of {title}: {metric!r} holds {line.value!r:.60}, parts that "
                "the harness puts together over the whole data set, and no score of the item; "
                f"use another metric{': ' + quoted(others, 20) if others else ''}"
            )
        else:
            score, why = _score(line, metric, title)
        yield Item(
            id=line.item,
            score=score,
            content=line.content,
            prompt=line.prompt,
            cluster=line.cluster,
            why=why,
            truth=truth,
            answer=answer,
        )


def _score(line: Line, metric: str, title: str) -> tuple[float | None, str]:
    try:
        return number_or_word(line.value)
    except ValueError as error:
        raise EvidenceError(f"line {line.number} of {title}: {metric!r}: {error}") from None


def _higher(metric: str, task: str, results: Results | None) -> bool:
    """Whether more is better: as the results file says, else by the name of the metric."""
    said = None if results is None else results.higher_is_better.get(task, {}).get(metric)
    if said is not None:
        return said
    return higher_by_name(metric)


def _notes(task: str, title: str, results: Results | None) -> tuple[Note, ...]:
    counted = None if results is None else results.counts.get(task)
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
