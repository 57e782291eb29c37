"""Results to stdout or a file; data on stdout, words about it on stderr."""

import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import click

from assay.core.errors import UsageError
from assay.core.file_names import write_whole
from assay.core.results import Evaluation, Result

WITH_COMMAND = ("html", "markdown")
"""Formats that say how the result is made again."""


def emit(result: Result, *, form: str | None, output: Path | None) -> None:
    """Print the result, or write it to ``output`` in the format of its suffix; then its figures."""
    from assay.report.result_files import FIGURES, SUFFIXES, save_figure, save_figures

    drawn = [asked("figure")]
    if output is not None and form is None and output.suffix.lower() in FIGURES:
        drawn.append(output)
    else:
        chosen = form or (SUFFIXES.get(output.suffix.lower()) if output else "table")
        if chosen is None:
            known = ", ".join((*SUFFIXES, *FIGURES))
            raise UsageError(f"{output} has no known suffix: use one of {known}, or --format")
        write(_text(result, chosen, output), output)
    for path in filter(None, drawn):
        say(f"wrote {save_figure(result, path)}")
    if asked("figures") is not None:
        for path in save_figures(result, asked("figures")):
            say(f"wrote {path}")


def _text(result: Result, form: str, output: Path | None) -> str:
    """The result as it is printed: the answer alone, brief, or whole; files are whole."""
    from assay.report import render

    if form == "table" and output is None and asked("quiet"):
        return answer_of(result)
    return render(
        result,
        form,
        details=output is not None or bool(asked("details")),
        color=output is None and bool(sys.stdout) and sys.stdout.isatty(),
        unicode=output is not None or _speaks_unicode(),
        width=terminal_width() if output is None else 100,
        typed="cli",
        command=command_line(getattr(result, "seed", None)) if form in WITH_COMMAND else None,
    )


def answer_of(result: Result) -> str:
    """The answer alone; where a result has no sentence, its brief text."""
    from assay.core.formatting import clean
    from assay.report import render
    from assay.report.brief import brief_of
    from assay.report.sentences import evaluation_sentence

    if isinstance(result, Evaluation):
        return evaluation_sentence(result) + "\n"
    found = brief_of(result, typed="cli")
    if found is None or not found.answer:
        return render(result, "table", width=terminal_width(), typed="cli")
    return clean(found.answer) + "\n"


def asked(option: str) -> Any:
    """What was typed for one of the options of how to show a result."""
    context = click.get_current_context(silent=True)
    return None if context is None else context.meta.get(f"assay.{option}")


def _speaks_unicode() -> bool:
    """Whether the terminal can print lines and dots; a pipe or file gets what its encoding holds."""
    encoding = getattr(sys.stdout, "encoding", None) or "ascii"
    try:
        "├●┤−α".encode(encoding)
    except (UnicodeEncodeError, LookupError):
        return False
    return os.environ.get("TERM") != "dumb"


def say_evidence(description: str, form: str | None, output: Path | None) -> None:
    """What was read, to the person at the terminal, where the result itself is data or a file."""
    if form not in (None, "table") or output is not None:
        say(description)


def write(text: str, output: Path | None) -> None:
    """To stdout, or to a file and say so."""
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    write_whole(output, text)
    say(f"wrote {output}")


def emit_explanation(explained: Callable[..., str], form: str | None, output: Path | None) -> None:
    """An explanation above the table it belongs to, or on stderr where stdout holds data."""
    text = explained(width=terminal_width())
    click.echo(f"{text}\n", err=output is not None or form not in (None, "table"))


def emit_adjusted(given: Sequence[float], adjusted: Sequence[float], form: str | None) -> None:
    """p-values beside what an adjustment makes of them."""
    rows = [(float(p), float(q)) for p, q in zip(given, adjusted, strict=True)]
    if form == "json":
        import json

        click.echo(json.dumps([{"p": p, "adjusted": q} for p, q in rows], indent=2))
        return
    line = "{},{}" if form == "csv" else "{:>12}  {:>12}"
    click.echo(line.format("p", "adjusted"))
    for p, q in rows:
        click.echo(line.format(f"{p:.6g}", f"{q:.6g}"))


def say(message: str) -> None:
    """A word to the person at the terminal, off the data; names in it may be anybody's."""
    from assay.core.formatting import clean

    lines = [clean(line) for line in message.split("\n")]
    if sys.stderr is not None and sys.stderr.isatty():  # a line stays whole in a pipe or a log
        from textwrap import fill

        lines = [
            fill(line, terminal_width(), break_long_words=False, break_on_hyphens=False)
            for line in lines
        ]
    click.echo("\n".join(lines), err=True)


def command_line(seed: int | None = None) -> str:
    """The command as it was typed, with the seed that was used, for the report."""
    import shlex

    typed = ["assay", *sys.argv[1:]]
    if seed is not None and "--seed" not in typed:
        typed += ["--seed", str(seed)]
    return shlex.join(typed)


def keep_inputs(output: Path | None, files: Sequence[Path]) -> None:
    """Refuse to write over what was read."""
    if (
        output is not None
        and output.exists()
        and any(output.samefile(f) for f in files if f.exists())
    ):
        raise UsageError(f"{output} is one of the files read: write the result elsewhere")


def terminal_width() -> int:
    import shutil

    return max(40, min(shutil.get_terminal_size((100, 24)).columns, 140))
