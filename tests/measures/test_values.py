"""Measures of predicted numbers, of losses and of attempts."""

import math
import warnings
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from assay.core.errors import EvidenceError, UsageError
from assay.measures.registry import Measure, find_measure, measures
from assay.measures.values import pass_all, pass_all_k, pass_at, pass_at_k

steady = settings(deadline=None, max_examples=60)


def value(measure: Measure | str, truth: Any, prediction: Any) -> float | None:
    found = find_measure(measure)
    truth, prediction = np.asarray(truth, dtype=float), np.asarray(prediction, dtype=float)
    if found.features is None:
        number = float(found.function(truth, prediction))
    else:
        number = float(found.function(found.features(truth, prediction).mean(0)))
    return None if math.isnan(number) else number


numbers = st.integers(-40, 40).map(lambda v: v / 4)
pairs = st.lists(st.tuples(numbers, numbers), min_size=2, max_size=20)


class TestRegression:
    @steady
    @given(pairs)
    def test_agrees_with_sklearn(self, rows: list[tuple[float, float]]) -> None:
        truth, prediction = zip(*rows, strict=True)
        assume(len(set(truth)) > 1)
        oracles = {
            "mse": sk.mean_squared_error,
            "mae": sk.mean_absolute_error,
            "rmse": sk.root_mean_squared_error,
            "median_ae": sk.median_absolute_error,
            "max_error": sk.max_error,
            "r2": sk.r2_score,
            "explained_variance": sk.explained_variance_score,
        }
        for name, oracle in oracles.items():
            assert value(name, truth, prediction) == pytest.approx(oracle(truth, prediction)), name

    @steady
    @given(pairs)
    def test_correlation(self, rows: list[tuple[float, float]]) -> None:
        truth, prediction = zip(*rows, strict=True)
        found = value("correlation", truth, prediction)
        if len(set(truth)) == 1 or len(set(prediction)) == 1:
            assert found is None
        else:
            assert found == pytest.approx(np.corrcoef(truth, prediction)[0, 1], abs=1e-12)

    def test_digits_survive_a_large_offset(self) -> None:
        truth = 1e9 + np.array([0.0, 1.0, 2.0, 3.0])
        prediction = truth + np.array([0.5, -0.5, 0.5, -0.5])
        assert value("r2", truth, prediction) == pytest.approx(0.8, rel=1e-12)
        assert value("explained_variance", truth, prediction) == pytest.approx(0.8, rel=1e-12)
        expected = np.corrcoef([0, 1, 2, 3], [0.5, 0.5, 2.5, 2.5])[0, 1]
        assert value("correlation", truth, prediction) == pytest.approx(expected, rel=1e-12)

    @pytest.mark.parametrize("constant", [0.1, 1 / 3, 1e15 / 7])
    def test_constant_truth_is_undefined(self, constant: float) -> None:
        for name in ("r2", "explained_variance", "correlation"):
            assert value(name, [constant] * 7, np.arange(7)) is None, name

    def test_constant_replicate_is_undefined(self) -> None:
        """A resample that drew one item over and over has no variance, rounding aside."""
        measure = find_measure("r2")
        assert measure.features is not None
        truth = np.arange(40) / 7
        features = measure.features(truth, truth**2)
        weights = np.vstack([np.diag(np.full(40, n)) for n in (1, 3, 7, 49)])
        means = weights @ features / weights.sum(-1, keepdims=True)
        assert np.isnan(measure.function(means)).all()
        assert not np.isnan(measure.function((means[0] + means[1]) / 2))

    def test_constant_error_explains_all(self) -> None:
        assert value("explained_variance", [1, 2, 4], [0, 1, 3]) == 1.0
        assert value("explained_variance", [1.1, 2.2, 3.3], [1.0, 2.1, 3.2]) == pytest.approx(1.0)

    def test_mape_undefined_at_zero(self) -> None:
        assert value("mape", [0.0, 1.0], [1.0, 1.0]) is None

    def test_bias_is_not_compared(self) -> None:
        assert not find_measure("bias").comparable
        assert all(m.comparable for name, m in measures().items() if name != "mean_error")


class TestWeights:
    @steady
    @given(pairs, st.integers(0, 2**32))
    def test_weights_are_copies(self, rows: list[tuple[float, float]], seed: int) -> None:
        truth, prediction = (np.array(column) for column in zip(*rows, strict=True))
        weights = np.random.default_rng(seed).poisson(1.0, (3, truth.size))
        weights[:, 0] += 1
        for name, measure in measures().items():
            if measure.needs != "values" or (name == "mape" and (truth == 0).any()):
                continue  # a truth of 0 makes mape undefined in every replicate
            copied = [(np.repeat(truth, row), np.repeat(prediction, row)) for row in weights]
            expected = [value(name, *one) for one in copied]
            if measure.features is None:
                found = [measure.function(truth, prediction, row) for row in weights]
            else:
                features = measure.features(truth, prediction)
                means = np.stack([row @ features / row.sum() for row in weights])
                found = measure.function(means)
            wanted = [math.nan if one is None else one for one in expected]
            np.testing.assert_allclose(found, wanted, rtol=1e-9, atol=1e-9, err_msg=name)

    def test_no_weight_at_all(self) -> None:
        for name in ("median_ae", "max_error"):
            assert math.isnan(find_measure(name).function([1.0], [2.0], [0])), name


