"""Learners that misbehave on purpose, and one that keeps a diary; workers import them from here."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]


class Majority(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Answers the commonest class."""

    def __init__(self, random_state: int | None = None) -> None:
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> "Majority":
        self.classes_, counts = np.unique(y, return_counts=True)
        self.answer_ = self.classes_[counts.argmax()]
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_, dtype=object)


class Diary(Majority):
    """Writes a line for every fit that begins, with its seed, and takes its time.

    While there is a file ``held``, it says how many fits may end; the others wait.
    """

    def __init__(
        self,
        diary: str = "",
        seconds: float = 0.05,
        held: str = "",
        random_state: int | None = None,
    ) -> None:
        super().__init__(random_state)
        self.diary = diary
        self.seconds = seconds
        self.held = held

    def fit(self, X: Any, y: Any) -> "Diary":
        line = f"{self.random_state} {os.getpid()}"
        with Path(self.diary).open("a") as file:
            file.write(f"{line}\n")
        place = Path(self.diary).read_text().splitlines().index(line)
        while self._waits(place):
            time.sleep(0.02)
        time.sleep(self.seconds)
        super().fit(X, y)
        return self

    def _waits(self, place: int) -> bool:
        try:
            return place >= int(Path(self.held).read_text())
        except OSError:
            return False


class Threaded(Diary):
    """Writes down how many threads numerical libraries may use where it is fitted."""

    def fit(self, X: Any, y: Any) -> "Threaded":
        pools = [pool["num_threads"] for pool in threadpool_info()]
        Path(self.diary).write_text(f"{os.environ['OMP_NUM_THREADS']} {pools}")
        Majority.fit(self, X, y)
        return self


class Raises(Majority):
    def fit(self, X: Any, y: Any) -> "Raises":
        raise ValueError("this learner always raises")


class SaysNaN(Majority):
    def predict_proba(self, X: Any) -> Any:
        return np.full((len(X), self.classes_.size), np.nan)


class Hangs(Majority):
    def fit(self, X: Any, y: Any) -> "Hangs":
        time.sleep(3600)
        return self


class Greedy(Majority):
    """Asks for memory until there is none."""

    def fit(self, X: Any, y: Any) -> "Greedy":
        self.kept_ = [np.ones(16 * 2**20) for _ in range(1_000)]
        return self


class Delegates(Majority):
    """Lets a process of its own, known by a mark, hold the memory."""

    def __init__(self, mark: str = "", random_state: int | None = None) -> None:
        super().__init__(random_state)
        self.mark = mark

    def fit(self, X: Any, y: Any) -> "Delegates":
        hold = f"import time; held = b'x' * (600 << 20); time.sleep(3600)  # {self.mark}"
        subprocess.run([sys.executable, "-c", hold], check=True)
        return self


class Dies(Majority):
    """Takes its process with it."""

    def fit(self, X: Any, y: Any) -> "Dies":
        os.kill(os.getpid(), signal.SIGKILL)
        return self


class Leaves(Majority):
    """Ends its process as if all were well, by exception or without one."""

    def __init__(self, abruptly: bool = False, random_state: int | None = None) -> None:
        super().__init__(random_state)
        self.abruptly = abruptly

    def fit(self, X: Any, y: Any) -> "Leaves":
        if self.abruptly:
            os._exit(0)
        sys.exit(0)


class Stranger(Majority):
    """Answers with a class that nobody has seen."""

    def predict(self, X: Any) -> Any:
        return np.full(len(X), "nobody", dtype=object)


def half_right(truth: Any, prediction: Any) -> float:
    """A measure of the user's own."""
    return float(np.mean(np.asarray(truth) == np.asarray(prediction)) / 2)
