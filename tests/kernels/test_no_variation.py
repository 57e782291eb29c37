"""What units that all agree cannot rule out."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.hypotheses.paired_outcomes import mcnemar
from assay.kernels.no_variation import flat_limits, flat_z
from assay.kernels.tails import normal_reach

REACH = normal_reach(0.95, "two-sided")


class TestFlatLimits:
    @pytest.mark.parametrize("n", [1, 5, 40, 1000])
    def test_tango_where_every_unit_or_none_tells_the_models_apart(self, n: int) -> None:
        for cells, value in (((0, n, 0, 0), 1.0), ((n, 0, 0, 0), 0.0), ((0, 0, n, 0), -1.0)):
            interval = mcnemar(*cells).effect.interval
            assert interval is not None
            low, high = flat_limits(value, 1.0, n, REACH)
            assert (low, high) == pytest.approx((interval.low, interval.high), abs=1e-7)

    @given(
        value=st.floats(-1, 1), units=st.floats(1, 1e6), extent=st.sampled_from([1.0, 2.0, 100.0])
    )
    def test_inside_the_range_around_the_value_and_inverted_by_z(
        self, value: float, units: float, extent: float
    ) -> None:
        low, high = flat_limits(value, extent, units, REACH)
        assert -extent <= low < high <= extent
        assert low <= value <= high
        z = abs(flat_z(value, extent, units))
        if abs(z - REACH) > 1e-6:
            assert (z > REACH) == (low > 0 or high < 0)
