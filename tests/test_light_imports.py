"""What a command does not need it does not import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"scipy", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "duckdb", "narwhals"}
SPY = """
import json, sys
class Spy:
    by = {}
    def find_spec(self, name, path=None, target=None):
        frame = sys._getframe(1)
        while frame and "/assay/" not in frame.f_code.co_filename:
            frame = frame.f_back
        if frame:
            place = frame.f_code.co_filename.rpartition("/assay/")[2]
            self.by.setdefault(name, f"assay/{place}:{frame.f_lineno}")
sys.meta_path.insert(0, Spy())
"""
"""Remembers the line of ours that brought a module in."""
SHOW = "print(json.dumps({name: Spy.by.get(name, '') for name in sorted(sys.modules)}))"

Loaded = dict[str, str]
"""Modules by the line of assay that brought them in."""


def loaded_after(code: str) -> Loaded:
    run = subprocess.run(
        [sys.executable, "-c", f"{SPY}\n{code}\n{SHOW}"], capture_output=True, text=True, check=True
    )
    return dict(json.loads(run.stdout.splitlines()[-1]))


def refuse(loaded: Loaded, unwanted: set[str]) -> None:
    """Fail with every unwanted module, the line that brought it in, and what to do there."""
    by: dict[str, str] = {}
    for name, line in loaded.items():
        for head in {name, name.split(".")[0]} & unwanted:
            by[head] = by.get(head) or line
    told = "; ".join(
        f"{name} was brought in by {line or 'none of our lines'}" for name, line in by.items()
    )
    assert not by, f"{told}. Import it inside the function that needs it (decision 0111)"


def test_a_planted_import_is_named_with_its_line(tmp_path: Path) -> None:
    place = tmp_path / "assay" / "planted.py"
    place.parent.mkdir()
    place.write_text("\nimport colorsys\n")
    loaded = loaded_after(f"sys.path.insert(0, {str(place.parent)!r})\nimport planted")
    with pytest.raises(
        AssertionError, match=r"colorsys was brought in by assay/planted.py:2\. Import"
    ):
        refuse(loaded, {"colorsys"})


def test_importing_assay_loads_no_heavy_package() -> None:
    refuse(loaded_after("import assay"), HEAVY | {"numpy", "rich", "click", "jinja2", "msgspec"})


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["--version"],
        ["compare", "--help"],
        ["evaluate", "--help"],
        ["plan", "--help"],
        ["simulate", "--help"],
    ],
)
def test_help_is_light(arguments: list[str]) -> None:
    code = (
        "from assay.cli.main import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({arguments!r})"
    )
    refuse(loaded_after(code), HEAVY | {"numpy"})


UNUSED = HEAVY - {"scipy", "duckdb"} | {"sqlalchemy", "starlette", "jinja2", "statsmodels"}
SLOW_PARTS = {
    "scipy.stats", "scipy.optimize", "scipy.integrate", "scipy._lib._array_api", "numpy.testing", "numpy.f2py",
}  # fmt: skip
"""Parts of SciPy, and what `scipy.special` loads where its package is run (decision 0111)."""
COMMANDS: dict[str, tuple[list[str], set[str], int]] = {
    "help": (["--help"], HEAVY | {"numpy", "rich", "msgspec"}, 200),
    "methods": (["methods", "mcnemar"], UNUSED | {"duckdb"}, 620),
    "test": (["test", "mcnemar", "--table", "50", "10", "4", "36"], UNUSED | {"duckdb"}, 620),
    "plan": (
        [
            "plan",
            "--measure",
            "accuracy",
            "--baseline",
            "0.80",
            "--difference",
            "0.02",
            "--power",
            "0.8",
        ],
        UNUSED | {"duckdb"},
        620,
    ),
    "evaluate": (["evaluate", "FILE", "--truth", "truth"], UNUSED, 620),
    "compare": (["compare", "FILE", "--truth", "truth"], UNUSED, 620),
}
"""Arguments, packages that must stay away, and how many modules may be loaded: a fifth more than are."""

DESIGNS: dict[str, tuple[str, set[str]]] = {
    "two models on items": (
        "truth,a,b\n" + "".join(f"{k % 2},{(k + (k % 7 == 0)) % 2},{(k + (k % 5 == 0)) % 2}\n" for k in range(200)),
        {"paired_outcomes", "least_p"},
    ),
    "two models over data sets": (
        "dataset,a,b\n" + "".join(f"d{k},0.{800 + 7 * k},0.{790 + 6 * k + k % 3}\n" for k in range(12)),
        {"paired_scores", "signed_ranks", "least_p"},
    ),
}  # fmt: skip
"""Evidence, and the families of hypotheses that its comparison asks; no other may be loaded."""
NEVER = {
    "cli.serve",
    "plots.style",
    "report.tables",
    "report.html",
    "selftest",
    "simulate",
    "store",
    "study",
    "web",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_budget_of_a_command(command: str, tmp_path: Path) -> None:
    arguments, unused, most = COMMANDS[command]
    table = tmp_path / "predictions.csv"
    rows = [f"{k % 2},{k % 2 if k % 7 else 1},{k % 2 if k % 5 else 0}" for k in range(200)]
    table.write_text("\n".join(["truth,a,b", *rows]))
    loaded = loaded_by([str(table) if one == "FILE" else one for one in arguments])
    refuse(loaded, unused | SLOW_PARTS)
    assert len(loaded) <= most, (
        f"{len(loaded)} modules, {most} allowed: import less at the top of a file, or raise the number in COMMANDS"
    )


@pytest.mark.parametrize("design", DESIGNS)
def test_a_comparison_loads_what_its_design_uses(design: str, tmp_path: Path) -> None:
    text, families = DESIGNS[design]
    table = tmp_path / "evidence.csv"
    table.write_text(text)
    loaded = loaded_by(["compare", str(table)])
    refuse(loaded, UNUSED | SLOW_PARTS)
    ours = {
        name.removeprefix("assay."): line
        for name, line in loaded.items()
        if name.startswith("assay.")
    }
    refuse(ours, NEVER)
    asked = {name.removeprefix("hypotheses.") for name in ours if name.startswith("hypotheses.")}
    refuse(ours, {f"hypotheses.{name}" for name in asked - families})
    unasked = families - asked
    assert not unasked, f"{design} no longer loads {unasked}: take them out of DESIGNS"


def loaded_by(given: list[str]) -> Loaded:
    """The modules that a command has loaded when it is done."""
    return loaded_after(
        "from assay.cli.main import main\n"
        "import contextlib, io\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({given!r})"
    )
