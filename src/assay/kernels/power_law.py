"""A curve of means as c + a x^-b: fitted by weighted least squares, with its error by linearisation."""

from dataclasses import dataclass

import numpy as np

from assay.core.arrays import FloatArray

EXPONENTS = (0.02, 1.5)
"""Below, a curve is a logarithm without an end; above, a step: theory has at most 1, so that points
which ask for more show noise, and a law fitted to them would look surer than it is."""
_GRID = 160


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PowerLaw:
    """value(x) = asymptote + amplitude (x / scale)^-exponent, and the covariance of the three."""

    asymptote: float
    amplitude: float
    exponent: float
    scale: float
    covariance: FloatArray

    def gain(self, factor: float) -> tuple[float, float]:
        """The change from ``scale`` to ``factor`` times as much, and its standard error."""
        shrunk = factor**-self.exponent
        slope = np.array([0.0, shrunk - 1.0, -self.amplitude * np.log(factor) * shrunk])
        return self.amplitude * (shrunk - 1.0), self._error(slope)

    def limit(self) -> tuple[float, float]:
        """The asymptote and its standard error."""
        return self.asymptote, self._error(np.array([1.0, 0.0, 0.0]))

    def _error(self, slope: FloatArray) -> float:
        return float(np.sqrt(slope @ self.covariance @ slope))


def fit_power_law(x: FloatArray, values: FloatArray, inflation: float) -> PowerLaw | None:
    """Fit the means of ``values`` (points, splits) over ``x``; None where no exponent is told.

    Weights are 1 / (variance at the point + mean variance): variances of few splits are rough, and
    one of zero must not decide alone. The covariance of the means is that of the splits times
    ``inflation``, points and all, so that what neighbouring points share counts once; what the
    law misses at the points is added to it.
    """
    means, spread = values.mean(axis=1), values.var(axis=1, ddof=1)
    if not spread.mean() > 0.0:
        return None
    weights = 1.0 / (spread + spread.mean())
    u = x / x[-1]
    grid = np.geomspace(*EXPONENTS, _GRID)
    losses = [_profile(u, means, weights, exponent)[0] for exponent in grid]
    best = int(np.argmin(losses))
    if best in (0, _GRID - 1):
        return None
    exponent = _refined(u, means, weights, grid[best - 1], grid[best + 1])
    _, asymptote, amplitude = _profile(u, means, weights, exponent)
    powers = u**-exponent
    jacobian = np.column_stack([np.ones_like(u), powers, -amplitude * np.log(u) * powers])
    information = jacobian.T @ (weights[:, None] * jacobian)
    if not np.linalg.cond(information) < 1e12:
        return None
    influence = np.linalg.solve(information, jacobian.T * weights)
    misses = means - asymptote - amplitude * powers
    spare = max(u.size - 3, 1)
    errors = np.cov(values) * inflation + np.eye(u.size) * float(misses @ misses) / spare
    covariance = influence @ errors @ influence.T
    return PowerLaw(
        asymptote=asymptote,
        amplitude=amplitude,
        exponent=exponent,
        scale=float(x[-1]),
        covariance=covariance,
    )


def _profile(
    u: FloatArray, means: FloatArray, weights: FloatArray, exponent: float
) -> tuple[float, float, float]:
    """With the exponent given the rest is linear: the loss, the asymptote and the amplitude."""
    powers = u**-exponent
    total = weights.sum()
    centre, middle = (weights @ powers) / total, (weights @ means) / total
    deviations = powers - centre
    amplitude = float((weights * deviations) @ means / ((weights * deviations) @ deviations))
    residuals = means - middle - amplitude * deviations
    return (
        float((weights * residuals) @ residuals),
        float(middle - amplitude * centre),
        amplitude,
    )


def _refined(
    u: FloatArray, means: FloatArray, weights: FloatArray, low: float, high: float
) -> float:
    from scipy.optimize import minimize_scalar

    found = minimize_scalar(
        lambda exponent: _profile(u, means, weights, exponent)[0], bounds=(low, high),
        method="bounded", options={"xatol": 1e-9},
    )  # fmt: skip
    return float(found.x)
