"""Differences of two models with a judge's help."""

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import EvidenceError
from assay.core.results import TestOutcome
from assay.estimates.judged_means import values_of
from assay.hypotheses.judged_differences import difference_outcome
from assay.kernels.judge_correction import corrected


def differences(seed: int, shift: float = 0.0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    judge = rng.standard_normal(500) + 0.4
    people = 0.8 * (judge - 0.4) + 0.5 * rng.standard_normal(500) + shift
    people[60:] = np.nan
    return people, judge


class TestJudgedDifference:
    def test_t_is_the_estimate_over_its_error(self) -> None:
        found = assay.judged_difference(*differences(1))
        mean = assay.judged_mean(*differences(1))
        assert found.effect.value == mean.value
        statistic = mean.value / mean.standard_error
        assert found.p_value == pytest.approx(2 * stats.t.sf(abs(statistic), 58))

    def test_it_keeps_its_level(self) -> None:
        """A judge that prefers A by 0.4 although people see no difference."""
        rejected = sum(
            assay.judged_difference(*differences(seed)).rejects(0.05) for seed in range(400)
        )
        assert rejected <= 32  # 20 expected; 32 has a chance of 1 in 200

    def test_it_finds_what_is_there(self) -> None:
        found = assay.judged_difference(*differences(1, shift=0.5))
        assert found.rejects(0.001)


class TestJudgedPairedRates:
    def test_where_all_are_graded_alike_the_limits_of_both_rates_are_joined(self) -> None:
        """One stratum: Jeffreys' distances of 12 and 5 of 40, squared and added with twice their covariance."""
        people = np.repeat([1.0, -1.0, 0.0, np.nan], [12, 5, 23, 60])
        found = assay.judged_paired_rates(people, np.zeros(100))
        z, value, interval = stats.norm.ppf(0.975), 7 / 40, found.effect.interval
        ends = {
            k: [float(stats.beta.ppf(p, k + 0.5, 40.5 - k)) for p in (0.025, 0.975)]
            for k in (12, 5)
        }
        shared = 2 * z**2 * 12 * 5 / 40**3
        down = (12 / 40 - ends[12][0]) ** 2 + (ends[5][1] - 5 / 40) ** 2 + shared
        up = (ends[12][1] - 12 / 40) ** 2 + (5 / 40 - ends[5][0]) ** 2 + shared
        assert interval is not None
        assert found.effect.value == pytest.approx(value)
        assert interval.low == pytest.approx(value - np.sqrt(down))
        assert interval.high == pytest.approx(value + np.sqrt(up))

    def test_the_interval_decides(self) -> None:
        rng = np.random.default_rng(3)
        people = rng.choice([-1.0, 0, 1], size=600, p=[0.1, 0.7, 0.2])
        judge = np.where(rng.random(600) < 0.8, people, rng.choice([-1.0, 0, 1], size=600))
        people[80:] = np.nan
        for level in (0.8, 0.95, 0.99):
            found = assay.judged_paired_rates(people, judge, level=level)
            assert found.effect.interval is not None
            assert found.rejects(1 - level) == (not found.effect.interval.contains(0.0))

    def test_other_differences_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="judged_difference"):
            assay.judged_paired_rates([0.5, 0.0, 1.0, np.nan], [1.0, 0.0, 1.0, 0.0])

    def test_it_keeps_its_level(self) -> None:
        rejected = 0
        for seed in range(300):
            rng = np.random.default_rng(seed)
            people = rng.choice([-1.0, 0, 1], size=400, p=[0.15, 0.7, 0.15])
            judge = np.where(
                rng.random(400) < 0.7, people, rng.choice([-1.0, 0, 1], size=400, p=[0.1, 0.5, 0.4])
            )
            people[50:] = np.nan
            interval = assay.judged_paired_rates(people, judge).effect.interval
            assert interval is not None
            rejected += not interval.contains(0.0)
        assert rejected <= 26  # 15 expected; 26 has a chance of 1 in 200


