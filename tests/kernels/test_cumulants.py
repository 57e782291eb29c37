"""Sums of draws with replacement: against sums written out, binomial and multinomial probabilities."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, multinomial

from assay.kernels.cumulants import Cumulants, Draws, bernstein_ends, log_upper_tail

FAR = np.array([-3.0, -0.2, 0.1, 0.1, 0.4, 0.5, 0.7, 1.1, 1.3, 25.0])
"""A value far from the others, which gets a bin of its own."""
COUNTS = np.array([2.0, 1.0, 5.0, 0.0, 1.0, 3.0, 1.0, 2.0, 4.0, 1.0])


def coin(ones: int, n: int) -> Draws:
    """Draws whose sum is binomial: n values, so many of them 1 and the rest 0."""
    return Draws.of(np.array([0.0, 1.0]), np.array([n - ones, ones]))


@pytest.mark.parametrize("counts", [None, COUNTS])
class TestDraws:
    def test_moments(self, counts: Any) -> None:
        repeated = FAR if counts is None else np.repeat(FAR, counts.astype(int))
        found = Draws.of(FAR, counts)
        assert found.n == repeated.size
        assert found.centre == pytest.approx(repeated.mean(), rel=1e-14)
        assert found.variance == pytest.approx(repeated.var(), rel=1e-14)
        assert found.low == pytest.approx(repeated.min() - repeated.mean())
        assert found.high == pytest.approx(repeated.max() - repeated.mean())
        mirrored = found.mirrored()
        assert (mirrored.low, mirrored.high) == (-found.high, -found.low)
        assert mirrored.centre == -found.centre

    @pytest.mark.parametrize("tilt", [-0.8, 0.3])
    def test_tilted(self, counts: Any, tilt: float) -> None:
        repeated = FAR if counts is None else np.repeat(FAR, counts.astype(int))
        centred = repeated - repeated.mean()
        masses = np.exp(tilt * centred)
        mean = (masses * centred).sum() / masses.sum()
        variance = (masses * (centred - mean) ** 2).sum() / masses.sum()
        expected = math.log(masses.mean()), mean, variance
        assert Draws.of(FAR, counts).tilted(tilt) == pytest.approx(expected, rel=1e-11)

    def test_cumulants(self, counts: Any) -> None:
        repeated = FAR if counts is None else np.repeat(FAR, counts.astype(int))
        draws = Draws.of(FAR, counts)
        sigma = math.sqrt(draws.n * draws.variance)
        z = np.array([0.2, -1.5, 2.0j, 6.0j, 1.0 + 3.0j])
        scaled = (repeated - repeated.mean()) / sigma
        expected = draws.n * np.log(np.exp(z[:, None] * scaled).mean(axis=1))
        found = Cumulants.of([draws], sigma, 8.7)
        np.testing.assert_allclose(np.exp(found(z)), np.exp(expected), rtol=1e-12)
        assert 2 <= found.width <= 6  # one bin near the mean, a few beyond it

    def test_mirrored_cumulants(self, counts: Any) -> None:
        """A value far below the others is the mirror image of one far above them."""
        draws, z = Draws.of(FAR, counts), np.array([0.2, -1.5, 2.0j, 6.0j])
        sigma = math.sqrt(draws.n * draws.variance)
        mirror = Cumulants.of([Draws.of(-FAR, counts)], sigma, 8.7)
        expected = Cumulants.of([draws], sigma, 8.7)(-z)
        np.testing.assert_allclose(np.exp(mirror(z)), np.exp(expected), rtol=1e-12)

    def test_two_groups_add_up(self, counts: Any) -> None:
        one, other = Draws.of(FAR, counts), coin(3, 10)
        sigma = math.sqrt(one.n * one.variance + other.n * other.variance)
        z = np.array([0.4, 2.0j])
        together = Cumulants.of([one, other], sigma, 8.7)(z)
        alone = [Cumulants.of([each], sigma, 8.7)(z) for each in (one, other)]
        np.testing.assert_allclose(together, sum(alone), rtol=1e-12)


class TestLattice:
    VALUES = np.array([1.0, 1.5, 1.5, 3.0, 1.0, 1.0, 3.0, 3.0, 3.0])

    def test_places(self) -> None:
        draws = Draws.of(self.VALUES)
        assert draws.step() == pytest.approx(0.5)
        assert draws.places(0.5).tolist() == [0, 1, 1, 4, 0, 0, 4, 4, 4]

    def test_gathered(self) -> None:
        draws = Draws.of(self.VALUES)
        found = draws.gathered(0.5)
        assert (found.values + found.centre).tolist() == pytest.approx([1.0, 1.5, 3.0])
        assert found.counts is not None
        assert found.counts.tolist() == [3.0, 2.0, 4.0]
        assert (found.n, found.variance) == (draws.n, draws.variance)

    def test_not_gathered_where_that_is_no_shorter(self) -> None:
        draws = Draws.of(self.VALUES[:5])  # five values on five places
        assert draws.gathered(0.5) is draws
        assert Draws.of(self.VALUES[:6]).gathered(0.5).values.size == 3

    @pytest.mark.parametrize(("most", "few"), [(2, False), (3, True), (4, True)])
    def test_few(self, most: int, few: bool) -> None:
        assert Draws.of(self.VALUES).few(most) is few
        assert Draws.of(np.array([1.0, 1.5, 3.0]), np.array([3, 2, 4])).few(most) is few

    def test_few_of_hardly_more_is_not_few(self) -> None:
        assert not Draws.of(self.VALUES[:6]).few(3)  # six values, three of them different
        assert Draws.of(self.VALUES[:7]).few(3)

    def test_the_likeliest_sample(self) -> None:
        counts = np.array([3, 2, 4])
        found = Draws.of(np.array([1.0, 1.5, 3.0]), counts).log_grain()
        assert found == pytest.approx(multinomial(9, counts / 9).logpmf(counts), rel=1e-12)
        assert Draws.of(np.arange(5.0)).log_grain() == pytest.approx(math.log(120 / 5**5))


class TestTails:
    @pytest.mark.parametrize(
        ("ones", "n", "above"),
        [
            (12, 40, 3),
            (12, 40, 9),
            (30, 40, 3),
            (30, 40, 6),
            (5, 200, 3),
            (5, 200, 9),
            (5, 200, 40),
        ],
    )
    def test_binomial(self, ones: int, n: int, above: int) -> None:
        draws = coin(ones, n)
        found = log_upper_tail([draws], above, 1.0)
        expected = binom(n, ones / n).logsf(ones + above - 1)
        assert found == pytest.approx(expected, abs=0.02)  # a saddle point is good to two percent

    def test_sum_of_two_binomials_with_one_rate(self) -> None:
        found = log_upper_tail([coin(6, 20), coin(9, 30)], 7.0, 1.0)
        assert found == pytest.approx(binom(50, 0.3).logsf(21), abs=0.02)

    def test_without_a_lattice_it_is_the_tail_of_a_normal_sum(self) -> None:
        values = np.random.default_rng(1).normal(size=4000)
        draws = Draws.of(values)
        sigma = math.sqrt(draws.n * draws.variance)
        tail = math.log(0.5 * math.erfc(2.0 / math.sqrt(2.0)))
        skew = ((draws.values / draws.values.std()) ** 3).mean() / 6.0 / math.sqrt(draws.n)
        density = math.exp(-2.0) / math.sqrt(2.0 * math.pi)
        edgeworth = math.log(math.exp(tail) + skew * 3.0 * density)  # H2(2) = 3
        assert log_upper_tail([draws], 2.0 * sigma, 0.0) == pytest.approx(edgeworth, abs=2e-3)

    def test_at_the_mean_it_is_half(self) -> None:
        assert log_upper_tail([coin(20, 40)], 0.0, 0.0) == pytest.approx(math.log(0.5))

    def test_the_largest_sum_and_beyond(self) -> None:
        draws = coin(8, 10)
        assert log_upper_tail([draws], 2.0, 1.0) == pytest.approx(10 * math.log(0.8))
        assert log_upper_tail([draws], 3.0, 1.0) == -math.inf
        listed = Draws.of(np.array([1.0] * 3 + [0.0]))
        assert log_upper_tail([listed], 1.0, 1.0) == pytest.approx(4 * math.log(0.75))


def test_ends_of_a_nearly_normal_sum() -> None:
    """For a normal sum (t²/2 + 34)/t is least at t = √68, where it is √68."""
    draws = coin(5000, 10_000)
    sigma = math.sqrt(draws.n * draws.variance)
    below, above = Cumulants.of([draws], sigma, 8.7).ends()
    assert (below, above) == pytest.approx((math.sqrt(68.0), math.sqrt(68.0)), rel=2e-3)
    wide = 34.0 * 0.5 / (3.0 * sigma)
    expected = wide + math.sqrt(wide**2 + 68.0)
    assert bernstein_ends([draws], sigma) == pytest.approx((expected, expected))


def test_ends_differ_where_the_sum_is_skewed() -> None:
    draws = coin(100, 10_000)
    sigma = math.sqrt(draws.n * draws.variance)
    below, above = Cumulants.of([draws], sigma, 8.7).ends()
    thirds = 34.0 * 0.01 / (3.0 * sigma), 34.0 * 0.99 / (3.0 * sigma)
    expected = tuple(third + math.sqrt(third**2 + 68.0) for third in thirds)
    found = bernstein_ends([draws], sigma)
    assert found == pytest.approx(expected)
    assert below < math.sqrt(68.0) < above
    assert below <= found[0]
    assert above <= found[1]
