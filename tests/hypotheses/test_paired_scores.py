"""Two models on the same units by scores: t, signed ranks, signs, permutation, forecasts."""

import math
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.stats import rankdata

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.hypotheses.paired_scores import (
    diebold_mariano,
    paired_permutation,
    paired_t,
    sign_test,
    wilcoxon,
)
from assay.reference import cases
from tests.hypotheses.laws import codes, facts, limits, obeys_laws, rejection_rate
from tests.support import agree

TEXTBOOK = {case.id: case for case in cases("textbook")}
WHOLE = st.lists(st.integers(-4, 4), min_size=1, max_size=9)
DECIMAL = st.lists(st.integers(-30, 30).map(lambda k: k / 10), min_size=1, max_size=9)
ZEROS = ("drop", "pratt", "split")


def signed_rank_p(differences: list[float], zeros: str) -> tuple[float, float]:
    """P(W >= w) and P(W <= w) over all signs, zeros dropped or ranked first (Pratt)."""
    kept = [d for d in differences if d != 0.0]
    ranked = rankdata(np.abs(kept if zeros == "drop" else differences))
    ranks = [r for r, d in zip(ranked, kept if zeros == "drop" else differences, strict=True) if d]
    observed = sum(r for r, d in zip(ranks, kept, strict=True) if d > 0)
    sums = [sum(r for r, s in zip(ranks, signs, strict=True) if s)
            for signs in product((0, 1), repeat=len(kept))]  # fmt: skip
    return (
        float(np.mean([w >= observed - 1e-9 for w in sums])),
        float(np.mean([w <= observed + 1e-9 for w in sums])),
    )


class TestPairedT:
    @settings(deadline=None, max_examples=30)
    @given(WHOLE)
    def test_laws(self, differences: list[int]) -> None:
        values = np.array(differences, dtype=float)
        obeys_laws(paired_t, (values,), (-values,), {})

    def test_equal_differences_name_the_way_out(self) -> None:
        case = TEXTBOOK["k1"]
        outcome = paired_t(case.input["a"], case.input["b"])
        assert outcome.p_value is None
        assert codes(outcome) == {"zero-variance"}
        assert "sign_test" in outcome.notes[0].message

    def test_second_lecture_example(self) -> None:
        case = TEXTBOOK["k2"]
        outcome = paired_t(case.input["a"], case.input["b"])
        assert agree(outcome.statistic, case.expected["t"], 1e-9)
        assert agree(limits(outcome.effect.interval), case.expected["ci95"], 1e-9)

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(3)
        rate = rejection_rate(paired_t, lambda: (rng.normal(size=12), rng.normal(size=12)), 5000)
        assert 0.044 <= rate <= 0.056

    def test_different_lengths(self) -> None:
        with pytest.raises(EvidenceError, match="one value of A and one of B"):
            paired_t([1, 2, 3], [1, 2])

    def test_one_difference_outweighs_all(self) -> None:
        differences = [0.0, 0.1, -0.1, 0.0, 9.0, 0.1, 0.0, -0.2, 0.1, 0.1]
        assert "few-outweigh" in codes(paired_t(differences))
        assert "few-outweigh" not in codes(paired_t(differences, alternative="greater"))
        assert codes(paired_t(np.linspace(-1.0, 2.0, 10))) == set()


