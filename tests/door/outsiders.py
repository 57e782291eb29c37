"""Files as outsiders bring them: ids of any name, measures and settings in columns, parts of the data, a mean below."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.door.brought import FIRST, SETS, Drawn, drawn, sheet, table
from tests.door.brought_items import N, items
from tests.door.case import Case, Scene, asked, certain, leads
from tests.door.draw import csv_text, placements, rounded
from tests.door.tables import ACCURACY

BOTH = ["rf"] * N + ["lr"] * N
Made = Mapping[str, Any]


def rated(file: str, columns: Any) -> Scene:
    """Two measures of N segments, one to be high and one to be low: rf is better in both."""

    def make(rng: np.random.Generator) -> Drawn:
        rf, lr = (np.round(rng.normal(mean, 5, N), 1) for mean in (60, 50))
        return columns(rf, lr), {"rf": rf, "lr": lr}

    return drawn(file, make)


def alone(file: str, columns: Any) -> Scene:
    """A table of no model, or of one."""
    return drawn(file, lambda rng: (columns(rng), {}))


def by_part(file: str, parts: Sequence[str], **places: Sequence[Any]) -> Scene:
    """Scores of two parts of the data: on the last rf is better, on the first lr."""
    ((place, cells),) = places.items()

    def make(rng: np.random.Generator) -> Drawn:
        base = rng.uniform(0.7, 0.72, len(cells))
        of = {
            (m, p): rounded(base + sign * (m == "rf") * 0.06 + rng.normal(0, 0.004, len(cells)))
            for p, sign in zip(parts, (-1, 1), strict=True)
            for m in ("rf", "lr")
        }
        rows = [
            (m, p, c, v) for (m, p), found in of.items() for c, v in zip(cells, found, strict=True)
        ]
        names = ("model", "phase", place, "accuracy")
        good = {m: np.array(of[m, parts[-1]]) for m in ("rf", "lr")}
        return dict(zip(names, zip(*rows, strict=True), strict=True)), good

    return drawn(file, make)


def in_rows(file: str, sets: Sequence[str]) -> Scene:
    """A row for each model, a column for each data set."""

    def make(rng: np.random.Generator) -> Drawn:
        base = rng.uniform(0.6, 0.9, len(sets))
        rf, lr = (rounded(base + gap + rng.normal(0, 0.004, len(sets))) for gap in (0.06, 0.0))
        columns = {name: [a, b] for name, a, b in zip(sets, rf, lr, strict=True)}
        return {"Model": ["rf", "lr"], **columns}, {"rf": np.array(rf), "lr": np.array(lr)}

    return drawn(file, make)


def _items() -> list[Case]:
    words = ("no", "yes")

    def twice(truth: Any, rf: Any, lr: Any) -> Made:
        return {"qid": [*range(N)] * 2, "model": BOTH, "truth": [*truth] * 2, "answer": [*rf, *lr]}

    def of_ham(rng: np.random.Generator) -> Drawn:
        spam = rng.integers(0, 2, N)
        rf, lr = (1 / (1 + np.exp(k * (2 * spam - 1) + rng.normal(0, 1, N))) for k in (2.0, 0.4))
        columns = {"rf_prob_ham": rounded(rf), "lr_prob_ham": rounded(lr)}
        label = np.where(spam == 1, "spam", "ham").tolist()
        return {"label": label, **columns}, placements(spam == 0, rf=rf, lr=lr)

    return [
        asked(
            "households",
            items(
                "households.csv",
                lambda t, a, b: {
                    "household_id": [i // 3 for i in range(N)],
                    "gold": t,
                    "rf": a,
                    "lr": b,
                },
            ),
            "people of one household are not independent, whatever the id is called",
            leads("--cluster", "household_id", order=FIRST, n=N),
        ),
        certain(
            "answers-long",
            items("answers_long.csv", twice, words),
            FIRST,
            "an answer that is one of the classes is the prediction",
            n=N,
        ),
        asked(
            "two-measures-of-systems",
            rated(
                "chrf_ter.csv",
                lambda rf, lr: {
                    "seg_id": [*range(N)] * 2,
                    "sys": BOTH,
                    "chrF": [*rf, *lr],
                    "TER": [*(100 - rf), *(100 - lr)],
                },
            ),
            "chrF and TER are measures, and no models",
            leads("--measure", "chrF", order=FIRST, n=N),
        ),
        asked(
            "engines",
            rated(
                "engines.csv",
                lambda rf, lr: {"book_id": [*range(N)] * 2, "engine": BOTH, "chrF": [*rf, *lr]},
            ),
            "every book comes twice",
            leads("--models", "engine", order=FIRST, n=N),
        ),
        asked(
            "measures-by-query",
            alone(
                "by_query.csv",
                lambda rng: {
                    "query": range(60),
                    **{name: rounded(rng.uniform(0, 1, 60)) for name in ("ndcg", "map", "mrr")},
                },
            ),
            "three measures of one model",
            knows=("--measure", "ndcg"),
        ),
        asked(
            "chances-of-ham",
            drawn("ham.csv", of_ham),
            "the only probabilities are of ham",
            leads("--positive", "ham", order=FIRST, n=N),
        ),
    ]


def _scores() -> list[Case]:
    known = ("adult", "bank", "wine", "zoo", "letter", "vowel", "iris")
    about = ("age", "income", "region", "height", "salary", "bmi", "segment", "diabetes", "glucose")
    more = ("education", "marital_status", "alcohol", "insurance", "urban")
    steps = {"step": [*range(60)] * 2, "model": ["rf"] * 60 + ["lr"] * 60}
    return [
        asked(
            "harness-table",
            alone(
                "harness.csv",
                lambda rng: {
                    "Tasks": SETS,
                    "Version": [i % 3 for i in range(20)],
                    "n-shot": [0, 1] * 10,
                    "Metric": ["acc"] * 20,
                    "Value": rounded(rng.uniform(0.5, 0.9, 20)),
                    "Stderr": [0.01] * 20,
                },
            ),
            "one model; neither versions nor shots are models",
        ),
        *(
            asked(
                f"parts-{place}",
                by_part(f"parts_{place}.csv", parts, **{place: cells}),
                "scores on training or validation data are not to be averaged with those of the test",
                leads("--where", "phase=test", order=FIRST, unit=place, n=len(cells)),
            )
            for place, parts, cells in (
                ("seed", ("val", "test"), range(16)),
                ("dataset", ("train", "test"), SETS),
            )
        ),
        certain(
            "described-data-sets",
            in_rows("described_sets.csv", known + about),
            FIRST,
            "a model has no income and no segment: they are data sets",
            "dataset",
            options=ACCURACY,
            n=16,
        ),
        asked(
            "data-sets-like-costs",
            in_rows("cost_sets.csv", about + more),
            "costs or data sets",
            leads("--models-in-rows", order=FIRST, unit="dataset", n=14),
            options=ACCURACY,
        ),
        asked(
            "settings-alone",
            alone(
                "settings.csv",
                lambda rng: {
                    "lr": rounded(rng.uniform(0, 0.1, 30)),
                    "dropout": rounded(rng.uniform(0, 0.5, 30)),
                    "weight_decay": rounded(rng.uniform(0, 0.1, 30)),
                    "val_acc": rounded(rng.uniform(0.7, 0.9, 30)),
                },
            ),
            "settings are no models",
        ),
        *(
            asked(
                f"long-{name}",
                alone(
                    f"long_{name}.csv",
                    lambda rng, name=name: {
                        name: steps["step"],
                        "model": steps["model"],
                        "accuracy": [
                            *rounded(0.8 + rng.normal(0, 0.01, 60)),
                            *rounded(rng.normal(0.7, 0.01, 60)),
                        ],
                    },
                ),
                "more of them would make any difference significant",
            )
            for name in ("step", "bootstrap_rep")
        ),
        certain(
            "seeds-called-s",
            table(
                "s_columns.csv",
                lambda s: {
                    f"{n}_s{k}": rounded(np.asarray(s[n]) + k / 1000) for n in s for k in (0, 1, 2)
                },
            ),
            FIRST,
            "three seeds of each model",
            "dataset",
            options=ACCURACY,
            n=20,
        ),
        certain(
            "accuracy-and-time",
            sheet(
                "acc_time.csv",
                lambda _, s: csv_text(
                    {
                        "dataset": SETS * 2,
                        "method": ["rf"] * 20 + ["lr"] * 20,
                        "accuracy": [v for of in s.values() for v in of],
                        "train_time_s": rounded(np.linspace(1, 9, 40)),
                    }
                ),
            ),
            FIRST,
            "of a score and its time the score counts",
            "dataset",
            n=20,
        ),
    ]


CASES: list[Case] = [*_items(), *_scores()]
