"""Every Eval Ever: ``<uuid>_samples.jsonl`` beside the aggregate ``<uuid>.json``."""

import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import plural
from assay.evidence.readers.lm_eval_metrics import aggregation, notes, stated
from assay.evidence.readers.log_files import decoded, decoded_lines, document, document_beside
from assay.evidence.readers.log_items import (
    Item,
    Log,
    LogAnswer,
    LogAverage,
    LogRequest,
    LogRun,
    chosen_metric,
    digest,
    higher_by_name,
    inside,
    items_of,
)

PLAIN = "score"
"""Where a score stands, and what it is called if it points at no result of the aggregate."""
CORRECT = "is_correct"
ROUNDED = 0.005
"""Aggregates are often rounded: a mean of the items that differs by less says nothing."""
_KEPT = "lm_eval_metrics"
"""Where the converter of lm-evaluation-harness keeps all metrics of an item."""


class InstanceLine(msgspec.Struct):
    """A line of the instances, without outputs and messages."""

    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: dict[str, Any]
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    input: Any = None
    error: str | None = None
    metadata: dict[str, Any] | None = None


def find(path: Path, title: str) -> list[Log]:
    """The runs in a file of instances, or in the one that an aggregate file names."""
    if path.suffix != ".json":
        beside = path.with_name(path.name.replace("_samples.jsonl", ".json"))
        known = document_beside(beside, dict[str, Any]) if beside != path else None
        return _logs(path, title, known or {})
    aggregate = document(path, title, dict[str, Any])
    stated = inside(aggregate, "detailed_evaluation_results.file_path", str)
    # only the last part of the stated path is used: a log names no file elsewhere
    for name in (Path(stated or "").name, f"{path.stem}_samples.jsonl"):
        if name and os.path.isfile(path.with_name(name)):  # noqa: PTH113 - False for any name
            return _logs(path.with_name(name), str(path.with_name(name)), aggregate)
    raise EvidenceError(
        f"{title} holds averages only, and there is no file of instances beside it. Averages and "
        "their standard errors are not enough to compare item by item"
    )


def _logs(path: Path, title: str, aggregate: Mapping[str, Any]) -> list[Log]:
    groups: dict[tuple[str, str], list[InstanceLine]] = {}
    for _, row in decoded_lines(path, title, InstanceLine):
        groups.setdefault((row.model_id, row.evaluation_name), []).append(row)
    library = [inside(aggregate, f"eval_library.{word}", str) for word in ("name", "version")]
    behind = " ".join(filter(None, library))
    return [
        Log(
            path=path,
            title=title,
            harness=f"Every Eval Ever{behind and ' of ' + behind}",
            model=model,
            task=task,
            read=partial(_read, title, task, rows, aggregate),
        )
        for (model, task), rows in groups.items()
    ]


def _read(
    title: str,
    task: str,
    rows: Sequence[InstanceLine],
    aggregate: Mapping[str, Any],
    wanted: LogRequest,
) -> LogRun:
    # a row without a result stands for an item that has no score in any: see _unscored
    names = list(dict.fromkeys(row.evaluation_result_id or PLAIN for row in rows))
    if len(names) > 1 and PLAIN in names:
        names.remove(PLAIN)
    correct = wanted.metric == CORRECT
    asked = names[0] if correct and len(names) == 1 else wanted.metric
    of, chosen = chosen_metric(asked, names, title)
    kept = [row for row in rows if row.evaluation_result_id in (None, of) or of == PLAIN]
    result = _result(aggregate, task, of)
    lower = inside(result, "metric_config.lower_is_better", bool)
    way = "mean" if correct else _way(kept, of)
    place = CORRECT if correct else PLAIN
    answers = [_answer(row, of, result) for row in kept]
    items = list(items_of(answers, place, wanted, title))
    if way == "perplexity":
        items = [one if one.score is None else one._replace(score=-one.score) for one in items]
    said = None if correct else inside(result, "score_details.score", object)
    average = stated(said, way)
    return LogRun(
        metric=CORRECT if correct else of,
        items=tuple(items),
        reported={} if average is None else {task: LogAverage(average)},
        higher=way == "mean" and (correct or (higher_by_name(of) if lower is None else not lower)),
        notes=(
            *chosen,
            *_notes(items, kept, title),
            *notes(items, of, way, title, said, slack=ROUNDED),
        ),
    )


def _result(aggregate: Mapping[str, Any], task: str, metric: str) -> Mapping[str, Any]:
    """The result of a metric, or what another result on the task says about how to read it."""
    of_task: Mapping[str, Any] = {}
    for result in inside(aggregate, "evaluation_results", list) or ():
        name = inside(result, "evaluation_name", str) or ""
        if inside(result, "evaluation_result_id", str) == metric and name in (task, ""):
            return result  # type: ignore[no-any-return]
        if name == task:
            of_task = of_task or {"metric_config": result.get("metric_config")}
    return of_task


def _way(rows: Sequence[InstanceLine], metric: str) -> str:
    """How lm-evaluation-harness puts a metric together, where the rows are converted from its log.

    The converter writes the log likelihood of an item as its score, and beside it that less is better,
    which is true of the perplexity.
    """
    if any(inside(row.metadata, _KEPT, str) is None for row in rows):
        return "mean"
    way = aggregation(metric.partition(":")[0], [row.evaluation.get(PLAIN) for row in rows], None)
    return way if way == "perplexity" else "mean"


def _unscored(row: InstanceLine, metric: str, result: Mapping[str, Any]) -> str:
    """Why the score of a row is none, although the schema demands a number in it."""
    if row.error:
        return "the sample ended in an error"
    unknown = inside(result, "metric_config.has_unknown_level", bool)
    if unknown and row.evaluation.get(PLAIN) == -1:
        return "the score is unknown (-1)"
    lost = row.evaluation_result_id is None and metric != PLAIN
    logged = inside(row.metadata, _KEPT, str)
    if logged is not None:
        # the converter of lm-eval logs writes 0.0 and False where no metric is a number
        values = decoded(logged.encode(), dict[str, Any], _KEPT).values()
        lost = lost or not any(isinstance(value, int | float) for value in values)
    return "the converter found no score and wrote 0" if lost else ""


def _answer(row: InstanceLine, metric: str, result: Mapping[str, Any]) -> LogAnswer:
    """A row; hashes of item and prompt are those of the harness where the converter kept them."""
    kept: Mapping[str, Any] = row.metadata or {}
    content = prompt = ""
    if kept.get("doc_hash"):
        content = f"lm-eval {kept['doc_hash']} {kept.get('target_hash', '')}"
        prompt = f"prompt {kept.get('prompt_hash', '')}"
    elif row.sample_hash:
        content = f"eee {row.sample_hash}"
    elif inside(row.input, "raw", str):
        content = f"eee-input {digest(row.input['raw'], row.input.get('reference'))}"
    return LogAnswer(
        row.sample_id,
        row.evaluation,
        content,
        row.metadata,
        place=f"sample {row.sample_id!r}",
        prompt=prompt,
        why=_unscored(row, metric, result),
    )


def _notes(items: Sequence[Item], rows: Sequence[InstanceLine], title: str) -> Iterator[Note]:
    """Zeros that may be missing scores, where nothing in the row tells."""
    doubtful = sum(
        item.score == 0.0
        and row.evaluation_result_id is None
        and not inside(row.metadata, _KEPT, object)
        for item, row in zip(items, rows, strict=True)
    )
    if doubtful:
        yield note("doubtful-zeros", title=title, count=plural(doubtful, "score"))
