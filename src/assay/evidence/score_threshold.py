"""Scores made labels, only when asked and at a stated threshold."""

import math
from collections.abc import Sequence
from dataclasses import replace

from assay.core.checks import as_number
from assay.core.errors import EvidenceError, UsageError
from assay.evidence.predictions import Predictions
from assay.evidence.rows import Cut


def cut_scores(evidence: Predictions, threshold: float, models: Sequence[str]) -> Predictions:
    """Labels for the models that have none: the positive class from ``threshold`` up."""
    cut_at = as_number(threshold, "threshold is a finite number")
    if not math.isfinite(cut_at):
        raise UsageError(f"threshold is a finite number, got {threshold!r}")
    evidence.check_positive()
    if evidence.positive is None or len(evidence.classes) != 2:
        raise EvidenceError(
            f"a threshold makes labels of two classes; the truth has {len(evidence.classes)}"
        )
    (negative,) = (name for name in evidence.classes if name != evidence.positive)
    columns, offers = dict(evidence.columns_of), dict(evidence.offers)
    for model in models:
        if "labels" in offers[model]:
            continue
        if "scores" not in offers[model]:
            raise EvidenceError(f"model {model!r} has no scores to make labels of")
        of = columns[model]
        score = of.scores or of.probabilities[evidence.positive]
        cut = Cut(score, cut_at, negative, evidence.positive)
        columns[model] = replace(of, labels=cut)
        offers[model] = offers[model] | {"labels"}
    return replace(evidence, columns_of=columns, offers=offers)
