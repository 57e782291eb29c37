"""The answer of a comparison in a few sentences: who is ahead, how many pairs differ, and what that leaves open."""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from assay.compare.design import Design
from assay.compare.findings import Findings
from assay.compare.ranking import mean_ranks
from assay.compare.verdict import is_pseudo_median
from assay.core.formatting import listed, write_given
from assay.core.notes import by_count
from assay.core.results import Estimate, TestOutcome, Verdict
from assay.core.vocabulary import TURNED

Pair = tuple[str, str, TestOutcome]
MOST_NAMED = 6
"""Models that a sentence names one by one."""
_BESIDE_BASELINE = {
    "better": "{models} {is_} better",
    "worse": "{models} {is_} worse",
    "higher": "{models} {is_} higher",
    "lower": "{models} {is_} lower",
    "equivalent": "{models} {is_} equivalent within ±{margin}",
    "undecided": "no clear difference for {models}",
}


def sentence_of(
    design: Design,
    found: Findings,
    verdicts: Sequence[Verdict],
    estimates: Sequence[Estimate],
    opposed: Sequence[Pair] = (),
) -> str:
    """The answer to the whole comparison; ``opposed`` are the pairs of which two averages disagree."""
    if len(verdicts) == 1:
        return f"{''.join(map(_disagreement, opposed))}{verdicts[0].sentence}"
    if design.baseline is not None:
        led = (_opposed_leader(design.baseline, opposed), _against_baseline(design, verdicts))
        return " ".join(filter(None, led))
    ranks = mean_ranks(found.families, design.models, design.measure.direction)
    best = _best(design, verdicts, estimates, ranks)
    others = _beside(best, design, verdicts)
    head = _head(best, design, estimates, ranks)
    led = (_opposed_leader(best, opposed), _leader(head, design, others))
    return " ".join(filter(None, (*led, _counted(verdicts, design.margin))))


def _head(
    best: str, design: Design, estimates: Sequence[Estimate], ranks: Mapping[str, float]
) -> str:
    """By what the leader is ahead: its mean rank, its value, or, on different units, its pairs."""
    if ranks:
        return f"{best} has the best mean rank{_shared(best, ranks)}"
    if not _same_units(estimates):
        return f"{best} is ahead in the most pairs"
    top = "lowest" if design.measure.direction == "lower" else "highest"
    means = {str(one.model): one.value for one in estimates if one.value is not None}
    return f"{best} has the {top} {design.measure.called}{_shared(best, means)}"


def _shared(best: str, values: Mapping[str, float]) -> str:
    """Who has the leader's value too."""
    others = [name for name in values if name != best and values[name] == values[best]]
    return f" (shared with {listed(others)})" if others else ""


def _leader(head: str, design: Design, others: Mapping[str, list[str]]) -> str:
    """Who is ahead, and of whom: C4.5 has the best mean rank, but no clear lead over NaiveBayes."""
    direction = design.measure.direction
    behind = "lower" if direction == "unknown" else "worse"
    if set(others) == {behind}:
        verb = "is higher than" if direction == "unknown" else "beats"
        return f"{head} and {verb} each of the other {len(others[behind])} models."
    sentences = [head]
    total = sum(map(len, others.values()))
    many = behind in others and "undecided" in others and total > MOST_NAMED
    if many:
        verb = "is higher than" if direction == "unknown" else "beats"
        sentences[0] += f" and {verb} {len(others[behind])} of {total} other models"
    if many:
        sentences[0] += ", with no clear lead over the rest"
    elif "undecided" in others:
        has = "" if " has " in head else "has "
        sentences[0] += f", but {has}no clear lead over {listed(others['undecided'])}"
    for word in ("better", "higher"):
        if word in others:
            names = others[word]
            sentences.append(
                f"{listed(names)} {by_count(len(names), 'is', 'are')} {word} than it pair by pair"
            )
    if "equivalent" in others:
        sentences.append(
            f"It is equivalent to {listed(others['equivalent'])} within ±{write_given(design.margin or 0.0)}"
        )
    if behind in others and not many:
        verb = "It is higher than" if direction == "unknown" else "It beats"
        sentences.append(f"{verb} {listed(others[behind])}")
    return f"{'. '.join(sentences)}."


