"""Bias, variance and mean squared error: they add up, and are what theory says."""

from typing import Any

import numpy as np
import pytest

from assay.core.errors import NotApplicable, UsageError
from assay.core.results import SimulationCell
from assay.simulate.estimator_errors import ESTIMATORS
from assay.simulate.simulate import simulate


def facts(cell: SimulationCell) -> dict[str, float]:
    return {name: float(value) for name, value in cell.details if isinstance(value, float)}


class TestMse:
    @pytest.mark.parametrize("n", [4, 15])
    def test_variances_over_n_and_n_less_one(self, n: int) -> None:
        """Of normal values: bias -s²/n against none, and yet the smaller mean squared error."""
        found = simulate(
            ["variance_n", "variance_n_1"], question="mse", world="normal", sd=2.0, n=n, rng=1,
            replicates=40_000,
        )  # fmt: skip
        biased, unbiased = map(facts, found.cells)
        assert biased["bias"] == pytest.approx(-4.0 / n, abs=5 * biased["bias_error"])
        assert unbiased["bias"] == pytest.approx(0.0, abs=5 * unbiased["bias_error"])
        assert unbiased["variance"] == pytest.approx(2 * 16.0 / (n - 1), rel=0.06)
        assert biased["mse"] == pytest.approx((2 * n - 1) / n**2 * 16.0, rel=0.06)
        assert biased["mse"] < unbiased["mse"]

    @pytest.mark.parametrize("name", ESTIMATORS)
    def test_variance_and_squared_bias_add_up(self, name: str) -> None:
        found = simulate(name, question="mse", n=24, replicates=40, rng=2)
        parts = facts(found.cells[0])
        assert parts["mse"] == pytest.approx(parts["variance"] + parts["bias"] ** 2, rel=1e-9)
        assert found.cells[0].value == parts["mse"]

    def test_the_median_costs_more_where_values_are_normal_and_less_where_tails_are_heavy(
        self,
    ) -> None:
        given: dict[str, Any] = {"question": "mse", "n": 41, "replicates": 4000, "rng": 3}
        for world, mean_wins in (("normal", True), ("t3", False)):
            found = simulate(["sample_mean", "sample_median"], world=world, **given)
            mean, median = (facts(cell)["mse"] for cell in found.cells)
            assert (mean < median) == mean_wins

    def test_resubstitution_flatters_a_nearest_neighbour(self) -> None:
        found = simulate(
            ["resubstitution", "holdout", "cross_validation", "bootstrap_632"], question="mse",
            world="folds", learners="one-nn-half-features", n=40, replicates=120, rng=1,
        )  # fmt: skip
        inside, holdout, cv, weighed = map(facts, found.cells)
        assert inside["bias"] == pytest.approx(-inside["truth"])  # it finds every item itself
        assert abs(cv["bias"]) < 4 * cv["bias_error"] + 0.01
        assert holdout["variance"] > cv["variance"] > weighed["variance"]
        assert weighed["bias"] < -0.05

    def test_estimates_of_the_catalogue(self) -> None:
        found = simulate(
            ["wilson", "mean_t"], question="mse", world=None, n=20, replicates=500, rng=1
        )
        share, mean = map(facts, found.cells)
        assert share["truth"] == 0.25
        assert share["variance"] == pytest.approx(0.25 * 0.75 / 20, rel=0.3)
        assert mean["variance"] == pytest.approx(1 / 20, rel=0.3)

    def test_sizes_are_tried_one_by_one(self) -> None:
        found = simulate("variance_n", question="mse", n=[5, 50], replicates=500, rng=1)
        assert [cell.n for cell in found.cells] == [5, 50]
        assert np.all(np.diff([cell.value for cell in found.cells if cell.value is not None]) < 0)

    def test_wrong_worlds_and_options_are_named(self) -> None:
        with pytest.raises(
            NotApplicable, match=r"estimates the variance, in the world losses; got folds"
        ):
            simulate("variance_n", question="mse", world="folds", n=40)
        with pytest.raises(UsageError, match="has no options; got variant"):
            simulate("variance_n", question="mse", options={"variant": 1})
        with pytest.raises(NotApplicable, match="not known in the world"):
            simulate("eta_squared", question="mse", effect=1.0, n=10, replicates=5, rng=1)
