"""`assay.evaluate`: every measure of every model, each with its interval."""

from collections.abc import Callable, Iterable
from typing import Any

from assay.core.checks import check_level, many_names
from assay.core.errors import UsageError
from assay.core.notes import note
from assay.core.results import Estimate, Evaluation, with_notes
from assay.core.rng import Rng, seed_of
from assay.estimates.measure_needs import asked_measure
from assay.evidence.judged_items import Judged
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.reading import read_any
from assay.evidence.scores import Scores
from assay.measures.registry import Measure, registered_name

AskedMeasure = str | Measure | Callable[..., float]


@many_names
def evaluate(
    evidence: Any,
    *more: Any,
    truth: str | list[str] | None = None,
    measures: AskedMeasure | Iterable[AskedMeasure] | None = None,
    level: float = 0.95,
    interval: str = "default",
    n_resamples: int = 9999,
    rng: Rng = None,
    max_loss: float | None = None,
    **reading: Any,
) -> Evaluation:
    """Measure models on a test set: every number with its interval.

    ``evidence`` (with ``more``: the truth, then predictions) is anything :func:`assay.read` takes,
    and ``truth`` and ``reading`` (models, id, positive, cluster, weight …) are its options.
    ``measures`` are names, measures or functions of (truth, prediction[, weight]); without them it is
    what fits: accuracy of labels, roc_auc of scores, mse of numbers. ``interval`` is "default", or a
    bootstrap interval: percentile, basic, bca or normal. ``max_loss`` is the largest loss that an item
    can have, of means of losses such as mse.

    Examples
    --------
    >>> found = evaluate({"truth": [0, 0, 1, 1], "tree": [0, 0, 1, 0]}, truth="truth")
    >>> found.estimates[0].value
    0.75
    """
    from assay.estimates.classifier_curves import curve_notes, evidence_curves
    from assay.estimates.default_intervals import estimate
    from assay.estimates.loss_ranges import with_largest_loss

    measures = None if measures is None else _listed(measures)
    lone = measures[0] if measures is not None and len(measures) == 1 else None
    named = lone if isinstance(lone, str) else None
    predictions = read_any(evidence, *more, truth=truth, measure=named, **reading)
    if isinstance(predictions, Judged):
        from assay.estimates.judged_evaluation import evaluate_judged

        sizes: dict[str, Any] = {"level": check_level(level), "n_resamples": n_resamples}
        return evaluate_judged(predictions, measures, **sizes, seed=seed_of(rng))
    if isinstance(predictions, Scores):
        if max_loss is not None:
            raise UsageError("max_loss= is of losses by item; these are scores: leave it out")
        return _of_scores(predictions, measures, check_level(level))
    parts = predictions.parts if isinstance(predictions, Unpaired) else (predictions,)
    seed = seed_of(rng)
    options: dict[str, Any] = {
        "level": check_level(level),
        "interval": interval,
        "n_resamples": n_resamples,
        "rng": seed,
    }
    estimates = tuple(
        _with_caveats(part, estimate(part, measure, model, **options))
        for measure in (with_largest_loss(one, max_loss) for one in _measures(measures, parts))
        for part in parts
        for model in part.models
    )
    return Evaluation(
        evidence=predictions.summary(),
        estimates=estimates,
        level=level,
        notes=tuple(dict.fromkeys(n for part in parts for n in (*part.notes, *curve_notes(part)))),
        seed=seed,
        curves=tuple(curve for part in parts for curve in evidence_curves(part, level=level)),
    )


def _of_scores(scores: Scores, measures: Any, level: float) -> Evaluation:
    """The mean of every score that the evidence holds; measures it lacks are named."""
    from assay.estimates.mean_scores import mean_scores

    chosen = tuple(map(str, _listed(measures))) or scores.measures
    return Evaluation(
        evidence=scores.summary(),
        estimates=tuple(one for name in chosen for one in mean_scores(scores, name, level=level)),
        level=level,
        notes=scores.notes,
    )


def _measures(asked: Any, parts: tuple[Predictions, ...]) -> tuple[Measure, ...]:
    if asked is not None and not _listed(asked):
        raise UsageError("give at least one measure, such as accuracy or f1")
    return tuple(asked_measure(one, parts) for one in _listed(asked) or (None,))


def _listed(asked: Any) -> tuple[Any, ...]:
    """The measures asked for, one or several."""
    if isinstance(asked, str | Measure) or callable(asked):
        return (asked,)
    if asked is None:
        return ()
    if not isinstance(asked, Iterable) or getattr(asked, "shape", None) == ():
        raise UsageError(f"measures= is a measure or a list of them, got {asked!r}")
    return tuple(asked)


def _with_caveats(evidence: Predictions, found: Estimate) -> Estimate:
    """Notes on what a number may hide: a majority class behind accuracy, a reversed ranking."""
    from assay.measures.labels import accuracy_misleads
    from assay.measures.ranking import auc_notes

    if found.value is None or found.model is None:
        return found
    name = registered_name(found.measure)
    if name == "accuracy" and evidence.origin is None:  # values by item know no classes
        confusion = evidence.tally((found.model,)).confusion(found.model)
        if (confusion.sum(axis=1) > 0).sum() == 1:
            unknown = "how the models treat the other classes is unknown"
            return with_notes(found, note("one-class", consequence=unknown))
        misleads = accuracy_misleads(confusion, evidence.classes, found.model)
        return found if misleads is None else with_notes(found, misleads)
    return with_notes(found, *auc_notes(found.value)) if name == "roc_auc" else found
