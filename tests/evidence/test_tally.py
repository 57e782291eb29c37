"""Counts of distinct rows."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.core.errors import EvidenceError
from assay.evidence.tally import PairedTable, Tally, distinct_rows
from tests.evidence.forms import predictions

LABELS = st.lists(st.tuples(*[st.integers(0, 2)] * 4), min_size=1, max_size=40)


def table_of(rows: list[tuple[int, ...]]) -> dict[str, NDArray[np.int64]]:
    """Columns said to be labels, so that a class the truth lacks is no score."""
    return dict(zip(("y", "a:label", "b:label", "c:label"), np.array(rows).T, strict=True))


def tally_of(rows: list[tuple[int, ...]]) -> Tally:
    return predictions(table_of(rows), truth="y").tally()


class TestTally:
    def test_rows_are_distinct_and_in_order(self) -> None:
        tally = tally_of([(1, 1, 0, 1), (0, 1, 0, 0), (1, 1, 0, 1), (0, 0, 0, 0)])
        assert tally.rows.tolist() == [[0, 0, 0, 0], [0, 1, 0, 0], [1, 1, 0, 1]]
        assert tally.counts.tolist() == [1, 1, 2]
        assert tally.n == 4

    def test_confusion_and_paired_table(self) -> None:
        tally = tally_of([(1, 1, 0, 1), (0, 1, 0, 0), (1, 1, 0, 1), (0, 0, 0, 0)])
        assert tally.confusion("a").tolist() == [[1, 1], [0, 2]]
        table = PairedTable(both_right=1, only_a=2, only_b=1, both_wrong=0)
        assert tally.paired_table("a", "b") == table
        assert (table.n, table.discordant) == (4, 3)

    def test_weights_make_the_confusion(self) -> None:
        evidence = predictions({"y": [0, 1, 1], "a": [0, 0, 1], "weight": [1.5, 2.0, 0.25]})
        tally = evidence.tally()
        assert tally.confusion("a").tolist() == [[1.5, 0.0], [2.0, 0.25]]
        assert tally.weight_squares is not None
        assert tally.weight_squares.tolist() == [2.25, 4.0, 0.0625]

    @given(LABELS)
    def test_a_selection_is_what_reading_fewer_models_gives(
        self, rows: list[tuple[int, ...]]
    ) -> None:
        tally = tally_of(rows).select("c", "a")
        expected = predictions(table_of(rows)).tally(["c", "a"])
        assert tally.models == ("c", "a")
        assert np.array_equal(tally.rows, expected.rows)
        assert np.array_equal(tally.counts, expected.counts)

    def test_a_selection_adds_weights(self) -> None:
        evidence = predictions({"y": [0, 0], "a": [0, 0], "b": [1, 0], "weight": [1.0, 2.0]})
        chosen = evidence.tally().select("a")
        assert chosen.weight_sums is not None
        assert chosen.weight_sums.tolist() == [3.0]
        assert chosen.select("a") is chosen

    def test_an_unknown_model_is_named(self) -> None:
        with pytest.raises(EvidenceError, match="no model 'z'; there are a, b, c"):
            tally_of([(0, 0, 0, 0)]).confusion("z")


class TestDistinctRows:
    @given(LABELS)
    def test_places_rebuild_the_rows(self, rows: list[tuple[int, ...]]) -> None:
        given_rows = np.array(rows)
        kept, place = distinct_rows(given_rows)
        assert np.array_equal(kept[place], given_rows)
        assert kept.tolist() == [list(row) for row in sorted(set(rows))]


class TestClusterTally:
    def test_items_of_each_cluster(self) -> None:
        evidence = predictions(
            {
                "y": [0, 0, 1, 1, 1],
                "a": [0, 1, 1, 1, 1],
                "cluster": ["p10", "p9", "p9", "p10", "p10"],
            }
        )
        found = evidence.cluster_tally()
        assert found.n_clusters == evidence.clusters == 2
        assert found.tally.rows.tolist() == [[0, 0], [0, 1], [1, 1]]
        assert found.tally.counts.tolist() == [1, 1, 3]
        # clusters in order of text: p10, p9
        assert found.cluster.tolist() == [0, 0, 1, 1]
        assert found.row.tolist() == [0, 2, 1, 2]
        assert found.count.tolist() == [1, 2, 1, 1]
        assert found.sizes().tolist() == [3, 2]

    def test_weights_of_each_cluster(self) -> None:
        evidence = predictions(
            {"y": [0, 0, 0], "a": [0, 0, 1], "cluster": [1, 1, 2], "weight": [0.5, 1.0, 2.0]}
        )
        found = evidence.cluster_tally()
        assert found.weight_sums is not None
        assert found.weight_sums.tolist() == [1.5, 2.0]
        assert found.tally.weight_sums is not None
        assert found.tally.weight_sums.tolist() == [1.5, 2.0]

    def test_without_clusters(self) -> None:
        with pytest.raises(EvidenceError, match="no clusters; name their column with cluster="):
            predictions({"y": [0, 1], "a": [0, 1]}).cluster_tally()
