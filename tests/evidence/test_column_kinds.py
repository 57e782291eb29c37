"""Labels that are almost classes: recognised, or refused with their place."""

import re
from pathlib import Path

import pytest

from assay.core.errors import EvidenceError
from tests.evidence.forms import predictions


def table(folder: Path, truth: list[str], model: list[str]) -> Path:
    path = folder / "t.csv"
    rows = [f"{y},{m}" for y, m in zip(truth, model, strict=True)]
    path.write_text("\n".join(["y,m", *rows]) + "\n")
    return path


class TestSpellings:
    def test_a_plus_is_no_other_class(self, tmp_path: Path) -> None:
        found = predictions(table(tmp_path, ["0", "1", "1"], ["0", "+1", "-0"]))
        assert found.classes == ("0", "1")
        assert found.tally().confusion("m").tolist() == [[1, 0], [1, 1]]

    @pytest.mark.parametrize("odd", ["01", "1e0", "001"])
    def test_another_spelling_is_refused_with_its_place(self, tmp_path: Path, odd: str) -> None:
        path = table(tmp_path, ["0", "1", "1"], ["0", "1", odd])
        with pytest.raises(EvidenceError, match=rf"'m' of .*: '{odd}' at line 4 .*writes '1'"):
            predictions(path, models="m")

    def test_lost_zeros_are_noticed(self, tmp_path: Path) -> None:
        path = table(tmp_path, ["01", "02", "02"], ["1", "2", "2"])
        with pytest.raises(EvidenceError, match=r"'1' at line 2 .*writes '01'"):
            predictions(path, models="m")

    def test_zeros_that_all_keep_are_classes(self, tmp_path: Path) -> None:
        found = predictions(table(tmp_path, ["01", "02", "02"], ["01", "02", "01"]))
        assert found.classes == ("01", "02")

    def test_two_spellings_in_the_truth(self, tmp_path: Path) -> None:
        path = table(tmp_path, ["0", "1", "01"], ["0", "1", "1"])
        with pytest.raises(EvidenceError, match=r"'y' of .*'1' at line 3 .*several spellings"):
            predictions(path)


class TestStrangeWords:
    @pytest.mark.parametrize("odd", ["inf", "-Infinity", "True", "false"])
    def test_among_numbers(self, tmp_path: Path, odd: str) -> None:
        path = table(tmp_path, ["0", "1", odd], ["0", "1", "1"])
        with pytest.raises(EvidenceError, match=rf"'y' of .*: '{odd}' at line 4 .*among numbers"):
            predictions(path)

    @pytest.mark.parametrize("truth", [["0", "1"], ["cat", "dog"]])
    @pytest.mark.parametrize("odd", ["nan", "NaN", "<NA>", "NaT"])
    def test_missing_values_as_text(self, tmp_path: Path, truth: list[str], odd: str) -> None:
        path = table(tmp_path, [*truth, odd], [*truth, truth[0]])
        said = rf"'{odd}' at line 4 stands for a missing value|1 missing value, the first at line 4"
        with pytest.raises(EvidenceError, match=said):
            predictions(path)

    def test_none_may_be_a_class_among_words(self, tmp_path: Path) -> None:
        assert predictions(table(tmp_path, ["none", "some"], ["none", "none"])).n == 2

    def test_true_and_false_are_classes_by_themselves(self, tmp_path: Path) -> None:
        found = predictions(table(tmp_path, ["true", "False"], ["TRUE", "true"]))
        assert found.classes == ("False", "True")


class TestWeights:
    TRUTH = [0, 1] * 20

    def test_one_heavy_item_is_noted(self) -> None:
        weights = [1.0] * 39 + [1000.0]
        found = predictions({"y": self.TRUTH, "m": self.TRUTH, "weight": weights})
        (one,) = found.notes
        assert one.code == "few-effective"
        assert "40 items count as 1.08" in one.message

    def test_counts_multiply(self) -> None:
        columns = {"y": [0, 1], "m": [0, 1], "weight": [1.0, 10.0], "count": [300, 100]}
        (one,) = predictions(columns).notes
        effective = (300 + 1000) ** 2 / (300 + 10_000)
        assert f"400 items count as {effective:.3g}" in one.message

    def test_even_weights_are_not(self) -> None:
        assert predictions({"y": [0, 1], "m": [0, 1], "weight": [1.0, 2.0]}).notes == ()

    @pytest.mark.parametrize("most", [1e308, 1e-200])
    def test_beyond_squares(self, most: float) -> None:
        columns = {"y": [0, 1], "m": [0, 1], "weight": [most / 10, most]}
        with pytest.raises(
            EvidenceError, match=f"{re.escape(str(most))} at position 1, is beyond what can be sq"
        ):
            predictions(columns, weight="weight")
