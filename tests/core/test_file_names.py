"""Names that no file can have, at every door that takes one."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import AssayError, UsageError
from assay.core.file_names import path_of, write_whole

TABLE = {"truth": [0, 1] * 20, "a": [0, 1] * 20, "b": [1, 1] * 20}
STUDY = "measures = ['accuracy']\nlearners.t.estimator = 'sklearn.tree.DecisionTreeClassifier'\n"


def as_data_set(name: str) -> Any:
    path = Path("study.toml")
    path.write_text(f"{STUDY}datasets = [{name.encode('unicode_escape').decode()!r}]\n")
    return assay.Study.from_toml(path)


@pytest.mark.parametrize("name", ["x" * 5_000, "[" * 5_000, "a\0b", "a\ud800b"])
@pytest.mark.parametrize(
    "door",
    [
        path_of, assay.look, assay.Store.open, assay.read_study, assay.Study.from_toml, as_data_set,
        lambda name: assay.board(TABLE, ledger=name),
        lambda name: assay.gate(TABLE, baseline="a", config=name),
    ],
)  # fmt: skip
def test_is_refused_in_words(
    door: Callable[[str], Any], name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Found by `make fuzz`: a name too long ended in an error of Python at stores, data sets and ledgers."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(AssayError) as told:
        door(name)
    str(told.value).encode()


def test_a_name_that_is_not_there_is_a_name(tmp_path: Path) -> None:
    assert path_of(tmp_path / "absent" / "file") == tmp_path / "absent" / "file"


@pytest.fixture
def little_room() -> Iterator[None]:
    """No file can grow beyond 4 kB, as on a disk that is full."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


class TestWritten:
    @pytest.mark.usefixtures("little_room")
    @pytest.mark.parametrize("suffix", ["html", "png"])
    def test_a_full_disk_leaves_the_last_report(self, suffix: str, tmp_path: Path) -> None:
        path = tmp_path / f"report.{suffix}"
        path.write_text("the last one")
        with pytest.raises(UsageError, match=r"cannot write .*: File too large"):
            assay.compare(TABLE, truth="truth").save(path)
        assert [one.name for one in tmp_path.iterdir()] == [path.name]
        assert path.read_text() == "the last one"

    def test_links_and_rights_stay(self, tmp_path: Path) -> None:
        kept, link = tmp_path / "kept.md", tmp_path / "link.md"
        kept.write_text("old")
        kept.chmod(0o640)
        link.symlink_to(kept)
        write_whole(link, "new")
        assert link.is_symlink()
        assert kept.read_text() == "new"
        assert kept.stat().st_mode & 0o777 == 0o640

    @pytest.mark.parametrize("name", ["", "no/such/folder/r.md"])
    def test_what_cannot_be_written_is_told(self, name: str, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="cannot write"):
            write_whole(tmp_path / name, "text")
        assert not list(tmp_path.iterdir())

    def test_a_device_is_written_to(self) -> None:
        write_whole(Path(os.devnull), b"text")
        assert Path(os.devnull).is_char_device()


def test_a_refusal_that_nobody_can_read_has_its_code() -> None:
    """With standard error closed it was 1, which says that a gate has failed."""
    command = f"exec {sys.executable} -m assay compare no-such-file.csv 2>&-"
    assert subprocess.run(["sh", "-c", command], check=False).returncode == 4
