"""Numbers that cannot be what they are called, or are not on one scale: asked about before anything is decided."""

from collections.abc import Mapping

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError
from assay.core.measure_names import better_side, is_beyond, is_share
from assay.core.questions import AmbiguousEvidence
from assay.evidence.cell_questions import which_scale
from assay.evidence.open_questions import which_direction
from assay.evidence.predictions import Predictions
from assay.evidence.reading_options import Told
from assay.evidence.scores import Scores

PER_CENT = 1.5
"""Fractions do not reach this, and per cent mostly lie above it."""
FAR_ABOVE = 20.0
"""How many times all fractions shares exceed that are per cent beside them; errors of 0.3% and 5% do not."""


def doubt_scores(evidence: Scores, told: Told) -> None:
    """Ask about an RMSE below 0, which is a negated one or a difference, and about 0.81 beside 81."""
    for measure in evidence.measures:
        called = told.measure if measure == "score" and told.measure else measure
        chosen = told.measure in (None, called) or told.measure not in evidence.measures
        if not chosen or evidence.directions.get(measure):
            continue
        values = evidence.of(measure).value
        low, high = float(values.min()), float(values.max())
        if told.lower_is_better is None and is_beyond(str(called), low, high):
            raise AmbiguousEvidence([which_direction(str(called), low, high)])
        if better_side(str(called)) != "lower":
            _doubt_scale(evidence.by_model(evidence.of(measure)))
        if is_share(str(called)):
            _refuse_mixed_cells(evidence, measure, str(called))


def doubt_items(evidence: Predictions) -> None:
    """Ask about scores of items from 0 to 1 beside others to 100."""
    columns = {model: str(evidence.columns_of[model].losses) for model in evidence.models}
    facts = evidence.rows.facts(list(columns.values()))
    highs = [facts[name].high for name in columns.values()]
    if min(highs) <= 1.0 and max(highs) > PER_CENT:
        values = evidence.columns("losses").predictions
        _doubt_scale(dict(zip(evidence.models, values, strict=True)))


def _doubt_scale(by_model: Mapping[str, FloatArray]) -> None:
    """Ask where the scores of some models are fractions and those of others could be per cent."""
    if mixed := mixed_scales(by_model):
        raise AmbiguousEvidence([which_scale(*mixed, of_models=True)])


def mixed_scales(by_name: Mapping[str, FloatArray]) -> tuple[list[str], list[str]] | None:
    """The names of fractions, and of what could be the same in per cent, where there are both."""
    fractions = [name for name, of in by_name.items() if _inside(of, 1.0)]
    # a median is above only where the largest is, which is sooner known
    per_cent = [
        name
        for name, of in by_name.items()
        if _inside(of, 100.0) and of.max() > PER_CENT and np.median(of) > PER_CENT
    ]
    values = [by_name[name] for name in (*fractions, *per_cent)]
    ranks = all((of % 1 == 0).all() and of.max() <= len(by_name) for of in values)
    return (fractions, per_cent) if fractions and per_cent and not ranks else None


def _inside(values: FloatArray, most: float) -> bool:
    return bool(values.size) and bool(values.min() >= 0.0 and values.max() <= most)


def _refuse_mixed_cells(evidence: Scores, measure: str, called: str) -> None:
    """Refuse shares of which some are fractions and all others far above these, which then are per cent."""
    names, values = evidence.blocks(measure).names or (), evidence.blocks(measure).values
    kinds = (values > 0.0) & (values <= 1.0), values > PER_CENT
    if not all(map(np.any, kinds)) or values[kinds[1]].min() < FAR_ABOVE * values[kinds[0]].max():
        return
    places = [tuple(np.argwhere(kind)[0]) for kind in kinds]
    one, other = (f"{values[at]:g} on {names[at[0]]!r}" for at in places)
    raise EvidenceError(
        f"{called} is {one} and {other}: some rows are in per cent. Use one scale, or choose rows with where=. If all "
        f"are in per cent, say so with percent={','.join(evidence.models)!r}"
    )
