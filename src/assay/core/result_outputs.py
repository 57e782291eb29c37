"""What every result can do: show itself, become a frame or a file, and be drawn.

How each is done lies to the right of this layer: the package registers it by name in
``renderers`` and loads it when it is first used.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

renderers: dict[str, Callable[..., Any]] = {}
"""What shows results, by name: "line", "text", "html", "page", "markdown", "latex", "frame", "save", "plot"."""


class Shown:
    """A result that prints as people read it, and as a table in a notebook."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        cls.__repr__ = Shown.__repr__  # type: ignore[method-assign]  # a dataclass would list every field

    def __repr__(self) -> str:
        said = f": {renderers['line'](self)}" if "line" in renderers else ""
        return f"<{type(self).__name__}{said}>"

    def __str__(self) -> str:
        return str(renderers["text"](self)) if "text" in renderers else repr(self)

    def _repr_html_(self) -> str | None:
        return renderers["html"](self) if "html" in renderers else None

    def summary(self, *, details: bool = False, width: int | None = None) -> str:
        """The answer as the terminal prints it: brief, or with ``details`` everything."""
        return str(renderers["text"](self, details=details, width=width))

    def to_dict(self) -> dict[str, Any]:
        """The result as plain dictionaries and lists, as in JSON."""
        from assay.core.wire import to_builtins

        return to_builtins(self)  # type: ignore[arg-type]  # every result is Shown

    def to_json(self, *, indent: int = 2) -> str:
        """The result as JSON, which `assay.from_json` reads back."""
        from assay.core.wire import to_json

        return to_json(self, indent=indent)  # type: ignore[arg-type]  # every result is Shown

    def to_frame(self, backend: str | None = None) -> Any:
        """The numbers as a data frame: one row per pair, estimate, check or cell.

        ``backend`` is "pandas", "polars" or "pyarrow"; unless given, the one that scikit-learn was told to give
        (``set_config(transform_output="polars")``), else the first that is installed. Differences
        are A minus B, as in JSON.
        """
        return renderers["frame"](self, backend)

    def to_markdown(self) -> str:
        """The whole report as Markdown."""
        return str(renderers["markdown"](self))

    def to_latex(self) -> str:
        """The tables as LaTeX."""
        return str(renderers["latex"](self))

    def to_html(self) -> str:
        """The whole report as one self-contained page, with figures."""
        return str(renderers["page"](self))

    def save(self, path: "str | Path") -> "Path":
        """Write the result in the format of the file's suffix; a figure for .png, .svg and .pdf."""
        written: Path = renderers["save"](self, path)
        return written

    def plot(self, kind: str | None = None, ax: Any = None) -> Any:
        """Draw the main figure, or the one named ``kind``, and return its matplotlib Axes."""
        return renderers["plot"](self, kind=kind, ax=ax)
