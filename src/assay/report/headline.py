"""The answer at a glance: a headline of at most twelve words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from assay.compare.ranking import best_estimates_first
from assay.compare.verdict import ahead_first
from assay.core.formatting import clean, clean_name, listed, write_estimate
from assay.core.notes import by_count
from assay.core.results import Comparison, Comparisons, Evaluation, Verdict
from assay.core.vocabulary import TURNED
from assay.plots.measure_labels import measure_label, short_names

_LONGEST, _MOST_WORDS, _MOST = 26, 3, 12
"""Letters and words of a model's name in a headline, and words of the headline."""


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
        return _several_led(result, _apart(apart, len(result.verdicts)))
    found = [ahead_first(part, part.verdict) for part in result.parts]
    ahead = Counter((one.a, one.word) for one in found if one.word in TURNED)
    if not ahead:
        return "No clear difference"
    if len({model for model, _ in ahead}) > 1:
        first, second = short_of((found[0].a, found[0].b))
        return f"{first} and {second}: each leads in some comparisons"
    (model, word), count = ahead.most_common(1)[0]
    whole = f"{len(found)} {'comparisons' if result.sliced_by else 'measures'}"
    return f"{short_of((model, found[0].a, found[0].b))[0]} is {word} in {count} of {whole}"


def _several_led(result: Comparisons, differ: str) -> str:
    """Who is first in all measures where one model is, and how many pairs differ."""
    if len(leaders := list(_leaders(result))) != 1:
        return differ
    (named, *_) = short_of((*leaders, *result.evidence.models))
    led = f"{named} first in all {len(result.parts)} measures; {differ}"
    return led if len(led.split()) <= _MOST else differ


def first_of_each(result: Comparisons) -> str:
    """Of many models in several measures: who is first in each, and how many pairs differ."""
    first = _leaders(result)
    led = "; ".join(f"{model} is first in {listed(measures)}" for model, measures in first.items())
    counts = [
        f"{sum(one.different for one in part.verdicts):,} of {len(part.verdicts):,}"
        f"{'' if place else ' pairs differ significantly'} in {clean(part.measure)}"
        for place, part in enumerate(result.parts)
    ]
    return f"{led}. {listed(counts)}." if led else ""


def _leaders(result: Comparisons) -> dict[str, list[str]]:
    """The models that are first in a measure, each with its measures; of several pairs without slices."""
    if result.sliced_by is not None or any(len(part.verdicts) == 1 for part in result.parts):
        return {}
    first: dict[str, list[str]] = {}
    for part in result.parts:
        order = best_estimates_first(part)
        if not order:
            return {}
        first.setdefault(clean_name(order[0].model), []).append(clean(part.measure))
    return first


def _of_pair(verdict: Verdict) -> str:
    first, second = short_of((verdict.a, verdict.b))
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
        named = short_of((result.baseline, *result.evidence.models))[0]
        return _against(named, words, len(result.verdicts))
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
    named = short_of((first, *result.evidence.models))[0]
    if beaten == models - 1:
        return f"{named} is better than {'both' if beaten == 2 else f'all {beaten}'} others"
    if beaten:
        return f"{named} ranks first; clearly better than {beaten} of {models - 1} others"
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


def short_of(names: Sequence[str]) -> list[str]:
    """The names of models as a headline can hold them, each with what tells it from the others."""
    cuts = [short(name) for name in names]
    found = []
    for cut, told in zip(cuts, short_names(names, _LONGEST), strict=True):
        alike = {name for name, other in zip(names, cuts, strict=True) if other == cut}
        fits = len(told.split()) <= _MOST_WORDS
        found.append(told if len(alike) > 1 and fits else cut)
    return found


def leader(result: Comparison) -> str | None:
    """The model with the best value."""
    order = best_first(result)
    return order[0] if order else None


def best_first(result: Comparison) -> list[str]:
    """The models, the best first, as every ranking of them has it; those without a value last."""
    ranked = [str(one.model) for one in best_estimates_first(result)]
    return [*ranked, *(model for model in result.evidence.models if model not in ranked)]
