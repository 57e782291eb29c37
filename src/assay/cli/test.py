"""`assay test METHOD`: any method of the catalogue, from numbers or from a file."""

from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from assay.cli.method_options import (
    evidence_from,
    evidence_options_of,
    example_of,
    keyword_options_of,
)
from assay.cli.options import FORMATS, showing_options
from assay.core.methods import Method, catalogue, find_method


class Methods(click.Group):
    """A command per method, its options made from the method's own signature."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(catalogue())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command:  # noqa: ARG002
        return _command_of(find_method(cmd_name))

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        with formatter.section("Methods"):
            formatter.write_dl([(name, one.question) for name, one in sorted(catalogue().items())])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        return args[0], self.get_command(ctx, args[0]), args[1:]


@click.group("test", cls=Methods)
def command() -> None:
    """Run one method of the catalogue on numbers or on a file.

    \b
    assay test binomial --errors 20 --n 100 --null 0.25
    assay test mcnemar --table 50 10 4 36
    assay test paired_t --a 90,93,80,85,77 --b 82,76,85,75,82
    assay test friedman scores.csv
    assay test wilson --help
    """


def _command_of(method: Method) -> click.Command:
    def run(
        files: tuple[Path, ...],
        form: str | None,
        output: Path | None,
        explain: bool,
        **given: Any,
    ) -> None:
        from assay.cli.output import emit, emit_adjusted, emit_explanation
        from assay.report.explain import explain as explained

        evidence, options, notes = evidence_from(method, files, given)
        result = method.function(*evidence, **options)
        if notes and not isinstance(result, tuple):
            unsaid = [one for one in notes if one not in result.notes]
            result = replace(result, notes=(*result.notes, *unsaid))
        if explain:
            emit_explanation(partial(explained, method, evidence, options, result), form, output)
        if isinstance(result, tuple):
            emit_adjusted(evidence[0], result, form)
        else:
            emit(result, form=form, output=output)

    made = click.Command(
        name=method.id,
        callback=run,
        help=f"{method.summary}\n\n{method.question}\n\n\b\n{example_of(method)}",
        params=_parameters_of(method),
    )
    return showing_options(made)


def _parameters_of(method: Method) -> list[click.Parameter]:
    file = click.Path(path_type=Path, dir_okay=False)
    formula = "Show the formula with the numbers put in."
    return [
        click.Argument(["files"], nargs=-1, type=click.Path(path_type=Path)),
        *evidence_options_of(method),
        *keyword_options_of(method),
        click.Option(["--explain"], is_flag=True, help=formula),
        click.Option(["--format", "form"], type=click.Choice(FORMATS), help="How to print."),
        click.Option(["--output"], type=file, help="Write to this file."),
    ]
