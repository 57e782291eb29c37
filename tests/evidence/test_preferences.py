"""Preferences from rows, tables and matrices: winners by name or by place, ties, and refusals."""

import json
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError
from assay.evidence.method_arguments import arguments_of
from assay.evidence.method_source import SourceOptions
from assay.evidence.preferences import Preferences, as_preferences

METHOD = assay.catalogue()["bradley_terry"]


def read(source: Any, **asked: Any) -> Preferences:
    (found,), _, _ = arguments_of(METHOD, [source], SourceOptions(**asked))
    assert isinstance(found, Preferences)
    return found


def table(text: str) -> dict[str, list[str]]:
    header, *rows = [line.split(",") for line in text.split()]
    return {name: [row[at] for row in rows] for at, name in enumerate(header)}


class TestWinners:
    def test_by_name_and_by_place(self) -> None:
        named = as_preferences(["x", "y"], ["y", "x"], ["x", "x"])
        placed = as_preferences(["x", "y"], ["y", "x"], ["model_a", "B"])
        for found in (named, placed):
            assert found.models == ("x", "y")
            assert found.first.tolist() == [[0, 1], [0, 0]]
            assert found.second.tolist() == [[0, 0], [1, 0]]
            assert found.wins.tolist() == [[0, 2], [0, 0]]

    def test_names_that_are_places(self) -> None:
        """Models called a and b: where every winner is a name of its row, it is the name."""
        found = as_preferences(["b", "a"], ["a", "b"], ["a", "a"])
        assert found.wins.tolist() == [[0, 2], [0, 0]]

    @pytest.mark.parametrize(
        "word", ["tie", "tie (bothbad)", "Tie", "", None, float("nan"), "draw"]
    )
    def test_ties(self, word: Any) -> None:
        found = as_preferences(["x", "x"], ["y", "y"], [word, "x"])
        assert found.n_ties == 1
        assert found.wins.tolist() == [[0, 1.5], [0.5, 0]]

    def test_a_blank_beside_ties_in_words_is_no_tie(self) -> None:
        with pytest.raises(EvidenceError, match="rows without a winner, and writes ties in words"):
            as_preferences(["x", "y", "x"], ["y", "x", "y"], ["x", "tie", None])

    def test_spellings_of_one_model(self) -> None:
        assert as_preferences(["x ", "y"], ["y", "x"], ["x", "y "]).models == ("x", "y")
        with pytest.raises(EvidenceError, match="'Opus' and 'opus', which differ in capitals only"):
            as_preferences(["Opus", "opus"], ["y", "y"], ["y", "opus"])

    def test_words_that_mean_nothing(self) -> None:
        with pytest.raises(EvidenceError, match=r"winner 'z' of 'x' and 'y'\. A winner is one of"):
            as_preferences(["x"], ["y"], ["z"])

    def test_two_ways_of_writing(self) -> None:
        with pytest.raises(EvidenceError, match="by name in some rows and by place"):
            as_preferences(["x", "x"], ["y", "y"], ["x", "model_b"])

    def test_numbers_as_names(self) -> None:
        found = as_preferences(np.array([1, 10]), np.array([2, 2]), np.array([1, 10]))
        assert found.models == ("1", "2", "10")


class TestTables:
    def test_other_names_of_columns(self) -> None:
        found = read(table("Left,right,Vote,user\nx,y,left,1\nx,y,right,2\nx,y,tie,3"))
        assert (found.n, found.n_ties) == (3, 1)
        assert found.placed

    def test_columns_that_are_named(self) -> None:
        rows = table("p,q,who,k\nx,y,x,4\ny,x,x,2")
        assert read(rows, columns=("p", "q", "who")).n == 2
        assert read(rows, columns=("p", "q", "who", "k")).wins.tolist() == [[0, 6], [0, 0]]

    def test_winner_and_loser(self) -> None:
        found = read(table("winner,loser,n\nx,y,3\ny,x,2\nx,z,0"))
        assert found.models == ("x", "y")  # z was never met
        assert found.wins.tolist() == [[0, 3], [2, 0]]
        assert not found.placed
        rows = table("best,worst,n\nx,y,3")
        assert read(rows, columns=("best", "worst", "n")).n == 3
        assert read(rows, columns=("best", "worst")).n == 1

    def test_a_square_of_wins(self, tmp_path: Path) -> None:
        path = tmp_path / "wins.csv"
        path.write_text("team,x,y\nx,0,3\ny,5,0\n")
        assert read(path).wins.tolist() == [[0, 3], [5, 0]]
        assert read(path).models == ("x", "y")

    def test_every_engine_counts_alike(self, tmp_path: Path) -> None:
        import pandas as pd
        import polars as pl

        rows = table("model_a,model_b,winner\nx,y,x\ny,z,tie\nz,x,x\nx,y,y\ny,z,z")
        path = tmp_path / "rows.csv"
        pd.DataFrame(rows).to_csv(path, index=False)
        pd.DataFrame(rows).to_parquet(tmp_path / "rows.parquet")
        expected = read(rows)
        for source in (path, tmp_path / "rows.parquet", pd.DataFrame(rows), pl.DataFrame(rows)):
            found = read(source)
            assert found.models == expected.models
            for name in ("first", "second", "ties"):
                np.testing.assert_array_equal(getattr(found, name), getattr(expected, name))


