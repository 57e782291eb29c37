"""Details of lighteval: ``details_<task>_<time>.parquet`` with a score per metric and document."""

import re
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.evidence.duckdb_connection import connect, pattern
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    cluster_of,
    decoded,
    digest,
    higher_by_name,
    number_or_word,
)
from assay.evidence.readers.trouble import asking, unreadable
from assay.evidence.rows_sql import identifier, literal

_any = msgspec.json.Decoder(Any)
_NAME = re.compile(r"details_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\dT[\d.-]+?)\.parquet")


def find(path: Path, title: str) -> list[Log]:
    """The run in one file of details; its folders name the model."""
    named = _NAME.fullmatch(path.name)
    task = named["task"] if named else path.stem
    folders = path.parts[:-1]
    model = path.parent.name or path.stem
    if "details" in folders:
        last = len(folders) - 1 - folders[::-1].index("details")
        below = folders[last + 1 :]
        time = named["time"] if named else ""
        model = "/".join(part for part in below if part != time) or model
    read = partial(_read, path, title, model, task)
    return [Log(path=path, title=title, model=model, task=task, read=read)]


def _read(path: Path, title: str, model: str, task: str, wanted: Wanted) -> LogRun:
    rows = _rows(path, title)
    names = list(dict.fromkeys(name for _, row in rows for name in row))
    metric, chosen = chosen_metric(wanted.metric, names, title)
    times: dict[str, int] = {}
    items = []
    for place, (doc, scores) in enumerate(rows, 1):
        # there is no id: an item is known by its question, one asked twice by its number too
        question = digest(doc.get("query"), doc.get("choices"))
        times[question] = times.get(question, 0) + 1
        try:
            score, why = number_or_word(scores.get(metric))
        except ValueError as error:
            raise EvidenceError(f"row {place} of {title}: {metric}: {error}") from None
        items.append(
            Item(
                id=question if times[question] == 1 else f"{question} #{times[question]}",
                score=score,
                content=f"lighteval {digest(doc.get('gold_index'))}",
                cluster=None if wanted.cluster is None else _cluster(doc, wanted.cluster),
                why=why,
            )
        )
    return LogRun(
        path=path,
        title=title,
        harness="lighteval",
        model=model,
        task=task,
        metric=metric,
        items=tuple(items),
        higher=higher_by_name(metric),
        notes=chosen,
    )


def _cluster(doc: Mapping[str, Any], key: str) -> str | None:
    return cluster_of(doc.get("specific"), key) or cluster_of(doc, key)


def _rows(path: Path, title: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Documents and their scores; whatever else the file holds is not read."""
    run = connect([path]).execute
    source = f"read_parquet({literal(pattern(path))})"
    with asking(unreadable(title)):
        names = [str(row[0]) for row in run(f"describe select * from {source}").fetchall()]  # noqa: S608
        doc, metric = (
            next((n for n in (word, f"__{word}__") if n in names), None)
            for word in ("doc", "metric")
        )
        if doc is None or metric is None:
            raise EvidenceError(f"{title} has no columns 'doc' and 'metric'; it has {names}")
        terms = f"{identifier(doc)}, {identifier(metric)}"
        found = run(f"select {terms} from {source}").fetchall()  # noqa: S608
    return [(_object(doc), _object(metric)) for doc, metric in found]


def _object(cell: Any) -> dict[str, Any]:
    """A nested column; older versions wrote it as text."""
    if isinstance(cell, str):
        cell = decoded(cell.encode(), _any, "a cell")
    return cell if isinstance(cell, dict) else {}
