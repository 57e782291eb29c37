"""Stores that are damaged on purpose, where it is known which records the damage touched.

`python -m tests.store.wrecks 50` says for fifty damages of each kind how many records were saved.
"""

import random
import sqlite3
import sys
import tempfile
from collections import defaultdict
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from assay.store.record_types import DatasetFacts, Record, StudyPlan, pack
from assay.store.salvage import salvage
from assay.store.sqlite_pages import PageCell, Pages
from assay.store.store import Store
from tests.store.test_store import plan, record

ITEMS = 300
FOLDS = 100
"""Of each of two learners: so many records has a store."""


def wide_plan() -> StudyPlan:
    truth = np.tile(np.array([0, 1], np.uint8), ITEMS // 2)
    (facts,) = plan().datasets
    wide: DatasetFacts = msgspec.structs.replace(facts, n=ITEMS, arrays=pack({"truth": truth}))
    spec = '{"measures":["accuracy"],"seed":1,"resampling":{"scheme":"cv","folds":100}}'
    return plan(FOLDS, datasets=(wide,), spec=spec)


def wide_record(key: str, rng: np.random.Generator) -> Record:
    """A record whose predictions fill several pages."""
    right = rng.random(ITEMS)
    arrays: dict[str, NDArray[Any]] = {
        "rows": np.arange(ITEMS, dtype=np.uint32),
        "labels": (right > 0.5).astype(np.uint8),
        "probabilities": np.column_stack([1 - right, right]),
    }
    return record(key, float(rng.random()), arrays=pack(arrays), n_test=ITEMS)


def sound(path: Path) -> Path:
    """A store with two hundred records, in one file."""
    rng = np.random.default_rng(1)
    with Store.open(path) as store:
        store.plan(wide_plan())
        for entry in wide_plan().entries:
            store.finish(wide_record(entry.key, rng))
    with closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")
    return path


def pages_of(path: Path) -> dict[str, set[int]]:
    """The pages on which each record lies, with its scores and predictions."""
    pages = Pages(path)
    by_number: dict[int, set[int]] = defaultdict(set)
    keys: dict[int, str] = {}
    for found in pages.rows():
        values, used = pages.values(found.cell), _used(pages, found.cell)
        if found.table == "task":
            keys[found.cell.rowid or 0] = values[1]
            by_number[found.cell.rowid or 0] |= used
        elif found.table == "score":
            by_number[values[0]] |= used
        elif found.table == "prediction":
            by_number[found.cell.rowid or 0] |= used
    return {key: by_number[number] for number, key in keys.items()}


def _used(pages: Pages, cell: PageCell) -> set[int]:
    """The page of a row and the chain of those that hold the rest of it."""
    used, size = {cell.page}, cell.size
    if cell.rowid is None or size <= pages.size - 35:
        return used
    least = (pages.size - 12) * 32 // 255 - 23
    local = least + (size - least) % (pages.size - 4)
    local = local if local <= pages.size - 35 else least
    start = cell.start + local
    following = int.from_bytes(pages.page(cell.page)[start : start + 4], "big")
    while following:
        used.add(following)
        following = int.from_bytes(pages.page(following)[:4], "big")
    return used


Damage = Callable[[bytearray, int, random.Random], set[int]]
"""Changes bytes of a file with pages of a size, and says which pages it touched."""


def zeroed(data: bytearray, size: int, rng: random.Random) -> set[int]:
    """A tenth of the pages are empty."""
    chosen = rng.sample(range(2, len(data) // size + 1), len(data) // size // 10)
    for page in chosen:
        data[(page - 1) * size : page * size] = bytes(size)
    return set(chosen)


def noisy(data: bytearray, size: int, rng: random.Random) -> set[int]:
    """A tenth of the pages are noise."""
    chosen = rng.sample(range(2, len(data) // size + 1), len(data) // size // 10)
    for page in chosen:
        data[(page - 1) * size : page * size] = rng.randbytes(size)
    return set(chosen)


def flipped(data: bytearray, size: int, rng: random.Random) -> set[int]:
    """Twenty bits are wrong, wherever they are."""
    places = [rng.randrange(len(data)) for _ in range(20)]
    for place in places:
        data[place] ^= 1 << rng.randrange(8)
    return {place // size + 1 for place in places}


def truncated(data: bytearray, size: int, rng: random.Random) -> set[int]:
    """The file ends early."""
    end = rng.randrange(len(data) // 4, len(data))
    last = len(data) // size
    del data[end:]
    return set(range(end // size + 1, last + 1))


def beheaded(data: bytearray, size: int, rng: random.Random) -> set[int]:
    """The first page, with the list of all tables, is noise."""
    data[:size] = rng.randbytes(size)
    return {1}


DAMAGES: dict[str, Damage] = {
    one.__name__: one for one in (zeroed, noisy, flipped, truncated, beheaded)
}


def rescued(
    base: Path, target: Path, damage: Damage, seed: int
) -> tuple[set[str], set[str], set[str]]:
    """Keys of records that the damage did not touch; keys saved without the study, and with it."""
    data, size = bytearray(base.read_bytes()), Pages(base).size
    touched = damage(data, size, random.Random(seed))  # noqa: S311
    wreck = target.with_name("wreck.db")
    wreck.write_bytes(data)
    saved = []
    for known in (None, wide_plan()):
        target.unlink(missing_ok=True)
        salvage(wreck, target, plan=known)
        with closing(sqlite3.connect(target)) as database:
            saved.append({key for (key,) in database.execute("SELECT key FROM task")})
    untouched = {key for key, used in pages_of(base).items() if not used & touched}
    return untouched, saved[0], saved[1]


def main(rounds: int) -> None:
    with tempfile.TemporaryDirectory() as place:
        base = sound(Path(place) / "sound.db")
        for name, damage in DAMAGES.items():
            counts = np.zeros(4, dtype=int)
            for seed in range(rounds):
                whole, alone, known = rescued(base, Path(place) / "new.db", damage, seed)
                counts += len(whole), len(whole & alone), len(whole & known), len(known - whole)
            sys.stdout.write(
                f"{name:10} untouched {counts[0]}, of these saved {counts[1]} without the study and "
                f"{counts[2]} with it; and {counts[3]} of the touched\n"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20)