class TestWilcoxon:
    @settings(deadline=None, max_examples=60)
    @given(WHOLE, st.sampled_from(ZEROS))
    def test_enumeration_with_ties_and_zeros(self, differences: list[int], zeros: Any) -> None:
        if not any(differences):
            return
        # zeros split evenly between the signs are the same to every sign pattern
        more, fewer = signed_rank_p(differences, "drop" if zeros == "drop" else "pratt")  # type: ignore[arg-type]
        for side, expected in (
            ("greater", more),
            ("less", fewer),
            ("two-sided", min(1.0, 2 * min(more, fewer))),
        ):
            outcome = wilcoxon(differences, zeros=zeros, alternative=side)
            assert outcome.p_value == pytest.approx(expected, rel=1e-12)

    @settings(deadline=None, max_examples=30)
    @given(WHOLE, st.sampled_from(ZEROS))
    def test_laws(self, differences: list[int], zeros: str) -> None:
        values = np.array(differences, dtype=float)
        obeys_laws(wilcoxon, (values,), (-values,), {"zeros": zeros})

    @settings(deadline=None, max_examples=20)
    @given(DECIMAL, st.booleans())
    def test_laws_of_the_normal_approximation(
        self, differences: list[float], correct: bool
    ) -> None:
        values = np.array(differences)
        options = {"method": "normal", "correct": correct}
        obeys_laws(wilcoxon, (values,), (-values,), options)

    @settings(deadline=None, max_examples=20)
    @given(st.lists(st.integers(-300, 300), min_size=6, max_size=9, unique=True))
    def test_shifts_outside_the_interval_are_rejected(self, values: list[int]) -> None:
        kept = [v / 10 for v in values if v]
        interval = wilcoxon(kept, level=0.8).effect.interval
        assert interval is not None
        for shift in np.linspace(-35, 35, 15) + 0.0123:
            more, fewer = signed_rank_p([v - shift for v in kept], "drop")
            assert (2 * min(more, fewer) > 0.2) == interval.contains(shift)

    def test_identical_vectors(self) -> None:
        outcome = wilcoxon([0.1 + 0.2, 0.5], [0.3, 0.5])
        assert outcome.p_value == 1.0
        assert codes(outcome) == {"no-disagreement"}

    def test_zeros_are_said(self) -> None:
        outcome = wilcoxon([0.0] * 90 + list(range(1, 11)))
        # whole numbers: half a step is a tenth of the interval
        assert codes(outcome) == {"zeros-dropped", "ties-coarse"}
        assert outcome.effect.value == 5.5
        assert limits(outcome.effect.interval) == [3.0, 8.0]

    def test_few_distinct_values_keep_a_width(self) -> None:
        outcome = wilcoxon([1.0] * 80 + [-1.0] * 20)
        assert codes(outcome) == {"ties-coarse"}
        assert outcome.effect.interval is not None
        assert 0.0 < outcome.effect.interval.low < outcome.effect.interval.high

    def test_a_grid_is_noted_where_it_widens_the_interval(self) -> None:
        values = np.random.default_rng(3).normal(0.0, 0.03, 20)
        assert codes(wilcoxon(values)) == set()
        assert "ties-coarse" in codes(wilcoxon(np.round(values, 2)))
        assert "ties-coarse" not in codes(wilcoxon(np.round(values, 4)))

    def test_few_differences_for_a_high_level(self) -> None:
        values = np.array([0.3, -0.1, 0.25, 0.42, 0.11, -0.05, 0.37, 0.2])
        assert "few-for-the-level" in codes(wilcoxon(values, level=0.99))
        assert codes(wilcoxon(values)) == set()
        dropped = wilcoxon([0.3, 0.0, 0.25, 0.42, 0.0, 0.05, 0.37, 0.2], level=0.99)
        assert "few-for-the-level" in codes(dropped)  # six are left, and bound nothing
        assert limits(dropped.effect.interval) == [-math.inf, math.inf]

    def test_equal_differences_have_the_one_shift_not_rejected(self) -> None:
        """Decision 0083."""
        outcome = wilcoxon([5.0] * 6)
        assert outcome.p_value == 1 / 32
        assert outcome.effect.interval is not None
        assert (outcome.effect.interval.low, outcome.effect.interval.high) == (5.0, 5.0)
        assert codes(outcome) == {"zero-variance"}

    def test_an_offset_per_block_changes_nothing(self) -> None:
        rng = np.random.default_rng(5)
        a, b = np.round(rng.normal(0.7, 0.1, 20), 3), np.round(rng.normal(0.68, 0.1, 20), 3)
        offset = np.round(rng.normal(0, 1000, 20))
        one, two = wilcoxon(a, b), wilcoxon(a + offset, b + offset)
        assert one.p_value == two.p_value
        assert limits(one.effect.interval) == pytest.approx(limits(two.effect.interval), abs=1e-9)

    def test_many_differences_take_the_normal_approximation(self) -> None:
        values = np.random.default_rng(1).normal(0.05, 1, size=3000)
        outcome = wilcoxon(values)
        assert codes(outcome) == {"normal-used"}
        small = wilcoxon(values[:1900], method="normal")
        assert outcome.effect.interval is not None
        assert small.effect.interval is not None
        assert outcome.effect.interval.width < small.effect.interval.width
        assert outcome.effect.interval.contains(outcome.effect.value or math.nan)

    @pytest.mark.parametrize("data", ["normal", "tied", "coins", "heavy"])
    @pytest.mark.parametrize("zeros", ["drop", "pratt", "split"])
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    @pytest.mark.parametrize("correct", [False, True])
    def test_counting_pairs_agrees_with_listing_them(
        self, monkeypatch: pytest.MonkeyPatch, data: str, zeros: Any, side: str, correct: bool
    ) -> None:
        rng = np.random.default_rng(2)
        drawn = {
            "normal": rng.normal(0.1, 1, 150),
            "tied": np.round(rng.normal(0.1, 1, 300), 1),
            "coins": rng.choice([-1.0, 0.0, 1.0], 250, p=[0.3, 0.3, 0.4]),
            "heavy": rng.standard_cauchy(200),
        }
        answers = []
        for few in (10**6, 0):
            monkeypatch.setattr("assay.kernels.signed_ranks.FEW", few)
            found = wilcoxon(
                drawn[data], method="normal", zeros=zeros, correct=correct, alternative=side
            )
            answers.append((found.p_value, found.effect.value, *limits(found.effect.interval)))
        assert answers[0] == pytest.approx(answers[1], rel=1e-12, abs=1e-12)

    def test_coarse_differences_have_their_own_steps_however_many(self) -> None:
        rng = np.random.default_rng(5)
        a, b = (rng.random(20_000) < share for share in (0.62, 0.6))
        found = wilcoxon(a.astype(float), b.astype(float))
        assert "interval-by-normal" in codes(found)
        assert limits(found.effect.interval) == [math.ulp(0.0), 1.0]
        rounded = np.round(rng.normal(0.05, 1, 20_000), 2)
        rounded = rounded[rounded != 0.0]
        low, high = limits(wilcoxon(rounded).effect.interval)
        half = 0.0025  # of a step between averages
        assert [low, high] == pytest.approx(
            [2 * half * round(end / half / 2) for end in (low, high)]
        )
        p = [wilcoxon(rounded - end - off).p_value for end in (low, high) for off in (-half, half)]
        assert [one is not None and one > 0.05 for one in p] == [False, True, True, False]

    def test_asked_for_it_is_exact_throughout_where_nothing_is_tied(self) -> None:
        found = wilcoxon(np.random.default_rng(6).normal(size=2_900), method="exact")
        assert codes(found) == set()

    def test_exact_asked_for_too_many(self) -> None:
        with pytest.raises(NotApplicable, match="method='normal'"):
            wilcoxon(np.arange(1.0, 20_001.0), method="exact")

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(4)
        rate = rejection_rate(wilcoxon, lambda: (rng.normal(size=25), rng.normal(size=25)), 5000)
        assert 0.044 <= rate <= 0.056

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="zeros is one of"):
            wilcoxon([1.0, 2.0], zeros="keep")  # type: ignore[arg-type]
        with pytest.raises(EvidenceError, match="missing or infinite"):
            wilcoxon([1.0, math.nan])


