"""What a case of the corpus says: the files someone brings, and what may be concluded from them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

Goodness = Mapping[str, Any]
"""For each model an array over the units, higher is better: what the expected order rests on."""
Expect = Literal["answer", "ask", "either"]
Pairs = tuple[tuple[str, str], ...]


@dataclass(frozen=True, eq=False)
class Scene:
    """Files that belong together; several cases may look at them."""

    files: tuple[str, ...]
    make: Callable[[Path], Goodness]


@dataclass(frozen=True, kw_only=True)
class Remedy:
    """Options that, added to the command, lead to this answer."""

    options: tuple[str, ...]
    models: tuple[str, ...] | None = None
    unit: str | None = None
    order: Pairs = ()
    n: int | None = None
    same: Pairs = ()
    said: Literal[1, -1] = 1  # -1: the option turns the direction round


@dataclass(frozen=True, kw_only=True)
class Case:
    """``models`` None means that no two models may be compared, () that their names are free.

    ``same`` pairs are not decided. ``remedies`` are what a person who knows the data would add;
    ``knows`` are further options that this person could give if asked. A case that may be asked and
    has no remedy is one in which no option could help: the refusal then points elsewhere.
    """

    id: str
    scene: Scene
    expect: Expect
    why: str
    options: tuple[str, ...] = ()
    models: tuple[str, ...] | None = None
    unit: str | None = None
    order: Pairs = ()
    same: Pairs = ()
    n: int | None = None
    remedies: tuple[Remedy, ...] = ()
    knows: tuple[str, ...] = ()
    verb: Literal["compare", "evaluate", "gate"] = "compare"
    exit: int = 0  # of a gate that answers
    estimates: Mapping[str, float] = field(default_factory=dict)  # by model, of an evaluation
    corrected: float = 0.0  # test over training size, where units are folds

    @property
    def files(self) -> tuple[str, ...]:
        return self.scene.files


def asked(identity: str, scene: Scene, why: str, *remedies: Remedy, **more: Any) -> Case:
    """A verdict could be wrong: the door has to ask."""
    return Case(id=identity, scene=scene, expect="ask", why=why, remedies=remedies, **more)


def certain(
    identity: str, scene: Scene, order: Pairs, why: str, unit: str | None = "item", **more: Any
) -> Case:
    """An expert who sees only the file is certain: the door has to answer."""
    models = more.pop("models", models_of(order))
    return Case(
        id=identity,
        scene=scene,
        expect="answer",
        why=why,
        order=order,
        unit=unit,
        models=models,
        **more,
    )


def defensible(
    identity: str,
    scene: Scene,
    order: Pairs,
    why: str,
    *remedies: tuple[str, ...],
    unit: str | None = "item",
    **more: Any,
) -> Case:
    """Both are right: this answer, or a question whose remedy leads to it."""
    models = more.pop("models", models_of(order))
    n = more.get("n")
    return Case(
        id=identity,
        scene=scene,
        expect="either",
        why=why,
        order=order,
        unit=unit,
        models=models,
        remedies=tuple(
            Remedy(options=options, models=models, unit=unit, order=order, n=n)
            for options in remedies
        ),
        **more,
    )


def leads(*options: str, order: Pairs, unit: str | None = "item", **more: Any) -> Remedy:
    """A remedy with its answer."""
    models = more.pop("models", models_of(order))
    return Remedy(options=options, models=models, unit=unit, order=order, **more)


def models_of(order: Pairs) -> tuple[str, ...] | None:
    """The models that an order speaks of, in its order."""
    return tuple(dict.fromkeys(name for pair in order for name in pair)) or None


def agreement(truth: Any, **predictions: Any) -> Goodness:
    """Right or wrong, item by item."""
    return {
        name: (np.asarray(column) == np.asarray(truth)).astype(float)
        for name, column in predictions.items()
    }
