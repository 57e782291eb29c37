"""Strange stores: a mutator that knows their tables, JSON, arrays and pages; `store_doors.py` tries them."""

import math
import random
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

PAGE = 4096
STRANGE: tuple[Any, ...] = (
    None, 0, 1, -1, 2, 2**31, 2**53 + 1, 2**63 - 1, -(2**63), 0.5, 1e308, -1e308, math.inf, -math.inf, 5e-324,
    "", "ok", "x", "NaN", "inf", "1e999", "{}", "[]", "null", "\x00", "a\nb", "labels", "test", "ok\x00",
    "9" * 400, "é\u202e", "ok " * 5_000, b"", b"\xff\xfe", b"ok", b"\x80" * 50, b"\x93\x01", b"\xdd\xff\xff\xff\xff",
)  # fmt: skip
STRANGE_JSON: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, 1e308, 2**70, "", "x", [], {}, [[]], {"a": None}, "NaN", [None], ["x", "x"], [1, "b"],
)  # fmt: skip
JSON_TEXTS = (
    "", "{", "nul", "[" * 100_000, '{"a":' * 5_000, '"\\ud800"', "\x00", "NaN", '{"measures":["accuracy"]}', "1e999",
)  # fmt: skip
JSON_COLUMNS = (
    ("study", "spec"), ("dataset", "classes"), ("learner", "description"),
    ("environment", "description"), ("task", "details"),
)  # fmt: skip
ARRAY_COLUMNS = (("prediction", "data"), ("dataset", "arrays"))
DTYPES = (
    "<f8",
    "<f4",
    "|u1",
    "<i8",
    "<u8",
    "|O",
    "|V8",
    "<U4",
    "|S3",
    "<M8[s]",
    "<c16",
    "",
    "x",
    ">f8",
    "|b1",
)


class Mutant(NamedTuple):
    """A strange store, and what was done to it."""

    path: Path
    what: str


# Mutations: each takes a copy of a store and says what it did


def set_value(path: Path, rng: random.Random) -> str:
    """A value of a type, size or meaning that its column does not have."""
    with _loosened(path, rng) as (database, table):
        column = rng.choice(_columns(database, table))
        value = rng.choice(STRANGE)
        where = "" if rng.random() < 0.3 else f" WHERE rowid = {_some_row(database, table, rng)}"
        database.execute(f'UPDATE "{table}" SET "{column}" = ?{where}', (value,))
        return f"{table}.{column} = {value!r:.30}{where[:6]}"


def invalid_text(path: Path, rng: random.Random) -> str:
    """Bytes that are not UTF-8 in a column of text."""
    with _loosened(path, rng) as (database, table):
        column = rng.choice(_columns(database, table))
        row = _some_row(database, table, rng)
        database.execute(
            f'UPDATE "{table}" SET "{column}" = CAST(x\'61ff62\' AS TEXT) WHERE rowid = ?',
            (row,),
        )
        return f"{table}.{column} is not UTF-8"


def reserve(path: Path, rng: random.Random) -> str:
    """Tasks that have no record and are reserved by somebody who never comes back."""
    expires = rng.choice((0.0, 1e308, math.inf, "x", b"\xff", -1, 2**62))
    owner = rng.choice(("another machine|1|2|3", "", "|||", "x" * 5_000, b"\xff", 5))
    with _loosened(path, rng, "lease") as (database, _):
        database.execute("INSERT INTO lease SELECT key, ?, ? FROM task LIMIT 9", (owner, expires))
        database.execute("DELETE FROM score WHERE task_id IN (SELECT id FROM task LIMIT 9)")
        database.execute("DELETE FROM prediction WHERE task_id IN (SELECT id FROM task LIMIT 9)")
        database.execute("DELETE FROM task WHERE id IN (SELECT id FROM task LIMIT 9)")
        return f"reserved by {owner!r:.20} until {expires!r}"


def delete_rows(path: Path, rng: random.Random) -> str:
    with _loosened(path, rng) as (database, table):
        share = rng.choice((0.02, 0.3, 1.0))
        rows = [number for (number,) in database.execute(f'SELECT rowid FROM "{table}"')]
        gone = (
            rows
            if share == 1.0
            else rng.sample(rows, max(1, int(share * len(rows))) if rows else 0)
        )
        database.executemany(f'DELETE FROM "{table}" WHERE rowid = ?', [(one,) for one in gone])
        return f"{len(gone)} rows of {table} deleted"


def duplicate_rows(path: Path, rng: random.Random) -> str:
    with _loosened(path, rng) as (database, table):
        database.execute(
            f'INSERT INTO "{table}" SELECT * FROM "{table}" WHERE rowid = ?',
            (_some_row(database, table, rng),),
        )
        return f"a row of {table} twice"


