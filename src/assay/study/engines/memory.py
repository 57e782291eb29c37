"""How much memory processes hold and the machine has left, from /proc; None where there is none."""

import os
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

MEMINFO = Path("/proc/meminfo")
CGROUP = Path("/sys/fs/cgroup")
MEGABYTE = 2**20
SCARCE = 0.05
"""With less than this share of its memory left a machine is about to kill somebody."""


class Room(NamedTuple):
    """Memory in bytes, of the machine or of the container we are in, whichever is fuller."""

    left: int
    total: int

    @property
    def scarce(self) -> bool:
        return self.left < SCARCE * self.total


def family(pid: int) -> list[int]:
    """A process and all it started, that one first; only itself where that cannot be seen."""
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except OSError:
        children = []
    return [pid, *(one for child in children for one in family(int(child)))]


def held(pid: int) -> int | None:
    """Bytes in use by a process and all it started; None where that cannot be seen."""
    pages = []
    for one in family(pid):
        with suppress(OSError, IndexError):  # a child may end while we look
            pages.append(int(Path(f"/proc/{one}/statm").read_text().split()[1]))
    return sum(pages) * os.sysconf("SC_PAGE_SIZE") if pages else None


def room() -> Room | None:
    """What is left for all; None where the system does not say."""
    try:
        lines = dict(line.split(":", 1) for line in MEMINFO.read_text().splitlines())
        found = [
            Room(*(int(lines[name].split()[0]) * 1024 for name in ("MemAvailable", "MemTotal")))
        ]
    except (OSError, KeyError, ValueError):
        return None
    try:
        total = int((CGROUP / "memory.max").read_text())
        used = int((CGROUP / "memory.current").read_text())
        facts = dict(line.split() for line in (CGROUP / "memory.stat").read_text().splitlines())
        found.append(Room(total - used + int(facts["inactive_file"]), total))
    except (OSError, KeyError, ValueError):  # no container, or one without a limit
        pass
    return min(found, key=lambda one: one.left / one.total)
