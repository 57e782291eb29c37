"""What the columns of a table are for, read from their names: roles, and the columns of each model."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import class_text, quoted
from assay.evidence.reading_options import ModelsGiven

Needs = Literal["labels", "scores", "probabilities", "values", "losses"]
NEEDS: tuple[Needs, ...] = ("labels", "scores", "probabilities", "values", "losses")

_BARE = (
    "prediction", "predictions", "pred", "predicted", "y_pred", "yhat", "y_hat", "label", "predicted_label",
    "pred_label", "predicted_class", "pred_class", "predicted_value", "prediction_label", "y_predicted", "forecast",
)  # fmt: skip
_SCORE = ("score", "prob", "proba", "probability", "y_score", "y_prob", "y_proba")
NAMELESS: dict[str, Needs | None] = {
    **dict.fromkeys(_BARE),
    **dict.fromkeys(_SCORE, "scores"),
    "loss": "losses",
    "value": "values",
}
"""Columns that say what they hold but not of which model."""

_COLON = {"label": "labels", "score": "scores", "loss": "losses", "value": "values"}
_SURE: dict[str, Needs | Literal["bare"]] = {
    **dict.fromkeys(("pred", "prediction", "predicted"), "bare"),
    **dict.fromkeys(("prob", "proba", "probability", "logit", "logits"), "scores"),
}
"""Words that only columns of models have, behind the model's name or before it."""
_SUFFIX: dict[str, str] = {**_SURE, "label": "bare", "score": "scores", "loss": "losses"}
_PREFIX = re.compile(rf"(?:y_)?({'|'.join(_SURE)})(?:_(.+)|\s*\((.+)\))", re.IGNORECASE)
_CLASS_COLON = re.compile(r"(?P<model>.*):p\((?P<of>.*)\)", re.DOTALL)
_CLASS_SUFFIX = re.compile(
    r"(?:(?P<model>.+)_)?(?:p|prob|proba|probability)_(?P<of>.+)", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelColumns:
    """The columns of one model; ``bare`` is a column whose kind the values must tell."""

    bare: str | None = None
    labels: Any = None  # a column name, or a Cut of a score column
    scores: str | None = None
    values: str | None = None
    losses: str | None = None
    probabilities: Mapping[str, str] = field(default_factory=dict)

    def used(self) -> tuple[str, ...]:
        named = (self.bare, self.labels, self.scores, self.values, self.losses)
        columns = [name for name in named if isinstance(name, str)]
        return (*dict.fromkeys(columns), *self.probabilities.values())


def column_grammar(name: str, classes: Collection[str] = ()) -> tuple[str, str, bool]:
    """The model a column's name speaks of ("" for none), the kind it states, and whether surely.

    ``credit_score`` may be the score of a model called credit, and may be a number about a person.
    """
    model, kind, _ = _parsed(name, classes, "")
    word = name.strip().lower().rpartition("_")[2]
    stated = model == "" or (model != name and ":" in name) or kind == "probabilities"
    sure = stated or (model != name and word in _SURE) or _prefixed(name) is not None
    return model, kind, sure


def is_prediction_of(name: str) -> bool:
    """Whether a column is called the prediction of a model: rf_pred, rf:label."""
    model, kind, sure = column_grammar(name)
    return sure and (kind == "labels" or (kind == "bare" and model not in ("", name)))


def predicting_models(names: Sequence[str]) -> list[str]:
    """The models that have a column of predictions: rf of rf_pred and of pred_rf."""
    found = [(name, _prefixed(name)) for name in names]
    return [
        before[1] if before else column_grammar(name)[0]
        for name, before in found
        if before or is_prediction_of(name)
    ]


def parse_columns(
    names: Sequence[str],
    classes: Collection[str],
    nameless: str,
    grouped: Mapping[str, tuple[str, str]] | None = None,
    words: Collection[str] = (),
) -> dict[str, ModelColumns]:
    """The columns of each model by the grammar of names; ``nameless`` is the model of ``y_pred``.

    pred_rf alone is a model of this name; beside prob_rf both are columns of rf. ``grouped`` columns
    are probabilities of a model and a class whatever their names say; columns of ``words`` hold no
    scores: guess_logit is of a model called logit.
    """
    parts: dict[str, dict[str, Any]] = {}
    begun = Counter(found[1] for name in names if (found := _prefixed(name)))
    for name in names:
        model, kind, of = _parsed(name, classes, nameless)
        found = _prefixed(name)
        if grouped and name in grouped:
            kind, (model, of) = "probabilities", grouped[name]
        elif kind == "scores" and name in words:
            kind, model = "bare", name
        elif kind != "probabilities" and found and begun[found[1]] > 1:
            kind, model = found
        columns = parts.setdefault(model, {})
        if kind == "probabilities":
            columns.setdefault("probabilities", {})[of] = name
        elif kind in columns:
            raise EvidenceError(
                f"columns {columns[kind]!r} and {name!r} both hold the {kind} of model {model!r}"
            )
        else:
            columns[kind] = name
    return {model: ModelColumns(**columns) for model, columns in parts.items()}


def _prefixed(name: str) -> tuple[str, str] | None:
    """The kind and the model of a column called prob_rf or Prediction (rf)."""
    found = _PREFIX.fullmatch(name.strip())
    return (_SURE[found[1].lower()], found[2] or found[3]) if found else None


def _parsed(name: str, classes: Collection[str], nameless: str) -> tuple[str, str, str]:
    """The model, the kind (``bare`` where only values tell) and the class of a column."""
    lowered = name.strip().lower().lstrip(".")  # .pred_class of tidymodels
    if lowered in NAMELESS:
        return nameless, NAMELESS[lowered] or "bare", ""
    of = _CLASS_COLON.fullmatch(name)
    if of:
        return of["model"] or nameless, "probabilities", class_text(of["of"])
    model, colon, word = name.rpartition(":")
    if colon and word.strip().lower() in _COLON and model:
        return model, _COLON[word.strip().lower()], ""
    of = _CLASS_SUFFIX.fullmatch(name)
    if of and class_text(of["of"]) in classes:
        return of["model"] or nameless, "probabilities", class_text(of["of"])
    model, underscore, word = name.rpartition("_")
    if underscore and model and word.lower() in _SUFFIX:
        return model, _SUFFIX[word.lower()], ""
    return name, "bare", ""


def chosen_models(
    given: ModelsGiven, names: Sequence[str], found: Mapping[str, ModelColumns], source: str
) -> dict[str, ModelColumns]:
    """The models asked for, in the order asked for; all that were found if none were."""
    if given is None:
        return dict(found)
    if isinstance(given, Mapping):
        return {model: _explicit(model, spec, names, source) for model, spec in given.items()}
    listed = [given] if isinstance(given, str) else list(given)
    if len(set(listed)) < len(listed):
        raise UsageError(f"models= names a model twice: {quoted(listed)}")
    return {model: found[model] if model in found else _explicit(model, model, names, source)
            for model in listed}  # fmt: skip


def _explicit(
    model: str, spec: str | Mapping[str, Any], names: Sequence[str], source: str
) -> ModelColumns:
    if isinstance(spec, str):
        _present(spec, names, model, source)
        kind = _parsed(spec, (), model)[1]
        parts: dict[str, Any] = {kind if kind != "probabilities" else "scores": spec}
        return ModelColumns(**parts)
    unknown = not isinstance(spec, Mapping) or [kind for kind in spec if kind not in NEEDS]
    if unknown or not spec:
        raise UsageError(f"models={{{model!r}: …}} takes {', '.join(NEEDS)}; got {spec!r}")
    parts = dict(spec)
    if "probabilities" in parts:
        if not isinstance(parts["probabilities"], Mapping):
            raise UsageError(f"probabilities of {model!r} are a mapping of classes to columns")
        parts["probabilities"] = {class_text(c): v for c, v in parts["probabilities"].items()}
    columns = ModelColumns(**parts)
    for name in columns.used():
        _present(name, names, model, source)
    return columns


def _present(column: str, names: Sequence[str], model: str, source: str) -> None:
    if column not in names:
        raise EvidenceError(
            f"{source} has no column {column!r} for model {model!r}; it has {quoted(names, 20)}"
        )
