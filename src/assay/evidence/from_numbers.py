"""Arguments from tables with a form of their own: resampling losses, p-values, summaries, ranks."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.methods import Method
from assay.evidence.cells import class_text, is_missing, number_of, quoted
from assay.evidence.given import Given
from assay.evidence.names import KNOWN
from assay.evidence.refusals import Arguments, refused

Sources = Sequence[Given]
_FITTED = "fitted"


def nested_losses(method: Method, sources: Sources) -> Arguments:
    """Losses by item and by the fold left out besides, and the fold of each item.

    With columns item (or id) and repeat the rows of every repeat are one layer of the answer.
    """
    (given,) = sources
    if given.table is None or not _has(given, KNOWN["fold"]):
        raise refused(method, given)
    folds = np.array([class_text(value) for value in given.role("fold", what=method.id)])
    columns = given.numbers()
    names = list(dict.fromkeys(folds.tolist()))
    ordered = [_column_of(given, columns, name) for name in sorted(names)]
    losses = np.column_stack(ordered)
    repeats = [name for name in given.names if name.strip().lower() in KNOWN["repeat"]]
    if not repeats:
        return (losses, folds), {}
    turns = [class_text(value) for value in given.cells(repeats[0])]
    layers = [np.flatnonzero([turn == one for turn in turns]) for one in dict.fromkeys(turns)]
    if len({layer.size for layer in layers}) > 1:
        raise EvidenceError(f"{given.title} has repeats with different numbers of items")
    return (np.stack([losses[at] for at in layers]), np.stack([folds[at] for at in layers])), {}


def out_of_bag_losses(method: Method, sources: Sources) -> Arguments:
    """Losses by bootstrap sample and item, NaN where the item was in the sample."""
    (given,) = sources
    _, left_out, _ = _resampled(method, given)
    return (left_out,), {}


def bootstrap_losses(method: Method, sources: Sources) -> Arguments:
    """Losses of the fitted model, and those of the samples that left an item out."""
    (given,) = sources
    fitted, left_out, rate = _resampled(method, given)
    if fitted is None:
        raise refused(method, given)
    if method.takes == "bootstrap-losses":
        return (fitted, left_out), {}
    if given.asked.no_information is not None:
        rate = given.asked.no_information
    if rate is None:
        raise UsageError(
            f"{method.id} needs the loss of uninformed predictions: with labels (a column truth) it "
            f"is computed from {given.title}, with losses give --no-information 0.5"
        )
    return (fitted, left_out, rate), {}


def p_values(method: Method, sources: Sources) -> Arguments:
    """P-values, and the pair of models each belongs to where columns a and b say so."""
    (given,) = sources
    if given.kind != "numbers":
        raise refused(method, given)
    columns = given.numbers()
    named = [name for name in columns if name.strip().lower() in ("p", "p_value")]
    if not named and len(columns) != 1:
        raise refused(method, given, "name the column with --columns")
    found = columns[(named or list(columns))[0]]
    pairs = given.named("a", "b") or given.named("first", "second")
    if pairs is None or method.id not in ("adjust_pairs", "shaffer", "bergmann_hommel"):
        return (found,), {}
    return (found, list(zip(*pairs, strict=True))), {}


def effect(method: Method, sources: Sources) -> Arguments:
    """A difference and its standard error."""
    (given,) = sources
    found = given.row("value", "standard_error")
    if found is None:
        raise refused(method, given)
    return tuple(found), {}


def summary(method: Method, sources: Sources) -> Arguments:
    """The mean, standard deviation and size of one model."""
    (given,) = sources
    found = given.row("mean", "sd", "n")
    if found is None:
        raise refused(method, given)
    return tuple(found), {}


def ranks(method: Method, sources: Sources) -> Arguments:
    """Mean ranks by model, and the number of data sets."""
    (given,) = sources
    found = given.named("model", "rank") or given.named("model", "mean_rank")
    numbers = [number_of(value) for value in found[1]] if found is not None else [None]
    if found is None or None in numbers:
        raise refused(method, given)
    if given.asked.n is None:
        raise UsageError(f"{method.id} needs the number of data sets: add --n 12")
    return (dict(zip(map(str, found[0]), numbers, strict=True)), given.asked.n), {}


def _has(given: Given, words: Sequence[str]) -> bool:
    return any(name.strip().lower() in words for name in given.names) or bool(given.asked.fold)


def _column_of(given: Given, columns: dict[str, list[float]], fold: str) -> list[float]:
    """The losses of models trained without a fold besides: the column that ends in its name."""
    found = [name for name in columns if name == fold or name.endswith(f"_{fold}")]
    if len(found) != 1:
        raise EvidenceError(
            f"{given.title} needs one column of losses for every fold, named for the fold left out "
            f"besides; fold {fold!r} has {quoted(found) or 'none'} of {quoted(columns, 20)}, for "
            f"instance without_{fold}"
        )
    return columns[found[0]]


def _resampled(method: Method, given: Given) -> tuple[FloatArray | None, FloatArray, float | None]:
    """Losses of the fitted model, losses left out (samples x items), the no-information rate."""
    if given.table is None:
        raise refused(method, given)
    truth = given.asked.truth or next(
        (name for name in given.names if name.strip().lower() in KNOWN["truth"]), None
    )
    if truth is not None:
        return _from_labels(method, given, truth)
    if given.kind != "numbers":
        raise refused(method, given)
    columns = given.numbers(missing=True)
    lowered = {name.strip().lower(): name for name in columns}
    inside = columns.pop(lowered[_FITTED]) if _FITTED in lowered else None
    if not columns:
        raise refused(method, given)
    left_out = np.array(list(columns.values()))
    return None if inside is None else np.array(inside), left_out, None


def _from_labels(
    method: Method, given: Given, truth: str
) -> tuple[FloatArray | None, FloatArray, float | None]:
    """The same from predicted labels: a loss is 1 where the label differs from the truth."""
    right = _labels(given, truth)
    others = [
        name for name in given.names if name != truth and name.strip().lower() not in KNOWN["id"]
    ]
    samples = [name for name in others if name.strip().lower() != _FITTED]
    if not samples:
        raise refused(method, given)
    left_out = np.array([_errors(_labels(given, name), right) for name in samples])
    named = [name for name in others if name not in samples]
    if not named:
        return None, left_out, None
    fitted = _labels(given, named[0])
    classes = set(right) | set(fitted)
    shares = [(right.count(one) / len(right), fitted.count(one) / len(right)) for one in classes]
    # Efron & Tibshirani (1997), eq. 28: truth and prediction drawn apart
    rate = sum(share * (1.0 - predicted) for share, predicted in shares)
    return _errors(fitted, right), left_out, rate


def _labels(given: Given, name: str) -> list[str | None]:
    return [None if is_missing(value) else class_text(value) for value in given.cells(name)]


def _errors(labels: Sequence[Any], truth: Sequence[Any]) -> FloatArray:
    pairs = zip(labels, truth, strict=True)
    return np.array([np.nan if one is None else float(one != other) for one, other in pairs])


NUMBERS: dict[str, Callable[[Method, Sources], Arguments]] = {
    "nested-losses": nested_losses,
    "out-of-bag-losses": out_of_bag_losses,
    "bootstrap-losses": bootstrap_losses,
    "bootstrap-losses-rate": bootstrap_losses,
    "p-values": p_values,
    "summary": summary,
    "effect": effect,
    "ranks": ranks,
}
