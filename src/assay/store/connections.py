"""Connections: a path is SQLite in WAL mode, a URL is PostgreSQL."""

import os
import sqlite3
from functools import partial
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError

from assay.core.errors import EvidenceError, MissingDependency, UsageError
from assay.core.file_names import path_of
from assay.store import locks


def engine_for(location: str | Path, *, create: bool) -> tuple[Engine, str]:
    """The engine of a location, and its name without a password."""
    if not isinstance(location, str | Path):
        raise UsageError(f"a store is a path or an address, got {type(location).__name__}")
    name = str(location)
    if "\0" in name or name != name.encode("utf-8", "ignore").decode():
        raise UsageError(f"{name!r} cannot be the name of a store")
    if isinstance(location, str) and "://" in location:
        if location.startswith("sqlite:///"):
            return _sqlite(Path(location.removeprefix("sqlite:///")), create=create)
        return _postgres(location)
    return _sqlite(Path(location), create=create)


def _sqlite(path: Path, *, create: bool) -> tuple[Engine, str]:
    if not path_of(path, "a store").exists():
        if path.is_symlink():
            raise UsageError(f"{path} is a link that leads to no file: name the store itself")
        if not create:
            raise EvidenceError(f"there is no store {path}: `assay run study.toml` makes one")
        if not path.parent.is_dir():
            raise UsageError(f"there is no folder {path.parent} for the store {path.name}")
    elif path.is_dir():
        raise UsageError(f"{path} is a folder; a store is a file, such as study.db")
    elif not path.is_file():
        raise UsageError(f"{path} is not a file; a store is one, such as study.db")
    engine = create_engine(
        f"sqlite:///{path.absolute()}", creator=partial(_connected, path.absolute())
    )
    event.listen(engine, "connect", _on_connect)
    event.listen(engine, "begin", _on_begin)
    return engine, str(path)


def _connected(path: Path) -> sqlite3.Connection:
    """A connection; to a store that is whole and may only be read, one that leaves no log beside it."""
    if is_kept(path):
        return sqlite3.connect(f"{path.as_uri()}?immutable=1", uri=True, check_same_thread=False)
    return sqlite3.connect(path, timeout=locks.LOCK_SECONDS, check_same_thread=False)


def is_kept(path: Path) -> bool:
    """Whether a store may be read and not written, as one in somebody else's folder, and no log waits."""
    if not path.exists() or (os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)):
        return False
    log = path.with_name(f"{path.name}-wal")
    return not log.exists() or not log.stat().st_size


def adopt(engine: Engine) -> None:
    """A database that was found to be ours: from now on it has a log of its own."""
    if engine.dialect.name == "sqlite" and not is_kept(Path(str(engine.url.database))):
        engine.dispose()
        event.listen(engine, "connect", _keep_log)


def _on_connect(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where we say, below
    for pragma in ("foreign_keys=ON", "trusted_schema=OFF", "cell_size_check=ON"):
        connection.execute(f"PRAGMA {pragma}").close()


def _keep_log(connection: Any, _record: Any) -> None:
    for pragma in ("journal_mode=WAL", "synchronous=NORMAL"):
        connection.execute(f"PRAGMA {pragma}").close()


def _on_begin(connection: Connection) -> None:
    """Writers take the lock at once, so that none has to give up half-way."""
    options = connection.get_execution_options()
    if options.get("assay_writes", False):
        locks.begin_writing(connection, options.get("assay_tell"))
    else:
        connection.exec_driver_sql("BEGIN")


def _on_server_begin(connection: Connection) -> None:
    """A lock of another session is not waited for without end."""
    patient = connection.get_execution_options().get("assay_tell") is not None
    seconds = locks.BUSY_SECONDS if patient else locks.LOCK_SECONDS
    connection.exec_driver_sql(f"SET LOCAL lock_timeout = '{1000 * seconds:.0f}ms'")


def _postgres(location: str) -> tuple[Engine, str]:
    try:
        url = make_url(location)
    except ArgumentError:
        raise UsageError(
            f"cannot read {location!r} as the place of a store: give a path, or a URL such as "
            "postgresql://user@host/database"
        ) from None
    if url.get_backend_name() not in ("postgresql", "postgres"):
        raise UsageError(
            f"a store is a path (SQLite) or a postgresql:// URL, not {url.get_backend_name()}://"
        )
    try:
        engine = create_engine(url.set(drivername="postgresql+psycopg"), pool_pre_ping=True)
    except ImportError:
        raise MissingDependency(
            "PostgreSQL needs the package psycopg: pip install 'assay[postgres]'"
        ) from None
    event.listen(engine, "begin", _on_server_begin)
    return engine, url.render_as_string(hide_password=True)
