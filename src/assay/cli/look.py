"""`assay look`: what a file is, and what can be asked of it."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import evidence_options, reading


@click.command("look")
@evidence_options
@click.option("--unit", metavar="UNIT", help="What a row is: item, fold, seed or dataset.")
@click.option("--measure", metavar="NAME", help="The measure of nameless scores.")
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
    from assay.cli.stores import opened
    from assay.evidence.reading import look
    from assay.report.reading_view import reading_json, reading_text

    found = look(
        *opened(files),
        unit=unit,
        measure=measure,
        **reading(**evidence),
    )
    if form == "json":
        write(reading_json(found), None)
    else:
        write(reading_text(found, [str(file) for file in files], width=terminal_width()), None)
