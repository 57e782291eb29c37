"""The answer at a glance: a headline of at most twelve words."""

from collections import Counter
from typing import Any

from assay.compare.ranking import best_estimates_first
from assay.compare.verdict import ahead_first
from assay.core.formatting import clean_name, write_estimate
from assay.core.notes import by_count
from assay.core.results import Comparison, Comparisons, Evaluation, Verdict
from assay.core.vocabulary import TURNED
from assay.plots.measure_labels import measure_label

_LONGEST, _MOST_WORDS = 26, 3
"""Letters and words of a model's name in a headline."""


def headline(result: Comparison | Evaluation) -> str:
    """The answer in at most twelve words."""
    if isinstance(result, Evaluation):
        one = result.estimates[0]
        if len({estimate.model for estimate in result.estimates}) > 1:
            return f"{len(result.evidence.models)} models, each with its interval"
        label = measure_label(one.measure)
        return f"{short(one.model or 'model')}: {label} {write_estimate(one).value}"
    if len(result.verdicts) == 1:
        return _of_pair(ahead_first(result, result.verdict))
    return _of_many(result)


def headline_of_several(result: Comparisons) -> str:
    """In how many of the questions who is better, in at most twelve words."""
    apart = sum(verdict.different for verdict in result.verdicts)
    if any(len(part.verdicts) > 1 for part in result.parts):
        return _apart(apart, len(result.verdicts))
    found = [ahead_first(part, part.verdict) for part in result.parts]
    ahead = Counter((one.a, one.word) for one in found if one.word in TURNED)
    if not ahead:
        return "No clear difference"
    if len({model for model, _ in ahead}) > 1:
        return f"{short(found[0].a)} and {short(found[0].b)}: each leads in some comparisons"
    (model, word), count = ahead.most_common(1)[0]
    whole = f"{len(found)} {'comparisons' if result.sliced_by else 'measures'}"
    return f"{short(model)} is {word} in {count} of {whole}"


def _of_pair(verdict: Verdict) -> str:
    first, second = short(verdict.a), short(verdict.b)
    if verdict.outcome.null:  # against a level
        words = {"better": "is better than", "worse": "is worse than", "equivalent": "meets",
                 "higher": "is above", "lower": "is below"}  # fmt: skip
        said = words.get(verdict.word)
        return f"{first} {said} {second}" if said else f"No clear difference from {second}"
    words = {
        "better": f"{first} is better than {second}",
        "worse": f"{first} is worse than {second}",
        "higher": f"{first} has higher values than {second}",
        "lower": f"{first} has lower values than {second}",
        "equivalent": f"{first} and {second} are equivalent",
    }
    return words.get(verdict.word, "No clear difference")


def _of_many(result: Comparison) -> str:
    words = Counter(verdict.word for verdict in result.verdicts)
    if result.baseline is not None:
        return _against(short(result.baseline), words, len(result.verdicts))
    models = len(result.evidence.models)
    if words["equivalent"] == len(result.verdicts):
        return f"All {models} models are equivalent"
    apart = sum(words[word] for word in TURNED)
    if not apart:
        return f"No clear differences between {models} models"
    first = leader(result)
    if first is None or result.direction == "unknown":
        return _apart(apart, len(result.verdicts))
    beaten = sum(_beats(first, verdict) for verdict in result.verdicts)
    if beaten == models - 1:
        return f"{short(first)} is better than all {beaten} others"
    if beaten:
        return f"{short(first)} ranks first; clearly better than {beaten} of {models - 1} others"
    return f"No clear winner: {_apart(apart, len(result.verdicts))}"


def _apart(apart: int, pairs: int) -> str:
    return f"{apart:,} of {pairs:,} pairs {by_count(apart, 'differs', 'differ')}"


def _against(baseline: str, words: Counter[Any], pairs: int) -> str:
    for word in ("better", "worse", "higher", "lower"):
        if words[word]:
            said = {"higher": "have higher values than", "lower": "have lower values than"}
            return (
                f"{words[word]} of {pairs} models {said.get(word, f'are {word} than')} {baseline}"
            )
    if words["equivalent"] == pairs:
        return f"All {pairs} models are equivalent to {baseline}"
    return f"No clear difference from {baseline}"


def _beats(model: str, verdict: Verdict) -> bool:
    return (verdict.a == model and verdict.word == "better") or (
        verdict.b == model and verdict.word == "worse"
    )


def short(name: str) -> str:
    """A model's name as a headline can hold it."""
    shown = clean_name(name)
    words = shown.split()
    cut = " ".join(words[:_MOST_WORDS])
    if len(cut) > _LONGEST:
        cut = cut[: _LONGEST - 1]
    return shown if cut == shown else f"{cut}…"


def leader(result: Comparison) -> str | None:
    """The model with the best value."""
    order = best_first(result)
    return order[0] if order else None


def best_first(result: Comparison) -> list[str]:
    """The models, the best first, as every ranking of them has it; those without a value last."""
    ranked = [str(one.model) for one in best_estimates_first(result)]
    return [*ranked, *(model for model in result.evidence.models if model not in ranked)]
