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


PASSES = "gate pair.csv --baseline b --candidate a --margin 0.2"


@pytest.mark.parametrize("typed", [PASSES, f"{PASSES} --nonsense"])
def test_a_gate_whose_reader_went_away_has_not_failed(typed: str, tmp_path: Path) -> None:
    """It ended with click's 1, which says that a candidate failed."""
    (tmp_path / "pair.csv").write_text(FILE)
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "assay", *typed.split()], stdout=writing, stderr=writing, cwd=tmp_path, check=False,
    )  # fmt: skip
    os.close(writing)
    assert done.returncode == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_gate_that_can_say_nothing_has_not_failed(tmp_path: Path) -> None:
    (tmp_path / "pair.csv").write_text(FILE)
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "assay", *PASSES.split()]
        done = subprocess.run(command, stdout=full, stderr=full, cwd=tmp_path, check=False)
    assert done.returncode == 2


@pytest.mark.parametrize("form", ["table", "markdown", "html", "json"])
def test_a_terminal_of_few_letters(form: str, tmp_path: Path) -> None:
    """A minus sign is no letter of Latin-1: it was a traceback."""
    (tmp_path / "pair.csv").write_text(FILE)
    typed = f"compare pair.csv --positive 1 --format {form} --seed 1".split()
    done = subprocess.run(
        [sys.executable, "-m", "assay", *typed],
        capture_output=True,
        cwd=tmp_path,
        env={**os.environ, "PYTHONIOENCODING": "latin-1"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert len(done.stdout) > 200


IGNORED = """
import signal, time
from assay.cli import main

signal.signal(signal.SIGINT, signal.default_int_handler)

class Last:
    def __del__(self):
        raise KeyboardInterrupt

class Named:
    def __set_name__(self, owner, name):
        raise KeyboardInterrupt

def ignored():
    Last()
    time.sleep(60)

def wrapped():
    class Holder:
        one = Named()

main.Verbs.get_command = lambda *_: main.click.Command("look", callback=NAME)
main.main(["look"])
"""


@pytest.mark.parametrize("way", ["ignored", "wrapped"])
def test_ctrl_c_that_python_hides_is_heard(way: str) -> None:
    """One in a callback of an import was forgotten, and the page went on; one in a class was a RuntimeError."""
    command = [sys.executable, "-c", IGNORED.replace("NAME", way)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=50, check=False)
    assert (done.returncode, done.stderr) == (130, "assay: stopped\n")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="children are found in /proc")
def test_ctrl_c_while_the_page_begins_is_not_met_by_its_processes() -> None:
    """A terminal sends it to all of them: the server of processes, still at its imports, showed a traceback."""
    listens = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    run = (
        f"{listens}from assay.cli.main import main\nmain(['serve', '--no-browser', '--port', '0'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", run], stderr=subprocess.PIPE, text=True, start_new_session=True
    )
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    while not any(_is_fork_server(child) for child in children.read_text().split()):
        assert process.poll() is None
        time.sleep(0.005)
    time.sleep(0.3)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert (process.returncode, said.count("Traceback")) == (130, 0), said


def _is_fork_server(process: str) -> bool:
    try:
        return b"forkserver" in Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return False
