"""What guests bring: models called as descriptions are, names nobody has heard of, merged cells, runs of trackers."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, Scene, agreement, asked, certain, leads
from tests.door.draw import csv_text, outcomes, placements, rounded, scores_by_set, spoilt
from tests.door.exported import Files, brought
from tests.door.tables import ACCURACY

ANIMALS = ("cat", "dog", "fox")
CALLED = (("fusion", "image", "text"), ("soft", "stacking", "hard"), ("stacked", "bagged", "single"),
          ("large", "medium", "size"), ("item", "popular", "user"))  # fmt: skip
"""Models, the best first, of which the last is called as descriptions of items are."""
Three = tuple[str, str, str]


def pairs(names: Three) -> tuple[tuple[str, str], ...]:
    return (names[0], names[1]), (names[0], names[2]), (names[1], names[2])


def predicted(names: Three, classes: Sequence[Any]) -> Scene:
    """Labels of 240 items by three models."""

    def make(rng: np.random.Generator) -> Drawn:
        truth = np.asarray(classes)[rng.integers(0, len(classes), N)]
        rates = zip(names, (0.03, 0.15, 0.32), strict=True)
        said = {name: spoilt(rng, truth, rate, classes) for name, rate in rates}
        return {"id": range(N), "label": truth, **said}, agreement(truth, **said)

    return drawn(f"{names[2]}_{len(classes)}.csv", make)


def scored(names: Three) -> Scene:
    """Probabilities of 240 items by three models."""

    def make(rng: np.random.Generator) -> Drawn:
        truth = np.arange(N) % 2
        gaps = zip(names, (3.0, 1.2, 0.6), strict=True)
        said = {n: 1 / (1 + np.exp(rng.normal(0, 1.2, N) - g * (2 * truth - 1))) for n, g in gaps}
        cells = {name: rounded(of, 4) for name, of in said.items()}
        return {"id": range(N), "y_true": truth, **cells}, placements(truth, **cells)

    return drawn(f"{names[2]}_scores.csv", make)


def by_set(names: Three) -> Scene:
    def make(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, 20, dict(zip(names, (0.0, 0.03, 0.08), strict=True)))
        return {"dataset": SETS, **scores}, {n: np.asarray(of) for n, of in scores.items()}

    return drawn(f"{names[2]}_sets.csv", make)


def _called() -> list[Case]:
    why = "text may be what an item holds, or the model that reads it"
    found = []
    for names in CALLED:
        told = ("--models", ",".join(names))
        of_items = leads(*told, order=pairs(names), n=N)
        found += [
            asked(f"items-called-{names[2]}", predicted(names, ANIMALS), why, of_items),
            asked(f"classes-called-{names[2]}", predicted(names, (0, 1)), why, of_items),
            asked(
                f"sets-called-{names[2]}", by_set(names), why,
                leads(*told, order=pairs(names), unit="dataset", n=20), options=ACCURACY,
            ),
        ]  # fmt: skip
    fusion = CALLED[0]
    order = ((fusion[0], fusion[1]), (fusion[0], fusion[2]))
    return [
        *found,
        asked(
            "scores-called-text", scored(fusion), why,
            leads("--models", ",".join(fusion), order=order, models=fusion, n=N),
            options=("--measure", "roc_auc"),
        ),
    ]  # fmt: skip


def unheard(beside: Callable[[Any], Mapping[str, Any]], n: int = 20) -> Scene:
    """Scores of models with names that nobody knows, beside a column that nobody explains."""

    def make(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, n, {"MOEA": 0.0, "CART": 0.045})
        sets = [f"set{i}" for i in range(n)]
        first = beside(np.asarray(scores["MOEA"]))
        good = {name: np.asarray(of) for name, of in scores.items()}
        return {**first, "dataset": sets, **scores}, good

    return drawn("unheard.csv", make)


def _unheard() -> list[Case]:
    order = (("MOEA", "CART"),)
    higher = ("--higher-is-better",)

    def farms(scores: Any) -> Mapping[str, Any]:
        return {"Betriebe": [1000 + 937 * i % 9001 for i in range(len(scores))]}

    def grown(scores: Any) -> Mapping[str, Any]:
        return {"Merkmale": np.round(400 * scores).astype(int).tolist()}

    whys = {
        "farms": (farms, "Betriebe", 20, "thousands hide no model as a rounding of the others"),
        "few-farms": (farms, "Betriebe", 9, "thousands beside fractions are no scores"),
        "features": (grown, "Merkmale", 20, "they go with the scores, and are none"),
    }
    found = [
        asked(
            f"unheard-{name}", unheard(beside, n), why,
            leads("--ignore", column, order=order if n > 9 else (), models=("MOEA", "CART"), unit="dataset", n=n),
            options=higher,
        )
        for name, (beside, column, n, why) in whys.items()
    ]  # fmt: skip
    return [
        *found,
        certain(
            "unheard-index", unheard(lambda s: {"X": range(1, len(s) + 1)}), order, "R numbers the rows",
            unit="dataset", n=20, options=ACCURACY, models=("MOEA", "CART"),
        ),
        certain(
            "thousands-beside", unheard(lambda s: {"n": [f"{1000 + 111 * i:,}" for i in range(len(s))]}), order,
            "whatever 1,111 items are, they are no scores", unit="dataset", n=20, options=ACCURACY,
        ),
    ]  # fmt: skip


def _tracked(**beside: Any) -> Scene:
    """Twelve runs of each model, as trackers of experiments list them."""

    def make(rng: np.random.Generator) -> Drawn:
        good = {
            "rf": rounded(0.9 + rng.normal(0, 0.004, 12)),
            "lr": rounded(0.8 + rng.normal(0, 0.004, 12)),
        }
        cells = {"model": ["rf"] * 12 + ["lr"] * 12, "seed": [*range(12)] * 2}
        values = {"accuracy": [x for of in good.values() for x in of]}
        return {**beside, **cells, **values}, {name: np.asarray(of) for name, of in good.items()}

    return drawn(f"{'_'.join(beside)}.csv", make)


def _runs() -> list[Case]:
    why = "an id of each run names no item"
    jobs = [f"j{i}" for i in range(24)]
    learners = sheet("learners.csv", lambda _, scores: csv_text({
        "task_id": SETS * 2, "learner_id": ["rf"] * 20 + ["lr"] * 20,
        "classif.acc": [x for of in scores.values() for x in of],
    }))  # fmt: skip
    seeds: dict[str, Any] = {"unit": "seed", "n": 12}
    return [
        certain("runs-of-jobs", _tracked(job_id=jobs), FIRST, why, **seeds),
        certain("runs-of-one-experiment", _tracked(experiment_id=["0"] * 24), FIRST, why, **seeds),
        asked(
            "learners-by-task", learners, "an accuracy of 0.83 is of many items, so a task is none",
            leads("--unit", "dataset", order=FIRST, unit="dataset", n=20),
        ),
    ]  # fmt: skip


def _below(names: Sequence[str], cells: Sequence[Any]) -> str:
    """Rows one below the other, the first cell of each block alone filled."""
    rows = (
        "".join(f"{d if k == 0 else ''},{names[k]},{x}\n" for k, x in enumerate(of))
        for d, of in cells
    )
    return "".join(rows)


def _written() -> list[Case]:
    def merged(_: str, scores: Mapping[str, Any]) -> str:
        cells = zip(SETS, zip(*scores.values(), strict=True), strict=True)
        return "dataset,model,accuracy\n" + _below([*scores], [*cells])

    def by_model(_: str, scores: Mapping[str, Any]) -> str:
        rows = [(m if i == 0 else "", d, x) for m, of in scores.items()
                for i, (d, x) in enumerate(zip(SETS, of, strict=True))]  # fmt: skip
        return csv_text(
            dict(zip(("model", "dataset", "accuracy"), zip(*rows, strict=True), strict=True))
        )

    def spanned(_: str, scores: Mapping[str, Any]) -> str:
        rows = "".join(
            rf"\multirow{{2}}{{*}}{{{d}}} & rf & {a} \\" f"\n & lr & {b} \\\\\n\\midrule\n"
            for d, a, b in zip(SETS, *scores.values(), strict=True)
        )
        return (
            "\\begin{tabular}{llc}\nDataset & Method & Acc \\\\\n\\midrule\n"
            + rows
            + "\\end{tabular}\n"
        )

    def twice(text: str, _: Mapping[str, Any]) -> str:
        head, rows = text.split("\n", 1)
        lines = rows.splitlines(keepends=True)
        return "".join([head, "\n", *lines[:10], head, "\n", *lines[10:]])

    def arrows(_: str, scores: Mapping[str, Any]) -> str:
        return csv_text(
            {
                "dataset": SETS,
                "rf": [f"{x} ↑" for x in scores["rf"]],
                "lr": [f"{x} ↓" for x in scores["lr"]],
            }
        )

    plainly: dict[str, Any] = {"unit": "dataset", "n": 20}
    return [
        certain("merged-sets", sheet("merged.csv", merged), FIRST, "one cell for two rows", **plainly),
        certain("merged-models", sheet("by_model.csv", by_model), FIRST, "one cell for many rows", **plainly),
        certain("merged-latex", sheet("merged.tex", spanned), FIRST, "one cell for two rows", **plainly),
        certain("header-again", sheet("twice.csv", twice), FIRST, "two files put together", **BY_SET),
        certain("arrows-behind", sheet("arrows.csv", arrows), FIRST, "up and down from a year ago", **BY_SET),
    ]  # fmt: skip


def _series(name: str, headed: bool) -> Scene:
    """Three files of one column each, as pandas and numpy write them."""
    suffix = "csv" if headed else "txt"

    def make(rng: np.random.Generator) -> tuple[Files, Any]:
        truth = rng.integers(0, 2, N)
        said = {"rf": spoilt(rng, truth, 0.06, (0, 1)), "lr": spoilt(rng, truth, 0.25, (0, 1))}
        columns = {"y_true": truth, **said}
        files = {
            f"{one}.{suffix}": csv_text({"": range(N), "0": of})
            if headed
            else "".join(f"{x}\n" for x in of)
            for one, of in columns.items()
        }
        return files, agreement(truth, **said)

    return brought(name, make, *(f"{one}.{suffix}" for one in ("y_true", "rf", "lr")))


def _others() -> list[Case]:
    def nested(truth: Any, rf: Any, lr: Any) -> str:
        return json.dumps({"y_true": truth, "predictions": {"rf": rf, "lr": lr}})

    def ticked(rng: np.random.Generator) -> Drawn:
        good = {"rf": outcomes(rng, N, 0.92), "lr": outcomes(rng, N, 0.7)}
        marks = {name: [("✖️", "✔️")[x] for x in of] for name, of in good.items()}
        return {"question": range(N), **marks}, good

    def logits(rng: np.random.Generator) -> Drawn:
        truth = np.arange(N) % 2
        said = {
            n: rounded(g * truth + rng.normal(0, 1, N) - 1)
            for n, g in (("rf_logit", 3), ("lr_logit", 1))
        }
        return {"id": range(N), "label": truth, **said}, placements(
            truth, rf=said["rf_logit"], lr=said["lr_logit"]
        )

    def glue(rng: np.random.Generator) -> Drawn:
        columns = ("CoLA (Mcc)", "SST-2 (Acc)", "MRPC (F1)", "STS-B (Pearson)", "QQP (F1)", "MNLI (Acc)",
                   "QNLI (Acc)", "RTE (Acc)", "WNLI (Acc)", "AX (Mcc)", "BoolQ (Acc)", "CB (F1)")  # fmt: skip
        scores = scores_by_set(rng, len(columns), {"rf": 0.0, "lr": 0.08})
        cells = dict(zip(columns, zip(*scores.values(), strict=True), strict=True))
        return {"Model": list(scores), **cells}, {n: np.asarray(of) for n, of in scores.items()}

    def paired(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, 20, {"Zorro": 0.0, "Quill": 0.05})
        cells = {f"{m}_{n}": [round(x - less, 3) for x in of] for n, of in scores.items()
                 for m, less in (("acc", 0.0), ("f1", 0.1))}  # fmt: skip
        return {"dataset": SETS, **cells}, {name: np.asarray(of) for name, of in scores.items()}

    def related(_: np.random.Generator) -> Drawn:
        cells = {
            "": ["rf", "lr", "nb"],
            "rf": [1, 0.5, 0.4],
            "lr": [0.5, 1, 0.3],
            "nb": [0.4, 0.3, 1],
        }
        return cells, {}

    zorro = (("Zorro", "Quill"),)
    return [
        certain("series-of-pandas", _series("series", headed=True), FIRST, "y_true.csv has the truth", n=N),
        asked(
            "columns-of-numpy", _series("saved", headed=False), "nothing names a column",
            leads("--names", "y", "--by-position", "--truth", "y_true", order=FIRST, n=N),
        ),
        certain("lists-in-an-object", items("nested.json", nested, ANIMALS), FIRST, "lists by model", n=N),
        certain("heavy-ticks", drawn("ticks.csv", ticked), FIRST, "a tick is right", n=N),
        asked(
            "brier-of-logits", drawn("logits.csv", logits), "a logit is no probability",
            options=("--measure", "brier"),
        ),
        asked(
            "measure-in-brackets", drawn("glue.csv", glue), "data sets with a measure each, or measures",
            leads("--models-in-rows", "--higher-is-better", order=FIRST, unit="dataset", n=12),
        ),
        asked(
            "measures-of-unheard", drawn("paired.csv", paired), "Zorro and Quill may be classes",
            leads("--models", "Zorro,Quill", "--measure", "acc", order=zorro, unit="dataset", n=20),
            leads("--models", "Zorro,Quill", "--measure", "f1", order=zorro, unit="dataset", n=20),
        ),
        asked("correlations-of-models", drawn("related.csv", related), "they do not say who is good"),
    ]  # fmt: skip


def _answers() -> list[Case]:
    def again(name: str) -> Scene:
        return items(
            f"{name}.csv",
            lambda t, a, b: {
                "id": range(N),
                "label": t,
                name: [*t[:200], *b[200:]],
                "Zorro": a,
                "Quill": b,
            },
            ANIMALS,
        )

    def renamed(scene: Scene, *names: str) -> Scene:
        def make(folder: Any) -> Any:
            return dict(zip(names, scene.make(folder).values(), strict=True))

        return Scene(scene.files, make)

    def guesses(t: Any, a: Any, b: Any) -> Mapping[str, Any]:
        later = [ANIMALS[(ANIMALS.index(x) + 1) % 3] for x in a]
        return {
            "id": range(N),
            "label": t,
            "rf_top1": a,
            "rf_top2": later,
            "lr_top1": b,
            "lr_top2": later,
        }

    def lead(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, 20, {"Brass": 0.09, "Quill": 0.05, "Zorro": 0.0})
        more = np.subtract(scores["Zorro"], scores["Quill"])
        return {"dataset": SETS, **scores, "Vorsprung": rounded(more)}, {
            n: np.asarray(of) for n, of in scores.items()
        }

    def out_of_fold(rng: np.random.Generator) -> Drawn:
        truth = np.arange(N) % 2 ^ (rng.random(N) < 0.1)
        said = {
            n: rounded(truth * g + rng.random(N) * (1 - g))
            for n, g in (("lgbm_oof", 0.5), ("xgb_oof", 0.1))
        }
        return {
            "PassengerId": range(892, 892 + N),
            "Survived": truth,
            **said,
            "fold": np.arange(N) % 5,
        }, placements(truth, **said)

    order = (("Zorro", "Quill"),)
    why = "a second label may be another person's"
    return [
        asked("second-label-v2", renamed(again("label_v2"), "Zorro", "Quill"), why,
              leads("--ignore", "label_v2", order=order, n=N)),
        asked("out-of-fold", drawn("oof.csv", out_of_fold), "each row is an item with the fold it was tested in",
              leads("--truth", "Survived", "--unit", "item", order=(("lgbm_oof", "xgb_oof"),), n=N),
              leads("--truth", "Survived", order=(), models=("lgbm_oof", "xgb_oof"), unit="fold", n=5)),
        *(
            asked(f"second-{name}", renamed(again(name), "Zorro", "Quill"), why,
                  leads("--ignore", name, order=order, n=N))
            for name in ("label2", "previous_label")
        ),
        certain("later-guesses", renamed(items("guesses.csv", guesses, ANIMALS), "rf_top1", "lr_top1"),
                (("rf_top1", "lr_top1"),),
                "the second guess is of the same model", n=N),
        certain("difference-unheard", drawn("lead.csv", lead), pairs(("Zorro", "Quill", "Brass")),
                "Vorsprung is a difference, and what it is of are models", unit="dataset", n=20, options=ACCURACY),
    ]  # fmt: skip


CASES: list[Case] = [*_answers(), *_called(), *_unheard(), *_runs(), *_written(), *_others()]
