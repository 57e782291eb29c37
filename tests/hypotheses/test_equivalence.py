"""Equivalence by two one-sided tests, and non-inferiority."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Interval, TestOutcome
from assay.hypotheses.equivalence import (
    non_inferiority_means,
    non_inferiority_measure,
    non_inferiority_paired_proportions,
    non_inferiority_proportions,
    non_inferiority_two_samples,
    tost_means,
    tost_measure,
    tost_paired_proportions,
    tost_proportions,
    tost_two_samples,
)
from assay.hypotheses.paired_outcomes import mcnemar
from assay.hypotheses.paired_scores import paired_t
from assay.hypotheses.two_samples import two_sample_t
from tests.support import agree

A = np.array([0.91, 0.87, 0.93, 0.90, 0.88, 0.92, 0.89, 0.94, 0.86, 0.90])
B = np.array([0.89, 0.88, 0.91, 0.90, 0.85, 0.91, 0.90, 0.92, 0.86, 0.87])
SAMPLES = st.lists(st.integers(-20, 20).map(lambda x: x / 100), min_size=3, max_size=12)
TABLES = st.tuples(*[st.integers(0, 30)] * 4).filter(lambda counts: sum(counts) > 0)
COUNTS = st.integers(1, 60).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n)))
MARGINS = st.sampled_from([0.03, 0.1, 0.25])
LEVELS = st.sampled_from([0.8, 0.9, 0.95, 0.99])


def interval(outcome: TestOutcome) -> Interval:
    assert outcome.effect.interval is not None
    return outcome.effect.interval


def details(outcome: TestOutcome) -> dict[str, Any]:
    return dict(outcome.details)


def decides(outcome: TestOutcome, level: float, margin: float) -> bool:
    """Whether the interval inside the margins and the p-value say the same."""
    if outcome.p_value is None or outcome.effect.interval is None:
        return bool(outcome.notes)
    if abs(outcome.p_value - (1 - level)) < 1e-9:
        return True
    return interval(outcome).within(margin) == (outcome.p_value <= 1 - level)


def predictions(seed: int, n: int, *, same: float = 0.9) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, 2, size=n)
    a = np.where(rng.random(n) < 0.8, truth, 1 - truth)
    return {"truth": truth, "a": a, "b": np.where(rng.random(n) < same, a, 1 - a)}


class TestTostMeans:
    def test_is_two_paired_t_tests(self) -> None:
        outcome = tost_means(A, B, margin=0.02)
        lower = paired_t(A - B + 0.02, alternative="greater").p_value
        upper = paired_t(A - B - 0.02, alternative="less").p_value
        assert lower is not None
        assert upper is not None
        assert agree(outcome.p_value, max(lower, upper), 1e-9)
        assert agree((details(outcome)["p_lower"], details(outcome)["p_upper"]), (lower, upper))

    def test_agrees_with_scipy(self) -> None:
        """As TOSTER::t_TOST has it: the larger of two t tests against the margins."""
        lower = stats.ttest_1samp(A - B, -0.02, alternative="greater").pvalue
        upper = stats.ttest_1samp(A - B, 0.02, alternative="less").pvalue
        assert agree(tost_means(A, B, margin=0.02).p_value, max(lower, upper), 1e-9)

    def test_tells_of_the_harder_test(self) -> None:
        outcome = tost_means(A, B, margin=0.02)
        assert (outcome.null, outcome.alternative) == (0.02, "less")
        assert outcome.statistic == details(outcome)["t_upper"]
        turned = tost_means(B, A, margin=0.02)
        assert (turned.null, turned.alternative) == (-0.02, "greater")

    def test_the_interval_is_at_1_minus_2_alpha(self) -> None:
        outcome = tost_means(A, B, margin=0.02)
        assert interval(outcome).level == 0.9
        expected = paired_t(A, B, level=0.9).effect.interval
        assert expected is not None
        assert (interval(outcome).low, interval(outcome).high) == (expected.low, expected.high)

    @given(SAMPLES, MARGINS, LEVELS)
    def test_the_interval_decides(
        self, differences: list[float], margin: float, level: float
    ) -> None:
        assert decides(tost_means(differences, margin=margin, level=level), level, margin)

    def test_level_at_the_margin(self) -> None:
        rng = np.random.default_rng(1)
        rejected = [
            tost_means(row, margin=0.5).rejects(0.05) for row in rng.normal(0.5, 0.4, (2000, 9))
        ]
        assert np.mean(rejected) <= 0.065  # 5 % and three standard errors

    def test_no_spread(self) -> None:
        outcome = tost_means([0.01, 0.01, 0.01], margin=0.1)
        assert (outcome.p_value, outcome.effect.interval) == (None, None)
        assert {note.code for note in outcome.notes} == {"zero-variance"}

    @pytest.mark.parametrize(
        ("margin", "message"),
        [(None, "margin is needed"), (0.0, "above 0"), (-0.1, "above 0"), (math.inf, "above 0")],
    )
    def test_a_margin_is_needed(self, margin: float | None, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            tost_means(A, B, margin=margin)

    def test_a_level_without_an_interval(self) -> None:
        with pytest.raises(UsageError, match=r"level above 0\.5"):
            tost_means(A, B, margin=0.1, level=0.4)


class TestTostTwoSamples:
    def test_is_two_welch_tests(self) -> None:
        outcome = tost_two_samples(A, B[:7], margin=0.03)
        lower = two_sample_t(A + 0.03, B[:7], alternative="greater").p_value
        upper = two_sample_t(A - 0.03, B[:7], alternative="less").p_value
        assert lower is not None
        assert upper is not None
        assert agree(outcome.p_value, max(lower, upper), 1e-9)

    @given(SAMPLES, SAMPLES, MARGINS, LEVELS)
    def test_the_interval_decides(
        self, a: list[float], b: list[float], margin: float, level: float
    ) -> None:
        assert decides(tost_two_samples(a, b, margin=margin, level=level), level, margin)

    def test_level_at_the_margin(self) -> None:
        rng = np.random.default_rng(2)
        pairs = zip(rng.normal(1, 1, (1500, 8)), rng.normal(0, 0.3, (1500, 12)), strict=True)
        assert (
            np.mean([tost_two_samples(a, b, margin=1.0).rejects(0.05) for a, b in pairs]) <= 0.065
        )


class TestTostPairedProportions:
    def test_ends_where_mcnemar_begins(self) -> None:
        """Towards margin 0 each side is McNemar's test, one-sided."""
        outcome = tost_paired_proportions(50, 10, 4, 36, margin=1e-9)
        assert agree(details(outcome)["z_lower"], mcnemar(50, 10, 4, 36).statistic, 1e-6)
        assert agree(details(outcome)["z_upper"], mcnemar(50, 10, 4, 36).statistic, 1e-6)

    @given(TABLES, MARGINS, LEVELS)
    def test_the_interval_decides(
        self, table: tuple[int, int, int, int], margin: float, level: float
    ) -> None:
        assert decides(tost_paired_proportions(*table, margin=margin, level=level), level, margin)

    @pytest.mark.parametrize(("only_b", "margin"), [(0.02, 0.2), (0.1, 0.2), (0.02, 0.1)])
    def test_level_at_the_margin_over_all_tables(self, only_b: float, margin: float) -> None:
        n = 40
        law = stats.multinomial(n, [only_b + margin, only_b, 1 - 2 * only_b - margin])
        level = 0.0
        for a in range(n + 1):
            for b in range(n + 1 - a):
                chance = float(law.pmf([a, b, n - a - b]))
                if chance > 1e-7 and tost_paired_proportions(
                    n - a - b, a, b, 0, margin=margin
                ).rejects(0.05):
                    level += chance
        assert level <= 0.055

    def test_no_disagreement_on_many_items(self) -> None:
        assert tost_paired_proportions(500, 0, 0, 500, margin=0.01).rejects(0.05)
        assert not tost_paired_proportions(50, 0, 0, 50, margin=0.01).rejects(0.05)

    def test_a_margin_of_a_rate(self) -> None:
        with pytest.raises(UsageError, match="difference of rates, below 1"):
            tost_paired_proportions(50, 10, 4, 36, margin=1.5)


