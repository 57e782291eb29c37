"""Arguments nobody meant through every method: ordinary evidence with one part made strange, and strange options.

A method answers sanely, its interval and its p-value of one mind, or refuses in our words within seconds.
"""

import copy
import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from assay.core.methods import Method
from assay.core.results import FamilyOutcome, TestOutcome
from tests.shapes import OPTIONS, Evidence, examples
from tools.fuzz.attempts import Attempt, Wrong, knock
from tools.fuzz.number_shapes import LARGEST, SMALLEST
from tools.fuzz.numbers import METHODS, strictly

SECONDS = 5
"""Of the processor: an argument of a few numbers needs no more."""

LONE: tuple[Any, ...] = (
    None, "", "x", "0.5", b"x", "\ud800", True, False, 0, 1, 2, 3, -1, 0.5, 2.5, -0.0,
    float("nan"), float("inf"), -float("inf"), 1e308, 1e-320, 10**400, 2**63, 10**18,
    1 + 2j, Decimal("0.9"), Fraction(9, 10), np.float32(0.9), np.int8(1), np.bool_(True), np.str_("x"),
    np.array(0.9), np.array([0.9]), np.array([]), np.datetime64("2020-01-01"), pd.NA, pd.NaT,
    (), [], [[]], [0.9, 0.1], {}, {"a": 1}, {"a": [1, 2], "b": [2, 1]}, {1, 2}, range(3), iter([1, 2]),
    object(), int, len, slice(2), Ellipsis,
)  # fmt: skip
"""One value that is not the one meant, or is and lies beyond it."""

SEEDS: tuple[Any, ...] = (
    np.int64(3), np.uint8(255), 2**200, -1, "1", 2.0, np.random.SeedSequence(1), np.random.RandomState(1),
    np.random.default_rng(1), random.Random(1), [1, 2], np.random.PCG64(1),
)  # fmt: skip
CELLS: tuple[Any, ...] = (
    np.nan, np.inf, -np.inf, 1e308, -1e308, LARGEST, 1e-320, SMALLEST, 0, -1, 1, 2, 0.5, 10**400, 2**53 + 1, None,
    "x", "1", "", b"1", True, [1], [], {}, 1j, pd.NA, object(), Decimal("NaN"), np.datetime64("NaT"),
)  # fmt: skip
DTYPES = (
    "object", "str", "S4", "bool", "float16", "float32", "longdouble", "int8", "uint64", "complex128",
    "datetime64[s]", "timedelta64[s]",
)  # fmt: skip


def opened(_: Path, seed: int) -> Callable[[int], Attempt]:
    """A method in turn, with strange arguments by the number of the case."""
    methods = list(METHODS.values())

    def attempt(number: int) -> Attempt:
        rng = random.Random(f"{seed} {number}")
        call = call_of(rng.choice(methods), rng)
        return Attempt(repr(call), knock(lambda: strictly(call), SECONDS))

    return attempt


def call_of(method: Method, rng: random.Random) -> "Call":
    evidence = examples(method.takes, rng.randrange(20))
    options = dict(OPTIONS.get(method.id, {}))
    allowed = [name for name, one in method.parameters.items() if one.kind is one.KEYWORD_ONLY]
    if "n_resamples" in allowed:
        options["n_resamples"] = 49
    if "rng" in allowed:
        options["rng"] = 1
    which = rng.random()
    if which < 0.65 or not allowed:
        for _ in range(rng.choice((1, 1, 1, 2))):
            evidence = changed(evidence, rng)
    if which > 0.5:
        for name in rng.sample(allowed, min(len(allowed), rng.choice((1, 1, 2)))):
            options[name] = copy.deepcopy(_option(name, evidence, rng))
    return Call(method, evidence, options)


def _option(name: str, evidence: Evidence, rng: random.Random) -> Any:
    if name == "rng":
        return rng.choice(SEEDS)
    if name in ("weights", "clusters", "n_test", "n_train", "null") and rng.random() < 0.6:
        first = evidence[0] if evidence else None
        n = len(first) if isinstance(first, np.ndarray) and first.ndim else 3
        ordinary = np.ones(n) if rng.random() < 0.5 else np.arange(n) % 3
        return rng.choice((ordinary, np.zeros(n), -np.ones(n), _array(ordinary, rng)))
    found = rng.choice(LONE)
    return None if name == "measure" and callable(found) else found  # whose errors are its own


@dataclass(frozen=True, slots=True)
class Call:
    """A method about to be called."""

    method: Method
    evidence: Evidence
    options: dict[str, Any]

    def __call__(self) -> Any:
        answer = self.method.function(*self.evidence, **self.options)
        if "decides" not in self.method.exempt:
            level = float(self.options.get("level", 0.95))
            for outcome in getattr(answer, "outcomes", ()) or (answer,):
                if isinstance(answer, TestOutcome | FamilyOutcome):
                    _of_one_mind(outcome, 1.0 - level)
        return answer

    def __repr__(self) -> str:
        told = [f"{one!r:.90}" for one in self.evidence]
        told += [f"{name}={value!r:.60}" for name, value in self.options.items()]
        return f"{self.method.id}({', '.join(told)})"


