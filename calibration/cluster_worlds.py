"""Worlds of clustered or weighted predictions, and the answers of assay's defaults for many test sets at once.

Truth and scores have effects of the cluster; each model has one of its own. Models are exchangeable, so
that their true difference is 0. Clusters have 10 items, or 1 to 60 ("users"), or are items ("1"). Some test
sets of every batch go through the public methods as well, and a difference stops the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

import assay
from assay.kernels.effective_size import UNSEEN_CORRELATION
from assay.kernels.skewness import corrected, lean_of, wider_limits
from assay.kernels.unseen_values import allowed, reach_beyond, unseen_p
from calibration.designs.means import Disagreement
from calibration.ranking_kernels import Ranked, ranked

TRUTH_EFFECT, SHARED_EFFECT, OWN_EFFECT, SHARED_NOISE = 0.7, 0.7, 0.5, 0.7
"""Standard deviations of the effects of a cluster on truth, on all scores and on one model's; the share of
an item's noise that models have in common."""
UNEVEN, HEAVY = 0.7, 5.0
"""The standard deviation of log weights that are "uneven"; how much negatives weigh if "classes" weigh unlike."""
MEASURES = ("accuracy", "f1", "roc_auc", "average_precision", "brier")
MEANS = ("accuracy", "brier")
NEAR, SMALL = 0.4, 2.5
"""Where one unseen item moves a mean by so few standard errors, and t is so small, it cannot be what decides."""
Generator = np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    clusters: int
    sizes: str
    prevalence: float
    separation: float
    correlation: float | None = None
    """Of the latent truths, and of the scores, of two items of a cluster; None: effects of the sizes above."""
    weights: str = ""
    """None, "uneven" or by "classes"."""

    @property
    def effects(self) -> tuple[float, float, float]:
        """Standard deviations of the effects of a cluster on truth, on all scores and on one model's."""
        if self.correlation is None:
            return TRUTH_EFFECT, SHARED_EFFECT, OWN_EFFECT
        total = (self.correlation / (1.0 - self.correlation)) ** 0.5
        whole = (SHARED_EFFECT**2 + OWN_EFFECT**2) ** 0.5
        return total, total * SHARED_EFFECT / whole, total * OWN_EFFECT / whole

    @property
    def variance(self) -> float:
        """Of the scores of a class."""
        return 1.0 + self.effects[1] ** 2 + self.effects[2] ** 2

    @property
    def weighed(self) -> float:
        """The share of positives by weight."""
        negative = (1.0 - self.prevalence) * (HEAVY if self.weights == "classes" else 1.0)
        return self.prevalence / (self.prevalence + negative)

    @property
    def clustered(self) -> bool:
        return self.sizes != "1"

    def truth(self, measure: str) -> float:
        """The measure of any model on endlessly many clusters."""
        return _truth(self, measure)

    def worked_out(self, measure: str) -> float:
        right = float(ndtr(self.separation / 2.0 / self.variance**0.5))
        if measure == "accuracy":
            return right
        if measure == "f1":
            hits = 2.0 * self.weighed * right
            return hits / (hits + (1.0 - right))
        if measure == "roc_auc":
            return float(ndtr(self.separation / (2.0 * self.variance) ** 0.5))
        return self._integrated(measure)

    def _integrated(self, measure: str) -> float:
        variance, share = self.variance, self.weighed
        at = np.linspace(-12.0, 12.0, 200_001) * variance**0.5
        density = np.exp(-(at**2) / (2.0 * variance)) / (2.0 * np.pi * variance) ** 0.5
        step, sides = at[1] - at[0], ((1, share), (0, 1.0 - share))
        if measure == "brier":
            losses = [(self.chance(at + self.separation * (y - 0.5)) - y) ** 2 for y in (1, 0)]
            return float(
                sum(w * (d * density).sum() for (_, w), d in zip(sides, losses, strict=True)) * step
            )
        above = [ndtr(-(at - self.separation * (y - 0.5)) / variance**0.5) for y in (1, 0)]
        precision = share * above[0] / (share * above[0] + (1 - share) * above[1])
        return float(-np.trapezoid(precision, above[0]))

    def chance(self, scores: Any) -> Any:
        """The probability that a model says a score means."""
        return ndtr(scores * self.separation / self.variance)

    def draw(self, replicates: int, models: int, rng: Generator) -> "Drawn":
        shape = (replicates, self.clusters)
        alike = {"1": 1, "10": 10}.get(self.sizes)
        sizes = rng.integers(1, 61, size=shape) if alike is None else np.full(shape, alike)
        most = int(sizes.max())
        there = np.arange(most) < sizes[..., None]
        of_truth, of_all, of_one = self.effects
        cut = ndtri(self.prevalence) * (1.0 + of_truth**2) ** 0.5
        latent = of_truth * rng.standard_normal((*shape, 1)) + rng.standard_normal((*shape, most))
        truth = (cut + latent > 0.0) & there
        shared = of_all * rng.standard_normal((*shape, 1))
        noise = SHARED_NOISE**0.5 * rng.standard_normal((*shape, most))
        scores = np.empty((replicates, models, self.clusters, most))
        for place in range(models):
            own = of_one * rng.standard_normal((*shape, 1))
            rest = (1.0 - SHARED_NOISE) ** 0.5 * rng.standard_normal((*shape, most))
            scores[:, place] = self.separation * (truth - 0.5) + shared + own + noise + rest
        weights = there.astype(float)
        if self.weights == "uneven":
            weights *= np.exp(UNEVEN * rng.standard_normal(there.shape))
        elif self.weights:
            weights *= np.where(truth, 1.0, HEAVY)
        return Drawn(world=self, truth=truth, scores=scores, there=there, weights=weights)


