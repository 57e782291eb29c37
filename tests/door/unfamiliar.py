"""Scores in forms that came late: runs in columns, differences and costs beside models, impossible values."""

import json
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet, table
from tests.door.case import Case, Scene, asked, certain, leads
from tests.door.draw import csv_text, outcomes, rounded
from tests.door.tables import ACCURACY

Scored = Mapping[str, Any]
BOTH = ["rf"] * 20 + ["lr"] * 20
TOLD: Mapping[str, Any] = {"unit": "dataset", "n": 20}


def long(file: str, named: str, value: Any = float, sign: int = 1, **beside: Any) -> Scene:
    """A row for each model and data set, the score under this name; ``beside`` are columns of 40 cells."""
    return sheet(
        file,
        lambda _, s: csv_text(
            {
                "model": BOTH,
                "dataset": SETS * 2,
                **beside,
                named: [value(v) for of in s.values() for v in of],
            }
        ),
        sign,
    )


def split(file: str, named: str, n: int) -> Scene:
    """Folds or runs in the columns of a row for each model."""

    def make(rng: np.random.Generator) -> Drawn:
        scores = {
            name: np.array(rounded(mean + rng.normal(0, 0.004, n)))
            for name, mean in (("rf", 0.82), ("lr", 0.76))
        }
        folds = {f"{named}{i}": [of[i] for of in scores.values()] for i in range(n)}
        return {"model": list(scores), **folds, "mean": [0.82, 0.76], "std": [0.004] * 2}, scores

    return drawn(file, make)


def cells(file: str, form: str, **style: Any) -> Scene:
    """The numbers of both models written in this form."""
    return table(
        file, lambda s: {name: [form.format(v, **style) for v in of] for name, of in s.items()}
    )


def described(file: str, more: Callable[[Scored], Scored]) -> Scene:
    """Scores with further columns beside them."""
    return table(file, lambda scores: {**scores, **more(scores)})


def _in_columns() -> list[Case]:
    """What stands beside the models, or in several columns of one."""
    beside: Mapping[str, Callable[[Scored], Scored]] = {
        "change": lambda s: {"Δ (%)": rounded(100 * np.subtract(*map(np.asarray, s.values())))},
        "gain": lambda s: {
            "Improvement": [f"+{9 * a:.1f}%" for a in s["rf"]],
        },
        "p-value": lambda s: {"p-value": rounded(np.asarray(s["rf"]) ** 4)},
        "p-of-test": lambda s: {"p (t-test)": rounded(np.asarray(s["lr"]) ** 4)},
        "ranks": lambda s: {"rf_rank": [1] * 17 + [2] * 3, "lr_rank": [2] * 17 + [1] * 3},
        "times": lambda s: {"rf_time": rounded(np.asarray(s["rf"]) * 7), "lr_time": s["lr"]},
        "sizes": lambda s: {"#inst": range(50, 70), "#cls": [2, 3] * 10},
        "costs": lambda s: {"Params (M)": s["lr"], "FLOPs": s["rf"]},
    }
    runs = [(name, k) for name in ("rf", "lr") for k in (1, 2)]
    why = "columns of training scores are of the same models"
    return [
        *(
            certain(
                f"beside-{name}",
                described(f"beside_{name}.csv", more),
                FIRST,
                "it is no model by its name",
                **BY_SET,
            )
            for name, more in beside.items()
        ),
        certain(
            "twins-kept",
            table("twins.csv", lambda s: {**s, "zeta": s["rf"]}),
            FIRST,
            "a model with the scores of another is no maximum of the others",
            models=("rf", "lr", "zeta"),
            same=(("rf", "zeta"),),
            **BY_SET,
        ),
        certain(
            "runs-in-columns",
            table(
                "runs_in_columns.csv",
                lambda s: {f"{n}_seed{k}": rounded(np.asarray(s[n]) + k / 1000) for n, k in runs},
            ),
            FIRST,
            "two seeds of each model",
            **BY_SET,
        ),
        *(
            certain(
                f"rows-{named.strip('_ ')}",
                split(f"rows_{named.strip('_ ')}.csv", named, n),
                FIRST,
                "the columns number what a model was tried on",
                unit,
                options=ACCURACY,
                n=n,
                corrected=corrected,
            )
            for named, unit, n, corrected in (
                ("fold_", "fold", 10, 1 / 9),
                ("run ", "seed", 14, 0.0),
            )
        ),
        asked(
            "train-beside-test",
            table(
                "train_test.csv",
                lambda s: {
                    **{f"{n}_test": v for n, v in s.items()},
                    **{f"{n}_train": rounded(1.0 - np.asarray(v) / 9) for n, v in s.items()},
                },
            ),
            why,
            leads(
                "--ignore",
                "rf_train,lr_train",
                order=(),
                models=("rf_test", "lr_test"),
                unit="dataset",
            ),
            options=ACCURACY,
        ),
        asked(
            "train-accuracies",
            table(
                "train_accuracies.csv",
                lambda s: {
                    **{f"{n}_test_acc": v for n, v in s.items()},
                    **{f"{n}_train_acc": rounded(1.0 - np.asarray(v) / 9) for n, v in s.items()},
                },
            ),
            why,
            leads("--measure", "test_acc", order=FIRST, **TOLD),
        ),
        asked(
            "setting-alpha",
            table("setting.csv", lambda s: {"alpha": [0.1, 0.5, 1.0, 0.5] * 5, **s}),
            "alpha is a setting here, though models are called so too",
            leads("--ignore", "alpha", order=FIRST, **TOLD),
            options=ACCURACY,
        ),
        asked(
            "parts",
            drawn(
                "parts.csv",
                lambda rng: (
                    {
                        "model": ["rf", "lr", "nb"],
                        "train": [0.99, 0.9, 0.8],
                        "test": [0.8, 0.9, 0.7],
                    },
                    {},
                ),
            ),
            "training and test data are no two data sets",
            options=ACCURACY,
        ),
        asked(
            "classes-in-rows",
            sheet(
                "classes_in_rows.csv",
                lambda _, s: csv_text({"class": [f"c{i}" for i in range(20)], **s}),
            ),
            "a row for each class is neither an item nor a truth",
            leads("--unit", "dataset", order=FIRST, **TOLD),
            options=("--measure", "f1"),
        ),
    ]


