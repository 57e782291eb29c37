"""Options that mean the same wherever they apply."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from assay.cli.completion import measure_names

Command = TypeVar("Command", bound=Callable[..., Any])
FORMATS = ("table", "json", "markdown", "latex", "csv", "html")


class Margin(click.ParamType):  # type: ignore[type-arg]
    """A margin for all measures, or for one of them: ``0.005``, ``0.5%`` or ``f1=0.01``."""

    name = "margin"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, float]:
        measure, _, number = str(value).rpartition("=")
        try:
            share = number.strip().endswith("%")
            return measure.strip(), float(number.strip().rstrip("%")) / (100 if share else 1)
        except ValueError:
            self.fail(f"{value!r} is neither a number nor measure=number", param, ctx)


def margins(given: tuple[tuple[str, float], ...]) -> float | dict[str, float] | None:
    """One number for all measures, or a number for each that was named."""
    from assay.core.errors import UsageError

    lone = [number for name, number in given if not name]
    if lone and len(given) > 1:
        raise UsageError("--margin is one number, or one for each measure: --margin f1=0.01")
    return lone[0] if lone else dict(given) or None


def stack(*options: Callable[[Any], Any]) -> Callable[[Command], Command]:
    """Several options as one decorator."""

    def decorate(command: Command) -> Command:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


reading_options = stack(
    click.option("--truth", metavar="COL", help="Column with the truth."),
    click.option(
        "--judge",
        metavar="COL",
        help="Column with a judge's grades of all items; --truth then has people's, with gaps.",
    ),
    click.option(
        "--labelled-at",
        metavar="random|strata:COL|probability:COL",
        help="How items were chosen for people to label.",
    ),
    click.option(
        "--id",
        "item_id",
        metavar="COL",
        help="Column that names the items; files are joined by it.",
    ),
    click.option(
        "--by-position",
        is_flag=True,
        help="Pair the rows of several files by their order instead of an id; ignore ids.",
    ),
    click.option(
        "--repeat",
        metavar="COL",
        help="Column that numbers the repeats of an item; items become clusters.",
    ),
    click.option("--models", metavar="A,B", help="Models (columns) to use, in this order."),
    click.option("--ignore", metavar="A,B", help="Columns to leave out: they are no models."),
    click.option(
        "--correct", is_flag=True, help="Values by item: 1 is a right answer, 0 a wrong one."
    ),
    click.option("--losses", is_flag=True, help="Values by item are losses: lower is better."),
    click.option(
        "--models-in-rows",
        is_flag=True,
        help="A row per model and a column per data set (or fold, with --unit).",
    ),
    click.option(
        "--percent",
        metavar="A,B",
        help="Columns (or models) in per cent beside others that are not.",
    ),
    click.option(
        "--decimal",
        type=click.Choice(["comma", "point"]),
        help="What 1,234 means: a fraction (comma) or a thousand (point).",
    ),
    click.option(
        "--no-input",
        is_flag=True,
        expose_value=False,
        help="Never ask at the terminal; list what is open and stop.",
    ),
    click.option(
        "--sheet", metavar="NAME", help="The sheet of an Excel workbook; a model in each: rf,lr."
    ),
    click.option(
        "--names",
        metavar="A,B,…",
        help="Names of the columns of a CSV file whose first line does not name them.",
    ),
    click.option(
        "--lower-is-better/--higher-is-better",
        default=None,
        help="Direction of values whose measure assay does not know.",
    ),
    click.option(
        "--missing",
        type=click.Choice(["refuse", "complete", "wrong", "skillings-mack"]),
        default="refuse",
        show_default=True,
        help="Blanks: refuse, leave out their rows, count as wrong, or use a test that allows gaps.",
    ),
    click.option(
        "--folds", type=click.IntRange(min=2), help="Folds of one run of cross-validation."
    ),
    click.option("--repeats", type=click.IntRange(min=1), help="How often the folds were drawn."),
    click.option(
        "--test-share", type=float, metavar="X", help="Random splits: share of test items."
    ),
    click.option("--positive", metavar="CLASS", help="The positive one of two classes."),
    click.option(
        "--classes", metavar="A,B,…", help="Classes in the order in which 0, 1, 2 … number them."
    ),
    click.option(
        "--threshold",
        type=float,
        metavar="X",
        help="Make labels of scores: the positive class from X up.",
    ),
    click.option(
        "--cluster",
        metavar="COL",
        help="Column of clusters (patients, documents): their items are not independent.",
    ),
    click.option("--weight", metavar="COL", help="Column of importance weights."),
    click.option(
        "--count", metavar="COL", help="Column of frequencies: how many items a row stands for."
    ),
    click.option(
        "--where",
        multiple=True,
        metavar="COL=VALUE",
        help="Keep only these rows of a table; repeat for more conditions.",
    ),
    click.option(
        "--scores",
        type=click.Choice(["memory", "exact", "binned"]),
        help="Where scores of large files are ranked: in memory, or on disk exactly or in bins.",
    ),
    click.option(
        "--on-mismatch",
        type=click.Choice(["error", "intersect"]),
        default="error",
        show_default=True,
        help="What to do with items that not all files have.",
    ),
)

log_options = stack(
    click.option("--metric", metavar="NAME", help="Which score, if a log has several."),
    click.option(
        "--task",
        "tasks",
        multiple=True,
        metavar="NAME",
        help="Which task, if logs have several; a pattern such as mmlu_*, or repeat for more.",
    ),
    click.option(
        "--unscored",
        type=click.Choice(["error", "drop", "wrong"]),
        default="error",
        show_default=True,
        help="What to do with answers in a log that have no score.",
    ),
)

evidence_options = stack(
    click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path)),
    reading_options,
    log_options,
)


def _shown(ctx: click.Context, param: click.Parameter, value: Any) -> None:
    """Remember how the result is to be shown: `emit` asks, and commands need not pass it on."""
    ctx.meta[f"assay.{param.name}"] = value


showing_options = stack(
    click.option(
        "--details",
        is_flag=True,
        expose_value=False,
        callback=_shown,
        help="Print everything: all pairs, other methods, notes, assumptions.",
    ),
    click.option(
        "--quiet",
        is_flag=True,
        expose_value=False,
        callback=_shown,
        help="Print the answer only, without tables and lines around it.",
    ),
    click.option(
        "--figure",
        type=click.Path(path_type=Path, dir_okay=False),
        expose_value=False,
        callback=_shown,
        metavar="FILE",
        help="Draw the main figure: .png, .svg or .pdf.",
    ),
    click.option(
        "--figures",
        type=click.Path(path_type=Path, file_okay=False),
        expose_value=False,
        callback=_shown,
        metavar="DIR",
        help="Draw every figure into this folder.",
    ),
)


def baseline_option(text: str) -> Callable[[Command], Command]:
    """The model that is in place; ``text`` says what it is for."""
    return click.option("--baseline", metavar="NAME", help=text)


def measure_option(text: str) -> Callable[[Command], Command]:
    """One measure or several, as the argument ``measures``."""
    return click.option(
        "--measure",
        "measures",
        multiple=True,
        metavar="NAME",
        callback=lambda _context, _option, given: tuple(
            name for text in given for name in _one_by_one(text)
        ),
        help=text,
        shell_complete=measure_names,
    )


def _one_by_one(text: str) -> list[str]:
    """Measures that were typed with commas between them; a metric of a log may have one in its name."""
    if "," not in text:
        return [text]
    from assay.measures.registry import known_measure

    names = [part.strip() for part in text.split(",")]
    return names if all(map(known_measure, names)) else [text]


def margin_option(name: str, text: str, metavar: str = "X|NAME=X") -> Callable[[Command], Command]:
    """A number for all measures, or one for each that is named."""
    return click.option(name, type=Margin(), multiple=True, metavar=metavar, help=text)


pairing_options = stack(
    click.option("--unpaired", is_flag=True, help="The files hold different items."),
    click.option(
        "--unit", metavar="UNIT", help="What to generalise over: item, fold, seed or dataset."
    ),
)

max_loss_option = click.option(
    "--max-loss",
    type=float,
    metavar="X",
    help="The largest loss an item can have (mse, mae …); the interval then allows for unseen ones.",
)

result_options = stack(
    click.option("--level", type=float, default=0.95, show_default=True, help="Confidence level."),
    click.option(
        "--resamples",
        "n_resamples",
        type=click.IntRange(min=100, max=10_000_000),
        default=9999,
        show_default=True,
        help="Bootstrap replicates.",
    ),
    click.option("--seed", type=click.IntRange(min=0), help="Seed, 0 unless given."),
    click.option("--explain", is_flag=True, help="Show the formula with the numbers put in."),
    click.option(
        "--format",
        "form",
        type=click.Choice(FORMATS),
        help="How to print; a report file's suffix decides otherwise.",
    ),
    click.option(
        "--output",
        type=click.Path(path_type=Path, dir_okay=False),
        help="Write to this file: a report (.html, .md, .tex, .json, .csv, .txt) or a figure.",
    ),
    showing_options,
)


def reading(
    *,
    item_id: str | None,
    by_position: bool,
    models: str | None,
    models_in_rows: bool = False,
    where: tuple[str, ...] = (),
    tasks: tuple[str, ...] = (),
    **told: Any,
) -> dict[str, Any]:
    """The evidence options as `assay.read` takes them."""
    if by_position and item_id is not None:
        from assay.core.errors import UsageError

        raise UsageError("--by-position ignores ids, so --id does not go with it")
    return {
        **told,
        "id": False if by_position else item_id,
        "models": [name.strip() for name in models.split(",")] if models else None,
        "models_in_rows": models_in_rows or None,
        "where": list(where) or None,
        "task": list(tasks) or None,
    }
