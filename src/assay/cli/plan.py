"""`assay plan`: how much evidence is needed, and what a finished study could have found."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.completion import measure_names
from assay.cli.options import log_options, reading, reading_options, result_options


class OneOrTwo(click.ParamType):  # type: ignore[type-arg]
    """One number for both models, or one of each: ``0.1`` or ``0.1,0.2``."""

    name = "number"

    def convert(self, value: Any, param: Any, ctx: Any) -> float | tuple[float, float]:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        try:
            numbers = [float(part) for part in value.split(",")]
        except ValueError:
            self.fail(f"{value!r} is neither a number nor two with a comma", param, ctx)
        if len(numbers) > 2:
            self.fail(f"{value!r} has {len(numbers)} numbers; one or two are needed", param, ctx)
        return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


_BOTH = OneOrTwo()


@click.command("plan")
@click.argument("files", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--measure",
    metavar="NAME",
    help="The measure; accuracy by default.",
    shell_complete=measure_names,
)
@click.option("--n", type=int, help="How many units (of each model) there are or will be.")
@click.option(
    "--power",
    type=float,
    help="The chance to find the difference; 0.8 where --difference stands alone.",
)
@click.option("--difference", type=float, help="The smallest difference worth finding.")
@click.option("--half-width", type=float, help="Plan an interval of ± this instead.")
@click.option(
    "--unit", metavar="UNIT", help="What is planned: item (default), fold, seed or dataset."
)
@click.option("--baseline", type=float, help="The rate or area expected of one model.")
@click.option("--against", type=float, help="One model against this level.")
@click.option(
    "--discordant", type=float, help="The share of items that exactly one model gets right."
)
@click.option("--prevalence", type=float, help="The share of positive items, for areas.")
@click.option(
    "--correlation",
    type=float,
    help="Of two models' scores within a class, for areas; of two folds, for algorithms.",
)
@click.option(
    "--sd",
    type=_BOTH,
    metavar="X[,Y]",
    help="Spread of the differences; of each model's values where they share no units.",
)
@click.option("--cluster-size", type=float, help="Items per cluster.")
@click.option("--icc", type=float, help="Correlation of the items of a cluster, 0 to 1.")
@click.option(
    "--repeats-per-item", type=_BOTH, metavar="K[,K]", help="Answers of each model to each item."
)
@click.option(
    "--sd-within", type=_BOTH, metavar="X[,Y]", help="Spread of the answers to the same item."
)
@click.option(
    "--among", type=int, default=2, show_default=True, help="How many models are compared."
)
@click.option(
    "--paired/--unpaired",
    default=None,
    help="Whether both models meet the same units; as compare has it if left out.",
)
@click.option(
    "--algorithms",
    is_flag=True,
    help="Two algorithms trained on one data set: power of 10 to 500 fits, from --sd or scores by fold.",
)
@click.option("--method", metavar="NAME", help="The test, if not the one compare would use.")
@click.option("--variant", metavar="NAME", help="A variant of its power: see docs/methods/power.")
@click.option(
    "--alternative",
    type=click.Choice(["two-sided", "greater", "less"]),
    default="two-sided",
    show_default=True,
    help="The side of the test.",
)
@click.option(
    "--pilot", multiple=True, type=click.Path(path_type=Path), help="A pilot file, as FILES."
)
@click.option(
    "--next",
    "wanted",
    type=click.IntRange(min=1),
    metavar="N",
    help="With --judge: write the N items that people should label next, with their probabilities.",
)
@reading_options
@log_options
@result_options
def command(
    files: tuple[Path, ...],
    pilot: tuple[Path, ...],
    wanted: int | None,
    seed: int | None,
    explain: bool,
    form: str | None,
    output: Path | None,
    **given: Any,
) -> None:
    """Plan a study: give two of --n, --power and --difference, and the third is found.

    FILES are a pilot (or the finished study): predictions or scores, from which the spread is
    taken, never the difference seen. With --power alone they say what they could have detected.

    \b
    assay plan --measure accuracy --baseline 0.80 --difference 0.02 --power 0.8
    assay plan --discordant 0.1 --difference 0.02 --n 500
    assay plan predictions.csv --truth y --measure f1 --power 0.8
    assay plan --unit seed --sd 0.01 --difference 0.01 --power 0.8
    assay plan scores-by-fold.csv --algorithms --difference 0.02
    assay plan results.csv --truth human --judge gpt --models a,b --difference 0.02 --power 0.8
    assay plan results.csv --truth human --judge gpt --models a,b --next 50 --output next.csv
    """
    from assay.cli.output import emit, emit_explanation, say
    from assay.plan.plan import plan

    names = (
        *("truth", "item_id", "by_position", "repeat", "models", "positive", "threshold"),
        *("cluster", "weight", "count", "on_mismatch", "where", "scores", "ignore", "correct"),
        *("losses", "models_in_rows", "percent", "decimal", "sheet", "names", "lower_is_better"),
        *("missing", "repeats", "judge", "labelled_at", "metric", "tasks", "unscored", "classes"),
    )
    how = reading(**{name: given.pop(name) for name in names})
    how |= {name: given[name] for name in ("measure", "folds", "test_share")}  # of the plan too
    sources = (*files, *pilot)
    if sources:
        from assay.cli.store_files import opened
        from assay.evidence.reading import read_any

        evidence = read_any(
            *opened(sources), unit=given["unit"], paired=given["paired"] is not False, **how
        )
        say(f"{evidence.summary().description}\n")
        given["pilot"] = evidence
    if wanted is not None:
        _write_next(given.get("pilot"), wanted, given["measure"], seed, output)
        return
    result = plan(given.pop("measure"), rng=seed, **given)
    if explain:
        from assay.report.plan_view import explain_plan

        emit_explanation(partial(explain_plan, result), form, output)
    emit(result, form=form, output=output)


def _write_next(
    evidence: Any, wanted: int, measure: str | None, seed: int | None, output: Path | None
) -> None:
    """Items to label and items that have a label, each with its probability of having been chosen."""
    import csv
    import io

    from assay.cli.output import say, write
    from assay.core.errors import UsageError
    from assay.evidence.judged_items import Judged
    from assay.plan.next_items import next_items

    if not isinstance(evidence, Judged):
        raise UsageError(
            "--next draws items for people to label beside a judge: name its column with --judge COL"
        )
    found = next_items(evidence, wanted, measure=measure, rng=seed)
    text = io.StringIO()
    table = csv.writer(text, lineterminator="\n")
    table.writerow(["id", "probability", "label"])
    chosen = [(int(place), "next") for place in found.items]
    chosen += [(int(place), "have") for place in evidence.graded()]
    for place, state in chosen:
        name = evidence.ids[place] if evidence.ids else str(place + 1)
        table.writerow([name, f"{found.chances[place]:.9g}", state])
    write(text.getvalue(), output)
    say(
        f"{len(found.items):,} items to label next. When they are labelled, add these probabilities as a column "
        "and say --labelled-at probability:probability."
    )
