"""What is no file, or no longer the one it was: refused at once, in words that say what to do."""

import os
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pandas as pd
import pytest

import assay
from assay.cli.main import main
from assay.compare.gate_file import read_gate_file
from assay.core.errors import UsageError
from assay.measures.registry import find_measure
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
    with pytest.raises(UsageError, match="a gate file is a file"):
        read_gate_file(Path("/dev/zero"))


def test_a_gate_file_is_bounded(tmp_path: Path) -> None:
    for text in ("x = " + "[" * 5_000, "margin = " + "9" * 5_000, "margin = 0.1\n" + "#" * 2**21):
        path = tmp_path / "assay.toml"
        path.write_text(text)
        with pytest.raises(assay.AssayError, match=r"is not TOML|has at most 1"):
            read_gate_file(path)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_name_that_is_not_text_is_refused(suffix: str, tmp_path: Path) -> None:
    """Also of a part in a folder, where DuckDB ended in a RuntimeError."""
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff." + suffix.encode())
    try:
        Path(name).write_text("item,truth,a\n1,1,1\n2,0,0\n")
    except OSError:  # not every system has such names
        pytest.skip("no such names here")
    given = name if suffix == "csv" else tmp_path
    with pytest.raises(assay.EvidenceError, match=rf"\\udcff.{suffix} is not UTF-8 text: rename"):
        assay.look(given)


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


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_thousands_of_models_in_a_small_file(suffix: str, tmp_path: Path) -> None:
    """DuckDB died of one query about 3,000 columns, and ran out of memory at 500."""
    path = tmp_path / f"wide.{suffix}"
    models = {f"m{place}": [(place * row) % 3 % 2 for row in range(12)] for place in range(1_500)}
    frame = pd.DataFrame({"item": range(12), "truth": [0, 1] * 6, **models})
    frame.to_csv(path, index=False) if suffix == "csv" else frame.to_parquet(path)
    found = assay.evaluate(path, truth="truth", measures="accuracy")
    right = (frame["m1499"] == frame["truth"]).mean()
    assert len(found.estimates) == 1_500
    assert found.estimates[-1].value == pytest.approx(right)
    with pytest.raises(assay.NotApplicable, match="make 1,124,250 pairs, more than the 100,000"):
        assay.compare(path, truth="truth")


def test_an_endless_name_is_cut_at_once() -> None:
    truth, long = [0, 1] * 20, "x" * 100_000
    found = assay.compare({"truth": truth, long: truth, "b": [0] * 40})
    begun = time.process_time()
    assert max(map(len, str(found).splitlines())) <= 200
    with pytest.raises(UsageError, match="known are"):
        find_measure(long)  # nothing is near it, which took a second to find out
    assert time.process_time() - begun < 5


def test_a_name_of_thousands_of_parts_is_not_looked_at_part_by_part(tmp_path: Path) -> None:
    """Found by the fuzzer (seed 611801, input 41083): one column took 12 s of the processor."""
    path = tmp_path / "long.csv"
    path.write_text(f"dataset,{'x.' * 3_000},b\n" + "".join(f"d{i},0.{i},0.5\n" for i in range(9)))
    begun = time.process_time()
    with suppress(assay.AssayError):
        assay.look(path)
    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_more_models_than_rows_are_looked_at(suffix: str, tmp_path: Path) -> None:
    """Of 600 rows each had a model of its own, and the file was refused as one score per model."""
    pairs = [(f"m{place}", f"t{task}") for place in range(700) for task in range(6)]
    table = pd.DataFrame(pairs, columns=["model", "dataset"])
    table["accuracy"] = [0.5 + 0.4 * (place * 7 % 13) / 13 for place in range(len(table))]
    path = tmp_path / f"long.{suffix}"
    table.to_csv(path, index=False) if suffix == "csv" else table.to_parquet(path)
    for source in (path, table):
        assert "6 data sets × 700 models" in " ".join(str(assay.look(source)).split())


LATE = {
    "not as many cells": b"1,2\n",
    "has not as many": b"1," * 40 + b"\n",
    "UTF-8": b"x\xff\n",
    "cannot be read": b"x" * 200_000 + b"\n",
}


@pytest.mark.parametrize("words", LATE)
@pytest.mark.parametrize("name", ["langsmith_old", "mlflow_runs", "ray_frame", "dvc_exp"])
def test_a_table_of_a_tool_is_refused_for_its_last_line(
    name: str, words: str, tmp_path: Path
) -> None:
    """Its first lines say who wrote it; what is wrong far below ended in errors of Python's."""
    whole = (Path(__file__).parent / f"evidence/readers/tools/{name}.csv").read_bytes()
    path = tmp_path / f"{name}.csv"
    path.write_bytes(whole.rstrip(b"\n") + b"\n" + LATE[words])
    with pytest.raises(assay.EvidenceError, match=words):
        assay.compare(path, rng=1)


def test_a_judged_answer_is_of_a_model(tmp_path: Path) -> None:
    rows = "".join(f"{n},{n % 2},{n // 3 % 2},{{}}\n" for n in range(12))
    path = tmp_path / "judged.csv"
    for name in ("", "NA"):
        path.write_text("item,human,gpt,model\n" + rows.replace("{}", name))
        with pytest.raises(assay.EvidenceError, match="must name a model in every row"):
            assay.compare(path, truth="human", judge="gpt", rng=1)


def test_a_table_of_its_headings_alone_has_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "twice.csv"
    path.write_text("truth,a\n" * 3)
    with pytest.raises(assay.EvidenceError, match="no rows of data"):
        assay.compare(path, rng=1)


def test_a_checkpoint_may_be_called_anything(tmp_path: Path) -> None:
    state = '{"log_history": [5, "eval_x", {"eval_accuracy": %s}, null]}'
    for name, score in (("bert-seed1", "0.9"), ("bert-seed2", "0.8"), ("gpt-seed1", "0.7")):
        place = tmp_path / name / "checkpoint-v2"
        place.mkdir(parents=True)
        (place / "trainer_state.json").write_text(state % score)
    assert set(assay.read(tmp_path).models) == {"bert", "gpt"}


@pytest.mark.parametrize(
    "text",
    [
        '{"m.json": {"acc": {"old": 0.1, "new": 0.2}, "f1": []}, "n.json": 5}',
        '{"a": {"data": {"m.json": {"data": {"acc": 9%s}}}}}' % ("9" * 400),
    ],
)
def test_metrics_of_dvc_of_another_form(text: str, tmp_path: Path) -> None:
    path = tmp_path / "dvc.json"
    path.write_text(text)
    with pytest.raises(assay.EvidenceError, match=r"one run of|infinite"):
        assay.compare(path, rng=1)
