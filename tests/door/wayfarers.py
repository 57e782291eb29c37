"""What outsiders of November brought: one class in two spellings, parts that are OK, a column called model."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from tests.door.brought import BY_SET, FIRST, SETS, Drawn, drawn, sheet
from tests.door.brought_items import N, items
from tests.door.case import Case, asked, certain, defensible, leads
from tests.door.draw import csv_text, placements, rounded, scores_by_set

IDS: Mapping[str, Any] = {"id": range(N)}


def _inspected(file: str, truth: str, words: tuple[str, str]) -> Case:
    return asked(
        f"inspected-{truth}",
        items(file, lambda t, a, b: {"serial": IDS["id"], truth: t, "rf": a, "lr": b}, words),
        "a part that is OK is no right answer",
        leads("--truth", truth, order=FIRST, n=N),
    )


def _markers(rng: np.random.Generator) -> Drawn:
    """Two markers of cases and controls."""
    ill = np.arange(N) % 2
    rf, lr = (rounded(ill * gap + rng.normal(0, 1, N)) for gap in (3, 0.8))
    group = np.where(ill, "case", "control")
    return {"subject": IDS["id"], "group": group, "rf": rf, "lr": lr}, placements(ill, rf=rf, lr=lr)


def _measured(rng: np.random.Generator) -> Drawn:
    """What sensors read, with a row of units, one of which is that of time."""
    true = np.round(rng.normal(80, 5, N), 1)
    rf, lr = (np.round(true + rng.normal(0, sd, N), 1) for sd in (0.3, 2))
    text = csv_text({"time": IDS["id"], "y_true": true, "rf": rf, "lr": lr})
    good = {"rf": -np.abs(rf - true), "lr": -np.abs(lr - true)}
    return text.replace("\n", "\ns,°C,°C,°C\n", 1), good


def _best(rng: np.random.Generator) -> Drawn:
    scores = scores_by_set(rng, 20, {"rf_mean": 0.0, "lr_mean": 0.05})
    good = {name: np.asarray(of) for name, of in scores.items()}
    best = {name.replace("mean", "best"): np.round(of + 0.02, 3) for name, of in good.items()}
    return {"dataset": SETS, **good, **best}, good


def _items() -> list[Case]:
    def spelt(t: Any, rf: Any, lr: Any) -> Any:
        return {**IDS, "label": t, "rf": [x.replace("bird", "Birds") for x in rf], "lr": lr}

    def bets(t: Any, rf: Any, lr: Any) -> Any:
        return {"match": range(N), "result": t, "bookmaker": lr, "model": rf}

    matched = items("matches.csv", bets, ("H", "D", "A"))
    return [
        asked(
            "class-in-two-spellings", items("spelt.csv", spelt, ("cat", "dog", "bird")),
            "rf writes Birds for bird: it is not wrong about all of them",
        ),
        _inspected("parts.csv", "master", ("OK", "NOK")),
        _inspected("boards.csv", "inspector", ("pass", "fail")),
        asked(
            "model-beside-bookmaker", matched, "the column called model is one",
            leads("--truth", "result", models=("bookmaker", "model"), order=()),
        ),
        asked(
            "cases-and-controls", drawn("markers.csv", _markers), "a control is a class, no arm of an experiment",
            leads("--truth", "group", "--positive", "case", "--measure", "roc_auc", order=FIRST, n=N),
            knows=("--models", "rf,lr"),
        ),
        defensible("units-of-time", drawn("sensors.csv", _measured), FIRST, "units", ("--measure", "mae"), n=N),
    ]  # fmt: skip


def _sheets() -> list[Case]:
    def one(text: str, scores: Mapping[str, Any]) -> str:
        return text.replace(str(scores["lr"][4]), f"{100 * scores['lr'][4]:.1f}", 1)

    def failed(text: str, scores: Mapping[str, Any]) -> str:
        return text.replace(f"{scores['lr'][2]}\n", "#DIV/0!\n", 1)

    told: dict[str, Any] = {"order": FIRST, "unit": "dataset"}
    options = BY_SET["options"]
    return [
        asked("one-cell-in-per-cent", sheet("cell.csv", one), "0.81 beside 70", options=options),
        certain(
            "best-beside-mean", drawn("best.csv", _best), (("rf_mean", "lr_mean"),), "the best run is no model",
            **BY_SET,
        ),
        asked(
            "division-by-zero", sheet("division.csv", failed), "a failure of the sheet is no score",
            leads("--missing", "complete", **told), options=options,
        ),
        certain("line-ends", sheet("ends.csv", lambda t, _: t.replace("\n", "\r\n", 6)), FIRST, "mixed", **BY_SET),
        certain("sheet-remark", sheet("remark.csv", lambda t, _: f"# 12, May\n{t}"), FIRST, "said", **BY_SET),
    ]  # fmt: skip


CASES = [*_items(), *_sheets()]
