from pathlib import Path

import pytest

import assay
from assay.core.errors import EvidenceError
from assay.evidence.readers.arff import read_arff
from assay.evidence.reading import read
from tests.evidence.forms import predictions
from tests.evidence.readers.classic_results import openml_predictions

S, V = "setosa", "versi color"
ROWS = [(0, 0, 3, S, S), (0, 0, 1, V, S), (0, 1, 0, V, V), (0, 1, 2, S, V)]


class TestPredictions:
    def test_labels_confidences_and_folds(self, tmp_path: Path) -> None:
        evidence = predictions(openml_predictions(tmp_path / "svm.arff", ROWS))
        assert evidence.models == ("svm",)
        assert evidence.classes == (S, V)
        assert evidence.offers["svm"] == {"labels", "probabilities"}
        assert evidence.positive is None  # nothing says which of two species is looked for
        columns = evidence.columns("labels")
        assert columns.truth.tolist() == [0, 0, 1, 1]
        assert columns.predictions.tolist() == [[0, 1, 1, 0]]
        assert columns.folds is not None
        assert columns.folds.tolist() == [0, 0, 1, 1]

    def test_two_runs_are_joined_by_row(self, tmp_path: Path) -> None:
        a = openml_predictions(tmp_path / "a.arff", ROWS)
        b = openml_predictions(
            tmp_path / "b.arff", [(r, f, i, t, t) for r, f, i, _, t in ROWS[::-1]]
        )
        result = assay.compare(read(a, b))
        assert [estimate.value for estimate in result.estimates] == [0.5, 1.0]

    def test_repeats_make_rows_clusters(self, tmp_path: Path) -> None:
        again = [(1, fold, row, p, t) for _, fold, row, p, t in ROWS]
        evidence = predictions(openml_predictions(tmp_path / "a.arff", ROWS + again))
        assert (evidence.n, evidence.clusters) == (8, 4)

    def test_files_of_one_name_are_named_by_their_folders(self, tmp_path: Path) -> None:
        paths = []
        for run in ("run_1", "run_2"):
            (tmp_path / run).mkdir()
            paths.append(openml_predictions(tmp_path / run / "predictions.arff", ROWS))
        assert predictions(*paths).models == ("run_1/predictions", "run_2/predictions")
        assert predictions(*paths, models=["x", "y"]).models == ("x", "y")
        with pytest.raises(EvidenceError, match="names 1 models for 2 files"):
            read(*paths, models=["x"])

    def test_numbers_to_be_predicted(self, tmp_path: Path) -> None:
        lines = ["@relation r", "@attribute row_id numeric", "@attribute fold numeric"]
        lines += ["@attribute prediction numeric", "@attribute truth numeric", "@data"]
        path = tmp_path / "a.arff"
        path.write_text("\n".join([*lines, "0,0,1.5,1", "1,1,2.5,2.25"]))
        assert predictions(path).columns("values").truth.tolist() == [1, 2.25]

    def test_missing_confidences_leave_labels(self, tmp_path: Path) -> None:
        path = openml_predictions(tmp_path / "a.arff", ROWS)
        path.write_text(path.read_text().replace("0.75,0.25", "?,0.25", 1))
        assert predictions(path).offers["a"] == {"labels"}

    def test_no_truth(self, tmp_path: Path) -> None:
        path = openml_predictions(tmp_path / "a.arff", ROWS)
        path.write_text(path.read_text().replace("@ATTRIBUTE correct", "@ATTRIBUTE x"))
        with pytest.raises(EvidenceError, match="none of the columns truth, correct"):
            read(path)


class TestArff:
    def test_quotes_escapes_comments_and_missing_cells(self, tmp_path: Path) -> None:
        path = tmp_path / "a.arff"
        path.write_text(
            "% about\n\n@RELATION 'a b'\n@Attribute 'it\\'s' string\n@attribute \"q r\" {x, 'y z'}\n"
            "@attribute n real\n@DATA\n% inside\n'a, b' , \"c\\\"d\", 1\n?,x,?\n'','y z',2.5\n"
        )
        found = read_arff(path, "a")
        assert found.names == ("it's", "q r", "n")
        assert found.rows == (("a, b", 'c"d', "1"), (None, "x", None), ("", "y z", "2.5"))

    @pytest.mark.parametrize(
        ("line", "complaint"),
        [
            ("1", "line 5 of a has 1 cells; the header names 2"),
            ("1,2,3", "line 5 of a has 3 cells; the header names 2"),
            ("'1,2", "line 5 of a has a quote that is not closed"),
            ("{0 1}", "line 5 of a is sparse"),
        ],
    )
    def test_bad_rows(self, tmp_path: Path, line: str, complaint: str) -> None:
        path = tmp_path / "a.arff"
        path.write_text(f"@relation r\n@attribute a real\n@attribute b real\n@data\n{line}\n")
        with pytest.raises(EvidenceError, match=complaint):
            read_arff(path, "a")

    def test_no_rows(self, tmp_path: Path) -> None:
        path = tmp_path / "a.arff"
        path.write_text("@relation r\n@attribute a real\n@data\n")
        with pytest.raises(EvidenceError, match="no rows of data"):
            read_arff(path, "a")

    def test_a_name_twice(self, tmp_path: Path) -> None:
        path = tmp_path / "a.arff"
        path.write_text("@relation r\n@attribute a real\n@attribute a real\n@data\n1,2\n")
        with pytest.raises(EvidenceError, match="names an attribute twice"):
            read_arff(path, "a")


class TestNumbers:
    def regression(self, path: Path, kind: str) -> Path:
        lines = ["@RELATION r", *(f"@ATTRIBUTE {n} NUMERIC" for n in ("repeat", "fold", "row_id"))]
        lines += [f"@ATTRIBUTE prediction {kind}", f"@ATTRIBUTE truth {kind}", "@DATA"]
        lines += [f"0,{n % 2},{n},{n + 0.5},{n}.0" for n in range(8)]
        path.write_text("\n".join(lines))
        return path

    @pytest.mark.parametrize("kind", ["NUMERIC", "REAL", "real [0, 9]"])
    def test_declared_numbers_are_predicted_although_all_are_whole(
        self, tmp_path: Path, kind: str
    ) -> None:
        path = self.regression(tmp_path / "a.arff", kind)
        evidence = predictions(path)
        assert evidence.classes == ()
        assert assay.evaluate(evidence, measures=("mse",)).estimates[0].value == 0.25

    def test_whole_numbers_declared_as_text_are_classes(self, tmp_path: Path) -> None:
        path = self.regression(tmp_path / "a.arff", "STRING")
        assert len(predictions(path).classes) > 8
