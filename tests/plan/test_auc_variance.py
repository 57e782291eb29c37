"""The spread of areas under ROC curves of normal scores: special values and simulation."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from assay.kernels.auc import hanley_mcneil_variance
from assay.kernels.delong import delong_covariance
from assay.plan.auc_variance import area_covariance, area_variance, difference_variance, excess

N = np.array(200.0)


class TestExcess:
    def test_sheppard(self) -> None:
        for correlation in (-0.7, 0.0, 0.3, 0.9):
            assert excess(0.0, 0.0, correlation) == pytest.approx(
                math.asin(correlation) / (2 * math.pi), abs=1e-14
            )

    def test_perfectly_correlated(self) -> None:
        assert excess(0.7, 0.7, 1.0) == pytest.approx(ndtr(0.7) * (1 - ndtr(0.7)), rel=1e-9)

    def test_agrees_with_the_bivariate_normal(self) -> None:
        from scipy.stats import multivariate_normal

        joint = multivariate_normal.cdf([0.4, 1.1], cov=[[1.0, 0.6], [0.6, 1.0]])
        assert excess(0.4, 1.1, 0.6) == pytest.approx(joint - ndtr(0.4) * ndtr(1.1), abs=1e-6)


class TestVariance:
    def test_one_positive_and_one_negative(self) -> None:
        assert float(area_variance(0.8, np.array(2.0), 0.5)) == pytest.approx(0.8 * 0.2)

    def test_exponential_scores_spread_more_in_unequal_classes(self) -> None:
        assert float(area_variance(0.8, N, 0.3)) < 0.9 * hanley_mcneil_variance(0.8, 60, 140)
        assert float(area_variance(0.8, N, 0.5)) == pytest.approx(
            hanley_mcneil_variance(0.8, 100, 100), rel=0.05
        )

    def test_agrees_with_simulation(self) -> None:
        areas, correlation, prevalence, studies = (0.8, 0.85), 0.6, 0.3, 4000
        rng, n = np.random.default_rng(2), int(N)
        truth = np.arange(n) < prevalence * n
        found = np.empty((studies, 2))
        for study in range(studies):
            scores = rng.standard_normal((2, n))
            scores[1] = correlation * scores[0] + math.sqrt(1 - correlation**2) * scores[1]
            scores += np.array([[math.sqrt(2) * ndtri(area)] for area in areas]) * truth
            found[study] = delong_covariance(truth, scores)[0]
        expected = float(difference_variance(areas, correlation, N, prevalence))
        simulated = float((found[:, 1] - found[:, 0]).var(ddof=1))
        assert simulated == pytest.approx(expected, rel=4 * math.sqrt(2 / studies))
        one = float(area_variance(0.8, N, prevalence))
        assert float(found[:, 0].var(ddof=1)) == pytest.approx(one, rel=4 * math.sqrt(2 / studies))

    def test_unrelated_models_do_not_covary(self) -> None:
        assert float(area_covariance((0.8, 0.7), 0.0, N, 0.5)) == 0.0

    def test_the_same_model_twice_does_not_differ(self) -> None:
        assert float(difference_variance((0.8, 0.8), 1.0, N, 0.5)) == pytest.approx(0.0, abs=1e-15)
