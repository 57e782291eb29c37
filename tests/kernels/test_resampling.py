"""Resampling as integer weights: the right distribution, the same bytes, delete-one values."""

from collections.abc import Iterable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.kernels import resampling
from assay.kernels.resampling import (
    cell_influence,
    jackknife,
    jackknife_covariance,
    jackknife_variance,
    multinomial_blocks,
)


def drawn(blocks: Iterable[tuple[int, NDArray[Any]]]) -> NDArray[Any]:
    return np.concatenate([draws for _, draws in blocks])


# one of each way to draw: tables, binomials (no large cell), integers, Poisson items, the same with repeats
CELLS = {
    "multinomial": [600, 100, 50, 250],
    "binomials": [20] * 50,
    "integers": [1] * 40,
    "poisson": [1] * 400,
    "poisson with repeats": [3, 1, 2, 0] * 80,
}


class TestMultinomialBlocks:
    @pytest.mark.parametrize("counts", CELLS.values(), ids=CELLS.keys())
    def test_moments_are_multinomial(self, counts: list[int]) -> None:
        sizes = np.array(counts, dtype=float)
        n, replicates = sizes.sum(), 4000
        draws = drawn(multinomial_blocks(counts, replicates, 1)).astype(float)
        assert (draws.sum(axis=1) == n).all()
        assert (draws[:, sizes == 0] == 0).all()
        shares = sizes / n
        variance = n * shares * (1 - shares)
        occupied = sizes > 0
        z = (draws.mean(axis=0) - sizes)[occupied] / np.sqrt(variance[occupied] / replicates)
        # the sum over cells of squared z-scores of means is close to chi-square, cells - 1
        assert stats.chi2.sf((z**2 * (1 - shares[occupied])).sum(), occupied.sum() - 1) > 1e-4
        spread = draws.var(axis=0)[occupied] / variance[occupied]
        assert abs(spread.mean() - 1) < 4 * np.sqrt(2 / (replicates * occupied.sum())) + 0.02

    @pytest.mark.parametrize("counts", CELLS.values(), ids=CELLS.keys())
    def test_first_cell_is_binomial(self, counts: list[int]) -> None:
        n, replicates = sum(counts), 6000
        first = drawn(multinomial_blocks(counts, replicates, 2))[:, 0].astype(int)
        expected = stats.binom(n, counts[0] / n)
        edges = np.unique(expected.ppf([0.1, 0.25, 0.5, 0.75, 0.9]).astype(int))
        cells = np.searchsorted(edges, first, side="left")
        probabilities = np.diff(np.concatenate([[0.0], expected.cdf(edges), [1.0]]))
        observed = np.bincount(cells, minlength=edges.size + 1)
        assert stats.chisquare(observed, replicates * probabilities).pvalue > 1e-4

    def test_equals_resampling_of_rows_in_distribution(self) -> None:
        rng = np.random.default_rng(3)
        labels = rng.choice(4, size=60, p=[0.5, 0.2, 0.2, 0.1])
        counts = np.bincount(labels, minlength=4)
        by_rows = np.stack([np.bincount(rng.choice(labels, 60), minlength=4) for _ in range(3000)])
        by_cells = drawn(multinomial_blocks(counts, 3000, 4))
        one, other = (2 * x[:, 3] / (2 * x[:, 3] + x[:, 1] + x[:, 2]) for x in (by_rows, by_cells))
        assert stats.ks_2samp(one, other).pvalue > 1e-3

    @pytest.mark.parametrize("counts", CELLS.values(), ids=CELLS.keys())
    def test_same_seed_same_bytes(self, counts: list[int]) -> None:
        one, other = (drawn(multinomial_blocks(counts, 700, 5)) for _ in range(2))
        assert one.tobytes() == other.tobytes()
        assert one.tobytes() != drawn(multinomial_blocks(counts, 700, 6)).tobytes()

    def test_blocks_do_not_depend_on_how_they_are_taken(self) -> None:
        counts = [1] * 300
        at_once = drawn(multinomial_blocks(counts, 2000, 7))
        blocks = multinomial_blocks(counts, 2000, 7)
        start, first = next(blocks)
        assert start == 0
        rest = [draws for _, draws in blocks]
        assert len(rest) > 1
        assert np.concatenate([first, *rest]).tobytes() == at_once.tobytes()

    def test_memory_of_a_block_is_bounded(self) -> None:
        for counts in ([1] * 200_000, [10] * 100_000, [10_000] * 5000):
            _, draws = next(multinomial_blocks(counts, 10, 1))
            assert draws.nbytes <= 64 * 2**20

    def test_strata_keep_their_sizes(self) -> None:
        counts = np.array([5, 0, 7, 30, 2, 400])
        strata = np.array([1, 1, 0, 0, 1, 0])
        draws = drawn(multinomial_blocks(counts, 500, 1, strata=strata))
        for stratum in (0, 1):
            inside = draws[:, strata == stratum].sum(axis=1)
            assert (inside == counts[strata == stratum].sum()).all()
        assert draws[:, 0].std() > 0

    @given(st.lists(st.integers(0, 30), min_size=1, max_size=12).filter(lambda c: sum(c) > 0))
    def test_totals_and_empty_cells(self, counts: list[int]) -> None:
        draws = drawn(multinomial_blocks(counts, 5, 1))
        assert (draws.sum(axis=1) == sum(counts)).all()
        assert (draws[:, np.array(counts) == 0] == 0).all()


