"""Sign flips of many differences against the laws that look at each of them."""

import math

import numpy as np
import pytest
from scipy.special import bdtr, ndtr

from assay.core.vocabulary import Alternative
from assay.kernels.sign_flip_distribution import exact_flips, flip_tail, sampled_flips
from assay.kernels.sign_flip_tests import LARGE, flip_tails, flip_test


def cases(n: int) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(n)
    return {
        "squares": rng.normal(size=n) ** 2 - 1.02 * rng.normal(size=n) ** 2,
        "shifted": rng.normal(size=n) + 4.0 / math.sqrt(n),
        "far": rng.normal(size=n) + 12.0 / math.sqrt(n),
        "heavy": rng.standard_t(3, size=n),
        "decimals": np.round(rng.normal(0.0, 0.05, n), 3),
    }


class TestFlipTest:
    @pytest.mark.parametrize("kind", ["squares", "shifted", "far", "heavy", "decimals"])
    def test_is_the_law_of_all_terms(self, kind: str) -> None:
        differences = cases(4000)[kind]
        one = flip_test(differences, 0.025, "two-sided")
        other = exact_flips(differences, 0.025, "two-sided")
        assert one is not None
        assert other is not None
        assert one.log10_p == pytest.approx(other.log10_p, rel=1e-9, abs=1e-11)
        width = other.high - other.low
        assert one.low == pytest.approx(other.low, abs=1e-8 * width)
        assert one.high == pytest.approx(other.high, abs=1e-8 * width)

    @pytest.mark.parametrize("alternative", ["greater", "less"])
    def test_one_sided(self, alternative: Alternative) -> None:
        differences = cases(3000)["shifted"]
        one = flip_test(differences, 0.05, alternative)
        other = exact_flips(differences, 0.05, alternative)
        assert one is not None
        assert other is not None
        assert one.p == pytest.approx(other.p, rel=1e-9)
        assert (one.low, one.high) == pytest.approx((other.low, other.high), rel=1e-7)

    def test_cross_check_by_drawing(self) -> None:
        differences = np.random.default_rng(5).normal(0.03, 1.0, LARGE)
        exact = flip_test(differences, 0.025, "two-sided")
        drawn = sampled_flips(differences, 0.025, "two-sided", 20_000, np.random.default_rng(1))
        assert exact is not None
        assert drawn.p == pytest.approx(exact.p, abs=5 * math.sqrt(exact.p / 20_000))
        assert drawn.low == pytest.approx(exact.low, abs=0.01)

    @pytest.mark.parametrize("lead", [0.0, 1e-9, 0.01, 0.3, -0.3, 2.0])
    def test_near_the_middle_it_is_normal(self, lead: float) -> None:
        """Sums of nothing, or of next to nothing, have half of the law on either side."""
        half = np.random.default_rng(3).normal(size=LARGE)
        differences = np.concatenate([half, -half])
        spread = math.sqrt(float((differences**2).sum()))
        tails = flip_tails(differences + lead * spread / differences.size)
        assert tails is not None
        assert tails[0].p == pytest.approx(ndtr(-lead), abs=2e-4)
        assert tails[1].p == pytest.approx(ndtr(lead), abs=2e-4)

    def test_p_is_at_most_alpha_where_the_interval_excludes_zero(self) -> None:
        for seed in range(12):
            differences = np.random.default_rng(seed).normal(0.05, 1.0, 1500)
            found = flip_test(differences, 0.025, "two-sided")
            assert found is not None
            assert (found.p <= 0.05) == (found.low > 0.0 or found.high < 0.0)

    def test_few_values_with_their_numbers(self) -> None:
        rng = np.random.default_rng(7)
        differences = rng.choice([-1.0, 0.0, 1.0], 5000, p=[0.09, 0.8, 0.11])
        found = flip_test(differences, 0.025, "two-sided")
        assert found is not None
        assert found.how == "binomial"
        lost, decided = int((differences < 0).sum()), int((differences != 0).sum())
        assert found.p == pytest.approx(2 * bdtr(lost, decided, 0.5), rel=1e-9)
        assert found.low > 0.0 or found.p > 0.05

    def test_mirrors(self) -> None:
        differences = cases(2500)["heavy"]
        one = flip_test(differences, 0.025, "two-sided")
        other = flip_test(-differences, 0.025, "two-sided")
        assert one is not None
        assert other is not None
        assert (one.p, one.low, one.high) == pytest.approx((other.p, -other.high, -other.low))


class TestFlipTails:
    def test_small_ones_are_enumerated(self) -> None:
        differences = np.array([8.0, 17.0, -5.0, 10.0, -5.0])
        tails, alone = flip_tails(differences), flip_tail(differences)
        assert tails is not None
        assert alone is not None
        assert tails[0].p == alone.p == 6 / 32

    def test_counts(self) -> None:
        tails = flip_tails(np.array([-1.0, 0.0, 1.0]), np.array([30, 500, 50]))
        assert tails is not None
        assert tails[0].how == "binomial"
        assert tails[0].p == pytest.approx(bdtr(30, 80, 0.5))
        assert tails[1].p == pytest.approx(1.0 - bdtr(29, 80, 0.5))

    def test_counts_of_several_sizes(self) -> None:
        values, counts = np.array([-2.0, 1.0, 3.0]), np.array([4, 3, 5])
        one, other = flip_tails(values, counts), flip_tails(np.repeat(values, counts))
        assert one is not None
        assert other is not None
        assert one[0].p == other[0].p

    def test_a_probability_below_the_smallest_number(self) -> None:
        tails = flip_tails(np.array([1.0]), np.array([4000]))
        assert tails is not None
        assert tails[0].p == 0.0
        assert tails[0].log_p == pytest.approx(-4000 * math.log(2.0))
