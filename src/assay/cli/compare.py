"""`assay compare`: from evidence to a verdict."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import evidence_options, reading, result_options


@click.command("compare")
@evidence_options
@click.option("--measure", metavar="NAME", help="The measure that decides.")
@click.option("--baseline", metavar="NAME", help="The model that the others are compared with.")
@click.option("--against", metavar="LEVEL", help="For one model: a number, or chance.")
@click.option("--margin", type=float, help="The smallest difference that matters.")
@click.option("--unpaired", is_flag=True, help="The files hold different items.")
@click.option(
    "--unit", metavar="UNIT", help="What to generalise over: item, fold, seed or dataset."
)
@click.option(
    "--missing",
    type=click.Choice(["refuse", "complete", "skillings-mack"]),
    default="refuse",
    show_default=True,
    help="Scores that some models lack.",
)
@click.option(
    "--lower-is-better/--higher-is-better",
    default=None,
    help="Direction of scores whose measure assay does not know.",
)
@result_options
def command(
    files: tuple[Path, ...],
    measure: str | None,
    baseline: str | None,
    against: str | None,
    margin: float | None,
    unpaired: bool,
    unit: Any,
    missing: str,
    lower_is_better: bool | None,
    level: float,
    n_resamples: int,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **evidence: Any,
) -> None:
    """Compare models and end in a verdict: better, worse, equivalent or undecided.

    The exit code is 0 whatever the verdict; `assay gate` turns it into a pass or a failure.

    \b
    assay compare predictions.csv --truth y --measure f1 --margin 0.01
    assay compare a.csv b.csv --id item --truth y
    assay compare model.csv --truth y --against chance
    assay compare scores.csv                       (rows data sets or folds, columns models)
    assay compare study.db --measure accuracy      (a study that `assay run` made)
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs, say
    from assay.cli.stores import opened
    from assay.compare.compare import compare
    from assay.evidence.readers import read

    keep_inputs(output, files)
    observed = read(
        *opened(files), paired=not unpaired, unit=unit, measure=measure, **reading(**evidence)
    )
    say(observed.summary().description)
    result = compare(
        observed,
        measure=measure,
        baseline=baseline,
        against=against,
        margin=margin,
        missing=missing,
        lower_is_better=lower_is_better,
        level=level,
        n_resamples=n_resamples,
        rng=seed,
    )
    if explain:
        from assay.report.explain import explain_result

        emit_explanation(explain_result(result), form, output)
    emit(result, form=form, output=output)
