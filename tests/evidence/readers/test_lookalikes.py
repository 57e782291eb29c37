"""Cells that a reader cannot tell apart, files of one name, numbers of another country."""

from pathlib import Path

import pytest

from assay.core.errors import EvidenceError
from assay.evidence.reading import read
from tests.evidence.forms import predictions, write_csv

COMPOSED, DECOMPOSED = "caf\u00e9", "cafe\u0301"


class TestClasses:
    @pytest.mark.parametrize("form", ["file", "memory"])
    @pytest.mark.parametrize("other", [DECOMPOSED, f"\t{DECOMPOSED}"])
    def test_a_predicted_class_that_only_looks_like_one(
        self, tmp_path: Path, form: str, other: str
    ) -> None:
        rows = {"y": [COMPOSED, "bar", "bar"], "m": [COMPOSED, other, "bar"]}
        source = write_csv(tmp_path / "t.csv", rows) if form == "file" else rows
        with pytest.raises(EvidenceError, match=r"looks like the class 'caf\\xe9'.*Unicode"):
            read(source)

    @pytest.mark.parametrize("form", ["file", "memory"])
    def test_blanks_and_capitals_do_not_matter(self, tmp_path: Path, form: str) -> None:
        rows = {"y": [COMPOSED, "bar", "bar"], "m": [f"{COMPOSED} ", "Bar", "bar"]}
        source = write_csv(tmp_path / "t.csv", rows) if form == "file" else rows
        assert predictions(source).tally().confusion("m").tolist() == [[2, 0], [0, 1]]

    def test_two_classes_of_the_truth(self) -> None:
        rows = {"y": [COMPOSED, DECOMPOSED, "bar"], "m": ["bar", "bar", "bar"]}
        with pytest.raises(EvidenceError, match="looks like the class"):
            read(rows)

    @pytest.mark.parametrize("form", ["file", "memory"])
    def test_labels_of_an_item_have_no_order(self, tmp_path: Path, form: str) -> None:
        rows = {"y": ["bird;dog", "cat", "bird;dog"], "m": ["bird;dog", "cat", "dog; bird"]}
        for given in (rows, {"y": rows["m"], "m": rows["y"]}):
            source = write_csv(tmp_path / "t.csv", given) if form == "file" else given
            with pytest.raises(EvidenceError, match="differ in spaces, in the order of labels"):
                read(source)
        pairs = ["part(e1,e2)", "part(e2,e1)", "cat"]
        assert len(predictions({"y": pairs, "m": pairs}).classes) == 3

    def test_classes_of_the_truth_may_differ_by_spaces(self) -> None:
        rows = {"y": ["a", "a ", "b"], "m": ["a ", "a", "b"]}
        assert predictions(rows).classes == ("a", "a ", "b")

    def test_a_new_class_is_no_lookalike(self) -> None:
        assert predictions({"y": ["a", "b"], "m": ["a", "c"]}).classes == ("a", "b", "c")


class TestHints:
    def test_decimals_with_a_comma(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_text("id;y;s\n1;0;0,25\n2;1;0,75\n")
        assert predictions(path).columns("scores").predictions.tolist() == [[0.25, 0.75]]

    def test_yes_and_no_beside_one_and_nought(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": [0, 1], "m": ["no", "yes"]})
        assert predictions(path).tally().confusion("m").tolist() == [[1, 0], [0, 1]]

    def test_classes_of_another_kind(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "t.csv", {"y": [0, 1], "m": ["left", "right"]})
        with pytest.raises(EvidenceError, match="write its classes as the truth does"):
            read(path, truth="y", models="m")


class TestFilesOfOneName:
    ROWS: dict[str, list[int]] = {"id": [1, 2], "y": [0, 1], "prediction": [0, 1]}  # noqa: RUF012

    def test_are_told_apart_by_their_folders(self, tmp_path: Path) -> None:
        for folder in ("a/run", "b/run"):
            (tmp_path / folder).mkdir(parents=True)
            write_csv(tmp_path / folder / "preds.csv", self.ROWS)
        found = predictions(tmp_path / "a/run/preds.csv", tmp_path / "b/run/preds.csv")
        assert found.models == ("a/run/preds", "b/run/preds")

    def test_or_by_their_endings(self, tmp_path: Path) -> None:
        one, other = tmp_path / "preds.csv", tmp_path / "preds.txt"
        for path in (one, other):
            write_csv(path, self.ROWS)
        assert predictions(one, other).models == ("preds.csv", "preds.txt")

    def test_one_file_twice_is_refused(self, tmp_path: Path) -> None:
        path = write_csv(tmp_path / "preds.csv", self.ROWS)
        with pytest.raises(EvidenceError, match="both have a model"):
            read(path, path)
