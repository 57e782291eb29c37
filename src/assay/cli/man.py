"""`assay man`: the manual page, written from the same parser as the help."""

import re
from collections.abc import Iterator

import click

EXITS = (
    ("0", "done, whatever the verdict; or the gate passed"),
    ("1", "the gate failed"),
    ("2", "wrong usage"),
    ("3", "the gate is undecided"),
    ("4", "bad data"),
    ("70", "a defect of assay"),
    ("130", "stopped by Ctrl-C"),
    ("141", "the reader of the output went away"),
)

MOST_PARTS = 10
"""Parts of a command that have a section each; the methods of `assay test` are too many."""


@click.command("man")
def command() -> None:
    """Print the manual page of assay: `assay man > assay.1`, then `man ./assay.1`."""
    click.echo(page(), nl=False)


def page() -> str:
    """The manual page in the language of man(7)."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    from assay._version import __version__
    from assay.cli.main import VERBS, cli

    yield f'.TH ASSAY 1 "" "assay {__version__}" "User commands"'
    yield from (
        ".SH NAME",
        _roff("assay - honest statistics for comparing machine-learning models"),
    )
    yield from (".SH SYNOPSIS", ".B assay", ".I COMMAND", _roff("[OPTION]... [FILE]..."))
    yield from (".SH DESCRIPTION", *_paragraphs(cli.help or ""))
    yield ".SH COMMANDS"
    for verb, summary in VERBS.items():
        yield from (".TP", f".B {_roff(verb)}", _roff(summary))
    for verb in VERBS:
        found = cli.get_command(click.Context(cli), verb)
        if found is not None:
            yield from _of_command(f"assay {verb}", found)
    yield ".SH EXIT STATUS"
    for code, meaning in EXITS:
        yield from (".TP", f".B {code}", _roff(meaning))


def _of_command(name: str, command: click.Command) -> Iterator[str]:
    context = click.Context(
        command, info_name=name, help_option_names=["-h", "--help"], terminal_width=200
    )
    yield f'.SH "{_roff(name.upper())}"'
    yield ".B " + _roff(command.get_usage(context).removeprefix("Usage: "))
    yield ".PP"
    yield from _paragraphs(command.help or "")
    for parameter in command.get_params(context):
        record = parameter.get_help_record(context)
        if record is not None and record[1]:
            yield from (".TP", f".B {_roff(record[0])}", _roff(record[1]))
    if isinstance(command, click.Group):
        parts = command.list_commands(context)
        if len(parts) > MOST_PARTS:
            said = f"There are {len(parts)}: `{name} --help` lists them, `{name} {parts[0]} --help` shows one."
            yield from (".PP", _roff(said))
            return
        for part in parts:
            found = command.get_command(context, part)
            if found is not None:
                yield from _of_command(f"{name} {part}", found)


def _paragraphs(text: str) -> Iterator[str]:
    """Paragraphs of a help text; one after a backspace keeps its lines, as click has it."""
    for place, paragraph in enumerate(re.split(r"\n\s*\n", re.sub(r"(?m)^ +", "", text).strip())):
        if place:
            yield ".PP"
        if paragraph.startswith("\b"):
            lines = paragraph.lstrip("\b").strip("\n").splitlines()
            yield from (".nf", *(_roff(line) for line in lines), ".fi")
        else:
            yield _roff(" ".join(paragraph.split()))


def _roff(text: str) -> str:
    """Text without what roff would take as its own: backslashes, hyphens, a control character in front."""
    escaped = " ".join(text.split()).replace("\\", "\\e").replace("-", "\\-")
    return f"\\&{escaped}" if escaped[:1] in (".", "'") else escaped
