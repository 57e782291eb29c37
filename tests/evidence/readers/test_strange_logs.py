"""Strange logs: a bounded run of the fuzzer, and what it and its kin found, each made small.

All of these ended in an error of Python, or took very long.
"""

import gzip
import json
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import openpyxl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from assay.core.errors import AssayError, EvidenceError
from assay.evidence.readers import log_files, workbooks
from assay.evidence.reading import read
from assay.evidence.scores import Scores
from tests.evidence.forms import predictions
from tests.evidence.readers.code_logs import human_eval
from tests.evidence.readers.harness_logs import (
    eee_files,
    eee_row,
    helm_record,
    helm_run,
    helm_stat,
    inspect_json,
    inspect_sample,
    lm_eval_run,
    lm_sample,
    lm_samples,
    write_lines,
)
from tools.fuzz.logs import opened

HALF = "half \ud83d"


def written(path: Path, value: Any) -> Path:
    path.write_text(json.dumps(value))
    return path


def test_no_door_breaks(tmp_path: Path) -> None:
    """`python -m tools.fuzz --door logs` tries more."""
    found = [tried for tried in map(opened(tmp_path, 11), range(150)) if tried.found]
    assert found == []


class TestHalfCharacters:
    """A text that was cut in the middle of an emoji, which JSON escapes and UTF-8 cannot hold."""

    def test_in_names_and_texts_of_a_log(self, tmp_path: Path) -> None:
        lines = [lm_sample(n, {HALF: float(n % 2)}, document={"q": f"{n}{HALF}"}) for n in range(4)]
        for line in lines:
            line["doc_hash"] = ""
        a, b = (tmp_path / f"{name}.jsonl" for name in "ab")
        for path in (a, b):
            path.write_text("".join(json.dumps(line) + "\n" for line in lines))
        evidence = predictions(a, b)
        assert evidence.columns("labels").predictions.tolist() == [[0, 1, 0, 1]] * 2
        assert "half \ufffd" in evidence.summary().description
        evidence.summary().description.encode()

    def test_in_the_names_of_a_table(self, tmp_path: Path) -> None:
        path = tmp_path / "a.jsonl"
        path.write_text("".join(json.dumps({"truth": n % 2, HALF: 1}) + "\n" for n in range(4)))
        with pytest.raises(EvidenceError, match="half a character"):
            predictions(path, truth="truth")

    def test_in_the_name_of_a_model(self, tmp_path: Path) -> None:
        path = inspect_json(tmp_path / "a.json", HALF, [inspect_sample(1, {"m": 1})])
        assert predictions(path).models == ("half \ufffd",)

    def test_a_whole_character_stays(self, tmp_path: Path) -> None:
        path = inspect_json(tmp_path / "a.json", f"😀 {HALF}", [inspect_sample(1, {"m": 1})])
        assert predictions(path).models == ("😀 half \ufffd",)


class TestValuesOfAnotherKind:
    @pytest.mark.parametrize("value", [[], {}, {"id": [1]}, [None]])
    def test_lists_where_metrics_are_named(self, tmp_path: Path, value: Any) -> None:
        line = {**lm_sample(0, {"acc": 1.0}), "metrics": [value, "acc"]}
        assert predictions(write_lines(tmp_path / "a.jsonl", [line]), metric="acc").n == 1

    @pytest.mark.parametrize("value", [[1], {"a": 1}, "high"])
    def test_a_statistic_of_helm(self, tmp_path: Path, value: Any) -> None:
        stat = {**helm_stat("exact_match", 1.0), "mean": value}
        folder = helm_run(tmp_path, "a", [helm_record("id1", [stat])])
        with pytest.raises(
            EvidenceError, match=r"instance 'id1' of .*'exact_match': .* is not a score"
        ):
            read(folder)

    def test_weights_beyond_all_numbers(self, tmp_path: Path) -> None:
        lines = lm_samples([[1e308, 1e-308], [-3.0, 2]], "word_perplexity")
        folder = lm_eval_run(tmp_path, "a", {"t": lines}, averages={"word_perplexity,none": 2.0})
        with pytest.raises(EvidenceError, match="the score is infinite"):
            read(folder)
        assert predictions(folder, unscored="drop").n == 1

    def test_a_huge_whole_number(self, tmp_path: Path) -> None:
        lines = lm_samples([[10**400, 2], [-3.0, 2]], "word_perplexity")
        with pytest.raises(AssayError):
            read(lm_eval_run(tmp_path, "a", {"t": lines}))

    @pytest.mark.parametrize(
        "column", [True, 3, "x", [0.5], [0.5, 0.5, 0.5], {"a": {"b": [1]}}, [[1], [2]], None]
    )
    def test_columns_of_a_search(self, tmp_path: Path, column: Any) -> None:
        results = {
            "mean_fit_time": [1, 1],
            "params": [{"C": 1}, {"C": 2}],
            "split0_test_score": column,
            "split1_test_score": [0.5, 0.75],
        }
        with pytest.raises(EvidenceError, match=r"split0_test_score is a list of 2|no number"):
            read(written(tmp_path / "s.json", results))

    def test_parameters_that_are_no_keys(self, tmp_path: Path) -> None:
        results = {"mean_fit_time": [1], "params": ["{[]: 1}"], "split0_test_score": [0.5]}
        found = read(written(tmp_path / "s.json", {**results, "split1_test_score": [1]}))
        assert isinstance(found, Scores)
        assert found.models == ("{[]: 1}",)

    @pytest.mark.parametrize(
        "indices", [3, {}, {"test": 1, "train": 2}, {"test": [["a"]], "train": []}]
    )
    def test_indices_of_splits(self, tmp_path: Path, indices: Any) -> None:
        one = {"fit_time": [1, 1], "score_time": [1, 1], "test_score": [0.5, 1], "indices": indices}
        with pytest.raises(EvidenceError, match="indices of splits are lists of row numbers"):
            read(written(tmp_path / "s.json", {"a": one, "b": one}))

    def test_indices_of_fewer_splits(self, tmp_path: Path) -> None:
        one = {"fit_time": [1, 1], "score_time": [1, 1], "test_score": [0.5, 1]}
        one["indices"] = {"test": [[0]], "train": [[1]]}
        with pytest.raises(EvidenceError, match="2 splits, and indices of 1"):
            read(written(tmp_path / "s.json", {"a": one, "b": one}))

    def test_a_split_of_a_billion(self, tmp_path: Path) -> None:
        results = {"fit_time": [1], "mean_fit_time": [1], "params": [{}], "score_time": [1]}
        path = written(tmp_path / "s.json", {**results, "split999999999_test_score": [0.5]})
        with pytest.raises(AssayError):
            read(path)


