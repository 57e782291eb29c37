"""`assay simulate`: how methods behave where the truth is known."""

from pathlib import Path
from typing import Any

import click

from assay.cli.options import FORMATS, showing_options


class ValuesOption(click.ParamType):  # type: ignore[type-arg]
    """Numbers or words: one, several with commas, or from:to:step."""

    name = "values"

    def convert(self, value: Any, param: Any, ctx: Any) -> list[Any]:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        found: list[Any] = []
        for part in value.split(","):
            ends = part.split(":")
            if len(ends) == 3:
                found += self._range(ends, param, ctx)
            else:
                found.append(_number(part.strip()))
        return found

    def _range(self, ends: list[str], param: Any, ctx: Any) -> list[float]:
        low, high, step = (_number(end) for end in ends)
        if any(isinstance(end, str) for end in (low, high, step)) or not step > 0 or high < low:
            self.fail(f"{':'.join(ends)} is not from:to:step, such as 0.01:0.99:0.01", param, ctx)
        count = round((high - low) / step)
        if count > 10_000:
            self.fail(f"{':'.join(ends)} has {count:,} steps; at most 10,000", param, ctx)
        return [round(low + place * step, 12) for place in range(count + 1)]


class SettingOption(click.ParamType):  # type: ignore[type-arg]
    """A name with its value or values: ``discordant=0.1,0.2``."""

    name = "name=value"

    def convert(self, value: Any, param: Any, ctx: Any) -> tuple[str, list[Any]]:
        if not isinstance(value, str):
            return value  # type: ignore[no-any-return]
        name, equals, rest = value.partition("=")
        if not equals or not name.strip() or not rest.strip():
            self.fail(f"{value!r} is not like discordant=0.1", param, ctx)
        return name.strip().replace("-", "_"), ValuesOption().convert(rest, param, ctx)


VALUES = ValuesOption()


@click.command("simulate")
@click.argument("methods", nargs=-1, metavar="[METHOD]...")
@click.option("--world", metavar="NAME", help="Where evidence comes from; see --worlds.")
@click.option("--worlds", "list_worlds", is_flag=True, help="List the worlds and their parameters.")
@click.option("--n", type=VALUES, metavar="N[,N]", help="Units of evidence: 100,500 or 10:100:10.")
@click.option("--effect", type=VALUES, metavar="X[,X]", help="How false the null is; 0 by default.")
@click.option("--p", type=VALUES, metavar="P[,P]", help="Error rates to try, as --set p=…")
@click.option(
    "--set",
    "settings",
    multiple=True,
    type=SettingOption(),
    metavar="NAME=VALUE",
    help="A parameter of the world; several values are tried one by one.",
)
@click.option(
    "--option",
    "options",
    multiple=True,
    type=SettingOption(),
    metavar="NAME=VALUE",
    help="An option of the method, such as variant=exact.",
)
@click.option("--coverage", is_flag=True, help="Count how often intervals hold the truth.")
@click.option("--mse", is_flag=True, help="Measure bias, variance and mean squared error.")
@click.option(
    "--looks",
    type=click.IntRange(min=1, max=10_000),
    default=1,
    show_default=True,
    help="Test so often while each sample grows, and stop at the first rejection.",
)
@click.option("--lecture", metavar="NAME", help="A figure of the lecture: one-sample-t, binomial …")
@click.option("--level", type=VALUES, default="0.95", show_default=True, help="Confidence levels.")
@click.option(
    "--replicates",
    type=click.IntRange(min=1, max=10_000_000),
    help="Samples drawn: 10,000; 1,000 for slow methods; none where all outcomes can be listed.",
)
@click.option("--seed", type=click.IntRange(min=0), help="Seed; the one used is in the result.")
@click.option("--format", "form", type=click.Choice(FORMATS), help="How to print.")
@click.option(
    "--output",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write to this file: a picture (.png, .svg, .pdf), a page (.html) or a table.",
)
@showing_options
def command(
    methods: tuple[str, ...],
    list_worlds: bool,
    lecture: str | None,
    form: str | None,
    output: Path | None,
    **given: Any,
) -> None:
    """Count the errors of any method, the coverage of any interval, the bias of any estimator.

    \b
    assay simulate mcnemar --world paired-labels --n 100,500 --replicates 10000
    assay simulate mcnemar --n 500 --effect 0.02,0.05 --set discordant=0.1
    assay simulate --coverage wald wilson clopper_pearson --n 50 --p 0.01:0.99:0.01
    assay simulate --mse variance_n variance_n_1 --n 5,20
    assay simulate --lecture one-sample-t --output figure.png
    """
    if list_worlds:
        _list_worlds()
        return
    _check_output(output, form)
    if lecture is not None:
        result = _lecture(lecture, methods, given)
    else:
        result = _simulated(methods, given)
    from assay.cli.output import emit

    emit(result, form=form, output=output)


