"""Objects that callers bring: sparse matrices, records, structs, results by model, an index of folds."""

from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from scipy import sparse

from tests.door.given import Answer, Given, Object, asked, certain
from tests.door.travellers_objects import SETS, by_set
from tests.door.unfamiliar_objects import RF_LR, N, labelled


@dataclass
class Results:
    y_true: list[int]
    rf: list[int]
    lr: list[int]


def results(truth: Any, rf: Any, lr: Any) -> list[dict[str, Any]]:
    """A record for each model, which lists what became of each item."""
    return [
        {"model": m, "results": [{"id": i, "correct": bool(c)} for i, c in enumerate(of == truth)]}
        for m, of in (("rf", rf), ("lr", lr))
    ]


def judged(truth: Any, rf: Any, lr: Any, words: tuple[str, str], name: str) -> pd.DataFrame:
    right = np.r_[rf == truth, lr == truth]
    cells = {"item": [*range(N), *range(N)], "model": ["rf"] * N + ["lr"] * N}
    return pd.DataFrame({**cells, name: np.where(right, *words)})


def structs(truth: Any, rf: Any, lr: Any) -> pl.DataFrame:
    both = [{"rf": a, "lr": b} for a, b in zip(rf.tolist(), lr.tolist(), strict=True)]
    return pl.DataFrame({"y": truth, "said": both})


def hard(labels: Any) -> dict[str, Any]:
    """Probabilities of three classes that have two values only."""
    return {
        of: np.where(labels == place, 0.8, 0.1) for place, of in enumerate(("cat", "dog", "fox"))
    }


def nested_chances(truth: Any, rf: Any, lr: Any) -> tuple[dict[str, Any]]:
    """What each model says of each class, by the names of the classes: neither takes the other's place."""
    y = np.where(np.arange(N) % 3 == 0, 2, truth)
    shift = [np.where(of == truth, y, (y + 1) % 3) for of in (rf, lr)]
    names = np.array(["cat", "dog", "fox"])
    return ({"truth": names[y], "rf": hard(shift[0]), "lr": hard(shift[1])},)


def folds_by_set(rf: Any, lr: Any) -> pd.DataFrame:
    """Two folds on each data set, in an index without names."""
    index = pd.MultiIndex.from_product([SETS, [0, 1]])
    wide = {
        m: np.repeat(of, 2) + np.tile([-0.001, 0.001], 20) for m, of in (("rf", rf), ("lr", lr))
    }
    return pd.DataFrame(wide, index=index)


def matrix() -> Given:
    build = labelled("matrix of models", lambda t, a, b: (t, np.stack([a, b])))
    return replace(build(), keywords={"models": ["rf", "lr"]})


def of_metric() -> Given:
    rf, lr = (
        base + 0.01 * np.sin(np.arange(12.0) * step) for base, step in ((0.9, 1.0), (0.8, 2.0))
    )
    cells = {"model": ["rf"] * 12 + ["lr"] * 12, "seed": [*range(12)] * 2, "metric": np.r_[rf, lr]}
    return Given((pd.DataFrame(cells),), {}, {"rf": rf, "lr": lr})


CERTAIN: dict[str, tuple[Any, str]] = {
    "sparse-columns": (
        lambda t, a, b: (t, {"rf": sparse.csr_matrix(a), "lr": sparse.csc_matrix(b[:, None])}),
        "a sparse matrix of one row or column is a column",
    ),
    "sparse-classes": (
        lambda t, a, b: (
            sparse.csr_matrix(np.eye(2)[t]),
            {"rf": sparse.csr_matrix(np.eye(2)[a]), "lr": np.eye(2)[b]},
        ),
        "a 1 for its class in each row",
    ),
    "data-class-of-lists": (
        lambda t, a, b: (Results(t.tolist(), a.tolist(), b.tolist()),),
        "its fields are columns",
    ),
    "namespace": (lambda t, a, b: (SimpleNamespace(y=t, rf=a, lr=b),), "its names are columns"),
    "views": (
        lambda t, a, b: (dict(enumerate(t)).values(), {"rf": a, "lr": dict(enumerate(b)).values()}),
        "the values of a mapping",
    ),
    "batches-of-arrow": (
        lambda t, a, b: (
            pa.table({"truth": t, "rf": a, "lr": b}).to_reader(max_chunksize=50),
        ),
        "a table that comes in parts",
    ),
    "truth-among-columns": (
        lambda t, a, b: ((frame := pd.DataFrame({"y": t, "rf": a, "lr": b})).y, frame),
        "the truth is no model, though it is a column of the frame",
    ),
    "structs": (lambda t, a, b: (structs(t, a, b),), "a part of the cell for each model"),
    "results-of-each": (lambda t, a, b: (results(t, a, b),), "each model lists its items"),
    "status-passed": (
        lambda t, a, b: (judged(t, a, b, ("pass", "fail"), "status"),),
        "pass and fail say which answers are right",
    ),
    "status-of-tasks": (
        lambda t, a, b: (
            judged(t, a, b, ("passed", "failed"), "status").rename(columns={"item": "task"}),
        ),
        "a task that a model passes or fails is an item",
    ),
    "outcome-correct": (
        lambda t, a, b: (judged(t, a, b, ("correct", "incorrect"), "outcome"),),
        "what is correct or not is no truth",
    ),
    "predictions-of-each": (
        lambda t, a, b: ({"truth": t, "rf": {"pred": a}, "lr": {"pred": b}},),
        "neither takes the other's place",
    ),
    "chances-of-each": (nested_chances, "columns that sum to 1 are no truth, whatever values they have"),
    "sets-without-labels": (
        lambda t, a, b: (
            [[np.int64(1)] if x else [] for x in t],
            {"rf": [[1] if x else [] for x in a], "lr": [[1] if x else [] for x in b]},
        ),
        "no label is an answer too",
    ),
}  # fmt: skip

CASES: list[Object] = [
    *(
        certain(name, labelled(name, build), RF_LR, why, n=N)
        for name, (build, why) in CERTAIN.items()
    ),
    certain("matrix-of-models", matrix, RF_LR, "a row for each model", n=N),
    asked(
        "index-of-folds",
        by_set("index of folds", folds_by_set, measure="accuracy"),
        "an index without names may be of anything",
        Answer({"unit": "dataset"}, order=RF_LR, unit="dataset", n=20),
    ),
    asked(
        "numbers-called-metric",
        of_metric,
        "a column of numbers names no measures",
        Answer({"higher_is_better": True}, order=RF_LR, unit="seed", n=12),
    ),
]
