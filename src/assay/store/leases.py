"""Tasks reserved for one of several runs on a store, until they are done or their run has ended."""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, delete, or_, select, text

from assay.store.checked_values import rows
from assay.store.owners import is_dead
from assay.store.record_types import chunks
from assay.store.schema import lease, task

LEASE_SECONDS = 60.0
"""How long a task stays reserved for a run that does not renew it."""
LONGEST = 3_600.0
"""Seconds that no run asks for: a reservation beyond is nonsense, and nobody waits for it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What became of a request for tasks: reserved for us, or found finished; the rest is taken."""

    keys: tuple[str, ...]
    done: frozenset[str]


def claim(
    connection: Connection, insert: Any, keys: Sequence[str], owner: str, seconds: float
) -> Claim:
    """Reserve tasks that are neither finished nor reserved by a living run.

    Whether a task is finished is asked after it is reserved, in a statement of its own: what
    another run committed in between is seen then, so no committed task runs twice.
    """
    mine: set[str] = set()
    done: set[str] = set()
    now = server_time(connection)
    for some in chunks(sorted(keys)):  # in one order, or two drivers could deadlock
        got = _reserve(connection, insert, some, owner, now + seconds)
        if len(got) < len(some) and _drop_stale(connection, now):
            got = _reserve(connection, insert, some, owner, now + seconds)
        finished = select(task.c.key).where(task.c.key.in_(some))
        over = {key for (key,) in rows(connection, finished)}
        if got & over:
            connection.execute(delete(lease).where(lease.c.key.in_(got & over)))
        mine |= got - over
        done |= over
    return Claim(keys=tuple(key for key in keys if key in mine), done=frozenset(done))


def _reserve(
    connection: Connection, insert: Any, keys: Sequence[str], owner: str, expires: float
) -> set[str]:
    wanted = [{"key": key, "owner": owner, "expires": expires} for key in keys]
    connection.execute(insert(lease).on_conflict_do_nothing(), wanted)
    held = select(lease.c.key).where(lease.c.key.in_(keys), lease.c.owner == owner)
    return {key for (key,) in rows(connection, held)}


def _drop_stale(connection: Connection, now: float) -> bool:
    """End leases that have expired, whose owner has, or that nobody can have asked for."""
    owners = rows(connection, select(lease.c.owner).distinct())
    dead = [owner for (owner,) in owners if is_dead(owner)]
    stale = or_(lease.c.expires < now, lease.c.expires > now + LONGEST, lease.c.owner.in_(dead))
    return connection.execute(delete(lease).where(stale)).rowcount > 0


def server_time(connection: Connection) -> float:
    """The clock that all drivers share: the server's, or this machine's."""
    if connection.dialect.name == "postgresql":
        epoch = text("SELECT extract(epoch FROM clock_timestamp())")
        return float(connection.execute(epoch).scalar_one())
    return time.time()
