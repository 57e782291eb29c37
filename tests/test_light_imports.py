"""What a command does not need it does not import."""

import json
import subprocess
import sys

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
