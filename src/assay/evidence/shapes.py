"""Raw arguments turned into the shape a method takes: numbers, arrays, or evidence of any kind."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.checks import FloatArray, as_matrix, as_values, check_count
from assay.core.errors import EvidenceError, NotApplicable
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.evidence.tally import PairedTable, Tally
from assay.kernels.delong import PlacedAreas, placed_areas


@dataclass(frozen=True, slots=True, kw_only=True)
class Counts:
    """``errors`` of ``n`` items."""

    errors: int
    n: int


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ScoredLabels:
    """Truth (True is the positive class) and the scores of one or more models on the same items."""

    truth: NDArray[np.bool_]
    scores: FloatArray  # (models, items)


def as_counts(*evidence: Any) -> Counts:
    """``errors, n`` as numbers, or evidence of one model with labels."""
    if len(evidence) == 2:
        n = check_count(evidence[1], "n", at_least=1)
        errors = check_count(evidence[0], "errors")
        if errors > n:
            raise EvidenceError(
                f"{errors} errors of {n} items: there cannot be more errors than items"
            )
        return Counts(errors=errors, n=n)
    if len(evidence) == 1:
        tally = _counted(evidence[0], models=1)
        right = int(tally.counts[tally.right(tally.models[0])].sum())
        return Counts(errors=tally.n - right, n=tally.n)
    raise EvidenceError("give the number of errors and the number of items: (errors, n)")


def as_two_counts(*evidence: Any) -> tuple[Counts, Counts]:
    """``errors_a, n_a, errors_b, n_b`` as numbers, or two pieces of evidence (or unpaired one)."""
    if len(evidence) == 1 and isinstance(evidence[0], Unpaired):
        evidence = evidence[0].parts
    if len(evidence) == 4:
        return as_counts(*evidence[:2]), as_counts(*evidence[2:])
    if len(evidence) == 2:
        return as_counts(evidence[0]), as_counts(evidence[1])
    raise EvidenceError("give errors and items of both models: (errors_a, n_a, errors_b, n_b)")


def as_paired_table(*evidence: Any) -> PairedTable:
    """Four counts, a 2 x 2 table, two arrays of right (1) and wrong (0), or paired evidence."""
    if len(evidence) == 1 and _is_nested_table(evidence[0]):
        evidence = tuple(np.asarray(evidence[0]).ravel().tolist())
    if len(evidence) == 4:
        names = ("both_right", "only_a", "only_b", "both_wrong")
        counts = [check_count(value, name) for name, value in zip(names, evidence, strict=True)]
        if sum(counts) == 0:
            raise EvidenceError("the table is empty: no item was tested")
        return PairedTable(**dict(zip(names, counts, strict=True)))
    if len(evidence) == 2:
        first, second = (np.asarray(one) for one in evidence)
        if first.dtype == second.dtype == np.bool_ and first.ndim == 1 == second.ndim:
            return _paired_table_of_outcomes(first, second)
        return _paired_table_of(as_successes(np.column_stack([np.asarray(e) for e in evidence])))
    if len(evidence) == 1:
        tally = _counted(evidence[0], models=2)
        return tally.paired_table(*tally.models)
    raise EvidenceError("give four counts: (both_right, only_a, only_b, both_wrong)")


def as_successes(matrix: Any) -> NDArray[np.int64]:
    """A 0/1 matrix, rows items and columns models, from numbers or from evidence with labels."""
    if _is_evidence(matrix):
        tally = _counted(matrix)
        right = np.column_stack([tally.right(model) for model in tally.models])
        return np.repeat(right.astype(np.int64), tally.counts, axis=0)
    array = as_matrix(matrix, "successes", rows=1, columns=2)
    if not np.isin(array, (0.0, 1.0)).all():
        raise EvidenceError(
            "successes are 1 (right) or 0 (wrong); for scores use friedman or paired_t"
        )
    return array.astype(np.int64)


def as_confusion(evidence: tuple[Any, ...]) -> tuple[FloatArray, tuple[str, ...]]:
    """A confusion matrix (rows truth) and its classes, from a matrix, two arrays or evidence."""
    if len(evidence) == 1 and np.ndim(evidence[0]) == 2:
        matrix = as_matrix(evidence[0], "the confusion matrix", rows=2, columns=2)
        if matrix.shape[0] != matrix.shape[1]:
            raise EvidenceError(f"a confusion matrix is square; got shape {matrix.shape}")
        if (matrix < 0).any() or (matrix != np.rint(matrix)).any() or matrix.sum() == 0:
            raise EvidenceError("a confusion matrix holds whole counts, not all of them 0")
        return matrix, tuple(str(place) for place in range(len(matrix)))
    if len(evidence) == 2:
        evidence = ({"truth": evidence[0], "prediction": evidence[1]},)
    if len(evidence) != 1:
        raise EvidenceError("give truth and prediction, or one confusion matrix (rows truth)")
    tally = as_predictions(evidence[0], models=1).tally()
    return tally.confusion(tally.models[0]), tally.classes


def as_scored_labels(truth: Any, *scores: Any) -> ScoredLabels:
    """Truth (0/1 or two classes, the later one positive) and scores, or evidence with scores."""
    if not scores:
        columns = as_predictions(truth).columns("scores")
        return ScoredLabels(truth=columns.truth.astype(bool), scores=columns.predictions)
    labels = np.asarray(truth)
    if labels.ndim != 1 or labels.size == 0:
        raise EvidenceError(f"truth must be one list of labels; got shape {labels.shape}")
    rows = np.vstack([as_values(score, "scores") for score in scores])
    if rows.shape[1] != labels.size:
        raise EvidenceError(
            f"{labels.size} labels but {rows.shape[1]} scores: one of each per item"
        )
    kinds = _kinds(labels)
    if kinds.size > 2:
        raise EvidenceError(
            f"ROC methods need two classes; truth has {kinds.size}: use roc_auc_ovr"
        )
    positive = kinds[-1] if kinds.size == 2 else _lone_positive(kinds[0])
    return ScoredLabels(truth=np.asarray(labels == positive), scores=rows)


def as_placed_areas(*evidence: Any) -> PlacedAreas:
    """Areas under ROC curves and what DeLong needs beside them, of scores or of evidence.

    Evidence may be larger than memory: then its engine places the items and only sums come back.
    """
    if len(evidence) == 1:
        given = evidence[0]
        return given if isinstance(given, PlacedAreas) else as_predictions(given).areas()
    labels = as_scored_labels(*evidence)
    return placed_areas(labels.truth, labels.scores)


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


def _paired_table_of_outcomes(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> PairedTable:
    """Right (True) and wrong of both models, counted without copies."""
    if a.size != b.size or not a.size:
        raise EvidenceError(f"one outcome of each model per item: got {a.size} and {b.size}")
    both, right_a, right_b = (int(np.count_nonzero(one)) for one in (a & b, a, b))
    return PairedTable(
        both_right=both,
        only_a=right_a - both,
        only_b=right_b - both,
        both_wrong=a.size - right_a - right_b + both,
    )


def _paired_table_of(successes: NDArray[np.int64]) -> PairedTable:
    code = np.bincount(successes[:, 0] * 2 + successes[:, 1], minlength=4)
    return PairedTable(
        both_right=int(code[3]), only_a=int(code[2]), only_b=int(code[1]), both_wrong=int(code[0])
    )


def _is_nested_table(value: Any) -> bool:
    return (
        isinstance(value, Sequence | np.ndarray)
        and not isinstance(value, str)
        and np.shape(value) == (2, 2)
    )


def _is_evidence(value: Any) -> bool:
    """Whether a value is evidence (or stands for it) rather than numbers."""
    if isinstance(value, str | Path | Mapping):
        return True
    module = type(value).__module__.split(".")[0].lstrip("_")
    return module in {"assay", "pandas", "polars", "pyarrow", "narwhals", "duckdb", "pyspark"}


def _counted(evidence: Any, *, models: int | None = None) -> Tally:
    """The tally of evidence whose items all count alike."""
    predictions = as_predictions(evidence, models=models)
    if predictions.weighted:
        raise NotApplicable(
            "methods of counts take every item alike, and this evidence has importance weights: "
            "use assay.evaluate or assay.compare, which allow for them"
        )
    return predictions.tally()


def as_predictions(evidence: Any, *, models: int | None = None) -> Predictions:
    """Evidence as predictions, with the expected number of models."""
    if models is None and isinstance(evidence, Predictions):
        return evidence
    if not _is_evidence(evidence):
        raise EvidenceError(
            f"expected numbers or evidence (a path, a frame, a mapping of names to arrays), "
            f"got {type(evidence).__name__}"
        )
    from assay.evidence.reading import read

    predictions = read(evidence)
    if isinstance(predictions, Scores):
        raise NotApplicable(
            f"these are scores by {predictions.unit}, and this method needs predictions by item"
        )
    if isinstance(predictions, Unpaired):
        raise NotApplicable(
            "these predictions are on different items, and this method needs the same items; "
            "for two models use one of independent outcomes, such as fisher_exact"
        )
    if models is not None and len(predictions.models) != models:
        raise EvidenceError(
            f"this method takes {'one model' if models == 1 else f'{models} models'}; the evidence has "
            f"{len(predictions.models)}: choose with evidence.select({predictions.models[0]!r}, …)"
        )
    return predictions
