"""The gallery shows every figure, and its pictures are small and there."""

import re
import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from matplotlib.axes import Axes

from assay import plots
from tests.plots.figures import draw, outside

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = (DOCS / "plots.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"!\[[^\]]+\]\((?:\.\./)*pictures/(\w+)\.png\)", PAGE)
MADE: dict[str, Callable[[], Any]] = runpy.run_path(str(DOCS / "pictures.py"), run_name="pictures")[
    "PICTURES"
]
SLOW = ("pairwise_matrix_40", "rank_ladder_200", "simulation")


NOT_DRAWN = ("all_figures", "cliques", "compact_letters", "main_figure", "paper", "save")


def test_every_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The blocks of the page are one program; in it every figure is drawn from a result and from plain numbers."""
    given: dict[str, set[bool]] = {name: set() for name in plots.__all__ if name not in NOT_DRAWN}

    def watched(name: str, draws: Callable[..., Any]) -> Callable[..., Any]:
        def drawn(first: Any, *rest: Any, **options: Any) -> Any:
            axes = draws(first, *rest, **options)
            assert isinstance(axes, Axes), name
            one = first[0] if isinstance(first, list | tuple) else first
            given[name].add(type(one).__module__.startswith("assay."))
            return axes

        return drawn

    for name in given:
        monkeypatch.setattr(plots, name, watched(name, getattr(plots, name)))
    monkeypatch.chdir(tmp_path)
    program = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL))
    exec(compile(program, "plots.md", "exec"), {})  # noqa: S102
    assert all(both == {True, False} for both in given.values()), given
    assert {"ranks.pdf", "column.svg", "ranks.png"} <= {one.name for one in tmp_path.iterdir()}


@pytest.mark.parametrize("width", [85, 170])
@pytest.mark.parametrize("name", [one for one in MADE if one not in SLOW])
def test_nothing_is_cut_off_on_the_paper_of_a_journal(name: str, width: int) -> None:
    with plots.paper(width):
        axes = MADE[name]()
    draw(axes)
    assert outside(axes) == []


def test_every_figure_has_its_place() -> None:
    for name in plots.__all__:
        assert f"`{name}`" in PAGE or f"{name}(" in PAGE, name


def test_the_page_shows_what_the_script_makes() -> None:
    assert sorted(SHOWN) == sorted(MADE)


@pytest.mark.parametrize("name", SHOWN)
def test_pictures_are_there_and_small(name: str) -> None:
    size = (DOCS / "pictures" / f"{name}.png").stat().st_size
    assert 1_000 < size < 60_000


def test_no_picture_is_left_behind() -> None:
    read = [DOCS.parent / "README.md", *DOCS.rglob("*.md")]
    pages = "".join(page.read_text(encoding="utf-8") for page in read)
    shown = set(re.findall(r"\]\((?:docs/|(?:\.\./)*)pictures/(\w+)\.png\)", pages))
    assert {path.stem for path in (DOCS / "pictures").iterdir()} == shown
