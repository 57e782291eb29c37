"""The p-value of Mauchly's W, as R, Anderson and SPSS have it."""

from typing import Literal

import numpy as np

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
