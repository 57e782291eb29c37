"""What others brought by data set: sheets with titles and feet, a model and a measure in one name, failures."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, leads
from tests.door.draw import (
    csv_text,
    generator,
    rounded,
    scores_by_set,
)
from tests.door.tables import ACCURACY

FIRST = (("rf", "lr"),)
SETS = [f"set{i}" for i in range(20)]
BY_SET: Mapping[str, Any] = {"unit": "dataset", "options": ACCURACY, "n": 20}
Drawn = tuple[str | Mapping[str, Any], Goodness]


def drawn(file: str, make: Callable[[np.random.Generator], Drawn]) -> Scene:
    """One file, of columns or of text, drawn from a seed that is its name."""

    def written(folder: Path) -> Goodness:
        content, good = make(generator(file))
        text = content if isinstance(content, str) else csv_text(content)
        (folder / file).write_text(text, encoding="utf-8")
        return good

    return Scene((file,), written)


def sheet(file: str, change: Callable[[str, Mapping[str, Any]], str], sign: int = 1) -> Scene:
    """Scores on 20 data sets, their text changed as spreadsheets and papers do."""

    def make(rng: np.random.Generator) -> Drawn:
        scores = scores_by_set(rng, 20, {"rf": 0.0, "lr": 0.045})
        good = {name: sign * np.asarray(values) for name, values in scores.items()}
        return change(csv_text({"dataset": SETS, **scores}), scores), good

    return drawn(file, make)


def table(
    file: str, columns: Callable[[Mapping[str, Any]], Mapping[str, Any]], sign: int = 1
) -> Scene:
    """Scores on 20 data sets in other columns than one of each model."""
    return sheet(file, lambda _, scores: csv_text({"dataset": SETS, **columns(scores)}), sign)


def _sheets() -> list[Case]:
    def means(scores: Mapping[str, Any]) -> str:
        return ",".join(f"{np.mean(values):.3f}" for values in scores.values())

    def rows(text: str) -> str:
        return text.split("\n", 1)[1]

    changes: dict[str, tuple[Callable[[str, Mapping[str, Any]], str], str]] = {
        "title": (lambda t, _: f"Table 3. Accuracy on UCI\n{t}", "a line above names the table"),
        "title-cells": (lambda t, _: f"Table 3,,\n{t}", "a title in the first of three cells"),
        "title-blank": (lambda t, _: f"Results\n\n{t}", "a title and an empty line"),
        "comments": (lambda t, _: f"# run.py\n# 2024\n{t}", "lines of remarks above"),
        "merged": (lambda t, _: f",Accuracy,\n{t}", "one cell above two columns"),
        "units": (lambda t, _: f"dataset,rf,lr\n,(%),(%)\n{rows(t)}", "units below the names"),
        "note": (lambda t, _: f"{t}Note: means of 5 runs\n", "a remark at the foot"),
        "markdown": (
            lambda t, _: "\n".join(
                f"| {line.replace(',', ' | ')} |"
                for line in t.strip().replace("lr\n", "lr\n---,---,---\n").split("\n")
            ),
            "a table of a read-me",
        ),
        "mean-unnamed": (
            lambda t, s: f"{t},{means(s)}\n",
            "the last row is the mean of the others",
        ),
        "mean-named": (lambda t, s: f"{t}Mean over all,{means(s)}\n", "a mean under another name"),
        "foot": (lambda t, s: f"{t}Avg. acc.,{means(s)}\nW/T/L,-,20/0/0\n", "two rows sum it up"),
    }
    return [
        certain(f"sheet-{name}", sheet(f"sheet_{name}.csv", change), FIRST, why, **BY_SET)
        for name, (change, why) in changes.items()
    ]


def _cells() -> list[Case]:
    """Columns of a model and a measure, of what follows from others, and of failures."""

    def failed(value: float) -> Scene:
        return table(
            f"failed{value:g}.csv",
            lambda s: {**s, "lr": [value if i in (3, 11) else v for i, v in enumerate(s["lr"])]},
        )

    timed = table(
        "timed.csv",
        lambda s: {
            **{f"{name}_acc": values for name, values in s.items()},
            **{f"{name}_time": rounded(np.asarray(values) * 9) for name, values in s.items()},
        },
    )
    ranks = drawn(
        "ranks.csv",
        lambda rng: (
            {"dataset": SETS, "rf": [1] * 17 + [2] * 3, "lr": [2] * 17 + [1] * 3, "nb": [3] * 20},
            {},
        ),
    )
    why = "-1 is no accuracy: the run failed"
    complete = leads("--missing", "complete", order=FIRST, unit="dataset")
    rest: dict[str, Any] = {"unit": "dataset", "n": 20}
    return [
        certain(
            "cells-suffix",
            table("cells_suffix.csv", lambda s: {f"{n}_acc": v for n, v in s.items()}),
            FIRST,
            "the accuracy of rf, the accuracy of lr",
            **rest,
        ),
        certain(
            "cells-prefix",
            table("cells_prefix.csv", lambda s: {f"rmse_{n}": v for n, v in s.items()}, -1),
            (("lr", "rf"),),
            "an error of each model",
            **rest,
        ),
        asked(
            "cells-measures",
            timed,
            "accuracy or time",
            leads("--measure", "acc", order=FIRST, **rest),
        ),
        certain("cells-measured", timed, FIRST, "the accuracy is told", **BY_SET),
        certain(
            "derived-best",
            table(
                "derived.csv",
                lambda s: {
                    **s,
                    "best": [max(pair) for pair in zip(*s.values(), strict=True)],
                    "diff": rounded(np.subtract(*map(np.asarray, s.values()))),
                },
            ),
            FIRST,
            "the best and the difference follow from the others",
            **BY_SET,
        ),
        asked("failed-one", failed(-1), why, complete, options=ACCURACY),
        asked("failed-999", failed(-999), why, complete, options=ACCURACY),
        asked(
            "ranks-told",
            ranks,
            "ranks are no accuracies",
            leads("--lower-is-better", order=(), models=("rf", "lr", "nb"), unit="dataset"),
            options=ACCURACY,
        ),
        asked(
            "rows-dataset",
            sheet(
                "rows_dataset.csv",
                lambda _, s: csv_text(
                    {
                        "dataset": ["random forest", "logistic regression"],
                        **{f"set{i}": [v[i] for v in s.values()] for i in range(20)},
                    }
                ),
            ),
            "the rows are models although the first cell says dataset",
            leads(
                "--models-in-rows",
                order=(),
                models=("random forest", "logistic regression"),
                unit="dataset",
            ),
            options=ACCURACY,
        ),
    ]


CASES = [*_sheets(), *_cells()]
