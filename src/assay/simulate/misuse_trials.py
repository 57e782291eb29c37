"""The worlds in which mistakes are tried: each gives, replicate by replicate, the naive way and ours.

Naive ways are written out here, as people write them; ours are the methods of the catalogue, or,
where thousands of replicates are counted, the same arithmetic on arrays (the tests compare).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray
from assay.estimates.best_of import best_of
from assay.estimates.bootstrap import bootstrap
from assay.estimates.cross_validation import cv_auc
from assay.estimates.evaluate import evaluate
from assay.estimates.proportions import mid_p
from assay.evidence.reading import read
from assay.hypotheses.friedman_posthoc import wilcoxon_pairs
from assay.hypotheses.paired_labels import paired_delta
from assay.hypotheses.paired_scores import wilcoxon
from assay.hypotheses.resampled_scores import corrected_resampled_t
from assay.kernels.auc import auc, sort_scores
from assay.kernels.special import ndtr, ndtri
from assay.measures.registry import find_measure
from assay.simulate.batched_methods import mcnemar_p, one_sample_t

Both = tuple[BoolArray, BoolArray]
Generator = np.random.Generator

ALPHA = 0.05
Z = float(-ndtri(ALPHA / 2.0))
RESAMPLES = 999
"""Resamples where a mistake or its cure resamples."""


def _each(replicates: int, trial: Callable[[], tuple[bool, bool]]) -> Both:
    """One trial after the other: what happened to the naive way in each, and to ours."""
    found = np.array([trial() for _ in range(replicates)], bool).reshape(replicates, 2)
    return found[:, 0], found[:, 1]


def naive_folds(rng: Generator, replicates: int) -> Both:
    """Two centroid learners, each with two features of its own of the same worth."""
    truth = np.arange(100) % 2

    def trial() -> tuple[bool, bool]:
        features = 0.4 * (2 * truth[:, None] - 1) + rng.normal(size=(100, 4))
        differences = fold_differences(features, truth, rng)
        p_naive = _t_p(differences.ravel()[None, :])[0]
        p_ours = corrected_resampled_t(differences.ravel(), folds=10).p_value
        return p_naive <= ALPHA, p_ours is not None and p_ours <= ALPHA

    return _each(replicates, trial)


def fold_differences(features: FloatArray, truth: NDArray[Any], rng: Generator) -> FloatArray:
    """Accuracies by repeat and fold of a learner on the first two features less one on the others."""
    n, repeats, folds = len(truth), 10, 10
    fold = np.stack([rng.permutation(n) % folds for _ in range(repeats)])
    member = fold[:, :, None] == np.arange(folds)  # (repeats, items, folds)
    of_class = truth[:, None] == np.arange(2)
    counts = np.einsum("rif,ic->rfc", member, of_class.astype(float))
    sums = np.einsum("rif,ic,ij->rfcj", member, of_class.astype(float), features)
    kept = (of_class.sum(axis=0) - counts)[..., None]
    means = (np.einsum("ic,ij->cj", of_class.astype(float), features) - sums) / kept
    met = means[np.arange(repeats)[:, None], fold]  # (repeats, items, classes, features)
    squares = (features[None, :, None, :] - met) ** 2
    accuracies = []
    for mine in (slice(0, 2), slice(2, 4)):
        distance = squares[..., mine].sum(axis=-1)
        right = (distance[..., 1] < distance[..., 0]) == (truth == 1)
        accuracies.append(np.einsum("ri,rif->rf", right.astype(float), member) / member.sum(axis=1))
    return np.asarray(accuracies[0] - accuracies[1])


def pooled_auc(rng: Generator, replicates: int) -> Both:
    """Without a positive item the others are fewer positives: its model scores everything lower."""
    truth = np.arange(40) % 2
    folds = np.arange(40) // 2 % 5  # stratified: four of each class in a fold

    def trial() -> tuple[bool, bool]:
        features = rng.normal(size=(40, 5))
        alone = auc(sort_scores(truth, ridge_scores(features, truth, np.arange(40))))
        within = cv_auc(truth, ridge_scores(features, truth, folds), folds).value
        tie = rng.random() < 0.5  # an area of exactly 0.5 falls on either side
        below = within is not None and (within < 0.5 or (within == 0.5 and tie))
        return alone < 0.5 or (alone == 0.5 and tie), below

    return _each(replicates, trial)


def ridge_scores(
    features: FloatArray, truth: NDArray[Any], folds: NDArray[Any], penalty: float = 100.0
) -> FloatArray:
    """Scores of ridge regressions of the labels, each trained without the item's fold."""
    scores = np.empty(len(truth))
    for fold in np.unique(folds):
        out = folds == fold
        centre, mean = features[~out].mean(axis=0), truth[~out].mean()
        centred = features[~out] - centre
        normal = centred.T @ centred + penalty * np.eye(features.shape[1])
        slope = np.linalg.solve(normal, centred.T @ (truth[~out] - mean))
        scores[out] = mean + (features[out] - centre) @ slope
    return scores


