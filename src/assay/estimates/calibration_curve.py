"""Calibration with its uncertainty: the observed share of each bin with an interval (A2)."""

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from assay.core.checks import check_level
from assay.core.results import Curve
from assay.kernels.binomial import mid_p_limits
from assay.kernels.tails import tail_of
from assay.measures.calibration import Binning, calibration_curve


def reliability(
    truth: ArrayLike,
    prediction: ArrayLike,
    binning: Binning | None = None,
    *,
    level: float = 0.95,
    model: str | None = None,
    together: bool = False,
) -> Curve:
    """The calibration curve with the default interval of a proportion in each bin.

    Every interval stands for itself: of ten bins at 95% one in two figures has a bin that misses.
    With ``together`` all hold at once at that level: bins are independent, so each is given at
    the level's root of their number (Sidak).
    """
    check_level(level)
    curve = calibration_curve(truth, prediction, binning, model=model)
    each = level ** (1.0 / len(curve.column("count"))) if together else level
    counts = np.array(curve.column("count"))
    happened = np.rint(np.array(curve.column("observed")) * counts)
    tail = tail_of(each, "two-sided")
    low, high = mid_p_limits(happened, counts, tail, guarded=True)  # as `proportion` has them
    limits = (("observed_low", tuple(low.tolist())), ("observed_high", tuple(high.tolist())))
    return replace(
        curve,
        columns=(*curve.columns, *limits),
        details=(*curve.details, ("level", level), ("together", together)),
    )
