"""Objects of Python as columns: arrays of any package, frames with their index, probabilities."""

from collections import UserList, deque
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.evidence.frames import is_frame
from assay.evidence.readers.objects import as_array, columns_of, is_column
from assay.evidence.reading_options import Told
from tests.evidence.forms import predictions


class Tensor:
    """What torch and jax look like from outside: an array by protocol."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return self.values.astype(dtype) if dtype else self.values


class Exported:
    """An array that only DLPack can hand over."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values)

    def __dlpack__(self, **options: Any) -> Any:
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self.values.__dlpack_device__()


class TestKinds:
    @pytest.mark.parametrize(
        "source", [[1, 2], (1, 2), np.arange(2), pd.Series([1]), pl.Series([1]), Tensor([1.0])]
    )
    def test_columns(self, source: Any) -> None:
        assert is_column(source)
        assert not is_frame(source)

    @pytest.mark.parametrize(
        "source", [{"a": [1]}, "file.csv", b"x", pd.DataFrame({"a": [1]}), pl.DataFrame({"a": [1]})]
    )
    def test_no_columns(self, source: Any) -> None:
        assert not is_column(source)

    def test_records_are_a_table(self) -> None:
        records = np.array([(0, 1), (1, 1)], dtype=[("y", int), ("a", int)])
        assert not is_column(records)
        assert {n: c.tolist() for n, c in columns_of(records, "t").items()} == {
            "y": [0, 1],
            "a": [1, 1],
        }


class TestAsArray:
    @pytest.mark.parametrize("values", [Tensor([0.5, 1.0]), Exported([0.5, 1.0])])
    def test_tensors_without_their_package(self, values: Any) -> None:
        assert as_array(values, "a").tolist() == [0.5, 1.0]

    def test_lists_keep_what_they_hold(self) -> None:
        assert as_array([1, "a"], "a").tolist() == [1, "a"]
        assert as_array([True, 2], "a").tolist() == [True, 2]
        assert as_array([1, 2.5], "a").dtype == np.float64

    def test_too_many_dimensions(self) -> None:
        with pytest.raises(EvidenceError, match=r"array 'a' has shape \(2, 2, 2\)"):
            as_array(np.zeros((2, 2, 2)), "a")
        with pytest.raises(EvidenceError, match="'a' is one number"):
            as_array(np.float64(1.0), "a")

    @pytest.mark.parametrize("truth", [0.5, np.float64(0.5), np.array(1.0), np.array(None)])
    @pytest.mark.parametrize("given", [{"a": [1, 0]}, [[1, 0], [1, 1]], [1, 0], 0.25])
    def test_a_lone_value_is_no_truth(self, truth: Any, given: Any) -> None:
        for arguments in ((truth, given), (given, truth)):
            with pytest.raises(assay.AssayError, match=r"one number|evidence is a path"):
                assay.look(*arguments)


class TestIndex:
    def test_a_named_index_is_a_column(self) -> None:
        frame = pd.DataFrame({"a": [1.0, 2.0]}, index=pd.Index(["x", "z"], name="dataset"))
        assert list(columns_of(frame, "t")) == ["dataset", "a"]

    def test_a_nameless_one_too(self) -> None:
        frame = pd.DataFrame({"a": [1.0, 2.0]}, index=["x", "z"])
        assert columns_of(frame, "t")[""].tolist() == ["x", "z"]

    def test_several_levels(self) -> None:
        index = pd.MultiIndex.from_product([["d1", "d2"], [0, 1]], names=["dataset", "fold"])
        assert list(columns_of(pd.DataFrame({"a": range(4)}, index=index), "t")) == [
            "dataset",
            "fold",
            "a",
        ]

    @pytest.mark.parametrize("index", [None, [0, 0, 1]])
    def test_numbers_of_rows_are_none(self, index: Any) -> None:
        """A plain range, and what is left of frames that were put together."""
        assert list(columns_of(pd.DataFrame({"a": [1, 2, 3]}, index=index), "t")) == ["a"]

    def test_a_column_of_the_same_name_stays(self) -> None:
        frame = pd.DataFrame({"id": [7, 8]}, index=pd.Index([1, 2], name="id"))
        assert columns_of(frame, "t")["id"].tolist() == [7, 8]


