"""Ten designs in every form and order of rows, answered with one seed.

`python -m tests.same_bytes THREADS` prints the answers, so that another process (other threads, another hash seed)
can be asked too. One more design has so many rows that an engine gives them to several threads.
"""

import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import assay

SEED = 7
N = 120
MANY = 150_000


@dataclass(frozen=True)
class Design:
    """Columns in one order of rows, and how a person asks about them."""

    columns: dict[str, Any]
    options: dict[str, Any] = field(default_factory=dict)


def _labels(classes: int, models: int) -> dict[str, Any]:
    rng = np.random.default_rng(3)
    truth = rng.integers(0, classes, N)
    guesses = {
        f"m{place}": np.where(
            rng.random(N) < 0.75 + 0.05 * place, truth, rng.integers(0, classes, N)
        )
        for place in range(models)
    }
    return {"item": np.arange(N), "truth": truth, **guesses}


def _scored() -> dict[str, Any]:
    rng = np.random.default_rng(4)
    truth = rng.integers(0, 2, N)
    return {
        "item": np.arange(N),
        "truth": truth,
        "a": np.round(rng.normal(truth, 1.0), 1),  # with ties
        "b": rng.normal(truth * 0.7, 1.0),
    }


def _numbers(models: int) -> dict[str, Any]:
    """Errors of very different sizes, whose sums depend on their order."""
    rng = np.random.default_rng(8)
    truth = rng.lognormal(0.0, 2.0, N)
    guesses = {f"m{place}": truth * rng.lognormal(0.0, 0.1, N) for place in range(models)}
    return {"item": np.arange(N), "truth": truth, **guesses}


def _chances() -> dict[str, Any]:
    rng = np.random.default_rng(10)
    truth = rng.integers(0, 2, N)
    chances = {name: 1.0 / (1.0 + np.exp(rng.normal(1.0 - 2.0 * truth, 1.5))) for name in "ab"}
    return {"item": np.arange(N), "truth": truth, **chances}


def _over_sets() -> dict[str, Any]:
    rng = np.random.default_rng(5)
    level = rng.uniform(0.6, 0.9, 30)
    return {
        "dataset": np.array([f"s{place:02}" for place in range(30)]),
        **{f"m{place}": level + rng.normal(0.01 * place, 0.02, 30) for place in range(4)},
    }


