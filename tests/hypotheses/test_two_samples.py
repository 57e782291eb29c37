"""Two unpaired samples of scores: t, ranks, permutation."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import fisher_exact, rankdata, ttest_ind

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.hypotheses.two_samples import mann_whitney, permutation_two_samples, two_sample_t
from tests.hypotheses.laws import codes, facts, limits, obeys_laws, rejection_rate

SMALL = st.lists(st.integers(0, 6), min_size=1, max_size=5)
DECIMAL = st.lists(st.integers(0, 40).map(lambda k: k / 10), min_size=1, max_size=7)


class TestTwoSampleT:
    @settings(deadline=None, max_examples=30)
    @given(DECIMAL, DECIMAL, st.sampled_from(["welch", "pooled"]))
    def test_laws(self, a: list[float], b: list[float], variant: str) -> None:
        obeys_laws(two_sample_t, (a, b), (b, a), {"variant": variant})

    @pytest.mark.parametrize(
        ("a", "b", "code"),
        [([2.0, 2.0], [3.0, 3.0], "zero-variance"), ([1.0, 2.0], [5.0], "single-value")],
    )
    def test_without_spread_it_is_undefined(
        self, a: list[float], b: list[float], code: str
    ) -> None:
        outcome = two_sample_t(a, b)
        assert (outcome.p_value, outcome.statistic, outcome.effect.interval) == (None,) * 3
        assert {note.code for note in outcome.notes} == {code}

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(1)
        draw = lambda: (rng.normal(0, 1, 12), rng.normal(0, 2, 15))  # noqa: E731
        assert 0.044 <= rejection_rate(two_sample_t, draw, 5000) <= 0.056

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="variant is one of"):
            two_sample_t([1, 2], [3, 4], variant="equal")  # type: ignore[arg-type]
        with pytest.raises(EvidenceError, match="at least 1 values"):
            two_sample_t([], [3, 4])

    def test_few_runs(self) -> None:
        a, b = [0.8, 0.9, 0.7, 0.85, 0.6], [0.7, 0.8, 0.75, 0.6, 0.9, 0.5]
        assert "few-runs" in codes(two_sample_t(a, b, unit="seed"))
        assert "few-runs" not in codes(two_sample_t(a, b))
        assert "few-runs" not in codes(two_sample_t(b, b[::-1], unit="seed"))


class TestMannWhitney:
    @settings(deadline=None, max_examples=40)
    @given(SMALL, SMALL)
    def test_enumeration_with_ties(self, a: list[int], b: list[int]) -> None:
        ranks = rankdata([*a, *b])
        sums = np.array([sum(chosen) for chosen in combinations(ranks, len(a))])
        observed, mean = ranks[: len(a)].sum(), sums.mean()
        expected = {
            "greater": np.mean(sums >= observed - 1e-9),
            "less": np.mean(sums <= observed + 1e-9),
            "two-sided": np.mean(np.abs(sums - mean) >= abs(observed - mean) - 1e-9),
        }
        for side, share in expected.items():
            assert mann_whitney(a, b, alternative=side).p_value == pytest.approx(share, rel=1e-12)

    @settings(deadline=None, max_examples=25)
    @given(DECIMAL, DECIMAL)
    def test_laws(self, a: list[float], b: list[float]) -> None:
        obeys_laws(mann_whitney, (a, b), (b, a), {})

    @settings(deadline=None, max_examples=15)
    @given(DECIMAL, DECIMAL, st.booleans())
    def test_laws_of_the_normal_approximation(
        self, a: list[float], b: list[float], correct: bool
    ) -> None:
        obeys_laws(mann_whitney, (a, b), (b, a), {"method": "normal", "correct": correct})

    def test_u_is_the_area_under_the_roc_curve(self) -> None:
        truth = [1, 1, 0, 0, 0, 1, 0, 1, 0, 1]
        scores = [0.95, 0.93, 0.87, 0.85, 0.85, 0.85, 0.76, 0.53, 0.43, 0.25]
        positives = [s for s, t in zip(scores, truth, strict=True) if t]
        negatives = [s for s, t in zip(scores, truth, strict=True) if not t]
        assert facts(mann_whitney(positives, negatives))["auc"] == pytest.approx(0.56)

    def test_decimal_ties(self) -> None:
        one = facts(mann_whitney([0.1 + 0.2, 0.5], [0.3, 0.4]))
        assert one["ties"] is True
        assert one["U_a"] == 2.5

    def test_all_values_equal(self) -> None:
        outcome = mann_whitney([2.0] * 5, [2.0] * 6)
        assert outcome.p_value == 1.0
        assert facts(outcome)["z"] is None
        normal = mann_whitney([2.0] * 5, [2.0] * 6, method="normal")
        assert normal.p_value is None
        assert "zero-variance" in codes(normal)

    def test_constant_samples_far_apart(self) -> None:
        outcome = mann_whitney([2.0] * 6, [1.0] * 6)
        assert outcome.p_value == pytest.approx(2 / math.comb(12, 6))
        assert outcome.effect.interval is None
        assert codes(outcome) == {"zero-variance"}

    def test_large_samples(self) -> None:
        rng = np.random.default_rng(2)
        a, b = rng.normal(0.2, 1, 3000), rng.normal(0, 1, 2500)
        outcome = mann_whitney(a, b)
        assert codes(outcome) == {"normal-used"}
        by_t = two_sample_t(a, b).effect
        assert limits(outcome.effect.interval) == pytest.approx(limits(by_t.interval), abs=0.02)
        assert outcome.effect.value == pytest.approx(by_t.value, abs=0.02)

    @pytest.mark.parametrize("digits", [15, 1, 0])
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("correct", [False, True])
    def test_counting_pairs_agrees_with_listing_them(
        self, monkeypatch: pytest.MonkeyPatch, digits: int, side: str, correct: bool
    ) -> None:
        rng = np.random.default_rng(3)
        a, b = (np.round(rng.normal(m, 1, n), digits) for m, n in ((0.3, 90), (0.0, 80)))
        answers = []
        for few in (10**6, 0):
            monkeypatch.setattr("assay.kernels.rank_sums.FEW_PAIRS", few)
            found = mann_whitney(a, b, method="normal", correct=correct, alternative=side)
            answers.append((found.p_value, found.effect.value, *limits(found.effect.interval)))
        assert answers[0] == pytest.approx(answers[1], rel=1e-12, abs=1e-12)

    def test_an_exact_p_value_beside_limits_that_would_take_too_long(self) -> None:
        a, b = np.repeat([0.0, 1.0], [60, 140]), np.repeat([0.0, 1.0], [90, 110])
        found = mann_whitney(a, b)
        assert codes(found) == {"interval-by-normal"}
        fisher = fisher_exact(
            np.array([[60, 140], [90, 110]])
        ).pvalue  # of two values ranks tell no more
        assert found.p_value == pytest.approx(fisher, rel=1e-9)
        assert limits(found.effect.interval) == [math.ulp(0.0), 1.0]

    def test_exact_asked_for_too_many(self) -> None:
        with pytest.raises(NotApplicable, match="method='normal'"):
            mann_whitney(np.arange(3000.0), np.arange(3000.0) + 0.5, method="exact")

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(4)
        draw = lambda: (rng.normal(size=20), rng.normal(size=18))  # noqa: E731
        assert 0.044 <= rejection_rate(mann_whitney, draw, 5000) <= 0.056


class TestPermutationTwoSamples:
    @settings(deadline=None, max_examples=40)
    @given(SMALL, SMALL)
    def test_enumeration(self, a: list[int], b: list[int]) -> None:
        joint = np.array([*a, *b], dtype=float)
        differences = []
        for places in combinations(range(joint.size), len(a)):
            mask = np.zeros(joint.size, dtype=bool)
            mask[list(places)] = True
            differences.append(joint[mask].mean() - joint[~mask].mean())
        observed = differences[0]
        more = np.mean(np.array(differences) >= observed - 1e-9)
        fewer = np.mean(np.array(differences) <= observed + 1e-9)
        outcome = permutation_two_samples(a, b)
        assert outcome.p_value == pytest.approx(min(1.0, 2 * min(more, fewer)), rel=1e-12)
        assert outcome.seed is None

    @settings(deadline=None, max_examples=25)
    @given(DECIMAL, DECIMAL)
    def test_laws(self, a: list[float], b: list[float]) -> None:
        obeys_laws(permutation_two_samples, (a, b), (b, a), {})

    def test_laws_of_drawn_allotments(self) -> None:
        rng = np.random.default_rng(5)
        a, b = rng.normal(0.6, 1, 20), rng.normal(0, 1, 25)
        obeys_laws(permutation_two_samples, (a, b), (b, a), {"rng": 1, "n_resamples": 999})

    def test_drawn_allotments_are_said(self) -> None:
        rng = np.random.default_rng(6)
        a, b = rng.normal(5, 1, 30), rng.normal(0, 1, 30)
        outcome = permutation_two_samples(a, b, rng=7, n_resamples=499)
        assert outcome.p_value == 2 / 500
        assert outcome.seed == 7
        assert codes(outcome) == {"sampled"}
        again = permutation_two_samples(a[::-1], b, rng=7, n_resamples=499)
        assert limits(outcome.effect.interval) == pytest.approx(limits(again.effect.interval))

    def test_near_welch_for_many_values(self) -> None:
        rng = np.random.default_rng(7)
        a, b = rng.normal(0.2, 1, 100), rng.normal(0, 1, 100)
        one = permutation_two_samples(a, b, rng=1)
        assert one.p_value == pytest.approx(two_sample_t(a, b).p_value, abs=0.03)

    def test_constant_samples(self) -> None:
        outcome = permutation_two_samples([2.0] * 5, [1.0] * 5)
        assert outcome.p_value == pytest.approx(2 / 252)
        assert outcome.effect.interval is None
        assert codes(outcome) == {"zero-variance"}


def test_one_value_against_many_pools_their_spread() -> None:
    others = [1.0, 2.5, 2.0, 4.5, 3.0]
    found = two_sample_t([6.0], others, variant="pooled")
    assert found.p_value == pytest.approx(ttest_ind([6.0], others).pvalue, rel=1e-12)
    assert "single-value" in codes(two_sample_t([6.0], others, variant="welch"))
