"""What takes long is shown on a terminal with the time left, and is gone when it is done."""

import io
import os
import pty
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.cli.progress import CLEAR, line_on_terminal
from assay.core.progress import Task, in_words, running, shown, steps, task
from assay.kernels.resampling import multinomial_blocks

COMMANDS = {
    "simulating": "simulate wilcoxon --n 20,25,30,35,40,45,50,55,60,65,70 --replicates 100000",
    "checking": "selftest",
    "resampling": "compare seeds.csv --measure median_ae --truth y --resamples 400000",
    "reading": "evaluate long.csv --truth y --models a",
    "planning": "plan --measure accuracy --baseline 0.9 --difference 0.001",
    "comparing": "compare many.csv --correct",
}
LONG = 6_000_000
"""Rows that take about a second to read."""
HASTY = (  # a machine may be too quick for the patience of people
    "import assay.cli.progress as p, assay.core.progress as q; q.PATIENCE = p.INTERVAL = 0.02; "
    "import assay.__main__ as m; m.main()"
)


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def after(seconds: float, share: float | None) -> Task:
    return Task("resampling", told=share, began=time.monotonic() - seconds)


class TestShown:
    def test_share_and_time_left(self) -> None:
        assert shown(after(3.0, 0.25)) == "resampling: 25%, 9 s left"

    @pytest.mark.parametrize(("seconds", "share"), [(0.5, 0.1), (1.9, None), (3.0, 0.99)])
    def test_nothing_of_what_is_short(self, seconds: float, share: float | None) -> None:
        assert shown(after(seconds, share)) == ""

    def test_how_long_it_has_taken_where_the_end_is_unknown(self) -> None:
        assert shown(after(4.0, None)) == "resampling … 4 s"

    @pytest.mark.parametrize(("seconds", "text"), [(4, "4 s"), (300, "5 min"), (7200, "2.0 h")])
    def test_words(self, seconds: float, text: str) -> None:
        assert in_words(seconds) == text


class TestTask:
    def test_the_outermost_counts(self) -> None:
        with task("simulating") as outer:
            for _ in steps("resampling", range(3)):
                assert running() is outer
        assert running() is None

    def test_work_that_is_asked(self) -> None:
        shares = iter([None, 0.5])
        with task("reading", lambda: next(shares)) as found:
            assert found.share is None
            assert found.share == 0.5

    def test_shares(self) -> None:
        seen = []
        for _ in steps("resampling", range(4)):
            found = running()
            assert found is not None
            seen.append(found.share)
        assert seen == [None, 0.25, 0.5, 0.75]

    def test_work_that_is_given_up_is_over(self) -> None:
        blocks = multinomial_blocks([3, 4, 5], 10**7, 1)
        next(blocks)
        assert running() is not None
        del blocks
        assert running() is None

    def test_errors_end_it(self) -> None:
        with pytest.raises(KeyboardInterrupt), task("reading"):
            raise KeyboardInterrupt
        assert running() is None


class TestLine:
    def test_it_is_drawn_and_erased(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("assay.cli.progress.INTERVAL", 0.01)
        stream = Terminal()
        with line_on_terminal(stream), task("reading") as found:
            found.began -= 5.0
            for _ in range(500):  # a busy machine may take its time
                if stream.getvalue():
                    break
                time.sleep(0.01)
        assert re.match(re.escape(CLEAR) + "reading … [56] s", stream.getvalue())
        assert stream.getvalue().endswith(CLEAR)

    def test_nothing_where_nobody_looks(self) -> None:
        stream = io.StringIO()
        with line_on_terminal(stream), task("reading") as found:
            found.began -= 5.0
            time.sleep(0.3)
        assert stream.getvalue() == ""


@pytest.mark.parametrize("what", COMMANDS)
def test_at_a_terminal(what: str, tmp_path: Path) -> None:
    rows = "".join(
        f"{k * 7 % 11 + 0.25},{k * 7 % 13 + 0.5},{k * 5 % 11 + 0.75}\n" for k in range(300)
    )
    (tmp_path / "seeds.csv").write_text(f"y,a,b\n{rows}")
    if what == "comparing":
        answers = [
            "".join(f",{int(k * m % 101 < 80)}" for m in range(1, 81)) for k in range(1, 201)
        ]
        heads = "".join(f",m{m}" for m in range(80))
        (tmp_path / "many.csv").write_text(f"id{heads}\n" + "".join(
            f"{k}{line}\n" for k, line in enumerate(answers)))  # fmt: skip
    if what == "reading":
        with (tmp_path / "long.csv").open("w") as stream:
            stream.write("y,a,note\n")
            for _ in range(LONG // 10_000):
                stream.write("1,0,a note to make the line longer\n0,0,another note\n" * 5_000)
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-c", HASTY, *COMMANDS[what].split()],
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=follower, cwd=tmp_path,
    )  # fmt: skip
    os.close(follower)
    said = b""
    while b" left" not in said:
        try:
            said += os.read(leader, 4096)
        except OSError:  # it ended
            break
    process.kill()
    process.wait()
    os.close(leader)
    assert f"{what}: ".encode() in said, said
