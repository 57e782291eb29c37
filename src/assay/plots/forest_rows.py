"""Rows of estimates with their intervals: whiskers, marks, and the numbers in columns."""

import math
import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from assay.core.formatting import (
    LOWERED,
    POWER,
    power_of_ten,
    shown_percent,
    write_estimate,
    write_given,
)
from assay.core.results import Estimate, Interval
from assay.core.vocabulary import Direction
from assay.plots.measure_labels import measure_label
from assay.plots.number_ticks import (
    LETTER,
    check_drawable,
    number_ticks,
)
from assay.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    PAGE,
    PAPER,
    RULE,
    TEXT,
    VERMILION,
    axis_words,
    new_axes,
    own_axes,
    plain,
    printed_width,
    styled,
    text_size,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ROW_HEIGHT, LINE_HEIGHT = 0.27, 0.13
"""Inches of a row with a label of one line, 9 points high, and of each more line."""

MARKS: dict[str, tuple[str, str, str]] = {
    "better": ("o", BLUE, "better"),
    "worse": ("s", VERMILION, "worse"),
    "higher": ("o", BLUE, "higher"),
    "lower": ("s", VERMILION, "lower"),
    "passed": ("o", BLUE, "passed"),
    "failed": ("s", VERMILION, "failed"),
    "equivalent": ("D", GREEN, "equivalent within the margin"),
    "undecided": ("o", FAINT, "undecided"),
    "": ("o", INK, ""),
}
"""Marker, colour and legend of each verdict; undecided is hollow, so colour never speaks alone."""

GAP = 0.75
"""Between two columns of numbers, in the size of the text."""
WIDTHS = {".": 0.32, ",": 0.32, "[": 0.39, "]": 0.39, "(": 0.39, ")": 0.39, "\u2008": 0.32}
"""Widths of letters in the size of the text; signs are 0.84 wide, digits and all others 0.64."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ForestRow:
    """One line of the figure."""

    label: str
    estimate: Estimate
    word: str = ""
    written: Estimate | None = None
    """What stands in numbers, where it is drawn on another scale."""
    margin: float | None = None
    """The margin of this row alone."""
    finest: float | None = None
    """The half-width whose digits the numbers of this row share with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """What is drawn: rows in order, the value of no difference, the margin and the axis text."""

    rows: tuple[ForestRow, ...]
    measure: str
    direction: Direction | None
    axis: str
    null: float | None = None
    margin: float | None = None
    one_sided: bool = False
    """Whether only a loss of more than the margin matters."""
    sides: tuple[str, str] | None = None  # what is said of what lies below and above the null
    left_out: int = 0
    signed: bool = False

    @property
    def lines(self) -> int:
        """Lines of the longest label."""
        return max((1 + row.label.count("\n") for row in self.rows), default=1)


def draw_forest(drawn: Forest, ax: "Axes | None") -> "Axes":
    """The rows from the top; in axes of the user's the text shrinks until it fits."""
    with styled():
        axes = new_axes(PAGE, _height(drawn), shape="rows") if ax is None else own_axes(ax)
        size = text_size() if ax is None else _text_size(axes, drawn)
        axes.set_xlim(*_limits(drawn))
        _draw_background(axes, drawn)
        for place, row in enumerate(drawn.rows):
            _draw_row(axes, row, place)
        taken = _draw_numbers(axes, drawn, size - 0.5) / 72
        _draw_axis(axes, drawn, size)
        figure = axes.get_figure(root=True)
        if figure is not None and ax is None:
            width = float(figure.get_size_inches()[0])
            named = _left_of_axes(axes, drawn, size, width - taken)
            number_ticks(axes.xaxis, inches=width - taken - named)
            label = axes.xaxis.label
            label.set_text(axis_words(label.get_text(), middle=(named + width - taken) / 2))
    return axes


def _left_of_axes(axes: "Axes", drawn: Forest, size: float, room: float) -> float:
    """Inches that stand left of the axes: the labels, or what is said of the left side where it reaches farther."""
    named = LETTER * size * max(len(line) for line in _label_lines(drawn))
    if drawn.sides is None or drawn.null is None:
        return named
    low, high = axes.get_xlim()
    share = min(max((drawn.null - low) / (high - low), 0.0), 0.99)
    said = printed_width(f"← {drawn.sides[0]}", size - 0.5) + 0.6 * size / 72
    return max(named, (said - share * room) / (1.0 - share))


def _height(drawn: Forest) -> float:
    sides = 0.18 if drawn.sides else 0.0
    row = ROW_HEIGHT + LINE_HEIGHT * (drawn.lines - 1)
    return 1.0 + sides + row * len(drawn.rows) + (0.25 if _legend(drawn) else 0.0)


