"""Columns called by everyday words: an agent who is no model, a doc who answers, a data set called segment."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, table
from tests.door.brought_items import N, items
from tests.door.case import Case, Goodness, Scene, asked, certain, defensible, leads
from tests.door.draw import csv_text, generator, scores_by_set
from tests.door.unfamiliar_items import IDS, judged

UCI = (
    "iris",
    "wine",
    "segment",
    "credit",
    "income",
    "age",
    "text",
    "image",
    "vowel",
    "zoo",
    "glass",
    "heart",
    "sonar",
    "yeast",
)
WORDS = {"agent": ("ana", "ben", "cy"), "team": ("red", "blue"), "system": ("ios", "android")}
"""Names that may be those of models, and what they hold where they describe items."""
BOTH = ["rf"] * N + ["lr"] * N


def called(scene: Scene, rf: str, lr: str) -> Scene:
    """The same files, in which the two models have other names."""

    def make(folder: Path) -> Goodness:
        good = scene.make(folder)
        return {rf: good["rf"], lr: good["lr"]}

    return Scene(scene.files, make)


def beside(name: str, values: Any, truth: str = "truth") -> Scene:
    """Predictions with a column about the items before them."""
    return items(
        f"beside_{name}_{truth}.csv",
        lambda y, rf, lr: {"id": range(N), name: values, truth: y, "rf": rf, "lr": lr},
    )


def _about_items() -> list[Case]:
    values = {word: [names[i % len(names)] for i in range(N)] for word, names in WORDS.items()}
    values |= {"config": ["c1", "c2"] * (N // 2), "name": [f"Ann {i}" for i in range(N)]}
    told = leads("--truth", "resolved", order=FIRST, n=N)
    return [
        *(
            certain(f"beside-{name}", beside(name, of), FIRST, f"a {name} of the items", n=N)
            for name, of in values.items()
        ),
        *(
            asked(f"beside-{name}-untold", beside(name, values[name], "resolved"), "no truth", told)
            for name in WORDS
        ),
        certain(
            "answers-doc",
            called(
                items(
                    "doc.csv",
                    lambda y, rf, lr: {"case": range(N), "truth": y, "ai": rf, "doc": lr},
                ),
                "ai",
                "doc",
            ),
            (("ai", "doc"),),
            "a doctor's answers name no documents",
            n=N,
        ),
        asked(
            "answers-algorithm",
            called(items("algorithm.csv", _yes_and_no), "algorithm", "doctor"),
            "which column is the truth is not told",
            leads("--truth", "relapse", order=(("algorithm", "doctor"),), n=N),
        ),
    ]


def _yes_and_no(*columns: list[int]) -> Mapping[str, Any]:
    names = ("relapse", "algorithm", "doctor")
    words = [["yes" if cell else "no" for cell in column] for column in columns]
    return {"pid": range(N), **dict(zip(names, words, strict=True))}


def _answered_tasks() -> list[Case]:
    """Tasks with one answer each are items; data sets have scores."""
    wide = {
        name: judged(f"{name}.csv", lambda rf, lr, name=name: {name: IDS, "rf": rf, "lr": lr})
        for name in ("problem", "task")
    }
    words = ("fail", "pass")
    return [
        *(
            asked(f"answered-{name}", scene, "1 may be an error", *_said(), unit="item")
            for name, scene in wide.items()
        ),
        certain(
            "answered-words",
            judged(
                "task_words.csv",
                lambda rf, lr: {
                    "task": IDS,
                    "rf": [words[x] for x in rf],
                    "lr": [words[x] for x in lr],
                },
            ),
            FIRST,
            "pass and fail of tasks",
            n=N,
        ),
        certain(
            "answered-long",
            judged(
                "task_long.csv",
                lambda rf, lr: {"model": BOTH, "task": IDS * 2, "success": rf + lr},
            ),
            FIRST,
            "a success or none of each task",
            n=N,
        ),
    ]


def _said() -> list[Any]:
    turned = leads("--losses", order=(("lr", "rf"),), n=N, said=-1)
    return [leads("--correct", order=FIRST, n=N), turned]


def in_rows(file: str, beside: Mapping[str, Any]) -> Scene:
    """A row for each model and a column for each data set, whatever that is called."""

    def make(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, len(UCI), {"rf": 0.0, "lr": 0.045})
        by_set = {name: [scores["rf"][i], scores["lr"][i]] for i, name in enumerate(UCI)}
        return {"method": ["rf", "lr"], **beside, **by_set}, scores

    return drawn(file, make)


def _by_set() -> list[Case]:
    told: Mapping[str, Any] = {"unit": "dataset", "n": 20}
    by_measure = table(
        "chosen.csv", lambda s: {"rf_acc": s["rf"], "lr_acc": s["lr"], "svm_acc": s["lr"]}
    )

    def long(scores: Mapping[str, Any]) -> str:
        names = [(model, measure) for model in scores for measure in ("accuracy", "log_loss")]
        cells = [
            (model, place, measure, value if measure == "accuracy" else round(1 - value, 3))
            for model, measure in names
            for place, value in zip(SETS, scores[model], strict=True)
        ]
        header = ("model", "dataset", "metric", "value")
        return csv_text(dict(zip(header, zip(*cells, strict=True), strict=True)))

    def in_long_form(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        return long(scores), scores

    def by_name(rng: np.random.Generator) -> Drawn:
        rf, lr = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045}).values()
        scores = {"C4.5": rf, "1-NN": lr}
        return {"name": SETS, **scores}, scores

    return [
        certain(
            "rows-of-words",
            in_rows("words.csv", {}),
            FIRST,
            "segment and income are data sets here",
            **{**BY_SET, "n": len(UCI)},
        ),
        certain(
            "rows-with-years",
            in_rows("years.csv", {"year": [2021, 2019], "params": [7, 13]}),
            FIRST,
            "a year is no accuracy",
            **{**BY_SET, "n": len(UCI)},
        ),
        certain(
            "models-of-measures",
            by_measure,
            FIRST,
            "models are named without their measure",
            options=("--models", "rf,lr"),
            **told,
        ),
        certain(
            "where-metric",
            drawn("metrics.csv", in_long_form),
            FIRST,
            "the column still says which measure is left",
            options=("--where", "metric=accuracy"),
            **told,
        ),
        defensible(
            "sets-by-name",
            drawn("by_name.csv", by_name),
            (("C4.5", "1-NN"),),
            "names may be those of data sets or of models",
            ("--unit", "dataset"),
            **BY_SET,
        ),
    ]


def encoded(file: str, encoding: str, sep: str) -> Scene:
    """A file as Excel saves it where people write accents."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        scores = scores_by_set(rng, 20, {"forêt": 0.0, "arbre": 0.045})
        text = csv_text({"jeu de données": SETS, **scores}, sep=sep, end="\r\n")
        (folder / file).write_bytes(text.encode(encoding))
        return scores

    return Scene((file,), make)


