"""docs/judges.md: its commands are run, and print what the page says.

``ASSAY_DOCS=write python -m pytest tests/test_judges_page.py`` puts the answers in anew.
"""

import os
from pathlib import Path

import pytest

from tests.executed import Block, blocks_of, prepare, printed, rewrite

PAGE = Path(__file__).parent.parent / "docs" / "judges.md"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("judges")
    prepare(PAGE, place)
    if os.environ.get("ASSAY_DOCS") == "write":
        rewrite(PAGE, place)
    return place


@pytest.mark.parametrize("block", blocks_of(PAGE), ids=lambda block: block.command)
def test_the_page_shows_what_is_printed(block: Block, folder: Path) -> None:
    if os.environ.get("ASSAY_DOCS") == "write":
        return
    assert printed(block.command, folder) == block.output
