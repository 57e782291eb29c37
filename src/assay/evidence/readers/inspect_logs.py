"""Logs of Inspect: ``.eval`` (a zip of JSON files) and ``.json``, finished or broken off."""

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, plural
from assay.evidence.readers.archive import Archive
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    cluster_of,
    decoded,
    digest,
    document,
    number_or_word,
)

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
_SHORTENED = ("...", "Key removed from summary (> 1k)")


class Dataset(msgspec.Struct):
    """How many samples were planned."""

    samples: int | None = None


class Config(msgspec.Struct):
    """How the samples were run."""

    epochs: int | None = None
    limit: Any = None


class Spec(msgspec.Struct):
    """What was run."""

    task: str = ""
    model: str = ""
    dataset: Dataset = msgspec.field(default_factory=Dataset)
    config: Config = msgspec.field(default_factory=Config)
    packages: dict[str, str] = {}


class Score(msgspec.Struct):
    """The value of one scorer; edits are applied to it, its history is not needed."""

    value: Any = None


class Sample(msgspec.Struct):
    """A sample, or its summary, without messages and events."""

    id: int | str
    epoch: int = 1
    input: Any = None
    choices: Any = None
    target: Any = None
    metadata: dict[str, Any] | None = None
    scores: dict[str, Score] | None = None
    error: Any = None


class Reduced(msgspec.Struct):
    """What a reducer made of the epochs of one sample."""

    sample_id: int | str
    value: Any = None


class Reduction(msgspec.Struct):
    """The samples as one reducer left them."""

    scorer: str
    samples: list[Reduced]
    reducer: str | None = None


class Header(msgspec.Struct):
    """A header, or a whole log in JSON."""

    version: int
    eval: Spec
    status: str = "started"
    samples: list[Sample] | None = None
    reductions: list[Reduction] | None = None


_header = msgspec.json.Decoder(Header)
_sample = msgspec.json.Decoder(Sample)
_samples = msgspec.json.Decoder(list[Sample])
_reductions = msgspec.json.Decoder(list[Reduction])


def find(path: Path, title: str) -> list[Log]:
    """The run in one log."""
    if path.suffix == ".json":
        header = document(path, title, _header)
        reductions = header.reductions
        samples = partial(_of_json, header)
    else:
        archive = Archive.open(path, title, lambda name: MEMBERS.fullmatch(name) is not None)
        header = _header_of(archive)
        reductions = _reductions_of(archive)
        samples = partial(_of_archive, archive)
    model, task = header.eval.model or path.stem, header.eval.task or path.stem
    made = {f"{each.scorer},{each.reducer}": each for each in reductions or [] if _adds(each)}
    read = partial(_read, path, title, header, samples, made)
    return [Log(path=path, title=title, model=model, task=task, read=read)]


def _header_of(archive: Archive) -> Header:
    for name in ("header.json", "_journal/start.json"):
        if name in archive.members:
            return decoded(archive.read(name), _header, f"{name} in {archive.title}")
    raise EvidenceError(f"{archive.title} has neither header.json nor _journal/start.json")


def _reductions_of(archive: Archive) -> list[Reduction]:
    name = "reductions.json"
    if name not in archive.members:
        return []
    return decoded(archive.read(name), _reductions, f"{name} in {archive.title}")


def _adds(reduction: Reduction) -> bool:
    """Whether a reducer tells more than the epochs do: the mean is worked out from them."""
    return reduction.reducer not in (None, "mean") and not any(
        isinstance(each.value, list | dict) for each in reduction.samples
    )


def _of_json(header: Header, _: str | None) -> list[Sample]:
    return header.samples or []


def _of_archive(archive: Archive, cluster: str | None) -> list[Sample]:
    """Every sample from the summaries; from its own file where the summary lacks something."""
    found: dict[tuple[str, int], Sample] = {}
    for name in _summaries(archive):
        for sample in decoded(archive.read(name), _samples, f"{name} in {archive.title}"):
            found[id_text(sample.id), sample.epoch] = sample
    finished = "summaries.json" in archive.members
    for name in archive.members:
        if not name.startswith("samples/"):
            continue
        summary = found.get(_key(name))
        lost = summary is None and not finished
        if lost or (summary is not None and _is_short(summary.metadata, cluster)):
            sample = decoded(archive.read(name), _sample, f"{name} in {archive.title}")
            found[id_text(sample.id), sample.epoch] = sample
    return list(found.values())


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


