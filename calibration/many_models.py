"""Promises about many models: partial nulls over data sets, the winner's interval, strengths from votes.

Families over data sets are decided many at a time. Of winners the public function is asked only where its answer is
not settled by the interval of one model alone. Some samples of every cell go through the public functions, and a
difference stops the run.
"""

from collections.abc import Iterable
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtr

import assay
from assay.kernels.binomial import mid_p_limits
from calibration.designs.means import Disagreement

Generator = np.random.Generator
Cell = tuple[str, int, int]
REPLICATES, AT_ONCE, CHECKED = 20_000, 2_000_000, 3
FITS = 5_000
SURELY = 1.9
"""Standard errors that every interval of a winner reaches on its flattered side; of two models or more it is over 2."""
STRENGTHS = np.array([0.0, 0.3, 0.6, 1.0])


def partial_nulls(rng: Generator, scale: float) -> Iterable[Cell]:
    """Any false difference where one model of 5, or half of 20, is better and the others are equal."""
    for models, better, units in ((5, 1, 15), (5, 1, 40), (20, 10, 30)):
        replicates, wrong = int(REPLICATES * scale), 0
        pairs = np.array(list(combinations(range(models), 2)))
        alike = (pairs < better).sum(axis=1) != 1
        step = max(1, AT_ONCE // (len(pairs) * units))
        for start in range(0, replicates, step):
            shape = (min(step, replicates - start), units)
            scores = 0.8 + 0.05 * rng.standard_normal((*shape, 1))
            scores = scores + 0.02 * rng.standard_normal((*shape, models))
            scores[..., :better] += 0.03
            false = holm(signed_rank_p(scores, pairs)) & alike
            for row in range(0 if start else CHECKED):
                _check_family(scores[row], pairs[alike], false[row, alike])
            wrong += int(false.any(axis=1).sum())
        yield (
            f"{models} models over {units} data sets, {better} better: any false difference",
            wrong,
            replicates,
        )


def signed_rank_p(scores: Any, pairs: Any) -> Any:
    """Two-sided exact p-values of Wilcoxon's test of pairs of models, (families, pairs); no two differences tie."""
    apart = scores[..., pairs[:, 0]] - scores[..., pairs[:, 1]]
    ranks = np.argsort(np.argsort(np.abs(apart), axis=1), axis=1) + 1
    return _tails(apart.shape[1])[np.where(apart > 0.0, ranks, 0).sum(axis=1)]


@cache
def _tails(n: int) -> Any:
    """The two-sided p-value of every sum of ranks of n data sets."""
    ways = np.ones(1)
    for rank in range(1, n + 1):
        ways = np.pad(ways, (0, rank)) + np.pad(ways, (rank, 0))
    below = np.cumsum(ways) / 2.0**n
    return np.minimum(1.0, 2.0 * np.minimum(below, below[::-1]))


def holm(p: Any, alpha: float = 0.05) -> Any:
    """Which p-values of each row Holm's steps reject."""
    order = np.argsort(p, axis=1)
    small = np.take_along_axis(p, order, axis=1) <= alpha / np.arange(p.shape[1], 0, -1)
    steps = np.logical_and.accumulate(small, axis=1)
    rejected = np.empty_like(steps)
    np.put_along_axis(rejected, order, steps, axis=1)
    return rejected


def _check_family(scores: Any, pairs: Any, false: Any) -> None:
    names = [f"m{i}" for i in range(scores.shape[1])]
    table = {
        "dataset": [f"d{i}" for i in range(len(scores))],
        **dict(zip(names, scores.T, strict=True)),
    }
    found = assay.compare(table, measure="accuracy", unit="dataset", n_resamples=200, rng=0)
    said = {frozenset((one.a, one.b)) for one in found.verdicts if one.different}
    for (a, b), ours in zip(pairs, false, strict=True):
        if ours != (frozenset((names[a], names[b])) in said):
            raise Disagreement(f"{names[a]} and {names[b]} differ in calibration or in assay alone")


def winners(rng: Generator, scale: float) -> Iterable[Cell]:
    """The interval of the winner's accuracy holds its true accuracy."""
    for models, n in ((5, 100), (20, 100), (20, 400)):
        replicates, hits = int(REPLICATES * scale), 0
        for row in range(replicates):
            true = rng.uniform(0.7, 0.8, models)
            hard = rng.random(n)
            answers = (0.5 * hard + 0.5 * rng.random((models, n))) < cut(true)[:, None]
            best = int(answers.mean(axis=1).argmax())
            low, high = _narrowest(int(answers[best].sum()), n)
            surely = low <= true[best] <= high
            if surely and row >= CHECKED:
                hits += 1
                continue
            found = assay.best_of(answers.T.astype(int), n_resamples=300, rng=0).interval
            holds = found is not None and found.contains(float(true[best]))
            if surely and not holds:
                raise Disagreement(f"{true[best]} of {n} lies outside {found!r}")
            hits += holds
        yield f"best of {models} models near .75, n = {n}: interval holds", hits, replicates


@cache
def _narrowest(right: int, n: int) -> tuple[float, float]:
    """An interval that is narrower than any that a winner with so many right answers gets."""
    low, high = mid_p_limits(right, n, float(ndtr(-SURELY)))[0], mid_p_limits(right, n, 0.025)[1]
    return float(low), float(high)


def cut(share: Any) -> Any:
    """Where the mean of two uniform numbers is below with this probability, from one half on."""
    return 1.0 - np.sqrt((1.0 - share) / 2.0)


def preferences(rng: Generator, scale: float) -> Iterable[Cell]:
    """Bradley-Terry: intervals of the strengths hold the truth."""
    models = len(STRENGTHS)
    centred = STRENGTHS - STRENGTHS.mean()
    chances = 1.0 / (1.0 + np.exp(STRENGTHS[None] - STRENGTHS[:, None]))
    above = np.triu_indices(models, 1)
    for votes in (15, 60):
        replicates, hits = int(FITS * scale), 0
        for _ in range(replicates):
            wins = np.zeros((models, models), int)
            wins[above] = rng.binomial(votes, chances[above])
            wins.T[above] = votes - wins[above]
            found = assay.bradley_terry(wins, models=[f"m{i}" for i in range(models)])
            hits += sum(
                one.interval is not None
                and one.interval.contains(float(centred[int(one.model[1])]))
                for one in found.estimates
                if one.model
            )
        yield (
            f"strengths of {models} models, {votes} votes a pair: interval holds",
            hits,
            models * replicates,
        )
