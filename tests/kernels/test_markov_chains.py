"""R-hat and effective size, where the truth is known."""

import math

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


class TestEffectiveSize:
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
