"""Items in forms that came late: outcomes in other words, judged answers, parts of the data, other units and codes."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.door.brought import FIRST, Drawn, drawn
from tests.door.brought_items import N, items
from tests.door.case import Case, Scene, asked, certain, leads
from tests.door.draw import outcomes, rounded, spoilt

IDS = [f"q{i}" for i in range(N)]


def judged(file: str, columns: Any) -> Scene:
    """Right and wrong answers: rf is right in 92 %, lr in 70 %."""

    def make(rng: np.random.Generator) -> Drawn:
        rf, lr = outcomes(rng, N, 0.92), outcomes(rng, N, 0.70)
        return columns(rf.tolist(), lr.tolist()), {"rf": rf.astype(float), "lr": lr.astype(float)}

    return drawn(file, make)


def in_words(file: str, wrong: str, right: str, header: str = "test") -> Scene:
    words = [wrong, right]
    return judged(
        file,
        lambda rf, lr: {header: IDS, "rf": [words[x] for x in rf], "lr": [words[x] for x in lr]},
    )


def valued(file: str, columns: Any) -> Scene:
    """Predictions of a number: rf errs by 2, lr by 6."""

    def make(rng: np.random.Generator) -> Drawn:
        truth = rng.normal(50, 12, N).round(2)
        rf, lr = (truth + rng.normal(0, width, N).round(2) for width in (2, 6))
        good = {"rf": -np.abs(rf - truth), "lr": -np.abs(lr - truth)}
        return columns(truth, rf.round(2), lr.round(2)), good

    return drawn(file, make)


def _outcomes() -> list[Case]:
    sure = {"pass": ("FAIL", "PASS"), "checks": ("✗", "✓"), "ok": ("fail", "ok")}
    unsure = {
        "yes": ("no", "yes"),
        "letters": ("N", "Y"),
        "german": ("nein", "ja"),
        "french": ("faux", "vrai"),
    }
    expected = [f"The answer to {i} is long" for i in range(N)]
    both = ["rf"] * N + ["lr"] * N
    right = leads("--correct", order=FIRST, n=N)
    return [
        *(
            certain(
                f"words-{name}",
                in_words(f"words_{name}.csv", *pair),
                FIRST,
                "the words say which is right",
                n=N,
            )
            for name, pair in sure.items()
        ),
        *(
            asked(
                f"words-{name}",
                in_words(f"words_{name}.csv", *pair),
                "they may be answers as well",
                right,
            )
            for name, pair in unsure.items()
        ),
        certain(
            "long-failed",
            judged(
                "failed.csv",
                lambda rf, lr: {
                    "model": both,
                    "task_id": IDS * 2,
                    "failed": [1 - x for x in rf + lr],
                },
            ),
            FIRST,
            "failed is worse",
            n=N,
        ),
        asked(
            "long-outcome-words",
            judged(
                "ergebnis.csv",
                lambda rf, lr: {
                    "Modell": both,
                    "Frage": IDS * 2,
                    "Ergebnis": [("falsch", "richtig")[x] for x in rf + lr],
                },
            ),
            "richtig may be an answer",
            right,
        ),
        certain(
            "judged-text",
            judged(
                "judged_text.csv",
                lambda rf, lr: {
                    "Question": IDS,
                    "Expected": expected,
                    "rf Answer": [f"I think: {text}" for text in expected],
                    "lr Answer": [
                        text if i < 150 else "no idea" for i, text in enumerate(expected)
                    ],
                    "rf Correct?": [("No", "Yes")[x] for x in rf],
                    "lr Correct?": [("No", "Yes")[x] for x in lr],
                },
            ),
            FIRST,
            "people judged the answers, which are seldom the expected words",
            n=N,
        ),
        asked(
            "wrong-called-right",
            judged(
                "called.csv",
                lambda rf, lr: {
                    "item": IDS,
                    "rf_wrong": [1 - x for x in rf],
                    "lr_wrong": [1 - x for x in lr],
                },
            ),
            "1 is told to be right and called wrong",
            options=("--correct",),
        ),
        asked(
            "ranks-and-a-last",
            judged(
                "ranked.csv",
                lambda rf, lr: {
                    "item": IDS,
                    "rf": [2 - x for x in rf],
                    "lr": [1 + x for x in rf],
                    "nb": [3] * N,
                },
            ),
            "ranks, of which one model always has the last",
            leads("--losses", "--models", "rf,lr,nb", order=(), models=("rf", "lr", "nb")),
        ),
        certain(
            "solved-of-samples",
            judged(
                "samples.csv",
                lambda rf, lr: {
                    "model": both,
                    "task_id": IDS * 2,
                    "passed": [9 * x for x in rf] + [18 * x for x in lr],
                    "samples": [10] * N + [20] * N,
                },
            ),
            FIRST,
            "passed of samples are shares",
            n=N,
        ),
    ]


def _truths() -> list[Case]:
    classes = ("cat", "dog", "fox")
    keep: Mapping[str, Any] = {"order": FIRST, "n": N // 2}

    def beside(file: str, more: Any) -> Scene:
        return items(
            file, lambda t, rf, lr: {"id": IDS, "y": t, "rf": rf, "lr": lr, **more(t)}, classes
        )

    def parted(name: str) -> Callable[[Any], Mapping[str, Any]]:
        return lambda truth: {name: halves}

    halves = ["train" if i % 2 else "test" for i in range(N)]
    why = "half of the rows were trained on"
    return [
        *(
            asked(
                f"part-{name}",
                beside(f"part_{name}.csv", parted(name)),
                why,
                leads("--where", f"{name}=test", **keep),
            )
            for name in ("purpose", "fold")
        ),
        asked(
            "answer-missing-word",
            items(
                "not_available.csv",
                lambda t, rf, lr: {
                    "id": IDS,
                    "y": t,
                    "rf": rf,
                    "lr": ["N/A" if i < 20 else x for i, x in enumerate(lr)],
                },
                classes,
            ),
            "N/A is no class but a gap",
            leads("--missing", "wrong", order=FIRST, n=N),
        ),
        asked(
            "annotators",
            beside(
                "annotators.csv",
                lambda t: {
                    f"annotator_{k}": spoilt(np.random.default_rng(k), t, 0.04, classes)
                    for k in (1, 2)
                },
            ),
            "people who labelled the items are no models",
            leads("--ignore", "annotator_1,annotator_2", order=FIRST, n=N),
        ),
        asked(
            "other-codes",
            items(
                "codes.csv",
                lambda t, rf, lr: {
                    "id": IDS,
                    "y": t,
                    "rf": [x + 1 for x in rf],
                    "lr": [x + 1 for x in lr],
                },
            ),
            "1 and 2 are no scores of 0 and 1",
        ),
        certain(
            "positive-sí",
            items(
                "si.csv",
                lambda t, rf, lr: {"id": IDS, "etiqueta": t, "rf": rf, "lr": lr},
                ("no", "sí"),
            ),
            FIRST,
            "of no and sí the sí is positive",
            options=("--measure", "f1"),
            n=N,
        ),
        certain(
            "document-of-items",
            items(
                "items.json",
                lambda t, rf, lr: json.dumps(
                    {
                        i: {"truth": a, "rf": b, "lr": c}
                        for i, a, b, c in zip(IDS, t, rf, lr, strict=True)
                    }
                ),
                classes,
            ),
            FIRST,
            "an object for each item",
            n=N,
        ),
        certain(
            "document-of-columns",
            items(
                "columns.json",
                lambda t, rf, lr: json.dumps({"truth": t, "rf": rf, "lr": lr}),
                classes,
            ),
            FIRST,
            "a list for each column",
            n=N,
        ),
        certain(
            "one-series",
            valued(
                "one_series.csv",
                lambda t, rf, lr: {
                    "unique_id": ["M1"] * N,
                    "ds": [f"d{i}" for i in range(N)],
                    "y": t,
                    "rf": rf,
                    "lr": lr,
                },
            ),
            FIRST,
            "all rows are of one series, which names none of them",
            options=("--measure", "mae"),
            n=N,
        ),
        asked(
            "other-units",
            valued(
                "other_units.csv",
                lambda t, rf, lr: {
                    "id": IDS,
                    "y": t * 1000,
                    "rf": rf,
                    "lr": lr * 1000,
                    "nb": rounded(t * 1000 + 9000),
                },
            ),
            "rf predicts in thousands",
            leads("--ignore", "rf", order=(), models=("lr", "nb")),
            options=("--measure", "mae"),
        ),
        asked(
            "signed-errors",
            valued(
                "signed.csv",
                lambda t, rf, lr: {
                    "id": IDS,
                    "rf_error": rounded(rf - t),
                    "lr_error": rounded(lr - t - 9),
                },
            ),
            "of an error below zero neither side is better",
        ),
        asked(
            "two-scales",
            valued(
                "bleu.csv",
                lambda t, rf, lr: {
                    "id": [*IDS, *IDS],
                    "model": ["rf"] * N + ["lr"] * N,
                    "bleu": rounded([*(rf / 200), *(abs(lr) / 2)]),
                },
            ),
            "fractions of one model beside per cent of the other",
            leads("--percent", "lr", order=(), models=("rf", "lr"), n=N),
        ),
    ]


CASES = [*_outcomes(), *_truths()]
