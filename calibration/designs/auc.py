"""Areas under ROC curves of one model and of two: what is counted of drawn rankings."""

import numpy as np
from numpy.typing import NDArray

from assay.estimates.misplaced_items import misplaced_p
from assay.estimates.roc import (
    PRIOR_ITEMS,
    auc_newcombe,
    auc_score,
    delong,
    newcombe_variance,
)
from assay.hypotheses.roc import FEW, delong_test
from assay.kernels.batched_rankings import DUST, class_df
from assay.kernels.special import ndtr, stdtr
from assay.kernels.tails import normal_reach
from calibration.designs.cells import ALPHAS, FloatArray, Table, at_alpha, tally
from calibration.designs.means import Disagreement

ONE = Table(
    procedure="auc_score", answers="evaluate", world="scores", measure="roc_auc", unit="item",
    parameters=("ties", "auc", "prevalence", "n"),
)  # fmt: skip
PAIR = Table(
    procedure="delong_test", answers="compare", world="scores", measure="roc_auc", unit="item",
    parameters=("ties", "auc", "prevalence", "n", "correlation"),
)  # fmt: skip
Counts = dict[str, float]


def difference_p_values(
    difference: FloatArray,
    parts: tuple[FloatArray, FloatArray],
    positives: FloatArray,
    negatives: FloatArray,
) -> FloatArray:
    """DeLong's test with t; where the difference does not vary, that of `flat_z`."""
    rarer = np.minimum(positives, negatives)
    spread = parts[0] + parts[1]
    with np.errstate(invalid="ignore", divide="ignore"):
        shares = parts[0] ** 2 / (positives - 1.0) + parts[1] ** 2 / (negatives - 1.0)
        df = np.minimum(spread**2 / shares, class_df(positives, negatives))
    varies = spread > DUST
    z = np.abs(difference) / np.sqrt(np.where(varies, spread, 1.0))
    flat = np.sqrt(rarer * np.abs(difference))
    df = np.where(varies, df, 1.0)
    error = np.sqrt(np.where(varies, spread, 1.0))
    unseen = misplaced_p(difference, error, (positives, negatives), df, "two-sided")
    p = np.where(varies, np.maximum(2.0 * stdtr(df, -z), unseen), 2.0 * ndtr(-flat))
    return np.asarray(p)


def count_area(
    counts: Counts,
    area: FloatArray,
    parts: tuple[FloatArray, FloatArray],
    resting: FloatArray,
    sizes: tuple[FloatArray, FloatArray],
    truth: float,
) -> None:
    """Whether the true area lies in the intervals of one model."""
    plus(counts, "noted", tally(np.minimum(resting, np.minimum(*sizes)) < FEW))
    for alpha in ALPHAS:
        reach = normal_reach(1.0 - alpha, "two-sided")
        for kind, hits in covered(area, parts[0] + parts[1], sizes, truth, reach).items():
            plus(counts, at_alpha(kind, alpha), tally(hits))


def count_difference(
    counts: Counts,
    difference: FloatArray,
    parts: tuple[FloatArray, FloatArray],
    sizes: tuple[FloatArray, FloatArray],
) -> FloatArray:
    """Rejections of DeLong's test of two like models; its p-values."""
    p = difference_p_values(difference, parts, *sizes)
    plus(counts, "noted", tally(np.minimum(*sizes) < FEW))
    for alpha in ALPHAS:
        plus(counts, at_alpha("level", alpha), tally(p <= alpha))
    return p


def covered(
    found: FloatArray,
    variance: FloatArray,
    sizes: tuple[FloatArray, FloatArray],
    truth: float,
    z: float,
) -> dict[str, NDArray[np.bool_]]:
    """Whether the true area lies inside: its distance against the variance at the true area."""
    rarer = np.minimum(*sizes)
    known = variance > DUST
    alone = newcombe_variance(np.clip(found, 1e-9, 1 - 1e-9), *sizes)
    ratio = np.where(
        known,
        (rarer * np.where(known, variance, 0.0) / alone + PRIOR_ITEMS) / (rarer + PRIOR_ITEMS),
        1.0,
    )
    there = newcombe_variance(truth, *sizes)
    square = (found - truth) ** 2
    inside = square <= z * z * ratio * there * (1.0 + 1e-12)
    newcombe = square <= z * z * there * (1.0 + 1e-12)
    wald = np.where(known, square <= z * z * np.where(known, variance, 1.0), newcombe)
    return {
        "coverage": inside,
        "missed_low": ~inside & (found > truth),
        "missed_high": ~inside & (found < truth),
        "coverage/auc_newcombe": newcombe,
        "coverage/delong": wald,
    }


def add_widths(
    sums: Counts,
    example: tuple[NDArray[np.bool_], FloatArray],
    truth: float,
    *,
    inside: bool,
    scale: float,
) -> None:
    """Widths of the three intervals of a replicate by the public methods.

    The quick decision ``inside`` must be that of the solved limits.
    """
    methods = {"width": auc_score, "width/auc_newcombe": auc_newcombe, "width/delong": delong}
    for alpha in ALPHAS:
        for kind, method in methods.items():
            interval = method(*example, level=1.0 - alpha).interval
            if interval is None:
                continue
            plus(sums, at_alpha(kind, alpha), interval.width * scale)
            decided = kind == "width" and alpha == ALPHAS[0]
            if decided and interval.contains(truth) != inside:
                raise Disagreement("auc_score covers otherwise than calibration counts")


def check_difference(labels: NDArray[np.bool_], scores: FloatArray, p: float) -> None:
    """One pair of rankings goes through the public method."""
    outcome = delong_test(labels, *scores, variant="t")
    theirs = 1.0 if outcome.p_value is None else outcome.p_value
    if not np.isclose(theirs, p, rtol=1e-6, atol=1e-9):
        raise Disagreement(f"DeLong: {p!r} in calibration, {outcome.p_value!r} from the method")


def plus(counts: Counts, name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value
