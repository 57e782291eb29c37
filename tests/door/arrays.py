"""Arrays, lists and tensors, with a truth and without."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tests.door.case import agreement
from tests.door.draw import generator, outcomes, placements, spoilt
from tests.door.given import Answer, Given, Object, asked, certain, defensible

AB = (("a", "b"),)
N = 200


@cache
def labels(seed: str, classes: tuple[Any, ...] = (0, 1)) -> tuple[Any, Any, Any]:
    """A truth and the predictions of two models, the first better."""
    rng = generator(seed)
    truth = rng.choice(np.asarray(classes), N)
    return truth, spoilt(rng, truth, 0.08, classes), spoilt(rng, truth, 0.3, classes)


def shown(
    seed: str, form: Callable[[Any, Any, Any], Given], classes: tuple[Any, ...] = (0, 1)
) -> Callable[[], Given]:
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

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
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
        certain(
            "truth-and-mapping",
            shown("pair", lambda y, a, b: Given((y, {"a": a, "b": b}))),
            AB,
            "the truth first, the models by name",
        ),
        certain(
            "lists",
            shown("lists", lambda y, a, b: Given((y.tolist(), {"a": a.tolist(), "b": b.tolist()}))),
            AB,
            "lists are arrays",
        ),
        certain(
            "words",
            shown("words", lambda y, a, b: Given((y, {"a": a, "b": b})), text),
            AB,
            "labels may be words",
        ),
        certain(
            "booleans",
            shown("bools", lambda y, a, b: Given((y == 1, {"a": a == 1, "b": b == 1}))),
            AB,
            "a truth of booleans is a truth",
        ),
        certain(
            "objects",
            shown(
                "objects",
                lambda y, a, b: Given(
                    (y.astype(object), {"a": a.astype(object), "b": b.astype(object)})
                ),
                text,
            ),
            AB,
            "arrays of Python objects",
        ),
        defensible(
            "columns",
            shown(
                "columns", lambda y, a, b: Given((y[:, None], {"a": a[:, None], "b": b[:, None]}))
            ),
            AB,
            "arrays of one column each are arrays",
        ),
        defensible(
            "generators",
            shown(
                "generators",
                lambda y, a, b: Given((list(y), {"a": (v for v in a), "b": (v for v in b)})),
            ),
            AB,
            "what can be gone through once can be read",
        ),
        certain(
            "series",
            shown(
                "series",
                lambda y, a, b: Given((pd.Series(y), {"a": pd.Series(a), "b": pd.Series(b)})),
            ),
            AB,
            "series with one index",
        ),
        defensible(
            "series-shuffled",
            shown("series-shuffled", shuffled),
            AB,
            "series are joined by their index, or not at all",
        ),
        certain(
            "tensors",
            shown("tensors", lambda y, a, b: Given((Tensor(y), {"a": Tensor(a), "b": Tensor(b)}))),
            AB,
            "what has __array__ is an array",
        ),
        certain(
            "dlpack",
            shown(
                "dlpack", lambda y, a, b: Given((Capsule(y), {"a": Capsule(a), "b": Capsule(b)}))
            ),
            AB,
            "what speaks DLPack is an array",
        ),
        certain("structured", shown("structured", fields), AB, "fields are columns"),
        asked(
            "none-inside",
            shown("hollow", hollow),
            "a model that gave no answer: the rule must be told",
            Answer({"missing": "complete"}, order=AB),
        ),
        asked("lengths", shown("lengths", short), "arrays of two lengths cannot be paired"),
        asked(
            "two-arrays",
            shown("two arrays", lambda y, a, b: Given((a, b))),
            "two arrays: nobody said which is the truth",
        ),
        asked(
            "lists-of-lists",
            shown("rows", lambda y, a, b: Given((np.c_[y, a, b].tolist(),))),
            "rows without names",
        ),
        certain(
            "weights",
            shown(
                "weights",
                lambda y, a, b: Given((y, {"a": a, "b": b}), {"weight": np.linspace(0.5, 2, N)}),
            ),
            AB,
            "weights as an array",
        ),
        certain(
            "weights-mapping",
            shown(
                "weights 2",
                lambda y, a, b: Given(
                    mapping(y, a, b).arguments, {"weight": np.linspace(0.5, 2, N)}
                ),
            ),
            AB,
            "weights as an array",
        ),
        certain(
            "clusters",
            shown(
                "clusters",
                lambda y, a, b: Given((y, {"a": a, "b": b}), {"cluster": np.arange(N) // 4}),
            ),
            AB,
            "clusters as an array",
        ),
    ]


def _without_truth() -> list[Object]:
    def right(boolean: bool = False, **keywords: Any) -> Callable[[], Given]:
        def build() -> Given:
            rng = generator("right")
            found = {"a": outcomes(rng, N, 0.85), "b": outcomes(rng, N, 0.55)}
            given = {name: column == 1 if boolean else column for name, column in found.items()}
            return Given(
                (given,), keywords, {name: column.astype(float) for name, column in found.items()}
            )

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
        asked(
            "right-booleans",
            right(boolean=True),
            "True may be an answer",
            Answer({"correct": True}, order=AB),
        ),
        certain("right-told", right(correct=True), AB, "1 is told to be right"),
        asked(
            "losses",
            losses(),
            "numbers may be losses or scores",
            Answer({"losses": True}, order=AB),
        ),
        certain("losses-told", losses(losses=True), AB, "the numbers are told to be losses"),
    ]


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

    def own(**keywords: Any) -> Callable[[], Given]:
        return shown("own", lambda y, a, b: Given(mapping(y, a, b).arguments, keywords))

    return [
        certain(
            "scores-auc", scores(measure="roc_auc"), AB, "scores of 0 and 1 and the measure is told"
        ),
        certain(
            "chances-ten",
            chances(10, measure="accuracy"),
            AB,
            "probabilities of ten classes: the most probable is the label",
        ),
        certain(
            "chances-log-loss", chances(3, measure="log_loss"), AB, "probabilities of three classes"
        ),
        defensible(
            "chances-plain",
            chances(3),
            AB,
            "probabilities of three classes; which measure is open",
            {"measure": "log_loss"},
        ),
        certain(
            "chances-two",
            chances(2, measure="log_loss"),
            AB,
            "probabilities of two classes, as predict_proba gives them",
        ),
        defensible(
            "chances-words",
            chances(3, ("bird", "cat", "dog"), measure="log_loss"),
            AB,
            "columns are in the order of the sorted classes, as scikit-learn has them",
        ),
        asked(
            "own-metric",
            own(measure=cost),
            "nobody said which way a function of the user is better",
            Answer({"lower_is_better": True}, order=AB),
        ),
        certain(
            "own-metric-told", own(measure=cost, lower_is_better=True), AB, "the direction is told"
        ),
    ]


CASES = [*_arrays(), *_without_truth(), *_measures()]
