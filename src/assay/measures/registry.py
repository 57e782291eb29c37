"""What a measure is: a function with its direction, its range and the evidence it needs."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from importlib import import_module
from types import MappingProxyType
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.core.results import Estimate
from assay.core.vocabulary import Sense
from assay.evidence.names import evident_positive
from assay.evidence.open_questions import which_positive

Needs = Literal["labels", "scores", "probabilities", "values", "losses"]
Reduction = Literal["tally", "sorted_scores", "moments", "rows"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One way of counting what is good.

    ``function`` depends on ``reduction``; undefined values are NaN, never 0:

    - tally: confusion matrices ``(..., C, C)`` (rows truth, columns prediction) -> ``(...)``;
      call it on the measure that :meth:`bind` returns, which knows classes and positive class
    - sorted_scores: ``(truth, scores, weights=None)``, weights ``(..., n)`` -> ``(...)``; truth is
      0/1, or class codes where scores are ``(n, C)`` probabilities. ``prepare(truth, scores)``
      sorts once and returns the function of weights alone, for many chunks of replicates
    - moments: means of ``features`` ``(..., q)`` -> ``(...)``; with q = 1 a monotone function of
      one mean, and ``is_mean`` where it is that mean itself
    - rows: ``(truth, prediction, weight=None)`` -> float; whole-number weights stand for copies;
      ``prepare`` as above, where sorting once is quicker

    ``features`` maps (truth, prediction) to a matrix ``(n, q)`` for ``moments``.
    ``proportion``, where the measure is a monotone function of a proportion k/m, gives
    ``(k, m)`` from one confusion matrix, and ``from_proportion`` the measure from k/m.
    """

    name: str
    title: str
    direction: Sense
    low: float
    high: float
    needs: Needs
    reduction: Reduction
    function: Callable[..., Any] = field(repr=False)
    features: Callable[..., Any] | None = field(default=None, repr=False)
    prepare: Callable[..., Callable[..., Any]] | None = field(default=None, repr=False)
    limit: Callable[..., FloatArray | None] | None = field(default=None, repr=False)
    """``(truth, prediction, n_resamples, seed)`` of very many items: the measure in resamples that are
    not drawn item by item; None where that will not do."""
    proportion: Callable[..., tuple[float, float]] | None = field(default=None, repr=False)
    from_proportion: Callable[[float], float] | None = field(default=None, repr=False)
    two_classes: bool = False
    instead: str | None = None
    """What to use when a two-class measure meets many classes."""
    for_class: str | None = None
    """The class against all others, as in ``recall[cat]``."""
    class_order: tuple[str, ...] | None = None
    """The classes in the order ``function`` wants them, where the canonical order will not do."""
    margins: Callable[[FloatArray, FloatArray, FloatArray], FloatArray] | None = None
    """Of tally measures that see no more of a matrix than its diagonal and the sums of its rows and
    columns, each ``(..., C)``: the same from those, for classes too many for matrices."""
    of_right: Callable[[Any, Any], FloatArray] | None = field(default=None, repr=False)
    """Of tally measures that see only how many items are right, of how many: the same from those."""
    of_area: float | None = None
    """Of measures that are linear in the area under the ROC curve and 1 where it is: how steeply they rise."""
    is_mean: bool = False
    squared: bool = False
    """A mean of squares of errors, which may be as large as they like: a few unseen ones may decide."""
    biased: bool = False
    """It lies too high, and its replicates above it, as calibration errors do: sizes of gaps, which noise widens."""
    basis: str = ""
    """The items that it is a proportion of, where they are not all items: positives of recall."""
    counts: Literal["right", "wrong"] | None = None
    """Where the measure is the share of items answered right, or wrong: which."""
    comparable: bool = True
    """False where neither direction is better (a signed bias): estimate it, do not compare it."""
    requirement: str = "M7"
    chance: float | None = None
    """The value of an uninformed model where it is fixed, such as 0.5 for AUC."""
    typed: str = field(default="", compare=False)
    """The other name it was asked for by, such as sensitivity for recall; what is shown has it."""

    @property
    def called(self) -> str:
        """The name that is shown: the one that was typed."""
        return self.typed or self.name

    def bind(self, classes: tuple[str, ...], positive: str | None = None) -> "Measure":
        """The measure for evidence of these classes (canonical order), free of further questions.

        Two-class measures learn which class is positive, and ask where nobody said; ``name[class]``
        says which class is meant; a two-class measure refuses many classes and names another.
        """
        if not classes:
            return self
        if self.class_order is not None:
            return _reordered(self, self.class_order, classes)
        if self.for_class is not None:
            return _collapsed(self, _position(classes, self.for_class, self.name))
        if not self.two_classes:
            return self
        if len(classes) > 2:
            shown = ", ".join(classes[:5]) + (", …" if len(classes) > 5 else "")
            raise NotApplicable(
                f"{self.called} needs two classes, and there are {len(classes)} ({shown}): "
                f"use {str(self.instead).replace(f'{self.name}[', f'{self.called}[')}"
            )
        if self.needs == "scores":  # their truth is 0/1 already
            return self
        return _collapsed(self, _positive_position(classes, positive, self.name))


