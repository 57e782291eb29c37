"""Worlds: sources of evidence whose truth is known. ``make_world`` makes one by its name."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from assay.core.checks import LARGEST
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
    return kind(**_checked_values(kind, {**preset, **parameters}))


def _check_names(kind: type[World], parameters: Mapping[str, Any]) -> None:
    known = [field.name for field in fields(kind)]
    unknown = [name for name in parameters if name not in known]
    if unknown:
        raise UsageError(
            f"the world {kind.name} has no parameter {unknown[0]!r}; it has {', '.join(known)}"
        )


def _checked_values(kind: type[World], parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Numbers where numbers are due, finite ones of Python's own; words where words are."""
    found = dict(parameters)
    for field in fields(kind):
        value = parameters.get(field.name, field.default)
        if isinstance(field.default, str) and not isinstance(value, str):
            raise UsageError(f"{field.name} is a word such as {field.default}; got {value!r}")
        if isinstance(field.default, int | float) or (field.default is None and value is not None):
            if isinstance(value, np.number) and value.dtype.kind in "iuf":
                value = int(value) if value.dtype.kind in "iu" else float(value)
            number = isinstance(value, int | float) and not isinstance(value, bool)
            if not number or not abs(value) <= LARGEST:
                most = f" of at most {LARGEST:g}" if number and value == value else ""
                raise UsageError(f"{field.name} is a finite number{most}; got {value!r}")
            if field.name in found:
                found[field.name] = value
    return found


def fitting(takes: Takes) -> tuple[str, ...]:
    """The names of the worlds that give evidence of this shape."""
    return tuple(name for name, kind in KINDS.items() if takes in kind.shapes)
