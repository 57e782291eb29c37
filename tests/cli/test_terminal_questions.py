"""Open questions at a terminal and without one."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.cli.terminal_questions import answered, explained, may_ask
from assay.core.questions import AmbiguousEvidence, Answer, Question
from assay.evidence.open_questions import which_direction
from tests.evidence.forms import write_csv
from tests.support import PATIENCE

RIGHT = {"question_id": range(40), "opus": [1] * 36 + [0] * 4, "llama": [0, 1] * 20}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return write_csv(tmp_path / "right.csv", RIGHT)


def at_terminal(typed: bytes, *words: str, **environment: str) -> tuple[int, str]:
    """Run a command at a pseudo-terminal, type an answer when asked, and read what it said."""
    ours, theirs = pty.openpty()
    clean = {name: value for name, value in os.environ.items() if name != "CI"}
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**clean, "COLUMNS": "200", **environment},
        close_fds=True,
    )
    os.close(theirs)
    said, sent, ends = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < ends:
        ready, _, _ = select.select([ours], [], [], 0.2)
        if ready:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # the other end is closed
                break
            if not piece:
                break
            said += piece
            if not sent and b"which" in said.splitlines()[-1]:
                os.write(ours, typed)
                sent = True
        elif process.poll() is not None:
            break
    process.wait(timeout=PATIENCE)
    os.close(ours)
    return process.returncode, said.decode()


class TestAtATerminal:
    def test_an_answer_leads_on_and_is_told_for_next_time(self, path: Path) -> None:
        code, said = at_terminal(b"1\n", "compare", str(path))
        assert code == 0, said
        assert "1  1 is a right answer  (--correct)" in said
        assert f"next time: assay compare {path} --correct" in said
        assert "better" in said

    def test_ci_may_be_said_to_be_off(self, path: Path) -> None:
        code, said = at_terminal(b"1\n", "compare", str(path), CI="false")
        assert code == 0, said
        assert "next time" in said

    @pytest.mark.parametrize("quiet", ["--no-input", "CI"])
    def test_nobody_is_asked_who_does_not_want_to_be(self, path: Path, quiet: str) -> None:
        words = ["compare", str(path), *(["--no-input"] if quiet == "--no-input" else [])]
        environment = {"CI": "true"} if quiet == "CI" else {}
        code, said = at_terminal(b"", *words, **environment)
        assert code == 2
        assert "add --correct" in said
        assert "next time" not in said


class TestWithoutATerminal:
    def test_the_options_are_listed(self, path: Path) -> None:
        done = subprocess.run(
            [sys.executable, "-m", "assay", "compare", str(path)],
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE,
        )
        assert done.returncode == 2
        assert done.stdout == ""
        assert "one question is open. Answer it with an option" in done.stderr
        assert "add --correct" in done.stderr
        assert "add --losses" in done.stderr

    def test_may_ask(self, monkeypatch: pytest.MonkeyPatch) -> None:
        class Terminal:
            def isatty(self) -> bool:
                return True

        monkeypatch.delenv("CI", raising=False)
        monkeypatch.setattr(sys, "stdin", Terminal())
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert may_ask(["compare"])
        assert not may_ask(["compare", "--no-input"])
        monkeypatch.setenv("CI", "1")
        assert not may_ask(["compare"])


class TestAnswers:
    MODELS = Answer(text="these", option="--models A,B", arguments={})
    QUESTION = Question(code="models", text="Which columns?", answers=(MODELS,))

    def test_what_an_option_leaves_open_is_asked_for(self, monkeypatch: pytest.MonkeyPatch) -> None:
        typed = iter([1, "x y,z"])
        monkeypatch.setattr("click.prompt", lambda *words, **options: next(typed))
        found = answered(AmbiguousEvidence([self.QUESTION]), ["compare", "f.csv"])
        assert found == ["compare", "f.csv", "--models", "x y,z"]

    def test_both_directions_can_be_chosen(self) -> None:
        options = [answer.option for answer in which_direction("score").answers]
        assert options[:2] == ["--higher-is-better", "--lower-is-better"]

    def test_control_characters_of_a_file_do_not_reach_the_terminal(self) -> None:
        evil = Question(code="x", text="Which \x1b[2Jcolumn?", answers=())
        assert "\x1b" not in explained(AmbiguousEvidence([evil]))
