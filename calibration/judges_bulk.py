"""Worlds of a judge drawn and answered thousands at a time: rates, pairs of rates, and grades.

The formulas are those of assay.kernels.judge_correction in arrays with a row per draw, so that ten thousand
draws of a cell take seconds; tests/calibration/test_judges.py holds them equal to what `evaluate` and
`compare` answer, draw by draw. The same for truescore's closed form and most of evalstats', which
calibration.judges checks against the packages first.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from assay.estimates.judged_means import (
    ASSOCIATION,
    GROWTH,
    LEAST,
    MANY_LABELS,
    SKEWED,
    SURPRISES,
    SURPRISES_OF_FEW,
)
from assay.hypotheses.judged_differences import ADJUSTED, PART_OF_REACH
from assay.kernels.binomial import jeffreys_limits, mid_p_limits, wilson_limits
from assay.kernels.differences import four_counts, tango_limits
from assay.kernels.extended_likelihood import upper_mean
from assay.kernels.judge_correction import FEW_LABELS, ROUNDING, likelihood_stretch
from assay.kernels.skewness import lean_of, wider_limits
from assay.kernels.special import stdtrit
from assay.kernels.tails import normal_reach, t_reach
from calibration import judges_evalstats

Array = NDArray[np.float64]
Ends = tuple[Array, Array]
LEVEL = 0.95
Z = normal_reach(LEVEL, "two-sided")
RATINGS = np.array([0.1, 0.1, 0.2, 0.35, 0.25])
"""How often people give 1 to 5."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Bulk:
    """Many draws of one world: intervals of all of them, and any draw as two columns."""

    truth: float
    ours: Ends
    labels: Ends
    truescore: Ends
    used: NDArray[np.bool_]
    columns: Callable[[int], tuple[Array, Array]]
    """People's grades with gaps and the judge's, of one draw; of pairs their differences."""
    evalstats: Callable[[int, float], Ends] | None = None
    """Its intervals of the first so many draws at a level; not of rates, which the package itself must answer."""


def verdict_chances(rate: float, judge: tuple[float, float]) -> Array:
    """Of people and judge saying 1 1, 1 0, 0 1 and 0 0, given sensitivity and specificity."""
    sensitivity, specificity = judge
    return np.array(
        [
            rate * sensitivity,
            rate * (1.0 - sensitivity),
            (1.0 - rate) * (1.0 - specificity),
            (1.0 - rate) * specificity,
        ]
    )


def rates(chances: Array, labels: int, judged: int, draws: int, rng: np.random.Generator) -> Bulk:
    """Right and wrong, from the four counts of people's and the judge's verdicts."""
    counts = rng.multinomial(labels, chances, size=draws).astype(np.float64)
    others = rng.binomial(judged - labels, chances[0] + chances[2], size=draws).astype(np.float64)
    a, b, c, d = counts.T
    right = a + b
    alone = _looked_up(right, np.full(draws, float(labels)), "labels")
    association = labels * (a * d - b * c) ** 2
    association /= np.maximum(right * (c + d) * (a + c) * (b + d), 1e-300)
    used = association >= ASSOCIATION
    strata = _strata(
        np.stack([b + d, a + c]),
        np.stack([b, a]),
        None,
        np.stack([judged - labels - others, others]),
    )
    said, seen = np.array([1.0, 1.0, 0.0, 0.0]), np.array([1.0, 0.0, 1.0, 0.0])

    def columns(draw: int) -> tuple[Array, Array]:
        repeats = counts[draw].astype(int)
        rest = np.repeat([1.0, 0.0], [int(others[draw]), int(judged - labels - others[draw])])
        people = np.concatenate([np.repeat(said, repeats), np.full(judged - labels, np.nan)])
        return people, np.concatenate([np.repeat(seen, repeats), rest])

    mean = others / (judged - labels)
    return Bulk(
        truth=float(chances[0] + chances[1]),
        ours=(np.where(used, strata[0], alone[0]), np.where(used, strata[1], alone[1])),
        labels=alone,
        truescore=_truescore_of_counts(counts, said, seen, mean, mean * (1.0 - mean), judged),
        used=used,
        columns=columns,
    )