class TestTostProportions:
    @given(COUNTS, COUNTS, MARGINS, LEVELS, st.sampled_from(["mee", "miettinen_nurminen"]))
    def test_the_interval_decides(
        self, a: tuple[int, int], b: tuple[int, int], margin: float, level: float, variant: Any
    ) -> None:
        outcome = tost_proportions(*a, *b, margin=margin, level=level, variant=variant)
        assert decides(outcome, level, margin)

    def test_farrington_and_mannings_rates(self) -> None:
        """The rates of greatest likelihood that differ by the margin, found by search."""
        errors, n, margin = (20, 25), (100, 100), 0.1
        grid = np.linspace(0, 1 - margin, 200_001)[1:-1]
        likelihood = sum(
            errors[i] * np.log(rate) + (n[i] - errors[i]) * np.log1p(-rate)
            for i, rate in enumerate((grid + margin, grid))
        )
        best = grid[np.argmax(likelihood)]
        variance = (best + margin) * (1 - best - margin) / 100 + best * (1 - best) / 100
        outcome = tost_proportions(20, 100, 25, 100, margin=margin)
        assert agree(details(outcome)["z_upper"], (-0.05 - margin) / variance**0.5, 1e-4)

    def test_level_at_the_margin_over_all_counts(self) -> None:
        n, margin, rate = 40, 0.2, 0.2
        weights = np.outer(
            stats.binom.pmf(np.arange(41), n, rate + margin),
            stats.binom.pmf(np.arange(41), n, rate),
        )
        level = sum(
            weights[x, y]
            for x in range(41)
            for y in range(41)
            if weights[x, y] > 1e-7 and tost_proportions(x, n, y, n, margin=margin).rejects(0.05)
        )
        assert level <= 0.055


