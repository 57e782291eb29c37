"""Small multiples: one panel for each model inside one pair of axes."""

import math
from typing import TYPE_CHECKING

from assay.plots.style import NARROW, plain, text_size, wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_PANELS = 12
"""More panels than this are too small to read; the rest is counted."""
ACROSS, GAP = 3, 0.06
"""Panels beside one another on a page, and the room between two as a share of the axes."""


def layout(count: int, width: float) -> tuple[int, int]:
    """Rows and columns of so many panels."""
    across = min(count, 2 if wide(width) < NARROW else ACROSS)
    return math.ceil(count / across), across


def panels(host: "Axes", titles: list[str], columns: int) -> "list[Axes]":
    """Axes inside ``host``, one under each title; the host keeps the names of both axes only."""
    rows = math.ceil(len(titles) / columns)
    title_room = 0.05 + 0.03 * rows
    width = (1.0 - GAP * (columns - 1)) / columns
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
