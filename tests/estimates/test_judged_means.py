"""Means and rates from a judge and people: published numbers, edges, the rule."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError
from assay.core.results import Estimate
from assay.estimates.judged_evaluation import estimates_at
from assay.estimates.judged_means import corrected_estimate, values_of
from assay.estimates.judged_values import ItemValues
from assay.estimates.means import mean_t
from assay.estimates.proportions import proportion
from assay.evidence.judged_items import Judged
from assay.kernels.judge_correction import JudgedSample, corrected
from assay.kernels.tails import t_reach
from assay.measures.registry import find_measure


def right_and_wrong(
    labels: int, size: int, *, agree: float, seed: int = 1
) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    people = (rng.random(size) < 0.7).astype(float)
    judge = np.where(rng.random(size) < agree, people, 1.0 - people)
    people[labels:] = np.nan
    return people, judge


class TestJudgedMean:
    def test_t_reaches_with_two_less_than_the_labels(self) -> None:
        people = np.append([3.0, 1, 4, 1, 5, 2, 4, 3, 5, 1], np.full(20, np.nan))
        judge = np.arange(30.0) % 7
        found = assay.judged_mean(people, judge)
        assert dict(found.details)["df"] == 8
        assert found.interval is not None
        assert found.interval.high - found.value == pytest.approx(
            2.306004135033371 * found.standard_error
        )

    def test_gaps_of_the_judge_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="one for every item"):
            assay.judged_mean([1.0, 0.0, 1.0, np.nan], [1.0, np.nan, 1.0, 0.0])

    def test_two_labels_are_too_few(self) -> None:
        with pytest.raises(EvidenceError, match="three or more"):
            assay.judged_mean([1.0, 0.0, np.nan, np.nan], [1.0, 1.0, 1.0, 0.0])


class TestJudgedProportion:
    def test_it_is_the_maximum_of_the_likelihood(self) -> None:
        """Tenenbein's estimate: labelled items are multinomial, the others binomial in the judge's verdict."""
        people, judge = right_and_wrong(60, 400, agree=0.85)
        found = assay.judged_proportion(people, judge)
        own, verdicts = people[:60], judge[:60]
        counts = np.array([[((own == a) & (verdicts == b)).sum() for b in (0, 1)] for a in (0, 1)])
        rest = np.array([(judge[60:] == b).sum() for b in (0, 1)])
        cells = np.full((2, 2), 0.25)
        for _ in range(5000):  # expectation and maximisation
            full = counts + rest * cells / cells.sum(axis=0)
            cells = full / full.sum()
        assert found.value == pytest.approx(cells[1].sum(), abs=1e-9)

    def test_grades_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="judged_mean"):
            assay.judged_proportion([1.0, 2.0, 3.0, np.nan], [1.0, 1.0, 0.0, 1.0])


class TestRoganGladen:
    def test_by_hand(self) -> None:
        """Sensitivity 9/10, specificity 8/10, judged 50 of 100: (0.5 + 0.8 - 1)/0.7."""
        people = np.append([1.0] * 10 + [0.0] * 10, np.full(80, np.nan))
        judge = np.array([1.0] * 9 + [0.0] + [1.0] * 2 + [0.0] * 8 + [1.0] * 39 + [0.0] * 41)
        found = assay.rogan_gladen(people, judge)
        assert found.value == pytest.approx(0.3 / 0.7)
        assert found.interval is not None
        # Lang & Reiczigel's formula, step by step
        z = 1.959963984540054
        p, n = (50 + z**2 / 2) / (100 + z**2), 100 + z**2
        se, sp, m = 10 / 12, 9 / 12, 12
        share = (p + sp - 1) / (se + sp - 1)
        shift = 2 * z**2 * (share * se * (1 - se) / m - (1 - share) * sp * (1 - sp) / m)
        error = np.sqrt(
            p * (1 - p) / n + share**2 * se * (1 - se) / m + (1 - share) ** 2 * sp * (1 - sp) / m
        )
        reach = z * error / (se + sp - 1)
        assert found.interval.low == pytest.approx(max(share + shift - reach, 0), abs=1e-6)
        assert found.interval.high == pytest.approx(min(share + shift + reach, 1), abs=1e-6)

    def test_a_judge_no_better_than_chance_has_no_answer(self) -> None:
        people = np.append([1.0] * 10 + [0.0] * 10, np.full(80, np.nan))
        judge = np.append([0.0] * 10 + [1.0] * 10, [1.0] * 80)
        found = assay.rogan_gladen(people, judge)
        assert found.value is None
        assert [one.code for one in found.notes] == ["judge-no-better"]


def labels_alone(values: ItemValues, level: float) -> Estimate:
    """People's labels by themselves: mid-p of rates, t of means."""
    if not values.right_or_wrong:
        return mean_t(values.people, level=level)
    wrong = proportion(int((values.people == 0.0).sum()), values.people.size, level=level)
    assert wrong.value is not None
    assert wrong.interval is not None
    right = wrong.interval.mapped(lambda rate: 1.0 - rate)
    return replace(wrong, measure="mean", value=1.0 - wrong.value, interval=right)


