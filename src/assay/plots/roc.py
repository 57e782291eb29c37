"""ROC curves with their bands, their convex hull and the area under each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.errors import UsageError
from assay.core.results import Comparison, Curve, Estimate, Evaluation
from assay.core.writing import write_estimate
from assay.plots.bands import (
    MOST_BANDS,
    band_words,
    curve_name,
    curves_of,
    draw_band,
    estimates_of,
    has_band,
    legend_below,
    look,
    thinned,
    tidy,
    unit_square,
)
from assay.plots.style import FAINT, new_axes, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

AREAS = ("roc_auc", "auc")
HULL = "roc_hull"


def roc(
    result: Comparison | Evaluation | Curve | Sequence[Curve], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the ROC curves of a result, or curves with columns fpr, tpr and, for a band, low, high.

    The legend gives the area under each curve with its interval, as it stands in the result.
    Colours and line styles differ together, so that curves stay apart in print without colour.
    A hull (``measures.curves.roc_hull``) is a thin line of its model's colour, its corners marked.

    Examples
    --------
    >>> from assay.core.results import Curve
    >>> points = (("fpr", (0.0, 0.2, 1.0)), ("tpr", (0.0, 0.7, 1.0)))
    >>> roc(Curve(name="roc", model="tree", columns=points)).get_xlabel()
    'false positive rate'
    """
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
    with styled():
        axes = new_axes(5.2, 5.2 + 0.2 * len(curves)) if ax is None else ax
        axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
        handles = []
        for place, curve in enumerate(curves):
            columns = thinned(curve)
            if has_band(curve) and len(curves) <= MOST_BANDS:
                draw_band(axes, columns["fpr"], columns["low"], columns["high"], place)
            # nothing called positive: every curve starts there, though it need not be a point of it
            false, true = [0.0, *columns["fpr"]], [0.0, *columns["tpr"]]
            handles += axes.plot(false, true, lw=1.9, zorder=3, **look(place))
        hulls = _draw_hulls(axes, found, curves)
        unit_square(axes)
        tidy(axes)
        axes.set_xlabel("false positive rate")
        axes.set_ylabel("true positive rate")
        labels = [_label(curve, estimates_of(result)) for curve in curves]
        words = [band_words(curves, "simultaneous bands"), "thin: convex hull" if hulls else ""]
        legend_below(axes, handles, labels, title="; ".join(filter(None, words)))
    return axes


def _draw_hulls(axes: "Axes", found: Sequence[Curve], curves: Sequence[Curve]) -> int:
    """Hulls of curves that are drawn, and how many there are."""
    models = [curve.model for curve in curves]
    hulls = [curve for curve in found if curve.name == HULL and curve.model in models]
    for hull in hulls:
        color = look(models.index(hull.model))["color"]
        axes.plot(
            hull.column("fpr"), hull.column("tpr"), color=color, lw=0.9, marker=".", ms=4,
            zorder=2, label="_hull",
        )  # fmt: skip
    return len(hulls)


def _label(curve: Curve, estimates: tuple[Estimate, ...]) -> str:
    name = curve_name(curve)
    for estimate in estimates:
        if estimate.measure in AREAS and estimate.model == curve.model:
            return f"{name}   AUC {write_estimate(estimate)}"
    area = dict(curve.details).get("auc")
    return f"{name}   AUC {area:.3f}" if isinstance(area, float) else name
