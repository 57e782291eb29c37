"""Tails by inversion against convolution and against halves met in the middle."""

import math

import numpy as np
import pytest

from assay.kernels.integer_sums import subset_sum_cdf
from assay.kernels.mgf_tail import log_cosh_series, signed_sum_tail
from assay.kernels.sign_flip_distribution import _met_in_the_middle


def tail(differences: np.ndarray, step: float | None) -> tuple[float, float]:
    sizes = np.abs(differences[differences != 0.0])
    found = signed_sum_tail(sizes, float(differences.sum()), step)
    assert found is not None
    return found


class TestSignedSumTail:
    @pytest.mark.parametrize("shift", [-0.3, 0.0, 0.4, 1.5])
    @pytest.mark.parametrize("step", [1.0, 0.001, 1 / 7])
    def test_lattice_is_exact(self, shift: float, step: float) -> None:
        whole = np.rint(np.random.default_rng(4).normal(3 * shift, 4, size=300))
        expected = subset_sum_cdf(
            np.abs(whole).astype(np.int64), int(np.abs(whole[whole < 0]).sum())
        )
        log_p, error = tail(whole * step, step)
        assert math.exp(log_p) == pytest.approx(expected, rel=1e-10)
        assert error <= 1e-12

    def test_humps_far_from_the_first_are_found(self) -> None:
        # all but one size are multiples of 3: the integrand comes back at a third of the period
        whole = np.append(np.tile([3.0, 6.0, -9.0, 3.0], 60), 1.0)
        expected = subset_sum_cdf(
            np.abs(whole).astype(np.int64), int(np.abs(whole[whole < 0]).sum())
        )
        assert math.exp(tail(whole, 1.0)[0]) == pytest.approx(expected, rel=1e-10)

    @pytest.mark.parametrize("shift", [0.0, 0.3, 0.6])
    @pytest.mark.parametrize("n", [31, 34, 38])
    def test_continuous_within_the_stated_error(self, n: int, shift: float) -> None:
        differences = np.random.default_rng(n).normal(shift, 1, size=n)
        sizes = np.abs(differences)
        exact = _met_in_the_middle(sizes, float(sizes[differences < 0].sum()) + 1e-12)
        log_p, error = tail(differences, None)
        assert abs(math.exp(log_p) / exact - 1.0) <= error
        assert error < 1e-2

    def test_heavy_tails(self) -> None:
        differences = np.random.default_rng(1).standard_cauchy(34)
        sizes = np.abs(differences)
        exact = _met_in_the_middle(sizes, float(sizes[differences < 0].sum()) + 1e-12)
        found = signed_sum_tail(sizes, float(differences.sum()), None)
        if found is not None:
            assert math.exp(found[0]) == pytest.approx(exact, rel=1e-3)

    def test_below_the_smallest_number(self) -> None:
        differences = np.random.default_rng(0).normal(1, 1, size=5000)
        log_p, _ = tail(differences, None)
        assert log_p < -1000.0
        z = differences.sum() / math.sqrt(float((differences**2).sum()))
        assert log_p < -(z**2) / 2.0  # Hoeffding's bound

    def test_both_halves_add_up(self) -> None:
        differences = np.random.default_rng(2).normal(0.1, 1, size=200)
        more, fewer = tail(differences, None)[0], tail(-differences, None)[0]
        assert math.exp(more) + math.exp(fewer) == pytest.approx(1.0, abs=1e-10)


@pytest.mark.parametrize("x", [0.05, 0.2, 0.5])
def test_the_series_of_log_cosh(x: float) -> None:
    factors = log_cosh_series()
    assert factors[:3] == pytest.approx([1 / 2, -1 / 12, 1 / 45])
    powers = x ** (2.0 * np.arange(1, factors.size + 1))
    assert float(factors @ powers) == pytest.approx(math.log(math.cosh(x)), rel=1e-13)
