"""Every pair at once: a matrix of differences with the verdicts marked, and each model's tally."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.formatting import clean, finest_of, write_estimate, write_rounded
from assay.core.results import Estimate
from assay.plots.inch_axes import InchAxes, sheet_width, text_width
from assay.plots.measure_labels import measure_label, short_names
from assay.plots.pair_decisions import RANK_MEASURE, PairDecisions, decisions_of
from assay.plots.style import (
    BLUE,
    FAINT,
    INK,
    RULE,
    TEXT,
    VERMILION,
    name_width,
    plain,
    styled,
    wide,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_MODELS = 60
"""More rows than this are not readable in one figure; the rest is counted below it."""
MOST_NUMBERS = 12
"""Up to so many models the differences are written into their cells."""
STEPS = 5
"""Shades of each colour: an eye does not tell more apart."""
DARKEST = 0.62  # of the ink, so that text on it stays readable

Corners = tuple[tuple[float, float], ...]
TRIANGLE: Corners = ((-0.5, 0.42), (0.5, 0.42), (0.0, -0.5))
NUMBERED = 0.56
"""The side of a cell that has a number in it, in inches."""
NUMBER, LEAST_NUMBER = 7.5, 4.5
"""The size of a number in points, and the smallest that is printed."""
SQUARE_CELL, LOW_CELL = 0.2, 0.135
"""The side of a cell without a number, and the height of one where names would be too small, in inches."""
NAMES, LEAST_NAMES = 7.5, 5.5
"""The size of names beside such cells in points, and the smallest that is printed."""
NUMBERED_EACH = 5
"""Columns without names are numbered in steps of this."""
IN_A_CELL = 8
"""Letters of a number that fit into a cell; longer ones are printed smaller."""
LINE: Corners = ((-0.5, -0.1), (0.5, -0.1), (0.5, 0.1), (-0.5, 0.1))
SQUARE: Corners = ((-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5))
MARKS: dict[str, tuple[Corners, ...]] = {
    "better": (TRIANGLE,),
    "worse": (tuple((x, -y) for x, y in TRIANGLE),),
    "equivalent": tuple(tuple((x, y + side) for x, y in LINE) for side in (-0.22, 0.22)),
    "undefined": (tuple((x * 0.4, y * 0.4) for x, y in SQUARE),),
}
"""The shape of each verdict on the row's model; undecided has none, so that decisions stand out."""
ALIASES = {"higher": "better", "lower": "worse"}  # where no side is known to be the better one


@dataclass(frozen=True, slots=True, kw_only=True)
class PairMatrix:
    """What is drawn, models best first."""

    models: tuple[str, ...]
    labels: tuple[str, ...]
    decisions: PairDecisions
    largest: float
    left_out: int

    @property
    def written(self) -> bool:
        """Whether numbers stand in the cells: of few models, on paper where they can be read."""
        whole = NUMBERED * (len(self.models) + 2.5) + 0.8
        return len(self.models) <= MOST_NUMBERS and NUMBER * wide(whole) / whole >= LEAST_NUMBER

    @property
    def compact(self) -> bool:
        """Whether names would be too small to read: then cells are narrow, and columns are numbered."""
        whole = self.left + SQUARE_CELL * len(self.models) + self.beside
        return not self.written and NAMES * wide(whole) / whole < LEAST_NAMES

    @property
    def left(self) -> float:
        """Room for the names of the rows."""
        return text_width(self.labels, size=8.0) + 0.1

    @property
    def cell(self) -> float:
        """The width of a cell in inches."""
        if not self.compact:
            return self.row
        return min((sheet_width() - self.left - self.beside) / len(self.models), self.row)

    @property
    def row(self) -> float:
        """The height of a cell in inches."""
        return NUMBERED if self.written else LOW_CELL if self.compact else SQUARE_CELL

    @property
    def column(self) -> float:
        """The width of a column of the tally, in inches."""
        return 0.32 if self.written else 0.27

    @property
    def beside(self) -> float:
        """Room for the tally."""
        return self.column * (len(self.words) + 0.5)

    @property
    def words(self) -> tuple[str, ...]:
        """The verdicts that are counted, as they are called here."""
        ahead = ("better", "worse") if self.decisions.direction is not None else ("higher", "lower")
        equal = ("equivalent",) if self.decisions.margin is not None else ()
        return (ahead[0], *equal, "undecided", ahead[1])

    def pairs(self) -> Iterator[tuple[int, int, str, str]]:
        """Row, column and their models, without the diagonal."""
        for row, one in enumerate(self.models):
            for column, other in enumerate(self.models):
                if row != column:
                    yield row, column, one, other

    def difference(self, row: str, column: str) -> float | None:
        """Row minus column."""
        decided, sign = self.decisions.of(row, column)
        value = None if decided is None else decided.effect.value
        return None if value is None or not math.isfinite(value) else sign * value

    def shade(self, row: str, column: str) -> int:
        """How far the row is ahead, from -STEPS to STEPS; 0 where the difference is nothing."""
        value = self.difference(row, column)
        if not value or not self.largest:
            return 0
        steps = math.ceil(STEPS * abs(value) / self.largest - 1e-9)
        ahead = value > 0 if self.decisions.direction != "lower" else value < 0
        return steps if ahead else -steps


