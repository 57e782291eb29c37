"""Which models are better than which, all pairs together, and the ranks that this leaves open.

Mogstad, Romano, Shaikh & Wilhelm (2024): the rank of a model is one more than the number of better models.
Of ordered pairs (i, j) the hypothesis is "i is not better than j". Where the chance of any false
rejection is at most α, the numbers of models found better and worse bound every rank at once. Rejected
pairs leave the family and the rest are looked at again (step-down, Romano & Wolf 2005).

Pairs that are far apart in the other direction cannot be falsely rejected. With ``share`` > 0 they count
less: a first bound at 1 - share on all differences says how far apart (Romano, Shaikh & Wolf 2014), and
the rest of α decides.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray, IntArray
from assay.kernels.rank_draws import RankDraws
from assay.kernels.special import ndtri

DRAWS_AT_ONCE = 512
EVENTS_A_DRAW = 40
"""How many large differences of one draw are kept, about; the largest decides."""
TOUCH = 1.0 + 1e-5
"""Sums are in single precision: a statistic beats a draw only if it is larger by more than rounding."""
LOWER = 0.8
"""How much lower the search begins anew where the critical value fell below what was kept."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RankDecisions:
    """``better[i, j]``: i is better than j; at most α is the chance that any of these is false."""

    better: BoolArray
    critical: float
    """What a t statistic had to exceed in the last step."""
    single_step: float
    """What it would have had to exceed without steps."""


def rank_bounds(better: BoolArray) -> tuple[IntArray, IntArray]:
    """The best and the worst rank that the decisions leave to each model."""
    return 1 + better.sum(axis=0), len(better) - better.sum(axis=1)


def decide(
    draws: RankDraws, alpha: float, *, share: float = 0.0, among: BoolArray | None = None
) -> RankDecisions:
    """All ordered pairs at once (or those ``among``), by the largest studentised difference, step by step."""
    statistics = draws.statistics(draws.observed)
    family = _Family(draws)
    asked = draws.weights > 0.0 if among is None else among & (draws.weights > 0.0)
    single = family.critical(asked, None, alpha)
    room = None
    if share > 0.0:
        bound = family.critical(asked, None, share)
        room = np.minimum(statistics + bound, 0.0)
        room[np.isnan(room)] = 0.0  # a statistic of -inf below a bound of inf says nothing
    left = asked
    better = np.zeros_like(left)
    while True:
        critical = family.critical(left, room, alpha - share)
        found = left & (statistics > critical * TOUCH)
        if not found.any():
            return RankDecisions(better=better, critical=critical, single_step=single)
        better |= found
        left = left & ~found


def decide_one(draws: RankDraws, model: int, alpha: float) -> tuple[int, int]:
    """The ranks left to one model, its own comparisons only: narrower, and for this one alone."""
    statistics = draws.statistics(draws.observed[model])
    ratios = (draws.sums[:, [model]] - draws.sums) * draws.weights[model]
    scattered = draws.statistics(ratios)
    ahead = np.ones(draws.models, dtype=np.bool_)
    ahead[model] = False
    behind = ahead.copy()
    better, worse = 0, 0
    while True:
        largest = np.concatenate(
            [
                np.maximum(_largest(scattered, ahead), _largest(-scattered, behind)),
                np.maximum(_largest(-scattered, ahead), _largest(scattered, behind)),
            ]
        )
        critical = quantile(largest, alpha, complete=draws.complete) * TOUCH
        won, lost = ahead & (statistics > critical), behind & (-statistics > critical)
        if not (won.any() or lost.any()):
            return 1 + worse, draws.models - better
        better += int(won.sum())
        worse += int(lost.sum())
        ahead, behind = ahead & ~won, behind & ~lost


def possible_winners(
    draws: RankDraws, alpha: float, among: IntArray, *, share: float = 0.0
) -> BoolArray:
    """Which models may be the best: each truly best one is kept with probability 1 - α or more.

    A model leaves where another one is better by its own one-sided comparisons with all others.
    """
    kept = np.zeros(draws.models, dtype=np.bool_)
    for model in among:
        others = draws.weights[model] > 0.0
        statistics = -draws.statistics(draws.observed[model])[others]
        ratios = (draws.sums[:, [model]] - draws.sums[:, others]) * draws.weights[model, others]
        scattered = draws.statistics(np.concatenate([ratios, -ratios]))
        if not others.any():
            kept[model] = True
            continue
        if share > 0.0:
            bound = quantile(scattered.max(axis=1), share, complete=draws.complete)
            room = np.minimum(statistics + bound, 0.0)
            scattered = scattered + np.where(np.isnan(room), 0.0, room)
        critical = quantile(scattered.max(axis=1), alpha - share, complete=draws.complete)
        # a model that is ahead of all others leaves never, however little the draws scatter
        kept[model] = not (statistics > max(critical, 0.0) * TOUCH).any()
    return kept


