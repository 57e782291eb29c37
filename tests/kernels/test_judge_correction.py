"""The regression estimator of double sampling, and strata of verdicts."""

import numpy as np
import pytest
from scipy import stats

from assay.kernels.judge_correction import (
    JudgedSample,
    JudgedStrata,
    _within,
    corrected,
    p_of_limits,
)

PEOPLE = np.array([3.0, 1, 4, 1, 5, 2, 4, 3, 5, 1])
OWN = np.array([3.5, 1.2, 3.1, 2.0, 4.4, 2.6, 3.9, 2.2, 4.9, 1.7])
REST = np.array(
    [
        2.0,
        3.3,
        4.1,
        1.5,
        2.9,
        3.8,
        4.6,
        2.4,
        3.0,
        3.6,
        1.9,
        2.7,
        4.0,
        3.2,
        2.2,
        3.4,
        4.3,
        1.1,
        2.8,
        3.7,
    ]
)
JUDGE = np.append(OWN, REST)
GRADED = np.arange(10)
SAMPLE = JudgedSample.of(GRADED, 30)


class TestCorrected:
    def test_the_value_is_that_of_ppi_py(self) -> None:
        """ppi_py 0.2.3, ppi_mean_pointestimate(PEOPLE, OWN, REST, lam=slope · 20/30)."""
        found = corrected(PEOPLE, JUDGE, SAMPLE)
        assert found.slope == pytest.approx(1.2101910828025482, rel=1e-12)
        assert found.value == pytest.approx(2.9605095541401276, rel=1e-12)

    def test_how_many_residuals_carry_the_error(self) -> None:
        """(sum r²)²/sum r⁴: as many as there are where all are alike, and none where people and judge agree."""
        found = corrected(PEOPLE, JUDGE, SAMPLE)
        squares = [term**2 for term in found.terms]
        assert found.surprises == pytest.approx(sum(squares) ** 2 / sum(x * x for x in squares))
        assert 1.0 < found.surprises < 10.0
        assert corrected(2.0 * OWN + 1.0, JUDGE, SAMPLE).surprises == 0.0

    def test_association_is_the_squared_correlation_times_the_items(self) -> None:
        due = 10 * np.corrcoef(PEOPLE, OWN)[0, 1] ** 2
        assert corrected(PEOPLE, JUDGE, SAMPLE).association == pytest.approx(due, rel=1e-12)

    def test_within_strata_each_has_its_own_variance(self) -> None:
        terms, strata = np.array([1.0, 4.0, 2.0, 2.5, 7.0]), np.array([0, 0, 1, 1, 1])
        by_hand = 2 * np.var(terms[:2], ddof=1) + 3 * np.var(terms[2:], ddof=1)
        assert _within(terms, strata) == pytest.approx(by_hand)

    def test_the_variance_is_the_larger_of_hc2_and_the_usual_and_that_of_the_judged(self) -> None:
        found = corrected(PEOPLE, JUDGE, SAMPLE)
        design = np.stack([np.ones(10), OWN], axis=1)
        inverse = np.linalg.inv(design.T @ design)
        residuals = PEOPLE - design @ inverse @ design.T @ PEOPLE
        leverage = np.diag(design @ inverse @ design.T)
        middle = design.T @ np.diag(residuals**2 / (1 - leverage)) @ design
        at = np.array([1.0, JUDGE.mean()])
        even = residuals @ residuals / 8 * (at @ inverse @ at)
        expected = (
            max(at @ inverse @ middle @ inverse @ at, even) + found.slope**2 * JUDGE.var() / 30
        )
        assert found.error == pytest.approx(np.sqrt(expected), rel=1e-12)

    def test_of_labels_alone_it_is_the_usual_standard_error(self) -> None:
        found = corrected(PEOPLE, JUDGE, SAMPLE)
        assert found.people_error == pytest.approx(PEOPLE.std(ddof=1) / np.sqrt(10), rel=1e-12)

    def test_a_judge_that_never_varies_changes_nothing(self) -> None:
        found = corrected(PEOPLE, np.ones(30), SAMPLE)
        assert (found.value, found.slope, found.association) == (PEOPLE.mean(), 0.0, 0.0)
        assert found.error == pytest.approx(found.people_error)

    def test_where_people_graded_everything_the_judge_does_not_matter(self) -> None:
        found = corrected(PEOPLE, OWN, JudgedSample.of(GRADED, 10))
        assert found.value == pytest.approx(PEOPLE.mean())

    def test_units_of_grades_carry_over(self) -> None:
        one, other = (
            corrected(PEOPLE, JUDGE, SAMPLE),
            corrected(10 * PEOPLE + 3, 2 * JUDGE - 7, SAMPLE),
        )
        assert other.value == pytest.approx(10 * one.value + 3)
        assert other.error == pytest.approx(10 * one.error)

    def test_equal_chances_and_weights_are_none(self) -> None:
        plain = corrected(PEOPLE, JUDGE, SAMPLE)
        for sample in (
            JudgedSample.of(GRADED, 30, chances=np.full(10, 0.3)),
            JudgedSample.of(GRADED, 30, weights=np.full(30, 2.0)),
            JudgedSample.of(GRADED, 30, clusters=np.arange(30)),
        ):
            found = corrected(PEOPLE, JUDGE, sample)
            assert found.value == pytest.approx(plain.value)
            assert found.error == pytest.approx(plain.error, rel=0.06)

    def test_strata_weigh_by_their_size(self) -> None:
        """Five of 10 items of one stratum, five of 20 of the other; a useless judge leaves the weighted mean."""
        strata = np.array([0] * 5 + [1] * 5 + [0] * 5 + [1] * 15)
        judge = np.ones(30)
        found = corrected(PEOPLE, judge, JudgedSample.of(GRADED, 30, strata=strata))
        assert found.value == pytest.approx((PEOPLE[:5].mean() + 2 * PEOPLE[5:].mean()) / 3)

    def test_copies_in_clusters_are_no_more_evidence(self) -> None:
        clusters = np.repeat(np.arange(30), 3)
        graded = np.flatnonzero(clusters < 10)
        sample = JudgedSample.of(graded, 90, clusters=clusters)
        found = corrected(np.repeat(PEOPLE, 3), np.repeat(JUDGE, 3), sample)
        plain = corrected(PEOPLE, JUDGE, SAMPLE)
        assert found.value == pytest.approx(plain.value)
        assert found.error == pytest.approx(plain.error, rel=0.1)
        assert sample.units == 10


