"""What the longer scripts printed, kept in benchmarks/results/ so that one command writes the whole page.

    python -m benchmarks files study scale       # each in a process of its own; its lines are kept

A file holds the date, the machine, the command and the lines, as they were printed.
"""

import datetime
import json
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE / "results"

APART: dict[str, tuple[str, ...]] = {
    "reduce": (),
    "files": (),
    "study": ("--peer",),
    "scale": ("--rows", "1e8"),
    "large": (),
    "simulate": (),
    "page": (),
}
"""Scripts that run in a process of their own, with their arguments."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """One run of a script."""

    name: str
    date: str
    machine: str
    command: str
    lines: tuple[str, ...]


def there() -> tuple[str, ...]:
    """The scripts that there are."""
    return tuple(name for name in APART if (HERE / f"{name}.py").exists())


def run(name: str, machine: str) -> int:
    """Run a script, show its lines as they come, and keep them if all went well."""
    command = [sys.executable, str(HERE / f"{name}.py"), *APART[name]]
    lines: list[str] = []
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout or ():
            lines.append(line.rstrip())
            print(lines[-1], flush=True)
    if lines:
        shown = " ".join(["python", f"benchmarks/{name}.py", *APART[name]])
        today = datetime.datetime.now(tz=datetime.UTC).date().isoformat()
        keep(Kept(name=name, date=today, machine=machine, command=shown, lines=tuple(lines)))
    return process.returncode


def keep(found: Kept, folder: Path = FOLDER) -> None:
    folder.mkdir(exist_ok=True)
    text = json.dumps(asdict(found), indent=1, ensure_ascii=False)
    (folder / f"{found.name}.json").write_text(text + "\n", encoding="utf-8")


def kept(folder: Path = FOLDER) -> list[Kept]:
    """All that is kept, in the order of the scripts."""
    found = []
    for path in sorted(folder.glob("*.json")):
        facts = json.loads(path.read_text(encoding="utf-8"))
        found.append(Kept(**{**facts, "lines": tuple(facts["lines"])}))
    order = list(APART)
    return sorted(found, key=lambda one: order.index(one.name) if one.name in order else len(order))


def section(folder: Path = FOLDER) -> list[str]:
    """The part of the page; a line that is missed says so itself."""
    lines: list[str] = []
    for one in kept(folder):
        lines += ["", f"`{one.command}`, {one.date}, {one.machine}:", ""]
        table = any(line.startswith("|") for line in one.lines)
        lines += one.lines if table else ["```", *one.lines, "```"]
    return lines