class TestSignTest:
    def test_lecture_examples(self) -> None:
        for name in ("k1", "k2"):
            case = TEXTBOOK[name]
            outcome = sign_test(case.input["a"], case.input["b"])
            assert agree(outcome.p_value, case.expected["sign_test_p_two_sided"], 1e-9)

    @settings(deadline=None, max_examples=40)
    @given(WHOLE)
    def test_laws(self, differences: list[int]) -> None:
        values = np.array(differences, dtype=float)
        obeys_laws(sign_test, (values,), (-values,), {})

    def test_median_by_order_statistics(self) -> None:
        # n = 10: P(X <= 1) = 11/1024 <= 0.025 < P(X <= 2), so the second from either end
        found = facts(sign_test(np.arange(1.0, 11.0)))
        assert (found["median_low"], found["median_high"]) == (2.0, 9.0)
        assert facts(sign_test([1.0, 2.0, 3.0]))["median_low"] == -math.inf

    def test_effect_counts_wins_against_losses(self) -> None:
        outcome = sign_test([1, 1, 1, -1, 0])
        assert outcome.effect.value == 0.5
        assert codes(outcome) == {"zeros-dropped"}

    def test_no_unit_differs(self) -> None:
        outcome = sign_test([0.0, 0.0])
        assert outcome.p_value == 1.0
        assert outcome.effect.value is None
        assert codes(outcome) == {"no-disagreement"}


