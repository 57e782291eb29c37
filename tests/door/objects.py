"""What people hand to `assay.compare` in Python, and what may be concluded from it."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from tests.door.case import agreement
from tests.door.draw import generator, outcomes, placements, scores_by_set, spoilt
from tests.door.fitted import CASES as FITTED
from tests.door.given import Answer, Given, Object, asked, certain, defensible

AB = (("a", "b"),)
N = 200


@cache
def labels(seed: str, classes: tuple[Any, ...] = (0, 1)) -> tuple[Any, Any, Any]:
    """A truth and the predictions of two models, the first better."""
    rng = generator(seed)
    truth = rng.choice(np.asarray(classes), N)
    return truth, spoilt(rng, truth, 0.08, classes), spoilt(rng, truth, 0.3, classes)


def shown(seed: str, form: Callable[[Any, Any, Any], Given], classes: tuple[Any, ...] = (0, 1)) -> Callable[[], Given]:
    """A way to hand over truth and labels, with the evidence behind the order."""

    def build() -> Given:
        truth, a, b = labels(seed, classes)
        given = form(truth, a, b)
        return Given(given.arguments, given.keywords, given.goodness or agreement(truth, a=a, b=b))

    return build


def mapping(truth: Any, a: Any, b: Any) -> Given:
    return Given(({"truth": truth, "a": a, "b": b},))


class Tensor:
    """Stands for a tensor of torch: no array, but it can become one."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)
        self.shape = self.values.shape

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:  # noqa: ARG002
        return self.values if dtype is None else self.values.astype(dtype)

    def __len__(self) -> int:
        return len(self.values)


class Capsule:
    """Stands for an array of jax or cupy: it speaks DLPack and nothing else."""

    def __init__(self, values: Any) -> None:
        self.values = np.asarray(values)

    def __dlpack__(self, **how: Any) -> Any:
        return self.values.__dlpack__(**how)

    def __dlpack_device__(self) -> Any:
        return self.values.__dlpack_device__()


def frame(**more: Any) -> Callable[[Any, Any, Any], Given]:
    return lambda truth, a, b: Given((pd.DataFrame({"id": range(N), "truth": truth, "a": a, "b": b, **more}),))


