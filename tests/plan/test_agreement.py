"""Planned power and simulated power of assay's own tests agree within Monte-Carlo error."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr

from assay.kernels.binomial import binomial_small_p
from assay.kernels.delong import delong_covariance
from assay.plan.plan import plan

STUDIES = 40_000
Bools = NDArray[np.bool_]


def agrees(planned: float | None, rejected: Bools) -> bool:
    """Within four standard errors of the simulation."""
    if planned is None:
        return False
    share = float(rejected.mean())
    return abs(planned - share) <= 4 * math.sqrt(max(planned * (1 - planned), 1e-4) / rejected.size)


@pytest.mark.parametrize("level", [0.95, 0.99])
@pytest.mark.parametrize("n", [30, 100, 500])
@pytest.mark.parametrize("difference", [0.05, 0.15])
class TestItems:
    def test_one_rate(self, n: int, difference: float, level: float) -> None:
        right = np.random.default_rng(1).binomial(n, 0.7 + difference, STUDIES)
        rejected = binomial_small_p(right, n, 0.7) <= round(1 - level, 12)
        planned = plan(against=0.7, n=n, difference=difference, level=level).power
        assert agrees(planned, rejected)

    def test_two_rates(self, n: int, difference: float, level: float) -> None:
        rng = np.random.default_rng(2)
        a, b = rng.binomial(n, 0.7 + difference, STUDIES), rng.binomial(n, 0.7, STUDIES)
        pooled = (a + b) / (2 * n)
        error = np.sqrt(np.maximum(pooled * (1 - pooled), 1e-12) * 2 / n)
        rejected = 2 * ndtr(-np.abs(a - b) / n / error) <= 1 - level
        planned = plan(baseline=0.7, n=n, difference=difference, level=level, paired=False).power
        assert agrees(planned, rejected)

    def test_discordant_pairs(self, n: int, difference: float, level: float) -> None:
        shares = [0.1 + difference / 2, 0.1 - difference / 2, 0.8]
        a, b, _ = np.random.default_rng(3).multinomial(n, shares, STUDIES).T
        z = np.abs(a - b) / np.sqrt(np.maximum(a + b, 1))
        planned = plan(discordant=0.2, n=n, difference=difference, level=level).power
        assert agrees(planned, 2 * ndtr(-z) <= 1 - level)

    def test_means(self, n: int, difference: float, level: float) -> None:
        # a normal sample is its mean and its variance
        rng = np.random.default_rng(4)
        means = difference + 0.5 * rng.standard_normal(STUDIES) / math.sqrt(n)
        sds = 0.5 * np.sqrt(rng.chisquare(n - 1, STUDIES) / (n - 1))
        p = 2 * stdtr(n - 1, -np.abs(means) / (sds / math.sqrt(n)))
        planned = plan("mean_loss", sd=0.5, n=n, difference=difference, level=level).power
        assert agrees(planned, p <= 1 - level)


class TestAreas:
    @pytest.mark.parametrize(("correlation", "difference"), [(0.0, 0.1), (0.5, 0.05), (0.9, 0.03)])
    def test_two_on_the_same_items(self, correlation: float, difference: float) -> None:
        rng, n, studies = np.random.default_rng(5), 400, 1500
        truth = np.arange(n) < 0.4 * n
        far = math.sqrt(2) * ndtri(np.array([[0.75], [0.75 + difference]]))
        rejected = np.empty(studies, dtype=bool)
        for study in range(studies):
            scores = rng.standard_normal((2, n))
            scores[1] = correlation * scores[0] + math.sqrt(1 - correlation**2) * scores[1]
            areas, covariance = delong_covariance(truth, scores + far * truth)
            error = math.sqrt(covariance[0, 0] + covariance[1, 1] - 2 * covariance[0, 1])
            rejected[study] = abs(areas[1] - areas[0]) / error >= 1.959963984540054
        options: dict[str, Any] = {"baseline": 0.75, "prevalence": 0.4, "correlation": correlation}
        assert agrees(plan("roc_auc", n=n, difference=difference, **options).power, rejected)


class TestRepeats:
    def test_answers_vary_within_items(self) -> None:
        rng, n, studies = np.random.default_rng(6), 300, 4000
        true = 0.05 + 0.3 * rng.standard_normal((studies, n))
        noise = 0.4 * rng.standard_normal((studies, n)) * math.sqrt(1 / 4 + 1 / 2)
        observed = true + noise
        error = observed.std(axis=1, ddof=1) / math.sqrt(n)
        rejected = np.abs(observed.mean(axis=1)) / error >= 1.959963984540054
        planned = plan(sd=0.3, sd_within=0.4, repeats_per_item=(4, 2), n=n, difference=0.05).power
        assert agrees(planned, rejected)
