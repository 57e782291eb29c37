"""Open questions at a terminal: asked there, and answered by the options that are typed next time."""

import os
import shlex
import sys
from collections.abc import Sequence
from typing import Any, NoReturn

import click

from assay.core.questions import AmbiguousEvidence, Answer, Question, in_options

HARD = "\N{NO-BREAK SPACE}"


def may_ask(arguments: Sequence[str]) -> bool:
    """Whether somebody sits at a terminal and wants to be asked."""
    at_terminal = all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stderr))
    in_ci = os.environ.get("CI", "").lower() not in ("", "0", "false")
    return at_terminal and not in_ci and "--no-input" not in arguments


def answered(error: AmbiguousEvidence, arguments: Sequence[str]) -> list[str]:
    """The arguments with the options that answer what was open; no answer is the default."""
    added: list[str] = []
    for question in error.questions:
        added += shlex.split(_asked(question))
    typed = [*arguments, *added]
    click.echo(f"next time: assay {shlex.join(typed)}\n", err=True)
    return typed


def _asked(question: Question) -> str:
    from assay.cli.output import say, terminal_width
    from assay.core.formatting import clean
    from assay.core.questions import broken
    from assay.core.wording import at_terminal

    say(at_terminal(question.text))
    for number, answer in enumerate(question.answers, 1):
        option = f"({answer.option})".replace(" ", HARD)
        lines = broken(f"{answer.text}  {option}", terminal_width() - 5)
        for place, line in enumerate(lines):
            head = f"{number:3}" if not place else ""
            click.echo(f"{head:3}  {clean(line.replace(HARD, ' '))}", err=True)
    if not question.answers:
        raise AmbiguousEvidence([question])
    chosen = _typed("which", type=click.IntRange(1, len(question.answers)))
    return _completed(question.answers[chosen - 1])


def _typed(asked: str, **options: Any) -> Any:
    """What somebody types; who leaves has a line of their own to read on."""
    try:
        return click.prompt(asked, err=True, **options)
    except click.Abort:
        click.echo(err=True)
        raise


def _completed(answer: Answer) -> str:
    """The option of an answer; what it leaves open (``--models A,B``) is asked for."""
    option, _, value = answer.option.partition(" ")
    if value.replace(",", "").isupper() and value.replace(",", "").isalpha():
        given = _typed(f"{option} {value}")
        return f"{option} {shlex.quote(given)}"
    return answer.option


def explained(error: AmbiguousEvidence) -> str:
    """What to say where nobody can be asked."""
    from assay.core.formatting import clean

    said = "\n".join(map(clean, in_options(error.questions).splitlines()))
    count = len(error.questions)
    open_ = (
        f"{count} questions are open. Answer each"
        if count > 1
        else "one question is open. Answer it"
    )
    return f"assay: {open_} with an option:\n{said}"


def ask_direction(result: Any) -> NoReturn:
    """After a neutral answer, higher or lower: which way is better decides what it means."""
    from assay.evidence.open_questions import which_direction

    parts = getattr(result, "parts", (result,))
    unknown = [part.measure for part in parts if part.direction == "unknown"]
    raise AmbiguousEvidence([which_direction(unknown[0])])
