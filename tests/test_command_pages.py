"""docs/boards.md and docs/judges.md: their commands are run, and print what the pages say.

``ASSAY_DOCS=write python -m pytest tests/test_command_pages.py`` puts the answers in anew.
"""

from pathlib import Path

import pytest

from tests.executed import Block, blocks_of, check, folder_of

DOCS = Path(__file__).parent.parent / "docs"
COMMANDS = [
    (page, block) for page in ("boards", "judges") for block in blocks_of(DOCS / f"{page}.md")
]


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    return {page: folder_of(DOCS / f"{page}.md", tmp_path_factory) for page in ("boards", "judges")}


@pytest.mark.parametrize(("page", "block"), COMMANDS, ids=lambda one: getattr(one, "command", one))
def test_the_page_shows_what_is_printed(page: str, block: Block, folders: dict[str, Path]) -> None:
    check(block, folders[page])
