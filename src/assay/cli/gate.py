"""`assay gate`: the verdict as an exit code, for pipelines."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from assay.cli.options import Margin, evidence_options, max_loss_option, reading, result_options


@click.command("gate")
@evidence_options
@click.option("--baseline", metavar="NAME", help="The model in place; the first file's by default.")
@click.option("--candidate", metavar="NAME", help="The model that would take its place.")
@click.option(
    "--margin",
    type=Margin(),
    multiple=True,
    metavar="X|NAME=X",
    help="The largest loss that does not matter; repeat for single measures.",
)
@click.option(
    "--measure", "measures", multiple=True, metavar="NAME", help="A measure; repeat for more."
)
@click.option(
    "--config",
    type=click.Path(path_type=Path, dir_okay=False),
    help="A TOML file with margins, measures and level, committed before looking.",
)
@click.option("--holm", is_flag=True, help="Correct for several measures by Holm's step-down.")
@click.option(
    "--on-undecided",
    type=click.Choice(["fail", "warn", "pass"]),
    help="Exit 3 (fail, the default), or 0 with a warning or without.",
)
@click.option("--aa", is_flag=True, help="Try the gate with the truth known, and count its errors.")
@click.option(
    "--trials",
    type=click.IntRange(min=1),
    default=1000,
    show_default=True,
    help="How often --aa tries it.",
)
@click.option("--unpaired", is_flag=True, help="The files hold different items.")
@click.option(
    "--unit", metavar="UNIT", help="What to generalise over: item, fold, seed or dataset."
)
@click.option(
    "--junit",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write JUnit XML to this file too.",
)
@click.option(
    "--github-summary",
    is_flag=True,
    help="Append a summary to the file $GITHUB_STEP_SUMMARY names.",
)
@max_loss_option
@result_options
def command(
    files: tuple[Path, ...],
    baseline: str | None,
    candidate: str | None,
    margin: tuple[tuple[str, float], ...],
    measures: tuple[str, ...],
    config: Path | None,
    holm: bool,
    on_undecided: Any,
    aa: bool,
    trials: int,
    unpaired: bool,
    unit: Any,
    junit: Path | None,
    github_summary: bool,
    max_loss: float | None,
    level: float,
    n_resamples: int,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **evidence: Any,
) -> None:
    """Pass or fail a candidate: is it no worse than the baseline by more than the margin?

    The exit code is 0 if it passed, 1 if it failed, 3 if the evidence decides neither, 2 for
    wrong usage and 4 for bad data.

    \b
    assay gate old.csv new.csv --id item --truth y --margin 0.005
    assay gate predictions.csv --baseline A --candidate B --margin accuracy=0.005 --margin f1=0.01
    assay gate old.csv new.csv --config gate.toml --junit gate.xml --github-summary
    assay gate old.csv new.csv --margin 0.005 --aa
    """
    from assay.cli.output import emit, emit_explanation, say, say_evidence
    from assay.compare.gate import gate
    from assay.report.gate_outputs import as_github_summary, as_junit

    summary_file = _summary_file() if github_summary else None
    given = click.get_current_context().get_parameter_source("level")
    result = gate(
        *files,
        baseline=baseline,
        candidate=candidate,
        margin=dict(margin) or None,
        measures=measures or None,
        level=None if given is click.core.ParameterSource.DEFAULT else level,
        holm=holm or None,
        on_undecided=on_undecided,
        config=config,
        unit=unit,
        aa=trials if aa else 0,
        n_resamples=n_resamples,
        rng=seed,
        max_loss=max_loss,
        paired=not unpaired,
        **reading(**evidence),
    )
    say_evidence(result.comparisons[0].evidence.description, form, output)
    if explain:
        from assay.report.explain import explain_result

        for comparison in result.comparisons:
            emit_explanation(explain_result(comparison), form, output)
    emit(result, form=form, output=output)
    if junit is not None:
        _write(junit, as_junit(result), mode="w")
    if summary_file is not None:
        _write(summary_file, as_github_summary(result), mode="a")
    if result.word == "undecided" and result.on_undecided == "warn":
        say("warning: the gate is undecided and was told to let that pass")
    sys.exit(result.exit_code)


def _summary_file() -> Path:
    """The file GitHub gives each step; its absence is found out before anything is computed."""
    from assay.core.errors import UsageError

    place = os.environ.get("GITHUB_STEP_SUMMARY")
    if not place:
        raise UsageError(
            "--github-summary writes to the file that GITHUB_STEP_SUMMARY names, and it is not set: "
            "elsewhere use --format markdown"
        )
    return Path(place)


def _write(path: Path, text: str, *, mode: str) -> None:
    from assay.cli.output import say
    from assay.core.errors import UsageError

    try:
        with path.open(mode, encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise UsageError(f"cannot write {path}: {error.strerror}") from None
    say(f"wrote {path}")
