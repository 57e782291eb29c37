import shutil
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError
from assay.estimates.evaluate import evaluate
from assay.evidence.reading import read
from tests.evidence.forms import predictions, write_csv
from tests.evidence.readers.harness_logs import lighteval_details


def rows(scores: list[Any], metric: str = "extractive_match") -> list[tuple[str, dict[str, Any]]]:
    return [(f"question {n}", {metric: score}) for n, score in enumerate(scores)]


TOOLS = Path(__file__).parent / "tools" / "lighteval"


def test_a_run_of_lighteval_itself(tmp_path: Path) -> None:
    """Two dummy models on 40 sums; lighteval printed 0.55 and 0.675."""
    for model in ("dummy1", "dummy2"):
        place = tmp_path / "out" / "details" / model / "2026-11-16T14-37-00.290809"
        place.mkdir(parents=True)
        target = place / "details_sums|0_2026-11-16T14-37-00.290809.parquet"
        shutil.copy(TOOLS / f"{model}.parquet", target)
    found = evaluate(tmp_path / "out", measures=["accuracy"])
    assert {one.model: one.value for one in found.estimates} == {"dummy1": 0.55, "dummy2": 0.675}
    assert found.evidence.n == 40
    assert predictions(tmp_path / "out", cluster="block").clusters == 2


class TestDetails:
    @pytest.mark.parametrize("old", [False, True])
    def test_both_names_of_columns(self, tmp_path: Path, old: bool) -> None:
        a = lighteval_details(tmp_path, "org/a", rows([1, 0, 1]), old=old)
        b = lighteval_details(tmp_path, "org/b", rows([1, 0, 1])[::-1], old=old)
        evidence = predictions(a, b)
        assert evidence.models == ("org/a", "org/b")
        assert evidence.columns("labels").predictions.tolist() == [[1, 0, 1], [1, 0, 1]]
        assert "lighteval|toy|0" in evidence.summary().description
        assert predictions(tmp_path).models == ("org/a", "org/b")

    @given(scores=st.lists(st.floats(0, 1), min_size=1, max_size=10))
    def test_round_trip(self, tmp_path_factory: Any, scores: list[float]) -> None:
        path = lighteval_details(tmp_path_factory.mktemp("le"), "a", rows(scores))
        evidence = predictions(path)
        needs = "labels" if "labels" in evidence.offers["a"] else "losses"
        assert evidence.columns(needs).predictions.tolist() == [scores]  # type: ignore[arg-type]

    def test_a_question_asked_twice(self, tmp_path: Path) -> None:
        twice = [("same", {"m": 1}), ("same", {"m": 0}), ("other", {"m": 1})]
        assert predictions(lighteval_details(tmp_path, "a", twice)).n == 3

    def test_nan_and_missing_are_no_scores(self, tmp_path: Path) -> None:
        path = lighteval_details(tmp_path, "a", rows([1.0, float("nan"), None, 0.0]))
        with pytest.raises(EvidenceError, match="2 answers without a score, of 4"):
            read(path)
        assert predictions(path, unscored="drop").n == 2

    def test_several_metrics(self, tmp_path: Path) -> None:
        path = lighteval_details(tmp_path, "a", [("q", {"em": 1, "f1": 0.5})])
        assert [note.code for note in predictions(path).notes] == ["metric-taken"]
        assert predictions(path, metric="f1").columns("losses").predictions.tolist() == [[0.5]]

    def test_clusters(self, tmp_path: Path) -> None:
        path = lighteval_details(tmp_path, "a", rows([1, 0, 1, 1]))
        assert predictions(path, cluster="group").clusters == 2

    def test_text_is_no_score(self, tmp_path: Path) -> None:
        path = lighteval_details(tmp_path, "a", rows(["good"]))
        with pytest.raises(EvidenceError, match=r"row 1 of .*'good' is not a score"):
            read(path)


class TestOtherParquet:
    def test_a_table_of_predictions_is_still_one(self, tmp_path: Path) -> None:
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({"y": [0, 1, 1], "model": [0, 1, 0]}), tmp_path / "t.parquet")
        assert predictions(tmp_path / "t.parquet", truth="y").n == 3
        pq.write_table(pa.table({"y_true": [0, 1, 1], "y_pred": [0, 1, 0]}), tmp_path / "u.parquet")
        assert predictions(tmp_path / "u.parquet").n == 3

    def test_logs_and_tables_are_not_joined(self, tmp_path: Path) -> None:
        a = lighteval_details(tmp_path, "a", rows([1, 0]))
        b = write_csv(tmp_path / "b.csv", {"id": [1, 2], "y_pred": [0, 1]})
        with pytest.raises(EvidenceError, match="cannot be joined with a log of 'lighteval'"):
            read(a, b)
