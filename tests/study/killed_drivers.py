"""Drivers killed outright, at any moment of their lives, and what outlives them.

The suite kills a few; `python -m tests.study.killed_drivers 60` does as many as one likes.
"""

import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.study.survival import ROOT, write_study
from tests.support import until

SECONDS = 2.0
"""Within these everything that a driver started has ended and is tidied up."""


class Aftermath(NamedTuple):
    """How long processes and folders outlived their driver, and how many processes there were."""

    seconds: float
    processes: int


def of_run(temporary: Path) -> list[psutil.Process]:
    """Processes that have this temporary folder."""
    found = []
    for one in psutil.process_iter():
        try:
            if one.status() != psutil.STATUS_ZOMBIE and one.environ().get("TMPDIR") == str(
                temporary
            ):
                found.append(one)
        except psutil.Error:
            continue
    return found


def killed(study: Path, ready: Callable[[Path], object], *, whole_group: bool) -> Aftermath:
    """Run a study, kill its driver once it is ready, and wait until nothing is left of it.

    The temporary folder lies beside no long path: a socket's has no more than 107 bytes.
    """
    temporary = Path(tempfile.mkdtemp(prefix="guard-"))
    command = [sys.executable, "-m", "assay", "run", str(study), "--allow", "tests"]
    driver = subprocess.Popen(
        [*command, "--store", str(study.with_name("s.db")), "--workers", "2"],
        cwd=ROOT, env={**os.environ, "TMPDIR": str(temporary)}, start_new_session=True,
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    until(lambda: ready(temporary))
    alive = len(of_run(temporary))
    os.killpg(driver.pid, signal.SIGKILL) if whole_group else driver.kill()
    driver.wait()
    begun = time.monotonic()
    until(lambda: not of_run(temporary) and not list(temporary.iterdir()))
    temporary.rmdir()
    return Aftermath(seconds=time.monotonic() - begun, processes=alive)


def _after_a_while(seconds: float) -> Callable[[Path], object]:
    """Some time after the fork server was called: while it imports, while workers start, while they fit."""
    due: list[float] = []

    def ready(temporary: Path) -> bool:
        if not due and list(temporary.glob("pymp-*")):
            due.append(time.monotonic() + seconds)
        return bool(due) and time.monotonic() >= due[0]

    return ready


def main() -> None:
    rng, found = random.Random(1), []  # noqa: S311 - moments, no secrets
    for number in range(int(sys.argv[1])):
        folder = Path(tempfile.mkdtemp(prefix="killed-"))
        study = write_study(folder, hold_after=0)
        one = killed(study, _after_a_while(rng.uniform(0.0, 3.0)), whole_group=number % 2 == 1)
        shutil.rmtree(folder)
        found.append(one)
        sys.stdout.write(f"{number + 1}: {one.processes} processes, {one.seconds:.2f} s\n")
        sys.stdout.flush()
    late = sum(one.seconds > SECONDS for one in found)
    slowest = max(one.seconds for one in found)
    sys.stdout.write(f"{len(found)} rounds, {late} above {SECONDS:g} s, slowest {slowest:.2f} s\n")


if __name__ == "__main__":
    main()