class TestStrata:
    people = np.array([1.0] * 8 + [0.0] * 2 + [1.0, 0.0, 0.0, 0.0, 0.0])
    judge = np.array([1.0] * 10 + [0.0] * 5 + [1.0] * 60 + [0.0] * 25)
    strata = JudgedStrata.of(people, judge, np.arange(15))

    def test_the_value_weighs_rates_by_verdicts(self) -> None:
        assert self.strata.value == pytest.approx(0.7 * 0.8 + 0.3 * 0.2)

    def test_one_graded_item_is_the_mean_of_its_stratum(self) -> None:
        strata = JudgedStrata.of(np.array([1.0, 0.0, -1.0]), self.judge[7:40], np.array([0, 1, 4]))
        assert strata.means.tolist() == [-1.0, 0.5]

    def test_limits_are_jeffreys_joined_by_squares(self) -> None:
        ends = [
            np.asarray(stats.beta.ppf([0.025, 0.975], k + 0.5, n - k + 0.5))
            for k, n in ((1, 5), (8, 10))
        ]
        value, z = self.strata.value, stats.norm.ppf(0.975)
        rest = z**2 * (0.3 * (0.2 - value) ** 2 + 0.7 * (0.8 - value) ** 2) / 100
        low = value - np.sqrt(
            (0.3 * (0.2 - ends[0][0])) ** 2 + (0.7 * (0.8 - ends[1][0])) ** 2 + rest
        )
        high = value + np.sqrt(
            (0.3 * (ends[0][1] - 0.2)) ** 2 + (0.7 * (ends[1][1] - 0.8)) ** 2 + rest
        )
        assert self.strata.limits(0.95, paired=False) == pytest.approx((low, high), rel=1e-12)

    def test_a_judge_without_errors_still_leaves_a_width(self) -> None:
        people = self.judge[:15].copy()
        low, high = JudgedStrata.of(people, self.judge, np.arange(15)).limits(0.95, paired=False)
        assert high - low > 0.15

    def test_a_verdict_that_nobody_checked_is_open(self) -> None:
        strata = JudgedStrata.of(np.ones(10), self.judge, np.arange(10))
        low, high = strata.limits(0.95, paired=False)
        assert low < 0.75
        assert high == 1.0

    def test_pairs_within_limits(self) -> None:
        people = np.array([1.0, 1, 0, 0, -1, 0, 1, 0, 0, 0])
        judge = np.append(np.array([1.0, 1, 0, 0, -1, 0, 1, 1, 0, 0]), np.zeros(40))
        strata = JudgedStrata.of(people, judge, np.arange(10))
        low, high = strata.limits(0.95, paired=True)
        assert -1.0 <= low < strata.value < high <= 1.0


def test_the_p_value_is_where_the_interval_meets_the_null() -> None:
    def limits(level: float) -> tuple[float, float]:
        reach = stats.norm.ppf((1 + level) / 2)
        return 0.3 - 0.1 * reach, 0.3 + 0.1 * reach

    assert p_of_limits(limits, 0.3, 0.0) == pytest.approx(2 * stats.norm.sf(3.0), rel=1e-6)
    assert p_of_limits(limits, 0.3, 0.3) == 1.0


def test_of_clusters_alone_the_error_is_that_of_their_sums() -> None:
    clusters = np.repeat([0, 1, 2, 3], [4, 3, 2, 1])
    sample = JudgedSample.of(np.arange(10), 10, clusters=clusters)
    sums = np.bincount(clusters, weights=(PEOPLE - PEOPLE.mean()) / np.sqrt(0.9)) / 10.0
    due = np.sqrt(4 / 3 * (sums**2).sum())
    assert corrected(PEOPLE, np.ones(10), sample).people_error == pytest.approx(due, rel=1e-12)


def test_a_stratum_of_one_graded_item_adds_no_variance() -> None:
    terms, strata = np.array([1.0, 4.0, 9.0]), np.array([0, 0, 1])
    assert _within(terms, strata) == pytest.approx(2 * np.var(terms[:2], ddof=1))
