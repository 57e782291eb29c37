"""Nested results that are not regular: refused in words."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

import assay
from assay import AssayError

SCORES = [0.1, 0.2, 0.3]


@pytest.mark.parametrize(
    "given",
    [
        {"a": {"x": SCORES}, "b": {"x": [0.1, [0.2, 0.3], 0.4]}},
        {"a": {"x": SCORES, "y": SCORES}, "b": {"x": {"u": 1.0, "v": 2.0, "w": 3.0}, "y": SCORES}},
        {"a": {"x": np.ones((3, 2))}, "b": {"x": np.ones((3, 2))}},
        {"a": {"y_true": np.array(1.0), "y_pred": SCORES}, "b": {"y_true": SCORES, "y_pred": SCORES}},
        {"a": [{}], "b": [{}]},
        {"a": {"truth": [0, 1], "p": [0]}, "b": {"truth": [1], "p": [0, 1]}},
        {"a": {"d1": [0, pd.NA], "d2": [1, 1]}, "b": {"d1": [1, 1], "d2": [0, pd.NA]}},
    ],
    ids=["ragged", "mixed", "matrices", "no dimension", "no columns", "unequal columns", "missing"],
)  # fmt: skip
def test_irregular_nesting_is_refused(given: Any) -> None:
    with pytest.raises(AssayError):
        assay.compare(given, measure="accuracy", models=["a", "b"])


def test_a_lone_number_beside_runs_is_refused() -> None:
    with pytest.raises(AssayError, match="'lr' is one number"):
        assay.look({"rf": SCORES, "lr": np.array(1.0)}, unit="seed")


def test_regular_nesting_is_read() -> None:
    rng = np.random.default_rng(1)
    base = rng.uniform(0.6, 0.9, 8)
    scores = {"rf": base + 0.05, "lr": base - rng.uniform(0, 0.05, 8)}
    given = {model: dict(zip("uvwxyzab", of, strict=True)) for model, of in scores.items()}
    found = assay.compare(given, measure="accuracy", unit="dataset")
    assert (found.verdict.a, found.verdict.word) == ("rf", "better")