class TestListed:
    """The form in which Chatbot Arena publishes its battles."""

    BATTLES: ClassVar[list[dict[str, Any]]] = [
        {
            "model_a": "x",
            "model_b": "y",
            "winner": w,
            "conversation_a": [{"role": "user"}],
            "turn": 1,
        }
        for w in ("model_a", "model_b", "tie (bothbad)")
    ]

    def test_a_list_of_objects(self, tmp_path: Path) -> None:
        path = tmp_path / "battles.json"
        path.write_text(" " + json.dumps(self.BATTLES, indent=1))
        found = read(path)
        assert (found.models, found.n, found.n_ties) == (("x", "y"), 3, 1)

    def test_one_object_a_line(self, tmp_path: Path) -> None:
        path = tmp_path / "battles.json"
        path.write_text("\n".join(map(json.dumps, self.BATTLES)))
        assert read(path).n == 3

    @pytest.mark.parametrize("text", ["[1, 2]", "[{", "[]"])
    def test_other_lists(self, text: str, tmp_path: Path) -> None:
        path = tmp_path / "battles.json"
        path.write_text(text)
        with pytest.raises(AssayError, match="bradley_terry takes columns"):
            read(path)


class TestMatrix:
    def test_names(self) -> None:
        assert as_preferences([[0, 1], [2, 0]]).models == ("model 1", "model 2")
        assert as_preferences([[0, 1.5], [2, 0]], models=["x", "y"]).models == ("x", "y")

    @pytest.mark.parametrize(
        ("wins", "message"),
        [
            ([[0, 1, 2], [1, 0, 2]], "square"),
            ([[0, 0.3], [0.7, 0]], "whole counts, or halves"),
            ([[0, -1], [1, 0]], "whole counts"),
            ([[0, 1e308], [1, 0]], "too large to be squared"),
            ([[2, 1], [1, 0]], "diagonal"),
            ([[0, 0], [0, 0]], "0 comparisons"),
            ([[0, np.nan], [1, 0]], "missing"),
        ],
    )
    def test_refused(self, wins: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            as_preferences(wins)

    def test_wrong_names(self) -> None:
        with pytest.raises(EvidenceError, match="2 models need 2 different names"):
            as_preferences([[0, 1], [1, 0]], models=["x", "x"])
        with pytest.raises(EvidenceError, match="have their names"):
            as_preferences(as_preferences([[0, 1], [1, 0]]), models=["x", "y"])


class TestErrors:
    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("model_a,model_b,winner\nx,x,x", "compares 'x' with itself"),
            ("model_a,model_b,winner\nx,,x", "without the name of the second model"),
            ("model_a,model_b,winner,count\nx,y,x,1.5", "whole numbers from 0 up"),
            ("model_a,model_b,winner,count\nx,y,x,-1", "whole numbers from 0 up"),
            ("model_a,model_b\nx,y", "rename the columns to model_a, model_b and winner"),
            ("winner,loser,count\nx,y,0", "0 comparisons"),
        ],
    )
    def test_tables(self, text: str, message: str) -> None:
        with pytest.raises(AssayError, match=message) as error:
            read(table(text))
        assert "assay.bradley_terry(" in str(error.value)

    def test_compare_knows_where_they_belong(self) -> None:
        with pytest.raises(EvidenceError, match=r"holds votes.*`assay\.bradley_terry\(data\)`"):
            assay.compare(table("model_a,model_b,winner\nx,y,x\ny,x,x"))

    def test_columns_that_are_not_there(self) -> None:
        with pytest.raises(EvidenceError, match="no column 'nobody'"):
            read(table("p,q\nx,y"), columns=("p", "nobody"))

    def test_too_many_names(self) -> None:
        names = [f"answer {at}" for at in range(1200)]
        with pytest.raises(EvidenceError, match="are these the names of models"):
            as_preferences(names, names[1:] + names[:1], names)

    def test_shapes(self) -> None:
        with pytest.raises(EvidenceError, match="lists of equal length"):
            as_preferences(["x"], ["y"], ["x", "y"])
        with pytest.raises(EvidenceError, match="whole numbers from 0 up"):
            as_preferences(["x"], ["y"], ["x"], [0.5])
        with pytest.raises(EvidenceError, match="A square matrix of wins"):
            as_preferences([1, 2])
