"""Studies that run because someone asked for it here: `assay run` in a process of its own."""

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import IO

from assay.web.limits import MAX_RUNS

TAIL = 4000
"""Characters of a run's last words that are shown."""


class StudyProcesses:
    """At most one run per store; a study file is the command line's or one that we wrote, never a visitor's."""

    def __init__(self, specs: Mapping[str, Path] = MappingProxyType({})) -> None:
        self.specs = dict(specs)
        """Study files by the store that each belongs to."""
        self._running: dict[str, tuple[subprocess.Popen[bytes], IO[bytes]]] = {}
        self._ended: dict[str, float] = {}

    def start(self, store: str) -> bool:
        """Go on with the study where it stopped; False where it runs already or cannot."""
        if store not in self.specs or self.alive(store):
            return False
        self._leave(store)
        words = tempfile.TemporaryFile()  # noqa: SIM115 (kept until the run is over)
        command = [sys.executable, "-m", "assay", "run", str(self.specs[store]), "--store", store]
        process = subprocess.Popen(  # noqa: S603 (our own program, arguments of the command line)
            command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=words
        )
        self._running[store] = (process, words)
        self._ended.pop(store, None)
        return True

    @property
    def full(self) -> bool:
        """Whether as many run as may."""
        return sum(map(self.alive, list(self._running))) >= MAX_RUNS

    def alive(self, store: str) -> bool:
        found = self._running.get(store)
        alive = found is not None and found[0].poll() is None
        if found is not None and not alive:
            self._ended.setdefault(store, time.monotonic())
        return alive

    def ended(self, store: str) -> float:
        """When the last run was seen to have ended: what was read before may lack its last words."""
        return self._ended.get(store, -math.inf)

    def stop(self, store: str) -> None:
        """Ask a run to stop; what is finished stays in the store."""
        if self.alive(store):
            self._running[store][0].terminate()

    def last_words(self, store: str) -> str:
        """What the run said last."""
        found = self._running.get(store)
        if found is None:
            return ""
        stream = found[1]
        size = stream.seek(0, 2)
        stream.seek(max(0, size - TAIL))
        return stream.read().decode("utf-8", "replace")

    def close(self) -> None:
        for store in list(self._running):
            self.stop(store)
            self._leave(store)

    def _leave(self, store: str) -> None:
        found = self._running.pop(store, None)
        if found is not None:
            found[0].wait()
            found[1].close()