def _of_one_mind(outcome: TestOutcome, alpha: float) -> None:
    """The conformance law, held to evidence and levels at the edge."""
    interval, p_value = outcome.effect.interval, outcome.p_value
    told = {note.code for note in outcome.notes}
    if interval is None or p_value is None or {"interval-gap", "variant-differs"} & told:
        return
    if abs(p_value - alpha) > 1e-9 and (p_value <= alpha) == interval.contains(outcome.null):
        raise Wrong(f"p = {p_value} beside {interval} at {alpha:g}, null {outcome.null}")


# Evidence, one part of it made strange


def changed(evidence: Evidence, rng: random.Random) -> Evidence:
    if not evidence:
        return evidence
    at = rng.randrange(len(evidence))
    one = _changed(evidence[at], rng)
    return (*evidence[:at], one, *evidence[at + 1 :])


def _changed(value: Any, rng: random.Random) -> Any:
    if rng.random() < 0.12:
        return copy.deepcopy(rng.choice(LONE))
    if isinstance(value, dict) and value:
        name = rng.choice(list(value))
        return {**value, name: _changed(value[name], rng)}
    if isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        at = rng.randrange(len(value))
        cut = value[: rng.choice((0, 1, len(value)))]
        return cut or [*value[:at], _changed(value[at], rng), *value[at + 1 :]]
    if isinstance(value, np.ndarray):
        return _array(value, rng)
    return copy.deepcopy(rng.choice(LONE if rng.random() < 0.5 else CELLS))


def _array(array: Any, rng: random.Random) -> Any:
    """An array cut, constant, of another type or of other dimensions, or with one cell replaced."""
    way = rng.choice((*WAYS, *FORMS))
    try:
        with np.errstate(all="ignore"):
            return WAYS[way](array, rng) if way in WAYS else FORMS[way](array)
    except (ValueError, TypeError, ArithmeticError, IndexError):
        return np.asarray(array, dtype=object).tolist()  # numpy refuses to make it


def _cell(array: Any, rng: random.Random) -> Any:
    cells = np.asarray(array).astype(object)
    places = [rng.randrange(cells.size)] if rng.random() < 0.6 else range(cells.size)
    value = rng.choice(CELLS)
    for place in places:
        if len(places) == 1 or rng.random() < 0.5:
            cells.flat[place] = copy.deepcopy(value)
    if rng.random() < 0.6 and isinstance(value, int | float):
        return cells.astype(float)
    return cells if rng.random() < 0.5 else cells.tolist()


def _masked(array: Any, rng: random.Random) -> Any:
    hidden = np.full(np.shape(array), False)
    hidden.flat[rng.randrange(hidden.size)] = rng.random() < 0.8
    return np.ma.masked_array(array, mask=hidden)


WAYS: dict[str, Callable[[Any, random.Random], Any]] = {
    "cell": _cell,
    "cells": _cell,
    "masked": _masked,
    "cut": lambda array, rng: array[: rng.choice((0, 1, 2, 3, -1))],
    "constant": lambda array, rng: np.full(
        np.shape(array), rng.choice((0.0, 1.0, 0.1, 1e300, -1.0))
    ),
    "classes": lambda array, rng: np.full(np.shape(array), rng.choice(("a", "", "0", "tie"))),
    "type": lambda array, rng: np.asarray(array).astype(rng.choice(DTYPES)),
    "scaled": lambda array, rng: (
        np.asarray(array) * rng.choice((1e308, 1e-320, 1e160, 1e-170, 1e9, 1e-9))
    ),
    "deeper": lambda array, rng: np.stack(
        [array] * rng.choice((1, 2, 3)), axis=rng.choice((0, -1))
    ),
}
FORMS: dict[str, Callable[[Any], Any]] = {
    "more": lambda array: np.concatenate([array, array[:1]]),
    "negative": lambda array: -np.asarray(array),
    "two ends": lambda array: np.where(
        np.arange(np.size(array)).reshape(np.shape(array)) % 2, LARGEST, -LARGEST
    ),
    "flat": np.ravel,
    "turned": lambda array: np.asarray(array).T,
    "no columns": lambda array: np.asarray(array)[..., :0],
    "one column": lambda array: np.asarray(array)[..., :1],
    "sorted": lambda array: np.sort(np.asarray(array), axis=0),
    "list": lambda array: np.asarray(array).tolist(),
    "ragged": lambda array: [[1.0], [1.0, 2.0], *np.asarray(array).tolist()],
    "series": lambda array: pd.Series(array, index=[7] * len(array)),
    "nullable": lambda array: pd.array([*array[:-1].tolist(), None]),
    "frame": pd.DataFrame,
    "read only": lambda array: np.broadcast_to(array[:1], np.shape(array)),
    "bytes": lambda array: np.asarray(array).tobytes(),
}
