"""Two error rates from different items, and tables of counts."""

import math
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, UsageError
from assay.hypotheses import independent_outcomes
from assay.hypotheses.independent_outcomes import chi_square, fisher_exact, two_proportions_z
from assay.reference import cases
from tests.hypotheses.laws import codes, facts, limits, obeys_laws, rejection_rate
from tests.support import agree

TEXTBOOK = {case.id: case for case in cases("textbook")}
COUNTS = st.tuples(st.integers(0, 12), st.integers(0, 9))


class TestTwoProportionsZ:
    @pytest.mark.parametrize("case_id", ["b", "c"])
    def test_lecture_intervals(self, case_id: str) -> None:
        case = TEXTBOOK[case_id]
        given_ = (case.input["k2"], case.input["n2"], case.input["k1"], case.input["n1"])
        outcome = two_proportions_z(*given_, variant="unpooled")
        assert agree(outcome.effect.value, case.expected["diff"], 1e-9)
        assert agree(limits(outcome.effect.interval), case.expected["ci"], 1e-9)
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.contains(0.0) == case.expected["contains_zero"]

    @pytest.mark.parametrize("case_id", ["f1", "f2"])
    def test_lecture_z(self, case_id: str) -> None:
        case = TEXTBOOK[case_id]
        counts = [round(case.input[p] * case.input[n]) for p, n in (("p2", "n2"), ("p1", "n1"))]
        outcome = two_proportions_z(counts[0], 100, counts[1], 100, variant="unpooled")
        found = facts(outcome)
        assert agree(outcome.statistic, case.expected["z"], 1e-9)
        assert agree(found["se_unpooled"], case.expected["sigma"], 1e-9)
        assert agree(outcome.p_value, case.expected["p_two_sided"], 1e-9)
        assert agree(found["z_pooled"], case.expected["z_pooled"], 1e-9)
        assert agree(found["p_pooled"], case.expected["p_two_sided_pooled"], 1e-9)
        one_sided = two_proportions_z(
            counts[0], 100, counts[1], 100, variant="unpooled", alternative="greater"
        )
        assert agree(one_sided.p_value, case.expected["p_one_sided"], 1e-9)

    @settings(deadline=None, max_examples=40)
    @given(COUNTS, COUNTS)
    def test_laws_of_the_default(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        one, two = (a[0], sum(a)), (b[0], sum(b))
        if min(one[1], two[1]) > 0:
            obeys_laws(two_proportions_z, (*one, *two), (*two, *one), {})

    def test_laws_of_the_unpooled_variant(self) -> None:
        obeys_laws(two_proportions_z, (20, 100, 32, 90), (32, 90, 20, 100), {"variant": "unpooled"})

    def test_no_errors_at_all(self) -> None:
        outcome = two_proportions_z(0, 10, 0, 20)
        assert outcome.p_value is None
        assert outcome.statistic is None
        assert codes(outcome) == {"zero-variance"}
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.width > 0.1

    def test_unpooled_without_spread_has_no_p_value(self) -> None:
        outcome = two_proportions_z(0, 10, 10, 10, variant="unpooled")
        assert outcome.p_value is None
        assert facts(outcome)["z_unpooled"] == -math.inf

    def test_correction_says_that_it_differs(self) -> None:
        assert codes(two_proportions_z(20, 100, 32, 90, correct=True)) == {"variant-differs"}

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(2)

        def draw() -> tuple[int, ...]:
            return int(rng.binomial(120, 0.3)), 120, int(rng.binomial(90, 0.3)), 90

        assert 0.044 <= rejection_rate(two_proportions_z, draw, 5000) <= 0.056

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="use variant='pooled'"):
            two_proportions_z(2, 10, 3, 10, variant="unpooled", correct=True)
        with pytest.raises(EvidenceError, match="more errors than items"):
            two_proportions_z(11, 10, 3, 10)

    def test_sizes_at_which_the_level_is_exceeded(self) -> None:
        assert codes(two_proportions_z(50, 100, 45, 100)) == {"level-exceeded"}
        assert codes(two_proportions_z(20, 100, 25, 100)) == set()
        assert codes(two_proportions_z(15, 30, 20, 30)) == set()
        assert codes(two_proportions_z(15, 30, 20, 30, level=0.99)) == {"level-exceeded"}
        assert codes(two_proportions_z(1, 30, 2, 30)) == {"small-expected"}


