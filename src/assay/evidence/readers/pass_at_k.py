"""Results of code benchmarks: human-eval's line per attempt with ``passed``, EvalPlus's results by task."""

import re
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import id_text
from assay.evidence.readers.log_files import decoded_lines, document
from assay.evidence.readers.log_items import Item, Log, LogRun, Wanted, score_of, times_seen

PASSED = "passed"
BASE = "base"
"""Asks EvalPlus for the tests of the original benchmark alone, without those it adds."""

_METRIC = re.compile(r"(?P<of>pass[@^]\d{1,9}|passed)(?:,(?P<tests>base))?")
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


def find(path: Path, title: str) -> list[Log]:
    """The attempts in one file; the model is named after it, or after the folder it lies in."""
    named = "" if path.name == "eval_results.json" else _ENDING.sub("", path.name)
    return [
        Log(
            path=path,
            title=title,
            harness="EvalPlus" if path.suffix == ".json" else "human-eval",
            model=named or path.resolve().parent.name or path.stem,
            task="pass@k",
            read=partial(_read, path, title),
        )
    ]


def _read(path: Path, title: str, wanted: Wanted) -> LogRun:
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
    attempts = list(_checked(path, title, asked["tests"]) if plus else _attempts(path, title))
    if not attempts:
        raise EvidenceError(f"{title} holds no attempts")
    items = []
    turns = times_seen(task for _, task, _ in attempts)
    for repeat, (place, task, passed) in zip(turns, attempts, strict=True):
        score, why = score_of(passed, place)
        if score not in (None, 0.0, 1.0):
            raise EvidenceError(f"{place}: passed is true or false, got {score}")
        items.append(Item(id=task, repeat=repeat, score=score, content=f"task {task}", why=why))
    counted = asked["of"] != PASSED
    return LogRun(
        metric=asked[0],
        items=tuple(items),
        shape="attempts" if counted else "scores",
        measure=asked["of"] if counted else None,
    )


def _attempts(path: Path, title: str) -> Iterator[tuple[str, str, Any]]:
    for place, attempt in decoded_lines(path, title, Attempt):
        yield place, id_text(attempt.task_id), attempt.passed


def _checked(path: Path, title: str, tests: str | None) -> Iterator[tuple[str, str, Any]]:
    """An attempt passes if it passes the original tests and, where they were run, those added."""
    for task, attempts in document(path, title, Checks).eval.items():
        for number, each in enumerate(attempts, start=1):
            passed = None if each.base_status is None else each.base_status == "pass"
            if tests is None and each.plus_status is not None:
                passed = passed and each.plus_status == "pass"
            yield f"attempt {number} at {task!r} of {title}", task, passed
