"""Scores of models on data sets, folds, seeds: as papers, spreadsheets and scripts lay them out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Case, Goodness, Scene, asked, certain, defensible, leads
from tests.door.draw import csv_text, generator, rounded, scores_by_set, write

GAPS = {"alpha": 0.0, "beta": 0.045}
AB = (("alpha", "beta"),)
ACCURACY = ("--measure", "accuracy")
UNIT = ("--unit", "dataset")


def by_set(
    file: str,
    *,
    header: str = "dataset",
    gaps: Mapping[str, float] = GAPS,
    n: int = 20,
    cell: Any = str,
    beside: Any = None,
    foot: Any = None,
    sign: int = 1,
    names: str = "set",
    **style: Any,
) -> Scene:
    """A row for each data set, a column for each model; ``foot`` are summary rows by name."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        scores = scores_by_set(rng, n, gaps)
        columns: dict[str, Any] = {header: [f"{names}{i}" for i in range(n)]}
        for model, values in scores.items():
            columns[model] = [cell(value) for value in values]
            columns |= {name.format(model): column(rng, n) for name, column in (beside or {}).items() if "{}" in name}
        columns |= {name: column(rng, n) for name, column in (beside or {}).items() if "{}" not in name}
        for name, summary in (foot or {}).items():
            columns[header].append(name)
            for model, values in scores.items():
                columns[model].append(cell(round(float(summary(values)), 3)))
        write(folder / file, columns, **style)
        return {model: sign * np.asarray(values) for model, values in scores.items()}

    return Scene((file,), make)


def in_rows(file: str, header: str, *, average: bool = False, n: int = 12) -> Scene:
    """A row for each model, a column for each data set."""

    def make(folder: Path) -> Goodness:
        scores = scores_by_set(generator(file), n, {"ours": 0.0, "theirs": 0.05, "random": 0.2})
        columns: dict[str, Any] = {header: list(scores)}
        columns |= {f"set{i}": [values[i] for values in scores.values()] for i in range(n)}
        if average:
            columns["Average"] = rounded([np.mean(values) for values in scores.values()])
        write(folder / file, columns)
        return {name: np.asarray(values) for name, values in scores.items()}

    return Scene((file,), make)


def long_table(
    file: str,
    headers: Sequence[str],
    *,
    measure: str,
    n: int = 12,
    seeds: int = 1,
    sign: int = 1,
    also: Mapping[str, Any] | None = None,
) -> Scene:
    """A row for each model and data set (and seed): ``headers`` name model, set and seed."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        scores = scores_by_set(rng, n, {"m1": 0.0, "m2": 0.045} if sign > 0 else {"m1": 0.3, "m2": 0.255})
        rows = [(model, f"set{i}", seed) for model in scores for i in range(n) for seed in range(seeds)]
        values = rounded([scores[model][int(name[3:])] + (rng.normal(0, 0.003) if seeds > 1 else 0) for model, name, _ in rows], 4)
        columns: dict[str, Any] = {name: [row[place] for row in rows] for place, name in enumerate(headers)}
        columns |= {name: [of[row[0]] for row in rows] for name, of in (also or {}).items()}
        write(folder / file, {**columns, measure: values})
        return {name: sign * np.asarray(column) for name, column in scores.items()}

    return Scene((file,), make)


def by_split(file: str, columns: Mapping[str, Sequence[Any]], *, gap: float = 0.06, long: bool = False) -> Scene:
    """A row for each fold, split or seed, wide or long."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        n = len(next(iter(columns.values())))
        scores = {"lr": rounded(0.9 + rng.normal(0, 0.01, n)), "tree": rounded(0.9 - gap + rng.normal(0, 0.01, n))}
        if long:
            table = {"model": [name for name in scores for _ in range(n)],
                     **{name: [*column, *column] for name, column in columns.items()},
                     "accuracy": [*scores["lr"], *scores["tree"]]}  # fmt: skip
        else:
            table = {**columns, **scores}
        write(folder / file, table)
        return {name: np.asarray(values) for name, values in scores.items()}

    return Scene((file,), make)


