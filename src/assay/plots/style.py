"""The look of every figure: colours that all eyes tell apart, and files equal to the byte."""

import textwrap
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.core.checks import as_floats
from assay.core.errors import UsageError
from assay.core.file_names import path_of, write_whole
from assay.plots.notebook_figures import show_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.text import Text

INK = "#1f2933"
FAINT = "#6b7683"
RULE = "#d5dae0"
PAPER = "#ffffff"

BLUE, VERMILION, GREEN, PURPLE = "#0072b2", "#d55e00", "#009e73", "#cc79a7"
ORANGE, SKY = "#e69f00", "#56b4e9"
COLORS = (BLUE, VERMILION, GREEN, PURPLE, ORANGE, SKY, INK)
"""Okabe and Ito (2008) without yellow, which is lost on white."""
LINES: tuple[Any, ...] = ("-", (0, (5, 1.5)), (0, (1.2, 1.2)), (0, (6, 1.5, 1.2, 1.5)))
"""Line styles cycle at another pace than colours, so that grey prints still tell curves apart."""

MILLIMETRE = 1.0 / 25.4
"""Inches."""
PAGE = 170.0 * MILLIMETRE
"""The width of a journal's page; a column has half of it."""
NARROW = 110.0 * MILLIMETRE
"""Figures narrower than this are set in smaller type, as in a column of a journal."""
TEXT, SMALL_TEXT = 9.0, 7.0
FACE = "DejaVu Sans"
"""Comes with matplotlib, so that figures are alike everywhere."""
SCREEN = 1.1
"""By how much letters that are fitted to dots are wider."""
BALANCE = (0.55, 0.7, 0.85)
"""Shares of a line that are tried, so that no word stands alone in the last one."""

Shape = Literal["plot", "square", "rows"]

_width: ContextVar[float | None] = ContextVar("width", default=None)

FORMATS = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}
"""The formats of :func:`save`, each with the metadata that would change from day to day."""

STYLE: dict[str, Any] = {
    "font.family": "sans-serif",
    "font.sans-serif": [FACE],
    "font.size": TEXT,
    "text.color": INK,
    "text.usetex": False,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.facecolor": PAPER,
    "figure.facecolor": PAPER,
    "axes.unicode_minus": True,
    "axes.linewidth": 0.8,
    "xtick.color": FAINT,
    "xtick.labelcolor": INK,
    "ytick.color": FAINT,
    "ytick.labelcolor": INK,
    "legend.frameon": False,
    "path.simplify": True,
    "savefig.bbox": None,
    "savefig.dpi": 150,
    "svg.fonttype": "none",
    "svg.hashsalt": "assay",
    "pdf.fonttype": 42,
}


@contextmanager
def styled() -> Iterator[None]:
    """Our look while a figure is made or written, the user's settings back afterwards."""
    from matplotlib import style

    with style.context(["default", STYLE, {"font.size": text_size()}]):
        yield


@contextmanager
def paper(width: float) -> Iterator[None]:
    """Figures made inside are ``width`` millimetres wide, 85 for a column and 170 for a page.

    Examples
    --------
    >>> from assay.plots import qq
    >>> with paper(85):
    ...     axes = qq([0.1, 0.4, 0.2, 0.9])
    >>> float(round(axes.figure.get_size_inches()[0] * 25.4))
    85.0
    """
    if not 40.0 <= width <= 1000.0:
        raise UsageError(f"a figure is between 40 and 1,000 millimetres wide; got {width:g}")
    token = _width.set(width * MILLIMETRE)
    try:
        yield
    finally:
        _width.reset(token)


def text_size() -> float:
    """The size of text in points: smaller in a column than on a page."""
    width = _width.get()
    return SMALL_TEXT if width is not None and width < NARROW else TEXT


def wide(width: float) -> float:
    """The width of a figure in inches: as :func:`paper` says, else ``width``."""
    return _width.get() or width


def in_lines(text: str, inches: float, *, size: float | None = None) -> str:
    """Words broken into as few lines as ``inches`` allow, and those of nearly equal length."""
    points = text_size() if size is None else size
    tight = _wrapped(text, inches, points)
    for share in BALANCE:
        even = _wrapped(text, share * inches, points)
        if len(even) == len(tight):
            return "\n".join(even)
    return "\n".join(tight)


