"""What every reader of evaluation logs gives: items with scores, and the runs that they belong to."""

import hashlib
import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeVar

from assay.core.errors import EvidenceError
from assay.core.measure_names import better_side
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, number_of, quoted, shortened

_WORDS = {"true": 1.0, "yes": 1.0, "false": 0.0, "no": 0.0}
_NO_NUMBERS = {"", "nan", "none", "null", "n/a"}

TASK = "task"
"""The cluster key that stands for the task an item belongs to."""
MAX_RUNS = 10_000
"""Models, or scores of one, in a log: what is looked at one against the other."""
MAX_NAME = 5_000
"""Characters of the name of a model: reports write it in every line."""

Kind = TypeVar("Kind")
Shape = Literal["scores", "weighted", "pairs", "attempts"]


class Item(NamedTuple):
    """One answer of a model: its score, or why there is none."""

    id: str
    score: float | None
    repeat: int = 1
    content: str = ""
    """A hash of the question and its right answer, after a word for the kind of hash."""
    prompt: str = ""
    """A hash of what the model saw, after a word for the kind of hash."""
    cluster: str | None = None
    why: str = ""
    truth: Any = None
    answer: Any = None
    weight: float | None = None
    """What it counts for in the mean, where that is not 1 for all."""


class LogAnswer(NamedTuple):
    """One answer as a log has it: the item, what each metric says of it, and what else is known."""

    item: str
    scores: Mapping[str, Any]
    content: str = ""
    facts: Any = None
    """What may name its cluster."""
    model: str = ""
    place: str = ""
    """Where it stands, for messages; else it is known by its item."""
    repeat: int | None = None
    """None: the time that the item occurs."""
    prompt: str = ""
    why: str = ""
    """Why there is no score, whatever the metrics say."""


class LogAverage(NamedTuple):
    """What a log itself says of a task, or of a group of so many tasks."""

    value: float
    tasks: int = 1


class LogRequest(NamedTuple):
    """What of a log was asked for."""

    metric: str | None = None
    cluster: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LogRun:
    """The scores of one model on one task, or on several that were put together.

    ``shape`` says how to read the items: by their scores, by their scores with weights, as pairs of a
    truth and an answer, or as attempts to be counted. ``measure`` is the measure that fits, where it
    is not the mean score.
    """

    metric: str
    items: tuple[Item, ...]
    higher: bool = True
    shape: Shape = "scores"
    measure: str | None = None
    notes: tuple[Note, ...] = ()
    logs: tuple["Log", ...] = ()
    title: str = ""
    model: str = ""
    task: str = ""
    reported: Mapping[str, LogAverage] = field(default_factory=dict)
    """The log's own averages by task and group, as far as they are of the same kind as the scores."""

    @property
    def averages(self) -> dict[str, float]:
        """Those of tasks, and under no name that of all: of the one task, or of the group they are."""
        tasks = {
            log.task: self.reported[log.task] for log in self.logs if log.task in self.reported
        }
        whole = [
            said
            for name, said in self.reported.items()
            if said.tasks == len(self.logs)
            and all(name == log.task or name in log.groups for log in self.logs)
        ]
        return {
            **{task: said.value for task, said in tasks.items()},
            **({"": whole[0].value} if whole else {}),
        }


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Log:
    """A run of one model on one task that was found and is read when wanted."""

    path: Path
    title: str
    harness: str
    model: str
    task: str
    read: Callable[[LogRequest], LogRun]
    groups: tuple[str, ...] = ()
    """Names that stand for this task and others."""

    def run(self, wanted: LogRequest) -> LogRun:
        check_name(self.model, self.title)
        by_task = wanted.cluster == TASK
        found = self.read(wanted._replace(cluster=None) if by_task else wanted)
        items = found.items
        if by_task:
            items = tuple(item._replace(cluster=self.task) for item in items)
        found = replace(found, items=items, logs=(self,))
        return replace(found, title=self.title, model=self.model, task=self.task)


def items_of(
    answers: Sequence[LogAnswer], metric: str, wanted: LogRequest, title: str
) -> Iterator[Item]:
    """The answers with their scores by one metric."""
    turns = times_seen(one.item for one in answers)
    for turn, one in zip(turns, answers, strict=True):
        score, why = None, one.why
        if not why:
            place = one.place or f"item {one.item}"
            score, why = score_of(one.scores.get(metric), f"{place} of {title}: {metric!r}")
        repeat = turn if one.repeat is None else one.repeat
        cluster = cluster_of(one.facts, wanted.cluster)
        yield Item(one.item, score, repeat, one.content, one.prompt, cluster, why)


