"""Figures as scikit-learn has them: displays made `from_estimator` or `from_predictions`, with a `plot`.

A display keeps the result that it draws (``result_``), so that the figure and its numbers cannot disagree.
After ``plot`` it has ``ax_`` and ``figure_``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.core.errors import UsageError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

RESPONSES = ("predict_proba", "decision_function", "predict")


class _Display(ABC):
    """One figure of one or several models; what is drawn is fixed when it is made."""

    ax_: "Axes"
    figure_: "Figure"

    def __init__(self, result: Any, draw: "Callable[..., Axes]") -> None:
        self.result_ = result
        self._draw = draw

    def plot(self, ax: "Axes | None" = None) -> Self:
        """Draw into ``ax``, or into a figure of its own; gives the display itself."""
        self.ax_ = self._draw(ax=ax)
        self.figure_ = self.ax_.figure  # type: ignore[assignment]
        return self

    @classmethod
    def from_estimator(
        cls, estimator: Any, X: Any, y: Any, *, ax: "Axes | None" = None, **options: Any
    ) -> Self:
        """Draw a fitted estimator, or a mapping of names to several, on data that they were not fitted to."""
        several = estimator if isinstance(estimator, Mapping) else {_name(estimator): estimator}
        found = {name: _response(one, X, cls._responses) for name, one in several.items()}
        if (
            "positive" not in options
            and not isinstance(y, Mapping)
            and cls._responses != ("predict",)
        ):
            classes = getattr(next(iter(several.values())), "classes_", None)
            if classes is not None and len(classes) == 2:
                options["positive"] = classes[1]
        return cls.from_predictions(y, found, ax=ax, **options)

    _responses: tuple[str, ...] = RESPONSES[:2]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        name: str = "model",
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw predictions: an array, or a mapping of names to arrays of several models."""
        several = dict(y_pred) if isinstance(y_pred, Mapping) else {name: y_pred}
        return cls._made(y_true, several, **options).plot(ax)

    @classmethod
    @abstractmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        """The display of predictions of several models, not drawn yet."""


class RocDisplay(_Display):
    """ROC curves; one of a single model has a band that holds the whole curve."""

    @classmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        from assay import plots
        from assay.estimates.evaluate import evaluate

        truth = _binary(y_true, **options)
        result = evaluate(
            {"truth": truth, **several}, truth="truth", measures=["roc_auc"], positive=1
        )
        scores = next(iter(several.values())) if len(several) == 1 else several
        return cls(result, lambda ax: plots.roc(truth, scores, ax=ax))


class PrecisionRecallDisplay(_Display):
    """Precision against recall, in steps."""

    @classmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        from assay import plots
        from assay.estimates.evaluate import evaluate

        truth = _binary(y_true, **options)
        told: dict[str, Any] = {"truth": "truth", "measures": ["average_precision"], "positive": 1}
        result = evaluate({"truth": truth, **several}, **told)
        scores = next(iter(several.values())) if len(several) == 1 else several
        return cls(result, lambda ax: plots.precision_recall(truth, scores, ax=ax))


class CalibrationDisplay(_Display):
    """How often what was predicted came true, with intervals in every bin."""

    _responses = ("predict_proba",)

    @classmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        from assay import plots
        from assay.estimates.evaluate import evaluate

        truth = _binary(y_true, **options)
        result = evaluate(
            {"truth": truth, **several}, truth="truth", measures=["brier"], positive=1
        )
        chances = next(iter(several.values())) if len(several) == 1 else several
        return cls(result, lambda ax: plots.calibration(truth, chances, ax=ax))


class ComparisonDisplay(_Display):
    """Differences between models on the same items, each with its interval; ``result_`` is the comparison."""

    _responses = ("predict",)

    @classmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        from assay import plots
        from assay.compare.compare import compare

        if len(several) < 2:
            raise UsageError("a comparison takes two models or more: a mapping of names to them")
        result: Any = compare(y_true, several, **options)
        return cls(result, lambda ax: plots.main_figure(result, ax=ax))


def _name(estimator: Any) -> str:
    return type(estimator).__name__


def _response(estimator: Any, X: Any, wanted: tuple[str, ...]) -> Any:
    """What an estimator says of X: the first of the methods that it has; of two classes the second."""
    for method in wanted:
        said = getattr(estimator, method, None)
        if said is not None:
            found = np.asarray(said(X))
            return found[:, 1] if method == "predict_proba" and found.ndim == 2 else found
    raise UsageError(f"{_name(estimator)} has none of {', '.join(wanted)}")


def _binary(y_true: Any, positive: Any = None) -> Any:
    """The truth as 1 for the positive class and 0 for the other."""
    truth = np.asarray(y_true)
    classes = np.unique(truth)
    if positive is None:
        if set(classes.tolist()) <= {0, 1}:
            positive = 1
        else:
            raise UsageError(
                f"which class is positive? name it with positive=, one of {classes.tolist()}"
            )
    if positive not in classes.tolist() or classes.size > 2:
        raise UsageError(f"these displays are of two classes; there are {classes.tolist()}")
    return (truth == positive).astype(int)
