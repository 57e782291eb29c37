"""Posteriors of right and wrong answers: beta, Dirichlet, and their differences."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Posterior
from assay.hypotheses.bayes_outcomes import (
    bayes_paired_proportions,
    bayes_proportion,
    bayes_two_proportions,
)

counts = st.integers(0, 60)
ropes = st.sampled_from([0.0, 0.01, 0.2])


def shares(found: Posterior) -> tuple[float, float, float]:
    return found.p_left, found.p_rope, found.p_right


def mirrors(one: Posterior, other: Posterior) -> None:
    assert shares(one) == pytest.approx(shares(other)[::-1], abs=1e-9)
    assert one.effect.value == pytest.approx(-(other.effect.value or 0.0), abs=1e-6)


class TestBayesProportion:
    def test_jeffreys_interval_of_brown_cai_and_dasgupta(self) -> None:
        """5 of 20: Jeffreys' 95 % interval, as R's qbeta(c(.025, .975), 5.5, 15.5) gives it."""
        interval = bayes_proportion(5, 20, null=0.0).effect.interval
        assert interval is not None
        expected = stats.beta(5.5, 15.5).ppf([0.025, 0.975])
        assert [interval.low, interval.high] == pytest.approx(expected)

    def test_probabilities_are_of_the_beta_distribution(self) -> None:
        found = bayes_proportion(12, 80, null=0.2, rope=0.03)
        posterior = stats.beta(12.5, 68.5)
        assert found.p_left == pytest.approx(posterior.cdf(0.17))
        assert found.p_right == pytest.approx(posterior.sf(0.23))
        assert sum(shares(found)) == pytest.approx(1.0)

    def test_prior_is_named(self) -> None:
        assert "Jeffreys" in bayes_proportion(1, 9).prior
        assert bayes_proportion(1, 9, prior_strength=1.0).prior == "1 in each cell"

    @pytest.mark.parametrize("options", [{"null": 1.5}, {"prior_strength": 0.0}, {"rope": -0.1}])
    def test_refuses(self, options: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=r"rate|prior_strength|rope"):
            bayes_proportion(1, 9, **options)


class TestBayesPairedProportions:
    @settings(max_examples=30, deadline=None)
    @given(cells=st.tuples(counts, counts, counts, counts).filter(any), rope=ropes)
    def test_swapping_mirrors(self, cells: tuple[int, int, int, int], rope: float) -> None:
        right, only_a, only_b, wrong = cells
        one = bayes_paired_proportions(right, only_a, only_b, wrong, rope=rope)
        other = bayes_paired_proportions(right, only_b, only_a, wrong, rope=rope)
        mirrors(one, other)
        assert sum(shares(one)) == pytest.approx(1.0)

    def test_lies_between_the_binomial_tails(self) -> None:
        """Of the discordant items alone: Jeffreys' tail is between P(X > x) and P(X >= x)."""
        found = bayes_paired_proportions(60, 14, 5, 21)
        law = stats.binom(19, 0.5)
        assert law.sf(14) < found.p_left < law.sf(13)

    def test_agrees_with_draws(self) -> None:
        drawn = np.random.default_rng(3).dirichlet([14.5, 5.5, 82.0], 200_000)
        difference = drawn[:, 0] - drawn[:, 1]
        found = bayes_paired_proportions(60, 14, 5, 21, rope=0.05)
        assert found.p_right == pytest.approx((difference > 0.05).mean(), abs=0.004)
        assert found.p_left == pytest.approx((difference < -0.05).mean(), abs=0.001)

    def test_items_on_which_both_agree_count_by_their_number(self) -> None:
        assert shares(bayes_paired_proportions(80, 9, 4, 0, rope=0.02)) == shares(
            bayes_paired_proportions(30, 9, 4, 50, rope=0.02)
        )

    def test_models_that_never_differ_are_equally_probable(self) -> None:
        found = bayes_paired_proportions(40, 0, 0, 10)
        assert shares(found) == (0.5, 0.0, 0.5)
        assert found.effect.interval is not None
        assert found.effect.interval.width > 0.0

    def test_empty_table(self) -> None:
        with pytest.raises(EvidenceError):
            bayes_paired_proportions(0, 0, 0, 0)


class TestBayesTwoProportions:
    def test_agrees_with_draws(self) -> None:
        rng = np.random.default_rng(5)
        drawn = rng.beta(20.5, 80.5, 200_000) - rng.beta(30.5, 60.5, 200_000)
        found = bayes_two_proportions(20, 100, 30, 90, rope=0.02)
        assert found.p_left == pytest.approx((drawn < -0.02).mean(), abs=0.004)
        assert found.p_rope == pytest.approx((np.abs(drawn) < 0.02).mean(), abs=0.004)

    @settings(max_examples=20, deadline=None)
    @given(
        first=st.tuples(counts, counts).filter(any),
        second=st.tuples(counts, counts).filter(any),
        rope=ropes,
    )
    def test_swapping_mirrors(
        self, first: tuple[int, int], second: tuple[int, int], rope: float
    ) -> None:
        a, b = ((wrong, wrong + right) for wrong, right in (first, second))
        mirrors(bayes_two_proportions(*a, *b, rope=rope), bayes_two_proportions(*b, *a, rope=rope))

    def test_less_sure_than_with_pairs(self) -> None:
        paired = bayes_paired_proportions(60, 14, 5, 21)
        apart = bayes_two_proportions(26, 100, 35, 100)
        assert paired.p_left < apart.p_right