class TestTostMeasure:
    @pytest.mark.parametrize("measure", ["accuracy", "f1", "mcc", "error_rate"])
    @pytest.mark.parametrize("margin", [0.02, 0.05, 0.1])
    def test_the_interval_decides(self, measure: str, margin: float) -> None:
        for seed in range(4):
            evidence = predictions(seed, 300, same=0.95)
            for level in (0.9, 0.95):
                outcome = tost_measure(
                    evidence, measure=measure, margin=margin, level=level, n_resamples=499, rng=seed
                )
                assert decides(outcome, level, margin)

    def test_agrees_with_tango_on_accuracy(self) -> None:
        evidence = predictions(5, 2000)
        right = [evidence[model] == evidence["truth"] for model in "ab"]
        exact = tost_paired_proportions(right[0].astype(int), right[1].astype(int), margin=0.02)
        outcome = tost_measure(evidence, margin=0.02, rng=1)
        assert agree(outcome.p_value, exact.p_value, 0.15)

    def test_same_seed_same_answer(self) -> None:
        evidence = predictions(1, 100)
        one = tost_measure(evidence, measure="f1", margin=0.1, n_resamples=199, rng=3)
        assert one == tost_measure(evidence, measure="f1", margin=0.1, n_resamples=199, rng=3)
        assert one.seed == 3

    def test_identical_models(self) -> None:
        evidence = predictions(1, 400, same=1.1)
        outcome = tost_measure(evidence, measure="f1", margin=0.05, n_resamples=199, rng=3)
        assert outcome.rejects(0.05)
        assert decides(outcome, 0.95, 0.05)
        assert not tost_measure(evidence, margin=0.001, n_resamples=199, rng=3).rejects(0.05)

    def test_level_at_the_margin(self) -> None:
        """A is right on 80 % and B on 70 %, with margin 0.1."""
        rejected = []
        for seed in range(150):
            rng = np.random.default_rng(seed)
            kind = rng.choice(4, 300, p=[0.65, 0.15, 0.05, 0.15])
            truth = np.ones(300, dtype=int)
            evidence = {
                "truth": truth,
                "a": np.isin(kind, (0, 1)).astype(int),
                "b": np.isin(kind, (0, 2)).astype(int),
            }
            rejected.append(
                tost_measure(evidence, margin=0.1, n_resamples=199, rng=seed).rejects(0.05)
            )
        assert np.mean(rejected) <= 0.1

    def test_a_margin_as_wide_as_the_measure(self) -> None:
        with pytest.raises(UsageError, match="its whole range"):
            tost_measure(predictions(1, 50), margin=1.0, n_resamples=199, rng=1)

    def test_three_models(self) -> None:
        evidence = {**predictions(1, 50), "c": np.zeros(50, dtype=int)}
        with pytest.raises(EvidenceError, match="two models are compared"):
            tost_measure(evidence, margin=0.1)
        outcome = tost_measure(evidence, models=("a", "c"), margin=0.1, n_resamples=199, rng=1)
        assert outcome.effect.value is not None


