"""`python -m tools.architecture_map`: write docs/inside/map.md, every folder and file with its first sentence.

The sentences are the docstrings of the files themselves, so the map is true as long as they are;
tests/test_guides.py fails where it is not the map of today.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "assay"
PAGE = ROOT / "docs" / "inside" / "map.md"
HEAD = """# The map: every folder, every file

Written by `python -m tools.architecture_map` from the docstrings of the files; `architecture.md` says how the folders
depend on one another.
"""


def folders() -> list[Path]:
    """The folders of the package that hold code."""
    found = (path.parent for path in PACKAGE.rglob("*.py"))
    return sorted(set(found), key=lambda folder: folder.relative_to(PACKAGE).parts)


def docstring(path: Path) -> str:
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""


def first_sentence(path: Path) -> str:
    """The first paragraph of a docstring on one line."""
    return " ".join(docstring(path).split("\n\n")[0].split())


def page() -> str:
    parts = [HEAD]
    for folder in folders():
        name = folder.relative_to(PACKAGE.parent).as_posix()
        files = sorted(path for path in folder.glob("*.py") if path.name != "__init__.py")
        rows = [f"- `{path.name}`: {first_sentence(path)}" for path in files]
        parts.append(
            "\n".join([f"## {name}/", "", docstring(folder / "__init__.py"), "", *rows, ""])
        )
    return "\n".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
