"""Two models on the same items, compared in any measure of their labels, without resampling (T5)."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.checks import FloatArray, check_alternative, check_level
from assay.core.errors import NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Estimate, Interval, TestOutcome, with_notes
from assay.core.vocabulary import Alternative
from assay.estimates.bootstrap import TIE
from assay.estimates.proportions import SMALL_COUNT
from assay.estimates.reductions import MATRIX_CLASSES, check_offers
from assay.evidence.predictions import Predictions
from assay.evidence.tally import Tally, distinct_rows
from assay.hypotheses.paired_measures import AnyMeasure, pair_of
from assay.kernels.quantiles import stretched_interval
from assay.kernels.tails import normal_log10_p, normal_p, normal_reach
from assay.measures.registry import Measure, find_measure

HALF = 0.5
"""What is added to each of the eight cells of two classes; see docs/inside/decisions/0020."""

MOST_CLASSES = 50
"""Classes up to which all get ½; with more, the pseudo-counts are scaled so as not to add up. Also
those up to which the slopes of a measure in all its cells are worth their time."""

_SPREAD_CLASSES = 30
"""Up to so many classes a wrong pseudo-answer is spread over all wrong ones, else it is the next."""
_CELLS_AT_A_TIME = 2**19


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
    side, confidence = check_alternative(alternative), check_level(level)
    chosen = find_measure(measure)
    bound = _checked(predictions, chosen, pair)
    tally = predictions.tally(pair)
    value = _difference(bound, *(tally.confusion(model) for model in pair))
    centre, error = _smoothed(tally, bound)
    effect = Estimate(
        measure=bound.name,
        value=None if math.isnan(value) else value,
        interval=None,
        method="paired_delta",
        n=predictions.n,
        unit="item",
        standard_error=error if error > 0.0 else None,
    )
    outcome = TestOutcome(
        method="paired_delta", statistic=None, p_value=None, effect=effect, alternative=side
    )
    if math.isnan(value) or not (math.isfinite(centre) and error > 0.0):
        return with_notes(outcome, note("undefined-value", measure=bound.name))
    found = _decided(outcome, bound, centre, error, confidence)
    return with_notes(found, *_few(tally))


def _checked(evidence: Predictions, measure: Measure, pair: tuple[str, str]) -> Measure:
    """The measure bound to the classes, where the method applies."""
    check_offers(evidence, measure, pair)
    bound = measure.bind(evidence.classes, evidence.positive)
    for wrong, what in (
        (bound.reduction != "tally", f"{bound.name} is no function of counts of labels"),
        (evidence.weighted, "the evidence has importance weights"),
        (evidence.clusters is not None, "the evidence has clusters"),
        (
            len(evidence.classes) > MOST_CLASSES and bound.margins is None,
            f"{bound.name} of {len(evidence.classes)} classes, more than {MOST_CLASSES}, takes too long",
        ),
    ):
        if wrong:
            raise NotApplicable(f"paired_delta does not apply, {what}: use paired_bootstrap")
    return bound


def _difference(measure: Measure, a: FloatArray, b: FloatArray) -> float:
    """A minus B; rounding errors are ties."""
    first, second = float(measure.function(a)), float(measure.function(b))
    difference = first - second
    return 0.0 if abs(difference) <= TIE * max(abs(first), abs(second)) else difference


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
    slopes = [_slopes(measure, table) for table in tables]
    of_cells = slopes[0][rows[:, 0], rows[:, 1]] - slopes[1][rows[:, 0], rows[:, 2]]
    return _difference(measure, *tables), math.sqrt(float((counts * of_cells**2).sum()))


def counted_spread(tally: Tally, measure: Measure, n: float) -> tuple[float, float]:
    """What `paired_delta` makes of a difference in n items like these: its share, and its error.

    The half counts pull a difference towards zero and add disagreements; both fade as n grows.
    ``measure`` is bound to the classes.
    """
    _, added = pseudo_rows(np.unique(tally.rows[:, 0]), len(tally.classes))
    return n / (n + float(added.sum())), _smoothed(tally, measure, n / tally.n)[1]


def pseudo_rows(truths: NDArray[np.int64], n_classes: int) -> tuple[NDArray[np.int64], FloatArray]:
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
        if n_classes > _SPREAD_CLASSES:
            wrong = [(true + 1) % n_classes]
        rows.append((true, true, true))
        added.append(right)
        for other in wrong:
            rows += [(true, true, other), (true, other, true), (true, other, other)]
            added += [share / len(wrong)] * 3
    return np.array(rows, dtype=np.int64), np.array(added)


def _slopes(measure: Measure, table: FloatArray) -> FloatArray:
    """The slope of the measure in each cell that is not empty, by central differences."""
    size = len(table)
    if size > MATRIX_CLASSES and measure.margins is not None:
        return _margin_slopes(measure.margins, table)
    occupied = np.flatnonzero(table)
    slopes = np.zeros(size * size)
    rows = max(1, _CELLS_AT_A_TIME // (size * size))
    for start in range(0, occupied.size, rows):
        part = occupied[start : start + rows]
        steps = 1e-3 * table.ravel()[part]
        moved = np.repeat(table.reshape(1, -1), 2 * part.size, axis=0)
        places = np.arange(part.size)
        moved[places, part] += steps
        moved[part.size + places, part] -= steps
        values = np.asarray(measure.function(moved.reshape(-1, size, size)), np.float64)
        slopes[part] = (values[: part.size] - values[part.size :]) / (2.0 * steps)
    return slopes.reshape(size, size)


def _margin_slopes(margins: Callable[..., FloatArray], table: FloatArray) -> FloatArray:
    """The same by the chain rule, from the slopes in the diagonal and in the sums of rows and columns."""
    sums = np.stack([np.diagonal(table), table.sum(axis=1), table.sum(axis=0)])
    size = len(table)
    slopes = np.zeros((3, size))
    for kind in range(3):
        filled = np.flatnonzero(sums[kind])
        for start in range(0, filled.size, 512):
            part = filled[start : start + 512]
            steps, places = 1e-3 * sums[kind][part], np.arange(part.size)
            moved = np.repeat(sums[:, None, :], 2 * part.size, axis=1)
            moved[kind, places, part] += steps
            moved[kind, part.size + places, part] -= steps
            values = np.asarray(margins(*moved), np.float64)
            slopes[kind, part] = (values[: part.size] - values[part.size :]) / (2.0 * steps)
    return np.asarray(np.diag(slopes[0]) + slopes[1][:, None] + slopes[2][None, :])


def _decided(
    outcome: TestOutcome, measure: Measure, centre: float, error: float, level: float
) -> TestOutcome:
    """The interval around the smoothed difference, widened to hold the plain one, and its test."""
    side, value = outcome.alternative, float(outcome.effect.value or 0.0)
    extent = measure.high - measure.low
    z = centre / error
    if math.isfinite(extent):
        share = centre / extent
        z = math.atanh(share) * (1.0 - share**2) * extent / error
    reach = normal_reach(level, side) * error
    low, high = stretched_interval(centre, reach, low=-extent, high=extent)
    low, high = min(low, value), max(high, value)
    p_value = normal_p(z, side)
    if p_value <= 1.0 - level and _holds_zero(low, high, side):
        p_value = 1.0  # the estimate itself lies on the other side: nothing is decided
    interval = Interval(
        low=low if side != "less" else -math.inf,
        high=high if side != "greater" else math.inf,
        level=level,
        method="paired_delta",
        alternative=side,
    )
    return replace(
        outcome,
        statistic=z,
        p_value=p_value,
        effect=replace(outcome.effect, interval=interval),
        details=(
            ("D", centre),
            ("standard_error", error),
            ("R", extent),
            ("z", z),
            ("log10_p", normal_log10_p(z, side)),
        ),
    )


def _holds_zero(low: float, high: float, side: Alternative) -> bool:
    return (side == "less" or low <= 0.0) and (side == "greater" or high >= 0.0)


def _few(tally: Tally) -> tuple[Note, ...]:
    """A note where little stands behind the answer: few disagreements, or few items of a class."""
    differ = int(tally.counts[tally.rows[:, 1] != tally.rows[:, 2]].sum())
    if differ == 0:
        return (note("no-disagreement", n=tally.n),)
    sizes = np.bincount(tally.rows[:, 0], weights=tally.counts)
    rarest = int(sizes[sizes > 0].min())
    method = "half a count in each cell"
    if differ < SMALL_COUNT:
        what = "item is answered differently" if differ == 1 else "items are answered differently"
        return (note("small-counts", count=differ, what=what, method=method),)
    if rarest < SMALL_COUNT:
        what = "item of the rarest class" if rarest == 1 else "items of the rarest class"
        return (note("small-counts", count=rarest, what=what, method=method),)
    return ()