def _read(
    path: Path,
    title: str,
    header: Header,
    samples: Any,
    made: Mapping[str, Reduction],
    wanted: Wanted,
) -> LogRun:
    # a sample that was run again is in the log twice: the last one counts
    kept = {(id_text(s.id), s.epoch): s for s in samples(wanted.cluster)}
    if not kept:
        raise EvidenceError(f"{title} holds no samples (its status is {header.status!r})")
    scored = _metrics(list(kept.values()))
    if not scored:
        failed = sum(bool(sample.error) for sample in kept.values())
        raise EvidenceError(
            f"{title} holds {plural(len(kept), 'sample')} and no score; {failed} ended in an error "
            f"(the status of the run is {header.status!r})"
        )
    metric, chosen = chosen_metric(wanted.metric, [*scored, *made], title)
    items = [_item(sample, metric, wanted.cluster, title) for sample in kept.values()]
    if metric in made:
        items = _reduced(made[metric], kept, wanted.cluster, title)
    version = header.eval.packages.get("inspect_ai", "")
    return LogRun(
        path=path,
        title=title,
        harness=f"Inspect {version}".rstrip(),
        model=header.eval.model or path.stem,
        task=header.eval.task or path.stem,
        metric=metric,
        items=tuple(items),
        notes=(*chosen, *_notes(header, title, kept)),
    )


def _reduced(
    made: Reduction,
    kept: Mapping[tuple[str, int], Sample],
    cluster: str | None,
    title: str,
) -> list[Item]:
    """One score per sample, as a reducer of Inspect made it of the epochs."""
    first: dict[str, Sample] = {}
    for (name, _), sample in kept.items():
        first.setdefault(name, sample)
    items = []
    for each in made.samples:
        name = id_text(each.sample_id)
        if name not in first:
            raise EvidenceError(f"{title} reduces sample {name!r} and does not hold it")
        score, why = _graded(each.value, name, f"{made.scorer},{made.reducer}", title)
        item = _item(first[name], "", cluster, title)
        items.append(item._replace(repeat=1, score=score, why=why))
    return items


def _metrics(samples: Sequence[Sample]) -> list[str]:
    """Every scorer, and every part of a scorer that gives several values."""
    names: dict[str, None] = {}
    for sample in samples:
        for scorer, score in (sample.scores or {}).items():
            names |= dict.fromkeys(f"{scorer}{part}" for part, _ in _parts(score.value))
    whole = {name for name in names if any(other.startswith(f"{name}/") for other in names)}
    return [name for name in names if name not in whole]  # NaN stands for all parts of a scorer


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        yield from ((f"/{key}", part) for key, part in value.items())
    elif isinstance(value, list):
        yield from ((f"/{place}", part) for place, part in enumerate(value))
    else:
        yield "", value


def _item(sample: Sample, metric: str, cluster: str | None, title: str) -> Item:
    score, why = None, "the sample ended in an error"
    if not sample.error:
        score, why = _score(sample, metric, title)
    question = (_text(sample.input), sample.choices, _text(sample.target))
    return Item(
        id=id_text(sample.id),
        repeat=sample.epoch,
        score=score,
        content=f"inspect {digest(*question)}" if any(question) else "",
        cluster=None if cluster is None else cluster_of(sample.metadata, cluster),
        why=why,
    )


def _score(sample: Sample, metric: str, title: str) -> tuple[float | None, str]:
    for scorer, score in (sample.scores or {}).items():
        for part, value in _parts(score.value):
            if metric == f"{scorer}{part}" or (metric.startswith(f"{scorer}/") and not part):
                place = f"{sample.id!r}, epoch {sample.epoch}"
                return _graded(value, place, metric, title)
    return None, f"{metric} gave no score"


def _graded(value: Any, place: str, metric: str, title: str) -> tuple[float | None, str]:
    if isinstance(value, str) and value in GRADES:
        return GRADES[value], ""
    try:
        return number_or_word(value)
    except ValueError as error:
        raise EvidenceError(
            f"sample {place} of {title}: {metric}: {error}; Inspect would count it as 0, assay does "
            "not"
        ) from None


def _text(value: Any) -> str:
    """The beginning of a question or a target: text, or the texts of messages."""
    if isinstance(value, list):
        value = "\n".join(
            str(part.get("content", "")) if isinstance(part, dict) else str(part) for part in value
        )
    return " ".join(str(value or "")[: 2 * _TEXT].split())[:_TEXT]


def _notes(header: Header, title: str, kept: Mapping[tuple[str, int], Sample]) -> Iterator[Note]:
    planned = (header.eval.dataset.samples or 0) * (header.eval.config.epochs or 1)
    if header.status == "success" and len(kept) >= planned:
        return
    ended = f"it ended as {header.status!r}"
    limited = "the run had a limit" if header.eval.config.limit is not None else "some never ran"
    yield note(
        "partial-log",
        title=title,
        have=plural(len(kept), "sample"),
        planned=planned or "an unknown number",
        why=limited if header.status == "success" else ended,
    )
