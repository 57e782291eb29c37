"""Ratings from tables: wide and long, missing ones, and refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError
from assay.evidence.method_arguments import arguments_of
from assay.evidence.method_source import SourceOptions
from assay.evidence.ratings import Ratings, as_ratings

METHOD = assay.catalogue()["krippendorff_alpha"]


def read(source: Any, **asked: Any) -> Ratings:
    (found,), _, _ = arguments_of(METHOD, [source], SourceOptions(**asked))
    return as_ratings(found)


class TestWide:
    def test_ids_are_no_raters(self, tmp_path: Path) -> None:
        path = tmp_path / "ratings.csv"
        path.write_text("item,ann,bob,cy\n1,good,good,\n2,bad,good,bad\n3,,,bad\n")
        found = read(path)
        assert found.categories == ("bad", "good")
        assert found.raters == 3
        assert found.given.tolist() == [2, 3, 1]
        assert sorted(found.codes[1].tolist()) == [0, 0, 1]
        assert read(path, columns=("ann", "bob")).raters == 2

    def test_words_for_missing_among_numbers_only(self) -> None:
        numbers = as_ratings([["1", "NA"], ["2", "*"], ["2.0", "1"]])
        assert numbers.categories == ("1", "2")
        assert numbers.given.tolist() == [1, 1, 2]
        words = as_ratings([["none", "some"], ["none", "none"]])
        assert words.categories == ("none", "some")

    def test_one_number_in_two_spellings(self) -> None:
        codes, values = as_ratings([["01", "1"], ["2", "2"]]).numbers()
        assert values.tolist() == [1.0, 2.0]
        assert np.sort(codes, axis=1).tolist() == [[0, 0], [1, 1]]

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"id": [1, 2], "r": [1, 2]}, "needs two raters or more"),
            (
                {"a": ["x"], "b": ["y"], "winner": ["x"]},
                "preferences are compared by bradley_terry",
            ),
            ({"fold": [1, 2], "a": [0.5, 0.4], "b": [0.3, 0.2]}, "a row per item"),
        ],
    )
    def test_refused(self, columns: Any, message: str) -> None:
        with pytest.raises(AssayError, match=message) as error:
            read(columns)
        assert "assay.krippendorff_alpha(" in str(error.value)

    def test_a_header_alone(self, tmp_path: Path) -> None:
        path = tmp_path / "empty.csv"
        path.write_text("ann,bob\n")
        with pytest.raises(EvidenceError, match="no rows of data"):
            read(path)

    def test_columns_that_are_not_there(self) -> None:
        with pytest.raises(EvidenceError, match="no column 'zoe'"):
            read({"ann": [1, 2], "bob": [1, 2]}, columns=("ann", "zoe"))


class TestLong:
    ROWS: dict[str, list[Any]] = {  # noqa: RUF012
        "prompt_id": ["p", "p", "q", "q", "q"],
        "judge": ["x", "y", "x", "y", "z"],
        "score": [3, 4, 1, 1, None],
    }

    def test_recognised(self) -> None:
        found = read(self.ROWS)
        assert found.categories == ("1", "3", "4")
        assert found.given.tolist() == [2, 2]
        assert found.raters == 3

    def test_twice(self) -> None:
        rows = {name: [*values, values[0]] for name, values in self.ROWS.items()}
        with pytest.raises(EvidenceError, match="2 ratings of item 'p' by 'x'"):
            read(rows)

    def test_without_a_rater(self) -> None:
        rows = {**self.ROWS, "judge": ["x", None, "x", "y", "z"]}
        with pytest.raises(EvidenceError, match="ratings without rater"):
            read(rows)

    def test_unequal(self) -> None:
        with pytest.raises(EvidenceError, match="equal length"):
            as_ratings([1, 2], ["a", "b"], [1])

    def test_no_counts(self) -> None:
        with pytest.raises(EvidenceError, match="column per category"):
            as_ratings(read(self.ROWS), counts=True)


class TestCounts:
    def test_names_are_categories(self) -> None:
        (sheet,), _, _ = arguments_of(
            METHOD, [{"id": [1, 2], "2": [3, 0], "5": [1, 4]}], SourceOptions()
        )
        found = as_ratings(sheet, counts=True)
        assert found.categories == ("2", "5")
        assert found.numbers()[1].tolist() == [2.0, 5.0]
        assert found.given.tolist() == [4, 4]

    def test_too_many_raters(self) -> None:
        with pytest.raises(EvidenceError, match="random part of the raters"):
            as_ratings([[600, 1], [300, 301]], counts=True)

    @pytest.mark.parametrize("cell", [2.0**62, 1e300])
    def test_more_raters_than_a_number_of_the_machine_holds(self, cell: float) -> None:
        with pytest.raises(EvidenceError, match=r"an item has .{5,10} ratings"):
            as_ratings([[cell, cell, cell], [1, 2, 3]], counts=True)
