"""What counts as a line of code, and how long files and functions may be."""

import ast
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SCRIPT = ROOT / "tools" / "code_lines.py"
LONGEST_FILE, LONGEST_BODY = 500, 40
"""Lines that neither reaches, but for the exceptions."""
LONG_FILES = {
    "evidence/rows_sql.py": 530,  # one engine: everything that rows are asked, in SQL
    "evidence/readers/value_layout.py": 520,  # one table of what columns of values may be
}
LONG_BODIES = {
    "compare/comparison_result.py:comparison_of": 53,  # one result with 25 fields, each in a line
    "evidence/readers/item_layout.py:_predictions": 43,  # the order in which columns are asked what they are
    "evidence/readers/recognition.py:_lay_out_by_model": 42,  # the same of tables with a column of models
    "evidence/readers/score_layout.py:lay_out_scores": 43,  # the same of tables of scores
}
"""How long the exceptions may be: these numbers only fall."""

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


def test_files_are_short() -> None:
    lengths = {
        path.relative_to(ROOT / "src" / "assay").as_posix(): path.read_text("utf-8").count("\n")
        for path in sorted((ROOT / "src").rglob("*.py"))
    }
    long = {name: n for name, n in lengths.items() if n >= LONG_FILES.get(name, LONGEST_FILE)}
    assert not long, f"cut these files in two by what they are about: {long}"
    assert all(lengths[name] >= LONGEST_FILE for name in LONG_FILES), (
        "take what is short off the list"
    )


def test_bodies_of_functions_are_short() -> None:
    """Counted from the first statement behind the docstring to the last."""
    lengths = {
        f"{path.relative_to(ROOT / 'src' / 'assay').as_posix()}:{node.name}": _body(node)
        for path in sorted((ROOT / "src").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    long = {name: n for name, n in lengths.items() if n > LONG_BODIES.get(name, LONGEST_BODY)}
    assert not long, f"give parts of these functions a name of their own: {long}"


def _body(node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    first, last = node.body[0], node.body[-1]
    if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and first is not last:
        first = node.body[1]
    return (last.end_lineno or last.lineno) - first.lineno + 1
