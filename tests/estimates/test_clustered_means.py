"""Means of clustered values, and the linearised standard error."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.clustered_means import (
    cluster_difference,
    cluster_mean,
    intraclass_correlation,
    linearised,
    linearised_se,
    miller_se,
)
from assay.estimates.means import mean_t
from tests.support import agree


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


def world(
    rng: np.random.Generator, sizes: NDArray[np.int64], icc: float
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Normal values of mean 0 and variance 1 with the given intraclass correlation."""
    clusters = np.repeat(np.arange(sizes.size), sizes)
    effect = rng.normal(size=sizes.size)[clusters]
    return np.sqrt(icc) * effect + np.sqrt(1 - icc) * rng.normal(size=clusters.size), clusters


def brute_cr2(values: NDArray[np.float64], clusters: NDArray[np.int64]) -> float:
    """CR2 of an intercept by the definition: (I - H)^(-1/2) per cluster, by eigenvectors."""
    n = values.size
    residual_maker = np.eye(n) - np.full((n, n), 1 / n)
    residuals = values - values.mean()
    total = 0.0
    for cluster in np.unique(clusters):
        members = np.flatnonzero(clusters == cluster)
        lengths, vectors = np.linalg.eigh(residual_maker[np.ix_(members, members)])
        root = vectors @ np.diag(lengths**-0.5) @ vectors.T
        total += (np.ones(members.size) @ root @ residuals[members]) ** 2
    return float(np.sqrt(total) / n)


def brute_df(sizes: NDArray[np.int64], icc: float) -> float:
    """Satterthwaite's degrees of freedom by the full matrix of contrasts (Imbens and Kolesár)."""
    n = sizes.sum()
    clusters = np.repeat(np.arange(sizes.size), sizes)
    same = clusters[:, None] == clusters[None, :]
    covariance = np.where(same, icc, 0.0) + (1 - icc) * np.eye(n)
    rows = []
    for g, size in enumerate(sizes):
        indicator = (clusters == g).astype(float)
        rows.append((indicator - size / n) / n / np.sqrt(1 - size / n))
    matrix = np.array(rows) @ covariance @ np.array(rows).T
    return float(np.trace(matrix) ** 2 / np.trace(matrix @ matrix))


