"""Whole numbers beside a truth of whole numbers: classes, values, or grades that may be taken as either."""

import math
from collections.abc import Mapping
from typing import Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence.cell_text import is_whole, number_or_nan
from assay.evidence.column_kinds import Survey, truth_is_categorical
from assay.evidence.model_columns import ModelColumns
from assay.evidence.names import plain
from assay.evidence.rows import MAX_JOINT

Meaning = Literal["classes", "values", "either"]

_GRADES = frozenset({"stars", "rating", "grade", "severity", "points", "likert", "mos"})
"""Words of a truth's name that say that its numbers are in order."""
FEW = 20
"""Distinct values up to which whole numbers may be grades, however seldom they are met exactly."""
NEAR, CLEAR = 0.3, 2.5
"""Correlation of wrong answers with the right ones, and its standard errors, from which on they are near."""
EXACT = 0.2
"""Share of answers that are met exactly from which on many values may be answers that are right or wrong."""


def meaning_of(
    found: Survey, truth: str, models: Mapping[str, ModelColumns], *, asked: bool
) -> Meaning:
    """What the truth holds; a measure that was ``asked`` for says itself what it takes numbers for."""
    usual: Meaning = "classes" if truth_is_categorical(found, truth, models) else "values"
    if truth in found.facts and not found.facts[truth].whole:
        return usual
    levels = found.as_levels(truth)
    columns = [str(of.bare) for of in models.values()]
    stated = any(of.bare is None or len(of.used()) > 1 for of in models.values())
    if stated or levels is None or len(levels) <= 2 or not all(map(is_whole, levels)):
        return usual
    if not all(_is_whole(found, name) for name in columns):
        return usual
    if asked:
        return "either"
    near, exact = _errors(found, truth, columns)
    ordered = bool(_GRADES & set(plain(truth).split("_"))) and len(levels) <= FEW
    if near or ordered:
        return "either" if len(levels) <= FEW or exact >= EXACT else "values"
    if exact >= 1.0 - EXACT:
        return "classes"
    return "either" if exact >= EXACT and usual == "values" else usual


def _is_whole(found: Survey, name: str) -> bool:
    levels = found.as_levels(name)
    return levels is not None and all(map(is_whole, levels))


def _errors(found: Survey, truth: str, columns: list[str]) -> tuple[bool, float]:
    """Whether wrong answers lie near the right ones, and the share of answers that are right."""
    parts = []
    for name in columns:
        groups = found.rows.group([truth, name], limit=MAX_JOINT)
        if groups is None:
            return True, 0.0
        numbers = [
            np.array([number_or_nan(level) for level in levels])[codes]
            for levels, codes in zip(groups.levels, groups.codes.T, strict=True)
        ]
        parts.append(np.vstack([*numbers, groups.counts]))
    cells: FloatArray = np.hstack(parts)
    cells = cells[:, np.isfinite(cells).all(axis=0)]
    wrong = cells[:, cells[0] != cells[1]]
    count = float(wrong[2].sum())
    exact = 1.0 - count / max(1.0, float(cells[2].sum()))
    if wrong.shape[1] < 2:
        return False, exact
    weights = wrong[2] / count
    sized = wrong[:2] / np.maximum(1.0, np.abs(wrong[:2]).max(axis=1, keepdims=True))
    right, answer = (one - one @ weights for one in sized)  # squares of no number overflow
    scale = math.sqrt(float(right**2 @ weights) * float(answer**2 @ weights))
    together = float((right * answer) @ weights) / scale if scale else 0.0
    return together > NEAR and together * math.sqrt(count) > CLEAR, exact