def pair_chances(judge: tuple[float, float], apart: float = 0.0, favour: float = 0.0) -> Array:
    """Of people's and the judge's differences -1, 0, 1 (3 x 3): two models right on 80 %, together more often.

    Models ``apart`` are right on half of that more and less; of a model in ``favour`` the judge forgives this
    share of the wrong answers that it sees.
    """
    chances = np.zeros((3, 3))
    forgiving = judge[0], judge[1] * (1.0 - favour)
    for same, weight in ((1.0, 0.8), (0.0, 0.2)):
        # each model's four verdicts given what the two share
        one, two = (
            verdict_chances(0.7 * same + 0.3 * 0.8 + side * apart / 2.0, own).reshape(2, 2)
            for side, own in ((1.0, forgiving), (-1.0, judge))
        )
        joint = weight * np.einsum("ab,cd->abcd", one, two)
        for (a, x, b, y), chance in np.ndenumerate(joint):
            chances[(b - a) + 1, (y - x) + 1] += chance  # row 0 of a verdict is 1
    return chances


def pair_of_rates(
    chances: Array, labels: int, judged: int, draws: int, rng: np.random.Generator
) -> Bulk:
    """Two models, from counts of people's and the judge's differences."""
    counts = rng.multinomial(labels, chances.ravel(), size=draws).astype(np.float64)
    others = rng.multinomial(judged - labels, chances.sum(axis=0), size=draws).astype(np.float64)
    table = counts.reshape(draws, 3, 3)
    by_people = table.sum(axis=2)
    signs = np.array([-1.0, 0.0, 1.0])
    said, seen = np.repeat(signs, 3), np.tile(signs, 3)
    low, high = tango_limits(
        four_counts(by_people[:, 1], by_people[:, 2], by_people[:, 0], np.zeros(draws)), Z
    )
    mean = others @ signs / (judged - labels)
    spread = others @ signs**2 / (judged - labels) - mean**2
    strata = _strata(table.sum(axis=1).T, table[:, 2].T, table[:, 0].T, others.T)
    found = fitted(said[None, :], seen[None, :], counts, mean, spread, judged)
    carried, used = _carried(found, labels), found.association >= ASSOCIATION
    reach = t_reach(LEVEL, labels - 2, "two-sided") * found.error
    low_with = np.where(carried, found.value - reach, np.where(used, strata[0], low))
    high_with = np.where(carried, found.value + reach, np.where(used, strata[1], high))
    if labels < MANY_LABELS:
        unsure = 4.0 * (1.0 - found.association / labels)
        kept = found.association / np.maximum(found.association + unsure, 1e-300)
        soft = fitted(said[None, :], seen[None, :], counts, mean, spread, judged, kept=kept)
        second = counts @ said**2 / labels
        ends, carries = _adjusted(soft, second, labels, judged), soft.surprises >= ADJUSTED
        carries &= found.association > 0.0
        low_with, high_with = np.where(carries, ends[0], low_with), np.where(carries, ends[1], high_with)  # fmt: skip
        carried = carried | carries

    def columns(draw: int) -> tuple[Array, Array]:
        repeats = counts[draw].astype(int)
        people = np.concatenate([np.repeat(said, repeats), np.full(judged - labels, np.nan)])
        return people, np.concatenate(
            [np.repeat(seen, repeats), np.repeat(signs, others[draw].astype(int))]
        )

    def theirs(first: int, level: float) -> Ends:
        above = np.cumsum(counts[:first], axis=1)[:, None, :]
        places = (np.arange(labels)[None, :, None] >= above).sum(axis=2)
        rest = judges_evalstats.Rest(
            count=judged - labels, mean=mean[:first], spread=spread[:first]
        )
        return judges_evalstats.pair_of_rates(said[places], seen[places], rest, level)

    return Bulk(
        truth=float(chances.sum(axis=1) @ signs),
        ours=(low_with, high_with),
        labels=(np.asarray(low), np.asarray(high)),
        truescore=_truescore_of_counts(counts, said, seen, mean, spread, judged),
        used=used | carried,
        columns=columns,
        evalstats=theirs,
    )


def _adjusted(found: "Fitted", second: Array, labels: int, judged: int) -> Ends:
    """kernels.judge_correction.Corrected.with_pseudo_items of every row, as an interval."""
    varied, error = second - found.value**2, found.plain
    there = (varied > 0.0) & (error > 0.0)
    worth = np.where(there, varied / np.where(there, error, 1.0) ** 2, float(labels))
    worth = np.clip(worth, labels / 1.5, judged)
    kept = worth / (worth + 2.0)
    added = 2.0 * (1.0 + kept * found.value**2) / (worth + 2.0) ** 2
    reach = Z * np.sqrt(kept**2 * error**2 + added)
    low, high = kept * found.value - reach, kept * found.value + reach
    return np.maximum(low, -1.0), np.minimum(high, 1.0)


