"""Figures below the cell of a notebook that draws them."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from assay.core.notebooks import notebook

if TYPE_CHECKING:
    from matplotlib.figure import Figure

SCREEN = 96
"""Dots to an inch of a page in a browser: a figure is as wide as on paper, and twice as sharp."""
_drawn: "list[Figure]" = []
_for_files: ContextVar[bool] = ContextVar("for_files", default=False)


@contextmanager
def for_files() -> Iterator[None]:
    """Figures made inside go into a file, and are not shown."""
    token = _for_files.set(True)
    try:
        yield
    finally:
        _for_files.reset(token)


def show_below(figure: "Figure") -> None:
    """Show a figure when the cell is done, with whatever was added to it; nothing happens elsewhere."""
    shell = None if _for_files.get() else notebook()
    if shell is None:
        return
    if not _drawn:
        shell.events.register("post_execute", _show)
    _drawn.append(figure)


def _show() -> None:
    from IPython.display import Image, display  # type: ignore[import-not-found, unused-ignore]

    from assay.plots.style import as_bytes

    shell = notebook()
    shell.events.unregister("post_execute", _show)
    for figure in _drawn:
        wide = round(figure.get_size_inches()[0] * SCREEN)
        words = " against ".join(
            filter(None, (figure.axes[0].get_ylabel(), figure.axes[0].get_xlabel()))
        )
        picture: Any = Image  # without types, as is the display
        shown: Any = display
        shown(picture(data=as_bytes(figure, "png"), width=wide, alt=f"Figure: {words}"))
    _drawn.clear()
