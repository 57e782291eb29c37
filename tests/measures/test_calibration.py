"""Calibration error and its curve."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import NotApplicable, UsageError
from assay.measures.calibration import Binning, calibration_curve, calibration_error
from assay.measures.registry import find_measure
from tests.measures.test_probabilities import evidence, steady, value


class TestCalibrationError:
    @pytest.mark.parametrize("n_bins", [3, 5, 7, 10, 15, 20, 30, 100])
    def test_edges_are_the_decimals_they_are_meant_to_be(self, n_bins: int) -> None:
        """An edge belongs to the bin below it, or with closed left to the one above."""
        for edge in range(1, n_bins):
            for probability in (edge / n_bins, float(f"{edge / n_bins:.15f}"), edge * (1 / n_bins)):
                for closed, expected in (("right", edge - 1), ("left", edge)):
                    how = Binning(n_bins=n_bins, closed=closed)  # type: ignore[arg-type]
                    curve = calibration_curve([1], [min(probability, 1.0)], how)
                    assert curve.column("low") == (expected / n_bins,)

    def test_half_predicts_the_positive_class(self) -> None:
        # both in the bin (0.4, 0.6] and both right: observed 1, predicted 0.55
        assert value("ece_top[5]", [1, 1], [0.5, 0.6]) == pytest.approx(0.45)

    def test_ties_stay_together_in_bins_of_equal_mass(self) -> None:
        curve = calibration_curve(
            [0, 0, 1, 1], [0.1, 0.5, 0.5, 0.9], Binning(n_bins=2, bins="mass")
        )
        assert curve.column("count") == (3.0, 1.0)
        assert curve.column("low") == (0.1, 0.9)
        assert curve.column("high") == (0.5, 0.9)

    def test_zero_and_one(self) -> None:
        for closed in ("right", "left"):
            how = Binning(closed=closed)
            curve = calibration_curve([0, 1], [0.0, 1.0], how)
            assert curve.column("low") == (0.0, 0.9)

    def test_three_tenths(self) -> None:
        """0.3 and 0.1 + 0.2 fall into one bin, right-closed (0.2, 0.3]."""
        curve = calibration_curve([0, 1], [0.3, 0.1 + 0.2])
        assert curve.column("high") == (0.3,)
        assert curve.column("count") == (2.0,)

    @steady
    @given(evidence(), st.integers(0, 2**32))
    def test_weights_are_copies(self, drawn: tuple[Any, Any], seed: int) -> None:
        truth, proba = drawn
        weights = np.random.default_rng(seed).poisson(1.0, truth.size)
        weights[0] = 1
        copied, copied_proba = np.repeat(truth, weights), np.repeat(proba, weights, axis=0)
        for name in ("ece", "mce", "ece_top", "mce_left", "ece_mass", "mce_mass"):
            measure = find_measure(name).bind(("0", "1"), "1")
            if measure.features is None:
                found = measure.function(truth, proba, weights)
                expected = measure.function(copied, copied_proba)
                assert measure.prepare is not None
                prepared = float(measure.prepare(truth, proba)(weights[None])[0])
                assert prepared == pytest.approx(float(expected), abs=1e-12), name
            else:
                features = measure.features(truth, proba)
                found = measure.function(weights @ features / weights.sum())
                expected = measure.function(measure.features(copied, copied_proba).mean(0))
            assert float(found) == pytest.approx(float(expected), abs=1e-12), name

    @steady
    @given(evidence(), st.randoms())
    def test_order_of_items_is_irrelevant(self, drawn: tuple[Any, Any], random: Any) -> None:
        truth, proba = drawn
        order = list(range(truth.size))
        random.shuffle(order)
        for name in ("ece", "mce", "ece_top", "ece_mass", "mce_mass"):
            expected = value(name, truth, proba)
            assert value(name, truth[order], proba[order]) == pytest.approx(expected), name

    def test_other_positive_class(self) -> None:
        truth = np.array([0, 1, 1])
        proba = np.array([[0.9, 0.1], [0.35, 0.65], [0.45, 0.55]])
        bound = find_measure("ece").bind(("0", "1"), "0")
        assert bound.features is not None
        found = float(bound.function(bound.features(truth, proba).mean(0)))
        assert found == pytest.approx(value("ece", 1 - truth, proba[:, 0]))

    def test_perfectly_calibrated(self) -> None:
        assert value("ece", [1, 0, 0, 0], [0.25] * 4) == 0.0

    def test_no_items(self) -> None:
        assert math.isnan(find_measure("mce_mass").function(np.array([], int), np.empty((0, 2))))

    def test_many_classes_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="use ece_top"):
            find_measure("ece").bind(("a", "b", "c"))
        with pytest.raises(NotApplicable, match="use mce_top"):
            find_measure("mce_left").bind(("a", "b", "c"))
        with pytest.raises(NotApplicable, match="needs two classes, got 3"):
            calibration_curve([0], [[0.2, 0.3, 0.5]])

    def test_importance_weights_in_bins_of_equal_mass(self) -> None:
        with pytest.raises(NotApplicable, match="takes counts, not importance weights"):
            find_measure("ece_mass").function(np.array([0, 1]), np.array([0.2, 0.3]), [0.5, 1.5])

    @pytest.mark.parametrize(
        "facts", [{"n_bins": 0}, {"bins": "even"}, {"closed": "both"}, {"label": "all"}]
    )
    def test_bad_binning(self, facts: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=next(iter(facts))):
            Binning(**facts)


class TestCalibrationCurve:
    @steady
    @given(evidence(), st.integers(1, 12), st.sampled_from(["width", "mass"]))
    def test_gives_the_error(self, drawn: tuple[Any, Any], n_bins: int, bins: Any) -> None:
        truth, proba = drawn
        how = Binning(n_bins=n_bins, bins=bins)
        curve = calibration_curve(truth, proba, how)
        gap = np.abs(np.array(curve.column("observed")) - np.array(curve.column("predicted")))
        share = np.array(curve.column("count")) / truth.size
        assert share.sum() == pytest.approx(1.0)
        assert float(gap @ share) == pytest.approx(value(calibration_error(how), truth, proba))
        worst = value(calibration_error(how, worst=True), truth, proba)
        assert float(gap.max()) == pytest.approx(worst)
        inside = np.array(curve.column("predicted"))
        assert (inside >= np.array(curve.column("low")) - 1e-9).all()
        assert (inside <= np.array(curve.column("high")) + 1e-9).all()

    def test_top_label(self) -> None:
        curve = calibration_curve(
            [0, 2], [[0.7, 0.2, 0.1], [0.1, 0.6, 0.3]], Binning(label="top"), model="m"
        )
        assert curve.model == "m"
        assert curve.column("predicted") == pytest.approx((0.6, 0.7))
        assert curve.column("observed") == (0.0, 1.0)


@pytest.mark.parametrize("name", ["ece_mass", "mce_mass"])
def test_resamples_of_very_many_items_scatter_about_the_error(name: str) -> None:
    """Every chance is too high by a fifth, so each bin's gap is near 0.2; bins hold 6,000 items."""
    rng = np.random.default_rng(1)
    chance = rng.uniform(0.3, 0.9, size=60_000)
    truth = (rng.random(60_000) < chance - 0.2).astype(int)
    measure = find_measure(name)
    assert measure.limit is not None
    found = measure.limit(truth, chance, 60, 1)
    assert found is not None
    assert found.shape == (60,)
    assert np.all((found > 0.17) & (found < 0.25))
    assert 0.0005 < found.std() < 0.02
