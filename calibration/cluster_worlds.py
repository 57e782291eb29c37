"""Worlds of clustered predictions, and the answers of assay's defaults for many test sets at once.

Truth and scores have effects of the cluster; each model has one of its own. Models are exchangeable, so
that their true difference is 0. Clusters have 10 items, or 1 to 60 ("users"). Some test sets of every
batch go through the public methods as well, and a difference stops the run.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from scipy.special import ndtr, ndtri, stdtr, stdtrit

import assay
from calibration.designs.means import Disagreement

TRUTH_EFFECT, SHARED_EFFECT, OWN_EFFECT, SHARED_NOISE = 0.7, 0.7, 0.5, 0.7
"""Standard deviations of the effects of a cluster on truth, on all scores and on one model's; the share of
an item's noise that models have in common."""
VARIANCE = 1.0 + SHARED_EFFECT**2 + OWN_EFFECT**2
MEASURES = ("accuracy", "f1", "roc_auc", "average_precision", "brier")
AT_ONCE = 32_000
"""Precisions, of positives without a cluster, that are worked out together."""
Generator = np.random.Generator


@dataclass(frozen=True, slots=True, kw_only=True)
class World:
    clusters: int
    sizes: str
    prevalence: float
    separation: float

    def truth(self, measure: str) -> float:
        """The measure of any model on endlessly many clusters."""
        return _truth(self, measure)

    def worked_out(self, measure: str) -> float:
        right = float(ndtr(self.separation / 2.0 / VARIANCE**0.5))
        if measure == "accuracy":
            return right
        if measure == "f1":
            hits = 2.0 * self.prevalence * right
            return hits / (hits + (1.0 - right))
        if measure == "roc_auc":
            return float(ndtr(self.separation / (2.0 * VARIANCE) ** 0.5))
        return self._integrated(measure)

    def _integrated(self, measure: str) -> float:
        at = np.linspace(-12.0, 12.0, 200_001)
        density = np.exp(-(at**2) / (2.0 * VARIANCE)) / (2.0 * np.pi * VARIANCE) ** 0.5
        step, sides = at[1] - at[0], ((1, self.prevalence), (0, 1.0 - self.prevalence))
        if measure == "brier":
            losses = [(self.chance(at + self.separation * (y - 0.5)) - y) ** 2 for y in (1, 0)]
            return float(
                sum(w * (d * density).sum() for (_, w), d in zip(sides, losses, strict=True)) * step
            )
        above = [ndtr(-(at - self.separation * (y - 0.5)) / VARIANCE**0.5) for y in (1, 0)]
        precision = (
            self.prevalence
            * above[0]
            / (self.prevalence * above[0] + (1 - self.prevalence) * above[1])
        )
        return float(-np.trapezoid(precision, above[0]))

    def chance(self, scores: Any) -> Any:
        """The probability that a model says a score means."""
        return ndtr(scores * self.separation / VARIANCE)

    def draw(self, replicates: int, models: int, rng: Generator) -> "Drawn":
        shape = (replicates, self.clusters)
        sizes = np.full(shape, 10) if self.sizes == "10" else rng.integers(1, 61, size=shape)
        most = int(sizes.max())
        there = np.arange(most) < sizes[..., None]
        cut = ndtri(self.prevalence) * (1.0 + TRUTH_EFFECT**2) ** 0.5
        latent = TRUTH_EFFECT * rng.standard_normal((*shape, 1)) + rng.standard_normal(
            (*shape, most)
        )
        truth = (cut + latent > 0.0) & there
        shared = SHARED_EFFECT * rng.standard_normal((*shape, 1))
        noise = SHARED_NOISE**0.5 * rng.standard_normal((*shape, most))
        scores = np.empty((replicates, models, self.clusters, most))
        for place in range(models):
            own = OWN_EFFECT * rng.standard_normal((*shape, 1))
            rest = (1.0 - SHARED_NOISE) ** 0.5 * rng.standard_normal((*shape, most))
            scores[:, place] = self.separation * (truth - 0.5) + shared + own + noise + rest
        return Drawn(world=self, truth=truth, scores=scores, there=there)


