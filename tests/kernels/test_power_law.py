"""The power law of learning curves: exact data, linear propagation of error, and refusals."""

import numpy as np
import pytest
from scipy.optimize import curve_fit

from assay.core.arrays import FloatArray
from assay.kernels.power_law import fit_power_law

SIZES = np.array([16.0, 32.0, 64.0, 128.0, 256.0])


def splits(means: FloatArray, spread: float = 0.01, count: int = 10) -> FloatArray:
    """Values whose means over the splits are exactly ``means``."""
    noise = np.random.default_rng(1).normal(size=(means.size, count))
    return np.asarray(means[:, None] + spread * (noise - noise.mean(axis=1, keepdims=True)))


class TestFit:
    @pytest.mark.parametrize("exponent", [0.2, 0.5, 1.0])
    @pytest.mark.parametrize("amplitude", [-0.9, 0.7])
    def test_exact_means_give_the_law_back(self, exponent: float, amplitude: float) -> None:
        law = fit_power_law(SIZES, splits(0.9 + amplitude * SIZES**-exponent), 0.2)
        assert law is not None
        assert law.exponent == pytest.approx(exponent, rel=1e-6)
        assert law.asymptote == pytest.approx(0.9, abs=1e-6)
        at_end = amplitude * 256.0**-exponent
        assert law.amplitude == pytest.approx(at_end, rel=1e-6)
        assert law.gain(2.0)[0] == pytest.approx(at_end * (2.0**-exponent - 1.0), rel=1e-6)

    def test_error_is_that_of_refitting_shifted_splits(self) -> None:
        """Brute force: the law is refitted on every split's pull; the spread of the fits agrees."""
        values = splits(0.9 - 0.8 * SIZES**-0.5, spread=1e-4)
        law = fit_power_law(SIZES, values, 0.1)
        assert law is not None
        means = values.mean(axis=1, keepdims=True)
        gains = []
        for split in range(10):
            pull = values[:, split : split + 1] - means
            moved = fit_power_law(SIZES, values + pull, 0.1)
            assert moved is not None
            gains.append(moved.gain(2.0)[0])
        brute = np.sqrt(np.var(gains, ddof=1) * 0.1)
        assert law.gain(2.0)[1] == pytest.approx(brute, rel=0.02)

    @pytest.mark.parametrize("points", [4, 5, 7])
    def test_errors_are_those_of_curve_fit_when_a_mean_moves(self, points: int) -> None:
        """SciPy fits the law; how it follows each mean carries the spread of the splits and what the law misses."""
        sizes = np.array([2.0**power for power in range(4, 4 + points)])
        bumps = 1e-3 * np.resize([1.0, -1.0, 1.0, -2.0, 1.0], points)
        values = splits(0.9 - 0.8 * sizes**-0.5 + bumps, spread=1e-3)
        means, spread = values.mean(axis=1), values.var(axis=1, ddof=1)
        u = sizes / sizes[-1]

        def fitted(at: FloatArray) -> FloatArray:
            sigma = np.sqrt(spread + spread.mean())
            found, _ = curve_fit(
                lambda u, a, b, c: a + b * u**-c, u, at, p0=(0.9, -0.05, 0.5), sigma=sigma,
                ftol=1e-14, xtol=1e-14, gtol=1e-14,
            )  # fmt: skip
            return np.asarray(found)

        moves = 1e-6 * np.eye(points)
        follows = np.array([fitted(means + one) - fitted(means - one) for one in moves]).T / 2e-6
        a, b, c = fitted(means)
        misses = means - a - b * u**-c
        errors = 0.1 * np.cov(values) + np.eye(points) * (misses @ misses) / (points - 3)
        law = fit_power_law(sizes, values, 0.1)
        assert law is not None
        assert law.limit()[0] == pytest.approx(a, rel=1e-6)
        assert law.limit()[1] == pytest.approx(np.sqrt(follows[0] @ errors @ follows[0]), rel=0.05)
        gain = follows[1] * (2.0**-c - 1.0) - b * np.log(2.0) * 2.0**-c * follows[2]
        assert law.gain(2.0)[1] == pytest.approx(np.sqrt(gain @ errors @ gain), rel=0.05)

    def test_what_the_law_misses_widens_the_error(self) -> None:
        bent = 0.9 - 0.8 * SIZES**-0.5
        smooth = fit_power_law(SIZES, splits(bent), 0.2)
        bumpy = fit_power_law(SIZES, splits(bent + np.array([0, 0.02, -0.02, 0.02, 0])), 0.2)
        assert smooth is not None
        assert bumpy is not None
        assert bumpy.gain(2.0)[1] > smooth.gain(2.0)[1]

    def test_a_line_in_the_logarithm_or_a_step_has_no_law(self) -> None:
        assert fit_power_law(SIZES, splits(np.log(SIZES)), 0.2) is None
        assert fit_power_law(SIZES, splits(np.array([0.2, 0.9, 0.9, 0.9, 0.9])), 0.2) is None

    def test_no_spread_no_law(self) -> None:
        assert fit_power_law(SIZES, np.tile(SIZES[:, None] ** -0.5, 4), 0.2) is None