class TestNesting:
    def test_questions_within_questions(self, tmp_path: Path) -> None:
        """Deep enough to be decoded and too deep to be looked through."""
        for depth in range(300, 1000, 100):
            question: Any = "?"
            for _ in range(depth):
                question = [question]
            sample = {**inspect_sample(1, {"m": 1}), "metadata": {"topic": question}}
            path = inspect_json(tmp_path / "a.json", "a", [sample])
            with suppress(EvidenceError):  # a RecursionError is none
                predictions(path, cluster="topic")


class TestBounds:
    @pytest.mark.parametrize(
        "data",
        [
            b" " * 2**16 + b"x",
            b"%\n" * 2**15,
            b'{"results":{"' + b"," * 2**16,
            b'{"results":{' + b'"' * 2**16,
            b"@relation r\n@attribute row_id numeric\n@attribute prediction string\n"
            b"@attribute truth string\n@data\na" + b" " * 2**20 + b"'\n",
        ],
        ids=["spaces", "comments", "commas", "quotes", "cell"],
    )
    def test_no_pattern_goes_back_and_forth(self, tmp_path: Path, data: bytes) -> None:
        path = tmp_path / "a.json"
        path.write_bytes(data)
        begun = time.process_time()
        with pytest.raises(AssayError):
            read(path)
        assert time.process_time() - begun < 3

    def test_lines(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(log_files, "MAX_LINES", 1000)
        path = human_eval(tmp_path / "a.jsonl", {"t": [True] * 1001})
        packed = tmp_path / "b.jsonl.gz"
        packed.write_bytes(gzip.compress(path.read_bytes()))
        for one in (path, packed):
            with pytest.raises(EvidenceError, match="more than 1,000 lines"):
                read(one)

    def test_rows_of_a_parquet_file(self, tmp_path: Path) -> None:
        """Twenty million equal rows take a fifth of a megabyte."""
        path = tmp_path / "details.parquet"
        names = {"doc": '{"query": "q"}', "metric": '{"em": 1}', "model_response": ""}
        equal = {
            name: pa.DictionaryArray.from_arrays(pa.array([0] * 1_000_000, pa.int8()), [text])
            for name, text in names.items()
        }
        pq.write_table(pa.concat_tables([pa.table(equal)] * 20), path)
        assert path.stat().st_size < 1_000_000
        with pytest.raises(EvidenceError, match="has 20,000,000 rows; of such a file 2,000,000"):
            read(path)

    def test_a_metric_in_every_line(self, tmp_path: Path) -> None:
        lines = [lm_sample(n, {f"m{n}": 1.0}) for n in range(10_001)]
        with pytest.raises(EvidenceError, match="more than 10,000 metrics"):
            read(write_lines(tmp_path / "a.jsonl", lines))

    def test_a_model_in_every_line(self, tmp_path: Path) -> None:
        rows = [eee_row("1", 1.0, model=f"m{n}") for n in range(10_001)]
        with pytest.raises(EvidenceError, match="more than 10,000 models"):
            read(eee_files(tmp_path, "u", rows, aggregate=False))

    def test_a_score_of_many_parts(self, tmp_path: Path) -> None:
        samples = [inspect_sample(n, {"m": [1.0] * 50_000}) for n in range(2)]
        path = inspect_json(tmp_path / "a.json", "a", samples)
        begun = time.process_time()
        assert predictions(path, metric="m/49999").n == 2
        assert time.process_time() - begun < 5

    def test_the_name_of_a_model(self, tmp_path: Path) -> None:
        path = inspect_json(tmp_path / "a.json", "x" * 70_000, [inspect_sample(1, {"m": 1})])
        with pytest.raises(EvidenceError, match="name has 70,000 letters"):
            read(path)
        results = {"mean_fit_time": [1], "split0_test_score": [0.5], "split1_test_score": [0.5]}
        with pytest.raises(EvidenceError, match="name has 70,002 letters"):
            read(written(tmp_path / "s.json", {**results, "params": [{"C": "x" * 70_000}]}))

    def test_cells_of_a_workbook(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(workbooks, "MOST_CELLS", 1000)
        book = openpyxl.Workbook()
        book.active.append(["truth", "a"])
        book.active["A900"], book.active["B900"] = 1, 1
        book.save(tmp_path / "w.xlsx")
        with pytest.raises(EvidenceError, match="has more than 1,000 cells; save it as CSV"):
            read(tmp_path / "w.xlsx")
