"""Tutorials as notebooks: the words as Markdown, the examples as code to run."""

import json
import re
from pathlib import Path
from typing import Any

_CODE = re.compile(r"```python\n(.*?)```\n?", re.DOTALL)


def source_of(block: str) -> str:
    """The code of an example: what was typed, without prompts and answers."""
    if ">>>" not in block:
        return block.rstrip("\n")
    typed = [line[4:] for line in block.splitlines() if line.startswith((">>> ", "... ", "..."))]
    return "\n".join(typed)


def cells_of(page: str) -> list[dict[str, Any]]:
    """The cells of a page, in its order."""
    cells: list[dict[str, Any]] = []
    for place, piece in enumerate(_CODE.split(page)):
        text = source_of(piece) if place % 2 else piece.strip("\n")
        if not text:
            continue
        kind: dict[str, Any] = {"cell_type": "markdown"}
        if place % 2:
            kind = {"cell_type": "code", "execution_count": None, "outputs": []}
        cells.append(
            {
                **kind,
                "id": f"cell-{len(cells)}",
                "metadata": {},
                "source": text.splitlines(keepends=True),
            }
        )
    return cells


def notebook(page: str) -> dict[str, Any]:
    """A page as a notebook of format 4.5."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells_of(page),
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def write_notebooks(tutorials: Path, folder: Path) -> None:
    """A notebook of every tutorial, and a link to it at the foot of its page."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(tutorials.glob("*.md")):
        page = path.read_text(encoding="utf-8")
        made = json.dumps(notebook(page), indent=1, ensure_ascii=False) + "\n"
        (folder / f"{path.stem}.ipynb").write_text(made, encoding="utf-8")
        link = f"\n\n{{download}}`This page as a notebook <../notebooks/{path.stem}.ipynb>`\n"
        path.write_text(page.rstrip("\n") + link, encoding="utf-8")