def unpaired_z(rng: Generator, replicates: int) -> Both:
    """Most errors are shared: pairing takes them out, the unpaired test drowns in them."""
    cells = rng.multinomial(500, [0.803, 0.035, 0.012, 0.15], size=replicates)
    return z_p(cells) <= ALPHA, mcnemar_p(cells) <= ALPHA


def z_p(cells: NDArray[Any]) -> FloatArray:
    """The pooled two-proportions z of paired tables (both right, only A, only B, both wrong)."""
    n = cells.sum(axis=1)
    wrong_a, wrong_b = cells[:, 2] + cells[:, 3], cells[:, 1] + cells[:, 3]
    pooled = (wrong_a + wrong_b) / (2.0 * n)
    error = np.sqrt(pooled * (1.0 - pooled) * 2.0 / n)
    return np.asarray(2.0 * ndtr(-np.abs((wrong_a - wrong_b) / n) / error))


def f1_by_mcnemar(rng: Generator, replicates: int) -> Both:
    """A finds half of the positives and nothing else, B nine in ten and many more: F1 is 2/3 twice."""
    naive, ours = np.zeros(replicates, bool), np.zeros(replicates, bool)
    rows = np.array([(t, a, b) for t in (0, 1) for a in (0, 1) for b in (0, 1)])
    share = np.array([_share(*row) for row in rows])
    right = rows[:, 1:] == rows[:, :1]
    for replicate, counts in enumerate(rng.multinomial(400, share, size=replicates)):
        both = right[:, 0] & right[:, 1]
        cells = [counts[mask].sum() for mask in (both, right[:, 0] & ~both, right[:, 1] & ~both)]
        naive[replicate] = mcnemar_p(np.array([*cells, 0])) <= ALPHA
        evidence = read({"truth": rows[:, 0], "a": rows[:, 1], "b": rows[:, 2], "count": counts})
        p_value = paired_delta(evidence, measure="f1").p_value
        ours[replicate] = p_value is not None and p_value <= ALPHA
    return naive, ours


def _share(truth: int, a: int, b: int) -> float:
    """The probability of a row: 20 % positives, the models independent given the truth."""
    found = (0.0, 0.2) if truth == 0 else (0.5, 0.9)
    chances = [rate if said else 1.0 - rate for rate, said in zip(found, (a, b), strict=True)]
    return (0.2 if truth else 0.8) * chances[0] * chances[1]


def direction_from_data(rng: Generator, replicates: int) -> Both:
    """Halving the p-value of whichever side came out ahead doubles the false alarms."""
    p_value = _t_p(rng.normal(size=(replicates, 20)))
    return p_value / 2.0 <= ALPHA, p_value <= ALPHA


def baseline_from_data(rng: Generator, replicates: int) -> Both:
    """The best and the weakest of six equal models are far apart by selection alone."""

    def trial() -> tuple[bool, bool]:
        scores = rng.normal(size=(15, 6))
        order = np.argsort(scores.mean(axis=0))
        single = wilcoxon(scores[:, order[-1]], scores[:, order[0]], unit="dataset").p_value
        family = wilcoxon_pairs(scores).outcomes
        found = any(outcome.rejects(ALPHA) for outcome in family)
        return single is not None and single <= ALPHA, found

    return _each(replicates, trial)


