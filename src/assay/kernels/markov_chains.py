"""Whether Markov chains agree (R-hat), and how many independent draws they are worth."""

import numpy as np

from assay.core.arrays import FloatArray


def r_hat(draws: FloatArray) -> float:
    """Split R-hat of draws (rows iterations, columns chains): 1 where all halves agree.

    Gelman et al., Bayesian Data Analysis, third edition, section 11.4. Infinite with fewer than four
    iterations, where nothing can be said.
    """
    half = draws.shape[0] // 2
    if half < 2:
        return float("inf")
    halves = np.concatenate([draws[:half], draws[-half:]], axis=1)
    within = float(halves.var(axis=0, ddof=1).mean())
    between = float(halves.mean(axis=0).var(ddof=1))
    if within == 0.0:
        return 1.0 if between == 0.0 else float("inf")
    return float(np.sqrt((half - 1.0) / half + between / within))


def effective_size(draws: FloatArray) -> float:
    """How many independent draws give the mean as well as these (rows iterations, columns chains).

    Autocorrelations are pooled over chains and added in pairs while their sums stay positive and
    fall (Geyer 1992).
    """
    n, chains = draws.shape
    if n < 4:
        return 0.0
    centred = draws - draws.mean(axis=0)
    spectrum = np.fft.rfft(centred, n=2 * n, axis=0)
    covariances = np.fft.irfft(np.abs(spectrum) ** 2, axis=0)[:n].mean(axis=1) / n
    within = float(covariances[0]) * n / (n - 1.0)
    total = within * (n - 1.0) / n + (float(draws.mean(axis=0).var(ddof=1)) if chains > 1 else 0.0)
    if total == 0.0:
        return float(n * chains)
    correlations = 1.0 - (within - covariances * n / (n - 1.0)) / total
    correlations[0] = 1.0
    pairs = correlations[: n - n % 2].reshape(-1, 2).sum(axis=1)
    negative = np.flatnonzero(pairs <= 0.0)
    kept = np.minimum.accumulate(pairs[: negative[0] if negative.size else pairs.size])
    return float(min(n * chains / max(2.0 * kept.sum() - 1.0, 1e-300), n * chains))
