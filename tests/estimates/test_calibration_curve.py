"""The observed share of each bin carries the interval of a proportion."""

import numpy as np
import pytest

from assay.core.errors import AssayError
from assay.estimates.calibration_curve import reliability
from assay.estimates.proportions import proportion
from assay.measures.calibration import Binning, calibration_curve


class TestReliability:
    truth = np.array([0, 0, 1, 0, 1, 1, 1, 1])
    chance = np.array([0.05, 0.1, 0.12, 0.18, 0.55, 0.6, 0.95, 0.99])

    def test_intervals_are_those_of_the_proportions(self) -> None:
        curve = reliability(self.truth, self.chance, Binning(n_bins=2), level=0.9)
        for place, (hits, count) in enumerate(((1, 4), (4, 4))):
            expected = proportion(hits, count, level=0.9).interval
            assert expected is not None
            assert curve.column("observed_low")[place] == expected.low
            assert curve.column("observed_high")[place] == expected.high

    def test_the_points_are_those_of_the_calibration_curve(self) -> None:
        curve = reliability(self.truth, self.chance, model="m")
        plain = calibration_curve(self.truth, self.chance, model="m")
        assert curve.columns[: len(plain.columns)] == plain.columns
        assert curve.model == "m"
        assert dict(curve.details)["level"] == 0.95

    def test_a_bin_that_is_all_right_still_has_a_width(self) -> None:
        curve = reliability(self.truth, self.chance)
        low, high = np.array(curve.column("observed_low")), np.array(curve.column("observed_high"))
        observed = np.array(curve.column("observed"))
        assert ((low <= observed) & (observed <= high) & (low < high)).all()

    @pytest.mark.parametrize("level", [0.0, 1.0, 95])
    def test_not_a_level(self, level: float) -> None:
        with pytest.raises(AssayError, match="level"):
            reliability(self.truth, self.chance, level=level)
