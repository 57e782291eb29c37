"""The verdict rule of DESIGN section 3: the interval decides."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

import assay
from assay.compare.verdict import decide, needed_words, turned_round, verdict_of, winner_first
from assay.core.errors import EvidenceError
from assay.core.results import Estimate, Interval, Needed, TestOutcome
from assay.core.vocabulary import Direction


def interval(low: float, high: float) -> Interval:
    return Interval(low=low, high=high, level=0.95, method="tango")


def outcome(low: float, high: float, *, null: float = 0.0, n: int = 100) -> TestOutcome:
    effect = Estimate(
        measure="accuracy",
        value=(low + high) / 2,
        interval=interval(low, high),
        method="tango",
        n=n,
        unit="item",
    )
    return TestOutcome(method="mcnemar", statistic=1.0, p_value=0.5, effect=effect, null=null)


class TestDecide:
    @pytest.mark.parametrize(
        ("low", "high", "margin", "direction", "word"),
        [
            (0.01, 0.03, None, "higher", "better"),
            (0.01, 0.03, None, "lower", "worse"),
            (-0.03, -0.01, None, "higher", "worse"),
            (-0.03, -0.01, None, "lower", "better"),
            (-0.01, 0.03, None, "higher", "undecided"),
            (-0.01, 0.03, 0.05, "higher", "equivalent"),
            (0.01, 0.03, 0.05, "higher", "equivalent"),
            (0.01, 0.06, 0.05, "higher", "better"),
            (-0.06, 0.01, 0.05, "higher", "undecided"),
            (-0.05, 0.01, 0.05, "higher", "undecided"),  # the margin itself is not inside it
            (0.0, 0.03, None, "higher", "undecided"),  # zero on the edge is not excluded
        ],
    )
    def test_rule(
        self, low: float, high: float, margin: float | None, direction: Direction, word: str
    ) -> None:
        assert decide(interval(low, high), margin=margin, direction=direction) == word

    @given(st.floats(-1, 1), st.floats(-1, 1), st.none() | st.floats(0.001, 1))
    def test_swapping_the_models_mirrors_the_word(
        self, one: float, other: float, margin: float | None
    ) -> None:
        ends = interval(min(one, other), max(one, other))
        mirror = {"better": "worse", "worse": "better"}
        word = decide(ends, margin=margin, direction="higher")
        assert decide(ends.negated(), margin=margin, direction="higher") == mirror.get(word, word)
        assert decide(ends, margin=margin, direction="lower") == mirror.get(word, word)


class TestVerdict:
    def test_sentence_names_effect_interval_and_p(self) -> None:
        sentence = verdict_of(
            outcome(0.011, 0.035), a="new", b="old", direction="higher", margin=None
        ).sentence
        assert sentence == (
            "new is better than old: accuracy is higher by 0.023 (95% CI [0.011, 0.035], p = .50)."
        )

    @pytest.mark.parametrize("direction", ["higher", "lower"])
    def test_the_winner_is_named_first(self, direction: Direction) -> None:
        found = verdict_of(
            outcome(-0.035, -0.011), a="new", b="old", direction=direction, margin=None
        )
        winner, loser, side = (
            ("old", "new", "higher") if direction == "higher" else ("new", "old", "lower")
        )
        assert found.sentence.startswith(
            f"{winner} is better than {loser}: accuracy is {side} by 0.023 (95% CI [0.011, 0.035]"
        )
        assert (found.a, found.b) == ("new", "old")  # the record keeps its order

    def test_beside_a_baseline_the_order_is_kept(self) -> None:
        sentence = verdict_of(
            outcome(-0.035, -0.011),
            a="new",
            b="old",
            direction="higher",
            margin=None,
            ordered=True,
        ).sentence
        assert sentence.startswith("new is worse than old: accuracy is lower by 0.023")

    def test_without_a_direction_nobody_is_better(self) -> None:
        sentence = verdict_of(
            outcome(-0.035, -0.011), a="new", b="old", direction="unknown", margin=None
        ).sentence
        assert sentence.startswith("old has a higher accuracy than new, by 0.023")

    def test_equivalent_and_yet_different(self) -> None:
        verdict = verdict_of(
            outcome(0.011, 0.035), a="new", b="old", direction="higher", margin=0.05
        )
        assert verdict.word == "equivalent"
        assert verdict.different
        assert "statistically significant, but within the margin" in verdict.sentence

    def test_undecided_says_how_much_evidence_the_margin_needs(self) -> None:
        need = Needed(units=5109, unit="item", have=100, power=0.8, margin=0.02, sequential=True)
        verdict = verdict_of(
            outcome(-0.1, 0.1), a="new", b="old", direction="higher", margin=0.02, plan=lambda: need
        )
        assert verdict.needed == need
        assert "About 5,109 items (now 100) would give 80% power" in verdict.sentence
        assert "sequential" in verdict.sentence

    @pytest.mark.parametrize(("groups", "now"), [((8, 8), "now 8"), ((12, 9), "now 12 and 9")])
    def test_units_of_each_model_are_said_of_each_model(
        self, groups: tuple[int, ...], now: str
    ) -> None:
        need = Needed(
            units=72, unit="seed", have=sum(groups), power=0.8, margin=0.02, groups=groups
        )
        assert needed_words(need) == f"36 seeds of each model ({now})"

    def test_nothing_is_planned_for_what_is_decided(self) -> None:
        def refuse() -> None:
            raise AssertionError("a decided pair was planned")

        for low, margin in ((0.011, 0.02), (0.011, None), (-0.01, 0.05)):
            verdict_of(
                outcome(low, 0.035), a="a", b="b", direction="higher", margin=margin, plan=refuse
            )

    def test_undecided_without_margin_asks_for_one(self) -> None:
        verdict = verdict_of(outcome(-0.1, 0.1), a="a", b="b", direction="higher", margin=None)
        assert verdict.needed is None
        assert "margin" in verdict.sentence

    def test_against_a_level_the_null_is_the_zero(self) -> None:
        verdict = verdict_of(
            outcome(0.78, 0.84, null=0.75), a="m", b="level 0.75", direction="higher", margin=None
        )
        assert verdict.word == "better"
        assert "accuracy = 0.810 (95% CI [0.780, 0.840]" in verdict.sentence

    def test_no_interval_is_undecided(self) -> None:
        effect = Estimate(measure="mse", value=1.0, interval=None, method="t", n=1, unit="item")
        nothing = TestOutcome(method="t", statistic=None, p_value=None, effect=effect)
        verdict = verdict_of(nothing, a="a", b="b", direction="lower", margin=0.1)
        assert verdict.word == "undecided"
        assert "no interval" in verdict.sentence

    def test_no_interval_says_why(self) -> None:
        folds = {"fold": range(10), "a": [0.9] * 10, "b": [0.8] * 10}
        found = assay.compare(folds, measure="accuracy")
        assert found.sentence.startswith("No verdict on a and b: the folds do not vary")
        with pytest.raises(EvidenceError, match="each model has one score"):
            assay.compare({"dataset": ["x"], "a": [0.9], "b": [0.8]}, measure="accuracy")


class TestTurnedRound:
    @given(st.floats(-1, 1), st.floats(-1, 1))
    def test_twice_is_the_same_verdict(self, one: float, other: float) -> None:
        found = verdict_of(
            outcome(min(one, other), max(one, other)),
            a="a",
            b="b",
            direction="higher",
            margin=None,
        )
        turned = turned_round(found)
        assert (turned.a, turned.b) == ("b", "a")
        assert turned.different == found.different
        assert turned_round(turned) == found

    def test_records_and_chances_turn_with_it(self) -> None:
        found = verdict_of(outcome(-0.3, -0.1), a="a", b="b", direction="higher", margin=None)
        details = (("won", 2), ("tied", 1), ("lost", 7))
        found = replace(
            found, p_better=0.1, p_worse=0.9, outcome=replace(found.outcome, details=details)
        )
        first = winner_first(found)
        assert (first.a, first.word, first.p_better, first.p_worse) == ("b", "better", 0.9, 0.1)
        assert dict(first.outcome.details) == {"won": 7, "tied": 1, "lost": 2}
        assert winner_first(first) == first
