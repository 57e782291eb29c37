"""One run of a tracker or a tuner: its name, what it was given, what it measured."""

import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import EvidenceError
from assay.evidence.cell_text import number_of

MODEL = ("model", "estimator", "algorithm", "learner", "method", "model_name", "classifier")
"""Parameters that name the model of a run; without one, runs are models."""
SEED = ("seed", "random_state", "random_seed")
DATASET = ("dataset", "data", "task")
FOLD = ("fold",)
MAX_RUNS = 100_000
ROLES = frozenset({*MODEL, *SEED, *DATASET, *FOLD})


class TrackedRun(NamedTuple):
    """A run; ``finished`` is False where the tool says that it crashed, was stopped or still runs."""

    name: str
    given: Mapping[str, Any]
    found: Mapping[str, float]
    finished: bool = True

    def role(self, names: tuple[str, ...]) -> str:
        """What the parameters say for the first of these names."""
        return next(
            (str(self.given[name]) for name in names if self.given.get(name) not in (None, "")), ""
        )


def numbers(found: Any, before: str = "") -> dict[str, float]:
    """The numbers of nested JSON by their paths; truth values and texts are none."""
    kept: dict[str, float] = {}
    for name, value in found.items() if isinstance(found, dict) else ():
        if isinstance(value, dict) and not name.startswith("_"):
            kept |= numbers(value, f"{before}{name}.")
        elif isinstance(value, int | float) and not isinstance(value, bool) and name[:1] != "_":
            kept[f"{before}{name}"] = number_of(value) or 0.0  # infinite, where it is beyond floats
    return kept


def text_of(path: Path) -> str:
    """A small text file, empty where there is none."""
    if not path.is_file() or path.stat().st_size > 2**24:
        return ""
    return path.read_text(encoding="utf-8", errors="replace").strip()


def settings(text: str) -> dict[str, str]:
    """The lines `name: value` of a piece of YAML; nothing else of YAML is read."""
    parts = (line.strip().partition(":") for line in text.splitlines())
    return {name: value.partition(" #")[0].strip(" '\"") for name, _, value in parts}


def asked(path: Path, question: str) -> list[tuple[Any, ...]]:
    """The rows of a question to an SQLite file, at most a hundred for each run that there may be."""
    try:
        with closing(sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)) as store:
            return store.execute(question, (100 * MAX_RUNS,)).fetchall()
    except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite quotes damaged bytes as they are
        raise EvidenceError(f"{path} cannot be read as a store of runs: {error}") from None