def change_schema(path: Path, rng: random.Random) -> str:
    """Tables and columns that are missing, renamed, added or something else."""
    table = rng.choice(_tables(path))
    with _loosened(path, rng, table) as (database, _):
        column = rng.choice(_columns(database, table))
        statements = {
            "drop": [f'DROP TABLE "{table}"'],
            "drop column": [f'ALTER TABLE "{table}" DROP COLUMN "{column}"'],
            "rename column": [f'ALTER TABLE "{table}" RENAME COLUMN "{column}" TO other'],
            "add column": [f'ALTER TABLE "{table}" ADD COLUMN other TEXT DEFAULT 1'],
            "view": [
                f'ALTER TABLE "{table}" RENAME TO hidden',
                f'CREATE VIEW "{table}" AS SELECT * FROM hidden',
            ],
            "endless view": [
                f'DROP TABLE "{table}"',
                f'CREATE VIEW "{table}" AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x+1 FROM n) '
                f"SELECT {', '.join('x AS ' + name for name in _columns(database, table))} FROM n",
            ],
            "trigger": [
                f'CREATE TRIGGER strange AFTER INSERT ON "{table}" BEGIN '
                f"SELECT RAISE(ABORT, 'no'); END"
            ],
            "trigger that deletes": [
                f'CREATE TRIGGER strange AFTER INSERT ON "{table}" BEGIN DELETE FROM "{table}"; END'
            ],
        }
        kind = rng.choice(list(statements))
        for statement in statements[kind]:
            try:
                database.execute(statement)
            except sqlite3.OperationalError:  # the last column cannot be dropped
                break
        return f"{kind}: {table}.{column}"


def change_version(path: Path, rng: random.Random) -> str:
    value = rng.choice(
        ("0", "-1", "2", "99", "", "x", "1.5", " 1", "9" * 5_000, b"\xff", None, "１")
    )
    with _loosened(path, rng, "meta") as (database, _):
        if rng.random() < 0.2:
            database.execute("DELETE FROM meta")
        else:
            database.execute("UPDATE meta SET value = ?", (value,))
    return f"schema version {value!r:.20}"


def change_json(path: Path, rng: random.Random) -> str:
    """A node of a JSON value replaced or removed, or text that is no JSON."""
    table, column = rng.choice(JSON_COLUMNS)
    with _loosened(path, rng, table) as (database, _):
        row = _some_row(database, table, rng)
        (text,) = database.execute(
            f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)
        ).fetchone()
        if rng.random() < 0.15:
            new = rng.choice(JSON_TEXTS)
        else:
            new = msgspec.json.encode(_mutated(msgspec.json.decode(text), rng)).decode()
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))
        return f"{table}.{column} {text[:20]} → {new[:40]}"


