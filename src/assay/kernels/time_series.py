"""Values that follow one another in time: the variance of their mean."""

from assay.core.arrays import FloatArray


def long_run_variance(centred: FloatArray, horizon: int) -> float:
    """(g_0 + 2 sum of g_1 … g_(h-1)) / n, autocovariances divided by n as in the paper."""
    n = centred.size
    covariances = [float(centred[lag:] @ centred[: n - lag]) / n for lag in range(horizon)]
    return (covariances[0] + 2.0 * sum(covariances[1:])) / n