def pairwise_matrix(result: Any, *, measure: str = "score", ax: "Axes | None" = None) -> "Axes":
    """Draw the difference of every pair, row minus column, with its verdict on the row's model.

    ``result`` is a comparison, a family of tests, or a mapping of pairs (a, b) to (difference, low,
    high), where an interval without 0 is a difference; ``measure`` names what is measured then.

    Rows and columns are in the same order, best first. Colour is the size of the difference; the
    mark is the verdict (of a family: of its adjusted p-values), so that the matrix is read without
    colour as well. On the right each model's verdicts are counted.

    Examples
    --------
    >>> pairs = {("tree", "net"): (-0.02, -0.04, 0.0), ("tree", "forest"): (-0.05, -0.07, -0.03),
    ...     ("net", "forest"): (-0.03, -0.05, -0.01)}
    >>> axes = pairwise_matrix(pairs, measure="accuracy")
    >>> [text.get_text() for text in axes.texts if text.get_ha() == "right"]
    ['forest', 'net', 'tree']
    """
    drawn = _matrix(decisions_of(result, figure="a matrix of pairs", measure=measure))
    k = len(drawn.models)
    with styled():
        top, width = _header(drawn), drawn.left + drawn.cell * k + drawn.beside
        sheet = InchAxes.of(
            ax,
            width=width if drawn.compact else max(width, 4.6),
            bottom=top + drawn.row * k + 0.05,
            captions=_captions(drawn),
        )
        sheet.axes.set_aspect("equal")
        pen = Pen(sheet=sheet, left=drawn.left, top=top, cell=drawn.cell, row=drawn.row)
        _draw_cells(pen, drawn)
        _draw_marks(pen, drawn)
        _draw_names(pen, drawn)
        _draw_tally(pen, drawn)
        if drawn.written:
            _draw_numbers(pen, drawn)
    return sheet.axes


