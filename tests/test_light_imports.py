"""What a command does not need it does not import."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

HEAVY = {"scipy", "sklearn", "matplotlib", "pandas", "polars", "pyarrow", "duckdb", "narwhals"}
SHOW = "import json, sys; print(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"


def loaded_after(code: str) -> set[str]:
    run = subprocess.run(
        [sys.executable, "-c", f"{code}\n{SHOW}"], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_importing_assay_loads_no_heavy_package() -> None:
    assert not loaded_after("import assay") & (
        HEAVY | {"numpy", "rich", "click", "jinja2", "msgspec"}
    )


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
    assert not loaded_after(code) & (HEAVY | {"numpy"})


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
    assert not {name.split(".")[0] for name in loaded} & unused
    assert not loaded & SLOW_PARTS
    assert len(loaded) <= most


@pytest.mark.parametrize("design", DESIGNS)
def test_a_comparison_loads_what_its_design_uses(design: str, tmp_path: Path) -> None:
    text, families = DESIGNS[design]
    table = tmp_path / "evidence.csv"
    table.write_text(text)
    loaded = loaded_by(["compare", str(table)])
    assert not {name.split(".")[0] for name in loaded} & UNUSED
    assert not loaded & SLOW_PARTS
    ours = {name.removeprefix("assay.") for name in loaded if name.startswith("assay.")}
    assert {name for name in ours if name.split(".")[0] in NEVER or name in NEVER} == set()
    asked = {name.removeprefix("hypotheses.") for name in ours if name.startswith("hypotheses.")}
    assert asked == families


def loaded_by(given: list[str]) -> set[str]:
    """The modules that a command has loaded when it is done."""
    code = (
        "from assay.cli.main import main\n"
        "import contextlib, io, json, sys\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({given!r})\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout.splitlines()[-1]))
