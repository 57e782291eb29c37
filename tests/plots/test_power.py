"""The curve of a plan: one line per case, the plan marked on it."""

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.plan.plan import plan
from assay.plots.power import power_curve


class TestPowerCurve:
    def test_one_line_and_the_plan_on_it(self) -> None:
        found = plan("mean_loss", sd=1.0, difference=0.5, power=0.8)
        axes = power_curve(found)
        line, across, down, point = (np.array(one.get_data()) for one in axes.get_lines())
        columns = np.array([found.curve.column("n"), found.curve.column("power")])
        assert np.array_equal(line, columns)
        assert across[1, 0] == 0.8
        assert down[0, 0] == found.n
        assert point[:, 0].tolist() == [found.n, 0.8]
        assert (axes.get_xlabel(), axes.get_ylabel()) == ("items", "power")
        assert axes.get_legend() is None
        assert [text.get_text() for text in axes.texts] == [f"{found.n:,} items"]

    def test_a_line_for_each_case_on_a_logarithmic_axis(self) -> None:
        axes = power_curve(plan(baseline=0.8, difference=0.02, power=0.8))
        legend = axes.get_legend()
        assert legend is not None
        assert [text.get_text() for text in legend.get_texts()] == ["best case", "cautious case"]
        assert axes.get_xscale() == "log"

    def test_widths(self) -> None:
        axes = power_curve(plan(baseline=0.8, half_width=0.02))
        assert axes.get_ylabel() == "half-width"

    def test_no_number_is_enough(self) -> None:
        found = plan(unit="fold", sd=0.02, folds=10, difference=0.01, power=0.8)
        axes = power_curve(found)
        assert axes.get_xlabel() == "folds"
        assert max(found.curve.column("power")) < 0.33

    def test_draws_plans_only(self) -> None:
        with pytest.raises(UsageError, match="draws a plan"):
            power_curve(3)  # type: ignore[arg-type]
