"""Scores, probabilities and values beside a truth."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, defensible
from tests.door.draw import generator, placements, rounded, write

AUC = ("--measure", "roc_auc")
AR = (("ai", "reader"),)


def scored(
    file: str,
    *,
    truth: str = "truth",
    header: str = "id",
    classes: Sequence[Any] = (0, 1),
    ai: Any = lambda x: 1 / (1 + np.exp(-x)),
    reader: Any = lambda x: 1 / (1 + np.exp(-x)),
    beside: Any = None,
    n: int = 200,
) -> Scene:
    """Two models' scores of the second class; the first model separates it better."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        sick = rng.permutation(n) < n // 2
        scores = {
            "ai": rounded(ai(rng.normal(0, 1, n) + np.where(sick, 1.2, -1.2)), 4),
            "reader": rounded(reader(rng.normal(0, 1, n) + np.where(sick, 0.2, -0.2)), 4),
        }
        columns = {header: range(1, n + 1), truth: np.asarray(classes)[sick.astype(int)], **scores}
        write(
            folder / file,
            {**columns, **{name: column(rng, n) for name, column in (beside or {}).items()}},
        )
        return placements(sick, **scores)

    return Scene((file,), make)


def chances(
    file: str, classes: Sequence[str], form: str, models: dict[str, float], *, n: int = 200
) -> Scene:
    """Probabilities of each class; goodness is the logarithm of the probability of the truth."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        codes = rng.integers(0, len(classes), n)
        columns: dict[str, Any] = {"id": range(n), "truth": np.asarray(classes)[codes]}
        good = {}
        for model, strength in models.items():
            weight = rng.normal(0, 1, (n, len(classes))) + strength * (
                codes[:, None] == range(len(classes))
            )
            share = np.exp(weight) / np.exp(weight).sum(axis=1, keepdims=True)
            share = share.round(4)
            share[:, -1] = (1 - share[:, :-1].sum(axis=1)).round(4)
            for place, name in enumerate(classes):
                columns[form.format(model=model, of=name)] = rounded(share[:, place], 4)
            good[model] = np.log(np.maximum(share[np.arange(n), codes], 1e-4))
        write(folder / file, columns)
        return good

    return Scene((file,), make)


def valued(
    file: str,
    *,
    truth: str = "y_true",
    header: str = "id",
    whole: bool = False,
    beside: Any = None,
    n: int = 150,
    models: tuple[str, str] = ("a", "b"),
    before: Any = None,
) -> Scene:
    """Numbers that were predicted; the first model errs less."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        right = rng.integers(20, 90, n) if whole else rng.normal(50, 15, n).round(2)
        guesses = {
            name: right + rng.normal(0, spread, n)
            for name, spread in zip(models, (2, 7), strict=True)
        }
        shown = {
            name: column.round(0).astype(int) if whole else column.round(2)
            for name, column in guesses.items()
        }
        columns = {header: range(n), **(before or {}), truth: right, **shown}
        write(
            folder / file,
            {**columns, **{name: column(rng, n) for name, column in (beside or {}).items()}},
        )
        return {name: -np.abs(column - right) for name, column in shown.items()}

    return Scene((file,), make)


def _scores() -> list[Case]:
    percent: dict[str, Any] = {"reader": lambda x: 100 / (1 + np.exp(-x))}
    plain = scored("scores.csv")
    spam = scored("spam_scores.csv", classes=("ham", "spam"))
    ages = {"age": lambda rng, n: rng.integers(20, 90, n)}
    return [
        certain("scores-auc", plain, AR, "scores of 0 and 1 and the measure is told", options=AUC),
        defensible("scores-plain", plain, AR, "scores of 0 and 1; AUC is the usual measure", AUC),
        defensible(
            "scores-disease",
            scored("scores_disease.csv", truth="disease", header="patient", beside=ages),
            AR,
            "disease is the truth to a reader; the number and age of a patient are no scores",
            ("--truth", "disease", "--models", "ai,reader", *AUC),
            ("--truth", "disease", "--ignore", "patient,age", *AUC),
        ),
        certain(
            "scores-told",
            scored("scores_told.csv", truth="disease", header="patient"),
            AR,
            "everything is told",
            options=("--truth", "disease", "--ignore", "patient", *AUC),
        ),
        asked(
            "scores-positive",
            spam,
            "nobody said of which class these are scores",
            _remedy("--positive", "spam"),
            options=AUC,
        ),
        asked(
            "scores-positive-ap",
            spam,
            "average precision of which class is not told",
            _remedy("--positive", "spam"),
            options=("--measure", "average_precision"),
        ),
        certain(
            "scores-yes",
            scored("scores_yes.csv", classes=("no", "yes")),
            AR,
            "scores of yes",
            options=AUC,
        ),
        defensible(
            "scores-ranges",
            scored("scores_ranges.csv", reader=lambda x: 3 * x),
            AR,
            "AUC sees ranks only, so two ranges do no harm",
            ("--models", "ai,reader"),
            options=AUC,
        ),
        asked(
            "scores-percent",
            scored("scores_percent.csv", **percent),
            "probabilities in per cent beside fractions",
            options=("--measure", "brier"),
        ),
        defensible(
            "scores-suffix",
            _renamed("scores_suffix.csv"),
            (("ai_score", "reader_score"),),
            "columns that end in _score hold scores",
            AUC,
        ),
    ]


