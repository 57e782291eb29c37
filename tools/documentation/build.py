"""Gathers the pages, draws the gallery, writes what comes from records, builds and checks the site.

Pages keep their places (`docs/…`, `CHANGELOG.md`), so that their links are those of the repository.
"""

import re
import shutil
import sys
from collections.abc import Sequence
from html.parser import HTMLParser
from pathlib import Path
from time import perf_counter
from urllib.parse import unquote

from tools.documentation.gallery import illustrate
from tools.documentation.notebooks import write_notebooks
from tools.documentation.records import record_pages

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "docs"
COPIED = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "benchmarks")
OUTSIDE = re.compile(r"^(https?:|mailto:|data:|javascript:)")


def gather(source: Path) -> None:
    """The pages as they stand, the pages from records, the gallery with its figures, the notebooks."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(
        ROOT / "docs", source / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__")
    )
    for name in COPIED:
        place = ROOT / name
        if place.is_dir():
            shutil.copytree(place, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(place, source / name)
    for path, text in record_pages().items():
        (source / path).parent.mkdir(parents=True, exist_ok=True)
        (source / path).write_text(text, encoding="utf-8")
    illustrate(source / "docs" / "gallery.md", source / "docs" / "gallery")
    write_notebooks(source / "docs" / "tutorials", source / "docs" / "notebooks")
    for folder in ("tutorials", "coming-from"):
        for page in (source / "docs" / folder).glob("*.md"):
            page.write_text(for_reading(page.read_text(encoding="utf-8")), encoding="utf-8")
    for page in (source / "docs" / "inside" / "decisions").glob("*.md"):
        unsearched = f"---\nnosearch: true\n---\n\n{page.read_text(encoding='utf-8')}"
        page.write_text(unsearched, encoding="utf-8")  # why we did it is no answer to a user
    (source / "index.md").write_text(_index(source), encoding="utf-8")
    shutil.copy(Path(__file__).with_name("conf.py"), source / "conf.py")
    shutil.copytree(Path(__file__).with_name("static"), source / "static")


_BLANK = re.compile(r"(^```python\n.*?)\n+(?=^```$)", re.MULTILINE | re.DOTALL)
_TABLE = re.compile(r"(?:^\|.*\n)+", re.MULTILINE)


def for_reading(page: str) -> str:
    """A page without the blank line that ends a doctest, its tables in rows that a phone can stack."""
    page = _BLANK.sub(r"\1\n", page)
    return _TABLE.sub(lambda found: f":::{{container}} stacked\n\n{found[0]}\n:::\n", page)


SECTIONS = {
    "Tutorials": (
        "docs/tutorials/two-models.md", "docs/tutorials/notebook.md", "docs/tutorials/paper-in-ten-minutes.md",
        "docs/tutorials/llm-evaluation.md", "docs/tutorials/gate-in-ci.md", "docs/tutorials/clinical-reviewer.md",
        "docs/tutorials/teaching.md", "docs/tutorials/large-data.md", "docs/tutorials/cluster.md",
    ),
    "How-to guides": (
        "docs/gate.md", "docs/ci.md", "docs/judges.md", "docs/boards.md", "docs/logs.md", "docs/large.md",
        "docs/studies.md", "docs/simulate.md", "docs/report.md", "docs/page.md", "docs/datasets.md",
        "docs/lectures.md", "docs/displays.md",
    ),
    "Coming from": "docs/coming-from/*.md",
    "Gallery": ("docs/gallery.md", "docs/plots.md"),
    "Reference": (
        "docs/commands.md", "docs/evidence.md", "docs/compare.md", "docs/choose.md", "docs/pitfalls.md",
        "docs/measures.md", "docs/notes.md", "docs/catalogue/methods.md", "docs/catalogue/measures.md",
        "docs/catalogue/api.md", "docs/glossary.md", "docs/versions.md", "CHANGELOG.md",
    ),
    "Methods": "docs/methods/*.md",
    "Trust": (
        "docs/catalogue/calibration.md", "docs/calibration.md", "docs/calibration-clusters.md",
        "docs/calibration-populations.md", "docs/calibration-promises.md", "docs/calibration-boards.md",
        "docs/calibration-judges.md", "docs/folds.md", "docs/replication.md", "docs/power.md", "docs/roc-bands.md",
        "SECURITY.md", "docs/inside/architecture.md", "docs/inside/map.md", "CONTRIBUTING.md",
    ),
}  # fmt: skip
LEADS = {
    "Tutorials": "Each takes ten minutes, runs as it stands, and is a notebook too. Choose yours by what you do.",
    "How-to guides": "One task each, with the commands to type.",
    "Coming from": "Their call, our call, what differs and why.",
    "Gallery": "Every figure with the code that draws it.",
    "Reference": "Commands, options, files, measures, notes and names: to look up.",
    "Methods": "The pages of the families: when to use a method, its formula and a worked example. "
    "One line of each is in the [catalogue](../docs/catalogue/methods.md).",
    "Trust": "How often the methods err, measured. Begin with the first page: it finds the cell of your design.",
}
"""What the page of a section says above its list."""


def _index(source: Path) -> str:
    """The start page: docs/start.md, with the sections beneath it, which the bar at the top shows."""
    text = (source / "docs" / "start.md").read_text(encoding="utf-8")
    text = re.sub(r"\]\((?!https?:|#)([^)]+)\)", r"](docs/\1)", text).replace("](docs/../", "](")
    sections = [_section(source, title, pages) for title, pages in SECTIONS.items()]
    listed = "\n".join(["Questions <docs/questions>", *sections])
    return f"{text}\n\n```{{toctree}}\n:hidden:\n\n{listed}\n```\n"


def _section(source: Path, title: str, pages: str | Sequence[str]) -> str:
    """Write the page of a section, which lists its pages; gives its name."""
    found = (
        sorted(source.glob(pages)) if isinstance(pages, str) else [source / one for one in pages]
    )
    names = [path.relative_to(source).with_suffix("").as_posix() for path in found if path.exists()]
    listed = "\n".join(f"/{name}" for name in names)
    name = f"sections/{title.lower().replace(' ', '-')}"
    (source / "sections").mkdir(exist_ok=True)
    page = f"# {title}\n\n{LEADS[title]}\n\n```{{toctree}}\n:maxdepth: 1\n\n{listed}\n```\n"
    (source / f"{name}.md").write_text(page, encoding="utf-8")
    return name


class _Links(HTMLParser):
    """The addresses and the anchors of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.links: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        told = dict(attrs)
        self.anchors |= {value for key in ("id", "name") if (value := told.get(key))}
        link = told.get("href") if tag in ("a", "link") else told.get("src")
        if link:
            self.links.append(link)


