"""Examples in docstrings, in the README and in tutorials are run, not only read."""

import doctest
import importlib
import re
from pathlib import Path

import numpy as np
import pytest

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


def test_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every Python block of the README, on a file of the shape it speaks of."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 200)
    rows = zip(
        truth,
        np.where(rng.random(200) < 0.1, 1 - truth, truth),
        rng.permutation(truth),
        strict=True,
    )
    Path("predictions.csv").write_text("y,a,b\n" + "\n".join(f"{y},{a},{b}" for y, a, b in rows))
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), flags=re.DOTALL)
    assert blocks
    for block in blocks:
        exec(compile(block, "README.md", "exec"), {})  # noqa: S102
