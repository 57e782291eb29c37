"""How scores are written and laid out: decimals, models in rows, long tables, folds and seeds."""

from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, defensible, leads
from tests.door.draw import csv_text, generator, rounded, scores_by_set, write
from tests.door.tables import AB, ACCURACY, GAPS, by_set, by_split, in_rows, long_table


def _numbers() -> list[Case]:
    """How numbers are written."""

    def comma(value: float) -> str:
        return str(value).replace(".", ",")

    def percent(value: float) -> str:
        return f"{100 * value:.1f}%"

    def mixed(folder: Path) -> Goodness:
        scores = scores_by_set(generator("mixed"), 20, GAPS)
        write(
            folder / "mixed.csv",
            {
                "dataset": [f"set{i}" for i in range(20)],
                "alpha": scores["alpha"],
                "beta": rounded(100 * np.asarray(scores["beta"]), 1),
            },
        )
        return {}

    def thousands(file: str, sep: str, form: str) -> Scene:
        def make(folder: Path) -> Goodness:
            rng = generator(file)
            base = rng.uniform(900, 9000, 20)
            times = {"ours": base * rng.uniform(0.7, 0.8, 20), "theirs": base}
            cells = {
                name: [format(value, form) for value in column] for name, column in times.items()
            }
            write(folder / file, {"dataset": [f"set{i}" for i in range(20)], **cells}, sep=sep)
            return {name: -column for name, column in times.items()}

        return Scene((file,), make)

    sure: dict[str, Any] = {"unit": "dataset", "options": ACCURACY, "n": 20}
    ours = (("ours", "theirs"),)
    ambiguous = Scene(("ambiguous.csv",), lambda folder: _ambiguous(folder / "ambiguous.csv"))
    return [
        certain(
            "number-comma",
            by_set("comma.csv", cell=comma, sep=";"),
            AB,
            "0,681 between semicolons is a decimal comma",
            **sure,
        ),
        certain(
            "number-comma-tab",
            by_set("comma.tsv", cell=comma, sep="\t"),
            AB,
            "0,681 between tabs is a decimal comma",
            **sure,
        ),
        certain(
            "number-comma-quoted",
            by_set("comma_quoted.csv", cell=comma, quote=True),
            AB,
            "quoted 0,681 is a decimal comma",
            **sure,
        ),
        certain(
            "number-percent", by_set("percent.csv", cell=percent), AB, "68.1% is a number", **sure
        ),
        certain(
            "number-percent-space",
            by_set("percent_space.csv", cell=lambda v: f"{100 * v:.1f} %"),
            AB,
            "68.1 % is a number",
            **sure,
        ),
        certain(
            "number-hundred",
            by_set("hundred_scale.csv", cell=lambda v: f"{100 * v:.1f}"),
            AB,
            "accuracies in per cent, all of them",
            **sure,
        ),
        asked(
            "number-mixed",
            Scene(("mixed.csv",), mixed),
            "0.81 beside 81: one of the two columns is in per cent",
            options=ACCURACY,
        ),
        certain(
            "number-thousands",
            thousands("thousands.csv", ",", ",.1f"),
            ours,
            "1,234.5 has a comma for thousands",
            "dataset",
            options=("--lower-is-better",),
            n=20,
        ),
        asked(
            "number-ambiguous",
            ambiguous,
            "1,234 between semicolons is 1234 or 1.234",
            options=("--lower-is-better",),
        ),
        defensible(
            "number-spaces",
            by_set("padded.csv", cell=lambda v: f"  {v} "),
            AB,
            "blanks around numbers mean nothing",
            **sure,
        ),
        certain(
            "number-exponent",
            by_set("exponent.csv", cell=lambda v: f"{v:.3e}"),
            AB,
            "6.81e-01 is a number",
            **sure,
        ),
    ]


def _ambiguous(path: Path) -> Goodness:
    """Where 1,234 is read as 1234 the first is worse, where as 1.234 the numbers below 1000 turn it round."""
    cells = [
        ("1,234", "987"),
        ("2,345", "876"),
        ("1,111", "765"),
        ("3,210", "654"),
        ("1,876", "543"),
    ]
    columns = {
        "dataset": [f"set{i}" for i in range(20)],
        "ours": [cells[i % 5][0] for i in range(20)],
        "theirs": [cells[i % 5][1] for i in range(20)],
    }
    path.write_text(csv_text(columns, sep=";"), encoding="utf-8")
    return {}