def _matrix(decisions: PairDecisions) -> PairMatrix:
    if decisions.control is not None and len(decisions.models) > 2:
        raise UsageError(
            "a matrix needs every pair, and here all were compared with one model: use forest"
        )
    order = decisions.order[:MOST_MODELS]
    kept = set(order)
    sizes = [
        abs(decided.effect.value)
        for (a, b), decided in decisions.pairs.items()
        if a in kept and b in kept and decided.effect.value is not None
    ]
    return PairMatrix(
        models=order,
        labels=short_names(order, name_width(24)),
        decisions=decisions,
        largest=max(filter(math.isfinite, sizes), default=0.0),
        left_out=len(decisions.models) - len(order),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Pen:
    """Draws in cells: the middle of the first is (0, 0), the next in its row (1, 0)."""

    sheet: InchAxes
    left: float
    top: float
    cell: float
    row: float

    def at(self, column: float, row: float) -> tuple[float, float]:
        return self.left + self.cell * (column + 0.5), self.top + self.row * (row + 0.5)

    def text(self, column: float, row: float, text: str, *, size: float, **how: Any) -> None:
        x, y = self.at(column, row)
        scaled = size * self.sheet.size / TEXT
        how = {"ha": "center", "va": "center_baseline", "color": INK, **how}
        plain(self.sheet.axes.text(x, y, text, size=scaled, **how))

    def shapes(self, polygons: Iterable[Corners], **look: Any) -> None:
        """Polygons as one path, which keeps forty models a small file."""
        from matplotlib.patches import PathPatch
        from matplotlib.path import Path

        corners, codes = [], []
        for polygon in polygons:
            points = [self.at(*corner) for corner in polygon]
            corners += [*points, points[0]]
            codes += [Path.MOVETO, *[Path.LINETO] * (len(points) - 1), Path.CLOSEPOLY]
        self.sheet.axes.add_patch(PathPatch(Path(corners, codes), lw=0, **look))


def _draw_cells(pen: Pen, drawn: PairMatrix) -> None:
    """Neighbours of one shade in a row are one rectangle."""
    rectangles: dict[int, list[Corners]] = {}
    for row, one in enumerate(drawn.models):
        shades = [drawn.shade(one, other) for other in drawn.models]
        column = 0
        for shade, run in groupby(shades):
            end = column + len(list(run))
            rectangles.setdefault(shade, []).append(_rectangle(column, end, row))
            column = end
    for shade, found in sorted(rectangles.items()):
        if shade:
            color = BLUE if shade > 0 else VERMILION
            pen.shapes(found, color=color, alpha=DARKEST * abs(shade) / STEPS, zorder=1)
    diagonal = [_rectangle(place, place + 1, place) for place in range(len(drawn.models))]
    pen.shapes(diagonal, color=RULE, zorder=1)


def _rectangle(start: int, end: int, row: int) -> Corners:
    """Cells from ``start`` up to ``end`` of a row."""
    low, high, upper, lower = start - 0.5, end - 0.5, row - 0.5, row + 0.5
    return ((low, upper), (high, upper), (high, lower), (low, lower))


def _draw_marks(pen: Pen, drawn: PairMatrix) -> None:
    size, drop = (0.24, 0.22) if drawn.written else (0.8 if drawn.compact else 0.5, 0.0)
    high = size * pen.cell / pen.row
    marks: dict[str, list[Corners]] = {}
    for row, column, one, other in drawn.pairs():
        word = drawn.decisions.word(one, other)
        for shape in MARKS.get(ALIASES.get(word, word), ()):
            placed = tuple((column + size * x, row + drop + high * y) for x, y in shape)
            marks.setdefault(word, []).append(placed)
    for word, shapes in marks.items():
        pen.shapes(shapes, color=INK, zorder=3, label=f"_{word}")


def _draw_names(pen: Pen, drawn: PairMatrix) -> None:
    size = 8.0 if drawn.written else NAMES
    beside, above = 0.05 / pen.cell + 0.5, 0.05 / pen.row + 0.5
    for place, name in enumerate(drawn.labels):
        pen.text(-beside, place, name, size=size, ha="right")
        if not drawn.compact:
            pen.text(place, -above, name, size=size, rotation=90, va="bottom")
        elif place == 0 or (place + 1) % NUMBERED_EACH == 0:
            pen.text(place, -above, f"{place + 1}", size=size, va="bottom", color=FAINT)


def _draw_numbers(pen: Pen, drawn: PairMatrix) -> None:
    finest = _finest(drawn)
    for row, column, one, other in drawn.pairs():
        decided, sign = drawn.decisions.of(one, other)
        if decided is None:
            continue
        text = _number(drawn, decided.effect, finest)
        marked = drawn.decisions.word(one, other) in (*MARKS, *ALIASES)
        size = NUMBER * min(1.0, IN_A_CELL / len(text))
        seen = text if sign > 0 else _negated(text)
        pen.text(column, row - 0.13 if marked else row, seen, size=size)


def _finest(drawn: PairMatrix) -> float | None:
    return finest_of(decided.effect for decided in drawn.decisions.pairs.values())


def _number(drawn: PairMatrix, effect: Estimate, finest: float | None) -> str:
    """A difference in the digits that it has everywhere."""
    margin = drawn.decisions.margin
    return write_estimate(effect, signed=True, null=0.0, margin=margin, finest=finest).value


def _negated(text: str) -> str:
    """The difference seen from the other side, in the same digits."""
    signs = {"+": "\u2212", "\u2212": "+"}
    return f"{signs[text[0]]}{text[1:]}" if text[:1] in signs else text


def _draw_tally(pen: Pen, drawn: PairMatrix) -> None:
    """How often each model came out better, undecided and so on."""
    step = drawn.column / drawn.cell
    counts = [_counts(drawn, model) for model in drawn.models]
    for place, word in enumerate(drawn.words):
        column = len(drawn.models) - 0.5 + step * (place + 0.75)
        gap = 0.05 / drawn.row + 0.5
        pen.text(column, -gap, word, size=7.5, rotation=90, va="bottom", color=FAINT)
        for row, found in enumerate(counts):
            pen.text(column, row, f"{found[word]}", size=8.0 if drawn.written else 7.5)


def _counts(drawn: PairMatrix, model: str) -> Counter[str]:
    """Over all pairs of the model, those with models that are not drawn too."""
    return Counter(
        drawn.decisions.word(model, other) for other in drawn.decisions.models if other != model
    )


def _header(drawn: PairMatrix) -> float:
    """Room for the names of the columns."""
    return text_width([*drawn.words, *(() if drawn.compact else drawn.labels)], size=8.0) + 0.05


def _largest(drawn: PairMatrix) -> str:
    """The largest difference of either sign, as its cell has it."""
    effects = [decided.effect for decided in drawn.decisions.pairs.values()]
    known = [one for one in effects if one.value is not None and abs(one.value) == drawn.largest]
    if known:
        return _number(drawn, known[0], _finest(drawn)).lstrip("+\u2212")
    return write_rounded(drawn.largest, 3)


def _captions(drawn: PairMatrix) -> list[str]:
    decisions = drawn.decisions
    words = {
        "better": "▲ row better",
        "higher": "▲ row higher",
        "worse": "▼ row worse",
        "lower": "▼ row lower",
        "equivalent": "= equivalent within the margin",
        "undefined": "■ no answer",
    }
    found = {decisions.word(one, other) for _, _, one, other in drawn.pairs()}
    shown = [text for word, text in words.items() if word in found]
    shown += ["no mark: undecided"] if "undecided" in found else []
    marks = ", ".join(shown)
    name = "mean rank" if decisions.measure == RANK_MEASURE else clean(decisions.measure)
    label = measure_label(name, decisions.direction)
    lines = [
        f"Difference in {label}, row − column; strongest colour: {_largest(drawn)}. Right: number of each verdict.",
        f"{marks[:1].upper()}{marks[1:]} ({decisions.test}).",
    ]
    if drawn.compact:
        lines.append("Columns are numbered in the order of the rows.")
    if drawn.left_out:
        lines.append(f"… {drawn.left_out:,} more models are not drawn; they are counted.")
    return lines
