"""ROC curves with their bands and the area under each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.numbers import shown_percent
from assay.core.results import Comparison, Curve, Estimate, Evaluation
from assay.core.writing import clean_name, shorten, write_estimate
from assay.plots.style import COLORS, FAINT, LINES, RULE, new_axes, plain, styled

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_BANDS = 4
"""Bands of more curves than this would cover one another; then the curves are drawn alone."""
MOST_POINTS = 800
"""Points drawn of a curve: more cannot be seen, and would only make the file larger."""
AREAS = ("roc_auc", "auc")
NAME_WIDTH = 28


def roc(
    result: Comparison | Evaluation | Curve | Sequence[Curve], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the ROC curves of a result, or curves with columns fpr, tpr and, for a band, low, high.

    The legend gives the area under each curve with its interval, as it stands in the result.
    Colours and line styles differ together, so that curves stay apart in print without colour.

    Examples
    --------
    >>> from assay.core.results import Curve
    >>> points = (("fpr", (0.0, 0.2, 1.0)), ("tpr", (0.0, 0.7, 1.0)))
    >>> roc(Curve(name="roc", model="tree", columns=points)).get_xlabel()
    'false positive rate'
    """
    curves, estimates = _parts(result)
    banded = [curve for curve in curves if _has_band(curve)]
    with styled():
        axes = new_axes(5.2, 5.2 + 0.2 * len(curves)) if ax is None else ax
        axes.plot([0, 1], [0, 1], color=FAINT, lw=0.8, ls=(0, (2, 3)), zorder=1)
        handles = [
            _draw(axes, curve, place, band=_has_band(curve) and len(curves) <= MOST_BANDS)
            for place, curve in enumerate(curves)
        ]
        labels = [_label(curve, estimates) for curve in curves]
        _finish(axes, handles, labels, _band_words(banded, len(curves)))
    return axes


def _parts(result: Any) -> tuple[tuple[Curve, ...], tuple[Estimate, ...]]:
    estimates: tuple[Estimate, ...] = ()
    if isinstance(result, Comparison | Evaluation):
        curves, estimates = result.curves, result.estimates
    elif isinstance(result, Curve):
        curves = (result,)
    elif isinstance(result, Sequence) and all(isinstance(one, Curve) for one in result):
        curves = tuple(result)
    else:
        raise UsageError(
            f"an ROC plot draws a comparison, an evaluation or curves; got {type(result).__name__}"
        )
    found = tuple(curve for curve in curves if {"fpr", "tpr"} <= set(dict(curve.columns)))
    if not found:
        raise UsageError(
            "there is no ROC curve in this result: it needs scores of two classes, not only labels"
        )
    return found, estimates


def _has_band(curve: Curve) -> bool:
    return {"low", "high"} <= set(dict(curve.columns))


def thinned(curve: Curve) -> list[int]:
    """The places of the points to draw: evenly spread, both ends kept."""
    count = len(curve.column("fpr"))
    if count <= MOST_POINTS:
        return list(range(count))
    step = (count - 1) / (MOST_POINTS - 1)
    return sorted({round(place * step) for place in range(MOST_POINTS)})


def _draw(axes: "Axes", curve: Curve, place: int, *, band: bool) -> Any:
    color, line = COLORS[place % len(COLORS)], LINES[place % len(LINES)]
    keep = thinned(curve)
    columns = {name: [values[index] for index in keep] for name, values in curve.columns}
    if band:
        axes.fill_between(
            columns["fpr"], columns["low"], columns["high"], color=color, alpha=0.13, lw=0, zorder=2
        )
        for edge in ("low", "high"):  # seen where a grey print loses the shade
            axes.plot(columns["fpr"], columns[edge], color=color, lw=0.5, ls=line, zorder=2)
    # nothing called positive: every curve starts there, though it need not be among its points
    false, true = [0.0, *columns["fpr"]], [0.0, *columns["tpr"]]
    (handle,) = axes.plot(false, true, color=color, lw=1.9, ls=line, zorder=3)
    return handle


def _label(curve: Curve, estimates: tuple[Estimate, ...]) -> str:
    name = shorten(clean_name(curve.model), NAME_WIDTH) if curve.model is not None else "curve"
    for estimate in estimates:
        if estimate.measure in AREAS and estimate.model == curve.model:
            return f"{name}   AUC {write_estimate(estimate)}"
    area = dict(curve.details).get("auc")
    return f"{name}   AUC {area:.3f}" if isinstance(area, float) else name


def _band_words(banded: list[Curve], count: int) -> str:
    if not banded:
        return ""
    if count > MOST_BANDS:
        return f"bands are drawn for up to {MOST_BANDS} curves; these are {count}"
    levels = {dict(curve.details).get("level") for curve in banded}
    level = levels.pop() if len(levels) == 1 else None
    words = f"{shown_percent(level)} " if isinstance(level, float) else ""
    return f"shaded: {words}simultaneous bands"


def _finish(axes: "Axes", handles: list[Any], labels: list[str], bands: str) -> None:
    axes.set_xlim(-0.01, 1.01)
    axes.set_ylim(-0.01, 1.01)
    axes.set_aspect("equal")
    axes.grid(visible=True, color=RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("right", "top"):
        axes.spines[side].set_visible(False)
    axes.set_xlabel("false positive rate")
    axes.set_ylabel("true positive rate")
    legend = axes.legend(
        handles, labels, loc="upper left", bbox_to_anchor=(0.0, -0.13), title=bands or None,
        alignment="left", handlelength=3.2, borderaxespad=0.0, title_fontsize=8,
    )  # fmt: skip
    plain(*legend.get_texts())