def ratio(numerator: Any, denominator: Any) -> FloatArray:
    """The quotient; 0/0 is NaN (undefined) and x/0 infinite, without a warning."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.true_divide(numerator, denominator))


def one_vs_rest(confusions: FloatArray, position: int | None) -> FloatArray:
    """Matrices ``(..., 2, 2)`` of one class (index 1) against all others; None: it never occurs."""
    if confusions.shape[-1] == 2 and position is not None:  # sums of two are slow by the million
        return confusions if position == 1 else confusions[..., ::-1, ::-1]
    total = confusions.sum((-2, -1))
    cells = np.zeros((*confusions.shape[:-2], 2, 2))
    if position is None:
        cells[..., 0, 0] = total
        return cells
    hit = confusions[..., position, position]
    cells[..., 1, 1] = hit
    cells[..., 1, 0] = confusions[..., position, :].sum(-1) - hit
    cells[..., 0, 1] = confusions[..., :, position].sum(-1) - hit
    cells[..., 0, 0] = total - cells[..., 1, 1] - cells[..., 1, 0] - cells[..., 0, 1]
    return cells


def _collapsed(measure: Measure, position: int | None) -> Measure:
    """The measure of one class against the rest, on evidence of all classes."""

    def of_matrix(confusions: Any) -> tuple[FloatArray]:
        return (one_vs_rest(np.asarray(confusions, dtype=np.float64), position),)

    def of_columns(truth: Any, prediction: Any, *rest: Any) -> tuple[Any, ...]:
        column = -1 if position is None else position
        chosen = prediction[:, column] if np.ndim(prediction) == 2 else prediction
        return (np.asarray(truth) == position, chosen, *rest)

    def of_margins(hits: FloatArray, truth: FloatArray, predicted: FloatArray) -> FloatArray:
        cells = np.zeros((*hits.shape[:-1], 2, 2))
        if position is not None:
            cells[..., 1, 1] = hits[..., position]
            cells[..., 1, 0] = truth[..., position] - hits[..., position]
            cells[..., 0, 1] = predicted[..., position] - hits[..., position]
        cells[..., 0, 0] = truth.sum(-1) - cells[..., 1, 1] - cells[..., 1, 0] - cells[..., 0, 1]
        return np.asarray(measure.function(cells))

    view = of_matrix if measure.reduction == "tally" else of_columns
    changes: dict[str, Any] = {"two_classes": False, "for_class": None}
    changes["margins"] = of_margins if measure.reduction == "tally" else None
    changes["of_right"] = None  # one class against the rest has other right items
    fields = ["features", "prepare", "limit", "proportion"]
    if measure.reduction != "moments":  # there ``function`` sees means only
        fields.append("function")
    for name in fields:
        inner = getattr(measure, name)
        changes[name] = None if inner is None else _after(view, inner)
    return replace(measure, **changes)


def _after(view: Callable[..., tuple[Any, ...]], inner: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *evidence: inner(*view(*evidence))


def _reordered(measure: Measure, order: tuple[str, ...], classes: tuple[str, ...]) -> Measure:
    """The measure on matrices in the order of ``classes``; a class that never occurred is empty."""
    places = np.array([_position(order, name, measure.name) for name in classes])
    inner = measure.function

    def function(confusions: Any) -> Any:
        given = np.asarray(confusions, dtype=np.float64)
        full = np.zeros((*given.shape[:-2], len(order), len(order)))
        full[..., places[:, None], places[None, :]] = given
        return inner(full)

    return replace(measure, function=function, class_order=None)


def _position(classes: tuple[str, ...], name: str, measure: str) -> int:
    if name not in classes:
        raise EvidenceError(f"{measure}: there is no class {name!r}; classes: {', '.join(classes)}")
    return classes.index(name)


def _positive_position(classes: tuple[str, ...], positive: str | None, measure: str) -> int | None:
    """Where the positive class is; with one class only it may not occur at all."""
    if positive is None:
        if len(classes) < 2:
            raise EvidenceError(
                f"{measure}: only the class {classes[0]!r} occurs, so nothing tells which class is "
                "positive: say positive=…"
            )
        evident = evident_positive(classes)
        if evident is None:
            raise AmbiguousEvidence([which_positive(classes, measure)])
        return classes.index(evident)
    if len(classes) < 2 and positive not in classes:
        return None
    return _position(classes, positive, measure)


_REGISTRY: dict[str, Measure] = {}
_ALIASES: dict[str, str] = {
    "mean_squared_error": "mse",
    "root_mean_squared_error": "rmse",
    "mean_absolute_error": "mae",
    "mean_absolute_percentage_error": "mape",
    "median_absolute_error": "median_ae",
    "matthews_corrcoef": "mcc",
    "cohen_kappa_score": "kappa",
    "brier_score_loss": "brier",
}
"""Other names of measures by what they are called here; first those of scikit-learn's functions."""
_FAMILIES: list[tuple[str, re.Pattern[str], Callable[..., Measure]]] = []