class TestTheRule:
    def test_a_useless_judge_leaves_the_labels(self) -> None:
        people, judge = right_and_wrong(50, 1000, agree=0.5, seed=4)
        values = values_of(people, judge)
        alone = labels_alone(values, 0.95)
        found = corrected_estimate(values, alone, 0.95, (0.0, 1.0))
        assert (found.value, found.interval) == (alone.value, alone.interval)
        assert "judge-unused" in [one.code for one in found.notes]

    def test_a_good_judge_narrows(self) -> None:
        people, judge = right_and_wrong(100, 5000, agree=0.92)
        values = values_of(people, judge)
        alone = labels_alone(values, 0.95)
        found = corrected_estimate(values, alone, 0.95, (0.0, 1.0))
        assert found.method == "judged_proportion"
        assert found.interval is not None
        assert alone.interval is not None
        assert found.interval.width < 0.75 * alone.interval.width

    @pytest.mark.parametrize("labels", [20, 39, 50, 200])
    def test_labels_without_an_error_leave_room_for_one_of_the_scale(self, labels: int) -> None:
        """1 - exp(-T/2n) of the scale to either side, T = 1.25 t²: what equal residuals leave to an end of it."""
        rng = np.random.default_rng(3)
        people = rng.integers(1, 6, 5000).astype(float)
        judge = people.copy()
        people[labels:] = np.nan
        values = values_of(people, judge)
        found = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (-np.inf, np.inf))
        t = t_reach(0.95, labels - 2, "two-sided")
        unseen = 4.0 * -np.expm1(-1.25 * t * t / (2 * labels))
        reach = np.sqrt(unseen**2 + t * t * judge.var() / 5000)
        assert found.method == "judged_mean"
        assert [one.code for one in found.notes] == ["judge-seldom-errs"]
        assert found.interval is not None
        assert found.interval.low == pytest.approx(judge.mean() - reach)
        assert found.interval.high == pytest.approx(judge.mean() + reach)
        assert found.standard_error == pytest.approx(reach / t)

    def test_errors_that_were_seen_speak_of_their_side_only(self) -> None:
        rng = np.random.default_rng(0)
        people = rng.integers(1, 6, 20_000).astype(float)
        judge = people.copy()
        judge[:2] = np.maximum(people[:2] - 3.0, 1.0)  # people gave more
        people[:2] = 5.0
        people[60:] = np.nan
        found = corrected_estimate(
            values_of(people, judge), labels_alone(values_of(people, judge), 0.95), 0.95, (-np.inf, np.inf)
        )  # fmt: skip
        assert found.interval is not None
        assert found.value is not None
        assert found.interval.high - found.value > 1.4 * (found.value - found.interval.low)

    @staticmethod
    def times(noise: float, sigma: float, labels: int = 60) -> Estimate:
        """Numbers with a tail, and a judge that is off by a part of each."""
        rng = np.random.default_rng(1)
        people = np.exp(sigma * rng.standard_normal(3000))
        judge = 1.2 * people * np.exp(noise * rng.standard_normal(3000))
        people[labels:] = np.nan
        values = values_of(people, judge)
        return corrected_estimate(values, labels_alone(values, 0.95), 0.95, (-np.inf, np.inf))

    def test_errors_that_grow_with_numbers_that_lean_lean_as_they_do(self) -> None:
        found = self.times(0.25, 0.7)
        assert found.interval is not None
        assert found.value is not None
        above, below = found.interval.high - found.value, found.value - found.interval.low
        assert above > 1.3 * below
        rng = np.random.default_rng(1)
        people = np.exp(0.7 * rng.standard_normal(3000))
        judge = 1.2 * people * np.exp(0.25 * rng.standard_normal(3000))
        sample = values_of(np.where(np.arange(3000) < 60, people, np.nan), judge).sample
        plain = corrected(people[:60], judge, sample)
        assert plain.growth > 6.63
        assert plain.cautious > plain.error
        assert found.standard_error == pytest.approx(plain.cautious)

    def test_even_errors_do_not(self) -> None:
        rng = np.random.default_rng(1)
        people = np.exp(0.7 * rng.standard_normal(3000))
        judge = people + 0.3 * rng.standard_normal(3000)
        people[60:] = np.nan
        values = values_of(people, judge)
        plain = corrected(values.people, values.judge, values.sample)
        assert plain.growth < 6.63
        found = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (-np.inf, np.inf))
        assert found.standard_error == plain.error

    @pytest.mark.parametrize("told", ["weights", "chances", "strata", "clusters"])
    def test_other_designs_leave_the_labels_alone(self, told: str) -> None:
        rng = np.random.default_rng(0)
        people = rng.integers(1, 6, 500).astype(float)
        graded = np.arange(60)
        how: dict[str, Any] = {
            "weights": rng.uniform(0.5, 2.0, 500), "chances": rng.uniform(0.1, 0.5, 60),
            "strata": np.arange(500) % 3, "clusters": np.arange(500) // 2,
        }  # fmt: skip
        sample = JudgedSample.of(graded, 500, **{told: how[told]})
        values = ItemValues(
            people=people[:60], judge=people, graded=graded, sample=sample, uncorrected=float(people.mean())
        )  # fmt: skip
        found = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (-np.inf, np.inf))
        assert [one.code for one in found.notes] == ["judge-unused"]

    def test_a_measure_with_ends_has_errors_added(self) -> None:
        """Four errors of half the range: 4 (4/2)² over 200² on a scale of 4."""
        rng = np.random.default_rng(3)
        people = rng.integers(1, 6, 5000).astype(float)
        judge = people.copy()
        people[200:] = np.nan
        values = values_of(people, judge)
        found = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (0.0, 6.0))
        assert found.standard_error == pytest.approx(np.sqrt(judge.var() / 5000 + 16.0 / 200**2))

    @pytest.mark.parametrize("scale", [20.0, 0.37, 1 / 3])
    def test_rounding_is_no_error_of_the_judge(self, scale: float) -> None:
        """A judge on another scale that errs nowhere among the labels leaves residuals of 1e-16."""
        rng = np.random.default_rng(2)
        people = rng.integers(1, 6, 500).astype(float)
        judge = people * scale + 0.1
        people[50:] = np.nan
        values = values_of(people, judge)
        found = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (-np.inf, np.inf))
        assert found.interval is not None
        assert found.interval.width > 0.39  # a twentieth of the scale to either side

    def test_a_judge_that_calls_everything_right_misleads(self) -> None:
        """The shares of 600 items add up to a little more than 1."""
        people = np.append([0.0, 1.0] * 60, np.full(480, np.nan))
        told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
        columns = {"human": people, "gpt": np.ones(600)}
        found = assay.evaluate(columns, **told, correct=True)
        assert dict(found.estimates[0].details)["judge_alone"] == 1.0
        assert "judge-misleads" in [one.code for one in found.notes]

    def test_grades_far_from_all_that_people_checked_leave_the_labels(self) -> None:
        """Answers that could not be parsed count as 0: no label tells how wrong that is."""
        rng = np.random.default_rng(4)
        people = rng.normal(75.0, 10.0, 2000)
        judge = people + rng.normal(0.0, 3.0, 2000)
        people[50:] = np.nan
        told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
        for place, method in ((slice(100, 103), "judged_mean"), (slice(100, 140), "mean_t")):
            judge[place] = 0.0
            columns = {"human": people, "gpt": judge}
            found = assay.evaluate(columns, **told, lower_is_better=False)
            assert found.estimates[0].method == method
        assert "far from all that people checked" in found.estimates[0].notes[-1].message

    def test_an_interval_leans_as_residuals_do(self) -> None:
        """Grades that lean, which the judge repeats but for even noise: the mean has hardly anything to lean for."""
        rng = np.random.default_rng(5)
        people = rng.exponential(1.0, 2000)
        judge = people + rng.normal(0.0, 0.2, 2000)
        people[100:] = np.nan
        told: dict[str, Any] = {"truth": "human", "judge": "gpt", "labelled_at": "random"}
        found = assay.evaluate({"human": people, "gpt": judge}, **told, lower_is_better=False)
        one = found.estimates[0]
        said: dict[str, Any] = dict(one.details)
        assert one.interval is not None
        assert one.value is not None
        sides = (one.interval.high - one.value) / (one.value - one.interval.low)
        alone = (said["people_high"] - said["people_alone"]) / (said["people_alone"] - said["people_low"])  # fmt: skip
        assert sides == pytest.approx(1.0, abs=0.1)
        assert alone > 1.1

    def test_a_judge_on_another_scale_has_no_score_of_its_own(self) -> None:
        rng = np.random.default_rng(4)
        right = (rng.random(400) < 0.6).astype(float)
        rating = np.where(right == 1, rng.integers(3, 6, 400), rng.integers(1, 4, 400))
        right[80:] = np.nan
        found = assay.evaluate(
            {"human": right, "gpt": rating}, truth="human", judge="gpt", correct=True, labelled_at="random"
        )  # fmt: skip
        assert dict(found.estimates[0].details)["judge_alone"] is None
        assert "judge-misleads" not in [one.code for one in found.notes]


