"""The curves of every model of the evidence: ROC with its hull, precision-recall, calibration."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from assay.core.results import Curve
from assay.estimates.precision_recall import precision_recall_band
from assay.estimates.reliability import reliability
from assay.estimates.roc import roc_band
from assay.evidence.columns import Columns
from assay.evidence.predictions import Predictions
from assay.measures.curves import hull_of_scores

Kind = Literal["roc", "precision_recall", "calibration"]
KINDS: tuple[Kind, ...] = ("roc", "precision_recall", "calibration")


def evidence_curves(
    evidence: Predictions, *, level: float = 0.95, kinds: Iterable[Kind] = KINDS
) -> tuple[Curve, ...]:
    """Curves of two-class models, with bands for whole curves where items are independent.

    Weighted items have none: the bands do not hold for them, and bare curves would mislead.
    """
    if len(evidence.classes) != 2 or evidence.weighted:
        return ()
    found: list[Curve] = []
    for kind in kinds:
        needs: Literal["scores", "probabilities"] = (
            "probabilities" if kind == "calibration" else "scores"
        )
        models = tuple(model for model in evidence.models if needs in evidence.offers[model])
        if models:
            found += _of_kind(kind, evidence, evidence.columns(needs, models), level)
    return tuple(found)


def _of_kind(kind: Kind, evidence: Predictions, columns: Columns, level: float) -> list[Curve]:
    if columns.truth.min() == columns.truth.max():
        return []
    found: list[Curve] = []
    for model, answers in zip(columns.models, columns.predictions, strict=True):
        if kind == "calibration":
            place = evidence.classes.index(str(evidence.positive))
            happened, chance = columns.truth == place, answers[:, place]
            found.append(reliability(happened, chance, level=level, model=model, together=True))
            continue
        truth = columns.truth.astype(bool)
        if kind == "precision_recall":
            found.append(precision_recall_band(truth, answers, level=level, model=model))
        else:
            found.append(roc_band(truth, answers, level=level, model=model))
            found.append(hull_of_scores(truth, answers, model=model))
    return found if columns.clusters is None else [_without_band(curve) for curve in found]


def _without_band(curve: Curve) -> Curve:
    """Bands count items as independent, which clustered ones are not."""
    limits = ("low", "high") if curve.name.endswith("_band") else ("observed_low", "observed_high")
    columns = tuple((name, values) for name, values in curve.columns if name not in limits)
    return replace(curve, name=curve.name.removesuffix("_band"), columns=columns)