def _counted(verdicts: Sequence[Verdict], margin: float | None) -> str:
    """How many pairs differ: 7 of 10 pairs differ significantly; 3 are inconclusive."""
    words: Counter[str] = Counter(verdict.word for verdict in verdicts)
    differ = sum(words[word] for word in TURNED)
    if words["undecided"] == len(verdicts):
        return f"None of the {len(verdicts):,} pairs differs significantly."
    verb = by_count(differ, "differs", "differ")
    text = f"{differ:,} of {len(verdicts):,} pairs {verb} significantly"
    for word, name in (("equivalent", "equivalent"), ("undecided", "inconclusive")):
        if words[word]:
            text += f"; {words[word]:,} {by_count(words[word], 'is', 'are')} {name}"
    if margin is not None and words["undecided"] and not words["equivalent"]:
        text += f" (none shown equivalent within ±{write_given(margin)})"
    return f"{text}."


def opposed_means(pairs: Sequence[Pair], estimates: Sequence[Estimate]) -> list[Pair]:
    """Pairs whose pseudo-median and difference of means have opposite signs."""
    found = {one.model: one for one in estimates if one.value is not None}
    opposed = []
    for a, b, outcome in pairs:
        effect, first, second = outcome.effect, found.get(a), found.get(b)
        if not is_pseudo_median(effect) or outcome.null or first is None or second is None:
            continue
        means = (first.value or 0.0) - (second.value or 0.0)
        if first.n == second.n and means * (effect.value or 0.0) < 0.0:
            opposed.append((a, b, outcome))
    return opposed


def _disagreement(pair: Pair) -> str:
    """Said before the verdict where the two averages point in opposite directions."""
    a, b, outcome = pair
    above, below = (a, b) if (outcome.effect.value or 0.0) < 0.0 else (b, a)
    measure = outcome.effect.measure
    return (
        f"Mean and pseudo-median disagree: {above} has the higher mean {measure}, but the pseudo-median "
        f"of the differences is higher for {below}. "
    )


def _opposed_leader(best: str, opposed: Sequence[Pair]) -> str:
    """Said first where mean and pseudo-median of the leader and another model disagree."""
    others = [b if a == best else a for a, b, _ in opposed if best in (a, b)]
    if not others:
        return ""
    return f"Mean and pseudo-median disagree in sign for {best} and {listed(others, most=2)}."


def _against_baseline(design: Design, verdicts: Sequence[Verdict]) -> str:
    by_word: dict[str, list[str]] = {}
    for verdict in verdicts:
        by_word.setdefault(verdict.word, []).append(verdict.a)
    clauses = [
        clause.format(
            models=listed(by_word[word]),
            is_=by_count(len(by_word[word]), "is", "are"),
            margin=write_given(design.margin or 0.0),
        )
        for word, clause in _BESIDE_BASELINE.items()
        if word in by_word
    ]
    return f"Against {design.baseline} in {design.measure.called}: {'; '.join(clauses)}."


def _best(
    design: Design,
    verdicts: Sequence[Verdict],
    estimates: Sequence[Estimate],
    ranks: Mapping[str, float],
) -> str:
    """The best mean rank, else the best mean; on different units, who is ahead in most pairs.

    A model that lacks the hard data sets has a high mean and need not be ahead of anyone.
    """
    sign = -1.0 if design.measure.direction == "lower" else 1.0
    means = {str(one.model): sign * one.value for one in estimates if one.value is not None}
    if ranks:
        return min(design.models, key=lambda one: (ranks[one], -means.get(one, -math.inf)))
    if _same_units(estimates):
        return max(means, key=lambda model: means[model])
    ahead = dict.fromkeys(design.models, 0)
    for verdict in verdicts:
        difference = sign * (verdict.outcome.effect.value or 0.0)
        ahead[verdict.a if difference > 0 else verdict.b] += difference != 0.0
    return max(ahead, key=lambda model: (ahead[model], means.get(model, -math.inf)))


def _same_units(estimates: Sequence[Estimate]) -> bool:
    """Whether the models have as many units each: else their means are of different ones."""
    return len({one.n for one in estimates}) == 1


def _beside(best: str, design: Design, verdicts: Iterable[Verdict]) -> dict[str, list[str]]:
    """The other models by what was decided of each beside the best."""
    words: dict[str, str] = {}
    for verdict in verdicts:
        if verdict.b == best:
            words[verdict.a] = verdict.word
        elif verdict.a == best:
            words[verdict.b] = TURNED.get(verdict.word, verdict.word)
    found: dict[str, list[str]] = {}
    for model in design.models:
        if model != best:
            found.setdefault(words.get(model, "undecided"), []).append(model)
    return found