DESIGNS: dict[str, Design] = {
    "labels of two models": Design(_labels(2, 2)),
    "F1 of three models": Design(_labels(3, 3), {"measure": "f1_macro", "n_resamples": 199}),
    "AUC of two models": Design(_scored(), {"measure": "roc_auc"}),
    "clusters": Design(
        {**_labels(2, 2), "patient": np.arange(N) // 4},
        {"cluster": "patient", "measure": "f1", "n_resamples": 199},
    ),
    "errors of two models": Design(_numbers(2), {"measure": "mae"}),
    "RMSE of three models": Design(_numbers(3), {"measure": "rmse", "n_resamples": 199}),
    "RMSE in clusters": Design(
        {**_numbers(2), "patient": np.arange(N) // 4},
        {"cluster": "patient", "measure": "rmse", "n_resamples": 199},
    ),
    "weighted errors": Design(
        {**_numbers(2), "share": np.random.default_rng(11).lognormal(size=N)},
        {"weight": "share", "measure": "mae", "n_resamples": 199},
    ),
    "log loss of two models": Design(_chances(), {"measure": "log_loss"}),
    "data sets": Design(_over_sets(), {"unit": "dataset", "measure": "accuracy"}),
}
ORDERS: dict[str, Callable[[int], Any]] = {
    "as it is": np.arange,
    "turned round": lambda n: np.arange(n)[::-1],
    "shuffled": lambda n: np.random.default_rng(9).permutation(n),
}


def _file(write: Callable[[Any, Path], None], name: str) -> Callable[[dict[str, Any], Path], Any]:
    def form(columns: dict[str, Any], folder: Path) -> Any:
        write(pd.DataFrame(columns), folder / name)
        return folder / name

    return form


def _dask(columns: dict[str, Any], _: Path) -> Any:
    import dask.dataframe as dd

    return dd.from_pandas(pd.DataFrame(columns), npartitions=3)  # type: ignore[no-untyped-call]


FORMS: dict[str, Callable[[dict[str, Any], Path], Any]] = {
    "arrays": lambda columns, _: columns,
    "pandas": lambda columns, _: pd.DataFrame(columns),
    "polars": lambda columns, _: pl.DataFrame(columns),
    "arrow": lambda columns, _: pa.table(columns),
    "CSV": _file(lambda frame, path: frame.to_csv(path, index=False), "t.csv"),
    "CSV, packed": _file(lambda frame, path: frame.to_csv(path, index=False), "t.csv.gz"),
    "Parquet": _file(lambda frame, path: frame.to_parquet(path), "t.parquet"),
    "JSON lines": _file(lambda frame, path: pl.from_pandas(frame).write_ndjson(path), "t.jsonl"),
    "DuckDB": lambda columns, _: duckdb.from_df(pd.DataFrame(columns)),
    "Dask": _dask,
}  # fmt: skip


def answer(design: Design, source: Any) -> str:
    """What was found, without the names of the files and how they were read."""
    evidence = assay.read(source, **{k: v for k, v in design.options.items() if k != "n_resamples"})
    asked = {k: v for k, v in design.options.items() if k in ("measure", "n_resamples")}
    compared = json.loads(assay.to_json(assay.compare(evidence, rng=SEED, **asked)))
    of = {"measures": asked["measure"]} if "measure" in asked else {}
    measured = json.loads(assay.to_json(assay.evaluate(evidence, rng=SEED, n_resamples=199, **of)))
    text = json.dumps([compared, measured], sort_keys=True)
    return re.sub(r"/[^\s\"]+/t\.[a-z.]+|the data|the relation", "SOURCE", text)


def answers(folder: Path) -> Iterator[tuple[tuple[str, str, str], str]]:
    """Every design in every form and order, with its answer."""
    for name, design in DESIGNS.items():
        yield from _in_forms(folder, name, design, tuple(FORMS), tuple(ORDERS))
    yield from _in_forms(folder, "many rows", _many(), ("CSV", "Parquet"), ("as it is", "shuffled"))


def _in_forms(
    folder: Path, name: str, design: Design, forms: Sequence[str], orders: Sequence[str]
) -> Iterator[tuple[tuple[str, str, str], str]]:
    size = len(next(iter(design.columns.values())))
    for order in orders:
        rows = ORDERS[order](size)
        columns = {key: np.asarray(values)[rows] for key, values in design.columns.items()}
        for form in forms:
            yield (name, form, order), answer(design, FORMS[form](columns, folder))


def _many() -> Design:
    """More rows than a thread of an engine takes at a time, with errors whose sum depends on their order."""
    rng = np.random.default_rng(6)
    truth = rng.lognormal(0.0, 2.0, MANY)
    guesses = {name: truth * rng.lognormal(0.0, 0.1, MANY) for name in "ab"}
    return Design({"item": np.arange(MANY), "truth": truth, **guesses}, {"measure": "mae"})


def by_design(folder: Path) -> dict[str, dict[str, list[str]]]:
    """The different answers to each design, with the forms and orders that gave them."""
    found: dict[str, dict[str, list[str]]] = {}
    for (design, form, order), text in answers(folder):
        found.setdefault(design, {}).setdefault(text, []).append(f"{form}, {order}")
    return found


def _with_threads(number: int) -> None:
    """Give DuckDB so many threads; it asks the machine, not the environment, for their number."""
    plain: Any = duckdb.connect

    def connect(*given: Any, config: dict[str, Any] | None = None, **named: Any) -> Any:
        return plain(*given, config={**(config or {}), "threads": number}, **named)

    vars(duckdb)["connect"] = connect


def main() -> None:
    _with_threads(int(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        sys.stdout.write(json.dumps(by_design(Path(folder))))


if __name__ == "__main__":
    main()