def broken_links(site: Path) -> list[str]:
    """Links of the site that lead nowhere: files that are not there, anchors that no page has."""
    pages: dict[Path, _Links] = {}
    for path in set(site.rglob("*.html")) - set((site / "_static").rglob("*.html")):
        parser = _Links()
        parser.feed(path.read_text(encoding="utf-8"))
        pages[path.resolve()] = parser
    broken = []
    for path, page in pages.items():
        for link in page.links:
            if OUTSIDE.match(link):
                continue
            address, _, anchor = unquote(link).partition("#")
            target = (path.parent / address.split("?")[0]).resolve() if address else path
            missing = not target.exists()
            lost = anchor and target in pages and anchor not in pages[target].anchors
            if missing or lost:
                broken.append(f"{path.relative_to(site.resolve())}: {link}")
    return broken


def main() -> None:
    """Build everything into build/docs/html; ends with 1 on a warning or a broken link."""
    from sphinx.cmd.build import build_main

    started = perf_counter()
    shutil.rmtree(PLACE / "html", ignore_errors=True)
    gather(PLACE / "source")
    words = ["-b", "html", "-j", "2", "-q", "-W", "--keep-going"]
    code = build_main([*words, str(PLACE / "source"), str(PLACE / "html")])
    broken = broken_links(PLACE / "html")
    for one in broken:
        print(f"broken link: {one}")
    seconds = perf_counter() - started
    count = len(list((PLACE / "html").rglob("*.html")))
    print(
        f"{count} pages in {seconds:.0f} s, {len(broken)} broken links: {PLACE / 'html' / 'index.html'}"
    )
    sys.exit(1 if code or broken else 0)


if __name__ == "__main__":
    main()
