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
    "--lower-is-better/--higher-is-better",
    default=None,
    help="Direction of values whose measure assay does not know.",
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "complete", "wrong"]),
    default="refuse",
    show_default=True,
    help="Blanks of a model: refuse, leave out their rows, or count them as wrong.",
)
@click.option(
    "--format", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
def command(
    files: tuple[Path, ...],
    unit: str | None,
    measure: str | None,
    lower_is_better: bool | None,
    missing: str,
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
        lower_is_better=lower_is_better,
        missing=missing,
        **reading(**evidence),
    )
    if form == "json":
        write(reading_json(found), None)
    else:
        write(reading_text(found, [str(file) for file in files], width=terminal_width()), None)
