"""Won, tied and lost: on how many data sets, folds or seeds in common each of a pair is ahead."""

from dataclasses import replace

import numpy as np

from assay.compare.design import Design
from assay.compare.pairwise import Findings
from assay.core.results import Details
from assay.evidence.blocks import Blocks
from assay.evidence.scores import Scores

TIE = 1e-10
"""Differences smaller than this, relative to the scores, are ties."""


def with_records(found: Findings, design: Design) -> Findings:
    """Each outcome of two algorithms with its record among the details; direction counted in."""
    if not isinstance(design.evidence, Scores) or design.kind == "level" or design.unit == "seed":
        return found
    table = design.evidence.blocks(design.scored)
    sign = -1.0 if design.measure.direction == "lower" else 1.0
    return replace(
        found,
        pairs=tuple(
            (a, b, replace(one, details=(*one.details, *record_of(table, a, b, sign))))
            for a, b, one in found.pairs
        ),
    )


def record_of(table: Blocks, a: str, b: str, sign: float = 1.0) -> Details:
    """The units both have: those on which A is ahead, level and behind."""
    first, second = (table.values[:, table.models.index(model)] for model in (a, b))
    both = ~(np.isnan(first) | np.isnan(second))
    gaps = sign * (first[both] - second[both])
    scale = TIE * np.maximum(np.abs(first[both]), np.abs(second[both]))
    won, lost = int((gaps > scale).sum()), int((gaps < -scale).sum())
    return (("won", won), ("tied", int(both.sum()) - won - lost), ("lost", lost))