def _label_lines(drawn: Forest) -> list[str]:
    return [line for row in drawn.rows for line in row.label.split("\n")]


def _text_size(axes: "Axes", drawn: Forest) -> float:
    """The largest text up to 9 points that leaves a gap between rows of axes we may not resize."""
    figure = axes.get_figure(root=True)
    inches = axes.get_position().height * (figure.get_size_inches()[1] if figure else 4.0)
    return min(TEXT, max(3.0, 72 * inches / len(drawn.rows) / (0.5 + drawn.lines)))


def _draw_background(axes: "Axes", drawn: Forest) -> None:
    if drawn.null is None:
        return
    axes.axvline(drawn.null, color=INK, lw=0.9, zorder=1)
    if drawn.margin is None:
        return
    low, high = drawn.null - drawn.margin, drawn.null + drawn.margin
    if drawn.one_sided:
        axes.axvspan(axes.get_xlim()[0], low, color=VERMILION, alpha=0.12, lw=0, zorder=0)
        axes.axvline(low, color=VERMILION, lw=0.9, ls=(0, (4, 2)), zorder=1)
        return
    axes.axvspan(low, high, color=RULE, alpha=0.55, lw=0, zorder=0)


def _limits(drawn: Forest) -> tuple[float, float]:
    """The range of everything finite, with room at both ends."""
    numbers = [row.estimate.value for row in drawn.rows if row.estimate.value is not None]
    for row in drawn.rows:
        if row.estimate.interval is not None:
            numbers += [row.estimate.interval.low, row.estimate.interval.high]
    if drawn.null is not None:
        margin = drawn.margin or 0.0
        numbers += [drawn.null - margin, drawn.null + (0.0 if drawn.one_sided else margin)]
    numbers = [number for number in numbers if math.isfinite(number)]
    low, high = min(numbers), max(numbers)
    check_drawable(low, high)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _draw_row(axes: "Axes", row: ForestRow, place: int) -> None:
    marker, color, _ = MARKS[row.word]
    _draw_whisker(axes, row.estimate.interval, place, color)
    axes.plot(
        [row.estimate.value or 0.0], [place], marker, color=color, ms=5.5, mew=1.3, zorder=3,
        mfc=PAPER if row.word == "undecided" else color,
    )  # fmt: skip


def _draw_whisker(axes: "Axes", interval: Interval | None, place: int, color: str) -> None:
    """A line over the interval; an end at infinity is an arrow at the edge."""
    from matplotlib.markers import CARETLEFT, CARETRIGHT

    if interval is None:
        return
    low, high = axes.get_xlim()
    ends = [max(interval.low, low), min(interval.high, high)]
    axes.plot(ends, [place, place], color=color, lw=1.5, zorder=2, solid_capstyle="butt")
    for end, edge, arrow in ((interval.low, low, CARETLEFT), (interval.high, high, CARETRIGHT)):
        if math.isinf(
            end
        ):  # the tip of a caret is at its place: it reaches no name beside the axes
            axes.plot([edge], [place], marker=arrow, color=color, ms=6, clip_on=False, zorder=2)


def _draw_numbers(axes: "Axes", drawn: Forest, size: float) -> float:
    """Estimate, lower and upper end in three columns, the decimal points of each in line; their width in points."""
    columns = [list(column) for column in zip(*map(_written(drawn), drawn.rows), strict=True)]
    right = 0.8 * size
    for column in columns:
        padded = _in_line(column)
        right += max((_width(text) for text in padded), default=0.0) * size + GAP * size
        for place, text in enumerate(padded):
            if text.strip("\u2007\u2008"):
                _note(axes, text, place, right, size)
    return right


def _note(axes: "Axes", text: str, place: int, right: float, size: float) -> None:
    note = axes.annotate(
        text, (1.0, place), (right, 0.0), xycoords=axes.get_yaxis_transform(),
        textcoords="offset points", ha="right", va="center", size=size, color=INK,
        annotation_clip=False,
    )  # fmt: skip
    plain(note)


def _written(drawn: Forest) -> Any:
    """The function that gives the three texts of a row."""
    power = _power(drawn)

    def texts(row: ForestRow) -> tuple[str, str, str]:
        found = _estimate_texts(drawn, row)
        low, _, high = found.interval.partition(", ")
        value, low, high = (_shifted(text, power) for text in (found.value, low, high))
        return value, f"{low}," if high else low, high

    return texts


def _estimate_texts(drawn: Forest, row: ForestRow) -> Any:
    margin = drawn.margin if row.margin is None else row.margin
    return write_estimate(
        row.written or row.estimate,
        signed=drawn.signed,
        null=drawn.null,
        margin=margin,
        finest=row.finest,
    )


