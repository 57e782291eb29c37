"""docs/simulate.md: its commands are run, its pictures are there, every world is on it.

``ASSAY_DOCS=write python -m pytest tests/calibration/test_page.py`` puts the answers in anew.
"""

import re
from dataclasses import fields
from pathlib import Path

import pytest

from assay.simulate.estimator_errors import ESTIMATORS
from assay.simulate.lecture_figures import FIGURES
from assay.simulate.worlds import KINDS, SHORTHANDS
from tests.executed import Block, blocks_of, check, folder_of

DOCS = Path(__file__).parent.parent.parent / "docs"
PAGE = DOCS / "simulate.md"
TEXT = PAGE.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(PAGE, tmp_path_factory)


@pytest.mark.parametrize("block", blocks_of(PAGE), ids=lambda block: block.command[:60])
def test_the_page_says_what_the_command_prints(block: Block, folder: Path) -> None:
    check(block, folder)


def test_pictures_are_there_and_small() -> None:
    shown = set(re.findall(r"\]\(simulate/([\w-]+)\.png\)", TEXT))
    assert shown == {path.stem for path in (DOCS / "simulate").iterdir()}
    assert shown == {*FIGURES, "coverage", "mse"}
    for path in (DOCS / "simulate").iterdir():
        assert 1_000 < path.stat().st_size < 80_000, path


@pytest.mark.parametrize("name", [*KINDS, *SHORTHANDS])
def test_every_world_is_explained(name: str) -> None:
    assert f"`{name}`" in TEXT


@pytest.mark.parametrize("name", KINDS)
def test_every_parameter_is_explained(name: str) -> None:
    (row,) = [line for line in TEXT.splitlines() if line.startswith(f"| `{name}`")]
    for field in fields(KINDS[name]):
        assert field.name == "effect" or f"`{field.name}`" in row, field.name


@pytest.mark.parametrize("name", [*FIGURES, *ESTIMATORS])
def test_every_figure_and_estimator_is_named(name: str) -> None:
    assert f"`{name}`" in TEXT