def _remedy(*options: str) -> Any:
    from tests.door.case import leads

    return leads(*options, order=AR)


def _renamed(file: str) -> Scene:
    source = scored(file)

    def make(folder: Path) -> Goodness:
        good = source.make(folder)
        text = (folder / file).read_text(encoding="utf-8")
        (folder / file).write_text(
            text.replace(",ai,reader", ",ai_score,reader_score", 1), encoding="utf-8"
        )
        return {f"{name}_score": values for name, values in good.items()}

    return Scene((file,), make)


def _probabilities() -> list[Case]:
    one = {"m": 2.0}
    two = {"net": 2.5, "stump": 0.5}
    ns = (("net", "stump"),)
    of_two = chances("p_two.csv", ("cat", "dog", "owl"), "{model}_p_{of}", two)
    return [
        defensible(
            "chances-prob",
            chances("prob_01.csv", ("0", "1"), "prob_{of}", one),
            (),
            "two columns of one model",
            models=None,
        ),
        defensible(
            "chances-p",
            chances("p_cat.csv", ("cat", "dog"), "p_{of}", one),
            (),
            "two columns of one model",
            models=None,
        ),
        defensible(
            "chances-proba",
            chances("proba_a.csv", ("A", "B", "C"), "proba_{of}", one),
            (),
            "three columns of one model",
            models=None,
        ),
        certain(
            "chances-two",
            of_two,
            ns,
            "probabilities of three classes of two models",
            options=("--measure", "log_loss"),
        ),
        defensible(
            "chances-two-plain",
            of_two,
            ns,
            "probabilities of two models; which measure is open",
            ("--measure", "log_loss"),
        ),
        defensible(
            "chances-two-accuracy",
            of_two,
            ns,
            "the most probable class is the label",
            options=("--measure", "accuracy"),
        ),
    ]


def _values() -> list[Case]:
    ab, rf = (("a", "b"),), (("forest", "ridge"),)
    homes = {
        "sqft": lambda rng, n: rng.integers(400, 4000, n),
        "bedrooms": lambda rng, n: rng.integers(1, 6, n),
    }
    days = {"date": [str(np.datetime64("2024-01-01") + day) for day in range(150)]}
    integers = valued("integers.csv", whole=True)
    return [
        certain(
            "values-mae",
            valued("values.csv"),
            ab,
            "numbers beside a true number",
            options=("--measure", "mae"),
        ),
        certain(
            "values-whole-mae",
            integers,
            ab,
            "whole numbers, and a measure of numbers",
            options=("--measure", "mae"),
        ),
        defensible(
            "values-whole",
            integers,
            ab,
            "whole numbers may be classes, though seventy of them are not",
            ("--measure", "mae"),
        ),
        defensible(
            "values-price",
            valued(
                "prices.csv",
                truth="price",
                header="house",
                models=("forest", "ridge"),
                beside=homes,
            ),
            rf,
            "price is the truth to a reader; sqft is on another scale",
            ("--truth", "price", "--models", "forest,ridge"),
            options=("--measure", "mae"),
            knows=("--ignore", "sqft,bedrooms", "--id", "house"),
        ),
        defensible(
            "values-dates",
            valued(
                "forecast.csv",
                truth="actual",
                header="Unnamed: 0",
                before=days,
                models=("arima", "naive"),
            ),
            (("arima", "naive"),),
            "days in turn are not quite independent, but the difference is clear",
            ("--ignore", "date"),
            ("--id", "date"),
            options=("--measure", "mae"),
        ),
        defensible(
            "values-plain",
            valued("values_plain.csv"),
            ab,
            "a true number; which error is open",
            ("--measure", "rmse"),
        ),
    ]


CASES = [*_scores(), *_probabilities(), *_values()]
