"""`assay report`, and `assay compare` and `evaluate` of a store."""

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from assay.cli.main import cli
from assay.core.errors import EvidenceError, UsageError
from tests.study.finished import one_dataset, several_datasets


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(cli, list(arguments), catch_exceptions=False)


class TestReport:
    def test_a_page_and_a_document(self, tmp_path: Path) -> None:
        store = one_dataset().store.location
        page = tmp_path / "report.html"
        assert invoke("report", store, "--output", str(page), "--margin", "0.02").exit_code == 0
        assert "Study one</p>" in page.read_text()
        found = json.loads(invoke("report", store, "--format", "json", "--seed", "1").stdout)
        assert (found["kind"], found["name"], found["seed"]) == ("study", "one", 1)

    def test_csv_is_the_scores_themselves(self) -> None:
        result = several_datasets()
        text = invoke("report", result.store.location, "--format", "csv").stdout
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == 4 * 8 * 3 * 2
        assert "fit_wall" not in rows[0]
        assert {row["measure"] for row in rows} == {"accuracy", "mcc"}
        failed = [row for row in rows if row["learner"] == "bad"]
        assert {(row["status"], row["score"]) for row in failed} == {("failed", "")}
        scores = [float(row["score"]) for row in rows if row["measure"] == "mcc" and row["score"]]
        stored = [value for value in result.scores("mcc").values.tolist() if value == value]
        assert scores == stored

    def test_mistakes(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="there is no store"):
            invoke("report", str(tmp_path / "none.db"))
        (tmp_path / "x.db").write_text("not a store")
        with pytest.raises(EvidenceError, match="is not a store of assay"):
            invoke("report", str(tmp_path / "x.db"))
        store = one_dataset().store.location
        with pytest.raises(UsageError, match="is one of the files read"):
            invoke("report", store, "--output", store)


class TestStoresAsEvidence:
    def test_compare_and_evaluate_take_a_store(self) -> None:
        store = several_datasets().store.location
        found = invoke("compare", store, "--measure", "accuracy", "--format", "json")
        assert json.loads(found.stdout)["evidence"]["unit"] == "dataset"
        fold = invoke(
            "compare", store, "--measure", "accuracy", "--task", "toy 2", "--format", "json"
        )
        assert json.loads(fold.stdout)["evidence"]["unit"] == "fold"
        assert "knn" in invoke("evaluate", store).stdout
        with pytest.raises(
            UsageError, match=r"name a measure.*; the scores have accuracy, mcc|Which measure"
        ):
            invoke("compare", store)
