"""What a measure needs of the evidence: which one fits, whether it is there, and what a mean is taken of."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.measure_names import better_side
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_text import quoted
from assay.evidence.open_questions import classes_or_values, which_positive
from assay.evidence.prediction_assembly import FEW
from assay.evidence.predictions import Predictions
from assay.measures.registry import Measure, Needs, find_measure, known_measure

WANTED: dict[Needs, str] = {
    "labels": "predicted labels",
    "scores": "scores of the positive class",
    "probabilities": "a probability for every class",
    "values": "predicted numbers",
    "losses": "a loss or reward per item",
}

FITTING: dict[Needs, str] = {
    "labels": "accuracy",
    "scores": "roc_auc",
    "probabilities": "log_loss",
    "values": "mse",
    "losses": "mean_loss",
}
"""The measure of each kind of prediction where none was asked for, most telling first."""


def fitting_measure(parts: tuple[Predictions, ...]) -> Measure:
    """The measure that fits what every model offers, where none was asked for."""
    told = {
        (None, None) if part.origin is None else (part.origin.measure, part.origin.called)
        for part in parts
    }
    if len({measure for measure, _ in told}) == 1 and (name := next(iter(told))[0]) is not None:
        return _named(find_measure(name), {called for _, called in told})
    offered = frozenset.intersection(*(part.offers[m] for part in parts for m in part.models))
    if {"labels", "values"} <= offered:
        few = len(parts[0].classes) <= FEW
        raise AmbiguousEvidence([classes_or_values(parts[0].roles["truth"], few=few)])
    for needs, name in FITTING.items():
        if needs in offered:
            return find_measure(name)
    raise UsageError(
        f"no measure fits what all models provide ({_brought(parts)}). Make labels of scores with "
        "threshold=0.5, or choose models of one kind with models="
    )


def _named(measure: Measure, called: set[str | None]) -> Measure:
    """A mean of values by item under their own name, where it tells the direction: wer for mean_loss."""
    name = called.pop() if len(called) == 1 else None
    if not name or measure.name == "accuracy" or better_side(name) != measure.direction:
        return measure
    return replace(measure, typed=name)


def _brought(parts: tuple[Predictions, ...]) -> str:
    """The kinds of predictions, each with the models that bring it."""
    found: dict[str, list[str]] = {}
    for part in parts:
        for model in part.models:
            found.setdefault(" and ".join(sorted(part.offers[model])), []).append(model)
    return "; ".join(f"{kinds} of {quoted(models, 3)}" for kinds, models in found.items())


def asked_measure(asked: Any, parts: tuple[Predictions, ...]) -> Measure:
    """A measure that was asked for, or the one that fits where none was.

    Values by item may be called by their own name. A function without a word takes what all models bring.
    """
    if asked is None:
        return fitting_measure(parts)
    if isinstance(asked, str) and asked in {p.origin.called for p in parts if p.origin is not None}:
        fitting, known = fitting_measure(parts), known_measure(asked)
        # a known measure of right and wrong answers, or of numbers as they are, is computed or refused
        if known is None or (fitting.name != "accuracy" and known.needs != fitting.needs):
            return replace(fitting, typed=asked)
    found = find_measure(asked)
    if isinstance(asked, str | Measure):
        return found
    offered = frozenset.intersection(*(part.offers[m] for part in parts for m in part.models))
    kinds: tuple[Needs, ...] = ("values", "labels", "scores")
    return replace(found, needs=next((kind for kind in kinds if kind in offered), found.needs))


def check_offers(evidence: Predictions, measure: Measure, models: Sequence[str]) -> None:
    """Refuse a measure that the evidence cannot give, and say what it needs."""
    graded = evidence.origin is not None and evidence.origin.measure == "accuracy"
    if graded and measure.needs == "labels" and measure.counts is None and measure.of_right is None:
        raise NotApplicable(
            f"the evidence only says which answers are right, and {measure.called} needs the right "
            "answers and the answers themselves. Give their columns (truth=), or use accuracy or "
            "error_rate"
        )
    for model in models:
        if model not in evidence.offers:
            raise EvidenceError(f"no model {model!r}; there are {', '.join(evidence.models)}")
        offered = evidence.offers[model]
        if measure.needs not in offered:
            if (
                measure.needs == "scores"
                and "probabilities" in offered
                and evidence.positive is None
            ):
                raise AmbiguousEvidence([which_positive(evidence.classes, measure.name)])
            has = " and ".join(sorted(offered)) or "nothing"
            fits = next((name for needs, name in FITTING.items() if needs in offered), None)
            if offered == {"losses"} and evidence.origin is not None and evidence.origin.measure:
                has, fits = "numbers by item", evidence.origin.measure
            hint = f": take measure={fits!r}" if fits else ""
            if measure.needs == "labels" and offered == {"probabilities"}:
                hint = (
                    f": add a column '{model}:label' with the likeliest class, or take "
                    "measure='log_loss'"
                )
            elif measure.needs == "labels" and "scores" in offered:
                hint = ": make labels of them with evidence.labels_from_scores(threshold=0.5)"
            elif measure.needs == "probabilities" and "scores" in offered:
                hint += f", or, if {model!r} holds per cent, add percent={model!r}"
            elif measure.needs == "scores" and offered == {"labels"}:
                hint = f": if the 0 and 1 of {model!r} are scores, call its column '{model}:score'"
            raise NotApplicable(
                f"{measure.called} needs {WANTED[measure.needs]}, but {model!r} holds {has}{hint}"
            )


def features_of(measure: Measure, truth: Any, rows: Any) -> FloatArray:
    """What a measure of moments takes the means of, item by item."""
    if measure.features is None:
        raise TypeError(f"{measure.called} is of moments and has no features")
    return np.asarray(measure.features(truth, rows), dtype=np.float64)