def mean_of_cells(values: NDArray[Any]) -> Any:
    return lambda counts: (counts * values).sum(axis=-1) / counts.sum(axis=-1)


class TestJackknife:
    def test_equals_deleting_items_one_by_one(self) -> None:
        values, counts = np.array([0.1, 0.5, 2.0]), np.array([4, 0, 3])
        items = np.repeat(values, counts)
        deleted, multiplicity = jackknife(mean_of_cells(values), counts, 1)
        brute = [np.delete(items, place).mean() for place in range(items.size)]
        np.testing.assert_allclose(np.repeat(deleted, multiplicity.astype(int)), brute)

    def test_variance_of_a_mean_is_the_usual_one(self) -> None:
        rng = np.random.default_rng(1)
        values = rng.normal(size=40)
        influence, multiplicity = cell_influence(mean_of_cells(values), np.ones(40, int))
        variance = jackknife_variance(influence, multiplicity)
        assert variance == pytest.approx(values.var(ddof=1) / 40)

    def test_groups_of_items_give_about_the_same_variance(self) -> None:
        rng = np.random.default_rng(2)
        values = rng.exponential(size=6000)
        influence, multiplicity = cell_influence(mean_of_cells(values), np.ones(6000, int), 3)
        assert multiplicity.size == resampling.JACKKNIFE_GROUPS
        variance = float(jackknife_variance(influence, multiplicity))
        # relative error of a variance from 1000 groups: sqrt(2/1000)
        assert variance == pytest.approx(values.var(ddof=1) / 6000, rel=0.2)

    def test_one_unit_has_no_variance(self) -> None:
        with np.errstate(invalid="ignore"):
            influence, multiplicity = cell_influence(mean_of_cells(np.array([2.0])), [1])
        assert np.isnan(jackknife_variance(influence, multiplicity))

    def test_many_models_at_once(self) -> None:
        values = np.array([[0.0, 1.0, 5.0], [2.0, 2.0, 7.0]])
        counts = np.array([3, 2, 4])

        def both(weights: NDArray[Any]) -> NDArray[Any]:
            return np.stack([mean_of_cells(row)(weights) for row in values], axis=-1)

        deleted, _ = jackknife(both, counts, 1)
        for column, row in enumerate(values):
            alone, _ = jackknife(mean_of_cells(row), counts, 1)
            np.testing.assert_array_equal(deleted[:, column], alone)


class TestJackknifeCovariance:
    def test_of_means_it_is_their_covariance(self) -> None:
        values = np.random.default_rng(4).normal(size=(9, 3)) @ np.array(
            [[1.0, 0.4, 0.0], [0.0, 2.0, -1.0], [0.0, 0.0, 0.5]]
        )
        strays = (values.mean(axis=0) - values) / 8.0  # a mean without one of nine, less the mean
        found = jackknife_covariance(strays, np.ones(9))
        assert found == pytest.approx(np.cov(values, rowvar=False) / 9.0)

    def test_a_deletion_counts_as_often_as_it_could_be_made(self) -> None:
        strays = np.array([[0.1, -0.3], [0.4, 0.2], [-0.5, 0.6]])
        each = jackknife_covariance(np.repeat(strays, [3, 1, 2], axis=0), np.ones(6))
        assert jackknife_covariance(strays, np.array([3.0, 1.0, 2.0])) == pytest.approx(each)

    @pytest.mark.parametrize("times", [1.0, 0.5])
    def test_of_one_unit_nothing_is_known(self, times: float) -> None:
        found = jackknife_covariance(np.array([[0.1, 0.2]]), np.array([times]))
        assert found.shape == (2, 2)
        assert np.isnan(found).all()

    def test_of_two_units_it_is_known(self) -> None:
        found = jackknife_covariance(np.array([[1.0], [-1.0]]), np.ones(2))
        assert found.tolist() == [[1.0]]


def test_counts_beyond_the_total_are_drawn_again(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = iter([[[2, 2, 2, 2], [0, 1, 0, 1]], [[0, 0, 1, 0]]])
    table = SimpleNamespace(look_up=lambda rng, bits: np.array(next(drawn)))
    monkeypatch.setattr(resampling, "PoissonTable", SimpleNamespace(of=lambda rate: table))
    found = resampling._poisson_items(4)(np.random.default_rng(1), 2)
    assert found.sum(axis=1).tolist() == [4, 4]
    assert (found >= [[0, 0, 1, 0], [0, 1, 0, 1]]).all()