def _wrapped(text: str, inches: float, points: float) -> list[str]:
    lines: list[str] = []
    for word in text.split():
        joined = f"{lines[-1]} {word}" if lines else word
        if lines and printed_width(joined, points) <= inches:
            lines[-1] = joined
        elif printed_width(word, points) <= inches:
            lines.append(word)
        else:  # one word is wider than the paper
            room = max(int(len(word) * inches / printed_width(word, points)), 1)
            lines += textwrap.wrap(word, room)
    return lines


@lru_cache(maxsize=4096)
def printed_width(text: str, points: float) -> float:
    """The width of a text in inches; on a coarse screen letters are a little wider than their outlines."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    face = FontProperties(family=FACE, size=points)
    with warnings.catch_warnings():  # a letter that the face lacks is drawn as a box
        warnings.simplefilter("ignore")
        width, _, _ = text_to_path.get_text_width_height_descent(text, face, ismath=False)
    return SCREEN * float(width) / 72


def name_width(letters: int) -> int:
    """Letters of a name where a page has room for so many: fewer in a column."""
    return letters if text_size() == TEXT else round(0.6 * letters)


def axis_words(text: str, *, middle: float | None = None, share: float = 0.6) -> str:
    """What stands below axes that share a column with names and numbers, broken to fit it.

    ``middle`` is where the axes have theirs, in inches: words around it reach neither edge.
    """
    if text_size() == TEXT:
        return text
    width = wide(PAGE)
    room = share * width if middle is None else min(share * width, 2 * min(middle, width - middle))
    return "\n".join(in_lines(line, room) for line in text.splitlines())


def new_axes(width: float, height: float, *, shape: Shape = "plot") -> "Axes":
    """Axes on a figure of their own, unknown to pyplot: nothing leaks, and only a notebook shows it.

    On other paper a square stays one, rows become lower with their text, plots by half as much as
    they become narrower.
    """
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    ratio = wide(width) / width
    shrunk = {"plot": 0.5 + 0.5 * ratio, "square": ratio, "rows": text_size() / TEXT}
    width, height = width * ratio, height * shrunk[shape]
    figure = Figure(figsize=(width, height), layout="constrained")
    FigureCanvasAgg(figure)
    show_below(figure)
    return figure.add_subplot()


def own_axes(ax: "Axes") -> "Axes":
    """Axes that the user gave, to draw into."""
    from matplotlib.axes import Axes

    if not isinstance(ax, Axes):
        raise UsageError(f"ax= is the Axes of a figure, such as plt.gca(); got {type(ax).__name__}")
    return ax


def given_numbers(values: Any, what: str) -> list[float]:
    """Numbers that the user gave for a figure; an end may be infinite, none may be missing."""
    found = as_floats(values, what).ravel()
    if np.isnan(found).any():
        raise UsageError(f"{what} must be numbers, and one is missing")
    return [float(one) for one in found]


def plain(*texts: "Text") -> None:
    """Take texts as they are: a $ in a model's name is no formula."""
    for text in texts:
        text.set_parse_math(False)


def save(drawing: "Axes | Figure", path: str | Path) -> Path:
    """Write a figure as .svg, .pdf or .png; the same figure gives the same bytes."""
    target = path_of(path, "a figure")
    kind = target.suffix.lower().lstrip(".")
    write_whole(target, as_bytes(drawing, kind))
    return target


def as_bytes(drawing: "Axes | Figure", kind: str) -> bytes:
    """The figure as the bytes of a file of that kind."""
    if kind not in FORMATS:
        raise UsageError(f"figures are saved as {', '.join(FORMATS)}; got {kind!r}")
    figure = _figure(drawing)
    _lay_out_anew(figure)
    stream = BytesIO()
    with styled(), warnings.catch_warnings():
        if kind == "svg":  # its text stays text, and the reader's fonts have the letters
            warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        figure.savefig(stream, format=kind, metadata=FORMATS[kind])
    return stream.getvalue()


def _lay_out_anew(figure: "Figure") -> None:
    """Start the layout where it started first: it moves a little closer to its goal at each draw."""
    if figure.get_layout_engine() is None:
        return
    for axes in figure.axes:
        place = axes.get_subplotspec()
        if place is not None:
            axes.set_subplotspec(place)


def _figure(drawing: "Axes | Figure") -> "Figure":
    from matplotlib.figure import Figure

    figure = drawing if isinstance(drawing, Figure) else drawing.get_figure(root=True)
    if figure is None:
        raise UsageError("these axes have been removed from their figure: draw them again")
    return figure
