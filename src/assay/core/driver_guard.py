"""What a driver leaves behind when it is killed: a small process ends it and removes it.

A driver that is killed outright cannot tidy up, a worker that is in the middle of a fit may not hear
of it, and a fork server that still imports has no worker yet. So each run of a study and each page
has a guard: a bare interpreter in a session of its own that waits until its standard input ends.
This file is both sides; the guard runs it by its path, with nothing of assay or of the user's
packages loaded.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

MARK = "ASSAY_RUN"
"""In the environment of every process that a run started: the process and the start of its driver."""
SECONDS = 5.0
"""So long the guard looks for processes that are being born while others end."""
FOLDER, DONE = "folder ", "done"


class DriverGuard:
    """The driver's side: what to remove, and that there is nothing more to do."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        with suppress(OSError):  # nothing depends on it
            self._process = subprocess.Popen(  # noqa: S603 - our own file, by our own interpreter
                [sys.executable, "-I", "-S", __file__, str(os.getpid()), mark()],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,  # a signal to the driver's group is none to it
            )

    def remove_later(self, folder: str | Path) -> None:
        """Remove a folder should the driver be killed."""
        self._say(f"{FOLDER}{folder}")

    def dismiss(self) -> None:
        """All is tidied up."""
        self._say(DONE)
        self.leave()

    def leave(self) -> None:
        """Close the guard's input, and wait for what it does then."""
        if self._process is None or self._process.stdin is None:
            return
        with suppress(OSError, subprocess.TimeoutExpired):
            self._process.stdin.close()
            self._process.wait(timeout=SECONDS)

    def _say(self, words: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError, ValueError):  # it may have been killed
                self._process.stdin.write(os.fsencode(f"{words}\n"))
                self._process.stdin.flush()


def mark() -> str:
    """The process we are, told apart from later ones of the same number."""
    with suppress(OSError, IndexError):
        started = Path("/proc/self/stat").read_text().rpartition(")")[2].split()[19]
        return f"{os.getpid()}-{started}"
    return str(os.getpid())


def _marked(wanted: str) -> list[int]:
    """The processes of a run; the tracker of semaphores is left to end by itself."""
    sought = os.fsencode(f"{MARK}={wanted}")
    found = []
    for place in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            ours = sought in (place / "environ").read_bytes().split(b"\0")
            if ours and b"resource_tracker" not in (place / "cmdline").read_bytes():
                found.append(int(place.name))
    return found


def _gone(driver: int) -> bool:
    """Whether the driver has ended; its files are closed a moment before."""
    for _ in range(100):
        if os.getppid() != driver:
            return True
        time.sleep(0.01)
    return False


def watch(driver: int, wanted: str) -> None:
    """The guard's side: wait for the end of the driver."""
    folders = []
    for line in sys.stdin.buffer:
        words = os.fsdecode(line).removesuffix("\n")
        if words == DONE:
            return
        folders.append(words.removeprefix(FOLDER))
    if not _gone(driver):
        return
    until = time.monotonic() + SECONDS
    while time.monotonic() < until and (left := _marked(wanted)):
        for pid in left:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.02)
    for folder in folders:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    watch(int(sys.argv[1]), sys.argv[2])