class TestProbabilities:
    PROBABILITIES = np.array([[0.7, 0.2, 0.1], [0.1, 0.8, 0.1], [0.2, 0.2, 0.6]])

    def test_a_column_for_each_class_in_the_order_of_scikit_learn(self) -> None:
        found = columns_of({"y": ["b", "a", "c"], "m": self.PROBABILITIES}, "t")
        assert list(found) == ["y", "m:p(a)", "m:p(b)", "m:p(c)", "m:label"]
        assert found["m:p(b)"].tolist() == [0.2, 0.8, 0.2]
        assert found["m:label"].tolist() == ["a", "b", "c"]

    def test_become_evidence(self) -> None:
        evidence = predictions({"y": ["a", "b", "c"], "m": self.PROBABILITIES})
        assert evidence.models == ("m",)
        assert {"labels", "probabilities"} <= evidence.offers["m"]

    def test_classes_in_the_order_that_was_told(self) -> None:
        table = {"y": ["b", "a", "c"], "m": self.PROBABILITIES}
        found = columns_of(table, "t", Told(classes=["c", "b", "a"]))
        assert found["m:p(c)"].tolist() == [0.7, 0.1, 0.2]

    def test_a_class_without_a_column(self) -> None:
        with pytest.raises(UsageError, match=r"'m' has 3 columns .* 2 classes; .*classes="):
            columns_of({"y": ["a", "b", "a"], "m": self.PROBABILITIES}, "t")

    def test_a_single_column_is_a_column(self) -> None:
        assert columns_of({"m": np.array([[1.0], [2.0]])}, "t")["m"].tolist() == [1.0, 2.0]


