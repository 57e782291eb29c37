"""docs/questions.md: the questions people ask, each answered by one command that is run here.

``ASSAY_DOCS=write python -m pytest tests/test_questions.py`` puts the answers in anew.
"""

import re
from pathlib import Path

import pytest

from tests.executed import CODE, Block, blocks_of, check, folder_of, printed

PAGE = Path(__file__).parent.parent / "docs" / "questions.md"
NUMBERS = [*range(1, 26)]


_ROW = re.compile(r"^\| \[[^\]]+\]\(https://[^)]+\) \| `(assay [^`]+)` \|$", re.MULTILINE)
ASKED = _ROW.findall(PAGE.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return folder_of(PAGE, tmp_path_factory)


@pytest.mark.parametrize("block", blocks_of(PAGE), ids=lambda block: block.command[:60])
def test_the_page_says_what_the_command_prints(block: Block, folder: Path) -> None:
    check(block, folder)


def test_every_question_has_an_answer_that_is_run() -> None:
    sections = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    answered = {int(one.split(".")[0]): one for one in sections if one[0].isdecimal()}
    assert list(answered) == NUMBERS
    for number, section in answered.items():
        assert "```console\n$ assay " in section, number


def test_most_threads_have_their_command() -> None:
    """Of the 38 questions that were collected, all but the four that the page names."""
    assert len(set(ASKED)) == 38 - 4


@pytest.mark.parametrize("command", ASKED)
def test_every_command_of_a_thread_answers(command: str, folder: Path) -> None:
    said = printed(command + CODE, folder)
    answer, _, code = said.rpartition("exit code ")
    assert int(code) in (0, 1, 3)
    assert answer.strip() or "--output" in command