@cache
def _truth(world: World, measure: str) -> float:
    """Worked out once: an integral costs as much as hundreds of test sets."""
    return world.worked_out(measure)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """Many test sets: truth, whether there is an item and its weight (replicates, clusters, most), scores by model."""

    world: World
    truth: Any
    scores: Any
    there: Any
    weights: Any
    kept: dict[str, Any] = field(default_factory=dict, init=False, repr=False)

    @property
    def sizes(self) -> Any:
        return self.there.sum(-1).astype(float)

    @property
    def amounts(self) -> Any:
        """What each cluster weighs."""
        return self.weights.sum(-1)

    @property
    def ranked(self) -> Ranked:
        """Areas and precisions, worked out once."""
        if "ranked" not in self.kept:
            self.kept["ranked"] = ranked(self.scores, self.truth, self.weights, self.there)
        found: Ranked = self.kept["ranked"]
        return found

    def first(self, rows: int) -> "Drawn":
        return replace(
            self, truth=self.truth[:rows], scores=self.scores[:rows], there=self.there[:rows],
            weights=self.weights[:rows],
        )  # fmt: skip

    def columns(self, row: int, measure: str) -> dict[str, Any]:
        """One test set as the public methods take it."""
        kept = self.there[row]
        table: dict[str, Any] = {"truth": self.truth[row][kept].astype(int)}
        if self.world.clustered:
            cluster = np.broadcast_to(np.arange(kept.shape[0])[:, None], kept.shape)
            table["cluster"] = cluster[kept]
        if self.world.weights:
            table["weight"] = self.weights[row][kept]
        for place, scores in enumerate(self.scores[row]):
            name, own = "abcde"[place], scores[kept]
            if measure in ("accuracy", "f1"):
                table[name] = (own > 0.0).astype(int)
            elif measure == "brier":
                table |= {
                    f"{name}:p(1)": self.world.chance(own),
                    f"{name}:p(0)": 1 - self.world.chance(own),
                }
            else:
                table[f"{name}:score"] = own
        return table


