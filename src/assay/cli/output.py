"""Results to stdout or a file; data on stdout, words about it on stderr."""

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from assay.core.errors import UsageError
from assay.core.results import Result

SUFFIXES = {
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".txt": "table",
}


def emit(result: Result, *, form: str | None, output: Path | None) -> None:
    """Print the result, or write it to ``output`` in the format of its suffix."""
    from assay.report import render

    chosen = form or (SUFFIXES.get(output.suffix.lower()) if output else "table")
    if chosen is None:
        raise UsageError(
            f"cannot tell the format of {output}: use one of {', '.join(SUFFIXES)} or --format"
        )
    text = render(
        result,
        chosen,
        color=output is None and bool(sys.stdout) and sys.stdout.isatty(),
        width=terminal_width() if output is None else 100,
        command=command_line(getattr(result, "seed", None)),
    )
    write(text, output)


def write(text: str, output: Path | None) -> None:
    """To stdout, or to a file and say so."""
    if output is None:
        click.echo(text, nl=not text.endswith("\n"))
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from None
    say(f"wrote {output}")


def emit_explanation(text: str, form: str | None, output: Path | None) -> None:
    """An explanation above the table it belongs to, or on stderr where stdout holds data."""
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
    from assay.core.writing import clean

    click.echo("\n".join(map(clean, message.split("\n"))), err=True)


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
