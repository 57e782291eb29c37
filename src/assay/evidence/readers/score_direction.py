"""Scores of two classes that are lower for the positive one: asked about before anything is decided."""

import math
from collections.abc import Sequence

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence import open_questions as ask
from assay.evidence.cell_text import class_text, ordered, quoted
from assay.evidence.names import positive_of_scores
from assay.evidence.profile import Profile
from assay.evidence.readers.layout import Layout
from assay.evidence.readers.prediction_kinds import correlation
from assay.kernels.ranks import midranks

TURNED = 4.0
"""Standard errors below nothing at which scores and classes go against each other beyond doubt."""


def check_direction(layout: Layout, truth: Profile, scores: Sequence[str]) -> None:
    """Ask which class scores stand for where they are clearly lower for the one that seems positive."""
    classes = ordered(truth.levels)
    told = layout.told.positive
    positive = positive_of_scores(classes) if told is None else class_text(told)
    said = (
        layout.told.lower_is_better is False
    )  # high scores stand for it, however bad that makes them
    if positive is None or len(classes) != 2 or said:
        return
    is_positive = np.array([class_text(cell) == positive for cell in truth.cells], dtype=float)
    turned = [name for name in scores if _is_turned(is_positive, layout.column(name).numbers)]
    if not turned:
        return
    why = f" The scores of {quoted(turned)} are lower where {truth.name!r} is {positive!r}."
    if len(turned) == len(scores) and told is None:
        layout.questions.append(ask.which_positive(classes, why=why))
    elif len(turned) < len(scores) or len(scores) > 1:
        layout.questions.append(
            ask.which_scores_turned(
                layout.title,
                scores,
                turned,
                next(one for one in classes if one != positive),
                why.strip(),
            )
        )


def _is_turned(is_positive: FloatArray, values: FloatArray) -> bool:
    """Whether scores are clearly lower for positive items."""
    if values.size != is_positive.size:  # the truth of another table has other rows
        return False
    known = np.isfinite(values)
    found = correlation(is_positive[known], midranks(values[known]))
    return bool(found < -TURNED / math.sqrt(max(1, known.sum())))


def told_scores(layout: Layout, truth: Profile) -> list[str]:
    """The columns of the models that were told which hold scores of two classes."""
    named = [of.bare or of.scores for of in layout.models.values()]
    columns = [layout.column(name) for name in named if name is not None]
    return [one.name for one in columns if one.is_numeric and not one.levels <= truth.levels]