def _encodings() -> list[Case]:
    order = (("forêt", "arbre"),)
    return [
        certain("excel-western", encoded("ansi.txt", "cp1252", ";"), order, "ANSI text", **BY_SET),
        certain("excel-unicode", encoded("wide.txt", "utf-16", "\t"), order, "UTF-16", **BY_SET),
    ]


def _gaps() -> list[Case]:
    def some(y: list[str], rf: list[str], lr: list[str]) -> Mapping[str, Any]:
        known = [None if i % 8 == 0 else cell for i, cell in enumerate(y)]
        return {"id": range(N), "truth": known, "rf": rf, "lr": lr}

    kept = leads("--missing", "complete", order=FIRST, n=N - N // 8)
    scene = items("some_truths.csv", some, ("cat", "dog", "owl"))
    return [asked("truth-gaps", scene, "items nobody labelled have no answer", kept)]


def read_twice(rng: np.random.Generator) -> Drawn:
    """Five readers rate 60 cases under two treatments, all called by numbers."""
    readers, treatments, cases = (
        one.ravel() for one in np.meshgrid(range(1, 6), (1, 2), range(1, 61), indexing="ij")
    )
    truth = (cases > 25).astype(int)
    seen = rng.normal(2.0 + truth * np.where(treatments == 2, 2.5, 0.6), 1.0)
    rating = np.clip(np.rint(seen), 1, 5).astype(int)
    columns = {"reader": readers, "treatment": treatments, "case": cases, "truth": truth}
    good = {
        str(one): np.where(truth == 1, 1, -1)[treatments == one] * rating[treatments == one]
        for one in (1, 2)
    }
    return {**columns, "rating": rating}, good


def _readers() -> list[Case]:
    told = ("--models", "treatment", "--id", "case", "--repeat", "reader")
    return [
        asked(
            "readers-by-number",
            drawn("readers.csv", read_twice),
            "a reader's number is no prediction; the treatments are what is compared",
            leads(*told, order=(("2", "1"),)),
        )
    ]


CASES = [*_about_items(), *_answered_tasks(), *_by_set(), *_encodings(), *_gaps(), *_readers()]
