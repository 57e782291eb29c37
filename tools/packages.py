"""`make packages`: the wheel and the source distribution, each installed alone and tried.

For every Python from 3.11 on that this machine has: a bare environment, `assay selftest`, and the first
commands of the README on a file of the user's. Says what it tried; ends with 1 if anything failed.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
TRIED = (
    ("selftest",),
    ("look", "predictions.csv"),
    ("compare", "predictions.csv"),
    ("evaluate", "predictions.csv"),
    ("compare", "predictions.csv", "--output", "report.html"),
)


def pythons() -> dict[str, str]:
    """The interpreters that there are, by version; a shim without one behind it does not count."""
    found = {}
    for version in VERSIONS:
        managed = sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))
        path = str(managed[-1]) if managed else shutil.which(f"python{version}")
        if path is not None and run(path, "--version").returncode == 0:
            found[version] = path
    return found


def run(*command: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, check=False)


def build(python: str, folder: Path) -> list[Path]:
    """The wheel and the source distribution, the wheel made from the latter."""
    run(python, "-m", "venv", str(folder / "builder"))
    builder = str(folder / "builder" / "bin" / "python")
    run(builder, "-m", "pip", "install", "--quiet", "build")
    done = run(builder, "-m", "build", "--outdir", str(folder), str(ROOT))
    if done.returncode:
        sys.exit(done.stdout + done.stderr)
    return sorted([*folder.glob("*.whl"), *folder.glob("*.tar.gz")])


def tried(python: str, package: Path, folder: Path) -> list[str]:
    """What fails with this package in an environment of its own."""
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "predictions.csv", folder)
    run(python, "-m", "venv", str(folder / "env"))
    home = folder / "env" / "bin"
    done = run(str(home / "python"), "-m", "pip", "install", "--quiet", str(package))
    if done.returncode:
        return [f"install: {done.stderr.strip()[-300:]}"]
    failed = []
    for words in TRIED:
        done = run(str(home / "assay"), *words, cwd=folder)
        if done.returncode:
            failed.append(f"{' '.join(words)}: {(done.stdout + done.stderr).strip()[-300:]}")
    return failed


def main() -> None:
    found = pythons()
    failures = 0
    with tempfile.TemporaryDirectory(prefix="assay-packages-") as name:
        folder = Path(name)
        packages = build(next(iter(found.values())), folder)
        for version, python in found.items():
            for package in packages:
                failed = tried(python, package, folder / f"{version}-{package.suffix[1:]}")
                failures += len(failed)
                print(
                    f"Python {version}, {package.name}: {'; '.join(failed) or 'works'}", flush=True
                )
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
