"""The bootstrap of a mean without resamples, beside the same bootstrap with many."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import bdtr

import assay
from assay.core.errors import NotApplicable, UsageError
from assay.estimates.bootstrap import KINDS, bootstrap
from assay.estimates.bootstrap_exact import ExactBootstrap, exact_bootstrap
from assay.evidence.predictions import Predictions
from assay.hypotheses.independent_measures import independent_bootstrap
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.measures.registry import find_measure

SAMPLED = 20_000


def numbers(seed: int, n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.normal(size=n)
    a, b = (truth + rng.standard_t(6, size=n) * scale for scale in (0.5, 0.55))
    return {"truth": truth, "a": a, "b": b}


def chances(seed: int, n: int = 300) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return {"truth": truth, "a": 1 / (1 + np.exp(-rng.normal(2.0 * truth - 1.0, 1.0, n)))}


def labels(seed: int, n: int = 200) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 3, n)
    wrong = (truth + 1) % 3
    a, b = (np.where(rng.random(n) < share, wrong, truth) for share in (0.15, 0.25))
    return {"truth": truth, "a": a, "b": b}


def read(columns: dict[str, Any], *models: str, **options: Any) -> Predictions:
    found = assay.read(columns, truth="truth", **options)
    assert isinstance(found, Predictions)
    return found.select(*models) if models else found


def limits(found: Any) -> tuple[float, float]:
    return found.interval.low, found.interval.high


class TestAgreesWithSampling:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("measure", ["rmse", "mae", "mse"])
    def test_values(self, measure: str, kind: str) -> None:
        given = read(numbers(1), "a")
        exact = bootstrap(given, measure=measure, interval=kind, method="exact")
        drawn = bootstrap(
            given, measure=measure, interval=kind, n_resamples=SAMPLED, rng=1, method="sampled"
        )
        assert exact.value == pytest.approx(drawn.value)
        error = exact.standard_error or 0.0
        assert error == pytest.approx(drawn.standard_error, rel=0.03)
        assert limits(exact) == pytest.approx(limits(drawn), abs=0.09 * error)

    @pytest.mark.parametrize("measure", ["log_loss", "brier"])
    def test_probabilities(self, measure: str) -> None:
        given = read(chances(2))
        for stratified in (False, True):
            exact = bootstrap(given, measure=measure, stratified=stratified, method="exact")
            drawn = bootstrap(
                given, measure=measure, stratified=stratified, n_resamples=SAMPLED, rng=1,
                method="sampled",
            )  # fmt: skip
            error = exact.standard_error or 0.0
            assert error == pytest.approx(drawn.standard_error, rel=0.03)
            assert limits(exact) == pytest.approx(limits(drawn), abs=0.09 * error)

    def test_accuracy_is_binomial(self) -> None:
        given = read(labels(3), "a")
        found = bootstrap(given, measure="accuracy")
        right = round(200 * (found.value or 0.0))
        k = round(200 * limits(found)[0])
        assert bdtr(k, 200, right / 200) > 0.025 >= bdtr(k - 1, 200, right / 200)
        turned = bootstrap(given, measure="error_rate")
        assert limits(turned) == pytest.approx(tuple(1.0 - x for x in limits(found)[::-1]))

    @pytest.mark.parametrize("measure", ["rmse", "mae"])
    def test_clusters_and_weights(self, measure: str) -> None:
        rng = np.random.default_rng(4)
        columns = numbers(4)
        for extra in (
            {"cluster": rng.integers(0, 40, 300)},
            {"weight": rng.exponential(size=300) + 0.1},
        ):
            given = read({**columns, **extra}, "a", **{name: name for name in extra})
            exact = bootstrap(given, measure=measure, method="exact")
            drawn = bootstrap(given, measure=measure, n_resamples=5000, rng=1, method="sampled")
            error = exact.standard_error or 0.0
            assert error == pytest.approx(drawn.standard_error, rel=0.06)
            assert limits(exact) == pytest.approx(limits(drawn), abs=0.15 * error)

    def test_a_pair_of_means(self) -> None:
        given = read(numbers(5))
        exact = paired_bootstrap(given, measure="mae", method="exact")
        drawn = paired_bootstrap(given, measure="mae", n_resamples=SAMPLED, rng=1, method="sampled")
        error = exact.effect.standard_error or 0.0
        assert limits(exact.effect) == pytest.approx(limits(drawn.effect), abs=0.09 * error)
        p = exact.p_value or 0.0
        assert p == pytest.approx(drawn.p_value, abs=5 * math.sqrt(2 * p / SAMPLED) + 2e-4)

    def test_two_test_sets(self) -> None:
        a, b = read(numbers(6), "a"), read(numbers(7, n=200), "b")
        exact = independent_bootstrap(a, b, measure="mae", method="exact")
        drawn = independent_bootstrap(
            a, b, measure="mae", n_resamples=SAMPLED, rng=1, method="sampled"
        )
        error = exact.effect.standard_error or 0.0
        assert limits(exact.effect) == pytest.approx(limits(drawn.effect), abs=0.09 * error)


class TestSaysSo:
    def test_nothing_was_drawn(self) -> None:
        found = bootstrap(read(numbers(8), "a"), measure="rmse", rng=3)
        facts = dict(found.details)
        assert found.seed is None
        assert facts["exact"] is True
        assert facts["n_resamples"] == math.inf
        assert facts["how"] == "inversion"
        assert 0.0 < float(facts["probability_error"] or 0.0) <= 1e-6
        assert found.interval is not None
        assert found.interval.method == "bootstrap percentile, exact"

    def test_no_seed_changes_it(self) -> None:
        given = read(numbers(9))
        one, other = (paired_bootstrap(given, measure="mae", rng=seed) for seed in (1, 2))
        assert one == other
        assert one.seed is None

    def test_sampling_on_request(self) -> None:
        found = bootstrap(read(numbers(8), "a"), measure="rmse", rng=3, method="sampled")
        assert found.seed == 3
        assert "exact" not in dict(found.details)

    def test_evaluate_by_name_of_the_interval(self) -> None:
        found = assay.evaluate(
            numbers(8), truth="truth", models=["a"], measures=("mae",), interval="bca"
        ).estimates[0]
        assert dict(found.details)["exact"] is True


class TestPValue:
    def test_the_interval_decides(self) -> None:
        for seed in range(20):
            given = read(numbers(100 + seed, n=120))
            for side in ("two-sided", "greater", "less"):
                found = paired_bootstrap(given, measure="mae", alternative=side)
                low, high = limits(found.effect)
                assert ((found.p_value or 0.0) <= 0.05) == (low > 0.0 or high < 0.0)

    def test_mirrors(self) -> None:
        columns = numbers(10)
        one = paired_bootstrap(read(columns, "a", "b"), measure="mae")
        other = paired_bootstrap(read(columns, "b", "a"), measure="mae")
        assert one.p_value == pytest.approx(other.p_value)
        low, high = limits(other.effect)
        assert limits(one.effect) == pytest.approx((-high, -low))

    def test_a_difference_that_no_resample_undoes(self) -> None:
        columns = numbers(11)
        columns["b"] = columns["truth"] + 9.0 + np.abs(columns["b"] - columns["truth"])
        found = paired_bootstrap(read(columns, models=["a", "b"]), measure="mae")
        assert found.p_value == 0.0  # below the smallest number, but not of the logarithm
        least = -300 * math.log10(300)
        assert dict(found.details)["log10_p"] == pytest.approx(least, abs=1.0)

    def test_p_is_never_zero_where_it_can_be_told(self) -> None:
        truth = np.random.default_rng(1).normal(size=20)
        columns = {"truth": truth, "a": truth + np.arange(1.0, 21.0), "b": truth}
        found = paired_bootstrap(read(columns), measure="mae")
        assert found.p_value == pytest.approx(2 * 20.0**-20)


class TestNotThere:
    @pytest.mark.parametrize("measure", ["f1_macro", "mcc"])
    def test_refuses(self, measure: str) -> None:
        with pytest.raises(NotApplicable, match="sampled"):
            bootstrap(read(labels(12), "a"), measure=measure, method="exact")

    def test_rmse_of_two_models_is_sampled(self) -> None:
        given = read(numbers(13))
        assert paired_bootstrap(given, measure="rmse", n_resamples=99, rng=1).seed == 1
        with pytest.raises(NotApplicable, match="no exact bootstrap distribution"):
            paired_bootstrap(given, measure="rmse", method="exact")

    def test_infinite_values_are_sampled(self) -> None:
        columns = chances(14)
        columns["a"][:3] = 1 - columns["truth"][:3]
        found = bootstrap(read(columns), measure="log_loss", n_resamples=99, rng=1)
        assert found.seed == 1
        assert found.value == math.inf

    def test_wrong_word(self) -> None:
        with pytest.raises(UsageError, match="auto, exact, sampled"):
            bootstrap(read(labels(12), "a"), method="quick")  # type: ignore[arg-type]


class TestInfluence:
    def test_acceleration_is_that_of_the_jackknife(self) -> None:
        given = read(numbers(15), "a")
        law = exact_bootstrap(given, find_measure("mse"), ("a",))
        assert isinstance(law, ExactBootstrap)
        residuals = (numbers(15)["truth"] - numbers(15)["a"]) ** 2
        distances = residuals - residuals.mean()
        wanted = (distances**3).sum() / (6 * (distances**2).sum() ** 1.5)
        assert law.acceleration == pytest.approx(wanted)
        assert law.z0 > 0.0  # a skew mean lies above its median