@cache
def _own_limits(n: int, kind: str) -> Ends:
    """Limits of 0, 1 … n right answers of n: Jeffreys' within strata, guarded mid-p of labels alone."""
    k = np.arange(n + 1.0)
    if kind == "labels":
        return mid_p_limits(k, np.full(n + 1, float(n)), 0.025, guarded=True)
    low, high = jeffreys_limits(k, n, 0.025) if n else (np.zeros(1), np.ones(1))
    low[0], high[-1] = 0.0, 1.0
    return low, high


def _looked_up(right: Array, counts: Array, kind: str) -> Ends:
    low, high = np.empty(right.size), np.empty(right.size)
    for n in np.unique(counts).astype(int):
        rows = counts == n
        table = _own_limits(int(n), kind)
        low[rows], high[rows] = (ends[right[rows].astype(int)] for ends in table)
    return low, high


def _strata(counts: Array, plus: Array, minus: Array | None, others: Array) -> Ends:
    """JudgedStrata.limits, a row per stratum and a column per draw."""
    total, n = counts.sum(axis=0) + others.sum(axis=0), counts.sum(axis=0)
    weights = (counts + others) / total
    net = plus if minus is None else plus - minus
    means = np.where(counts > 0, net / np.maximum(counts, 1.0), net.sum(axis=0) / n)
    value = (weights * means).sum(axis=0)
    rest = Z * Z * (weights * (means - value) ** 2).sum(axis=0) / total
    below, above = np.zeros(value.size), np.zeros(value.size)
    for place in range(counts.shape[0]):
        down, up = _distances(plus[place], counts[place])
        if minus is not None:
            more, less = _distances(minus[place], counts[place])
            shared = 2.0 * Z * Z * plus[place] * minus[place] / np.maximum(counts[place], 1.0) ** 3
            down, up = np.sqrt(down**2 + less**2 + shared), np.sqrt(up**2 + more**2 + shared)
        below += (weights[place] * down) ** 2
        above += (weights[place] * up) ** 2
    least = 0.0 if minus is None else -1.0
    low = np.maximum(value - np.sqrt(below + rest), least)
    return low, np.minimum(value + np.sqrt(above + rest), 1.0)


def _distances(hits: Array, counts: Array) -> Ends:
    low, high = _looked_up(hits, counts, "strata")
    rate = hits / np.maximum(counts, 1.0)
    unseen = counts == 0
    return np.where(unseen, 1.0, rate - low), np.where(unseen, 1.0, high - rate)


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Grades that people and judge would share, of which a share is another grade by people."""

    shared: float
    instead: float
    share: float
    mass: float
    """Of all items: the share times how often the two would share this grade."""

    @property
    def shift(self) -> float:
        return self.mass * (self.instead - self.shared)

    def made(self, people: Array, judge: Array, rng: np.random.Generator) -> Array:
        hit = (people == self.shared) & (judge == self.shared) & (rng.random(people.shape) < self.share)  # fmt: skip
        return np.where(hit, self.instead, people)


def ratings(shape: tuple[int, int], skill: float, rng: np.random.Generator) -> tuple[Array, Array]:
    """Grades from 1 to 5; the judge repeats people's or draws its own, and its own are generous."""
    people = (1.0 + rng.choice(5, size=shape, p=RATINGS)).astype(np.float64)
    own = np.minimum(5.0, 1.0 + rng.choice(5, size=shape, p=RATINGS) + (rng.random(shape) < 0.3))
    judge: Array = np.where(rng.random(shape) < skill, people, own)
    return people, judge


def rating_chances(skill: float) -> Array:
    """How often the judge gives 1 to 5."""
    own = 0.7 * RATINGS + 0.3 * np.append(0.0, RATINGS[:-1])
    own[-1] += 0.3 * RATINGS[-1]
    return np.asarray(skill * RATINGS + (1.0 - skill) * own)