def _arrays() -> list[Object]:
    text = ("bird", "cat", "dog")

    def shuffled(truth: Any, a: Any, b: Any) -> Given:
        order = generator("series order").permutation(N)
        return Given((pd.Series(truth), {"a": pd.Series(a), "b": pd.Series(b)[order]}))

    def short(truth: Any, a: Any, b: Any) -> Given:
        return Given((truth, {"a": a, "b": b[:-5]}))

    def hollow(truth: Any, a: Any, b: Any) -> Given:
        gaps = generator("hollow").random(N) < 0.1
        partly = np.where(gaps, None, b)
        good = {name: right[~gaps] for name, right in agreement(truth, a=a, b=b).items()}
        return Given(({"truth": truth, "a": a.astype(object), "b": partly},), {}, good)

    def fields(truth: Any, a: Any, b: Any) -> Given:
        kinds = [("truth", "i8"), ("a", "i8"), ("b", "i8")]
        return Given((np.array(list(zip(truth, a, b, strict=True)), dtype=kinds),))

    return [
        certain("mapping", shown("mapping", mapping), AB, "a truth and two models by name"),
        certain("truth-and-mapping", shown("pair", lambda y, a, b: Given((y, {"a": a, "b": b}))), AB, "the truth first, the models by name"),
        certain("lists", shown("lists", lambda y, a, b: Given((y.tolist(), {"a": a.tolist(), "b": b.tolist()}))), AB, "lists are arrays"),
        certain("words", shown("words", lambda y, a, b: Given((y, {"a": a, "b": b})), text), AB, "labels may be words"),
        certain("booleans", shown("bools", lambda y, a, b: Given((y == 1, {"a": a == 1, "b": b == 1}))), AB, "a truth of booleans is a truth"),
        certain("objects", shown("objects", lambda y, a, b: Given((y.astype(object), {"a": a.astype(object), "b": b.astype(object)})), text), AB,
                "arrays of Python objects"),
        defensible("columns", shown("columns", lambda y, a, b: Given((y[:, None], {"a": a[:, None], "b": b[:, None]}))), AB,
                   "arrays of one column each are arrays"),
        defensible("generators", shown("generators", lambda y, a, b: Given((list(y), {"a": (v for v in a), "b": (v for v in b)}))), AB,
                   "what can be gone through once can be read"),
        certain("series", shown("series", lambda y, a, b: Given((pd.Series(y), {"a": pd.Series(a), "b": pd.Series(b)}))), AB,
                "series with one index"),
        defensible("series-shuffled", shown("series-shuffled", shuffled), AB, "series are joined by their index, or not at all"),
        certain("tensors", shown("tensors", lambda y, a, b: Given((Tensor(y), {"a": Tensor(a), "b": Tensor(b)}))), AB,
                "what has __array__ is an array"),
        certain("dlpack", shown("dlpack", lambda y, a, b: Given((Capsule(y), {"a": Capsule(a), "b": Capsule(b)}))), AB,
                "what speaks DLPack is an array"),
        certain("structured", shown("structured", fields), AB, "fields are columns"),
        asked("none-inside", shown("hollow", hollow), "a model that gave no answer: the rule must be told",
              Answer({"missing": "complete"}, order=AB)),
        asked("lengths", shown("lengths", short), "arrays of two lengths cannot be paired"),
        asked("two-arrays", shown("two arrays", lambda y, a, b: Given((a, b))), "two arrays: nobody said which is the truth"),
        asked("lists-of-lists", shown("rows", lambda y, a, b: Given((np.c_[y, a, b].tolist(),))), "rows without names"),
        certain("weights", shown("weights", lambda y, a, b: Given((y, {"a": a, "b": b}), {"weight": np.linspace(0.5, 2, N)})), AB,
                "weights as an array"),
        certain("weights-mapping", shown("weights 2", lambda y, a, b: Given(mapping(y, a, b).arguments, {"weight": np.linspace(0.5, 2, N)})), AB,
                "weights as an array"),
        certain("clusters", shown("clusters", lambda y, a, b: Given((y, {"a": a, "b": b}), {"cluster": np.arange(N) // 4})), AB,
                "clusters as an array"),
    ]  # fmt: skip


def _frames() -> list[Object]:
    def sets(index: Any = None, n: int = 24, **keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            scores = scores_by_set(generator("frame"), n, {"a": 0.0, "b": 0.045})
            table = pd.DataFrame(scores, index=[f"set{i}" for i in range(n)] if index is None else index)
            return Given((table,), keywords, {name: np.asarray(values) for name, values in scores.items()})

        return build

    def seeds() -> Given:
        scores = scores_by_set(generator("many"), 36, {"a": 0.0, "b": 0.045})
        index = pd.MultiIndex.from_product([[f"set{i}" for i in range(12)], range(3)], names=["dataset", "seed"])
        means = {name: np.asarray(values).reshape(12, 3).mean(axis=1) for name, values in scores.items()}
        return Given((pd.DataFrame(scores, index=index),), {"measure": "accuracy"}, means)

    def kind(dtype: str, classes: tuple[Any, ...] = (0, 1)) -> Callable[[], Given]:
        def form(y: Any, a: Any, b: Any) -> Given:
            return Given((pd.DataFrame({"truth": y, "a": a, "b": b}).astype(dtype),))

        return shown(dtype, form, classes)

    def gaps(y: Any, a: Any, b: Any) -> Given:
        table = pd.DataFrame({"truth": y, "a": a, "b": b}).astype("Int64")
        table.loc[:19, "b"] = pd.NA
        return Given((table,), {}, {name: good[20:] for name, good in agreement(y, a=a, b=b).items()})

    def held(y: Any, a: Any, b: Any) -> Given:
        rows = np.arange(N) % 2 == 1
        good = {name: right[rows] for name, right in agreement(y, a=a, b=b).items()}
        return Given((pd.DataFrame({"split": np.where(rows, "test", "train"), "truth": y, "a": a, "b": b}),), {}, good)

    named = pd.Index([f"set{i}" for i in range(24)], name="dataset")
    columns = lambda y, a, b: {"id": np.arange(N), "truth": y, "a": a, "b": b}  # noqa: E731
    long_rows = lambda y, a, b: [  # noqa: E731
        {"model": name, "item": i, "correct": int(value)}
        for name, column in agreement(y, a=a, b=b).items() for i, value in enumerate(column)
    ]  # fmt: skip
    text = ("ham", "spam")
    return [
        certain("frame", shown("frame", frame()), AB, "a frame with id, truth and two models"),
        certain("frame-index", shown("frame index", lambda y, a, b: Given((pd.DataFrame({"truth": y, "a": a, "b": b}),))), AB,
                "the index counts the rows"),
        certain("frame-named-index", shown("frame named", lambda y, a, b: Given((pd.DataFrame(
            {"truth": y, "a": a, "b": b}, index=pd.Index(range(7, 7 + N), name="item")),))), AB, "the index names the items"),
        certain("frame-categories", kind("category", ("bird", "cat", "dog")), AB, "categories are labels"),
        certain("frame-nullable", kind("Int64"), AB, "whole numbers that could be missing and are not"),
        certain("frame-strings", kind("string", ("bird", "cat", "dog")), AB, "strings are labels"),
        asked("frame-missing", shown("frame gaps", gaps), "twenty answers are missing: the rule must be told",
              Answer({"missing": "complete"}, order=AB, n=N - 20)),
        certain("frame-described", shown("described", frame(age=list(range(20, 120)) * 2, sex=["F", "M"] * 100)), AB,
                "age and sex describe people"),
        certain("polars", shown("polars", lambda y, a, b: Given((pl.DataFrame(columns(y, a, b)),))), AB, "a frame of polars"),
        certain("arrow", shown("arrow", lambda y, a, b: Given((pa.table(columns(y, a, b)),))), AB, "a table of arrow"),
        certain("frame-long", shown("long", lambda y, a, b: Given((pd.DataFrame(long_rows(y, a, b)),))), AB,
                "a row for each model and item; correct is 1", n=N),
        defensible("records", shown("records", lambda y, a, b: Given((long_rows(y, a, b),))), AB, "a list of records is a table", n=N),
        asked("frame-split", shown("held", held), "half of the rows are training rows",
              Answer({"where": ["split=test"]}, order=AB, n=N // 2)),
        certain("sets-index-told", sets(measure="accuracy", unit="dataset"), AB, "the unit is told", "dataset", n=24),
        defensible("sets-index", sets(measure="accuracy"), AB, "an index of names may be data sets or items", {"unit": "dataset"}, unit="dataset"),
        certain("sets-named-index", sets(named, measure="accuracy"), AB, "the index is named dataset", "dataset", n=24),
        asked("sets-no-measure", sets(named), "the direction is not told", Answer({"lower_is_better": False}, order=AB, unit="dataset")),
        certain("sets-and-seeds", seeds, AB, "12 data sets with 3 seeds each, by the names of the index", "dataset", n=12),
        asked("frame-recall", shown("frame recall", lambda y, a, b: Given(({"truth": y, "a": a, "b": b},), {"measure": "f1"}), text),
              "F1 of which class is not told", Answer({"positive": "spam"}, order=AB)),
    ]  # fmt: skip


def _without_truth() -> list[Object]:
    def right(boolean: bool = False, **keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            rng = generator("right")
            found = {"a": outcomes(rng, N, 0.85), "b": outcomes(rng, N, 0.55)}
            given = {name: column == 1 if boolean else column for name, column in found.items()}
            return Given((given,), keywords, {name: column.astype(float) for name, column in found.items()})

        return build

    def losses(**keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            rng = generator("loss arrays")
            hard = rng.gamma(2, 0.2, N)
            found = {"a": hard * rng.uniform(0.5, 0.9, N), "b": hard * rng.uniform(0.9, 1.3, N)}
            return Given((found,), keywords, {name: -column for name, column in found.items()})

        return build

    why = "nothing says whether 1 is right or an error"
    return [
        asked("right", right(), why, Answer({"correct": True}, order=AB)),
        asked("right-booleans", right(boolean=True), "True may be an answer", Answer({"correct": True}, order=AB)),
        certain("right-told", right(correct=True), AB, "1 is told to be right"),
        asked("losses", losses(), "numbers may be losses or scores", Answer({"losses": True}, order=AB)),
        certain("losses-told", losses(losses=True), AB, "the numbers are told to be losses"),
    ]  # fmt: skip


def _measures() -> list[Object]:
    def scores(**keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            rng = generator("scores")
            truth = rng.permutation(N) < N // 2
            found = {"a": rng.normal(0, 1, N) + 2.4 * truth, "b": rng.normal(0, 1, N) + 0.4 * truth}
            return Given((truth.astype(int), found), keywords, placements(truth, **found))

        return build

    def chances(classes: int, names: Any = None, **keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            rng = generator(f"chances{classes}")
            codes = rng.integers(0, classes, N)
            found, good = {}, {}
            for name, strength in (("a", 3.0), ("b", 0.5)):
                weight = np.exp(rng.normal(0, 1, (N, classes)) + strength * np.eye(classes)[codes])
                found[name] = weight / weight.sum(axis=1, keepdims=True)
                right = found[name].argmax(axis=1) == codes
                good[name] = right.astype(float)
            truth = codes if names is None else np.asarray(names)[codes]
            return Given(({"truth": truth, **found},), keywords, good)

        return build

    def cost(truth: Any, answer: Any) -> float:
        return float(np.mean(np.asarray(truth) != np.asarray(answer)))

    own = lambda **keywords: shown("own", lambda y, a, b: Given(mapping(y, a, b).arguments, keywords))  # noqa: E731
    return [
        certain("scores-auc", scores(measure="roc_auc"), AB, "scores of 0 and 1 and the measure is told"),
        certain("chances-ten", chances(10, measure="accuracy"), AB, "probabilities of ten classes: the most probable is the label"),
        certain("chances-log-loss", chances(3, measure="log_loss"), AB, "probabilities of three classes"),
        defensible("chances-plain", chances(3), AB, "probabilities of three classes; which measure is open", {"measure": "log_loss"}),
        certain("chances-two", chances(2, measure="log_loss"), AB, "probabilities of two classes, as predict_proba gives them"),
        defensible("chances-words", chances(3, ("bird", "cat", "dog"), measure="log_loss"), AB,
                   "columns are in the order of the sorted classes, as scikit-learn has them"),
        asked("own-metric", own(measure=cost), "nobody said which way a function of the user is better",
              Answer({"lower_is_better": True}, order=AB)),
        certain("own-metric-told", own(measure=cost, lower_is_better=True), AB, "the direction is told"),
    ]  # fmt: skip


CASES: list[Object] = [*_arrays(), *_frames(), *_without_truth(), *_measures(), *FITTED]
