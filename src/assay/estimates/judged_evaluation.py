"""`assay.evaluate` with a judge: every measure of every model, corrected by people's labels."""

from collections.abc import Callable, Iterable
from typing import Any

from assay.core.notes import Note, note
from assay.core.results import Estimate, Evaluation
from assay.estimates.default_intervals import estimates
from assay.estimates.judged_means import corrected_estimate
from assay.estimates.judged_values import item_values, labelled_evidence
from assay.estimates.measure_needs import fitting_measure
from assay.evidence.judged_items import Judged, random_note
from assay.evidence.predictions import Predictions
from assay.measures.registry import Measure, find_measure


def evaluate_judged(
    judged: Judged, measures: Any, *, level: float, n_resamples: int, seed: int
) -> Evaluation:
    """The same result as without a judge; details of each estimate hold what judge and people say alone."""
    judged.check_direction()
    found = []
    for measure in asked_measures(judged, measures):
        for model in judged.models:
            at = estimates_at(judged, measure, model, n_resamples=n_resamples, rng=seed)
            found.append(at(level))
    return Evaluation(
        evidence=judged.summary(),
        estimates=tuple(found),
        level=level,
        notes=(*judged.notes, *choice_notes(judged), *beside_notes(found)),
        seed=seed,
    )


def asked_measures(judged: Judged, asked: Any) -> tuple[Measure, ...]:
    """The measures asked for; else the one that fits the evidence."""
    if asked is None or not asked:
        return (fitting_measure((labelled_evidence(judged, judged.models[0]),)),)
    listed = (asked,) if isinstance(asked, str | Measure) or callable(asked) else tuple(asked)
    return tuple(map(find_measure, listed))


def estimates_at(
    judged: Judged, measure: Measure, model: str, *, n_resamples: int = 9999, rng: Any = None
) -> Callable[[float], Estimate]:
    """One model's estimate as a function of its level."""
    values = item_values(judged, measure, model)
    labelled: Predictions = labelled_evidence(judged, model)
    alone = estimates(labelled, measure, model, n_resamples=n_resamples, rng=rng)
    bounds = (measure.low, measure.high)

    def at(level: float) -> Estimate:
        return corrected_estimate(values, alone(level), level, bounds)

    return at


def choice_notes(judged: Judged) -> Any:
    """Whether labelled items look like a random sample of all."""
    if judged.kind == "values" or judged.kind == "grades":
        groups = [(m, judged.judge[judged.row(m)], judged.graded(m)) for m in judged.models]
    else:
        graded = judged.graded()
        groups = [
            (name, (judged.judge[0] == code).astype(float), graded)
            for code, name in enumerate(judged.classes)
        ]
    return random_note(judged, groups)


def beside_notes(found: Iterable[Estimate]) -> tuple[Note, ...]:
    """Where the judge alone would have misled: its own number lies outside the corrected interval."""
    notes = []
    for one in found:
        alone = dict(one.details).get("judge_alone")
        if (
            isinstance(alone, float)
            and one.interval is not None
            and not one.interval.contains(alone)
        ):
            notes.append(note("judge-misleads", model=one.model, measure=one.measure, alone=alone))
    return tuple(notes)