FAMILIES: tuple[str, ...] = (
    "assay.measures.labels",
    "assay.measures.costs",
    "assay.measures.ranking",
    "assay.measures.probabilities",
    "assay.measures.calibration",
    "assay.measures.values",
)


def register(measure: Measure, *aliases: str) -> Measure:
    """Enter a measure in the registry, under its name and its aliases, and return it."""
    _REGISTRY[measure.name] = measure
    _ALIASES.update(dict.fromkeys(aliases, measure.name))
    return measure


def known_measure(name: str) -> Measure | None:
    """The measure of a name, or None of a name that the registry does not know."""
    try:
        return find_measure(name)
    except UsageError:
        return None


def registered_name(name: str) -> str:
    """The registry's name of a measure that may have been typed otherwise, or of one that it does not know."""
    found = known_measure(name)
    return name if found is None else found.name


def basis_of(estimate: Estimate) -> tuple[int, str]:
    """How many items an estimate rests on, and which; no word where it is all of them."""
    whole = dict(estimate.details).get("n")
    if not isinstance(whole, int) or whole == estimate.n:
        return estimate.n, ""
    measure = known_measure(estimate.measure.partition("[")[0])
    return (estimate.n, "") if measure is None or not measure.basis else (whole, measure.basis)


def register_family(example: str, pattern: str, build: Callable[..., Measure]) -> None:
    """Enter names with a parameter: ``build`` gets the groups of ``pattern`` as text."""
    _FAMILIES.append((example, re.compile(pattern), build))


@cache
def _load() -> None:
    for family in FAMILIES:
        import_module(family)


def measures() -> Mapping[str, Measure]:
    """All measures by name, M1 to M7, without aliases and parametrised names."""
    _load()
    ordered = sorted(_REGISTRY.items(), key=lambda entry: entry[1].requirement)
    return MappingProxyType(dict(ordered))


def parametrised() -> tuple[str, ...]:
    """One example of each kind of name that carries a parameter, such as ``partial_auc[0.1]``."""
    measures()
    return tuple(example for example, _, _ in _FAMILIES)


COMMON = ("accuracy", "f1", "roc_auc", "log_loss", "brier", "rmse", "mae", "r2")
"""Measures that are named where one is unknown."""


def find_measure(measure: "str | Measure | Callable[..., float]") -> Measure:
    """A measure by name, itself, or a user's function of (truth, prediction[, weight])."""
    if isinstance(measure, Measure):
        return measure
    _load()
    if callable(measure):
        from assay.measures.custom import from_function

        name = getattr(measure, "__name__", "")
        if (
            getattr(measure, "__module__", "").startswith("sklearn.metrics")
            and _key(name) in _REGISTRY
        ):
            return find_measure(name)
        return from_function(measure)
    if not isinstance(measure, str):
        raise UsageError(f"a measure is a name, a Measure or a function; got {measure!r}")
    known = _REGISTRY
    head, bracket, rest = measure.strip().partition("[")
    asked = head.replace("-", "_").lower()
    key = _key(asked)
    if asked != key:
        return replace(find_measure(key + bracket + rest), typed=measure.strip())
    if not bracket and key in known:
        return known[key]
    for _, pattern, build in _FAMILIES:
        match = pattern.fullmatch(key + bracket + rest)
        if match:
            return build(*match.groups())
    if bracket and rest.endswith("]") and key in known:
        return _for_class(known[key], rest[:-1])
    raise UsageError(f"there is no measure {measure!r}{_hint(key, measures())}")


def _key(asked: str) -> str:
    """The name in the registry of a measure that is called otherwise elsewhere."""
    stem = asked.removesuffix("_score")
    return _ALIASES.get(asked) or (stem if stem in _REGISTRY else asked)


def _for_class(measure: Measure, name: str) -> Measure:
    if not (measure.two_classes and measure.reduction == "tally"):
        raise UsageError(
            f"{measure.name} is not a measure of one class; {measure.name}[{name}] has no meaning"
        )
    return replace(
        measure,
        name=f"{measure.name}[{name}]",
        title=f"{measure.title} of class {name}",
        for_class=name,
        two_classes=False,
    )


def _hint(key: str, known: Mapping[str, Measure]) -> str:
    from difflib import get_close_matches

    positive = key.removeprefix("neg_")  # scikit-learn's scorers negate losses
    if positive != key and (positive in known or positive in _ALIASES):
        return f"; did you mean {_ALIASES.get(positive, positive)}, of which lower is better?"
    needing = [example for example, _, _ in _FAMILIES if example.split("[")[0] == key]
    if needing:
        return f"; it needs a parameter, such as {' or '.join(needing)}"
    names, words = [*known, *_ALIASES], sorted(key.split("_"))
    alike = [name for name in names if sorted(name.split("_")) == words or name.startswith(key)]
    near = list(dict.fromkeys([*alike, *get_close_matches(key[:60], names, n=3, cutoff=0.5)]))[:3]
    if near:
        return f"; did you mean {' or '.join(near)}?"
    return f"; known are {', '.join(COMMON)} and {len(known) - len(COMMON)} more (docs/measures.md)"
