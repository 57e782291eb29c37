"""`assay board`: a ranking that says how sure it is."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.completion import measure_names
from assay.cli.options import evidence_options, reading, result_options

AGGREGATES = (
    "mean",
    "mean_rank",
    "win_rate",
    "borda",
    "iqm",
    "skill_score",
    "improvability",
    "elo",
)


class PairsOption(click.ParamType):  # type: ignore[type-arg]
    """Numbers by name, ``mmlu=2,gsm8k=1``; anything else stays what it is."""

    name = "pairs"

    def convert(self, value: Any, param: Any, ctx: Any) -> Any:
        if not isinstance(value, str) or "=" not in value:
            return value
        found = {}
        for part in value.split(","):
            key, _, number = part.rpartition("=")
            try:
                found[key.strip()] = float(number)
            except ValueError:
                self.fail(f"{part!r} is not name=number", param, ctx)
        return found


@click.command("board")
@evidence_options
@click.option(
    "--measure", metavar="NAME", help="The measure that ranks.", shell_complete=measure_names
)
@click.option(
    "--aggregate",
    type=click.Choice(AGGREGATES),
    default="mean",
    show_default=True,
    help="What is averaged over units: scores, their ranks, wins …",
)
@click.option(
    "--sets",
    type=click.Choice(["joint", "marginal"]),
    default="joint",
    show_default=True,
    help="Simultaneous sets of ranks for all models, or one for each by itself.",
)
@click.option(
    "--best",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    metavar="M",
    help="Also list the models that may be among the best M.",
)
@click.option(
    "--suite",
    metavar="COL",
    help="Column of the tasks of a suite; of logs: task. Task means are averaged.",
)
@click.option(
    "--weights",
    type=PairsOption(),
    metavar="tasks|items|groups|A=X,B=Y",
    default="tasks",
    show_default=True,
    help="How tasks count: alike, by items, by group (mmlu_law: mmlu), or as given.",
)
@click.option(
    "--tasks-as",
    type=click.Choice(["fixed", "sample"]),
    default="fixed",
    show_default=True,
    help="Whether these tasks count, or are a sample of all that could be.",
)
@click.option(
    "--votes", is_flag=True, help="Rows are votes (model_a, model_b, winner): Elo ratings."
)
@click.option("--baseline", metavar="NAME", help="The model that skill_score compares with.")
@click.option(
    "--margin",
    type=float,
    metavar="X",
    help="Plan how many units separate neighbours that differ by X.",
)
@click.option(
    "--cost",
    type=PairsOption(),
    metavar="A=X,B=Y|FILE",
    help="The cost of each model, or a file of costs by item: who is on the front of score and cost.",
)
@click.option(
    "--ledger",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Keep the board in this file; models can be added later.",
)
@click.option("--badge", metavar="MODEL", help="Print one line of Markdown for a model to embed.")
@click.option("--unit", metavar="UNIT", help="What to generalise over: item, seed or dataset.")
@result_options
def command(
    files: tuple[Path, ...],
    weights: Any,
    cost: Any,
    badge: str | None,
    level: float,
    n_resamples: int,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **options: Any,
) -> None:
    """Rank models, and say which ranks each of them may have.

    The rank of a model is 1 + the number of models with a better mean. Its set of ranks holds those
    that the evidence does not rule out, for all models together.

    \b
    assay board predictions.csv --truth y
    assay board scores.csv --measure accuracy          (rows data sets, columns models)
    assay board run_a/ run_b/ run_c/ --suite task      (logs of a suite)
    assay board scores.csv --aggregate mean_rank --best 3 --figure ladder.png
    assay board votes.csv --votes
    """
    from assay.cli.output import emit, emit_explanation, keep_inputs, say_evidence, write
    from assay.cli.store_files import opened
    from assay.compare.board import board

    keep_inputs(output, files)
    asked = {name: options.pop(name) for name in _ASKED}
    given = click.get_current_context().get_parameter_source("n_resamples")
    sources = files if asked["votes"] else opened(files)
    result = board(
        *sources,
        **asked,
        weights=weights,
        cost=cost,
        level=level,
        n_resamples=1999 if given is click.core.ParameterSource.DEFAULT else n_resamples,
        rng=seed,
        **(_typed(options) if asked["votes"] else reading(**options)),
    )
    say_evidence(result.evidence.description, form, output)
    if badge is not None:
        from assay.report.board_badge import badge_of

        write(badge_of(result, badge), output)
        return
    if explain:
        from assay.report.board_badge import explain_board

        emit_explanation(partial(explain_board, result), form, output)
    emit(result, form=form, output=output)


def _typed(options: dict[str, Any]) -> dict[str, Any]:
    """The options of the evidence that were typed, which a board of votes refuses by name."""
    source = click.get_current_context().get_parameter_source
    return {
        name: value
        for name, value in options.items()
        if source(name) is click.core.ParameterSource.COMMANDLINE
    }


_ASKED = (
    "measure", "aggregate", "sets", "best", "suite", "tasks_as", "votes", "baseline", "margin", "ledger", "unit",
)  # fmt: skip
