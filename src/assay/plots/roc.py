"""ROC curves with their bands, their convex hull and the area under each."""

from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.results import Curve
from assay.estimates.roc_bands import roc_band
from assay.plots.curve_bands import (
    areas_said,
    band_words,
    banded,
    best_first,
    curves_of,
    draw_band,
    fitted,
    has_band,
    legend_below,
    look,
    scored,
    square_axes,
    thinned,
    tidy,
    unit_square,
)
from assay.plots.style import FAINT, own_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

HULL = "roc_hull"
BAND = "band for the whole curve"


def roc(
    result: Any,
    scores: Any = None,
    *,
    bands: bool | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the ROC curves of a result, of curves, or of a truth and ``scores``.

    ``scores`` are numbers, or a mapping of names to numbers. Curves have columns fpr, tpr and, for
    a band, low and high. The band of one curve is shaded; several curves are drawn without, unless
    ``bands`` asks for them: whether bands overlap does not say whether models differ. The legend
    gives the area under each curve, with its interval where the result has one. A convex hull
    (``measures.curves.roc_hull``) is drawn beside a lone curve.

    Examples
    --------
    >>> axes = roc([0, 1, 0, 1, 1], {"tree": [0.1, 0.8, 0.6, 0.9, 0.4]})
    >>> axes.get_legend().get_texts()[0].get_text()
    'tree   AUC 0.833'
    """
    if scores is not None:
        result = scored(result, scores, roc_band)
    found = curves_of(
        result,
        "fpr",
        "tpr",
        figure="an ROC plot",
        instead="an ROC curve needs scores of two classes, not only labels",
    )
    curves = [curve for curve in found if curve.name != HULL]
    if not curves:
        raise UsageError("a hull is drawn with the curve it belongs to: give both")
    hulls = [curve for curve in found if curve.name == HULL] if len(curves) == 1 else []
    words = [band_words(curves, BAND, asked=bands), "thin: convex hull" if hulls else ""]
    title = "; ".join(filter(None, words))
    with styled():
        labels = fitted(curves, areas_said(curves, result, "roc_auc", "AUC", "auc"), {})
        axes = square_axes(labels, title) if ax is None else own_axes(ax)
        axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
        handles = []
        for place, curve in enumerate(curves):
            columns = thinned(curve)
            if has_band(curve) and banded(curves, asked=bands):
                draw_band(axes, columns["fpr"], columns["low"], columns["high"], place)
            # nothing called positive: every curve starts there, though it need not be a point of it
            false, true = [0.0, *columns["fpr"]], [0.0, *columns["tpr"]]
            handles += axes.plot(false, true, lw=1.6, zorder=3, **look(place))
        for hull in hulls:
            _draw_hull(axes, hull)
        unit_square(axes)
        tidy(axes)
        axes.set_xlabel("false positive rate")
        axes.set_ylabel("true positive rate")
        order = best_first(curves, result, "roc_auc", "auc")
        handles, labels = [handles[at] for at in order], [labels[at] for at in order]
        legend_below(axes, handles, labels, title=title)
    return axes


def _draw_hull(axes: "Axes", hull: Curve) -> None:
    axes.plot(
        hull.column("fpr"), hull.column("tpr"), color=look(0)["color"], lw=0.8, marker=".", ms=3,
        zorder=2, label="_hull",
    )  # fmt: skip
