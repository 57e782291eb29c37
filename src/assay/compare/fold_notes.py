"""What compare has to say about scores by fold: which splits and which learners its intervals cannot be trusted on."""

from collections.abc import Mapping

from assay.core.formatting import write_rounded
from assay.core.notes import Note, note
from assay.estimates.folds import are_held
from assay.estimates.near_majority import SHARES_OF_RIGHT
from assay.evidence.curve_scores import CurveScores
from assay.evidence.scores import Scores

WORST_OUTSIDE = 0.29
"""Of the worlds drawn after the allowance was chosen, the worst: how often its intervals miss (docs/folds.md)."""


def holds_level(scores: Scores | CurveScores) -> bool:
    """Whether the folds are five, repeated: there the cautious t held its level best."""
    return are_held(scores.folds, scores.repeats)


def fold_notes(scores: Scores, measure: str, near: Mapping[str, float]) -> tuple[Note, ...]:
    """What the splits cannot support and what to run instead, and learners that hardly learn."""
    return (*_unheld(scores), *near_note(scores, measure, near))


def _unheld(scores: Scores) -> tuple[Note, ...]:
    if holds_level(scores):
        return ()
    repeated = scores.repeats > 1 and scores.folds > 1
    have = (
        f"{scores.repeats} × {scores.folds} folds" if repeated else f"{scores.n} splits of one run"
    )
    return (note("unheld-folds", have=have),)


def near_note(
    scores: Scores | CurveScores, measure: str, near: Mapping[str, float]
) -> tuple[Note, ...]:
    """Where the cautious t decides, its intervals allow for them; other intervals were too short for such learners."""
    held = holds_level(scores)
    found = [model for model, spread in near.items() if spread > 0.0 or not held]
    if not found or scores.majority is None:
        return ()
    name, share = scores.majority
    where = f" on {scores.dataset}" if isinstance(scores, CurveScores) else ""
    more = write_rounded(max(near.values()), 2)
    so = (
        f"Intervals allow for a standard deviation of {more} more, which was too little in "
        f"some simulated worlds (up to {WORST_OUTSIDE:.0%} missed)"
        if held
        else "Do not rely on a difference or on its size"
    )
    return (
        note(
            "near-majority",
            models=", ".join(found),
            count=len(found),
            majority=f"{name}{where}",
            measure=measure.replace("_", " "),
            share=share if SHARES_OF_RIGHT[measure] > 0.0 else 1.0 - share,
            so=so,
        ),
    )
