"""What a measure is: a function with its direction, its range and the evidence it needs."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import UsageError
from assay.core.vocabulary import Direction

Needs = Literal["labels", "scores", "probabilities", "values", "losses"]
Reduction = Literal["tally", "sorted_scores", "moments", "rows"]
FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One way of counting what is good.

    ``function`` depends on ``reduction``; undefined values are NaN, never 0:

    - tally: confusion matrices ``(..., C, C)`` (rows truth, columns prediction) -> ``(...)``
    - sorted_scores: ``(truth01, scores, weights)``, weights ``(..., n)`` or None -> ``(...)``
    - moments: means of ``features`` ``(..., q)`` -> ``(...)``
    - rows: ``(truth, prediction[, weight])`` -> float; a user's own measure

    ``features`` maps (truth, prediction) to a matrix ``(n, q)`` for ``moments``.
    ``proportion``, where the measure is a monotone function of a proportion k/m, gives
    ``(k, m)`` from one confusion matrix, and ``from_proportion`` the measure from k/m.
    """

    name: str
    title: str
    direction: Direction
    low: float
    high: float
    needs: Needs
    reduction: Reduction
    function: Callable[..., Any] = field(repr=False)
    features: Callable[..., Any] | None = field(default=None, repr=False)
    proportion: Callable[..., tuple[float, float]] | None = field(default=None, repr=False)
    from_proportion: Callable[[float], float] | None = field(default=None, repr=False)
    two_classes: bool = False
    instead: str | None = None
    """What to use when a two-class measure meets many classes."""
    requirement: str = "M7"
    chance: float | None = None
    """The value of an uninformed model where it is fixed, such as 0.5 for AUC."""


_REGISTRY: dict[str, Measure] = {}

FAMILIES: tuple[str, ...] = (
    "assay.measures.labels",
    "assay.measures.costs",
    "assay.measures.ranking",
    "assay.measures.probabilities",
    "assay.measures.values",
)


def register(measure: Measure) -> Measure:
    """Enter a measure in the registry and return it."""
    _REGISTRY[measure.name] = measure
    return measure


def measures() -> Mapping[str, Measure]:
    """All measures by name."""
    for family in FAMILIES:
        import_module(family)
    return MappingProxyType(_REGISTRY)


def find_measure(measure: "str | Measure | Callable[..., float]") -> Measure:
    """A measure by name, itself, or a user's function of (truth, prediction[, weight])."""
    if isinstance(measure, Measure):
        return measure
    if callable(measure):
        from assay.measures.custom import from_function

        return from_function(measure)
    known = measures()
    key = measure.replace("-", "_").lower()
    if key in known:
        return known[key]
    from difflib import get_close_matches

    near = get_close_matches(key, known, n=3, cutoff=0.5)
    hint = f"; did you mean {' or '.join(near)}?" if near else f"; known are {', '.join(known)}"
    raise UsageError(f"there is no measure {measure!r}{hint}")
