"""Results as scripts keep them: mappings of mappings, lists of predictions, rows of objects."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tests.door.draw import generator
from tests.door.given import Answer, Given, Object, asked, certain
from tests.door.unfamiliar_objects import FOLDS, RF_LR, N, folded, labelled, validated

D = 24
SETS: Mapping[str, Any] = {"unit": "dataset", "n": D}
ALICE_BOB = (("alice", "bob"),)


@dataclass
class Row:
    y_true: int
    rf: int
    lr: int


def on_sets(
    name: str,
    build: Callable[[list[str], Any, Any], Any],
    names: Any = ("rf", "lr"),
    **keywords: Any,
) -> Callable[[], Given]:
    """Accuracies on 24 data sets, the first model better by 0.03."""

    def make() -> Given:
        rng = generator(name)
        base = rng.uniform(0.6, 0.9, D)
        good = base + 0.03 + rng.normal(0, 0.004, D)
        sets = [f"set {n}" for n in range(D)]
        return Given(
            (build(sets, good, base),), keywords, dict(zip(names, (good, base), strict=True))
        )

    return make


def by_set(first: str, second: str, runs: int = 0) -> Callable[[list[str], Any, Any], Any]:
    """results[data set][model], a score or a list of them."""

    def build(sets: list[str], a: Any, b: Any) -> Any:
        cells = ([[x] * runs, [z] * runs] if runs else [x, z] for x, z in zip(a, b, strict=True))
        return {s: {first: x, second: z} for s, (x, z) in zip(sets, cells, strict=True)}

    return build


def stopped(good: Any, bad: Any) -> dict[str, Any]:
    """What cross_validate returns with return_estimator=True."""
    models = {"estimator": [object()] * 10}
    return {"rf": {**validated(good), **models}, "lr": {**validated(bad), **models}}


HISTORY = {"loss": [0.9, 0.5, 0.3] * 6, "val_loss": [1.0, 0.7, 0.6] * 6}
CASES: list[Object] = [
    certain(
        "sets-then-models",
        on_sets("sets told", by_set("rf", "lr"), unit="dataset", measure="accuracy"),
        RF_LR,
        "the inner keys are called as models are",
        **SETS,
    ),
    asked(
        "sets-then-names",
        on_sets("names", by_set("alice", "bob"), ("alice", "bob"), unit="dataset", measure="accuracy"),
        "24 keys hold two each: nothing says which are models",
        Answer({"models": ["alice", "bob"]}, ALICE_BOB, "dataset", D),
    ),
    asked(
        "sets-models-runs",
        on_sets("runs", by_set("rf", "lr", 3), measure="accuracy"),
        "lists of runs below data sets, or questions",
        Answer({"unit": "dataset"}, RF_LR, "dataset", D),
    ),
    certain(
        "pairs-of-keys",
        on_sets(
            "pairs",
            lambda sets, a, b: {
                (s, m): v for s, x, z in zip(sets, a, b, strict=True) for m, v in (("rf", x), ("lr", z))
            },
            unit="dataset",
            measure="accuracy",
        ),
        RF_LR,
        "what to_dict makes of a series by data set and model",
        **SETS,
    ),
    certain(
        "rows-of-models",
        on_sets(
            "rows", lambda _, a, b: np.array([a, b]), models=["rf", "lr"], unit="dataset", measure="accuracy"
        ),
        RF_LR,
        "two names and two rows: a row is a model",
        **SETS,
    ),
    certain(
        "mean-and-std",
        on_sets(
            "agg",
            lambda sets, a, b: pd.DataFrame(
                {("mean", "rf"): a, ("mean", "lr"): b, ("std", "rf"): a / 50, ("std", "lr"): b / 60}, sets
            ).rename_axis("dataset"),
            ("mean_rf", "mean_lr"),
            measure="accuracy",
        ),
        (("mean_rf", "mean_lr"),),
        "a standard deviation is no model",
        **SETS,
    ),
    certain(
        "truth-within-models",
        labelled("within", lambda t, a, b: ({"rf": {"y_true": t, "y_pred": a}, "lr": {"y_true": t, "y_pred": b}},)),
        RF_LR,
        "each model keeps its predictions beside the truth",
        n=N,
    ),
    asked(
        "truths-differ",
        labelled(
            "differ",
            lambda t, a, b: ({"rf": {"y_true": t, "y_pred": a}, "lr": {"y_true": t[::-1], "y_pred": b[::-1]}},),
        ),
        "the items stand in another order",
    ),
    certain(
        "rows-within-models",
        labelled(
            "records",
            lambda t, a, b: (
                {m: [{"id": n, "correct": bool(v)} for n, v in enumerate(p == t)] for m, p in (("rf", a), ("lr", b))},
            ),
        ),
        RF_LR,
        "a list of judged answers for each model",
        n=N,
    ),
    certain(
        "data-classes",
        labelled("rows", lambda t, a, b: ([Row(*map(int, row)) for row in zip(t, a, b, strict=True)],)),
        RF_LR,
        "rows with named fields",
        n=N,
    ),
    certain(
        "list-of-predictions",
        labelled("listed", lambda t, a, b: (t, [("rf", a), ("lr", b)])),
        RF_LR,
        "names beside their predictions",
        n=N,
    ),
    certain(
        "truth-last",
        labelled("last", lambda t, a, b: ({"rf": a, "lr": b}, t)),
        RF_LR,
        "the one array beside named ones is the truth",
        n=N,
    ),
    certain(
        "estimators-returned",
        folded("fitted", lambda a, b: (stopped(a, b),), measure="accuracy"),
        RF_LR,
        "fitted models beside their scores name nothing",
        **FOLDS,
    ),
    asked(
        "training-history",
        lambda: Given((pd.DataFrame(HISTORY),), {"lower_is_better": True}),
        "rows of one training run are no items, and a loss is no model",
    ),
    asked(
        "curves-of-boosting",
        lambda: Given(({"validation_0": {"auc": [0.7, 0.8, 0.85]}, "validation_1": {"auc": [0.6, 0.7, 0.72]}},)),
        "rounds of one training run are no folds",
    ),
    asked(
        "mean-and-std-alone",
        lambda: Given(
            ({"rf": {"mean": 0.9, "std": 0.01}, "lr": {"mean": 0.8, "std": 0.02}},),
            {"unit": "fold", "measure": "accuracy"},
        ),
        "a mean and a standard deviation are no folds",
    ),
]  # fmt: skip
