"""A bounded run of the mutator of stores: every door answers or refuses in our words."""

import sqlite3
from functools import partial
from pathlib import Path

import pytest

from assay.core.errors import EvidenceError
from tools.fuzz.attempts import knock
from tools.fuzz.store_doors import doors, small_study, sound_store
from tools.fuzz.stores import mutant

MUTANTS = 24


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_store(small_study(), tmp_path_factory.mktemp("base") / "sound.db")


def test_no_door_breaks(base: Path, tmp_path: Path) -> None:
    """One door a mutant, in turn; `python -m tools.fuzz --door stores` tries more."""
    study = small_study()
    turns = list(doors(study).items())
    findings = []
    for number in range(MUTANTS):
        strange = mutant(base, tmp_path, seed=11, number=number)
        name, door = turns[number % len(turns)]
        found = knock(partial(door, strange.path))
        if found:
            findings.append(f"{name}: {strange.what}: {found}")
    assert findings == []


def test_every_door_answers_a_sound_store(base: Path, tmp_path: Path) -> None:
    for name, door in doors(small_study()).items():
        path = tmp_path / f"{name}.db"
        path.write_bytes(base.read_bytes())
        door(path)


def test_a_table_that_numbers_no_rows(base: Path, tmp_path: Path) -> None:
    """One that somebody copied with CREATE TABLE AS, which forgets keys."""
    path = tmp_path / "copied.db"
    path.write_bytes(base.read_bytes())
    with sqlite3.connect(path) as database:
        database.executescript(
            "PRAGMA legacy_alter_table=ON; CREATE TABLE copy AS SELECT * FROM study; "
            "DROP TABLE study; DELETE FROM copy; ALTER TABLE copy RENAME TO study; "
            "CREATE UNIQUE INDEX known ON study (id); CREATE UNIQUE INDEX named ON study (name)"
        )
    with pytest.raises(EvidenceError, match="the table study numbers no rows"):
        small_study().run(path, workers=1, progress=False)
