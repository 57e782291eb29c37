"""Tails that keep their digits."""

import math

import numpy as np
import pytest
from scipy import integrate, stats

from assay.kernels.tails import (
    alpha_of,
    ends,
    normal_log10_p,
    normal_p,
    normal_reach,
    t_log10_p,
    t_p,
    t_reach,
    two_tails,
)


class TestNormal:
    @pytest.mark.parametrize("z", [-8.0, -1.0, 0.0, 0.5, 3.0, 30.0])
    def test_agrees_with_scipy(self, z: float) -> None:
        assert normal_p(z, "greater") == pytest.approx(stats.norm.sf(z), rel=1e-12)
        assert normal_p(z, "less") == pytest.approx(stats.norm.cdf(z), rel=1e-12)
        assert normal_p(z, "two-sided") == pytest.approx(2 * stats.norm.sf(abs(z)), rel=1e-12)

    def test_log10_where_the_p_value_underflows(self) -> None:
        assert normal_p(50.0, "greater") == 0.0
        assert normal_log10_p(50.0, "greater") == pytest.approx(
            stats.norm.logsf(50.0) / math.log(10.0)
        )
        assert normal_log10_p(0.0, "two-sided") == 0.0
        assert normal_log10_p(3.0, "less") == pytest.approx(math.log10(normal_p(3.0, "less")))

    def test_reach(self) -> None:
        assert normal_reach(0.95, "two-sided") == pytest.approx(1.959963984540054)
        assert normal_reach(0.95, "less") == pytest.approx(1.6448536269514722)


class TestT:
    @pytest.mark.parametrize("t", [-40.0, -2.0, 0.0, 1.0, 12.0])
    def test_agrees_with_scipy(self, t: float) -> None:
        assert t_p(t, 7, "greater") == pytest.approx(stats.t.sf(t, 7), rel=1e-10)
        assert t_p(t, 7, "less") == pytest.approx(stats.t.cdf(t, 7), rel=1e-10)
        assert t_p(t, 7, "two-sided") == pytest.approx(2 * stats.t.sf(abs(t), 7), rel=1e-10)

    def test_reach(self) -> None:
        assert t_reach(0.95, 4, "two-sided") == pytest.approx(2.7764451051977987)

    @pytest.mark.parametrize(("t", "df"), [(1e100, 3.5), (1e40, 9.5), (60.0, 5000.0)])
    def test_log10_where_the_p_value_underflows(self, t: float, df: float) -> None:
        """The tail relative to the density where it begins, which does not underflow."""
        start = stats.t.logpdf(t, df)

        def relative(log_ratio: float) -> float:
            at = t * np.exp(log_ratio)
            return float(np.exp(stats.t.logpdf(at, df) - start + np.log(at)))

        tail, _ = integrate.quad(relative, 0.0, 120.0 / df, epsabs=0.0, epsrel=1e-12)
        due = (start + math.log(tail)) / math.log(10.0)
        assert t_log10_p(t, df, "greater") == pytest.approx(due, rel=1e-12)
        assert t_log10_p(-t, df, "less") == pytest.approx(due, rel=1e-12)
        assert t_log10_p(t, df, "two-sided") == pytest.approx(due + math.log10(2.0), rel=1e-12)

    def test_log10_where_the_square_of_t_overflows(self) -> None:
        """With one degree of freedom the tails beyond a large t are 2 / (pi t)."""
        assert t_log10_p(1e300, 1.0, "two-sided") == pytest.approx(math.log10(2.0 / math.pi) - 300)


def test_two_tails() -> None:
    assert two_tails(0.6, 0.7, "two-sided") == 1.0
    assert two_tails(0.01, 0.995, "two-sided") == 0.02
    assert two_tails(0.01, 0.995, "greater") == 0.01
    assert two_tails(0.01, 0.995, "less") == 0.995


def test_alpha_is_the_decimal_that_was_meant() -> None:
    assert [alpha_of(level) for level in (0.9, 0.95, 0.99, 0.999)] == [0.1, 0.05, 0.01, 0.001]


def test_ends() -> None:
    assert ends(1.0, 0.5, "two-sided") == (0.5, 1.5)
    assert ends(1.0, 0.5, "greater") == (0.5, math.inf)
    assert ends(1.0, 0.5, "less") == (-math.inf, 1.5)
