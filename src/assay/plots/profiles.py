"""Performance profiles: the share of runs above each score, with bands."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.estimates.runs import performance_profile
from assay.plots.curve_bands import (
    band_words,
    banded,
    curve_names,
    curves_of,
    draw_band,
    has_band,
    legend_below,
    look,
    thinned,
    tidy,
)
from assay.plots.style import PAGE, new_axes, own_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

BAND = "band for the whole curve"


def profiles(result: Any, *, bands: bool | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the share of runs that score above each threshold, one curve for each model.

    Of a result, of curves, or of a mapping of names to the scores of runs. The band of one curve is
    shaded, those of several only if ``bands`` asks for them. A curve above another everywhere belongs
    to the model whose runs score higher throughout; where curves cross, the answer depends on the
    score that is wanted.

    Examples
    --------
    >>> profiles({"net": [0.7, 0.9, 0.8], "tree": [0.6, 0.7, 0.8]}).get_ylabel()
    'share of runs above it'
    """
    if isinstance(result, Mapping):
        result = [performance_profile(runs, model=str(name)) for name, runs in result.items()]
    curves = curves_of(
        result,
        "threshold",
        "share",
        figure="a performance profile",
        instead="estimates.runs.performance_profile makes one from the scores of runs",
    )
    with styled():
        axes = new_axes(PAGE, 3.6 + 0.2 * len(curves)) if ax is None else own_axes(ax)
        handles = []
        least = min(curve.column("threshold")[0] for curve in curves)
        for place, curve in enumerate(curves):
            columns = thinned(curve)
            at, share = columns["threshold"], columns["share"]
            if has_band(curve) and banded(curves, asked=bands):
                draw_band(axes, at, columns["low"], columns["high"], place, step="post")
            # all runs score above what is below the lowest of them
            line = axes.step(
                [least, *at], [1.0, *share], where="post", lw=1.6, zorder=3, **look(place)
            )[0]
            handles.append(line)
        axes.set_ylim(-0.02, 1.02)
        tidy(axes)
        axes.set_xlabel("score")
        axes.set_ylabel("share of runs above it")
        names = curve_names(curves)
        legend_below(axes, handles, names, title=band_words(curves, BAND, asked=bands))
    return axes
