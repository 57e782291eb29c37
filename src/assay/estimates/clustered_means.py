"""Means of values that come in clusters: items of a patient, answers to a passage (I2)."""

from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray, IntArray
from assay.core.checks import (
    as_codes,
    as_pairs,
    as_values,
    check_choice,
)
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate
from assay.estimates.method_question import MethodQuestion
from assay.kernels.effective_size import kish
from assay.kernels.ranks import mean_differences
from assay.kernels.tails import t_p

DegreesOfFreedom = Literal["satterthwaite", "between"]

UNEVEN = 9.0
"""Degrees of freedom below which clusters of unequal size are noted."""
FEW_CLUSTERS = 4
"""Below so many clusters the note `few-clusters` is given (decision 0090)."""

_ASSUMES = ("independent clusters", "a cluster mean not far from normal where clusters are few")
_FORMULA = (
    "value ± t_quantile(df) standard_error, standard_error² = Σ_g total_g²/(1 - share_g), "
    "total_g = Σ_i in g (x_i - value)/n, share_g = n_g/n"
)


@method(
    question="How large is a mean of values that come in clusters?",
    takes="clustered-sample",
    gives="estimate",
    unit="item",
    assumes=_ASSUMES,
    reference="Bell & McCaffrey (2002), Survey Methodology 28; Imbens & Kolesár (2016), "
    "Review of Economics and Statistics 98; Miller (2024), arXiv 2411.00640",
    requirement="I2",
    same_as="R: sqrt(clubSandwich::vcovCR(lm({values} ~ 1), cluster = {clusters}, type = 'CR2'))"
    "  # standard error",
    formula=_FORMULA,
    interval="cluster-robust t",
)
def cluster_mean(
    values: Any,
    clusters: Any,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: DegreesOfFreedom = "satterthwaite",
) -> Estimate:
    """The mean with a cluster-robust standard error (CR2) and a t interval.

    The degrees of freedom of "satterthwaite" allow for clusters of unequal size, with the intraclass
    correlation estimated; "between" takes the number of clusters less one. They agree where clusters
    are of one size.
    """
    sample = as_values(values, "values")
    return _clustered(sample, clusters, weights, level, alternative, variant, "cluster_mean")


@method(
    question="By how much do two models differ on items that come in clusters?",
    takes="clustered-pairs",
    gives="estimate",
    unit="item",
    assumes=("both models were tested on every item", *_ASSUMES),
    reference="Miller (2024), arXiv 2411.00640; Imbens & Kolesár (2016), Review of Economics and "
    "Statistics 98",
    requirement="I2",
    same_as="R: sqrt(clubSandwich::vcovCR(lm({a} - {b} ~ 1), cluster = {clusters}, type = 'CR2'))"
    "  # standard error",
    formula=_FORMULA.replace("x_i", "a_i - b_i"),
    title="cluster-robust t test (CR2)",
    interval="cluster-robust t",
    calibrated_by="clusters",
    planned_by="clustered_means",
    redrawn_by="clustered_means",
)
def cluster_difference(
    a: Any,
    b: Any,
    clusters: Any,
    *,
    weights: ArrayLike | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
    variant: DegreesOfFreedom = "satterthwaite",
) -> Estimate:
    """The mean of a - b over items, with a cluster-robust standard error and a t interval.

    ``t`` and ``p_value`` in details test a mean difference of zero; the interval decides alike.
    """
    first, second = as_pairs(a, b)
    differences = mean_differences(first, second)
    return _clustered(
        differences, clusters, weights, level, alternative, variant, "cluster_difference"
    )


class ClusterSpread(NamedTuple):
    """A standard error, its degrees of freedom, and the number of independent units behind it.

    ``se`` and ``df`` are NaN with fewer than two units of any weight.
    """

    se: float
    df: float
    units: int