class TestGiven:
    @pytest.mark.parametrize(
        ("name", "direction"),
        [("mean_loss", "lower"), ("log_likelihood", "higher"), ("reward", "higher")],
    )
    def test_mean_of_what_was_given(self, name: str, direction: str) -> None:
        measure = find_measure(name)
        assert measure.direction == direction
        assert measure.needs == "losses"
        assert measure.is_mean
        assert value(name, [], [1.0, -2.0, 4.0]) == 1.0

    def test_which_measures_are_means(self) -> None:
        named = {name for name, measure in measures().items() if measure.is_mean}
        assert named == {
            "log_loss", "brier", "brier_sum", "brier_half", "mse", "mae", "mean_error", "mape",
            "smape", "mean_loss", "log_likelihood", "reward", "mean_score", "mean_rating",
        }  # fmt: skip
        for name in named:
            assert float(find_measure(name).function(np.array([0.25]))) == 0.25

    def test_a_mean_score_is_of_scores_from_0_to_1(self) -> None:
        features = find_measure("mean_score").features
        assert features is not None
        found = features(np.empty(0), np.array([0.0, 0.5, 1.0, 7.0, -0.1]))
        assert found[:, 0].tolist()[:3] == [0.0, 0.5, 1.0]
        assert np.isnan(found[3:]).all()


class TestPassAtK:
    @pytest.mark.parametrize(
        ("n", "c", "k"), [(5, 2, 1), (5, 2, 3), (6, 0, 2), (6, 6, 6), (4, 3, 2)]
    )
    def test_counts_subsets(self, n: int, c: int, k: int) -> None:
        draws = list(combinations([1] * c + [0] * (n - c), k))
        assert pass_at_k(n, c, k) == pytest.approx(np.mean([max(draw) for draw in draws]))
        assert pass_all_k(n, c, k) == pytest.approx(np.mean([min(draw) for draw in draws]))

    def test_one_attempt_is_the_share(self) -> None:
        np.testing.assert_allclose(pass_at_k([10, 20], [3, 5], 1), [0.3, 0.25])
        np.testing.assert_allclose(pass_all_k([10, 20], [3, 5], 1), [0.3, 0.25])

    def test_large_numbers(self) -> None:
        # 1 - C(9990, 100) / C(10000, 100), by exact rationals
        expected = 1 - math.comb(9990, 100) / math.comb(10000, 100)
        assert pass_at_k(10000, 10, 100) == pytest.approx(expected, rel=1e-12)

    def test_mean_over_tasks(self) -> None:
        assert value("pass@2", [4, 4], [1, 4]) == pytest.approx((0.5 + 1) / 2)
        assert value("pass^2", [4, 4], [1, 4]) == pytest.approx(0.5)
        assert find_measure("pass@2").name == pass_at(2).name == "pass@2"
        assert pass_all(3).name == "pass^3"

    def test_too_few_attempts_is_undefined(self) -> None:
        assert np.isnan(pass_at_k([4, 10], [4, 4], 5)).tolist() == [True, False]
        assert value("pass@5", [4, 10], [4, 4]) is None

    def test_bad_counts(self) -> None:
        for attempts, correct in (([3], [4]), ([3.5], [1]), ([3], [-1]), ([math.nan], [1])):
            with pytest.raises(EvidenceError, match="1 tasks are otherwise"):
                pass_at_k(attempts, correct, 1)
        with pytest.raises(UsageError, match="k is a whole number of at least 1"):
            pass_at(0)


def test_no_warnings_on_extremes() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert value("smape", [0.0], [0.0]) == 0.0
        assert value("mape", [0.0], [0.0]) is None


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        ("r2", -math.inf, 1.0),
        ("explained_variance", -math.inf, 1.0),
        ("correlation", -1.0, 1.0),
        ("smape", 0.0, 2.0),
        ("mean_score", 0.0, 1.0),
        ("mean_error", -math.inf, math.inf),
        ("rmse", 0.0, math.inf),
    ],
)
def test_values_it_can_take(name: str, low: float, high: float) -> None:
    measure = find_measure(name)
    assert (measure.low, measure.high) == (low, high)