class TestRefusals:
    @pytest.mark.parametrize(
        ("source", "match"),
        [
            ({}, "no rows of data"),
            ({"y": []}, "no rows of data"),
            ({"y": [0, 1], "a": [0]}, "equally long; 'y' has 2, 'a' has 1"),
            ({1: [0], "1": [0]}, "two columns of the same name"),
        ],
    )
    def test_tables(self, source: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            columns_of(source, "the data")

    def test_what_is_no_table(self) -> None:
        with pytest.raises(UsageError, match=r"evidence is a path, a frame.*Got NoneType 'None'"):
            columns_of(None, "the data")
        with pytest.raises(EvidenceError, match="'3' is one number"):
            columns_of(3, "the data")


class TestSeries:
    """Rows of series are what their labels say, not where they stand."""

    TRUTH = pd.Series([0, 1, 1, 0], index=list("abcd"))

    def test_another_order_of_the_same_labels(self) -> None:
        turned = self.TRUTH[::-1]
        found = columns_of({"truth": self.TRUTH, "m": turned}, "the data")
        assert found["m"].tolist() == found["truth"].tolist() == [0, 1, 1, 0]
        assert found[""].tolist() == list("abcd")

    def test_other_labels_are_refused(self) -> None:
        other = pd.Series([0, 1, 1, 0], index=list("wxyz"))
        with pytest.raises(EvidenceError, match=r"different labels .*to_numpy"):
            columns_of({"truth": self.TRUTH, "m": other}, "the data")

    def test_numbers_of_rows_are_no_labels(self) -> None:
        """As of predictions put into a series of their own beside a test set that was drawn."""
        drawn = pd.Series([0, 1, 1, 0], index=[7, 3, 9, 1])
        found = columns_of({"truth": drawn, "m": pd.Series([0, 1, 1, 1])}, "the data")
        assert found["m"].tolist() == [0, 1, 1, 1]

    def test_a_series_with_named_levels(self) -> None:
        levels = pd.MultiIndex.from_product([["m"], ["x", "y"]], names=["model", "dataset"])
        found = columns_of(pd.Series([0.5, 0.6], index=levels, name="accuracy"), "the data")
        assert list(found) == ["model", "dataset", "accuracy"]

    def test_names_in_two_levels(self) -> None:
        frame = pd.DataFrame({("accuracy", "rf"): [0.5], ("accuracy", "lr"): [0.4]})
        assert list(columns_of(frame, "the data")) == ["accuracy_rf", "accuracy_lr"]


class TestRows:
    def test_a_mapping_for_each_row(self) -> None:
        found = columns_of([{"id": 1, "a": 0.5}, {"id": 2, "b": 0.25}], "the data")
        assert {name: array.tolist() for name, array in found.items()} == {
            "id": [1, 2],
            "a": [0.5, None],
            "b": [None, 0.25],
        }

    def test_a_mapping_for_each_model(self) -> None:
        given = {"rf": {"x": 0.5, "y": 0.6}, "lr": {"y": 0.7, "x": 0.4}}
        found = columns_of(given, "the data")
        assert found[""].tolist() == ["x", "y"]
        assert found["lr"].tolist() == [0.4, 0.7]


class TestIndicators:
    def test_a_truth_with_a_1_for_its_class(self) -> None:
        found = columns_of({"truth": np.eye(3)[[2, 0, 1]], "m": [2, 0, 1]}, "the data")
        assert found["truth"].tolist() == [2, 0, 1]

    def test_another_matrix_is_no_truth(self) -> None:
        with pytest.raises(EvidenceError, match="rows without a 1"):
            columns_of({"truth": np.ones((3, 2)), "m": [1, 1, 1]}, "the data")

    def test_logits_are_labels_and_no_probabilities(self) -> None:
        found = columns_of({"truth": [0, 1], "m": np.array([[2.5, -1.0], [0.2, 3.0]])}, "the data")
        assert list(found) == ["truth", "m:label"]
        assert found["m:label"].tolist() == ["0", "1"]

    def test_runs_and_tasks_without_a_truth(self) -> None:
        with pytest.raises(UsageError, match="columns model, dataset, seed, score"):
            columns_of({"m": np.ones((5, 6))}, "the data")


def test_cells_that_are_lists_within_lists() -> None:
    frame = pd.DataFrame({"truth": [0, 1, 1], "a": [[1, [0.5]], [0, 1], [0, 1]], "b": [0, 1, 0]})
    assert "1 model (b)" in str(assay.look(frame))


class TestContainers:
    """Found by a generator of containers and cells: errors of numpy's where a column was meant."""

    @pytest.mark.parametrize(
        "kind", [deque, UserList, iter, tuple, lambda one: dict(enumerate(one)).values()]
    )
    def test_whatever_holds_values_in_order_is_a_column(self, kind: Any) -> None:
        truth, model = [0, 1, 1, 0, 1, 0], [0, 1, 0, 0, 1, 1]
        wanted = assay.evaluate({"truth": truth, "a": model})
        assert assay.evaluate({"truth": kind(truth), "a": kind(model)}) == wanted

    @pytest.mark.parametrize("kind", [deque, UserList])
    def test_lists_of_several_lengths_are_no_truth(self, kind: Any) -> None:
        with pytest.raises(AssayError):
            assay.compare({"truth": kind([[1], [1, 2]] * 3), "a": [0, 1] * 3})

    def test_records_are_no_column(self) -> None:
        records = np.rec.fromarrays([np.array(["x", None] * 3, dtype=object)])
        with pytest.raises(EvidenceError, match=r"array 'a' holds records \('f0'\)"):
            columns_of({"truth": [0, 1] * 3, "a": records}, "it")

    def test_cells_that_are_arrays_are_told_apart(self) -> None:
        cells = [np.array(["a", "b"])] * 6
        kept = np.empty(6, dtype=object)
        kept[:] = cells
        assert as_array(kept, "a").tolist() == [["a", "b"]] * 6
        assert all(isinstance(one, np.ndarray) for one in kept)
        assert as_array([pl.Series([1, 2]), pd.Series(["x"])], "a").tolist() == [[1, 2], ["x"]]
        assert as_array([1, pd.NA, "x"], "a").tolist() == [1, None, "x"]
        frame = pd.DataFrame({"truth": cells, "label": ["x", "y"] * 3})
        with pytest.raises(AssayError):
            assay.compare(frame)

    def test_a_row_without_dimensions_is_no_row(self) -> None:
        with pytest.raises(UsageError, match="rows of a list are lists of one length"):
            assay.look([[1, 0], np.array(True)])

    def test_truths_are_compared_whatever_their_cells_are(self) -> None:
        """NumPy raises where one of its flags is compared with a number beyond its types."""
        rows = [{"truth": np.bool_(n % 2), "y": 10**400 + n, "a": n % 2} for n in range(6)]
        with pytest.raises(AssayError):
            assay.compare(rows)

    def test_a_truth_that_only_dlpack_hands_over_has_a_length(self) -> None:
        truth, model = [0.0, 1.0, 1.0, 0.0], [0.0, 1.0, 0.0, 0.0]
        said = [np.array(model), np.array(truth)]
        wanted = assay.look(np.array(truth), said)
        assert str(assay.look(Exported(truth), said)) == str(wanted)

    def test_batches_of_polars_are_one_column(self) -> None:
        batches = {name: [pl.Series([1, 0]), pl.Series([0, 1, 1])] for name in ("truth", "a")}
        found = columns_of(batches, "t")
        assert [found[name].tolist() for name in batches] == [[1, 0, 0, 1, 1]] * 2


@pytest.mark.parametrize("coded", [False, True])
def test_a_lone_arrow_array_is_no_table(coded: bool) -> None:
    """Codes of which one stands for nothing are more than pandas takes."""
    cells = pa.array([0.0, float("nan"), 1.0, None])
    with pytest.raises(UsageError, match="evidence is a path, a frame"):
        assay.board(cells.dictionary_encode() if coded else cells, correct=True)


def test_a_truth_of_indicators_without_a_cell() -> None:
    with pytest.raises(AssayError):
        assay.compare(np.zeros((0, 0)), {"a": np.zeros((0, 0)), "b": np.zeros((0, 0))})
