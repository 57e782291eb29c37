"""Studies drawn as a plan assumes them, many at a time: which of them reject at 5 %."""

from functools import lru_cache
from typing import Any

import numpy as np
from scipy.special import fdtrc, ndtr, ndtri, stdtr

from assay.kernels.binomial import binomial_small_p
from assay.kernels.delong import delong_covariance
from assay.kernels.differences import TwoRates
from assay.kernels.tails import t_reach
from assay.measures.registry import find_measure
from assay.simulate.worlds.folds import FoldDesign, Folds, accuracies, expected_accuracies
from calibration.designs import label_measures
from calibration.designs.folds import fold_p_values
from calibration.designs.listed_outcomes import pooled_p_values
from calibration.designs.means import cluster_spread
from calibration.designs.signed_ranks import signed_rank_p_values

Generator = np.random.Generator
ALPHA = 0.05
JOINT = (0.33, 0.08, 0.05, 0.04, 0.04, 0.05, 0.08, 0.33)
"""Of truth, A and B (0 or 1 each, the truth first): the world that a pilot shows."""
PILOT_ITEMS = 400_000
LEARNER_ITEMS, LEARNER_EFFECT = 200, 2.0


def one_rate(n: int, level: float, difference: float, rng: Generator, studies: int) -> Any:
    right = rng.binomial(n, level + difference, studies)
    return binomial_small_p(right, n, level) <= ALPHA


def paired_labels(
    n: int, discordant: float, difference: float, rng: Generator, studies: int
) -> Any:
    ahead = (discordant + difference) / 2.0
    only_a, only_b, _ = rng.multinomial(n, [ahead, discordant - ahead, 1.0 - discordant], studies).T
    z = np.abs(only_a - only_b) / np.sqrt(np.maximum(only_a + only_b, 1))
    return 2.0 * ndtr(-z) <= ALPHA


def two_rates(n: int, rate: float, difference: float, rng: Generator, studies: int) -> Any:
    a, b = (rng.binomial(n, p, studies).astype(float) for p in (rate - difference, rate))
    size = np.full(studies, float(n))
    return pooled_p_values(TwoRates(a, size, b, size)) <= ALPHA


def paired_means(n: int, difference: float, rng: Generator, studies: int) -> Any:
    return _t_rejects(difference + rng.standard_normal((studies, n)))


def _t_rejects(values: Any) -> Any:
    n = values.shape[1]
    t = values.mean(axis=1) / (values.std(axis=1, ddof=1) / np.sqrt(n))
    return 2.0 * stdtr(n - 1.0, -np.abs(t)) <= ALPHA


def areas(
    n: int,
    auc: float,
    difference: float,
    prevalence: float,
    correlation: float,
    rng: Generator,
    studies: int,
) -> Any:
    """DeLong's test with t, as `compare` uses it, of binormal scores."""
    positives = round(prevalence * n)
    truth = np.arange(n) < positives
    far = np.sqrt(2.0) * ndtri(np.array([[auc], [auc + difference]]))
    rejected = np.empty(studies, dtype=bool)
    reach = t_reach(0.95, float(min(positives, n - positives) - 1), "two-sided")
    for study in range(studies):
        scores = rng.standard_normal((2, n))
        scores[1] = correlation * scores[0] + np.sqrt(1.0 - correlation**2) * scores[1]
        found, covariance = delong_covariance(truth, scores + far * truth)
        error = np.sqrt(covariance[0, 0] + covariance[1, 1] - 2.0 * covariance[0, 1])
        rejected[study] = abs(found[1] - found[0]) / error >= reach
    return rejected


def clusters(count: int, icc: float, difference: float, rng: Generator, studies: int) -> Any:
    between = rng.standard_normal((studies, count, 1))
    within = rng.standard_normal((studies, count, 5))
    values = difference + np.sqrt(icc) * between + np.sqrt(1.0 - icc) * within
    codes = np.repeat(np.arange(count), 5)
    centre, error, df = cluster_spread(values.reshape(studies, -1), codes)
    return 2.0 * stdtr(df, -np.abs(centre / error)) <= ALPHA


def repeats(
    n: int,
    sd: float,
    within: float,
    answers: tuple[int, int],
    difference: float,
    rng: Generator,
    studies: int,
) -> Any:
    noise = within * np.sqrt(1.0 / answers[0] + 1.0 / answers[1])
    return _t_rejects(
        difference
        + sd * rng.standard_normal((studies, n))
        + noise * rng.standard_normal((studies, n))
    )


