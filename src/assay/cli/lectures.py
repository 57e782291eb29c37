"""`assay lectures`: every worked number of the lectures, as printed and as right."""

import json

import click


@click.command("lectures")
@click.option("--topic", metavar="TOPIC", help="Only this topic, such as folds, roc or meaning.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["table", "json", "markdown"]),
    default="table",
    show_default=True,
)
def command(topic: str | None, form: str) -> None:
    """Check five university lectures: each number as printed, as right, and why they differ.

    Every entry names the command that gives the right answer: a first tour.

    \b
    assay lectures
    assay lectures --topic folds
    """
    from assay.cli.output import terminal_width
    from assay.report import lectures

    rows = lectures.lecture_rows(topic)
    if form == "json":
        click.echo(json.dumps(lectures.as_data(rows), indent=2, ensure_ascii=False))
    elif form == "markdown":
        click.echo(lectures.as_markdown(rows), nl=False)
    else:
        click.echo(lectures.as_text(rows, width=terminal_width()))