def _layouts() -> list[Case]:
    """Models in rows, long tables, missing cells."""
    ours = (("ours", "theirs"), ("ours", "random"), ("theirs", "random"))
    rows: dict[str, Any] = {"unit": "dataset", "options": ACCURACY, "n": 16}
    m12 = (("m1", "m2"),)

    def holes(file: str, mark: str) -> Scene:
        def make(folder: Path) -> Goodness:
            scores = scores_by_set(generator(file), 20, GAPS)
            columns = {"dataset": [f"set{i}" for i in range(20)], **scores}
            columns["beta"] = [
                mark if i in (3, 11) else value for i, value in enumerate(scores["beta"])
            ]
            write(folder / file, columns)
            return {name: np.delete(np.asarray(values), [3, 11]) for name, values in scores.items()}

        return Scene((file,), make)

    complete = leads("--missing", "complete", order=AB, unit="dataset")
    why = "a model that failed on two data sets did not do well there: the rule must be told"
    time = {"train_seconds": {"m1": 90, "m2": 12}}
    return [
        *(
            certain(
                f"rows-{name}",
                in_rows(f"rows_{name}.csv", name),
                ours,
                "a row for each model",
                **rows,
            )
            for name in ("method", "model", "Algorithm")
        ),
        defensible(
            "rows-unnamed",
            in_rows("rows_unnamed.csv", ""),
            ours,
            "ours, theirs and random are models, set0 to set15 data sets",
            ("--models-in-rows",),
            **rows,
        ),
        certain(
            "rows-told",
            in_rows("rows_told.csv", "name"),
            ours,
            "the layout is told",
            "dataset",
            options=(*ACCURACY, "--models-in-rows"),
            n=16,
        ),
        defensible(
            "rows-average",
            in_rows("rows_average.csv", "model", average=True),
            ours,
            "the column Average is the mean of the others",
            ("--ignore", "Average"),
            **rows,
        ),
        certain(
            "table-long",
            long_table("long.csv", ("model", "dataset"), measure="accuracy"),
            m12,
            "a row for each model and data set",
            "dataset",
            n=12,
        ),
        certain(
            "table-names",
            long_table("long_names.csv", ("classifier_name", "dataset_name"), measure="accuracy"),
            m12,
            "the names say what they name",
            "dataset",
            n=12,
        ),
        certain(
            "table-error",
            long_table("long_errors.csv", ("method", "dataset"), measure="error", sign=-1),
            m12,
            "an error is better lower",
            "dataset",
            n=12,
        ),
        certain(
            "table-seeds",
            long_table("long_seeds.csv", ("model", "dataset", "seed"), measure="accuracy", seeds=3),
            m12,
            "12 data sets with 3 seeds each, not 36 units",
            "dataset",
            n=12,
        ),
        defensible(
            "table-task",
            long_table("long_task.csv", ("framework", "task", "seed"), measure="auc", seeds=3),
            m12,
            "a task with seeds is a data set",
            ("--unit", "dataset"),
            unit="dataset",
            n=12,
        ),
        defensible(
            "table-time",
            long_table("long_time.csv", ("model", "dataset"), measure="accuracy", also=time),
            m12,
            "accuracy decides; seconds describe",
            ACCURACY,
            unit="dataset",
            n=12,
        ),
        asked("holes-blank", holes("holes_blank.csv", ""), why, complete, options=ACCURACY),
        asked("holes-dash", holes("holes_dash.csv", "-"), why, complete, options=ACCURACY),
        asked("holes-na", holes("holes_na.csv", "n/a"), why, complete, options=ACCURACY),
        asked(
            "holes-timeout", holes("holes_timeout.csv", "timeout"), why, complete, options=ACCURACY
        ),
    ]


def _splits() -> list[Case]:
    """Folds, repeats, random splits and seeds: the design decides the test."""
    lt = (("lr", "tree"),)
    ten, fifty = range(10), [(r, f) for r in range(10) for f in range(5)]
    crossed = {"repeat": [r for r, _ in fifty], "fold": [f for _, f in fifty]}
    folds = by_split("folds.csv", {"fold": ten})
    splits = by_split("splits.csv", {"split": range(30)})
    return [
        defensible(
            "folds-ten",
            folds,
            lt,
            "ten folds, numbered 0 to 9, are most likely one run of ten-fold cross-validation",
            ("--folds", "10"),
            unit="fold",
            options=ACCURACY,
            n=10,
            corrected=1 / 9,
        ),
        certain(
            "folds-told",
            folds,
            lt,
            "the design is told",
            "fold",
            options=(*ACCURACY, "--folds", "10"),
            n=10,
            corrected=1 / 9,
        ),
        asked(
            "folds-no-measure",
            folds,
            "the direction is not told",
            leads(*ACCURACY, order=lt, unit="fold"),
            knows=("--folds", "10"),
            corrected=1 / 9,
        ),
        certain(
            "folds-repeated",
            by_split("repeated_folds.csv", crossed),
            lt,
            "10 repeats of 5 folds, by the names of the columns",
            "fold",
            options=ACCURACY,
            n=50,
            corrected=1 / 4,
        ),
        certain(
            "folds-repeated-long",
            by_split("repeated_long.csv", crossed, long=True),
            lt,
            "10 repeats of 5 folds in long form",
            "fold",
            n=50,
            corrected=1 / 4,
        ),
        defensible(
            "folds-long",
            by_split("folds_long.csv", {"fold": ten}, long=True),
            lt,
            "ten folds in long form",
            ("--folds", "10"),
            unit="fold",
            n=10,
            corrected=1 / 9,
        ),
        defensible(
            "splits-clear",
            splits,
            lt,
            "30 random splits differ so much that every share of test rows gives the same verdict",
            ("--test-share", "0.3"),
            unit="fold",
            options=ACCURACY,
            knows=("--unit", "fold"),
            corrected=3 / 7,
        ),
        asked(
            "splits-close",
            by_split("close_splits.csv", {"split": range(30)}, gap=0.008),
            "30 random splits: how much of the data was tested is not told, and decides",
            leads("--test-share", "0.3", order=(), models=("lr", "tree"), unit="fold", same=lt),
            options=ACCURACY,
            knows=("--unit", "fold"),
            corrected=3 / 7,
        ),
        certain(
            "seeds-wide",
            by_split("seeds.csv", {"seed": range(20)}),
            lt,
            "a row for each seed",
            "seed",
            options=ACCURACY,
            n=20,
        ),
        certain(
            "seeds-long",
            by_split("seeds_long.csv", {"seed": range(20)}, long=True),
            lt,
            "runs with 20 seeds",
            "seed",
            n=20,
        ),
        asked(
            "seeds-no-measure",
            by_split("seeds_plain.csv", {"seed": range(20)}),
            "the direction is not told",
            leads("--higher-is-better", order=lt, unit="seed"),
        ),
    ]


CASES = [*_numbers(), *_layouts(), *_splits()]
