"""The same door before `evaluate` and `gate`."""

from typing import Any

from tests.door.case import Case, asked, certain, defensible, leads
from tests.door.labelled import LEARNT, labelled, one_model
from tests.door.outcomes import long_right, right_wrong
from tests.door.scored import chances, scored
from tests.door.tables import by_set

AB, OL = (("a", "b"),), (("opus", "llama"),)
MARGIN = ("--margin", "0.02")
LLAMA = ("--baseline", "llama", "--candidate", "opus", *MARGIN)
BETA = ("--baseline", "beta", "--candidate", "alpha", *MARGIN)
EVALUATE: dict[str, Any] = {"verb": "evaluate"}
GATE: dict[str, Any] = {"verb": "gate"}

CASES: list[Case] = [
    certain(
        "evaluate-plain",
        labelled("evaluate_plain.csv"),
        (),
        "accuracy of two models",
        models=("a", "b"),
        estimates={"a": 0.92, "b": 0.7},
        n=200,
        **EVALUATE,
    ),
    certain(
        "evaluate-ground",
        one_model("evaluate_ground.csv", truth="ground_truth", header=None),
        (),
        "accuracy of one model",
        models=("prediction",),
        estimates={"prediction": 0.85},
        n=200,
        **EVALUATE,
    ),
    defensible(
        "evaluate-confidence",
        one_model(
            "evaluate_confidence.csv",
            truth="true_label",
            beside={"confidence": lambda rng, n: rng.uniform(0.5, 1, n).round(3)},
        ),
        (),
        "confidence is no second model",
        ("--ignore", "confidence"),
        models=("prediction",),
        estimates={"prediction": 0.85},
        **EVALUATE,
    ),
    defensible(
        "evaluate-disease",
        labelled(
            "evaluate_disease.csv",
            truth="disease",
            header="patient",
            errors={"ai": 0.1},
            beside={"age": lambda rng, n: rng.integers(20, 90, n)},
        ),
        (),
        "a patient's number and age are no models",
        ("--truth", "disease", "--models", "ai"),
        models=("ai",),
        estimates={"ai": 0.9},
        **EVALUATE,
    ),
    asked(
        "evaluate-right",
        right_wrong("evaluate_right.csv"),
        "nothing says whether 1 is right or an error",
        leads("--correct", order=(), models=("opus", "llama")),
        estimates={"opus": 0.85, "llama": 0.55},
        **EVALUATE,
    ),
    certain(
        "evaluate-long",
        long_right("evaluate_long.csv", "correct", model="model", item="item"),
        (),
        "right answers of two models",
        models=("opus", "llama"),
        estimates={"opus": 0.85, "llama": 0.55},
        **EVALUATE,
    ),
    asked(
        "evaluate-recall",
        labelled("evaluate_recall.csv", classes=("ham", "spam")),
        "recall of which class is not told",
        leads("--positive", "spam", order=(), models=("a", "b")),
        options=("--measure", "recall"),
        **EVALUATE,
    ),
    asked(
        "evaluate-split",
        labelled(
            "evaluate_split.csv",
            before={"split": ["train", "test"] * 100},
            rows=slice(1, None, 2),
            elsewhere=LEARNT,
        ),
        "half of the rows are training rows",
        leads("--where", "split=test", order=(), models=("a", "b"), n=100),
        **EVALUATE,
    ),
    defensible(
        "evaluate-chances",
        chances("evaluate_chances.csv", ("A", "B", "C"), "proba_{of}", {"m": 2.0}),
        (),
        "one model of three columns",
        models=None,
        options=("--measure", "log_loss"),
        **EVALUATE,
    ),
    certain(
        "evaluate-sets",
        by_set("evaluate_sets.csv"),
        (),
        "mean accuracy over data sets",
        "dataset",
        models=("alpha", "beta"),
        options=("--measure", "accuracy"),
        n=20,
        **EVALUATE,
    ),
    certain(
        "gate-plain",
        labelled("gate_plain.csv"),
        AB,
        "a is no worse than b",
        options=("--baseline", "b", "--candidate", "a", *MARGIN),
        **GATE,
    ),
    certain(
        "gate-fails",
        labelled("gate_fails.csv"),
        AB,
        "b is worse than a",
        options=("--baseline", "a", "--candidate", "b", *MARGIN),
        exit=1,
        **GATE,
    ),
    asked(
        "gate-right",
        right_wrong("gate_right.csv"),
        "nothing says whether 1 is right: a gate must neither pass nor fail",
        leads("--correct", order=OL),
        options=LLAMA,
        **GATE,
    ),
    certain(
        "gate-right-told",
        right_wrong("gate_told.csv"),
        OL,
        "1 is told to be right",
        options=("--correct", *LLAMA),
        **GATE,
    ),
    asked(
        "gate-sets",
        by_set("gate_sets.csv"),
        "the direction is not told: a gate must neither pass nor fail",
        leads("--higher-is-better", order=(("alpha", "beta"),), unit="dataset"),
        options=BETA,
        **GATE,
    ),
    asked(
        "gate-recall",
        labelled("gate_recall.csv", classes=("fraud", "legit"), only="fraud", n=300),
        "recall of which class is not told",
        leads("--positive", "fraud", order=AB),
        options=("--measure", "recall", "--baseline", "b", "--candidate", "a", *MARGIN),
        **GATE,
    ),
    asked(
        "gate-split",
        labelled(
            "gate_split.csv",
            n=400,
            before={"split": ["train", "test"] * 200},
            rows=slice(1, None, 2),
            elsewhere=LEARNT,
        ),
        "half of the rows are training rows",
        leads("--where", "split=test", order=AB, n=200),
        options=("--baseline", "b", "--candidate", "a", *MARGIN),
        **GATE,
    ),
    certain(
        "gate-auc",
        scored("gate_auc.csv"),
        (("ai", "reader"),),
        "scores of 0 and 1",
        options=("--measure", "roc_auc", "--baseline", "reader", "--candidate", "ai", *MARGIN),
        **GATE,
    ),
]
