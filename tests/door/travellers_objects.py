"""Objects that travellers bring: numbers that stand for none, means in bold, means of each model on each data set."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd

from tests.door.draw import generator
from tests.door.given import Answer, Given, Object, asked, certain
from tests.door.unfamiliar_objects import RF_LR, N

SETS = [f"set{i}" for i in range(20)]


def coded(name: str, code: float) -> Callable[[], Given]:
    """Numbers that rf predicts better, but for one cell, in which it failed."""

    def make() -> Given:
        rng = generator(name)
        y = rng.normal(20, 5, N)
        rf, lr = (y + rng.normal(0, sd, N) for sd in (1, 2.5))
        failed = np.arange(N) == 3
        good = {"rf": -np.abs(rf - y), "lr": -np.abs(lr - y)}  # what it would have been
        return Given(({"y_true": y, "rf": np.where(failed, code, rf), "lr": lr},), {}, good)

    return make


def by_set(
    name: str, build: Callable[[Any, Any], pd.DataFrame], **keywords: Any
) -> Callable[[], Given]:
    def make() -> Given:
        rng = generator(name)
        base = rng.uniform(0.6, 0.9, 20)
        rf, lr = ((base + gap + rng.normal(0, 0.004, 20)).round(3) for gap in (0.05, 0))
        return Given((build(rf, lr),), keywords, {"rf": rf, "lr": lr})

    return make


def grouped(rf: Any, lr: Any) -> pd.DataFrame:
    """Three runs of each model on each data set, as pandas sums them up."""
    runs = np.repeat(np.r_[rf, lr], 3) + np.tile([-0.001, 0.0, 0.001], 40)
    names = {"model": ["rf"] * 60 + ["lr"] * 60, "dataset": [s for s in SETS for _ in range(3)] * 2}
    long = pd.DataFrame({**names, "accuracy": runs})
    return long.groupby(["dataset", "model"])["accuracy"].agg(["mean", "std"])


def bold(rf: Any, lr: Any) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "dataset": SETS,
            "rf": [f"**{v}** ± 0.01" for v in rf],
            "lr": [f"{v} ± 0.02" for v in lr],
        }
    )


COMPLETE = Answer({"missing": "complete"}, order=RF_LR, n=N - 1)
CASES: list[Object] = [
    asked("infinite-value", coded("infinite", np.inf), "no prediction is infinite", COMPLETE),
    asked("code-among-values", coded("code", -999.0), "-999 is no prediction of 20", COMPLETE),
    asked(
        "means-of-each",
        by_set("means of each", grouped),
        "means of each model on each data set, of nobody knows what",
        Answer({"higher_is_better": True}, order=RF_LR, unit="dataset", n=20),
    ),
    certain(
        "bold-means",
        by_set("bold means", bold, measure="accuracy"),
        RF_LR,
        "the mean is in bold, its spread is not",
        unit="dataset",
        n=20,
    ),
]
