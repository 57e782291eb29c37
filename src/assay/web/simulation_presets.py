"""Scenes for a classroom: which methods meet which world, and what can be moved in it."""

import tomllib
from dataclasses import dataclass, field, replace
from importlib.resources import files
from typing import Any, Literal

import msgspec

Question = Literal["error", "coverage"]
SMALL = (5, 10, 20, 50, 100, 200, 500)


@dataclass(frozen=True, slots=True, kw_only=True)
class Knob:
    """A number of the world that can be moved: its name there, its words, its range, its start.

    Whole numbers stay whole, as the page writes them.
    """

    name: str
    words: str
    low: int | float
    high: int | float
    start: int | float
    step: int | float


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """Methods in a world. ``along`` is what the horizontal axis shows: n, or a parameter."""

    name: str
    question: Question
    title: str
    about: str
    methods: tuple[str, ...]
    world: str
    knobs: tuple[Knob, ...] = ()
    choice: tuple[str, str, tuple[tuple[str, str], ...]] | None = None
    """A parameter of the world with named values: its name, its words, and the values."""
    sizes: tuple[int, ...] = SMALL
    along: str = "n"
    values: tuple[float, ...] = ()
    fixed: dict[str, Any] = field(default_factory=dict)
    lecture: str | None = None
    """The figure of the lecture that this scene is; nothing can be moved in it."""
    counted: int | None = 2000
    """Replicates; None where all outcomes are enumerated."""


def _scenes() -> tuple[Scene, ...]:
    text = files("assay.web").joinpath("scenes.toml").read_text(encoding="utf-8")
    found = msgspec.convert(tomllib.loads(text)["scene"], tuple[Scene, ...])
    return tuple(replace(scene, counted=scene.counted or None) for scene in found)


SCENES = _scenes()
"""Every scene; the first of a question is where its page starts."""


def scene_of(question: Question, name: str | None) -> Scene | None:
    of_question = [scene for scene in SCENES if scene.question == question]
    if name is None:
        return of_question[0]
    return next((scene for scene in of_question if scene.name == name), None)
