"""The site: its pages gathered, its code run, its links followed; every example executed or marked as output."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.notebook_kernel import Kernel, started
from tests.support import needs
from tools.documentation import build, gallery
from tools.documentation.notebooks import cells_of, notebook, source_of
from tools.documentation.records import BEYOND, api_page, calibration_page, methods_page

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
GALLERY = gallery.figures((DOCS / "gallery.md").read_text(encoding="utf-8"))
TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))


def test_the_gallery_has_thirty_figures() -> None:
    assert len(GALLERY) >= 30
    assert len({gallery.name_of(title) for title in GALLERY}) == len(GALLERY)


@pytest.mark.parametrize("title", GALLERY)
def test_every_figure_is_drawn_by_its_code(title: str) -> None:
    whole = gallery.drawn(GALLERY[title])
    panels = [whole, *whole.child_axes]
    assert any(axes.has_data() or axes.texts for axes in panels)


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_every_tutorial_is_a_notebook(path: Path) -> None:
    """Valid, all of its words and all of its code kept."""
    page = path.read_text(encoding="utf-8")
    made = json.loads(json.dumps(notebook(page)))
    assert made["nbformat"] == 4
    code = [cell for cell in made["cells"] if cell["cell_type"] == "code"]
    assert len(code) == page.count("```python\n")
    for cell in code:
        compile("".join(cell["source"]), path.name, "exec")


@pytest.fixture(scope="module")
def kernel() -> Iterator[Kernel]:
    with started() as one:
        yield one


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_every_notebook_runs(path: Path, tmp_path: Path, kernel: Kernel) -> None:
    """In Jupyter itself, each from an empty start in a folder of its own."""
    kernel.cleared()
    kernel.run(f"%cd -q {tmp_path}")
    cells = ["".join(one["source"]) for one in cells_of(path.read_text(encoding="utf-8"))
             if one["cell_type"] == "code"]  # fmt: skip
    kernel.run(*cells)
    (shown,) = kernel.run("print('assay' in dir())")
    assert shown[0]["text"] == "True\n"


def test_prompts_and_answers_are_left_out_of_notebooks() -> None:
    block = ">>> for k in range(2):\n...     print(k)\n0\n1\n>>> k + 1\n2\n"
    assert source_of(block) == "for k in range(2):\n    print(k)\nk + 1"


def test_every_page_is_in_a_list_of_the_site() -> None:
    listed = {
        page for pages in build.SECTIONS.values() if not isinstance(pages, str) for page in pages
    }
    patterns = [pages for pages in build.SECTIONS.values() if isinstance(pages, str)]
    for path in [*DOCS.glob("*.md"), *TUTORIALS]:
        name = path.relative_to(ROOT).as_posix()
        known = name in listed or any(path.match(pattern) for pattern in patterns)
        assert known or name in ("docs/questions.md", "docs/start.md"), name


def test_the_start_page_has_ten_questions_and_every_person() -> None:
    page = (DOCS / "start.md").read_text(encoding="utf-8")
    assert re.findall(r"^(\d+)\. \[", page, flags=re.MULTILINE) == [str(k) for k in range(1, 11)]
    for path in [*TUTORIALS, *(DOCS / "coming-from").glob("*.md")]:
        assert f"{path.parent.name}/{path.name}" in page, path.name


def test_links_that_lead_nowhere_are_found(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here">b</a><a href="#lost">c</a><h1 id="top">'
    )
    (tmp_path / "b.html").write_text(
        '<p id="here"><a href="gone.html">d</a><a href="https://e.org">e</a>'
    )
    assert sorted(build.broken_links(tmp_path)) == ["a.html: #lost", "b.html: gone.html"]


def test_pages_from_records() -> None:
    from assay.core.methods import catalogue

    page = methods_page()
    for name in catalogue():
        assert f"### {name}\n" in page
    cells = json.loads(
        re.search(r'id="calibration">(.*?)</script>', calibration_page(), re.DOTALL)[1]  # type: ignore[index]
    )
    assert sum(len(table["cells"]) for table in cells) > 500
    assert all(
        len(cell["at"]) == len(table["parameters"]) for table in cells for cell in table["cells"]
    )


def test_every_public_name_is_in_the_api_reference() -> None:
    """Those too that are names of folders: `compare`, `measures`, `plan`, `simulate`."""
    import assay

    page = api_page()
    for name in {*assay.__all__, *BEYOND} - {"__version__", "plots"}:
        assert f"\n### {name}\n" in page, name
    assert page.index("### compare\n") < page.index("### Comparison\n") < page.index("Error\n")


@needs("chromium", "chromium")
def test_a_person_finds_the_cell_of_their_design(tmp_path: Path) -> None:
    """412 items of which one model alone gets 7 % right: the cells around them, the nearest first."""
    from playwright.sync_api import sync_playwright

    found = re.search(r"```\{raw\} html\n(.*?)\n```", calibration_page(), re.DOTALL)
    assert found is not None
    (tmp_path / "finder.html").write_text(f"<meta charset=utf-8>{found[1]}", encoding="utf-8")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page()
        page.goto((tmp_path / "finder.html").as_uri())
        page.select_option(
            "#table", label="Do two models differ in accuracy on the same items? (assay.mcnemar)"
        )
        page.get_by_label("share that only one gets right").fill("0.07")
        page.get_by_label("items", exact=True).fill("412")
        rows = [row.inner_text().split("\t") for row in page.locator("#cells tr").all()]
    assert rows[0][:3] == [
        "share that only one gets right",
        "items",
        "false-positive rate at α = .05",
    ]
    assert rows[1][:2] == ["0.05", "500"]
    assert float(rows[1][2].removesuffix(" %")) < 5.5


FENCES = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)
OUTPUT = {"text", "toml", "yaml", "json", "xml", "html", "sql", "csv", "r", "sh", "bash", ""}
"""Fences that are no code of ours to run: files, other languages, what is printed."""


@pytest.mark.parametrize("path", sorted(DOCS.rglob("*.md")), ids=lambda path: path.stem)
def test_every_block_is_run_somewhere_or_marked_as_output(path: Path) -> None:
    """New pages: doctests, the gallery, or a page of commands; see tests/executed.py and test_examples."""
    kinds = {kind for kind, _ in FENCES.findall(path.read_text(encoding="utf-8"))}
    assert kinds <= OUTPUT | {"python", "console", "mermaid"}, kinds


@pytest.mark.parametrize(
    "path",
    [*TUTORIALS, *sorted((DOCS / "coming-from").glob("*.md")), DOCS / "gallery.md"],
    ids=lambda path: path.stem,
)
def test_code_is_no_wider_than_the_column_of_a_page(path: Path) -> None:
    """92 columns stand between both lists of a page of 1280 pixels; see static/assay.css."""
    blocks = [
        code for kind, code in FENCES.findall(path.read_text(encoding="utf-8")) if kind == "python"
    ]
    wide = [
        line
        for block in blocks
        for line in source_of(block).splitlines()
        if len(line) + 4 * (">>>" in block) > 92
    ]
    assert wide == []


def test_pages_are_made_ready_for_reading() -> None:
    """The blank line that ends a doctest goes, tables stand in a box; text and plain blocks stay."""
    page = "# A\n\n```python\n>>> 1 + 1\n2\n\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```text\n\nb\n\n```\n"
    assert build.for_reading(page) == (
        "# A\n\n```python\n>>> 1 + 1\n2\n```\n\n"
        ":::{container} stacked\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n:::\n\n```text\n\nb\n\n```\n"
    )
