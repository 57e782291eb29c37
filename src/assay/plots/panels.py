"""Small multiples: one panel for each model inside one pair of axes."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.plots.measure_labels import short_names
from assay.plots.number_ticks import LETTER
from assay.plots.style import NARROW, PAGE, TEXT, plain, text_size, wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 12
"""More panels than this are too small to read; the rest is counted."""
ACROSS, GAP = 3, 0.06
"""Panels beside one another on a page, and the room between two as a share of the axes."""
TITLE = 2.6
"""Room for a title between two panels, in the size of the text."""


def layout(count: int, width: float) -> tuple[int, int]:
    """Rows and columns of so many panels."""
    across = min(count, 2 if wide(width) < NARROW else ACROSS)
    return math.ceil(count / across), across


def square_height(count: int, width: float) -> float:
    """The height of a figure of square panels, with room for its axes, its notes and a row of titles."""
    rows, _ = layout(count, width)
    return panel_side(width) * rows + TITLE * TEXT / 72 * rows + 0.8


def panel_side(width: float) -> float:
    """The side of a panel in inches, on a page with room for the numbers and the name of its axis."""
    columns = 2 if wide(width) < NARROW else ACROSS
    return (width - 0.65) * (1.0 - GAP * (columns - 1)) / columns


def _title_room(rows: int, columns: int) -> float:
    """The room for titles between square panels as a share of the height of all."""
    title = TITLE * text_size() / 72
    side = panel_side(wide(PAGE)) if columns > 1 else wide(PAGE)
    return title / (side * rows + title * (rows - 1))


def fitting(names: Sequence[str], facts: Sequence[str]) -> list[str]:
    """Names, each with a fact behind it, shortened to the width of a panel."""
    letters = int(panel_side(wide(PAGE)) / (LETTER * text_size()))
    room = letters - max((len(fact) + 2 for fact in facts if fact), default=0)
    shown = short_names(names, max(room, 8))
    return [", ".join(filter(None, pair)) for pair in zip(shown, facts, strict=True)]


def panels(host: "Axes", titles: list[str], columns: int) -> "list[Axes]":
    """Axes inside ``host``, one under each title; the host keeps the names of both axes only."""
    rows = math.ceil(len(titles) / columns)
    width = (1.0 - GAP * (columns - 1)) / columns
    title_room = _title_room(rows, columns)
    height = (1.0 - title_room * (rows - 1)) / rows
    for side in host.spines.values():
        side.set_visible(False)
    host.set_xticks([])
    host.set_yticks([])
    size = text_size()
    found = []
    for place, title in enumerate(titles):
        row, column = divmod(place, columns)
        bounds = (
            column * (width + GAP), 1.0 - (row + 1) * height - row * title_room, width, height,
        )  # fmt: skip
        panel = host.inset_axes(bounds)
        panel.tick_params(
            labelsize=size - 1, labelleft=column == 0, labelbottom=place + columns >= len(titles)
        )
        plain(panel.set_title(title, fontsize=size, loc="left", pad=3))
        found.append(panel)
    for axis in (host.xaxis, host.yaxis):
        axis.labelpad = 2.4 * size  # below the numbers of the panels
    return found