def _rows_and_models() -> list[Case]:
    """What the first column is called, and which way is better."""
    plain = by_set("datasets.csv")
    errors = by_set("rmse_by_dataset.csv", sign=-1, gaps={"ridge": 0.3, "mean": 0.1})
    ridge = (("ridge", "mean"),)
    higher = leads("--higher-is-better", order=AB, unit="dataset")
    told = ("dataset", "Data Set", "dataset_name", "Dataset")
    untold = ("Problem", "task", "", "Unnamed: 0", "benchmark", "corpus")
    return [
        *(certain(f"sets-{i}", by_set(f"sets_{i}.csv", header=name), AB, f"{name} names data sets", "dataset", options=ACCURACY)
          for i, name in enumerate(told)),
        *(defensible(f"sets-untold-{i}", by_set(f"untold_{i}.csv", header=name), AB,
                     f"a column {name!r} of names may be data sets or items", UNIT, unit="dataset", options=ACCURACY)
          for i, name in enumerate(untold)),
        *(certain(f"sets-unit-{i}", by_set(f"unit_{i}.csv", header=name), AB, "the unit is told", "dataset", options=(*ACCURACY, *UNIT))
          for i, name in enumerate(untold[:4])),
        asked("sets-plain", plain, "the direction is not told: no better or worse without it", higher,
              leads("--lower-is-better", order=(("beta", "alpha"),), unit="dataset", said=-1),
              leads(*ACCURACY, order=AB, unit="dataset")),
        asked("sets-unknown-measure", plain, "nobody knows which way this measure is better", higher, options=("--measure", "goodfit")),
        certain("sets-higher", plain, AB, "the direction is told", "dataset", options=("--higher-is-better",)),
        defensible("sets-file-name", errors, ridge, "only the name of the file says that these are errors",
                   ("--lower-is-better",), unit="dataset"),
        certain("sets-rmse", errors, ridge, "RMSE is better lower", "dataset", options=("--measure", "rmse")),
        certain("sets-lower", errors, ridge, "the direction is told", "dataset", options=("--lower-is-better",)),
    ]  # fmt: skip


def _spreads() -> list[Case]:
    """Spreads, sizes and summaries that stand in the same table and are no models or data sets."""

    def small(rng: np.random.Generator, n: int) -> list[float]:
        return rounded(rng.uniform(0.01, 0.04, n))

    def size(rng: np.random.Generator, n: int) -> Any:
        return rng.integers(100, 5000, n)

    def table(name: str, **more: Any) -> Scene:
        return by_set(f"{name}.csv", **more)

    def mean(values: Any) -> Any:
        return np.mean(values)

    def spread(value: float) -> str:
        return f"{value:.3f} ± 0.021"

    sure = {"unit": "dataset", "options": ACCURACY, "n": 20}
    return [
        *(certain(f"spread-{word}", table(f"spread_{word}", beside={f"{{}}_{word}": small}), AB, "a spread is no model", **sure)
          for word in ("std", "sd", "se", "stderr")),
        defensible("spread-first", table("spread_first", beside={"std_{}": small}), AB, "a spread is no model",
                   ("--models", "alpha,beta"), ("--ignore", "std_alpha,std_beta"), **sure),
        certain("spread-plusminus", table("plusminus", cell=spread), AB, "mean ± spread", **sure),
        defensible("spread-ascii", table("plus_minus", cell=lambda v: f"{v:.3f} +/- 0.021"), AB, "mean +/- spread", **sure),
        defensible("spread-brackets", table("brackets", cell=lambda v: f"{v:.3f} (0.021)"), AB, "mean (spread)", **sure),
        certain("size-n", table("sizes", beside={"n": size}), AB, "n is the size of a data set", **sure),
        defensible("size-features", table("features", beside={"n_instances": size, "n_features": size}), AB, "sizes of data sets are no models",
                   ("--models", "alpha,beta"), ("--ignore", "n_instances,n_features"), **sure),
        *(certain(f"foot-{i}", table(f"foot_{i}", foot={name: mean}), AB, f"{name} is the mean of the rows above it and no data set", **sure)
          for i, name in enumerate(("Average", "Mean", "AVG", "avg."))),
        *(defensible(f"foot-other-{i}", table(f"foot_other_{i}", foot={name: number}), AB, f"{name} is no data set", **sure)
          for i, (name, number) in enumerate((("Avg. rank", lambda v: 1.5), ("Total", sum), ("Overall", lambda v: np.mean(v) + 0.004),
                                              ("Median", np.median)))),
        defensible("foot-two", table("foot_two", foot={"Average": mean, "Std": np.std}), AB, "two rows of summaries", **sure),
    ]  # fmt: skip


