"""Bands of whole ROC curves: the tube by its definition, how often it holds, and at the edges."""

import json

import numpy as np
import pytest
from scipy import special, stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Curve
from assay.estimates.roc_bands import (
    VARIANTS,
    campbell_limits,
    likelihood_limits,
    likelihood_reach,
    observed_path,
    roc_band,
    tube,
)
from assay.kernels.auc import sort_scores
from calibration.roc_tubes import HERE, PAGE, Held, table

Array = np.ndarray


def sample(negatives: int, positives: int, seed: int, *, gap: float = 1.2) -> tuple[Array, Array]:
    truth = np.repeat([0, 1], [negatives, positives])
    return truth, gap * truth + np.random.default_rng(seed).normal(size=truth.size)


def columns(curve: Curve) -> tuple[Array, ...]:
    return tuple(np.array(curve.column(name)) for name in ("fpr", "tpr", "low", "high"))


def divergence(seen: Array, true: Array) -> Array:
    return np.asarray(special.rel_entr(seen, true) + special.rel_entr(1 - seen, 1 - true))


def test_the_page_says_what_was_measured_and_it_keeps_the_promise() -> None:
    found = [Held(**one) for one in json.loads(HERE.read_text())]
    assert table(found) in PAGE.read_text()
    sizes = {(one.negatives, one.positives) for one in found}
    assert sizes >= {(30, 30), (100, 100), (300, 300), (1000, 1000)}
    for one in found:
        assert one.replicates >= 2000
        assert one.likelihood >= 0.935, one
        if one.negatives == one.positives:
            assert one.likelihood_width <= 0.6 * one.campbell_width, one


class TestTube:
    def test_by_its_definition(self) -> None:
        """A point is inside if its distance to some point of the path is within reach."""
        x, y = observed_path(sort_scores(*sample(25, 18, 3)))
        reach, at = 2.4, np.array([0.05, 0.3, 0.62, 0.9])
        low, high = tube(x, y, 25, 18, reach, at)
        levels = np.linspace(0.0005, 0.9995, 2000)
        for place, p in enumerate(at):
            far = 25 * divergence(x[:, None], np.array(p)) + 18 * divergence(y[:, None], levels)
            inside = levels[(2 * far).min(0) <= reach**2]
            assert low[place] == pytest.approx(inside.min(), abs=0.02)
            assert high[place] == pytest.approx(inside.max(), abs=0.02)
            assert low[place] <= inside.min() + 0.002  # never narrower than it is
            assert high[place] >= inside.max() - 0.002

    def test_swapping_the_classes_mirrors_it(self) -> None:
        truth, scores = sample(40, 40, 5)
        at = np.linspace(0.01, 0.99, 25)
        groups, mirrored = sort_scores(truth, scores), sort_scores(1 - truth, -scores)
        x, y = observed_path(groups)
        u, v = observed_path(mirrored)
        assert u == pytest.approx(1 - y[::-1])
        assert v == pytest.approx(1 - x[::-1])
        low, high = tube(x, y, 40, 40, 2.4, at)
        fpr_low, fpr_high = tube(v, u, 40, 40, 2.4, 1 - at)
        assert low == pytest.approx(1 - fpr_high)
        assert high == pytest.approx(1 - fpr_low)

    def test_reaches_further_at_a_higher_level(self) -> None:
        reaches = [likelihood_reach(80, 50, level) for level in np.linspace(0.02, 0.9999, 60)]
        assert np.all(np.diff(reaches) > 0)
        assert likelihood_reach(50, 80, 0.95) == likelihood_reach(80, 50, 0.95)

    def test_beyond_the_sizes_that_were_measured(self) -> None:
        sizes = [likelihood_reach(n, n, 0.95) for n in (3000, 30_000, 3_000_000)]
        assert sizes[0] < sizes[1] < sizes[2] < 3.8
        assert likelihood_reach(1, 2, 0.95) == likelihood_reach(5, 5, 0.95)


