"""Objects of Python in forms that came late: named series, lists of numpy's numbers, scorers of one's own."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.door.draw import generator, spoilt
from tests.door.given import Answer, Given, Object, asked, certain

N = 200
RF_LR = (("rf", "lr"),)


def labelled(name: str, build: Callable[[Any, Any, Any], tuple[Any, ...]]) -> Callable[[], Given]:
    """The truth and two predictions of it: rf errs in 6 %, lr in 25 %."""

    def make() -> Given:
        rng = generator(name)
        truth = rng.integers(0, 2, N)
        rf, lr = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.06, 0.25))
        good = {"rf": (rf == truth).astype(float), "lr": (lr == truth).astype(float)}
        return Given(build(truth, rf, lr), {}, good)

    return make


def folded(
    name: str, build: Callable[[Any, Any], tuple[Any, ...]], sign: float = 1.0, **keywords: Any
) -> Callable[[], Given]:
    """Scores of ten folds: rf 0.82, lr 0.76."""

    def make() -> Given:
        rng = generator(name)
        rf, lr = (sign * (mean + rng.normal(0, 0.004, 10)).round(4) for mean in (0.82, 0.76))
        return Given(build(rf, lr), keywords, {"rf": rf, "lr": lr})

    return make


def validated(test: Any, name: str = "test_score") -> dict[str, Any]:
    return {"fit_time": np.ones(10), "score_time": np.ones(10), name: test}


def frame(rf: Any, lr: Any) -> pd.DataFrame:
    """What cross_validate returned for two models, one below the other."""
    cells = {"model": ["rf"] * 10 + ["lr"] * 10, **validated(np.r_[rf, lr])}
    return pd.DataFrame({**cells, "fit_time": 1.0, "score_time": 1.0})


def chances(labels: Any) -> pd.DataFrame:
    """Probabilities of both classes, the later one first."""
    return pd.DataFrame(
        {1: np.where(labels == 1, 0.8, 0.3), 0: np.where(labels == 0, 0.8, 0.3)}
    ).pipe(lambda found: found.div(found.sum(axis=1), axis=0))


def told(truth: Any, predicted: Any) -> list[dict[str, Any]]:
    """A record for each item, with the answer in a word."""
    words = np.array(["no", "yes"])
    return [
        {"id": i, "truth": t, "answer": p}
        for i, (t, p) in enumerate(zip(words[truth], words[predicted], strict=True))
    ]


def judged(truth: Any, predicted: Any) -> pd.DataFrame:
    return pd.DataFrame({"qid": range(N), "correct": truth == predicted, "latency": 1.0})


def both(labels: Any) -> list[list[float]]:
    """The probabilities of both classes in a list for each item."""
    return [[0.2, 0.8] if label else [0.8, 0.2] for label in labels]


def batches(values: Any) -> list[Any]:
    return list(np.split(np.asarray(values), 4))


class Loaded:
    """A data set as Hugging Face's library holds it: it turns itself into a frame."""

    def __init__(self, **columns: Any) -> None:
        self.columns_held = columns

    def to_pandas(self) -> pd.DataFrame:
        return pd.DataFrame(self.columns_held)


def by_item(values: Any) -> dict[str, Any]:
    """What is said of each item by its name, in another order than that of the truth."""
    return {f"q{i}": values[i] for i in reversed(range(N))}


