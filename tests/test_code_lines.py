"""What counts as a line of code."""

import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[1] / "tools" / "code_lines.py"

MODULE = '''"""A docstring
of two lines."""

import math
from os import (
    path,
)

SIZE = 3
"""What it is."""


@staticmethod
def area(
    radius: float,
) -> float:
    """A circle."""
    # why
    text = """two
lines"""
    return (
        math.pi * radius**2
    )


class Empty: ...
'''


def counted(*arguments: object) -> list[str]:
    words = [sys.executable, str(SCRIPT), *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout.splitlines()


def test_blank_lines_comments_docstrings_signatures_and_imports_are_left_out(
    tmp_path: Path,
) -> None:
    (tmp_path / "module.py").write_text(MODULE)
    # the constant, two lines of text, three of the answer, and the body of the class
    assert counted(tmp_path)[-1].split() == ["7", "in", "1", "files"]


def test_a_line_per_file_and_the_total(tmp_path: Path) -> None:
    for name, lines in (("a", 1), ("b", 2)):
        (tmp_path / f"{name}.py").write_text("x = 1\n" * lines)
    found = [line.split()[0] for line in counted(tmp_path)]
    assert found == ["1", "2", "3"]
    assert [line.split()[0] for line in counted("--total", tmp_path)] == ["3"]
