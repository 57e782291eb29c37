"""The numbers and arrays that a method was given, checked: counts, tables, confusions, scored labels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import BoolArray, FloatArray
from assay.core.checks import as_array, as_labels, as_matrix, as_values, check_count, shape_of
from assay.core.errors import EvidenceError
from assay.evidence.confusion import checked_confusion
from assay.evidence.predictions import Predictions
from assay.evidence.tally import PairedTable
from assay.kernels.delong import PlacedAreas, placed_areas


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """``errors`` of ``n`` items."""

    errors: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TruthAndScores:
    """Truth (True is the positive class) and the scores of one or more models on the same items."""

    truth: BoolArray
    scores: FloatArray  # (models, items)


def as_counts(*given: Any) -> Counts:
    """``errors, n``."""
    if len(given) == 1:
        raise _no_evidence(given[0])
    if len(given) != 2:
        raise EvidenceError("give the number of errors and the number of items: (errors, n)")
    n = check_count(given[1], "n", at_least=1)
    errors = check_count(given[0], "errors")
    if errors > n:
        raise EvidenceError(f"{errors} errors of {n} items: there cannot be more errors than items")
    return Counts(errors=errors, n=n)


def as_two_counts(*given: Any) -> tuple[Counts, Counts]:
    """``errors_a, n_a, errors_b, n_b``."""
    if len(given) != 4:
        raise EvidenceError("give errors and items of both models: (errors_a, n_a, errors_b, n_b)")
    return as_counts(*given[:2]), as_counts(*given[2:])


def as_paired_table(*given: Any) -> PairedTable:
    """Four counts, a 2 x 2 table, or two arrays of right (1) and wrong (0)."""
    if len(given) == 2:
        return _paired_table_of_outcomes(*given)
    if len(given) == 1:
        if not (isinstance(given[0], Sequence | np.ndarray) and shape_of(given[0]) == (2, 2)):
            raise _no_evidence(given[0])
        given = tuple(as_array(given[0], "the table").ravel().tolist())
    if len(given) != 4:
        raise EvidenceError("give four counts: (both_right, only_a, only_b, both_wrong)")
    names = ("both_right", "only_a", "only_b", "both_wrong")
    counts = [check_count(value, name) for name, value in zip(names, given, strict=True)]
    if sum(counts) == 0:
        raise EvidenceError("the table is empty: no item was tested")
    return PairedTable(**dict(zip(names, counts, strict=True)))


def as_successes(matrix: Any) -> FloatArray:
    """A 0/1 matrix, rows items and columns models."""
    array = as_matrix(matrix, "successes", rows=1, columns=2)
    if not ((array == 0.0) | (array == 1.0)).all():
        raise EvidenceError(
            "successes are 1 (right) or 0 (wrong); for scores use friedman or paired_t"
        )
    return array


def as_confusion(given: tuple[Any, ...]) -> tuple[FloatArray, tuple[str, ...], str | None]:
    """A confusion matrix (rows truth), its classes and the positive one, where one is known.

    It comes from a matrix, whose classes are counted from 0, from two arrays or from predictions.
    """
    if len(given) == 1 and as_array(given[0], "the confusion matrix").ndim == 2:
        matrix = checked_confusion(given[0], "the confusion matrix", at_least=2)
        if matrix.sum() == 0:
            raise EvidenceError("a confusion matrix holds whole counts, not all of them 0")
        classes = tuple(str(place) for place in range(len(matrix)))
        return matrix, classes, "1" if len(classes) == 2 else None
    if len(given) not in (1, 2):
        raise EvidenceError("give truth and prediction, or one confusion matrix (rows truth)")
    evidence = given[0]
    if len(given) == 2:
        from assay.evidence.reading import read

        evidence = read({"truth": given[0], "prediction": given[1]})
    predictions = as_predictions(evidence)
    tally = predictions.tally()
    return tally.confusion(tally.models[0]), tally.classes, predictions.positive


def as_scored_labels(truth: Any, *scores: Any) -> TruthAndScores:
    """Truth (0/1 or two classes, the later one positive) and scores of each model."""
    if not scores:
        raise _no_evidence(truth)
    labels = as_labels(truth, "truth")
    if labels.ndim != 1 or labels.size == 0:
        raise EvidenceError(f"truth must be one list of labels; got shape {labels.shape}")
    rows = [as_values(score, "scores") for score in scores]
    for row in rows:
        if row.size != labels.size:
            raise EvidenceError(f"{labels.size} labels but {row.size} scores: one of each per item")
    kinds = _kinds(labels)
    if kinds.size > 2:
        raise EvidenceError(
            f"ROC methods need two classes; truth has {kinds.size}: use roc_auc_ovr"
        )
    positive = kinds[-1] if kinds.size == 2 else _lone_positive(kinds[0])
    return TruthAndScores(truth=np.asarray(labels == positive), scores=np.vstack(rows))


def as_placed_areas(*given: Any) -> PlacedAreas:
    """Areas under ROC curves and what DeLong needs beside them, of scores, or as they are.

    Evidence may be larger than memory: then its engine places the items and only sums come back.
    """
    if len(given) == 1 and isinstance(given[0], PlacedAreas):
        return given[0]
    labels = as_scored_labels(*given)
    return placed_areas(labels.truth, labels.scores)


def as_predictions(evidence: Any) -> Predictions:
    """Predictions of models on the same items; all else is refused."""
    if isinstance(evidence, Predictions):
        return evidence
    raise _no_evidence(evidence)


def _no_evidence(value: Any) -> EvidenceError:
    """The refusal of a value that is neither the numbers of a method nor evidence."""
    return EvidenceError(
        f"expected numbers or evidence (a path, a frame, a mapping of names to arrays), got {type(value).__name__}"
    )


def _kinds(labels: NDArray[Any]) -> NDArray[Any]:
    """The distinct labels; of two numbers without sorting."""
    if labels.dtype.kind in "biuf":
        ends = np.array([labels.min(), labels.max()])
        if ((labels == ends[0]) | (labels == ends[1])).all():
            return np.unique(ends)
    return np.unique(labels)


def _lone_positive(kind: Any) -> Any:
    """With one class only, 0, False and "0" are taken as negative."""
    return kind if str(kind) not in ("0", "0.0", "False") else object()


def _paired_table_of_outcomes(a: Any, b: Any) -> PairedTable:
    """Right and wrong of both models, counted; arrays of True and False without copies."""
    first, second = as_array(a, "the outcomes of A"), as_array(b, "the outcomes of B")
    if first.ndim != 1 or first.shape != second.shape or not first.size:
        raise EvidenceError(
            "one outcome of each model per item, in two lists of one length: "
            f"got shapes {first.shape} and {second.shape}"
        )
    if not first.dtype == second.dtype == np.bool_:
        first, second = as_successes(np.column_stack([first, second])).T == 1
    both, right_a, right_b = (int(np.count_nonzero(one)) for one in (first & second, first, second))
    return PairedTable(
        both_right=both,
        only_a=right_a - both,
        only_b=right_b - both,
        both_wrong=first.size - right_a - right_b + both,
    )
