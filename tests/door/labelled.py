"""Draws items with a truth and the labels that models gave."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.door.case import Goodness, Scene, agreement
from tests.door.draw import generator, spoilt, write

ERRORS = {"a": 0.08, "b": 0.30}
LEARNT = {"a": 0.6, "b": 0.0}
"""Errors on training rows: whoever counts them takes the worse model for the better one."""
AB = (("a", "b"),)


def labelled(
    file: str,
    *,
    truth: str = "truth",
    header: str | None = "id",
    ids: Sequence[Any] | None = None,
    classes: Sequence[Any] = (0, 1),
    errors: Mapping[str, float] = ERRORS,
    before: Mapping[str, Any] | None = None,
    beside: Mapping[str, Any] | None = None,
    n: int = 200,
    only: Any = None,
    block: int = 1,
    rows: Any = slice(None),
    elsewhere: Mapping[str, float] | None = None,
    **style: Any,
) -> Scene:
    """A row for each item, the truth and a label of each model; ``block`` rows in turn are of one item.

    Goodness is of these ``rows`` (``elsewhere`` models may err otherwise), and of the items of one
    class if there is an ``only``. Columns ``before`` and ``beside``
    are sequences, or functions of a generator and the number of rows.
    """

    def make(folder: Path) -> Goodness:
        rng = generator(file)
        right = np.repeat(rng.choice(np.asarray(classes), n // block), block)
        models = {name: spoilt(rng, right, rate, classes) for name, rate in errors.items()}
        of = np.zeros(n, bool)
        of[rows] = True
        for name, rate in (elsewhere or {}).items():
            models[name] = np.where(of, models[name], spoilt(rng, right, rate, classes))
        more = {
            name: column(rng, n) if callable(column) else column
            for name, column in {**(before or {}), **(beside or {})}.items()
        }
        columns: dict[str, Any] = (
            {} if header is None else {header: ids if ids is not None else range(n)}
        )
        columns |= {name: more[name] for name in before or {}}
        columns |= {truth: right, **models} | {name: more[name] for name in beside or {}}
        write(folder / file, columns, **style)
        if only is not None:
            of &= right == only
        return {name: good[of] for name, good in agreement(right, **models).items()}

    return Scene((file,), make)


def whole(low: int, high: int) -> Any:
    return lambda rng, n: rng.integers(low, high, n)


def one_of(*values: Any) -> Any:
    return lambda rng, n: rng.choice(np.asarray(values), n)


def days(rng: np.random.Generator, n: int) -> Any:
    return [str(np.datetime64("2025-01-01") + day) for day in range(n)]


def numbers(low: float, high: float) -> Any:
    return lambda rng, n: rng.uniform(low, high, n).round(2)


def one_model(file: str, **more: Any) -> Scene:
    return labelled(file, errors={"prediction": 0.15}, **more)
