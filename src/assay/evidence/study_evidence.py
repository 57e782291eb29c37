"""A whole study as evidence: scores by measure, curves, and what was run and what is missing."""

from dataclasses import dataclass

from assay.core.notes import Note
from assay.core.study_results import ScoreTable, StudyGap, TuningSummary
from assay.evidence.curve_scores import CurveScores
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class StudyEvidence:
    """What `study_report` reads; made by `assay.read_study` or `StudyResult.as_study`."""

    name: str
    source: str
    seed: int
    design: tuple[tuple[str, str], ...]
    """What was run, as (name, words)."""
    tables: tuple[ScoreTable, ...]
    scores: tuple[tuple[str, Scores | Predictions | str], ...]
    """By measure: what is compared, or why nothing can be."""
    curves: tuple[CurveScores, ...] = ()
    tuning: tuple[TuningSummary, ...] = ()
    gaps: tuple[StudyGap, ...] = ()
    notes: tuple[Note, ...] = ()