def grades(
    target: str, skill: float, labels: int, judged: int, draws: int, rng: np.random.Generator, *,
    errors: "Errors | None" = None, exponential: bool = False,
) -> Bulk:  # fmt: skip
    """Means of normal grades, of ratings, and of differences of ratings: the regression estimator in bulk.

    People's numbers may be exponential instead, less their mean; the judge is then off by normal errors.
    """
    rest = judged - labels
    if target == "mean":
        judge = rng.standard_normal((draws, labels))
        people = skill * judge + np.sqrt(1.0 - skill**2) * rng.standard_normal((draws, labels))
        if exponential:
            people = rng.exponential(1.0, (draws, labels)) - 1.0
            judge = skill * people + np.sqrt(1.0 - skill**2) * judge
        judge += 0.3
        mean = 0.3 + rng.standard_normal(draws) / np.sqrt(rest)
        spread = rng.chisquare(rest - 1, size=draws) / rest
    else:
        people, judge = ratings((draws, labels), skill, rng)
        chances, values = rating_chances(skill), np.arange(1.0, 6.0)
        if target == "pair of ratings":
            second = ratings((draws, labels), skill, rng)
            people, judge = people - second[0], judge - second[1]
            chances, values = np.convolve(chances, chances[::-1]), np.arange(-4.0, 5.0)
        counts = rng.multinomial(rest, chances / chances.sum(), size=draws)
        mean = counts @ values / rest
        spread = counts @ values**2 / rest - mean**2
    truth = 0.0 if target != "ratings" else float(np.arange(1, 6) @ RATINGS)
    if errors is not None:
        people, truth = errors.made(people, judge, rng), truth + errors.shift

    def columns(draw: int) -> tuple[Array, Array]:
        gaps = np.full(rest, np.nan)
        return np.concatenate([people[draw], gaps]), np.concatenate([judge[draw], others(draw)])

    def others(draw: int) -> Array:
        if target != "mean":
            return np.repeat(values, counts[draw])
        # only mean and variance of unlabelled grades matter: the same ones, two values or three
        signs = np.where(np.arange(rest) % 2, 1.0, -1.0)
        signs[-1] *= 1.0 if rest % 2 == 0 else 0.0
        return np.asarray(mean[draw] + signs * np.sqrt(spread[draw] * rest / (signs @ signs)))

    def theirs(first: int, level: float) -> Ends:
        columns = people[:first], judge[:first]
        left = judges_evalstats.Rest(count=rest, mean=mean[:first], spread=spread[:first])
        if target == "mean":
            return judges_evalstats.mean(*columns, left, level)
        scale = (-4.0, 4.0) if paired else (1.0, 5.0)
        return judges_evalstats.bounded(*columns, left, level, ends=scale, shift=not paired)

    paired = target == "pair of ratings"
    span: Ends | None = None
    if target != "mean":
        there = counts > 0
        span = values[there.argmax(axis=1)], values[-1 - there[:, ::-1].argmax(axis=1)]
    alone, ours, used = regression(
        people, judge, mean, spread, judged, paired=paired, rest_ends=span
    )
    return Bulk(
        truth=truth, ours=ours, labels=alone, truescore=_truescore(people, judge, mean, spread, judged), used=used,
        columns=columns, evalstats=theirs,
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class Fitted:
    """kernels.judge_correction.Corrected of every row."""

    people: Array
    people_error: Array
    value: Array
    error: Array
    slope: Array
    association: Array
    surprises: Array
    terms: Array
    plain: Array
    cautious: Array
    growth: Array
    tail: Array
    range: Array
    """Of people's grades."""


def fitted(
    people: Array, judge: Array, often: Array, rest_mean: Array, rest_spread: Array, judged: int, *,
    kept: Array | float = 1.0,
) -> Fitted:  # fmt: skip
    """kernels.judge_correction.corrected of every row; ``often`` says how many labels have each pair of values."""
    n = often.sum(axis=1)

    def mean_of(values: Array) -> Array:
        return np.asarray((often * values).sum(axis=1) / n)

    mean, own = mean_of(people), mean_of(judge)
    part = n / judged
    whole = part * own + (1.0 - part) * rest_mean
    off, aside = people - mean[:, None], judge - own[:, None]
    spread, varied = mean_of(aside**2), mean_of(off**2)
    spread = np.where(spread > 1e-24, spread, 1.0)  # a judge that says the same of all: no slope
    all_spread = part * (spread + (own - whole) ** 2)
    all_spread += (1.0 - part) * (rest_spread + (rest_mean - whole) ** 2)
    joint = mean_of(aside * off)
    slope = kept * joint / spread
    residuals = off - slope[:, None] * aside
    weights = (1.0 + aside * ((whole - own) / spread)[:, None]) / n[:, None]
    leverage = (1.0 + aside**2 / spread[:, None]) / n[:, None]
    terms = weights * residuals / np.sqrt(np.maximum(1.0 - leverage, 0.05))
    squares = terms**2
    first, fourth = (often * squares).sum(axis=1), (often * squares**2).sum(axis=1)
    if n.max() < FEW_LABELS:
        even = (often * residuals**2).sum(axis=1) / (n - 2) * (often * weights**2).sum(axis=1)
        spreads = np.maximum(first, even)
    else:
        spreads = first
    agreed = mean_of(residuals**2) <= ROUNDING * varied
    return Fitted(
        people=mean,
        people_error=np.sqrt(varied / (n - 1)),
        value=mean + slope * (whole - own),
        error=np.sqrt(spreads + slope**2 * all_spread / judged),
        slope=slope,
        association=n * joint**2 / np.maximum(spread * varied, 1e-300),
        surprises=np.where(agreed, 0.0, first**2 / np.maximum(fourth, 1e-300)),
        terms=terms,
        cautious=np.sqrt(
            (often * squares / np.maximum(1.0 - leverage, 0.05)).sum(axis=1)
            + slope**2 * all_spread / judged
        ),
        growth=_growth(np.abs(residuals), aside, mean_of),
        plain=np.sqrt(mean_of(residuals**2) / n + slope**2 * all_spread / judged),
        tail=np.abs(slope) * np.sqrt(all_spread / judged),
        range=np.ptp(people, axis=1),
    )


def _growth(sizes: Array, aside: Array, mean_of: Callable[[Array], Array]) -> Array:
    """kernels.judge_correction.Corrected.growth of every row, of single items."""
    off = sizes - mean_of(sizes)[:, None]
    spread = mean_of(off**2) * mean_of(aside**2)
    return np.asarray(aside.shape[1] * mean_of(off * aside) ** 2 / np.where(spread > 0.0, spread, np.inf))  # fmt: skip


def regression(
    people: Array, judge: Array, rest_mean: Array, rest_spread: Array, judged: int, *, paired: bool,
    rest_ends: Ends | None = None,
) -> tuple[Ends, Ends, NDArray[np.bool_]]:  # fmt: skip
    """kernels.judge_correction.corrected of every row, with the rule of estimates.judged_means.used.

    Labels alone are those of `evaluate`, leaning as grades do, and of a pair Student's t. ``rest_ends`` are the
    least and the largest judgement of the items without a label.
    """
    n = people.shape[1]
    each, rest = np.ones((1, n)), (rest_mean, rest_spread, judged)
    found = fitted(people, judge, each, *rest)
    error, surprises, own_error = found.error, found.surprises, found.people_error
    reach = t_reach(LEVEL, n - 1, "two-sided")
    lean = np.zeros(error.size) if paired else lean_of(people)
    alone = wider_limits(found.people, own_error, reach, lean)
    few = surprises < (SURPRISES_OF_FEW if n < FEW_LABELS else SURPRISES)
    seldom = few & ((surprises < LEAST) | (n >= MANY_LABELS))
    own_df = 2.0 / np.maximum(1.0 / np.maximum(surprises, 1.0) - 1.0 / n, 2.0 / n)
    df = np.where(few & ~seldom, np.minimum(n - 2.0, own_df), n - 2.0)
    likely = _likely(found, judge, rest_ends, seldom, PART_OF_REACH if paired else 1.0)
    narrower = likely[1] - likely[0] < 2.0 * own_error * t_reach(LEVEL, n - 2, "two-sided")
    known = ~seldom | narrower
    used, value = (found.association >= ASSOCIATION) & known, found.value
    if paired and n < FEW_LABELS:
        kept = 1.0 - ASSOCIATION * (1.0 / np.maximum(found.association, 1e-300) - 1.0 / n)
        less = fitted(people, judge, each, *rest, kept=np.where(used, kept, 1.0))
        value, error = less.value, less.error
    if not paired:
        own, grades_lean = lean_of(found.terms), lean
        lean = own if n < FEW_LABELS else np.where(np.abs(own) < np.abs(lean), own, lean)
        if n >= FEW_LABELS:
            skewed = np.abs(grades_lean) * np.sqrt(n) >= SKEWED
            grows = skewed & (found.growth >= GROWTH) & (surprises >= SURPRISES)
            lean = np.where(grows, grades_lean, lean)
            error = np.where(grows, np.maximum(error, found.cautious), error)
    usual = wider_limits(value, error, -stdtrit(df, (1.0 - LEVEL) / 2.0), lean)
    ends = (np.where(seldom, *both) for both in zip(likely, usual, strict=True))
    low, high = (
        np.where(used, with_it, without) for with_it, without in zip(ends, alone, strict=True)
    )
    return alone, (low, high), used


def _likely(
    found: Fitted, judge: Array, rest_ends: Ends | None, rows: NDArray[np.bool_], part_of_reach: float
) -> Ends:  # fmt: skip
    """kernels.judge_correction.Corrected.likely_limits of these rows."""
    n = judge.shape[1]
    least, most = judge.min(axis=1), judge.max(axis=1)
    if rest_ends is not None:
        least, most = np.minimum(least, rest_ends[0]), np.maximum(most, rest_ends[1])
    farthest = part_of_reach * np.maximum(found.range, np.abs(found.slope) * (most - least))
    terms = found.terms[rows]
    points = n * (terms - terms.mean(axis=1, keepdims=True))
    t = t_reach(LEVEL, n - 2, "two-sided")
    threshold = t * t * likelihood_stretch(found.surprises[rows])
    down, up = np.zeros(rows.size), np.zeros(rows.size)
    for side, far in ((-1.0, down), (1.0, up)):
        far[rows] = upper_mean(side * points, threshold, farthest[rows])
    rest = (t * found.tail) ** 2
    return found.value - np.sqrt(down**2 + rest), found.value + np.sqrt(up**2 + rest)


def _carried(found: Fitted, labels: int) -> NDArray[np.bool_]:
    """The rule of hypotheses.judged for pairs of rates that so many labels carry."""
    related = found.association >= ASSOCIATION
    enough = related & (found.surprises >= SURPRISES) & (labels >= FEW_LABELS)
    return np.asarray(
        enough | (~related & (found.surprises >= SURPRISES_OF_FEW) & (labels >= MANY_LABELS))
    )


def _truescore(
    people: Array, judge: Array, rest_mean: Array, rest_spread: Array, judged: int
) -> Ends:
    """truescore.ppi_estimate of every row."""
    n = people.shape[1]
    rest = judged - n
    part, own = n / judged, judge.mean(axis=1)
    whole = part * own + (1.0 - part) * rest_mean
    spread = part * (judge.var(axis=1) + (own - whole) ** 2)
    spread += (1.0 - part) * (rest_spread + (rest_mean - whole) ** 2)
    joint = (people * judge).mean(axis=1) - people.mean(axis=1) * own
    tuned = _tuned(joint, spread * judged / (judged - 1), n / rest)
    rectified = people - tuned[:, None] * judge
    variance = rectified.var(axis=1, ddof=1) / n + tuned**2 * rest_spread / (rest - 1)
    value = tuned * rest_mean + rectified.mean(axis=1)
    return value - Z * np.sqrt(variance), value + Z * np.sqrt(variance)


def _truescore_of_counts(
    counts: Array, said: Array, seen: Array, rest_mean: Array, rest_spread: Array, judged: int
) -> Ends:
    """The same from counts of people's and the judge's joint values."""
    n = counts.sum(axis=1)
    rest, part = judged - n, n / judged
    x, y = counts @ said / n, counts @ seen / n
    whole = part * y + (1.0 - part) * rest_mean
    spread = part * (counts @ seen**2 / n) + (1.0 - part) * (rest_spread + rest_mean**2) - whole**2
    joint = counts @ (said * seen) / n - x * y
    tuned = _tuned(joint, spread * judged / (judged - 1), n / rest)
    second = (
        counts @ said**2 - 2.0 * tuned * (counts @ (said * seen)) + tuned**2 * (counts @ seen**2)
    )
    variance = np.maximum(second / n - (x - tuned * y) ** 2, 0.0) / (n - 1)
    variance += tuned**2 * rest_spread / (rest - 1)
    value = tuned * rest_mean + x - tuned * y
    half = Z * np.sqrt(variance)
    hits = counts @ np.maximum(said, 0.0)
    zero_one = counts @ np.maximum(-said, 0.0) == 0.0
    few = zero_one & (np.minimum(hits, n - hits) < 5)  # where it widens to Wilson's interval
    low, high = wilson_limits(np.where(few, hits, 0.0), n, Z)
    half = np.where(few, np.maximum(half, (high - low) / 2.0), half)
    return value - half, value + half


def _tuned(joint: Array, spread: Array, ratio: Array | float) -> Array:
    plain = joint / (np.maximum(spread, 1e-300) * (1.0 + ratio))
    return np.where(spread > 0.0, np.clip(plain, 0.0, 1.0), 0.0)