def correlated_folds(n: int, share: float, difference: float, rng: Generator, studies: int) -> Any:
    """Folds as the corrected t takes them: equally correlated by the share that is tested.

    The sd of the plan is the one seen between folds, so the part in common comes on top of it.
    """
    common = np.sqrt(share / (1.0 - share)) * rng.standard_normal((studies, 1))
    values = difference + common + rng.standard_normal((studies, n))
    spread = values.std(axis=1, ddof=1) * np.sqrt(1.0 / n + share / (1.0 - share))
    return 2.0 * stdtr(n - 1.0, -np.abs(values.mean(axis=1) / spread)) <= ALPHA


@lru_cache(maxsize=8)
def learner_facts(learner: Any) -> tuple[float, float]:
    """The true difference of two real learners, and the sd of their differences between folds."""
    world = Folds(learners=learner, effect=LEARNER_EFFECT)
    a, b = expected_accuracies(world, round(0.9 * LEARNER_ITEMS))
    ((fold_a, fold_b),) = accuracies(
        world, 500, LEARNER_ITEMS, [FoldDesign("folds", 1, 10)], np.random.default_rng(1)
    )
    return a - b, float(np.sqrt((fold_a - fold_b).var(axis=1, ddof=1).mean()))


def learners(learner: Any, rng: Generator, studies: int) -> Any:
    design = FoldDesign("folds", 1, 10)
    ((a, b),) = accuracies(
        Folds(learners=learner, effect=LEARNER_EFFECT), studies, LEARNER_ITEMS, [design], rng
    )
    return fold_p_values(a - b, design)["corrected_resampled_t"] <= ALPHA


def seeds(n: int, difference: float, rng: Generator, studies: int) -> Any:
    a, b = difference + rng.standard_normal((studies, n)), rng.standard_normal((studies, n))
    of_a, of_b = a.var(axis=1, ddof=1) / n, b.var(axis=1, ddof=1) / n
    df = (of_a + of_b) ** 2 / ((of_a**2 + of_b**2) / (n - 1))
    t = (a.mean(axis=1) - b.mean(axis=1)) / np.sqrt(of_a + of_b)
    return 2.0 * stdtr(df, -np.abs(t)) <= ALPHA


def datasets(n: int, difference: float, rng: Generator, studies: int) -> Any:
    values = np.zeros((studies, n, 2))
    values[..., 0] = difference + rng.standard_normal((studies, n))
    pair = np.array([0]), np.array([1])
    return signed_rank_p_values(values, *pair, (ALPHA, ALPHA))[:, 0] <= ALPHA


def friedman(n: int, k: int, difference: float, rng: Generator, studies: int) -> Any:
    """Iman and Davenport's F: the best and the worst so far apart, the others midway."""
    lead = np.zeros(k)
    lead[0], lead[-1] = difference / 2.0, -difference / 2.0
    scores = lead + rng.standard_normal((studies, n, k)) / np.sqrt(2.0)
    ranks = scores.argsort(axis=2).argsort(axis=2) + 1.0
    mean = ranks.mean(axis=1)
    chi2 = 12.0 * n / (k * (k + 1.0)) * ((mean - (k + 1.0) / 2.0) ** 2).sum(axis=1)
    most = n * (k - 1.0)
    f = (n - 1.0) * chi2 / np.maximum(most - chi2, 1e-12)
    return (fdtrc(k - 1.0, (k - 1.0) * (n - 1.0), f) <= ALPHA) | (chi2 >= most - 1e-9)


def pilot() -> dict[str, Any]:
    """Counts of a very large pilot, in the proportions of the world itself."""
    truth, a, b = (place.ravel() for place in np.indices((2, 2, 2)))
    counts = np.round(PILOT_ITEMS * np.array(JOINT)).astype(int)
    return {"truth": truth, "a": a, "b": b, "count": counts}


def pilot_difference(measure: str) -> float:
    """How far A and B are apart in the world of the pilot."""
    joint = np.array(JOINT).reshape(2, 2, 2)
    a, b = (
        float(find_measure(measure).function(1e9 * table))
        for table in (joint.sum(axis=2), joint.sum(axis=1))
    )
    return a - b


def like_the_pilot(measure: str, n: int, rng: Generator, studies: int) -> Any:
    drawn = rng.multinomial(n, JOINT, studies).reshape(studies, 2, 2, 2)
    if measure == "accuracy":
        only_a = drawn[:, 0, 0, 1] + drawn[:, 1, 1, 0]
        only_b = drawn[:, 0, 1, 0] + drawn[:, 1, 0, 1]
        z = np.abs(only_a - only_b) / np.sqrt(np.maximum(only_a + only_b, 1))
        return 2.0 * ndtr(-z) <= ALPHA
    low, high = label_measures.pair_limits(label_measures.bound(measure, 2), drawn)[ALPHA]
    return (np.asarray(low) > 0.0) | (np.asarray(high) < 0.0)
