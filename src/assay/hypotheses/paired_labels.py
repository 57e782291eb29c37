"""Two models on the same items, compared in any measure of their labels, without resampling (T5)."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import TestOutcome, with_notes
from assay.estimates.method_question import MethodQuestion
from assay.estimates.proportions import SMALL_COUNT
from assay.evidence.tally import Tally, distinct_rows
from assay.hypotheses.label_slopes import (
    MOST_CLASSES,
    SPREAD_CLASSES,
    decided,
    plain_difference,
    slopes_of,
    smooth_measure,
)
from assay.hypotheses.paired_measures import AnyMeasure, pair_of
from assay.measures.registry import Measure, find_measure

HALF = 0.5
"""What is added to each of the eight cells of two classes; see docs/inside/decisions/0020."""


@method(
    question="Do two models differ in a measure of their labels on the same items?",
    takes="predictions",
    gives="test",
    unit="item",
    assumes=("items are independent", "a measure that changes smoothly with the counts"),
    reference="Agresti & Min (2005), Statistics in Medicine 24; Bonett & Price (2012), JEBS 37",
    requirement="T5",
    formula="z = R atanh(D/R)(1 - (D/R)^2)/standard_error, D the difference with half a count added to "
    "each cell",
    title="delta-method test for paired samples",
    posterior="smoothed",
    calibrated_by="labels",
)
def paired_delta(
    evidence: Any,
    *,
    measure: AnyMeasure = "f1",
    models: Sequence[str] | None = None,
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The difference of a label measure with its delta-method interval and test; nothing is drawn.

    Half a count is added to each cell of (truth, answer of A, answer of B), so that few or no
    disagreements still have a spread, and the interval is symmetric on a scale without ends, so
    that it stays in the range. The answer mirrors when A and B are swapped.
    """
    predictions, pair = pair_of(evidence, models)
    asked = MethodQuestion.of("paired_delta", level=level, alternative=alternative)
    chosen = find_measure(measure)
    bound = smooth_measure(
        predictions, chosen, pair, method="paired_delta", instead="paired_bootstrap"
    )
    tally = predictions.tally(pair)
    value = plain_difference(*(float(bound.function(tally.confusion(model))) for model in pair))
    centre, error = _smoothed(tally, bound)
    known = None if math.isnan(value) else value
    spread = error if error > 0.0 else None
    outcome = asked.unanswered(
        asked.estimate(bound.called, known, predictions.n, standard_error=spread)
    )
    if math.isnan(value) or not (math.isfinite(centre) and error > 0.0):
        return with_notes(outcome, note("undefined-value", measure=bound.called))
    found = decided(outcome, bound, centre, error, asked.level)
    return with_notes(found, *few_cases(tally))


def _smoothed(tally: Tally, measure: Measure, scale: float = 1.0) -> tuple[float, float]:
    """The difference with the pseudo-counts added, and its standard error by the delta method.

    A measure does not change when all counts are doubled, so the slopes weighted by the counts
    add up to 0 and the multinomial variance is the sum of count * slope² over the joint cells.
    """
    size = len(tally.classes)
    added_rows, added = pseudo_rows(np.unique(tally.rows[:, 0]), size)
    rows, place = distinct_rows(np.concatenate([tally.rows, added_rows]))
    counts = np.bincount(place, weights=np.concatenate([scale * tally.counts, added]))
    tables = [np.zeros((size, size)), np.zeros((size, size))]
    for table, answers in zip(tables, rows[:, 1:].T, strict=True):
        np.add.at(table, (rows[:, 0], answers), counts)
    slopes = [slopes_of(measure, table) for table in tables]
    of_cells = slopes[0][rows[:, 0], rows[:, 1]] - slopes[1][rows[:, 0], rows[:, 2]]
    centre = plain_difference(*(float(measure.function(table)) for table in tables))
    return centre, math.sqrt(float((counts * of_cells**2).sum()))


def counted_spread(tally: Tally, measure: Measure, n: float) -> tuple[float, float]:
    """What `paired_delta` makes of a difference in n items like these: its share, and its error.

    The half counts pull a difference towards zero and add disagreements; both fade as n grows.
    ``measure`` is bound to the classes.
    """
    _, added = pseudo_rows(np.unique(tally.rows[:, 0]), len(tally.classes))
    return n / (n + float(added.sum())), _smoothed(tally, measure, n / tally.n)[1]


def pseudo_rows(truths: IntArray, n_classes: int) -> tuple[IntArray, FloatArray]:
    """Joint cells (truth, a, b) and the little that is added to them.

    For each true class ½ where both are right, and 1/C each where only A, only B or neither is
    right, spread over the wrong answers: ½ in each of the eight cells of two classes. Where one
    class occurs in the truth, the others count too.
    """
    classes = truths if truths.size > 1 else np.arange(n_classes)
    share = 1.0 / max(2, n_classes)
    right = HALF * min(1.0, MOST_CLASSES / n_classes)
    rows: list[tuple[int, int, int]] = []
    added: list[float] = []
    for true in classes.tolist():
        wrong = [other for other in range(n_classes) if other != true]
        if n_classes > SPREAD_CLASSES:
            wrong = [(true + 1) % n_classes]
        rows.append((true, true, true))
        added.append(right)
        for other in wrong:
            rows += [(true, true, other), (true, other, true), (true, other, other)]
            added += [share / len(wrong)] * 3
    return np.array(rows, dtype=np.int64), np.array(added)


def few_cases(tally: Tally) -> tuple[Note, ...]:
    """A note where little stands behind the answer: few disagreements, or few items of a class."""
    differ = int(tally.counts[tally.rows[:, 1] != tally.rows[:, 2]].sum())
    if differ == 0:
        return (note("no-disagreement", n=tally.n),)
    sizes = np.bincount(tally.rows[:, 0], weights=tally.counts)
    rarest = int(sizes[sizes > 0].min())
    method = "half a count in each cell"
    if differ < SMALL_COUNT:
        what = f"{by_count(differ, 'item is', 'items are')} answered differently"
        return (note("small-counts", count=differ, what=what, method=method),)
    if rarest < SMALL_COUNT:
        what = f"{by_count(rarest, 'item', 'items')} of the rarest class"
        return (note("small-counts", count=rarest, what=what, method=method),)
    return ()
