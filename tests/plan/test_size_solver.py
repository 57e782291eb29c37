"""One of n, power and difference from the other two: round trips, saw teeth, what cannot be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import UsageError
from assay.plan import algorithm_questions, fold_questions, item_questions
from assay.plan.planning_facts import PlanFacts, PlanQuestion, PlanSetting
from assay.plan.size_solver import difference_for, power_of, units_for

SETTING = PlanSetting(level=0.95)
PAIRED_T = item_questions.paired_means(PlanFacts(sd=1.0), SETTING)[0]


class TestUnitsFor:
    @pytest.mark.parametrize(
        "question",
        [
            item_questions.one_proportion(PlanFacts(against=0.75), SETTING)[0],
            item_questions.one_proportion(PlanFacts(against=0.97), SETTING)[0],
            item_questions.mcnemar(PlanFacts(discordant=0.2), SETTING)[0],
            item_questions.mcnemar(PlanFacts(baseline=0.8), SETTING)[0],
            item_questions.two_proportions(PlanFacts(baseline=0.9), SETTING)[0],
        ],
        ids=lambda question: f"{question.method} {question.label}",
    )
    def test_power_stays_above_the_target_from_there_on(self, question: PlanQuestion) -> None:
        found = units_for(question, 0.8, 0.02)
        assert found.n is not None
        assert power_of(question, found.n - 1, 0.02) < 0.8
        assert question.power is not None
        onwards = question.power(np.arange(found.n, found.n + 300, dtype=np.float64), 0.02)
        assert onwards.min() >= 0.8

    def test_saw_teeth_reach_the_target_earlier_and_lose_it_again(self) -> None:
        question = item_questions.one_proportion(PlanFacts(against=0.75), SETTING)[0]
        found = units_for(question, 0.8, 0.05).n
        assert found is not None
        assert question.power is not None
        before = question.power(np.arange(found - 30, found - 1, dtype=np.float64), 0.05)
        assert before.max() >= 0.8

    @given(st.floats(0.1, 2.0), st.floats(0.3, 0.99))
    def test_smooth_round_trip(self, difference: float, power: float) -> None:
        found = units_for(PAIRED_T, power, difference)
        assert found.n is not None
        assert found.exact is not None
        if found.exact > PAIRED_T.least:
            assert power_of(PAIRED_T, found.exact, difference) == pytest.approx(power, abs=1e-9)
        assert found.exact <= found.n < found.exact + 1.0

    def test_the_least_where_it_is_enough(self) -> None:
        assert units_for(PAIRED_T, 0.8, 1e6).n == 2

    def test_none_where_none_are_enough(self) -> None:
        folds = fold_questions.fold_question(SETTING, 0.02, 1 / 9, 10)
        assert units_for(folds, 0.8, 0.01).n is None

    def test_whole_runs_of_folds(self) -> None:
        folds = fold_questions.fold_question(SETTING, 0.02, 1 / 9, 10)
        found = units_for(folds, 0.8, 0.02)
        assert found.n == 80
        assert found.exact == pytest.approx(76.5556, abs=1e-3)

    def test_a_whole_root_is_not_rounded_up(self) -> None:
        exact = PlanQuestion(
            method="x", asks="x", unit="item", assumptions=(), reference="", formula="",
            power=lambda n, _: np.minimum(n / 100.0, 1.0),
        )  # fmt: skip
        assert units_for(exact, 0.8, 0.1).n == 80


class TestDifferenceFor:
    @given(st.integers(5, 5000), st.floats(0.3, 0.99))
    def test_round_trip(self, n: int, power: float) -> None:
        found = difference_for(PAIRED_T, n, power)
        assert found is not None
        assert power_of(PAIRED_T, n, found) == pytest.approx(power, abs=1e-6)

    def test_looks_down_where_the_test_does(self) -> None:
        setting = PlanSetting(level=0.95, side="less")
        question = item_questions.paired_means(PlanFacts(sd=1.0), setting)[0]
        down = difference_for(question, 50, 0.8, "less")
        up = difference_for(
            item_questions.paired_means(PlanFacts(sd=1.0), PlanSetting(level=0.95, side="greater"))[
                0
            ],
            50,
            0.8,
        )
        assert down is not None
        assert up is not None
        assert down == pytest.approx(-up)

    def test_none_beyond_what_is_possible(self) -> None:
        question = item_questions.one_proportion(PlanFacts(against=0.98), SETTING)[0]
        assert difference_for(question, 30, 0.8) is None

    def test_of_simulated_power(self) -> None:
        setting = PlanSetting(level=0.95, unit="dataset", n_resamples=2000, seed=3)
        question = algorithm_questions.dataset_ranks(PlanFacts(sd=1.0), setting)[0]
        found = difference_for(question, 20, 0.8)
        assert found is not None
        assert power_of(question, 20, found) == pytest.approx(0.8, abs=0.01)


class TestPowerOf:
    def test_too_few_units_have_none(self) -> None:
        assert power_of(PAIRED_T, 1, 5.0) == 0.0

    def test_a_width_has_none(self) -> None:
        width = item_questions.width_of_rate(PlanFacts(baseline=0.8), SETTING)[0]
        with pytest.raises(UsageError, match="no power: give half_width"):
            power_of(width, 100, 0.1)
