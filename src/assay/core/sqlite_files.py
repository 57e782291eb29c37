"""SQLite databases among files."""

from pathlib import Path

MAGIC = b"SQLite format 3\x00"


def is_sqlite(path: Path) -> bool:
    """Whether it is a file, and an SQLite database; a pipe is not opened, which would wait for its writer."""
    return path.is_file() and first_bytes(path, len(MAGIC)) == MAGIC


def first_bytes(path: Path, size: int) -> bytes:
    """The first bytes of a file; a database in use is told by its log, unopened.

    Closing a file drops the locks that this process holds on it, however it got them. Another
    process that closes the database would then take away the log that our connection still
    writes to (SQLite, "How To Corrupt An SQLite Database File", section 2.2).
    """
    if path.with_name(f"{path.name}-wal").exists():
        return MAGIC
    with path.open("rb") as file:
        return file.read(size)
