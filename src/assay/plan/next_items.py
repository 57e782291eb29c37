"""Which items people should label next, and with which chances they are drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import check_count
from assay.core.errors import UsageError
from assay.core.rng import Rng, seed_of
from assay.estimates.judged_evaluation import asked_measures, choice_notes
from assay.estimates.judged_values import ItemValues, item_values
from assay.evidence.judged_items import Judged
from assay.kernels.judge_correction import corrected

UNIFORM = 0.1
"""The part of every chance that is the same for all items, so that none is left to the judge's own confidence
(Zrnic & Candès 2024 mix likewise)."""
LEAST_DOUBT = 0.01
"""The doubt of a judge whose probability is 0 or 1: nobody is that sure."""
SHARPNESS = (0.0, 0.5, 1.0, 1.5, 2.0)
"""Powers of a judge's doubt that squared errors may follow: 1 if its probabilities are right, more if too timid."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class NextItems:
    """Items to label: their places, and the chance of every item to have been labelled at the end."""

    items: IntArray
    chances: FloatArray
    """Of all items, counting the labels that were there before."""


def next_items(judged: Judged, count: int, *, measure: Any = None, rng: Rng = None) -> NextItems:
    """Which items to label next: more often where the judge is likely to be far from people.

    The chance of an item is proportional to how far the judge was from people on labelled items with about the
    same judgement (active statistical inference), a part of it being the same for all. Exactly ``count`` items
    are drawn. Chances count the first labels, which must have been drawn at random.
    """
    check_count(count, "count", at_least=1)
    if judged.strata is not None or judged.chances is not None:
        raise UsageError(
            "the next items can be drawn after labels at random: leave out labelled_at="
        )
    judged = judged.directed()
    choice_notes(judged)  # refuses labels that were chosen by looking
    chosen = asked_measures(judged, None if measure is None else (measure,))[0]
    values = item_values(judged, chosen, judged.models[0])
    graded = judged.graded()
    if len(judged.models) > 1:
        other = item_values(judged, chosen, judged.models[1])
        values = values.minus(other, graded, judged.sample(graded))
    size = judged.size
    if count >= size - graded.size:
        raise UsageError(f"{size - graded.size:,} items have no label: ask for fewer than that")
    error = expected_errors(values)
    wish = _mixed(error)
    open_ = np.ones(size, dtype=bool)
    open_[graded] = False
    chances = inclusion(wish, count * size / (size - graded.size))
    own = inclusion(wish[open_], count)
    drawn = np.flatnonzero(open_)[systematic(own, np.random.default_rng(seed_of(rng)))]
    first = graded.size / size
    return NextItems(items=np.sort(drawn), chances=first + (1.0 - first) * chances)


def expected_errors(values: ItemValues) -> FloatArray:
    """How far people are likely to be from what the judge predicts, by groups of like judgements.

    Within each the squares seen on labelled items are set against those that the judge's own doubt lets expect.
    """
    found = corrected(values.people, values.judge, values.sample)
    own = values.judge[values.graded]
    residuals = (values.people - found.people - found.slope * (own - own.mean())) ** 2
    awaited = _awaited_squares(values, residuals)
    overall = float(residuals.sum() / awaited[values.graded].sum())
    levels = np.unique(values.judge)
    bins = max(2, min(10, values.graded.size // 10))
    edges = (
        levels[1:]
        if levels.size <= bins
        else np.unique(np.quantile(values.judge, np.linspace(0, 1, bins + 1)[1:-1]))
    )
    place, where = (
        np.searchsorted(edges, values.judge, "right"),
        np.searchsorted(edges, own, "right"),
    )
    sums = np.bincount(where, weights=residuals, minlength=edges.size + 1)
    due = np.bincount(where, weights=awaited[values.graded], minlength=edges.size + 1)
    # two labels' worth of the overall ratio, so that a group without surprises is not left out
    usual = 2.0 * float(awaited.mean())
    return np.sqrt(awaited * ((sums + usual * overall) / (due + usual))[place])


def _awaited_squares(values: ItemValues, residuals: FloatArray) -> FloatArray:
    """Squared errors as a judge's doubt p(1 - p) lets expect them, where it gives probabilities of 0 and 1; else 1.

    How sharply they follow its doubt is what labelled items say: judges are over- or underconfident. The power
    is taken under which these would have been drawn with the least variance.
    """
    judge, zero_one = values.judge, bool(np.isin(values.people, (0.0, 1.0)).all())
    doubt = judge * (1.0 - judge)
    if not zero_one or judge.min() < 0.0 or judge.max() > 1.0 or not doubt.any():
        return np.ones(judge.size)

    def variance(power: float) -> float:
        wish = _mixed(np.maximum(doubt, LEAST_DOUBT) ** (power / 2.0))
        return float(np.mean(residuals / wish[values.graded]))

    return np.asarray(np.maximum(doubt, LEAST_DOUBT) ** min(SHARPNESS, key=variance))


def _mixed(error: FloatArray) -> FloatArray:
    """Chances in proportion to expected errors, a part being the same for all; 1 on average."""
    mean = float(error.mean())
    return (1.0 - UNIFORM) * error / mean + UNIFORM if mean > 0.0 else np.ones(error.size)


def inclusion(wish: FloatArray, count: float) -> FloatArray:
    """Chances in proportion to a wish that add up to ``count``, none above 1."""
    chances = np.zeros_like(wish)
    capped = np.zeros(wish.size, dtype=bool)
    for _ in range(50):
        left = count - capped.sum()
        scale = left / wish[~capped].sum()
        over = ~capped & (wish * scale >= 1.0)
        if not over.any():
            chances = np.where(capped, 1.0, wish * scale)
            break
        capped |= over
    return np.clip(chances, 1e-12, 1.0)


def systematic(chances: FloatArray, rng: np.random.Generator) -> IntArray:
    """Items drawn with exactly these chances and a fixed total: equal steps through a shuffled line."""
    order = rng.permutation(chances.size)
    ends = np.cumsum(chances[order])
    total = round(float(ends[-1]))
    points = (rng.random() + np.arange(total)) * (ends[-1] / total)
    places = np.minimum(np.searchsorted(ends, points, "right"), chances.size - 1)
    return np.asarray(order[np.unique(places)], np.int64)
