"""Data sets × models: what names the rows, which way is better, spreads and summaries beside."""

from typing import Any

import numpy as np

from tests.door.case import Case, Scene, asked, certain, defensible, leads
from tests.door.draw import rounded
from tests.door.tables import AB, ACCURACY, UNIT, by_set


def _rows_and_models() -> list[Case]:
    """What the first column is called, and which way is better."""
    plain = by_set("datasets.csv")
    errors = by_set("rmse_by_dataset.csv", sign=-1, gaps={"ridge": 0.3, "mean": 0.1})
    ridge = (("ridge", "mean"),)
    higher = leads("--higher-is-better", order=AB, unit="dataset")
    told = ("dataset", "Data Set", "dataset_name", "Dataset")
    untold = ("Problem", "task", "", "Unnamed: 0", "benchmark", "corpus")
    return [
        *(
            certain(
                f"sets-{i}",
                by_set(f"sets_{i}.csv", header=name),
                AB,
                f"{name} names data sets",
                "dataset",
                options=ACCURACY,
            )
            for i, name in enumerate(told)
        ),
        *(
            defensible(
                f"sets-untold-{i}",
                by_set(f"untold_{i}.csv", header=name),
                AB,
                f"a column {name!r} of names may be data sets or items",
                UNIT,
                unit="dataset",
                options=ACCURACY,
            )
            for i, name in enumerate(untold)
        ),
        *(
            certain(
                f"sets-unit-{i}",
                by_set(f"unit_{i}.csv", header=name),
                AB,
                "the unit is told",
                "dataset",
                options=(*ACCURACY, *UNIT),
            )
            for i, name in enumerate(untold[:4])
        ),
        asked(
            "sets-plain",
            plain,
            "the direction is not told: no better or worse without it",
            higher,
            leads("--lower-is-better", order=(("beta", "alpha"),), unit="dataset", said=-1),
            leads(*ACCURACY, order=AB, unit="dataset"),
        ),
        asked(
            "sets-unknown-measure",
            plain,
            "nobody knows which way this measure is better",
            higher,
            options=("--measure", "goodfit"),
        ),
        certain(
            "sets-higher",
            plain,
            AB,
            "the direction is told",
            "dataset",
            options=("--higher-is-better",),
        ),
        defensible(
            "sets-file-name",
            errors,
            ridge,
            "only the name of the file says that these are errors",
            ("--lower-is-better",),
            unit="dataset",
        ),
        certain(
            "sets-rmse",
            errors,
            ridge,
            "RMSE is better lower",
            "dataset",
            options=("--measure", "rmse"),
        ),
        certain(
            "sets-lower",
            errors,
            ridge,
            "the direction is told",
            "dataset",
            options=("--lower-is-better",),
        ),
    ]


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

    sure: dict[str, Any] = {"unit": "dataset", "options": ACCURACY, "n": 20}
    return [
        *(
            certain(
                f"spread-{word}",
                table(f"spread_{word}", beside={f"{{}}_{word}": small}),
                AB,
                "a spread is no model",
                **sure,
            )
            for word in ("std", "sd", "se", "stderr")
        ),
        defensible(
            "spread-first",
            table("spread_first", beside={"std_{}": small}),
            AB,
            "a spread is no model",
            ("--models", "alpha,beta"),
            ("--ignore", "std_alpha,std_beta"),
            **sure,
        ),
        certain("spread-plusminus", table("plusminus", cell=spread), AB, "mean ± spread", **sure),
        defensible(
            "spread-ascii",
            table("plus_minus", cell=lambda v: f"{v:.3f} +/- 0.021"),
            AB,
            "mean +/- spread",
            **sure,
        ),
        defensible(
            "spread-brackets",
            table("brackets", cell=lambda v: f"{v:.3f} (0.021)"),
            AB,
            "mean (spread)",
            **sure,
        ),
        certain(
            "size-n", table("sizes", beside={"n": size}), AB, "n is the size of a data set", **sure
        ),
        defensible(
            "size-features",
            table("features", beside={"n_instances": size, "n_features": size}),
            AB,
            "sizes of data sets are no models",
            ("--models", "alpha,beta"),
            ("--ignore", "n_instances,n_features"),
            **sure,
        ),
        *(
            certain(
                f"foot-{i}",
                table(f"foot_{i}", foot={name: mean}),
                AB,
                f"{name} is the mean of the rows above it and no data set",
                **sure,
            )
            for i, name in enumerate(("Average", "Mean", "AVG", "avg."))
        ),
        *(
            defensible(
                f"foot-other-{i}",
                table(f"foot_other_{i}", foot={name: number}),
                AB,
                f"{name} is no data set",
                **sure,
            )
            for i, (name, number) in enumerate(
                (
                    ("Avg. rank", lambda v: 1.5),
                    ("Total", sum),
                    ("Overall", lambda v: np.mean(v) + 0.004),
                    ("Median", np.median),
                )
            )
        ),
        defensible(
            "foot-two",
            table("foot_two", foot={"Average": mean, "Std": np.std}),
            AB,
            "two rows of summaries",
            **sure,
        ),
    ]


CASES = [*_rows_and_models(), *_spreads()]
