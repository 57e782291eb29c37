"""Average precision with its uncertainty: one ranking, and a difference; nothing is drawn."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import as_floats
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import Details, Estimate
from assay.estimates.method_question import MethodQuestion
from assay.estimates.misplaced_items import misplaced_reaches
from assay.evidence.argument_checks import as_scored_labels
from assay.evidence.item_arrays import Columns
from assay.kernels.batched_rankings import (
    DUST,
    class_df,
    effective_items,
    power_sums,
    precision_influence,
    ranked,
)
from assay.kernels.no_variation import flat_limits
from assay.kernels.special import stdtrit
from assay.kernels.tails import alpha_of, t_reach, tail_of
from assay.kernels.unseen_values import allowed

PRIOR_ITEMS = 4.0
"""How many items of the rarer class the variance of a proportion counts for; decision 0052."""
SHARE_OF_ITEMS = 1.5
"""Degrees of freedom of a difference for each item on which its variance rests."""
FEW = 60
"""Items of a class below which the note `small-counts` is given: there the interval is up to 2.4 times as
wide as the narrowest valid one, and the test careful (docs/calibration.md)."""
HEAVY = 2.0
"""How many times as much as positives negatives weigh, from which on the note `heavy-negatives` is given."""


@method(
    question="How well do the scores put positives before negatives, in average precision?",
    takes="scored-labels",
    gives="estimate",
    unit="item",
    requirement="I6",
    assumes=("independent items",),
    reference="assay, docs/methods/average_precision.md; after Wilson (1927), JASA 22, and Boyd, Eng & "
    "Page (2013), ECML PKDD",
    formula="(centre - A)² = t² A (1 - A) ratio/n_positive, "
    "ratio = (n_positive variance/(ap (1 - ap)))^(k/(k + 4)), k = min(n_positive, n_negative)",
    name="average precision Wilson",
    interval="Wilson-type",
)
def average_precision_wilson(
    *evidence: Any, level: float = 0.95, alternative: str = "two-sided"
) -> Estimate:
    """The default interval of average precision: Wilson's shape with the variance the items show.

    The variance is the sum of squared slopes of the measure in the weights of the items, weighed
    as k items of the rarer class against 4 for that of a proportion. The upper limit starts from
    the estimate; the lower one from half-way to what is left when no positive counts itself, as
    average precision lies too high where positives are few.
    """
    asked = MethodQuestion.of("average_precision_wilson", level=level, alternative=alternative)
    labels = as_scored_labels(*evidence)
    if len(labels.scores) != 1:
        raise EvidenceError(
            f"this estimates one model's average precision; got scores of {len(labels.scores)}: "
            "for two use average_precision_test"
        )
    n_positive = int(np.count_nonzero(labels.truth))
    sizes = (n_positive, labels.truth.size - n_positive)
    empty = asked.estimate("average_precision", None, labels.truth.size)
    if not n_positive:
        consequence = "there is no positive to find, so no average precision"
        return replace(empty, notes=(note("one-class", consequence=consequence),))
    value, slopes, repeats = precision_influence(ranked(labels.truth[None], labels.scores[:1]))
    counts = (np.array([sizes[0]]), np.array([sizes[1]]))
    found = wilson_parts(value, power_sums(slopes), repeats, *counts)
    limits = wilson_limits(found, tail_of(asked.level, asked.side))
    facts = {key: float(found[key][0]) for key in ("centre", "variance", "ratio", "df")}
    details: Details = (
        ("ap", float(value[0])),
        *facts.items(),
        ("t", t_reach(asked.level, facts["df"], asked.side)),
        ("n_positive", sizes[0]),
        ("n_negative", sizes[1]),
    )
    ends = (float(limits[0][0]), float(limits[1][0]))
    return replace(
        empty,
        value=float(value[0]),
        interval=asked.sided(ends),
        standard_error=_error(facts["variance"]),
        notes=_few(min(sizes), float(found["resting"][0])) if sizes[1] else _all_found(),
        details=details,
    )


def wilson_parts(
    value: FloatArray,
    powers: tuple[FloatArray, FloatArray],
    repeats: FloatArray,
    positives: Any,
    negatives: Any,
) -> dict[str, FloatArray]:
    """What the limits of many rankings are made of; ``powers`` are those of their slopes."""
    rarer = np.minimum(positives, negatives).astype(np.float64)
    variance = powers[0]
    alone = value * (1.0 - value) / positives
    varies = alone > DUST
    shown = np.where(varies, variance / np.where(varies, alone, 1.0), 1.0)
    ratio = shown ** (rarer / (rarer + PRIOR_ITEMS))
    resting = effective_items(powers)
    # where nothing varies the items themselves are all there is
    known = np.where(resting > 0.0, np.minimum(rarer, 2.0 * resting), rarer)
    return {
        "value": value,
        "centre": np.maximum(value - (1.0 - value) * repeats / 2.0, 0.0),
        "variance": variance,
        "ratio": ratio,
        "items": positives / ratio,
        "df": known + PRIOR_ITEMS - 1.0,
        "resting": resting,
    }


def wilson_limits(parts: dict[str, FloatArray], tail: float) -> tuple[FloatArray, FloatArray]:
    """The lower limit around the centre, the upper one around the value."""
    reach = -stdtrit(parts["df"], tail)
    share = reach**2 / parts["items"]

    def limit(centre: FloatArray, sign: float) -> FloatArray:
        half_width = np.sqrt(share * (centre * (1.0 - centre) + share / 4.0))
        return np.asarray((centre + share / 2.0 + sign * half_width) / (1.0 + share))

    low, high = limit(parts["centre"], -1.0), limit(parts["value"], 1.0)
    return np.clip(low, 0.0, parts["value"]), np.clip(high, parts["value"], 1.0)


def average_precision_difference(
    truth: ArrayLike,
    scores: ArrayLike,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """Average precision of A minus B on the same items; ``scores`` has two rows.

    Student's t on the differences of the slopes, item by item, as far out as items may have been ranked apart
    that are not in the sample. Where slopes do not vary (equal rankings), what the items of the rarer class
    cannot rule out, as for areas.
    """
    name = "average_precision_difference"
    asked = MethodQuestion.of(name, level=level, alternative=alternative)
    labels = as_scored_labels(truth, *np.atleast_2d(as_floats(scores, "scores")))
    if len(labels.scores) != 2:
        raise EvidenceError(
            f"a difference needs the scores of two models; got {len(labels.scores)}"
        )
    n_positive = int(np.count_nonzero(labels.truth))
    sizes = (n_positive, labels.truth.size - n_positive)
    empty = asked.estimate("average_precision", None, labels.truth.size)
    if min(sizes) == 0:
        return replace(empty, notes=(note("one-class", consequence="there is nothing to rank"),))
    values, apart = _apart(labels.truth, labels.scores)
    counts = (np.array([size]) for size in sizes)
    found = difference_parts(values[0] - values[1], power_sums(apart), *counts)
    difference, variance, df = (float(found[key][0]) for key in ("difference", "variance", "df"))
    details: Details = (
        ("average_precision_a", float(values[0][0])),
        ("average_precision_b", float(values[1][0])),
        ("variance", variance),
        ("df", df),
        ("n_positive", sizes[0]),
        ("n_negative", sizes[1]),
    )
    limits, notes = _difference_limits(asked, difference, variance, df, sizes)
    return replace(
        empty,
        value=difference,
        interval=asked.sided(limits, (-1.0, 1.0)),
        standard_error=_error(variance),
        notes=notes,
        details=details,
    )


def _difference_limits(
    asked: MethodQuestion, difference: float, variance: float, df: float, sizes: tuple[int, int]
) -> tuple[tuple[float, float], tuple[Note, ...]]:
    """As far as t reaches, or items of either class that were not drawn; a note where slopes do not vary."""
    if variance <= DUST:
        remedy = f"what {min(sizes)} items of the rarer class cannot rule out is given"
        flat = note("zero-variance", what="the differences", method=asked.method, remedy=remedy)
        return flat_limits(difference, 1.0, min(sizes), asked.z), (flat,)
    error, reach = math.sqrt(variance), t_reach(asked.level, df, asked.side)
    missing = allowed(alpha_of(asked.level), asked.side)
    below, above = misplaced_reaches(missing, difference, error, sizes, df)
    low, high = (max(reach, float(unseen)) * error for unseen in (below, above))
    return (max(difference - low, -1.0), min(difference + high, 1.0)), ()


def _apart(truth: Any, scores: FloatArray) -> tuple[list[FloatArray], FloatArray]:
    """Both values, and the differences of what the items add to them."""
    values, slopes = [], []
    for row in scores:
        rows = ranked(truth[None], row[None])
        value, slope, _ = precision_influence(rows)
        values.append(value)
        slopes.append(rows.in_rows(slope))
    return values, slopes[0] - slopes[1]


def difference_parts(
    difference: FloatArray,
    powers: tuple[FloatArray, FloatArray],
    positives: Any,
    negatives: Any,
) -> dict[str, FloatArray]:
    """Differences of many pairs of rankings, their variances and degrees of freedom.

    ``powers`` are those of the differences of slopes. Their sum of squares is spread over one item
    of the rarer class less than there are; with one such item nothing is known of the spread. No
    more degrees of freedom than the class sizes allow, nor than 1.5 times the number of items on
    which the sum rests.
    """
    rarer = np.minimum(positives, negatives).astype(np.float64)
    variance = np.where(rarer > 1.0, powers[0] * rarer / np.maximum(rarer - 1.0, 1.0), 0.0)
    allowed = class_df(np.asarray(positives, np.float64), np.asarray(negatives, np.float64))
    df = np.minimum(allowed, SHARE_OF_ITEMS * effective_items(powers))
    return {
        "difference": np.where(np.abs(difference) <= 1e-12, 0.0, difference),
        "variance": variance,
        "df": np.where(variance > DUST, df, 1.0),
    }


def _few(rarer: int, resting: float) -> tuple[Note, ...]:
    """A note where the interval rests on few items: of a class, or of those that weigh."""
    name = "average_precision_wilson"
    if rarer < FEW or resting >= FEW:
        return few_of_a_class(rarer, name)
    what = "items, in effect, on which the variance rests"
    return (note("small-counts", count=int(resting), what=what, method=name),)


def heavy_negatives(columns: Columns) -> tuple[Note, ...]:
    """A note where negatives weigh much more than positives: a few of them make average precision what it is."""
    if columns.weights is None:
        return ()
    positive, weights = columns.truth == 1, columns.weights
    if not positive.any() or positive.all():
        return ()
    ratio = float(weights[~positive].mean() / weights[positive].mean())
    return (note("heavy-negatives", ratio=ratio),) if ratio >= HEAVY else ()


def _all_found() -> tuple[Note, ...]:
    consequence = "with nothing but positives average precision is 1 whatever the scores"
    return (note("one-class", consequence=consequence),)


def _error(variance: float) -> float | None:
    return math.sqrt(variance) if variance > DUST else None


def few_of_a_class(rarer: int, method: str) -> tuple[Note, ...]:
    """A note where one class has so few items that level and coverage are not near."""
    if rarer >= FEW:
        return ()
    what = f"{by_count(rarer, 'item', 'items')} of the rarer class"
    return (note("small-counts", count=rarer, what=what, method=method),)
