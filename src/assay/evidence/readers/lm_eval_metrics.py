"""What the values of a metric of lm-evaluation-harness are: scores of items, or parts of something else.

A metric is put together over the items by its aggregation. A mean is a mean of scores; a perplexity is made
of log likelihoods, F1 of right answers and answers, BLEU of whole texts, of which no item has a score.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any

import msgspec
import numpy as np

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, number_of, quoted
from assay.evidence.readers.lm_eval_samples import HarnessSample
from assay.evidence.readers.log_items import Item, score_of

PAIRS = {"f1": "f1", "matthews_corrcoef": "mcc"}
"""Aggregations of pairs of right answer and answer, and our measure for them."""
WEIGHTED = ("weighted_perplexity", "bits_per_byte")
"""Aggregations of pairs of log likelihood and number of words or bytes."""
LOSSES = ("perplexity", *WEIGHTED, "brier_score")
"""Aggregations of which less is better, whatever sign their parts have."""

_USUAL = {
    **{name: name for name in (*LOSSES, "f1")},
    "mcc": "matthews_corrcoef",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
}
_Label = str | int | bool
_KINDS: dict[str, Any] = {
    **dict.fromkeys(PAIRS, tuple[_Label, _Label]),
    **dict.fromkeys(WEIGHTED, tuple[float, Annotated[float, msgspec.Meta(gt=0)]]),
    "brier_score": tuple[Annotated[int, msgspec.Meta(ge=0)], list[float]],
    "perplexity": float | int | str | bool | None,
}
"""What an item must hold for an aggregation."""


def aggregation(metric: str, values: Sequence[Any], config: Any) -> str:
    """How the harness puts a metric together: as the task says where the values allow it."""
    listed = config.get("metric_list") if isinstance(config, Mapping) else None
    said = [
        str(each.get("aggregation"))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, Mapping) and each.get("metric") == metric
    ]
    for way in (*said, _USUAL.get(metric, "mean")):
        if way in _KINDS and all(_fits(value, way) for value in values):
            return way
    return "mean"


def _fits(value: Any, way: str) -> bool:
    try:
        found = msgspec.convert(value, _KINDS[way])
    except (msgspec.ValidationError, OverflowError):
        return False
    if way == "perplexity":
        return found is None or number_of(found) is not None
    return way != "brier_score" or found[0] < len(found[1])


def has_scores(metric: str, values: Sequence[Any], config: Any) -> bool:
    """Whether items have scores (or labels) by this metric."""
    way = aggregation(metric, values, config)
    return way != "mean" or not any(isinstance(value, list | dict) for value in values)


def items(samples: Sequence[HarnessSample], metric: str, way: str) -> Iterator[Item]:
    """The items with their scores: of log likelihoods the losses, of F1 the answers themselves."""
    for sample in samples:
        value: Any = sample.values.get(metric)
        item = Item(sample.item, None, 1, sample.content, sample.prompt, sample.cluster)
        if way in PAIRS:
            yield item._replace(truth=id_text(value[0]), answer=id_text(value[1]))
            continue
        if way == "mean" and isinstance(value, list | dict):
            others = quoted([name for name in sample.metrics if name != metric], 20)
            raise EvidenceError(
                f"{sample.place}: {metric!r} holds {value!r:.60}, which is not a score of the item. The harness "
                f"combines these parts over the whole data set. Use another metric{others and ': ' + others}"
            )
        score, why = score_of(_loss(value, way), f"{sample.place}: {metric!r}")
        if score is not None and way == "perplexity":
            score = -score
        yield item._replace(
            score=score, why=why, weight=float(value[1]) if way in WEIGHTED else None
        )


def _loss(value: Any, way: str) -> Any:
    """The loss of an item that the parts of an aggregation make; other values as they are."""
    if way in WEIGHTED:
        unit = math.log(2.0) if way == "bits_per_byte" else 1.0
        return -float(value[0]) / float(value[1]) / unit
    if way == "brier_score":
        right, shares = value
        sides = (float(share) - (place == right) for place, share in enumerate(shares))
        return sum(side * side for side in sides)
    return value


def stated(said: Any, way: str) -> float | None:
    """The harness's own average on the scale of our items; of a perplexity the logarithm."""
    number = number_of(said)
    if number is None or not math.isfinite(number):
        return None
    if way not in ("perplexity", "weighted_perplexity"):
        return number
    return math.log(number) if number > 0.0 else None


def notes(
    found: Sequence[Item], label: str, way: str, title: str, said: Any, *, slack: float = 1e-6
) -> list[Note]:
    """What a reader of the mean over the items must know about the harness's own number."""
    perplexed = way in ("perplexity", "weighted_perplexity")
    made = [note("log-perplexity", title=title, metric=label)] if perplexed else []
    scored = [item for item in found if item.score is not None]
    theirs = number_of(said)
    if way in PAIRS or not scored or theirs is None or not math.isfinite(theirs):
        return made
    weights = [1.0 if item.weight is None else item.weight for item in scored]
    with np.errstate(over="ignore", invalid="ignore"):
        ours = float(np.average([item.score or 0.0 for item in scored], weights=weights))
    if perplexed:
        ours = math.exp(min(ours, 700.0))
    if abs(ours - theirs) > slack * max(1.0, abs(theirs)):
        made.append(note("log-disagrees", title=title, metric=label, ours=ours, theirs=theirs))
    return made
