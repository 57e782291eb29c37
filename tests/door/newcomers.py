"""What the next outsiders brought: costs among data sets, parts in other languages, grades beside predictions."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, Goodness, Scene, agreement, asked, certain, leads
from tests.door.draw import csv_text, generator, outcomes, placements, rounded, spoilt, write
from tests.door.tables import ACCURACY

FOLDS: Mapping[str, Any] = {"unit": "fold", "options": ACCURACY, "n": 10, "corrected": 1 / 9}
BOTH = ["rf"] * N + ["lr"] * N


def in_rows(file: str, form: str, n: int, **more: Any) -> Scene:
    """A row for each model, a column for each fold or data set, and what stands beside them."""

    def make(rng: np.random.Generator) -> Drawn:
        good = {
            name: np.array(rounded(mean + rng.normal(0, 0.004, n)))
            for name, mean in (("rf", 0.82), ("lr", 0.76))
        }
        scores = {form.format(i): [of[i] for of in good.values()] for i in range(n)}
        return {"model": list(good), **scores, **more}, good

    return drawn(file, make)


def by_subject(file: str, form: str) -> Scene:
    """Scores on twenty subjects of an examination."""
    names = {"rf": form.format("rf"), "lr": form.format("lr")}
    return sheet(
        file,
        lambda _, s: csv_text({"subject": SETS, **{names[model]: of for model, of in s.items()}}),
    )


def wrong(file: str) -> Scene:
    """1 where a model erred."""

    def make(rng: np.random.Generator) -> Drawn:
        right = {
            name: outcomes(rng, N, rate) for name, rate in (("crf_error", 0.9), ("hmm_error", 0.7))
        }
        errors = {name: (1 - of).tolist() for name, of in right.items()}
        return {"id": range(N), **errors}, right

    return drawn(file, make)


def readers(file: str) -> Scene:
    """Four readers score 60 cases with and without help."""

    def make(rng: np.random.Generator) -> Drawn:
        disease = np.arange(60) % 2
        rows, scores = [], {"aided": [], "alone": []}  # type: ignore[var-annotated]
        for reader in range(4):
            for modality, gap in (("aided", 2.6), ("alone", 1.0)):
                found = np.clip(np.round(2 + gap * disease + rng.normal(0, 0.8, 60)), 1, 5)
                scores[modality] += found.tolist()
                rows += [
                    (case, reader, modality, ill, int(score))
                    for case, (ill, score) in enumerate(zip(disease, found, strict=True))
                ]
        names = ("case", "reader", "modality", "disease", "score")
        columns = dict(zip(names, zip(*rows, strict=True), strict=True))
        return columns, placements(np.tile(disease, 4), **scores)

    return drawn(file, make)


def experiment(file: str, named: str) -> Scene:
    """Users of whom each saw one version of a page."""

    def make(rng: np.random.Generator) -> Drawn:
        good = {
            name: outcomes(rng, N, rate) for name, rate in (("treatment", 0.6), ("control", 0.3))
        }
        order = rng.permutation(2 * N)
        arms = np.repeat(list(good), N)[order].tolist()
        converted = np.concatenate(list(good.values()))[order].tolist()
        return {"user_id": range(2 * N), named: arms, "converted": converted}, good

    return drawn(file, make)


def contest() -> Scene:
    """A solution with the part of each row, and submissions whose column has the same name."""
    files = ("solution.csv", "rf.csv", "lr.csv")

    def make(folder: Path) -> Goodness:
        rng = generator("contest")
        truth = rng.integers(0, 2, N)
        models = {n: spoilt(rng, truth, rate, (0, 1)) for n, rate in (("rf", 0.06), ("lr", 0.25))}
        usage = ["Public", "Private"] * (N // 2)
        write(folder / files[0], {"Id": range(N), "Survived": truth, "Usage": usage})
        for name, column in models.items():
            write(folder / f"{name}.csv", {"Id": range(N), "Survived": column})
        return agreement(truth, **models)

    return Scene(files, make)


def matrices() -> Scene:
    """A confusion matrix in each file."""

    def make(folder: Path) -> Goodness:
        for name, (tn, tp) in {"rf": (480, 490), "lr": (400, 410)}.items():
            cells = {"": ["neg", "pos"], "neg": [tn, 500 - tp], "pos": [500 - tn, tp]}
            write(folder / f"{name}.csv", cells)
        return {}

    return Scene(("rf.csv", "lr.csv"), make)


def _scores() -> list[Case]:
    return [
        certain(
            "cost-rows",
            sheet("cost_rows.csv", lambda t, _: f"{t}cost ($),4.2,1.1\nlatency (s),1.3,0.9\n"),
            FIRST,
            "what a model costs is no data set",
            **BY_SET,
        ),
        certain(
            "cost-columns",
            in_rows("cost_columns.csv", "set{}", 20, cost=[4.2, 1.1], latency=[1.3, 0.9]),
            FIRST,
            "what a model costs is no data set",
            **BY_SET,
        ),
        certain(
            "splits-and-their-mean",
            in_rows(
                "splits.csv",
                "split{}_test_score",
                10,
                mean_test_score=[0.82, 0.76],
                std_test_score=[0.004] * 2,
                rank_test_score=[1, 2],
            ),
            FIRST,
            "the columns are folds, their mean and its rank are none",
            **FOLDS,
        ),
        asked(
            "numbered-columns",
            in_rows("numbered.csv", "{}", 10),
            "0 to 9 may be folds, seeds or data sets",
            leads("--unit", "fold", "--models-in-rows", order=FIRST, unit="fold", n=10),
            options=ACCURACY,
            corrected=1 / 9,
        ),
        asked(
            "subjects-accuracy",
            by_subject("subjects.csv", "{}"),
            "an accuracy of 0.83 is of many items, so a row is none",
            leads("--unit", "dataset", order=FIRST, unit="dataset", n=20),
            options=ACCURACY,
        ),
        asked(
            "subjects-named-accuracy",
            by_subject("subjects_acc.csv", "{}_acc"),
            "the names say which side is better; a row is still open",
            leads("--unit", "dataset", order=FIRST, unit="dataset", n=20),
        ),
        asked(
            "mean-and-sd-of-each",
            drawn(
                "summary_rows.csv",
                lambda _: (
                    {"model": ["rf", "lr"], "mean": [0.9, 0.8], "sd": [0.01] * 2, "n": [9] * 2},
                    {},
                ),
            ),
            "mean, sd and n are no data sets",
        ),
    ]


def _items() -> list[Case]:
    ids = {"id": range(N)}
    parts = ["entraînement", "test"] * (N // 2)

    def long(_: Any, rf: Any, lr: Any) -> Mapping[str, Any]:
        return {"模型": BOTH, "题目": [*range(N)] * 2, "正确": [*rf, *lr]}

    def right(rng: np.random.Generator) -> Drawn:
        good = {name: outcomes(rng, N, rate) for name, rate in (("rf", 0.9), ("lr", 0.7))}
        return long(None, *good.values()), good

    def of_test(truth: Any, rf: Any, lr: Any) -> Mapping[str, Any]:
        return {**ids, "ensemble": parts, "y_true": truth, "rf": rf, "lr": lr}

    return [
        asked(
            "parts-in-french",
            items("ensemble.csv", of_test),
            "half of the rows were trained on",
            leads("--where", "ensemble=test", order=FIRST, n=N // 2),
        ),
        certain(
            "hyphens",
            items(
                "hyphens.csv",
                lambda t, a, b: {"item-id": range(N), "ground-truth": t, "rf": a, "lr": b},
            ),
            FIRST,
            "a hyphen joins words as an underscore does",
            n=N,
        ),
        certain(
            "chinese",
            items("chinese.csv", lambda t, a, b: {"编号": range(N), "标签": t, "rf": a, "lr": b}),
            FIRST,
            "ids and labels by their names",
            n=N,
        ),
        certain("chinese-long", drawn("chinese_long.csv", right), FIRST, "right answers", n=N),
        certain(
            "grade-beside-predictions",
            items(
                "graded.csv",
                lambda t, a, b: {
                    **ids,
                    "label": t,
                    "rf": a,
                    "lr": b,
                    "correct": [1] * 200 + [0] * 40,
                },
            ),
            FIRST,
            "correct says whether another column is right",
            n=N,
        ),
        asked(
            "unknown-truth-beside-models",
            items("krank.csv", lambda t, a, b: {**ids, "krank": t, "rf": a, "lr": b}),
            "krank may be the truth: the one question that settles all",
            leads("--truth", "krank", order=FIRST, n=N),
        ),
        asked(
            "errors-told",
            wrong("told_errors.csv"),
            "crf and hmm may be classes; that they err is in their names",
            leads(
                "--models",
                "crf_error,hmm_error",
                order=(("crf_error", "hmm_error"),),
                n=N,
            ),
        ),
        asked(
            "readers-of-two-modalities",
            readers("readers.csv"),
            "a reader's number is no model",
            leads(
                "--truth",
                "disease",
                "--models",
                "modality",
                "--cluster",
                "case",
                order=(("aided", "alone"),),
                unit=None,
            ),
            options=("--measure", "roc_auc"),
        ),
        asked(
            "experiment-by-group",
            experiment("by_group.csv", "group"),
            "whether it is good to convert is not said",
            leads("--correct", "--unpaired", order=(("treatment", "control"),)),
        ),
        asked(
            "chosen-and-rejected",
            drawn(
                "chosen.csv",
                lambda rng: (
                    {
                        "prompt": range(40),
                        "chosen": ["rf"] * 30 + ["lr"] * 10,
                        "rejected": ["lr"] * 30 + ["rf"] * 10,
                    },
                    {},
                ),
            ),
            "votes have methods of their own",
        ),
        certain("contest-with-parts", contest(), FIRST, "the file is called the solution", n=N),
        asked("two-matrices", matrices(), "counts of classes are no values of models"),
    ]


CASES: list[Case] = [*_scores(), *_items()]
