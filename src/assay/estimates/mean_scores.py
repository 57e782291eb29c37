"""Mean scores of algorithms, each with the interval that fits what a score stands for."""

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import AssayError
from assay.core.notes import note
from assay.core.results import Estimate, Interval
from assay.core.study_results import ScoreTable
from assay.estimates.folds import (
    are_held,
    cautious_t_interval,
    corrected_t_interval,
)
from assay.estimates.means import cut_to_range, mean_t
from assay.estimates.near_majority import near_majority
from assay.evidence.blocks import Blocks
from assay.evidence.scores import Scores
from assay.measures.registry import find_measure


def mean_scores(
    scores: Scores, measure: str, *, level: float = 0.95, table: Blocks | None = None
) -> tuple[Estimate, ...]:
    """The mean score of every model: corrected or cautious t over folds, t over seeds and data sets.

    ``table`` holds the rows to use where they are not all. Intervals end with the range of a
    measure that is known and whose range the scores keep to.
    """
    runs = scores.runs(measure) if scores.unit == "seed" else {}
    table = scores.blocks(measure) if table is None else table
    ends = range_of(measure, table.values)
    splits = splits_said(scores, len(table.values)) if scores.unit == "fold" else {}
    held = are_held(scores.folds, scores.repeats)
    over_folds = cautious_t_interval if held else corrected_t_interval
    estimates = []
    whole = {
        model: table.values[:, place]
        for place, model in enumerate(scores.models)
        if held and not np.isnan(table.values[:, place]).any()
    }
    near = near_majority(scores, measure, whole, level=level, splits=splits)
    for place, model in enumerate(scores.models):
        values = runs[model] if scores.unit == "seed" else table.values[:, place]
        kept = ~np.isnan(values)
        if not kept.any() or (scores.unit == "fold" and not kept.all()):
            # a mean over the other splits would not compare
            found = _undefined(measure, int(kept.sum()), scores)
        elif scores.unit == "fold":
            if held:
                splits = {**splits, "training_sd": near.get(model, 0.0)}
            found = over_folds(values, level=level, **splits)
        else:
            values = values[kept]
            found = mean_t(values, level=level, unit=scores.unit)
        if ends is not None and found.value is not None:
            found = cut_to_range(found, *ends)
        estimates.append(replace(found, measure=measure, model=model))
    return tuple(estimates)


def with_intervals(table: ScoreTable, scores: Scores, *, level: float = 0.95) -> ScoreTable:
    """The means of a study, each with the interval over the splits of its data set."""
    columns = scores.of(table.measure)
    found: dict[tuple[str, str | None], Interval | None] = {}
    for dataset in columns.dataset.present:
        inside = columns.at(columns.dataset.are(dataset)).without("dataset")
        part = replace(scores, columns=inside, unit="fold")  # all splits of a data set share items
        if part.blocks(table.measure).n > 1:
            for one in mean_scores(part, table.measure, level=level):
                found[dataset or table.datasets[0], one.model] = one.interval
    rows = (
        tuple(found.get((dataset, learner)) for learner in table.learners)
        for dataset in table.datasets
    )
    return replace(table, intervals=tuple(rows))


def range_of(measure: str, values: FloatArray) -> tuple[float, float] | None:
    """Where scores of this name can lie; None of unknown names and of scores on another scale."""
    try:
        known = find_measure(measure)
    except AssayError:
        return None
    inside = np.isnan(values) | ((values >= known.low) & (values <= known.high))
    return (known.low, known.high) if inside.all() else None


def _undefined(measure: str, n: int, scores: Scores) -> Estimate:
    return Estimate(
        measure=measure,
        value=None,
        interval=None,
        method="mean_t",
        n=n,
        unit=scores.unit,
        notes=(note("undefined-value", measure=measure),),
    )


def splits_said(scores: Scores, used: int) -> dict[str, Any]:
    """How the folds were made, as the corrected procedures take it; of those ``used``, if some have gaps."""
    sizes = scores.sizes()
    if sizes is not None:
        whole = used == sizes[0].size
        tested, trained = sizes if whole else (float(of.mean()) for of in sizes)
        return {"n_test": tested, "n_train": trained}
    if scores.folds < 2:
        return {}
    return {"test_share": 1.0 / scores.folds} if used % scores.folds else {"folds": scores.folds}
