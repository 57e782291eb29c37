"""A brief answer as lines of text: tables with drawn intervals, and labelled lines below them."""

import math
import re
import textwrap
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate, takewhile

from assay.core.formatting import LOWERED, POWER, fitted
from assay.core.notes import Level
from assay.core.results import Interval
from assay.report.labelled_lines import WIDEST

LABEL = 10
"""Columns of the words before the lines below a table."""
GAP = "  "
NAME_WIDTH = 44
NARROW = 72
"""Terminals below this have no room for long headings."""
LEAST_DRAWN, MOST_DRAWN = 14, 30
"""Columns of a drawn interval; where there is no room for the fewest it is left out."""
_UNICODE = {
    "left": "├",
    "right": "┤",
    "line": "─",
    "dot": "●",
    "beyond left": "◄",
    "beyond right": "►",
}
_ASCII = {
    "left": "|",
    "right": "|",
    "line": "-",
    "dot": "o",
    "beyond left": "<",
    "beyond right": ">",
}
_PLAIN = str.maketrans({"−": "-", "–": "-", "±": "+/-", "α": "alpha", "…": "...", "↑": "^", "↓": "v", "·": "|",
                        "∞": "inf", "’": "'", "≤": "<=", "≥": ">=", "²": "^2", "ε": "epsilon", "η": "eta", "ω": "omega",
                        "√": "sqrt", "×": "x", "─": "-"})  # fmt: skip
"""What a terminal without Unicode prints instead."""
NUMBER = "[-−+∞×⁻⁰¹²³⁴⁵⁶⁷⁸⁹,.\\d]+"
"""The letters of a written number."""
UNBROKEN = re.compile(
    rf"[\[(]{NUMBER}, {NUMBER}[\])]|\d+% CI (?=[\[(])|\bp [=<>] [\d.]+"
    r"|\S{1,24} − \S+ = \S+|− \S+ = \S+|α = \S+|\bn = \S+|\(by \S+\)"
)
"""What stays on one line: intervals, p-values, levels, and A − B = 0.02."""
_BRACKETS = re.compile(r" \([^()]*\)")
_SENTENCES = re.compile(r"(?<=[.?!]) (?=[A-Z0-9])")
_HARD = "\N{NO-BREAK SPACE}"
NARROWEST = 20
"""Columns that text is broken into at least; a narrower terminal breaks the rest."""
_BOLD, _DIM, _YELLOW, _RESET = "\033[1m", "\033[2m", "\033[1;33m", "\033[0m"
COLORS = {"better": 34, "worse": 31, "higher": 34, "lower": 31, "equivalent": 32, "undecided": 33,
          "passed": 32, "failed": 31}  # fmt: skip
