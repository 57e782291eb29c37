"""Every Eval Ever: ``<uuid>_samples.jsonl`` beside the aggregate ``<uuid>.json``."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cell_text import plural
from assay.evidence.readers.lm_eval_values import aggregation, notes
from assay.evidence.readers.logs import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    cluster_of,
    decoded,
    digest,
    document,
    higher_by_name,
    json_lines,
    number_or_word,
)

PLAIN = "score"
"""What scores are called that point at no result of the aggregate."""
CORRECT = "is_correct"
ROUNDED = 0.005
"""Aggregates are often rounded: a mean of the items that differs by less says nothing."""
_KEPT = "lm_eval_metrics"
"""Where the converter of lm-evaluation-harness keeps all metrics of an item."""


class Judged(msgspec.Struct):
    """The score of an instance."""

    score: Any = None
    is_correct: Any = None


class Question(msgspec.Struct):
    """The input of an instance."""

    raw: str = ""
    reference: Any = None


class Row(msgspec.Struct):
    """A line of the instances, without outputs and messages."""

    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: Judged
    evaluation_id: str = ""
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    input: Question = msgspec.field(default_factory=Question)
    error: str | None = None
    metadata: dict[str, Any] | None = None


class MetricConfig(msgspec.Struct):
    """How a metric is to be read."""

    lower_is_better: bool | None = None
    has_unknown_level: bool | None = None


class Averaged(msgspec.Struct):
    """The score of an aggregate result; its uncertainty is not used."""

    score: Any = None


class Result(msgspec.Struct):
    """One aggregate result."""

    evaluation_name: str = ""
    evaluation_result_id: str | None = None
    metric_config: MetricConfig = msgspec.field(default_factory=MetricConfig)
    score_details: Averaged = msgspec.field(default_factory=Averaged)


class Library(msgspec.Struct):
    """The harness behind the numbers."""

    name: str = ""
    version: str = ""


class Detailed(msgspec.Struct):
    """Where the instances are."""

    file_path: str = ""


class Aggregate(msgspec.Struct):
    """An aggregate file."""

    evaluation_id: str
    evaluation_results: list[Result]
    eval_library: Library = msgspec.field(default_factory=Library)
    detailed_evaluation_results: Detailed | None = None


_row = msgspec.json.Decoder(Row)
_aggregate = msgspec.json.Decoder(Aggregate)
_metrics = msgspec.json.Decoder(dict[str, Any])


def find(path: Path, title: str) -> list[Log]:
    """The runs in a file of instances, or in the one that an aggregate file names."""
    if path.suffix == ".json":
        aggregate = document(path, title, _aggregate)
        detailed = aggregate.detailed_evaluation_results
        # only the last part of the stated path is used: a log names no file elsewhere
        names = [Path(detailed.file_path).name] if detailed else []
        beside = [path.with_name(name) for name in [*names, f"{path.stem}_samples.jsonl"] if name]
        instances = next((each for each in beside if each.is_file()), None)
        if instances is None:
            raise EvidenceError(
                f"{title} holds averages only, and no file of instances stands beside it; "
                "averages and their standard errors are not enough to compare item by item"
            )
        return _logs(instances, str(instances), aggregate)
    beside_it = path.with_name(path.name.replace("_samples.jsonl", ".json"))
    known = beside_it != path and beside_it.is_file()
    return _logs(path, title, document(beside_it, str(beside_it), _aggregate) if known else None)


def _logs(path: Path, title: str, aggregate: Aggregate | None) -> list[Log]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for number, line in json_lines(path, title):
        row = decoded(line, _row, f"line {number} of {title}")
        groups.setdefault((row.model_id, row.evaluation_name), []).append(row)
    return [
        Log(
            path=path,
            title=title,
            model=model,
            task=task,
            read=partial(_read, path, title, rows, aggregate),
        )
        for (model, task), rows in groups.items()
    ]


def _read(
    path: Path, title: str, rows: Sequence[Row], aggregate: Aggregate | None, wanted: Wanted
) -> LogRun:
    # a row without a result stands for an item that has no score in any: see _unscored
    names = list(dict.fromkeys(row.evaluation_result_id or PLAIN for row in rows))
    if len(names) > 1 and PLAIN in names:
        names.remove(PLAIN)
    correct = wanted.metric == CORRECT
    asked = names[0] if correct and len(names) == 1 else wanted.metric
    of, chosen = chosen_metric(asked, names, title)
    kept = [row for row in rows if row.evaluation_result_id in (None, of) or of == PLAIN]
    result = _result(kept[0].evaluation_name, of, aggregate)
    config = result.metric_config
    way = "mean" if correct else _way(kept, of)
    items = tuple(_items(kept, of, config, wanted.cluster, title, correct=correct))
    if way == "perplexity":
        items = tuple(i if i.score is None else i._replace(score=-i.score) for i in items)
    said = None if correct else result.score_details.score
    library = Library() if aggregate is None else aggregate.eval_library
    return LogRun(
        path=path,
        title=title,
        harness=f"Every Eval Ever of {library.name} {library.version}".removesuffix(" of  "),
        model=kept[0].model_id,
        task=kept[0].evaluation_name,
        metric=CORRECT if correct else of,
        items=items,
        higher=way == "mean" and (correct or _higher(config, of)),
        notes=(
            *chosen,
            *_notes(items, kept, title),
            *notes(items, of, way, title, said, slack=ROUNDED),
        ),
    )


def _result(task: str, metric: str, aggregate: Aggregate | None) -> Result:
    for result in aggregate.evaluation_results if aggregate else ():
        if result.evaluation_result_id == metric and result.evaluation_name in (task, ""):
            return result
    for result in aggregate.evaluation_results if aggregate else ():
        if result.evaluation_name == task:
            return Result(metric_config=result.metric_config)
    return Result()


def _way(rows: Sequence[Row], metric: str) -> str:
    """How lm-evaluation-harness puts a metric together, where the rows are converted from its log.

    The converter writes the log likelihood of an item as its score, and beside it that less is better,
    which is true of the perplexity.
    """
    if not all(isinstance((row.metadata or {}).get(_KEPT), str) for row in rows):
        return "mean"
    way = aggregation(metric.partition(":")[0], [row.evaluation.score for row in rows], None)
    return way if way == "perplexity" else "mean"


def _higher(config: MetricConfig, metric: str) -> bool:
    return higher_by_name(metric) if config.lower_is_better is None else not config.lower_is_better


def _items(
    rows: Sequence[Row],
    metric: str,
    config: MetricConfig,
    cluster: str | None,
    title: str,
    *,
    correct: bool,
) -> Iterator[Item]:
    """Items in order; a sample that comes again is a repeat."""
    times: dict[str, int] = {}
    for row in rows:
        repeat = times[row.sample_id] = times.get(row.sample_id, 0) + 1
        why = _unscored(row, metric, config)
        score = None
        if not why:
            value = row.evaluation.is_correct if correct else row.evaluation.score
            try:
                score, why = number_or_word(value)
            except ValueError as error:
                raise EvidenceError(f"sample {row.sample_id!r} of {title}: {error}") from None
        content, prompt = _hashes(row)
        yield Item(
            id=row.sample_id,
            repeat=repeat,
            score=score,
            content=content,
            prompt=prompt,
            cluster=None if cluster is None else cluster_of(row.metadata, cluster),
            why=why,
        )


def _unscored(row: Row, metric: str, config: MetricConfig) -> str:
    """Why the score of a row is none, although the schema demands a number in it."""
    if row.error:
        return "the sample ended in an error"
    if config.has_unknown_level and row.evaluation.score == -1:
        return "the score is unknown (-1)"
    if row.evaluation_result_id is None and metric != PLAIN:
        return "the converter found no score and wrote 0"
    logged = (row.metadata or {}).get(_KEPT)
    if isinstance(logged, str):
        # the converter of lm-eval logs writes 0.0 and False where no metric is a number
        values = decoded(logged.encode(), _metrics, _KEPT).values()
        if not any(isinstance(value, int | float) for value in values):
            return "the converter found no score and wrote 0"
    return ""


def _hashes(row: Row) -> tuple[str, str]:
    """Hashes of item and prompt: those of the harness where the converter kept them."""
    kept: Mapping[str, Any] = row.metadata or {}
    if kept.get("doc_hash"):
        content = f"lm-eval {kept['doc_hash']} {kept.get('target_hash', '')}"
        return content, str(kept.get("prompt_hash", ""))
    if row.sample_hash:
        return f"eee {row.sample_hash}", ""
    if row.input.raw:
        return f"eee-input {digest(row.input.raw, row.input.reference)}", ""
    return "", ""


def _notes(items: Sequence[Item], rows: Sequence[Row], title: str) -> Iterator[Note]:
    """Zeros that may be missing scores, where nothing in the row tells."""
    doubtful = sum(
        item.score == 0.0
        and row.evaluation_result_id is None
        and not (row.metadata or {}).get(_KEPT)
        for item, row in zip(items, rows, strict=True)
    )
    if doubtful:
        yield note("doubtful-zeros", title=title, count=plural(doubtful, "score"))
