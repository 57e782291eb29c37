"""The figures of a view as SVG inside the page: no outside references, no inline style."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import escape
from typing import TYPE_CHECKING, Any, TypeVar
from xml.etree import ElementTree

from assay.core.errors import UsageError
from assay.core.extras import missing
from assay.core.formatting import clean
from assay.core.progress import steps
from assay.report.figure_list import ReportFigure
from assay.report.tables import ReportTable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FONT = re.compile(r"(?:(?P<weight>bold|\d{3}) )?(?P<size>[\d.]+)px .*")
SCALE = 1.6
"""Pixels of the page for a point of the figure: nine-point text is as large as the page's."""
OPEN = 3
"""Figures, and tables, that stand open in a report; the rest is folded under its caption."""
COLUMN = 85.0
"""Millimetres: text of a figure this wide can be read on a phone."""
Shown = TypeVar("Shown", ReportFigure, ReportTable)
_LONG = re.compile(r"\d+\.\d{3,}")
_UNDRAWN = "<p>Not drawn: pip install 'assay[figures]'</p>"
_KEEP = {"svg", "g", "path", "defs", "clipPath", "rect", "use", "text"}


def draw(figures: tuple[ReportFigure, ...], result: Any) -> dict[str, str]:
    """Each figure by its name as an ``<svg>`` element, with words for those who cannot see it.

    Where nothing can draw, the place of a figure says so: the report has its numbers all the same.
    """
    if missing("figures"):
        return dict.fromkeys((figure.name for figure in figures), _UNDRAWN)
    from assay.plots.notebook_figures import for_files

    opened, _ = standing(figures)
    with for_files():
        return {
            figure.name: _drawn(figure, result, f"figure{place}", folded=figure not in opened)
            for place, figure in enumerate(steps("drawing", figures), start=1)
        }


def standing(found: Sequence[Shown]) -> tuple[list[Shown], list[Shown]]:
    """The figures or tables that stand open in a report, and those that are folded."""
    opened = [one for one in found if not one.folded][:OPEN]
    return opened, [one for one in found if one not in opened]


def _drawn(figure: ReportFigure, result: Any, name: str, *, folded: bool) -> str:
    """The figure; of those that stand open, a narrow one too, which a phone shows instead."""
    try:
        if folded:
            return as_element(axes_of(figure, result), name=name, words=figure.alt)
        return for_all_screens(lambda: axes_of(figure, result), name=name, words=figure.alt)
    except UsageError as error:  # numbers beyond every axis
        return f"<p>Not drawn: {escape(clean(str(error)))}</p>"


def for_all_screens(make: "Callable[[], Axes]", *, name: str, words: str) -> str:
    """A figure as wide as a page and, for phones, as wide as a column: the style sheet shows one."""
    from assay.plots.style import paper

    wide = as_element(make(), name=name, words=words, shown="on-desk")
    with paper(COLUMN):
        return wide + as_element(make(), name=f"{name}-narrow", words=words, shown="on-phone")


def axes_of(figure: ReportFigure, result: Any) -> "Axes":
    from assay import plots

    kind, _, rest = figure.name.partition(":")
    if kind == "part":  # one of several comparisons that were decided together
        place, _, name = rest.partition(":")
        return axes_of(replace(figure, name=name), result.parts[int(place)])
    if kind == "slices":
        return plots.forest([part for part in result.parts if part.measure == rest])
    if kind == "curve":
        return plots.learning(result.curves[int(rest)])
    if kind == "estimates":
        return plots.forest([one for one in result.estimates if one.measure == rest])
    if kind == "ranks":
        return plots.critical_difference(dict(result.families)[rest] if rest else result)
    draw: dict[str, Callable[[Any], Axes]] = {
        "matrix": plots.pairwise_matrix,
        "posterior": plots.posterior,
        "roc": plots.roc,
        "precision_recall": plots.precision_recall,
        "calibration": plots.calibration,
        "checks": plots.checks,
        "profiles": plots.profiles,
        "qq": plots.qq,
        "power": plots.power_curve,
        "simulation": plots.simulation,
        "learning": plots.learning,
        "sequence": plots.sequence,
        "ladder": plots.rank_ladder,
    }
    return draw.get(kind, plots.forest)(result)


def as_element(axes: "Axes", *, name: str, words: str, shown: str = "") -> str:
    """A figure as an SVG element for a page with a strict content policy.

    Style attributes, which such a policy forbids, become presentation attributes; those can also
    be overruled by the page's own style, which is how figures turn dark with the page.
    """
    from assay.plots.style import as_bytes

    root = ElementTree.fromstring(as_bytes(axes, "svg"))  # noqa: S314 (our own figure, made above)
    _prune(root)
    used = _references(root)
    for element in root.iter():
        element.tag = _local(element.tag)
        element.attrib = _attributes(element, used, name)
        if element.tag != "text":
            element.text = None
        element.tail = None
    width = float(root.attrib["viewBox"].split()[2])
    for attribute in ("height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib.update(
        {
            "width": f"{SCALE * width:.0f}",
            "role": "img",
            "aria-label": clean(words),
            "class": f"figure {shown}".strip(),
        }
    )
    return ElementTree.tostring(root, encoding="unicode")


def _prune(element: ElementTree.Element) -> None:
    """Take away metadata and style sheets."""
    for child in list(element):
        if _local(child.tag) not in _KEEP:
            element.remove(child)
        else:
            _prune(child)


def _references(root: ElementTree.Element) -> set[str]:
    """The ids that something in the figure points at."""
    text = " ".join(value for element in root.iter() for value in element.attrib.values())
    return set(re.findall(r"#([\w.-]+)", text))


def _attributes(element: ElementTree.Element, used: set[str], name: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for key, value in element.attrib.items():
        attribute = _local(key)
        if attribute == "style":
            found.update(_presentation(value))
        elif attribute == "id":
            if value in used:
                found["id"] = f"{name}-{value}"
        elif "#" in value and attribute in ("href", "clip-path"):
            found[attribute] = value.replace("#", f"#{name}-")
        elif attribute in ("d", "x", "y"):  # hundredths of a point are finer than any screen
            found[attribute] = _LONG.sub(lambda number: f"{float(number[0]):.2f}", value)
        else:
            found[attribute] = value
    found.pop("font-family", None)  # the page's own
    if found.get("transform", "").startswith("rotate(-0 "):
        del found["transform"]
    if element.tag == "svg":
        found.update({"stroke-linejoin": "round", "stroke-linecap": "butt"})
    return found


def _presentation(style: str) -> dict[str, str]:
    """``fill: #fff; font: 9px sans`` as attributes; the family is left to the page."""
    pairs = [part.split(":", 1) for part in style.split(";") if ":" in part]
    found = {key.strip(): value.strip() for key, value in pairs}
    font = _FONT.fullmatch(found.pop("font", ""))
    if font:
        found["font-size"] = font["size"]
        if font["weight"]:
            found["font-weight"] = font["weight"]
    return found


def _local(tag: str) -> str:
    return tag.rsplit("}", 1)[-1]
