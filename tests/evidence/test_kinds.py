"""Labels that are almost classes: recognised, or refused with their place."""

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
            predictions(path)

    def test_lost_zeros_are_noticed(self, tmp_path: Path) -> None:
        path = table(tmp_path, ["01", "02", "02"], ["1", "2", "2"])
        with pytest.raises(EvidenceError, match=r"'1' at line 2 .*writes '01'"):
            predictions(path)

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
        with pytest.raises(EvidenceError, match=rf"'{odd}' at line 4 stands for a missing value"):
            predictions(path)

    def test_none_may_be_a_class_among_words(self, tmp_path: Path) -> None:
        assert predictions(table(tmp_path, ["none", "some"], ["none", "none"])).n == 2

    def test_true_and_false_are_classes_by_themselves(self, tmp_path: Path) -> None:
        found = predictions(table(tmp_path, ["true", "False"], ["TRUE", "true"]))
        assert found.classes == ("False", "True")
