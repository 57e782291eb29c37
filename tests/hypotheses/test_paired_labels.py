"""The delta method on the counts of answers of two models."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay import read
from assay.core.errors import NotApplicable
from assay.evidence.predictions import Predictions
from assay.hypotheses.paired_labels import counted_spread, paired_delta, pseudo_rows
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.hypotheses.simultaneous import simultaneous_bootstrap
from assay.measures.registry import find_measure
from tests.hypotheses.laws import codes, facts, limits, obeys_laws

CELLS = [(t, a, b) for t in (0, 1) for a in (0, 1) for b in (0, 1)]


def table(counts: dict[tuple[int, int, int], int]) -> dict[str, Any]:
    """Columns from counts of (truth, a, b)."""
    rows = np.array([cell for cell, count in counts.items() for _ in range(count)])
    return dict(zip(("truth", "a", "b"), rows.T, strict=True))


def labels(seed: int, n: int = 120, classes: int = 2) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, classes, n)
    columns = {"truth": truth}
    for model, wrong in (("a", 0.15), ("b", 0.3)):
        columns[model] = np.where(rng.random(n) < wrong, rng.integers(0, classes, n), truth)
    return columns


def swapped(columns: dict[str, Any]) -> dict[str, Any]:
    return {"truth": columns["truth"], "a": columns["b"], "b": columns["a"]}


class TestPairedDelta:
    def test_recall_is_the_adjusted_wald_of_two_paired_proportions(self) -> None:
        """With ½ in each cell of a class: D and its variance are those of Agresti & Min (2005)."""
        both, only_a, only_b, neither = 40, 12, 5, 8
        counts = {(1, 1, 1): both, (1, 1, 0): only_a, (1, 0, 1): only_b, (1, 0, 0): neither}
        outcome = paired_delta(table({**counts, (0, 0, 0): 30}), measure="recall")
        n = both + only_a + only_b + neither + 2.0
        first, second = (only_a + 0.5) / n, (only_b + 0.5) / n
        found = facts(outcome)
        assert found["D"] == pytest.approx(first - second, rel=1e-6)
        variance = (first + second - (first - second) ** 2) / n
        assert found["standard_error"] == pytest.approx(math.sqrt(variance), rel=1e-6)

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy", "kappa", "f1_macro"])
    def test_laws(self, measure: str) -> None:
        columns = labels(1)
        obeys_laws(paired_delta, (columns,), (swapped(columns),), {"measure": measure})

    @pytest.mark.parametrize("measure", ["f1_macro", "mcc", "balanced_accuracy"])
    @pytest.mark.parametrize("classes", [2, 5])
    def test_near_the_bootstrap_with_many_items(self, measure: str, classes: int) -> None:
        columns = labels(2, n=20_000, classes=classes)
        found = paired_delta(columns, measure=measure)
        drawn = paired_bootstrap(columns, measure=measure, rng=1)
        assert found.effect.value == drawn.effect.value
        assert found.effect.standard_error == pytest.approx(drawn.effect.standard_error, rel=0.03)
        assert limits(found.effect.interval) == pytest.approx(
            limits(drawn.effect.interval), abs=0.001
        )

    @settings(max_examples=60, deadline=None)
    @given(
        counts=st.lists(st.integers(0, 30), min_size=8, max_size=8).filter(any),
        measure=st.sampled_from(["f1", "mcc", "balanced_accuracy", "f1_macro", "kappa"]),
        side=st.sampled_from(["two-sided", "greater", "less"]),
        level=st.sampled_from([0.5, 0.9, 0.99]),
    )
    def test_any_table_has_an_answer_that_decides(
        self, counts: list[int], measure: str, side: str, level: float
    ) -> None:
        columns = table(dict(zip(CELLS, counts, strict=True)))
        names = {0: "no", 1: "yes"}
        columns = {
            key if key == "truth" else f"{key}:label": [names[one] for one in values]
            for key, values in columns.items()
        }
        if len({label for values in columns.values() for label in values}) < 2:
            return
        outcome = paired_delta(columns, measure=measure, alternative=side, level=level)
        if outcome.effect.value is None:
            assert codes(outcome) == {"undefined-value"}
            return
        interval, p_value = outcome.effect.interval, outcome.p_value
        assert interval is not None
        assert p_value is not None
        assert interval.low < interval.high
        assert interval.contains(outcome.effect.value)
        assert side != "two-sided" or (interval.low >= -2.0 and interval.high <= 2.0)
        if abs(p_value - (1 - level)) > 1e-9:
            assert (p_value <= 1 - level) == (not interval.contains(0.0))

    def test_no_disagreement(self) -> None:
        columns = {"truth": [0, 1] * 30, "a": [0, 1] * 29 + [1, 0], "b": [0, 1] * 29 + [1, 0]}
        outcome = paired_delta(columns)
        assert outcome.p_value == 1.0
        low, high = limits(outcome.effect.interval)
        assert low == pytest.approx(-high)
        assert high > 0.01
        assert codes(outcome) == {"no-disagreement"}

    def test_one_against_zero(self) -> None:
        truth = [1] * 5 + [0] * 5
        outcome = paired_delta({"truth": truth, "a": truth, "b": [1 - one for one in truth]})
        assert outcome.effect.value == 1.0
        low, high = limits(outcome.effect.interval)
        assert 0.0 < low < 0.5
        assert high == 1.0
        assert codes(outcome) == {"small-counts"}

    def test_few_disagreements(self) -> None:
        columns = {"truth": [0, 1] * 30, "a": [0, 1] * 30, "b": [0, 1] * 27 + [1, 0] * 3}
        outcome = paired_delta(columns)
        assert codes(outcome) == {"small-counts"}
        assert "only 6 items are answered differently" in outcome.notes[0].message

    def test_a_measure_without_ends(self) -> None:
        outcome = paired_delta(labels(3), measure="lr_plus")
        low, high = limits(outcome.effect.interval)
        assert math.isfinite(low)
        assert math.isfinite(high)

    @pytest.mark.parametrize(
        ("extra", "measure", "match"),
        [
            ({"weight": [1.0] * 120}, "f1", "importance weights: use paired_bootstrap"),
            ({"cluster": list(range(60)) * 2}, "f1", "clusters: use paired_bootstrap"),
        ],
    )
    def test_not_for(self, extra: dict[str, Any], measure: str, match: str) -> None:
        with pytest.raises(NotApplicable, match=match):
            paired_delta({**labels(4), **extra}, measure=measure)

    @pytest.mark.parametrize("measure", ["f1_macro", "mcc", "kappa", "f1[7]", "precision_weighted"])
    def test_many_classes_by_their_sums_alone(self, measure: str) -> None:
        columns = labels(5, n=3000, classes=40)
        found = paired_delta(columns, measure=measure)
        with_matrices = replace(find_measure(measure), margins=None)
        if measure != "f1[7]":  # which learns its sums when it is bound to its class
            slow = paired_delta(columns, measure=with_matrices)
            assert facts(found) == pytest.approx(facts(slow), rel=1e-5)
        drawn = paired_bootstrap(columns, measure=measure, n_resamples=999, rng=1)
        assert found.effect.standard_error == pytest.approx(drawn.effect.standard_error, rel=0.15)

    def test_a_thousand_classes(self) -> None:
        outcome = paired_delta(labels(6, n=20_000, classes=1000), measure="f1_macro")
        low, high = limits(outcome.effect.interval)
        assert 0.0 < low < (outcome.effect.value or 0.0) < high

    def test_not_for_matrices_of_very_many_classes(self) -> None:
        with pytest.raises(NotApplicable, match="takes too long: use paired_bootstrap"):
            paired_delta(labels(5, n=2000, classes=60), measure="kappa_linear")

    def test_coverage_where_the_bootstrap_fails(self) -> None:
        """Ten rare items of a thousand: recall 0.96 and 0.78, few false alarms."""
        rng = np.random.default_rng(20)
        shares = np.array([0.984, 0.002, 0.002, 0.002, 0.0004, 0.0, 0.0018, 0.0078])
        shares /= shares.sum()
        truth_a = shares[[6, 7]].sum() / shares[4:].sum() - shares[[5, 7]].sum() / shares[4:].sum()
        alarms = (shares[[2, 3]].sum() - shares[[1, 3]].sum()) / shares[:4].sum()
        true, held, trials = (truth_a - alarms) / 2, 0, 600
        for counts in rng.multinomial(1000, shares, size=trials):
            if counts[4:].sum() == 0:
                held += 1
                continue
            columns = table(dict(zip(CELLS, counts.tolist(), strict=True)))
            interval = paired_delta(columns, measure="balanced_accuracy").effect.interval
            held += interval is not None and interval.contains(true)
        assert held / trials >= 0.915  # 0.94 less 2.6 standard errors


class TestInfinite:
    """A has no false alarm: its likelihood ratio is 1/0, and no number away from that of B."""

    COLUMNS = table({(1, 1, 1): 9, (1, 0, 1): 3, (0, 0, 0): 14, (0, 0, 1): 2})

    @pytest.mark.parametrize("measure", ["lr_plus", "diagnostic_odds_ratio"])
    @pytest.mark.parametrize("test", [paired_delta, paired_bootstrap])
    def test_difference_is_undefined(self, measure: str, test: Any) -> None:
        options = {"rng": 1, "n_resamples": 999} if test is paired_bootstrap else {}
        outcome = test(self.COLUMNS, measure=measure, **options)
        assert outcome.effect.value is None
        assert outcome.p_value is None
        assert outcome.effect.interval is None
        assert "undefined-value" in codes(outcome)

    def test_family_is_refused(self) -> None:
        columns = {**self.COLUMNS, "c": self.COLUMNS["b"]}
        with pytest.raises(NotApplicable, match="lr_plus of a is infinite here"):
            simultaneous_bootstrap(columns, measure="lr_plus", n_resamples=999, rng=1)


class TestPseudoRows:
    def test_half_a_count_in_each_of_eight_cells(self) -> None:
        rows, added = pseudo_rows(np.array([0, 1]), 2)
        assert sorted(map(tuple, rows.tolist())) == CELLS
        assert added.tolist() == [0.5] * 8

    @pytest.mark.parametrize("classes", [3, 10, 40])
    def test_symmetric_and_of_bounded_weight(self, classes: int) -> None:
        rows, added = pseudo_rows(np.arange(classes), classes)
        weights = {tuple(row): one for row, one in zip(rows.tolist(), added.tolist(), strict=True)}
        assert all(weights[t, a, b] == weights[t, b, a] for t, a, b in weights)
        assert added.sum() == pytest.approx(classes / 2 + 3)

    def test_very_many_classes_do_not_add_up(self) -> None:
        assert pseudo_rows(np.arange(2000), 2000)[1].sum() == pytest.approx(28)

    def test_classes_that_the_truth_lacks_are_left_alone(self) -> None:
        rows, _ = pseudo_rows(np.array([0, 2]), 3)
        assert set(rows[:, 0].tolist()) == {0, 2}


def test_half_counts_pull_a_difference_by_their_share() -> None:
    """Four of them for two classes: ½ in each of eight joint cells."""
    given = read({"t": list("xxyyxy"), "a": list("xxyyyy"), "b": list("xyxyxy")}, truth="t")
    assert isinstance(given, Predictions)
    share, _ = counted_spread(given.tally(), find_measure("accuracy"), 100.0)
    assert share == pytest.approx(100 / 104)
