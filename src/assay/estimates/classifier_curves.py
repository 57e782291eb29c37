"""The curves of every model of the evidence: ROC with its hull, precision-recall, calibration."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Literal

from assay.core.notes import Note, note
from assay.core.results import Curve
from assay.estimates.calibration_curve import reliability
from assay.estimates.precision_recall import precision_recall_band_of
from assay.estimates.roc_bands import roc_band_of
from assay.evidence import score_ranks
from assay.evidence.predictions import Predictions
from assay.measures.curves import roc_hull_of

Kind = Literal["roc", "precision_recall", "calibration"]
KINDS: tuple[Kind, ...] = ("roc", "precision_recall", "calibration")


def evidence_curves(
    evidence: Predictions, *, level: float = 0.95, kinds: Iterable[Kind] = KINDS
) -> tuple[Curve, ...]:
    """Curves of two-class models, with bands for whole curves where items are independent.

    Weighted items have none: the bands do not hold for them, and bare curves would mislead. Nor
    has evidence of which nobody said which class is positive: measures that need to know ask.
    """
    asked = tuple(kinds)
    if len(evidence.classes) != 2 or evidence.weighted or evidence.too_many("scores", 1):
        return ()
    if evidence.positive is None:
        return ()
    if evidence.on_engine:
        if evidence.clusters is not None:
            return ()
        asked = tuple(kind for kind in asked if kind != "calibration")
    ranked = [kind for kind in asked if kind != "calibration"]
    found: dict[Kind, list[Curve]] = {kind: [] for kind in asked}
    for model in evidence.models:  # one at a time: scores may be many
        if ranked and "scores" in evidence.offers[model]:
            _add_ranked(found, evidence, model, level)
        if "calibration" in asked and "probabilities" in evidence.offers[model]:
            found["calibration"] += _calibrated(evidence, model, level)
    return tuple(curve for kind in asked for curve in found[kind])


def curve_notes(evidence: Predictions) -> tuple[Note, ...]:
    """What is left out where scores are too many for memory."""
    scored = any("scores" in offered for offered in evidence.offers.values())
    if not scored or len(evidence.classes) != 2 or evidence.weighted:
        return ()
    if evidence.on_engine:
        return (note("thinned-curves"),)
    if evidence.too_many("scores", 1):
        return (note("no-curves", scores=evidence.n, most=score_ranks.MOST_SCORES),)
    return ()


def _add_ranked(
    found: dict[Kind, list[Curve]], evidence: Predictions, model: str, level: float
) -> None:
    """The curves of one model from one sort of its scores."""
    groups = evidence.ranked(model)
    if not groups.n_positive or not groups.n_negative:
        return
    made: list[Curve] = []
    if "roc" in found:
        area = float(evidence.areas((model,)).areas[0]) if evidence.on_engine else None
        band = roc_band_of(groups, level=level, model=model, area=area)
        made = [band, roc_hull_of(groups, model=model)]
        found["roc"] += _as_dependent(made, evidence)
    if "precision_recall" in found:
        made = [precision_recall_band_of(groups, level=level, model=model)]
        found["precision_recall"] += _as_dependent(made, evidence)


def _calibrated(evidence: Predictions, model: str, level: float) -> list[Curve]:
    """The calibration of the positive class; of two classes its probability says all."""
    own = evidence.columns_of[model]
    if own.scores is None or not own.probabilities:  # one column is both
        columns = evidence.sorted_columns("scores", (model,))
        happened, chance = columns.truth.astype(bool), columns.predictions[0]
    else:
        columns = evidence.sorted_columns("probabilities", (model,))
        place = evidence.classes.index(str(evidence.positive))
        happened, chance = columns.truth == place, columns.predictions[0, :, place]
    if happened.all() or not happened.any():
        return []
    curve = reliability(happened, chance, level=level, model=model, together=True)
    return _as_dependent([curve], evidence)


def _as_dependent(curves: list[Curve], evidence: Predictions) -> list[Curve]:
    return curves if evidence.clusters is None else [_without_band(curve) for curve in curves]


def _without_band(curve: Curve) -> Curve:
    """Bands count items as independent, which clustered ones are not."""
    limits = ("low", "high") if curve.name.endswith("_band") else ("observed_low", "observed_high")
    columns = tuple((name, values) for name, values in curve.columns if name not in limits)
    return replace(curve, name=curve.name.removesuffix("_band"), columns=columns)
