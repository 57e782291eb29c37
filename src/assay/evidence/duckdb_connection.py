"""Connections to DuckDB that can read the user's files and nothing else."""

import itertools
import os
import shutil
import tempfile
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from assay.evidence.folders import files_of
from assay.evidence.rows_sql import literal

_MEMORY = "2500MB"  # more spills to disk
_SPILL = "assay-spill-"
_spills = itertools.count()
_started: dict[int, Any] = {}
"""By process: a database that was started before anyone said which files it may read."""


def connect(paths: Sequence[Path]) -> Any:
    """A connection in memory that can read these files and spill to its own directory.

    Nothing else: no other file, no network, no extension, no change of these settings. What may be
    read is fixed when a database starts, which takes longer than counting a million rows, so the
    databases last used are kept and each call gets a connection of its own to one of them.
    """
    files = frozenset(file for path in paths for file in parts_of(path))
    database, watched = _database(os.getpid(), files)
    return watched.pop() if watched else database.cursor()


@lru_cache(maxsize=4)
def _database(process: int, files: frozenset[Path]) -> tuple[Any, list[Any]]:
    """A locked database, and one connection to it that tells how far its query has come.

    Telling is a setting of a connection, which cannot be made once the database is locked; the
    command line needs no second one. ``process`` is in the key because threads do not survive a fork.
    """
    connection = _started.pop(process, None) or _start(process)
    names = dict.fromkeys(name for file in sorted(files) for name in (str(file), pattern(file)))
    allowed = ", ".join(map(literal, names))
    watched = connection.cursor()
    # printed, the bar would stand on standard output, in the middle of somebody's JSON
    watched.execute(
        "set enable_progress_bar=true; set enable_progress_bar_print=false; set progress_bar_time=0"
    )
    connection.execute(
        f"set enable_progress_bar=false; set allowed_paths=[{allowed}]; set enable_external_access=false; set "
        "lock_configuration=true"
    )
    return connection, [watched]


def start_ahead() -> None:
    """Start the database of this process before it is known which files it may read."""
    process = os.getpid()
    _started[process] = _start(process)


def _start(process: int) -> Any:
    """A database that is not locked yet."""
    import duckdb

    sweep_spills()
    spills = Path(tempfile.gettempdir()) / f"{_SPILL}{process}-{next(_spills)}"
    return duckdb.connect(
        config={
            "autoinstall_known_extensions": False,
            "autoload_known_extensions": False,
            "allow_community_extensions": False,
            "memory_limit": _MEMORY,
            "temp_directory": str(spills),
        }
    )


def sweep_spills() -> None:
    """Remove what processes that were killed have spilled; the others clean up themselves."""
    if os.name != "posix":  # elsewhere asking whether a process runs may end it
        return
    for folder in Path(tempfile.gettempdir()).glob(f"{_SPILL}*-*"):
        process = folder.name.removeprefix(_SPILL).split("-")[0]
        if process.isdecimal() and not _runs(int(process)):
            shutil.rmtree(folder, ignore_errors=True)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):  # another user's, or no number of a process
        return True
    return True


def parts_of(path: Path) -> list[Path]:
    """The file itself, or the Parquet parts of a folder; marks such as ``_SUCCESS`` are no parts."""
    if not path.is_dir():
        return [path]
    found = (file for file in files_of(path) if file.suffix == ".parquet" and file.is_file())
    return sorted(file for file in found if not file.name.startswith(("_", ".")))


def pattern(path: Path) -> str:
    """A path whose wildcards stand for themselves in DuckDB, which takes every path as a pattern."""
    text = str(path)
    if "\\" in text:  # a backslash would quote our brackets; other files stay out of reach anyway
        return text
    return "".join(f"[{mark}]" if mark in "[*?" else mark for mark in text)
