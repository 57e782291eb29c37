import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.evidence import folders
from assay.evidence.readers.log_formats import known_files
from assay.evidence.readers.log_formats import recognise as kind_of
from assay.evidence.reading import read
from tests.evidence.forms import Table, predictions, write_csv, write_jsonl
from tests.evidence.readers import classic_results as classic
from tests.evidence.readers import harness_logs as harness
from tests.evidence.readers.code_logs import human_eval
from tests.evidence.readers.zips import Entry, write_zip

WRITERS: dict[str, Callable[[Path], Path]] = {
    "lm-evaluation-harness": lambda at: harness.write_lines(
        at / "a.jsonl", harness.lm_samples([1.0])
    ),
    "Inspect": lambda at: harness.inspect_eval(
        at / "a.eval", "a", [harness.inspect_sample(1, {"m": 1})]
    ),
    "HELM": lambda at: (
        harness.helm_run(at, "a", [harness.helm_record("id1", [harness.helm_stat("em", 1.0)])])
        / "per_instance_stats.json"
    ),
    "Every Eval Ever": lambda at: harness.eee_files(at, "u", [harness.eee_row("1", 1.0)]),
    "pass@k": lambda at: human_eval(at / "a.jsonl", {"t": [True]}),
    "lighteval": lambda at: harness.lighteval_details(at, "a", [("q", {"em": 1})]),
    "OpenML": lambda at: classic.openml_predictions(at / "a.arff", [(0, 0, 1, "setosa", "setosa")]),
    "Weka": lambda at: classic.weka_csv(
        at / "a.csv", classic.weka_rows({("iris", 1, 1, "weka.J48", ""): 90.0})
    ),
}


