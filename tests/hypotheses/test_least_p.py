"""Designs in which no outcome could reach the level say so instead of a p-value."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.formatting import write_p
from assay.core.results import TestOutcome
from assay.hypotheses.least_p import least_p


def scores(n: int, models: str = "ab", unit: str = "dataset") -> dict[str, Any]:
    """Model a above all others on every unit, by amounts that differ."""
    return {unit: [f"{unit}{i}" for i in range(n)]} | {
        model: [0.5 + 0.01 * i + 0.1 * (len(models) - place) * (1 + i) for i in range(n)]
        for place, model in enumerate(models)
    }


class TestLeastP:
    @pytest.mark.parametrize("n", [3, 5, 6, 9])
    def test_signed_ranks_and_signs_reach_exactly_this(self, n: int) -> None:
        values = np.arange(1.0, n + 1)
        for test in (assay.wilcoxon, assay.sign_test, assay.paired_permutation):
            outcome = test(values)
            assert outcome.p_value == pytest.approx(least_p(outcome))

    @pytest.mark.parametrize("sizes", [(3, 3), (2, 4), (4, 5)])
    def test_runs_apart_reach_exactly_this(self, sizes: tuple[int, int]) -> None:
        a = np.arange(1.0, sizes[0] + 1) + 0.001
        b = 100.0 + np.arange(sizes[1])
        assert assay.mann_whitney(a, b).p_value == pytest.approx(least_p(assay.mann_whitney(a, b)))
        permuted = assay.permutation_two_samples(a, b, rng=0)
        assert permuted.p_value is not None
        assert permuted.p_value >= (least_p(permuted) or 0.0) - 1e-12

    @pytest.mark.parametrize("n", [2, 3, 4, 8])
    def test_mcnemar(self, n: int) -> None:
        outcome = assay.mcnemar(0, n, 0, 0)
        assert outcome.p_value == pytest.approx(least_p(outcome))

    @pytest.mark.parametrize("variant", ["score", "exact", "mid-p", "continuity"])
    @pytest.mark.parametrize("n", [2, 4, 6])
    def test_variants_of_mcnemar_by_listing_all_tables(self, variant: Any, n: int) -> None:
        tables = [(n - a - b, a, b, 0) for a in range(n + 1) for b in range(n + 1 - a)]
        outcomes = [assay.mcnemar(*table, variant=variant) for table in tables]
        least = min(one.p_value for one in outcomes if one.p_value is not None)
        assert all(least_p(one) == pytest.approx(least) for one in outcomes)

    @pytest.mark.parametrize(("n_a", "n_b"), [(2, 2), (2, 4), (3, 3), (4, 3)])
    @pytest.mark.parametrize("test", [assay.fisher_exact, assay.two_proportions_z])
    def test_two_rates_by_listing_all_tables(self, test: Any, n_a: int, n_b: int) -> None:
        outcomes = [test(a, n_a, b, n_b) for a in range(n_a + 1) for b in range(n_b + 1)]
        least = min(one.p_value for one in outcomes if one.p_value is not None)
        assert all(least_p(one) == pytest.approx(least) for one in outcomes)

    def test_the_unpooled_z_is_not_bounded(self) -> None:
        assert least_p(assay.two_proportions_z(1, 3, 2, 3, variant="unpooled")) is None

    def test_a_t_test_can_reach_any_level(self) -> None:
        assert least_p(assay.paired_t([1.0, 2.0, 3.0])) is None


class TestCompare:
    def test_five_data_sets_have_no_p_value_and_six_have_one(self) -> None:
        five = assay.compare(scores(5)).verdict
        assert five.word == "undecided"
        assert five.outcome.p_value is None
        assert write_p(five.outcome) == "out of reach"
        six = assay.compare(scores(6)).verdict
        assert six.outcome.p_value == 2**-5
        assert six.word == "higher"

    def test_holm_over_pairs_needs_more_data_sets(self) -> None:
        seven, eight = (assay.compare(scores(n, "abc")) for n in (6, 8))
        assert {v.outcome.p_value for v in seven.verdicts} == {None}
        assert "cannot-reach-alpha" in {note.code for note in seven.notes}
        assert all(v.outcome.p_value is not None for v in eight.verdicts)

    def test_measures_count_too(self) -> None:
        base = scores(6)
        long = {"dataset": base["dataset"] * 2, "model": ["a"] * 6 + ["b"] * 6}
        long["accuracy"] = long["auc"] = [*base["a"], *base["b"]]
        found = assay.compare(long, measure=["accuracy", "auc"])
        assert {verdict.outcome.p_value for verdict in found.verdicts} == {None}
        assert "6 data sets and 2 comparisons" in found.verdicts[0].outcome.notes[-1].message

    def test_five_items_and_the_exact_tests_beside(self) -> None:
        found = assay.compare({"truth": [1] * 5, "a": [1] * 5, "b": [0] * 4 + [1]})
        beside: dict[str, TestOutcome] = dict(found.also)
        assert beside["McNemar, exact"].p_value is None
        assert beside["McNemar, mid-p"].p_value is not None

    def test_two_and_three_items_of_their_own(self) -> None:
        parts = ({"truth": [1, 1], "a": [1, 1]}, {"truth": [1, 1, 1], "b": [0, 0, 1]})
        found = assay.compare(assay.read(*parts, paired=False), measure="accuracy")
        assert dict(found.also)["Fisher's exact test"].p_value is None

    def test_permutation_of_three_runs_beside_the_t(self) -> None:
        found = assay.compare(scores(3, unit="seed"))
        beside: dict[str, TestOutcome] = dict(found.also)
        assert found.verdict.outcome.p_value is not None
        assert beside["permutation of the means"].p_value is None
        assert "cannot-reach-alpha" in {n.code for n in beside["permutation of the means"].notes}

    def test_every_renderer_says_it(self) -> None:
        found = assay.compare(scores(5))
        for form in ("table", "markdown", "html"):
            text = assay.render(found, form, details=True)
            assert "out of reach" in text, form
            assert "cannot-reach-alpha" in text, form
