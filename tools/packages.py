"""`make packages`: the wheel and the source distribution, built twice alike, each installed alone and tried.

For every Python from 3.11 on that this machine has: a bare environment with the core, its size, the commands that
must work in it, and the words of those that need an extra; then all extras. Says what it tried; ends
with 1 if anything failed.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
VERSIONS = ("3.11", "3.12", "3.13", "3.14")
MOST_MEGABYTES = 270
BUILT_AT = "1767225600"
"""SOURCE_DATE_EPOCH of both builds: the first second of 2026."""
CORE = (
    ("--version",),
    ("selftest",),
    ("look", "predictions.csv"),
    ("evaluate", "predictions.csv"),
    ("compare", "predictions.csv", "--margin", "0.05"),
    ("compare", "predictions.csv", "--output", "report.html"),
    ("gate", "predictions.csv", "--baseline", "tree", "--candidate", "logistic", "--margin", "0.1"),
    (
        "plan",
        "--measure",
        "accuracy",
        "--baseline",
        "0.8",
        "--difference",
        "0.02",
        "--power",
        "0.8",
    ),
    ("board", "predictions.csv"),
    ("methods",),
    ("test", "mcnemar", "--table", "50", "10", "4", "36"),
    ("completion", "bash"),
    ("man",),
)
REFUSED = {
    ("compare", "predictions.csv", "--figure", "f.png"): "assay[figures]",
    ("demo",): "assay[study]",
    ("run", "study.toml", "--store", "study.db"): "assay[study]",
    ("report", "study.db"): "assay[study]",
    ("serve", "--no-browser"): "assay[page]",
}
WHOLE = (
    ("selftest",),
    ("demo",),
    ("compare", "predictions.csv", "--figure", "f.png"),
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


def run(*command: str, cwd: Path | None = None, **more: str) -> subprocess.CompletedProcess[str]:
    env = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    return subprocess.run(
        command, cwd=cwd, env=env | more, capture_output=True, text=True, check=False
    )


def build(python: str, folder: Path) -> list[Path]:
    """The wheel and the source distribution, the wheel made from the latter; twice, and alike."""
    run(python, "-m", "venv", str(folder / "builder"))
    builder = str(folder / "builder" / "bin" / "python")
    run(builder, "-m", "pip", "install", "--quiet", "build")
    hashes = []
    for place in ("once", "again"):
        done = run(
            builder, "-m", "build", "--outdir", str(folder / place), str(ROOT),
            SOURCE_DATE_EPOCH=BUILT_AT,
        )  # fmt: skip
        if done.returncode:
            sys.exit(done.stdout + done.stderr)
        built = sorted([*(folder / place).glob("*.whl"), *(folder / place).glob("*.tar.gz")])
        hashes.append({path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in built})
    if hashes[0] != hashes[1]:
        sys.exit(f"two builds differ: {hashes}")
    for name, digest in hashes[0].items():
        print(f"{name}: sha256 {digest}, the same twice", flush=True)
    return [folder / "once" / name for name in hashes[0]]


def megabytes(site: Path) -> float:
    """What packages bring, beside pip and setuptools, which every environment has, and without bytecode.

    That is written here by Python or not at all, as the installer likes; its size is that of the version of Python.
    """
    return (
        sum(
            path.stat().st_size
            for path in site.rglob("*")
            if path.is_file()
            and path.suffix != ".pyc"
            and not path.relative_to(site)
            .parts[0]
            .startswith(("pip", "setuptools", "pkg_resources", "_distutils"))
        )
        / 1e6
    )


def tried(python: str, package: Path, folder: Path) -> list[str]:
    """What fails with this package in an environment of its own."""
    folder.mkdir()
    shutil.copy(ROOT / "examples" / "predictions.csv", folder)
    run(python, "-m", "venv", str(folder / "env"))
    home = folder / "env" / "bin"
    done = run(str(home / "python"), "-m", "pip", "install", "--quiet", str(package))
    if done.returncode:
        return [f"install: {done.stderr.strip()[-300:]}"]
    failed = _core(home, folder)
    done = run(str(home / "python"), "-m", "pip", "install", "--quiet", f"{package}[all]")
    if done.returncode:
        return [*failed, f"install [all]: {done.stderr.strip()[-300:]}"]
    return failed + _commands(home, folder, WHOLE)


def _core(home: Path, folder: Path) -> list[str]:
    (site,) = (folder / "env" / "lib").glob("python*/site-packages")
    size = megabytes(site)
    print(f"  core: {size:.0f} MB", flush=True)
    failed = [f"the core has {size:.0f} MB"] if size > MOST_MEGABYTES else []
    failed += _commands(home, folder, CORE)
    for words, extra in REFUSED.items():
        done = run(str(home / "assay"), *words, cwd=folder)
        if not done.returncode or extra not in done.stderr or "Traceback" in done.stderr:
            failed.append(f"{' '.join(words)} does not name {extra}: {done.stderr.strip()[-200:]}")
    return failed


def _commands(home: Path, folder: Path, commands: tuple[tuple[str, ...], ...]) -> list[str]:
    failed = []
    for words in commands:
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
