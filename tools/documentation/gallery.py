"""The gallery: every block of docs/gallery.md is run, and the figure it draws put below it."""

import re
from pathlib import Path
from typing import Any

_BLOCK = re.compile(r"## (?P<title>[^\n]+)\n(?P<words>.*?)```python\n(?P<code>.*?)```\n", re.DOTALL)
_SETUP = re.compile(r"\A.*?```python\n(?P<code>.*?)```\n", re.DOTALL)


def figures(page: str) -> dict[str, str]:
    """The code of every figure by its title, each with what stands at the top of the page before it."""
    head, _, rest = page.partition("\n## ")
    setup = _SETUP.search(head)
    if setup is None:
        raise ValueError("the gallery begins with a block that makes its data")
    return {one["title"]: setup["code"] + one["code"] for one in _BLOCK.finditer("## " + rest)}


def drawn(code: str) -> Any:
    """The axes that the code leaves."""
    names: dict[str, Any] = {}
    exec(compile(code, "docs/gallery.md", "exec"), names)
    return names["axes"]


def name_of(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")


def illustrate(page: Path, folder: Path) -> None:
    """Draw every figure, and put each below its code."""
    from assay import plots

    folder.mkdir(parents=True, exist_ok=True)
    text = page.read_text(encoding="utf-8")
    for title, code in figures(text).items():
        plots.save(drawn(code), folder / f"{name_of(title)}.png")

    def with_picture(found: re.Match[str]) -> str:
        title = found["title"]
        return f"{found[0]}\n![{title}]({folder.name}/{name_of(title)}.png)\n"

    head, _, rest = text.partition("\n## ")
    page.write_text(head + "\n" + _BLOCK.sub(with_picture, "## " + rest), encoding="utf-8")
