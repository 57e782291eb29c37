"""Scores ranked where they lie: the numbers of memory, and bounds that hold."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import assay
from assay.estimates.roc import auc_difference_of, auc_newcombe, auc_score, delong
from assay.evidence import score_ranks, score_ranks_sql
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.rows_cluster import SPARK
from assay.evidence.rows_sql import DUCKDB, SqlRows
from assay.evidence.score_ranks import Leaves, RankedColumns, parts_of_bins
from assay.hypotheses.roc import delong_test
from assay.kernels.delong import placed_areas
from tests.evidence.ranked import KINDS, agree, drawn, holds, read, written


class TestExact:
    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("name", ["rows.csv", "rows.jsonl"])
    def test_is_delongs_of_memory(self, tmp_path: Path, kind: str, name: str) -> None:
        truth, scores = drawn(kind)
        path = written(tmp_path, truth, scores, name)
        agree(read(path, scores="exact").areas(), placed_areas(truth, scores))

    def test_parquet_parts_in_a_folder(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        truth, scores = drawn("continuous")
        table = pa.table({"y": truth, **{f"m{i}:score": row for i, row in enumerate(scores)}})
        for part in range(2):
            pq.write_table(table.slice(200 * part, 200), tmp_path / f"{part}.parquet")
        agree(read(tmp_path, scores="exact").areas(), placed_areas(truth, scores))

    def test_files_joined_by_id(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied")
        ids = np.array([f"i{place}" for place in range(truth.size)])
        turned = np.random.default_rng(2).permutation(truth.size)
        a = written(tmp_path, truth, scores[:1], "a.csv", id=ids)
        b = written(tmp_path, truth[turned], scores[1:, turned], "b.csv", id=ids[turned])
        header, rest = b.read_text().split("\n", 1)
        b.write_text(header.replace("m1", "m2").replace("m0", "m1") + "\n" + rest)
        found = read(a, b, id="id", scores="exact")
        assert found.models == ("a", "m1", "m2")
        agree(found.areas(), placed_areas(truth, scores))

    def test_a_relation_of_the_user(self) -> None:
        import duckdb
        import pyarrow as pa

        truth, scores = drawn("tied", models=1)
        relation = duckdb.from_arrow(pa.table({"y": truth.astype(bool), "m0:score": scores[0]}))
        agree(read(relation, scores="exact").areas(), placed_areas(truth, scores))

    def test_a_row_may_stand_for_several_items(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied", 60, 2)
        times = np.random.default_rng(5).integers(0, 4, 60)
        path = written(tmp_path, truth, scores, times=times)
        whole = placed_areas(np.repeat(truth, times), np.repeat(scores, times, axis=1))
        agree(read(path, count="times", models=["m0", "m1"], scores="exact").areas(), whole)

    @pytest.mark.parametrize("classes", [("no", "yes"), ("False", "True"), ("1", "2")])
    @pytest.mark.parametrize("turned", [False, True])
    def test_either_class_may_be_positive(
        self, tmp_path: Path, classes: tuple[str, str], turned: bool
    ) -> None:
        truth, scores = drawn("continuous", 80, 2)
        path = written(tmp_path, truth, scores)
        lines = path.read_text().splitlines()
        named = [lines[0], *(classes[int(line[0])] + line[1:] for line in lines[1:])]
        path.write_text("\n".join(named))
        found = read(path, positive=classes[not turned], scores="exact")
        agree(found.areas(), placed_areas(truth != turned, scores))

    @pytest.mark.parametrize("size", [0, 1])
    def test_classes_of_one_item_or_none(self, tmp_path: Path, size: int) -> None:
        truth, scores = np.array([1] * size + [0] * 5), np.linspace(0, 1, 5 + size)[None]
        path = written(tmp_path, truth, scores)
        found = assay.evaluate(path, truth="y", positive=1, measures="roc_auc", scores="exact")
        plain = assay.evaluate(path, truth="y", positive=1, measures="roc_auc")
        assert found.estimates == plain.estimates

    def test_the_number_of_threads_changes_no_bit(self, tmp_path: Path) -> None:
        import duckdb

        truth, scores = drawn("continuous", 5_000, 2)
        path = written(tmp_path, truth, scores)
        found = []
        for threads in (1, 4):
            connection = duckdb.connect(config={"threads": threads})
            areas = read(connection.read_csv(str(path)), scores="exact").areas()
            found.append((areas.areas.tobytes(), areas.covariance.tobytes()))
        assert found[0] == found[1]


class TestBinned:
    @settings(
        max_examples=40,
        deadline=None,
        suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
    )
    @given(
        st.sampled_from(KINDS),
        st.integers(0, 1_000),
        st.integers(6, 60),
        st.sampled_from([1, 2, 4, 32]),
    )
    def test_what_it_saysholds(
        self, tmp_path_factory: Any, kind: str, seed: int, n: int, bins: int
    ) -> None:
        """The area is within its bound, and every interval holds that of the scores themselves."""
        truth, scores = drawn(kind, n, 2, seed)
        if truth.min() == truth.max():
            truth[0] = 1 - truth[0]
        path = written(tmp_path_factory.mktemp("bins"), truth, scores)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(score_ranks_sql, "BINS", bins)
            patch.setattr(score_ranks, "BINS", bins)
            patch.setattr(score_ranks, "MOST_PARTS", 2)
            patch.setattr(score_ranks_sql, "MOST_PARTS", 2)
            found = read(path, scores="binned").areas()
        exact = placed_areas(truth, scores)
        assert (np.abs(found.areas - exact.areas) <= found.shift + 1e-15).all()
        for contrast in ((1, 0), (0, 1), (1, -1)):
            least, most = found.errors(contrast)
            error = exact.errors(contrast)[0]
            if not np.isnan(error):
                assert least - 1e-9 <= error <= most + 1e-9
        for method in (delong, auc_newcombe, auc_score):
            for place in (0, 1):
                assert holds(method(found.select([place])), method(exact.select([place])))
        for variant in ("normal", "t"):
            assert holds(
                auc_difference_of(found, variant=variant), auc_difference_of(exact, variant=variant)
            )

    def test_the_interval_decides(self, monkeypatch: Any, tmp_path: Path) -> None:
        monkeypatch.setattr(score_ranks_sql, "BINS", 8)
        monkeypatch.setattr(score_ranks, "BINS", 8)
        for seed in range(12):
            truth, scores = drawn("continuous", 300, 2, seed)
            placed = read(written(tmp_path, truth, scores), scores="binned").areas()
            for variant in ("normal", "t"):
                for level in (0.5, 0.8, 0.95):
                    outcome = delong_test(placed, variant=variant, level=level)
                    interval = outcome.effect.interval
                    assert interval is not None
                    assert outcome.rejects(1 - level) == (not interval.contains(0.0))

    @pytest.mark.parametrize("kind", KINDS)
    def test_one_model_alone_needs_its_counts_only(
        self, tmp_path: Path, monkeypatch: Any, kind: str
    ) -> None:
        monkeypatch.setattr(score_ranks_sql, "BINS", 16)
        monkeypatch.setattr(score_ranks, "BINS", 16)
        path = written(tmp_path, *drawn(kind, 300, 2))
        both = read(path, scores="binned").areas().select([1])
        alone = read(path, scores="binned", models=["m1"]).areas()
        assert (alone.areas, alone.covariance) == (both.areas, both.covariance)
        assert (alone.shift, *alone.blur) == (both.shift, *both.blur)

    def test_bins_of_one_score_hide_nothing(self, tmp_path: Path) -> None:
        truth, scores = drawn("tied")
        found = read(written(tmp_path, truth, scores), scores="binned").areas()
        assert not found.binned
        agree(found, placed_areas(truth, scores))

    def test_a_crowded_bin_is_cut_again(self, tmp_path: Path) -> None:
        truth, scores = drawn("skewed", 2_000, 1)
        found = read(written(tmp_path, truth, scores), scores="binned").areas()
        assert 0.0 < found.shift[0] < 0.01
        assert abs(found.areas[0] - placed_areas(truth, scores).areas[0]) <= found.shift[0]

    def test_parts_grow_with_the_items_of_a_bin(self) -> None:
        mixed = np.array([True, True, False])
        assert parts_of_bins(np.array([1, 2, 3]), mixed).tolist() == [2**16, 2**17, 1]
        even = np.full(score_ranks.BINS, 3)
        assert parts_of_bins(even, even > 0).tolist() == [1] * score_ranks.BINS
        assert parts_of_bins(np.zeros(0, dtype=np.int64), np.zeros(0, dtype=bool)).tolist() == []

    def test_the_bound_by_hand(self) -> None:
        leaves = Leaves(
            low=np.array([0.0, 0.5]),
            positives=np.array([2, 1]),
            negatives=np.array([3, 2]),
            mixed=np.array([True, False]),
        )
        # six pairs in the mixed bin may each be off by a half, of fifteen
        assert leaves.hidden()[0] == pytest.approx(3 / 15)
        groups = leaves.sorted()
        assert groups.tp.tolist() == [1, 3]
        assert groups.fp.tolist() == [2, 5]
        assert groups.thresholds.tolist() == [0.5, 0.0]


class SparkWords(SqlRows):
    """What is said differently to a cluster, said to DuckDB, which understands it too."""

    dialect = replace(DUCKDB, before=SPARK.before, kept=SPARK.kept, wide=SPARK.wide)


@pytest.mark.usefixtures("engine")
class TestWordsOfSpark:
    """Every kind of scores by the SQL that a cluster gets; Spark has its own test."""

    @pytest.mark.parametrize("kind", KINDS)
    @pytest.mark.parametrize("count", [None, "times"])
    def test_as_in_memory(self, tmp_path: Path, kind: str, count: str | None) -> None:
        truth, scores = drawn(kind, 200, 2)
        times = np.random.default_rng(4).integers(0, 3, 200) if count else np.ones(200, dtype=int)
        (table,) = open_sources([written(tmp_path, truth, scores, times=times)])
        plain = table.rows()
        assert isinstance(plain, SqlRows)
        rows = SparkWords(plain.run, plain.table, plain.columns, plain.sources)
        whole = placed_areas(np.repeat(truth, times), np.repeat(scores, times, axis=1))
        names = ("m0:score", "m1:score")
        exact = RankedColumns(truth="y", positive="1", scores=names, count=count, exact=True)
        agree(score_ranks_sql.placed_in(rows, exact).areas, whole)
        found = score_ranks_sql.placed_in(rows, replace(exact, exact=False)).areas
        assert (np.abs(found.areas - whole.areas) <= found.shift + 1e-15).all()
