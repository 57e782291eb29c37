"""What is tried: a method, the worlds and sizes, and everything that is varied."""

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np

from assay.core.checks import check_choice, check_count, check_level
from assay.core.errors import NotApplicable, UsageError
from assay.core.methods import Method, find_method
from assay.core.results import Details
from assay.core.vocabulary import Takes
from assay.kernels.tails import alpha_of
from assay.simulate.repeated_looks import drawn_as
from assay.simulate.worlds import KINDS, World, fitting, make_world

Question = Literal["error", "coverage"]
QUESTIONS: tuple[Question, ...] = ("error", "coverage")
_PREFERRED: dict[str, str] = {
    "sample": "losses", "two-samples": "losses", "groups": "losses", "predictions": "paired-labels",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Trial:
    """One method in one kind of world, with everything that is varied."""

    method: Method
    question: Question
    worlds: tuple[tuple[World, Details], ...]
    label: str
    sizes: tuple[int | None, ...]
    alphas: tuple[float, ...]
    replicates: int | None
    options: dict[str, Any]
    looks: int = 1
    """How often the evidence is looked at while it grows; one stops at the first rejection."""

    @property
    def takes(self) -> Takes:
        return self.method.takes


def make_trial(
    name: str,
    world: str | World | None,
    n: Any,
    effect: Any,
    level: Any,
    question: str | None,
    replicates: int | None,
    options: Mapping[str, Any] | None,
    parameters: Mapping[str, Any],
    looks: int = 1,
) -> Trial:
    """A method with everything that is tried, checked."""
    method = find_method(name)
    asked = question or ("coverage" if method.gives == "estimate" else "error")
    chosen: Question = check_choice(asked, QUESTIONS, "question")
    if chosen == "error" and method.gives == "estimate":
        raise UsageError(f"{method.id} is no test, so it has no errors: ask for its coverage")
    if chosen == "coverage" and method.gives == "adjustment":
        raise UsageError(f"{method.id} adjusts p-values and has no interval: ask for its error")
    if replicates is not None:
        check_count(replicates, "replicates", at_least=1)
    if not isinstance(options, Mapping | None):
        raise UsageError(f"options= is a table, such as {{'variant': 'exact'}}; got {options!r}")
    for option in options or {}:
        if option in ("level", "rng"):
            raise UsageError(f"give {option} to simulate itself, not as an option of {method.id}")
        if option not in _keywords(method):
            raise UsageError(
                f"{method.id} has no option {option!r}; it has {', '.join(_keywords(method))}"
            )
    label, worlds = make_worlds(
        default_world(method) if world is None else world, effect, parameters
    )
    check_fits(method, worlds[0][0])
    if check_count(looks, "looks", at_least=1) > 1:
        _check_looks(method, chosen, worlds[0][0])
    return Trial(
        method=method,
        question=chosen,
        worlds=worlds,
        label=label,
        sizes=sizes_of(n, worlds[0][0]),
        alphas=tuple(alpha_of(_checked_level(one)) for one in several(level)),
        replicates=replicates,
        options=dict(options or {}),
        looks=looks,
    )


def _checked_level(level: Any) -> float:
    if isinstance(level, str):
        raise UsageError(f"level is a confidence between 0 and 1 such as 0.95, got {level!r}")
    return check_level(level)


def _check_looks(method: Method, question: Question, world: World) -> None:
    """Looks are counted in errors, of evidence that grows unit by unit."""
    if question != "error":
        raise UsageError("looks are for errors of tests: one stops at the first rejection")
    shape = drawn_as(method.takes)
    if shape not in world.shapes:
        raise NotApplicable(f"the world {world.name} does not draw {shape} unit by unit")


def make_worlds(
    name: str | World, effect: Any, parameters: Mapping[str, Any]
) -> tuple[str, tuple[tuple[World, Details], ...]]:
    """The worlds to try, each with the parameters in which it differs, and what they are called."""
    fixed = {key: value for key, value in parameters.items() if not varies(key, value)}
    varied = {key: list(value) for key, value in parameters.items() if varies(key, value)}
    if effect is not None:
        (varied if varies("effect", effect) else fixed)["effect"] = (
            list(effect) if varies("effect", effect) else effect
        )
    found = []
    for values in product(*varied.values()):
        changed = dict(zip(varied, values, strict=True))
        made = make_world(name, **fixed, **changed)
        shown = tuple((key, scalar(value)) for key, value in changed.items() if key != "effect")
        found.append((made, shown))
    if not found:
        raise UsageError("an empty list of values leaves nothing to simulate")
    return name if isinstance(name, str) else name.name, tuple(found)


def check_fits(method: Method, world: World) -> None:
    """Refuse a world that does not give what the method takes, and name those that do."""
    _check_drawn(method)
    if method.takes not in world.shapes:
        raise NotApplicable(
            f"the world {world.name} gives {', '.join(world.shapes)}, and {method.id} takes "
            f"{method.takes}: use {' or '.join(fitting(method.takes))}"
        )


def _check_drawn(method: Method) -> None:
    if method.undrawn:
        raise NotApplicable(
            f"no world draws {method.undrawn}, which {method.id} takes: its errors and coverage "
            "are counted in docs/folds.md"
        )


def default_world(method: Method) -> str:
    """The world whose own shape and unit are the method's; else the first that fits."""
    names = fitting(method.takes)
    if not names:
        _check_drawn(method)
    best = [
        name
        for name in names
        if KINDS[name].unit in method.unit
        and (_PREFERRED.get(method.takes) == name or KINDS[name].shapes[0] == method.takes)
    ]
    preferred = [name for name in best if _PREFERRED.get(method.takes) == name]
    return (preferred or best or [n for n in names if KINDS[n].unit in method.unit] or names)[0]


def sizes_of(n: Any, world: World) -> tuple[int | None, ...]:
    if n is None:
        return (None,) if world.size is not None else (100,)
    return tuple(check_count(one, "n", at_least=1) for one in several(n))


def several(value: Any) -> tuple[Any, ...]:
    found = tuple(value) if varies("", value) or isinstance(value, tuple) else (value,)
    if not found:
        raise UsageError("an empty list of values leaves nothing to simulate")
    return found


def varies(name: str, value: Any) -> bool:
    """Whether a parameter is given as values to try; a pair of sizes is one value."""
    if isinstance(value, str) or not isinstance(value, Iterable):
        return False
    if getattr(value, "shape", None) == ():
        return False
    items = list(value)
    return name != "sizes" or any(not isinstance(item, int | np.integer) for item in items)


def _keywords(method: Method) -> list[str]:
    parameters = inspect.signature(method.function).parameters.values()
    return [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]


def scalar(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    return value if isinstance(value, float | int | str | bool | None) else str(value)
