"""How often A exceeds B: pairs counted one by one, and limits put back into Newcombe's equation."""

from itertools import product
from statistics import fmean, variance

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.stats import norm

from assay.kernels.probability_of_superiority import Superiority, superiority, superiority_limits

A, B = np.array([3.1, 2.2, 5.0, 4.4, 2.9]), np.array([2.2, 1.0, 4.4, 0.3])
C, D = np.array([0.1, 0.7, 0.4]), np.array([0.2, 0.4, 0.3, 0.6, 0.5, 0.8])
REACH = float(norm.ppf(0.975))


def wins(a: float, b: float) -> float:
    return 1.0 if a > b else 0.5 if a == b else 0.0


def counted(a: np.ndarray, b: np.ndarray) -> tuple[float, float]:
    """The share of pairs that A wins, and DeLong's variance of it from the placements."""
    of_a = [fmean(wins(x, y) for y in b) for x in a]
    of_b = [fmean(wins(x, y) for x in a) for y in b]
    return fmean(of_a), variance(of_a) / len(a) + variance(of_b) / len(b)


class TestSuperiority:
    def test_one_task(self) -> None:
        found = superiority([(A, B)])
        assert (found.value, found.variance) == pytest.approx(counted(A, B))
        assert found.value == pytest.approx(sum(wins(a, b) for a, b in product(A, B)) / 20)
        assert found.df == 5 + 4 - 2
        assert found.varies

    def test_tasks_count_alike(self) -> None:
        found = superiority([(A, B), (C, D)])
        one, other = counted(A, B), counted(C, D)
        assert found.value == pytest.approx((one[0] + other[0]) / 2)
        assert found.variance == pytest.approx((one[1] + other[1]) / 4)
        assert found.sizes == ((5, 4), (3, 6))
        assert found.df == 7 + 7

    def test_equal_decimals_are_ties(self) -> None:
        assert superiority([(np.array([0.1 + 0.2]), np.array([0.3]))]).value == 0.5


def newcombe(area: float, m: int, n: int) -> float:
    """Newcombe (2006), Statistics in Medicine 25, method 5: N* = (m + n)/2 in Hanley and McNeil's variance."""
    q1, q2, star = area / (2 - area), 2 * area**2 / (1 + area), (m + n) / 2
    both = (star - 1) * (q1 - area**2) + (star - 1) * (q2 - area**2)
    return float((area * (1 - area) + both) / (m * n))


class TestLimits:
    @pytest.mark.parametrize("value", [0.0, 0.35, 0.5, 0.9, 1.0])
    def test_without_a_variance_they_are_newcombes(self, value: float) -> None:
        found = Superiority(value=value, variance=float("nan"), sizes=((8, 5),))
        low, high = superiority_limits(found, REACH)

        def outside(at: float) -> float:
            return (value - at) ** 2 - REACH**2 * newcombe(at, 8, 5)

        expected = (
            brentq(outside, 0.0, value - 1e-12) if value > 0 else 0.0,
            brentq(outside, value + 1e-12, 1.0) if value < 1 else 1.0,
        )
        assert (low, high) == pytest.approx(expected, abs=1e-9)

    def test_delongs_variance_is_weighed_against_twelve_items(self) -> None:
        found = superiority([(A, B), (C, D)])
        share = newcombe(found.value, 5, 4) + newcombe(found.value, 3, 6)
        alone = share / 4
        ratio = ((4 + 3) * found.variance / alone + 12.0) / (4 + 3 + 12.0)
        low, high = superiority_limits(found, REACH)
        for limit in (low, high):
            spread = (newcombe(limit, 5, 4) + newcombe(limit, 3, 6)) / 4
            assert (found.value - limit) ** 2 == pytest.approx(REACH**2 * ratio * spread)
        assert low < found.value < high