class TestPath:
    def test_smoothing_leaves_the_ends_and_straight_lines(self) -> None:
        x, y = observed_path(sort_scores([0, 1] * 50, np.zeros(100)))  # one straight step
        assert x == pytest.approx(y)
        assert x == pytest.approx(np.linspace(0, 1, 101))

    def test_a_perfect_model_is_not_smoothed(self) -> None:
        x, y = observed_path(sort_scores([0, 0, 1, 1], [1.0, 2.0, 3.0, 4.0]))
        assert x.tolist() == [0, 0, 0, 0.5, 1]
        assert y.tolist() == [0, 0.5, 1, 1, 1]

    @pytest.mark.parametrize("items", [900, 20_000])
    def test_rises_from_corner_to_corner(self, items: int) -> None:
        x, y = observed_path(sort_scores(*sample(items // 3, items - items // 3, 2)))
        assert (x[0], y[0], x[-1], y[-1]) == pytest.approx((0, 0, 1, 1))
        assert np.all(np.diff(x) >= 0)
        assert np.all(np.diff(y) >= 0)


class TestBand:
    @pytest.mark.parametrize("variant", VARIANTS)
    def test_holds_the_observed_curve(self, variant: str) -> None:
        curve = roc_band(*sample(60, 40, 9), model="a", variant=variant)  # type: ignore[arg-type]
        fpr, tpr, low, high = columns(curve)
        assert (fpr[0], tpr[0], fpr[-1], tpr[-1]) == (0.0, 0.0, 1.0, 1.0)
        assert ((low <= tpr) & (tpr <= high)).all()
        assert (np.diff(low) >= 0).all()
        assert (np.diff(high) >= 0).all()
        assert low.min() >= 0.0
        assert high.max() <= 1.0
        assert dict(curve.details)["variant"] == variant

    def test_campbells_reach(self) -> None:
        details = dict(roc_band(*sample(60, 40, 9), variant="campbell").details)
        tail = 1 - np.sqrt(0.95)
        assert details["reach_tpr"] == pytest.approx(np.sqrt(np.log(2 / tail) / 80))
        assert details["reach_fpr"] == pytest.approx(np.sqrt(np.log(2 / tail) / 120))

    @pytest.mark.parametrize(("negatives", "positives"), [(30, 30), (120, 70), (1000, 1000)])
    def test_is_much_narrower_than_campbells(self, negatives: int, positives: int) -> None:
        groups = sort_scores(*sample(negatives, positives, 1))
        at = np.linspace(0.001, 0.999, 500)
        widths = [
            float((high - low).mean())
            for limits in (likelihood_limits, campbell_limits)
            for low, high, _ in [limits(groups, at, level=0.95)]
        ]
        assert widths[0] < 0.6 * widths[1]

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("negatives", "positives", "gap"), [(60, 40, 1.2), (30, 30, 0.74), (200, 20, 2.3)]
    )
    def test_holds_the_whole_true_curve(self, negatives: int, positives: int, gap: float) -> None:
        ends = np.geomspace(1e-6, 0.02, 30)
        at = np.concatenate([ends, np.linspace(0.02, 0.98, 97), 1 - ends[::-1]])
        true = stats.norm.sf(stats.norm.isf(at) - gap)
        missed = 0
        for seed in range(400):
            groups = sort_scores(*sample(negatives, positives, seed, gap=gap))
            low, high, _ = likelihood_limits(groups, at, level=0.95)
            missed += bool(((true < low - 1e-12) | (true > high + 1e-12)).any())
        assert missed <= stats.binom(400, 0.05).ppf(0.999)

    def test_many_points_are_thinned(self) -> None:
        curve = roc_band(*sample(2500, 2500, 10))
        assert len(curve.column("fpr")) == 1000
        assert curve.column("fpr")[-1] == 1.0

    def test_a_short_curve_has_points_between_its_corners(self) -> None:
        fpr, tpr, low, high = columns(roc_band([0, 1, 0, 1, 1], [0.1, 0.8, 0.6, 0.9, 0.4]))
        assert len(fpr) > 100
        assert set(np.round(np.interp([0.0, 0.5, 1.0], fpr, tpr), 6)) <= {0.666667, 1.0}
        assert (low < high).all()

    @pytest.mark.parametrize(
        ("truth", "scores"),
        [([0, 1], [0.1, 0.9]), ([0, 1], [0.5, 0.5]), ([0, 1, 1, 0], [3.0, 1.0, 2.0, 4.0])],
    )
    def test_few_items_ties_and_a_model_that_is_always_wrong(
        self, truth: list[int], scores: list[float]
    ) -> None:
        fpr, tpr, low, high = columns(roc_band(truth, scores))
        assert np.isfinite([low, high]).all()
        assert ((low <= tpr + 1e-12) & (tpr <= high + 1e-12)).all()
        assert (fpr >= 0).all()

    def test_refuses_one_class_and_unknown_variants(self) -> None:
        with pytest.raises(EvidenceError, match="both classes"):
            roc_band([1, 1], [0.1, 0.2])
        with pytest.raises(UsageError, match="variant is one of likelihood, campbell"):
            roc_band([0, 1], [0.1, 0.2], variant="kolmogorov")  # type: ignore[arg-type]
