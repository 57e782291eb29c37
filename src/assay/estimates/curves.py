"""The curves of every model of the evidence: ROC with its hull, precision-recall, calibration."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from assay.core.results import Curve
from assay.estimates.precision_recall import precision_recall_band_of
from assay.estimates.reliability import reliability
from assay.estimates.roc_bands import roc_band_of
from assay.evidence.columns import Columns
from assay.evidence.predictions import Predictions
from assay.kernels.auc import sort_scores
from assay.measures.curves import roc_hull_of

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
    asked = tuple(kinds)
    ranked = [kind for kind in asked if kind != "calibration"]
    found: dict[Kind, list[Curve]] = {kind: [] for kind in asked}
    for model in evidence.models:  # one at a time: scores may be many
        if ranked and "scores" in evidence.offers[model]:
            _add_ranked(found, evidence.columns("scores", (model,)), level)
        if "calibration" in asked and "probabilities" in evidence.offers[model]:
            found["calibration"] += _calibrated(evidence, model, level)
    return tuple(curve for kind in asked for curve in found[kind])


def _add_ranked(found: dict[Kind, list[Curve]], columns: Columns, level: float) -> None:
    """The curves of one model from one sort of its scores."""
    (model,), (scores,) = columns.models, columns.predictions
    groups = sort_scores(columns.truth.astype(bool), scores)
    if not groups.n_positive or not groups.n_negative:
        return
    made: list[Curve] = []
    if "roc" in found:
        made = [roc_band_of(groups, level=level, model=model), roc_hull_of(groups, model=model)]
        found["roc"] += _as_dependent(made, columns)
    if "precision_recall" in found:
        made = [precision_recall_band_of(groups, level=level, model=model)]
        found["precision_recall"] += _as_dependent(made, columns)


def _calibrated(evidence: Predictions, model: str, level: float) -> list[Curve]:
    """The calibration of the positive class; of two classes its probability says all."""
    own = evidence.columns_of[model]
    if own.scores is None or not own.probabilities:  # one column is both
        columns = evidence.columns("scores", (model,))
        happened, chance = columns.truth.astype(bool), columns.predictions[0]
    else:
        columns = evidence.columns("probabilities", (model,))
        place = evidence.classes.index(str(evidence.positive))
        happened, chance = columns.truth == place, columns.predictions[0, :, place]
    if happened.all() or not happened.any():
        return []
    curve = reliability(happened, chance, level=level, model=model, together=True)
    return _as_dependent([curve], columns)


def _as_dependent(curves: list[Curve], columns: Columns) -> list[Curve]:
    return curves if columns.clusters is None else [_without_band(curve) for curve in curves]


def _without_band(curve: Curve) -> Curve:
    """Bands count items as independent, which clustered ones are not."""
    limits = ("low", "high") if curve.name.endswith("_band") else ("observed_low", "observed_high")
    columns = tuple((name, values) for name, values in curve.columns if name not in limits)
    return replace(curve, name=curve.name.removesuffix("_band"), columns=columns)