class TestEveryMeasure:
    rng = np.random.default_rng(7)
    truth = (rng.random(4000) < 0.35).astype(float)
    model = np.where(rng.random(4000) < 0.85, truth, 1 - truth)
    guess = np.where(rng.random(4000) < 0.9, truth, 1 - truth)

    def judged(self, kind: str, own: np.ndarray, labels: int = 400) -> Judged:
        people = self.truth.copy()
        people[labels:] = np.nan
        return Judged(
            sources=(), models=("m",), kind=kind, people=people[None, :], judge=self.guess[None, :],  # type: ignore[arg-type]
            predictions=own[None, :], classes=("0", "1"), positive="1", chosen="at random",
        )  # fmt: skip

    @pytest.mark.parametrize(
        "name", ["accuracy", "f1", "mcc", "kappa", "balanced_accuracy", "precision", "recall"]
    )
    def test_it_is_near_the_truth_and_narrower(self, name: str) -> None:
        found = estimates_at(self.judged("labels", self.model), find_measure(name), "m")(0.95)
        whole = assay.evaluate(
            {"y": self.truth, "m": self.model}, truth="y", measures=name, positive="1"
        )
        said = dict(found.details)
        assert found.interval is not None
        assert found.interval.low < whole.estimates[0].value < found.interval.high  # type: ignore[operator]
        assert found.interval.width < said["people_high"] - said["people_low"]  # type: ignore[operator]

    def test_the_area(self) -> None:
        scores = self.rng.standard_normal(4000) + self.truth
        found = estimates_at(self.judged("scores", scores), find_measure("roc_auc"), "m")(0.95)
        assert found.method == "judged_mean"
        assert found.interval is not None
        assert found.interval.contains(0.7602)

    def test_with_every_item_labelled_nothing_is_moved(self) -> None:
        judged = self.judged("labels", self.model, labels=4000)
        found = estimates_at(judged, find_measure("f1"), "m")(0.95)
        assert found.value == pytest.approx(dict(found.details)["people_alone"], abs=1e-6)

    def test_the_judge_alone_is_the_measure_of_its_labels(self) -> None:
        found = estimates_at(self.judged("labels", self.model), find_measure("f1"), "m")(0.95)
        whole = assay.evaluate(
            {"y": self.guess, "m": self.model}, truth="y", measures="f1", positive="1"
        )
        assert dict(found.details)["judge_alone"] == pytest.approx(whole.estimates[0].value)


