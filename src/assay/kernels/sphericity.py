"""Sphericity: epsilons of Greenhouse and Geisser and of Huynh and Feldt, and the p-value of Mauchly's W."""

from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.tolerances import TIE
from assay.kernels.special import chdtrc

MauchlyVariant = Literal["R", "second-order", "first-order"]


def mauchly_p(w: float, n: int, k: int) -> tuple[float, tuple[tuple[str, float], ...]]:
    """Anderson's expansion (2003, section 10.7.4); R has 3k where 3(k - 1) is due."""
    p, freedom = k - 1, n - 1
    df = p * (p + 1) / 2.0 - 1.0
    rho = 1.0 - (2.0 * p * p + p + 2.0) / (6.0 * p * freedom)
    chi2 = max(0.0, -freedom * rho * float(np.log(w)))  # W may exceed one by rounding
    first, beyond = float(chdtrc(df, chi2)), float(chdtrc(df + 4.0, chi2))

    def second_order(term: int) -> float:
        cubic = 2.0 * p**3 + 6.0 * p**2 + 3.0 * term + 2.0
        weight = (p + 2.0) * (p - 1.0) * (p - 2.0) * cubic / (288.0 * (freedom * p * rho) ** 2)
        return first + weight * (beyond - first)

    return second_order(k), (
        ("chi2", chi2),
        ("df", df),
        ("p_second_order", second_order(p)),
        ("p_first_order", first),
    )


def contrast_covariance(table: FloatArray) -> FloatArray:
    """The covariance of orthonormal contrasts between the columns (Helmert's)."""
    k = table.shape[1]
    contrasts = np.tril(np.ones((k - 1, k)))
    contrasts[np.arange(k - 1), np.arange(1, k)] = -np.arange(1.0, k)
    contrasts /= np.linalg.norm(contrasts, axis=1, keepdims=True)
    projected = table @ contrasts.T
    return np.atleast_2d(np.cov(projected, rowvar=False))


def epsilons_of(table: FloatArray) -> dict[str, float]:
    """Greenhouse and Geisser's epsilon, and Huynh and Feldt's with its cap at one."""
    n, k = table.shape
    covariance = contrast_covariance(table)
    gg = float(np.trace(covariance) ** 2 / ((k - 1) * (covariance**2).sum()))
    gap = n - 1 - (k - 1) * gg
    raw = (n * (k - 1) * gg - 2.0) / ((k - 1) * gap) if gap > TIE else np.inf
    return {"gg_epsilon": gg, "hf_epsilon_raw": raw, "hf_epsilon": min(raw, 1.0)}
