"""The card of an answer: three facts, and the intervals to draw against zero and the margin."""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from assay.compare.verdict import ahead_first, turned_round
from assay.core.formatting import clean, clean_name, effect_digits, write_estimate, write_given
from assay.core.results import Comparison, Estimate, Evaluation, Verdict
from assay.core.vocabulary import TURNED, VerdictWord, counted
from assay.plots.measure_labels import short_names
from assay.report.headline import best_first, headline, leader, short_of
from assay.report.views import Fact, comparison_facts, view
from assay.web.chart_data import slider

MOST_ROWS = 8
"""Intervals that are drawn in the card; all of them are in the figure below."""
MOST_LETTERS = 26
"""Letters of a model's name beside an interval."""
_PAD = 0.08
_OTHERS: dict[VerdictWord, str] = {"equivalent": "equivalent", "undecided": "inconclusive"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CardRow:
    """One interval: places are per cent of the width, texts are what the tables say too."""

    label: str
    said: str
    """The label with whole names."""
    text: str
    word: str
    at: float | None
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """Intervals against zero (or the level to meet) and the margin around it."""

    rows: tuple[CardRow, ...]
    zero: float
    one: float
    """How many per cent of the width a difference of 1 takes: what a slider draws while it moves."""
    zero_text: str
    margin: tuple[float, float] | None
    margin_text: str
    left: str
    right: str
    alt: str


def card(result: Any) -> dict[str, Any]:
    """The verdict by itself: what the template draws of it first."""
    if result is None:
        return {
            **dict.fromkeys(("seen", "slider", "strip", "word")),
            "answered": False,
            "headline": "",
            "measured": "",
            "facts": (),
            "more_facts": (),
            "applies": "",
            "drawn": {},
            "remedies": {},
        }
    word = reach = drawing = None
    if isinstance(result, Comparison):
        known, measured = comparison_facts(result), result.measure
        reach, drawing = slider(result), strip(result)
        if len(result.verdicts) == 1:
            word = ahead_first(result, result.verdict).word
    else:
        known, measured = view(result).facts, result.estimates[0].measure
    facts, more = glance(result, known)
    return {
        "answered": True,
        "seen": None,
        "slider": reach,
        "headline": headline(result),
        "measured": measured,
        "word": word,
        "strip": drawing,
        "facts": facts,
        "more_facts": more,
    }


def glance(
    result: Comparison | Evaluation, known: Sequence[Fact]
) -> tuple[tuple[Fact, ...], tuple[Fact, ...]]:
    """Three facts for the card, and the others for a fold."""
    n = counted(result.evidence.n, result.evidence.unit)
    clusters = result.evidence.clusters
    evidence = Fact(
        label="evidence", text=n, detail=f"in {clusters:,} clusters" if clusters else ""
    )
    if isinstance(result, Evaluation):
        return (*known[:2], evidence), tuple(known[2:])
    if len(result.verdicts) == 1:
        of = Fact(label="measure", text=clean(result.measure), detail=known[0].detail)
        p = [fact for fact in known if fact.label == "p-value"]
        rest = tuple(fact for fact in known[1:] if fact.label != "p-value")
        return (of, *p, evidence), rest
    tests = [fact for fact in known if fact.text.startswith(("p ", "F("))]
    words = Counter(verdict.word for verdict in result.verdicts)
    apart = sum(words[word] for word in TURNED)
    others = [f"{words[word]:,} {said}" for word, said in _OTHERS.items() if words[word]]
    pairs = Fact(
        label="pairs that differ significantly",
        text=f"{apart:,} of {len(result.verdicts):,}",
        detail=", ".join(others),
    )
    told = (*tests[:1], *(fact for fact in known if fact.label == "pairs"))
    return (pairs, *tests[:1], evidence), tuple(fact for fact in known if fact not in told)


def effect_text(verdict: Verdict, result: Comparison, finest: float | None) -> str:
    """A difference with its interval, in the digits that it has everywhere (`effect_digits`)."""
    null = verdict.outcome.null
    return str(
        write_estimate(
            verdict.outcome.effect,
            signed=not null,
            null=null,
            margin=result.margin,
            finest=finest,
        )
    )


def strip(result: Comparison) -> Strip | None:
    """The intervals that answer, the best first; None where there is none to draw."""
    verdicts = _shown(result)
    kept = [one for one in verdicts if one.outcome.effect.interval is not None][:MOST_ROWS]
    if not kept:
        return None
    null, margin = kept[0].outcome.null, result.margin
    place, one = _scale(kept, null, margin)
    finest = effect_digits(result.verdicts)
    named = _named(result.evidence.models)
    rows = tuple(_row(one, effect_text(one, result, finest), place, named) for one in kept)
    single = len(kept) == 1 and not null
    lower = result.direction == "lower"
    sides = (kept[0].b, kept[0].a) if not lower else (kept[0].a, kept[0].b)
    sided = single and result.direction != "unknown"
    left, right = short_of(sides)
    return Strip(
        rows=rows,
        zero=place(null),
        one=one,
        zero_text=write_given(null),
        margin=None if margin is None else (place(null - margin), place(null + margin)),
        margin_text="" if margin is None else f"margin ±{write_given(margin)}",
        left=f"← {left} better" if sided else "",
        right=f"{right} better →" if sided else "",
        alt="; ".join(f"{row.said}: {row.text}" for row in rows),
    )


def _shown(result: Comparison) -> Sequence[Verdict]:
    """One pair; every model against the baseline; or the best against all others."""
    if len(result.verdicts) == 1 or result.baseline is not None:
        found = [ahead_first(result, verdict) for verdict in result.verdicts]
        sign = 1.0 if result.direction == "lower" else -1.0
        return sorted(found, key=lambda one: sign * (one.outcome.effect.value or 0.0))
    first = leader(result)
    of_first = [
        verdict if verdict.a == first else turned_round(verdict)
        for verdict in result.verdicts
        if first in (verdict.a, verdict.b)
    ]
    order = {model: place for place, model in enumerate(best_first(result))}
    return sorted(of_first, key=lambda one: order[one.b])


def _named(models: Sequence[str]) -> dict[str, str]:
    """The models as two of them fit beside an interval."""
    return dict(zip(models, short_names(models, MOST_LETTERS), strict=True))


def _row(verdict: Verdict, text: str, place: Any, named: dict[str, str]) -> CardRow:
    effect = verdict.outcome.effect
    interval = effect.interval
    assert interval is not None  # noqa: S101 (chosen so)
    first, second = clean_name(verdict.a), clean_name(verdict.b)
    return CardRow(
        label=named.get(verdict.a, first)
        if verdict.outcome.null
        else f"{named.get(verdict.a, first)} − {named.get(verdict.b, second)}",
        said=first if verdict.outcome.null else f"{first} − {second}",
        text=text,
        word=verdict.word,
        at=None if effect.value is None else place(effect.value),
        low=place(interval.low),
        high=place(interval.high),
    )


def _scale(
    verdicts: Sequence[Verdict], null: float, margin: float | None
) -> tuple[Callable[[float], float], float]:
    """From a value to its place in per cent of the width, and the width of 1; what lies outside stands at the edge."""
    ends = [null] if margin is None else [null - margin, null + margin]
    for verdict in verdicts:
        effect: Estimate = verdict.outcome.effect
        interval = effect.interval
        if interval is not None:
            ends += [end for end in (interval.low, interval.high) if math.isfinite(end)]
    low, high = min(ends), max(ends)
    pad = _PAD * (high - low or 1.0)
    low, width = low - pad, (high - low) + 2 * pad

    def place(value: float) -> float:
        return round(100 * min(max((value - low) / width, 0.0), 1.0), 2)

    return place, 100 / width
