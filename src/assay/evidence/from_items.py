"""Arguments from predictions: counts, tables of right and wrong, scores with their truth, losses."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from assay.core.checks import FloatArray
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import Method
from assay.evidence.given import Given
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.refusals import Arguments, refused
from assay.evidence.shapes import as_counts, as_paired_table, as_successes, as_two_counts

Sources = Sequence[Given]


def counts(method: Method, sources: Sources) -> Arguments:
    """Errors and items of one model."""
    (given,) = sources
    rows = _rows_of_counts(given)
    if rows is not None:
        if len(rows) != 1:
            errors, n = rows[0]
            raise NotApplicable(
                f"{given.title} has counts of {len(rows)} models, and {method.id} takes one: for the "
                f"first `assay test {method.id} --errors {errors} --n {n}`"
            )
        return rows[0], {}
    if given.kind != "predictions":
        raise refused(method, given)
    found = as_counts(_with_labels(method, given, 1))
    return (found.errors, found.n), {}


def two_counts(method: Method, sources: Sources) -> Arguments:
    """Errors and items of two models on different items."""
    if len(sources) == 2:
        return tuple(number for one in sources for number in counts(method, [one])[0]), {}
    (given,) = sources
    rows = _rows_of_counts(given)
    if rows is not None and len(rows) == 2:
        return (*rows[0], *rows[1]), {}
    if given.kind == "unpaired":
        found = as_two_counts(given.read())
        return (found[0].errors, found[0].n, found[1].errors, found[1].n), {}
    if given.kind != "predictions":
        raise refused(method, given)
    table = as_paired_table(_with_labels(method, given, 2))
    errors = (table.only_b + table.both_wrong, table.only_a + table.both_wrong)
    raise NotApplicable(
        f"{given.title} holds two models on the same items, and {method.id} is for different items: "
        f"mcnemar is the paired answer; to set the pairing aside give the counts, `assay test "
        f"{method.id} --a {errors[0]} {table.n} --b {errors[1]} {table.n}"
        f"{' --margin 0.05' if method.family == 'equivalence' else ''}`"
    )


def margins(method: Method, sources: Sources) -> Arguments:
    """Errors of two models of the same n, the joint table not known."""
    (given,) = sources
    found = given.row("errors_a", "errors_b", "n")
    if found is not None:
        return tuple(found), {}
    if given.kind == "predictions":
        raise refused(method, given, "where the items are known mcnemar settles it")
    raise refused(method, given)


def paired_table(method: Method, sources: Sources) -> Arguments:
    """Both right, only A, only B, both wrong."""
    (given,) = sources
    names = ("both_right", "only_a", "only_b", "both_wrong")
    cells = given.row(*names)
    if cells is not None:
        return tuple(cells), {}
    if given.kind == "numbers":
        columns = given.numbers()
        if len(columns) == 2 and _are_binary(columns.values()):
            table = as_paired_table(*columns.values())
        else:
            raise refused(method, given)
    elif given.kind == "predictions":
        table = as_paired_table(_with_labels(method, given, 2))
    else:
        raise refused(method, given)
    return tuple(getattr(table, name) for name in names), {}


def successes(method: Method, sources: Sources) -> Arguments:
    """A 0/1 matrix, a column per model."""
    (given,) = sources
    if given.kind == "numbers":
        columns = given.numbers()
        if len(columns) < 2 or not _are_binary(columns.values()):
            raise refused(method, given)
        return (np.column_stack(list(columns.values())),), {}
    if given.kind != "predictions":
        raise refused(method, given)
    return (as_successes(_with_labels(method, given)),), {}


def confusion(method: Method, sources: Sources) -> Arguments:
    """A matrix of counts, rows truth; or predictions of one model."""
    (given,) = sources
    matrix = matrix_of_counts(given)
    if matrix is not None:
        return (matrix,), {}
    if given.kind != "predictions" or method.takes != "confusion":
        instead = "mcnemar compares two models on the same items"
        raise refused(method, given, instead if given.kind == "predictions" else "")
    return (_with_labels(method, given, 1),), {}


PLACED = {"delong", "auc_newcombe", "auc_score", "delong_test"}
"""Methods that need no item, only areas and their covariance: evidence may be larger than memory."""


def scored_labels(method: Method, sources: Sources) -> Arguments:
    """The truth and the scores of one model; of two for the paired shape."""
    (given,) = sources
    if given.kind != "predictions":
        raise refused(method, given)
    models = 1 if method.takes == "scored-labels" else 2
    evidence = _offering(method, given, given.predictions(models), "scores")
    if method.id in PLACED:
        return (evidence.areas(),), {}
    columns = evidence.columns("scores")
    options: dict[str, Any] = {}
    if method.id == "cluster_auc" and columns.clusters is not None:
        options = {"clusters": columns.clusters}
    return (columns.truth.astype(bool), *columns.predictions), options


def two_scored_labels(method: Method, sources: Sources) -> Arguments:
    """The truth and the scores of each of two models, on different items."""
    if len(sources) == 1:
        (given,) = sources
        if given.kind == "predictions" and len(given.predictions().models) == 2:
            raise refused(
                method, given, f"for the same items `assay test delong_test {given.title}`"
            )
        raise refused(method, given)
    found: list[Any] = []
    for given in sources:
        if given.kind != "predictions":
            raise refused(method, given)
        evidence = _offering(method, given, given.predictions(1), "scores")
        columns = evidence.columns("scores")
        found += [columns.truth.astype(bool), columns.predictions[0]]
    return tuple(found), {}


def predictions(method: Method, sources: Sources) -> Arguments:
    """Evidence as it is, where the number of models fits; bare columns of numbers are losses."""
    (given,) = sources
    if given.kind not in ("predictions", "numbers"):
        raise refused(method, given)
    return (given.predictions(1 if method.takes == "model-predictions" else None),), {}


def two_predictions(method: Method, sources: Sources) -> Arguments:
    """Two pieces of evidence on different items."""
    if len(sources) == 1:
        found = sources[0].read() if sources[0].kind == "unpaired" else None
        if isinstance(found, Unpaired) and len(found.parts) == 2:
            return found.parts, {}
        raise refused(method, sources[0])
    for given in sources:
        if given.kind != "predictions":
            raise refused(method, given)
    return tuple(given.predictions(1) for given in sources), {}


def losses_of(method: Method, given: Given, count: int) -> FloatArray:
    """The loss of each model (row) on each item: errors of labels, or losses as they are."""
    evidence = given.predictions(count)
    if evidence.weighted:
        raise refused(method, given, "with importance weights; `assay compare` allows for them")
    if all("labels" in evidence.offers[model] for model in evidence.models):
        columns = evidence.columns("labels")
        return np.asarray(columns.predictions != columns.truth, dtype=np.float64)
    if all("losses" in evidence.offers[model] for model in evidence.models):
        return np.asarray(evidence.columns("losses").predictions, dtype=np.float64)
    raise refused(
        method, given, f"other measures are compared by `assay compare {given.title} --measure mse`"
    )


def fold_losses(method: Method, sources: Sources) -> Arguments:
    """Losses of one model (or two) on every item, and the fold of each."""
    (given,) = sources
    count = 2 if method.takes == "paired-fold-losses" else 1
    if given.kind == "predictions":
        found = losses_of(method, given, count)
        folds = given.role("fold", what=method.id) if given.table else _folds_of(method, given)
        return (*found, folds), {}
    if given.table is None:
        raise refused(method, given)
    folds = given.role("fold", what=method.id)
    columns = given.numbers()
    if len(columns) != count:
        raise given.too_many(list(columns), count)
    return (*columns.values(), folds), {}


def fold_scored_labels(method: Method, sources: Sources) -> Arguments:
    """The truth, the scores of one model, and the fold of each item."""
    (given,) = sources
    if given.kind != "predictions":
        raise refused(method, given)
    evidence = _offering(method, given, given.predictions(1), "scores")
    columns = evidence.columns("scores")
    if columns.folds is None:
        raise refused(method, given, "name the column with --fold-column")
    return (columns.truth.astype(bool), columns.predictions[0], columns.folds), {}


def clustered(method: Method, sources: Sources) -> Arguments:
    """Values of one model (or two) on every item, and the cluster of each."""
    (given,) = sources
    count = 2 if method.takes == "clustered-pairs" else 1
    if given.kind == "predictions":
        evidence = given.predictions(count)
        if all("labels" in evidence.offers[model] for model in evidence.models):
            found = 1.0 - losses_of(method, given, count)
            clusters = evidence.columns("labels").clusters
        else:
            found = losses_of(method, given, count)
            clusters = evidence.columns("losses").clusters
        if clusters is None:
            raise refused(method, given, "name the column with --cluster-column")
        return (*found, clusters), {}
    if given.kind != "numbers":
        raise refused(method, given)
    columns = given.numbers()
    names = given.role("cluster", what=method.id)
    if len(columns) != count:
        raise given.too_many(list(columns), count)
    return (*columns.values(), names), {}


def matrix_of_counts(given: Given) -> list[list[float]] | None:
    """A table of whole counts, a first column of names allowed; None where it is something else."""
    if given.table is None:
        return None
    words = [name for name in given.names if _is_words(given, name)]
    rest = [name for name in given.names if name not in words]
    if given.kind == "scores" or len(words) > 1 or not rest:
        return None
    if given.kind == "predictions" and not words:
        return None
    if words and given.kind == "predictions" and set(given.cells(words[0])) != set(rest):
        return None
    columns = [given.cells(name) for name in rest]
    return [[float(value) for value in row] for row in zip(*columns, strict=True)]


def _is_words(given: Given, name: str) -> bool:
    from assay.evidence.cells import is_missing, number_of

    return any(is_missing(value) or number_of(value) is None for value in given.cells(name))


def _rows_of_counts(given: Given) -> list[tuple[int, int]] | None:
    """Errors and n of each row of a table of counts."""
    found = given.named("errors", "n")
    if found is None:
        return None
    counted = [as_counts(errors, n) for errors, n in zip(*found, strict=True)]
    return [(one.errors, one.n) for one in counted]


def _are_binary(columns: Any) -> bool:
    return all(set(column) <= {0.0, 1.0} for column in columns)


def _with_labels(method: Method, given: Given, count: int | None = None) -> Predictions:
    return _offering(method, given, given.predictions(count), "labels")


def _offering(method: Method, given: Given, evidence: Predictions, needs: Any) -> Predictions:
    """Evidence in which every model brings what is needed."""
    for model in evidence.models:
        if needs not in evidence.offers[model]:
            has = " and ".join(sorted(evidence.offers[model]))
            instead = f"{model!r} brings {has}"
            if needs == "labels" and "scores" in evidence.offers[model]:
                instead += ": `assay evaluate --measure roc_auc` measures scores as they are"
            raise refused(method, given, instead)
    return evidence


def _folds_of(method: Method, given: Given) -> Any:
    evidence = given.predictions()
    needs: Any = "labels" if "labels" in evidence.offers[evidence.models[0]] else "losses"
    folds = evidence.columns(needs).folds
    if folds is None:
        raise EvidenceError(f"{method.id} needs the fold of each item: assay.read(…, fold=COLUMN)")
    return folds


ITEMS: dict[str, Callable[[Method, Sources], Arguments]] = {
    "counts": counts,
    "two-counts": two_counts,
    "margins": margins,
    "paired-table": paired_table,
    "successes": successes,
    "confusion": confusion,
    "contingency-table": confusion,
    "scored-labels": scored_labels,
    "paired-scored-labels": scored_labels,
    "two-scored-labels": two_scored_labels,
    "model-predictions": predictions,
    "predictions": predictions,
    "two-predictions": two_predictions,
    "fold-losses": fold_losses,
    "paired-fold-losses": fold_losses,
    "fold-scored-labels": fold_scored_labels,
    "clustered-sample": clustered,
    "clustered-pairs": clustered,
}
