"""Tables as people write them give the numbers that were meant."""

from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from assay.core.errors import EvidenceError
from assay.evidence.readers.layout import with_percent_columns
from assay.evidence.readers.source_tables import SourceTable, open_sources
from assay.evidence.readers.table_cleaning import tidied
from assay.evidence.reading_options import Told


def table(**columns: Any) -> SourceTable:
    (found,) = open_sources([{name: list(cells) for name, cells in columns.items()}])
    return found


def numbers(given: SourceTable, name: str, **options: Any) -> list[float]:
    found = tidied(given, Told.of(options))
    assert not found.questions
    return [float(cell) for cell in found.table.arrays[name].tolist()]


class TestTidied:
    def test_plain_numbers_stay_as_they_are(self) -> None:
        given = table(a=[0.5, 0.6], b=["x", "y"])
        found = tidied(given, Told())
        assert found.table is given
        assert found.questions == []

    def test_decimal_commas(self) -> None:
        assert numbers(table(a=["0,68", "0,7"]), "a") == [0.68, 0.7]

    def test_per_cent_signs(self) -> None:
        assert numbers(table(a=["68.1%", "70%"]), "a") == pytest.approx([0.681, 0.7], rel=1e-15)

    def test_a_mean_with_its_spread(self) -> None:
        found = tidied(table(a=["0.68 ± 0.02", "0.7"], b=[0.1, 0.2]), Told()).table
        assert found.arrays["a"].tolist() == [0.68, 0.7]
        assert found.names == ("a", "b", "a_sd")
        assert np.isnan(found.arrays["a_sd"][1])
        assert found.arrays["a_sd"][0] == 0.02

    def test_words_for_nothing_among_numbers(self) -> None:
        first, second = numbers(table(a=["0.5", "pending"]), "a")
        assert first == 0.5
        assert np.isnan(second)

    def test_columns_told_to_be_in_per_cent(self) -> None:
        assert numbers(table(a=[81.0, 0.0], b=[0.8, 0.7]), "a", percent="a") == [0.81, 0.0]

    def test_signs_and_option_together_divide_once(self) -> None:
        assert numbers(table(a=["81%", "90%"]), "a", percent="a") == [0.81, 0.9]

    def test_what_was_put_together_on_purpose_stays_so(self) -> None:
        given = table(a=["0,68", "0,7"])
        assert tidied(given, Told()).table.deliberate == given.deliberate


class TestFoot:
    SETS = ("w", "x", "y", "z")

    @pytest.mark.parametrize("name", ["Average", "Avg. Acc.", "", "the whole lot"])
    def test_a_row_of_means_is_left_out(self, name: str) -> None:
        """By its name, or because it is the mean of those above in every column."""
        given = table(
            set=[*self.SETS, name],
            a=[0.112, 0.437, 0.205, 0.914, 0.417],
            b=[0.301, 0.113, 0.254, 0.888, 0.389],
        )
        found = tidied(given, Told())
        assert found.summary_rows == [name or "without a name"]
        assert found.table.arrays["a"].tolist() == [0.112, 0.437, 0.205, 0.914]

    def test_words_in_it_do_not_spoil_a_column(self) -> None:
        given = table(set=[*self.SETS, "Mean", "W/T/L"], a=["1", "2", "3", "5", "2.75", "3/0/1"])
        assert numbers(given, "a") == [1, 2, 3, 5]

    @pytest.mark.parametrize("said", [{"correct": True}, {"unit": "item"}, {"losses": True}])
    def test_items_are_never_left_out(self, said: dict[str, Any]) -> None:
        given = table(word=[*self.SETS, "mean"], a=[1, 0, 1, 1, 0])
        assert tidied(given, Told.of(said)).table is given

    def test_a_row_like_the_others_stays(self) -> None:
        """Ranks: their median stands in the table more than once."""
        given = table(set=["u", *self.SETS], a=[1, 1, 2, 1, 1], b=[2, 2, 1, 2, 2])
        assert not tidied(given, Told()).summary_rows


class TestFailures:
    GIVEN: ClassVar[dict[str, list[Any]]] = {
        "set": list("stuvwxyz"),
        "a": [0.5] * 8,
        "b": [0.4, -1, *[0.6] * 6],
    }

    def test_are_asked_about(self) -> None:
        (question,) = tidied(table(**self.GIVEN), Told()).questions
        assert "-1 in column 'b'" in question.text
        assert [one.option for one in question.answers] == ["--missing complete"]

    def test_are_gaps_where_the_rule_is_told(self) -> None:
        found = numbers(table(**self.GIVEN), "b", missing="complete")
        assert np.isnan(found[1])
        assert np.isfinite(np.delete(found, 1)).all()

    @pytest.mark.parametrize("value", [-0.2, -1.5, 0.0])
    def test_other_numbers_are_scores(self, value: float) -> None:
        given = table(**self.GIVEN | {"b": [0.4, value, *[0.6] * 6]})
        assert tidied(given, Told()).table is given