class TestPairedPermutation:
    def test_lecture_examples(self) -> None:
        for name in ("k1", "k2"):
            case = TEXTBOOK[name]
            outcome = paired_permutation(case.input["a"], case.input["b"])
            assert agree(outcome.p_value, case.expected["exact_permutation_p_two_sided"], 1e-9)

    @settings(deadline=None, max_examples=40)
    @given(DECIMAL)
    def test_enumeration(self, differences: list[float]) -> None:
        whole = [round(10 * d) for d in differences]
        sums = [sum(s * d for s, d in zip(signs, whole, strict=True))
                for signs in product((1, -1), repeat=len(whole))]  # fmt: skip
        expected = np.mean([abs(total) >= abs(sum(whole)) for total in sums])
        outcome = paired_permutation(differences)
        assert outcome.p_value == pytest.approx(expected, rel=1e-12)

    @settings(deadline=None, max_examples=25)
    @given(DECIMAL)
    def test_laws(self, differences: list[float]) -> None:
        values = np.array(differences)
        obeys_laws(paired_permutation, (values,), (-values,), {})

    @pytest.mark.parametrize("size", [26, 60, 800])
    def test_laws_of_larger_samples(self, size: int) -> None:
        rng = np.random.default_rng(size)
        for values in (rng.normal(2 / size**0.5, 1, size), rng.choice([-1.0, 0.0, 1.0], size)):
            obeys_laws(paired_permutation, (values,), (-values,), {})

    def test_near_the_t_test_for_many_units(self) -> None:
        values = np.random.default_rng(1).normal(0.02, 1, size=20_000)
        one, two = paired_permutation(values), paired_t(values)
        assert one.p_value == pytest.approx(two.p_value, rel=0.01)
        assert limits(one.effect.interval) == pytest.approx(limits(two.effect.interval), rel=0.01)

    def test_right_and_wrong_is_exact_mcnemar(self) -> None:
        from assay.hypotheses.paired_outcomes import mcnemar

        a, b = (
            np.repeat([1, 1, 0, 0], [500, 40, 22, 90]),
            np.repeat([1, 0, 1, 0], [500, 40, 22, 90]),
        )
        exact = mcnemar(500, 40, 22, 90, variant="exact")
        assert paired_permutation(a, b).p_value == pytest.approx(exact.p_value, rel=1e-12)

    def test_identical_vectors(self) -> None:
        outcome = paired_permutation([0.3, 0.2], [0.1 + 0.2, 0.2])
        assert outcome.p_value == 1.0
        assert codes(outcome) == {"no-disagreement"}

    def test_equal_differences_have_no_interval(self) -> None:
        outcome = paired_permutation([5.0] * 8)
        assert outcome.p_value == pytest.approx(2 / 256, rel=1e-14)
        assert outcome.effect.interval is None
        assert codes(outcome) == {"zero-variance"}

    def test_heavy_tails_are_drawn(self) -> None:
        values = np.exp(np.random.default_rng(1).normal(0, 4, 50))
        values[::2] *= -1.0
        outcome = paired_permutation(values, rng=5, n_resamples=999)
        assert facts(outcome)["how"] == "sampled"
        assert codes(outcome) == {"sampled"}
        assert outcome.seed == 5
        assert outcome == paired_permutation(values, rng=5, n_resamples=999)
        obeys_laws(paired_permutation, (values,), None, {"rng": 5, "n_resamples": 999})

    def test_tiny_p_values_have_a_logarithm(self) -> None:
        outcome = paired_permutation(np.random.default_rng(0).normal(1, 1, size=5000))
        assert outcome.p_value == 0.0
        assert facts(outcome)["log10_p"] < -700

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(6)
        rate = rejection_rate(paired_permutation, lambda: (rng.normal(size=12),), 5000)
        assert 0.044 <= rate <= 0.056