def values_without(drawn: Drawn, measure: str) -> tuple[Any, Any]:
    """Values (replicates, models), and those without each cluster (replicates, models, clusters)."""
    if measure in MEANS:
        return _means(drawn, measure)
    if measure == "f1":
        return _f1(drawn)
    return drawn.ranked.areas if measure == "roc_auc" else drawn.ranked.precisions


def _means(drawn: Drawn, measure: str) -> tuple[Any, Any]:
    models = range(drawn.scores.shape[1])
    parts = np.stack(
        [(losses(drawn, measure, place) * drawn.weights).sum(-1) for place in models], axis=1
    )
    amounts = drawn.amounts[:, None]
    total, whole = parts.sum(-1), amounts.sum(-1)
    return total / whole, (total[..., None] - parts) / (whole[..., None] - amounts)


def _f1(drawn: Drawn) -> tuple[Any, Any]:
    said, truth, weights = drawn.scores > 0.0, drawn.truth[:, None], drawn.weights[:, None]
    hits, wrong = ((said & truth) * weights).sum(-1), ((said ^ truth) * weights).sum(-1)

    def value(hits: Any, wrong: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return 2.0 * hits / (2.0 * hits + wrong)

    all_hits, all_wrong = hits.sum(-1), wrong.sum(-1)
    return value(all_hits, all_wrong), value(
        all_hits[..., None] - hits, all_wrong[..., None] - wrong
    )


def degrees_of_freedom(drawn: Drawn, measure: str) -> Any:
    """sqrt((m - 1)(K - 1)) with Kish's number of clusters, of areas that of the scarcer class."""
    kish = _kish(drawn.amounts)
    if measure == "roc_auc" and drawn.world.clustered:
        positives = (drawn.weights * drawn.truth).sum(-1)
        kish = np.minimum(_kish(positives), _kish(drawn.amounts - positives))
    return np.maximum(1.0, np.sqrt((drawn.world.clusters - 1.0) * np.maximum(kish - 1.0, 0.0)))


def _kish(amounts: Any) -> Any:
    return amounts.sum(-1) ** 2 / np.maximum((amounts**2).sum(-1), 1e-300)


class Spread(NamedTuple):
    """Means of values and how far they may stray, a row each; ``totals`` are those of the clusters' strays."""

    mean: Any
    error: Any
    df: Any
    naive: Any
    totals: Any


def cluster_means(drawn: Drawn, values: Any) -> Spread:
    """Means, CR2 errors, Satterthwaite's degrees of freedom and naive errors, after Imbens and Kolesár."""
    weights = drawn.weights / drawn.weights.sum((-1, -2), keepdims=True)
    mean = (values * weights).sum((-1, -2))
    away = (values - mean[:, None, None]) * weights
    totals, share, square = away.sum(-1), weights.sum(-1), (weights**2).sum(-1)
    factor = 1.0 - 2.0 * share + share**2 * square.sum(-1, keepdims=True) / square
    error = np.sqrt((totals**2 / factor).sum(-1))
    whole = square.sum(-1)[:, None, None]
    naive = np.sqrt((away**2 / (1.0 - 2.0 * weights + whole)).sum((-1, -2)))
    if not drawn.world.clustered:
        return Spread(mean, error, 1.0 / square.sum(-1) - 1.0, naive, totals)
    icc = _correlation(drawn, values)
    variance = (1.0 - icc)[:, None] * square + icc[:, None] * share**2
    total = variance.sum(-1)
    own = (variance * (1.0 - 2.0 * share) + share**2 * total[:, None]) / factor
    shares, squared = (share**2 / factor).sum(-1), (variance**2 / factor).sum(-1)
    mixed = (share * variance / factor).sum(-1)
    pairs = (total * shares) ** 2 + 2 * shares * squared - 4 * total * shares * mixed + 2 * mixed**2
    same = (((share**2 * total[:, None] - 2.0 * share * variance) / factor) ** 2).sum(-1)
    df = own.sum(-1) ** 2 / ((own**2).sum(-1) + pairs - same)
    return Spread(mean, error, df, naive, totals)


def _correlation(drawn: Drawn, values: Any) -> Any:
    """Within clusters, by analysis of variance, cut to 0 and 1; weights do not enter."""
    sizes, there = drawn.sizes, drawn.there
    n, groups = sizes.sum(-1), sizes.shape[-1]
    mean = (values * there).sum((-1, -2)) / n
    away = (values - mean[:, None, None]) * there
    between = (away.sum(-1) ** 2 / sizes).sum(-1) / (groups - 1)
    within = ((away**2).sum((-1, -2)) - between * (groups - 1)) / (n - groups)
    typical = (n - (sizes**2).sum(-1) / n) / (groups - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.nan_to_num((between - within) / (between + (typical - 1.0) * within))
    return np.clip(found, 0.0, 1.0)


def losses(drawn: Drawn, measure: str, place: int) -> Any:
    scores = drawn.scores[:, place]
    if measure == "accuracy":
        return ((scores > 0.0) == drawn.truth).astype(float)
    return (drawn.world.chance(scores) - drawn.truth) ** 2


class Answers(NamedTuple):
    """Limits and two-sided p-values of mean differences, a row each."""

    low: Any
    high: Any
    p: Any


def mean_differences(
    drawn: Drawn,
    values: Any,
    *,
    jackknife: bool = False,
    level: float = 0.95,
    bound: float = 1.0,
    counted: float = 1.0,
) -> Answers:
    """As `assay.hypotheses.dependent_means` has them: t, as far out as skewness and the unseen ask for.

    P-values above ``counted`` may be too small: what may be unseen is not worked out for them.
    """
    spread = cluster_means(drawn, values)
    mean, error, df = spread.mean, spread.error, spread.df
    weights = drawn.weights / drawn.weights.sum((-1, -2), keepdims=True)
    share = weights.sum(-1)
    if jackknife:
        m = drawn.world.clusters
        error = np.sqrt((m - 1.0) / m * ((spread.totals / (1.0 - share)) ** 2).sum(-1))
        df = degrees_of_freedom(drawn, "mean")
    error = np.where(error > 1e-12, error, np.nan)
    n = _independent(drawn, values - mean[:, None, None], error)
    lean, t = lean_of(spread.totals), mean / error
    low, high = wider_limits(mean, error, -stdtrit(df, (1.0 - level) / 2.0), lean)
    skewed = 2.0 * stdtr(df, -np.abs(corrected(t, lean)))
    p = np.maximum(2.0 * stdtr(df, -np.abs(t)), np.nan_to_num(skewed))
    far = np.flatnonzero(((bound / error + np.abs(t)) / n > NEAR) | (np.abs(t) > SMALL))
    missing = allowed(1.0 - level, "two-sided")
    asked = far[p[far] <= counted]
    rooms = bound / error[asked] + np.abs(t[asked])
    unseen = unseen_p(np.abs(t[asked]), rooms, n[asked], "two-sided", df[asked])
    p[asked] = np.maximum(p[asked], unseen)
    mean, error, n, df = (one[far] for one in (mean, error, n, df))
    rooms = ((bound + mean) / error, (bound - mean) / error)
    below, above = (error * reach for reach in _reaches(missing, rooms, n, df))
    low[far], high[far] = np.minimum(low[far], mean - below), np.maximum(high[far], mean + above)
    return Answers(low, high, p)


def _reaches(missing: float, rooms: tuple[Any, Any], n: Any, df: Any) -> list[Any]:
    """`unseen_reach` towards both ends; quantiles of t are the same and worked out once."""
    known: list[Any] = []

    def quantile(tails: Any) -> Any:
        if not known:
            known.append(-stdtrit(df[:, None], tails))
        return known[0]

    return [reach_beyond(missing, room, n, quantile) for room in rooms]


def pair_p_values(
    drawn: Drawn, measure: str, without: tuple[Any, Any] | None = None, *, counted: float = 1.0
) -> tuple[Any, Any, Any]:
    """P of two models, whether there is an answer, and the width of the 95 % interval.

    ``without`` are the `values_without` where they are known already; p-values above ``counted`` may be too small.
    """
    if measure in MEANS:
        apart = losses(drawn, measure, 0) - losses(drawn, measure, 1)
        weighted = bool(drawn.world.weights)
        found = mean_differences(drawn, apart, jackknife=weighted, counted=counted)
        flat = np.isnan(found.p)
        widths = np.minimum(found.high, 1.0) - np.maximum(found.low, -1.0)
        return np.where(flat, 1.0, found.p), np.ones(flat.shape, bool), np.where(flat, 2.0, widths)
    whole, left = without or values_without(drawn, measure)
    value = whole[:, 0] - whole[:, 1]
    m = drawn.world.clusters
    strays = left[:, 0] - left[:, 1] - value[:, None]
    error = np.sqrt((m - 1.0) / m * (strays**2).sum(-1))
    df = degrees_of_freedom(drawn, measure)
    with np.errstate(invalid="ignore", divide="ignore"):
        p = np.where(error > 1e-12, 2.0 * stdtr(df, -np.abs(value / error)), 1.0)
    unknown = np.isnan(error)  # nothing is ruled out
    answered = ~np.isnan(value)
    return (
        np.where(unknown, 1.0, p),
        answered,
        np.where(unknown, 2.0, -2.0 * stdtrit(df, 0.025) * error),
    )


def one_limits(
    drawn: Drawn, measure: str, without: tuple[Any, Any] | None = None
) -> tuple[Any, Any, Any]:
    """The 95 % limits of one model, and whether something varies; else they are not counted."""
    top = 2.0 if measure == "brier" else 1.0  # of any number of classes
    clustered, m = drawn.world.clustered, drawn.world.clusters
    bias = 0.0
    if measure in MEANS:
        value, error, df, naive, totals = cluster_means(drawn, losses(drawn, measure, 0))
        known = error > 1e-12
        error = np.maximum(error, naive) if clustered else error
    else:
        whole, left = without or values_without(drawn, measure)
        value, left = whole[:, 0], left[:, 0]
        middle = left.mean(-1)
        # of items about the mean of the deletions, with Kish's number of items less one
        about = value if clustered else middle
        error = np.sqrt((m - 1.0) / m * ((left - about[:, None]) ** 2).sum(-1))
        df = degrees_of_freedom(drawn, measure) if clustered else _kish(drawn.amounts) - 1.0
        known = error > 1e-12
        if measure == "roc_auc" and not drawn.world.weights:
            error = np.maximum(error, np.sqrt(_newcombe(drawn, value)))
        if measure == "average_precision":
            bias = np.maximum((m - 1.0) * (middle - value), 0.0)
    known &= (value > 0.0) & (value < top)
    reach = -stdtrit(df, 0.025) * error
    high = _stretched(value, reach, top)
    low = top - _stretched(top - value, reach, top)
    if measure == "average_precision":
        centre = np.maximum(value - bias, 1e-300)
        low = np.minimum(low, top - _stretched(top - centre, reach, top))
    if measure in MEANS:
        strays = losses(drawn, measure, 0) - value[:, None, None]
        low, high = _reaching(drawn, (value, error, df), (totals, strays), (low, high))
    return np.maximum(low, 0.0), np.minimum(high, top), known


def _stretched(value: Any, reach: Any, top: float) -> Any:
    """The upper end of an interval that is symmetric on the logit scale."""
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        factor = np.exp(np.minimum(reach * top / (value * (top - value)), 300.0))
        return top - top / (1.0 + value / (top - value) * factor)


def _reaching(
    drawn: Drawn, spread: tuple[Any, Any, Any], strays: tuple[Any, Any], limits: tuple[Any, Any]
) -> Any:
    """Limits of means, as far out as skewness and losses of 0 or 1 that none shows ask for."""
    (mean, error, df), (low, high) = spread, limits
    error = np.where(error > 1e-12, error, np.nan)
    lean, reach = lean_of(strays[0], bounded=True), -stdtrit(df, 0.025)
    farther = wider_limits(mean, error, reach, lean)
    clustered = drawn.world.clustered
    n = _independent(drawn, strays[1], error) if clustered else _kish(drawn.amounts)
    missing = allowed(0.05, "two-sided")
    nearer = np.maximum(mean, 1.0 - mean) / error / n <= NEAR  # then it is no more than t
    far = np.flatnonzero(~nearer | (not clustered))
    below, above = np.zeros_like(mean), np.zeros_like(mean)
    rooms = mean[far] / error[far], (1.0 - mean[far]) / error[far]
    below[far], above[far] = (error[far] * own for own in _reaches(missing, rooms, n[far], df[far]))
    if clustered:  # what is farther than t adds to the nearer of t's limit and the logit scale's
        t = mean - reach * error, mean + reach * error
        ends = np.minimum(farther[0], mean - below), np.maximum(farther[1], mean + above)
        return (
            np.minimum(low, np.maximum(low, t[0]) - (t[0] - ends[0])),
            np.maximum(high, np.minimum(high, t[1]) + (ends[1] - t[1])),
        )
    low = np.where(lean < 0.0, np.minimum(low, farther[0]), low)
    high = np.where(lean >= 0.0, np.maximum(high, farther[1]), high)
    return np.minimum(low, mean - below), np.maximum(high, mean + above)


def _independent(drawn: Drawn, away: Any, error: Any) -> Any:
    """As many independent items as have the standard error, or fewer if rare values come in clumps."""
    weights = drawn.weights / drawn.weights.sum((-1, -2), keepdims=True)
    squares = (weights**2).sum((-1, -2))
    variance = (weights * away**2).sum((-1, -2)) / (1.0 - squares)
    clump = (weights.sum(-1) ** 2).sum(-1) / squares
    return np.minimum(
        1.0 / squares / (1.0 + (clump - 1.0) * UNSEEN_CORRELATION), variance / error**2
    )


def _newcombe(drawn: Drawn, area: Any) -> Any:
    positive = drawn.truth.sum((-1, -2)).astype(float)
    negative = drawn.sizes.sum(-1) - positive
    size = (positive + negative) / 2.0 - 1.0
    with np.errstate(invalid="ignore", divide="ignore"):
        growth = 1.0 + size * (1.0 - area) / (2.0 - area) + size * area / (1.0 + area)
        return np.maximum(area * (1.0 - area) * growth / (positive * negative), 0.0)


def check_public(drawn: Drawn, measure: str, rows: int) -> None:
    """Some test sets through `compare` and `evaluate`: the same numbers, or the run stops."""
    drawn = drawn.first(rows)
    p_values, answered, _ = pair_p_values(drawn, measure)
    low, high, known = one_limits(drawn, measure)
    for row in range(rows):
        evidence = assay.read(drawn.columns(row, measure))
        if answered[row]:
            outcome = assay.compare(evidence, measure=measure, rng=0).verdict.outcome
            flat = {"no-disagreement", "zero-variance"} & {one.code for one in outcome.notes}
            if not flat:
                _same(p_values[row], outcome.p_value, f"compare by {measure}")
        if known[row]:
            found = assay.evaluate(evidence.select("a"), measures=(measure,)).estimates[0].interval
            facts: Mapping[str, Any] = {"low": found.low, "high": found.high} if found else {}
            for ours, theirs in ((low[row], facts.get("low")), (high[row], facts.get("high"))):
                _same(ours, theirs, f"evaluate {measure}")


def _same(ours: Any, theirs: Any, what: str) -> None:
    if theirs is None or not np.isclose(float(ours), float(theirs), rtol=1e-6, atol=1e-9):
        raise Disagreement(f"{what}: {float(ours)!r} in calibration, {theirs!r} from assay")
