"""The handle on rows: selections, reductions, thresholds."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.predictions import Predictions, Unpaired
from tests.evidence.forms import Table, predictions, write_csv

TABLE: Table = {
    "y": ["no", "yes", "yes", "no"],
    "a": ["no", "no", "yes", "no"],
    "b": [0.1, 0.5, 0.9, 0.6],
    "c:label": ["yes", "yes", "yes", "no"],
}

MODELS = ["a", "b", "c"]
"""To be said: a file with labels and numbers beside them may hold one model and a measurement."""


@pytest.fixture(params=["memory", "csv"])
def evidence(request: pytest.FixtureRequest, tmp_path: Path) -> Predictions:
    in_file = request.param == "csv"
    return predictions(write_csv(tmp_path / "t.csv", TABLE) if in_file else TABLE, models=MODELS)


class TestContract:
    def test_what_it_says_of_itself(self, evidence: Predictions) -> None:
        assert evidence.models == ("a", "b", "c")
        assert evidence.classes == ("no", "yes")
        assert evidence.positive == "yes"
        assert evidence.offers == {
            "a": {"labels"},
            "b": {"scores", "probabilities"},
            "c": {"labels"},
        }
        assert evidence.n == 4
        assert evidence.clusters is None
        assert not evidence.weighted
        assert evidence.notes == ()

    def test_it_is_frozen_and_short_in_print(self, evidence: Predictions) -> None:
        with pytest.raises(AttributeError):
            evidence.n = 5  # type: ignore[misc]
        assert len(repr(evidence)) < 400


class TestSelect:
    def test_models_in_order(self, evidence: Predictions) -> None:
        chosen = evidence.select("c", "a")
        assert chosen.models == ("c", "a")
        assert set(chosen.offers) == {"c", "a"}
        assert chosen.tally().models == ("c", "a")
        assert chosen.classes == evidence.classes

    def test_refusals(self, evidence: Predictions) -> None:
        with pytest.raises(EvidenceError, match="no model 'z'; there are 'a', 'b', 'c'"):
            evidence.select("z")
        with pytest.raises(EvidenceError, match="no model"):
            evidence.select()
        with pytest.raises(UsageError, match="named twice"):
            evidence.select("a", "a")


class TestTally:
    def test_some_models(self, evidence: Predictions) -> None:
        tally = evidence.tally(["a", "c"])
        assert tally.rows.tolist() == [[0, 0, 0], [0, 0, 1], [1, 0, 1], [1, 1, 1]]
        assert tally.counts.tolist() == [1, 1, 1, 1]

    def test_scores_are_not_labels(self, evidence: Predictions) -> None:
        match = r"model 'b' has probabilities and scores, not labels: .*labels_from_scores"
        with pytest.raises(EvidenceError, match=match):
            evidence.tally()

    @given(
        st.lists(
            st.tuples(st.sampled_from("ab"), st.sampled_from("ab"), st.sampled_from("ab")),
            min_size=1,
        )
    )
    def test_brute_force(self, rows: list[tuple[str, str, str]]) -> None:
        truth, one, two = zip(*rows, strict=True)
        tally = predictions({"y": truth, "m:label": one, "n:label": two}).tally()
        found = {
            tuple(tally.classes[code] for code in row): count
            for row, count in zip(tally.rows.tolist(), tally.counts.tolist(), strict=True)
        }
        assert found == {row: rows.count(row) for row in set(rows)}


class TestColumns:
    def test_labels(self, evidence: Predictions) -> None:
        columns = evidence.columns("labels", ["a", "c"])
        assert columns.models == ("a", "c")
        assert columns.truth.tolist() == [0, 1, 1, 0]
        assert columns.predictions.tolist() == [[0, 0, 1, 0], [1, 1, 1, 0]]
        assert columns.classes == ("no", "yes")
        assert columns.n == 4

    def test_scores(self, evidence: Predictions) -> None:
        columns = evidence.columns("scores", ["b"])
        assert columns.truth.tolist() == [0, 1, 1, 0]
        assert columns.predictions.tolist() == [[0.1, 0.5, 0.9, 0.6]]

    def test_values_are_numbers(self, tmp_path: Path) -> None:
        table: Table = {"y": [0.5, 1e-7, -3.25], "a": [1, 2, 3]}
        for source in (table, write_csv(tmp_path / "t.csv", table)):
            columns = predictions(source, models="a").columns("values")
            assert columns.truth.tolist() == [0.5, 1e-7, -3.25]
            assert columns.predictions.tolist() == [[1.0, 2.0, 3.0]]
            assert columns.truth.dtype == columns.predictions.dtype == np.float64

    def test_refusals(self, evidence: Predictions) -> None:
        with pytest.raises(EvidenceError, match="model 'a' has labels, not losses: give a column"):
            evidence.columns("losses")
        with pytest.raises(UsageError, match="needs is one of labels, scores"):
            evidence.columns("guesses")  # type: ignore[arg-type]


class TestLabelsFromScores:
    def test_the_threshold_belongs_to_the_positive_class(self, evidence: Predictions) -> None:
        made = evidence.labels_from_scores(0.5)
        assert made.offers["b"] == {"labels", "scores", "probabilities"}
        columns = made.columns("labels")
        assert columns.predictions.tolist() == [[0, 0, 1, 0], [0, 1, 1, 1], [1, 1, 1, 0]]
        assert made.tally(["b"]).confusion("b").tolist() == [[1, 1], [0, 2]]
        assert evidence.offers["b"] == {"scores", "probabilities"}

    def test_another_positive_class(self) -> None:
        made = predictions(TABLE, positive="no").labels_from_scores(0.6, ["b"])
        assert made.columns("labels", ["b"]).predictions.tolist() == [[1, 1, 0, 0]]

    def test_probabilities_will_do(self) -> None:
        table = {"y": [0, 1], "a:p(0)": [0.8, 0.3], "a:p(1)": [0.2, 0.7]}
        made = predictions(table).labels_from_scores()
        assert made.tally().confusion("a").tolist() == [[1, 0], [0, 1]]

    def test_refusals(self, evidence: Predictions) -> None:
        with pytest.raises(UsageError, match="threshold is a finite number"):
            evidence.labels_from_scores(float("nan"))
        many = predictions({"y": [0, 1, 2], "a": [0, 1, 1]})
        with pytest.raises(EvidenceError, match="labels of two classes; the truth has 3"):
            many.labels_from_scores()
        losses = predictions({"y": [0, 1], "a:loss": [0.5, 1.0]})
        with pytest.raises(EvidenceError, match="model 'a' has no scores"):
            losses.labels_from_scores()


@pytest.mark.usefixtures("engine")
class TestFilesThatChange:
    def test_a_file_that_grew(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", TABLE)
        evidence = predictions(path, models=MODELS)
        with path.open("a") as stream:
            stream.write("no,no,0.2,no\n".replace("\n", "\r\n"))
        with pytest.raises(EvidenceError, match="changed since it was first read"):
            evidence.columns("scores", ["b"])
        with pytest.raises(EvidenceError, match="changed since it was first read"):
            evidence.labels_from_scores().tally()

    def test_a_label_that_was_not_there(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", TABLE)
        evidence = predictions(path, models=MODELS)
        path.write_bytes(path.read_bytes().replace(b"yes", b"oui"))
        with pytest.raises(EvidenceError, match="a label appeared"):
            evidence.columns("labels", ["a"])

    def test_a_file_that_went_away(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", TABLE)
        evidence = predictions(path, models=MODELS)
        counted = evidence.tally(["a"])
        path.unlink()
        with pytest.raises(EvidenceError, match=r"t\.csv is no longer there"):
            evidence.columns("scores", ["b"])
        assert np.array_equal(evidence.tally(["a"]).counts, counted.counts)


class TestInputIsLeftAlone:
    def test_arrays_are_not_written(self) -> None:
        arrays: dict[str, Any] = {
            "y": np.array([0, 1, 1]),
            "a": np.array([0.0, 1.0, 1.0]),
            "weight": np.array([1.0, 2.0, 3.0]),
        }
        copies = {name: array.copy() for name, array in arrays.items()}
        for array in arrays.values():
            array.setflags(write=False)
        evidence = predictions(arrays)
        evidence.tally()
        evidence.columns("labels")
        assert all(np.array_equal(arrays[name], copies[name]) for name in arrays)


class TestSpill:
    def test_nothing_stays_behind(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "spill"))
        (tmp_path / "spill").mkdir()
        predictions(write_csv(tmp_path / "t.csv", TABLE), models=MODELS).tally(["a"])
        assert list((tmp_path / "spill").iterdir()) == []


class TestFromConfusion:
    def test_one_matrix(self) -> None:
        evidence = Predictions.from_confusion([[50, 10], [5, 35]], classes=["neg", "pos"])
        assert isinstance(evidence, Predictions)
        assert (evidence.n, evidence.classes, evidence.positive) == (100, ("neg", "pos"), "pos")
        assert evidence.tally().confusion("model").tolist() == [[50, 10], [5, 35]]
        assert evidence.summary().description.startswith("100 items × 1 model (model): labels")

    def test_classes_that_never_occur_are_kept(self) -> None:
        evidence = Predictions.from_confusion(np.diag([3, 0, 2]), classes=["c", "b", "a"])
        assert isinstance(evidence, Predictions)
        assert evidence.classes == ("a", "b", "c")
        assert evidence.tally().confusion("model").tolist() == [[2, 0, 0], [0, 0, 0], [0, 0, 3]]

    def test_several_models_are_unpaired(self) -> None:
        matrices = {"x": [[5, 1], [2, 2]], "z": [[6, 0], [1, 3]]}
        evidence = Predictions.from_confusion(matrices)
        assert isinstance(evidence, Unpaired)
        assert evidence.models == ("x", "z")
        assert evidence.parts[1].tally().confusion("z").tolist() == [[6, 0], [1, 3]]
        alone = Predictions.from_confusion({"x": matrices["x"]})
        assert isinstance(alone, Predictions)
        assert alone.models == ("x",)

    def test_large_matrices(self) -> None:
        rng = np.random.default_rng(0)
        matrix = rng.integers(0, 5, (120, 120))
        evidence = Predictions.from_confusion(matrix)
        assert isinstance(evidence, Predictions)
        assert np.array_equal(evidence.tally().confusion("model"), matrix)

    @pytest.mark.parametrize(
        ("matrix", "classes", "match"),
        [
            (
                [[1, 2, 3], [4, 5, 6]],
                None,
                r"a row and a column for each class; got shape \(2, 3\)",
            ),
            ([[1, -2], [3, 4]], None, "whole numbers from 0 up"),
            ([[1, 2.5], [3, 4]], None, "whole numbers from 0 up"),
            ([[1, 2], [3, 4]], ["a"], "2 different classes are needed; got 'a'"),
            ([[1, 2], [3, 4]], ["a", "a"], "2 different classes are needed"),
            ([[0, 0], [0, 0]], None, "no rows of data"),
            ([[1, float("nan")], [3, 4]], None, "missing or infinite cells"),
            ({}, None, "no confusion matrix"),
        ],
    )
    def test_refusals(self, matrix: Any, classes: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            Predictions.from_confusion(matrix, classes)
