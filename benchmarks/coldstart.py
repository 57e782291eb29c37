"""What a command imports before it does anything: seconds and modules, by ``-X importtime``."""

import os
import subprocess
import sys

COMMANDS = {
    "python -c pass": "pass",
    "import assay": "import assay",
    "assay --help": "--help",
    "assay compare --help": "compare --help",
    "assay methods": "methods mcnemar",
    "assay test mcnemar": "test mcnemar --table 50 10 4 36",
    "assay plan": "plan --measure accuracy --baseline 0.80 --difference 0.02 --power 0.8",
}
HEAVY = ("numpy", "scipy", "sklearn", "matplotlib", "pandas", "duckdb", "sqlalchemy", "jinja2")


def rows(repeats: int = 3) -> list[tuple[str, float, int, str]]:
    """Command, seconds of imports (the best of several starts), modules, heavy packages loaded."""
    return [(name, *_measured(code, repeats)) for name, code in COMMANDS.items()]


def _measured(code: str, repeats: int) -> tuple[float, int, str]:
    arguments = ["-c", code]
    if not code.startswith(("import", "pass")):
        arguments = ["-c", f"from assay.cli.main import main\nmain({code.split()!r})"]
    best, modules, heavy = float("inf"), 0, ""
    for _ in range(repeats):
        done = subprocess.run(
            [sys.executable, "-X", "importtime", *arguments],
            capture_output=True, text=True, check=False, env={**os.environ, "OMP_NUM_THREADS": "1"},
        )  # fmt: skip
        lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
        own = [line.split("|") for line in lines[1:]]
        seconds = sum(int(parts[0].split(":")[1]) for parts in own) / 1e6
        if seconds < best:
            names = {parts[2].strip() for parts in own}
            best, modules = seconds, len(names)
            heavy = ", ".join(one for one in HEAVY if one in names) or "none"
    return best, modules, heavy