def run_of(
    answers: Sequence[LogAnswer],
    title: str,
    wanted: LogRequest,
    *,
    metrics: Sequence[str] | None = None,
    higher: bool | None = None,
) -> LogRun:
    """The run of answers whose metrics are scores of items: by the one asked for, or the first.

    Which side is better is told by the name of the metric, unless it is ``higher`` of all.
    """
    known = list(dict.fromkeys(name for one in answers for name in one.scores))
    metric, notes = chosen_metric(wanted.metric, known if metrics is None else metrics, title)
    return LogRun(
        metric=metric,
        items=tuple(items_of(answers, metric, wanted, title)),
        higher=higher_by_name(metric) if higher is None else higher,
        notes=notes,
    )


def check_name(model: str, title: str) -> None:
    if len(model) > MAX_NAME:
        raise EvidenceError(
            f"{title} has a model whose name has {len(model):,} letters; at most {MAX_NAME:,} are read"
        )


def score_of(value: Any, where: str) -> tuple[float | None, str]:
    """The score in a cell (True, "True", "yes", 0.5, "0.5"), or None and why; other text is refused."""
    if value is None:
        return None, "no score was logged"
    text = value.strip().lower() if isinstance(value, str) else None
    if text in _WORDS:
        return _WORDS[text], ""
    if text in _NO_NUMBERS:
        return None, f"the score is {value!r}"
    number = number_of(value)
    if number is None:
        raise EvidenceError(f"{where}: {shortened(value)} is not a score")
    if math.isfinite(number):
        return number, ""
    return None, "the score is NaN" if math.isnan(number) else "the score is infinite"


def higher_by_name(metric: str) -> bool:
    """Whether more of a metric is better, judged by its name alone."""
    return better_side(metric) != "lower"


def chosen_metric(
    asked: str | None, available: Sequence[str], title: str, *, scored: Sequence[str] = ()
) -> tuple[str, tuple[Note, ...]]:
    """The metric asked for, by its whole name or a part of it.

    Without a wish it is the first that a log lists (of ``scored``, if given), and that is said.
    """
    if not available:
        raise EvidenceError(f"{title} holds no scores of items")
    if asked is None:
        metric = (scored or available)[0]
        others = quoted([name for name in available if name != metric], 8)
        said = note("metric-taken", title=title, metric=metric, others=others)
        return metric, (said,) if len(available) > 1 else ()
    named = [name for name in available if asked in (name, *name.replace("/", ",").split(","))]
    if asked in available or len(named) == 1:
        return asked if asked in available else named[0], ()
    if named:
        raise EvidenceError(f"metric {asked!r} of {title} could be {quoted(named, 30)}; say which")
    raise EvidenceError(f"{title} has no metric {asked!r}; it has {quoted(available, 30)}")


def times_seen(names: Iterable[str]) -> Iterator[int]:
    """For each name, which time it occurs."""
    seen: Counter[str] = Counter()
    for name in names:
        seen[name] += 1
        yield seen[name]


def told_apart(names: Sequence[str]) -> list[str]:
    """Names of which each occurs once: one that comes again has its number too."""
    times = zip(names, times_seen(names), strict=True)
    return [name if time == 1 else f"{name} #{time}" for name, time in times]


def digest(*parts: Any) -> str:
    """A short hash of texts and other plain values."""
    text = json.dumps(parts, ensure_ascii=False, sort_keys=True, default=str)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]


def inside(facts: Any, place: str, kind: type[Kind]) -> Kind | None:
    """The value at a place such as ``passage.id`` in nested JSON; None where none of the kind is there."""
    value = facts
    for part in [place] if isinstance(facts, Mapping) and place in facts else place.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value if isinstance(value, kind) else None


def cluster_of(facts: Any, key: str | None) -> str | None:
    """The value of ``key`` (``passage`` or ``passage.id``) as text, None where there is none."""
    value = None if key is None else inside(facts, key, object)
    if value is None or value == "":
        return None
    return id_text(value) if isinstance(value, str | int | float) else digest(value)


def listed(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise EvidenceError("a list of answers was expected")
    return found
