"""Results and their figures as files: the suffix says the format."""

from pathlib import Path
from typing import Any

from assay.core.errors import UsageError
from assay.core.file_names import path_of, write_whole
from assay.report import render

SUFFIXES = {
    ".html": "html",
    ".json": "json",
    ".md": "markdown",
    ".tex": "latex",
    ".csv": "csv",
    ".txt": "table",
}
FIGURES = (".png", ".svg", ".pdf")


def save(result: Any, path: str | Path, *, command: str | None = None) -> Path:
    """Write a result to a file in the format of its suffix, text with all details."""
    place = path_of(path, "a report")
    suffix = place.suffix.lower()
    if suffix in FIGURES:
        return save_figure(result, place)
    if suffix not in SUFFIXES:
        known = ", ".join((*SUFFIXES, *FIGURES))
        raise UsageError(f"{place} has no known suffix: use one of {known}")
    text = render(result, SUFFIXES[suffix], details=True, command=command)
    write_whole(place, text)
    return place


def save_figure(result: Any, path: Path) -> Path:
    """Draw the main figure of a result into a file."""
    if path.suffix.lower() not in FIGURES:
        raise UsageError(f"a figure is saved as {', '.join(FIGURES)}; got {path}")
    from assay.plots import main_figure
    from assay.plots.notebook_figures import for_files

    with for_files():
        return _drawn(main_figure(result), path)


def save_figures(result: Any, folder: Path) -> list[Path]:
    """Draw every figure of a result into a folder, which is made if need be."""
    from assay.plots import all_figures
    from assay.plots.notebook_figures import for_files

    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"cannot make the folder {folder}: {error.strerror}") from None
    with for_files():
        return [
            _drawn(figure.axes[0], folder / f"{name}.svg")
            for name, figure in all_figures(result).items()
        ]


def _drawn(axes: Any, path: Path) -> Path:
    from assay.plots.style import as_bytes

    write_whole(path, as_bytes(axes, path.suffix.lower().removeprefix(".")))
    return path
