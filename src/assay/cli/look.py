"""`assay look`: what a file is, and what can be asked of it."""

from pathlib import Path
from typing import Any

import click

from assay.cli.completion import measure_names
from assay.cli.options import evidence_options, reading


@click.command("look")
@evidence_options
@click.option("--unit", metavar="UNIT", help="What a row is: item, fold, seed or dataset.")
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure of nameless scores.",
    shell_complete=measure_names,
)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(
    files: tuple[Path, ...],
    unit: str | None,
    measure: str | None,
    form: str,
    **evidence: Any,
) -> None:
    """Look at evidence without computing anything: columns, roles, what is open, what to type.

    \b
    assay look predictions.csv
    assay look scores.csv --unit dataset
    """
    from assay.cli.output import terminal_width, write
    from assay.cli.store_files import opened
    from assay.core.errors import AssayError
    from assay.evidence.reading import look
    from assay.report.option_names import as_typed
    from assay.report.reading_view import reading_json, reading_text, unread_text

    sources = opened(files)
    try:
        found = look(*sources, unit=unit, measure=measure, **reading(**evidence))
    except AssayError as error:
        if form == "json":  # what was asked for has no form for it
            raise
        write(unread_text(sources, error, worded=as_typed, width=terminal_width()), None)
        return
    if form == "json":
        write(reading_json(found), None)
        return
    names = [str(file) for file in files]
    write(reading_text(found, names, width=terminal_width(), worded=as_typed), None)
