"""Pages whose commands are run: what a page prints is what the commands print.

A page has one Python block, which writes the files it speaks of, and console blocks of one command
each (``$ assay …``) followed by what it prints to stdout.
"""

import os
import re
import shlex
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support import PATIENCE
from tests.typed import typed

WRITING = os.environ.get("ASSAY_DOCS") == "write"
_CONSOLE = re.compile(r"```console\n\$ (?P<command>[^\n]*)\n(?P<output>.*?)```\n", re.DOTALL)
_FOR_A_SHELL = re.compile(r"[|<>;&$`*?~\n\\]")
CODE = '; echo "exit code $?"'
"""What a page types behind a command to show its exit code."""
_SETUP = re.compile(r"```python\n(.*?)```", re.DOTALL)


@dataclass(frozen=True)
class Block:
    """One command of a page and what the page says it prints."""

    command: str
    output: str


def blocks_of(page: Path) -> list[Block]:
    found = _CONSOLE.finditer(page.read_text(encoding="utf-8"))
    return [Block(one["command"], one["output"]) for one in found]


def folder_of(page: Path, factory: pytest.TempPathFactory) -> Path:
    """A folder with the files of a page; with ASSAY_DOCS=write its answers are put in anew."""
    folder = factory.mktemp(page.stem)
    prepare(page, folder)
    if WRITING:
        rewrite(page, folder)
    return folder


def check(block: Block, folder: Path) -> None:
    """The page says what the command prints."""
    assert WRITING or printed(block.command, folder) == block.output


def prepare(page: Path, folder: Path) -> None:
    """Run the page's Python block in the folder: it makes the files of the commands."""
    (setup,) = _SETUP.findall(page.read_text(encoding="utf-8"))
    subprocess.run([sys.executable, "-c", setup], cwd=folder, check=True, timeout=PATIENCE)


def printed(command: str, folder: Path) -> str:
    """What a command prints to stdout; a shell is started only where the command needs one."""
    plain, asks_code, _ = command.partition(CODE)
    words = shlex.split(plain)
    if words[0] != "assay" or _FOR_A_SHELL.search(plain):
        return _printed_in_a_shell(command, folder)
    done = typed(*words[1:], cwd=folder, environment={"COLUMNS": "100"})
    assert "Traceback" not in done.stderr, done.stderr
    return f"{done.stdout}exit code {done.returncode}\n" if asks_code else done.stdout


def _printed_in_a_shell(command: str, folder: Path) -> str:
    """What a command prints to stdout, typed in a shell in which `assay` is this one."""
    bin_folder = str(Path(sys.executable).parent)
    environment = {
        **os.environ,
        "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}",
        "COLUMNS": "100",
    }
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )
    assert "Traceback" not in done.stderr, done.stderr
    return done.stdout


def rewrite(page: Path, folder: Path) -> None:
    """Put what the commands print now into the page."""

    def anew(found: re.Match[str]) -> str:
        output = printed(found["command"], folder)
        return f"```console\n$ {found['command']}\n{output}```\n"

    text = _CONSOLE.sub(anew, page.read_text(encoding="utf-8"))
    page.write_text(text, encoding="utf-8", newline="\n")
