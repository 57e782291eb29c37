"""A real Spark session on this machine: counting happens in it, and the numbers are the same."""

import gc
import signal
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.predictions import Predictions
from assay.evidence.rows_cluster import ClusterRows
from tests.support import needs

pytestmark = [
    needs("java", "default-jre-headless"),
    # a socket of py4j is closed by the garbage collector, not by us
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


@pytest.fixture(scope="module")
def spark() -> Iterator[Any]:
    from pyspark.sql import SparkSession

    interrupt = signal.getsignal(signal.SIGINT)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SPARK_LOCAL_IP", "127.0.0.1")
        session = (
            SparkSession.builder.master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.driver.bindAddress", "127.0.0.1")
            .config("spark.driver.host", "127.0.0.1")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.log.level", "OFF")
            .getOrCreate()
        )
        yield session
        session.stop()
    # what Spark leaves in the process would be met by tests that run after these
    signal.signal(signal.SIGINT, interrupt)
    gc.collect()


N = 400


@pytest.fixture(scope="module")
def columns() -> dict[str, list[Any]]:
    rng = np.random.default_rng(11)
    truth = rng.integers(0, 2, N)
    noisy = np.where(rng.random((2, N)) < [[0.85], [0.75]], truth, 1 - truth)
    scores = np.round(0.4 * truth + 0.6 * rng.random((2, N)), 2)
    return {
        "item": [f"i{place}" for place in range(N)],
        "y": truth.tolist(),
        "a": noisy[0].tolist(),
        "b": noisy[1].tolist(),
        "v1.0:score": scores[0].tolist(),
        "v2.0:score": scores[1].tolist(),
        "w": rng.random(N).tolist(),
        "times": rng.integers(0, 4, N).tolist(),
        "patient": rng.integers(0, 40, N).tolist(),
    }


def frame(spark: Any, columns: dict[str, list[Any]], *names: str) -> Any:
    chosen = {name: columns[name] for name in names or columns}
    return spark.createDataFrame(list(zip(*chosen.values(), strict=True)), list(chosen))


class TestSameNumbers:
    @pytest.mark.parametrize("measure", ["accuracy", "f1"])
    def test_labels(self, spark: Any, columns: dict[str, list[Any]], measure: str) -> None:
        said: dict[str, Any] = {"truth": "y", "models": ["a", "b"], "ignore": "patient"}
        with pytest.raises(AmbiguousEvidence, match="Values of 'patient' occur more than once"):
            assay.read(frame(spark, columns), truth="y", models=["a", "b"])
        there = assay.read(frame(spark, columns), **said)
        here = assay.read(columns, **said)
        assert isinstance(there, Predictions)
        assert isinstance(there.rows, ClusterRows)
        assert assay.compare(there, measure=measure, rng=1) == assay.compare(
            here, measure=measure, rng=1
        )
        assert not there.rows.brought  # labels are counted in Spark: no row came here

    def test_conditions_and_slices(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        marked = {**columns, "part": [float(i % 3) for i in range(N)]}
        chosen = {name: marked[name] for name in ("item", "part", "y", "a", "b")}
        found = []
        for source in (frame(spark, chosen), chosen):
            kept = assay.read(source, truth="y", where="part=1")
            assert kept.n == 133
            whole = assay.read(source, truth="y", slice="part")
            assert kept.models == whole.models == ("a", "b")
            found.append(assay.compare(whole, measure="accuracy", slice="part", rng=1))
        assert found[0] == found[1]
        assert found[0].slices == ("0", "1", "2")

    def test_texts_that_sql_could_misread(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        texts = ["it's {rows}", 'a\\b "no"', "plain"]
        part = [texts[place % 3] for place in range(N)]
        marked = {name: columns[name] for name in ("item", "y", "a")} | {"part": part}
        kept = assay.read(frame(spark, marked), truth="y", where={"part": texts[:2]})
        assert kept.n == sum(text in texts[:2] for text in part)

    @pytest.mark.parametrize("role", ["weight", "count", "cluster"])
    def test_roles(self, spark: Any, columns: dict[str, list[Any]], role: str) -> None:
        said: dict[str, Any] = {role: {"weight": "w", "count": "times", "cluster": "patient"}[role]}
        said |= {} if role == "cluster" else {"ignore": "patient"}
        found = [
            assay.evaluate(
                assay.read(source, truth="y", models=["a"], **said),
                measures=("accuracy", "f1"),
                rng=1,
            )
            for source in (frame(spark, columns), columns)
        ]
        assert found[0] == found[1]

    def test_scores_under_names_with_dots(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        names = ["v1.0", "v2.0"]
        found = [
            assay.compare(
                assay.read(source, truth="y", models=names, ignore="patient"), measure="auc", rng=1
            )
            for source in (frame(spark, columns), columns)
        ]
        assert found[0] == found[1]

    def test_scores_ranked_in_spark(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        said: dict[str, Any] = {"truth": "y", "models": ["v1.0", "v2.0"], "count": "times"}
        said["ignore"] = "patient"
        there = assay.read(frame(spark, columns), **said, scores="exact")
        here = assay.read(columns, **said)
        assert isinstance(there, Predictions)
        assert isinstance(there.rows, ClusterRows)
        assert isinstance(here, Predictions)
        np.testing.assert_allclose(there.areas().areas, here.areas().areas, rtol=1e-14)
        np.testing.assert_allclose(there.areas().covariance, here.areas().covariance, rtol=1e-12)
        found, plain = (assay.compare(one, measure="auc") for one in (there, here))
        assert found.sentence == plain.sentence
        assert not there.rows.brought  # scores are ranked in Spark: no row came here

    def test_scores_binned_in_spark(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        said: dict[str, Any] = {"truth": "y", "models": ["v1.0"], "ignore": "patient"}
        there = assay.read(frame(spark, columns), **said, scores="binned")
        here = assay.read(columns, **said)
        found, plain = (assay.evaluate(one, measures="auc").estimates[0] for one in (there, here))
        assert found.value == plain.value  # two decimals: no bin holds two scores

    def test_labels_cut_from_scores(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        found = []
        for source in (frame(spark, columns), columns):
            evidence = assay.read(source, truth="y", models=["v1.0"], ignore="patient")
            assert isinstance(evidence, Predictions)
            found.append(assay.evaluate(evidence.labels_from_scores(0.6), rng=1))
        assert found[0] == found[1]

    def test_two_frames_joined_in_spark(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        shuffled = {name: values[::-1] for name, values in columns.items()}
        there = assay.read(
            frame(spark, columns, "item", "y", "a"), frame(spark, shuffled, "item", "y", "b")
        )
        assert isinstance(there, Predictions)
        assert isinstance(there.rows, ClusterRows)
        parts = [{name: columns[name] for name in ("item", "y", model)} for model in "ab"]
        assert assay.compare(there, rng=1) == assay.compare(assay.read(*parts), rng=1)


class TestTrouble:
    def test_unmatched_items(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        short = {name: values[3:] for name, values in columns.items()}
        parts = frame(spark, columns, "item", "y", "a"), frame(spark, short, "item", "y", "b")
        with pytest.raises(EvidenceError, match=r"source 2 lacks 3 items .*'i0', 'i1', 'i2'"):
            assay.read(*parts)
        kept = assay.read(*parts, on_mismatch="intersect")
        assert isinstance(kept, Predictions)
        assert kept.n == N - 3
        assert [note.code for note in kept.notes] == ["items-dropped"]

    def test_repeated_ids(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        twice = {name: [*values, values[0]] for name, values in columns.items()}
        with pytest.raises(EvidenceError, match=r"has rows with the same 'item' \('i0'"):
            assay.read(
                frame(spark, columns, "item", "y", "a"), frame(spark, twice, "item", "y", "b")
            )
        with pytest.raises(AmbiguousEvidence, match=r"Values of 'item' .* 'i0' 2 times"):
            assay.read(frame(spark, twice, "item", "y", "a"))

    def test_conflicting_truth(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        other = columns | {"y": [1 - value for value in columns["y"]]}
        with pytest.raises(EvidenceError, match=f"disagree on the truth of {N} items"):
            assay.read(
                frame(spark, columns, "item", "y", "a"), frame(spark, other, "item", "y", "b")
            )

    def test_missing_label(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        gap = columns | {"a": [None, *columns["a"][1:]]}
        with pytest.raises(AmbiguousEvidence, match="column 'a' of the data has a blank"):
            assay.read(frame(spark, gap, "y", "a"), truth="y")

    def test_text_for_numbers(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        text = columns | {"s": [str(value) for value in columns["w"]]}
        said: dict[str, Any] = {"truth": "y", "models": {"m": {"scores": "s"}}}
        there = assay.read(frame(spark, text, "y", "s"), **said)
        here = assay.read({name: text[name] for name in ("y", "s")}, **said)
        assert assay.evaluate(there, measures="auc") == assay.evaluate(here, measures="auc")
        text["s"][3] = "0.5d"  # a number to Spark, not to Python
        with pytest.raises(EvidenceError, match=r"must hold numbers, but '0\.5d' at a row is not"):
            assay.read(frame(spark, text, "y", "s"), **said)

    def test_no_order(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        with pytest.raises(UsageError, match="join them by id"):
            assay.read(frame(spark, columns, "y", "a"), frame(spark, columns, "y", "b"), id=False)

    def test_empty(self, spark: Any, columns: dict[str, list[Any]]) -> None:
        with pytest.raises(EvidenceError, match="has no rows"):
            assay.read(frame(spark, columns, "y", "a").limit(0), truth="y")
