"""Calibration with its uncertainty: the observed share of each bin with an interval (A2)."""

from dataclasses import replace

from numpy.typing import ArrayLike

from assay.core.checks import check_level
from assay.core.results import Curve
from assay.estimates.proportions import proportion
from assay.measures.probabilities import Binning, calibration_curve


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
    found = [
        proportion(round(observed * count), int(count), level=each).interval
        for observed, count in zip(curve.column("observed"), curve.column("count"), strict=True)
    ]
    limits = [(0.0, 1.0) if one is None else (one.low, one.high) for one in found]
    columns = tuple(zip(*limits, strict=True))
    return replace(
        curve,
        columns=(*curve.columns, ("observed_low", columns[0]), ("observed_high", columns[1])),
        details=(*curve.details, ("level", level), ("together", together)),
    )
