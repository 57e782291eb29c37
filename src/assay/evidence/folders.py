"""The files of a folder, under a bound: whoever gives `/` is told so at once; and what tells files apart."""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from assay.core.errors import EvidenceError

MAX_FILES = 100_000
"""Files of a folder that are looked at."""


def files_of(path: Path) -> Iterator[Path]:
    """Every file below a folder, by name; links to folders are not followed, and what vanishes is no file."""
    seen = 0
    for root, folders, files in os.walk(path, followlinks=False):
        folders.sort()
        seen += len(files)
        if seen > MAX_FILES:
            raise EvidenceError(
                f"{path} is a directory of more than {MAX_FILES:,} files; give the files themselves"
            )
        yield from (Path(root) / name for name in sorted(files))


def files_apart(stem: str, paths: Sequence[Path]) -> list[str]:
    """Names of files of one stem: with as many folders before it as it takes, or with its ending as well."""
    named = ([(*path.parts[:-1], stem) for path in paths], [path.parts for path in paths])
    return next(filter(None, map(last_parts, named)), [path.name for path in paths])


def last_parts(paths: Sequence[Sequence[str]]) -> list[str] | None:
    """The last parts of paths, as many as it takes to tell them apart; None where nothing does."""
    for depth in range(1, max(map(len, paths)) + 1):
        short = ["/".join(parts[-depth:]) for parts in paths]
        if len(set(short)) == len(short):
            return short
    return None
