"""`assay evaluate`: every measure of every model with its interval."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.options import (
    evidence_options,
    max_loss_option,
    measure_option,
    reading,
    result_options,
)


@click.command("evaluate")
@evidence_options
@measure_option("A measure; repeat for more.")
@click.option("--unit", metavar="UNIT", help="What scores are of: fold, seed or dataset.")
@click.option(
    "--interval", default="default", show_default=True, help="default, percentile, basic or bca."
)
@max_loss_option
@result_options
def command(
    files: tuple[Path, ...],
    measures: tuple[str, ...],
    unit: str | None,
    interval: str,
    max_loss: float | None,
    level: float,
    n_resamples: int,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **evidence: Any,
) -> None:
    """Measure models on a test set: each number with its interval.

    FILES hold predictions: a truth column and a column per model, or one file per model with an
    id column to join by. CSV, Parquet and JSON lines are read.

    \b
    assay evaluate predictions.csv --truth y --measure accuracy --measure f1
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs, say_evidence
    from assay.cli.store_files import opened
    from assay.estimates.evaluate import evaluate
    from assay.evidence.reading import read_any

    keep_inputs(output, files)
    measure = measures[0] if len(measures) == 1 else None
    observed = read_any(*opened(files), measure=measure, unit=unit, **reading(**evidence))
    say_evidence(observed.summary().description, form, output)
    result = evaluate(
        observed,
        measures=measures or None,
        level=level,
        interval=interval,
        n_resamples=n_resamples,
        rng=seed,
        max_loss=max_loss,
    )
    if explain:
        from assay.report.explain import explain_result

        emit_explanation(partial(explain_result, result), form, output)
    emit(result, form=form, output=output)