class TestHowAPairIsAnswered:
    """Decision 0275: which of the two tests `compare` uses, and how steep the line of few labels is."""

    @staticmethod
    def verdicts(labels: int, wrong: int) -> tuple[np.ndarray, np.ndarray]:
        """A judge that gives so many of the graded items, and as many of the rest, to either model wrongly."""
        people = np.resize([1.0, 0.0, 0.0, 0.0, -1.0, 0.0, 0.0], 3000)
        judge = people.copy()
        judge[:wrong] = np.where(people[:wrong] == 0.0, np.resize([1.0, -1.0], wrong), 0.0)
        people[labels:] = np.nan
        return people, judge

    @pytest.mark.parametrize(
        ("labels", "wrong", "method"),
        [
            (200, 3, "judged_paired_rates"),
            (200, 20, "judged_difference"),
            (50, 10, "judged_adjusted_rates"),
            (50, 1, "judged_paired_rates"),
            (30, 10, "judged_adjusted_rates"),
            (20, 2, "judged_paired_rates"),
        ],
    )
    def test_few_errors_are_counted_and_many_averaged(
        self, labels: int, wrong: int, method: str
    ) -> None:
        found = difference_outcome(values_of(*self.verdicts(labels, wrong)), 0.95, counted=True)
        assert isinstance(found, TestOutcome)
        assert found.method == method

    def test_nobody_asks_whether_a_judge_tells_anything_if_models_differ_often_enough(self) -> None:
        rng = np.random.default_rng(8)
        people = rng.choice([-1.0, 0.0, 1.0], size=3000, p=[0.2, 0.6, 0.2])
        judge = rng.permutation(people)
        for labels, method in ((8, None), (100, "judged_adjusted_rates"), (400, "judged_difference")):  # fmt: skip
            known = np.where(np.arange(3000) < labels, people, np.nan)
            one = values_of(known, judge)
            assert corrected(one.people, one.judge, one.sample).association < 4.0
            found = difference_outcome(one, 0.95, counted=True)
            assert (found.method if isinstance(found, TestOutcome) else None) == method

    def test_a_line_found_with_few_labels_is_less_steep(self) -> None:
        rng = np.random.default_rng(5)
        judge = rng.standard_normal(500)
        people = 0.6 * judge + rng.standard_normal(500)
        people[20:] = np.nan
        one = values_of(people, judge)
        plain = corrected(one.people, one.judge, one.sample)
        found = difference_outcome(one, 0.95, counted=False)
        assert isinstance(found, TestOutcome)
        said = dict(found.details)
        kept = 1.0 - 4.0 * (1.0 / plain.association - 1.0 / 20.0)
        assert 0.0 < kept < 1.0
        assert said["slope"] == pytest.approx(kept * plain.slope)
        assert float(str(said["standard_error"])) > plain.error


class TestAdjustedRates:
    def test_a_judge_that_says_nothing_leaves_bonett_and_price(self) -> None:
        """Their interval of 12 and 5 of 40 pairs: ((b - c)/(n + 2)) with (b + 1)/(n + 2) and (c + 1)/(n + 2)."""
        people = np.append([1.0] * 12 + [-1.0] * 5 + [0.0] * 23, np.full(400, np.nan))
        judge = np.tile([0.0, 1.0], 220)
        judge[:40] = 0.0  # no slope among the labels
        found = assay.judged_adjusted_rates(people, judge)
        more, less = 13 / 42, 6 / 42
        error = np.sqrt((more + less - (more - less) ** 2) / 42)
        assert found.effect.interval is not None
        assert found.effect.interval.low == pytest.approx(more - less - 1.959964 * error, abs=2e-3)
        assert found.effect.interval.high == pytest.approx(more - less + 1.959964 * error, abs=2e-3)

    @pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
    def test_the_interval_decides(self, level: float) -> None:
        people, judge = TestHowAPairIsAnswered.verdicts(60, 12)
        found = assay.judged_adjusted_rates(people + 0.0, judge, level=level, null=0.2)
        assert found.effect.interval is not None
        assert found.rejects(1.0 - level) == (not found.effect.interval.contains(0.2))
        at = assay.judged_adjusted_rates(people, judge, level=1.0 - found.p_value, null=0.2)
        assert at.effect.interval is not None
        assert min(abs(at.effect.interval.low - 0.2), abs(at.effect.interval.high - 0.2)) < 1e-9

    def test_models_that_never_differ_have_an_interval(self) -> None:
        people = np.append(np.zeros(30), np.full(100, np.nan))
        found = assay.judged_adjusted_rates(people, np.zeros(130))
        assert found.effect.interval is not None
        assert found.effect.interval.high == pytest.approx(1.959964 * np.sqrt(2.0) / 32, rel=1e-3)

    def test_other_differences_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="judged_difference"):
            assay.judged_adjusted_rates([0.5, 1.0, 0.0, np.nan], [0.0, 1.0, 0.0, 1.0])


class TestSeldomErrors:
    """Differences of grades by a judge that hardly errs: the likelihood decides."""

    @staticmethod
    def outcome(labels: int, level: float, errors: int = 1) -> TestOutcome:
        rng = np.random.default_rng(6)
        people = rng.integers(-4, 5, 3000).astype(float)
        judge = people.copy()
        people[:errors] += 3.0
        people[labels:] = np.nan
        found = difference_outcome(values_of(people, judge), level, counted=False)
        assert isinstance(found, TestOutcome)
        return found

    @pytest.mark.parametrize("labels", [20, 50, 200])
    @pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
    def test_the_interval_decides(self, labels: int, level: float) -> None:
        found = self.outcome(labels, level)
        assert found.p_value is not None
        assert found.effect.interval is not None
        assert (found.p_value <= 1.0 - level + 1e-12) != found.effect.interval.contains(0.0)
        at = self.outcome(labels, 1.0 - found.p_value).effect.interval
        assert at is not None
        assert min(abs(at.low), abs(at.high)) == pytest.approx(0.0, abs=1e-6)

    def test_it_is_said(self) -> None:
        found = self.outcome(50, 0.95)
        assert [one.code for one in found.notes] == ["judge-seldom-errs"]

    def test_wider_levels_hold_narrower_ones(self) -> None:
        found = [self.outcome(30, level).effect.interval for level in (0.5, 0.9, 0.95, 0.99)]
        lows, highs = zip(*((one.low, one.high) for one in found if one is not None), strict=True)
        assert np.all(np.diff(lows) < 0.0)
        assert np.all(np.diff(highs) > 0.0)