def _check_output(output: Path | None, form: str | None) -> None:
    """Say what is wrong with the file before the work is done, not after."""
    if output is None:
        return
    from assay.core.errors import UsageError
    from assay.report.result_files import FIGURES, SUFFIXES

    if form is None and output.suffix.lower() not in (*FIGURES, *SUFFIXES):
        known = ", ".join((*SUFFIXES, *FIGURES))
        raise UsageError(f"{output} has no known suffix: use one of {known}, or --format")
    if not output.absolute().parent.is_dir():
        raise UsageError(f"there is no folder {output.parent} to write {output.name} to")


def _simulated(methods: tuple[str, ...], given: dict[str, Any]) -> Any:
    from assay.core.errors import UsageError
    from assay.core.progress import task
    from assay.simulate.simulate import simulate

    if given["coverage"] and given["mse"]:
        raise UsageError("--coverage and --mse are two questions: ask one at a time")
    parameters = {name: _single(values) for name, values in given["settings"]}
    if given["p"] is not None:
        parameters["p"] = _single(given["p"])
    if "sizes" in parameters and isinstance(parameters["sizes"], list):
        parameters["sizes"] = tuple(parameters["sizes"])  # the items of A and of B
    if given["mse"] and given["looks"] > 1:
        raise UsageError("--looks is for errors of tests")
    question = "coverage" if given["coverage"] else "mse" if given["mse"] else None
    with task("simulating") as told:
        return simulate(
            methods,
            world=given["world"],
            n=given["n"],
            effect=None if given["effect"] is None else _single(given["effect"]),
            level=given["level"],
            question=question,
            replicates=given["replicates"],
            options={name: _single(values) for name, values in given["options"]},
            looks=given["looks"],
            rng=given["seed"],
            progress=told.reach,
            **parameters,
        )


def _lecture(name: str, methods: tuple[str, ...], given: dict[str, Any]) -> Any:
    from assay.core.errors import UsageError
    from assay.simulate.lecture_figures import lecture_figure

    others = ("world", "n", "effect", "p", "settings", "options", "coverage", "mse")
    if methods or given["looks"] > 1 or any(given[other] for other in others):
        raise UsageError(
            "a figure of the lecture has its own method, world and sizes: name it alone"
        )
    return lecture_figure(name, replicates=given["replicates"], rng=given["seed"])


def _list_worlds() -> None:
    from assay.simulate.worlds import KINDS, SHORTHANDS

    for name, kind in KINDS.items():
        made = kind()
        settings = ", ".join(f"{key}={value}" for key, value in made.parameters)
        click.echo(f"{name}: {kind.summary}\n    {settings}\n    gives {', '.join(kind.shapes)}")
    for name, (world, preset) in SHORTHANDS.items():
        settings = ", ".join(f"{key}={value}" for key, value in preset.items())
        click.echo(f"{name}: short for {world}{f' with {settings}' if settings else ''}")


def _single(values: list[Any]) -> Any:
    return values[0] if len(values) == 1 else values


def _number(text: str) -> Any:
    """A whole number, a number, a truth value or a word."""
    for kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            continue
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)
