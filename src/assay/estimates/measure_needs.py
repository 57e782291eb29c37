"""What a measure needs of the evidence: whether it is there, and the numbers that a mean is taken of."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.questions import AmbiguousEvidence
from assay.evidence.open_questions import which_positive
from assay.evidence.predictions import Predictions
from assay.measures.registry import Measure, Needs

WANTED: dict[Needs, str] = {
    "labels": "predicted labels",
    "scores": "scores of the positive class",
    "probabilities": "a probability for every class",
    "values": "predicted numbers",
    "losses": "a loss or reward per item",
}


def check_offers(evidence: Predictions, measure: Measure, models: Sequence[str]) -> None:
    """Refuse a measure that the evidence cannot give, and say what it needs."""
    graded = evidence.origin is not None and evidence.origin.measure == "accuracy"
    if graded and measure.needs == "labels" and measure.counts is None and measure.of_right is None:
        raise NotApplicable(
            f"the evidence only says which answers are right, and {measure.called} needs the right "
            "answers and the answers themselves. Give their columns (truth=), or use accuracy or "
            "error_rate"
        )
    for model in models:
        if model not in evidence.offers:
            raise EvidenceError(f"no model {model!r}; there are {', '.join(evidence.models)}")
        offered = evidence.offers[model]
        if measure.needs not in offered:
            if (
                measure.needs == "scores"
                and "probabilities" in offered
                and evidence.positive is None
            ):
                raise AmbiguousEvidence([which_positive(evidence.classes, measure.name)])
            has = " and ".join(sorted(offered)) or "nothing"
            hint = ""
            if measure.needs == "labels" and offered == {"probabilities"}:
                hint = (
                    f": add a column '{model}:label' with the likeliest class, or take "
                    "measure='log_loss'"
                )
            elif measure.needs == "labels" and "scores" in offered:
                hint = ": make labels of them with evidence.labels_from_scores(threshold=0.5)"
            elif measure.needs == "scores" and offered == {"labels"}:
                hint = f": if the 0 and 1 of {model!r} are scores, call its column '{model}:score'"
            raise NotApplicable(
                f"{measure.called} needs {WANTED[measure.needs]}, but {model!r} holds {has}{hint}"
            )


def features_of(measure: Measure, truth: Any, rows: Any) -> FloatArray:
    """What a measure of moments takes the means of, item by item."""
    if measure.features is None:
        raise TypeError(f"{measure.called} is of moments and has no features")
    return np.asarray(measure.features(truth, rows), dtype=np.float64)
