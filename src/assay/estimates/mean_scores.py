"""Mean scores of algorithms, each with the interval that fits what a score stands for."""

from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.results import Estimate
from assay.estimates.folds import corrected_t_interval
from assay.estimates.means import mean_t
from assay.evidence.scores import Scores


def mean_scores(scores: Scores, measure: str, *, level: float = 0.95) -> tuple[Estimate, ...]:
    """The mean score of every model: corrected t over folds, t over seeds and data sets."""
    runs = scores.runs(measure)
    table = scores.blocks(measure)
    estimates = []
    for place, model in enumerate(scores.models):
        values = runs[model] if scores.unit == "seed" else table.values[:, place]
        values = values[~np.isnan(values)]
        if scores.unit == "fold" and values.size == table.n:
            found = corrected_t_interval(values, level=level, **splits_said(scores))
        else:
            found = mean_t(values, level=level, unit=scores.unit)
        estimates.append(replace(found, measure=measure, model=model))
    return tuple(estimates)


def splits_said(scores: Scores) -> dict[str, Any]:
    """How the folds were made, as the corrected procedures take it."""
    sizes = scores.sizes()
    if sizes is not None:
        return {"n_test": sizes[0], "n_train": sizes[1]}
    return {"folds": scores.folds} if scores.folds > 1 else {}
