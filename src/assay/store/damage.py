"""A store that is not as assay wrote it: one error, that says what is wrong and how to rescue the rest."""

import shlex
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError, StatementError

from assay.core.errors import EvidenceError, UsageError
from assay.store.locks import held

NOT_DAMAGE = frozenset(
    {
        sqlite3.SQLITE_PERM, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_NOMEM,
        sqlite3.SQLITE_READONLY, sqlite3.SQLITE_INTERRUPT, sqlite3.SQLITE_IOERR,
        sqlite3.SQLITE_FULL, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PROTOCOL,
    }
)  # fmt: skip
"""Errors of SQLite that speak of the disk, of rights or of other processes."""
WITHOUT_RIGHTS: dict[int | None, str] = {
    sqlite3.SQLITE_READONLY: "it may be read and not written; copy it to a folder of yours",
    sqlite3.SQLITE_CANTOPEN: (
        "it cannot be opened; name another, or copy it, with its -wal file, to a folder of yours"
    ),
}
REMEDY = ". Wait for its end or stop it, then try again"
DAMAGE_CLASSES = ("22", "23", "42", "XX")
"""Beginnings of PostgreSQL's codes that speak of the content: values, constraints, names, pages."""


class Strange(EvidenceError):
    """A value of a store that assay did not write, or one that is missing; no user sees this."""


class DamagedStore(EvidenceError):
    """A store whose content is not what assay wrote; what is readable can be rescued."""


class UnreachableStore(EvidenceError):
    """A store that the disk, the server or another process keeps from us."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@contextmanager
def told(engine: Engine, location: str) -> Iterator[None]:
    """Work on a store in which every error of the database, and every strange value, gets our words."""
    driver = engine.dialect.loaded_dbapi.Error
    try:
        yield
    except Strange as error:
        raise damaged(engine, location, str(error)) from None
    except UnicodeEncodeError as error:  # what was asked for or brought, not what a store holds
        raise UsageError(f"{error.object[:80]!r} is not text, and no store holds it") from None
    except (SQLAlchemyError, driver, UnicodeDecodeError, OverflowError) as error:
        cause = error.orig if isinstance(error, StatementError) else error
        words = WITHOUT_RIGHTS.get(_sqlite_code(cause)) or next(iter(str(cause).splitlines()), "")
        if "binding parameter" in words or "too large to convert to SQLite" in words:
            raise UsageError(f"no store holds such a value: {words}") from None
        if _is_damage(cause):
            raise damaged(engine, location, words) from error
        reason = words + _holder(engine, words)
        remedy = REMEDY if reason != words else ""
        raise UnreachableStore(
            f"cannot use {location} as a store: {reason}{remedy}", reason
        ) from error


def _holder(engine: Engine, words: str) -> str:
    """Who keeps a store from us, where it is a lock."""
    if "locked" in words:
        return f"; {held(engine)}"
    return "; another session of the server holds a lock" if "lock timeout" in words else ""


def _sqlite_code(error: BaseException | None) -> int | None:
    """The plain code of an error of SQLite, without its finer distinctions."""
    code = getattr(error, "sqlite_errorcode", None)
    return None if code is None else code & 0xFF


def _is_damage(error: BaseException | None) -> bool:
    if isinstance(error, sqlite3.Error):
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_IOERR_SHORT_READ:
            return True
        return _sqlite_code(error) not in NOT_DAMAGE
    state = getattr(error, "sqlstate", "XX")
    return state is not None and state.startswith(DAMAGE_CLASSES)


def damaged(engine: Engine, location: str, what: str) -> DamagedStore:
    """The error of a damaged store: what is wrong, what is readable, what to type."""
    from assay.store.salvage import survey

    place = shlex.quote(location)
    return DamagedStore(
        f"{location} is damaged: {what.rstrip('.')}. {survey(engine)} Rescue what is readable: "
        f"`assay report {place} --salvage {_beside(location)}` brings it into a new store, "
        f"`assay run STUDY.toml --store {place} --repair {_beside(location)}` also runs what is "
        "missing. Neither changes the damaged store."
    )


def _beside(location: str) -> str:
    if "://" in location:
        return "new.db"
    path = Path(location)
    return shlex.quote(str(path.with_name(f"{path.stem}-rescued.db")))
