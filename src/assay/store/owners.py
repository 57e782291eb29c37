"""Who holds a lease: a process, told apart from others and from later ones of the same number."""

import os
import platform
import uuid
from functools import lru_cache
from pathlib import Path

_SEPARATOR = "|"


def new_owner() -> str:
    """A name for one run in this process: place, process, its start, and a random part."""
    pid = os.getpid()
    return _SEPARATOR.join((_place(), str(pid), _started(pid) or "", uuid.uuid4().hex[:8]))


def is_dead(owner: str) -> bool:
    """Whether the owner's process is known to have ended; a process elsewhere never is."""
    place, _, rest = owner.partition(_SEPARATOR)
    pid, _, rest = rest.partition(_SEPARATOR)
    started = rest.partition(_SEPARATOR)[0]
    if place != _place() or not pid.isdigit():
        return False
    if started:
        return _started(int(pid)) != started
    return not _exists(int(pid))


@lru_cache(maxsize=1)
def _place() -> str:
    """The machine since it was switched on, and the process namespace (containers share names)."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        namespace = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        boot = namespace = ""
    return f"{platform.node()} {boot[:8]} {namespace}".replace(_SEPARATOR, "/").strip()


def _started(pid: int) -> str | None:
    """The start of a process in clock ticks since boot, where /proc tells; None when it ended."""
    try:
        facts = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return None
    fields = facts.rpartition(")")[2].split()  # the name in brackets may hold spaces
    return None if fields[0] == "Z" else fields[19]


def _exists(pid: int) -> bool:
    if os.name != "posix":  # elsewhere signal 0 is not a question
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
