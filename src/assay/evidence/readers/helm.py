"""Logs of HELM: ``per_instance_stats.json`` of a run, with ``scenario_state.json`` where it is kept."""

import re
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    digest,
    document,
    higher_by_name,
    number_or_word,
)

STATS = "per_instance_stats.json"

_SPLITS = ("test", "valid")
"""The part of the data that counts: the first of these that occurs."""
_BOOKKEEPING = re.compile(
    r"num_.*|inference_.*|batch_size|finish_reason_.*|training_.*|prompt_truncated|estimated_.*|max_prob"
)


class Name(msgspec.Struct):
    """The name of a statistic and the items it is about."""

    name: str
    split: str | None = None
    sub_split: str | None = None
    perturbation: Any = None


class Stat(msgspec.Struct):
    """A statistic of one instance."""

    name: Name
    count: int = 1
    sum: Any = None
    mean: Any = None


class Instance(msgspec.Struct):
    """Statistics of one instance in one trial."""

    instance_id: str
    stats: list[Stat]
    train_trial_index: int = 0
    perturbation: Any = None


class Adapter(msgspec.Struct):
    """How the model was asked."""

    model: str = ""


class RunSpec(msgspec.Struct):
    """What was run."""

    name: str = ""
    adapter_spec: Adapter = msgspec.field(default_factory=Adapter)


class Text(msgspec.Struct):
    """A piece of text."""

    text: str = ""


class Reference(msgspec.Struct):
    """A possible answer."""

    output: Text = msgspec.field(default_factory=Text)
    tags: list[str] = []


class Asked(msgspec.Struct):
    """The question of an instance."""

    id: str = ""
    input: Text = msgspec.field(default_factory=Text)
    references: list[Reference] = []


class RequestState(msgspec.Struct):
    """A request made for an instance."""

    instance: Asked


class ScenarioState(msgspec.Struct):
    """All requests of a run."""

    request_states: list[RequestState]


_instances = msgspec.json.Decoder(list[Instance])
_run_spec = msgspec.json.Decoder(RunSpec)
_state = msgspec.json.Decoder(ScenarioState)


def find(path: Path, title: str) -> list[Log]:
    """The run whose statistics are in this file; other files of its folder say what it was."""
    beside = path.parent / "run_spec.json"
    spec = document(beside, str(beside), _run_spec) if beside.is_file() else RunSpec()
    name = spec.name or path.parent.name
    model = spec.adapter_spec.model or _from_name(name, "model") or path.parent.name
    task = re.sub(r"[,:]model(?:_deployment)?=[^,]*", "", name)
    read = partial(_read, path, title, model, task)
    return [Log(path=path, title=title, model=model, task=task, read=read)]


def _from_name(name: str, key: str) -> str:
    """A part of the name of a run such as ``mmlu:subject=law,model=openai_gpt2``."""
    found = re.search(rf"[,:]{key}=([^,]*)", name)
    return found[1] if found else ""


def _read(path: Path, title: str, model: str, task: str, wanted: Wanted) -> LogRun:
    if wanted.cluster not in (None, "sub_split"):
        raise EvidenceError(f"HELM knows clusters by 'sub_split' only; got {wanted.cluster!r}")
    plain = [each for each in document(path, title, _instances) if each.perturbation is None]
    split = _split(plain)
    names = dict.fromkeys(
        stat.name.name for each in plain for stat in each.stats if _counts(stat, split)
    )
    scores = [name for name in names if not _BOOKKEEPING.fullmatch(name)]
    # token counts and times too, if asked for by name
    asked = [str(wanted.metric)] if wanted.metric in names else scores
    metric, chosen = chosen_metric(wanted.metric, asked, title)
    contents = _contents(path.parent / "scenario_state.json")
    return LogRun(
        path=path,
        title=title,
        harness="HELM",
        model=model,
        task=task,
        metric=metric,
        items=_items(plain, metric, split, contents, clustered=wanted.cluster is not None),
        higher=higher_by_name(metric),
        notes=chosen,
    )


def _split(instances: Iterable[Instance]) -> str | None:
    seen = {stat.name.split for each in instances for stat in each.stats}
    return next((split for split in _SPLITS if split in seen), None)


def _counts(stat: Stat, split: str | None) -> bool:
    """Whether a statistic is about unperturbed items of the split."""
    return stat.name.perturbation is None and (split is None or stat.name.split == split)


def _items(
    instances: Sequence[Instance],
    metric: str,
    split: str | None,
    contents: dict[str, str],
    *,
    clustered: bool,
) -> tuple[Item, ...]:
    """One item per instance and trial: its statistics may be spread over several records."""
    found: dict[tuple[str, int], Item] = {}
    for each in instances:
        stats = [stat for stat in each.stats if _counts(stat, split)]
        if not stats:
            continue
        key = (each.instance_id, each.train_trial_index)
        score, why = _score([stat for stat in stats if stat.name.name == metric])
        if key in found and score is None:
            continue
        found[key] = Item(
            id=each.instance_id,
            repeat=each.train_trial_index,
            score=score,
            content=contents.get(each.instance_id, ""),
            cluster=(stats[0].name.sub_split or "none") if clustered else None,
            why=why,
        )
    return tuple(found.values())


def _score(stats: Sequence[Stat]) -> tuple[float | None, str]:
    """The mean of the statistic; HELM removes those that are not a number."""
    if not stats or not stats[0].count:
        return None, "no score was logged"
    value, why = number_or_word(stats[0].mean)
    if value is not None:
        return value, why
    total, why = number_or_word(stats[0].sum)
    return (None, why) if total is None else (total / stats[0].count, "")


def _contents(path: Path) -> dict[str, str]:
    """A hash of every question and its answers."""
    if not path.is_file():
        return {}
    return {
        state.instance.id: "helm "
        + digest(
            state.instance.input.text,
            sorted((each.output.text, *sorted(each.tags)) for each in state.instance.references),
        )
        for state in document(path, str(path), _state).request_states
    }
