"""Axes measured in inches from the top left: for figures that are laid out by hand."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.plots.style import (
    FAINT,
    PAGE,
    TEXT,
    in_lines,
    new_axes,
    own_axes,
    plain,
    text_size,
    wide,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

CHARACTER = 0.078
"""The width of a letter of nine-point text, a little more than the mean."""
LINE = 0.16
"""The height of a line of the caption."""
CAPTION = TEXT - 1.0
"""Points of the caption on a page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InchAxes:
    """The axes, and the size of text that fits them."""

    axes: "Axes"
    size: float

    @classmethod
    def of(
        cls,
        ax: "Axes | None",
        *,
        width: float,
        bottom: float,
        top: float = 0.0,
        captions: Sequence[str] = (),
    ) -> "InchAxes":
        """Room from ``top`` down to ``bottom``, and below it for the captions, which are wrapped.

        Axes of the user's keep their size, and paper its width: everything, text included, shrinks
        to fit them.
        """
        if ax is None:  # wider paper leaves room beside what is drawn, and none below it
            width = max(width, wide(width))
        lines = [
            line
            for one in captions
            for line in in_lines(one, width - 0.1, size=CAPTION).splitlines()
        ]
        height = bottom + (0.1 + LINE * len(lines) if lines else 0.0)
        axes = new_axes(width, height - top, shape="square") if ax is None else own_axes(ax)
        shrunk = min(wide(width) / width, 1.0) if ax is None else _shrunk(axes, width, height - top)
        size = TEXT * shrunk
        axes.set_xlim(0, width)
        axes.set_ylim(height, top)
        axes.set_axis_off()
        caption = axes.text(
            0.04, height - 0.02, "\n".join(lines), va="bottom", size=size - size / TEXT,
            color=FAINT, linespacing=1.3,
        )  # fmt: skip
        plain(caption)
        return cls(axes=axes, size=size)


def sheet_width() -> float:
    """The width to lay a figure out in: the page, or as much of it as small type makes of a column."""
    return wide(PAGE) * TEXT / text_size()


def _shrunk(axes: "Axes", width: float, height: float) -> float:
    """By how much the sheet is smaller in these axes; never larger."""
    figure = axes.get_figure(root=True)
    wide, high = figure.get_size_inches() if figure else (width, height)
    place = axes.get_position()
    return max(min(place.width * wide / width, place.height * high / height, 1.0), 0.3)


def text_width(texts: Sequence[str], *, size: float = TEXT, least: float = 0.0) -> float:
    """Room for a column of texts, in inches."""
    longest = max((len(text) for text in texts), default=0)
    return max(least, 0.1 + CHARACTER * size / TEXT * longest)
