"""Draws scores of models on data sets, folds or seeds, as papers and scripts lay them out."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Goodness, Scene
from tests.door.draw import generator, rounded, scores_by_set, write

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
            columns |= {
                name.format(model): column(rng, n)
                for name, column in (beside or {}).items()
                if "{}" in name
            }
        columns |= {
            name: column(rng, n) for name, column in (beside or {}).items() if "{}" not in name
        }
        for name, summary in (foot or {}).items():
            columns[header].append(name)
            for model, values in scores.items():
                columns[model].append(cell(round(float(summary(values)), 3)))
        write(folder / file, columns, **style)
        return {model: sign * np.asarray(values) for model, values in scores.items()}

    return Scene((file,), make)


def in_rows(file: str, header: str, *, average: bool = False, n: int = 16) -> Scene:
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
        scores = scores_by_set(
            rng, n, {"m1": 0.0, "m2": 0.045} if sign > 0 else {"m1": 0.3, "m2": 0.255}
        )
        rows = [
            (model, f"set{i}", seed) for model in scores for i in range(n) for seed in range(seeds)
        ]
        values = rounded(
            [
                scores[model][int(name[3:])] + (rng.normal(0, 0.003) if seeds > 1 else 0)
                for model, name, _ in rows
            ],
            4,
        )
        columns: dict[str, Any] = {
            name: [row[place] for row in rows] for place, name in enumerate(headers)
        }
        columns |= {name: [of[row[0]] for row in rows] for name, of in (also or {}).items()}
        write(folder / file, {**columns, measure: values})
        return {name: sign * np.asarray(column) for name, column in scores.items()}

    return Scene((file,), make)


def by_split(
    file: str, columns: Mapping[str, Sequence[Any]], *, gap: float = 0.06, long: bool = False
) -> Scene:
    """A row for each fold, split or seed, wide or long."""

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        n = len(next(iter(columns.values())))
        scores = {
            "lr": rounded(0.9 + rng.normal(0, 0.01, n)),
            "tree": rounded(0.9 - gap + rng.normal(0, 0.01, n)),
        }
        if long:
            table: dict[str, Any] = {
                "model": [name for name in scores for _ in range(n)],
                **{name: [*column, *column] for name, column in columns.items()},
                "accuracy": [*scores["lr"], *scores["tree"]],
            }
        else:
            table = {**columns, **scores}
        write(folder / file, table)
        return {name: np.asarray(values) for name, values in scores.items()}

    return Scene((file,), make)
