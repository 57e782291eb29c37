"""Jobs for figures that respond: ROC and thresholds with costs, calibration, differences."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core import wire
from assay.core.errors import NotApplicable, UsageError
from assay.core.results import Curve
from assay.estimates.classifier_curves import evidence_curves
from assay.estimates.evaluate import evaluate
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.reading import read
from assay.evidence.scores import Scores
from assay.measures.costs import mean_cost
from assay.measures.curves import operating_point, roc_curve
from assay.measures.registry import find_measure
from assay.web.job_evidence import default_measure, observed, ranked_models

MOST_POINTS = 400
MOST_BARS = 60
AT_A_THRESHOLD = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "recall",
    "specificity",
    "f1",
    "mcc",
)
"""What is shown of labels cut from scores, beside their cost."""
CUT_RESAMPLES = 1999


def curves(source: dict[str, Any], reading: dict[str, Any], level: float) -> dict[str, Any]:
    """ROC, precision-recall and calibration of every model with scores, with their bands."""
    evidence = observed(source, reading)
    models = ranked_models(evidence)
    if models and isinstance(evidence, Predictions):
        evidence.check_positive()
    drawn = evidence_curves(evidence, level=level) if isinstance(evidence, Predictions) else ()
    kinds = {
        "roc": [curve for curve in drawn if curve.name in ("roc", "roc_band")],
        "precision_recall": [curve for curve in drawn if curve.name.startswith("precision")],
        "calibration": [curve for curve in drawn if curve.name == "calibration"],
    }
    if not models or not kinds["roc"] or not isinstance(evidence, Predictions):
        raise NotApplicable(
            "curves need scores or probabilities of two classes, and items without weights. Add a column "
            "NAME:score, higher where the positive class is more likely"
        )
    areas = evaluate(evidence.select(*models), measures=("roc_auc",), level=level)
    best = {one.model: -(one.value or 0.0) for one in areas.estimates}
    return {
        "models": sorted(models, key=best.__getitem__),
        "positive": evidence.positive,
        "areas": wire.to_builtins(replace(areas, curves=())),
        **{
            kind: [_plain(one) for one in sorted(found, key=lambda one: best[one.model])]
            for kind, found in kinds.items()
        },
    }


def threshold(
    source: dict[str, Any],
    reading: dict[str, Any],
    model: str | None,
    at: float | None,
    costs: list[list[float]],
    level: float,
    seed: int,
) -> dict[str, Any]:
    """One model cut at a threshold: confusion matrix, measures and cost, and the cheapest cut."""
    evidence = observed(source, reading)
    models = ranked_models(evidence)
    chosen = models[0] if model is None and models else model
    if chosen not in models or not isinstance(evidence, Predictions):
        raise UsageError(f"model= names none with scores; there are {', '.join(models) or 'none'}")
    columns = evidence.columns("scores", (chosen,))
    scores = columns.predictions[0]
    curve = roc_curve(columns.truth, scores, model=chosen)
    best = operating_point(curve, costs)
    cheapest = best.column("threshold")[0]
    start = cheapest if np.isfinite(cheapest) else float(scores.max())
    cut_at = start if at is None else at
    labelled = _cut(columns, scores, chosen, cut_at)
    confusion = labelled.tally().confusion(chosen)
    measured = evaluate(
        labelled,
        measures=(mean_cost(costs), *AT_A_THRESHOLD),
        level=level,
        n_resamples=CUT_RESAMPLES,
        rng=seed,
    )
    negative = next(name for name in evidence.classes if name != evidence.positive)
    return {
        "model": chosen,
        "models": list(models),
        "threshold": cut_at,
        "range": [float(scores.min()), float(scores.max())],
        "classes": [negative, str(evidence.positive)],
        "confusion": confusion.tolist(),
        "costs": costs,
        "point": _point(curve, cut_at),
        "cheapest": {
            "threshold": cheapest if np.isfinite(cheapest) else None,
            **{name: best.column(name)[0] for name in ("fpr", "tpr", "cost")},
        },
        "result": wire.to_builtins(measured),
    }


def _point(curve: Curve, at: float) -> dict[str, float]:
    """The point of a ROC curve that a threshold stands for: nothing is above the highest."""
    place = int(np.searchsorted(-np.asarray(curve.column("threshold")), -at, side="right"))
    rates = {name: np.append(0.0, curve.column(name)) for name in ("fpr", "tpr")}
    return {name: float(values[place]) for name, values in rates.items()}


def _cut(columns: Any, scores: Any, model: str, at: float) -> Predictions:
    """Labels cut from scores alone: what the model called its own labels plays no part."""
    table: dict[str, Any] = {"truth": columns.truth.astype(int), f"{model}:score": scores}
    roles: dict[str, Any] = {}
    for role, values in (("weight", columns.weights), ("cluster", columns.clusters)):
        if values is not None:
            table[f" {role}"] = values
            roles[role] = f" {role}"
    models = {model: {"scores": f"{model}:score"}}
    plain = read(table, truth="truth", positive=1, models=models, **roles)
    if not isinstance(plain, Predictions):
        raise UsageError("a threshold needs scores of items")
    return plain.labels_from_scores(at)


def spread(
    source: dict[str, Any], reading: dict[str, Any], asking: dict[str, Any]
) -> dict[str, Any]:
    """How the differences spread over units: by item, fold, seed or data set."""
    evidence = observed(source, reading)
    measure = default_measure(evidence, asking.get("measure"))
    against = asking.get("baseline") or evidence.models[-1]
    if against not in evidence.models:
        raise UsageError(f"no model is called {against!r}: choose another baseline=")
    others = [model for model in evidence.models if model != against]
    if not others:
        raise UsageError("differences need two models; there is one")
    found: dict[str, Any] = {"measure": measure, "baseline": against}
    if isinstance(evidence, Scores):
        table = evidence.blocks(measure)
        place = {model: table.values[:, table.models.index(model)] for model in table.models}
        names = [table.name(row) for row in range(table.n)]
        rows = [
            {"model": model, "values": _numbers(place[model] - place[against])} for model in others
        ]
        return {**found, "kind": "points", "unit": evidence.unit, "names": names, "rows": rows}
    if isinstance(evidence, Unpaired):
        raise NotApplicable("the models were tested on different items: no item has a difference")
    return {**found, "unit": "item", **_item_spread(evidence, measure, others, against)}


def _item_spread(
    evidence: Predictions, measure: str, others: list[str], against: str
) -> dict[str, Any]:
    known = find_measure(measure).bind(evidence.classes, evidence.positive)
    if known.counts is not None:
        rows = []
        for model in others:
            table = evidence.tally((model, against)).paired_table(model, against)
            counts = (table.both_right, table.only_a, table.only_b, table.both_wrong)
            rows.append({"model": model, "table": [int(count) for count in counts]})
        return {"kind": "agreement", "rows": rows}
    if not known.is_mean or known.features is None:
        raise NotApplicable(
            f"{measure} is not a mean over items, so no single item has a difference in it. "
            "Choose another measure on the page “Answer”."
        )
    columns = evidence.columns(known.needs, (*others, against))
    losses = [np.asarray(known.features(columns.truth, row))[:, 0] for row in columns.predictions]
    rows = []
    for model, loss in zip(others, losses[:-1], strict=True):
        gaps = loss - losses[-1]
        bars, edges = np.histogram(gaps, bins=MOST_BARS if gaps.size > MOST_BARS else 20)
        rows.append({"model": model, "counts": bars.tolist(), "edges": edges.tolist()})
    return {"kind": "histogram", "rows": rows}


def _plain(curve: Curve) -> dict[str, Any]:
    """The columns of a curve, thinned for a screen, and its details."""
    size = len(curve.columns[0][1])
    kept = np.unique(np.linspace(0, size - 1, min(size, MOST_POINTS)).round().astype(int))
    columns = {name: _numbers(np.asarray(values)[kept]) for name, values in curve.columns}
    return {"model": curve.model, "columns": columns, "details": dict(curve.details)}


def _numbers(values: Any) -> list[float | None]:
    return [float(value) if np.isfinite(value) else None for value in values]


TASKS: dict[str, Callable[..., dict[str, Any]]] = {
    "curves": curves,
    "threshold": threshold,
    "spread": spread,
}