"""The colour of a verdict or of a gate, as terminals number them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """An interval to be drawn; those that share an ``axis`` share its scale.

    On an axis of differences ``zero`` is marked, where it stands for a required level by a line.
    """

    value: float
    interval: Interval
    axis: str
    zero: bool = False
    level: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GridRow:
    cells: tuple[str, ...]
    drawing: Drawing | None = None
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Grid:
    """A small table; ``numbers`` are the places of columns aligned at their decimal points."""

    heads: tuple[str, ...]
    rows: tuple[GridRow, ...]
    numbers: frozenset[int]
    left_out: str = ""
    """Said below, where rows are left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledLine:
    """A labelled line; ``more`` is added piece by piece as far as there is room for it."""

    label: str
    text: str
    more: tuple[str, ...] = ()
    most: int = 1
    """Lines of the terminal that it may take."""
    spare: bool = False
    """Left out where the whole would have too many lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownNote:
    """A note that is shown: how much it matters, what it says, and its code to look up."""

    level: Level
    message: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Brief:
    """What the terminal shows unasked, in the order in which it is read."""

    read: str = ""
    read_shorter: tuple[str, ...] = ()
    """The same ever shorter, for narrow terminals."""
    answer: str = ""
    word: str | None = None
    most_lines: int = 3
    """Lines that the answer may take."""
    grid: Grid | None = None
    narrow_grid: Grid | None = None
    """What a terminal shows that is too narrow for the table."""
    spaced: bool = True
    """Whether a blank line stands after the table."""
    lines: tuple[LabelledLine, ...] = ()
    most_total: int | None = None
    """Lines of the whole without warnings, where spare ones are left out to keep to it."""
    warnings: tuple[ShownNote, ...] = ()
    hints: tuple[str, ...] = field(default=())


def as_lines(brief: Brief, *, width: int, color: bool = False, unicode: bool = True) -> str:
    """The brief as text of at most ``width`` columns, and never more than 100."""
    width = min(width, WIDEST)
    blocks: list[list[str]] = []
    most = brief.most_lines + (width < NARROW)  # so that a condition is not cut off the answer
    answer = wrapped(brief.answer, width, most) if brief.answer else []
    if brief.read:
        spare = 2 if len(answer) < most else 1
        read = wrapped(_fitting((brief.read, *brief.read_shorter), width, spare), width, spare)
        blocks.append([_styled(line, _DIM, color=color) for line in read])
    code = f"\033[1;{COLORS[brief.word]}m" if brief.word in COLORS else _BOLD
    blocks.append([_styled(line, code, color=color) for line in answer])
    if brief.grid is not None and brief.grid.rows:
        grid, narrow = brief.grid, brief.narrow_grid
        plain = [] if narrow is None else _table(grid, width, color=False, unicode=unicode)
        if narrow is not None and max(map(columns, plain)) > width:
            grid = narrow
        blocks.append(_table(grid, width, color=color, unicode=unicode))
    above = sum(map(len, blocks)) + len(blocks) - 1 + brief.spaced + bool(brief.hints)
    total = brief.most_total
    roomy = total is None or above + len(brief.lines) <= total
    kept = [line for line in brief.lines if roomy or not line.spare]
    below = [text for line in kept for text in _labelled(line, width, color=color)]
    for said in brief.warnings:
        below += _warning(said, width, color=color)
    if brief.hints:
        first, *more = brief.hints
        line = LabelledLine(label="Next", text=first, more=tuple(f" · {one}" for one in more))
        below += _labelled(line, width, color=color)
    text = "\n\n".join("\n".join(block) for block in blocks if block)
    between = "\n\n" if brief.spaced else "\n"
    text = between.join(filter(None, (text, "\n".join(below))))
    return f"{text if unicode else _without_unicode(text)}\n"


def _fitting(forms: Sequence[str], width: int, most: int) -> str:
    """The longest form that fits in one line, else in the lines there are; else the shortest."""
    for lines in range(1, most + 1):
        for form in forms:
            if len(_broken(form, width)) <= lines:
                return form
    return forms[-1]


def wrapped(text: str, width: int, most: int) -> list[str]:
    """The text in at most so many lines; sentences that do not fit are left out, a long one is cut.

    Intervals and p-values are not broken.
    """
    text = UNBROKEN.sub(lambda found: found[0].replace(" ", _HARD), text)
    sentences = _SENTENCES.split(text)
    while len(sentences) > 1 and len(_broken(" ".join(sentences), width)) > most:
        sentences.pop()
    lines = _broken(" ".join(sentences), width)
    if len(lines) > most:
        lines = [*lines[: most - 1], cut(" ".join(lines[most - 1 :]), width)]
    return [line.replace(_HARD, " ") for line in lines]


def _broken(text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, NARROWEST), break_on_hyphens=False)


def cut(text: str, width: int) -> str:
    """One line: whole words as far as they fit, then an ellipsis."""
    text = " ".join(text.split())
    if columns(text) <= width:
        return text
    ends = accumulate(map(columns, text))  # a name may be endless: it is walked once
    text = text[: sum(1 for _ in takewhile(lambda end: end <= width - 2, ends))]
    head, space, _ = text.rpartition(" ")
    return f"{head.rstrip(',;:·(') if space and columns(head) >= width // 2 else text} …"


def columns(text: str) -> int:
    """How many columns of a terminal a text takes."""
    if text.isascii():
        return len(text)  # a name may be endless
    return sum(
        0 if unicodedata.combining(one) else 2 if unicodedata.east_asian_width(one) in "WF" else 1
        for one in text
    )


def _labelled(line: LabelledLine, width: int, *, color: bool) -> list[str]:
    text = line.text if columns(line.text) + LABEL <= width else _BRACKETS.sub("", line.text)
    for piece in line.more:
        if columns(text + piece) + LABEL <= width:
            text += piece
    label = _styled(f"{line.label:<{LABEL}}", _DIM, color=color)
    first, *others = wrapped(text, width - LABEL, line.most) or [""]
    return [f"{label}{first}", *(f"{'':<{LABEL}}{one}" for one in others)]


def _warning(said: ShownNote, width: int, *, color: bool) -> list[str]:
    """A warning whole, however many lines it takes."""
    text = f"{said.message} ({said.code})"
    lines = textwrap.wrap(text, max(width - LABEL, 20), break_on_hyphens=False) or [text]
    label = _styled(f"{said.level.capitalize():<{LABEL}}", _YELLOW, color=color)
    return [f"{label}{lines[0]}", *(f"{'':<{LABEL}}{line}" for line in lines[1:])]


def _table(grid: Grid, width: int, *, color: bool, unicode: bool) -> list[str]:
    """Headings and rows; names are shortened and drawings left out where room is short."""
    if width < NARROW:  # what stands in brackets in a heading goes first
        grid = replace(grid, heads=tuple(head.partition(" (")[0] for head in grid.heads))
    names = fitted([row.cells[0] for row in grid.rows], _name_width(grid, width))
    cells = [[name, *row.cells[1:]] for name, row in zip(names, grid.rows, strict=True)]
    padded = [
        _padded(head, [row[place] for row in cells], right=place in grid.numbers)
        for place, head in enumerate(grid.heads)
    ]
    left = width - sum(columns(column[0]) + len(GAP) for column in padded)
    room = min(left, MOST_DRAWN) if left >= LEAST_DRAWN else 0
    drawn = _drawn([row.drawing for row in grid.rows], room, unicode=unicode)
    head, *texts = (GAP.join(row) for row in zip(*padded, strict=True))
    lines = [_styled(head.rstrip(), _DIM, color=color)]
    for row, text, drawing in zip(grid.rows, texts, drawn, strict=True):
        line = GAP.join((text, drawing)).rstrip()
        lines.append(_styled(line, _BOLD, color=color) if row.strong else line)
    if grid.left_out:
        lines.append(_styled(cut(grid.left_out, width), _DIM, color=color))
    return lines


def _name_width(grid: Grid, width: int) -> int:
    """Columns for the names of the rows: what the other columns leave, with room for a drawing."""
    others = [
        max(columns(text) for text in (head, *(row.cells[place] for row in grid.rows)))
        for place, head in enumerate(grid.heads)
        if place
    ]
    drawn = LEAST_DRAWN if any(row.drawing for row in grid.rows) else 0
    left = width - sum(others) - len(GAP) * (len(others) + bool(drawn)) - drawn
    return max(12, min(NAME_WIDTH, left))


def _aligned(texts: Sequence[str]) -> list[str]:
    """Numbers, or intervals of them, padded so that their decimal points stand below one another."""
    parts = [text.split(", ") for text in texts]
    if any(len(part) == 2 for part in parts):
        ends = [
            max((columns(part[side]) for part in parts if len(part) == 2), default=0)
            for side in (0, 1)
        ]
        return [
            f"{part[0].rjust(ends[0])}, {part[1].rjust(ends[1])}" if len(part) == 2 else part[0]
            for part in parts
        ]
    tails = [len(text) - text.index(".") if "." in text else 0 for text in texts]
    longest = max(tails, default=0)
    padded = [
        text + " " * (longest - tail) if any(map(str.isdigit, text)) else text
        for text, tail in zip(texts, tails, strict=True)
    ]
    widest = max(map(len, padded), default=0)
    return [text.rjust(widest) for text in padded]


def _padded(head: str, texts: Sequence[str], *, right: bool) -> list[str]:
    """A heading and the texts below it, all of one width; numbers stand on the ``right``."""
    told = [head, *(_aligned(texts) if right else texts)]
    size = max(map(columns, told))
    blanks = [" " * (size - columns(text)) for text in told]
    return [f"{b}{text}" if right else f"{text}{b}" for b, text in zip(blanks, told, strict=True)]


def _drawn(drawings: Sequence[Drawing | None], room: int, *, unicode: bool) -> list[str]:
    """Every interval on the scale of its axis; nothing where there is no room."""
    if not room:
        return ["" for _ in drawings]
    scales = {axis: _scale([one for one in drawings if one and one.axis == axis])
              for axis in {one.axis for one in drawings if one}}  # fmt: skip
    marks = _UNICODE if unicode else _ASCII
    return [
        "" if one is None or (scale := scales[one.axis]) is None else _one(one, scale, room, marks)
        for one in drawings
    ]


def _scale(drawings: Iterable[Drawing]) -> tuple[float, float] | None:
    ends = [
        number
        for one in drawings
        for number in (
            one.value,
            one.interval.low,
            one.interval.high,
            *((0.0,) if one.zero else ()),
        )
        if math.isfinite(number)
    ]
    return (min(ends), max(ends)) if ends and max(ends) > min(ends) else None


def _one(one: Drawing, scale: tuple[float, float], room: int, marks: dict[str, str]) -> str:
    """One interval; the cells at both ends are kept free, to set zero apart from a bound."""
    low, high = scale

    def place(number: float) -> int:
        share = min(max((number - low) / (high - low), 0.0), 1.0)  # an end may be infinite
        return 1 + round(share * (room - 3))

    start, end, zero = place(one.interval.low), place(one.interval.high), place(0.0)
    if one.zero and start == zero and one.interval.low < 0.0:
        start -= 1
    if one.zero and end == zero and one.interval.high > 0.0:
        end += 1
    text = [" "] * room
    text[start : end + 1] = marks["line"] * (end - start + 1)
    text[start] = marks["left" if one.interval.low >= low else "beyond left"]
    text[end] = marks["right" if one.interval.high <= high else "beyond right"]
    if one.zero:
        outside = -1 if zero == start and one.interval.low > 0.0 else 0
        outside += 1 if zero == end and one.interval.high < 0.0 else 0
        text[zero + outside] = "|" if one.level else "0"
    middle = place(one.value)
    text[min(max(middle, start), end)] = marks["dot"]
    return "".join(text)


def _styled(text: str, code: str, *, color: bool) -> str:
    return f"{code}{text}{_RESET}" if color and text.strip() else text


def _without_unicode(text: str) -> str:
    """What a terminal without Unicode prints: 4.7e-8 for a power of ten."""
    powers = POWER.sub(lambda found: f"e{found[1].translate(LOWERED)}", text)
    return powers.translate(_PLAIN)