def _mutated(value: Any, rng: random.Random) -> Any:
    if isinstance(value, dict) and value and rng.random() < 0.8:
        name = rng.choice(list(value))
        choice = rng.random()
        if choice < 0.2:
            return {key: one for key, one in value.items() if key != name}
        if choice < 0.3:
            return {**value, rng.choice(("", "x", "a" * 3_000)): rng.choice(STRANGE_JSON)}
        return {**value, name: _mutated(value[name], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        place = rng.randrange(len(value))
        new = list(value)
        if rng.random() < 0.5:
            new[place] = _mutated(value[place], rng)
        else:
            new.insert(place, value[place])
        return new
    other = rng.choice(STRANGE_JSON)
    return other if not isinstance(other, int) or abs(other) < 2**63 else 2**63 - 1


def change_arrays(path: Path, rng: random.Random) -> str:
    """An array of another type, shape or content, or bytes that are none."""
    table, column = rng.choice(ARRAY_COLUMNS)
    with _loosened(path, rng, table) as (database, _):
        row = _some_row(database, table, rng)
        (data,) = database.execute(
            f"SELECT {column} FROM {table} WHERE rowid = ?", (row,)
        ).fetchone()
        new, what = _changed_arrays(data, rng)
        database.execute(f"UPDATE {table} SET {column} = ? WHERE rowid = ?", (new, row))
        return f"{table}.{column}: {what}"


def _changed_arrays(data: bytes, rng: random.Random) -> tuple[bytes, str]:
    if rng.random() < 0.2:
        cut = rng.randrange(len(data))
        return rng.choice((data[:cut], data[cut:], b"\xc1", b"\x80", data * 2)), "cut"
    form = msgspec.msgpack.decode(data)
    name = rng.choice(list(form))
    kind, shape, content = form[name]
    ways: dict[str, Any] = {
        "dtype": (rng.choice(DTYPES), shape, content),
        "shape": (
            kind,
            rng.choice(([], [-1], [2**62], [0], ["x"], [1, *shape], shape * 2)),
            content,
        ),
        "content": (kind, shape, content[: rng.randrange(len(content) + 1)]),
        "bytes": (kind, shape, bytes(rng.randrange(256) for _ in content)),
        "extreme": (kind, shape, b"\xff" * len(content)),
        "fields": rng.choice((None, [], [kind], 5, "x", [kind, shape, "text"], [1, 2, 3])),
    }
    way = rng.choice([*ways, "absent", "other name", "no map"])
    if way == "no map":
        return msgspec.msgpack.encode(rng.choice((None, 5, [form], "x", {1: 2}))), way
    changed = {key: value for key, value in form.items() if key != name}
    if way == "other name":
        changed[rng.choice(("rows", "labels", "values", "scores", "probabilities", "x"))] = form[
            name
        ]
    elif way != "absent":
        changed[name] = ways[way]
    return msgspec.msgpack.encode(changed), f"{name} {way}"


def change_bytes(path: Path, rng: random.Random) -> str:
    """Bytes of the file flipped, zeroed, cut, moved."""
    data = bytearray(path.read_bytes())
    pages = len(data) // PAGE
    way = rng.choice(
        (
            "flip",
            "flip many",
            "header",
            "zero page",
            "noise page",
            "truncate",
            "swap",
            "shift",
            "log",
        )
    )
    if way == "flip":
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == "flip many":
        for _ in range(rng.choice((10, 100, 1_000))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif way == "header":
        data[rng.randrange(100)] = rng.randrange(256)
    elif way in ("zero page", "noise page"):
        start = rng.randrange(pages) * PAGE
        new = bytes(PAGE) if way == "zero page" else rng.randbytes(PAGE)
        data[start : start + PAGE] = new
    elif way == "truncate":
        del data[rng.randrange(len(data)) :]
    elif way == "swap":
        one, other = (rng.randrange(pages) * PAGE for _ in range(2))
        data[one : one + PAGE], data[other : other + PAGE] = (
            data[other : other + PAGE],
            data[one : one + PAGE],
        )
    elif way == "shift":
        place = rng.randrange(len(data))
        data[place:place] = rng.randbytes(rng.choice((1, 7, PAGE)))
    else:
        path.with_name(f"{path.name}-wal").write_bytes(rng.randbytes(rng.choice((5, 5_000))))
    path.write_bytes(data)
    return way


def foreign(path: Path, rng: random.Random) -> str:
    """Files that are no store at all."""
    path.unlink()
    way = rng.choice(
        ("empty", "songs", "names of ours", "only magic", "noise", "text", "no tables")
    )
    if way in ("songs", "names of ours", "no tables"):
        with closing(sqlite3.connect(path)) as database:
            database.execute("CREATE TABLE songs (name TEXT)")
            if way == "names of ours":
                for name in ("meta", "task", "entry", "study", "score"):
                    database.execute(f"CREATE TABLE {name} (a, b)")
            if way == "no tables":
                database.execute("DROP TABLE songs")
            database.commit()
        return way
    contents = {
        "empty": b"",
        "only magic": b"SQLite format 3\x00",
        "noise": b"SQLite format 3\x00" + rng.randbytes(9_000),
        "text": b"a,b\n1,2\n",
    }
    path.write_bytes(contents[way])
    return way


MUTATIONS: tuple[Callable[[Path, random.Random], str], ...] = (
    set_value, set_value, set_value, invalid_text, reserve, delete_rows, duplicate_rows, change_schema, change_version,
    change_json, change_json, change_arrays, change_arrays, change_bytes, change_bytes, change_bytes, foreign,
)  # fmt: skip


def mutant(base: Path, folder: Path, seed: int, number: int) -> Mutant:
    """A strange store, always at the same path; it can be made again by its number."""
    rng = random.Random(f"{seed} {number}")
    path = folder / "strange.db"
    for old in folder.glob("strange.db*"):
        old.unlink()
    shutil.copy(base, path)
    told = [rng.choice(MUTATIONS)(path, rng)]
    if rng.random() < 0.15 and path.stat().st_size > PAGE:
        try:
            told.append(rng.choice(MUTATIONS)(path, rng))
        except (sqlite3.Error, TypeError, ValueError, IndexError):
            told.append("and no more")
    return Mutant(path, f"#{number} {'; '.join(told)}")


@contextmanager
def _loosened(
    path: Path, rng: random.Random, table: str | None = None
) -> Iterator[tuple[sqlite3.Connection, str]]:
    """The store with one table rebuilt without its constraints, so that it holds anything."""
    chosen = table or rng.choice(_tables(path))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
        database.execute("DROP VIEW IF EXISTS study_scores")
        columns = database.execute(f'PRAGMA table_info("{chosen}")').fetchall()
        typed = ", ".join(f'"{name}" {kind}' for _, name, kind, *_ in columns)
        database.execute("BEGIN")
        database.execute(f"CREATE TABLE loose ({typed})")
        database.execute(f'INSERT INTO loose SELECT * FROM "{chosen}"')
        database.execute(f'DROP TABLE "{chosen}"')
        database.execute(f'ALTER TABLE loose RENAME TO "{chosen}"')
        database.execute("COMMIT")
        yield database, chosen


def _tables(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as database:
        rows = database.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
        return [name for (name,) in rows]


def _columns(database: sqlite3.Connection, table: str) -> list[str]:
    return [name for _, name, *_ in database.execute(f'PRAGMA table_info("{table}")')]


def _some_row(database: sqlite3.Connection, table: str, rng: random.Random) -> int:
    rows = [number for (number,) in database.execute(f'SELECT rowid FROM "{table}"')]
    return int(rng.choice(rows or [0]))
