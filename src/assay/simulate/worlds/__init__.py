"""Worlds: sources of evidence whose truth is known. ``make_world`` makes one by its name."""

import sys
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from assay.core.errors import UsageError
from assay.core.vocabulary import Takes
from assay.simulate.worlds.base import Arrays, World, evidence
from assay.simulate.worlds.folds import Folds
from assay.simulate.worlds.grouped import Clusters, DataSets, Tests
from assay.simulate.worlds.judgements import Duels, Graded, Raters
from assay.simulate.worlds.labels import (
    IndependentLabels,
    LabelMeasures,
    PairedLabels,
    Proportion,
)
from assay.simulate.worlds.scores import ScoredLabels
from assay.simulate.worlds.values import Losses, Runs

__all__ = ["KINDS", "SHORTHANDS", "Arrays", "World", "evidence", "fitting", "make_world"]

KINDS: dict[str, type[World]] = {
    kind.name: kind
    for kind in (
        Proportion, PairedLabels, IndependentLabels, LabelMeasures, ScoredLabels, Losses, Clusters,
        DataSets, Folds, Runs, Tests, Duels, Raters, Graded,
    )
}  # fmt: skip
"""Every kind of world by its name; its fields are its parameters."""

SHORTHANDS: dict[str, tuple[str, dict[str, Any]]] = {
    "normal": ("losses", {"shape": "normal"}),
    "uniform": ("losses", {"shape": "uniform"}),
    "lognormal": ("losses", {"shape": "lognormal"}),
    "skewed": ("losses", {"shape": "lognormal"}),
    "t3": ("losses", {"shape": "t3"}),
    "heavy-tailed": ("losses", {"shape": "t3"}),
    "zero-inflated": ("losses", {"shape": "zero-inflated"}),
    "correlated-pairs": ("losses", {"shape": "normal", "correlation": 0.8}),
    "bernoulli": ("proportion", {}),
}
"""Short names of worlds with some parameters set."""


def make_world(name: str | World, **parameters: Any) -> World:
    """The world called ``name`` with these parameters; a shorthand's own can be overruled."""
    if isinstance(name, World):
        if parameters:
            raise UsageError(
                "give parameters with the name of a world, not with a world made already"
            )
        return name
    key = str(name).replace("_", "-").lower()
    kind_name, preset = SHORTHANDS.get(key, (key, {}))
    if kind_name not in KINDS:
        from difflib import get_close_matches

        known = [*KINDS, *SHORTHANDS]
        near = get_close_matches(key, known, n=2)
        hint = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"there is no world {name!r}: {hint}known are {', '.join(known)}")
    kind = KINDS[kind_name]
    _check_names(kind, parameters)
    _check_values(kind, {**preset, **parameters})
    return kind(**{**preset, **parameters})


def _check_names(kind: type[World], parameters: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(kind)]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise UsageError(
            f"the world {kind.name} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        )


def _check_values(kind: type[World], parameters: Mapping[str, Any]) -> None:
    """Numbers where numbers are due, and finite ones; words where words are."""
    for field in fields(kind):
        value = parameters.get(field.name, field.default)
        if isinstance(field.default, str) and not isinstance(value, str):
            raise UsageError(f"{field.name} is a word such as {field.default}; got {value!r}")
        if isinstance(field.default, int | float) or (field.default is None and value is not None):
            number = isinstance(value, int | float | np.number) and not isinstance(value, bool)
            if not number or not abs(value) <= sys.float_info.max:
                raise UsageError(f"{field.name} is a finite number; got {value!r}")


def fitting(takes: Takes) -> tuple[str, ...]:
    """The names of the worlds that give evidence of this shape."""
    return tuple(name for name, kind in KINDS.items() if takes in kind.shapes)
