"""Two models against one another: one point for each data set."""

from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import UsageError
from assay.core.vocabulary import Direction
from assay.evidence.blocks import Blocks
from assay.kernels.ranks import decimal_differences
from assay.plots.curve_bands import tidy
from assay.plots.measure_labels import direction_of, measure_label, short_names
from assay.plots.number_ticks import number_ticks
from assay.plots.study_figures import table_of
from assay.plots.style import (
    BLUE,
    FAINT,
    INK,
    PAPER,
    VERMILION,
    new_axes,
    own_axes,
    plain,
    styled,
    wide,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SIDE = 4.6
"""The side of the figure in inches."""


def scatter(
    blocks: Any,
    a: str | None = None,
    b: str | None = None,
    *,
    measure: str | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the scores of A (upwards) against B (to the right), one point for each data set.

    On the line both score the same; scores equal but for rounding count as ties. Tables of two
    models need no names; ``measure`` says which side of the line is the better one.

    Examples
    --------
    >>> axes = scatter({"tree": [0.7, 0.8], "net": [0.8, 0.8]}, measure="accuracy")
    >>> axes.texts[0].get_text()
    'tree better: 0'
    """
    table, measure = table_of(blocks, measure)
    one, other = _two(table, a, b)
    columns = np.column_stack([table.values[:, table.models.index(name)] for name in (one, other)])
    up, right = columns[~np.isnan(columns).any(axis=1)].T
    if not up.size:
        raise UsageError(f"{one} and {other} have no data set in common")
    gaps = decimal_differences(up, right)
    names = short_names([one, other], 26)
    direction = direction_of(measure) if measure is not None else None
    with styled():
        axes = new_axes(SIDE, SIDE, shape="square") if ax is None else own_axes(ax)
        _draw_points(axes, up, right, gaps)
        _draw_corners(axes, gaps, names, direction)
        label = "score" if measure is None else measure_label(measure)
        axes.set_aspect("equal")
        tidy(axes)
        plain(axes.set_xlabel(f"{label} of {names[1]}"), axes.set_ylabel(f"{label} of {names[0]}"))
        for axis in (axes.xaxis, axes.yaxis):
            number_ticks(axis, inches=0.75 * wide(SIDE))
    return axes


def _two(table: Blocks, a: str | None, b: str | None) -> tuple[str, str]:
    if a is None and b is None and table.k == 2:
        a, b = table.models
    if a not in table.models or b not in table.models or a == b:
        raise UsageError(
            f"name two of the models as a and b; there are {', '.join(table.models)}; got {a!r}, {b!r}"
        )
    return str(a), str(b)


def _draw_points(axes: "Axes", up: Any, right: Any, gaps: Any) -> None:
    low, high = float(min(up.min(), right.min())), float(max(up.max(), right.max()))
    room = 0.05 * (high - low) or 0.05 * abs(high) or 0.05
    ends = [low - room, high + room]
    axes.plot(ends, ends, color=FAINT, lw=1.0, zorder=1)
    looks: tuple[tuple[Any, dict[str, Any]], ...] = (
        (gaps > 0, {"marker": "^", "mfc": BLUE, "mec": PAPER}),
        (gaps < 0, {"marker": "v", "mfc": VERMILION, "mec": PAPER}),
        (gaps == 0, {"marker": "o", "mfc": PAPER, "mec": INK}),
    )
    for kept, look in looks:
        axes.plot(right[kept], up[kept], ls="none", ms=6.5, mew=0.7, zorder=3, **look)
    axes.set_xlim(*ends)
    axes.set_ylim(*ends)


def _draw_corners(
    axes: "Axes", gaps: Any, names: tuple[str, ...], direction: Direction | None
) -> None:
    """On which side of the line how many points lie."""
    above, below, ties = (int(np.count_nonzero(side)) for side in (gaps > 0, gaps < 0, gaps == 0))
    words = ("better", "better") if direction is not None else ("higher", "higher")
    winners = names if direction != "lower" else names[::-1]
    tied = f"\nties: {ties}" if ties else ""
    texts = (
        (0.03, 0.97, "left", "top", f"{winners[0]} {words[0]}: {above}"),
        (0.97, 0.03, "right", "bottom", f"{winners[1]} {words[1]}: {below}{tied}"),
    )
    for x, y, align, side, text in texts:
        found = axes.text(
            x, y, text, ha=align, va=side, transform=axes.transAxes, linespacing=1.3, zorder=4,
            bbox={"facecolor": PAPER, "edgecolor": "none", "alpha": 0.85, "pad": 2.0},
        )  # fmt: skip
        plain(found)
