"""`assay gate`: the verdict as an exit code, for pipelines."""

import os
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from assay.cli.options import (
    Margin,
    log_options,
    margins,
    max_loss_option,
    reading,
    reading_options,
    result_options,
)


@click.command("gate")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@reading_options
@log_options
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
    help="A TOML file with the terms, committed before looking; assay.toml is found by itself.",
)
@click.option(
    "--at-least",
    type=Margin(),
    multiple=True,
    metavar="NAME=X",
    help="A level that the candidate must reach; repeat for more.",
)
@click.option(
    "--at-most",
    type=Margin(),
    multiple=True,
    metavar="NAME=X",
    help="A level that a loss of the candidate must not exceed; repeat for more.",
)
@click.option(
    "--better-by",
    type=Margin(),
    multiple=True,
    metavar="X|NAME=X",
    help="Pass only a gain above X (0: any gain), instead of no loss.",
)
@click.option(
    "--slice",
    "--by",
    "by",
    metavar="COL",
    help="Column whose values must all pass too.",
)
@click.option(
    "--slice-margin", type=float, metavar="X", help="The margin within slices, which are smaller."
)
@click.option(
    "--each",
    type=float,
    metavar="X",
    help="Share of its repeats that every item must get right (--repeat names their column).",
)
@click.option("--observed", is_flag=True, help="Judge levels by what was observed, without bounds.")
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
@click.option(
    "--summary",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write the same summary (Markdown) to this file, for a comment.",
)
@result_options
def command(
    files: tuple[Path, ...],
    baseline: str | None,
    candidate: str | None,
    margin: tuple[tuple[str, float], ...],
    measures: tuple[str, ...],
    config: Path | None,
    at_least: tuple[tuple[str, float], ...],
    at_most: tuple[tuple[str, float], ...],
    better_by: tuple[tuple[str, float], ...],
    by: str | None,
    slice_margin: float | None,
    each: float | None,
    observed: bool,
    holm: bool,
    on_undecided: Any,
    aa: bool,
    trials: int,
    unpaired: bool,
    unit: Any,
    junit: Path | None,
    github_summary: bool,
    max_loss: float | None,
    summary: Path | None,
    level: float,
    n_resamples: int,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **evidence: Any,
) -> None:
    """Pass or fail a candidate: no worse than the baseline by the margin, or at a level.

    The exit code is 0 if it passed, 1 if it failed, 3 if the evidence decides neither, 2 for
    wrong usage and 4 for bad data. Files and terms may stand in assay.toml.

    \b
    assay gate old.csv new.csv --id item --truth y --margin 0.005
    assay gate new.csv --truth y --at-least accuracy=0.9 --at-most log_loss=0.4
    assay gate old.csv new.csv --margin 0.01 --slice region --slice-margin 0.05
    assay gate repeats.csv --correct --id test --repeat run --each 0.8
    assay gate predictions.csv --baseline A --candidate B --margin accuracy=0.005 --margin f1=0.01
    assay gate old.csv new.csv --config gate.toml --junit gate.xml --github-summary
    assay gate old.csv new.csv --margin 0.005 --aa
    """
    from assay.cli.output import emit, emit_explanation, say, say_evidence
    from assay.compare.gate import gate
    from assay.report.gate_outputs import as_github_summary, as_junit

    summary_file = _summary_file() if github_summary else None
    given = click.get_current_context().get_parameter_source("level")
    filed = _filed(config, margin or at_least or at_most or better_by or each is not None)
    said = reading(**evidence)
    typed = {name: value for name, value in said.items() if value}
    if said.get("lower_is_better") is not None:  # False says that higher is better
        typed["lower_is_better"] = said["lower_is_better"]
    told = {**filed.told, **typed}
    result = gate(
        *(files or filed.files),
        baseline=baseline or filed.baseline,
        candidate=candidate or filed.candidate,
        margin=dict(margin) or None,
        measures=measures or None,
        better_by=margins(better_by),
        at_least=dict(at_least) or None,
        at_most=dict(at_most) or None,
        slice=by,
        slice_margin=slice_margin,
        each=each,
        observed=observed or None,
        level=None if given is click.core.ParameterSource.DEFAULT else level,
        holm=holm or None,
        on_undecided=on_undecided,
        config=filed.path,
        aa=trials if aa else 0,
        n_resamples=n_resamples,
        rng=filed.seed if seed is None else seed,
        max_loss=max_loss,
        **{"paired": not unpaired, "unit": unit, **told},
    )
    if result.comparisons:
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
    if summary is not None:
        _write(summary, as_github_summary(result), mode="w")
    if result.word == "undecided" and result.on_undecided == "warn":
        say("warning: the gate is undecided and was told to let that pass")
    sys.exit(result.exit_code)


@dataclass(frozen=True, kw_only=True)
class _Filed:
    """What a file gives beside the terms, which the gate reads itself."""

    path: Path | None = None
    files: tuple[Path, ...] = ()
    baseline: str | None = None
    candidate: str | None = None
    seed: int | None = None
    told: dict[str, Any] = field(default_factory=dict)


def _filed(config: Path | None, has_terms: Any) -> _Filed:
    """The file that was named, or assay.toml where the command is called and gives no terms itself."""
    from assay.cli.output import say
    from assay.compare.gate_file import FOUND, read_gate_file

    path = config
    if path is None and not has_terms and Path(FOUND).is_file():
        path = Path(FOUND)
        say(f"terms from {FOUND}")
    if path is None:
        return _Filed()
    found = read_gate_file(path)
    return _Filed(
        path=path,
        files=tuple(path.parent / name for name in found.files),
        baseline=found.baseline,
        candidate=found.candidate,
        seed=found.seed,
        told=found.told(),
    )


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
