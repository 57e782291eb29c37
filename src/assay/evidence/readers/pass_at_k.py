"""Results of code benchmarks: human-eval's line per attempt with ``passed``, EvalPlus's results by task."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import id_text
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    decoded,
    document,
    json_lines,
    number_or_word,
)

PASSED = "passed"
BASE = "base"
"""Asks EvalPlus for the tests of the original benchmark alone, without those it adds."""

_METRIC = re.compile(r"(?P<of>pass[@^]\d+|passed)(?:,(?P<tests>base))?")
_ENDING = re.compile(r"(?:_samples)?(?:\.jsonl)?(?:_eval)?(?:_results)?\.jsonl?(?:\.gz)?$")


class Attempt(msgspec.Struct):
    """One attempt, without its code."""

    task_id: int | str
    passed: Any = None


class Checked(msgspec.Struct):
    """One attempt as EvalPlus leaves it, without its code and the tests that failed."""

    base_status: Any = None
    plus_status: Any = None


class Checks(msgspec.Struct):
    """Results of EvalPlus, by task."""

    eval: dict[str, list[Checked]]


_attempt = msgspec.json.Decoder(Attempt)
_checks = msgspec.json.Decoder(Checks)


def find(path: Path, title: str) -> list[Log]:
    """The attempts in one file; the model is named after it, or after the folder it lies in."""
    folder = path.resolve().parent.name
    named = "" if path.name == "eval_results.json" else _ENDING.sub("", path.name)
    model = named or folder or path.stem
    read = partial(_read, path, title, model)
    return [Log(path=path, title=title, model=model, task="pass@k", read=read)]


def _read(path: Path, title: str, model: str, wanted: Wanted) -> LogRun:
    """Attempts to be counted per task, or with metric="passed" as repeats of the task."""
    plus = path.suffix == ".json"
    asked = _METRIC.fullmatch(wanted.metric or "pass@1")
    if asked is None or (asked["tests"] and not plus):
        also = f", each also with ',{BASE}' for the original tests alone" if plus else ""
        raise UsageError(
            f"metric is pass@K, pass^K or {PASSED!r} for {title}{also}; got {wanted.metric!r}"
        )
    if wanted.cluster is not None:
        raise EvidenceError(f"{title} has nothing to cluster tasks by; got {wanted.cluster!r}")
    attempts = _checked(path, title, asked["tests"]) if plus else _attempts(path, title)
    items = []
    times: dict[str, int] = {}
    for place, task, passed in attempts:
        repeat = times[task] = times.get(task, 0) + 1
        try:
            score, why = number_or_word(passed)
        except ValueError as error:
            raise EvidenceError(f"{place} of {title}: {error}") from None
        if score not in (None, 0.0, 1.0):
            raise EvidenceError(f"{place} of {title}: passed is true or false, got {score}")
        items.append(Item(id=task, repeat=repeat, score=score, content=f"task {task}", why=why))
    if not items:
        raise EvidenceError(f"{title} holds no attempts")
    return LogRun(
        path=path,
        title=title,
        harness="EvalPlus" if plus else "human-eval",
        model=model,
        task="pass@k",
        metric=asked[0],
        items=tuple(items),
        shape="scores" if asked["of"] == PASSED else "attempts",
        measure=None if asked["of"] == PASSED else asked["of"],
    )


def _attempts(path: Path, title: str) -> Iterator[tuple[str, str, Any]]:
    for number, line in json_lines(path, title):
        attempt = decoded(line, _attempt, f"line {number} of {title}")
        yield f"line {number}", id_text(attempt.task_id), attempt.passed


def _checked(path: Path, title: str, tests: str | None) -> Iterator[tuple[str, str, Any]]:
    """An attempt passes if it passes the original tests and, where they were run, those added."""
    found: Checks = document(path, title, _checks)
    for task, attempts in found.eval.items():
        for number, each in enumerate(attempts, start=1):
            passed = None if each.base_status is None else each.base_status == "pass"
            if tests is None and each.plus_status is not None:
                passed = passed and each.plus_status == "pass"
            yield f"attempt {number} at {task!r}", task, passed
