"""Disagreement among ratings of items: of all of them, and with each item left out in turn.

``codes`` has a row per item and a column per rating: the number of its category, -1 where there is
none, at least two in a row. Who gave a rating plays no part. After Krippendorff (2011), Computing
Krippendorff's alpha-reliability.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from assay.core.arrays import BoolArray, FloatArray, IntArray

Distance = Callable[[IntArray, IntArray], FloatArray]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Disagreement:
    """Sums of distances over ordered pairs of ratings, and the number of ratings.

    ``within`` items, each item's sum divided by its ratings - 1, and ``across`` all ratings; the
    arrays are the same with one item left out, for each item.
    """

    within: float
    across: float
    ratings: int
    within_without: FloatArray
    across_without: FloatArray
    ratings_without: IntArray


def nominal(codes: IntArray, categories: int) -> Disagreement:
    """Any two categories are at distance 1."""
    totals = _totals(codes, categories)
    own = _own(codes, lambda a, b: np.asarray(a != b, dtype=np.float64))
    return _fixed(codes, own, totals, totals.sum() - totals)


def interval(codes: IntArray, values: FloatArray) -> Disagreement:
    """The distance is the square of a difference; moments do, however many values there are."""
    totals = _totals(codes, values.size)
    near = values - values.mean()  # so that large values keep their digits, and one value is 0
    own = _own(codes, lambda a, b: np.asarray((near[a] - near[b]) ** 2))
    against = totals.sum() * near**2 - 2.0 * near * (totals @ near) + totals @ near**2
    return _fixed(codes, own, totals, against)


def ratio(codes: IntArray, values: FloatArray) -> Disagreement:
    """The distance is ((c - k)/(c + k))²; two zeros are alike."""
    totals = _totals(codes, values.size)
    sums = values[:, None] + values[None, :]
    table = ((values[:, None] - values[None, :]) / np.where(sums == 0.0, 1.0, sums)) ** 2
    return _fixed(codes, _own(codes, lambda a, b: table[a, b]), totals, table @ totals)


def ordinal(codes: IntArray, categories: int) -> Disagreement:
    """The distance is the square of a difference of midranks, which are those of all ratings.

    Leaving an item out moves the ranks. Within items the sum is a quadratic form of the ranks, so
    what each item takes away is looked up in tables of categories.
    """
    totals = _totals(codes, categories)
    ranks = np.cumsum(totals) - totals / 2.0
    full = interval(codes, ranks)
    step = np.tri(categories, k=-1).T + np.eye(categories) / 2.0  # [g, c]: what a g adds at c
    form = _laplacian(codes, categories)
    ahead, both = step @ form @ ranks, step @ form @ step.T
    taken = np.zeros(len(codes))
    for place, one in _ratings(codes):
        taken[place] -= 2.0 * ahead[one]
    taken += _own(codes, lambda a, b: both[a, b])
    for place, one in _ratings(codes):
        taken[place] += both[one, one]
    without = _moved_ranks(codes, ranks, step)
    given = (codes >= 0).sum(axis=1)
    own = _moments(without, codes >= 0) / (given - 1)
    left = totals.sum() - given
    return Disagreement(
        within=full.within,
        across=full.across,
        ratings=full.ratings,
        within_without=full.within + taken - own,
        across_without=_rank_spread(codes, totals, left),
        ratings_without=left.astype(np.int64),
    )


def _fixed(
    codes: IntArray, own: FloatArray, totals: FloatArray, against: FloatArray
) -> Disagreement:
    """Sums where distances do not depend on what is left out; ``against`` all ratings, by category."""
    given = (codes >= 0).sum(axis=1)
    share = own / (given - 1)
    crossed = np.zeros(len(codes))
    for place, one in _ratings(codes):
        crossed[place] += against[one]
    across = float(totals @ against)
    return Disagreement(
        within=float(share.sum()),
        across=across,
        ratings=int(totals.sum()),
        within_without=share.sum() - share,
        across_without=across - 2.0 * crossed + own,
        ratings_without=(totals.sum() - given).astype(np.int64),
    )


def _totals(codes: IntArray, categories: int) -> FloatArray:
    return np.bincount(codes[codes >= 0], minlength=categories).astype(np.float64)


def _ratings(codes: IntArray) -> list[tuple[IntArray, IntArray]]:
    """Column by column: the items that have a rating there, and the ratings."""
    found = []
    for column in codes.T:
        place = np.flatnonzero(column >= 0)
        found.append((place, column[place]))
    return found


def _pairs(codes: IntArray) -> Iterator[tuple[IntArray, IntArray, IntArray]]:
    """Two columns at a time: the items that have ratings in both, and these ratings."""
    for first, second in combinations(codes.T, 2):
        place = np.flatnonzero((first >= 0) & (second >= 0))
        yield place, first[place], second[place]


def _own(codes: IntArray, distance: Distance) -> FloatArray:
    """The sum of distances over the ordered pairs of different ratings of each item."""
    sums = np.zeros(len(codes))
    for place, one, other in _pairs(codes):
        sums[place] += 2.0 * distance(one, other)
    return sums


def _laplacian(codes: IntArray, categories: int) -> FloatArray:
    """The matrix of the quadratic form that gives the sum within items from values of categories."""
    share = 1.0 / ((codes >= 0).sum(axis=1) - 1)
    table = np.zeros((categories, categories))
    for place, one, other in _pairs(codes):
        np.add.at(table, (one, other), share[place])
    both = 2.0 * (table + table.T)  # ordered pairs
    return np.asarray(np.diag(both.sum(axis=1)) - both)


def _moved_ranks(codes: IntArray, ranks: FloatArray, step: FloatArray) -> FloatArray:
    """The ranks of an item's ratings among all ratings but those of the item."""
    moved = np.where(codes >= 0, ranks[codes], 0.0)
    columns = _ratings(codes)
    for at, (place, one) in enumerate(columns):
        for column in codes.T:
            other = column[place]
            moved[place, at] -= np.where(other >= 0, step[other, one], 0.0)
    return moved


def _moments(values: FloatArray, there: BoolArray) -> FloatArray:
    """The sum of squared differences over ordered pairs, row by row."""
    size = there.sum(axis=1)
    centre = np.where(there, values, 0.0).sum(axis=1) / size
    squares = np.where(there, (values - centre[:, None]) ** 2, 0.0).sum(axis=1)
    return np.asarray(2.0 * size * squares)


def _rank_spread(codes: IntArray, totals: FloatArray, left: FloatArray) -> FloatArray:
    """Across all ratings but an item's: of n midranks 2 n (n³/12 - the sum of counts³/12)."""
    cubes = np.full(len(codes), (totals**3).sum())
    ordered = np.sort(codes, axis=1)
    for column in range(codes.shape[1]):
        mine = ordered[:, column]
        last = (mine >= 0) & ((ordered[:, column + 1 :] != mine[:, None]).all(axis=1))
        place = np.flatnonzero(last)
        held = (ordered[place] == mine[place, None]).sum(axis=1)
        count = totals[mine[place]]
        cubes[place] += (count - held) ** 3 - count**3
    return np.asarray(left * (left**3 - cubes) / 6.0)
