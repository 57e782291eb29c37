"""Rankings of many samples at once, against one at a time and against numerical slopes."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from assay.kernels import auc as single
from assay.kernels.batched_rankings import (
    class_df,
    effective_items,
    placed,
    power_sums,
    precision_influence,
    ranked,
)


def sample(n: int, seed: int, *, levels: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random((4, n)) < 0.4
    truth[:, :2] = [True, False]
    scores = rng.normal(size=(4, n)) + truth
    return truth, np.round(scores) if levels else scores


@pytest.mark.parametrize("levels", [False, True])
class TestRows:
    def test_areas_and_placements_are_those_of_each_row(self, levels: bool) -> None:
        truth, scores = sample(30, 1, levels=levels)
        rows = ranked(truth, scores)
        area, found = placed(rows)
        found = rows.in_rows(found)
        for row, label in enumerate(truth):
            positives, negatives = single.placements(label, scores[row])
            assert found[row, label] == pytest.approx(positives)
            assert found[row, ~label] == pytest.approx(negatives)
            assert area[row] == pytest.approx(positives.mean())

    def test_slopes_are_the_numerical_ones(self, levels: bool) -> None:
        truth, scores = sample(25, 2, levels=levels)
        rows = ranked(truth, scores)
        value, slopes, _ = precision_influence(rows)
        slopes = rows.in_rows(slopes)
        step = 1e-5
        for row, label in enumerate(truth):
            moved = np.concatenate([np.eye(25), -np.eye(25)]) * step + 1.0
            groups = single.sort_scores(label, scores[row])
            found = single.average_precision_of_weights(groups)(moved)
            assert slopes[row] == pytest.approx((found[:25] - found[25:]) / (2 * step), abs=1e-8)
            assert value[row] == pytest.approx(single.average_precision(groups))

    def test_slopes_add_up_to_nothing(self, levels: bool) -> None:
        """Doubling all weights changes nothing."""
        _, slopes, _ = precision_influence(ranked(*sample(40, 3, levels=levels)))
        assert slopes.sum(axis=1) == pytest.approx(0.0, abs=1e-14)


@settings(max_examples=60, deadline=None)
@given(
    arrays.arrays(np.float64, 12, elements=st.integers(0, 4).map(float)),
    st.integers(1, 11),
    st.permutations(range(12)),
)
def test_the_order_of_the_items_does_not_matter(scores: Any, positives: int, order: Any) -> None:
    truth = np.arange(12) < positives
    found = []
    for places in (np.arange(12), np.array(order)):
        rows = ranked(truth[places][None], scores[places][None])
        value, slopes, repeats = precision_influence(rows)
        area, placements = placed(rows)
        found.append([*value, *repeats, *area, *power_sums(slopes), *power_sums(placements)])
    assert found[0] == pytest.approx([np.asarray(one).item() for one in found[1]], abs=1e-12)


def test_self_counting_of_one_positive() -> None:
    """A positive in third place finds itself among three: its precision rests on one third of it."""
    truth = np.array([[False, False, True, False]])
    _, _, repeats = precision_influence(ranked(truth, np.array([[4.0, 3.0, 2.0, 1.0]])))
    assert repeats == pytest.approx([1 / 3])


class TestEffectiveItems:
    def test_equal_slopes_all_count(self) -> None:
        assert effective_items(power_sums(np.full((1, 7), 0.2))) == pytest.approx([7.0])

    def test_one_slope_counts_alone(self) -> None:
        assert effective_items(power_sums(np.array([[0.5, 0.0, 0.0]]))) == pytest.approx([1.0])

    def test_nothing_varies(self) -> None:
        assert effective_items(power_sums(np.zeros((1, 3)))) == [0.0]


class TestClassDf:
    def test_equal_classes_have_all_items_less_two(self) -> None:
        assert class_df(np.array(15.0), np.array(15.0)) == pytest.approx(0.8 * 28)

    def test_rare_positives_decide(self) -> None:
        assert class_df(np.array(5.0), np.array(1e6)) == pytest.approx(0.8 * 4, rel=1e-4)

    def test_one_item_of_a_class_leaves_none(self) -> None:
        assert class_df(np.array(1.0), np.array(20.0)) == 0.0
