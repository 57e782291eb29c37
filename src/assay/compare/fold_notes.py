"""What compare has to say about scores by fold: which splits and which learners its intervals cannot be trusted on."""

from collections.abc import Mapping

from assay.core.arrays import FloatArray
from assay.core.notes import Note, note
from assay.estimates.folds import (
    HELD_FOLDS,
    HELD_REPEATS,
    cautious_t_interval,
    corrected_t_interval,
)
from assay.estimates.mean_scores import splits_said
from assay.evidence.curve_scores import CurveScores
from assay.evidence.scores import Scores

HARDLY = 0.1
"""The part of the errors of always answering the most frequent class that a learner must avoid, interval and all."""
SHARES_OF_RIGHT = {"accuracy": 1.0, "error_rate": -1.0}
"""Measures that always answering the most frequent class has a value of, and the sign of better."""


def holds_level(scores: Scores | CurveScores) -> bool:
    """Whether the folds are five, repeated: there the cautious t held its level best."""
    return scores.folds == HELD_FOLDS and scores.repeats >= HELD_REPEATS


def fold_notes(
    scores: Scores, measure: str, values: Mapping[str, FloatArray], level: float
) -> tuple[Note, ...]:
    """What the splits cannot support and what to run instead, and learners that hardly learn."""
    return (*_unheld(scores), *_near_majority(scores, measure, values, level))


def _unheld(scores: Scores) -> tuple[Note, ...]:
    if holds_level(scores):
        return ()
    repeated = scores.repeats > 1 and scores.folds > 1
    have = (
        f"{scores.repeats} × {scores.folds} folds" if repeated else f"{scores.n} splits of one run"
    )
    return (note("unheld-folds", have=have),)


def _near_majority(
    scores: Scores, measure: str, values: Mapping[str, FloatArray], level: float
) -> tuple[Note, ...]:
    """In all cells of docs/folds.md in which no interval held, a learner was as good as the majority class."""
    sign = SHARES_OF_RIGHT.get(measure)
    if scores.majority is None or sign is None:
        return ()
    name, share = scores.majority
    errors = 1.0 - share
    guess, least = (
        1.0 - wrong if sign > 0.0 else wrong for wrong in (errors, (1.0 - HARDLY) * errors)
    )
    interval_of = cautious_t_interval if holds_level(scores) else corrected_t_interval
    found = []
    for model, column in values.items():
        mean = interval_of(column, level=level, **splits_said(scores))
        ends = (mean.value, *((mean.interval.low, mean.interval.high) if mean.interval else ()))
        if min(sign * (end - least) for end in ends if end is not None) <= 0.0:
            found.append(model)
    if not found:
        return ()
    return (
        note(
            "near-majority",
            models=", ".join(found),
            count=len(found),
            majority=name,
            measure=measure.replace("_", " "),
            share=guess,
        ),
    )
