"""Shapes of tables with a form of their own: resampling losses, p-values, summaries, ranks."""

from collections.abc import Mapping, Sequence

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.wording import either
from assay.evidence.argument_shapes import (
    Arguments,
    TypedOption,
    number,
    numbers,
    rows,
    shape,
    whole,
)
from assay.evidence.cell_text import class_text, is_missing, number_of, quoted
from assay.evidence.method_source import MethodSource
from assay.evidence.names import KNOWN

FITTED = "fitted"
"""The column of the model that was fitted to all items, beside those of bootstrap samples."""
PAIRED_P_VALUES = ("adjust_pairs", "shaffer", "bergmann_hommel")
"""Methods of p-values that know which two models each belongs to."""

Resampled = tuple[FloatArray | None, FloatArray, float | None]
"""Losses of the fitted model, losses left out (samples x items), the no-information rate."""


_OUT_OF_BAG = "0,nan,1,0;nan,1,0,nan;1,0,nan,1"
_BOOTSTRAP: tuple[TypedOption, ...] = (
    numbers("fitted", "0,0,1,0"),
    rows("out-of-bag", _OUT_OF_BAG, metavar="0,nan;nan,1"),
)


@shape(
    "margins",
    whole("errors-a", "20"),
    whole("errors-b", "25"),
    whole("n", "100"),
    needs="columns errors_a, errors_b and n with one row",
    instead_of_items="where the items are known mcnemar settles it",
)
@shape(
    "summary",
    number("mean", "0.8"),
    number("sd", "0.05"),
    number("n", "10"),
    needs="columns mean, sd and n with one row",
)
@shape(
    "effect",
    number("value", "0.02"),
    number("standard-error", "0.01"),
    needs="columns value and standard_error with one row",
)
def one_row(source: MethodSource) -> Arguments:
    """The numbers of a table of one row, whose columns are called like the options."""
    found = source.row(*(option.parameter for option in source.shape.options))
    if found is None:
        raise source.refused()
    return found


@shape(
    "nested-losses",
    rows("losses", "0,1,0;0,0,0;1,1,0;0,0,1;0,1,1;1,0,0", metavar="0,1,0;…"),
    numbers("folds", "1,1,2,2,3,3"),
    needs="a row per item, a column fold, and a column of losses per fold left out besides",
)
def nested_losses(source: MethodSource) -> Arguments:
    """Losses by item and by the fold left out besides, and the fold of each item.

    With columns item (or id) and repeat the rows of every repeat are one layer of the answer.
    """
    if source.table is None or not (source.options.fold or source.called("fold")):
        raise source.refused()
    folds = np.array([class_text(value) for value in source.role("fold")])
    columns = source.numbers()
    ordered = [_column_without(source, columns, fold) for fold in sorted(set(folds.tolist()))]
    losses = np.column_stack(ordered)
    repeats = source.called("repeat")
    if not repeats:
        return (losses, folds)
    turns = [class_text(value) for value in source.cells(repeats[0])]
    layers = [np.flatnonzero([turn == one for turn in turns]) for one in dict.fromkeys(turns)]
    if len({layer.size for layer in layers}) > 1:
        raise EvidenceError(f"{source.title} has repeats with different numbers of items")
    return (np.stack([losses[at] for at in layers]), np.stack([folds[at] for at in layers]))


@shape(
    "out-of-bag-losses",
    rows("losses", _OUT_OF_BAG, metavar="0,nan;nan,1"),
    needs="a row per item and a column of losses per bootstrap sample, empty where the item was "
    "in it",
)
def out_of_bag_losses(source: MethodSource) -> Arguments:
    """Losses by bootstrap sample and item, NaN where the item was in the sample."""
    return (_resampled(source)[1],)


@shape(
    "bootstrap-losses",
    *_BOOTSTRAP,
    needs="a row per item, a column fitted, and a column of losses per bootstrap sample, empty "
    "where the item was in it",
)
@shape(
    "bootstrap-losses-rate",
    *_BOOTSTRAP,
    number("no-information", "0.5"),
    needs=(
        "labels: a row per item, with the truth, a column fitted, and a column per bootstrap "
        "sample, empty where it contains the item"
    ),
)
def bootstrap_losses(source: MethodSource) -> Arguments:
    """Losses of the fitted model, and those of the samples that left an item out.

    The shape with the rate adds the loss of predictions that know nothing.
    """
    fitted, left_out, rate = _resampled(source)
    if fitted is None:
        raise source.refused()
    if source.method.takes == "bootstrap-losses":
        return (fitted, left_out)
    if source.options.no_information is not None:
        rate = source.options.no_information
    if rate is None:
        raise UsageError(
            f"{source.method.id} needs the loss of uninformed predictions. It is computed from labels (a column "
            f"truth); with losses give it: {either(f'`{source.shape.call(source.method)}`', '--no-information 0.5')}"
        )
    return (fitted, left_out, rate)


