"""R-hat and effective size, where the truth is known."""

import math
from statistics import variance

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.kernels.markov_chains import effective_size, r_hat


def autoregressive(phi: float, n: int, chains: int) -> NDArray[np.float64]:
    rng = np.random.default_rng(1)
    draws = rng.normal(size=(n, chains))
    draws[0] /= math.sqrt(1 - phi**2)
    for row in range(1, n):
        draws[row] += phi * draws[row - 1]
    return draws


class TestRHat:
    def test_chains_that_agree(self) -> None:
        assert r_hat(autoregressive(0.0, 2000, 8)) == pytest.approx(1.0, abs=0.003)

    def test_chains_that_do_not(self) -> None:
        assert r_hat(autoregressive(0.0, 500, 4) + np.array([0.0, 0.0, 0.0, 3.0])) > 1.5

    def test_a_drift_is_seen_though_chains_agree(self) -> None:
        assert r_hat(autoregressive(0.0, 500, 4) + np.linspace(0, 5, 500)[:, None]) > 1.3

    def test_constant(self) -> None:
        assert r_hat(np.ones((10, 3))) == 1.0
        assert r_hat(np.broadcast_to([1.0, 2.0], (10, 2))) == math.inf

    def test_too_short(self) -> None:
        assert r_hat(np.ones((3, 5))) == math.inf

    def test_by_hand(self) -> None:
        """Two chains of five, the third draw of neither half: means 1.5, 4.5, 2 and 6, variances ½, ½, 2 and 2."""
        draws = np.array([[1.0, 1.0], [2.0, 3.0], [9.0, 9.0], [4.0, 5.0], [5.0, 7.0]])
        between, within = variance([1.5, 4.5, 2.0, 6.0]), 1.25
        assert r_hat(draws) == pytest.approx(math.sqrt(0.5 + between / within))


def by_definition(draws: NDArray[np.float64]) -> float:
    """N chains/(1 + 2 sum of autocorrelations), each sum of two taken while it is positive, none above the last."""
    n, chains = draws.shape
    columns = [column - column.mean() for column in draws.T]
    lagged = [sum(sum(c[: n - lag] * c[lag:]) for c in columns) / (chains * n) for lag in range(n)]
    between = variance(draws.mean(axis=0).tolist()) if chains > 1 else 0.0
    within = lagged[0] * n / (n - 1)
    total = (n - 1) / n * within + between
    rho = [1.0, *(1 - (within - lagged[lag] * n / (n - 1)) / total for lag in range(1, n))]
    added, last = 0.0, math.inf
    for pair in range(n // 2):
        both = rho[2 * pair] + rho[2 * pair + 1]
        if both <= 0:
            break
        last = min(last, both)
        added += last
    return float(min(n * chains / (2 * added - 1), n * chains))


class TestEffectiveSize:
    @pytest.mark.parametrize(("phi", "n", "chains"), [(0.6, 40, 3), (0.9, 61, 2), (0.3, 25, 1)])
    def test_by_definition(self, phi: float, n: int, chains: int) -> None:
        draws = autoregressive(phi, n, chains)
        assert effective_size(draws) == pytest.approx(by_definition(draws), rel=1e-9)

    @pytest.mark.parametrize("phi", [0.0, 0.5, 0.9])
    def test_autoregressive(self, phi: float) -> None:
        """N (1 - phi) / (1 + phi) for a series whose neighbours correlate by phi."""
        found = effective_size(autoregressive(phi, 5000, 8))
        assert found == pytest.approx(40_000 * (1 - phi) / (1 + phi), rel=0.1)

    def test_chains_that_do_not_agree_are_worth_little(self) -> None:
        draws = autoregressive(0.0, 500, 4) + np.array([0.0, 0.0, 0.0, 5.0])
        assert effective_size(draws) < 20

    def test_edges(self) -> None:
        assert effective_size(np.ones((3, 5))) == 0.0
        assert effective_size(np.ones((10, 5))) == 50.0
        assert effective_size(autoregressive(0.0, 400, 1)) > 200
