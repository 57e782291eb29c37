"""Many-class areas by placements: the jackknife's influence, and the bootstrap's interval."""

import numpy as np
import pytest

import assay
from assay.estimates import many_class_areas
from assay.evidence.reading import read
from assay.measures.registry import find_measure

NAMES = ["roc_auc_ovr", "roc_auc_ovr_weighted", "roc_auc_ovo", "roc_auc_ovo_weighted"]


def scored(n: int, classes: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.choice(classes, n, p=np.arange(1, classes + 1) / np.arange(1, classes + 1).sum())
    logits = rng.normal(size=(n, classes))
    logits[np.arange(n), truth] += 1.2
    scores = np.exp(logits)
    return truth, np.round(scores / scores.sum(axis=1, keepdims=True), 3)


def evidence_of(truth: np.ndarray, scores: np.ndarray) -> assay.Predictions:
    columns = {"truth": truth.astype(str)} | {f"c{c}": scores[:, c] for c in range(scores.shape[1])}
    told = {"m": {"probabilities": {str(c): f"c{c}" for c in range(scores.shape[1])}}}
    found = read(columns, truth="truth", models=told)
    assert isinstance(found, assay.Predictions)
    return found


@pytest.mark.parametrize("name", NAMES)
def test_influence_is_that_of_deleting_each_item(name: str) -> None:
    truth, scores = scored(300, 4)
    measure = find_measure(name)
    parts = name.removeprefix("roc_auc_").split("_")
    against = (
        many_class_areas._against_rest if parts[0] == "ovr" else many_class_areas._against_each
    )
    influence, value = many_class_areas._averaged(
        against(truth, scores), truth.size, weighted=len(parts) > 1
    )
    assert value == pytest.approx(float(measure.function(truth, scores)), rel=1e-13)
    assert measure.prepare is not None
    deleted = measure.prepare(truth, scores)(np.ones((300, 300)) - np.eye(300))
    jackknife = 299 * (value - deleted)
    assert np.corrcoef(jackknife, influence)[0, 1] > 0.9999
    assert influence.std() == pytest.approx(jackknife.std(), rel=0.03)


@pytest.mark.parametrize("name", ["roc_auc_ovr", "roc_auc_ovo_weighted"])
def test_interval_is_that_of_the_bootstrap(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    evidence = evidence_of(*scored(1500, 3))
    drawn = assay.evaluate(evidence, measures=[name], rng=1, n_resamples=2999).estimates[0]
    monkeypatch.setattr(many_class_areas, "MANY_PLACES", 100)
    closed = assay.evaluate(evidence, measures=[name]).estimates[0]
    assert closed.method == many_class_areas.NAME
    assert drawn.method != closed.method
    assert drawn.interval is not None
    assert closed.interval is not None
    width = drawn.interval.high - drawn.interval.low
    assert closed.value == pytest.approx(drawn.value, rel=1e-12)
    assert closed.interval.low == pytest.approx(drawn.interval.low, abs=0.08 * width)
    assert closed.interval.high == pytest.approx(drawn.interval.high, abs=0.08 * width)


def test_perfect_ranking_keeps_its_own_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    truth = np.repeat([0, 1, 2], 20)
    monkeypatch.setattr(many_class_areas, "MANY_PLACES", 100)
    found = assay.evaluate(evidence_of(truth, np.eye(3)[truth]), measures=["roc_auc_ovr"], rng=1)
    assert found.estimates[0].value == 1.0
    assert found.estimates[0].interval is not None
