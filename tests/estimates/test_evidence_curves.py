"""The curves that an evaluation draws."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.estimates.classifier_curves import evidence_curves
from assay.evidence.predictions import Predictions

RNG = np.random.default_rng(8)
TRUTH = RNG.choice(["no", "yes"], 300, p=[0.7, 0.3])
CHANCE = np.clip(np.where(TRUTH == "yes", 0.6, 0.3) + RNG.normal(0, 0.2, 300), 0, 1)


def read(**columns: Any) -> Predictions:
    found = assay.read({"y": TRUTH, "m:score": CHANCE, **columns}, truth="y")
    assert isinstance(found, Predictions)
    return found


def names(evidence: Predictions) -> list[str]:
    return [curve.name for curve in evidence_curves(evidence)]


def test_scores_between_0_and_1_have_all() -> None:
    assert names(read()) == ["roc_band", "roc_hull", "precision_recall_band", "calibration"]


def test_other_scores_are_no_probabilities() -> None:
    evidence = assay.read({"y": TRUTH, "m:score": 10 * CHANCE}, truth="y")
    assert isinstance(evidence, Predictions)
    assert "calibration" not in names(evidence)


def test_clusters_have_curves_without_bands() -> None:
    found = evidence_curves(read(cluster=np.arange(300) // 5))
    assert [curve.name for curve in found] == ["roc", "roc_hull", "precision_recall", "calibration"]
    for curve in found:
        assert not {"observed_low", "observed_high"} & set(dict(curve.columns))
    assert {"low", "high"} & set(dict(found[0].columns)) == set()


def test_weights_have_none() -> None:
    assert names(read(weight=np.ones(300))) == []


def test_calibration_is_of_the_positive_class() -> None:
    said = assay.read({"y": TRUTH, "m:score": CHANCE}, truth="y", positive="no")
    assert isinstance(said, Predictions)
    (curve,) = evidence_curves(said, kinds=("calibration",))
    count, observed = np.array(curve.column("count")), np.array(curve.column("observed"))
    assert (count * observed).sum() == pytest.approx((TRUTH == "no").sum())


def test_an_evaluation_carries_and_draws_them() -> None:
    found = assay.evaluate({"y": TRUTH, "m:score": CHANCE}, truth="y", measures=None)
    assert {curve.name for curve in found.curves} >= {"precision_recall_band", "calibration"}
    page = assay.render(found, "html")
    for words in ("ROC curve", "Precision-recall curve", "Calibration:"):
        assert words in page


def test_a_comparison_draws_the_curve_of_its_measure() -> None:
    data = {"y": TRUTH, "a:score": CHANCE, "b:score": RNG.random(300)}
    by_area = assay.compare(data, truth="y", measure="roc_auc")
    assert {curve.name for curve in by_area.curves} == {"roc_band", "roc_hull"}
    by_precision = assay.compare(data, truth="y", measure="average_precision", rng=1)
    assert {curve.name for curve in by_precision.curves} == {"precision_recall_band"}
