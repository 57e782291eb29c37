"""What a world is: it draws evidence, knows the truth, and says which shapes of evidence it gives."""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Container
from dataclasses import dataclass, fields
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray
from assay.core.checks import check_count
from assay.core.errors import NotApplicable, UsageError
from assay.core.results import Details
from assay.core.vocabulary import Takes, Unit
from assay.evidence.preferences import Preferences

Arrays = dict[str, NDArray[Any]]
"""Evidence by the name of the method's argument; the first axis of each is the replicate."""
Generator = np.random.Generator
COUNTED: frozenset[str] = frozenset({"counts", "two-counts", "paired-table", "margins"})
"""Shapes of a few counts: they are drawn without their items, and equal evidence is answered once."""
MOST_CELLS = 50_000_000
"""More numbers than this are no sample that is kept in memory, with what is worked out from it."""
_WIDE = ("k", "raters")
"""Parameters that say how many numbers a unit has."""


class WorldRequest(NamedTuple):
    """Of which measure ("" if it does not matter), shape and number of units something is asked."""

    measure: str
    takes: Takes
    n: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class World(ABC):
    """A source of evidence whose truth is known; the fields of a kind are its parameters.

    ``effect`` is by how much the null hypothesis is false: 0 makes every rejection a false alarm.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    shapes: ClassVar[tuple[Takes, ...]]
    unit: ClassVar[Unit] = "item"

    effect: float = 0.0

    @property
    def parameters(self) -> Details:
        """Every parameter with its value, in the order of the kind."""
        names = [field.name for field in fields(self)]
        return tuple((name, _plain(getattr(self, name))) for name in names)

    @property
    def size(self) -> int | None:
        """How many units a draw has where nothing else is said; None where it must be said."""
        return None

    @property
    def null_holds(self) -> bool:
        return self.effect == 0.0

    def is_alike(self, place: int) -> bool:
        """Whether the model at a place is one of those that do not differ."""
        return self.null_holds or place > 0

    def draw(
        self, replicates: int, n: int | None, rng: Generator, *, takes: Takes | None = None
    ) -> Arrays:
        """So many independent pieces of evidence of ``n`` units each, of the shape ``takes``."""
        shape = self.shapes[0] if takes is None else takes
        if shape not in self.shapes:
            raise NotApplicable(
                f"the world {self.name} does not give {shape}; it gives {', '.join(self.shapes)}"
            )
        units = self.size if n is None else n
        if units is None:
            raise UsageError(f"say how many units the world {self.name} is to draw: n")
        count = check_count(replicates, "replicates", at_least=1)
        n = check_count(units, "n", at_least=1)
        self._check_room(n, shape)
        return self._drawn(count, n, rng, shape)

    def _check_room(self, n: int, shape: Takes) -> None:
        """Refuse evidence that does not fit into memory, unless only its counts are drawn."""
        wide = [(name, getattr(self, name)) for name in _WIDE if hasattr(self, name)]
        cells = n * math.prod(value for _, value in wide)
        if cells > MOST_CELLS and shape not in COUNTED:
            with_these = "".join(f" × {name} {value:,}" for name, value in wide)
            raise UsageError(
                f"n {n:,}{with_these} is {cells:,} numbers in one sample: "
                f"at most {MOST_CELLS:,} can be drawn"
            )

    def outcomes(self, n: int, takes: Takes) -> tuple[Arrays, FloatArray] | None:  # noqa: ARG002
        """Every possible piece of evidence with its probability; None where they are too many."""
        return None

    def truth(self, measure: str, takes: Takes | None = None, n: int | None = None) -> float | None:
        """The true value of a measure of one model, or of its difference; None if not known."""
        return self._truth(WorldRequest(measure, takes or self.shapes[0], n))

    def options(
        self,
        accepted: Container[str],
        takes: Takes,
        measure: str = "",
        n: int | None = None,
    ) -> dict[str, Any]:
        """What a method must be told about the design, of the options it accepts.

        ``null`` is the value where the effect is zero, for methods that are told it.
        """
        null = self._null(WorldRequest(measure, takes, n)) if "null" in accepted else None
        return {} if null is None else {"null": null}

    @abstractmethod
    def _truth(self, asked: "WorldRequest") -> float | None: ...

    def _null(self, asked: "WorldRequest") -> float | None:  # noqa: ARG002
        return None

    @abstractmethod
    def _drawn(self, replicates: int, n: int, rng: Generator, takes: Takes) -> Arrays: ...


def evidence(takes: Takes, arrays: Arrays, replicate: int) -> tuple[Any, ...]:
    """One replicate as the positional arguments of a method that takes this shape."""
    one = {name: array[replicate] for name, array in arrays.items()}
    return _ARGUMENTS.get(takes, _in_order)(one)


def _in_order(one: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(one.values())


def _numbers(one: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(value.item() for value in one.values())


def _two_models(one: dict[str, Any]) -> tuple[Any, ...]:
    ends = ("_a", "_b")
    return tuple({k.removesuffix(e): v for k, v in one.items() if k.endswith(e)} for e in ends)


def _preferences(counts: NDArray[Any]) -> Preferences:
    """Comparisons as they were counted, all models named, also those that were not met."""
    first, second, ties = counts.astype(np.float64)
    models = tuple(f"m{place}" for place in range(1, len(first) + 1))
    return Preferences(models=models, first=first, second=second, ties=ties, placed=True)


_ARGUMENTS: dict[str, Callable[[dict[str, Any]], tuple[Any, ...]]] = {
    "counts": _numbers,
    "two-counts": _numbers,
    "margins": _numbers,
    "summary": _numbers,
    "effect": _numbers,
    "paired-table": lambda one: tuple(int(count) for count in one["cells"]),
    "groups": lambda one: (list(one["groups"]),),
    "criteria-groups": lambda one: (list(one["groups"]),),
    "many-runs": lambda one: (
        {f"m{place}": row for place, row in enumerate(one["runs"], start=1)},
    ),
    "ranks": lambda one: (
        {f"m{place}": rank for place, rank in enumerate(one["mean_ranks"].tolist(), start=1)},
        one["n"].item(),
    ),
    "bootstrap-losses-rate": lambda one: (
        one["fitted"], one["out_of_bag"], one["no_information"].item(),
    ),
    "preferences": lambda one: (_preferences(one["counts"]),),
    "model-predictions": lambda one: (one,),
    "predictions": lambda one: (one,),
    "two-predictions": _two_models,
}  # fmt: skip
"""How one replicate of a shape becomes arguments; others are the arrays in their order."""


MOST_OUTCOMES, MOST_ITEMS = 20_000, 1_000_000
"""More outcomes, or outcomes of more items, than this are not enumerated."""
NEGLIGIBLE = 1e-13
"""Outcomes of a probability below this, in all not more than 1e-9, are left out."""


def binomial_probabilities(n: int, p: float) -> FloatArray:
    """P(0 … n of n)."""
    from assay.kernels.special import gammaln, xlog1py, xlogy

    k = np.arange(n + 1.0)
    ways = gammaln(n + 1.0) - gammaln(k + 1.0) - gammaln(n - k + 1.0)
    return np.asarray(np.exp(ways + xlogy(k, p) + xlog1py(n - k, -p)))


def check_share(value: float, what: str, *, open_ends: bool = False) -> None:
    inside = 0.0 < value < 1.0 if open_ends else 0.0 <= value <= 1.0
    if not inside:
        ends = "strictly between 0 and 1" if open_ends else "between 0 and 1"
        raise UsageError(f"{what} is a share {ends}; got {value!r}")


def check_above(value: float, what: str) -> None:
    if not (value > 0.0 and np.isfinite(value)):
        raise UsageError(f"{what} is above 0; got {value!r}")


def _plain(value: Any) -> Any:
    """A pair of sizes as text, everything else as it is."""
    return "x".join(map(str, value)) if isinstance(value, tuple) else value
