"""Shapes made of predictions: counts, tables of right and wrong, scores with their truth, losses."""

from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.wording import either
from assay.evidence.argument_checks import as_counts, as_paired_table
from assay.evidence.argument_shapes import Arguments, numbers, rows, shape, whole
from assay.evidence.item_arrays import Columns
from assay.evidence.method_source import MethodSource, counted
from assay.evidence.predictions import Predictions, Unpaired

PAIRED_CELLS = ("both_right", "only_a", "only_b", "both_wrong")
PLACED = {"delong", "auc_newcombe", "auc_score", "delong_test"}
"""Methods that need no item, only areas and their covariance: evidence may be larger than memory."""

_MATRIX_OF_COUNTS = rows("table", "50,10;4,36", metavar="3,1;1,3")
_TRUTH = numbers("truth", "0,0,0,1,1,1")
_SCORES_A, _SCORES_B = "0.1,0.4,0.3,0.35,0.8,0.9", "0.2,0.3,0.6,0.5,0.4,0.7"
_RIGHT, _CLUSTERS = "1,0,1,1,0,1,0,0", numbers("clusters", "1,1,2,2,3,3,4,4")
_LOSSES, _FOLDS = "0,1,0,0,1,0", numbers("folds", "1,1,2,2,3,3")


@shape(
    "counts",
    whole("errors", "20"),
    whole("n", "100"),
    needs="labels of one model and the truth, or columns errors and n",
    models=1,
    against_level=True,
    cluster_method="cluster_mean",
)
def counts(source: MethodSource) -> Arguments:
    """Errors and items of one model."""
    found = _rows_of_counts(source)
    if found is None:
        return _errors_and_items(source.predictions("labels"))
    if len(found) != 1:
        first = source.shape.example(source.method, *map(str, found[0]))
        raise NotApplicable(
            f"{source.title} has counts of {len(found)} models, and {source.method.id} takes one: for the first {first}"
        )
    return found[0]


@shape(
    "two-counts",
    whole("a", "20 100", "ERRORS N"),
    whole("b", "25 100", "ERRORS N"),
    needs="labels of two models on different items (two files), or columns errors and n with "
    "two rows",
    models=2,
    part=counts,
)
def two_counts(source: MethodSource) -> Arguments:
    """Errors and items of two models on different items."""
    found = _rows_of_counts(source)
    if found is not None and len(found) == 2:
        return (*found[0], *found[1])
    evidence = source.read() if source.kind == "unpaired" else None
    if isinstance(evidence, Unpaired):
        source.check_number(evidence.models)
        return tuple(count for part in evidence.parts for count in _errors_and_items(part))
    tally, method = source.tally(), source.method
    table = tally.paired_table(*tally.models)
    errors = (table.only_b + table.both_wrong, table.only_a + table.both_wrong)
    raise NotApplicable(
        f"{source.title} holds two models on the same items, and {method.id} is for different "
        "items. Use mcnemar, which compares pairs. To ignore the pairing, give the counts: "
        f"{source.shape.example(method, *(f'{wrong} {table.n}' for wrong in errors))}"
    )


@shape(
    "paired-table",
    whole("table", "50 10 4 36", "BOTH-RIGHT ONLY-A ONLY-B BOTH-WRONG"),
    needs="labels of two models on the same items and the truth, or two columns of 1 (right) and 0",
    models=2,
    cluster_method="cluster_difference",
)
def paired_table(source: MethodSource) -> Arguments:
    """Both right, only A, only B, both wrong."""
    cells = source.row(*PAIRED_CELLS)
    if cells is not None:
        return cells
    if source.kind == "numbers":
        table = as_paired_table(*_outcomes(source))
    else:
        tally = source.tally()
        table = tally.paired_table(*tally.models)
    return tuple(getattr(table, name) for name in PAIRED_CELLS)


@shape(
    "successes",
    rows("rows", "1,0,1;1,1,0;0,0,1;1,0,0", metavar="1,0;1,1"),
    needs="labels of two models and more and the truth, or a column of 1 (right) and 0 per model",
)
def successes(source: MethodSource) -> Arguments:
    """A 0/1 matrix, a column per model."""
    if source.kind == "numbers":
        return (np.column_stack(_outcomes(source)),)
    tally = source.tally()
    right = np.column_stack([tally.right(model) for model in tally.models])
    return (np.repeat(right.astype(np.float64), tally.counts, axis=0),)