@cache
def _truth(world: World, measure: str) -> float:
    """Worked out once: an integral costs as much as hundreds of test sets."""
    return world.worked_out(measure)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """Many test sets: truth and whether there is an item (replicates, clusters, most), scores by model."""

    world: World
    truth: Any
    scores: Any
    there: Any

    @property
    def sizes(self) -> Any:
        return self.there.sum(-1).astype(float)

    def first(self, rows: int) -> "Drawn":
        return replace(
            self, truth=self.truth[:rows], scores=self.scores[:rows], there=self.there[:rows]
        )

    def columns(self, row: int, measure: str) -> dict[str, Any]:
        """One test set as the public methods take it."""
        kept = self.there[row]
        cluster = np.broadcast_to(np.arange(kept.shape[0])[:, None], kept.shape)[kept]
        table: dict[str, Any] = {"truth": self.truth[row][kept].astype(int), "cluster": cluster}
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
    if measure in ("accuracy", "brier"):
        return _means(drawn, measure)
    if measure == "f1":
        return _f1(drawn)
    return _areas(drawn) if measure == "roc_auc" else _precisions(drawn)


def _means(drawn: Drawn, measure: str) -> tuple[Any, Any]:
    models = range(drawn.scores.shape[1])
    parts = np.stack(
        [(losses(drawn, measure, place) * drawn.there).sum(-1) for place in models], axis=1
    )
    sizes = drawn.sizes[:, None]
    total, n = parts.sum(-1), sizes.sum(-1)
    return total / n, (total[..., None] - parts) / (n[..., None] - sizes)


def _f1(drawn: Drawn) -> tuple[Any, Any]:
    said = (drawn.scores > 0.0) & drawn.there[:, None]
    truth = drawn.truth[:, None]
    hits, wrong = (said & truth).sum(-1), ((said ^ truth) & drawn.there[:, None]).sum(-1)

    def value(hits: Any, wrong: Any) -> Any:
        with np.errstate(invalid="ignore"):
            return 2.0 * hits / (2.0 * hits + wrong)

    all_hits, all_wrong = hits.sum(-1), wrong.sum(-1)
    return value(all_hits, all_wrong), value(
        all_hits[..., None] - hits, all_wrong[..., None] - wrong
    )


def _areas(drawn: Drawn) -> tuple[Any, Any]:
    replicates, models = drawn.scores.shape[:2]
    positive, negative = drawn.truth, drawn.there & ~drawn.truth
    flat = drawn.scores.reshape(replicates, models, -1)
    order = np.argsort(flat, -1)
    ordered = [np.take_along_axis(np.broadcast_to(one.reshape(replicates, 1, -1), flat.shape), order, -1)
               for one in (positive, negative)]  # fmt: skip
    n_positive = positive.sum((1, 2)).astype(float)[:, None]
    n_negative = negative.sum((1, 2)).astype(float)[:, None]
    beaten = np.cumsum(ordered[1], -1)
    above = n_positive[..., None] - np.cumsum(ordered[0], -1)
    placed = np.empty(flat.shape)
    found = np.where(ordered[0], beaten, np.where(ordered[1], above, 0)).astype(float)
    np.put_along_axis(placed, order, found, -1)
    placed = placed.reshape(drawn.scores.shape)
    part = placed.sum(-1)
    won = (placed * positive[:, None]).sum((-1, -2))
    part -= _won_inside(drawn.scores, positive[:, None], negative[:, None])
    left = (n_positive[..., None] - positive.sum(-1)[:, None]) * (
        n_negative[..., None] - negative.sum(-1)[:, None]
    )
    with np.errstate(invalid="ignore", divide="ignore"):
        return won / (n_positive * n_negative), (won[..., None] - part) / np.where(
            left > 0, left, np.nan
        )


