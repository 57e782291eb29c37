"""Wealth from betting on bounded values: what it has grown to is evidence against a mean.

A bettor who holds that the mean of values in [0, 1] is above m stakes the share f of the wealth on
it: after a value x it is multiplied by 1 + f (x/m - 1). If the mean is m no such scheme gains on
average, so that wealth ever reaches 1/alpha with probability at most alpha (Ville 1939), however
often one looks. The wealth is shared out evenly over stakes of every size, as in a universal
portfolio (Cover 1991), which needs no tuning and does as well as the best of them but for a factor.
Every product falls in m, so the means not yet given up form an interval.
"""

import numpy as np

from assay.core.arrays import FloatArray
from assay.kernels.roots import bracketed_root

STAKES: FloatArray = np.concatenate([np.geomspace(1e-3, 0.5, 25), np.linspace(0.55, 0.95, 9)])
"""Shares of the wealth that are staked: small ones for small differences and many values."""
_CELLS = 2**18


def log_wealth(values: FloatArray, counts: FloatArray, mean: float) -> float:
    """The log of the wealth after the values (each ``counts`` times), betting that the mean is above.

    The order of the values does not matter.
    """
    if mean <= 0.0:
        return np.inf if float((values * counts).sum()) > 0.0 else 0.0
    gains = np.zeros(STAKES.size)
    rows = max(1, _CELLS // STAKES.size)
    for start in range(0, values.size, rows):
        part = slice(start, start + rows)
        ratio = values[part] / mean - 1.0
        gains += counts[part] @ np.log1p(STAKES[None, :] * ratio[:, None])
    return _log_mean_exp(gains)


def log_wealth_path(values: FloatArray, mean: float) -> FloatArray:
    """The log of the wealth after each value in turn."""
    carried = np.zeros(STAKES.size)
    rows = max(1, _CELLS // STAKES.size)
    path = []
    for start in range(0, values.size, rows):
        ratio = values[start : start + rows] / mean - 1.0
        gains = carried + np.cumsum(np.log1p(STAKES[None, :] * ratio[:, None]), axis=0)
        carried = gains[-1]
        most = gains.max(axis=1, keepdims=True)
        path.append(most[:, 0] + np.log(np.exp(gains - most).mean(axis=1)))
    return np.concatenate(path)


def log_wealths(rows: FloatArray, mean: float) -> FloatArray:
    """The log of the wealth after all values of each row."""
    gains = np.empty((len(rows), STAKES.size))
    for place, stake in enumerate(STAKES):
        gains[:, place] = np.log1p(stake * (rows / mean - 1.0)).sum(axis=1)
    most = gains.max(axis=1)
    return np.asarray(most + np.log(np.exp(gains - most[:, None]).mean(axis=1)))


def lower_end(values: FloatArray, counts: FloatArray, log_limit: float) -> float:
    """The smallest mean against which the wealth stays below the limit; 0 where none is ruled out."""
    average = float((values * counts).sum() / counts.sum())
    smallest = 1e-12
    if average <= smallest or log_wealth(values, counts, smallest) < log_limit:
        return 0.0

    def excess(mean: FloatArray) -> FloatArray:
        found = [log_wealth(values, counts, float(one)) for one in np.atleast_1d(mean)]
        return np.array(found).reshape(np.shape(mean)) - log_limit

    # at the average no stake has gained, by Jensen's inequality
    return float(bracketed_root(excess, smallest, average))


def _log_mean_exp(gains: FloatArray) -> float:
    most = float(gains.max())
    return most + float(np.log(np.exp(gains - most).mean()))
