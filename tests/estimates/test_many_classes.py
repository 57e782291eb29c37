"""Many classes: measures of right and wrong see no confusion matrix, and say what matrices would."""

import time
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.results import Estimate
from assay.estimates import resampling_cells
from assay.estimates.bootstrap import replicate
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.measures.registry import find_measure


def labelled(n: int, classes: int, models: int = 3, seed: int = 0) -> dict[str, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    columns = {"truth": truth}
    for place in range(models):
        wrong = rng.random(n) < 0.2 + 0.03 * place
        columns[f"m{place}"] = np.where(wrong, rng.integers(0, classes, n), truth)
    return columns


def told(columns: dict[str, np.ndarray], **options: Any) -> Predictions:
    found = read(columns, truth="truth", **options)
    assert isinstance(found, Predictions)
    return found


def ends(found: Estimate) -> tuple[float, float]:
    assert found.interval is not None
    return found.interval.low, found.interval.high


@pytest.mark.parametrize("name", ["accuracy", "error_rate"])
@pytest.mark.parametrize("extra", [{}, {"cluster": "group"}, {"weight": "w"}])
def test_the_same_values_as_by_matrices(
    name: str, extra: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    columns = labelled(400, 40) | {"group": np.arange(400) % 30, "w": np.arange(400) % 3 + 1.0}
    columns = {k: v for k, v in columns.items() if k not in ("group", "w") or k in extra.values()}
    evidence, measure = told(columns, **extra), find_measure(name)
    fast: Any = resampling_cells.reduce(evidence, measure).values
    monkeypatch.setattr(resampling_cells, "MATRIX_CLASSES", 1000)
    slow: Any = resampling_cells.reduce(evidence, measure).values
    np.testing.assert_allclose(fast, slow, rtol=1e-13)


def test_replicates_vary_as_those_of_matrices(monkeypatch: pytest.MonkeyPatch) -> None:
    evidence, measure = told(labelled(500, 30)), find_measure("accuracy")
    fast = replicate(evidence, measure, n_resamples=9999, rng=1).replicates
    monkeypatch.setattr(resampling_cells, "MATRIX_CLASSES", 1000)
    slow = replicate(evidence, measure, n_resamples=9999, rng=1).replicates
    np.testing.assert_allclose(np.cov(fast.T), np.cov(slow.T), rtol=0.06, atol=3e-5)
    np.testing.assert_allclose(fast.mean(axis=0), slow.mean(axis=0), atol=1e-3)


def test_a_stratified_bootstrap_still_knows_the_classes() -> None:
    columns = labelled(300, 20, models=1)
    found = assay.bootstrap(columns, stratified=True, n_resamples=200, rng=1, method="sampled")
    assert found.interval is not None


def test_a_thousand_classes_take_no_matrix_of_them() -> None:
    columns = labelled(50_000, 1000, models=6)  # the size of ImageNet
    few = {name: values[:200] for name, values in columns.items()}
    assay.compare(few, measure="accuracy", rng=1)  # imports
    seconds = []
    for _ in range(3):
        evidence = assay.read(columns)
        started = time.process_time()
        found = assay.compare(evidence, measure="accuracy", rng=1)
        seconds.append(time.process_time() - started)
    assert min(seconds) < 0.5  # beyond the reading; was minutes
    assert len(found.verdicts) == 15


def test_models_in_another_order_are_counted_once() -> None:
    evidence, measure = told(labelled(500, 30)), find_measure("accuracy")
    models = evidence.models[::-1]
    found = resampling_cells.reduce(evidence, measure, models)
    assert found.models == models
    assert found.values.tolist() == resampling_cells.reduce(evidence, measure).values[::-1].tolist()
    assert list(evidence.tallies) == [evidence.models]


def test_calibration_error_of_many_items_by_coarse_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    confidence = rng.beta(5, 2, 12_000)
    columns = {"truth": (rng.random(12_000) < confidence).astype(int), "m": confidence}
    for name in ("ece", "mce"):
        fast = assay.evaluate(columns, measures=[name], rng=1, n_resamples=1999).estimates[0]
        with monkeypatch.context() as patch:
            patch.setattr(resampling_cells, "MANY_ITEMS", 10**9)
            slow = assay.evaluate(columns, measures=[name], rng=1, n_resamples=1999).estimates[0]
        assert fast.value == pytest.approx(slow.value, rel=1e-12)
        (low, high), (slow_low, slow_high) = ends(fast), ends(slow)
        near = 0.1 * (slow_high - slow_low)
        assert low == pytest.approx(slow_low, abs=near)
        assert high == pytest.approx(slow_high, abs=near)


@pytest.mark.parametrize("name", ["ece_mass", "mce_mass", "ece_mass[3]", "mce_mass[7]"])
@pytest.mark.parametrize("n", [1, 2, 9, 10, 11, 300])
def test_equal_mass_sorted_once_is_the_same_as_one_by_one(name: str, n: int) -> None:
    rng = np.random.default_rng(n)
    measure = find_measure(name)
    truth, confidence = rng.integers(0, 2, n), np.round(rng.random(n), 1 if n > 20 else 2)
    weights = rng.multinomial(n, np.ones(n) / n, size=30)
    assert measure.prepare is not None
    together = measure.prepare(truth, confidence)(weights)
    alone = [measure.function(truth, confidence, one) for one in weights]
    np.testing.assert_allclose(together, alone, rtol=1e-12, atol=1e-15)
