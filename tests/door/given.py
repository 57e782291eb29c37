"""What a case of a Python object says."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tests.door.case import Expect, Goodness, Pairs, models_of


@dataclass(frozen=True)
class Given:
    """The arguments of a call, and for each model how good it is on each unit."""

    arguments: tuple[Any, ...]
    keywords: Mapping[str, Any] = field(default_factory=dict)
    goodness: Goodness = field(default_factory=dict)


@dataclass(frozen=True)
class Answer:
    """Keywords that, added to the call, lead to this answer."""

    keywords: Mapping[str, Any]
    order: Pairs = ()
    unit: str | None = "item"
    n: int | None = None
    same: Pairs = ()


@dataclass(frozen=True, kw_only=True)
class Object:
    """A call and what may be concluded; ``knows`` are keywords that could be given if asked."""

    id: str
    build: Callable[[], Given]
    expect: Expect
    why: str
    order: Pairs = ()
    same: Pairs = ()
    models: tuple[str, ...] = ()
    unit: str | None = None
    n: int | None = None
    remedies: tuple[Answer, ...] = ()
    knows: Mapping[str, Any] = field(default_factory=dict)
    corrected: float = 0.0


def asked(
    identity: str, build: Callable[[], Given], why: str, *remedies: Answer, **more: Any
) -> Object:
    """A verdict could be wrong: the door has to ask."""
    return Object(id=identity, build=build, expect="ask", why=why, remedies=remedies, **more)


def certain(
    identity: str,
    build: Callable[[], Given],
    order: Pairs,
    why: str,
    unit: str | None = "item",
    **more: Any,
) -> Object:
    """An expert who sees only the object is certain."""
    models = more.pop("models", models_of(order) or ())
    return Object(
        id=identity,
        build=build,
        expect="answer",
        why=why,
        order=order,
        unit=unit,
        models=models,
        **more,
    )


def defensible(
    identity: str,
    build: Callable[[], Given],
    order: Pairs,
    why: str,
    *remedies: Mapping[str, Any],
    unit: str | None = "item",
    **more: Any,
) -> Object:
    """Both are right: this answer, or a question whose remedy leads to it."""
    models = more.pop("models", models_of(order) or ())
    n, same = more.get("n"), more.get("same", ())
    return Object(
        id=identity,
        build=build,
        expect="either",
        why=why,
        order=order,
        unit=unit,
        models=models,
        remedies=tuple(Answer(words, order=order, unit=unit, n=n, same=same) for words in remedies),
        **more,
    )
