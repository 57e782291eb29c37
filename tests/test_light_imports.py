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
SLOW_PARTS = {"scipy.stats", "scipy.optimize", "scipy.integrate"}
COMMANDS: dict[str, tuple[list[str], set[str], int]] = {
    "help": (["--help"], HEAVY | {"numpy", "rich", "msgspec"}, 200),
    "methods": (["methods", "mcnemar"], UNUSED | {"duckdb"}, 750),
    "test": (["test", "mcnemar", "--table", "50", "10", "4", "36"], UNUSED | {"duckdb"}, 850),
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
        760,
    ),
    "evaluate": (["evaluate", "FILE", "--truth", "truth"], UNUSED, 900),
    "compare": (["compare", "FILE", "--truth", "truth"], UNUSED, 900),
}
"""Arguments, packages that must stay away, and how many modules may be loaded: a fifth more than are."""


@pytest.mark.parametrize("command", COMMANDS)
def test_budget_of_a_command(command: str, tmp_path: Path) -> None:
    arguments, unused, most = COMMANDS[command]
    table = tmp_path / "predictions.csv"
    rows = [f"{k % 2},{k % 2 if k % 7 else 1},{k % 2 if k % 5 else 0}" for k in range(200)]
    table.write_text("\n".join(["truth,a,b", *rows]))
    given = [str(table) if one == "FILE" else one for one in arguments]
    code = (
        "from assay.cli.main import main\n"
        "import contextlib, io, json, sys\n"
        "with contextlib.redirect_stdout(io.StringIO()), contextlib.suppress(SystemExit):\n"
        f"    main({given!r})\n"
        "print(json.dumps(sorted(sys.modules)))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = json.loads(run.stdout.splitlines()[-1])
    assert not {name.split(".")[0] for name in loaded} & unused
    assert not set(loaded) & SLOW_PARTS
    assert len(loaded) <= most
