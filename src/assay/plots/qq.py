"""Q-Q plots: do values lie as a normal distribution would have them?"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.formatting import clean_name
from assay.core.results import Comparison, Curve, Evaluation
from assay.hypotheses.assumptions import qq_points
from assay.plots.curve_bands import curves_of, thinned, tidy
from assay.plots.style import BLUE, FAINT, new_axes, own_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def qq(result: Any, *, ax: "Axes | None" = None) -> "Axes":
    """Draw values (or the points of ``qq_points``) against normal quantiles.

    The line goes through the quartiles.
    A plot to look at, not a test: points on the line are as a normal distribution would have
    them; a bend is skewness, ends that turn away from the line are heavy or light tails.

    Examples
    --------
    >>> qq([0.1, 0.4, 0.2, 0.9]).get_xlabel()
    'normal quantile'
    """
    if not isinstance(result, Curve | Comparison | Evaluation) and not _holds_curves(result):
        result = qq_points(result)
    (curve,) = curves_of(
        result,
        "normal",
        "values",
        figure="a Q-Q plot",
        instead="hypotheses.assumptions.qq_points makes one from values",
    )
    details = dict(curve.details)
    columns = thinned(curve)
    with styled():
        axes = new_axes(4.2, 3.9, shape="square") if ax is None else own_axes(ax)
        slope, intercept = details.get("slope"), details.get("intercept")
        if isinstance(slope, float) and isinstance(intercept, float):
            ends = [columns["normal"][0], columns["normal"][-1]]
            axes.plot(ends, [intercept + slope * x for x in ends], color=FAINT, lw=1.0, zorder=1)
        axes.plot(
            columns["normal"], columns["values"], "o", ms=4.5, mfc="none", mec=BLUE, mew=1.1,
            zorder=2,
        )  # fmt: skip
        tidy(axes)
        axes.set_xlabel("normal quantile")
        name = f" of {clean_name(curve.model)}" if curve.model is not None else ""
        plain(axes.set_ylabel(f"values{name}, sorted"))
    return axes


def _holds_curves(result: Any) -> bool:
    return isinstance(result, Sequence) and any(isinstance(one, Curve) for one in result)
