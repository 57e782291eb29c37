"""Scores in columns say what scores one by one say."""

from collections.abc import Sequence
from math import fsum
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.evidence import score_columns
from assay.evidence.score_columns import ModelScore, NameColumn, ScoreColumns, combined
from assay.evidence.scores import RepeatedScores, Scores

NAMES = st.lists(st.sampled_from(["", "a", "b", "c"]), min_size=1, max_size=30)


def record(model: str, value: float, **places: Any) -> dict[str, Any]:
    return {"model": model, "score": value, **places}


def some(count: int = 400) -> list[dict[str, Any]]:
    rng = np.random.default_rng(1)
    kept: dict[tuple[str, ...], dict[str, Any]] = {}
    for _ in range(count):
        model, dataset, seed = (str(rng.integers(0, size)) for size in (4, 12, 5))
        place = {"dataset": f"d{dataset}", "seed": seed}
        kept[model, dataset, seed] = record(f"m{model}", float(rng.normal()), **place)
    return list(kept.values())


class TestWords:
    @given(NAMES)
    def test_as_they_came(self, names: list[str]) -> None:
        found = NameColumn.of(names)
        assert list(found) == names
        assert found.present == tuple(dict.fromkeys(names))
        assert found.are("a", "c").tolist() == [name in "ac" and name != "" for name in names]
        assert list(found.at(slice(1, None))) == names[1:]

    @given(NAMES, NAMES)
    def test_one_below_the_other_and_one_instead(self, names: list[str], more: list[str]) -> None:
        first, second = NameColumn.of(names), NameColumn.of(more)
        assert list(NameColumn.joined([first, second, first])) == [*names, *more, *names]
        if len(names) == len(more):
            due = [a or b for a, b in zip(names, more, strict=True)]
            assert list(first.other(second)) == due

    def test_missing_and_numbers_are_text(self) -> None:
        assert list(NameColumn.of([None, 3, "x", 1.5])) == ["", "3", "x", "1.5"]
        assert list(NameColumn.of([1, True, 1.0, "1", [1]])) == ["1", "True", "1.0", "1", "[1]"]
        assert list(NameColumn.same("x", 2)) == ["x", "x"]

    def test_a_name_that_no_row_has_is_not_present(self) -> None:
        assert NameColumn.of(["a", "b", "a"]).at([0, 2]).present == ("a",)


class TestCombined:
    def test_tells_rows_apart(self, monkeypatch: pytest.MonkeyPatch) -> None:
        columns = [NameColumn.of("aabb"), NameColumn.of("xyxx"), NameColumn.of("1111")]
        keys = list(zip(*columns, strict=True))
        for most in (2**62, 1):  # codes that would grow too large are counted anew
            monkeypatch.setattr(score_columns, "MOST_COMBINED", most)
            found = combined(columns).tolist()
            assert [found.index(one) for one in found] == [keys.index(key) for key in keys]


class TestScoreColumns:
    def test_there_and_back(self) -> None:
        records = [
            record("a", 0.5, dataset="x", fold=1, n_train=90, n_test=10),
            record("b", 0.25, measure="f1", repeat="2"),
        ]
        assert list(ScoreColumns.from_records(records)) == [
            ModelScore(model="a", measure="score", value=0.5, dataset="x", fold="1", n_train=90.0, n_test=10.0),
            ModelScore(model="b", measure="f1", value=0.25, repeat="2"),
        ]  # fmt: skip

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    def test_no_score_is_refused(self, value: float | None) -> None:
        with pytest.raises(EvidenceError, match="missing or infinite"):
            ScoreColumns.from_records([{"model": "a", "score": value}])

    def test_the_first_of_two_at_one_place(self) -> None:
        records = [record(model, 0.5, dataset="x") for model in ("a", "b", "c", "b", "a")]
        columns = ScoreColumns.from_records(records)
        assert columns.repeated() == 3
        assert columns.score(3).model == "b"
        assert columns.at([0, 1, 2]).repeated() is None
        with pytest.raises(
            RepeatedScores, match=r"two scores of 'b' in score at one place \(dataset x"
        ):
            Scores.from_columns(columns)


def means(scores: Sequence[ModelScore], models: Sequence[str]) -> dict[str, list[float]]:
    """Data sets in the order of their names, each with the mean of every model; NaN where there is none."""
    found = {}
    for dataset in sorted({one.dataset for one in scores}):
        row = []
        for model in models:
            own = [one.value for one in scores if (one.dataset, one.model) == (dataset, model)]
            row.append(fsum(own) / len(own) if own else float("nan"))
        found[dataset] = row
    return found


class TestScores:
    def test_blocks_counts_runs_as_by_looking_at_each(self) -> None:
        found = Scores.from_records(some())
        due = means(found.scores, found.models)
        table = found.blocks("score")
        assert table.names == tuple(due)
        np.testing.assert_array_equal(table.values, list(due.values()))
        counts = found.counts("score")
        for row, dataset in enumerate(due):
            for column, model in enumerate(found.models):
                own = [s for s in found.scores if (s.dataset, s.model) == (dataset, model)]
                assert counts[row, column] == len(own)
        for place, values in enumerate(found.runs("score").values()):
            assert values.tolist() == [
                row[place] for row in due.values() if row[place] == row[place]
            ]

    def test_the_order_of_the_file_does_not_matter(self) -> None:
        records = some()
        there, back = (
            Scores.from_records(one).select("m0", "m1") for one in (records, records[::-1])
        )
        np.testing.assert_array_equal(there.blocks("score").values, back.blocks("score").values)

    def test_a_table_that_is_handed_out_twice_cannot_be_changed(self) -> None:
        found = Scores.from_records(some())
        assert found.blocks("score") is found.blocks("score")
        with pytest.raises(ValueError, match="read-only"):
            found.blocks("score").values[0, 0] = 1.0
