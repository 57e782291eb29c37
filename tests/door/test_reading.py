"""The referee is fair: it sees what is wrong, and nothing else."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.door.case import Case, Remedy, Scene, asked, certain, leads
from tests.door.reading import (
    Corpus,
    Ran,
    decided,
    faults,
    followed,
    order_wrong,
    p_value,
    plain,
    refusal_wrong,
    told,
)

SCENE = Scene(("table.csv",), lambda folder: {})
AB = (("a", "b"),)


def answer(word: str, models: tuple[str, ...] = ("a", "b"), unit: str = "item", n: int = 9) -> Ran:
    verdicts = [{"a": "a", "b": "b", "word": word}]
    found = {"evidence": {"models": models, "unit": unit, "n": n}, "verdicts": verdicts}
    return Ran(0, json.dumps(found), "9 items × 2 models")


class Scripted(Corpus):
    """Answers by a script: what was added leads to what came out."""

    script: dict[tuple[str, ...], Ran]

    def run(self, case: Case, *more: str) -> Ran:
        return self.script[more]


def scripted(script: dict[tuple[str, ...], Ran]) -> Scripted:
    corpus = Scripted(Path())
    corpus.script = script
    return corpus


class TestAnswers:
    case = certain("x", SCENE, AB, "because", n=9)

    def test_the_right_one(self) -> None:
        assert not faults(self.case, self.case, answer("better"))

    @pytest.mark.parametrize(
        ("ran", "fault"),
        [
            (answer("worse"), "a is worse against b"),
            (answer("undecided"), "a is undecided against b"),
            (answer("better", models=("a", "b", "age")), "models ['a', 'b', 'age']"),
            (answer("better", unit="dataset"), "unit dataset"),
            (answer("better", n=10), "n 10"),
            (Ran(0, "a is better", ""), "no JSON: 'a is better'"),
        ],
    )
    def test_wrong_ones(self, ran: Ran, fault: str) -> None:
        assert faults(self.case, self.case, ran) == [fault]

    def test_the_order_of_a_pair_does_not_matter(self) -> None:
        assert not order_wrong((("b", "a"),), (), [{"a": "a", "b": "b", "word": "worse"}])
        assert order_wrong((("a", "c"),), (), []) == ["a is not compared against c"]
        assert order_wrong((), AB, [{"a": "a", "b": "b", "word": "better"}])

    def test_names_without_what_the_column_holds(self) -> None:
        assert {plain(name) for name in ("gpt", "gpt_pred", "pred_gpt", "gpt_correct")} == {"gpt"}
        assert plain("prediction") == "prediction"


class TestQuestions:
    case = asked("x", SCENE, "because", leads("--correct", order=AB))
    two_facts = asked("x", SCENE, "because", leads("--truth", "y", "--ignore", "age", order=AB))

    def test_a_verdict_where_there_may_be_none(self) -> None:
        ran = Ran(0, answer("better").out, "add --correct or --losses")
        assert decided(self.case, ran) == ["decided: a better than b"]

    def test_a_neutral_answer_asks(self) -> None:
        assert not decided(self.case, Ran(0, answer("undecided").out, "add --correct or --losses"))
        assert decided(self.case, answer("undecided"))

    @pytest.mark.parametrize(
        ("ran", "fault"),
        [
            (Ran(70, "", "Traceback: use --truth"), "exit 70"),
            (Ran(2, "", "which is the truth?"), "names no option to add"),
            (Ran(2, "", "use --truth or --gold-standard"), "names --gold-standard"),
        ],
    )
    def test_wrong_refusals(self, ran: Ran, fault: str) -> None:
        assert any(found.startswith(fault) for found in refusal_wrong(self.two_facts, ran))

    def test_a_good_refusal(self) -> None:
        assert not refusal_wrong(self.two_facts, Ran(4, "", "name it with --truth y"))

    def test_advice_in_one_step_and_in_two(self) -> None:
        both, done = ("--truth", "y", "--ignore", "age"), answer("better")
        at_once = {(): Ran(2, "", "add --truth y and --ignore age"), both: done}
        in_turn = {(): Ran(2, "", "--truth y"), both[:2]: Ran(2, "", "--ignore age"), both: done}
        assert not followed(scripted(at_once), self.two_facts)
        assert not followed(scripted(in_turn), self.two_facts)

    def test_advice_that_does_not_help(self) -> None:
        turns_in_circles = {(): Ran(2, "", "--truth"), ("--truth", "y"): Ran(2, "", "--truth")}
        assert "of no help" in followed(scripted(turns_in_circles), self.two_facts)[0]
        reversed_then = {(): Ran(2, "", "--correct"), ("--correct",): answer("worse")}
        assert followed(scripted(reversed_then), self.case) == ["a is worse against b"]

    def test_options_with_their_values(self) -> None:
        options = Remedy(options=("--correct", "--ignore", "a,b")).options
        assert told(options) == [("--correct",), ("--ignore", "a,b")]


class TestCertainty:
    def test_right_and_wrong_by_the_sign_test(self) -> None:
        good, bad = np.r_[np.ones(10), np.zeros(2)], np.r_[np.zeros(10), np.zeros(2)]
        assert p_value(good, bad) == pytest.approx(2.0**-10)

    def test_repeated_splits_are_less_certain(self) -> None:
        values: Any = np.random.default_rng(0).normal(0.1, 0.1, 30)
        assert p_value(values, np.zeros(30), 0.25) > p_value(values, np.zeros(30))
