"""Ordinary files that one rule of the door alone is for: without it they would be read wrongly or not at all."""

from collections import Counter
from typing import Any

import numpy as np

from tests.door.brought import FIRST, Drawn, drawn
from tests.door.brought_items import N, items
from tests.door.case import Case, Goodness, agreement, asked, certain, leads
from tests.door.draw import outcomes, rounded, scores_by_set, spoilt
from tests.door.exported import Files, brought

ANIMALS = ("cat", "dog", "fox")
BOTH = ["rf"] * N + ["lr"] * N
IDS = {"id": range(N)}
LONG = [*range(N)] * 2


def _patterns(rng: np.random.Generator) -> Drawn:
    """How many items had each pattern of truth and predictions."""
    truth = np.asarray(("no", "yes"))[rng.integers(0, 2, N)]
    rf, lr = (spoilt(rng, truth, rate, ("no", "yes")) for rate in (0.06, 0.25))
    counted = Counter(zip(truth.tolist(), rf.tolist(), lr.tolist(), strict=True))
    columns = dict(zip(("truth", "rf", "lr"), zip(*counted, strict=True), strict=True))
    return {**columns, "n": counted.values()}, agreement(truth, rf=rf, lr=lr)


def _cycles(rng: np.random.Generator) -> Drawn:
    """What programs of two compilers cost: whole numbers of which none comes twice."""
    cost = rng.choice(10**7, 60, replace=False) + 10**6
    slow = (cost * 1.2).astype(int)
    names = [f"program {i}" for i in range(60)]
    return {"program": names, "rf": cost, "lr": slow}, {"rf": -cost, "lr": -slow}


def _within_tasks(rng: np.random.Generator) -> Drawn:
    """Questions that are numbered anew in each task."""
    good = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.7)}
    task = ["law"] * (N // 2) + ["maths"] * (N // 2)
    cells = {"task": task * 2, "question_id": [*range(N // 2)] * 4, "model": BOTH}
    return {**cells, "correct": [*good["rf"], *good["lr"]]}, good


def _languages(rng: np.random.Generator) -> Drawn:
    """Three seeds in twelve languages."""
    scores = scores_by_set(rng, 12, {"rf": 0.0, "lr": 0.05})
    words = [f"language {i}" for i in range(12) for _ in range(3)]
    cells = {"model": ["rf"] * 36 + ["lr"] * 36, "seed": [0, 1, 2] * 24, "language": words * 2}
    values = [x for of in scores.values() for x in of for _ in range(3)]
    return {**cells, "accuracy": values}, {name: np.asarray(of) for name, of in scores.items()}


def _rouge(rng: np.random.Generator) -> tuple[Files, Goodness]:
    """Two measures of each model in a file of its own."""
    high, low = rng.beta(9, 2, N), rng.beta(5, 4, N)
    files = {
        f"{name}.csv": {"doc_id": range(N), "rouge1": rounded(of), "rougeL": rounded(of / 2)}
        for name, of in (("rf", high), ("lr", low))
    }
    return files, {"rf": high, "lr": low}


def _won(rng: np.random.Generator) -> Drawn:
    cells = {"prompt": [f"p{i}" for i in range(N)], "model_a": ["rf"] * N, "model_b": ["lr"] * N}
    return {**cells, "result": rng.choice(["win", "loss", "tie"], N, p=[0.6, 0.3, 0.1])}, {}


def _truths() -> list[Case]:
    def cabins(t: Any, rf: Any, lr: Any) -> Any:
        return {**IDS, "class": ["1st", "2nd", "3rd"] * (N // 3), "survived": t, "rf": rf, "lr": lr}

    told: dict[str, Any] = {"order": FIRST, "n": N}
    return [
        asked(
            "truth-category",
            items("category.csv", lambda t, a, b: {**IDS, "category": t, "rf": a, "lr": b}, ANIMALS),
            "a category describes, unless others predict it", leads("--truth", "category", **told),
        ),
        asked(
            "truth-diagnosis",
            items(
                "diagnosis.csv",
                lambda t, a, b: {"id": LONG, "model": BOTH, "diagnosis": t * 2, "prediction": a + b},
                ANIMALS,
            ),
            "what the predictions are of has another name", leads("--truth", "diagnosis", **told),
        ),
        asked(
            "truth-survived", items("cabins.csv", cabins, ("no", "yes")), "a class of cabins is predicted by none",
            leads("--truth", "survived", **told),
        ),
        certain("patterns-called-n", drawn("patterns.csv", _patterns), FIRST, "n counts the items", n=N),
    ]  # fmt: skip


def _others() -> list[Case]:
    elo = {"Model": ["rf", "lr", "nb"], "Arena": [1251, 1248, 1190], "MT-bench": [9.3, 9.2, 8.1]}
    by_set: dict[str, Any] = {"order": FIRST, "unit": "dataset", "n": 12}
    return [
        asked(
            "cycles-of-programs", drawn("cycles.csv", _cycles), "nothing says which way is better",
            leads("--losses", order=FIRST, n=60),
        ),
        asked(
            "questions-within-tasks", drawn("within.csv", _within_tasks), "question 1 of law is not that of maths",
            leads("--ignore", "task", order=FIRST, n=N),
        ),
        asked(
            "seeds-in-languages", drawn("languages.csv", _languages), "a language may be a data set",
            leads("--unit", "dataset", **by_set),
        ),
        asked(
            "measures-of-files", brought("rouge", _rouge, "rf.csv", "lr.csv"), "two measures of each text",
            leads("--measure", "rouge1", order=FIRST, n=N),
        ),
        asked("won-in-words", drawn("won.csv", _won), "votes between two"),
        asked("elo-beside-scores", drawn("elo.csv", lambda _: (elo, {})), "a rating of Elo is no score of a benchmark"),
    ]  # fmt: skip


CASES = [*_truths(), *_others()]
