"""Labels counted while files are joined: the same evidence as by the slow way, the same refusals."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.duckdb_connection import connect
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.evidence.rows_sql import SqlRows


def parquet(folder: Path, name: str, **columns: Any) -> Path:
    path = folder / f"{name}.parquet"
    pl.DataFrame(columns).write_parquet(path)
    return path


def counted(evidence: Any) -> bool:
    assert isinstance(evidence, Predictions)
    assert isinstance(evidence.rows, SqlRows)
    return evidence.rows.known is not None


def two_files(folder: Path, ids: list[Any], **kept: Any) -> tuple[Path, Path]:
    size = len(ids)
    truth = [place % 2 for place in range(size)]
    a = [place % 3 % 2 for place in range(size)]
    b = [place % 5 % 2 for place in range(size)]
    one = parquet(folder, "a", id=ids, y=truth, a=a, **kept)
    order = np.random.default_rng(3).permutation(size)
    other = {"id": ids, "y": truth, "b": b}
    shuffled = {name: [values[place] for place in order] for name, values in other.items()}
    return one, parquet(folder, "b", **shuffled)


class TestCountedJoin:
    @pytest.mark.parametrize("kind", ["whole", "text", "fraction"])
    def test_same_as_in_memory(self, tmp_path: Path, kind: str) -> None:
        ids: list[Any] = list(range(100, 160))
        if kind != "whole":
            ids = [f"i{i}" for i in ids] if kind == "text" else [i / 8 for i in ids]
        files = two_files(tmp_path, ids)
        there = read(*files)
        here = read(*map(pl.read_parquet, files))
        assert counted(there)
        assert isinstance(here, Predictions)
        assert isinstance(there, Predictions)
        assert there.n == here.n == 60
        assert np.array_equal(there.tally().rows, here.tally().rows)
        assert np.array_equal(there.tally().counts, here.tally().counts)

    def test_rows_are_still_there(self, tmp_path: Path) -> None:
        there = read(*two_files(tmp_path, list(range(60))))
        assert isinstance(there, Predictions)
        columns = there.columns("labels")
        assert columns.predictions[0].tolist() == [place % 3 % 2 for place in range(60)]
        assert columns.predictions[1].tolist() == [place % 5 % 2 for place in range(60)]

    def test_ids_of_different_types(self, tmp_path: Path) -> None:
        one = parquet(tmp_path, "a", id=[1, 2, 3], y=[0, 1, 1], a=[0, 1, 0])
        other = parquet(tmp_path, "b", id=["3", "1", "2"], b=[1, 1, 0])
        evidence = read(one, other)
        assert counted(evidence)
        assert evidence.n == 3

    def test_weights_go_the_slow_way(self, tmp_path: Path) -> None:
        files = two_files(tmp_path, list(range(60)), sample_weight=[1.0 + p for p in range(60)])
        assert not counted(read(*files))

    @settings(max_examples=60)
    @given(st.lists(st.integers(0, 5), min_size=1, max_size=6), st.data())
    def test_accepted_only_if_ids_match_one_to_one(
        self, tmp_path_factory: pytest.TempPathFactory, first: list[int], data: st.DataObject
    ) -> None:
        second = data.draw(
            st.permutations(first)
            | st.lists(st.integers(0, 5), min_size=len(first), max_size=len(first))
        )
        folder = tmp_path_factory.mktemp("ids")
        labels = [place % 2 for place in range(len(first))]
        files = (
            parquet(folder, "a", id=first, y=[1, *[0] * len(first[1:])], a_pred=labels),
            parquet(folder, "b", id=second, b_pred=labels),
        )
        sound = len(set(first)) == len(first) and sorted(first) == sorted(second)
        if sound:
            assert counted(read(*files))
        else:
            refused = r"more than once|same items|no item in common|rows with the same"
            with pytest.raises((AmbiguousEvidence, EvidenceError), match=refused):
                read(*files)

    def test_repeats_that_make_up_for_gaps(self, tmp_path: Path) -> None:
        # the inner join has as many rows as each file: 2 x 2 = 4
        one = parquet(tmp_path, "a", id=[1, 1, 2, 3], y=[0, 1, 1, 0], a=[0, 1, 1, 0])
        other = parquet(tmp_path, "b", id=[1, 1, 4, 5], b=[0, 1, 1, 0])
        with pytest.raises(AmbiguousEvidence, match=r"parquet independent.*'1' 2 times"):
            read(one, other)

    def test_missing_id(self, tmp_path: Path) -> None:
        one = parquet(tmp_path, "a", id=[1, None, 3], y=[0, 1, 1], a=[0, 1, 0])
        other = parquet(tmp_path, "b", id=[1, 2, 3], b=[0, 1, 1])
        with pytest.raises(EvidenceError, match="1 row without an id"):
            read(one, other)

    def test_conflicting_truth(self, tmp_path: Path) -> None:
        one = parquet(tmp_path, "a", id=[1, 2, 3], y=[0, 1, 1], a=[0, 1, 0])
        other = parquet(tmp_path, "b", id=[1, 2, 3], y=[0, 0, 1], b=[0, 1, 1])
        with pytest.raises(EvidenceError, match="disagree on the truth of 1 item"):
            read(one, other)

    def test_missing_label_names_the_row(self, tmp_path: Path) -> None:
        one = parquet(tmp_path, "a", id=[1, 2, 3], y=[0, 1, 1], a=[0, None, 0])
        other = parquet(tmp_path, "b", id=[3, 2, 1], b=[0, 1, 1])
        with pytest.raises(AmbiguousEvidence, match=r"column 'a' of .*a\.parquet .* at row 2"):
            read(one, other)


class TestDenseIds:
    @pytest.mark.parametrize("low", [0, -7, 2**40])
    def test_repeats_are_found(self, tmp_path: Path, low: int) -> None:
        ids = [low + place for place in range(50)]
        fine = parquet(tmp_path, "fine", id=ids, y=[0, 1] * 25, a=[1, 1] * 25)
        assert read(fine).n == 50
        wrong = parquet(tmp_path, "wrong", id=[*ids[:-1], low], y=[0, 1] * 25, a=[1, 1] * 25)
        with pytest.raises(
            AmbiguousEvidence, match=f"more than once, for instance '{low}' 2 times"
        ):
            read(wrong)

    def test_numbers_beyond_64_bits(self, tmp_path: Path) -> None:
        ids = pl.Series([2**64 - 1, 2**64 - 2, 1], dtype=pl.UInt64)
        path = tmp_path / "large.parquet"
        pl.DataFrame({"id": ids, "y": [0, 1, 1], "a": [0, 1, 0]}).write_parquet(path)
        assert read(path).n == 3


class TestConnection:
    def test_no_bar_on_standard_output(self) -> None:
        # DuckDB 2 prints a bar for whatever takes two seconds
        for _ in range(2):  # the first connection tells how far it is, the others do not
            found = connect([]).execute(
                "select name, value from duckdb_settings() where name like 'enable_progress_bar%'"
            )
            settings = dict(found.fetchall())
            printed = settings["enable_progress_bar"], settings["enable_progress_bar_print"]
            assert "false" in printed


class TestFolderOfParts:
    def test_parts_are_one_table(self, tmp_path: Path) -> None:
        folder = tmp_path / "preds"
        (folder / "day=2").mkdir(parents=True)
        (folder / "day=1").mkdir()
        (folder / "_SUCCESS").write_text("")
        parquet(folder / "day=1", "part-0", id=[1, 2], y=[0, 1], a=[0, 0])
        parquet(folder / "day=2", "part-0", id=[3, 4], y=[0, 1], a=[0, 1])
        evidence = read(folder, truth="y", models=["a"], cluster="day")
        assert isinstance(evidence, Predictions)
        assert (evidence.n, evidence.clusters) == (4, 2)

    def test_folders_are_joined_by_id(self, tmp_path: Path) -> None:
        for model in ("old", "new"):
            (tmp_path / model).mkdir()
            parquet(tmp_path / model, "part-1", id=[1, 2], y=[0, 1], prediction=[0, 0])
            parquet(tmp_path / model, "part-2", id=[3], y=[1], prediction=[1])
        evidence = read(tmp_path / "old", tmp_path / "new")
        assert evidence.models == ("old", "new")
        assert evidence.n == 3

    def test_parts_that_do_not_fit(self, tmp_path: Path) -> None:
        parquet(tmp_path, "part-1", id=[1, 2], y=[0, 1], a=[0, 0])
        parquet(tmp_path, "part-2", id=[1, 2], z=[0, 1])
        with pytest.raises(EvidenceError, match="cannot be read as Parquet"):
            read(tmp_path)
