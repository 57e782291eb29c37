"""Rows in the order of their values: whatever order they came in, and every array in step."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import assay
from assay.evidence import item_arrays
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions

N = 40


def _columns(rows: NDArray[Any]) -> Columns:
    """Every value occurs several times, so that only all arrays together tell rows apart."""
    rng = np.random.default_rng(2)
    few = rng.integers(0, 3, (7, N))
    return Columns(
        models=("a", "b"),
        truth=few[0][rows],
        predictions=(few[1:3] / 3.0)[:, rows],
        weights=(few[3] / 7.0)[rows],
        clusters=few[4][rows],
        folds=few[5][rows],
        repeats=few[6][rows],
    )


def _rows(columns: Columns) -> list[tuple[float, ...]]:
    others = (columns.truth, columns.weights, columns.clusters, columns.folds, columns.repeats)
    arrays = [*columns.predictions, *(one for one in others if one is not None)]
    return list(zip(*(one.tolist() for one in arrays), strict=True))


@pytest.mark.parametrize("seed", range(5))
def test_any_order_becomes_one_and_no_row_is_torn(seed: int) -> None:
    plain = _columns(np.arange(N))
    shuffled = _columns(np.random.default_rng(seed).permutation(N))
    assert _rows(shuffled) != _rows(plain)
    assert _rows(shuffled.in_order()) == _rows(plain.in_order())
    assert sorted(_rows(plain.in_order())) == sorted(_rows(plain))


def test_printed_numbers_are_ordered_as_numbers_are(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(4)
    values = rng.normal(0.0, 0.5, (3, 2000)).round(2)
    columns = Columns(models=("a", "b"), truth=values[0], predictions=values[1:])
    monkeypatch.setattr(item_arrays, "MANY", 2001)
    as_floats = _rows(columns.in_order())
    monkeypatch.setattr(item_arrays, "MANY", 1)
    assert _rows(columns.in_order()) == as_floats


def test_probabilities_of_classes() -> None:
    rng = np.random.default_rng(3)
    chances = rng.integers(0, 2, (2, N, 3)) / 2.0
    rows = rng.permutation(N)
    found = [
        Columns(models=("a", "b"), truth=np.zeros(0), predictions=one).in_order().predictions
        for one in (chances, chances[:, rows])
    ]
    assert np.array_equal(found[0], found[1])


def test_no_rows() -> None:
    columns = Columns(models=("a",), truth=np.zeros(0), predictions=np.zeros((1, 0)))
    assert columns.in_order().n == 0


def test_evidence_gives_rows_as_they_came_and_sorted() -> None:
    evidence = assay.read({"truth": [3.5, 1.5, 2.5], "a": [3.0, 1.0, 2.0]})
    assert isinstance(evidence, Predictions)
    assert evidence.columns("values").truth.tolist() == [3.5, 1.5, 2.5]
    assert evidence.sorted_columns("values").truth.tolist() == [1.5, 2.5, 3.5]
    assert evidence.sorted_columns("values") is evidence.sorted_columns("values")  # sorted once


@pytest.mark.parametrize("zero", [0.0, -0.0])
def test_rows_that_are_one_number_are_read_again_to_the_bit(
    monkeypatch: pytest.MonkeyPatch, zero: float
) -> None:
    rng = np.random.default_rng(5)
    values = rng.normal(0.0, 3.0, (4, 3000)).round(3) + 0.0
    values[1][values[1] == 0.0] = zero
    codes = rng.integers(0, 3, (2, 3000))
    columns = Columns(
        models=("a", "b"),
        truth=values[0],
        predictions=values[1:3],
        weights=np.abs(values[3]).round(1),
        clusters=codes[0],
        folds=codes[1].astype(np.int32),
    )
    monkeypatch.setattr(item_arrays, "MANY", 3001)
    expected = columns.in_order()
    monkeypatch.setattr(item_arrays, "MANY", 1)
    found = columns.in_order()
    for name in ("truth", "predictions", "weights", "clusters", "folds"):
        one, other = getattr(found, name), getattr(expected, name)
        assert (one.dtype, one.tobytes()) == (other.dtype, other.tobytes()), name
