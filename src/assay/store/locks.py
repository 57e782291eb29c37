"""Locks of other programs on a store: how long they are waited for, and who holds one."""

import os
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import OperationalError

from assay.core.formatting import clean

LOCK_SECONDS = 5.0
"""How long a lock is waited for in silence. A lock of ours lasts milliseconds."""
BUSY_SECONDS = 60.0
"""How long a store is waited for where others write one after another, or where a run would lose what it has done."""
Tell = Callable[[str], None]
_LONGEST = 60
_WRITER = 120
"""The byte of the shared memory of a log that its one writer locks (SQLite, "WAL-mode File Format", 2.3.1)."""


def begin_writing(connection: Connection, tell: Tell | None) -> None:
    """Begin a transaction that writes.

    Each attempt waits for a few seconds. It is made again while other programs commit, because they are at work
    and the turn will come. One that holds the lock and commits nothing is waited for only where it can be told.
    """
    ends = time.monotonic() + BUSY_SECONDS
    seen = _commits(connection)
    while True:
        try:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
        except OperationalError as error:
            now = _commits(connection)
            if not _is_busy(error) or time.monotonic() > ends or (now == seen and tell is None):
                raise
            if now == seen and tell is not None:
                tell(f"{held(connection.engine)}; waiting for its end")
                tell = _silent
            seen = now
        else:
            return


def _silent(_: str) -> None:
    """It was told already."""


def _commits(connection: Connection) -> int:
    """A number that changes with every commit of another program."""
    return int(connection.exec_driver_sql("PRAGMA data_version").scalar_one())


def _is_busy(error: OperationalError) -> bool:
    code = getattr(error.orig, "sqlite_errorcode", 0)
    return code & 0xFF == sqlite3.SQLITE_BUSY


def held(engine: Engine) -> str:
    """Who holds the lock, in words."""
    who = holder(Path(str(engine.url.database)))
    if who == os.getpid():
        return "this program itself holds its lock, by another connection"
    return f"{_named(who)} holds its lock"


def holder(path: Path) -> int | None:
    """The process that writes to a database or keeps others from it, where the system tells."""
    log = path.with_name(f"{path.name}-shm")
    wanted = {_file_number(path): range(2**63), _file_number(log): range(_WRITER, _WRITER + 1)}
    try:
        lines = Path("/proc/locks").read_text().splitlines()
    except OSError:
        return None
    for line in lines:
        words = line.split()
        if len(words) != 8 or words[3] != "WRITE":  # who waits has an arrow more
            continue
        first = int(words[6])
        if first in wanted.get(words[5], ()) and int(words[4]) > 0:
            return int(words[4])
    return None


def _file_number(path: Path) -> str:
    """A file as /proc/locks has it; asked for without opening it, which would drop locks of ours."""
    try:
        facts = path.stat()
    except OSError:
        return ""
    return f"{os.major(facts.st_dev):02x}:{os.minor(facts.st_dev):02x}:{facts.st_ino}"


def _named(process: int | None) -> str:
    if process is None:
        return "another program"
    try:
        words = Path(f"/proc/{process}/cmdline").read_bytes().decode("utf-8", "replace")
    except OSError:
        words = ""
    command = clean(words.replace("\0", " ").strip())
    if len(command) > _LONGEST:
        command = f"{command[: _LONGEST - 1]}…"
    return f"process {process} ({command})" if command else f"process {process}"