def peeking(rng: Generator, replicates: int) -> Both:
    """Twenty looks are twenty chances, however honest each single test."""
    batches = rng.multinomial(50, [0.8, 0.06, 0.06, 0.08], size=(replicates, 20))
    p_values = mcnemar_p(batches.cumsum(axis=1))
    return np.asarray((p_values <= ALPHA).any(axis=1)), p_values[:, -1] <= ALPHA


def best_on_test(rng: Generator, replicates: int) -> Both:
    """Of ten equal models one is lucky, and its own interval knows nothing of the others."""
    truth = np.arange(100) % 2

    def trial() -> tuple[bool, bool]:
        wrong = rng.random((10, 100)) < 0.2
        alone = mid_p(int(wrong.sum(axis=1).min()), 100).interval
        said = np.where(wrong, 1 - truth, truth)
        table = {"truth": truth, **{f"m{place}": row for place, row in enumerate(said)}}
        chosen = best_of(read(table), n_resamples=199, rng=rng).interval
        return _covers(alone, 0.2), _covers(chosen, 0.8)

    return _each(replicates, trial)


def wald_at_zero(rng: Generator, replicates: int) -> Both:
    """An interval of width zero covers nothing."""
    n, rate = 50, 0.02
    errors = rng.binomial(n, rate, size=replicates)
    share = errors / n
    reach = Z * np.sqrt(share * (1.0 - share) / n)
    naive = np.abs(share - rate) <= reach
    covers = [_covers(mid_p(count, n).interval, rate) for count in range(int(errors.max()) + 1)]
    return naive, np.array(covers)[errors]


def few_positives(rng: Generator, replicates: int) -> Both:
    """Six positives have few distinct resamples, and all of them agree where none was missed."""
    truth = np.repeat([1, 0], [6, 54])
    recall = find_measure("recall")

    def trial() -> tuple[bool, bool]:
        said = np.where(rng.random(60) < np.where(truth == 1, 0.8, 0.1), 1, 0)
        table = {"truth": truth, "model": said}
        resampled = bootstrap(table, measure=recall, n_resamples=RESAMPLES, rng=rng).interval
        default = evaluate(table, measures=recall, n_resamples=RESAMPLES, rng=rng).estimates[0]
        return _covers(resampled, 0.8), _covers(default.interval, 0.8)

    return _each(replicates, trial)


def diagram_against_test(rng: Generator, replicates: int, *, bars: Callable[[Any], Any]) -> Both:
    """Whether some pair stands under a bar although told apart, or apart although not."""

    def trial() -> tuple[bool, bool]:
        scores = rng.normal(size=(15, 6)) + 0.35 * np.arange(6)
        family = wilcoxon_pairs(scores)
        apart = np.zeros((6, 6), bool)
        order = np.argsort(-scores.mean(axis=0))
        rank = np.argsort(order)
        for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True):
            one, other = (rank[family.models.index(model)] for model in (a, b))
            apart[one, other] = apart[other, one] = outcome.rejects(ALPHA)
        drawn = bars(apart)
        wrong = contradicts(naive_bars(apart), apart)
        return wrong, drawn is not None and contradicts(drawn, apart)

    return _each(replicates, trial)


def naive_bars(apart: BoolArray) -> tuple[tuple[int, int], ...]:
    """From each model to the last one, in rank order, that it was not told apart from."""
    last = [int(np.flatnonzero(~row)[-1]) for row in apart]
    return tuple((first, end) for first, end in enumerate(last) if end > first)


def contradicts(bars: Any, apart: BoolArray) -> bool:
    """Whether sharing a bar and not being told apart are ever two different things."""
    joined = np.zeros_like(apart)
    for first, last in bars:
        joined[first : last + 1, first : last + 1] = True
    off_diagonal = ~np.eye(len(apart), dtype=bool)
    return bool((joined == apart)[off_diagonal].any())


def _t_p(differences: FloatArray) -> FloatArray:
    """Two-sided p-values of one-sample t tests, one for each row."""
    return one_sample_t({"values": differences}, {})[0].p[:, 0]


def _covers(interval: Any, value: float) -> bool:
    return interval is not None and interval.contains(value)
