"""How large losses and their differences can be on an item."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.core.results import Comparison
from assay.estimates.loss_ranges import largest_difference, loss_ends, with_largest_loss
from assay.evidence.item_arrays import Columns
from assay.measures.registry import find_measure

TWO = Columns(
    models=("a", "b"),
    truth=np.array([0, 1, 1]),
    predictions=np.array([[0.1, 0.8, 0.6], [0.01, 0.5, 0.6]]),
)
THREE = Columns(
    models=("a",),
    truth=np.array([0, 2]),
    predictions=np.array([[[0.7, 0.2, 0.1], [0.0, 0.5, 0.5]]]),
)
NUMBERS = Columns(models=("a", "b"), truth=np.zeros(4), predictions=np.ones((2, 4)))


class TestEnds:
    def test_brier_ends_at_being_sure_of_another_class(self) -> None:
        assert loss_ends(find_measure("brier"), TWO) == (0.0, 1.0)
        assert loss_ends(find_measure("brier"), THREE) == (0.0, 2.0)
        assert loss_ends(find_measure("brier_half"), THREE) == (0.0, 1.0)
        assert largest_difference(find_measure("brier"), TWO) == 1.0

    def test_log_loss_ends_where_another_class_would_have_put_it(self) -> None:
        assert loss_ends(find_measure("log_loss"), TWO) == pytest.approx((0.0, -np.log(0.1)))
        assert loss_ends(find_measure("log_loss"), TWO, model=1)[1] == pytest.approx(-np.log(0.01))
        largest = largest_difference(find_measure("log_loss"), TWO)
        assert largest == pytest.approx(np.log(0.1 / 0.01))

    def test_what_was_called_impossible_is_left_out(self) -> None:
        assert loss_ends(find_measure("log_loss"), THREE)[1] == pytest.approx(-np.log(0.1))

    def test_clipped_log_loss_has_the_clip(self) -> None:
        clipped = find_measure("log_loss[1e-05]")
        assert loss_ends(clipped, THREE)[1] == pytest.approx(-np.log(1e-5))

    def test_squared_errors_have_no_end_unless_told(self) -> None:
        mse = find_measure("mse")
        assert largest_difference(mse, NUMBERS) is None
        assert largest_difference(with_largest_loss(mse, 9.0), NUMBERS) == 9.0

    def test_own_scores_have_a_range_where_one_reaches_an_end(self) -> None:
        inside = Columns(models=("a", "b"), truth=np.zeros(3), predictions=TWO.predictions)
        reached = Columns(
            models=("a", "b"), truth=np.zeros(3), predictions=np.array([[0.0, 0.5, 1.0]] * 2)
        )
        score = find_measure("mean_score")
        assert largest_difference(score, inside) is None
        assert loss_ends(score, inside)[1] == np.inf
        assert largest_difference(score, reached) == 1.0


TABLE = {"y": [1.0, 2.0, 3.0, 4.0], "a": [1.1, 2.0, 3.3, 3.9], "b": [1.2, 2.5, 2.8, 4.4]}


class TestTold:
    def test_a_told_end_widens_what_is_said(self) -> None:
        def width(**told: Any) -> float:
            found: Comparison = assay.compare(TABLE, truth="y", measure="mse", **told)
            interval = found.verdict.outcome.effect.interval
            assert interval is not None
            return interval.high - interval.low

        assert width() < width(max_loss=4.0) < width(max_loss=16.0)
        assert width(max_loss=16.0, bound=4.0) == pytest.approx(width(max_loss=4.0))
        (one, _) = assay.evaluate(TABLE, truth="y", measures="mse", max_loss=16.0).estimates
        (free, _) = assay.evaluate(TABLE, truth="y", measures="mse").estimates
        assert one.interval is not None
        assert free.interval is not None
        assert one.interval.high > free.interval.high

    def test_losses_beyond_it_are_refused(self) -> None:
        with pytest.raises(UsageError, match=r"max_loss=0\.1 is too small: the largest mse"):
            assay.compare(TABLE, truth="y", measure="mse", max_loss=0.1)
        with pytest.raises(UsageError, match=r"max_loss=0\.05 is too small: the largest mse"):
            assay.evaluate(TABLE, truth="y", measures="mse", max_loss=0.05)

    def test_only_means_of_losses_have_one(self) -> None:
        labels = {"y": [0, 1, 1, 0], "a": [0, 1, 1, 1], "b": [0, 0, 1, 0]}
        with pytest.raises(UsageError, match="f1 is none"):
            assay.compare(labels, truth="y", measure="f1", positive=1, max_loss=1.0)
        with pytest.raises(UsageError, match="bound= is for means"):
            assay.compare(labels, truth="y", bound=1.0)
        with pytest.raises(UsageError, match="can have"):
            assay.compare(TABLE, truth="y", measure="mse", max_loss=-1.0)
        losses = {"a:loss": [0.1, -0.2, 0.3], "b:loss": [0.1, 0.2, 0.2]}
        with pytest.raises(UsageError, match=r"one here is -0\.2"):
            assay.compare(losses, max_loss=1.0, lower_is_better=True)

    def test_one_measure_at_a_time(self) -> None:
        with pytest.raises(UsageError, match="of one measure"):
            assay.compare(TABLE, truth="y", measure=["mse", "mae"], max_loss=16.0)


class TestUnseen:
    def test_a_model_that_is_never_far_off_may_yet_be(self) -> None:
        """30 items with losses of about 0.01: 5 % of the others may cost 1, and the interval says so."""
        rng = np.random.default_rng(2)
        truth = np.arange(30) % 2
        sure = np.abs(truth - rng.uniform(0.02, 0.18, 30))
        (found,) = assay.evaluate({"y": truth, "a": sure}, truth="y", measures="brier").estimates
        (noted,) = [one for one in found.notes if one.code == "unseen-losses"]
        assert "losses of up to 1 on an item" in noted.message
        assert found.interval is not None
        assert found.interval.high > 0.05