class TestFisherExact:
    def test_conditional_odds_ratio_of_r(self) -> None:
        # R: fisher.test(matrix(c(10, 3, 2, 15), 2)): 21.30533, 2.753383 to 301.462338
        found = facts(fisher_exact(10, 12, 3, 18))
        assert found["odds_ratio"] == pytest.approx(21.30533, rel=1e-6)
        assert found["odds_ratio_low"] == pytest.approx(2.753383, rel=1e-6)
        assert found["odds_ratio_high"] == pytest.approx(301.462338, rel=1e-6)

    @settings(deadline=None, max_examples=30)
    @given(COUNTS, COUNTS)
    def test_enumeration(self, a: tuple[int, int], b: tuple[int, int]) -> None:
        a, b = (a[0] % 5, a[1] % 5 + 1), (b[0] % 5, b[1] % 5 + 1)
        n_a, n_b = sum(a), sum(b)
        outcomes = [1] * (a[0] + b[0]) + [0] * (a[1] + b[1])
        counts = [sum(chosen) for chosen in combinations(outcomes, n_a)]
        likelihood = {k: counts.count(k) for k in set(counts)}
        small = sum(v for v in likelihood.values() if v <= likelihood[a[0]])
        outcome = fisher_exact(a[0], n_a, b[0], n_b)
        assert outcome.p_value == pytest.approx(small / len(counts), rel=1e-10)

    def test_a_model_without_items(self) -> None:
        outcome = fisher_exact([[0, 0], [3, 4]])
        assert outcome.p_value == 1.0
        assert outcome.effect.value is None
        assert "undefined-value" in codes(outcome)

    def test_a_large_table_agrees_with_scipy(self) -> None:
        table = [[300, 9700], [350, 9650]]
        outcome = fisher_exact(table)
        assert outcome.p_value == pytest.approx(
            stats.fisher_exact(np.array(table)).pvalue, rel=1e-8
        )

    def test_extreme_odds(self) -> None:
        found = facts(fisher_exact(0, 5, 5, 5))
        assert (found["odds_ratio"], found["odds_ratio_low"]) == (0.0, 0.0)
        assert 0.0 < found["odds_ratio_high"] < 1.0

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="whole counts"):
            fisher_exact([[1.5, 2], [3, 4]])


class TestChiSquare:
    @settings(deadline=None, max_examples=60)
    @given(st.lists(st.lists(st.integers(1, 30), min_size=3, max_size=3), min_size=2, max_size=4))
    def test_the_bound_decides(self, table: list[list[int]]) -> None:
        for level in (0.8, 0.95):
            outcome = chi_square(table, level=level)
            interval = outcome.effect.interval
            assert interval is not None
            assert outcome.p_value is not None
            assert (outcome.p_value <= 1 - level) != interval.contains(0.0)
            assert interval.contains(outcome.effect.value or 0.0)

    def test_two_by_two_is_the_pooled_z(self) -> None:
        z = two_proportions_z(20, 100, 32, 90)
        outcome = chi_square([[20, 80], [32, 58]])
        assert outcome.p_value == pytest.approx(z.p_value, rel=1e-12)
        assert outcome.statistic == pytest.approx((z.statistic or 0.0) ** 2)

    def test_small_expected_counts_are_noted(self) -> None:
        assert "small-expected" in codes(chi_square([[1, 2], [3, 4]]))
        assert codes(chi_square([[30, 30], [30, 35]])) == set()

    @pytest.mark.parametrize(
        ("table", "message"),
        [
            ([[1, 2], [0, 0]], "row 1 of the table is empty"),
            ([[0, 2], [0, 3]], "column 0 of the table is empty"),
            ([[1, 2, 3]], "at least 2 rows"),
            ([[1, -2], [3, 4]], "whole counts"),
        ],
    )
    def test_errors(self, table: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            chi_square(table)

    def test_correction_says_that_it_differs(self) -> None:
        assert "variant-differs" in codes(chi_square([[12, 5], [29, 12]], correct=True))

    def test_yates_is_for_two_by_two(self) -> None:
        with pytest.raises(UsageError, match="2 x 2"):
            chi_square([[1, 2, 3], [4, 5, 6]], correct=True)


def test_many_tables_are_solved_near_their_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    """As going through all of them, to the last digits."""
    counts = (9_000, 20_000, 8_700, 21_000)
    for side in ("two-sided", "greater", "less"):
        near = dict(fisher_exact(*counts, alternative=side).details)
        with monkeypatch.context() as patched:
            patched.setattr(independent_outcomes, "FEW_TABLES", 10**9)
            through = dict(fisher_exact(*counts, alternative=side).details)
        for name in ("odds_ratio", "odds_ratio_low", "odds_ratio_high"):
            assert near[name] == pytest.approx(through[name], rel=1e-10)