def quantile(largest: NDArray[np.floating], alpha: float, *, complete: bool) -> float:
    """The critical value: the observed one counts as a draw too, unless it is among them.

    Infinite where so few draws cannot reach α.
    """
    n = largest.size
    place = max(int(np.ceil(round((1.0 - alpha) * (n if complete else n + 1), 9))), 1)
    if place > n:
        return float("inf")
    return float(np.partition(largest, place - 1)[place - 1])


def reachable(draws: RankDraws, alpha: float) -> bool:
    """Whether any outcome could separate two models: as few as five units have too few patterns of signs."""
    return not draws.complete or alpha * len(draws.sums) >= 1.0


def largest(draws: RankDraws) -> FloatArray:
    """The largest statistic over all pairs, in either direction, for every draw."""
    found = np.zeros(len(draws.sums), dtype=np.float32)
    for model in range(draws.models - 1):
        others = slice(model + 1, None)
        ratios = (draws.sums[:, [model]] - draws.sums[:, others]) * draws.weights[model, others]
        np.maximum(found, np.abs(ratios).max(axis=1), out=found)
    return draws.statistics(found)


def _largest(values: FloatArray, chosen: BoolArray) -> FloatArray:
    if not chosen.any():
        return np.full(len(values), -np.inf)
    return np.asarray(values[:, chosen].max(axis=1))


class _Family:
    """The largest statistic of any set of ordered pairs, for every draw.

    Only statistics above a floor are kept: few, as the largest of many pairs is far out. Where a
    smaller family has its critical value below the floor, the search begins anew with a lower one.
    """

    def __init__(self, draws: RankDraws) -> None:
        self.draws = draws
        pairs = max(1, draws.models * (draws.models - 1) // 2)
        self._keep(max(0.0, float(-ndtri(min(0.5, EVENTS_A_DRAW / (2.0 * pairs))))))

    def critical(self, left: BoolArray, room: FloatArray | None, alpha: float) -> float:
        """The 1 - α quantile of the largest statistic over the pairs that are left."""
        while True:
            found = quantile(self._maxima(left, room), alpha, complete=self.draws.complete)
            if found > self.floor or self.floor <= 0.0:
                return max(found, 0.0)
            self._keep(self.floor - LOWER if self.floor > LOWER else 0.0)

    def _keep(self, floor: float) -> None:
        """All statistics above the floor: draw, pair, and their size."""
        sums, weights = self.draws.sums, self.draws.weights
        least = self.draws.ratio_of(floor) / TOUCH
        draw, first, second, sizes = [], [], [], []
        for model in range(self.draws.models - 1):
            own, others = weights[model, model + 1 :], slice(model + 1, None)
            for start in range(0, len(sums), DRAWS_AT_ONCE):
                part = sums[start : start + DRAWS_AT_ONCE]
                ratios = (part[:, [model]] - part[:, others]) * own
                large = np.flatnonzero(np.abs(ratios) > least)
                if large.size:
                    rows, columns = np.divmod(large, ratios.shape[1])
                    chosen = ratios.ravel()[large]
                    up = chosen > 0
                    draw.append(start + rows)
                    first.append(np.where(up, model, model + 1 + columns))
                    second.append(np.where(up, model + 1 + columns, model))
                    sizes.append(np.abs(chosen))
        self.floor = floor
        self._sort(
            *(np.concatenate(one) if one else np.zeros(0) for one in (draw, first, second, sizes))
        )

    def _sort(
        self, draw: FloatArray, first: FloatArray, second: FloatArray, sizes: FloatArray
    ) -> None:
        """By draw, so that the largest of each draw is one reduction; opposite signs are draws as well."""
        order = np.argsort(draw, kind="stable")
        self.first = first[order].astype(np.int64)
        self.second = second[order].astype(np.int64)
        self.sizes = self.draws.statistics(sizes[order])
        ordered = draw[order]
        self.starts = np.flatnonzero(np.diff(ordered, prepend=-1.0))
        self.drawn = ordered[self.starts].astype(np.int64)

    def _maxima(self, left: BoolArray, room: FloatArray | None) -> FloatArray:
        """The largest of each draw and of its opposite; what lies below the floor is the floor."""
        n = len(self.draws.sums)
        largest = np.full(2 * n, self.floor)
        if not self.starts.size:
            return largest
        for half, (one, other) in enumerate(((self.first, self.second), (self.second, self.first))):
            sizes = self.sizes if room is None else self.sizes + room[one, other]
            sizes = np.where(left[one, other], sizes, -np.inf)
            found = np.maximum.reduceat(sizes, self.starts)
            places = half * n + self.drawn
            largest[places] = np.maximum(largest[places], found)
        return largest