def _won_inside(scores: Any, positive: Any, negative: Any) -> Any:
    """Pairs of one cluster in which the positive item has the larger score."""
    order = np.argsort(scores, -1)
    positive, negative = (
        np.take_along_axis(np.broadcast_to(one, scores.shape), order, -1)
        for one in (positive, negative)
    )
    return (np.cumsum(negative, -1, dtype=np.int32) * positive).sum(-1)


def _precisions(drawn: Drawn) -> tuple[Any, Any]:
    replicates, models, clusters, _ = drawn.scores.shape
    whole, left = np.empty((replicates, models)), np.empty((replicates, models, clusters))
    for row in range(replicates):
        kept = drawn.there[row]
        truth, cluster = drawn.truth[row][kept], np.nonzero(kept)[0]
        for place in range(models):
            order = np.argsort(-drawn.scores[row, place][kept])
            found = precisions_without(truth[order], cluster[order], clusters)
            whole[row, place], left[row, place] = found
    return whole, left


def precisions_without(truth: Any, cluster: Any, clusters: int) -> tuple[float, Any]:
    """Average precision of ranked items, and that without each cluster.

    Positives are the only places where precision counts. How many items and positives of a cluster stand
    down to each of them are steps, one at each item of the cluster; some clusters are laid out at a time,
    which stay in the processor's cache.
    """
    places = np.flatnonzero(truth)
    size = places.size
    if size == 0:
        return np.nan, np.full(clusters, np.nan)
    found, rank, own = np.arange(1.0, size + 1.0), places + 1.0, cluster[places]
    hits = np.bincount(own, minlength=clusters)
    heads, runs, shown, won = _steps(truth, cluster, clusters, hits)
    left, step = np.empty(clusters), max(1, AT_ONCE // size)
    for first in range(0, clusters, step):
        part = slice(heads[first], heads[min(first + step, clusters)])
        kept, rest = (
            np.repeat(steps[part], runs[part]).reshape(-1, size) for steps in (won, shown)
        )
        np.subtract(found, kept, out=kept)
        np.subtract(rank, rest, out=rest)
        mine = np.flatnonzero((own >= first) & (own < first + step))
        kept[own[mine] - first, mine] = 0.0
        rest[own[mine] - first, mine] = 1.0
        kept /= rest
        left[first : first + step] = kept.sum(axis=1)
    remaining = size - hits
    return float((found / rank).mean()), left / np.where(remaining > 0, remaining, np.nan)


def _steps(truth: Any, cluster: Any, clusters: int, hits: Any) -> tuple[Any, Any, Any, Any]:
    """Where the steps of each cluster begin, over how many positives each lasts, items and positives so far.

    The first step of a cluster lasts until its first item.
    """
    order = np.argsort(cluster, kind="stable")
    amounts = np.bincount(cluster, minlength=clusters)
    before = np.cumsum(amounts) - amounts
    heads = np.append(before, cluster.size) + np.arange(clusters + 1)
    starts = np.insert((np.cumsum(truth) - truth)[order], before, 0)
    ends = np.append(starts[1:], 0)
    ends[heads[1:] - 1] = hits.sum()
    shown = np.arange(starts.size, dtype=float) - np.repeat(heads[:-1], amounts + 1)
    won = np.cumsum(np.insert(truth[order], before, False)) - np.repeat(
        np.cumsum(hits) - hits, amounts + 1
    )
    return heads, ends - starts, shown, won.astype(float)


def degrees_of_freedom(drawn: Drawn, measure: str) -> Any:
    """sqrt((m - 1)(K - 1)) with Kish's number of clusters, of areas that of the scarcer class."""
    sizes = drawn.sizes
    positives = drawn.truth.sum(-1).astype(float)
    kish = _kish(sizes)
    if measure == "roc_auc":
        kish = np.minimum(_kish(positives), _kish(sizes - positives))
    return np.maximum(1.0, np.sqrt((drawn.world.clusters - 1.0) * np.maximum(kish - 1.0, 0.0)))


def _kish(amounts: Any) -> Any:
    return amounts.sum(-1) ** 2 / np.maximum((amounts**2).sum(-1), 1e-300)


def cluster_means(drawn: Drawn, values: Any) -> tuple[Any, Any, Any, Any]:
    """Means, CR2 errors, Satterthwaite's degrees of freedom and naive errors, after Imbens and Kolesár."""
    sizes = drawn.sizes
    n, groups = sizes.sum(-1, keepdims=True), sizes.shape[-1]
    mean = (values * drawn.there).sum((-1, -2)) / n[:, 0]
    away = (values - mean[:, None, None]) * drawn.there
    totals, squares = away.sum(-1), (away**2).sum((-1, -2))
    share, square = sizes / n, sizes / n**2
    factor = 1.0 - 2.0 * share + share**2 * square.sum(-1, keepdims=True) / square
    error = np.sqrt(((totals / n) ** 2 / factor).sum(-1))
    between = (totals**2 / sizes).sum(-1) / (groups - 1)
    within = (squares - between * (groups - 1)) / (n[:, 0] - groups)
    typical = (n[:, 0] - (sizes**2).sum(-1) / n[:, 0]) / (groups - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        icc = np.clip(
            np.nan_to_num((between - within) / (between + (typical - 1.0) * within)), 0.0, 1.0
        )
    variance = (1.0 - icc)[:, None] * square + icc[:, None] * share**2
    total = variance.sum(-1)
    own = (variance * (1.0 - 2.0 * share) + share**2 * total[:, None]) / factor
    shares, squared = (share**2 / factor).sum(-1), (variance**2 / factor).sum(-1)
    mixed = (share * variance / factor).sum(-1)
    pairs = (total * shares) ** 2 + 2 * shares * squared - 4 * total * shares * mixed + 2 * mixed**2
    same = (((share**2 * total[:, None] - 2.0 * share * variance) / factor) ** 2).sum(-1)
    df = own.sum(-1) ** 2 / ((own**2).sum(-1) + pairs - same)
    return mean, error, df, np.sqrt(squares / (n[:, 0] * (n[:, 0] - 1.0)))


def losses(drawn: Drawn, measure: str, place: int) -> Any:
    scores = drawn.scores[:, place]
    if measure == "accuracy":
        return ((scores > 0.0) == drawn.truth).astype(float)
    return (drawn.world.chance(scores) - drawn.truth) ** 2


def pair_p_values(
    drawn: Drawn, measure: str, without: tuple[Any, Any] | None = None
) -> tuple[Any, Any, Any]:
    """P of two models, whether there is an answer, and the width of the 95 % interval.

    ``without`` are the `values_without` where they are known already.
    """
    if measure in ("accuracy", "brier"):
        value, error, df, _ = cluster_means(
            drawn, losses(drawn, measure, 0) - losses(drawn, measure, 1)
        )
    else:
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
    high = 2.0 if measure == "brier" else 1.0  # of any number of classes
    if measure in ("accuracy", "brier"):
        value, error, df, naive = cluster_means(drawn, losses(drawn, measure, 0))
        known = error > 1e-12
        error = np.maximum(error, naive)
    else:
        whole, left = without or values_without(drawn, measure)
        value, m = whole[:, 0], drawn.world.clusters
        error = np.sqrt((m - 1.0) / m * ((left[:, 0] - value[:, None]) ** 2).sum(-1))
        df, known = degrees_of_freedom(drawn, measure), error > 1e-12
        if measure == "roc_auc":
            error = np.maximum(error, np.sqrt(_newcombe(drawn, value)))
    known &= (value > 0.0) & (value < high)
    with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
        odds = value / (high - value)
        factor = np.exp(
            np.minimum(-stdtrit(df, 0.025) * error * high / (value * (high - value)), 300.0)
        )
        ends = odds / factor, odds * factor
        return high * ends[0] / (1 + ends[0]), high - high / (1 + ends[1]), known


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
