"""`assay gate`: the verdict as an exit code, for pipelines."""

import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.cli.options import (
    baseline_option,
    log_options,
    margin_option,
    margins,
    max_loss_option,
    measure_option,
    pairing_options,
    reading,
    reading_options,
    result_options,
)

if TYPE_CHECKING:
    from assay.core.gate_results import Gate


def _file_option(name: str, text: str) -> Callable[[Any], Any]:
    return click.option(name, type=click.Path(path_type=Path, dir_okay=False), help=text)


@click.command("gate")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@reading_options
@log_options
@baseline_option("The model in place; the first file's by default.")
@click.option("--candidate", metavar="NAME", help="The model that would take its place.")
@_file_option(
    "--config",
    "A TOML file with the terms, committed before looking; assay.toml is found by itself.",
)
@margin_option("--margin", "The largest loss that does not matter; repeat for single measures.")
@measure_option("A measure; repeat for more.")
@margin_option("--at-least", "A level that the candidate must reach; repeat for more.", "NAME=X")
@margin_option(
    "--at-most",
    "A level that a loss of the candidate must not exceed; repeat for more.",
    "NAME=X",
)
@margin_option("--better-by", "Pass only a gain above X (0: any gain), instead of no loss.")
@click.option(
    "--slice", "--by", "slice", metavar="COL", help="Column whose values must all pass too."
)
@click.option(
    "--slice-margin",
    type=float,
    metavar="X",
    help="The margin within slices, which are smaller.",
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
@pairing_options
@_file_option("--junit", "Write JUnit XML to this file too.")
@click.option(
    "--github-summary",
    is_flag=True,
    help="Append a summary to the file $GITHUB_STEP_SUMMARY names.",
)
@max_loss_option
@_file_option("--summary", "Write the same summary (Markdown) to this file, for a comment.")
@result_options
def command(
    files: tuple[Path, ...],
    config: Path | None,
    junit: Path | None,
    github_summary: bool,
    summary: Path | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **typed: Any,
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
    from assay.report.gate_outputs import as_github_summary, as_junit

    summary_file = _summary_file() if github_summary else None
    terms = _terms(typed)
    filed = _filed(config, has_terms=any(terms[name] is not None for name in _DEMANDS))
    result = _decided(files or filed.files, terms, filed, **typed)
    if result.comparisons:
        say_evidence(result.comparisons[0].evidence.description, form, output)
    if explain:
        from assay.report.explain import explain_result

        for comparison in result.comparisons:
            emit_explanation(partial(explain_result, comparison), form, output)
    emit(result, form=form, output=output)
    if junit is not None:
        _write(junit, as_junit(result), mode="w")
    for place, mode in ((summary_file, "a"), (summary, "w")):
        if place is not None:
            _write(place, as_github_summary(result), mode=mode)
    if result.word == "undecided" and result.on_undecided == "warn":
        say("warning: the gate is undecided and was told to let that pass")
    sys.exit(result.exit_code)


_DEMANDS = ("margin", "at_least", "at_most", "better_by", "each")
"""Terms that make a gate by themselves, so that assay.toml is not looked for."""


def _terms(typed: dict[str, Any]) -> dict[str, Any]:
    """The terms taken out of what was typed, None where nothing was, so that a file may say."""
    from assay.compare.gate_file import GateTable

    terms = {name: typed.pop(name) for name in GateTable.__struct_fields__ if name in typed}
    given = click.get_current_context().get_parameter_source("level")
    if given is click.core.ParameterSource.DEFAULT:
        terms["level"] = None
    for name in ("margin", "at_least", "at_most"):
        terms[name] = dict(terms[name])
    terms["better_by"] = margins(terms["better_by"])
    unsaid = [name for name, value in terms.items() if value is False or value in ((), {})]
    return terms | dict.fromkeys(unsaid)


def _decided(
    files: Sequence[Path],
    terms: Mapping[str, Any],
    filed: "_Filed",
    *,
    baseline: str | None,
    candidate: str | None,
    aa: bool,
    trials: int,
    unpaired: bool,
    max_loss: float | None,
    n_resamples: int,
    seed: int | None,
    **evidence: Any,
) -> "Gate":
    """The gate with what was typed before what the file says."""
    from assay.cli.store_files import opened
    from assay.compare.gate import gate

    said = reading(**evidence)
    typed = {name: value for name, value in said.items() if value}
    if said.get("lower_is_better") is not None:  # False says that higher is better
        typed["lower_is_better"] = said["lower_is_better"]
    if unpaired:
        typed["paired"] = False
    return gate(
        *opened(files),
        **terms,
        baseline=baseline or filed.baseline,
        candidate=candidate or filed.candidate,
        config=filed.path,
        aa=trials if aa else 0,
        n_resamples=n_resamples,
        rng=filed.seed if seed is None else seed,
        max_loss=max_loss,
        **{**filed.told, **typed},
    )


@dataclass(frozen=True, kw_only=True)
class _Filed:
    """What a file gives beside the terms, which the gate reads itself."""

    path: Path | None = None
    files: tuple[Path, ...] = ()
    baseline: str | None = None
    candidate: str | None = None
    seed: int | None = None
    told: dict[str, Any] = field(default_factory=dict)


def _filed(config: Path | None, *, has_terms: bool) -> _Filed:
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
