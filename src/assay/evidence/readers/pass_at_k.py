"""Results of code benchmarks: human-eval's line per attempt with ``passed``, EvalPlus's results by task."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError, UsageError
from assay.evidence.cell_text import id_text
from assay.evidence.names import place_of
from assay.evidence.readers.log_files import decoded_lines, document
from assay.evidence.readers.log_items import (
    MAX_NAME,
    Item,
    Log,
    LogRequest,
    LogRun,
    score_of,
    times_seen,
)

PASSED = "passed"
BASE = "base"
"""Asks EvalPlus for the tests of the original benchmark alone, without those it adds."""

_OF_FORMAT = {"task_id", PASSED, "completion", "completion_id", "result", "solution"}
"""Keys of a line that are an attempt's own."""
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
    """The attempts in one file; the model is named after it, or after the folder it lies in.

    Where lines name several models, or conditions such as a temperature, each of them is a run.
    """
    named = "" if path.name == "eval_results.json" else _ENDING.sub("", path.name)
    plus = path.suffix == ".json"
    log = Log(
        path=path,
        title=title,
        harness="EvalPlus" if plus else "human-eval",
        model=named or path.resolve().parent.name or path.stem,
        task="pass@k",
        read=partial(_read, path, title, None),
    )
    runs = {} if plus else _runs(path, title)
    if len(runs) < 2:
        return [log]
    return [
        replace(log, model=name, read=partial(_read, path, title, frozenset(lines)))
        for name, lines in runs.items()
    ]


def _runs(path: Path, title: str) -> dict[str, list[int]]:
    """The lines of each model or condition, by its name; one run where nothing tells attempts apart."""
    try:
        rows = [_short(row) for _, row in decoded_lines(path, title, dict[str, msgspec.Raw])]
    except EvidenceError:  # said when the attempts are read
        return {}
    shared = set(rows[0]).intersection(*rows) if rows else set()
    keys = [key for key in rows[0] if key in shared - _OF_FORMAT and _tells_apart(key, rows)]
    runs: dict[str, list[int]] = {}
    for line, row in enumerate(rows):
        parts = [row[k] if place_of(k) == "model" else f"{k}={row[k]}" for k in keys]
        runs.setdefault(", ".join(parts), []).append(line)
    return runs


def _short(row: dict[str, msgspec.Raw]) -> dict[str, str]:
    """The short words and numbers of a line, true and false of the outcome among them."""
    found = {}
    for key, raw in row.items():
        text = bytes(raw).decode("utf-8", "replace")
        simple = len(text) <= MAX_NAME and not text.startswith(("{", "[", "null"))
        if simple and (key in ("task_id", PASSED) or text not in ("true", "false")):
            found[key] = str(msgspec.json.decode(text)) if text.startswith('"') else text
    return found


def _tells_apart(key: str, rows: Sequence[dict[str, str]]) -> bool:
    """Whether a column names models, or a condition under which every task was tried.

    A condition has the same values in every task of a model; numbers of attempts and outcomes are none.
    """
    if place_of(key) == "model":
        return len({row[key] for row in rows}) > 1
    by_task: dict[Sequence[str], list[str]] = {}
    outcomes: dict[str, set[str]] = {}
    for row in rows:
        tried = tuple(row[k] for k in row if k == "task_id" or place_of(k) == "model")
        by_task.setdefault(tried, []).append(row[key])
        outcomes.setdefault(row[key], set()).add(row.get(PASSED, ""))
    sets = {frozenset(values) for values in by_task.values()}
    if place_of(key) in ("repeat", "seed") or len(sets) > 1 or len(outcomes) < 2:
        return False
    if all(len(seen) == 1 for seen in outcomes.values()):
        return False  # another word for passed
    size = len(outcomes)
    counted = [{str(n) for n in range(start, start + size)} for start in (0, 1)]
    once = all(len(values) == size for values in by_task.values())
    return len(by_task) > 1 and not (once and set(outcomes) in counted)


def _read(path: Path, title: str, lines: frozenset[int] | None, wanted: LogRequest) -> LogRun:
    """Attempts to be counted per task, or with metric="passed" as repeats of the task; those of some lines."""
    plus = path.suffix == ".json"
    asked = _METRIC.fullmatch(wanted.metric or "pass@1")
    if asked is None or (asked["tests"] and not plus):
        also = f", each also with ',{BASE}' for the original tests alone" if plus else ""
        raise UsageError(
            f"metric is pass@K, pass^K or {PASSED!r} for {title}{also}; got {wanted.metric!r}"
        )
    if wanted.cluster is not None:
        raise EvidenceError(f"{title} has nothing to cluster tasks by; got {wanted.cluster!r}")
    every = _checked(path, title, asked["tests"]) if plus else _attempts(path, title)
    attempts = [one for n, one in enumerate(every) if lines is None or n in lines]
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
