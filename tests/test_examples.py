"""Examples in docstrings, in the README and in tutorials are run, not only read."""

import doctest
import importlib
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import PATIENCE

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "assay"
WITH_EXAMPLES = sorted(p for p in PACKAGE.rglob("*.py") if ">>> " in p.read_text())
TUTORIALS = sorted((ROOT / "docs" / "tutorials").glob("*.md"))


@pytest.mark.parametrize("path", WITH_EXAMPLES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_docstrings(path: Path) -> None:
    name = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
    failures, tried = doctest.testmod(importlib.import_module(name))
    assert tried > 0
    assert failures == 0


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda p: p.name)
def test_tutorials(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    failures, tried = doctest.testfile(
        str(path),
        module_relative=False,
        optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS,
    )
    assert tried > 0
    assert failures == 0


README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_python_of_the_readme_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """On the file that everybody has after cloning."""
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", README, flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102


@pytest.mark.parametrize("block", re.findall(r"```console\n(.*?)```", README, flags=re.DOTALL))
def test_the_readme_shows_what_is_printed(block: str) -> None:
    """A terminal of 80 columns prints, letter by letter, what the README shows."""
    command, shown = block.removeprefix("$ ").split("\n", 1)
    typed = [sys.executable, "-m", "assay", *shlex.split(command)[1:]]
    ran = subprocess.run(
        typed, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert ran.stdout.rstrip() == shown.rstrip()
