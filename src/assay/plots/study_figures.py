"""A finished study in place of a result, evidence in place of a table: figures draw what they hold."""

from typing import Any

from assay.compare.compare import compare
from assay.evidence.blocks import Blocks, as_blocks
from assay.evidence.reading import offers_evidence, read
from assay.evidence.scores import Scores


def table_of(scores: Any, measure: str | None, *, models: int = 2) -> tuple[Blocks, str | None]:
    """The table of scores that was given, or that evidence or a study holds, and its measure."""
    if offers_evidence(scores):
        scores = read(scores)
    if not isinstance(scores, Scores):
        return as_blocks(scores, missing=True, models=models), measure
    measure = scores.measures[0] if measure is None else measure
    asked = (
        scores.measures[0] if len(scores.measures) == 1 else measure
    )  # one may be called otherwise
    return as_blocks(scores.blocks(asked), missing=True, models=models), measure


def compared(result: Any) -> Any:
    """The comparison of a study, or of a store that holds one, in its first measure; else as it is."""
    if not offers_evidence(result):
        return result
    evidence = read(result)
    measure = evidence.measures[0] if isinstance(evidence, Scores) else None
    return compare(evidence, measure=measure)
