"""What the interactive figures draw, as plain data: decisions come from the result, not from here."""

import math
from itertools import combinations
from typing import Any

from assay.compare.verdict import as_listed, turned_round
from assay.core.formatting import (
    clean_name,
    effect_digits,
    estimate_digits,
    write_estimate,
    write_p,
)
from assay.core.measure_names import better_side
from assay.core.results import Comparison, Evaluation, Verdict
from assay.plots.cliques import cliques, compact_letters
from assay.plots.measure_labels import measure_label
from assay.report.figure_tables import ranked
from assay.report.headline import best_first

MOST_ROWS = 60
"""Rows of a picture of intervals; the table beside it has all."""


def forest(result: Comparison) -> dict[str, Any]:
    """Every difference with its interval, in the order of the table, and the margin around the null."""
    finest = effect_digits(result.verdicts)
    rows: list[dict[str, Any]] = []
    for verdict in as_listed(result):
        effect, null = verdict.outcome.effect, verdict.outcome.null
        if effect.value is None or not math.isfinite(effect.value):
            continue
        interval = effect.interval
        label = f"{clean_name(verdict.a)} − {clean_name(verdict.b)}"
        rows.append(
            {
                "label": clean_name(verdict.a) if null else label,
                "pair": None if null else [clean_name(verdict.a), clean_name(verdict.b)],
                "value": effect.value,
                "low": _finite(interval.low) if interval else None,
                "high": _finite(interval.high) if interval else None,
                "word": verdict.word,
                "text": str(
                    write_estimate(
                        effect, signed=not null, null=null, margin=result.margin, finest=finest
                    )
                ),
                "p": write_p(verdict.outcome, alpha=1 - result.level),
            }
        )
    label = measure_label(result.measure, result.direction)
    null = result.verdicts[0].outcome.null if result.verdicts else 0.0
    return _drawn(rows, label if null else f"difference in {label}", null, result.margin)


def estimates(result: Comparison | Evaluation, measure: str) -> dict[str, Any]:
    """One measure of every model with its interval, best first."""
    finest = estimate_digits(result.estimates, measure)
    rows: list[dict[str, Any]] = [
        {
            "label": clean_name(one.model),
            "value": one.value,
            "low": _finite(one.interval.low) if one.interval else None,
            "high": _finite(one.interval.high) if one.interval else None,
            "word": "",
            "text": str(write_estimate(one, finest=finest)),
        }
        for one in result.estimates
        if one.measure == measure and one.value is not None and math.isfinite(one.value)
    ]
    if isinstance(result, Comparison) and measure == result.measure:
        order = [clean_name(model) for model in best_first(result)]
        rows.sort(
            key=lambda row: order.index(row["label"]) if row["label"] in order else len(order)
        )
    else:
        sign = 1.0 if better_side(measure) == "lower" else -1.0
        rows.sort(key=lambda row: sign * row["value"])
    return _drawn(rows, measure_label(measure), None, None)


def _drawn(
    rows: list[dict[str, Any]], axis: str, null: float | None, margin: float | None
) -> dict[str, Any]:
    """What is drawn of many rows, the axis saying how many."""
    if len(rows) > MOST_ROWS:
        axis = f"{axis} (first {MOST_ROWS} of {len(rows):,})"
    return {"rows": rows[:MOST_ROWS], "null": null, "margin": margin, "axis": axis}


def ranks(result: Comparison) -> dict[str, Any] | None:
    """Mean ranks and who is not told apart from whom; bars only where they say the same."""
    decided = ranked(result)
    if decided is None or decided.ranks is None:
        return None
    order = decided.order
    apart = decided.matrix(order)
    bars = cliques(apart) if decided.control is None else None
    letters = compact_letters(apart) if decided.control is None and bars is None else None
    return {
        "models": [clean_name(model) for model in order],
        "letters": list(letters or ()),
        "ranks": [decided.ranks[model] for model in order],
        "texts": [f"{decided.ranks[model]:.2f}" for model in order],
        "bars": [list(bar) for bar in bars or ()],
        "alike": [
            [other for other in range(len(order)) if other != one and not apart[one, other]]
            for one in range(len(order))
        ],
        "test": decided.test,
        "control": None if decided.control is None else clean_name(decided.control),
    }


def matrix(result: Comparison) -> dict[str, Any] | None:
    """All pairs, row minus column, best first; only where every pair was compared."""
    models = result.evidence.models
    if len(models) < 3 or len(result.verdicts) != len(list(combinations(models, 2))):
        return None
    order = best_first(result)
    place = {name: index for index, name in enumerate(order)}
    finest = effect_digits(result.verdicts)
    cells = []
    for verdict in result.verdicts:
        effect = verdict.outcome.effect
        if effect.value is None:
            continue
        both = (verdict, turned_round(verdict))
        cells += [_cell(seen, place, result.margin, finest) for seen in both]
    return {
        "models": [clean_name(name) for name in order],
        "cells": cells,
        "direction": result.direction,
        "axis": measure_label(result.measure, result.direction),
    }


def _cell(
    verdict: Verdict, place: dict[str, int], margin: float | None, finest: float | None
) -> list[Any]:
    """Column, row, value, word, the pair in words, and the value as tables write it."""
    effect = verdict.outcome.effect
    text = write_estimate(effect, signed=True, null=0.0, margin=margin, finest=finest)
    pair = f"{clean_name(verdict.a)} − {clean_name(verdict.b)}: {text}"
    return [place[verdict.b], place[verdict.a], effect.value, verdict.word, pair, text.value]


def slider(result: Comparison) -> dict[str, float]:
    """How far the margin's slider goes: a little beyond the widest interval, in round steps."""
    ends = [0.0]
    for verdict in result.verdicts:
        interval, null = verdict.outcome.effect.interval, verdict.outcome.null
        if interval is not None:
            ends += [abs(interval.low - null), abs(interval.high - null)]
    widest = max(end for end in ends if math.isfinite(end)) or 0.1
    step = 10.0 ** math.floor(math.log10(widest / 50.0))
    top = math.ceil(1.25 * max(widest, result.margin or 0.0) / step) * step
    return {"top": round(top, 12), "step": round(step, 12)}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
