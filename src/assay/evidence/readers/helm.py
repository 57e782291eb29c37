"""Logs of HELM: ``per_instance_stats.json`` of a run, with ``scenario_state.json`` where it is kept."""

import math
import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of
from assay.evidence.readers.log_files import document, document_beside
from assay.evidence.readers.log_items import (
    Log,
    LogAnswer,
    LogRequest,
    LogRun,
    digest,
    inside,
    run_of,
)

_SPLITS = ("test", "valid")
"""The part of the data that counts: the first of these that occurs."""
_MODEL = re.compile(r"[,:]model=([^,]*)")
"""In the name of a run such as ``mmlu:subject=law,model=openai_gpt2``."""
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


class RequestState(msgspec.Struct):
    """A request made for an instance: its question and possible answers."""

    instance: dict[str, Any]


class ScenarioState(msgspec.Struct):
    """All requests of a run."""

    request_states: list[RequestState]


def find(path: Path, title: str) -> list[Log]:
    """The run whose statistics are in this file; other files of its folder say what it was."""
    spec = document_beside(path.parent / "run_spec.json", dict[str, Any])
    name = inside(spec, "name", str) or path.parent.name
    stated = _MODEL.search(name)
    model = inside(spec, "adapter_spec.model", str) or (stated[1] if stated else "")
    task = re.sub(r"[,:]model(?:_deployment)?=[^,]*", "", name)
    read = partial(_read, path, title)
    return [Log(path=path, title=title, harness="HELM", model=model or name, task=task, read=read)]


def _read(path: Path, title: str, wanted: LogRequest) -> LogRun:
    if wanted.cluster not in (None, "sub_split"):
        raise EvidenceError(f"HELM knows clusters by 'sub_split' only; got {wanted.cluster!r}")
    plain = [each for each in document(path, title, list[Instance]) if each.perturbation is None]
    splits = {stat.name.split for each in plain for stat in each.stats}
    split = next((split for split in _SPLITS if split in splits), None)
    for each in plain:
        each.stats = [stat for stat in each.stats if _counts(stat, split)]
    contents = _contents(path.parent / "scenario_state.json")
    found: dict[tuple[str, int], LogAnswer] = {}
    for each in plain:  # the statistics of an instance may be spread over several records
        if each.stats:
            facts = {"sub_split": each.stats[0].name.sub_split or "none"}
            content = contents.get(each.instance_id, "")
            trial = each.train_trial_index
            place = f"instance {each.instance_id!r}"
            made = LogAnswer(each.instance_id, {}, content, facts, place=place, repeat=trial)
            known = found.get((each.instance_id, trial), made)
            own = {stat.name.name: _mean(stat) for stat in reversed(each.stats)}
            there = {name: value for name, value in own.items() if value is not None}
            found[each.instance_id, trial] = known._replace(scores={**known.scores, **there})
    names = dict.fromkeys(stat.name.name for each in plain for stat in each.stats)
    scores = [name for name in names if not _BOOKKEEPING.fullmatch(name)]
    # token counts and times too, if asked for by name
    asked = [str(wanted.metric)] if wanted.metric in names else scores
    return run_of(list(found.values()), title, wanted, metrics=asked)


def _counts(stat: Stat, split: str | None) -> bool:
    """Whether a statistic is about unperturbed items of the split."""
    return stat.name.perturbation is None and (split is None or stat.name.split == split)


def _mean(stat: Stat) -> Any:
    """The mean of a statistic; HELM removes those that are not a number, and then the sum may be there."""
    known = math.nan if stat.mean is None else number_of(stat.mean)
    if known is None or math.isfinite(known):  # what is no number is refused where it is asked for
        return stat.mean if stat.count else None
    total = number_of(stat.sum)
    return total / stat.count if stat.count and total is not None else None


def _contents(path: Path) -> dict[str, str]:
    """A hash of every question and its answers."""
    state = document_beside(path, ScenarioState) or ScenarioState([])
    instances = (request.instance for request in state.request_states)
    return {
        str(each.get("id")): f"helm {digest(each.get('input'), _sorted(each.get('references')))}"
        for each in instances
    }


def _sorted(references: Any) -> list[str]:
    """Possible answers in an order of their own: that of the log may be drawn."""
    return sorted(map(digest, references)) if isinstance(references, list) else []
