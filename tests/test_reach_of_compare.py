"""How much code answers one comparison: counted, so that it does not grow unseen.

In a process that has compared other data by another measure before, `assay compare` of two models runs so many of
our functions in so many files. Each is one that a reader has to follow.
"""

import json
import subprocess
import sys

import pytest

GOAL = (280, 40)
"""Functions and files that are aimed at (issue 15)."""
MOST = {"evidence": (168, 27), "elsewhere": (213, 40)}
"""What is reached today, reading the evidence and all that follows: may only become less."""

COUNT = """
import collections, json, sys
from click.testing import CliRunner
from assay.cli.main import cli

other, table = sys.argv[1:]
CliRunner().invoke(cli, ["compare", other, "--truth", "y", "--measure", "mae"], catch_exceptions=False)
seen = set()

def count(frame, event, argument):
    code = frame.f_code
    if event == "call" and "/assay/" in code.co_filename and not code.co_name.startswith("<"):
        seen.add((code.co_filename.rpartition("/assay/")[2], code.co_qualname))

sys.setprofile(count)
done = CliRunner().invoke(cli, ["compare", table, "--truth", "y"], catch_exceptions=False)
sys.setprofile(None)
print(json.dumps({"said": done.output, "seen": sorted(seen)}))
"""


@pytest.fixture(scope="module")
def reached(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[str, str]]]:
    """The functions that ran, by part of the package."""
    folder = tmp_path_factory.mktemp("reach")
    other, table = folder / "numbers.csv", folder / "labels.csv"
    numbers = [f"{k % 13}.5,{k % 11}.25,{k % 7}.75" for k in range(100)]
    labels = [f"{k % 2},{k % 2 if k % 7 else 1},{k % 2 if k % 5 else 0}" for k in range(200)]
    other.write_text("\n".join(["y,m1,m2", *numbers]))
    table.write_text("\n".join(["y,m1,m2", *labels]))
    run = subprocess.run(
        [sys.executable, "-c", COUNT, str(other), str(table)],
        capture_output=True,
        text=True,
        check=True,
    )
    found = json.loads(run.stdout.splitlines()[-1])
    assert "McNemar" in found["said"]
    parts: dict[str, list[tuple[str, str]]] = {name: [] for name in MOST}
    for file, function in found["seen"]:
        parts["evidence" if file.startswith("evidence/") else "elsewhere"].append((file, function))
    return parts


@pytest.mark.parametrize("part", MOST)
def test_a_comparison_reaches_no_more_than_before(
    part: str, reached: dict[str, list[tuple[str, str]]]
) -> None:
    functions, files = len(reached[part]), len({file for file, _ in reached[part]})
    most = MOST[part]
    assert functions <= most[0], (
        f"{functions} functions of {part} run, {most[0]} did (the goal is {GOAL[0]} in all): compute what the brief "
        "answer does not show when it is asked for (core/memo.py, `later`), and call no helper that only forwards"
    )
    assert files <= most[1], f"{files} files of {part} are reached, {most[1]} were (goal {GOAL[1]})"


def test_what_nobody_asked_for_does_not_run(reached: dict[str, list[tuple[str, str]]]) -> None:
    beside = ("hypotheses/bayes", "hypotheses/posteriors", "hypotheses/independent_outcomes")
    idle = [file for file, _ in reached["elsewhere"] if file.startswith(beside)]
    assert not idle, f"worked out although the brief answer does not show it: {sorted(set(idle))}"
