"""The files of a folder, under a bound: whoever gives `/` is told so at once."""

import os
from collections.abc import Iterator
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
