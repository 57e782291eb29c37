"""Performance profiles: the share of runs above each score, with bands."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.results import Comparison, Curve, Evaluation
from assay.plots.bands import (
    MOST_BANDS,
    band_words,
    curve_name,
    curves_of,
    draw_band,
    has_band,
    legend_below,
    look,
    thinned,
    tidy,
)
from assay.plots.style import new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def profiles(
    result: Comparison | Evaluation | Curve | Sequence[Curve], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the share of runs that score above each threshold, one curve for each model.

    A curve above another everywhere belongs to the model whose runs score higher throughout; where
    curves cross, the answer depends on the score that is wanted.

    Examples
    --------
    >>> from assay.estimates.runs import performance_profile
    >>> profiles(performance_profile([0.7, 0.9, 0.8], model="net")).get_ylabel()
    'share of runs above it'
    """
    curves = curves_of(
        result,
        "threshold",
        "share",
        figure="a performance profile",
        instead="estimates.runs.performance_profile makes one from the scores of runs",
    )
    with styled():
        axes = new_axes(6.4, 3.9 + 0.2 * len(curves)) if ax is None else ax
        handles = []
        for place, curve in enumerate(curves):
            columns = thinned(curve)
            at = columns["threshold"]
            if has_band(curve) and len(curves) <= MOST_BANDS:
                draw_band(axes, at, columns["low"], columns["high"], place, step="post")
            (line,) = axes.plot(
                at, columns["share"], lw=1.9, zorder=3, drawstyle="steps-post", **look(place)
            )
            handles.append(line)
        axes.set_ylim(-0.02, 1.02)
        tidy(axes)
        axes.set_xlabel("score")
        axes.set_ylabel("share of runs above it")
        names = [curve_name(curve) for curve in curves]
        legend_below(axes, handles, names, title=band_words(curves, "simultaneous bands"))
    return axes
