"""A bounded run of the mutator of stores: every door answers or refuses in our words."""

from pathlib import Path

import pytest

from tools.fuzz.store_doors import doors, knock, small_study, sound_store
from tools.fuzz.stores import mutants

MUTANTS = 24


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return sound_store(small_study(), tmp_path_factory.mktemp("base") / "sound.db")


def test_no_door_breaks(base: Path, tmp_path: Path) -> None:
    """One door a mutant, in turn; `python -m tools.fuzz.store_doors` tries them all."""
    study = small_study()
    turns = list(doors(study).items())
    findings = []
    for number, mutant in enumerate(mutants([base], tmp_path, seed=11, count=MUTANTS)):
        name, door = turns[number % len(turns)]
        found = knock(door, mutant.path)
        if found:
            findings.append(f"{name}: {mutant.what}: {found}")
    assert findings == []


def test_every_door_answers_a_sound_store(base: Path, tmp_path: Path) -> None:
    for name, door in doors(small_study()).items():
        path = tmp_path / f"{name}.db"
        path.write_bytes(base.read_bytes())
        door(path)