def _numbers() -> list[Case]:
    """How numbers are written."""

    def comma(value: float) -> str:
        return str(value).replace(".", ",")

    def percent(value: float) -> str:
        return f"{100 * value:.1f}%"

    def mixed(folder: Path) -> Goodness:
        scores = scores_by_set(generator("mixed"), 20, GAPS)
        write(folder / "mixed.csv", {"dataset": [f"set{i}" for i in range(20)], "alpha": scores["alpha"],
              "beta": rounded(100 * np.asarray(scores["beta"]), 1)})  # fmt: skip
        return {}

    def thousands(file: str, sep: str, form: str) -> Scene:
        def make(folder: Path) -> Goodness:
            rng = generator(file)
            base = rng.uniform(900, 9000, 20)
            times = {"ours": base * rng.uniform(0.7, 0.8, 20), "theirs": base}
            cells = {name: [format(value, form) for value in column] for name, column in times.items()}
            write(folder / file, {"dataset": [f"set{i}" for i in range(20)], **cells}, sep=sep)
            return {name: -column for name, column in times.items()}

        return Scene((file,), make)

    sure = {"unit": "dataset", "options": ACCURACY, "n": 20}
    ours = (("ours", "theirs"),)
    ambiguous = Scene(("ambiguous.csv",), lambda folder: _ambiguous(folder / "ambiguous.csv"))
    return [
        certain("number-comma", by_set("comma.csv", cell=comma, sep=";"), AB, "0,681 between semicolons is a decimal comma", **sure),
        certain("number-comma-tab", by_set("comma.tsv", cell=comma, sep="\t"), AB, "0,681 between tabs is a decimal comma", **sure),
        certain("number-comma-quoted", by_set("comma_quoted.csv", cell=comma, quote=True), AB, "quoted 0,681 is a decimal comma", **sure),
        certain("number-percent", by_set("percent.csv", cell=percent), AB, "68.1% is a number", **sure),
        certain("number-percent-space", by_set("percent_space.csv", cell=lambda v: f"{100 * v:.1f} %"), AB, "68.1 % is a number", **sure),
        certain("number-hundred", by_set("hundred_scale.csv", cell=lambda v: f"{100 * v:.1f}"), AB, "accuracies in per cent, all of them", **sure),
        asked("number-mixed", Scene(("mixed.csv",), mixed), "0.81 beside 81: one of the two columns is in per cent", options=ACCURACY),
        certain("number-thousands", thousands("thousands.csv", ",", ",.1f"), ours, "1,234.5 has a comma for thousands", "dataset",
                options=("--lower-is-better",), n=20),
        asked("number-ambiguous", ambiguous, "1,234 between semicolons is 1234 or 1.234", options=("--lower-is-better",)),
        defensible("number-spaces", by_set("padded.csv", cell=lambda v: f"  {v} "), AB, "blanks around numbers mean nothing", **sure),
        certain("number-exponent", by_set("exponent.csv", cell=lambda v: f"{v:.3e}"), AB, "6.81e-01 is a number", **sure),
    ]  # fmt: skip


def _ambiguous(path: Path) -> Goodness:
    """Where 1,234 is read as 1234 the first is worse, where as 1.234 the numbers below 1000 turn it round."""
    cells = [("1,234", "987"), ("2,345", "876"), ("1,111", "765"), ("3,210", "654"), ("1,876", "543")]
    columns = {"dataset": [f"set{i}" for i in range(20)], "ours": [cells[i % 5][0] for i in range(20)],
               "theirs": [cells[i % 5][1] for i in range(20)]}  # fmt: skip
    path.write_text(csv_text(columns, sep=";"), encoding="utf-8")
    return {}


