"""Files and stores of somebody else: what may only be read is read, what may not says so."""

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB

from assay.study.spec import Study
from tests.study.finished import toy

AS_ANYONE = (
    ("setpriv", "--inh-caps=-all", "--bounding-set=-dac_override,-dac_read_search")
    if os.geteuid() == 0  # the rights of files do not bind root
    else ()
)


def assay(*arguments: str) -> subprocess.CompletedProcess[str]:
    command = [*AS_ANYONE, sys.executable, "-m", "assay", *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def shut(tmp_path: Path) -> Iterator[Path]:
    """A folder that nobody may write."""
    folder = tmp_path / "shut"
    folder.mkdir()
    yield folder
    folder.chmod(0o755)


def finished(store: Path) -> None:
    study = Study(
        learners={"nb": GaussianNB(), "most": DummyClassifier()},
        datasets={f"toy {place}": toy(place) for place in range(6)},
        resampling={"scheme": "cv", "folds": 2},
        measures=["accuracy"],
    )
    study.run(store, workers=1, progress=False)


def test_a_store_that_may_only_be_read_is_read(shut: Path, tmp_path: Path) -> None:
    finished(shut / "s.db")
    before = assay("compare", str(shut / "s.db"))
    shut.chmod(0o555)
    (shut / "s.db").chmod(0o444)
    kept = sorted(one.name for one in shut.iterdir())
    after = assay("compare", str(shut / "s.db"))
    assert (after.returncode, after.stdout) == (before.returncode, before.stdout)
    assert before.stdout
    report = assay("report", str(shut / "s.db"), "--output", str(tmp_path / "r.html"))
    assert report.returncode == 0
    assert sorted(one.name for one in shut.iterdir()) == kept


def test_a_log_that_waits_in_such_a_folder_is_not_passed_over(shut: Path, tmp_path: Path) -> None:
    finished(tmp_path / "s.db")
    writer = sqlite3.connect(tmp_path / "s.db")
    writer.execute("PRAGMA wal_autocheckpoint=0")
    writer.execute("UPDATE task SET attempts = attempts + 1")
    writer.commit()
    for name in ("s.db", "s.db-wal"):
        shutil.copy(tmp_path / name, shut / name)
    writer.close()
    shut.chmod(0o555)
    refused = assay("look", str(shut / "s.db"))
    assert refused.returncode == 4
    assert "with its -wal file, to a folder of yours" in refused.stderr


def test_a_file_in_a_closed_folder(shut: Path) -> None:
    (shut / "p.csv").write_text("truth,a,b\n0,0,1\n1,1,1\n")
    shut.chmod(0o000)
    refused = assay("compare", str(shut / "p.csv"))
    assert refused.returncode == 4
    assert "cannot be read: Permission denied" in refused.stderr
    assert "Traceback" not in refused.stderr
