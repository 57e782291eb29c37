"""AUC with its uncertainty: agreement with pROC, degenerate rankings, clusters, bands, coverage."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy import stats

from assay.core.errors import EvidenceError
from assay.core.results import Estimate
from assay.estimates.roc import (
    auc_difference_interval,
    auc_newcombe,
    auc_score,
    cluster_auc,
    delong,
    newcombe_limits,
)
from assay.reference import Case, cases
from tests.support import agree

ONE = list(cases("roc__auc_delong_ci"))
METHODS = [delong, auc_newcombe, auc_score, cluster_auc]


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def scored(n: int, seed: int, shift: float = 1.0) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(seed)
    truth = (rng.random(n) < 0.4).astype(int)
    return truth, shift * truth + rng.normal(size=n)


class TestDelong:
    @pytest.mark.parametrize("case", ONE, ids=lambda case: case.id)
    def test_agrees_with_r(self, case: Case) -> None:
        found = delong(case.input["y_true"], case.input["y_score"], level=case.input["confidence"])
        details = dict(found.details)
        computed = {
            "auc": found.value,
            "variance": details["variance"],
            "ci_unclipped": (details["wald_low"], details["wald_high"]),
            "ci_clipped_pROC": (details["clipped_low"], details["clipped_high"]),
            "hanley_mcneil_variance": details["hanley_mcneil_variance"],
        }
        for name, expected in case.expected.items():
            assert agree(computed[name], expected, case.rtol), name
        if case.expected["variance"] > 0:
            assert agree(limits(found), case.expected["ci_unclipped"], case.rtol)
        else:
            assert limits(found)[0] < limits(found)[1]
            assert [one.code for one in found.notes] == ["zero-variance"]

    def test_one_sided_bounds_leave_the_tail_on_one_side(self) -> None:
        truth, scores = scored(60, 1)
        both = limits(delong(truth, scores, level=0.9))
        assert limits(delong(truth, scores, level=0.95, alternative="greater")) == (both[0], 1.0)
        assert limits(delong(truth, scores, level=0.95, alternative="less")) == (0.0, both[1])


class TestAucNewcombe:
    def test_solves_its_equation(self) -> None:
        low, high = newcombe_limits(0.85, 30, 50, 1.96)
        for limit in (low, high):
            size = 80 / 2 - 1
            growth = 1 + size * (1 - limit) / (2 - limit) + size * limit / (1 + limit)
            variance = limit * (1 - limit) / 1500 * growth
            assert (0.85 - limit) ** 2 == pytest.approx(1.96**2 * variance)
        assert low < 0.85 < high

    def test_perfect_ranking_has_a_lower_limit_below_one(self) -> None:
        low, high = limits(auc_newcombe([0] * 10 + [1] * 10, range(20)))
        assert 0.6 < low < 0.9
        assert high == 1.0

    @given(st.floats(0, 1), st.integers(1, 50), st.integers(1, 50), st.floats(0.5, 4))
    def test_limits_hold_the_area_and_mirror(self, area: float, m: int, n: int, z: float) -> None:
        low, high = newcombe_limits(area, m, n, z)
        assert 0.0 <= low <= area <= high <= 1.0
        assert high - low > 0.0
        mirrored = newcombe_limits(1.0 - area, m, n, z)
        assert mirrored == pytest.approx((1.0 - high, 1.0 - low), abs=1e-9)


class TestAucScore:
    def test_is_near_delong_where_items_are_many(self) -> None:
        truth, scores = scored(4000, 2)
        one, other = limits(auc_score(truth, scores)), limits(delong(truth, scores))
        np.testing.assert_allclose(one, other, atol=0.001)

    def test_ratio_weighs_delongs_variance_by_the_rarer_class(self) -> None:
        truth, scores = scored(60, 3)
        found = auc_score(truth, scores)
        details = dict(found.details)
        area, variance = float(str(details["auc"])), float(str(details["variance"]))
        positives = int(str(details["n_positive"]))
        rarer = min(positives, 60 - positives)
        size = 60 / 2 - 1
        growth = 1 + size * (1 - area) / (2 - area) + size * area / (1 + area)
        alone = area * (1 - area) * growth / (positives * (60 - positives))
        assert details["ratio"] == pytest.approx((rarer * variance / alone + 12) / (rarer + 12))

    def test_order_and_direction_do_not_matter(self) -> None:
        truth, scores = scored(50, 4)
        order = np.random.default_rng(1).permutation(50)
        assert limits(auc_score(truth[order], scores[order])) == pytest.approx(
            limits(auc_score(truth, scores))
        )
        low, high = limits(auc_score(truth, -scores))
        assert (1 - high, 1 - low) == pytest.approx(limits(auc_score(truth, scores)))

    @pytest.mark.slow
    @pytest.mark.parametrize("area", [0.7, 0.9, 0.99])
    @pytest.mark.parametrize(("n", "positives"), [(30, 15), (100, 5)])
    def test_covers_as_stated(self, area: float, n: int, positives: int) -> None:
        rng = np.random.default_rng(7)
        shift = np.sqrt(2) * stats.norm.ppf(area)
        truth = np.repeat([1, 0], [positives, n - positives])
        covered = 0
        for _ in range(400):
            low, high = limits(auc_score(truth, shift * truth + rng.normal(size=n)))
            covered += low <= area <= high
        assert covered >= stats.binom(400, 0.945).ppf(0.001)


class TestEveryMethod:
    @pytest.mark.parametrize("function", METHODS, ids=lambda f: f.__name__)
    def test_one_class_is_undefined(self, function: Any) -> None:
        for truth in ([1, 1, 1], [0, 0, 0]):
            found = function(truth, [0.1, 0.2, 0.3])
            assert found.value is None
            assert found.interval is None
            assert [one.code for one in found.notes] == ["one-class"]

    @pytest.mark.parametrize("function", METHODS, ids=lambda f: f.__name__)
    @pytest.mark.parametrize(
        ("truth", "scores"),
        [
            ([0, 1], [0.0, 1.0]),
            ([0, 1], [1.0, 0.0]),
            ([0, 0, 1, 1], [1, 2, 3, 4]),
            ([0, 0, 1, 1], [4, 3, 2, 1]),
            ([0, 0, 1, 1], [5, 5, 5, 5]),
            ([0, 0, 0, 1], [1, 3, 4, 2]),
        ],
    )
    def test_width_is_never_zero(self, function: Any, truth: Any, scores: Any) -> None:
        low, high = limits(function(truth, scores))
        assert high - low > 0.3

    @pytest.mark.parametrize("function", METHODS, ids=lambda f: f.__name__)
    def test_refuses_two_models_or_many_classes(self, function: Any) -> None:
        with pytest.raises(EvidenceError, match="two classes"):
            function([0, 1, 2], [0.1, 0.2, 0.3])


class TestClusterAuc:
    def test_clusters_of_one_are_nearly_delong(self) -> None:
        truth, scores = scored(300, 5)
        one, other = cluster_auc(truth, scores), delong(truth, scores)
        assert one.value == other.value
        # Obuchowski's cross term of one's own cluster vanishes; factors I/(I-1) are DeLong's
        assert dict(one.details)["variance"] == pytest.approx(dict(other.details)["variance"])
        assert dict(one.details)["df"] == 299

    def test_formula_by_hand(self) -> None:
        truth = np.array([1, 0, 1, 0, 0, 1])
        scores = np.array([3.0, 1.0, 2.0, 2.5, 0.5, 2.2])
        clusters = np.array(["p", "p", "q", "q", "r", "r"])
        positive, negative = scores[truth == 1], scores[truth == 0]
        wins = positive[:, None] > negative[None, :]
        area = wins.mean()
        v10, v01 = wins.mean(axis=1) - area, wins.mean(axis=0) - area  # one of each per cluster
        s10, s01 = 3 / 2 * (v10**2).sum() / 3, 3 / 2 * (v01**2).sum() / 3
        s11 = 3 / 2 * (v10 * v01).sum()
        found = cluster_auc(truth, scores, clusters=clusters)
        assert found.value == pytest.approx(area)
        assert dict(found.details)["variance"] == pytest.approx(s10 / 3 + s01 / 3 + 2 * s11 / 9)
        assert dict(found.details)["clusters"] == 3

    def test_repeating_every_item_in_its_cluster_changes_only_what_is_clustered(self) -> None:
        truth, scores = scored(80, 6)
        single = cluster_auc(truth, scores)
        tripled = cluster_auc(
            np.repeat(truth, 3), np.repeat(scores, 3), clusters=np.repeat(np.arange(80), 3)
        )
        assert limits(tripled) == pytest.approx(limits(single))
        naive = limits(delong(np.repeat(truth, 3), np.repeat(scores, 3)))
        assert naive[1] - naive[0] < 0.7 * (limits(single)[1] - limits(single)[0])

    def test_refuses_clusters_of_another_length(self) -> None:
        with pytest.raises(EvidenceError, match="one cluster per item: 2 items"):
            cluster_auc([0, 1], [0.1, 0.2], clusters=[1])


class TestAucDifferenceInterval:
    def test_equal_rankings_leave_what_the_rarer_class_cannot_rule_out(self) -> None:
        truth, scores = scored(40, 7)
        found = auc_difference_interval(truth, [scores, np.exp(scores)])
        rarer = min(truth.sum(), 40 - truth.sum())
        square = stats.norm.ppf(0.975) ** 2
        half_width = square / (rarer + square)
        assert limits(found) == pytest.approx((-half_width, half_width))
        assert [one.code for one in found.notes] == ["zero-variance"]

    def test_swapping_mirrors(self) -> None:
        truth, scores = scored(60, 8)
        other = scores + np.random.default_rng(2).normal(size=60)
        low, high = limits(auc_difference_interval(truth, [scores, other]))
        assert limits(auc_difference_interval(truth, [other, scores])) == pytest.approx(
            (-high, -low)
        )

    def test_one_class_is_undefined_and_one_model_refused(self) -> None:
        found = auc_difference_interval([1, 1], [[0.1, 0.2], [0.2, 0.1]])
        assert found.value is None
        assert [one.code for one in found.notes] == ["one-class"]
        with pytest.raises(EvidenceError, match="two models; got 1"):
            auc_difference_interval([0, 1], [[0.1, 0.2]])
