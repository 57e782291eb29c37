"""Logs of HELM: ``per_instance_stats.json`` of a run, with ``scenario_state.json`` where it is kept."""

import re
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_files import document, document_beside
from assay.evidence.readers.log_items import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    digest,
    higher_by_name,
    inside,
    score_of,
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


def _read(path: Path, title: str, wanted: Wanted) -> LogRun:
    if wanted.cluster not in (None, "sub_split"):
        raise EvidenceError(f"HELM knows clusters by 'sub_split' only; got {wanted.cluster!r}")
    plain = [each for each in document(path, title, list[Instance]) if each.perturbation is None]
    splits = {stat.name.split for each in plain for stat in each.stats}
    split = next((split for split in _SPLITS if split in splits), None)
    for each in plain:
        each.stats = [stat for stat in each.stats if _counts(stat, split)]
    names = dict.fromkeys(stat.name.name for each in plain for stat in each.stats)
    scores = [name for name in names if not _BOOKKEEPING.fullmatch(name)]
    # token counts and times too, if asked for by name
    asked = [str(wanted.metric)] if wanted.metric in names else scores
    metric, chosen = chosen_metric(wanted.metric, asked, title)
    contents = _contents(path.parent / "scenario_state.json")
    found: dict[tuple[str, int], Item] = {}
    for each in plain:  # the statistics of an instance may be spread over several records
        key = (each.instance_id, each.train_trial_index)
        score, why = _score(each, metric, title)
        if each.stats and (score is not None or key not in found):
            found[key] = Item(
                id=each.instance_id,
                repeat=each.train_trial_index,
                score=score,
                content=contents.get(each.instance_id, ""),
                cluster=each.stats[0].name.sub_split or "none",
                why=why,
            )
    return LogRun(
        metric=metric, items=tuple(found.values()), higher=higher_by_name(metric), notes=chosen
    )


def _counts(stat: Stat, split: str | None) -> bool:
    """Whether a statistic is about unperturbed items of the split."""
    return stat.name.perturbation is None and (split is None or stat.name.split == split)


def _score(instance: Instance, metric: str, title: str) -> tuple[float | None, str]:
    """The mean of the statistic; HELM removes those that are not a number."""
    stat = next((stat for stat in instance.stats if stat.name.name == metric), None)
    if stat is None or not stat.count:
        return None, "no score was logged"
    where = f"instance {instance.instance_id!r} of {title}: {metric!r}"
    mean, why = score_of(stat.mean, where)
    if mean is None:
        total, why = score_of(stat.sum, where)
        mean = None if total is None else total / stat.count
    return mean, why


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
