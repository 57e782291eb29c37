"""Numbers along an axis: thousands set apart, very large and very small ones as powers of ten, none overprinted."""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.formatting import LARGE, SMALL, power_of_ten, true_minus, write_given
from assay.plots.style import text_size

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis

LARGEST = 1e150
"""Beyond it the ticks of an axis are no numbers any more."""
LETTER = 0.0086
"""The width of a letter in inches, for each point of its size."""
FEWER = (6, 5, 4, 3, 2)
"""Intervals between ticks, the first that leaves room is taken: matplotlib would choose anew when it draws."""


def number_ticks(axis: "Axis", *, inches: float | None = None) -> None:
    """Write the ticks of an axis whose limits are set; ``inches`` is its length if they stand side by side."""
    from matplotlib.ticker import FuncFormatter, MaxNLocator

    check_drawable(*axis.get_view_interval())
    axis.set_major_formatter(FuncFormatter(lambda value, _: tick_texts([value], _places(axis))[0]))
    if inches is None:
        return
    for count in FEWER:
        axis.set_major_locator(MaxNLocator(count, steps=[1, 2, 2.5, 5, 10]))
        if _apart(axis, inches):
            return


def plain_numbers(axes: "Axes") -> None:
    """Numbers at the ticks as they are written everywhere, where nothing else was asked for."""
    from matplotlib.ticker import FuncFormatter, ScalarFormatter

    def across(value: float, _: Any) -> str:
        """Every number, every other one or fewer, as there is room."""
        places = _places(axes.xaxis)
        inches = axes.bbox.width / axes.get_figure(root=True).dpi  # type: ignore[union-attr]
        letters = sum(len(text) + 2 for text in tick_texts(places, places))
        each = max(math.ceil(LETTER * text_size() * letters / inches), 1)
        return tick_texts([value], places)[0] if value in places[::each] else ""

    def up(value: float, _: Any) -> str:
        return tick_texts([value], _places(axes.yaxis))[0]

    for axis, written in ((axes.xaxis, across), (axes.yaxis, up)):
        if type(axis.get_major_formatter()) is ScalarFormatter:
            axis.set_major_formatter(FuncFormatter(written))


def _apart(axis: "Axis", inches: float) -> bool:
    """Whether the ticks leave room for their numbers: all together, and each beside the next."""
    places, letter = _places(axis), LETTER * text_size()
    texts = tick_texts(places, places)
    low, high = sorted(axis.get_view_interval())
    each = inches / ((high - low) or 1.0)
    return sum(len(text) + 2 for text in texts) * letter <= inches and all(
        (b - a) * each >= (len(one) + len(other) + 2) / 2 * letter
        for (a, b), (one, other) in zip(pairwise(places), pairwise(texts), strict=True)
    )


def check_drawable(*numbers: float) -> None:
    """Refuse numbers that no axis can hold."""
    if max(map(abs, numbers)) > LARGEST:
        raise UsageError(f"numbers of {max(numbers, key=abs):.0e} cannot be drawn: change the unit")


def tick_texts(values: Sequence[float], places: Sequence[float]) -> list[str]:
    """Numbers with the digits that tell all the ``places`` of an axis apart."""
    largest = max(map(abs, places), default=0.0)
    if not math.isfinite(largest) or largest == 0.0:
        return [write_given(value) for value in values]
    power = 0 if SMALL <= largest < LARGE else math.floor(math.log10(largest) + 1e-9)
    digits = _decimals([place / 10.0**power for place in places])
    return [_text(value / 10.0**power, digits, power) for value in values]


def _text(value: float, digits: int, power: int) -> str:
    text = f"{value:,.{digits}f}"
    if not power:
        return true_minus(text)
    return "0" if value == 0.0 else power_of_ten(f"{text}e{power}")


def _decimals(places: Sequence[float]) -> int:
    """The fewest decimals that say each number exactly, as far as ticks do."""
    steps = [b - a for a, b in pairwise(places) if b > a]
    grain = 1e-3 * min(steps, default=max(map(abs, places)))
    for digits in range(12):
        if all(abs(round(place, digits) - place) <= grain for place in places):
            return digits
    return 12


def _places(axis: Any) -> list[float]:
    """The ticks within the limits of the axis."""
    low, high = sorted(axis.get_view_interval())
    room = 1e-9 * (high - low)
    return [float(one) for one in axis.get_majorticklocs() if low - room <= one <= high + room]
