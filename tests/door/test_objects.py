"""What ordinary people hand over in Python: the same rule as for files."""

import re
import sys
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import assay
from tests.door.given import Answer, Given, Object
from tests.door.objects import CASES
from tests.door.reading import order_wrong, p_value, plain

ANSWERABLE = [case for case in CASES if case.expect != "ask"]
REMEDIES = [(case, answer) for case in CASES for answer in case.remedies]
BY_NAME = {case.id: case for case in CASES}
KEYWORD = re.compile(r"\b([a-z_]+) ?=")
SURE = 0.002
USED_UP = ("generators", "stream-of-text", "stream-of-bytes", "iterators")
"""Objects that can be read once."""


@cache
def given(identity: str) -> Given:
    """The arguments, made once; what is used up by reading is made anew."""
    return BY_NAME[identity].build()


def called(case: Object, more: Mapping[str, Any]) -> Any:
    """The comparison, or the error that asks; any other exception is a defect."""
    call = case.build() if case.id in USED_UP else given(case.id)
    try:
        return assay.compare(*call.arguments, **{"n_resamples": 999, **call.keywords, **more})
    except assay.AssayError as error:
        return error


@cache
def first(identity: str) -> Any:
    return called(BY_NAME[identity], {})


def faults(expected: Object | Answer, models: tuple[str, ...], found: Any) -> list[str]:
    verdicts = [{"a": one.a, "b": one.b, "word": one.word} for one in found.verdicts]
    wrong = order_wrong(expected.order, expected.same, verdicts)
    if models and sorted(map(plain, models)) != sorted(map(plain, found.evidence.models)):
        wrong.append(f"models {found.evidence.models}")
    if expected.unit and found.evidence.unit != expected.unit:
        wrong.append(f"unit {found.evidence.unit}")
    if expected.n and found.evidence.n != expected.n:
        wrong.append(f"n {found.evidence.n}")
    return wrong


def named(value: object) -> str:
    return value.id if isinstance(value, Object) else " ".join(getattr(value, "keywords", ""))


def models_of(case: Object) -> tuple[str, ...]:
    return case.models or tuple(given(case.id).goodness)


class TestObjects:
    @pytest.mark.parametrize("case", CASES, ids=named)
    def test_no_wrong_verdict(self, case: Object) -> None:
        found = first(case.id)
        if isinstance(found, assay.AssayError):
            assert case.expect != "answer", found
        elif case.expect == "ask":
            assert not [one for one in found.verdicts if one.word in ("better", "worse")], case.why
        else:
            assert not faults(case, case.models, found), case.why

    @pytest.mark.parametrize("case", [case for case in CASES if case.expect == "ask"], ids=named)
    def test_questions_are_errors_of_one_kind(self, case: Object) -> None:
        """What could be told with a keyword is an `AmbiguousEvidence`, which is an `AssayError`."""
        from assay import AmbiguousEvidence  # type: ignore[attr-defined, unused-ignore]

        assert issubclass(AmbiguousEvidence, assay.AssayError)
        found = first(case.id)
        if (
            case.remedies
            and isinstance(found, assay.AssayError)
            and case.id not in ("none-inside", "frame-missing")
        ):
            assert isinstance(found, AmbiguousEvidence)

    @pytest.mark.parametrize(("case", "answer"), REMEDIES, ids=named)
    def test_remedy(self, case: Object, answer: Answer) -> None:
        """With the facts told, the answer is the right one."""
        found = called(case, answer.keywords)
        assert not isinstance(found, assay.AssayError), found
        assert not faults(answer, models_of(case), found), case.why

    @pytest.mark.parametrize("case", [case for case in CASES if case.remedies], ids=named)
    def test_advice(self, case: Object) -> None:
        """Whoever gives the keywords that the message names gets the right answer."""
        if isinstance(first(case.id), assay.AssayError):
            tries = [followed(case, answer) for answer in case.remedies]
            assert [] in tries, tries

    def test_few_questions(self, capsys: pytest.CaptureFixture[str]) -> None:
        asked = [case.id for case in ANSWERABLE if isinstance(first(case.id), assay.AssayError)]
        with capsys.disabled():
            sys.stdout.write(
                f"\n{len(asked)} of {len(ANSWERABLE)} answerable objects asked back: {' '.join(asked)}"
            )
        assert len(asked) <= 0.2 * len(ANSWERABLE)

    def test_many_models_have_no_single_verdict(self) -> None:
        """`hasattr` of a comparison of three models is a question that can be asked."""
        truth = [0, 1] * 30
        found = assay.compare({"truth": truth, "a": truth, "b": [1, 0] * 30, "c": [0, 0, 1] * 20})
        assert getattr(found, "verdict", None) is None

    @pytest.mark.parametrize("listed", [False, True])
    def test_files_in_a_list_or_by_model(self, tmp_path: Path, listed: bool) -> None:
        truth = [0, 1] * 30
        for model, errors in (("rf", 3), ("lr", 25)):
            cells = [f"{i},{y},{y if i >= errors else 1 - y}" for i, y in enumerate(truth)]
            (tmp_path / f"{model}.csv").write_text("\n".join(["id,y,pred", *cells]))
        paths = {model: tmp_path / f"{model}.csv" for model in ("rf", "lr")}
        found = assay.compare([*paths.values()] if listed else paths)
        assert {"rf", "lr"} == set(found.evidence.models)
        assert "rf is better than lr" in found.verdict.sentence

    def test_look(self) -> None:
        """A frame can be looked at before anything is asked of it."""
        from assay import look  # type: ignore[attr-defined, unused-ignore]

        assert all(
            name in str(look(*given("frame-described").arguments))
            for name in ("truth", "age", "sex")
        )


def followed(case: Object, answer: Answer) -> list[str]:
    """What goes wrong for a person who tells what is asked."""
    facts = {**answer.keywords, **case.knows}
    found = first(case.id)
    told: dict[str, Any] = {}
    while isinstance(found, assay.AssayError):
        asked = set(KEYWORD.findall(str(found)))
        fresh = {name: value for name, value in facts.items() if name in asked and name not in told}
        if (
            "lower_is_better" in facts
            and "higher_is_better" in asked
            and "lower_is_better" not in told
        ):
            fresh["lower_is_better"] = facts["lower_is_better"]
        if not fresh:
            return [f"after {sorted(told)} it names {sorted(asked)}, of no help: {found}"]
        told |= fresh
        found = called(case, told)
    return faults(answer, models_of(case), found)


class TestOfTheObjectsThemselves:
    @pytest.mark.parametrize(
        "case", [case for case in CASES if case.order or case.remedies], ids=named
    )
    def test_the_order_is_certain(self, case: Object) -> None:
        good = given(case.id).goodness
        orders = {case.order, *(answer.order for answer in case.remedies)}
        for better, worse in (pair for order in orders for pair in order):
            assert p_value(good[better], good[worse], case.corrected) < SURE

    @pytest.mark.parametrize("case", [case for case in CASES if case.same], ids=named)
    def test_what_is_close_is_so_by_the_design_alone(self, case: Object) -> None:
        """Whoever takes the splits for independent sees a difference that is none."""
        ((better, worse),) = case.same
        good = given(case.id).goodness
        assert p_value(good[better], good[worse], case.corrected) > 0.06
        assert p_value(good[better], good[worse], 1e-9) < 0.02

    def test_every_case_says_why(self) -> None:
        assert len(BY_NAME) == len(CASES) >= 35
        assert all(case.why for case in CASES)
