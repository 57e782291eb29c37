"""Ids in order are proved unique by one look; whatever is wrong with them is found as ever."""

from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.core.questions import AmbiguousEvidence
from assay.evidence import unique_ids
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.rows_sql import SqlRows
from assay.evidence.unique_ids import proved_unique

WHOLE = {
    "counting": (list(range(50)), 50),
    "counting from elsewhere": (list(range(-7, 43)), 50),
    "in order with gaps": ([3 * i for i in range(50)], 50),
    "falling": (list(range(50))[::-1], None),
    "one twice": ([*range(25), *range(24, 49)], None),
    "as many as the range, one twice and one left out": ([0, 1, 1, 3], None),
    "one missing": ([*range(20), None, *range(21, 50)], None),
    "beyond what can be subtracted": ([-(2**63), 0, 2**63 - 1], 3),
}
TEXTS = {
    "padded": ([f"i{i:03}" for i in range(50)], 50),
    "numbers as text": ([str(i) for i in range(50)], 50),
    "in no order": ([f"i{i}" for i in range(50)], None),
    "an empty one": (["", *(f"i{i:03}" for i in range(50))], None),
    "one twice": (["a", "b", "b", "c"], None),
}


def rows_of(path: Path, ids: Any) -> SqlRows:
    pq.write_table(pa.table({"id": ids}), path, row_group_size=8)
    (table,) = open_sources([path])
    found = table.rows()
    assert isinstance(found, SqlRows)
    return found


class TestProvedUnique:
    @pytest.mark.parametrize("name", WHOLE)
    @pytest.mark.parametrize("glimpse", [4, 10_000])
    def test_whole_numbers(self, tmp_path: Path, monkeypatch: Any, name: str, glimpse: int) -> None:
        monkeypatch.setattr(unique_ids, "_GLIMPSE", glimpse)
        ids, expected = WHOLE[name]
        assert proved_unique(rows_of(tmp_path / "ids.parquet", ids), "id") == expected

    @pytest.mark.parametrize("name", TEXTS)
    def test_texts(self, tmp_path: Path, name: str) -> None:
        ids, expected = TEXTS[name]
        assert proved_unique(rows_of(tmp_path / "ids.parquet", ids), "id") == expected

    def test_fractions_and_truth_values_prove_nothing(self, tmp_path: Path) -> None:
        assert proved_unique(rows_of(tmp_path / "f.parquet", [0.5, 1.5]), "id") is None
        assert proved_unique(rows_of(tmp_path / "b.parquet", [False, True]), "id") is None

    def test_repeats_beside_a_column_called_as_duckdb_numbers_rows(self, tmp_path: Path) -> None:
        path = tmp_path / "rows.parquet"
        pq.write_table(pa.table({"id": [5, 5, 5], "file_row_number": [5, 5, 5]}), path)
        (table,) = open_sources([path])
        assert table.rows().distinct(["id"]) == (1, 0)

    @settings(max_examples=60, deadline=None)
    @given(
        st.lists(st.one_of(st.none(), st.integers(-3, 30)), min_size=1, max_size=40), st.booleans()
    )
    def test_agrees_with_counting(self, ids: list[int | None], in_order: bool) -> None:
        if in_order:
            ids = sorted(ids, key=lambda one: (one is None, one))
        whole = pa.table({"id": pa.array(ids, pa.int64())})
        text = pa.table({"id": pa.array([None if i is None else str(i) for i in ids], pa.string())})
        present = [one for one in ids if one is not None]
        for table in (whole, text):
            (source,) = open_sources([duckdb.from_arrow(table)])
            found = source.rows().distinct(["id"])
            assert found == (len(set(present)), len(ids) - len(present))


class TestRepeatedIds:
    @settings(
        max_examples=10,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(st.integers(1, 99))
    def test_are_refused_wherever_they_stand(self, tmp_path_factory: Any, place: int) -> None:
        path = tmp_path_factory.mktemp("ids") / "rows.parquet"
        ids = list(range(100))
        ids[place] = ids[place - 1]
        labels = [i % 2 for i in range(100)]
        pq.write_table(pa.table({"id": ids, "y": labels, "a": labels}), path)
        with pytest.raises(AmbiguousEvidence, match=f"1 repeated id: '{place - 1}' 2 times"):
            assay.read(path, truth="y", id="id")

    def test_ids_of_parts_in_a_folder(self, tmp_path: Path) -> None:
        for part in range(2):
            table = pa.table({"id": [0, 1, 2, 3], "y": [0, 1, 0, 1], "a": [0, 1, 1, 1]})
            pq.write_table(table, tmp_path / f"{part}.parquet")
        with pytest.raises(AmbiguousEvidence, match="4 repeated ids"):
            assay.read(tmp_path, truth="y", id="id")
