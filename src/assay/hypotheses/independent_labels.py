"""Two models on different items, compared in any measure of their labels, without resampling (T5)."""

import math
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import TestOutcome, with_notes
from assay.estimates.method_question import MethodQuestion
from assay.estimates.normality_of_means import FAR_LEVEL
from assay.estimates.proportions import SMALL_COUNT
from assay.evidence.argument_checks import as_predictions
from assay.evidence.predictions import Predictions
from assay.hypotheses.label_slopes import (
    MOST_CLASSES,
    SPREAD_CLASSES,
    decided,
    plain_difference,
    slopes_of,
    smooth_measure,
)
from assay.hypotheses.paired_measures import AnyMeasure
from assay.measures.registry import Measure, find_measure

FAR_COUNT = 30
"""Items of a class below which the note `small-counts` is given from `FAR_LEVEL` on: with 20 of them equal
balanced accuracies are told apart in 1.3 % of samples for 1 % (docs/calibration.md)."""
HALF = 0.5
"""What is added to each of the four cells of two classes; see docs/inside/decisions/0031."""


@method(
    question="Do two models tested on different items differ in a measure of their labels?",
    takes="two-predictions",
    gives="test",
    unit="item",
    assumes=(
        "items are independent",
        "the two test sets are independent of each other",
        "a measure that changes smoothly with the counts",
    ),
    reference="Agresti & Caffo (2000), The American Statistician 54; Bonett & Price (2012), JEBS 37",
    requirement="T5",
    formula="z = R atanh(D/R)(1 - (D/R)^2)/standard_error, D the difference with half a count added to "
    "each cell, standard_error^2 = error_a^2 + error_b^2",
    title="delta-method test for independent samples",
    posterior="smoothed",
    calibrated_by="labels_apart",
)
def independent_delta(
    evidence_a: Any,
    evidence_b: Any,
    *,
    measure: AnyMeasure = "f1",
    alternative: str = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """The difference of a label measure on two test sets with its delta-method interval and test.

    Half a count is added to each cell of (truth, answer) of either model, so that a rare class
    still has a spread, and the interval is symmetric on a scale without ends, so that it stays in
    the range. Nothing is drawn.
    """
    asked = MethodQuestion.of("independent_delta", level=level, alternative=alternative)
    chosen = find_measure(measure)
    parts = [as_predictions(one) for one in (evidence_a, evidence_b)]
    bound = [_applied(part, chosen) for part in parts]
    tables = [part.tally().confusion(part.models[0]) for part in parts]
    values = [float(one.function(table)) for one, table in zip(bound, tables, strict=True)]
    smoothed = [_smoothed(table, one) for one, table in zip(bound, tables, strict=True)]
    centre = plain_difference(smoothed[0][0], smoothed[1][0])
    error = math.hypot(smoothed[0][1], smoothed[1][1])
    value = plain_difference(*values)
    known = None if math.isnan(value) else value
    n, spread = sum(part.n for part in parts), error if error > 0.0 else None
    outcome = asked.unanswered(asked.estimate(bound[0].name, known, n, standard_error=spread))
    if math.isnan(value) or not (math.isfinite(centre) and error > 0.0):
        return with_notes(outcome, note("undefined-value", measure=bound[0].name))
    found = decided(outcome, bound[0], centre, error, asked.level)
    return with_notes(found, *_few(tables, asked.level))


def _applied(part: Predictions, measure: Measure) -> Measure:
    return smooth_measure(
        part, measure, part.models, method="independent_delta", instead="independent_bootstrap"
    )


def _smoothed(table: FloatArray, measure: Measure) -> tuple[float, float]:
    """The measure with the pseudo-counts added, and its standard error by the delta method.

    A measure does not change when all counts are doubled, so the slopes weighted by the counts
    add up to 0 and the multinomial variance is the sum of count * slope² over the cells.
    """
    filled = table + pseudo_table(table)
    slopes = slopes_of(measure, filled)
    return float(measure.function(filled)), math.sqrt(float((filled * slopes**2).sum()))


def pseudo_table(table: FloatArray) -> FloatArray:
    """What is added to a confusion matrix: ½ for the right answers of each true class, 1/C for the wrong.

    The wrong ones are spread, so that each of the four cells of two classes gets ½. Where one
    class occurs in the truth, the others count too.
    """
    size = len(table)
    wrong = 1.0 - np.eye(size)
    if size > SPREAD_CLASSES:
        wrong = np.roll(np.eye(size), 1, axis=1)
    share = 1.0 / max(2, size)
    added = HALF * min(1.0, MOST_CLASSES / size) * np.eye(size)
    added += share * wrong / np.maximum(wrong.sum(axis=1, keepdims=True), 1.0)
    seen = table.sum(axis=1) > 0
    return np.asarray(added * (seen if seen.sum() > 1 else np.ones_like(seen))[:, None])


def enough_items(level: float) -> int:
    """Items of the rarest class from which on the level is kept: more of them far in the tails."""
    return SMALL_COUNT if level < FAR_LEVEL else FAR_COUNT


def _few(tables: list[FloatArray], level: float) -> tuple[Note, ...]:
    """A note where few items of a class stand behind the answer."""
    sizes = np.concatenate([table.sum(axis=1) for table in tables])
    rarest = int(sizes[sizes > 0].min())
    if rarest >= enough_items(level):
        return ()
    what = f"{by_count(rarest, 'item', 'items')} of the rarest class"
    return (note("small-counts", count=rarest, what=what, method="half a count in each cell"),)