def _power(drawn: Forest) -> int:
    """The power of ten of the numbers beside the axis, where all have one; it stands in the name of the axis."""
    found = [POWER.findall(str(_estimate_texts(drawn, row))) for row in drawn.rows]
    if not all(found):
        return 0
    return max(int(one.translate(LOWERED)) for powers in found for one in powers)


def _shifted(text: str, power: int) -> str:
    """The number of a text in units of a power of ten, with all its digits."""
    known = POWER.search(text)
    number = re.search(r"\d[\d,.]*", text)
    if not power or number is None:
        return text
    own = int(known[1].translate(LOWERED)) if known else 0
    shifted = Decimal(number[0].replace(",", "")).scaleb(own - power)
    digits = f"{shifted:f}" if shifted else "0"
    return POWER.sub("", text).replace(number[0], digits, 1)


def _in_line(texts: list[str]) -> list[str]:
    """Texts filled up at the right with spaces as wide as digits, so that points are in line."""
    decimals = [len(text.rstrip("]),").partition(".")[2]) for text in texts]
    pointed = any("." in text for text in texts)
    most = max(decimals, default=0)
    return [
        text
        + ("\u2008" if pointed and text and "." not in text else "")
        + "\u2007" * (most - count if text else 0)
        for text, count in zip(texts, decimals, strict=True)
    ]


def _width(text: str) -> float:
    return sum(0.84 if letter in "+\u2212∞" else WIDTHS.get(letter, 0.64) for letter in text)


def _draw_axis(axes: "Axes", drawn: Forest, size: float) -> None:
    axes.set_ylim(len(drawn.rows) - 0.4, -0.6)
    axes.set_yticks(range(len(drawn.rows)), [row.label for row in drawn.rows], size=size)
    plain(*axes.get_yticklabels())
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x", color=RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    plain(axes.set_xlabel(_axis_label(drawn)))
    _draw_sides(axes, drawn, size)
    legend = _legend(drawn)
    if legend:
        handles, labels = _handles(legend, drawn)
        beside = 2 if text_size() < TEXT else len(labels)
        axes.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=beside,
            borderaxespad=0.2, handletextpad=0.4, columnspacing=1.2, fontsize=size - 1.0,
        )  # fmt: skip


def _draw_sides(axes: "Axes", drawn: Forest, size: float) -> None:
    """Whom a difference speaks for, to the left and to the right of no difference."""
    if drawn.sides is None or drawn.null is None:
        return
    texts = (f"← {drawn.sides[0]}", f"{drawn.sides[1]} →")
    for text, aside, align in zip(texts, (-0.6, 0.6), ("right", "left"), strict=True):
        note = axes.annotate(
            text, (drawn.null, 0.0), (aside * size, -2.2 * size),
            xycoords=axes.get_xaxis_transform(), textcoords="offset points", ha=align, va="top",
            size=size - 0.5, color=INK, annotation_clip=False,
        )  # fmt: skip
        plain(note)
    axes.xaxis.labelpad = 1.9 * size


def _level_words(drawn: Forest) -> str:
    levels = {row.estimate.interval.level for row in drawn.rows if row.estimate.interval}
    return shown_percent(levels.pop()) if len(levels) == 1 else ""


def _axis_label(drawn: Forest) -> str:
    level = _level_words(drawn)
    label = measure_label(drawn.axis, drawn.direction) + (f", {level} interval" if level else "")
    if drawn.direction == "lower":
        label += "; lower is better"
    if drawn.null:
        label += f"; the line is at {write_given(drawn.null)}"
    if power := _power(drawn):
        label += f"; numbers: {power_of_ten(f'1e{power}').removeprefix('1')}"
    if drawn.left_out:
        label += f"\n… {drawn.left_out:,} more not drawn"
    return label


def _legend(drawn: Forest) -> list[str]:
    """The verdicts that occur, in the order of MARKS, and the margin."""
    words = {row.word for row in drawn.rows} - {""}
    found = [word for word in MARKS if word in words]
    return [*found, "margin"] if found and drawn.margin is not None else found


def _margin_text(drawn: Forest) -> str:
    return write_given(drawn.margin or 0.0)


def _handles(legend: list[str], drawn: Forest) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    labels = []
    for word in legend:
        if word == "margin":
            color, alpha = (VERMILION, 0.12) if drawn.one_sided else (RULE, 0.55)
            handles.append(Patch(color=color, alpha=alpha, lw=0))
            lost = "loss beyond the margin"
            labels.append(lost if drawn.one_sided else f"margin ±{_margin_text(drawn)}")
            continue
        marker, color, label = MARKS[word]
        face = PAPER if word == "undecided" else color
        handles.append(
            Line2D([], [], color=color, marker=marker, ms=5.5, lw=1.5, mfc=face, mew=1.3)
        )
        labels.append(label)
    return handles, labels