def _layouts() -> list[Case]:
    """Models in rows, long tables, missing cells."""
    ours = (("ours", "theirs"), ("ours", "random"), ("theirs", "random"))
    rows = {"unit": "dataset", "options": ACCURACY, "n": 12}
    m12 = (("m1", "m2"),)

    def holes(file: str, mark: str) -> Scene:
        def make(folder: Path) -> Goodness:
            scores = scores_by_set(generator(file), 20, GAPS)
            columns = {"dataset": [f"set{i}" for i in range(20)], **scores}
            columns["beta"] = [mark if i in (3, 11) else value for i, value in enumerate(scores["beta"])]
            write(folder / file, columns)
            return {name: np.delete(np.asarray(values), [3, 11]) for name, values in scores.items()}

        return Scene((file,), make)

    complete = leads("--missing", "complete", order=AB, unit="dataset", n=18)
    why = "a model that failed on two data sets did not do well there: the rule must be told"
    time = {"train_seconds": {"m1": 90, "m2": 12}}
    return [
        *(certain(f"rows-{name}", in_rows(f"rows_{name}.csv", name), ours, "a row for each model", **rows)
          for name in ("method", "model", "Algorithm")),
        defensible("rows-unnamed", in_rows("rows_unnamed.csv", ""), ours, "ours, theirs and random are models, set0 to set11 data sets",
                   ("--models-in-rows",), **rows),
        certain("rows-told", in_rows("rows_told.csv", "name"), ours, "the layout is told", "dataset",
                options=(*ACCURACY, "--models-in-rows"), n=12),
        defensible("rows-average", in_rows("rows_average.csv", "model", average=True), ours,
                   "the column Average is the mean of the others", ("--ignore", "Average"), **rows),
        certain("table-long", long_table("long.csv", ("model", "dataset"), measure="accuracy"), m12, "a row for each model and data set",
                "dataset", n=12),
        certain("table-names", long_table("long_names.csv", ("classifier_name", "dataset_name"), measure="accuracy"), m12,
                "the names say what they name", "dataset", n=12),
        certain("table-error", long_table("long_errors.csv", ("method", "dataset"), measure="error", sign=-1), m12,
                "an error is better lower", "dataset", n=12),
        certain("table-seeds", long_table("long_seeds.csv", ("model", "dataset", "seed"), measure="accuracy", seeds=3), m12,
                "12 data sets with 3 seeds each, not 36 units", "dataset", n=12),
        defensible("table-task", long_table("long_task.csv", ("framework", "task", "seed"), measure="auc", seeds=3), m12,
                   "a task with seeds is a data set", ("--unit", "dataset"), unit="dataset", n=12),
        defensible("table-time", long_table("long_time.csv", ("model", "dataset"), measure="accuracy", also=time), m12,
                   "accuracy decides; seconds describe", ACCURACY, unit="dataset", n=12),
        asked("holes-blank", holes("holes_blank.csv", ""), why, complete, options=ACCURACY),
        asked("holes-dash", holes("holes_dash.csv", "-"), why, complete, options=ACCURACY),
        asked("holes-na", holes("holes_na.csv", "n/a"), why, complete, options=ACCURACY),
        asked("holes-timeout", holes("holes_timeout.csv", "timeout"), why, complete, options=ACCURACY),
    ]  # fmt: skip


def _splits() -> list[Case]:
    """Folds, repeats, random splits and seeds: the design decides the test."""
    lt = (("lr", "tree"),)
    ten, fifty = range(10), [(r, f) for r in range(10) for f in range(5)]
    crossed = {"repeat": [r for r, _ in fifty], "fold": [f for _, f in fifty]}
    folds = by_split("folds.csv", {"fold": ten})
    splits = by_split("splits.csv", {"split": range(30)})
    return [
        defensible("folds-ten", folds, lt, "ten folds, numbered 0 to 9, are most likely one run of ten-fold cross-validation",
                   ("--folds", "10"), unit="fold", options=ACCURACY, n=10, corrected=1 / 9),
        certain("folds-told", folds, lt, "the design is told", "fold", options=(*ACCURACY, "--folds", "10"), n=10, corrected=1 / 9),
        asked("folds-no-measure", folds, "the direction is not told", leads(*ACCURACY, order=lt, unit="fold"),
              knows=("--folds", "10"), corrected=1 / 9),
        certain("folds-repeated", by_split("repeated_folds.csv", crossed), lt, "10 repeats of 5 folds, by the names of the columns", "fold",
                options=ACCURACY, n=50, corrected=1 / 4),
        certain("folds-repeated-long", by_split("repeated_long.csv", crossed, long=True), lt, "10 repeats of 5 folds in long form", "fold",
                n=50, corrected=1 / 4),
        defensible("folds-long", by_split("folds_long.csv", {"fold": ten}, long=True), lt, "ten folds in long form",
                   ("--folds", "10"), unit="fold", n=10, corrected=1 / 9),
        asked("splits-random", splits, "30 random splits: how much of the data was tested is not told",
              leads("--test-share", "0.3", order=lt, unit="fold"), options=ACCURACY, knows=("--unit", "fold"), corrected=3 / 7),
        certain("seeds-wide", by_split("seeds.csv", {"seed": range(20)}), lt, "a row for each seed", "seed", options=ACCURACY, n=20),
        certain("seeds-long", by_split("seeds_long.csv", {"seed": range(20)}, long=True), lt, "runs with 20 seeds", "seed", n=20),
        asked("seeds-no-measure", by_split("seeds_plain.csv", {"seed": range(20)}), "the direction is not told",
              leads("--higher-is-better", order=lt, unit="seed")),
    ]  # fmt: skip


CASES = [*_rows_and_models(), *_spreads(), *_numbers(), *_layouts(), *_splits()]
