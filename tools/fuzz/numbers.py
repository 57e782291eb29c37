"""Numbers at the edge through every method, evaluate, compare and plan.

Every answer is sane (and, where a second way of computing is known, right) or an AssayError; no other error, no
warning, nothing that takes long. ``python -m tools.fuzz.numbers --seed 1 --count 20000`` prints what does not hold.
"""

import argparse
import inspect
import math
import signal
import time
import traceback
import typing
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

import assay
from assay.core.errors import AssayError
from assay.core.methods import Method, catalogue
from assay.core.results import Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.core.wire import from_json, to_json
from tools.fuzz.number_oracles import disagreement
from tools.fuzz.number_shapes import SHAPES, Evidence, Rng, alike, groups, predictions, size, values

SECONDS = 10
"""Of the processor; no answer on so few numbers takes longer."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """What did not hold, where, and the numbers that show it."""

    door: str
    fault: str
    place: str
    seed: tuple[int, int]
    evidence: str

    @property
    def kind(self) -> tuple[str, str]:
        return self.fault.split(":")[0], self.place


class Slow(Exception):
    """The watchdog barked."""


class Wrong(Exception):
    """An answer that is not sane or not right."""


def cases(seed: int) -> Iterator[tuple[tuple[int, int], str, Callable[[], Any]]]:
    """Doors in turn, each with new evidence; a case can be made again from its seed."""
    doors = [*METHODS, *DOORS]
    number = 0
    while True:
        for door in doors:
            rng = np.random.default_rng((seed, number))
            yield (seed, number), door, call_of(door, rng)
            number += 1


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
    "level": (0.95, 0.5, 1e-9, 0.9999999),
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
    options: dict[str, Any] = {
        "margin": float(rng.choice([0.01, 0.5, 1.0, 1e-9, 1e-300, 1e9])),
        "power": float(rng.choice([0.8, 0.5, 0.999999, 1e-9])),
        "level": float(rng.choice([0.95, 0.5, 0.9999999, 1e-9])),
    }
    if rng.random() < 0.5:
        options["models"] = int(rng.choice([2, 3, 50, 10**6]))
    if rng.random() < 0.3:
        options["n"] = int(rng.choice([1, 2, 100, 10**9, 2**60]))
    if rng.random() < 0.3:
        return _Door("plan", assay.plan, (predictions(rng, 2),), options)
    return _Door("plan", assay.plan, (), options)


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
}


def attempt(seed: tuple[int, int], door: str, call: Callable[[], Any]) -> Finding | None:
    """The answer of one call, judged: None, or what is wrong with it."""
    try:
        with warnings.catch_warnings(), _watched():
            warnings.simplefilter("error")
            sane(call())
    except AssayError as error:
        return _untaught(seed, door, call, error)
    except Exception as error:  # noqa: BLE001 - whatever comes is the finding
        found = f"{type(error).__name__}: {error}"
        return Finding(
            door=door, fault=found[:300], place=_place(error), seed=seed, evidence=repr(call)[:2000]
        )
    return None


def _untaught(
    seed: tuple[int, int], door: str, call: Callable[[], Any], error: AssayError
) -> Finding | None:
    """An error that says nothing is a finding too."""
    if len(str(error)) > 10 and "Traceback" not in str(error):
        return None
    return Finding(
        door=door,
        fault=f"mute: {error}",
        place=_place(error),
        seed=seed,
        evidence=repr(call)[:2000],
    )


class _watched:  # noqa: N801 - used like a function
    def __enter__(self) -> None:
        signal.signal(signal.SIGPROF, self._bark)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)

    def __exit__(self, *_: object) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)

    @staticmethod
    def _bark(*_: object) -> None:
        raise Slow(f"more than {SECONDS} s of the processor")


def _place(error: BaseException) -> str:
    """The innermost line of ours."""
    ours = [
        f"{Path(frame.filename).parent.name}/{Path(frame.filename).name}:{frame.lineno} {frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
        if "assay" in Path(frame.filename).parts or "fuzz" in Path(frame.filename).parts
    ]
    return ours[-1] if ours else "?"


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
    if isinstance(answer, Posterior):
        total = answer.p_left + answer.p_rope + answer.p_right
        if not math.isclose(total, 1.0, abs_tol=1e-6):
            raise Wrong(f"probabilities sum to {total}")
    if isinstance(answer, Estimate | TestOutcome | FamilyOutcome | Posterior):
        again = from_json(to_json(answer))
        if again != answer:
            raise Wrong("changed by the wire")


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


def run(
    seed: int, *, count: int | None = None, seconds: float | None = None
) -> tuple[int, list[Finding]]:
    """So many cases, or as many as fit into the time; the number tried and what was found."""
    findings: list[Finding] = []
    end = math.inf if seconds is None else time.monotonic() + seconds
    tried = 0
    for tried, (key, door, call) in enumerate(cases(seed), start=1):
        found = attempt(key, door, call)
        if found is not None:
            findings.append(found)
        if tried == count or time.monotonic() > end:
            break
    return tried, findings


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=None)
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    limit = None if chosen.count else chosen.seconds
    tried, findings = run(chosen.seed, count=chosen.count, seconds=limit)
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for one in findings:
        kinds.setdefault(one.kind, []).append(one)
    for (_, place), several in sorted(kinds.items(), key=lambda item: -len(item[1])):
        first = several[0]
        doors = sorted({one.door for one in several})
        print(
            f"{len(several)} × {first.fault}\n    at {place}\n    by {', '.join(doors[:8])}\n    {first.evidence[:600]}"
        )
    print(f"{tried} cases, {len(findings)} findings of {len(kinds)} kinds, seed {chosen.seed}")
    raise SystemExit(1 if findings else 0)


if __name__ == "__main__":
    main()
