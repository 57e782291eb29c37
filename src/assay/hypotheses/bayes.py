"""Two models by posterior probabilities: B ahead, practically equal (the rope), A ahead (T16).

The rope is the region of practical equivalence, the differences from -rope to rope; left of it B is
ahead, right of it A. Swapping A and B mirrors every answer, with the same seed to the last bit.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import MOST, as_matrix, as_pairs, check_choice, check_count
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Details, Posterior
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import Unit
from assay.estimates.folds import PerFold, splits_of
from assay.hypotheses.posteriors import Limits, PosteriorQuestion, Shares, edge_of, question
from assay.kernels.dirichlet import largest_of_three
from assay.kernels.ranks import decimal_differences
from assay.kernels.special import betainc, stdtr
from assay.kernels.swap_symmetry import mirrored, oriented
from assay.kernels.tails import t_reach, tail_of
from assay.kernels.walsh_averages import (
    DrawnWeights,
    Stairs,
    joined,
    pseudo_median_limits,
    tied_stairs,
    weight_blocks,
    wins,
)

Place = Literal["left", "rope", "right"]

INTERVAL_DRAWS = 4096
"""Draws behind the credible interval of a pseudo-median; the probabilities use all of them."""

UNINFORMED = "reference prior, flat in the mean difference and the logarithm of its spread"

MANY_PAIRS, FEWEST_DRAWS = 32, 256
"""Of more pairs the credible intervals rest on fewer draws, so that their time does not grow."""

_SURE = 1e-12
_PLACES: tuple[Place, ...] = ("left", "rope", "right")
_UNITS: tuple[Unit, ...] = ("dataset", "item", "fold", "seed")
_PAIRED = "one score of each model per unit"
_NO_SPREAD = note(
    "zero-variance",
    what="the folds",
    method="the posterior",
    remedy="all of it stands at their common difference, which is no certainty: look at the items",
)


@method(
    question="How probable is it that one of two algorithms is better, or practically as good, over "
    "the same folds or random splits?",
    takes="pairs",
    gives="posterior",
    unit="fold",
    assumes=(
        "differences are near normal",
        "the correlation between folds is the share of data tested, n_test / (n_test + n_train)",
        "no prior information on the mean difference and its spread",
    ),
    reference="Corani G, Benavoli A (2015). A Bayesian approach for comparing cross-validated "
    "algorithms on multiple data sets. Machine Learning 100:285–304; benavoli2017",
    requirement="T16",
    formula="difference ~ mean + scale t(df), scale = sd sqrt(1/folds + ratio), df = folds - 1",
    name="Bayesian correlated t",
)
def bayes_correlated_t(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: float = 0.0,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    level: float = 0.95,
) -> Posterior:
    """The Bayesian correlated t: the posterior of the mean difference over folds, in closed form.

    How the splits were made is said as for ``corrected_resampled_t``; the correlation rho of the
    papers is ``test_share``, 1/K for K folds. Folds that all agree put everything on one point.
    """
    first, second = as_pairs(a, b, at_least=2)
    asked = question("bayes_correlated_t", "mean_difference", rope, level, "fold")
    splits = splits_of(
        first.size, folds=folds, test_share=test_share, n_test=n_test, n_train=n_train
    )
    differences, tolerance = first - second, edge_of(first, second)
    mean, sd, n = float(differences.mean()), float(differences.std(ddof=1)), differences.size
    scale = sd * float(np.sqrt(1.0 / n + splits.ratio))
    details: Details = (
        ("mean", mean),
        ("folds", n),
        ("df", n - 1),
        ("sd", sd),
        ("ratio", splits.ratio),
        ("scale", scale),
    )
    if float(np.ptp(differences)) <= tolerance:
        shares, limits = _point_shares(mean, asked.rope, tolerance), (mean, mean, mean)
        notes = (_NO_SPREAD, *splits.notes)
    else:
        shares, notes = _t_shares(mean, scale, n - 1, asked.rope), splits.notes
        reach = t_reach(asked.level, n - 1, "two-sided") * scale
        limits = (mean - reach, mean, mean + reach)
    return asked.answer(shares, limits, n, prior=UNINFORMED, notes=notes, details=details)


@method(
    question="On most units like these, is one of two models better, or are they equivalent?",
    takes="pairs",
    gives="posterior",
    unit=_UNITS,
    assumes=(_PAIRED, "units are independent", "a prior as heavy as prior_strength units"),
    reference="benavoli2017",
    requirement="T16",
    formula="(theta_left, theta_rope, theta_right) ~ Dirichlet(weight_left, weight_rope, "
    "weight_right); p_left = P(theta_left is the largest)",
    name="Bayesian sign",
)
def bayes_sign(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: float = 0.0,
    prior_strength: float = 1.0,
    prior_place: Place = "rope",
    level: float = 0.95,
    unit: Unit = "dataset",
) -> Posterior:
    """The Bayesian sign test: which of left, rope and right is the most probable for a new unit.

    The prior is ``prior_strength`` units made up at ``prior_place``. Without a rope, zeros (and the
    prior at zero) count half for either side. Exact, by quadrature; nothing is drawn.
    """
    first, second = as_pairs(a, b)
    asked = question("bayes_sign", "median_difference", rope, level, unit)
    place, strength = check_choice(prior_place, _PLACES, "prior_place"), _strength(prior_strength)
    if place != "rope" and strength >= first.size:
        raise UsageError(
            f"a prior of {strength:g} units on one side outweighs the {first.size} that were seen; "
            "give less, or place it in the rope"
        )
    differences = decimal_differences(first, second)
    tolerance = edge_of(first, second)
    left, right = (
        float((side * differences > asked.rope + tolerance).sum()) for side in (-1.0, 1.0)
    )
    weights = dict(zip(_PLACES, (left, differences.size - left - right, right), strict=True))
    weights[place] += strength
    if asked.rope == 0.0:
        half = weights.pop("rope") / 2.0
        weights = {"left": weights["left"] + half, "rope": 0.0, "right": weights["right"] + half}
    total = sum(weights.values())
    median = _median_limits(differences, strength, place, asked.level)
    limits, notes = asked.settled(median, tolerance)
    return asked.answer(
        _most_probable(weights["left"], weights["rope"], weights["right"]),
        limits,
        differences.size,
        prior=_made_up(strength, asked.unit, f"the {place}"),
        notes=notes,
        details=(
            *((f"weight_{name}", weights[name]) for name in _PLACES),
            *((f"mean_{name}", weights[name] / total) for name in _PLACES),
            ("prior_strength", strength),
        ),
    )


@method(
    question="How probable is it, by signed ranks, that one of two models is better, or that they are equivalent?",
    takes="pairs",
    gives="posterior",
    unit=_UNITS,
    assumes=(_PAIRED, "units are independent", "a prior as heavy as prior_strength units at zero"),
    reference="Benavoli A, Corani G, Mangili F, Zaffalon M, Ruggeri F (2014). A Bayesian Wilcoxon "
    "signed-rank test based on the Dirichlet process. ICML 2014, PMLR 32:1026–1034; benavoli2017",
    requirement="T16",
    formula="theta_right = sum of w_i w_j over pairs with z_i + z_j > 2 rope, w ~ Dirichlet(prior, 1, "
    "…, 1); p_right = P(theta_right is the largest)",
    name="Bayesian signed-rank",
)
def bayes_signed_rank(
    a: ArrayLike,
    b: ArrayLike | None = None,
    *,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    level: float = 0.95,
    n_resamples: int = 50_000,
    rng: Rng = None,
    unit: Unit = "dataset",
) -> Posterior:
    """The Bayesian signed-rank test: a Dirichlet process with a prior unit at zero.

    Averages of two units (Walsh averages) on the edge of the rope count half. The effect is the
    pseudo-median, the median of these averages; without a rope p_right is P(pseudo-median > 0).
    """
    first, second = as_pairs(a, b)
    asked = question("bayes_signed_rank", "pseudo_median", rope, level, unit)
    pair = _ranked(first, second, asked.rope)
    return _signed_rank(asked, (pair,), _strength(prior_strength), n_resamples, rng)[0]


def bayes_signed_rank_pairs(
    blocks: ArrayLike,
    *,
    models: Sequence[str] | None = None,
    pairs: Sequence[tuple[str, str]] | None = None,
    rope: float = 0.0,
    prior_strength: float = 0.5,
    level: float = 0.95,
    n_resamples: int = 50_000,
    rng: Rng = None,
    unit: Unit = "dataset",
) -> dict[tuple[str, str], Posterior]:
    """``bayes_signed_rank`` of every pair of columns (or of ``pairs``) from the same draws of weights.

    Rows are units, columns models, called ``models`` or by their number from 1. Each pair gets the
    answer that ``bayes_signed_rank`` gives it with the same seed; of more than 32 pairs the credible
    intervals, not the probabilities, rest on fewer draws.
    """
    table = as_matrix(blocks, "blocks", columns=2)
    asked = question("bayes_signed_rank", "pseudo_median", rope, level, unit)
    k = table.shape[1]
    names = [str(name) for name in (range(1, k + 1) if models is None else models)]
    if len(names) != k or len(set(names)) != k:
        raise EvidenceError(f"{k} columns need {k} different names; got {names}")
    wanted = list(combinations(names, 2)) if pairs is None else list(pairs)
    place = {name: column for column, name in enumerate(names)}
    unknown = [name for pair in wanted for name in pair if name not in place]
    if unknown:
        raise EvidenceError(f"no model {unknown[0]!r}; there are {', '.join(names)}")
    ranked = [_ranked(table[:, place[a]], table[:, place[b]], asked.rope) for a, b in wanted]
    found = _signed_rank(asked, ranked, _strength(prior_strength), n_resamples, rng)
    return dict(zip(wanted, found, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class _RankedDifferences:
    """Sorted differences of one pair, in the orientation that forgets who is A."""

    values: FloatArray
    sign: int
    tolerance: float
    rope: float
    above: tuple[Stairs, ...]  # the averages above the rope
    inside: tuple[Stairs, ...]  # those above its lower edge

    def wins(self, weights: DrawnWeights, whole: FloatArray) -> FloatArray:
        """In how many draws left, rope and right have the largest weight."""
        right = _mean_of([stairs.mass(weights) for stairs in self.above])
        if self.rope == 0.0:
            return wins(whole - right, None, right)
        left = whole - _mean_of([stairs.mass(weights) for stairs in self.inside])
        return wins(left, whole - left - right, right)

    def expected(self, strength: float) -> Shares:
        """The mean weight of left, rope and right."""
        n = self.values.size
        right = sum(stairs.expected(n, strength) for stairs in self.above) / len(self.above)
        inside = sum(stairs.expected(n, strength) for stairs in self.inside) / len(self.inside)
        return (1.0 - inside, max(inside - right, 0.0) if self.rope else 0.0, right)

    def shares(self, counts: FloatArray, expected: Shares) -> Shares:
        """The counts as probabilities, one more draw shared by all that could have won."""
        least, most = float(self.values[0]), float(self.values[-1])
        possible = np.array(
            [
                least < -self.rope - self.tolerance,
                expected[1] > _SURE,
                most > self.rope + self.tolerance,
            ],
            dtype=np.float64,
        )
        counted = counts + possible / max(possible.sum(), 1.0)
        left, rope, right = (counted / counted.sum()).tolist()
        left, right = mirrored(left, right, self.sign)
        return left, rope, right

    def limits(self, weights: DrawnWeights, level: float) -> Limits:
        low, middle, high = pseudo_median_limits(weights, self.values, tail_of(level, "two-sided"))
        if self.sign == 0:
            reach = (high - low) / 2.0
            return -reach, 0.0, reach
        return (low, middle, high) if self.sign > 0 else (-high, -middle, -low)


def _ranked(first: FloatArray, second: FloatArray, rope: float) -> _RankedDifferences:
    differences = decimal_differences(first, second)
    order, sign = oriented(differences)
    values, tolerance = differences[order] * (sign or 1), edge_of(first, second)
    return _RankedDifferences(
        values=values,
        sign=sign,
        tolerance=tolerance,
        rope=rope,
        above=tied_stairs(values, rope, tolerance),
        inside=tied_stairs(values, -rope, tolerance),
    )


def _signed_rank(
    asked: PosteriorQuestion,
    pairs: Sequence[_RankedDifferences],
    strength: float,
    n_resamples: int,
    rng: Rng,
) -> list[Posterior]:
    """Every pair on the same draws of weights, which belong to places in the sorted order."""
    draws, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    counts = np.zeros((len(pairs), 3))
    kept: list[DrawnWeights] = []
    n = pairs[0].values.size
    for weights in weight_blocks(n, strength, draws, seed):
        whole = weights.whole
        counts += np.stack([pair.wins(weights, whole) for pair in pairs])
        if sum(one.prior.size for one in kept) < INTERVAL_DRAWS:
            kept.append(weights)
    first = joined(kept)
    if len(pairs) > MANY_PAIRS:
        first = first.first(max(INTERVAL_DRAWS * MANY_PAIRS // len(pairs), FEWEST_DRAWS))
    return [
        _rank_answer(asked, pair, count, first, strength, draws, seed)
        for pair, count in zip(pairs, counts, strict=True)
    ]


def _rank_answer(
    asked: PosteriorQuestion,
    pair: _RankedDifferences,
    counts: FloatArray,
    weights: DrawnWeights,
    strength: float,
    draws: int,
    seed: int,
) -> Posterior:
    expected = pair.expected(strength)
    shares = pair.shares(counts, expected)
    limits, notes = asked.settled(pair.limits(weights, asked.level), pair.tolerance)
    mean_left, mean_right = mirrored(expected[0], expected[2], pair.sign)
    return asked.answer(
        shares,
        limits,
        pair.values.size,
        prior=_made_up(strength, asked.unit, "zero"),
        notes=notes,
        seed=seed,
        details=(
            ("mean_left", mean_left),
            ("mean_rope", expected[1]),
            ("mean_right", mean_right),
            ("prior_strength", strength),
            ("n_resamples", draws),
            ("monte_carlo_error", max(float(np.sqrt(p * (1.0 - p) / draws)) for p in shares)),
        ),
    )


def _made_up(strength: float, unit: Unit, place: str) -> str:
    """The prior of a Dirichlet process, in words."""
    del unit  # a pseudo-observation is one unit, whatever the units are
    return f"one pseudo-observation of weight {strength:g} at {place}" if strength else "none"


def _mean_of(arrays: list[FloatArray]) -> FloatArray:
    return arrays[0] if len(arrays) == 1 else (arrays[0] + arrays[1]) / 2.0


def _strength(prior_strength: float) -> float:
    value = float(prior_strength)
    if not 0.0 <= value <= MOST:
        raise UsageError(
            f"prior_strength counts pseudo-observations: 0 or above, at most {MOST:g}; got {prior_strength!r}"
        )
    return value + 0.0  # numpy draws nothing of a shape of -0.0


def _t_shares(mean: float, scale: float, df: float, rope: float) -> Shares:
    """Left, rope and right of mean + scale t(df), each from the tail that keeps its digits."""
    left, right = (float(stdtr(df, (side * mean - rope) / scale)) for side in (-1.0, 1.0))
    if rope == 0.0:
        return left, 0.0, right
    away = abs(mean)
    inside = stdtr(df, (rope - away) / scale) - stdtr(df, (-rope - away) / scale)
    return left, float(inside), right


def _point_shares(value: float, rope: float, tolerance: float) -> Shares:
    """All probability at one value; on an edge it is shared by the two sides of the edge."""
    left, right = (
        (float(away > tolerance) + float(away >= -tolerance)) / 2.0
        for away in (-value - rope, value - rope)
    )
    return left, 1.0 - (left + right), right


def _most_probable(left: float, rope: float, right: float) -> Shares:
    """P(each of three Dirichlet probabilities is the largest); of two by the beta distribution."""
    if rope > 0.0 or left == 0.0 or right == 0.0:
        return largest_of_three(left, rope, right)
    ahead, behind = float(betainc(right, left, 0.5)), float(betainc(left, right, 0.5))
    return ahead / (ahead + behind), 0.0, behind / (ahead + behind)


def _median_limits(differences: FloatArray, strength: float, place: Place, level: float) -> Limits:
    """Posterior quantiles of the median: it is at most x when more than half the weight is.

    The weight up to a difference is a beta variable, so all is exact.
    """
    at = {"left": -np.inf, "rope": 0.0, "right": np.inf}[place]
    values, places = np.unique(np.append(differences, at), return_inverse=True)
    weights = np.bincount(places, weights=np.append(np.ones(differences.size), strength))
    values, weights = values[weights > 0.0], weights[weights > 0.0]
    below, above = np.cumsum(weights)[:-1], np.cumsum(weights[::-1])[::-1][1:]
    at_most = np.append(betainc(above, below, 0.5), 1.0)  # P(median <= value)
    at_least = np.append(1.0, betainc(below, above, 0.5))
    tail = tail_of(level, "two-sided")
    low, high = values[at_most > tail][0], values[at_least > tail][-1]
    middle = (values[at_most >= 0.5 - _SURE][0] + values[at_least >= 0.5 - _SURE][-1]) / 2.0
    return float(low), float(middle), float(high)
