"""`assay judge`: how far a judge agrees with people, what sways it, what it is worth."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.completion import measure_names
from assay.cli.options import evidence_options, reading, result_options


@click.command("judge")
@evidence_options
@click.option(
    "--bias", metavar="A,B", help="Columns that may sway the judge: length, format, family."
)
@click.option(
    "--swap", metavar="COL", help="A pairwise judge's verdicts with the answers in the other order."
)
@click.option("--again", metavar="COL", help="The judge's second run on the same items: drift.")
@click.option(
    "--margin", type=float, metavar="X", help="Can labels and judge decide a difference of X?"
)
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure of the models that is corrected.",
    shell_complete=measure_names,
)
@result_options
def command(
    files: tuple[Path, ...],
    level: float,
    explain: bool,
    form: str | None,
    output: Path | None,
    bias: str | None,
    swap: str | None,
    again: str | None,
    margin: float | None,
    measure: str | None,
    **evidence: Any,  # and n_resamples and seed, for nothing is drawn here
) -> None:
    """Measure a judge against people's labels.

    FILES hold the judge's grades of all items (--judge) and people's of some (--truth); labels may come in a
    file of their own with the same ids.

    \b
    assay judge grades.csv --truth human --judge gpt
    assay judge grades.csv --truth human --judge gpt --bias length,family --margin 0.02
    assay judge grades.csv --truth human --judge gpt,claude,llama
    assay judge results.csv labels.csv --id item --truth human --judge gpt --models a,b
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs, say_evidence
    from assay.compare.judge import judge

    keep_inputs(output, files)
    evidence = {
        name: value for name, value in evidence.items() if name not in ("n_resamples", "seed")
    }
    told = {name: value for name, value in reading(**evidence).items() if value is not None}
    result = judge(
        *files,
        bias=bias,
        swap=swap,
        again=again,
        margin=margin,
        measure=measure,
        level=level,
        **told,
    )
    say_evidence(result.evidence.description, form, output)
    if explain:
        from assay.core.results import Evaluation
        from assay.report.explain import explain_result

        shown = Evaluation(evidence=result.evidence, estimates=result.estimates, level=level)
        emit_explanation(partial(explain_result, shown), form, output)
    emit(result, form=form, output=output)
