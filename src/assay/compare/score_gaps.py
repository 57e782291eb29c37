"""Scores with gaps: refused by name, left out for all models, or kept for a test that can; and what is said of it."""

from dataclasses import replace

import numpy as np

from assay.compare.design import Design
from assay.core.errors import EvidenceError
from assay.core.notes import Note, by_count, note
from assay.core.results import EvidenceSummary
from assay.core.vocabulary import UNIT_PLURAL, counted
from assay.evidence.blocks import Blocks
from assay.evidence.scores import Scores


def complete(design: Design) -> Blocks:
    """The table without gaps: gaps are refused by name, or their rows left out if so asked."""
    table = design.scores.blocks(design.scored)
    gaps = np.argwhere(np.isnan(table.values))
    if not len(gaps):
        return table
    named = "; ".join(f"{table.models[m]} on {table.name(row)}" for row, m in gaps[:5])
    if design.missing == "refuse":
        because = "".join(f". {one.message}" for one in design.scores.notes)
        missing = by_count(len(gaps), "score is", "scores are")
        raise EvidenceError(
            f"{len(gaps)} {missing} missing ({named}{'; …' if len(gaps) > 5 else ''}): run them, or say "
            f"missing='complete' to use the rows without gaps, or missing='skillings-mack'{because}"
        )
    kept = ~np.isnan(table.values).any(axis=1)
    if kept.sum() < 2:
        raise EvidenceError(
            f"only {int(kept.sum())} rows have no gap: use missing='skillings-mack'"
        )
    names = None if table.names is None else tuple(np.array(table.names, dtype=object)[kept])
    return Blocks(models=table.models, values=table.values[kept], names=names)


def tested(design: Design) -> Blocks:
    """The table that the tests see: without rows with a gap where they are left out, else whole."""
    return complete(design) if design.missing == "complete" else design.scores.blocks(design.scored)


def used_summary(design: Design) -> EvidenceSummary:
    """What was read, with how many of it were used where rows with a gap are left out."""
    summary = design.evidence.summary()
    if design.missing != "complete":
        return summary
    used, of = len(complete(design).values), counted(summary.n, summary.unit)
    if used == summary.n:
        return summary
    return replace(summary, description=summary.description.replace(of, f"{used} of {of}", 1))


def gap_notes(design: Design, scores: Scores) -> tuple[Note, ...]:
    """What the scores lack, and what was done about it."""
    told = (*scores.notes, *_uneven_cells(design))
    if design.missing != "complete":
        return told
    values = scores.blocks(design.scored).values
    left_out = int(np.isnan(values).any(axis=1).sum())
    if not left_out:
        return told
    units = UNIT_PLURAL[scores.unit]
    policy = f"{left_out} of {len(values)} {units} {by_count(left_out, 'has', 'have')} a gap, left out for all models"
    return (*told, note("missing-cells", count=int(np.isnan(values).sum()), policy=policy))


def _uneven_cells(design: Design) -> tuple[Note, ...]:
    """That some cells are means of fewer folds or seeds than others of the same data set."""
    scores = design.scores
    if design.unit != "dataset":
        return ()
    counts = scores.counts(design.scored)
    most = counts.max(axis=1, keepdims=True)
    short = np.argwhere((counts > 0) & (counts < most))
    if not len(short):
        return ()
    row, model = short[0]
    table = scores.blocks(design.scored)
    others = f" and {len(short) - 1} more" if len(short) > 1 else ""
    where = (
        f"{table.models[model]} on {table.name(row)} is the mean of {counts[row, model]} of "
        f"{most[row, 0]}{others}"
    )
    lacking = int(np.where(counts > 0, most - counts, 0).sum())
    return (note("uneven-cells", count=lacking, where=where),)
