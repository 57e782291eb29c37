"""The violation ratio of stochastic dominance and its resamples."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.stochastic_order import ratio_replicates, sorted_uniforms, violation_ratio
from tests.support import agree

SCORES = st.lists(st.integers(-20, 20).map(lambda x: x / 10), min_size=2, max_size=9)


class TestViolationRatio:
    def test_by_hand(self) -> None:
        """Sorted pairs differ by 1, 1 and -1: a third of the squared distance is against A."""
        assert agree(
            float(violation_ratio(np.array([2.0, 4.0, 5.0]), np.array([1.0, 3.0, 6.0]))), 1 / 3
        )

    @given(SCORES, SCORES)
    def test_is_the_integral_over_quantiles(self, a: list[float], b: list[float]) -> None:
        first, second = np.sort(a), np.sort(b)
        points = (np.arange(len(a) * len(b)) + 0.5) / (len(a) * len(b))
        distance = first[(points * len(a)).astype(int)] - second[(points * len(b)).astype(int)]
        total = float((distance**2).sum())
        expected = float((distance[distance < 0] ** 2).sum()) / total if total else 0.5
        assert agree(float(violation_ratio(first, second)), expected, atol=1e-12)

    @given(SCORES, SCORES)
    def test_of_b_over_a_is_one_less(self, a: list[float], b: list[float]) -> None:
        first, second = np.sort(a), np.sort(b)
        total = float(violation_ratio(first, second) + violation_ratio(second, first))
        assert agree(total, 1.0)

    def test_sorted_uniforms_are_uniform(self) -> None:
        drawn = sorted_uniforms(5, 20_000, 1)
        assert (np.diff(drawn, axis=1) > 0).all()
        np.testing.assert_allclose(drawn.mean(axis=0), np.arange(1, 6) / 6, atol=0.01)
        np.testing.assert_array_equal(drawn[:7], sorted_uniforms(5, 7, 1)[:7])

    def test_replicates_are_resamples(self) -> None:
        a, b = np.array([0.0, 1.0]), np.array([0.4, 0.6])
        drawn = sorted_uniforms(2, 4000, 1, 0), sorted_uniforms(2, 4000, 1, 1)
        found = ratio_replicates(a, b, *drawn, smooth=False)
        every = [
            float(violation_ratio(np.sort(a[[i, j]]), np.sort(b[[k, m]])))
            for i in (0, 1)
            for j in (0, 1)
            for k in (0, 1)
            for m in (0, 1)
        ]
        assert agree(float(found.mean()), float(np.mean(every)), 0.05)
        assert set(found.round(9)) == set(np.round(every, 9))

    def test_smoothing_doubts_a_complete_separation(self) -> None:
        a, b = np.array([2.0, 3.0, 4.0]), np.array([0.0, 0.5, 1.0])
        drawn = sorted_uniforms(3, 2000, 1, 0), sorted_uniforms(3, 2000, 1, 1)
        assert (ratio_replicates(a, b, *drawn, smooth=False) == 0.0).all()
        assert (ratio_replicates(a, b, *drawn, smooth=True) > 0.0).any()
