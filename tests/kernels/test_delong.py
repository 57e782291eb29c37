"""DeLong's covariance: the definition, sizes beyond one block, what bins can hide."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.kernels import delong as kernel
from assay.kernels.batched_rankings import class_df
from assay.kernels.delong import delong_covariance, placed_areas

steady = settings(deadline=None)


class TestDelongCovariance:
    def test_agrees_with_the_definition(self) -> None:
        rng = np.random.default_rng(3)
        truth = rng.random(40) < 0.4
        scores = np.round(rng.normal(size=(3, 40)) + truth, 1)
        positive, negative = scores[:, truth], scores[:, ~truth]
        won = (positive[:, :, None] > negative[:, None, :]) + 0.5 * (
            positive[:, :, None] == negative[:, None, :]
        )
        expected = np.cov(won.mean(2)) / truth.sum() + np.cov(won.mean(1)) / (~truth).sum()
        areas, covariance = delong_covariance(truth, scores)
        np.testing.assert_allclose(areas, won.mean((1, 2)), rtol=1e-12)
        np.testing.assert_allclose(covariance, expected, rtol=1e-12)

    def test_one_item_of_a_class_has_no_variance(self) -> None:
        areas, covariance = delong_covariance([0, 0, 0, 1], [0.1, 0.2, 0.9, 0.3])
        assert areas.tolist() == pytest.approx([2 / 3])
        assert np.isnan(covariance).all()

    def test_one_class(self) -> None:
        areas, covariance = delong_covariance([1, 1], [0.1, 0.2])
        assert np.isnan(areas).all()
        assert np.isnan(covariance).all()


class TestPlacedAreas:
    def test_the_items_an_area_rests_on(self) -> None:
        """The square of the sum of squares over the sum of fourth powers of what each item adds."""
        rng = np.random.default_rng(8)
        truth, scores = np.arange(30) < 11, rng.integers(0, 9, 30)
        above = np.sign(scores[truth][:, None] - scores[~truth][None, :]) / 2.0 + 0.5
        parts = [(above.mean(axis) - above.mean()) / size for axis, size in ((1, 11), (0, 19))]
        terms = np.concatenate(parts)
        due = (terms**2).sum() ** 2 / (terms**4).sum()
        assert placed_areas(truth, scores[None]).resting.tolist() == pytest.approx([due], rel=1e-12)

    def test_blocks_change_nothing_but_the_last_digits(self, monkeypatch: Any) -> None:
        rng = np.random.default_rng(5)
        truth = rng.random(5_000) < 0.3
        scores = np.round(rng.normal(size=(3, 5_000)) + truth, 2)
        whole = placed_areas(truth, scores)
        monkeypatch.setattr(kernel, "BLOCK", 97)
        pieces = placed_areas(truth, scores)
        np.testing.assert_array_equal(pieces.areas, whole.areas)
        np.testing.assert_allclose(pieces.of_positives, whole.of_positives, rtol=1e-13)
        np.testing.assert_allclose(pieces.of_negatives, whole.of_negatives, rtol=1e-13)

    def test_some_of_the_models_in_another_order(self) -> None:
        rng = np.random.default_rng(6)
        truth, scores = rng.random(90) < 0.5, rng.random((3, 90))
        found = placed_areas(truth, scores).select((2, 0))
        other = placed_areas(truth, scores[[2, 0]])
        np.testing.assert_array_equal(found.areas, other.areas)
        np.testing.assert_allclose(found.covariance, other.covariance, rtol=1e-13)
        assert found.difference_df() == pytest.approx(other.difference_df())

    @steady
    @given(st.lists(st.tuples(st.booleans(), *[st.integers(0, 4)] * 2), min_size=4, max_size=40))
    def test_degrees_of_freedom_are_welchs_of_the_placements(self, rows: Any) -> None:
        truth, *scores = (np.array(column) for column in zip(*rows, strict=True))
        found = placed_areas(truth, scores)
        parts = [
            np.subtract(*(placed[side] for placed in map(self._placements(truth), scores)))
            for side in (0, 1)
        ]
        if min(part.size for part in parts) < 2:
            assert np.isnan(found.difference_df())
            return
        squares = [part.var(ddof=1) / part.size for part in parts]
        assert kernel.difference_variance(found.covariance) == pytest.approx(
            sum(squares), abs=1e-15
        )
        if min(squares) > 1e-9:
            shares = sum(s**2 / (p.size - 1) for s, p in zip(squares, parts, strict=True))
            allowed = class_df(*(np.array(float(part.size)) for part in parts))
            welch = sum(squares) ** 2 / shares
            assert found.difference_df() == pytest.approx(min(welch, float(allowed)))
            assert found.least_df() <= found.difference_df() + 1e-9

    @staticmethod
    def _placements(truth: Any) -> Any:
        from assay.kernels.auc import placements

        return lambda scores: placements(truth, scores)

    def test_nothing_is_hidden_without_bins(self) -> None:
        found = placed_areas([0, 1, 0, 1, 1], [0.1, 0.4, 0.5, 0.6, 0.2])
        assert not found.binned
        assert found.most_shift((1,)) == 0.0
        least, most = found.errors((1,))
        assert least == most == pytest.approx(float(found.covariance[0, 0]) ** 0.5)


def test_what_bins_leave_of_a_standard_error() -> None:
    """In each class the root of the variance is off by at most the blur: Minkowski's inequality."""
    rng = np.random.default_rng(9)
    placed = placed_areas(rng.random(60) < 0.4, rng.random((2, 60)))
    binned = replace(placed, blur=np.array([[0.01, 0.02], [0.03, 0.01]]))
    contrast = np.array([1.0, -1.0])
    roots = [
        math.sqrt(contrast @ part @ contrast) for part in (placed.of_positives, placed.of_negatives)
    ]
    least = math.hypot(
        *(max(root - blur, 0.0) for root, blur in zip(roots, (0.03, 0.04), strict=True))
    )
    most = math.hypot(*(root + blur for root, blur in zip(roots, (0.03, 0.04), strict=True)))
    assert binned.errors(contrast) == pytest.approx((least, most), rel=1e-12)
