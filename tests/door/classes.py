"""Items with a truth: which rows belong, which class is positive, and odd columns."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, defensible, leads
from tests.door.draw import generator, spoilt, write
from tests.door.labelled import AB, ERRORS, LEARNT, labelled, numbers, one_model


def _rows() -> list[Case]:
    """Which rows belong, and whether they are independent."""
    three = {"id": [i // 3 for i in range(240)], "sample": [i % 3 for i in range(240)]}
    readers = {
        "case": [i // 4 for i in range(240)],
        "reader": [f"R{i % 4 + 1}" for i in range(240)],
    }
    part = ["test" if i % 2 else "valid" if i % 4 else "train" for i in range(400)]
    return [
        asked(
            "rows-split",
            labelled(
                "split.csv", n=400, before={"split": part}, rows=slice(1, None, 2), elsewhere=LEARNT
            ),
            "half of the rows are not test rows",
            leads("--where", "split=test", order=AB, n=200),
        ),
        asked(
            "rows-set",
            labelled(
                "subset.csv",
                n=400,
                before={"set": ["train" if i % 2 else "test" for i in range(400)]},
                rows=slice(0, None, 2),
                elsewhere=LEARNT,
            ),
            "half of the rows are training rows",
            leads("--where", "set=test", order=AB, n=200),
        ),
        certain(
            "rows-test",
            labelled("test_only.csv", before={"split": ["test"] * 200}),
            AB,
            "all rows are test rows",
            n=200,
        ),
        defensible(
            "rows-samples",
            labelled("samples.csv", header=None, before=three, n=240, block=3),
            AB,
            "three samples of each question",
            ("--repeat", "sample"),
        ),
        asked(
            "rows-repeated",
            labelled("repeated.csv", header=None, before={"id": three["id"]}, n=240, block=3),
            "rows of one id are not independent items",
            leads("--cluster", "id", order=AB),
        ),
        asked(
            "rows-readers",
            labelled(
                "readers.csv",
                header=None,
                before=readers,
                n=240,
                block=4,
                errors={"a": 0.03, "b": 0.45},
                rows=slice(0, None, 4),
            ),
            "four readers saw the same cases: neither 240 cases nor 60",
            leads("--where", "reader=R1", order=AB, n=60),
            leads("--repeat", "reader", order=AB),
            leads("--cluster", "case", order=AB),
        ),
        defensible(
            "rows-judges",
            labelled(
                "judges.csv",
                truth="human",
                header="item",
                classes=("bad", "good"),
                errors={"judge_a": 0.08, "judge_b": 0.3},
            ),
            (("judge_a", "judge_b"),),
            "judges are the models here, if the human is the truth",
            ("--truth", "human", "--models", "judge_a,judge_b"),
        ),
    ]


def _classes() -> list[Case]:
    """Which class is positive, and labels of every kind."""

    def recall(file: str, classes: Sequence[Any], positive: Any, **more: Any) -> Scene:
        return labelled(f"{file}.csv", classes=classes, only=positive, n=300, **more)

    spam, fraud = (
        recall("spam", ("ham", "spam"), "spam"),
        recall("fraud", ("fraud", "legit"), "fraud"),
    )
    plain = labelled(
        "letters.csv", classes=tuple("ABCDEFGHIJKLMNOPQRSTUVWXYZ"), errors={"a": 0.1, "b": 0.4}
    )
    places = ("Los Angeles", "New York", "San Francisco")
    return [
        certain("classes-26", plain, AB, "26 letters are classes"),
        certain(
            "classes-spaces", labelled("places.csv", classes=places), AB, "labels may have spaces"
        ),
        certain(
            "classes-true-false",
            labelled("booleans.csv", classes=("False", "True")),
            AB,
            "True and False are labels",
        ),
        certain("classes-spam-accuracy", spam, AB, "accuracy needs no positive class"),
        asked(
            "positive-spam",
            spam,
            "F1 of which class is not told",
            leads("--positive", "spam", order=AB),
            options=("--measure", "f1"),
        ),
        asked(
            "positive-fraud",
            fraud,
            "recall of which class is not told",
            leads("--positive", "fraud", order=AB),
            leads("--positive", "legit", order=AB),
            options=("--measure", "recall"),
        ),
        asked(
            "positive-malignant",
            recall("tumours", ("benign", "malignant"), "malignant"),
            "recall of which class is not told",
            leads("--positive", "malignant", order=AB),
            options=("--measure", "recall"),
        ),
        asked(
            "positive-1-2",
            recall("one_two", (1, 2), 2),
            "of 1 and 2 neither is the positive one by custom",
            leads("--positive", "2", order=AB),
            options=("--measure", "recall"),
        ),
        certain(
            "positive-0-1",
            recall("zero_one", (0, 1), 1),
            AB,
            "of 0 and 1 the 1 is positive",
            options=("--measure", "recall"),
        ),
        certain(
            "positive-no-yes",
            recall("no_yes", ("no", "yes"), "yes"),
            AB,
            "of no and yes the yes is positive",
            options=("--measure", "recall"),
        ),
        certain(
            "positive-false-true",
            recall("false_true", ("false", "true"), "true"),
            AB,
            "of false and true the true is positive",
            options=("--measure", "precision"),
        ),
        defensible(
            "positive-neg-pos",
            recall("neg_pos", ("neg", "pos"), "pos"),
            AB,
            "pos is positive by its name",
            ("--positive", "pos"),
            options=("--measure", "precision"),
        ),
        defensible(
            "positive-signs",
            recall("signs", (-1, 1), 1),
            AB,
            "of -1 and 1 the 1 is positive by custom",
            ("--positive", "1"),
            options=("--measure", "recall"),
        ),
        certain(
            "positive-three",
            labelled("three.csv", classes=("bird", "cat", "dog")),
            AB,
            "macro F1 of three classes needs no positive one",
            options=("--measure", "f1_macro"),
        ),
    ]


def _odd() -> list[Case]:
    """Blanks, constants, one model, many models, equal models."""
    n = 200

    def blanks(folder: Path) -> Goodness:
        rng = generator("blanks")
        truth = rng.integers(0, 2, n)
        a, b = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.05, 0.4))
        answered = rng.random(n) < 0.85
        write(
            folder / "blanks.csv",
            {
                "id": range(n),
                "truth": truth,
                "a": a,
                "b": ["" if not there else value for there, value in zip(answered, b, strict=True)],
            },
        )
        return {name: good[answered] for name, good in agreement(truth, a=a, b=b).items()}

    def floats(folder: Path) -> Goodness:
        rng = generator("floats")
        truth = rng.integers(0, 2, n)
        a, b = (spoilt(rng, truth, rate, (0, 1)) for rate in (0.08, 0.3))
        write(
            folder / "floats.csv",
            {"id": range(n), "truth": truth, "a": a.astype(float), "b": b.astype(float)},
        )
        return agreement(truth, a=a, b=b)

    def other_words(folder: Path) -> Goodness:
        rng = generator("words")
        truth = rng.integers(0, 2, n)
        answers = {
            name: np.where(spoilt(rng, truth, rate, (0, 1)) == 1, "sick", "healthy")
            for name, rate in ERRORS.items()
        }
        write(folder / "other_words.csv", {"id": range(n), "truth": truth, **answers})
        return {}

    def twins(folder: Path) -> Goodness:
        rng = generator("twins")
        truth = rng.integers(0, 2, n)
        a = spoilt(rng, truth, 0.1, (0, 1))
        write(folder / "twins.csv", {"id": range(n), "truth": truth, "a": a, "b": a})
        return {}

    def majority(folder: Path) -> Goodness:
        rng = generator("majority")
        truth = (rng.random(n) < 0.4).astype(int)
        forest = spoilt(rng, truth, 0.08, (0, 1))
        write(
            folder / "majority.csv",
            {"id": range(n), "truth": truth, "forest": forest, "majority": [0] * n},
        )
        return agreement(truth, forest=forest, majority=np.zeros(n, int))

    fm = (("forest", "majority"),)
    many = {f"m{i:02}": 0.05 if i == 0 else 0.35 for i in range(100)}
    texts = {
        "gpt_answer": [f"It is {i} because of {i * i}" for i in range(n)],
        "llama_answer": [f"The answer is about {i + i % 2}" for i in range(n)],
    }

    def free_text(folder: Path) -> Goodness:
        write(
            folder / "free_text.csv",
            {
                "id": range(n),
                "question": [f"What is {i}?" for i in range(n)],
                "reference": [f"{i}" for i in range(n)],
                **texts,
            },
        )
        return {}

    return [
        asked(
            "odd-blanks",
            Scene(("blanks.csv",), blanks),
            "a model that gave no answer did not do well: the rule must be told",
            leads("--missing", "complete", order=AB),
        ),
        defensible(
            "odd-all-blank",
            labelled("all_blank.csv", beside={"c": [""] * n}),
            AB,
            "a column without any value is no model",
            ("--ignore", "c"),
            ("--models", "a,b"),
        ),
        certain("odd-floats", Scene(("floats.csv",), floats), AB, "1.0 is the label 1"),
        asked(
            "odd-other-words",
            Scene(("other_words.csv",), other_words),
            "0 and 1 against healthy and sick: nobody said which is which",
        ),
        certain(
            "odd-twins",
            Scene(("twins.csv",), twins),
            (),
            "two models with equal answers do not differ",
            models=("a", "b"),
            same=(("a", "b"),),
        ),
        defensible(
            "odd-majority",
            Scene(("majority.csv",), majority),
            fm,
            "a baseline that always says 0 is a model",
            ("--models", "forest,majority"),
        ),
        certain(
            "odd-hundred",
            labelled("hundred.csv", errors=many, n=100),
            tuple(("m00", f"m{i:02}") for i in (1, 50, 99)),
            "a hundred columns of the classes of the truth are a hundred models",
            models=tuple(many),
            options=("--baseline", "m00"),
        ),
        defensible(
            "one-model",
            one_model("one_model.csv"),
            (),
            "one model, not two",
            ("--against", "0.5"),
            models=("prediction",),
        ),
        defensible(
            "one-confidence",
            one_model("one_confidence.csv", beside={"confidence": numbers(0.5, 1)}),
            (),
            "one model and how sure it was",
            ("--against", "0.5"),
            models=("prediction",),
            knows=("--ignore", "confidence"),
        ),
        asked(
            "free-text",
            Scene(("free_text.csv",), free_text),
            "free answers have to be judged before they can be compared",
        ),
    ]


CASES = [*_rows(), *_classes(), *_odd()]