def _in_cells() -> list[Case]:
    """How numbers are written, and numbers that cannot be what they are called."""
    why = "a negated loss is better higher, a loss lower"
    negated: Mapping[str, Any] = {"order": (("lr", "rf"),), "said": -1, **TOLD}
    return [
        certain(
            "cells-interval",
            cells("interval.csv", "{0} [{0:.2f}, 0.99]"),
            FIRST,
            "mean and interval",
            **BY_SET,
        ),
        certain(
            "cells-underlined",
            cells("underlined.csv", "\\underline{{{0}}}"),
            FIRST,
            "marked as second",
            **BY_SET,
        ),
        certain("cells-unit", cells("unit.csv", "{0} pts"), FIRST, "one unit throughout", **BY_SET),
        asked(
            "cells-garbled",
            table(
                "garbled.csv", lambda s: {**s, "nb": [f">{v}" if v > 0.7 else v for v in s["lr"]]}
            ),
            "a model is not left out because one of its cells is no number",
            leads("--ignore", "nb", order=FIRST, **TOLD),
            options=ACCURACY,
        ),
        asked(
            "cells-two-units",
            table(
                "two_units.csv",
                lambda s: {
                    "rf": [f"{v} s" for v in s["rf"]],
                    "lr": [f"{900 * v:.1f} ms" for v in s["lr"]],
                    "nb": [f"{v} s" for v in s["lr"]],
                },
            ),
            "seconds beside milliseconds",
            leads("--ignore", "lr", order=(), models=("rf", "nb"), unit="dataset"),
            options=("--higher-is-better",),
        ),
        certain(
            "long-per-cent-sign",
            long("percent_sign.csv", "accuracy", lambda v: v if v > 0.75 else f"{100 * v:.1f}%"),
            FIRST,
            "0.81 beside 79% is a fraction",
            **TOLD,
        ),
        asked(
            "long-two-scales",
            sheet(
                "two_scales.csv",
                lambda _, s: csv_text(
                    {
                        "model": BOTH,
                        "dataset": SETS * 2,
                        "accuracy": s["rf"] + rounded(np.asarray(s["lr"]) * 100),
                    }
                ),
            ),
            "fractions of one model beside per cent of the other",
            leads("--percent", "lr", order=FIRST, **TOLD),
        ),
        asked(
            "rows-two-scales",
            table(
                "rows_two_scales.csv",
                lambda s: {
                    n: [v * (100 if i % 2 else 1) for i, v in enumerate(of)] for n, of in s.items()
                },
            ),
            "per cent in every other row",
            options=ACCURACY,
        ),
        asked(
            "negated-told",
            table("negated.csv", lambda s: {n: rounded(-np.asarray(of)) for n, of in s.items()}),
            why,
            leads("--higher-is-better", **negated),
            options=("--measure", "rmse"),
        ),
        asked(
            "negated-named",
            long("negated_long.csv", "mse", lambda v: -v),
            why,
            leads("--higher-is-better", **negated),
        ),
        asked(
            "accuracy-of-hundreds",
            cells("hundreds.csv", "{0:.5f}e3"),
            "an accuracy of 812 is none",
            leads("--higher-is-better", order=FIRST, **TOLD),
            options=ACCURACY,
        ),
        certain(
            "arrow-down",
            long("arrow.csv", "Foo ↓", sign=-1),
            (("lr", "rf"),),
            "the arrow tells",
            **TOLD,
        ),
        asked(
            "arrow-against-name",
            long("arrow_against.csv", "accuracy ↓"),
            "the arrow contradicts the name",
            leads("--higher-is-better", order=FIRST, **TOLD),
        ),
        certain(
            "score-and-time",
            long("score_time.csv", "test_score", fit_time=rounded(np.linspace(0.1, 3, 40))),
            FIRST,
            "the score is told to be an accuracy; the time is none",
            **BY_SET,
        ),
        asked(
            "time-beside-score",
            long("time_score.csv", "result", fit_time=rounded(np.linspace(0.1, 3, 40))),
            "the time is no result",
            leads("--measure", "accuracy", order=FIRST, **TOLD),
        ),
        certain(
            "german",
            sheet(
                "german.csv",
                lambda _, s: csv_text(
                    {
                        "Verfahren": BOTH,
                        "Datensatz": SETS * 2,
                        "Genauigkeit": [str(v).replace(".", ",") for of in s.values() for v in of],
                    },
                    sep=";",
                ),
            ),
            FIRST,
            "the words are German, the decimals have a comma",
            **TOLD,
        ),
        certain(
            "counts-of-totals",
            sheet(
                "counts.csv",
                lambda _, s: csv_text(
                    {
                        "model": BOTH,
                        "dataset": SETS * 2,
                        "correct": [round(400 * v) for v in s["rf"]]
                        + [round(900 * v) for v in s["lr"]],
                        "total": [400] * 20 + [900] * 20,
                    }
                ),
            ),
            FIRST,
            "right answers of different totals are shares",
            **TOLD,
        ),
        certain(
            "mean-inside",
            sheet(
                "mean_inside.csv",
                lambda t, s: t.replace("set9,", f"Average (all),{s['rf'][0]},{s['lr'][0]}\nset9,"),
            ),
            FIRST,
            "a mean between the data sets",
            **BY_SET,
        ),
        certain(
            "document",
            sheet(
                "document.json",
                lambda _, s: json.dumps(
                    {
                        "results": [
                            {"model": m, "dataset": d, "accuracy": v}
                            for m, of in s.items()
                            for d, v in zip(SETS, of, strict=True)
                        ]
                    }
                ),
            ),
            FIRST,
            "records inside one document",
            **TOLD,
        ),
        asked(
            "one-run-each",
            drawn(
                "one_run.csv",
                lambda rng: (
                    {
                        "model": [f"m{i}" for i in range(30)],
                        "seed": range(30),
                        "accuracy": outcomes(rng, 30, 0.5) / 2 + 0.4,
                    },
                    {},
                ),
            ),
            "every model has one score",
        ),
    ]


CASES = [*_in_columns(), *_in_cells()]
