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

from tests.executed import prepare
from tests.support import PATIENCE
from tests.typed import typed

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "src" / "assay"
WITH_EXAMPLES = sorted(p for p in PACKAGE.rglob("*.py") if ">>> " in p.read_text())
TUTORIALS = sorted(
    [
        ROOT / "docs" / "displays.md",
        *(p for name in ("tutorials", "coming-from") for p in (ROOT / "docs" / name).glob("*.md")),
    ]
)


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
    words = [sys.executable, "-m", "assay", *shlex.split(command)[1:]]
    ran = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, check=True, timeout=PATIENCE,
        env={**os.environ, "COLUMNS": "80"},
    )  # fmt: skip
    assert ran.stdout.rstrip() == shown.rstrip()


@pytest.mark.parametrize(
    "shown", re.findall(r"^    (assay .*?)(?:  +#.*)?$", README, flags=re.MULTILINE)
)
def test_the_first_command_is_look_and_runs(shown: str) -> None:
    """On the file that everybody has after cloning, right below the line that installs."""
    assert README.index(shown) < README.index("$ assay")
    assert shown.startswith("assay look ")
    done = subprocess.run(
        [sys.executable, "-m", *shlex.split(shown)], cwd=ROOT, capture_output=True, text=True,
        check=True, timeout=PATIENCE,
    )  # fmt: skip
    assert "what can be asked" in done.stdout


_TYPED = re.findall(r"`(assay [^`]+)`", README)
STUDY = """
name = "trees"
measures = ["accuracy"]
datasets = ["iris"]
resampling = { scheme = "cv", folds = 3 }
[learners.tree]
estimator = "sklearn.tree.DecisionTreeClassifier"
[learners.bayes]
estimator = "sklearn.naive_bayes.GaussianNB"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the files that the README's table of questions speaks of."""
    place = tmp_path_factory.mktemp("readme")
    prepare(ROOT / "docs" / "questions.md", place)  # predictions.csv, old.csv, new.csv, logs
    (place / "run_a").symlink_to(place / "tuned")
    (place / "run_b").symlink_to(place / "base")
    (place / "model.csv").write_text((place / "new.csv").read_text())
    (place / "scores.csv").write_text((place / "datasets.csv").read_text())
    answers = "".join(f"q{k},{int(k % 7 > 0)},{int(k % 4 > 0)}\n" for k in range(120))
    (place / "results.csv").write_text(f"question,alpha,beta\n{answers}")
    grades = "".join(
        f"{k},{model},{int(k % every > 0)},{int(k % every > 1) if k < 80 else ''}\n"
        for model, every in (("old", 3), ("new", 7))
        for k in range(300)
    )
    (place / "grades.csv").write_text(f"item,model,gpt,human\n{grades}")
    (place / "study.toml").write_text(STUDY)
    return place


@pytest.mark.parametrize("command", dict.fromkeys(_TYPED))
def test_every_command_of_the_readme_runs(command: str, folder: Path) -> None:
    # one runs until it is stopped, tests/cli/test_serve.py; the other long, tests/cli/test_commands.py
    if command in ("assay serve", "assay demo"):
        command += " --help"
    if command == "assay report study.db" and not (folder / "study.db").exists():
        test_every_command_of_the_readme_runs("assay run study.toml --store study.db", folder)
    asked = "1\n1\n1\n" + "\n" * 9  # by the guide to methods
    done = typed(*shlex.split(command)[1:], cwd=folder, answers=asked)
    gate = command.startswith("assay gate")
    assert done.returncode in ((0, 1, 3) if gate else (0,)), done.stderr
    assert done.stdout


def test_the_readme_fits_one_screen() -> None:
    """What it is, how to install it, one command, its output and Python: before the first table."""
    first, _, rest = README.partition("\n## Questions and commands\n")
    assert len(first.splitlines()) <= 45
    assert len(README.splitlines()) <= 80
    assert rest
