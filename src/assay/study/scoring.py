"""Predictions of a fitted estimator as arrays, and the measures of them."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import FloatArray, IndexArray
from assay.core.errors import EvidenceError
from assay.evidence.cell_text import class_text, ordered
from assay.measures.registry import Measure, Needs
from assay.store.record_types import smallest_codes
from assay.study.datasets import Dataset


class BadPrediction(EvidenceError):
    """What the learner answered is not an answer."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyTruth:
    """The target as the measures see it: codes of classes in canonical order, or numbers."""

    values: NDArray[Any]
    names: tuple[str, ...]
    labels: NDArray[Any]
    """The distinct labels as they are in the data, sorted."""
    codes: IndexArray
    """The code of each of ``labels``."""

    @classmethod
    def of(cls, data: Dataset) -> "StudyTruth":
        if data.task == "regression":
            none = np.empty(0, dtype=np.intp)
            return cls(values=data.y.astype(np.float64), names=(), labels=none, codes=none)
        labels, places = np.unique(data.y, return_inverse=True)
        texts = [class_text(label) for label in labels.tolist()]
        names = ordered(texts)
        if len(names) < len(texts):
            raise EvidenceError(f"{data.name}: some labels of the target have the same text")
        codes = np.array([names.index(text) for text in texts], dtype=np.intp)
        return cls(values=codes[places], names=names, labels=labels, codes=codes)

    def coded(self, predicted: Any) -> IndexArray:
        """Predicted labels as codes; a label that the data do not have is no answer."""
        given = np.asarray(predicted)
        if given.ndim == 2 and given.shape[1] == 1:
            given = given[:, 0]
        places = np.searchsorted(self.labels, given).clip(max=self.labels.size - 1)
        strange = np.flatnonzero(np.asarray(self.labels[places] != given, dtype=bool))
        if strange.size:
            shown = given[strange[0]]
            raise BadPrediction(
                f"predicted {shown!r} for {strange.size} of {given.size} items, which is no class"
            )
        return np.asarray(self.codes[places])


def predict(
    model: Any, X: Any, truth: StudyTruth, wanted: Collection[Needs] | None = None
) -> dict[str, NDArray[Any]]:
    """``labels``, ``probabilities`` and ``scores``, or ``values``, as far as the model gives them.

    ``wanted`` limits the work to what some measures need.
    """
    if not truth.names:
        values = np.asarray(model.predict(X), dtype=np.float64).reshape(-1)
        _refuse_nan(values, "values")
        return {"values": values}
    found: dict[str, NDArray[Any]] = {}
    if wanted is None or "labels" in wanted:
        found["labels"] = smallest_codes(truth.coded(model.predict(X)))
    if wanted is not None and not {"probabilities", "scores"} & set(wanted):
        return found
    if hasattr(model, "predict_proba"):
        found["probabilities"] = _probabilities(model, X, truth)
    elif hasattr(model, "decision_function") and len(truth.names) == 2:
        found["scores"] = _decision(model, X, truth)
    return found


def _probabilities(model: Any, X: Any, truth: StudyTruth) -> FloatArray:
    given = np.asarray(model.predict_proba(X), dtype=np.float64)
    full = np.zeros((given.shape[0], len(truth.names)))  # a class unseen in training gets 0
    full[:, truth.coded(model.classes_)] = given
    _refuse_nan(full, "probabilities")
    return full


def _decision(model: Any, X: Any, truth: StudyTruth) -> FloatArray:
    """Decision values that grow with the positive class, the later one in canonical order."""
    values = np.asarray(model.decision_function(X), dtype=np.float64).reshape(-1)
    _refuse_nan(values, "decision values")
    later = truth.coded(model.classes_)[-1]
    return values if later == 1 else -values


def _refuse_nan(values: FloatArray, what: str) -> None:
    bad = ~np.isfinite(values.reshape(values.shape[0], -1)).all(axis=1)
    if bad.any():
        raise BadPrediction(
            f"predicted {what} that are NaN or infinite for {int(bad.sum())} of {bad.size} items"
        )


def score(
    measure: Measure,
    truth: NDArray[Any],
    predicted: dict[str, NDArray[Any]],
    names: tuple[str, ...],
) -> float | None:
    """One measure of predictions; None where it is undefined or the learner cannot give it."""
    bound = measure.bind(names)
    given = _needed(bound.needs, predicted)
    if given is None:
        return None
    if bound.reduction == "tally":
        size = len(names)
        flat = truth.astype(np.intp) * size + given.astype(np.intp)
        cells = np.bincount(flat, minlength=size * size).reshape(size, size)
        value = bound.function(cells.astype(np.float64))
    elif bound.reduction == "moments" and bound.features is not None:
        value = bound.function(np.asarray(bound.features(truth, given)).mean(axis=0))
    else:
        value = bound.function(truth, given)
    number = float(np.clip(np.asarray(value, dtype=np.float64).reshape(()), bound.low, bound.high))
    return None if np.isnan(number) else number


def _needed(needs: Needs, predicted: dict[str, NDArray[Any]]) -> NDArray[Any] | None:
    if needs == "scores" and "scores" not in predicted and "probabilities" in predicted:
        return predicted["probabilities"][:, -1]
    return predicted.get(needs)


def applies(measure: Measure, data: Dataset, truth: StudyTruth) -> None:
    """Refuse a measure that a data set cannot have, naming both."""
    classes = data.task == "classification"
    if (measure.needs in ("labels", "scores", "probabilities")) != classes:
        raise EvidenceError(
            f"{measure.name} needs {measure.needs}, and {data.name} is a {data.task}: "
            f"use {'accuracy or log_loss' if classes else 'rmse or mae'}, or keep the two kinds of "
            "data in two studies"
        )
    try:
        measure.bind(truth.names)
    except EvidenceError as error:
        raise EvidenceError(f"{data.name}: {error}") from None


class InnerScorer:
    """One measure as scikit-learn's searches want it: larger is better."""

    def __init__(self, measure: Measure, truth: StudyTruth) -> None:
        self.measure = measure
        self.truth = truth
        self.sign = 1 if measure.direction == "higher" else -1

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        names = self.truth.names
        actual = self.truth.coded(y) if names else np.asarray(y, dtype=np.float64)
        predicted = predict(model, X, self.truth, {self.measure.needs})
        found = score(self.measure, actual, predicted, names)
        return float("nan") if found is None else self.sign * found