class TestIndicators:
    def test_one_column_of_classes(self) -> None:
        given = table(true_cat=[1, 0, 0], true_dog=[0, 1, 1], rf=["cat", "dog", "cat"])
        found = tidied(given, Told())
        assert found.table.arrays["true"].tolist() == ["cat", "dog", "dog"]
        assert set(found.explained) == {"true_cat", "true_dog"}

    @pytest.mark.parametrize("second", [[0, 1, 0], [1, 1, 1]])
    def test_rows_with_none_or_two_are_left_alone(self, second: list[int]) -> None:
        given = table(true_cat=[1, 0, 0], true_dog=second, rf=["cat", "dog", "cat"])
        assert not tidied(given, Told()).explained


class TestSpelling:
    @pytest.mark.parametrize(
        ("truth", "given", "meant"),
        [
            (["Yes", "No"], ["yes", "no"], ["Yes", "No"]),
            (["cat", "dog"], ["cat ", "dog "], ["cat", "dog"]),
            ([1, 0], [True, False], ["1", "0"]),
            ([1, 0], ["yes", "no"], ["1", "0"]),
        ],
    )
    def test_as_the_truth_is_spelt(self, truth: Any, given: Any, meant: Any) -> None:
        found = tidied(table(truth=truth, a=given), Told())
        assert found.table.arrays["a"].tolist() == meant

    def test_classes_that_differ_by_a_capital_stay(self) -> None:
        given = table(truth=["a", "A", "b"], m=["A", "B", "b"])
        assert tidied(given, Told()).table is given


class TestQuestions:
    def test_a_thousand_or_a_fraction(self) -> None:
        given = table(a=["1,234", "2,345"])
        (question,) = tidied(given, Told()).questions
        assert question.code == "decimal"
        assert "'1,234' in column 'a'" in question.text
        values = [numbers(given, "a", **answer.arguments) for answer in question.answers]
        assert values == [[1.234, 2.345], [1234.0, 2345.0]]


class TestRefusals:
    def test_a_column_that_is_not_there(self) -> None:
        with pytest.raises(EvidenceError, match="no column or model 'z' to be in per cent"):
            with_percent_columns([table(a=[1.0])], Told.of({"percent": "z"}))


class TestMoreRowsThanAreLookedAt:
    """Profiles see a sample; what is written anew is written for every row."""

    N = 2_000

    def test_counts_become_shares_in_every_row(self) -> None:
        correct, total = np.arange(self.N) % 7, np.full(self.N, 10)
        found = tidied(table(correct=correct, total=total), Told())
        np.testing.assert_allclose(found.table.arrays["correct"], correct / 10)

    def test_another_unit_far_down_is_refused(self) -> None:
        cells = [f"{place / 10:.1f} kg" for place in range(self.N)]
        cells[1_500] = "5 g"
        assert "5 g" not in table(a=cells).profiles()["a"].cells
        with pytest.raises(EvidenceError, match="'5 g' is not in kg"):
            tidied(table(a=cells), Told())

    def test_a_model_is_divided_in_every_row(self) -> None:
        models, scores = ["a", "b"] * (self.N // 2), np.linspace(1, 90, self.N)
        found = tidied(table(model=models, bleu=scores), Told.of({"percent": "b"}))
        np.testing.assert_allclose(found.table.arrays["bleu"][1::2], scores[1::2] / 100)
        np.testing.assert_allclose(found.table.arrays["bleu"][::2], scores[::2])


class TestCommasInALargeFile:
    """Commas of a file that the engine has parsed become points there, unless a cell is written otherwise."""

    N = 30_000

    def written(self, folder: Path, **at: str) -> Path:
        rng = np.random.default_rng(3)
        rows = np.round(rng.normal(20.0, 5.0, (self.N, 3)), 3)
        lines = [";".join(f"{value:.3f}" for value in row).replace(".", ",") for row in rows]
        for place, cells in at.items():
            lines[int(place.removeprefix("row"))] = cells
        file = folder / "commas.csv"
        file.write_text("\n".join(["truth;a;b", *lines]) + "\n")
        return file

    def test_they_are_the_numbers_of_the_same_file_with_points(self, tmp_path: Path) -> None:
        file = self.written(tmp_path)
        other = tmp_path / "points.csv"
        other.write_text(file.read_text().replace(",", ".").replace(";", ","))
        (parsed,) = open_sources([file])
        found = tidied(parsed, Told()).table
        assert found.file is not None  # it did not come into memory
        (plain,) = open_sources([other])
        for name in ("truth", "a", "b"):
            (ours,), (theirs,) = (one.rows([name]).numbers([name]) for one in (found, plain))
            np.testing.assert_array_equal(ours, theirs)

    @pytest.mark.parametrize("cells", ["1.234,5;2,5;3,5", ";2,5;3,5"])
    def test_a_cell_that_is_written_otherwise_is_read_as_before(
        self, tmp_path: Path, cells: str
    ) -> None:
        (parsed,) = open_sources([self.written(tmp_path, row20000=cells)])
        found = tidied(parsed, Told()).table
        assert found.file is None
        read = found.arrays["truth"][20_000]
        assert np.isnan(read) if cells.startswith(";") else read == 1234.5


def test_rows_that_only_repeat_the_names_are_no_data() -> None:
    found = tidied(table(lr=["lr", "lr"], rf=["rf", "rf"]), Told())
    assert [array.size for array in found.table.arrays.values()] == [0, 0]
