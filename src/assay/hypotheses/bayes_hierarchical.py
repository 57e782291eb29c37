"""Two algorithms cross-validated on many data sets, in one hierarchical model (T16)."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IndexArray
from assay.core.checks import SMALLEST, as_matrix, check_count
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Posterior
from assay.core.rng import Rng, seed_of, stream
from assay.estimates.folds import PerFold, splits_of
from assay.hypotheses.posteriors import Limits, PosteriorQuestion, Shares, edge_of, question
from assay.kernels.hierarchical_model import DataSetSums, HierarchyDraws, sample_hierarchy
from assay.kernels.markov_chains import effective_size, r_hat
from assay.kernels.special import stdtr
from assay.kernels.swap_symmetry import mirrored, oriented
from assay.kernels.tails import tail_of

CHAINS, WARMUP = 32, 300
LEAST_DATA_SETS = 3
"""With fewer, the spread between data sets is whatever the prior says."""

R_HAT_MOST, ESS_LEAST = 1.05, 400

WIDE = (
    "flat in the centre and the spreads; the degrees of freedom gamma, its shape and rate uniform"
)


@method(
    question="How probable is it that one of two algorithms is better, or practically as good, on the "
    "next data set?",
    takes="fold-score-pairs",
    gives="posterior",
    unit="dataset",
    assumes=(
        "rows are independent data sets, columns the scores of both algorithms on the same folds",
        "differences within a data set are near normal",
        "the correlation between folds is the share of data tested, n_test / (n_test + n_train)",
        "true differences of data sets follow a t distribution about a common centre",
    ),
    reference="Corani G, Benavoli A, Demšar J, Mangili F, Zaffalon M (2017). Statistical comparison of "
    "classifiers through Bayesian hierarchical modelling. Machine Learning 106:1817–1837; "
    "benavoli2017",
    requirement="T16",
    formula="mean_i ~ N(delta_i, sigma_i² (1 + (n - 1) rho) / n), delta_i ~ centre + sigma0 t(nu); "
    "p_left = P(delta of the next data set < -rope)",
    name="Bayesian hierarchical",
)
def bayes_hierarchical(
    scores_a: ArrayLike,
    scores_b: ArrayLike | None = None,
    *,
    rope: float = 0.0,
    folds: int | None = None,
    test_share: float | None = None,
    n_test: PerFold | None = None,
    n_train: PerFold | None = None,
    level: float = 0.95,
    n_resamples: int = 50_000,
    rng: Rng = None,
) -> Posterior:
    """The hierarchical comparison of cross-validated algorithms, without Stan or a compiler.

    Rows are data sets, columns their scores by fold; ``scores_a`` alone holds differences. How the
    folds were made is said as for ``corrected_resampled_t``. Probabilities are about the difference
    on a new data set; the effect is the centre of all data sets. In details ``most_left`` and its
    kin say how often left, rope or right is the most probable, the answer of baycomp, and
    ``shrunken_1`` … what each data set's difference becomes in the light of the others.
    """
    differences, edge = _differences(scores_a, scores_b)
    asked = question("bayes_hierarchical", "centre_of_differences", rope, level, "dataset")
    splits = splits_of(
        differences.shape[1], folds=folds, test_share=test_share, n_test=n_test, n_train=n_train
    )
    draws, seed = check_count(n_resamples, "n_resamples", at_least=1), seed_of(rng)
    rho = splits.ratio / (1.0 + splits.ratio)
    if float(np.abs(differences).max()) <= edge:
        return _identical(asked, len(differences), splits.notes, (("rho", rho),), seed)
    data, notes = _data_sets(differences, rho, asked.rope, edge)
    order, sign = oriented(data.means, data.squares)
    sampled = sample_hierarchy(
        replace(data, means=(sign or 1) * data.means[order], squares=data.squares[order]),
        stream(seed),
        chains=CHAINS,
        warmup=WARMUP,
        draws=-(-draws // CHAINS),
    )
    shares, details = _shares(sampled, asked.rope, sign)
    convergence, worries = _convergence(sampled)
    return asked.answer(
        shares,
        _limits(sampled.centre, asked.level, sign),
        len(differences),
        prior=WIDE,
        notes=(*splits.notes, *notes, *worries),
        seed=seed,
        details=(("rho", rho), *details, *convergence, *_shrunken(sampled, data, order, sign)),
    )


def _differences(scores_a: ArrayLike, scores_b: ArrayLike | None) -> tuple[FloatArray, float]:
    """Differences by data set and fold, and how large rounding noise may be."""
    first = as_matrix(scores_a, "scores_a", columns=2)
    second = np.zeros_like(first) if scores_b is None else as_matrix(scores_b, "scores_b")
    if first.shape != second.shape:
        raise EvidenceError(
            f"both algorithms need the same data sets (rows) and folds (columns); got {first.shape} "
            f"and {second.shape}"
        )
    if len(first) < LEAST_DATA_SETS:
        raise NotApplicable(
            f"{len(first)} data sets do not show how far data sets differ, {LEAST_DATA_SETS} are the "
            "least; for one data set use bayes_correlated_t"
        )
    return first - second, edge_of(first, second)


def _data_sets(
    differences: FloatArray, rho: float, rope: float, edge: float
) -> tuple[DataSetSums, tuple[Note, ...]]:
    """Means and sums of squares; a data set whose folds agree is given a spread, and a note."""
    n = differences.shape[1]
    means = differences.mean(axis=1)
    squares = ((differences - means[:, None]) ** 2).sum(axis=1)
    still = np.ptp(differences, axis=1) <= edge
    notes: tuple[Note, ...] = ()
    if still.any():
        wide = rope >= SMALLEST  # what is smaller has no square
        if not wide and still.all():
            raise NotApplicable(
                "no data set has folds that differ, so the variance of its difference is unknown. "
                "Use bayes_signed_rank on the mean scores of the data sets"
            )
        # the paper adds noise drawn evenly from the rope: its variance is rope² / 3
        given = n * rope**2 / 3.0 if wide else float(squares[~still].min())
        squares = np.where(still, given, squares)
        source = "noise spread evenly over the rope" if wide else "the steadiest other data set"
        what = f"the folds of {int(still.sum())} of {still.size} data sets"
        remedy = f"they are given that of {source}"
        notes = (note("zero-variance", what=what, method="the model", remedy=remedy),)
    data = DataSetSums(
        means=means,
        squares=squares / (1.0 - rho),
        scores=n,
        factor=(1.0 + (n - 1.0) * rho) / n,
    )
    return data, notes


def _shares(sampled: HierarchyDraws, rope: float, sign: int) -> tuple[Shares, Details]:
    """P(next data set) left, in and right of the rope, averaged over draws rather than drawn."""
    centre, spread, nu = sampled.centre, sampled.spread, sampled.nu
    left, right = (stdtr(nu, (side * centre - rope) / spread) for side in (-1.0, 1.0))
    inside = np.maximum(1.0 - left - right, 0.0) if rope > 0.0 else np.full_like(left, -1.0)
    largest = np.maximum(np.maximum(left, right), inside)
    error = max(float(np.std(one.mean(axis=0), ddof=1)) for one in (left, right))
    p_left, p_right = mirrored(float(left.mean()), float(right.mean()), sign)
    most_left, most_right = mirrored(
        float((left == largest).mean()), float((right == largest).mean()), sign
    )
    below, above = mirrored(float((centre < -rope).mean()), float((centre > rope).mean()), sign)
    details: Details = (
        ("most_left", most_left),
        ("most_rope", float((inside == largest).mean())),
        ("most_right", most_right),
        ("centre_left", below),
        ("centre_rope", 1.0 - (below + above)),
        ("centre_right", above),
        ("sigma0", float(np.median(spread))),
        ("nu", float(np.median(nu))),
        ("monte_carlo_error", error / float(np.sqrt(left.shape[1]))),
    )
    return (p_left, 1.0 - (p_left + p_right) if rope > 0.0 else 0.0, p_right), details


def _limits(centre: FloatArray, level: float, sign: int) -> Limits:
    """The central credible interval and the median of the centre."""
    tail = tail_of(level, "two-sided")
    low, middle, high = (float(x) for x in np.quantile(centre, [tail, 0.5, 1.0 - tail]))
    if sign == 0:
        reach = (high - low) / 2.0
        return -reach, 0.0, reach
    return (low, middle, high) if sign > 0 else (-high, -middle, -low)


def _convergence(sampled: HierarchyDraws) -> tuple[Details, tuple[Note, ...]]:
    """The worst R-hat and effective size of what the data sets have in common."""
    common = (sampled.centre, np.log(sampled.spread), np.log(sampled.nu - 1.0))
    worst, least = max(map(r_hat, common)), min(map(effective_size, common))
    iterations, chains = sampled.centre.shape
    details: Details = (
        ("chains", chains),
        ("warmup", WARMUP),
        ("n_resamples", iterations * chains),
        ("r_hat", worst),
        ("ess", least),
    )
    if worst <= R_HAT_MOST and least >= ESS_LEAST:
        return details, ()
    why = note(
        "not-converged",
        chains=chains,
        r_hat=worst,
        ess=least,
        r_hat_most=R_HAT_MOST,
        ess_least=ESS_LEAST,
    )
    return details, (why,)


def _shrunken(
    sampled: HierarchyDraws, data: DataSetSums, order: IndexArray, sign: int
) -> tuple[tuple[str, float], ...]:
    """The posterior mean of each data set's difference, in the order they came."""
    shrunken = np.empty(order.size)
    shrunken[order] = (sign or 1) * sampled.shrunken
    if sign == 0:
        mirror, _ = oriented(-data.means, data.squares)
        other = np.empty(order.size)
        other[mirror] = -sampled.shrunken
        shrunken = (shrunken + other) / 2.0
    return tuple((f"shrunken_{i}", float(value)) for i, value in enumerate(shrunken, 1))


def _identical(
    asked: PosteriorQuestion, n: int, notes: tuple[Note, ...], details: Details, seed: int
) -> Posterior:
    """Algorithms that never differed: in the rope, or without one on either side alike."""
    shares = (0.0, 1.0, 0.0) if asked.rope > 0.0 else (0.5, 0.0, 0.5)
    why = note(
        "zero-variance",
        what="the differences",
        method="the posterior",
        remedy="all of it stands at zero, which is no certainty",
    )
    notes = (*notes, why)
    return asked.answer(
        shares, (0.0, 0.0, 0.0), n, prior=WIDE, notes=notes, seed=seed, details=details
    )
