"""The power law of learning curves: exact data, linear propagation of error, and refusals."""

import numpy as np
import pytest

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
