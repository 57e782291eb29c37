"""Numbers at the edge through every method, evaluate, compare and plan.

Every answer is sane (and, where a second way of computing is known, right) or an AssayError; no other error, no
warning, nothing that takes long.
"""

import inspect
import math
import typing
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.core.methods import Method, catalogue
from assay.core.results import Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.core.wire import from_json, to_json
from assay.estimates.board_aggregates import AGGREGATES
from tools.fuzz.attempts import Attempt, Wrong, knock
from tools.fuzz.number_oracles import disagreement
from tools.fuzz.number_shapes import SHAPES, Evidence, Rng, alike, groups, predictions, size, values


def opened(_: Path, seed: int) -> Callable[[int], Attempt]:
    """A method or a verb with numbers at the edge, by the number of the case."""
    doors = [*METHODS, *DOORS]

    def attempt(number: int) -> Attempt:
        rng = np.random.default_rng((seed, number))
        call = call_of(doors[int(rng.integers(len(doors)))], rng)
        return Attempt(repr(call), knock(lambda: strictly(call)))

    return attempt


def strictly(call: Callable[[], Any]) -> None:
    """A warning is an error, and an answer has to be sane."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sane(call())


def call_of(door: str, rng: Rng) -> Callable[[], Any]:
    if door in DOORS:
        return DOORS[door](rng)
    method = METHODS[door]
    evidence = SHAPES[method.takes](rng)
    options = options_of(method, rng)
    return _Call(method, evidence, options)


@dataclass(frozen=True, slots=True)
class _Call:
    method: Method
    evidence: Evidence
    options: dict[str, Any]

    def __call__(self) -> Any:
        answer = self.method.function(*self.evidence, **self.options)
        fault = disagreement(self.method.id, self.evidence, self.options, answer)
        if fault:
            raise Wrong(fault)
        return answer

    def __repr__(self) -> str:
        return f"{self.method.id}(*{self.evidence!r}, **{self.options!r})"


def options_of(method: Method, rng: Rng) -> dict[str, Any]:
    """Options drawn from what the signature allows, mostly left alone."""
    signature = inspect.signature(method.function)
    found: dict[str, Any] = {}
    for name, parameter in signature.parameters.items():
        if parameter.kind is not parameter.KEYWORD_ONLY:
            continue
        choices = _CHOICES.get(name) or typing.get_args(parameter.annotation)
        if name == "n_resamples":
            found[name] = int(rng.choice([1, 19, 99]))
        elif name == "rng":
            found[name] = 1
        elif name == "margin" or (name == "rope" and rng.random() < 0.5):
            found[name] = float(rng.choice([0.1, 1e-300, 1e300]))
        elif name == "alternative" or (
            rng.random() < 0.4
            and choices
            and all(isinstance(one, str | float | int) for one in choices)
        ):
            found[name] = choices[int(rng.integers(len(choices)))]
    return found


_CHOICES: dict[str, tuple[Any, ...]] = {
    "alternative": ("two-sided", "greater", "less"),
    "level": (0.95, 0.5, 0.3, 1e-9, 0.9999999),
    "null": (0.0, 0.5, 1.0, 1e-300, 1e300),
    "correct": (True, False),
    "clip": (True, False),
    "measure": ("accuracy", "f1", "mcc", "roc_auc", "kappa", "balanced_accuracy", "rmse", "mae"),
    "interval": ("percentile", "basic", "bca", "normal"),
    "metric": ("nominal", "ordinal", "interval", "ratio"),
    "horizon": (1, 2, 100),
    "bound": (1.0, 1e-300, 1e300),
    "df": (math.inf, 1.0, 1e-300),
    "target": (1.0, 0.0, 1e300),
}

METHODS: dict[str, Method] = dict(catalogue())


def _evaluate(rng: Rng) -> Callable[[], Any]:
    columns = predictions(rng, int(rng.integers(1, 4)))
    return _Door("evaluate", assay.evaluate, (columns,), {"rng": 1, "n_resamples": 99})


def _compare(rng: Rng) -> Callable[[], Any]:
    columns = predictions(rng, int(rng.integers(1, 5)))
    options: dict[str, Any] = {"rng": 1, "n_resamples": 99}
    if rng.random() < 0.3:
        columns["cluster"] = groups(rng, len(columns["truth"]))
        options["cluster"] = "cluster"
    if rng.random() < 0.3:
        options["margin"] = float(rng.choice([0.01, 1e-300, 1e300]))
    return _Door("compare", assay.compare, (columns,), options)


def _losses(rng: Rng) -> Callable[[], Any]:
    n, k = size(rng), int(rng.integers(1, 4))
    columns = {f"m{place}": one for place, one in enumerate(alike(rng, n, k))}
    options: dict[str, Any] = {"measure": "mean_loss", "rng": 1, "n_resamples": 99}
    if rng.random() < 0.4:
        columns["w"] = values(rng, n)
        options["weight"] = "w"
    return _Door("compare losses", assay.compare, (columns,), options)


def _tables(rng: Rng) -> Callable[[], Any]:
    blocks = SHAPES["blocks"](rng)[0]
    columns = {f"m{place}": column for place, column in enumerate(np.atleast_2d(blocks).T)}
    unit = str(rng.choice(["dataset", "fold", "seed"]))
    options = {"unit": unit, "measure": str(rng.choice(["accuracy", "rmse", "score"]))}
    return _Door("compare scores", _compared, (columns,), options)


def _compared(columns: dict[str, Any], *, unit: Any, measure: str) -> Any:
    n = len(next(iter(columns.values()), ()))
    return assay.compare({unit: np.arange(n), **columns}, unit=unit, measure=measure)


def _plan(rng: Rng) -> Callable[[], Any]:
    """Two of the size, the power and the difference, or a half-width; perhaps with a pilot."""
    told: dict[str, tuple[Any, ...]] = {
        "n": (1, 2, 100, 10**9, 2**60),
        "power": (0.8, 0.5, 0.999999, 1e-9),
        "difference": (0.01, 0.5, 1.0, -0.1, 1e-9, 1e-300, 1e9),
        "half_width": (0.01, 0.5, 1e-300, 1e9),
        "level": (0.95, 0.5, 0.9999999, 1e-9),
        "among": (2, 3, 50, 10**6),
        "baseline": (0.0, 0.5, 0.9, 1.0, 1e-300),
        "discordant": (0.0, 0.2, 1.0),
        "sd": (0.0, 1.0, 1e-300, 1e300),
        "cluster_size": (1.0, 5.5, 1e9),
        "icc": (0.0, 0.3, 1.0, -0.1),
        "prevalence": (0.0, 0.1, 1.0),
        "unit": ("item", "dataset", "fold", "seed"),
        "folds": (1, 2, 10),
        "paired": (True, False),
        "alternative": ("two-sided", "greater", "less"),
    }
    wanted = rng.choice(
        [("power", "difference"), ("n", "difference"), ("n", "power"), ("half_width", "level")]
    )
    names = [*wanted, *(name for name in told if rng.random() < 0.1)]
    options = {name: told[name][int(rng.integers(len(told[name])))] for name in names}
    measure = rng.choice(["accuracy", "roc_auc", "f1", "rmse", "mean_loss", "mean_score"])
    if rng.random() < 0.4:
        options["pilot"] = predictions(rng, 2)
    return _Door("plan", assay.plan, (str(measure),), options)


def _board(rng: Rng) -> Callable[[], Any]:
    options: dict[str, Any] = {"rng": 1, "n_resamples": 49, "best": int(rng.choice([1, 2, 9]))}
    options["aggregate"] = str(rng.choice(list(AGGREGATES)))
    if AGGREGATES[options["aggregate"]].needs_baseline:
        options["baseline"] = "m0"
    if rng.random() < 0.5:
        return _Door("board", assay.board, (predictions(rng, int(rng.integers(1, 6))),), options)
    blocks = np.atleast_2d(SHAPES["blocks"](rng)[0])
    columns = {f"m{place}": column for place, column in enumerate(blocks.T)}
    table = {"dataset": np.arange(len(blocks)), **columns}
    return _Door(
        "board", assay.board, (table,), {**options, "measure": "accuracy", "unit": "dataset"}
    )


@dataclass(frozen=True, slots=True)
class _Door:
    name: str
    function: Callable[..., Any]
    evidence: Evidence
    options: dict[str, Any]

    def __call__(self) -> Any:
        return self.function(*self.evidence, **self.options)

    def __repr__(self) -> str:
        return f"{self.name}(*{self.evidence!r}, **{self.options!r})"


DOORS: dict[str, Callable[[Rng], Callable[[], Any]]] = {
    "evaluate": _evaluate,
    "compare": _compare,
    "compare losses": _losses,
    "compare scores": _tables,
    "plan": _plan,
    "board": _board,
}


def sane(answer: Any) -> None:
    """Raise ``Wrong`` for an answer that contradicts itself."""
    if isinstance(answer, tuple):
        for p_value in answer:
            _sane_p(p_value)
        return
    for outcome in getattr(answer, "outcomes", ()) or (answer,):
        _sane_p(getattr(outcome, "p_value", None))
        effect = outcome if isinstance(outcome, Estimate) else getattr(outcome, "effect", None)
        if isinstance(effect, Estimate):
            _sane_estimate(effect)
    if isinstance(answer, TestOutcome):
        _decided_by_its_interval(answer)
    if isinstance(answer, Posterior):
        total = answer.p_left + answer.p_rope + answer.p_right
        if not math.isclose(total, 1.0, abs_tol=1e-6):
            raise Wrong(f"probabilities sum to {total}")
    if isinstance(answer, Estimate | TestOutcome | FamilyOutcome | Posterior):
        again = from_json(to_json(answer))
        if again != answer:
            raise Wrong("changed by the wire")


def _decided_by_its_interval(outcome: TestOutcome) -> None:
    interval, p_value = outcome.effect.interval, outcome.p_value
    known = METHODS.get(outcome.method)
    if interval is None or p_value is None or (known and "decides" in known.exempt):
        return
    alpha = 1.0 - interval.level
    near = math.isclose(p_value, alpha, rel_tol=1e-7, abs_tol=1e-9)
    told = {one.code for one in (*outcome.notes, *outcome.effect.notes)} & {
        "interval-gap", "variant-differs"
    }  # fmt: skip
    if not near and not told and (p_value <= alpha) == interval.contains(outcome.null):
        raise Wrong(f"p = {p_value} at {alpha:g}, and {outcome.null:g} beside {interval}")


def _sane_p(p_value: float | None) -> None:
    if p_value is not None and not 0.0 <= p_value <= 1.0:
        raise Wrong(f"p = {p_value}")


def _sane_estimate(effect: Estimate) -> None:
    told = any(one.code == "zero-cell" for one in effect.notes)  # a raw odds ratio may be infinite
    if effect.value is not None and not math.isfinite(effect.value) and not told:
        raise Wrong(f"value {effect.value}")
    if effect.interval is not None:
        low, high = effect.interval.low, effect.interval.high
        if math.isnan(low) or math.isnan(high) or low > high:
            raise Wrong(f"interval {low} to {high}")
