"""The delta method on the counts of two models on different items."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import NotApplicable
from assay.hypotheses.independent_labels import independent_delta, pseudo_table
from assay.hypotheses.independent_measures import independent_bootstrap
from tests.hypotheses.laws import codes, facts, limits, obeys_laws


def labels(seed: int, n: int = 150, classes: int = 2, wrong: float = 0.2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    return {
        "truth": truth,
        "m": np.where(rng.random(n) < wrong, rng.integers(0, classes, n), truth),
    }


class TestIndependentDelta:
    def test_recall_is_two_adjusted_proportions(self) -> None:
        """½ in each cell of a class: Agresti and Caffo's way with one count in all for each."""
        a = {"truth": [1] * 20 + [0] * 10, "m": [1] * 15 + [0] * 15}
        b = {"truth": [1] * 30 + [0] * 10, "m": [1] * 12 + [0] * 28}
        found = facts(independent_delta(a, b, measure="recall"))
        first, second = 15.5 / 21.0, 12.5 / 31.0
        assert found["D"] == pytest.approx(first - second, rel=1e-6)
        variance = first * (1 - first) / 21.0 + second * (1 - second) / 31.0
        assert found["standard_error"] == pytest.approx(np.sqrt(variance), rel=1e-5)

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy", "kappa", "f1_macro"])
    def test_laws(self, measure: str) -> None:
        a, b = labels(1), labels(2, wrong=0.3)
        obeys_laws(independent_delta, (a, b), (b, a), {"measure": measure})

    @pytest.mark.parametrize("measure", ["f1_macro", "mcc"])
    @pytest.mark.parametrize("classes", [2, 5])
    def test_near_the_bootstrap_with_many_items(self, measure: str, classes: int) -> None:
        a, b = labels(3, 20_000, classes), labels(4, 15_000, classes, wrong=0.22)
        found = independent_delta(a, b, measure=measure)
        drawn = independent_bootstrap(a, b, measure=measure, rng=1)
        assert found.effect.value == pytest.approx(drawn.effect.value)
        assert limits(found.effect.interval) == pytest.approx(
            limits(drawn.effect.interval), abs=0.002
        )

    @settings(max_examples=40, deadline=None)
    @given(
        counts=st.lists(st.integers(0, 20), min_size=8, max_size=8).filter(any),
        measure=st.sampled_from(["f1", "mcc", "balanced_accuracy"]),
    )
    def test_any_tables_have_an_answer_that_decides(self, counts: list[int], measure: str) -> None:
        parts = []
        for own in (counts[:4], counts[4:]):
            cells = [(t, a) for t in (0, 1) for a in (0, 1)]
            rows = [cell for cell, count in zip(cells, own, strict=True) for _ in range(count)]
            if not rows or len({label for row in rows for label in row}) < 2:
                return
            truth, answers = zip(*rows, strict=True)
            if not set(truth) & set(answers):
                return  # refused when it is read: no class in common
            words = ("no", "yes")  # the second is known to be positive
            parts.append({"truth": [words[t] for t in truth], "m": [words[a] for a in answers]})
        outcome = independent_delta(*parts, measure=measure)
        if outcome.effect.value is None:
            assert "undefined-value" in codes(outcome)
            return
        low, high = limits(outcome.effect.interval)
        assert low < high
        assert low <= outcome.effect.value <= high
        p_value = outcome.p_value or 0.0
        if abs(p_value - 0.05) > 1e-9:
            assert (p_value <= 0.05) == (not low <= 0.0 <= high)

    def test_two_perfect_models_are_not_surely_equal(self) -> None:
        perfect = {"truth": [0, 1] * 20, "m": [0, 1] * 20}
        outcome = independent_delta(perfect, perfect)
        assert outcome.p_value == 1.0
        low, high = limits(outcome.effect.interval)
        assert low == pytest.approx(-high)
        assert high > 0.05

    def test_one_item_of_a_rare_class_is_noted(self) -> None:
        rare = {"truth": [1] + [0] * 29, "m": [1] + [0] * 29}
        outcome = independent_delta(rare, rare, measure="recall")
        assert codes(outcome) == {"small-counts"}
        assert limits(outcome.effect.interval)[1] > 0.5

    def test_more_items_are_asked_for_far_in_the_tails(self) -> None:
        """Twenty rare items keep 5 %, and not 1 % (docs/calibration.md)."""
        truth = np.arange(100) % 5 == 0
        part = {"truth": truth.astype(int), "m": (truth ^ (np.arange(100) % 7 == 0)).astype(int)}
        assert codes(independent_delta(part, part, measure="f1")) == set()
        assert codes(independent_delta(part, part, measure="f1", level=0.99)) == {"small-counts"}

    @pytest.mark.parametrize(
        "extra", [{"weight": np.linspace(1, 2, 150)}, {"group": np.arange(150) // 5}]
    )
    def test_refuses_weights_and_clusters(self, extra: dict[str, Any]) -> None:
        with pytest.raises(NotApplicable, match="use independent_bootstrap"):
            independent_delta({**labels(1), **extra}, labels(2))

    def test_coverage_with_a_rare_class(self) -> None:
        """Twenty rare items on average, 96 % of them found by one model and 60 % by the other."""
        rng = np.random.default_rng(7)
        covered, total = 0, 300
        for _ in range(total):
            parts = []
            for recall in (0.96, 0.6):
                truth = (rng.random(200) < 0.1).astype(int)
                answer = np.where(truth == 1, rng.random(200) < recall, rng.random(200) < 0.02)
                parts.append({"truth": truth, "m": answer.astype(int)})
            interval = independent_delta(*parts, measure="balanced_accuracy").effect.interval
            covered += interval is not None and interval.contains((0.96 - 0.6) / 2.0)
        assert 0.91 <= covered / total <= 0.99


class TestPseudoTable:
    def test_half_a_count_in_each_cell_of_two_classes(self) -> None:
        assert pseudo_table(np.array([[3.0, 1.0], [2.0, 0.0]])).tolist() == [[0.5, 0.5], [0.5, 0.5]]

    def test_classes_that_the_truth_lacks_get_none(self) -> None:
        added = pseudo_table(np.array([[3.0, 0, 0], [0, 2.0, 1.0], [0, 0, 0]]))
        assert added[2].sum() == 0.0
        assert added[0].tolist() == pytest.approx([0.5, 1 / 6, 1 / 6])

    def test_of_many_classes_the_wrong_one_is_the_next(self) -> None:
        added = pseudo_table(np.eye(40))
        assert np.count_nonzero(added) == 80


class TestIndependentBootstrap:
    def test_swapping_the_models_mirrors_the_answer(self) -> None:
        a, b = labels(1), labels(2, wrong=0.3)
        one, other = (
            independent_bootstrap(*pair, measure="f1", n_resamples=199, rng=4)
            for pair in ((a, b), (b, a))
        )
        assert one.effect.value == -(other.effect.value or 0.0) != 0.0
        low, high = limits(other.effect.interval)
        assert limits(one.effect.interval) == pytest.approx((-high, -low), rel=1e-12)

    def test_equal_data_are_not_resampled_alike(self) -> None:
        found = independent_bootstrap(labels(1), labels(1), measure="f1", n_resamples=199, rng=4)
        low, high = limits(found.effect.interval)
        assert low < 0.0 < high
