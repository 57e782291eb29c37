"""`assay compare`: from evidence to a verdict."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.options import (
    baseline_option,
    evidence_options,
    margin_option,
    margins,
    max_loss_option,
    measure_option,
    pairing_options,
    reading,
    result_options,
)


@click.command("compare")
@evidence_options
@measure_option("The measure that decides; repeat for several, decided together.")
@baseline_option("The model that the others are compared with.")
@click.option("--against", metavar="LEVEL", help="For one model: a number, or chance.")
@margin_option(
    "--margin",
    "The smallest relevant difference, for equivalence; repeat for single measures.",
)
@click.option(
    "--slice",
    "by",
    metavar="COL",
    help="Also compare within each value of this column; all p-values adjusted together.",
)
@pairing_options
@click.option(
    "--sequential",
    is_flag=True,
    help="Items in the order of the file; the verdict may be looked at after every one.",
)
@click.option(
    "--bound",
    type=float,
    metavar="X",
    help="The largest difference possible on one item.",
)
@max_loss_option
@result_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    baseline: str | None,
    against: str | None,
    margin: tuple[tuple[str, float], ...],
    by: str | None,
    unpaired: bool,
    unit: Any,
    sequential: bool,
    bound: float | None,
    max_loss: float | None,
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
    assay compare predictions.csv --truth y --measure accuracy --measure f1 --slice region
    assay compare a.csv b.csv --id item --truth y
    assay compare model.csv --truth y --against chance
    assay compare scores.csv                       (rows data sets or folds, columns models)
    assay compare study.db --measure accuracy      (a study that `assay run` made)
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs, say_evidence
    from assay.cli.store_files import opened
    from assay.compare.compare import compare_read, read_over
    from assay.compare.findings import Settings
    from assay.core.checks import check_level
    from assay.core.rng import seed_of

    keep_inputs(output, files)
    measure: Any = list(measures) if len(measures) > 1 else next(iter(measures), None)
    lone = measure if isinstance(measure, str) else None
    told = reading(**evidence)
    observed = read_over(unit, *opened(files), paired=not unpaired, measure=lone, slice=by, **told)
    say_evidence(observed.summary().description, form, output)
    settings = Settings(
        level=check_level(level), n_resamples=n_resamples, seed=seed_of(seed), bound=bound
    )
    result: Any = compare_read(
        observed,
        settings,
        measure=measure,
        unit=unit,
        slice=by,
        baseline=baseline,
        against=against,
        margin=margins(margin) if margin else None,
        missing=told["missing"],
        lower_is_better=told["lower_is_better"],
        sequential=sequential,
        max_loss=max_loss,
    )
    if explain:
        from assay.report.explain import explain_result

        emit_explanation(partial(explain_result, result), form, output)
    emit(result, form=form, output=output)
    if any(verdict.word in ("higher", "lower") for verdict in result.verdicts):
        from assay.cli.terminal_questions import ask_direction

        ask_direction(result)
