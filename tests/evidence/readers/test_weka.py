from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import EvidenceError
from assay.evidence.readers import weka
from assay.evidence.reading import read
from assay.evidence.reading_options import Told
from assay.evidence.scores import Scores
from tests.evidence.readers.classic_results import weka_arff, weka_csv, weka_rows

J48, BAYES = "weka.classifiers.trees.J48", "weka.classifiers.bayes.NaiveBayes"
OPTIONS = "-C 0.25 -M 2"


def results(score: Any = 90.0) -> dict[tuple[str, int, int, str, str], Any]:
    return {
        (dataset, run, fold, scheme, OPTIONS if scheme == J48 else ""): score
        + fold
        + 3 * (scheme == J48)
        for dataset in ("iris", "weather data", "vote", "glass", "labor", "zoo")
        for run in (1, 2)
        for fold in (1, 2, 3)
        for scheme in (J48, BAYES)
    }


class TestRecords:
    @pytest.mark.parametrize("write", [weka_csv, weka_arff])
    def test_csv_and_arff(self, tmp_path: Path, write: Any) -> None:
        path = write(tmp_path / "results.out", weka_rows(results()))
        found = weka.records(path, "results", Told())
        assert len(found) == 72
        assert found[0] == {
            "model": "J48", "measure": "Percent_correct", "score": 94.0, "dataset": "iris",
            "repeat": "1", "fold": "1", "n_train": 135.0, "n_test": 15.0,
        }  # fmt: skip

    def test_read_as_scores_and_compared_over_data_sets(self, tmp_path: Path) -> None:
        evidence = read(weka_csv(tmp_path / "r.csv", weka_rows(results())))
        assert isinstance(evidence, Scores)
        assert (evidence.unit, evidence.n, evidence.models) == ("dataset", 6, ("J48", "NaiveBayes"))
        effect = assay.compare(evidence).verdict.outcome.effect
        assert effect.value == pytest.approx(3.0)

    def test_another_measure(self, tmp_path: Path) -> None:
        path = weka_csv(tmp_path / "r.csv", weka_rows(results()))
        evidence = read(path, measure="Root_mean_squared_error")
        assert isinstance(evidence, Scores)
        assert evidence.measures == ("Root_mean_squared_error",)
        with pytest.raises(EvidenceError, match="no measure 'kappa'; it has 'Percent_correct'"):
            read(path, measure="kappa")

    def test_a_scheme_with_several_options(self, tmp_path: Path) -> None:
        table = {("iris", 1, 1, J48, "-C 0.25"): 90.0, ("iris", 1, 1, J48, "-C 0.5"): 91.0}
        table |= {("iris", 1, 1, "my.own.J48", ""): 80.0}
        found = weka.records(weka_csv(tmp_path / "r.csv", weka_rows(table)), "r", Told())
        assert [record["model"] for record in found] == [
            f"{J48} -C 0.25",
            f"{J48} -C 0.5",
            "my.own.J48",
        ]

    def test_a_score_that_is_not_there_is_left_out(self, tmp_path: Path) -> None:
        table: dict[tuple[str, int, int, str, str], Any] = {("iris", 1, 1, J48, ""): None}
        table |= {("iris", 1, 2, J48, ""): 91.0}
        path = weka_csv(tmp_path / "r.csv", weka_rows(table))
        assert [record["fold"] for record in weka.records(path, "r", Told())] == ["2"]

    def test_a_short_line_is_named(self, tmp_path: Path) -> None:
        path = weka_csv(tmp_path / "r.csv", weka_rows(results()))
        path.write_text(path.read_text() + "iris,1\n")
        with pytest.raises(EvidenceError, match=r"line 74 of r has 2 cells; the header names 12"):
            weka.records(path, "r", Told())

    def test_no_rows(self, tmp_path: Path) -> None:
        with pytest.raises(EvidenceError, match="no rows"):
            weka.records(weka_csv(tmp_path / "r.csv", []), "r", Told())


class TestDataSets:
    def test_one_of_them(self, tmp_path: Path) -> None:
        scores = {
            (dataset, 1, fold, scheme, ""): 90.0 + fold
            for dataset in ("iris", "wine")
            for fold in (1, 2)
            for scheme in ("J48", "ZeroR")
        }
        path = weka_csv(tmp_path / "r.csv", weka_rows(scores))
        found = read(path, task="ir*")
        assert isinstance(found, Scores)
        assert found.unit == "fold"
        with pytest.raises(EvidenceError, match="no data set 'x'; it has 'iris', 'wine'"):
            read(path, task="x")

    def test_evaluate_takes_any_measure(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        path = weka_csv(
            tmp_path / "r.csv", weka_rows({("iris", 1, n, "J48", ""): 9.0 for n in (1, 2)})
        )
        with pytest.raises(SystemExit):
            main(["evaluate", str(path), "--measure", "Root_mean_squared_error", "--format", "csv"])
        assert "0.25" in capsys.readouterr().out
