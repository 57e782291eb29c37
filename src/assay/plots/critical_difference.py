"""The critical-difference diagram: models on an axis of mean ranks, bars over those that do not differ.

The bars are the decisions of the test. Where no bars can say them, there are none: letters or a
matrix stand beside the axis instead, and a sentence says why.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.arrays import BoolArray
from assay.core.errors import UsageError
from assay.core.formatting import clean, clean_name, shorten
from assay.core.results import FamilyOutcome
from assay.plots.cliques import (
    LETTERS,
    Bars,
    cliques,
    compact_letters,
    groups,
    obstacle,
)
from assay.plots.curve_bands import MARKERS
from assay.plots.inch_axes import InchAxes, sheet_width, text_width
from assay.plots.measure_labels import short_names
from assay.plots.pair_decisions import PairDecisions, decisions_of, of_ranks
from assay.plots.style import COLORS, FAINT, INK, PAPER, RULE, TEXT, name_width, plain, styled, wide

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_WIDTH = 28
ROW, LETTER, CELL = 0.205, 0.17, 0.135  # inches, as all that follow
AXIS, NUMBERS = 0.74, 0.34
"""From the top to the axis; its numbers need less, and what is over is left out without a ruler."""
FAN = 0.16
"""Below the axis legs fan out, so that bars never seem to touch a neighbour of almost equal rank."""
GAP, OVERHANG = 0.075, 0.03
"""The least distance of two legs, and how far a bar reaches beyond its first and last."""
BAR = 0.105
SCALE = 2.0
"""The least length of the axis."""
TICK = 0.25
"""The least distance of two numbers on the axis."""
LEAST_TEXT = 5.5
"""Points below which names are not printed: a row for each model takes the place of legs."""
KEY = 0.2
"""The height of the line that says which mark is which group."""
BARS = (INK, *(color for color in COLORS if color != INK))
"""Bars in colours that all eyes tell apart; the first, which may be the only one, in ink."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagram:
    """What is drawn, models best first."""

    labels: tuple[str, ...]
    ranks: tuple[float, ...]
    different: BoolArray
    bars: Bars | None
    control: int | None
    critical_difference: float | None
    sentence: str
    groups: tuple[str, ...] = ()
    """The group of each model, where there are any."""

    @property
    def names(self) -> tuple[str, ...]:
        """The models with their mean ranks."""
        both = zip(self.labels, self.ranks, strict=True)
        return tuple(f"{name}  {rank:.2f}" for name, rank in both)

    @property
    def group_names(self) -> list[str]:
        return sorted(set(self.groups))

    def mark(self, place: int) -> dict[str, Any]:
        """The marker and colour of the group of a model."""
        at = self.group_names.index(self.groups[place])
        return {"marker": MARKERS[at % len(MARKERS)], "color": COLORS[at % len(COLORS)]}


