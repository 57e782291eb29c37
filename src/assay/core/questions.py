"""What evidence leaves open: a question, its possible answers, and what to type for each."""

import textwrap
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.core.errors import UsageError
from assay.core.wording import at_terminal


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """One answer: what it means, the option that says it, and the same as arguments in Python.

    An option with a word in capitals (``--truth COL``) is to be completed by the user.
    """

    text: str
    option: str
    arguments: Mapping[str, Any]

    @property
    def python(self) -> str:
        return ", ".join(f"{name}={value!r}" for name, value in self.arguments.items())


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """A fact that is neither told nor certain, and could change the answer."""

    code: str
    text: str
    answers: tuple[Answer, ...]


class AmbiguousEvidence(UsageError):
    """Nothing is decided while a question is open; the message says what to add for each answer."""

    def __init__(self, questions: Iterable[Question], reading: Any = None) -> None:
        self.questions = tuple(questions)
        self.reading = reading
        """What was understood of the evidence, a `Reading`, where there is one."""
        super().__init__(" ".join(map(_in_python, self.questions)))


def _in_python(question: Question) -> str:
    said = "; or ".join(f"{answer.python} ({answer.text})" for answer in question.answers)
    return f"{question.text} Add {said}." if said else question.text


WIDTH = 80
"""Columns of a terminal that everybody has."""


def in_options(questions: Iterable[Question], width: int = WIDTH) -> str:
    """The questions as lines for a terminal, each answer with the option to add, unbroken."""
    lines = []
    for question in questions:
        lines += broken(at_terminal(question.text), width)
        sizes = [len(answer.option) for answer in question.answers]
        options = max((size for size in sizes if size <= width // 2), default=0)
        for answer in question.answers:
            told = broken(answer.text, width - options - 8) or [""]
            beside = told.pop(0) if len(answer.option) <= options else ""
            lines.append(f"  add {answer.option:<{options}}  {beside}".rstrip())
            lines += [f"{'':{options + 8}}{line}" for line in told]
    return "\n".join(lines)


def broken(text: str, width: int) -> list[str]:
    """Lines of at most so many columns; no word is broken, and no option at its hyphens."""
    return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)
