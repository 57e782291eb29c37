"""Details of lighteval: ``details_<task>_<time>.parquet`` with a score per metric and document."""

import re
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.readers.duckdb_errors import parquet_columns
from assay.evidence.readers.log_files import decoded
from assay.evidence.readers.log_items import (
    Log,
    LogAnswer,
    LogRequest,
    LogRun,
    digest,
    run_of,
    told_apart,
)

_NAME = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+?)\.parquet")


def find(path: Path, title: str) -> list[Log]:
    """The run in one file of details; its folders name the model."""
    named = _NAME.fullmatch(path.name)
    task, time = (named["task"], named["time"]) if named else (path.stem, "")
    folders = path.parts[:-1]
    model = path.parent.name or path.stem
    if "details" in folders:
        last = len(folders) - 1 - folders[::-1].index("details")
        model = "/".join(part for part in folders[last + 1 :] if part != time) or model
    read = partial(_read, path, title)
    return [Log(path=path, title=title, harness="lighteval", model=model, task=task, read=read)]


def _read(path: Path, title: str, wanted: LogRequest) -> LogRun:
    docs, rows = _columns(path, title)
    # there is no id: an item is known by its question
    questions = told_apart([digest(doc.get("query"), doc.get("choices")) for doc in docs])
    answers = []
    for number, (question, doc, row) in enumerate(zip(questions, docs, rows, strict=True), 1):
        specific = doc.get("specific")
        facts = {**doc, **specific} if isinstance(specific, dict) else doc
        content = f"lighteval {digest(doc.get('gold_index'))}"
        answers.append(LogAnswer(question, row, content, facts, place=f"row {number}"))
    return run_of(answers, title, wanted)


def _columns(path: Path, title: str) -> list[list[dict[str, Any]]]:
    """Documents and their scores; whatever else the file holds is not read."""

    def chosen(names: list[str]) -> list[str]:
        found = [name for word in ("doc", "metric") for name in (word, f"__{word}__")]
        found = [name for name in found if name in names]
        if len(found) != 2:
            raise EvidenceError(f"{title} has no columns 'doc' and 'metric'; it has {names}")
        return found

    columns = parquet_columns(path, title, chosen).values()
    return [[_object(cell, title) for cell in column] for column in columns]


def _object(cell: Any, title: str) -> dict[str, Any]:
    """A nested column; older versions wrote it as text."""
    if isinstance(cell, str):
        cell = decoded(cell.encode(), object, f"a cell of {title}")
    return cell if isinstance(cell, dict) else {}
