"""Differences of areas near 1, where items that tell the models apart are rare."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.core.vocabulary import Alternative
from assay.hypotheses.roc import delong_test
from tests.hypotheses.laws import facts


def near_one(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Two models that rank nearly all items right; the second turns one positive in fifty round."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % 2
    a = truth + 0.2 * rng.standard_normal(n)
    b = truth + 0.2 * rng.standard_normal(n)
    turned = (rng.random(n) < 0.02) & (truth == 1)
    b[turned] = rng.uniform(-0.3, 0.6, turned.sum())
    return truth, a, b


class TestDelong:
    def test_covers_a_difference_that_few_items_make(self) -> None:
        """One positive in fifty is ranked low: a difference of 0.0066."""
        truth, a, b = near_one(0, 400_000)
        true = delong_test(truth, a, b).effect.value
        covered = {"normal": 0, "t": 0}
        for seed in range(1, 301):
            sample = near_one(seed, 120)
            for variant in covered:
                interval = delong_test(*sample, variant=variant).effect.interval  # type: ignore[arg-type]
                covered[variant] += interval is not None and interval.contains(true or 0.0)
        assert covered["normal"] < 240
        assert covered["t"] > 275

    def test_covers_where_rare_items_are_ranked_wholly_apart(self) -> None:
        """One item in fifty is at the wrong end; before lean and larger L 268 of these 300 intervals covered."""

        def turned(seed: int, n: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
            rng = np.random.default_rng(seed)
            truth = np.arange(n) % 2
            a, b = (truth + 0.2 * rng.standard_normal(n) for _ in range(2))
            return truth, a, np.where(rng.random(n) < 0.02, 2.0 - 3.0 * truth, b)

        true = delong_test(*turned(0, 400_000)).effect.value
        intervals = [
            delong_test(*turned(seed, 200), variant="t").effect.interval for seed in range(1, 301)
        ]
        covered = sum(one is not None and one.contains(true or 0.0) for one in intervals)
        assert covered > 280

    @given(
        seed=st.integers(0, 500),
        n=st.integers(12, 120),
        side=st.sampled_from(["two-sided", "greater", "less"]),
        level=st.sampled_from([0.9, 0.95, 0.99]),
    )
    @settings(max_examples=60, deadline=None)
    def test_the_interval_decides(self, seed: int, n: int, side: Alternative, level: float) -> None:
        outcome = delong_test(*near_one(seed, n), variant="t", alternative=side, level=level)
        interval = outcome.effect.interval
        if (
            outcome.effect.standard_error
            and interval is not None
            and -1 < interval.low < interval.high < 1
        ):
            assert interval.contains(0.0) == ((outcome.p_value or 0.0) > round(1.0 - level, 9))

    def test_ordinary_areas_keep_their_t_interval(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.integers(0, 2, 200)
        a, b = (truth + 1.5 * rng.standard_normal(200) for _ in range(2))
        outcome = delong_test(truth, a, b, variant="t")
        found = facts(outcome)
        reach = stats.t.isf(0.025, found["df"]) * np.sqrt(found["var_diff"])
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.high - (outcome.effect.value or 0.0) == pytest.approx(reach)

    def test_only_the_end_away_from_0_leans(self) -> None:
        truth, a, b = near_one(6, 300)
        outcome = delong_test(truth, a, b, variant="t")
        mirrored = delong_test(truth, b, a, variant="t")
        found, interval = facts(outcome), outcome.effect.interval
        reach = stats.t.isf(0.025, found["df"]) * np.sqrt(found["var_diff"])
        assert interval is not None
        assert mirrored.effect.interval is not None
        value = outcome.effect.value or 0.0
        assert value > 0.0
        assert interval.high > value + 1.05 * reach
        assert mirrored.effect.interval.low == pytest.approx(-interval.high)
