"""Frames: indices, categories, missing values, long form."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.door.arrays import AB, N, shown
from tests.door.case import agreement
from tests.door.draw import generator, scores_by_set
from tests.door.given import Answer, Given, Object, asked, certain, defensible


def frame(**more: Any) -> Callable[[Any, Any, Any], Given]:
    return lambda truth, a, b: Given(
        (pd.DataFrame({"id": range(N), "truth": truth, "a": a, "b": b, **more}),)
    )


def _frames() -> list[Object]:
    def sets(index: Any = None, n: int = 24, **keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            scores = scores_by_set(generator("frame"), n, {"a": 0.0, "b": 0.045})
            table = pd.DataFrame(
                scores, index=[f"set{i}" for i in range(n)] if index is None else index
            )
            return Given(
                (table,), keywords, {name: np.asarray(values) for name, values in scores.items()}
            )

        return build

    def seeds() -> Given:
        scores = scores_by_set(generator("many"), 36, {"a": 0.0, "b": 0.045})
        index = pd.MultiIndex.from_product(
            [[f"set{i}" for i in range(12)], range(3)], names=["dataset", "seed"]
        )
        means = {
            name: np.asarray(values).reshape(12, 3).mean(axis=1) for name, values in scores.items()
        }
        return Given((pd.DataFrame(scores, index=index),), {"measure": "accuracy"}, means)

    def kind(dtype: Any, classes: tuple[Any, ...] = (0, 1)) -> Callable[[], Given]:
        def form(y: Any, a: Any, b: Any) -> Given:
            return Given((pd.DataFrame({"truth": y, "a": a, "b": b}).astype(dtype),))

        return shown(dtype, form, classes)

    def gaps(y: Any, a: Any, b: Any) -> Given:
        table = pd.DataFrame({"truth": y, "a": a, "b": b}).astype("Int64")
        table.loc[:19, "b"] = pd.NA
        return Given(
            (table,), {}, {name: good[20:] for name, good in agreement(y, a=a, b=b).items()}
        )

    def held(y: Any, a: Any, b: Any) -> Given:
        rows = np.arange(N) % 2 == 1
        good = {name: right[rows] for name, right in agreement(y, a=a, b=b).items()}
        return Given(
            (pd.DataFrame({"split": np.where(rows, "test", "train"), "truth": y, "a": a, "b": b}),),
            {},
            good,
        )

    named = pd.Index([f"set{i}" for i in range(24)], name="dataset")

    def columns(y: Any, a: Any, b: Any) -> dict[str, Any]:
        return {"id": np.arange(N), "truth": y, "a": a, "b": b}

    def long_rows(y: Any, a: Any, b: Any) -> list[dict[str, Any]]:
        return [
            {"model": name, "item": i, "correct": int(value)}
            for name, column in agreement(y, a=a, b=b).items()
            for i, value in enumerate(column)
        ]

    text = ("ham", "spam")
    return [
        certain("frame", shown("frame", frame()), AB, "a frame with id, truth and two models"),
        certain(
            "frame-index",
            shown(
                "frame index", lambda y, a, b: Given((pd.DataFrame({"truth": y, "a": a, "b": b}),))
            ),
            AB,
            "the index counts the rows",
        ),
        certain(
            "frame-named-index",
            shown(
                "frame named",
                lambda y, a, b: Given(
                    (
                        pd.DataFrame(
                            {"truth": y, "a": a, "b": b},
                            index=pd.Index(range(7, 7 + N), name="item"),
                        ),
                    )
                ),
            ),
            AB,
            "the index names the items",
        ),
        certain(
            "frame-categories",
            kind("category", ("bird", "cat", "dog")),
            AB,
            "categories are labels",
        ),
        certain(
            "frame-nullable", kind("Int64"), AB, "whole numbers that could be missing and are not"
        ),
        certain("frame-strings", kind("string", ("bird", "cat", "dog")), AB, "strings are labels"),
        asked(
            "frame-missing",
            shown("frame gaps", gaps),
            "twenty answers are missing: the rule must be told",
            Answer({"missing": "complete"}, order=AB),
        ),
        certain(
            "frame-described",
            shown("described", frame(age=list(range(20, 120)) * 2, sex=["F", "M"] * 100)),
            AB,
            "age and sex describe people",
        ),
        certain(
            "polars",
            shown("polars", lambda y, a, b: Given((pl.DataFrame(columns(y, a, b)),))),
            AB,
            "a frame of polars",
        ),
        certain(
            "arrow",
            shown("arrow", lambda y, a, b: Given((pa.table(columns(y, a, b)),))),
            AB,
            "a table of arrow",
        ),
        certain(
            "frame-long",
            shown("long", lambda y, a, b: Given((pd.DataFrame(long_rows(y, a, b)),))),
            AB,
            "a row for each model and item; correct is 1",
            n=N,
        ),
        defensible(
            "records",
            shown("records", lambda y, a, b: Given((long_rows(y, a, b),))),
            AB,
            "a list of records is a table",
            n=N,
        ),
        asked(
            "frame-split",
            shown("held", held),
            "half of the rows are training rows",
            Answer({"where": ["split=test"]}, order=AB, n=N // 2),
        ),
        certain(
            "sets-index-told",
            sets(measure="accuracy", unit="dataset"),
            AB,
            "the unit is told",
            "dataset",
            n=24,
        ),
        defensible(
            "sets-index",
            sets(measure="accuracy"),
            AB,
            "an index of names may be data sets or items",
            {"unit": "dataset"},
            unit="dataset",
        ),
        certain(
            "sets-named-index",
            sets(named, measure="accuracy"),
            AB,
            "the index is named dataset",
            "dataset",
            n=24,
        ),
        asked(
            "sets-no-measure",
            sets(named),
            "the direction is not told",
            Answer({"lower_is_better": False}, order=AB, unit="dataset"),
        ),
        certain(
            "sets-and-seeds",
            seeds,
            AB,
            "12 data sets with 3 seeds each, by the names of the index",
            "dataset",
            n=12,
        ),
        asked(
            "frame-recall",
            shown(
                "frame recall",
                lambda y, a, b: Given(({"truth": y, "a": a, "b": b},), {"measure": "f1"}),
                text,
            ),
            "F1 of which class is not told",
            Answer({"positive": "spam"}, order=AB),
        ),
    ]


CASES = _frames()