class TestClusterMean:
    @pytest.mark.parametrize("sizes", [[5, 5, 5, 5], [1, 2, 9, 4, 4, 7], [1, 1, 20]])
    def test_agrees_with_cr2_by_its_definition(self, sizes: list[int]) -> None:
        values, clusters = world(np.random.default_rng(3), np.array(sizes), 0.3)
        estimate = cluster_mean(values, clusters)
        assert agree(estimate.standard_error, brute_cr2(values, clusters))

    @pytest.mark.parametrize("icc", [0.0, 0.2, 1.0])
    def test_degrees_of_freedom_by_their_definition(self, icc: float) -> None:
        sizes = np.array([1, 2, 9, 4, 4, 7])
        values, clusters = world(np.random.default_rng(4), sizes, 0.3)
        spread = linearised(values - values.mean(), clusters=clusters, correlation=icc)
        assert agree(spread.df, brute_df(sizes, icc))

    def test_equal_clusters_are_a_t_test_of_their_means(self) -> None:
        values, clusters = world(np.random.default_rng(5), np.full(8, 6), 0.4)
        means = values.reshape(8, 6).mean(axis=1)
        estimate = cluster_mean(values, clusters)
        assert agree(limits(estimate), limits(mean_t(means)))
        assert agree(details(estimate)["df"], 7.0)
        between = cluster_mean(values, clusters, variant="between")
        assert agree(limits(between), limits(estimate))

    def test_clusters_of_one_are_a_t_test_of_the_values(self) -> None:
        values = np.random.default_rng(6).normal(size=12)
        estimate = cluster_mean(values, range(12))
        assert agree(limits(estimate), limits(mean_t(values)))
        assert details(estimate)["icc"] is None
        assert agree(details(estimate)["design_effect"], 1.0)

    def test_repeated_items_show_their_design_effect(self) -> None:
        """Every item entered four times: the naive standard error is half of the right one."""
        values = np.random.default_rng(7).normal(size=30)
        estimate = cluster_mean(np.repeat(values, 4), np.repeat(np.arange(30), 4))
        assert agree(estimate.standard_error, mean_t(values).standard_error)
        assert agree(details(estimate)["icc"], 1.0)
        assert 3.9 < details(estimate)["design_effect"] < 4.2

    @given(st.integers(0, 10**6), st.sampled_from(["cluster_mean", "weighted"]))
    def test_order_and_labels_are_irrelevant(self, seed: int, kind: str) -> None:
        rng = np.random.default_rng(seed)
        values, clusters = world(rng, rng.integers(1, 9, size=7), 0.3)
        weights = rng.random(values.size) + 0.2 if kind == "weighted" else None
        order = rng.permutation(values.size)
        one = cluster_mean(values, clusters, weights=weights)
        other = cluster_mean(
            values[order],
            [f"patient {label}" for label in clusters[order]],
            weights=None if weights is None else 5 * weights[order],
        )
        assert agree(limits(one), limits(other), 1e-8)

    @pytest.mark.parametrize(
        ("groups", "sizes", "icc"),
        [(6, "unbalanced", 0.1), (10, "unbalanced", 0.5), (30, "equal", 0.1)],
    )
    def test_covers_as_stated(self, groups: int, sizes: str, icc: float) -> None:
        """With "between" degrees of freedom the unbalanced worlds cover 92 to 93 %."""
        rng = np.random.default_rng(groups)
        counts = np.full(groups, 5)
        if sizes == "unbalanced":
            counts = np.linspace(1, 50, groups).round().astype(np.int64)
        covered = []
        for _ in range(1500):
            low, high = limits(cluster_mean(*world(rng, counts, icc)))
            covered.append(low <= 0.0 <= high)
        assert 0.932 <= np.mean(covered) <= 0.985

    def test_few_clusters_are_noted(self) -> None:
        rng = np.random.default_rng(8)
        assert codes(cluster_mean(*world(rng, np.full(3, 4), 0.0))) == {"few-clusters"}
        assert codes(cluster_mean(*world(rng, np.full(4, 4), 0.0))) == set()

    def test_one_cluster_has_no_interval(self) -> None:
        estimate = cluster_mean([1.0, 2.0, 4.0], ["p", "p", "p"])
        assert agree(estimate.value, 7 / 3)
        assert estimate.interval is None
        assert estimate.standard_error is None
        assert codes(estimate) == {"one-cluster"}

    @pytest.mark.parametrize("values", [[1.0] * 12, [0.0, 1.0] * 6])
    def test_equal_cluster_totals_have_no_interval(self, values: list[float]) -> None:
        estimate = cluster_mean(values, np.repeat(np.arange(6), 2))
        assert estimate.interval is None
        assert codes(estimate) == {"zero-variance"}

    @pytest.mark.parametrize(
        ("clusters", "message"),
        [
            ([1, 2], "one cluster per item: 3 items"),
            ([1.0, float("nan"), 2.0], "1 items have no cluster"),
            (["p", None, "q"], "first at position 1"),
        ],
    )
    def test_bad_clusters(self, clusters: list[Any], message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            cluster_mean([1.0, 2.0, 3.0], clusters)

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of satterthwaite, between"):
            cluster_mean([1.0, 2.0], [1, 2], variant="normal")  # type: ignore[arg-type]

    def test_uneven_clusters(self) -> None:
        values = np.random.default_rng(1).normal(size=90)
        uneven = np.repeat(np.arange(6), [1, 2, 5, 11, 23, 48])
        assert "uneven-clusters" in codes(cluster_mean(values, uneven))
        assert "uneven-clusters" not in codes(cluster_mean(values, np.arange(90) % 6))
        assert "uneven-clusters" not in codes(cluster_mean(values, uneven, variant="between"))

    def test_sizes_of_many_clusters_may_be_uneven_too(self) -> None:
        """40 users of one item and 20 of 30: fifteen degrees of freedom, and yet twenty users are all there is."""
        sizes = np.r_[np.ones(40, int), np.full(20, 30)]
        values = np.random.default_rng(1).normal(size=sizes.sum())
        (noted,) = cluster_mean(values, np.repeat(np.arange(60), sizes)).notes
        assert noted.code == "uneven-clusters"
        assert "60 clusters differ much in size and count as 22.7 of one size" in noted.message


class TestClusterDifference:
    def test_is_the_cluster_mean_of_differences(self) -> None:
        rng = np.random.default_rng(9)
        a, clusters = world(rng, np.array([3, 5, 2, 8, 4, 4, 6]), 0.2)
        b = world(rng, np.array([3, 5, 2, 8, 4, 4, 6]), 0.2)[0]
        estimate = cluster_difference(a, b, clusters)
        assert agree(limits(estimate), limits(cluster_mean(a - b, clusters)))
        assert estimate.measure == "mean_difference"

    def test_its_p_value_decides_as_its_interval(self) -> None:
        rng = np.random.default_rng(10)
        for _ in range(20):
            a, clusters = world(rng, np.full(7, 4), 0.2)
            b = a - 0.25 + 0.5 * rng.normal(size=a.size)
            for level in (0.8, 0.95, 0.99):
                estimate = cluster_difference(a, b, clusters, level=level)
                low, high = limits(estimate)
                assert (low <= 0.0 <= high) == (details(estimate)["p_value"] > 1 - level)

    def test_swapping_mirrors(self) -> None:
        rng = np.random.default_rng(11)
        a, clusters = world(rng, np.array([3, 5, 2, 8, 4, 4]), 0.2)
        b = rng.normal(size=a.size)
        low, high = limits(cluster_difference(b, a, clusters))
        assert agree(limits(cluster_difference(a, b, clusters)), (-high, -low))

    def test_identical_models(self) -> None:
        estimate = cluster_difference([1, 0, 1, 1], [1, 0, 1, 1], [1, 1, 2, 2])
        assert estimate.value == 0.0
        assert estimate.interval is None
        assert "zero-variance" in codes(estimate)


class TestMillerSe:
    def test_by_its_double_sum(self) -> None:
        """Miller (2024), section 2.2: the sum over pairs of items of one cluster."""
        values, clusters = world(np.random.default_rng(12), np.array([3, 1, 4, 2]), 0.5)
        n, deviations = values.size, values - values.mean()
        variance = (deviations**2).sum() / (n * (n - 1))
        for i in range(n):
            for j in range(n):
                if i != j and clusters[i] == clusters[j]:
                    variance += deviations[i] * deviations[j] / n**2
        assert agree(miller_se(values, clusters), variance**0.5)
        assert agree(details(cluster_mean(values, clusters))["miller_se"], variance**0.5)


class TestIntraclassCorrelation:
    def test_by_the_mean_squares(self) -> None:
        values, clusters = world(np.random.default_rng(13), np.full(10, 4), 0.5)
        table = values.reshape(10, 4)
        between = 4 * table.mean(axis=1).var(ddof=1)
        within = table.var(axis=1, ddof=1).mean()
        expected = (between - within) / (between + 3 * within)
        assert agree(intraclass_correlation(values, clusters), expected)

    def test_undefined(self) -> None:
        assert intraclass_correlation(np.array([1.0, 2.0]), np.array([0, 1])) is None
        assert intraclass_correlation(np.array([1.0, 1.0, 1.0]), np.array([0, 0, 1])) is None


class TestLinearisedSe:
    def test_of_a_mean(self) -> None:
        values = np.array([1.0, 4.0, 2.5, 8.0])
        expected = values.std(ddof=1) / 2
        assert agree(linearised_se(values - values.mean()), expected)

    def test_of_a_ratio_agrees_with_the_jackknife(self) -> None:
        rng = np.random.default_rng(14)
        top, bottom = rng.gamma(5.0, size=4000), rng.gamma(8.0, size=4000)
        ratio = top.sum() / bottom.sum()
        se = linearised_se((top - ratio * bottom) / bottom.mean())
        left_out = (top.sum() - top) / (bottom.sum() - bottom)
        jackknife = np.sqrt(3999 / 4000 * ((left_out - left_out.mean()) ** 2).sum())
        assert agree(se, float(jackknife), 1e-3)

    def test_one_unit(self) -> None:
        assert np.isnan(linearised_se([0.0]))
        assert np.isnan(linearised_se([1.0, -1.0], clusters=np.array([0, 0])))
