"""`assay run study.toml`: run what is missing in the store, and show the scores."""

import shlex
import signal
import sys
from pathlib import Path
from typing import Any

import click

from assay.cli.main import EXIT_INTERRUPTED


@click.command("run")
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--store",
    default="study.db",
    show_default=True,
    metavar="PATH|URL",
    help="Where records go: a file, or postgresql://…",
)
@click.option(
    "--workers", type=click.IntRange(min=1), help="Processes; unless given, one per processor."
)
@click.option(
    "--engine",
    metavar="URL",
    help="Where tasks run: dask://host:port; unless given, processes here.",
)
@click.option("--force", is_flag=True, help="Run again what is finished.")
@click.option(
    "--only",
    multiple=True,
    metavar="PATTERN",
    help="Only tasks whose dataset/learner, data set or learner matches.",
)
@click.option("--time-limit", type=click.FloatRange(min=0, min_open=True), help="Seconds per task.")
@click.option(
    "--memory-limit", type=click.FloatRange(min=0, min_open=True), help="Megabytes per task."
)
@click.option(
    "--repair",
    metavar="NEW",
    help="The store is damaged: bring every readable record into a new one, and run the rest there.",
)
@click.option(
    "--allow", multiple=True, metavar="PACKAGE", help="A package whose estimators may be used."
)
def command(
    file: Path,
    store: str,
    workers: int | None,
    engine: str | None,
    force: bool,
    only: tuple[str, ...],
    time_limit: float | None,
    memory_limit: float | None,
    repair: str | None,
    allow: tuple[str, ...],
) -> None:
    """Run a study: learners × data sets × splits.

    Every record is kept the moment its task ends. Stop it when you like: the same command
    goes on where it stopped, and runs nothing twice.

    \b
    assay run study.toml
    assay run study.toml --store results.db --workers 2 --only 'iris/*'
    assay run study.toml --store damaged.db --repair rescued.db
    """
    from assay.cli.store_files import rescue
    from assay.study.spec import Study

    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        study = Study.from_toml(file, allow=allow)
        if repair is not None:
            rescue(store, repair, plan=study.plan())
            store = repair
        result = study.run(
            store,
            workers=workers,
            engine=engine,
            force=force,
            only=only or None,
            time_limit=time_limit,
            memory_limit=memory_limit,
        )
    except KeyboardInterrupt:
        click.echo(
            f"assay: stopped; everything finished is in {store}, and the same command goes on",
            err=True,
        )
        sys.exit(EXIT_INTERRUPTED)
    finally:
        signal.signal(signal.SIGTERM, before)
    _show(result)
    if not result.missing and "://" not in store:  # an address may hold a password
        click.echo(f"Next: assay report {shlex.quote(str(store))}", err=True)


def _interrupt(_number: int, _frame: Any) -> None:
    raise KeyboardInterrupt


def _show(result: Any) -> None:
    """Mean scores on stdout; notes, failures and what is missing on stderr."""
    from assay.cli.output import say
    from assay.core.formatting import clean_name, shown

    for measure in result.study.measures:
        table = result.scores(measure.name).by_dataset()
        rows = [[f"mean {measure.name}", *map(clean_name, table.models)]]
        for name, values in zip(table.names or (), table.values, strict=True):
            shown_values = [shown(None if value != value else value, 0.01) for value in values]
            rows.append([clean_name(name), *shown_values])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for name, *cells in rows:
            padded = [cell.rjust(width) for cell, width in zip(cells, widths[1:], strict=True)]
            click.echo("  ".join([name.ljust(widths[0]), *padded]))
        click.echo()
    for one in result.notes:
        say(f"note: {one.message}")
    failures = result.failures
    for failure in failures[:5]:
        say(
            f"{failure.status}: {clean_name(failure.learner)} on {clean_name(failure.dataset)}, "
            f"repeat {failure.repeat + 1} fold {failure.fold + 1}: {clean_name(failure.reason)}"
        )
    if len(failures) > 5:
        click.echo(f"… {len(failures)} tasks without scores in all", err=True)
    if result.missing:
        click.echo(f"{len(result.missing)} tasks of the study have not run yet", err=True)