@shape(
    "sized-differences",
    numbers("differences", "0.09,0.02,0.05,0.07,0.03,0.08,0.04,0.05"),
    numbers("sizes", "40,40,40,40,80,80,80,80"),
    whole("n", "160"),
    needs=f"columns difference and size, and {either('n=', '--n')}",
)
def sized_differences(source: MethodSource) -> Arguments:
    """Differences of two models, the size behind each, and the size that is asked for."""
    found = source.named("difference", "size") or source.named("differences", "sizes")
    if found is None:
        raise source.refused()
    if source.options.n is None:
        how = either(f"`{source.shape.call(source.method)}`", "add --n 160")
        raise UsageError(f"{source.method.id} needs the size that is asked for: {how}")
    return (*([number_of(cell) for cell in column] for column in found), source.options.n)


@shape(
    "p-values",
    numbers("p", "0.01,0.03,0.04"),
    needs="a column of p-values",
    takes_names=True,
)
def p_values(source: MethodSource) -> Arguments:
    """P-values, and the pair of models each belongs to where columns a and b say so."""
    if source.kind != "numbers":
        raise source.refused()
    columns = source.numbers()
    named = [name for name in columns if name.strip().lower() in ("p", "p_value")]
    if not named and len(columns) != 1:
        raise source.refused(
            either("pass one column of p-values", "name the column with --columns")
        )
    found = columns[(named or list(columns))[0]]
    pairs = source.named("a", "b") or source.named("first", "second")
    if pairs is None or source.method.id not in PAIRED_P_VALUES:
        return (found,)
    return (found, list(zip(*pairs, strict=True)))


@shape(
    "ranks",
    TypedOption("ranks", "ranks", ("RF=1.7,SVM=2.1,kNN=2.2",), "RF=1.7,kNN=3.2"),
    whole("n", "12"),
    needs=f"columns model and rank, and {either('n=', '--n')}",
    takes_names=True,
)
def ranks(source: MethodSource) -> Arguments:
    """Mean ranks by model, and the number of data sets."""
    found = source.named("model", "rank") or source.named("model", "mean_rank")
    mean_ranks = [number_of(value) for value in found[1]] if found is not None else [None]
    if found is None or None in mean_ranks:
        raise source.refused()
    if source.options.n is None:
        how = either(f"`{source.shape.call(source.method)}`", "add --n 12")
        raise UsageError(f"{source.method.id} needs the number of data sets: {how}")
    return (dict(zip(map(str, found[0]), mean_ranks, strict=True)), source.options.n)


def _column_without(
    source: MethodSource, columns: Mapping[str, FloatArray], fold: str
) -> FloatArray:
    """The losses of models trained without a fold besides: the column that ends in its name."""
    found = [name for name in columns if name == fold or name.endswith(f"_{fold}")]
    if len(found) != 1:
        raise EvidenceError(
            f"{source.title} needs one column of losses for every fold, named after the other fold that was left out. "
            f"Fold {fold!r} has {quoted(found) or 'none'} of {quoted(columns, 20)}; name it for instance without_{fold}"
        )
    return columns[found[0]]


def _resampled(source: MethodSource) -> Resampled:
    """What bootstrap samples brought: from labels where there is a truth, else from losses."""
    if source.table is None:
        raise source.refused()
    truth = source.options.truth or source.column(KNOWN["truth"])
    if truth is not None:
        return _from_labels(source, truth)
    if source.kind != "numbers":
        raise source.refused()
    columns = source.numbers(missing=True)
    fitted = columns.pop(source.column([FITTED]) or FITTED, None)
    if not columns:
        raise source.refused()
    left_out = np.array(list(columns.values()))
    return fitted, left_out, None


def _from_labels(source: MethodSource, truth: str) -> Resampled:
    """The same from predicted labels: a loss is 1 where the label differs from the truth."""
    ids, name = source.called("id"), source.column([FITTED])
    samples = [one for one in source.names if one not in (truth, name, *ids)]
    if not samples:
        raise source.refused()
    right = _labels(source, truth)
    left_out = np.array([_errors(_labels(source, one), right) for one in samples])
    if name in (None, truth):
        return None, left_out, None
    fitted = _labels(source, name)
    classes = set(right) | set(fitted)
    shares = [(right.count(one) / len(right), fitted.count(one) / len(right)) for one in classes]
    # Efron & Tibshirani (1997), eq. 28: truth and prediction drawn apart
    rate = sum(share * (1.0 - predicted) for share, predicted in shares)
    return _errors(fitted, right), left_out, rate


def _labels(source: MethodSource, name: str) -> list[str | None]:
    return [None if is_missing(value) else class_text(value) for value in source.cells(name)]


def _errors(labels: Sequence[str | None], truth: Sequence[str | None]) -> FloatArray:
    pairs = zip(labels, truth, strict=True)
    return np.array([np.nan if one is None else float(one != other) for one, other in pairs])
