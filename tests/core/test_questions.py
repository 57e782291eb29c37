"""Open questions: the same answers in Python and at a terminal, and an error that holds them."""

import pytest

from assay.core.errors import AssayError, UsageError
from assay.core.questions import AmbiguousEvidence, Answer, Question, in_options

RIGHT = Answer(text="1 is a right answer", option="--correct", arguments={"correct": True})
WRONG = Answer(text="1 is an error", option="--losses", arguments={"losses": True})
VALUES = Question(code="values", text="What do 0 and 1 mean?", answers=(RIGHT, WRONG))
SILENT = Question(code="spread", text="One score of each model tells no spread.", answers=())


class TestAmbiguousEvidence:
    def test_names_every_answer_in_python(self) -> None:
        error = AmbiguousEvidence([VALUES])
        assert str(error) == (
            "What do 0 and 1 mean? Add correct=True (1 is a right answer); or losses=True (1 is an error)."
        )

    def test_a_question_without_answers_is_said_as_it_is(self) -> None:
        assert str(AmbiguousEvidence([SILENT])) == SILENT.text

    def test_holds_the_questions_and_the_reading(self) -> None:
        error = AmbiguousEvidence(iter([VALUES, SILENT]), "what was read")
        assert error.questions == (VALUES, SILENT)
        assert error.reading == "what was read"

    def test_is_an_error_of_use(self) -> None:
        with pytest.raises(UsageError):
            raise AmbiguousEvidence([VALUES])
        assert issubclass(AmbiguousEvidence, AssayError)


class TestInOptions:
    def test_a_line_for_each_answer_with_the_option_to_add(self) -> None:
        assert in_options([VALUES, SILENT]).splitlines() == [
            "What do 0 and 1 mean?",
            "  add --correct  1 is a right answer",
            "  add --losses   1 is an error",
            "One score of each model tells no spread.",
        ]

    def test_a_long_option_stands_above_its_text_and_moves_no_other(self) -> None:
        option = f"--truth {'a' * 30},{'b' * 30}"
        long = Answer(text="people's grades, and a judge's of all", option=option, arguments={})
        asked = Question(code="values", text=VALUES.text, answers=(long, RIGHT, WRONG))
        assert in_options([asked]).splitlines() == [
            "What do 0 and 1 mean?",
            f"  add {option}",
            "                 people's grades, and a judge's of all",
            "  add --correct  1 is a right answer",
            "  add --losses   1 is an error",
        ]


def test_several_arguments_of_one_answer() -> None:
    both = Answer(text="", option="--id q --repeat r", arguments={"id": "q", "repeat": "r"})
    assert both.python == "id='q', repeat='r'"
