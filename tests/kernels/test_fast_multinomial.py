"""Numbers from tables: Poisson and multinomial probabilities, to the last digit where they are listed."""

from itertools import product
from math import sqrt

import numpy as np
import pytest
from scipy import stats

from assay.kernels.fast_multinomial import (
    ENTRIES,
    PoissonTable,
    multinomial_drawer,
    pays,
    random_bits,
    reach,
)


class TestPoissonTable:
    @pytest.mark.parametrize("rate", [0.75, 0.9, 1.0, 7.0, 300.0, 250_000.0])
    def test_table_and_residual_give_poisson_probabilities(self, rate: float) -> None:
        made = PoissonTable.of(rate)
        size = made.residual.size
        entries = np.bincount(made.table, minlength=size + 1) / ENTRIES
        found = entries[:size] + entries[size] * np.diff(made.residual, prepend=0.0)
        mpmath = pytest.importorskip("mpmath")  # SciPy's own are off by 1e-9 at the largest rate
        with mpmath.workdps(30):
            for place in range(0, size, max(1, size // 500)):
                k = made.low + place
                exact = mpmath.exp(k * mpmath.log(rate) - rate - mpmath.loggamma(k + 1))
                assert found[place] == pytest.approx(float(exact), rel=1e-9, abs=1e-17)
        assert found.sum() == pytest.approx(1.0, abs=1e-12)

    def test_every_entry_can_be_looked_up(self) -> None:
        made = PoissonTable.of(40.0)
        drawn = made.look_up(np.random.default_rng(1), np.arange(ENTRIES, dtype=np.uint16))
        assert drawn.max() < made.residual.size

    def test_numbers_are_poisson(self) -> None:
        rng, made = np.random.default_rng(2), PoissonTable.of(90_000.0)
        drawn = made.low + made.look_up(rng, random_bits(rng, 40_000)).astype(np.int64)
        law = stats.poisson(90_000.0)
        cells = np.searchsorted(law.ppf([0.001, 0.02, 0.2, 0.5, 0.8, 0.98, 0.999]), drawn)
        ends = law.cdf(law.ppf([0.001, 0.02, 0.2, 0.5, 0.8, 0.98, 0.999]))
        expected = np.diff(np.concatenate([[0.0], ends, [1.0]])) * drawn.size
        assert stats.chisquare(np.bincount(cells, minlength=8), expected).pvalue > 1e-4


class TestReach:
    @pytest.mark.parametrize("rate", [0.75, 5.0, 1e3, 1e6])
    def test_less_than_rounding_lies_beyond(self, rate: float) -> None:
        low, high = reach(rate)
        assert stats.poisson(rate).sf(high) < 1e-17
        assert low == 0 or stats.poisson(rate).cdf(low - 1) < 1e-17


class TestMultinomialDrawer:
    @pytest.mark.parametrize("sizes", [[3, 2, 5], [1, 7], [2, 2, 2, 2]])
    def test_every_outcome_has_its_probability(self, sizes: list[int]) -> None:
        n, rows = sum(sizes), 60_000
        drawn = multinomial_drawer(np.array(sizes))(np.random.default_rng(3), rows)
        law = stats.multinomial(n, np.array(sizes) / n)
        outcomes = [x for x in product(range(n + 1), repeat=len(sizes)) if sum(x) == n]
        expected = rows * law.pmf(np.array(outcomes))
        found = dict.fromkeys(outcomes, 0)
        for row, times in zip(*np.unique(drawn, axis=0, return_counts=True), strict=True):
            found[tuple(row.tolist())] = int(times)
        observed = np.array([found[x] for x in outcomes])
        many = expected >= 5
        rest = [expected[~many].sum()] if not many.all() else []
        seen = [observed[~many].sum()] if rest else []
        p = stats.chisquare([*observed[many], *seen], [*expected[many], *rest]).pvalue
        assert p > 1e-4

    def test_large_cells_have_multinomial_moments(self) -> None:
        sizes = np.array([250_000, 20_000, 0, 10_000, 50_000, 670_000])
        n, rows = int(sizes.sum()), 50_000
        drawn = multinomial_drawer(sizes)(np.random.default_rng(4), rows)
        assert drawn.shape == (rows, 6)
        assert (drawn.sum(axis=1) == n).all()
        assert not drawn[:, 2].any()
        held = np.flatnonzero(sizes)
        shares = sizes[held] / n
        exact = n * (np.diag(shares) - np.outer(shares, shares))
        z = (drawn[:, held].mean(axis=0) - sizes[held]) / np.sqrt(np.diag(exact) / rows)
        assert np.abs(z).max() < 4.5
        scale = np.sqrt(np.outer(np.diag(exact), np.diag(exact)))
        assert np.abs((np.cov(drawn[:, held].T) - exact) / scale).max() < 4.5 * sqrt(2 / rows)

    def test_one_cell_gets_all(self) -> None:
        drawn = multinomial_drawer(np.array([0, 9]))(np.random.default_rng(5), 3)
        assert drawn.tolist() == [[0, 9]] * 3


class TestPays:
    @pytest.mark.parametrize(
        ("sizes", "n_resamples", "expected"),
        [
            ([300_000, 700_000], 10_000, True),
            ([300_000, 700_000], 1_000, False),  # building costs more than it saves
            ([30_000_000, 70_000_000], 100_000, False),  # too wide for a table
            ([20] * 50, 10_000, False),  # no large cell: too few tries would be accepted
            ([9], 10_000, False),
        ],
    )
    def test_where_tables_are_worth_it(
        self, sizes: list[int], n_resamples: int, expected: bool
    ) -> None:
        assert pays(np.array(sizes), n_resamples) is expected
