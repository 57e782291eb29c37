"""Making a store, and bringing an older one to the schema of today."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, insert, inspect, select, text, update

from assay.core.errors import EvidenceError
from assay.store import schema

Steps = Mapping[int, Sequence[str]]

LOCK = 0x61737361
"""Of two processes that open a new store, one makes it while the other waits."""

STEPS: Steps = {}
"""From a version to the next: the SQL statements that take it there, run in one transaction."""


def prepare(connection: Connection, *, steps: Steps = STEPS, version: int = schema.VERSION) -> None:
    """Make the tables of an empty database, or migrate them; refuse what is not ours."""
    if connection.dialect.name == "postgresql":  # SQLite writers wait for each other anyway
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    names = set(inspect(connection).get_table_names())
    if not names:
        create(connection)
        return
    if not {"meta", "task", "entry"} <= names:
        raise EvidenceError(
            f"this database is not a store of assay (it has {', '.join(sorted(names)[:5])}); "
            "name another file"
        )
    found = version_of(connection)
    if found > version:
        raise EvidenceError(
            f"the store has schema {found}, and this assay reads up to {version}: update assay"
        )
    for step in range(found, version):
        for statement in steps[step]:
            connection.execute(text(statement))
    if found < version:
        connection.execute(
            update(schema.meta).where(schema.meta.c.name == "schema").values(value=str(version))
        )


def create(connection: Connection) -> None:
    schema.tables.create_all(connection)
    connection.execute(text(schema.SCORES_VIEW))
    connection.execute(insert(schema.meta).values(name="schema", value=str(schema.VERSION)))


def version_of(connection: Connection) -> int:
    found = connection.execute(
        select(schema.meta.c.value).where(schema.meta.c.name == "schema")
    ).scalar()
    if found is None:
        raise EvidenceError("this store has no schema version: its making was interrupted")
    return int(found)