def critical_difference(
    result: Any,
    *,
    ranks: Mapping[str, float] | FamilyOutcome | None = None,
    different: Any = None,
    width: float | None = None,
    groups: Mapping[str, str] | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw models by mean rank, best left, with bars over models that do not differ.

    A comparison is drawn with its own verdicts; a family (``nemenyi``, ``friedman_posthoc``) with
    its adjusted p-values; of a family without mean ranks (``wilcoxon_pairs``) say ``ranks``, or
    the family that has them. A mapping of models to mean ranks needs decisions: ``different``, a
    matrix of true and false in the order of the mapping, or ``width``, the critical difference.
    Two models are under a common bar exactly if the test found no difference; where that cannot be
    drawn, letters or a matrix say it. Nemenyi's critical difference is drawn as a ruler. Against a
    control there are no bars but two kinds of dots. ``groups`` names the kind of each algorithm,
    which its mark and colour then show.

    Examples
    --------
    >>> axes = critical_difference({"tree": 2.7, "forest": 1.2, "net": 2.1}, width=0.74)
    >>> [text.get_text() for text in axes.texts if "forest" in text.get_text()]
    ['forest  1.20']
    """
    if isinstance(result, Mapping):
        decisions = of_ranks(result, different, critical_difference=width)
    else:
        decisions = decisions_of(result, figure="a critical-difference diagram", ranks=ranks)
    drawn = _diagram(decisions, groups)
    with styled():
        upright = drawn.bars is None and drawn.control is None
        if upright or (ax is None and TEXT * wide(_width(drawn)) / _width(drawn) < LEAST_TEXT):
            return _draw_rows(drawn, ax)
        return _draw_columns(drawn, ax)


def _diagram(decisions: PairDecisions, grouped: Mapping[str, str] | None) -> Diagram:
    if decisions.ranks is None:
        raise UsageError(
            "this result has no mean ranks: give them as ranks, from nemenyi(blocks). For models "
            "compared on the same items use pairwise_matrix or forest"
        )
    order = decisions.order
    labels = short_names(order, name_width(NAME_WIDTH))
    different = decisions.matrix(order)
    control = None if decisions.control is None else order.index(decisions.control)
    bars = None if control is not None else cliques(different)
    return Diagram(
        labels=labels,
        ranks=tuple(decisions.ranks[model] for model in order),
        different=different,
        bars=bars,
        control=control,
        critical_difference=decisions.critical_difference,
        sentence=_sentence(decisions, labels, different, bars, control),
        groups=_grouped(order, grouped),
    )


def _grouped(models: Sequence[str], grouped: Mapping[str, str] | None) -> tuple[str, ...]:
    if grouped is None:
        return ()
    missing = [clean_name(model) for model in models if model not in grouped]
    if missing:
        raise UsageError(
            f"groups must name the group of every model; {', '.join(missing)} has none"
        )
    return tuple(shorten(clean(str(grouped[model])), NAME_WIDTH) for model in models)


def _sentence(
    decisions: PairDecisions,
    labels: Sequence[str],
    different: BoolArray,
    bars: Bars | None,
    control: int | None,
) -> str:
    test = decisions.test
    if control is not None:
        return (
            f"Filled: significantly different from {labels[control]}, the square; hollow: no significant "
            f"difference ({test})."
        )
    if bars:
        return f"Bars join models without a significant difference ({test})."
    if bars is not None:
        return f"All pairs differ significantly ({test})."
    first, middle, last = obstacle(different) or (0, 0, 0)
    rivals = " and ".join(labels[end] for end in (first, last) if different[middle, end])
    return (
        f"No bars: {labels[first]} and {labels[last]} do not differ significantly, but "
        f"{labels[middle]}, ranked between them, differs from {rivals}. A bar over all three would "
        f"contradict the test. {_reading(different)} ({test})."
    )


def _reading(different: BoolArray) -> str:
    if compact_letters(different) is not None:
        return "Models that share a letter do not differ significantly"
    return "Rows and columns in order of rank; square: significant difference, dot: none"


# ---- bars: the axis on top, legs down to two columns of labels --------------------------------


def _margins(drawn: Diagram) -> tuple[float, float]:
    """Room for the labels on the left and on the right."""
    left = (len(drawn.names) + 1) // 2
    return text_width(drawn.names[:left], least=0.75), text_width(drawn.names[left:], least=0.75)


def _width(drawn: Diagram) -> float:
    return max(sheet_width(), sum(_margins(drawn)) + 0.4 + max(SCALE, GAP * len(drawn.names)))


def _draw_columns(drawn: Diagram, ax: "Axes | None") -> "Axes":
    k = len(drawn.labels)
    left = (k + 1) // 2
    levels, depth = _stacked(drawn.bars or ())
    names, margins, width = drawn.names, _margins(drawn), _width(drawn)
    top = AXIS + FAN + 0.06 + BAR * depth + (0.12 if depth else 0.04)
    sheet = _sheet(drawn, width, top + ROW * left + 0.04, ax)
    axes, size = sheet.axes, sheet.size
    ruler = Ruler.over(drawn.ranks, margins[0] + 0.2, width - margins[1] - 0.2)
    feet = spread([ruler.at(rank) for rank in drawn.ranks], GAP, ruler.start, ruler.end)
    _draw_axis(axes, ruler, size)
    _draw_ruler(axes, ruler, drawn.critical_difference, size)
    for place, (rank, foot) in enumerate(zip(drawn.ranks, feet, strict=True)):
        on_left = place < left
        row = top + ROW * (place if on_left else k - 1 - place) + ROW / 2
        end = margins[0] + 0.08 if on_left else width - margins[1] - 0.08
        axes.plot(
            [ruler.at(rank), foot, foot, end], [AXIS, AXIS + FAN, row, row], color=FAINT, lw=0.8,
            zorder=1, solid_joinstyle="round",
        )  # fmt: skip
        label = names[place] if on_left else f"{rank:.2f}  {drawn.labels[place]}"
        offset = -0.05 if on_left else 0.05
        align = "right" if on_left else "left"
        plain(axes.text(end + offset, row, label, ha=align, va="center", size=size))
        if drawn.groups:
            axes.plot([ruler.at(rank)], [AXIS], ms=size / 2, zorder=4, **drawn.mark(place))
        if drawn.control is not None:
            _draw_dot(axes, foot, AXIS + FAN + 0.06, drawn, place, size)
    for place, ((first, last), level) in enumerate(zip(drawn.bars or (), levels, strict=True)):
        depth_of_bar = AXIS + FAN + 0.09 + BAR * level
        ends = [feet[first] - OVERHANG, feet[last] + OVERHANG]
        axes.plot(
            ends, [depth_of_bar] * 2, color=BARS[place % len(BARS)], lw=size / 3,
            solid_capstyle="butt", label="_bar",
        )  # fmt: skip
    _draw_groups(sheet, drawn)
    return axes


def _stacked(bars: Bars) -> tuple[list[int], int]:
    """The level of each bar, so that no two seem to touch, and how many levels there are."""
    ends: list[int] = []
    levels = []
    for first, last in bars:
        level = next((place for place, end in enumerate(ends) if end < first - 1), len(ends))
        ends[level:] = [last, *ends[level + 1 :]]
        levels.append(level)
    return levels, len(ends)


def _draw_dot(axes: "Axes", x: float, y: float, drawn: Diagram, place: int, size: float) -> None:
    if place == drawn.control:
        axes.plot([x], [y], "s", color=INK, ms=0.78 * size, zorder=3)
        return
    told_apart = bool(drawn.different[place, drawn.control])
    face = INK if told_apart else PAPER
    axes.plot([x], [y], "o", color=INK, mfc=face, ms=0.67 * size, mew=0.14 * size, zorder=3)


# ---- no bars: a row for each model, letters or a matrix beside the axis ------------------------


def _draw_rows(drawn: Diagram, ax: "Axes | None") -> "Axes":
    k = len(drawn.labels)
    margin, beside = text_width(drawn.names, least=0.75) + 0.1, _beside(drawn)
    width = max(sheet_width(), margin + SCALE + beside)
    sheet = _sheet(drawn, width, AXIS + 0.16 + ROW * k, ax)
    axes = sheet.axes
    ruler = Ruler.over(drawn.ranks, margin + 0.15, width - beside)
    _draw_axis(axes, ruler, sheet.size)
    _draw_ruler(axes, ruler, drawn.critical_difference, sheet.size)
    for place, (name, rank) in enumerate(zip(drawn.names, drawn.ranks, strict=True)):
        row = _row(place)
        plain(axes.text(margin, row, name, ha="right", va="center", size=sheet.size))
        axes.plot([ruler.start, width - 0.05], [row] * 2, color=RULE, lw=0.6, zorder=1)
        if drawn.control is not None:
            _draw_dot(axes, ruler.at(rank), row, drawn, place, sheet.size)
            continue
        mark = drawn.mark(place) if drawn.groups else {"marker": "o", "color": INK}
        axes.plot([ruler.at(rank)], [row], ms=0.55 * sheet.size, zorder=3, **mark)
    _draw_groups(sheet, drawn)
    _draw_beside(axes, drawn, width - beside + 0.25, sheet.size)
    return axes


def _beside(drawn: Diagram) -> float:
    """Room beside the axis for what says which models differ."""
    if drawn.control is not None:
        return 0.1
    if drawn.bars is not None:
        return BAR * _stacked(drawn.bars)[1] + 0.3
    found = _lettered(drawn)
    return (CELL * len(drawn.labels) if found is None else LETTER * len(found)) + 0.3


def _lettered(drawn: Diagram) -> tuple[tuple[int, ...], ...] | None:
    """The models of each letter, where letters can say which models differ."""
    return None if compact_letters(drawn.different) is None else groups(drawn.different)


def _draw_beside(axes: "Axes", drawn: Diagram, start: float, size: float) -> None:
    if drawn.bars is not None:
        for place, ((first, last), level) in enumerate(
            zip(drawn.bars, _stacked(drawn.bars)[0], strict=True)
        ):
            ends = [_row(first) - ROW / 3, _row(last) + ROW / 3]
            axes.plot(
                [start + BAR * level] * 2, ends, color=BARS[place % len(BARS)], lw=size / 3,
                solid_capstyle="butt", zorder=3, label="_bar",
            )  # fmt: skip
    elif drawn.control is None and (found := _lettered(drawn)) is not None:
        _draw_letters(axes, found, start, size)
    elif drawn.control is None:
        _draw_matrix(axes, drawn.different, start, size)


def _row(place: int) -> float:
    return AXIS + 0.12 + ROW * (place + 0.5)


def _draw_letters(
    axes: "Axes", found: tuple[tuple[int, ...], ...], start: float, size: float
) -> None:
    """Each letter in a column of its own."""
    for column, members in enumerate(found):
        x = start + LETTER * column
        for place in members:
            axes.text(
                x, _row(place), LETTERS[column], ha="center", va="center", size=size, weight="bold",
                bbox={"facecolor": PAPER, "edgecolor": "none", "pad": 0.6},
            )  # fmt: skip


def _draw_matrix(axes: "Axes", different: BoolArray, start: float, size: float) -> None:
    """A square for each pair that was told apart, a dot for each that was not."""
    squares: dict[str, tuple[list[float], list[float]]] = {"s": ([], []), ".": ([], [])}
    for row, told_apart in enumerate(different):
        for column, apart in enumerate(told_apart):
            if row != column:
                xs, ys = squares["s" if apart else "."]
                xs.append(start + CELL * column)
                ys.append(_row(row))
    ends = [start, start + CELL * (len(different) - 1)], [_row(0), _row(len(different) - 1)]
    axes.plot(*ends, color=FAINT, lw=0.7, zorder=2)
    axes.plot(*squares["s"], "s", color=INK, ms=size / 2, mew=0, zorder=3, label="_different")
    axes.plot(*squares["."], ".", color=FAINT, ms=size / 4, mew=0, zorder=3, label="_alike")


# ---- what both share ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Ruler:
    """Where a mean rank stands: ``low`` at ``start``, ``high`` at ``end``, in inches."""

    low: int
    high: int
    start: float
    end: float

    @classmethod
    def over(cls, ranks: Sequence[float], start: float, end: float) -> "Ruler":
        low, high = math.floor(min(ranks)), math.ceil(max(ranks))
        if low == high:
            low, high = max(low - 1, 1), high + 1
        return cls(low=low, high=high, start=start, end=end)

    def at(self, rank: float) -> float:
        return self.start + (self.end - self.start) * (rank - self.low) / (self.high - self.low)

    @property
    def ticks(self) -> list[int]:
        most = min(12, (self.end - self.start) / TICK)
        span = self.high - self.low
        step = next(one for one in (1, 2, 5, 10, 20, 50, 100, 1000) if span / one <= most)
        first = -(-self.low // step) * step
        found = range(first, self.high + 1, step)
        return [self.low, *found] if first - self.low > 0.7 * step else [*found]


def spread(places: Sequence[float], gap: float, low: float, high: float) -> list[float]:
    """Places in order moved apart by ``gap`` or more, each as little as can be (least squares)."""
    gap = min(gap, (high - low) / max(len(places) - 1, 1))
    pools: list[tuple[float, int]] = []  # sum and count of neighbours that move together
    for index, place in enumerate(places):
        pools.append((place - gap * index, 1))
        while len(pools) > 1 and pools[-2][0] / pools[-2][1] > pools[-1][0] / pools[-1][1]:
            total, count = pools.pop()
            pools[-1] = (pools[-1][0] + total, pools[-1][1] + count)
    most = high - gap * (len(places) - 1)
    moved = [min(max(total / count, low), most) for total, count in pools for _ in range(count)]
    return [place + gap * index for index, place in enumerate(moved)]


def _sheet(drawn: Diagram, width: float, bottom: float, ax: "Axes | None") -> InchAxes:
    top = 0.0 if drawn.critical_difference is not None else AXIS - NUMBERS
    key = KEY if drawn.groups else 0.0
    return InchAxes.of(ax, width=width, bottom=bottom + key, top=top, captions=(drawn.sentence,))


def _draw_groups(sheet: InchAxes, drawn: Diagram) -> None:
    """Which mark is which group, in one line above the caption."""
    x = 0.14
    lowest = max(float(np.max(np.asarray(line.get_ydata()))) for line in sheet.axes.lines)
    y = lowest + KEY
    for name in drawn.group_names:
        place = drawn.groups.index(name)
        sheet.axes.plot([x], [y], ms=sheet.size / 2, zorder=4, label="_key", **drawn.mark(place))
        plain(sheet.axes.text(x + 0.1, y, name, va="center", size=sheet.size - 1))
        x += 0.2 + text_width([name])


def _draw_axis(axes: "Axes", ruler: Ruler, size: float) -> None:
    axes.plot([ruler.start, ruler.end], [AXIS] * 2, color=INK, lw=1.0, solid_capstyle="projecting")
    for tick in ruler.ticks:
        x = ruler.at(tick)
        axes.plot([x, x], [AXIS - 0.07, AXIS], color=INK, lw=1.0)
        axes.text(x, AXIS - 0.11, str(tick), ha="center", va="bottom", size=size)
    axes.text(
        ruler.start - 0.15, AXIS + 0.03, "mean rank\n← better", ha="right", va="bottom",
        size=size - 1, color=FAINT, linespacing=1.25,
    )  # fmt: skip


def _draw_ruler(axes: "Axes", ruler: Ruler, wide: float | None, size: float) -> None:
    """Nemenyi's critical difference, as long as it is on the axis; an arrow where it is longer."""
    if wide is None:
        return
    y, start = 0.3, ruler.start
    longer = wide > ruler.high - ruler.low
    end = ruler.end if longer else ruler.at(ruler.low + wide)
    axes.plot([start, end], [y, y], color=INK, lw=1.6, solid_capstyle="butt", label="_ruler")
    axes.plot([start, start], [y - 0.05, y + 0.05], color=INK, lw=1.2)
    if longer:
        axes.plot([end], [y], ">", color=INK, ms=5)
    else:
        axes.plot([end, end], [y - 0.05, y + 0.05], color=INK, lw=1.2)
    words = ", longer than the axis" if longer else ""
    axes.text(start, y - 0.09, f"critical difference {wide:.2f}{words}", size=size - 0.5)
