"""What is not installed is named with the extra that brings it; everything else goes on."""

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from assay.core.extras import EXTRAS
from tests.support import PATIENCE

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
BLOCKED = """
import sys
for name in {names!r}:
    sys.modules[name] = None
from assay.cli.main import main
main({words!r})
"""
EVERYTHING = sorted({name for _, names in EXTRAS.values() for name in names})


def run(words: list[str], *, without: list[str], cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BLOCKED.format(names=without, words=words)],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


PREDICTIONS = str(ROOT / "examples" / "predictions.csv")


@pytest.mark.parametrize(
    ("words", "extra"),
    [
        (["compare", PREDICTIONS, "--figure", "f.png"], "figures"),
        (["evaluate", PREDICTIONS, "--output", "f.svg"], "figures"),
        (["compare", PREDICTIONS, "--figures", "all"], "figures"),
        (["demo"], "study"),
        (["run", "study.toml", "--store", "s.db"], "study"),
        (["report", "s.db"], "study"),
        (["serve", "--no-browser"], "page"),
    ],
)
def test_the_extra_is_named(words: list[str], extra: str, tmp_path: Path) -> None:
    (tmp_path / "study.toml").write_text('name = "s"\n')
    (tmp_path / "s.db").write_bytes(b"")
    done = run(words, without=EVERYTHING, cwd=tmp_path)
    assert done.returncode == 2
    assert f"pip install 'assay[{extra}]'" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ["look", PREDICTIONS],
        ["evaluate", PREDICTIONS],
        ["compare", PREDICTIONS, "--details"],
        ["gate", PREDICTIONS, "--baseline", "tree", "--candidate", "logistic", "--margin", "0.2"],
        ["plan", "--measure", "accuracy", "--baseline", "0.8", "--difference", "0.05", "--power", "0.8"],
        ["board", PREDICTIONS],
        ["test", "mcnemar", "--table", "50", "10", "4", "36"],
    ],
)  # fmt: skip
def test_the_core_goes_on(words: list[str], tmp_path: Path) -> None:
    done = run(words, without=EVERYTHING, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_a_report_without_figures_says_so(tmp_path: Path) -> None:
    done = run(["compare", PREDICTIONS, "--output", "r.html"], without=EVERYTHING, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "pip install 'assay[figures]'" in page
    assert "<svg" not in page


def test_in_python_the_message_is_the_same() -> None:
    code = (
        "import sys; sys.modules['matplotlib'] = None\nimport assay\n"
        "try: assay.plots.forest([])\nexcept ImportError as error: print(error)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    )
    assert "figures need matplotlib" in done.stdout
    assert "pip install 'assay[figures]'" in done.stdout


def test_the_table_is_that_of_the_packages() -> None:
    """Every package that is looked for comes with its extra, and with `all`, and is not in the core."""
    installed_as = {"sklearn": "scikit-learn", "python_multipart": "python-multipart"}
    extras = PROJECT["optional-dependencies"]

    def brought(extra: str) -> set[str]:
        names = set()
        for one in extras[extra]:
            inner = re.fullmatch(r"assay\[([\w,]+)\]", one)
            if inner:
                names |= set().union(*map(brought, inner[1].split(",")))
            else:
                names.add(re.split(r"[><=;\[ ]", one)[0])
        return names

    core = {re.split(r"[><=;\[ ]", one)[0] for one in PROJECT["dependencies"]}
    for extra, (_, names) in EXTRAS.items():
        wanted = {installed_as.get(name, name) for name in names}
        assert wanted <= brought(extra)
        assert wanted <= brought("all")
        assert not wanted & core
