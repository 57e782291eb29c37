"""Agreement beyond chance between two raters, or a model and the truth, with an interval (M5)."""

import math
from typing import Any, Literal

import numpy as np

from assay.core.checks import FloatArray, check_alternative, check_choice, check_level
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Details, Estimate, Interval
from assay.core.vocabulary import Alternative
from assay.evidence.shapes import as_confusion
from assay.kernels.tails import ends, normal_reach

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
FLAT = 1e-14
"""A variance of agreement below this is rounding."""


@method(
    question="How far do two raters, or a model and the truth, agree beyond chance?",
    takes="confusion",
    gives="estimate",
    unit="item",
    assumes=("independent items", "enough items for a normal approximation"),
    reference="Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72: 323-327; "
    "Cohen (1960), Educational and Psychological Measurement 20: 37-46",
    requirement="M5",
    same_as="R: vcd::Kappa({table}, weights = 'Equal-Spacing')  # or 'Fleiss-Cohen' for quadratic",
    formula="kappa = (agreement - chance)/(1 - chance) ± z standard_error",
)
def cohens_kappa(
    *evidence: Any,
    weights: Weights = "none",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """Cohen's kappa, weighted or not, with the asymptotic standard error for intervals.

    From a table of counts, (truth, prediction), or evidence of one model. ``weights`` let near
    misses count, classes in the order of the table. The standard error is the one for intervals,
    not the one for testing kappa = 0. `assay evaluate --measure kappa` has the bootstrap interval.
    """
    matrix, classes = as_confusion(evidence)
    kind = check_choice(weights, WEIGHTS, "weights")
    side, confidence = check_alternative(alternative), check_level(level)
    n = int(matrix.sum())
    shares = matrix / n
    agreement = agreement_weights(len(classes), kind)
    observed = float((agreement * shares).sum())
    chance = float(shares.sum(axis=1) @ agreement @ shares.sum(axis=0))
    details: Details = (("agreement", observed), ("chance", chance), ("n", n), ("weights", kind))
    if 1.0 - chance < FLAT:  # one class, met by both
        missing = note("undefined-value", measure="kappa")
        return _estimate(kind, None, None, None, n, (missing,), details)
    value = (observed - chance) / (1.0 - chance)
    error = _standard_error(shares, agreement, value, chance, n)
    details = (*details, ("standard_error", error))
    if error == 0.0:
        flat = note(
            "zero-variance",
            what="the items",
            method="cohens_kappa",
            remedy="the bootstrap interval of evaluate allows for few items",
        )
        return _estimate(kind, value, None, None, n, (flat,), details)
    z = normal_reach(confidence, side)
    interval, notes = _interval(value, z * error, side, confidence)
    details = (*details, ("z", z))
    return _estimate(kind, value, interval, error, n, notes, details)


def agreement_weights(k: int, weights: Weights) -> FloatArray:
    """1 for the same class, less the farther two classes are apart in their order."""
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :])
    if weights == "none":
        return np.asarray(apart == 0, dtype=np.float64)
    return np.asarray(1.0 - (apart / max(k - 1, 1)) ** (1 if weights == "linear" else 2))


def _standard_error(
    shares: FloatArray, agreement: FloatArray, kappa: float, chance: float, n: int
) -> float:
    """Fleiss, Cohen and Everitt (1969), eq. 13: of kappa where it need not be 0."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    mean = (agreement @ columns)[:, None] + (rows @ agreement)[None, :]
    squares = float((shares * (agreement - mean * (1.0 - kappa)) ** 2).sum())
    variance = squares - (kappa - chance * (1.0 - kappa)) ** 2
    return math.sqrt(variance / n) / (1.0 - chance) if variance > FLAT else 0.0


def _interval(
    value: float, reach: float, side: Alternative, level: float
) -> tuple[Interval, tuple[Any, ...]]:
    """Kappa plus and minus its reach, cut at 1 with a note."""
    low, high = ends(value, reach, side)
    cut = side != "greater" and high > 1.0
    notes = (note("interval-cut", low=low, high=high),) if cut else ()
    return (
        Interval(
            low=max(low, -1.0),
            high=min(high, 1.0),
            level=level,
            method="cohens_kappa",
            alternative=side,
        ),
        notes,
    )


def _estimate(
    weights: Weights,
    value: float | None,
    interval: Interval | None,
    error: float | None,
    n: int,
    notes: tuple[Any, ...],
    details: Details,
) -> Estimate:
    return Estimate(
        measure="kappa" if weights == "none" else f"kappa_{weights}",
        value=value,
        interval=interval,
        method="cohens_kappa",
        n=n,
        unit="item",
        standard_error=error,
        notes=notes,
        details=details,
    )
