"""Figures as scikit-learn has them: displays made `from_estimator` or `from_predictions`, with a `plot`.

A display keeps the result that it draws (``result_``), so that the figure and its numbers cannot disagree.
After ``plot`` it has ``ax_`` and ``figure_``.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from assay.core.errors import UsageError
from assay.evidence.frames import is_frame, module_of

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
        """Draw a fitted estimator, or a mapping of names to several, on data that they were not fitted to.

        ``pos_label``, scikit-learn's word, names the positive class as ``positive`` does, ``name`` the model.
        """
        if isinstance(estimator, list | tuple):
            raise UsageError(
                'several estimators come with their names: {"tree": tree, "forest": forest}'
            )
        name = options.pop("name", None) or _name(estimator)
        several = estimator if isinstance(estimator, Mapping) else {name: estimator}
        positive = options.pop("pos_label", options.get("positive"))
        classes: Any = getattr(next(iter(several.values())), "classes_", ())
        if positive is None and len(classes) == 2 and cls._responses != ("predict",):
            positive = classes[1]
        if positive is not None:
            options["positive"] = positive
        found = {
            name: _labelled(_response(one, X, cls._responses, positive), X)
            for name, one in several.items()
        }
        return cls.from_predictions(y, found, ax=ax, **options)

    _responses: tuple[str, ...] = RESPONSES[:2]

    @classmethod
    def from_predictions(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        name: str | None = None,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> Self:
        """Draw predictions: an array, or a mapping of names to arrays (or a frame with a column) of several models.

        Series are paired by the labels of their index, and their names stand in the legend and in ``result_``.
        """
        if is_frame(y_pred):
            import narwhals as nw

            frame: Any = nw.from_native(y_pred, eager_only=True)
            y_pred = {name: frame[name].to_native() for name in frame.columns}
        called = name or _named(y_pred, "model")
        several = dict(y_pred) if isinstance(y_pred, Mapping) else {called: y_pred}
        if "pos_label" in options:
            options["positive"] = options.pop("pos_label")
        return cls._made(y_true, several, **options).plot(ax)

    @classmethod
    @abstractmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        """The display of predictions of several models, not drawn yet."""


class _Scored(_Display):
    """A figure of scores of two classes, with one measure of them."""

    _measure: str
    _figure: str

    pos_label: Any
    """The positive class, under scikit-learn's name."""

    @classmethod
    def _made(cls, y_true: Any, several: dict[str, Any], **options: Any) -> Self:
        from assay import plots
        from assay.estimates.evaluate import evaluate
        from assay.evidence.reading import read

        positive, classes = _positive(y_true, **options)
        truth = _free(_named(y_true, "truth"), several)
        table = {
            truth: y_true,
            **{name: _of_class(said, positive, classes) for name, said in several.items()},
        }
        roles = {name: {"scores": name} for name in several}
        evidence: Any = read(table, truth=truth, models=roles, positive=positive)
        found = evidence.columns("scores")
        scores = dict(zip(found.models, found.predictions, strict=True))
        made = cls(
            evaluate(evidence, measures=[cls._measure]),
            lambda ax: getattr(plots, cls._figure)(found.truth, scores, ax=ax),
        )
        made.pos_label = positive
        return made


class RocDisplay(_Scored):
    """ROC curves; one of a single model has a band that holds the whole curve."""

    _measure, _figure = "roc_auc", "roc"


class PrecisionRecallDisplay(_Scored):
    """Precision against recall, in steps."""

    _measure, _figure = "average_precision", "precision_recall"


class CalibrationDisplay(_Scored):
    """How often what was predicted came true, with intervals in every bin."""

    _responses = ("predict_proba",)
    _measure, _figure = "brier", "calibration"


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


def _response(estimator: Any, X: Any, wanted: tuple[str, ...], positive: Any) -> Any:
    """What an estimator says of X by the first of the methods that it has: more of it speaks for the positive class."""
    classes = list(getattr(estimator, "classes_", ()))
    first = len(classes) == 2 and positive is not None and positive == classes[0]
    for method in wanted:
        said = getattr(estimator, method, None)
        if said is None:
            continue
        found = np.asarray(said(X))
        if method == "predict_proba" and found.ndim == 2:
            return found[:, 0 if first else 1]
        return -found if first and method == "decision_function" else found
    raise UsageError(f"{_name(estimator)} has none of {', '.join(wanted)}")


def _labelled(scores: Any, X: Any) -> Any:
    """Scores with the labels of the rows of X, where these have some: y may have them in another order."""
    if module_of(X) != "pandas":
        return scores
    import pandas as pd

    return pd.Series(scores, index=X.index)


def _positive(y_true: Any, positive: Any = None) -> tuple[Any, list[Any]]:
    """The positive class and both classes, in scikit-learn's order."""
    classes = np.unique(np.asarray(y_true)).tolist()
    if positive is None:
        if not (set(classes) <= {0, 1} or set(classes) <= {-1, 1}):
            raise UsageError(f"which class is positive? name it with positive=, one of {classes}")
        positive = True if isinstance(classes[0], bool) else 1
    if positive not in classes or len(classes) > 2:
        raise UsageError(f"these displays are of two classes; there are {classes}")
    return positive, classes


def _of_class(scores: Any, positive: Any, classes: list[Any]) -> Any:
    """Scores of the positive class; of all that `predict_proba` gives, its column."""
    shape = np.shape(scores)
    if len(shape) == 2 and shape[1] == len(classes) == 2:
        return np.asarray(scores)[:, classes.index(positive)]
    return scores


def _named(values: Any, otherwise: str) -> str:
    """The name of a Series."""
    name = getattr(values, "name", None)
    return name if isinstance(name, str) and name else otherwise


def _free(name: str, taken: Mapping[str, Any]) -> str:
    """A name for the truth that no model has."""
    return name if name not in taken else f"{name} (truth)"
