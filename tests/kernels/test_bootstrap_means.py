"""The exact bootstrap of a mean against enumeration, the binomial distribution and drawing."""

import math
from collections import Counter
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import bdtr, bdtrc
from scipy.stats import binom

from assay.kernels import bootstrap_means as mean_draws_module
from assay.kernels.bootstrap_means import MeanDraws, mean_draws, sum_of_draws
from assay.kernels.cumulants import NEGLIGIBLE, Cumulants, Draws, bernstein_ends, log_upper_tail

DRAWN = 40_000


def law_of(values: np.ndarray, **options: object) -> MeanDraws:
    found = mean_draws(np.asarray(values, dtype=np.float64), **options)  # type: ignore[arg-type]
    assert found is not None
    return found


def enumerated(values: list[int]) -> Counter[int]:
    """How many of all n^n samples have which sum."""
    return Counter(sum(sample) for sample in product(values, repeat=len(values)))


def drawn_means(values: np.ndarray, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.asarray(values[rng.integers(0, values.size, (DRAWN, values.size))].mean(axis=1))


class TestLattice:
    def test_is_the_binomial_of_zeros_and_ones(self) -> None:
        law = law_of(np.array([0.0, 1.0]), counts=np.array([700, 300]))
        assert law.how == "lattice"
        for k in (250, 270, 300, 345):
            assert law.at_most(k / 1000) == pytest.approx(bdtr(k, 1000, 0.3), rel=1e-9)
            assert law.at_least(k / 1000) == pytest.approx(bdtrc(k - 1, 1000, 0.3), rel=1e-9)

    @pytest.mark.parametrize("high", [1.0, 3.0])
    def test_both_tails_share_the_outcome_between_them(self, high: float) -> None:
        law = law_of(np.array([0.0, high]), counts=np.array([9_000, 1_000]))
        for k in (940, 1000, 1071):
            both = law.at_most(high * k / 10_000) + law.at_least(high * k / 10_000)
            assert both - 1.0 == pytest.approx(binom.pmf(k, 10_000, 0.1), rel=1e-9)

    @pytest.mark.parametrize("counts", [[400, 9_000, 600], [50, 60, 70, 80, 90], [3_000, 0, 3_000]])
    def test_short_histograms_are_transformed_as_long_ones(
        self, counts: list[int], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        values = np.arange(float(len(counts)))
        short = law_of(values, counts=np.array(counts))
        monkeypatch.setattr(mean_draws_module, "SHORT", 0)
        long = law_of(values, counts=np.array(counts))
        assert np.abs(short.below - long.below).max() < 1e-11

    def test_beyond_the_support(self) -> None:
        law = law_of(np.array([0.0, 1.0, 1.0]))
        assert (law.at_most(-0.1), law.at_least(-0.1)) == (0.0, 1.0)
        assert (law.at_most(1.1), law.at_least(1.1)) == (1.0, 0.0)

    @pytest.mark.parametrize("counts", [[70, 30], [5, 90, 5], [9_999, 1]])
    def test_moments_of_the_mean_itself(self, counts: list[int]) -> None:
        law = law_of(np.arange(float(len(counts))), counts=np.array(counts))
        assert law.moments() == pytest.approx(law.moments(lambda mean: mean), rel=1e-10)

    def test_limits_are_the_outcomes_that_p_values_reach(self) -> None:
        law = law_of(np.array([0.0, 1.0]), counts=np.array([60, 40]))
        low, high = law.low(0.025), law.high(0.025)
        assert law.at_most(low) > 0.025 >= law.at_most(low - 0.01)
        assert law.at_least(high) > 0.025 >= law.at_least(high + 0.01)

    @settings(deadline=None, max_examples=40)
    @given(st.lists(st.integers(-4, 9), min_size=2, max_size=6).filter(lambda v: len(set(v)) > 1))
    def test_brute_force(self, values: list[int]) -> None:
        law = law_of(np.array(values) / 7.0)
        counts = enumerated(values)
        total = sum(counts.values())
        for place in counts:
            at_most = sum(times for s, times in counts.items() if s <= place) / total
            x = place / (7.0 * len(values))
            assert law.at_most(x) == pytest.approx(at_most, abs=1e-11)

    def test_decimals_and_counts_are_the_same_values(self) -> None:
        rng = np.random.default_rng(3)
        values = np.round(rng.exponential(0.3, 400), 2)
        distinct, counts = np.unique(values, return_counts=True)
        one, other = law_of(values), law_of(distinct, counts=counts)
        assert one.how == other.how == "lattice"
        assert one.low(0.05) == pytest.approx(other.low(0.05), rel=1e-12)
        assert one.at_most(0.3) == pytest.approx(other.at_most(0.3), abs=1e-12)


class TestInversion:
    @pytest.mark.parametrize("kind", ["normal", "exponential", "lognormal", "cauchy"])
    @pytest.mark.parametrize("n", [17, 60, 400])
    def test_agrees_with_drawing(self, kind: str, n: int) -> None:
        rng = np.random.default_rng(n)
        values = {
            "normal": rng.normal(size=n),
            "exponential": rng.exponential(size=n),
            "lognormal": rng.lognormal(sigma=2.0, size=n),
            "cauchy": rng.standard_cauchy(n),
        }[kind]
        law = law_of(values)
        assert law.how == "inversion"
        means = np.sort(drawn_means(values, 1))
        probabilities = np.array([0.005, 0.025, 0.2, 0.5, 0.8, 0.975, 0.995])
        found = [law.at_most(float(x)) for x in means[(probabilities * DRAWN).astype(int)]]
        spread = np.sqrt(probabilities * (1 - probabilities) / DRAWN)
        assert np.abs(found - probabilities).max() <= (5 * spread).max()
        assert law.moments(lambda m: m)[0] == pytest.approx(values.mean(), rel=1e-8)
        assert law.sigma == pytest.approx(values.std() / math.sqrt(n))

    def test_limits_leave_the_tail(self) -> None:
        law = law_of(np.random.default_rng(2).exponential(size=1000))
        for tail in (0.25, 0.025, 1e-4):
            assert law.at_most(law.low(tail)) == pytest.approx(tail, abs=1e-11)
            assert law.at_least(law.high(tail)) == pytest.approx(tail, abs=1e-11)

    def test_a_fine_lattice_is_smooth_but_for_half_a_step(self) -> None:
        values = np.round(np.random.default_rng(4).normal(0.0, 1.0, 3000), 3)
        law = law_of(values)
        assert law.how == "inversion"
        assert law.step == pytest.approx(0.001 / 3000)
        middle = 0.5 * (law.low(0.3) + law.high(0.3))
        place = round((middle - law.mean) / law.step) * law.step + law.mean
        both = law.at_most(place) + law.at_least(place)
        density = 1 / (law.sigma * math.sqrt(2 * math.pi))
        assert both - 1.0 == pytest.approx(law.step * density, rel=0.2)

    def test_moments_of_a_function(self) -> None:
        values = np.random.default_rng(5).normal(0.0, 1.0, 60) ** 2
        mean, error = law_of(values).moments(np.sqrt)
        drawn = np.sqrt(drawn_means(values, 2))
        assert mean == pytest.approx(drawn.mean(), abs=5 * error / math.sqrt(DRAWN))
        assert error == pytest.approx(drawn.std(), rel=0.03)

    def test_the_order_of_values_is_irrelevant(self) -> None:
        values = np.random.default_rng(6).lognormal(size=5000)
        one, other = law_of(values), law_of(values[::-1])
        assert one.low(0.025) == pytest.approx(other.low(0.025), rel=1e-12)

    def test_shift_and_scale(self) -> None:
        values = np.random.default_rng(7).exponential(size=300)
        one, other = law_of(values), law_of(1e6 + 3.0 * values)
        assert other.low(0.025) == pytest.approx(1e6 + 3.0 * one.low(0.025), rel=1e-12)

    def test_one_value_that_dwarfs_the_others(self) -> None:
        values = np.append(np.random.default_rng(8).normal(size=99), 1e4)
        law = mean_draws(values)
        if law is not None:  # lumps at 0, 100, 200 …: how often the one is drawn
            assert law.at_most(50.0) == pytest.approx(0.99**100, abs=1e-6)


class TestStrata:
    def test_each_keeps_its_number(self) -> None:
        rng = np.random.default_rng(9)
        strata = np.repeat([0, 1], [30, 90])
        values = rng.normal(size=120) + 5.0 * strata
        law = law_of(values, strata=strata)
        within = sum(values[strata == s].var() * (strata == s).sum() for s in (0, 1))
        assert law.sigma == pytest.approx(math.sqrt(within) / 120)
        assert law.sigma < 0.5 * law_of(values).sigma

    def test_two_samples(self) -> None:
        rng = np.random.default_rng(10)
        a, b = rng.exponential(size=40), rng.normal(size=70)
        law = sum_of_draws([Draws.of(a / 40), Draws.of(-b / 70)])
        assert law is not None
        means = drawn_means(a, 3) - drawn_means(b, 4)
        assert law.mean == pytest.approx(a.mean() - b.mean())
        assert law.at_most(float(np.quantile(means, 0.1))) == pytest.approx(0.1, abs=0.01)

    def test_lattices_that_do_not_fit_together_are_left_to_drawing(self) -> None:
        coins = np.repeat([0.0, 1.0], 20)
        assert sum_of_draws([Draws.of(coins / 40), Draws.of(-coins[:30] / 37)]) is None


class TestNone:
    @pytest.mark.parametrize(
        "values",
        [
            np.ones(50),
            np.random.default_rng(1).random(16),
            np.append(np.zeros(500), [1.0, 2.0**0.5]),
        ],
        ids=["equal", "too-few", "clustered"],
    )
    def test_where_drawing_is_better(self, values: np.ndarray) -> None:
        assert mean_draws(values) is None


class TestFarTail:
    def test_binomial(self) -> None:
        law = law_of(np.array([0.0, 1.0]), counts=np.array([700, 300]))
        found = law.log_tail(0.5, upper=True)
        assert found == pytest.approx(binom.logsf(499, 1000, 0.3), abs=2e-3)

    def test_both_ways_agree_where_they_meet(self) -> None:
        law = law_of(np.random.default_rng(11).exponential(size=2000))
        x = law.low(1e-6)
        saddle = log_upper_tail([one.mirrored() for one in law.draws], law.mean - x, 0.0)
        assert saddle == pytest.approx(math.log(1e-6), abs=5e-3)

    def test_ends_of_the_support(self) -> None:
        law = law_of(np.array([1.0, 2.0, 2.0]))
        assert law.log_tail(0.9, upper=False) == -math.inf
        draws = law.draws
        assert log_upper_tail(draws, 2.0 - law.mean, law.step) == pytest.approx(3 * math.log(2 / 3))
        assert law.log_least == pytest.approx(-3 * math.log(3))


class TestBernsteinEnds:
    @pytest.mark.parametrize("ones", [1, 10, 500, 990])
    def test_little_lies_beyond(self, ones: int) -> None:
        draws = Draws.of(np.array([0.0, 1.0]), np.array([1000 - ones, ones]))
        sigma = math.sqrt(draws.n * draws.variance)
        below, above = bernstein_ends([draws], sigma)
        law = binom(1000, ones / 1000)
        assert law.logcdf(ones - sigma * below) <= -NEGLIGIBLE
        assert law.logsf(ones + sigma * above) <= -NEGLIGIBLE
        assert max(below, above) < 30.0


class TestCumulants:
    @pytest.mark.parametrize("reach", [2.0, 8.7, 60.0])
    def test_is_the_log_of_the_mean_exponential(self, reach: float) -> None:
        values = np.random.default_rng(12).lognormal(sigma=1.5, size=300)
        draws = Draws.of(values / 300)
        sigma = math.sqrt(draws.n * draws.variance)
        t = np.asarray(1j * np.linspace(0.1, reach, 7), dtype=np.complex128)
        found = Cumulants.of([draws], sigma, reach)(t)
        u = draws.values / sigma
        wanted = 300 * np.log(np.exp(np.outer(t, u)).mean(axis=1))
        assert np.abs(np.exp(found) - np.exp(wanted)).max() < 1e-11


@pytest.mark.parametrize(("n", "error"), [(90, 1e-12), (5000, 5e-12)])
def test_a_lattice_is_exact_but_for_rounding(n: int, error: float) -> None:
    law = mean_draws(np.tile([0.0, 1.0], n // 2))
    assert law is not None
    assert law.error == pytest.approx(error, rel=1e-9, abs=0.0)
