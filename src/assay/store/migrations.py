"""Making a store, and bringing an older one to the schema of today."""

import re
from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, insert, select, text, update

from assay.core.errors import EvidenceError
from assay.store import schema
from assay.store.checked_values import rows
from assay.store.damage import Strange

Steps = Mapping[int, Sequence[str]]

LOCK = 0x61737361
"""Of two processes that open a new store, one makes it while the other waits."""

STEPS: Steps = {}
"""From a version to the next: the SQL statements that take it there, run in one transaction."""


COLUMNS = {
    "sqlite": (
        "SELECT t.name, c.name FROM sqlite_master t, pragma_table_info(t.name) c "
        "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite\\_%' ESCAPE '\\'"
    ),
    "postgresql": (
        "SELECT c.table_name, c.column_name FROM information_schema.columns c "
        "JOIN information_schema.tables t USING (table_schema, table_name) "
        "WHERE table_schema = current_schema() AND t.table_type = 'BASE TABLE'"
    ),
}
"""Tables with their columns, views aside."""
TRIGGERS = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger'",
    "postgresql": (
        "SELECT trigger_name FROM information_schema.triggers "
        "WHERE event_object_schema = current_schema()"
    ),
}
FEWEST = 5
"""Of our tables: a database with fewer was never a store."""


def state(
    connection: Connection, *, steps: Steps = STEPS, version: int = schema.VERSION
) -> int | None:
    """The version of a store's schema, None of an empty database; refuse what is not ours."""
    kind = connection.dialect.name
    columns: dict[str, set[str]] = {}
    for table, column in connection.execute(text(COLUMNS[kind])):
        columns.setdefault(str(table), set()).add(str(column))
    if not columns:
        return None
    ours = schema.tables.tables
    if len(ours.keys() & columns) < FEWEST:
        raise EvidenceError(
            f"this database is not a store of assay (it has {', '.join(sorted(columns)[:5])}); "
            "name another file"
        )
    if "meta" not in columns:
        raise Strange("the table meta is missing")
    found = version_of(connection)
    if found > version:
        raise EvidenceError(
            f"the store has schema {found}, and this assay reads up to {version}: update assay"
        )
    if any(step not in steps for step in range(found, version)):
        raise Strange(f"no assay has written stores of schema {found}")
    if found == schema.VERSION:
        _check(columns)
    strange = connection.execute(text(TRIGGERS[kind])).scalar()
    if strange is not None:
        raise Strange(f"it has a trigger {strange!r}, and assay makes none")
    return found


def _check(columns: Mapping[str, set[str]]) -> None:
    for name, table in schema.tables.tables.items():
        if name not in columns:
            raise Strange(f"the table {name} is missing")
        absent = [column.name for column in table.c if column.name not in columns[name]]
        if absent:
            raise Strange(f"the table {name} has no column {absent[0]}")


def prepare(connection: Connection, *, steps: Steps = STEPS, version: int = schema.VERSION) -> None:
    """Make the tables of an empty database, or migrate them; refuse what is not ours."""
    if connection.dialect.name == "postgresql":  # SQLite writers wait for each other anyway
        connection.execute(text(f"SELECT pg_advisory_xact_lock({LOCK})"))
    found = state(connection, steps=steps, version=version)
    if found is None:
        create(connection)
        return
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
    found = rows(connection, select(schema.meta.c.value).where(schema.meta.c.name == "schema"))
    if not found:
        raise Strange("it has no schema version")
    if not re.fullmatch("[0-9]{1,6}", found[0][0]):
        raise Strange(f"its schema version is {found[0][0][:20]!r}, no number")
    return int(found[0][0])
