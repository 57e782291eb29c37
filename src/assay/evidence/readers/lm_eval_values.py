"""What the values of a metric of lm-evaluation-harness are: scores of items, or parts of something else.

A metric is put together over the items by its aggregation. A mean is a mean of scores; a perplexity is made
of log likelihoods, F1 of right answers and answers, BLEU of whole texts, of which no item has a score.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import id_text, number_of, quoted
from assay.evidence.readers.lm_eval_lines import Line
from assay.evidence.readers.logs import Item, number_or_word

PAIRS = {"f1": "f1", "matthews_corrcoef": "mcc"}
"""Aggregations of pairs of right answer and answer, and our measure for them."""
WEIGHTED = ("weighted_perplexity", "bits_per_byte")
"""Aggregations of pairs of log likelihood and number of words or bytes."""
LOSSES = ("perplexity", *WEIGHTED, "brier_score")
"""Aggregations of which less is better, whatever sign their parts have."""

_USUAL = {
    "f1": "f1",
    "mcc": "matthews_corrcoef",
    "perplexity": "perplexity",
    "word_perplexity": "weighted_perplexity",
    "byte_perplexity": "weighted_perplexity",
    "bits_per_byte": "bits_per_byte",
    "brier_score": "brier_score",
}


def aggregation(metric: str, values: Sequence[Any], config: Any) -> str:
    """How the harness puts a metric together: as the task says where the values allow it."""
    listed = config.get("metric_list") if isinstance(config, Mapping) else None
    said = [
        str(each.get("aggregation"))
        for each in (listed if isinstance(listed, list) else [])
        if isinstance(each, Mapping) and each.get("metric") == metric
    ]
    for name in (*said, _USUAL.get(metric, "mean")):
        if name in _FITS and all(_FITS[name](value) for value in values):
            return name
    return "mean"


def has_scores(metric: str, values: Sequence[Any], config: Any) -> bool:
    """Whether items have scores (or labels) by this metric."""
    way = aggregation(metric, values, config)
    return way != "mean" or not any(isinstance(value, list | dict) for value in values)


def _is_number(value: Any) -> bool:
    return not isinstance(value, bool) and isinstance(value, int | float)


def _is_pair(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and all(isinstance(part, str | int | bool) for part in value)
    )


def _is_weighted(value: Any) -> bool:
    return (
        isinstance(value, list) and len(value) == 2 and all(map(_is_number, value)) and value[1] > 0
    )


def _is_forecast(value: Any) -> bool:
    return (
        isinstance(value, list)
        and len(value) == 2
        and isinstance(value[0], int)
        and isinstance(value[1], list)
        and 0 <= value[0] < len(value[1])
        and all(map(_is_number, value[1]))
    )


_FITS: dict[str, Any] = {
    "f1": _is_pair,
    "matthews_corrcoef": _is_pair,
    "perplexity": lambda value: value is None or number_of(value) is not None,
    "weighted_perplexity": _is_weighted,
    "bits_per_byte": _is_weighted,
    "brier_score": _is_forecast,
}


def items(lines: Sequence[Line], metric: str, way: str, others: Sequence[str]) -> Iterator[Item]:
    """The items with their scores: of log likelihoods the losses, of F1 the answers themselves."""
    for line in lines:
        item = Item(
            id=line.item,
            score=None,
            content=line.content,
            prompt=line.prompt,
            cluster=line.cluster,
        )
        if way in PAIRS:
            truth, answer = map(id_text, line.value)
            yield item._replace(truth=truth, answer=answer)
        elif way in WEIGHTED:
            likelihood, size = line.value
            unit = math.log(2.0) if way == "bits_per_byte" else 1.0
            yield item._replace(score=-likelihood / size / unit, weight=float(size))
        elif way == "brier_score":
            right, shares = line.value
            sides = (share - (place == right) for place, share in enumerate(shares))
            yield item._replace(score=sum(side * side for side in sides))
        else:
            score, why = _score(line, metric, others)
            turned = -score if score is not None and way == "perplexity" else score
            yield item._replace(score=turned, why=why)


def _score(line: Line, metric: str, others: Sequence[str]) -> tuple[float | None, str]:
    if isinstance(line.value, list | dict):
        raise EvidenceError(
            f"{line.place}: {metric!r} holds {line.value!r:.60}, parts that the harness puts "
            "together over the whole data set, and no score of the item; use another "
            f"metric{': ' + quoted(others, 20) if others else ''}"
        )
    try:
        return number_or_word(line.value)
    except ValueError as error:
        raise EvidenceError(f"{line.place}: {metric!r}: {error}") from None


def notes(
    found: Sequence[Item], label: str, way: str, title: str, said: Any, *, slack: float = 1e-6
) -> list[Note]:
    """What a reader of the mean over the items must know about the harness's own number."""
    made = []
    if way in ("perplexity", "weighted_perplexity"):
        made.append(note("log-perplexity", title=title, metric=label))
    scored = [item for item in found if item.score is not None]
    theirs = number_of(said)
    if way in PAIRS or not scored or theirs is None or not math.isfinite(theirs):
        return made
    weights = [1.0 if item.weight is None else item.weight for item in scored]
    total = math.fsum(w * (item.score or 0.0) for w, item in zip(weights, scored, strict=True))
    ours = total / math.fsum(weights)
    if way in ("perplexity", "weighted_perplexity"):
        ours = math.exp(min(ours, 700.0))
    if abs(ours - theirs) > slack * max(1.0, abs(theirs)):
        made.append(note("log-disagrees", title=title, metric=label, ours=ours, theirs=theirs))
    return made
