"""Precision against recall, with the average precision and, where there are any, bands."""

from typing import TYPE_CHECKING, Any

from assay.core.results import Curve
from assay.estimates.precision_recall import precision_recall_band
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

BAND = "band for the whole curve"


def precision_recall(
    result: Any,
    scores: Any = None,
    *,
    bands: bool | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw precision-recall curves of a result, of curves, or of a truth and ``scores``.

    ``scores`` are numbers, or a mapping of names to numbers; curves have columns recall, precision
    and, for a band, low and high. Steps, not slopes: between two thresholds no precision in between
    is reached, and the area under the steps is the average precision. The dotted line is the share
    of positives, which is the precision of a model that guesses. The band of one curve is shaded,
    those of several only if ``bands`` asks for them.

    Examples
    --------
    >>> axes = precision_recall([1, 0, 1, 0], {"tree": [0.9, 0.8, 0.7, 0.1]})
    >>> axes.get_legend().get_texts()[0].get_text()
    'tree   average precision 0.833'
    """
    if scores is not None:
        result = scored(result, scores, precision_recall_band)
    curves = curves_of(
        result,
        "recall",
        "precision",
        figure="a precision-recall plot",
        instead="measures.curves.precision_recall_curve makes one from truth and scores",
    )
    title = band_words(curves, BAND, asked=bands)
    measure = "average_precision"
    said = areas_said(curves, result, measure, "average precision", measure)
    with styled():
        labels = fitted(curves, said, {"average precision": "AP"})
        axes = square_axes(labels, title) if ax is None else own_axes(ax)
        for share in sorted({share for share in map(_prevalence, curves) if share is not None}):
            axes.plot([0, 1], [share, share], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
        handles = []
        for place, curve in enumerate(curves):
            columns = thinned(curve)
            recall = [0.0, *columns["recall"]]
            precision = [columns["precision"][0], *columns["precision"]]
            if has_band(curve) and banded(curves, asked=bands):
                draw_band(
                    axes, columns["recall"], columns["low"], columns["high"], place, step="pre"
                )
            (line,) = axes.plot(
                recall, precision, lw=1.6, zorder=3, drawstyle="steps-pre", **look(place)
            )
            handles.append(line)
        unit_square(axes)
        tidy(axes)
        axes.set_xlabel("recall")
        axes.set_ylabel("precision")
        order = best_first(curves, result, measure, measure)
        handles, labels = [handles[at] for at in order], [labels[at] for at in order]
        legend_below(axes, handles, labels, title=title)
    return axes


def _prevalence(curve: Curve) -> float | None:
    details = dict(curve.details)
    positive, negative = details.get("n_positive"), details.get("n_negative")
    if not isinstance(positive, int | float) or not isinstance(negative, int | float):
        return None
    return round(positive / (positive + negative), 12)