def test_the_shortcut_of_the_calibration_is_what_evaluate_gives() -> None:
    people, judge = right_and_wrong(80, 800, agree=0.85)
    values = values_of(people, judge)
    short = corrected_estimate(values, labels_alone(values, 0.95), 0.95, (0.0, 1.0))
    full = assay.evaluate({"human": people, "gpt": judge}, truth="human", judge="gpt", correct=True)
    assert full.estimates[0].value == short.value
    assert full.estimates[0].interval == short.interval
    useless = values_of(*right_and_wrong(50, 1000, agree=0.5, seed=4))
    alone = labels_alone(useless, 0.95).interval
    evaluated = assay.evaluate({"m": useless.people}, correct=True).estimates[0].interval
    assert alone is not None
    assert evaluated is not None
    assert (alone.low, alone.high) == pytest.approx((evaluated.low, evaluated.high))


class TestAJudgeThatSeldomErred:
    """Ratings that the judge repeats but for some errors of two, on the first labels (decision 0262)."""

    @staticmethod
    def found(labels: int, errors: int) -> assay.Estimate:
        rng = np.random.default_rng(4)
        people = rng.choice([1.0, 2.0, 3.0, 4.0, 5.0], size=2000)
        judge = people.copy()
        judge[:errors] = np.where(people[:errors] > 2.0, people[:errors] - 2.0, people[:errors] + 2)
        people[labels:] = np.nan
        values = values_of(people, judge)
        return corrected_estimate(values, labels_alone(values, 0.95), 0.95, (1.0, 5.0))

    def test_few_errors_leave_few_degrees_of_freedom(self) -> None:
        found = self.found(labels=30, errors=4)
        assert found.method == "judged_mean"
        people: dict[str, Any] = dict(found.details)
        assert 7.0 < people["df"] < 16.0  # of four 2 / (1/4 - 1/30) = 9.2, not 28
        assert found.interval is not None
        assert (
            found.interval.high - found.interval.low < people["people_high"] - people["people_low"]
        )

    def test_many_errors_leave_those_of_the_labels(self) -> None:
        assert dict(self.found(labels=100, errors=25).details)["df"] == 98

    def test_without_an_error_some_are_added(self) -> None:
        found = self.found(labels=60, errors=0)
        assert found.method == "judged_mean"
        added = (
            6.0 * (4.0 / (2 * 60)) ** 2
        )  # six of half the range; and the judged items' own variance
        assert found.standard_error == pytest.approx(np.sqrt(added + 2.0 / 2000), rel=0.01)

    def test_few_labels_without_an_error_stand_alone(self) -> None:
        found = self.found(labels=30, errors=1)
        assert [note.code for note in found.notes] == ["judge-unused"]
