"""Logs of Inspect: ``.eval`` (a zip of JSON files) and ``.json``, finished or broken off."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, plural
from assay.evidence.readers.log_files import Value, decoded, document
from assay.evidence.readers.log_items import (
    Log,
    LogAnswer,
    LogAverage,
    LogRequest,
    LogRun,
    chosen_metric,
    digest,
    inside,
    items_of,
)
from assay.evidence.readers.zip_archive import Archive

GRADES = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
"""Correct, incorrect, partly, no answer; Inspect counts them as these numbers."""

MEMBERS = re.compile(
    r"header\.json|summaries\.json|reductions\.json|_journal/start\.json|_journal/summaries/\d{1,9}\.json"
    r"|samples/(?!(?:.*/)?\.\./)[^\\\0]+_epoch_\d{1,9}(?:\.json|/sample\.json)"
)
"""The files of a log that are read; whatever else an archive holds is never opened."""

_SUMMARY = re.compile(r"_journal/summaries/(\d+)\.json")
_TEXT = 900
"""Characters of a question that are compared: summaries shorten long ones."""
_NOTHING = object()
_SHORTENED = ("...", "Key removed from summary (> 1k)")


class InspectScore(msgspec.Struct):
    """The value of one scorer; edits are applied to it, its history is not needed."""

    value: Any = None


class InspectSample(msgspec.Struct):
    """A sample, or its summary, without messages and events."""

    id: int | str
    epoch: int = 1
    input: Any = None
    choices: Any = None
    target: Any = None
    metadata: dict[str, Any] | None = None
    scores: dict[str, InspectScore] | None = None
    error: Any = None


class ReducedSample(msgspec.Struct):
    """What a reducer made of the epochs of one sample."""

    sample_id: int | str
    value: Any = None


class InspectReduction(msgspec.Struct):
    """The samples as one reducer left them."""

    scorer: str
    samples: list[ReducedSample]
    reducer: str | None = None


class Header(msgspec.Struct):
    """A header, or a whole log in JSON."""

    version: int
    eval: dict[str, Any]
    status: str = "started"
    samples: list[InspectSample] | None = None
    reductions: list[InspectReduction] | None = None
    results: Any = None


Kept = dict[tuple[str, int], InspectSample]
"""Samples by id and epoch; of one that was run again, and is in the log twice, the last counts."""


def find(path: Path, title: str) -> list[Log]:
    """The run in one log."""
    if path.suffix == ".json":
        header, archive = document(path, title, Header), None
    else:
        archive = Archive.open(path, title, lambda name: MEMBERS.fullmatch(name) is not None)
        header = _header_of(archive)
    version = inside(header.eval, "packages.inspect_ai", str) or ""
    return [
        Log(
            path=path,
            title=title,
            harness=f"Inspect {version}".rstrip(),
            model=inside(header.eval, "model", str) or path.stem,
            task=inside(header.eval, "task", str) or path.stem,
            read=partial(_read, title, header, archive),
        )
    ]


def _header_of(archive: Archive) -> Header:
    for name in ("header.json", "_journal/start.json"):
        if name in archive.members:
            header = _part(archive, name, Header)
            if "reductions.json" in archive.members:
                header.reductions = _part(archive, "reductions.json", list[InspectReduction])
            return header
    raise EvidenceError(f"{archive.title} has neither header.json nor _journal/start.json")


def _part(archive: Archive, name: str, kind: type[Value]) -> Value:
    return decoded(archive.read(name), kind, f"{name} in {archive.title}")


def _by_epoch(samples: Iterable[InspectSample]) -> Kept:
    return {(id_text(sample.id), sample.epoch): sample for sample in samples}


def _of_archive(archive: Archive, cluster: str | None) -> Kept:
    """Every sample from the summaries; from its own file where the summary lacks something."""
    found: Kept = {}
    for name in _summaries(archive):
        found |= _by_epoch(_part(archive, name, list[InspectSample]))
    finished = "summaries.json" in archive.members
    for name in archive.members:
        if name.startswith("samples/"):
            summary = found.get(_key(name))
            lost = summary is None and not finished
            if lost or (summary is not None and _is_short(summary.metadata, cluster)):
                found |= _by_epoch([_part(archive, name, InspectSample)])
    return found


def _summaries(archive: Archive) -> list[str]:
    """The members with summaries: one when the run is finished, else those of the journal in order."""
    if "summaries.json" in archive.members:
        return ["summaries.json"]
    journal = filter(None, map(_SUMMARY.fullmatch, archive.members))
    return [found[0] for found in sorted(journal, key=lambda found: int(found[1]))]


def _key(name: str) -> tuple[str, int]:
    """The sample whose file this is."""
    stem = name.removeprefix("samples/").removesuffix("/sample.json").removesuffix(".json")
    sample, _, epoch = stem.rpartition("_epoch_")
    return sample, int(epoch)


def _is_short(metadata: Mapping[str, Any] | None, key: str | None) -> bool:
    """Whether a summary left out the value of a key that is needed."""
    if key is None:
        return False
    value = (metadata or {}).get(key.split(".")[0])
    return value is None or (isinstance(value, str) and value.endswith(_SHORTENED))


def _read(title: str, header: Header, archive: Archive | None, wanted: LogRequest) -> LogRun:
    if archive is None:
        kept = _by_epoch(header.samples or ())
    else:
        kept = _of_archive(archive, wanted.cluster)
    if not kept:
        raise EvidenceError(f"{title} holds no samples (its status is {header.status!r})")
    scored = _metrics(kept)
    if not scored:
        failed = sum(bool(sample.error) for sample in kept.values())
        raise EvidenceError(
            f"{title} holds {plural(len(kept), 'sample')} and no score; {failed} ended in an error "
            f"(the status of the run is {header.status!r})"
        )
    made = _reductions_of(header)
    metric, chosen = chosen_metric(wanted.metric, [*scored, *made], title)
    reduced = metric in made
    values = _reduced(made[metric], kept, title) if reduced else _valued(kept, metric)
    answers = [_answer(*one, metric, reduced=reduced) for one in values]
    try:
        items = tuple(items_of(answers, metric, wanted, title))
    except EvidenceError as error:
        raise EvidenceError(f"{error}; Inspect would count it as 0, assay does not") from None
    notes = (*chosen, *_notes(header, title, len(kept)))
    average = _average(header, metric)
    task = inside(header.eval, "task", str) or ""
    reported = {} if average is None else {task: LogAverage(average)}
    return LogRun(metric=metric, items=items, notes=notes, reported=reported)


def _average(header: Header, metric: str) -> float | None:
    """The mean (of right answers the accuracy) that Inspect itself states of a scorer."""
    scorer, _, reducer = metric.partition(",")
    for score in inside(header.results, "scores", list) or ():
        if inside(score, "name", str) == scorer and reducer in ("", inside(score, "reducer", str)):
            for name in ("accuracy", "mean"):
                value = inside(score, f"metrics.{name}.value", float)
                if value is not None:
                    return value
    return None


def _reductions_of(header: Header) -> dict[str, list[ReducedSample]]:
    """What reducers made of the epochs, where it tells more: the mean is worked out from them."""
    return {
        f"{each.scorer},{each.reducer}": each.samples
        for each in header.reductions or ()
        if each.reducer not in (None, "mean")
        and not any(isinstance(one.value, list | dict) for one in each.samples)
    }


def _reduced(
    made: Sequence[ReducedSample], kept: Kept, title: str
) -> Iterator[tuple[InspectSample, Any]]:
    """One value per sample, as a reducer of Inspect made it of the epochs."""
    first = {name: sample for (name, _), sample in reversed(kept.items())}
    for each in made:
        name = id_text(each.sample_id)
        if name not in first:
            raise EvidenceError(f"{title} reduces sample {name!r} and does not hold it")
        yield first[name], each.value


def _metrics(kept: Kept) -> list[str]:
    """Every scorer, and every part of a scorer that gives several values."""
    given = [(name, one) for sample in kept.values() for name, one in (sample.scores or {}).items()]
    in_parts = {
        name for name, score in given if score.value and isinstance(score.value, list | dict)
    }
    names = dict.fromkeys(name for sample in kept.values() for name in _values(sample))
    return [name for name in names if name not in in_parts]  # NaN stands for all parts of a scorer


def _values(sample: InspectSample) -> dict[str, Any]:
    """What the scorers gave, those that gave several values part by part."""
    found: dict[str, Any] = {}
    for scorer, score in (sample.scores or {}).items():
        value = score.value
        parts = dict(enumerate(value)) if isinstance(value, list) else value
        if isinstance(parts, dict):
            found |= {f"{scorer}/{part}": one for part, one in parts.items()}
        else:
            found[scorer] = value
    return found


def _valued(kept: Kept, metric: str) -> Iterator[tuple[InspectSample, Any]]:
    """Every sample with its value by a scorer, or by a part of a scorer that gave one for all parts."""
    for sample in kept.values():
        values = _values(sample)
        whole = [value for name, value in values.items() if metric.startswith(f"{name}/")]
        yield sample, values.get(metric, whole[0] if whole else _NOTHING)


def _answer(sample: InspectSample, value: Any, metric: str, *, reduced: bool) -> LogAnswer:
    """A sample with its value by a metric; what failed has none, unless a reducer made one."""
    why = f"{metric} gave no score" if value is _NOTHING else ""
    if sample.error and not reduced:
        why = "the sample ended in an error"
    graded = GRADES.get(value, value) if isinstance(value, str) else value
    question = (_text(sample.input), sample.choices, _text(sample.target))
    return LogAnswer(
        id_text(sample.id),
        {metric: graded},
        f"inspect {digest(*question)}" if any(question) else "",
        sample.metadata,
        place=f"sample {sample.id!r}, epoch {sample.epoch}",
        repeat=1 if reduced else sample.epoch,
        why=why,
    )


def _text(value: Any) -> str:
    """The beginning of a question or a target: text, or the texts of messages."""
    if isinstance(value, list):
        value = "\n".join(
            str(part.get("content", "")) if isinstance(part, dict) else str(part) for part in value
        )
    return " ".join(str(value or "")[: 2 * _TEXT].split())[:_TEXT]


def _notes(header: Header, title: str, have: int) -> Iterator[Note]:
    epochs = inside(header.eval, "config.epochs", int) or 1
    planned = epochs * (inside(header.eval, "dataset.samples", int) or 0)
    if header.status == "success" and have >= planned:
        return
    limited = inside(header.eval, "config.limit", object) is not None
    unrun = "the run had a limit" if limited else "some never ran"
    yield note(
        "partial-log",
        title=title,
        have=plural(have, "sample"),
        planned=planned or "an unknown number",
        why=unrun if header.status == "success" else f"it ended as {header.status!r}",
    )
