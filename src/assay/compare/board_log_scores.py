"""What logs themselves say of the scores on a board: the harness's own average beside ours."""

from collections.abc import Mapping

from assay.compare.design import Design
from assay.core.board_results import ROUNDED_AVERAGE
from assay.core.notes import Note, note
from assay.estimates.unit_scores import UnitScores
from assay.evidence.predictions import Predictions

_WHOLE = ""
"""The name under which a log states the average of all that was read."""


def reported_of(design: Design, table: UnitScores, aggregate: str) -> dict[str, float]:
    """By model what its log states: of the whole, or of the tasks, put together as the board does."""
    evidence = design.evidence
    if not isinstance(evidence, Predictions) or evidence.origin is None or aggregate != "mean":
        return {}
    if design.measure.name != evidence.origin.measure:
        return {}
    found = {}
    for model, said in evidence.origin.reported.items():
        if _WHOLE in said:
            found[model] = said[_WHOLE]
        elif table.tasks and all(task in said for task in table.tasks):
            found[model] = _weighted(said, table)
    return found


def _weighted(said: Mapping[str, float], table: UnitScores) -> float:
    return sum(w * said[task] for task, w in zip(table.tasks, table.weights, strict=True))


def other_weights(
    design: Design, table: UnitScores, reported: Mapping[str, float]
) -> tuple[Note, ...]:
    """A note where a log puts the same tasks together with other weights."""
    origin = design.evidence.origin if isinstance(design.evidence, Predictions) else None
    if origin is None or not table.tasks:
        return ()
    for model, value in reported.items():
        said = origin.reported[model]
        if all(task in said for task in table.tasks):
            ours = _weighted(said, table)
            if abs(ours - value) > ROUNDED_AVERAGE:
                return (note("log-weights", model=model, theirs=value, ours=ours),)
    return ()
