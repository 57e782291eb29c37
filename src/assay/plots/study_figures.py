"""A finished study in place of a result: figures draw the comparison of its learners."""

from typing import Any

from assay.compare.compare import compare
from assay.evidence.reading import offers_evidence, read
from assay.evidence.scores import Scores


def compared(result: Any) -> Any:
    """The comparison of a study, or of a store that holds one, in its first measure; else as it is."""
    if not offers_evidence(result):
        return result
    evidence = read(result)
    measure = evidence.measures[0] if isinstance(evidence, Scores) else None
    return compare(evidence, measure=measure)
