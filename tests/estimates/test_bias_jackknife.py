"""The jackknife of measures that lie too high on few units."""

import numpy as np
import pytest

import assay
from assay.estimates.bias_jackknife import debiased_jackknife
from assay.estimates.bootstrap import jackknife_of
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.predictions import Predictions
from assay.measures.registry import find_measure


def clustered(n_clusters: int, size: int, slope: float = 1.0, seed: int = 5) -> Predictions:
    rng = np.random.default_rng(seed)
    score = rng.normal(size=n_clusters * size)
    truth = (rng.random(score.size) < 1 / (1 + np.exp(-score))).astype(int)
    columns = {
        "truth": truth,
        "a": 1 / (1 + np.exp(-slope * score)),
        "group": np.repeat(np.arange(n_clusters), size),
    }
    found = assay.read(columns, truth="truth", models=["a"], cluster="group")
    assert isinstance(found, Predictions)
    return found


def reduced(evidence: Predictions, measure: str = "ece") -> Reduced:
    return reduce(evidence, find_measure(measure))


class TestDebiasedJackknife:
    def test_the_bias_is_quenouilles(self) -> None:
        """By hand: each cluster left out in turn."""
        evidence = clustered(8, 5)
        columns = evidence.columns("scores")
        kept = [columns.clusters != one for one in range(8)]
        left_out = [
            assay.evaluate(
                {"truth": columns.truth[rows], "a": columns.predictions[0][rows]},
                truth="truth", measures="ece", n_resamples=99, level=0.9,
            ).estimates[0].value
            for rows in kept
        ]  # fmt: skip
        found = debiased_jackknife(reduced(evidence), n=evidence.n, level=0.95)
        assert found.value is not None
        expected = 7 * (np.mean(np.array(left_out, float)) - found.value)
        assert dict(found.details)["bias"] == pytest.approx(expected, rel=1e-9)
        assert [one.code for one in found.notes] == ["jackknife-bias"]

    def test_it_is_the_default_of_calibration_errors_in_clusters(self) -> None:
        evidence = clustered(10, 8)
        shown = assay.evaluate(evidence, measures=("ece", "mce", "brier")).estimates
        methods = [one.interval.method for one in shown if one.interval is not None]
        assert methods == ["jackknife less bias", "jackknife less bias", "cluster_mean"]

    def test_a_calibrated_model_is_mostly_covered(self) -> None:
        """Its error is 0, an edge of the measure: 75 of 100 intervals hold it, and 1 without the bias."""
        ends = []
        for seed in range(40):
            evidence = clustered(10, 8, seed=seed)
            plain = jackknife_of(reduced(evidence), n=evidence.n, level=0.95).interval
            less = debiased_jackknife(reduced(evidence), n=evidence.n, level=0.95).interval
            assert plain is not None
            assert less is not None
            assert less.low >= 0.0
            assert less.low < less.high
            ends.append((plain.low, less.low))
        held = np.array(ends) < 0.01
        assert held[:, 0].mean() < 0.1
        assert held[:, 1].mean() > 0.6

    def test_one_cluster_has_no_interval(self) -> None:
        evidence = clustered(1, 8)
        assert debiased_jackknife(reduced(evidence), n=8, level=0.95).interval is None