def linearised(
    influence: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    clusters: IntArray | None = None,
    correlation: float = 0.0,
) -> ClusterSpread:
    """The spread of a statistic that is, to first order, the weighted mean of ``influence``.

    Influence values have weighted mean zero: x - mean for a mean, the derivative of the statistic
    in each item's weight otherwise. The square of each cluster's total is divided by what shrinks it
    where items are independent (CR2; 1 - share for equal weights). ``correlation`` within clusters
    enters the degrees of freedom only (Imbens and Kolesár 2016).
    """
    values = np.asarray(influence, dtype=np.float64)
    if weights is None and clusters is None and values.size > 1:
        se = float(np.sqrt((values**2).sum() / (values.size * (values.size - 1.0))))
        return ClusterSpread(se, values.size - 1.0, values.size)
    shares = np.ones_like(values) if weights is None else np.asarray(weights, dtype=np.float64)
    shares = shares / shares.sum()
    parts = np.stack([shares * values, shares, shares**2])
    total, share, square = parts if clusters is None else _sums(parts, clusters)
    kept = square > 0.0
    total, share, square = total[kept], share[kept], square[kept]
    units = int(share.size)
    if units < 2:
        return ClusterSpread(float("nan"), float("nan"), units)
    factor = 1.0 - 2.0 * share + share**2 * square.sum() / square
    se = float(np.sqrt((total**2 / factor).sum()))
    if units == np.count_nonzero(shares):  # no cluster has two items: Kish's effective n less one
        effective = float(units) if weights is None else float(1.0 / square.sum())
        return ClusterSpread(se, effective - 1.0, units)
    variance = (1.0 - correlation) * square + correlation * share**2
    return ClusterSpread(se, _degrees_of_freedom(share, variance, factor), units)


def _sums(rows: FloatArray, codes: IntArray) -> FloatArray:
    """The sum of each row over each cluster."""
    return np.stack([np.bincount(codes, weights=row).astype(np.float64) for row in rows])


def linearised_se(
    influence: ArrayLike, *, weights: ArrayLike | None = None, clusters: IntArray | None = None
) -> float:
    """The standard error of :func:`linearised`."""
    return linearised(influence, weights=weights, clusters=clusters).se


def as_weights(weights: ArrayLike | None, n: int) -> FloatArray | None:
    """Importance weights, one per value, none negative and not all zero."""
    if weights is None:
        return None
    array = as_values(weights, "weights")
    if array.size != n:
        raise EvidenceError(f"{n} values but {array.size} weights: one of each per item")
    if array.min() < 0.0 or array.max() == 0.0:
        raise EvidenceError("weights are importances, 0 or above and not all 0")
    return array


def as_clusters(clusters: Any, n: int) -> IntArray:
    """Cluster labels of any kind as codes from 0, one per value."""
    return as_codes(clusters, "cluster", n)


def _clustered(
    values: FloatArray,
    clusters: Any,
    weights: ArrayLike | None,
    level: float,
    alternative: str,
    variant: str,
    name: str,
) -> Estimate:
    asked = MethodQuestion.of(name, level=level, alternative=alternative)
    chosen = check_choice(variant, ("satterthwaite", "between"), "variant")
    codes, importance = as_clusters(clusters, values.size), as_weights(weights, values.size)
    value = float(np.average(values, weights=importance))
    correlation = intraclass_correlation(values, codes)
    within = min(max(correlation or 0.0, 0.0), 1.0)
    spread = linearised(values - value, weights=importance, clusters=codes, correlation=within)
    df = spread.df if chosen == "satterthwaite" else spread.units - 1.0
    interval, tested = None, _untested()
    sizes = _sums(np.ones((1, values.size)) if importance is None else importance[None], codes)[0]
    few = bool(is_uneven(df, spread.units))
    uneven = uneven_sizes(sizes, few=few) if df < spread.units - 1.0 else ()
    notes = (*_caveats(values, spread, name), *uneven)
    if spread.se > 0.0 and not any(one.code in ("zero-variance", "one-cluster") for one in notes):
        t = value / spread.se
        interval = asked.t_interval(value, spread.se, df)
        tested = (("t", t), ("df", df), ("p_value", t_p(t, df, asked.side)))
    measure = "mean" if name == "cluster_mean" else "mean_difference"
    error = None if interval is None else spread.se
    return asked.estimate(
        measure,
        value,
        values.size,
        interval,
        error,
        notes=notes,
        details=(*_facts(values, codes, importance, spread, correlation), *tested),
    )


