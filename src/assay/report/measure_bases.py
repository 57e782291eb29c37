"""What a measure of one model rests on: recall on the positives, precision on those called positive."""

from collections.abc import Sequence

from assay.core.results import Estimate
from assay.measures.registry import registered_name

_BASES = {
    "recall": "positives",
    "fnr": "positives",
    "specificity": "negatives",
    "fpr": "negatives",
    "precision": "predicted positives",
    "npv": "predicted negatives",
}
"""The items that a proportion is of, where they are not all items."""


def basis_of(estimate: Estimate) -> tuple[int, str]:
    """How many items an estimate rests on, and which; no word where it is all of them."""
    whole = dict(estimate.details).get("n")
    if not isinstance(whole, int) or whole == estimate.n:
        return estimate.n, ""
    name = registered_name(estimate.measure.partition("[")[0])
    return (whole, _BASES[name]) if name in _BASES else (estimate.n, "")


def class_counts(estimates: Sequence[Estimate]) -> tuple[str, ...]:
    """What an area rests on beside all items: positives and negatives, as pieces of a line."""
    found = {
        (facts.get("n_positive"), facts.get("n_negative"))
        for facts in (dict(one.details) for one in estimates)
    }
    positive, negative = found.pop() if len(found) == 1 else (None, None)
    if not isinstance(positive, int) or not isinstance(negative, int):
        return ()
    return (f"; {positive:,} positives", f", {negative:,} negatives")
