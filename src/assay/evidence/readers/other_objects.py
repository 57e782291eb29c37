"""Python objects that hold no values of models row by row: refused, with the call that takes what they hold."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.errors import NotApplicable
from assay.evidence.cell_text import shortened
from assay.evidence.frames import is_frame, module_of
from assay.evidence.names import known_as

_REPORT = frozenset({"macro avg", "weighted avg"})
"""Rows that scikit-learn's classification_report ends with."""
MOST_CLASSES = 50


def refuse_other_objects(source: Any) -> None:
    """Refuse reports, confusion matrices and counts, and say what to call with them."""
    inside = list(source.values()) if isinstance(source, Mapping) else []
    if _is_report(source) or (inside and all(map(_is_report, inside))):
        raise NotApplicable(
            "a classification report sums up one model by class, which says nothing about spread: bring the "
            "predictions, compare(truth, {'a': predictions, 'b': predictions})"
        )
    if _is_confusion(source) or (inside and all(map(_is_confusion, inside))):
        given = "matrices" if inside else "matrix"
        raise NotApplicable(
            "confusion matrices (rows truth, columns prediction) are evaluated with "
            f"assay.evaluate(assay.Predictions.from_confusion({given})). To compare two models on "
            "the same items, give the predictions: compare(truth, "
            "{'a': predictions, 'b': predictions})"
        )
    curve = next((one for one in (source, *inside) if _is_curve(one)), None)
    if curve is not None:
        test = 2 if len(curve) > 2 else 1  # behind the sizes and the scores of training
        raise NotApplicable(
            "these are curves of scores at several sizes or settings. Compare models at one of them, here the last: "
            f"compare({{'a': a[{test}][-1], 'b': b[{test}][-1]}}, unit='fold', folds={curve[test].shape[1]}, "
            "lower_is_better=False)"
        )
    if _is_agreement(source):
        (both_wrong, only_b), (only_a, both_right) = np.asarray(source).tolist()
        raise NotApplicable(
            f"a table of which items two models got right goes into assay.mcnemar({both_right}, "
            f"{only_a}, {only_b}, {both_wrong}). These are the items that both, only the rows' "
            "model, only the columns' model, and neither got right"
        )
    truth = any(known_as(str(name), "truth") for name in source) if inside else False
    if len(inside) > 1 and not truth and all(map(_is_count, inside)):
        (a, b), (right, n), (other, m) = list(source)[:2], *inside[:2]
        raise NotApplicable(
            f"counts of right answers are not answers item by item. For {shortened(a)} and {shortened(b)} on "
            f"different items: assay.newcombe({n - right}, {n}, {m - other}, {m}), errors and items of each"
        )


def _is_report(source: Any) -> bool:
    """Whether an object is scikit-learn's classification report, as text or as a mapping."""
    if isinstance(source, str):
        return "precision" in source and "recall" in source and "support" in source
    return isinstance(source, Mapping) and {*source} >= _REPORT


def _is_confusion(source: Any) -> bool:
    """Whether an array is square and counts items of each class."""
    if not isinstance(source, np.ndarray) or source.ndim != 2 or source.dtype.kind not in "iu":
        return False
    square = source.shape[0] == source.shape[1] and 1 < len(source) <= MOST_CLASSES
    return bool(square and source.min() >= 0 and source.trace() > source.sum() / len(source))


def _is_curve(value: Any) -> bool:
    """Whether a tuple holds scores of training and of testing by size and fold, as learning_curve gives them."""
    arrays = value[1 if len(value) > 2 else 0 :] if isinstance(value, tuple) else ()
    shapes = {getattr(one, "shape", ()) for one in arrays}
    return 2 <= len(arrays) <= 4 and len(shapes) == 1 and len(shapes.pop()) == 2


def _is_agreement(source: Any) -> bool:
    """Whether a frame counts items by whether either of two models was right, as pandas' crosstab does."""
    if not is_frame(source) or module_of(source) != "pandas" or source.shape != (2, 2):
        return False
    labels = [*source.index, *source.columns]
    return [bool(label) for label in labels if isinstance(label, bool | np.bool_)] == [
        False, True, False, True,
    ]  # fmt: skip


def _is_count(value: Any) -> bool:
    """Whether a pair says how many of how many were right."""
    whole = isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2
    if not whole or not all(isinstance(one, int | np.integer) for one in value):
        return False
    right, n = value
    return bool(0 <= right <= n and n > 1)