def is_uneven(df: Any, clusters: int) -> Any:
    """Whether unequal clusters leave so few degrees of freedom that tests become too careful.

    Found in calibration: there the size falls below 70 % of the level, or intervals are a tenth
    wider than they need be.
    """
    return (df < UNEVEN) & (df < 0.6 * (clusters - 1))


def uneven_sizes(sizes: FloatArray, *, few: bool = False) -> tuple[Note, ...]:
    """A note where at most half as many clusters of one size weigh as much, or ``few`` degrees of freedom are left."""
    count, effective = int(np.count_nonzero(sizes)), kish(sizes)
    if count < 2 or not (few or effective <= 0.5 * count):
        return ()
    return (note("uneven-clusters", count=count, effective=effective),)


def _caveats(values: FloatArray, spread: ClusterSpread, name: str) -> tuple[Note, ...]:
    if spread.units < 2:
        return (note("one-cluster"),)
    notes: tuple[Note, ...] = ()
    if spread.units < FEW_CLUSTERS:
        notes = (note("few-clusters", count=spread.units),)
    if spread.se <= 1e-12 * float(np.abs(values).max()):
        remedy = "use an interval for the share of clusters"
        flat = note("zero-variance", what="the cluster totals", method=name, remedy=remedy)
        notes = (*notes, flat)
    return notes


def _untested() -> Details:
    return (("t", None), ("df", None), ("p_value", None))


def _facts(
    values: FloatArray,
    codes: IntArray,
    weights: FloatArray | None,
    spread: ClusterSpread,
    correlation: float | None,
) -> Details:
    """What the clusters did to the standard error: the naive one, Miller's, the design effect."""
    value = np.average(values, weights=weights)
    naive = linearised_se(values - value, weights=weights)
    defined = naive > 0.0 and spread.units > 1
    return (
        ("n_clusters", spread.units),
        ("icc", correlation),
        ("naive_se", naive if np.isfinite(naive) else None),
        ("design_effect", (spread.se / naive) ** 2 if defined else None),
        ("miller_se", miller_se(values, codes) if weights is None and defined else None),
    )


def miller_se(values: FloatArray, codes: IntArray) -> float:
    """Miller (2024): SE² = SE_CLT² + Σ over pairs of items of one cluster of products / n²."""
    deviations = values - values.mean()
    squares = float((deviations**2).sum())
    products = float((np.bincount(codes, weights=deviations) ** 2).sum()) - squares
    n = values.size
    return float(np.sqrt(max(squares / (n * (n - 1)) + products / n**2, 0.0)))


def intraclass_correlation(values: FloatArray, codes: IntArray) -> float | None:
    """The one-way ANOVA estimate; None where no cluster has two items, or nothing varies."""
    sizes = np.bincount(codes).astype(np.float64)
    n, groups = values.size, sizes.size
    if groups < 2 or n == groups:
        return None
    means = np.bincount(codes, weights=values) / sizes
    between = float((sizes * (means - values.mean()) ** 2).sum()) / (groups - 1)
    within = float(((values - means[codes]) ** 2).sum()) / (n - groups)
    typical = (n - float((sizes**2).sum()) / n) / (groups - 1)
    total = between + (typical - 1.0) * within
    return (between - within) / total if total > 0.0 else None


def _degrees_of_freedom(share: FloatArray, variance: FloatArray, factor: FloatArray) -> float:
    """Satterthwaite's, tr(M)²/tr(M²) of the matrix M of covariances of adjusted cluster totals.

    M_gh = (share_g share_h V - share_h v_g - share_g v_h)/sqrt(c_g c_h) off the diagonal, with v the
    variance of a cluster's own part, V its sum and c the factor: its square sums up without a loop.
    """
    total = variance.sum()
    own = (variance * (1.0 - 2.0 * share) + share**2 * total) / factor
    shares = (share**2 / factor).sum()
    squares = (variance**2 / factor).sum()
    mixed = (share * variance / factor).sum()
    all_pairs = (
        (total * shares) ** 2
        + 2.0 * shares * squares
        - 4.0 * total * shares * mixed
        + 2.0 * mixed**2
    )
    same = (((share**2 * total - 2.0 * share * variance) / factor) ** 2).sum()
    return float(own.sum() ** 2 / ((own**2).sum() + all_pairs - same))