class TestRecognise:
    @pytest.mark.parametrize("name", WRITERS)
    def test_each_by_its_content(self, tmp_path: Path, name: str) -> None:
        path = WRITERS[name](tmp_path)
        assert kind_of(path) == name
        endings = {".json", ".jsonl", ".csv"}  # by content, not by the name of the file
        if path.suffix not in endings:
            other = path.with_name("renamed.bin")
            path.rename(other)
            assert kind_of(other) == name

    @pytest.mark.parametrize(
        "text", ["", "{", "[", "a,b\n1,2\n", "{}\n", "[1]", "\x00\x01", "@relation"]
    )
    def test_other_files_are_not(self, tmp_path: Path, text: str) -> None:
        path = tmp_path / "a.json"
        path.write_text(text)
        assert kind_of(path) is None

    def test_what_is_no_file(self, tmp_path: Path) -> None:
        fifo = tmp_path / "fifo.jsonl"
        os.mkfifo(fifo)
        assert kind_of(fifo) is None
        assert kind_of(tmp_path) is None
        assert kind_of(tmp_path / "nothing") is None

    def test_users_own_lines_stay_a_table(self, tmp_path: Path) -> None:
        table: Table = {"doc_id": [1, 2, 3], "truth": [0, 1, 1], "model": [0, 1, 0]}
        assert predictions(write_jsonl(tmp_path / "a.jsonl", table), truth="truth").n == 3
        table = {"task_id": ["a", "b"], "passed": [True, False], "truth": [True, True]}
        path = write_jsonl(tmp_path / "b.jsonl", table)
        assert kind_of(path) == "pass@k"
        assert predictions(path, truth="truth", id="task_id").models == ("passed",)

    @settings(max_examples=25)
    @given(data=st.binary(max_size=200))
    def test_rubbish_is_answered_not_raised(
        self, tmp_path_factory: pytest.TempPathFactory, data: bytes
    ) -> None:
        for start in (
            b"",
            b"PK\x03\x04",
            b"PAR1",
            b"{",
            b'[{"instance_id":',
            b"\x1f\x8b",
            b"@relation ",
        ):
            path = tmp_path_factory.mktemp("x") / "a.jsonl"
            path.write_bytes(start + data)
            kind_of(path)
            with pytest.raises(AssayError):
                read(path)

    def test_deep_lines_are_no_log(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text('{"doc_id":' + "[" * 50_000)
        assert kind_of(path) is None


class TestFolders:
    def test_only_logs_of_items_count(self, tmp_path: Path) -> None:
        harness.lm_eval_run(tmp_path, "a", {"t": harness.lm_samples([1.0])})
        harness.eee_files(tmp_path, "u", [harness.eee_row("1", 1.0)])
        (tmp_path / "notes.json").write_text(json.dumps({"a": 1}))
        assert sorted(path.suffix for path, _ in known_files(tmp_path)) == [".jsonl", ".jsonl"]

    def test_one_without_logs(self, tmp_path: Path) -> None:
        write_csv(tmp_path / "a.csv", {"y_true": [1], "y_pred": [1]})
        with pytest.raises(EvidenceError, match="is a directory without a log of items"):
            read(tmp_path)

    def test_links_to_folders_are_not_followed(self, tmp_path: Path) -> None:
        inside = tmp_path / "inside"
        harness.lm_eval_run(tmp_path / "outside", "a", {"t": harness.lm_samples([1.0])})
        inside.mkdir()
        (inside / "loop").symlink_to(inside)
        (inside / "link").symlink_to(tmp_path / "outside")
        assert known_files(inside) == []

    def test_too_many_files(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(folders, "MAX_FILES", 3)
        for name in "abcd":
            (tmp_path / name).touch()
        with pytest.raises(EvidenceError, match="directory of more than 3 files"):
            read(tmp_path)


class TestOptions:
    def test_of_logs_do_not_go_with_tables(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "a.csv", {"y_true": [1], "y_pred": [1]})
        given: list[dict[str, Any]] = [{"metric": "acc"}, {"task": "t"}, {"unscored": "drop"}]
        for options in given:
            with pytest.raises(UsageError, match="are for logs of evaluation harnesses"):
                read(path, **options)
            with pytest.raises(UsageError, match="are for logs of evaluation harnesses"):
                read(path, truth="y_true", **options)

    def test_of_tables_do_not_go_with_logs(self, tmp_path: Path) -> None:
        path = WRITERS["lm-evaluation-harness"](tmp_path)
        with pytest.raises(UsageError, match="joined by their own ids, or by id='hash'"):
            read(path, id="doc_id")
        with pytest.raises(UsageError, match="logs hold items; got unit='fold'"):
            read(path, unit="fold")

    def test_what_cannot_be_joined(self, tmp_path: Path) -> None:
        weka, openml, lines = (WRITERS[n](tmp_path) for n in ("Weka", "OpenML", "pass@k"))
        for pair in ((weka, openml), (openml, lines), (weka, lines)):
            with pytest.raises(EvidenceError, match="cannot be joined with each other"):
                read(*pair)

    def test_a_file_that_is_not_there(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="there is no file"):
            read(tmp_path / "nothing.eval")
        with pytest.raises(EvidenceError, match="cannot be the name of a file"):
            read("x" * 5000)

    def test_different_harnesses_with_the_same_ids(self, tmp_path: Path) -> None:
        a = harness.inspect_eval(tmp_path / "a.eval", "a", [harness.inspect_sample(0, {"m": 1})])
        b = harness.write_lines(tmp_path / "b.jsonl", harness.lm_samples([0.0]))
        evidence = predictions(a, b)
        assert evidence.columns("labels").predictions.tolist() == [[1], [0]]
        assert [note.code for note in evidence.notes] == ["items-unverified"]


class TestHostileNames:
    @pytest.mark.parametrize(
        "name", ['"; drop table x', "a\nb", "\u202e", "<script>", "id", "0:m", ""]
    )
    def test_models_and_metrics(self, tmp_path: Path, name: str) -> None:
        samples = [harness.inspect_sample(n, {name: n % 2}) for n in range(4)]
        a = harness.inspect_eval(tmp_path / "a.eval", name or "x", samples)
        b = harness.inspect_eval(tmp_path / "b.eval", "other", samples)
        evidence = predictions(a, b)
        assert evidence.columns("labels").predictions.tolist() == [[0, 1, 0, 1]] * 2

    def test_a_zip_with_hostile_members_around_a_log(self, tmp_path: Path) -> None:
        path = harness.inspect_eval(tmp_path / "a.eval", "a", [harness.inspect_sample(1, {"m": 1})])
        names = ["../../header.json", "/etc/passwd", "samples/../../x_epoch_1.json", "inner.zip"]
        header = harness.inspect_header("a", samples=1)
        entries = [Entry(name=name, data=b"[") for name in names]
        entries += [Entry(name="header.json", data=json.dumps(header).encode())]
        summaries = json.dumps([harness.inspect_sample(1, {"m": 1})]).encode()
        entries += [Entry(name="summaries.json", data=summaries)]
        write_zip(path, entries)
        before = sorted(tmp_path.rglob("*"))
        assert predictions(path).n == 1
        assert sorted(tmp_path.rglob("*")) == before
