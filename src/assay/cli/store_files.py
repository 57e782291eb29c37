"""Stores of studies among the files of the command line."""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from assay.core.sqlite_files import is_sqlite

if TYPE_CHECKING:
    from assay.store.record_types import StudyPlan


def opened(files: Sequence[Path]) -> list[Any]:
    """The files as they are, and the stores among them opened, as `assay.read` takes them."""
    found: list[Any] = list(files)
    for place, path in enumerate(files):
        with suppress(OSError):
            if not is_sqlite(path):
                continue
            from assay.evidence.readers.experiments import of_database

            if of_database(Path(path)) is not None:
                continue
            from assay.store.store import Store

            found[place] = Store.open(path, create=False)
    return found


def rescue(damaged: str, new: str, *, plan: "StudyPlan | None" = None) -> None:
    """Bring what is readable of a store into a new one, and say on stderr what was saved."""
    from assay.core.formatting import clean
    from assay.store.salvage import salvage

    found = salvage(damaged, new, plan=plan)
    told = list(found.sentences())
    if plan is None:
        told.append(f"`assay run STUDY.toml --store {found.target}` runs what is missing")
    for sentence in told:
        click.echo(f"assay: {clean(sentence)}", err=True)
