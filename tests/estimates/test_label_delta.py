"""Label measures of several classes: the delta method on smoothed counts."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from scipy.stats import beta, norm, t

from assay.estimates.bootstrap import bootstrap
from assay.estimates.default_intervals import estimate
from assay.estimates.label_delta import delta_limits, delta_parts, slopes, unseen
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.measures.registry import Measure, find_measure

FIVE = tuple("01234")


def bound(name: str) -> Measure:
    return find_measure(name).bind(FIVE, None)


def table(n: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    shares = np.full((5, 5), 0.02) + 0.1 * np.eye(5)
    return rng.multinomial(n, shares.ravel() / shares.sum()).reshape(5, 5)


def columns(counts: Any) -> dict[str, Any]:
    truth, said = (place.ravel() for place in np.indices(counts.shape))
    kept = counts.ravel() > 0
    return {"truth": truth[kept], "a": said[kept], "count": counts.ravel()[kept]}


class TestSlopes:
    @pytest.mark.parametrize("name", ["f1_macro", "balanced_accuracy", "mcc", "kappa_quadratic"])
    def test_chain_rule_and_cells_agree(self, name: str) -> None:
        """By the sums of rows and columns as by moving every cell; they add up to nothing."""
        counts = table(300, 1)[None] + 0.5
        measure = bound(name)
        found = slopes(measure, counts)
        step = 1e-5
        for place in np.ndindex(5, 5):
            moved = np.repeat(counts, 2, axis=0)
            moved[0][place] += step
            moved[1][place] -= step
            up, down = np.asarray(measure.function(moved))
            assert found[0][place] == pytest.approx((up - down) / (2 * step), abs=1e-7)
        assert (found * counts).sum() == pytest.approx(0.0, abs=1e-5)


class TestUnseen:
    def test_two_classes_get_the_pseudo_counts_of_smoothed_cells(self) -> None:
        assert unseen(np.array([[[5.0, 1.0], [2.0, 4.0]]])) == pytest.approx(0.4)

    def test_a_class_that_nobody_names_gets_none(self) -> None:
        counts = np.zeros((1, 3, 3))
        counts[0, :2, :2] = 3.0
        found = unseen(counts)[0]
        assert found[2].sum() == found[:, 2].sum() == 0.0
        assert found[:2, :2] == pytest.approx(0.4)

    def test_a_class_that_was_only_answered_is_as_unknown_as_any(self) -> None:
        counts = np.diag([9.0, 9.0, 0.0])[None]
        counts[0, 0, 2] = 1.0
        found = unseen(counts)[0]
        assert found[2, 2] == 0.4
        assert found.sum() == pytest.approx(3 * 0.4 + 0.8)


class TestLimits:
    def test_beta_with_the_centre_and_the_widened_variance(self) -> None:
        counts, measure = table(200, 2)[None], bound("f1_macro")
        (centre,), (variance,), (df,) = delta_parts(measure, counts)
        spread = variance * (t.ppf(0.025, df) / norm.ppf(0.025)) ** 2
        size = centre * (1 - centre) / spread - 1
        law = beta(centre * size, (1 - centre) * size)
        low, high = delta_limits(measure, counts, 0.025)
        assert (low[0], high[0]) == pytest.approx((law.ppf(0.025), law.ppf(0.975)))

    @pytest.mark.parametrize("name", ["f1_macro", "balanced_accuracy", "mcc"])
    def test_near_the_bootstrap_with_many_items(self, name: str) -> None:
        counts = table(20_000, 3)
        evidence = as_predictions(read(columns(counts)))
        found = estimate(evidence, name)
        assert found.method == "smoothed delta"
        other = bootstrap(evidence, measure=name, n_resamples=1999, rng=1).interval
        assert found.interval is not None
        assert other is not None
        assert found.interval.low == pytest.approx(other.low, abs=0.002)
        assert found.interval.high == pytest.approx(other.high, abs=0.002)

    @settings(max_examples=60, deadline=None)
    @given(arrays.arrays(np.int64, (3, 3), elements=st.integers(0, 3)))
    def test_an_interval_of_some_width_holds_the_estimate(self, counts: Any) -> None:
        if not counts.sum():
            return
        measure = find_measure("f1_macro").bind(tuple("012"), None)
        value = float(measure.function(counts))
        low, high = delta_limits(measure, counts[None], 0.025)
        assert 0.0 <= low[0] <= value <= high[0] <= 1.0
        assert low[0] < high[0]

    def test_a_class_that_the_truth_lacks_widens_upwards(self) -> None:
        """One stray answer: the class counts as 0, and nobody knows what it is."""
        counts = np.diag([20, 20, 20, 20, 0])
        counts[0, 0], counts[0, 4] = 19, 1
        _, high = delta_limits(bound("f1_macro"), counts[None], 0.025)
        assert float(bound("f1_macro").function(counts)) == pytest.approx(0.8, abs=0.01)
        assert high[0] > 0.9

    def test_no_draws_no_seed(self) -> None:
        evidence = as_predictions(read(columns(table(60, 4))))
        found = estimate(evidence, "f1_macro", rng=7)
        assert found.seed is None
        assert found == estimate(evidence, "f1_macro", rng=8)

    def test_two_classes_keep_smoothed_cells(self) -> None:
        given_two = as_predictions(read(columns(np.array([[20, 4], [3, 9]]))))
        assert estimate(given_two, "mcc", n_resamples=199).method == "smoothed cells"