CERTAIN: Mapping[str, tuple[Callable[[Any, Any, Any], tuple[Any, ...]], str]] = {
    "frames-by-model": (
        lambda t, a, b: ({"rf": judged(t, a), "lr": judged(t, b)[::-1]},),
        "each frame has the answers of one model to the same questions",
    ),
    "answers-by-model": (
        lambda t, a, b: ({"rf": told(t, a), "lr": told(t, b)},),
        "the answer is one of the classes",
    ),
    "a-generator": (
        lambda t, a, b: (
            ({"truth": x, "rf": y, "lr": z} for x, y, z in zip(t, a, b, strict=True)),
        ),
        "records one by one",
    ),
    "pairs": (
        lambda t, a, b: ([("truth", t), ("rf", a), ("lr", b)],),
        "names and columns in pairs",
    ),
    "batches": (
        lambda t, a, b: ({"truth": batches(t), "rf": batches(a), "lr": batches(b)},),
        "equally long batches of predictions",
    ),
    "lists-in-cells": (
        lambda t, a, b: (pd.DataFrame({"truth": t, "rf": both(a), "lr": both(b)}),),
        "as many probabilities as classes",
    ),
    "mappings-by-item": (
        lambda t, a, b: (dict(enumerate(t)), {"rf": dict(enumerate(a)), "lr": dict(enumerate(b))}),
        "items are named by their keys",
    ),
    "mappings-in-another-order": (
        lambda t, a, b: (
            by_item(t),
            {"lr": by_item(b), "rf": {f"q{i}": v for i, v in enumerate(a)}},
        ),
        "items are paired by their keys",
    ),
    "batch-of-records": (
        lambda t, a, b: (pa.record_batch({"truth": t, "rf": a, "lr": b}),),
        "a part of an Arrow table",
    ),
    "loaded-data-set": (
        lambda t, a, b: (Loaded(label=t, rf=a, lr=b),),
        "what turns itself into a frame",
    ),
    "lists-in-cells-of-polars": (
        lambda t, a, b: (pl.DataFrame({"truth": t, "rf": both(a), "lr": both(b)}),),
        "as many probabilities as classes",
    ),
}
NOTHING: Mapping[str, Callable[[Any, Any, Any], Any]] = {
    "correlations": lambda t, a, b: pd.DataFrame({"truth": t, "rf": a, "lr": b}).corr(),
    "correlations-of-polars": lambda t, a, b: pl.DataFrame({"ridge": t, "rf": a, "lr": b}).corr(),
    "crosstab": lambda t, a, b: pd.crosstab(pd.Series(t, name="actual"), pd.Series(a, name="rf")),
    "mean-std-n": lambda t, a, b: {
        name: {"mean": of.mean(), "std": of.std(), "n": N} for name, of in (("rf", a), ("lr", b))
    },
}
FOLDS: Mapping[str, Any] = {"unit": "fold", "n": 10, "corrected": 1 / 9}
CASES: list[Object] = [
    *(
        certain(name, labelled(name, build), RF_LR, why, n=N)
        for name, (build, why) in CERTAIN.items()
    ),
    *(
        asked(name, labelled(name, lambda *of, build=build: (build(*of),)), "no values of models")
        for name, build in NOTHING.items()
    ),
    certain(
        "named-series",
        labelled(
            "named",
            lambda t, a, b: (pd.Series(t), pd.Series(a, name="rf"), pd.Series(b, name="lr")),
        ),
        RF_LR,
        "series bring their names",
        n=N,
    ),
    certain(
        "frame-of-the-truth",
        labelled(
            "two frames", lambda t, a, b: (pd.DataFrame({"y": t}), pd.DataFrame({"rf": a, "lr": b}))
        ),
        RF_LR,
        "a frame of one column is the truth of the other",
        n=N,
    ),
    asked(
        "other-codes",
        labelled("codes", lambda t, a, b: (t, {"rf": a + 1, "lr": b + 1})),
        "1 and 2 are no scores of 0 and 1",
    ),
    asked(
        "three-lists",
        folded("lists", lambda a, b: (list(a), list(b), list(b - 0.1))),
        "three lists of scores: the first is no truth of the others",
    ),
    certain(
        "cross-validate-measure",
        folded(
            "told", lambda a, b: ({"rf": validated(a), "lr": validated(b)},), measure="accuracy"
        ),
        RF_LR,
        "the only score is told to be an accuracy",
        **FOLDS,
    ),
    asked(
        "own-scorer-negated",
        folded(
            "own scorer",
            lambda a, b: ({"rf": validated(b, "test_mse"), "lr": validated(a, "test_mse")},),
            -1.0,
        ),
        "a scorer of one's own, negated by scikit-learn, is better higher",
    ),
    certain(
        "cross-validate-negated",
        folded(
            "neg",
            lambda a, b: ({"rf": validated(a), "lr": validated(b)},),
            -1.0,
            measure="neg_root_mean_squared_error",
        ),
        (("lr", "rf"),),
        "a negated loss by its name",
        **FOLDS,
    ),
    certain(
        "chances-in-a-frame",
        labelled("frames of chances", lambda t, a, b: (t, {"rf": chances(a), "lr": chances(b)})),
        RF_LR,
        "the columns say which class is which",
        n=N,
    ),
    asked(
        "cross-validate-frame",
        folded("frame", lambda a, b: (frame(a, b),), measure="accuracy"),
        "rows of two models, without a fold",
        Answer({"unit": "fold"}, RF_LR, "fold", 10),
        corrected=1 / 9,
    ),
    certain(
        "folds-in-a-numbered-index",
        folded(
            "index",
            lambda a, b: (pd.DataFrame({"rf": a, "lr": b}).rename_axis("fold"),),
            measure="accuracy",
        ),
        RF_LR,
        "the index is called fold",
        **FOLDS,
    ),
    asked(
        "numbered-columns-of-a-frame",
        folded("turned", lambda a, b: (pd.DataFrame({"rf": a, "lr": b}).T,), measure="accuracy"),
        "0 to 9 may be folds, seeds or data sets",
        Answer({"unit": "fold", "models_in_rows": True}, RF_LR, "fold", 10),
        corrected=1 / 9,
    ),
    asked(
        "concatenated-series",
        labelled(
            "concatenated",
            lambda t, a, b: (pd.concat({"rf": pd.Series(a == t), "lr": pd.Series(b == t)}),),
        ),
        "True may be an answer",
        Answer({"correct": True}, RF_LR, n=N),
    ),
    asked(
        "sizes-of-training",
        folded("curve", lambda a, b: ((np.arange(10) * 9, np.outer(a, a), np.outer(b, b)),)),
        "what learning_curve returns: sizes are no truth",
    ),
    asked(
        "series-of-arrays",
        folded("series", lambda a, b: (pd.Series({"rf": a, "lr": b}),), measure="accuracy"),
        "an array for each model; what a number is of is open",
        Answer({"unit": "fold"}, RF_LR, "fold", 10),
        corrected=1 / 9,
    ),
]
