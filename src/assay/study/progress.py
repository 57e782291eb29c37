"""Progress on stderr: a live view in a terminal, plain lines elsewhere."""

import sys
import time
from collections import defaultdict
from typing import Any

from assay.core.formatting import clean_name, shown
from assay.store.record_types import PlanEntry, Record

QUIET_SECONDS = 10.0
"""Between plain lines."""


class StudyProgress:
    """Counts what happens; subclasses show it."""

    def __init__(self, *, total: int, done: int, measure: str) -> None:
        self.total = total
        self.done = done
        self.failed = 0
        self.measure = measure
        self._begun = time.monotonic()
        self._at_start = done
        self._sums: dict[str, list[float]] = defaultdict(lambda: [0.0, 0.0])

    def __enter__(self) -> "StudyProgress":
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def ended(self, entry: PlanEntry, record: Record) -> None:
        """A task of ours has a record."""
        self.failed += record.status != "ok"
        value = record.scores.get(self.measure)
        if value is not None and entry.plain:
            total = self._sums[entry.learner]
            total[0] += value
            total[1] += 1
        self.elsewhere()

    def elsewhere(self, count: int = 1) -> None:
        """Tasks have ended, here or in another process."""
        self.done += count

    def say(self, text: str) -> None:
        """Something that whoever watches should know."""

    @property
    def rate(self) -> float:
        """Tasks per second since the run began."""
        return (self.done - self._at_start) / max(time.monotonic() - self._begun, 1e-9)

    def left(self) -> str:
        """The time left at this rate."""
        seconds = round((self.total - self.done) / self.rate)
        hours, rest = divmod(seconds, 3600)
        return f"{hours}:{rest // 60:02}:{rest % 60:02}"

    def means(self) -> dict[str, str]:
        """The mean score of each learner so far."""
        return {
            clean_name(name): shown(total / count, 0.01)
            for name, (total, count) in list(self._sums.items())  # another thread draws
            if count
        }

    def sentence(self) -> str:
        failed = f", {self.failed} failed" if self.failed else ""
        pace = ""
        if self._at_start < self.done < self.total:
            pace = f", {self.rate:.1f} per second, {self.left()} left"
        return f"{self.done}/{self.total} tasks{failed}{pace}"


class PlainProgress(StudyProgress):
    """A line now and then, for logs."""

    _last = 0.0

    def __enter__(self) -> "PlainProgress":
        self._last = time.monotonic()
        return self

    def elsewhere(self, count: int = 1) -> None:
        super().elsewhere(count)
        now = time.monotonic()
        if now - self._last >= QUIET_SECONDS:
            self._last = now
            self.say(self.sentence())

    def __exit__(self, *_: object) -> None:
        scores = ", ".join(f"{name} {value}" for name, value in self.means().items())
        self.say(f"{self.sentence()}{f'; {self.measure}: {scores}' if scores else ''}")

    def say(self, text: str) -> None:
        sys.stderr.write(f"assay run: {text}\n")
        sys.stderr.flush()


class LiveProgress(StudyProgress):
    """A table that redraws itself in a terminal."""

    def __enter__(self) -> "LiveProgress":
        from rich.console import Console
        from rich.live import Live

        self._live = Live(
            get_renderable=self._drawn,
            console=Console(stderr=True),
            refresh_per_second=2,
            transient=False,
        )
        self._live.__enter__()
        return self

    def __exit__(self, *details: Any) -> None:
        self._live.__exit__(*details)

    def say(self, text: str) -> None:
        self._live.console.print(f"assay run: {text}", markup=False, highlight=False)

    def _drawn(self) -> Any:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        scores = Table.grid(padding=(0, 2))
        for name, value in self.means().items():
            scores.add_row(Text(name), Text(value))
        bar = ProgressBar(total=max(self.total, 1), completed=self.done, width=60)
        below: list[Any] = []
        if scores.rows:
            below = [Text(f"mean {self.measure} so far"), scores]
        whole = Table.grid()
        whole.add_row(bar)  # alone it would not end its line
        return Group(whole, Text(self.sentence()), *below)


def progress_view(*, show: bool, total: int, done: int, measure: str) -> StudyProgress:
    """A view that suits where stderr goes."""
    kind = StudyProgress
    if show:
        kind = LiveProgress if sys.stderr.isatty() else PlainProgress
    return kind(total=total, done=done, measure=measure)