class TestDieboldMariano:
    def test_one_step_ahead_is_the_paired_t(self) -> None:
        rng = np.random.default_rng(2)
        a, b = rng.normal(size=30) ** 2, rng.normal(size=30) ** 2
        one, two = diebold_mariano(a, b), paired_t(a, b)
        assert one.statistic == pytest.approx(two.statistic, rel=1e-12)
        assert one.p_value == pytest.approx(two.p_value, rel=1e-12)
        assert limits(one.effect.interval) == pytest.approx(limits(two.effect.interval), rel=1e-10)

    def test_two_steps_ahead_by_hand(self) -> None:
        losses = np.array([1.0, 2.0, 0.0, 3.0, 1.0, 2.0])
        # mean 1.5, g0 = 5.5/6, g1 = -4.25/6, so the variance is negative at horizon 2
        outcome = diebold_mariano(losses, horizon=2)
        assert outcome.p_value is None
        assert codes(outcome) == {"negative-variance"}
        assert facts(outcome)["variance"] == pytest.approx((5.5 - 2 * 4.25) / 36)

    def test_harvey_leybourne_newbold(self) -> None:
        series = np.array([0.2, 0.5, 0.9, 0.4, -0.3, -0.1, 0.6, 1.1, 0.7, 0.1])
        n, h = series.size, 3
        centred = series - series.mean()
        g = [float((centred[k:] * centred[: n - k]).sum()) / n for k in range(h)]
        variance = (g[0] + 2 * (g[1] + g[2])) / n
        factor = math.sqrt((n + 1 - 2 * h + h * (h - 1) / n) / n)
        outcome = diebold_mariano(series, horizon=3)
        assert variance > 0
        assert outcome.statistic == pytest.approx(series.mean() / math.sqrt(variance) * factor)
        assert facts(outcome)["df"] == 9

    def test_laws(self) -> None:
        rng = np.random.default_rng(8)
        series = np.convolve(rng.normal(0.4, 1, 42), [0.5, 0.3, 0.2], mode="valid")
        obeys_laws(diebold_mariano, (series,), (-series,), {"horizon": 3})

    def test_no_variance(self) -> None:
        outcome = diebold_mariano([2.0, 2.0, 2.0])
        assert outcome.p_value is None
        assert codes(outcome) == {"zero-variance"}

    def test_horizon_beyond_the_series(self) -> None:
        with pytest.raises(EvidenceError, match="shorter horizon"):
            diebold_mariano([1.0, 2.0, 3.0], horizon=3)


def test_every_p_value_of_wilcoxon_stands_in_the_details() -> None:
    differences = np.array([0.4, -0.1, 0.9, 1.3, -0.6, 0.2, 0.7])
    found = facts(wilcoxon(differences))
    exact, normal = (stats.wilcoxon(differences, method=way) for way in ("exact", "approx"))
    assert found["exact_p"] == pytest.approx(exact.pvalue, rel=1e-12)
    assert found["asymptotic_p"] == pytest.approx(normal.pvalue, rel=1e-12)