@shape(
    "confusion",
    _MATRIX_OF_COUNTS,
    needs="a confusion matrix (rows truth), or labels of one model and the truth",
    models=1,
)
def confusion(source: MethodSource) -> Arguments:
    """A matrix of counts, rows truth; or labels of one model."""
    matrix = matrix_of_counts(source)
    return (source.predictions("labels") if matrix is None else matrix,)


@shape(
    "contingency-table",
    _MATRIX_OF_COUNTS,
    needs="a table of counts",
    instead_of_items="mcnemar compares two models on the same items",
)
def contingency_table(source: MethodSource) -> Arguments:
    """A matrix of counts."""
    matrix = matrix_of_counts(source)
    if matrix is None:
        raise source.refused()
    return (matrix,)


@shape(
    "scored-labels",
    _TRUTH,
    numbers("scores", _SCORES_A),
    needs="the truth and scores of one model",
    models=1,
    cluster_method="cluster_auc",
)
@shape(
    "paired-scored-labels",
    _TRUTH,
    numbers("a", _SCORES_A),
    numbers("b", _SCORES_B),
    needs="the truth and scores of two models on the same items",
    models=2,
)
def scored_labels(source: MethodSource) -> Arguments:
    """The truth, and the scores of each model."""
    evidence = source.predictions("scores")
    if source.method.id in PLACED:
        return (evidence.areas(),)
    columns = evidence.columns("scores")
    if source.method.id == "cluster_auc" and columns.clusters is not None:
        source.told["clusters"] = columns.clusters
    return (columns.truth.astype(bool), *columns.predictions)


@shape(
    "two-scored-labels",
    numbers("truth-a", "0,0,0,1,1,1"),
    numbers("a", _SCORES_A),
    numbers("truth-b", "0,0,1,1,1,1"),
    numbers("b", "0.2,0.3,0.6,0.1,0.4,0.7"),
    needs="two files, each with the truth and scores of one model",
    part=scored_labels,
)
def two_scored_labels(source: MethodSource) -> Arguments:
    """One file has the scores of both models on the same items, if any."""
    paired = source.kind == "predictions" and len(source.read().models) == 2
    hint = f"for the same items {either('`assay.delong_test(…)`', f'`assay test delong_test {source.title}`')}"
    raise source.refused(hint if paired else "")


@shape(
    "model-predictions",
    needs="predictions of one model and the truth",
    models=1,
    files=("predictions.csv",),
    cluster_method=None,
)
@shape(
    "predictions",
    needs="predictions of models on the same items and the truth",
    files=("predictions.csv",),
    cluster_method=None,
)
def predictions(source: MethodSource) -> Arguments:
    """Evidence as it is, where the number of models fits; bare columns of numbers are losses."""
    return (source.predictions(bare=source.kind == "numbers"),)


@shape(
    "two-predictions",
    needs="two files, each with the truth and one model",
    part=lambda source: (source.predictions(),),
    files=("a.csv", "b.csv"),
    cluster_method=None,
)
def two_predictions(source: MethodSource) -> Arguments:
    """Two pieces of evidence on different items, read together."""
    found = source.read() if source.kind == "unpaired" else None
    if not isinstance(found, Unpaired) or len(found.parts) != 2:
        raise source.refused()
    return found.parts


def item_values(source: MethodSource, *, right: bool = False) -> tuple[FloatArray, Columns]:
    """A value of each model (row) on each item, and what is known of the items.

    Losses stay as they are; a label counts 1 where it is wrong, or where it is ``right``.
    """
    evidence = source.predictions()
    if evidence.weighted:
        raise source.refused("with importance weights, which compare takes into account")
    if all("labels" in offered for offered in evidence.offers.values()):
        columns = evidence.columns("labels")
        counted = (columns.predictions == columns.truth) == right
        return counted.astype(np.float64), columns
    if all("losses" in offered for offered in evidence.offers.values()):
        columns = evidence.columns("losses")
        return np.asarray(columns.predictions, dtype=np.float64), columns
    raise source.refused(
        f"other measures: {either('`assay.compare(…, measure=…)`', f'`assay compare {source.title} --measure mse`')}"
    )


