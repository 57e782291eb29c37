"""Objects that visitors bring: open files and texts, sets of labels, tensors of a graph, matrices in another order."""

import io
from typing import Any

import numpy as np
import pandas as pd

from tests.door.given import Answer, Object, asked, certain
from tests.door.unfamiliar_objects import RF_LR, N, labelled

NAMES = np.array(["dog", "cat"])


class Tensor:
    """A tensor of a graph of computations: no array before it is detached."""

    def __init__(self, values: Any, *, held: bool = True) -> None:
        self.values, self.held = np.asarray(values), held

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        if self.held:
            raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
        return self.values

    def detach(self) -> "Tensor":
        return Tensor(self.values, held=False)

    def cpu(self) -> "Tensor":
        return self


def text(truth: Any, rf: Any, lr: Any) -> str:
    return pd.DataFrame({"id": range(N), "truth": truth, "rf": rf, "lr": lr}).to_csv(index=False)


def both(labels: Any) -> Any:
    """Probabilities of dog and cat, in this order."""
    return np.c_[0.9 - 0.8 * labels, 0.1 + 0.8 * labels]


def sets(labels: Any) -> list[set[str]]:
    return [{"cat", "dog"} if label else {"cat"} for label in labels]


def turned(truth: Any, rf: Any, lr: Any) -> pd.DataFrame:
    return pd.DataFrame({"truth": NAMES[truth], "rf": NAMES[rf], "lr": NAMES[lr]}).T


CERTAIN: dict[str, tuple[Any, str]] = {
    "text-of-a-table": (lambda t, a, b: (text(t, a, b),), "a text with lines is no path"),
    "stream-of-text": (lambda t, a, b: (io.StringIO(text(t, a, b)),), "what a file holds"),
    "stream-of-bytes": (lambda t, a, b: (io.BytesIO(text(t, a, b).encode()),), "what a file holds"),
    "iterators": (
        lambda t, a, b: (t.tolist(), {"rf": iter(a.tolist()), "lr": iter(b.tolist())}),
        "iterators give values",
    ),
    "tensors-of-a-graph": (
        lambda t, a, b: (Tensor(t), {"rf": Tensor(a), "lr": Tensor(b)}),
        "a tensor can be detached",
    ),
    "sets-of-labels": (lambda t, a, b: (sets(t), {"rf": sets(a), "lr": sets(b)}), "all labels or wrong"),
    "lists-of-labels": (
        lambda t, a, b: (
            [sorted(s) for s in sets(t)],
            {"rf": [sorted(s) for s in sets(a)], "lr": [sorted(s) for s in sets(b)]},
        ),
        "in one order",
    ),
    "turned-frame": (lambda t, a, b: (turned(t, a, b),), "a row is called truth"),
    "predictions-inside": (
        lambda t, a, b: ({"y": t.tolist(), "preds": {"rf": a.tolist(), "lr": b.tolist()}},),
        "a truth beside a mapping of predictions",
    ),
    "records-with-lists": (
        lambda t, a, b: (
            [
                {"id": i, "runs": [{"model": "rf", "correct": x == y}, {"model": "lr", "correct": x == z}]}
                for i, (x, y, z) in enumerate(zip(t.tolist(), a.tolist(), b.tolist(), strict=True))
            ],
        ),
        "each record lists what the models did",
    ),
    "matrices-by-name": (
        lambda t, a, b: (NAMES[t], {m: both(p)[:, ::-1] for m, p in (("rf", a), ("lr", b))}),
        "columns in the order of the names, as scikit-learn has them",
    ),
}  # fmt: skip

CASES: list[Object] = [
    *(
        certain(name, labelled(name, build), RF_LR, why, n=N)
        for name, (build, why) in CERTAIN.items()
    ),
    asked(
        "matrices-in-another-order",
        labelled("matrices", lambda t, a, b: (NAMES[t], {"rf": both(a), "lr": both(b)})),
        "the columns are dog and cat, the names are sorted otherwise",
        Answer({"classes": ["dog", "cat"]}, order=RF_LR, n=N),
    ),
    asked(
        "lists-in-two-orders",
        labelled(
            "two orders",
            lambda t, a, b: (
                [["cat", "dog"] if x else ["dog", "cat"] for x in t],
                {"rf": [["cat", "dog"]] * N, "lr": [["dog", "cat"]] * N},
            ),
        ),
        "the order may matter",
    ),
]
