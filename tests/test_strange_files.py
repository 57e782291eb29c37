"""What is no file, or no longer the one it was: refused at once, in words that say what to do."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.compare.gate_file import read_gate_file
from assay.study.spec import Study

LINES = "".join(
    f'{{"item": {n}, "truth": {n % 2}, "a": {n // 3 % 2}, "b": 1}}\n' for n in range(30)
)


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A pipe without a writer: whoever opens it waits for ever."""
    path = tmp_path / "pipe.csv"
    os.mkfifo(path)
    return path


@pytest.mark.parametrize("verb", ["look", "evaluate", "compare", "report", "run"])
def test_a_pipe_is_refused_and_not_waited_for(
    verb: str, pipe: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main([verb, str(pipe)])
    said = capsys.readouterr().err
    assert "is a pipe or a device" in said or "is not a file" in said


def test_a_device_without_end_is_not_read() -> None:
    with pytest.raises(assay.EvidenceError, match="save it to a file first"):
        assay.look("/dev/zero")
    with pytest.raises(assay.EvidenceError, match="a study file is a file"):
        Study.from_toml("/dev/zero")
    with pytest.raises(assay.EvidenceError, match="a gate file is a file"):
        read_gate_file(Path("/dev/zero"))


def test_a_gate_file_is_bounded(tmp_path: Path) -> None:
    for text in ("x = " + "[" * 5_000, "margin = " + "9" * 5_000, "margin = 0.1\n" + "#" * 2**21):
        path = tmp_path / "assay.toml"
        path.write_text(text)
        with pytest.raises(assay.AssayError, match=r"is not TOML|has at most 1"):
            read_gate_file(path)


def test_a_name_that_is_not_text_is_refused(tmp_path: Path) -> None:
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff.csv")
    try:
        Path(name).write_text("item,truth,a\n1,1,1\n2,0,0\n")
    except OSError:  # not every system has such names
        pytest.skip("no such names here")
    with pytest.raises(assay.EvidenceError, match=r"\\udcff.csv is not UTF-8 text: rename"):
        assay.look(name)


def _gone(path: Path) -> None:
    path.unlink()


def _a_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


def _other_bytes(path: Path) -> None:
    path.write_bytes(b"\0" * 500)


@pytest.mark.parametrize("change", [_gone, _a_folder, _other_bytes])
def test_a_file_that_changes_after_it_was_read(
    change: Callable[[Path], None], tmp_path: Path
) -> None:
    path = tmp_path / "t.jsonl"
    path.write_text(LINES)
    evidence = assay.read(path)
    change(path)
    assert isinstance(evidence, assay.Predictions)
    with pytest.raises(assay.EvidenceError):
        evidence.columns("labels")
