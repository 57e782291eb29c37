"""Ctrl-C ends every command with one line and the exit code 130, wherever it is pressed."""

import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

PRESS = """
import os, signal, sys, threading, time
from assay.cli.main import main

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background job ignores it

def inside(part):
    frame = sys._current_frames()[threading.main_thread().ident]
    while frame and part not in frame.f_code.co_filename.replace("\\\\", "/"):
        frame = frame.f_back
    return frame

def press():
    while not inside(sys.argv[1]):
        time.sleep(0.0005)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
main(sys.argv[2:])
"""
FILE = "truth,a,b\n" + "".join(
    f"{k % 2},{(k + (k % 7 == 0)) % 2},{(k + (k % 5 == 0)) % 2}\n" for k in range(200)
)
COMMANDS = {
    "look": ("assay/evidence/", "look pair.csv"),
    "evaluate": ("assay/estimates/", "evaluate pair.csv --measure f1 --positive 1"),
    "compare": ("assay/compare/item_procedures", "compare pair.csv --measure f1 --positive 1"),
    "imports": ("dataclasses.py", "compare pair.csv"),
    "gate": ("assay/compare/gate", "gate pair.csv --baseline a --candidate b --margin 0.01"),
    "report": ("assay/report/", "compare pair.csv --output report.html"),
    "figure": ("matplotlib/", "compare pair.csv --figure figure.png"),
    "plan": ("assay/plan/", "plan --measure accuracy --baseline 0.8 --difference 0.02 --power 0.8"),
    "simulate": ("assay/simulate/", "simulate wilcoxon --n 30 --replicates 2000"),
    "test": ("assay/hypotheses/", "test mcnemar --table 50 10 4 36"),
    "selftest": ("assay/selftest/", "selftest"),
    "demo": ("sklearn/", "demo"),
    "serve": ("assay/web/", "serve --no-browser --port 0"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_one_line_and_130(command: str, tmp_path: Path) -> None:
    part, typed = COMMANDS[command]
    (tmp_path / "pair.csv").write_text(FILE)
    done = subprocess.run(
        [sys.executable, "-c", PRESS, part, *typed.split()],
        check=False, capture_output=True, text=True, timeout=60, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 130, done.stderr
    assert done.stderr.splitlines()[-1] == "assay: stopped"
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "report.html").exists()


def test_while_the_command_line_loads(tmp_path: Path) -> None:
    """The first tenth of a second, in which click is imported."""
    loads = (
        "import builtins, os, signal, sys\n"
        "from assay.__main__ import main\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "before = builtins.__import__\n"
        "def loaded(name, *rest):\n"
        "    if name == 'click':\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return before(name, *rest)\n"
        "builtins.__import__ = loaded\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", loads], check=False, capture_output=True, text=True, cwd=tmp_path
    )
    assert (done.returncode, done.stderr) == (130, "assay: stopped\n")


def test_at_a_question(tmp_path: Path) -> None:
    """A terminal is asked which column is what; Ctrl-C there is no answer and no defect."""
    (tmp_path / "scores.csv").write_text("a,b\n0.1,0.2\n0.3,0.1\n0.2,0.4\n")
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    process = subprocess.Popen(
        [sys.executable, "-m", "assay", "compare", "scores.csv"],
        stdin=follower, stdout=follower, stderr=follower, cwd=tmp_path, env=environment, start_new_session=True,
    )  # fmt: skip
    os.close(follower)
    said = b""
    while not said.endswith(b"which: "):
        said += os.read(leader, 4096)
    time.sleep(0.5)  # until it waits for an answer
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=60) == 130
    said += os.read(leader, 4096)
    os.close(leader)
    assert said.decode().endswith("assay: stopped\r\n")