@shape(
    "fold-losses",
    numbers("losses", _LOSSES),
    _FOLDS,
    needs="labels (or losses) of one model on every item and a column fold",
    models=1,
)
@shape(
    "paired-fold-losses",
    numbers("a", _LOSSES),
    numbers("b", "1,1,0,0,1,1"),
    _FOLDS,
    needs="labels (or losses) of two models on every item and a column fold",
    models=2,
)
def fold_losses(source: MethodSource) -> Arguments:
    """Losses of each model on every item, and the fold of each."""
    if source.kind != "predictions":
        return _columns_by(source, "fold")
    losses, columns = item_values(source)
    folds = columns.folds if source.table is None else source.role("fold")
    if folds is None:
        raise EvidenceError(
            f"{source.method.id} needs the fold of each item: {source.naming('fold')}"
        )
    return (*losses, folds)


@shape(
    "many-fold-losses",
    rows("losses", "0,1,1;1,1,0;0,0,1;0,1,0;1,0,1;0,1,1", metavar="0,1;1,0;…"),
    _FOLDS,
    needs="labels (or losses) of two models or more on every item and a column fold",
    takes_names=True,
)
def many_fold_losses(source: MethodSource) -> Arguments:
    """Losses by item and model, and the fold of each item."""
    *losses, folds = fold_losses(source)
    if source.kind == "predictions":
        names = source.predictions().models
    else:
        names = tuple(source.numbers())
    return (dict(zip(names, losses, strict=True)), folds)


@shape(
    "fold-scored-labels",
    numbers("truth", "0,1,0,1,0,1"),
    numbers("scores", "0.2,0.6,0.4,0.3,0.1,0.9"),
    _FOLDS,
    needs="the truth, scores of one model and a column fold",
    models=1,
)
def fold_scored_labels(source: MethodSource) -> Arguments:
    """The truth, the scores of one model, and the fold of each item."""
    columns = source.predictions("scores").columns("scores")
    if columns.folds is None:
        raise source.refused(f"name the column with {source.naming('fold')}")
    return (columns.truth.astype(bool), columns.predictions[0], columns.folds)


@shape(
    "clustered-sample",
    numbers("values", _RIGHT),
    _CLUSTERS,
    needs="one column of numbers (or labels of one model and the truth) and a column cluster",
    models=1,
    cluster_method=None,
)
@shape(
    "clustered-pairs",
    numbers("a", _RIGHT),
    numbers("b", "0,0,1,0,0,1,1,0"),
    _CLUSTERS,
    needs="two columns of numbers (or labels of two models and the truth) and a column cluster",
    models=2,
    cluster_method=None,
)
def clustered_values(source: MethodSource) -> Arguments:
    """Values of each model on every item, and the cluster of each."""
    if source.kind != "predictions":
        return _columns_by(source, "cluster")
    values, columns = item_values(source, right=True)
    if columns.clusters is None:
        raise source.refused(f"name the column with {source.naming('cluster')}")
    return (*values, columns.clusters)


def _columns_by(source: MethodSource, role: Literal["fold", "cluster"]) -> Arguments:
    """Columns of numbers, and the fold or cluster of each row."""
    if source.table is None:
        raise source.refused()
    places = source.role(role)
    return (*source.number_columns(), places)


def matrix_of_counts(source: MethodSource) -> list[list[float]] | None:
    """A table of whole counts, a first column of names allowed; None where it is something else."""
    words = [name for name in source.names if source.holds_words(name)]
    rest = [name for name in source.names if name not in words]
    if source.kind == "scores" or len(words) > 1 or not rest:
        return None
    if source.kind == "predictions" and not (
        words and set(map(str, source.cells(words[0]))) == set(rest)
    ):
        return None
    columns = [source.cells(name) for name in rest]
    return [[float(value) for value in row] for row in zip(*columns, strict=True)]


def _rows_of_counts(source: MethodSource) -> list[tuple[int, int]] | None:
    """Errors and n of each row of a table of counts."""
    found = source.named("errors", "n")
    if found is None:
        return None
    checked = [as_counts(errors, n) for errors, n in zip(*found, strict=True)]
    return [(one.errors, one.n) for one in checked]


def _errors_and_items(evidence: Predictions) -> tuple[int, int]:
    tally = counted(evidence)
    right = int(tally.counts[tally.right(tally.models[0])].sum())
    return tally.n - right, tally.n


def _outcomes(source: MethodSource) -> list[FloatArray]:
    """Columns of 1 (right) and 0, two of them or more."""
    columns = list(source.numbers().values())
    binary = all(np.isin(column, (0.0, 1.0)).all() for column in columns)
    if not binary or not 2 <= len(columns) <= (source.models or len(columns)):
        raise source.refused()
    return columns