class TestNonInferiority:
    def test_means_agree_with_scipy(self) -> None:
        found = stats.ttest_1samp(A - B, -0.02, alternative="greater")
        outcome = non_inferiority_means(A, B, margin=0.02)
        assert agree((outcome.statistic, outcome.p_value), (found.statistic, found.pvalue), 1e-9)
        assert (outcome.null, outcome.alternative) == (-0.02, "greater")

    def test_two_samples_agree_with_scipy(self) -> None:
        found = stats.ttest_ind(A + 0.02, B[:6], equal_var=False, alternative="greater")
        outcome = non_inferiority_two_samples(A, B[:6], margin=0.02)
        assert agree((outcome.statistic, outcome.p_value), (found.statistic, found.pvalue), 1e-9)

    def test_losses_turn_the_question_round(self) -> None:
        higher = non_inferiority_means(A, B, margin=0.02)
        lower = non_inferiority_means(-A, -B, margin=0.02, direction="lower")
        assert agree(lower.p_value, higher.p_value)
        assert (lower.null, lower.alternative) == (0.02, "less")
        unpaired = non_inferiority_two_samples(-A, -B, margin=0.02, direction="lower")
        assert agree(unpaired.p_value, non_inferiority_two_samples(A, B, margin=0.02).p_value)

    def test_each_side_of_equivalence(self) -> None:
        table, counts = (50, 10, 4, 36), (20, 100, 25, 100)
        paired = details(tost_paired_proportions(*table, margin=0.1))["p_lower"]
        assert agree(non_inferiority_paired_proportions(*table, margin=0.1).p_value, paired)
        unpaired = details(tost_proportions(*counts, margin=0.1))["p_upper"]
        assert agree(non_inferiority_proportions(*counts, margin=0.1).p_value, unpaired)

    @given(TABLES, COUNTS, COUNTS, MARGINS, LEVELS)
    def test_the_interval_decides(
        self,
        table: tuple[int, int, int, int],
        a: tuple[int, int],
        b: tuple[int, int],
        margin: float,
        level: float,
    ) -> None:
        for outcome in (
            non_inferiority_paired_proportions(*table, margin=margin, level=level),
            non_inferiority_proportions(*a, *b, margin=margin, level=level),
        ):
            assert outcome.p_value is not None
            if abs(outcome.p_value - (1 - level)) > 1e-9:
                beyond = not interval(outcome).contains(outcome.null)
                assert beyond == (outcome.p_value <= 1 - level)

    @pytest.mark.parametrize(("measure", "side"), [("f1", "greater"), ("error_rate", "less")])
    def test_the_measure_owns_its_direction(self, measure: str, side: str) -> None:
        outcome = non_inferiority_measure(
            predictions(2, 200), measure=measure, margin=0.05, n_resamples=499, rng=1
        )
        assert outcome.alternative == side
        assert abs(outcome.null) == 0.05
        assert outcome.p_value is not None
        beyond = not interval(outcome).contains(outcome.null)
        assert beyond == (outcome.p_value <= 0.05)

    @pytest.mark.parametrize(
        ("test", "evidence"),
        [
            (non_inferiority_means, (A, B)),
            (non_inferiority_two_samples, (A, B)),
            (non_inferiority_proportions, (20, 100, 25, 100)),
            (non_inferiority_paired_proportions, (50, 10, 4, 36)),
            (tost_two_samples, (A, B)),
            (tost_proportions, (20, 100, 25, 100)),
        ],
    )
    def test_a_margin_is_needed(self, test: Callable[..., Any], evidence: tuple[Any, ...]) -> None:
        with pytest.raises(UsageError, match="margin is needed"):
            test(*evidence)


@pytest.mark.parametrize("items", [2, 3, 4])
@pytest.mark.parametrize("margin", [0.1, 0.6])
def test_few_items_whose_rarest_resample_is_not_rare(items: int, margin: float) -> None:
    """The percentiles of two items reach no further than what was seen; the test is not so sure."""
    truth = [0, 1, 0, 1][:items]
    evidence = {"truth": truth, "a": truth, "b": [1, *truth[1:]]}
    one = non_inferiority_measure(evidence, margin=margin, rng=1)
    both = tost_measure(evidence, margin=margin, rng=1)
    for found, limits in ((one, (-margin,)), (both, (-margin, margin))):
        interval, p_value = found.effect.interval, found.p_value
        assert interval is not None
        assert p_value is not None
        beyond = not any(interval.contains(limit) for limit in limits)
        assert (p_value <= 0.05) == (beyond and interval.contains(found.effect.value or 0.0))
