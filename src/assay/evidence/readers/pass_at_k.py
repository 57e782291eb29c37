"""Results of code benchmarks in the form of human-eval: a line per attempt, with ``passed``."""

from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cells import id_text
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    decoded,
    json_lines,
    number_or_word,
)

PASSED = "passed"


class Attempt(msgspec.Struct):
    """One attempt, without its code."""

    task_id: int | str
    passed: Any = None


_attempt = msgspec.json.Decoder(Attempt)


def find(path: Path, title: str) -> list[Log]:
    """The attempts in one file; the model is named after it."""
    stem = path.name.split(".")[0]
    model = stem.removesuffix("_results").removesuffix("_samples") or stem
    read = partial(_read, path, title, model)
    return [Log(path=path, title=title, model=model, task="pass@k", read=read)]


def _read(path: Path, title: str, model: str, wanted: Wanted) -> LogRun:
    """Attempts to be counted per task, or with metric="passed" as repeats of the task."""
    metric = wanted.metric or "pass@1"
    if metric != PASSED and not metric.removeprefix("pass@").removeprefix("pass^").isdigit():
        raise UsageError(f"metric is pass@K, pass^K or {PASSED!r} for {title}; got {metric!r}")
    if wanted.cluster is not None:
        raise EvidenceError(f"{title} has nothing to cluster tasks by; got {wanted.cluster!r}")
    items = []
    times: dict[str, int] = {}
    for number, line in json_lines(path, title):
        attempt = decoded(line, _attempt, f"line {number} of {title}")
        task = id_text(attempt.task_id)
        repeat = times[task] = times.get(task, 0) + 1
        try:
            score, why = number_or_word(attempt.passed)
        except ValueError as error:
            raise EvidenceError(f"line {number} of {title}: {error}") from None
        if score not in (None, 0.0, 1.0):
            raise EvidenceError(f"line {number} of {title}: passed is true or false, got {score}")
        items.append(Item(id=task, repeat=repeat, score=score, content=f"task {task}", why=why))
    return LogRun(
        path=path,
        title=title,
        harness="human-eval",
        model=model,
        task="pass@k",
        metric=metric,
        items=tuple(items),
        shape="scores" if metric == PASSED else "attempts",
        measure=None if metric == PASSED else metric,
    )
