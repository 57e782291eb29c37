"""Every Eval Ever: ``<uuid>_samples.jsonl`` beside the aggregate ``<uuid>.json``."""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from assay.core.errors import EvidenceError
from assay.core.notes import Note, note
from assay.evidence.cells import plural
from assay.evidence.readers.lm_eval_metrics import aggregation, notes
from assay.evidence.readers.log_files import decoded, decoded_lines, document, document_beside
from assay.evidence.readers.log_items import (
    Item,
    Log,
    LogRun,
    Wanted,
    chosen_metric,
    cluster_of,
    digest,
    higher_by_name,
    inside,
    score_of,
    times_seen,
)

PLAIN = "score"
"""Where a score stands, and what it is called if it points at no result of the aggregate."""
CORRECT = "is_correct"
ROUNDED = 0.005
"""Aggregates are often rounded: a mean of the items that differs by less says nothing."""
_KEPT = "lm_eval_metrics"
"""Where the converter of lm-evaluation-harness keeps all metrics of an item."""


class Row(msgspec.Struct):
    """A line of the instances, without outputs and messages."""

    model_id: str
    evaluation_name: str
    sample_id: str
    evaluation: dict[str, Any]
    evaluation_id: str = ""
    evaluation_result_id: str | None = None
    sample_hash: str | None = None
    input: Any = None
    error: str | None = None
    metadata: dict[str, Any] | None = None


class MetricConfig(msgspec.Struct):
    """How a metric is to be read."""

    lower_is_better: bool | None = None
    has_unknown_level: bool | None = None


class Result(msgspec.Struct):
    """One aggregate result."""

    evaluation_name: str = ""
    evaluation_result_id: str | None = None
    metric_config: MetricConfig = msgspec.field(default_factory=MetricConfig)
    score_details: Any = None


class Aggregate(msgspec.Struct):
    """An aggregate file."""

    evaluation_id: str = ""
    evaluation_results: list[Result] = []
    eval_library: Any = None
    detailed_evaluation_results: Any = None

    def result(self, task: str, metric: str) -> Result:
        """The result of a metric, or what another result on the task says about how to read it."""
        for result in self.evaluation_results:
            if result.evaluation_result_id == metric and result.evaluation_name in (task, ""):
                return result
        for result in self.evaluation_results:
            if result.evaluation_name == task:
                return Result(metric_config=result.metric_config)
        return Result()


_row = msgspec.json.Decoder(Row)
_aggregate = msgspec.json.Decoder(Aggregate)
_metrics = msgspec.json.Decoder(dict[str, Any])


def find(path: Path, title: str) -> list[Log]:
    """The runs in a file of instances, or in the one that an aggregate file names."""
    if path.suffix == ".json":
        aggregate = document(path, title, _aggregate)
        stated = inside(aggregate.detailed_evaluation_results, "file_path", str)
        # only the last part of the stated path is used: a log names no file elsewhere
        names = [Path(stated or "").name, f"{path.stem}_samples.jsonl"]
        beside = [path.with_name(name) for name in names if name]
        instances = next((each for each in beside if each.is_file()), None)
        if instances is None:
            raise EvidenceError(
                f"{title} holds averages only, and no file of instances stands beside it; "
                "averages and their standard errors are not enough to compare item by item"
            )
        return _logs(instances, str(instances), aggregate)
    beside_it = path.with_name(path.name.replace("_samples.jsonl", ".json"))
    known = document_beside(beside_it, _aggregate) if beside_it != path else None
    return _logs(path, title, known or Aggregate())


def _logs(path: Path, title: str, aggregate: Aggregate) -> list[Log]:
    groups: dict[tuple[str, str], list[Row]] = {}
    for _, row in decoded_lines(path, title, _row):
        groups.setdefault((row.model_id, row.evaluation_name), []).append(row)
    library = [inside(aggregate.eval_library, word, str) for word in ("name", "version")]
    harness = " of ".join(["Every Eval Ever", *filter(None, [" ".join(filter(None, library))])])
    return [
        Log(
            path=path,
            title=title,
            harness=harness,
            model=model,
            task=task,
            read=partial(_read, title, task, rows, aggregate),
        )
        for (model, task), rows in groups.items()
    ]


def _read(
    title: str, task: str, rows: Sequence[Row], aggregate: Aggregate, wanted: Wanted
) -> LogRun:
    # a row without a result stands for an item that has no score in any: see _unscored
    names = list(dict.fromkeys(row.evaluation_result_id or PLAIN for row in rows))
    if len(names) > 1 and PLAIN in names:
        names.remove(PLAIN)
    correct = wanted.metric == CORRECT
    asked = names[0] if correct and len(names) == 1 else wanted.metric
    of, chosen = chosen_metric(asked, names, title)
    kept = [row for row in rows if row.evaluation_result_id in (None, of) or of == PLAIN]
    result = aggregate.result(task, of)
    lower = result.metric_config.lower_is_better
    way = "mean" if correct else _way(kept, of)
    values = [row.evaluation.get(CORRECT if correct else PLAIN) for row in kept]
    items = []
    for row, value, repeat in zip(
        kept, values, times_seen(row.sample_id for row in kept), strict=True
    ):
        why = _unscored(row, of, result.metric_config)
        score, why = (None, why) if why else score_of(value, f"sample {row.sample_id!r} of {title}")
        turned = -score if score is not None and way == "perplexity" else score
        cluster = cluster_of(row.metadata, wanted.cluster)
        items.append(Item(row.sample_id, turned, repeat, *_hashes(row), cluster, why))
    said = None if correct else inside(result.score_details, PLAIN, object)
    return LogRun(
        metric=CORRECT if correct else of,
        items=tuple(items),
        higher=way == "mean" and (correct or (higher_by_name(of) if lower is None else not lower)),
        notes=(
            *chosen,
            *_notes(items, kept, title),
            *notes(items, of, way, title, said, slack=ROUNDED),
        ),
    )


def _way(rows: Sequence[Row], metric: str) -> str:
    """How lm-evaluation-harness puts a metric together, where the rows are converted from its log.

    The converter writes the log likelihood of an item as its score, and beside it that less is better,
    which is true of the perplexity.
    """
    if not all(isinstance((row.metadata or {}).get(_KEPT), str) for row in rows):
        return "mean"
    way = aggregation(metric.partition(":")[0], [row.evaluation.get(PLAIN) for row in rows], None)
    return way if way == "perplexity" else "mean"


def _unscored(row: Row, metric: str, config: MetricConfig) -> str:
    """Why the score of a row is none, although the schema demands a number in it."""
    if row.error:
        return "the sample ended in an error"
    if config.has_unknown_level and row.evaluation.get(PLAIN) == -1:
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
        return content, f"prompt {kept.get('prompt_hash', '')}"
    if row.sample_hash:
        return f"eee {row.sample_hash}", ""
    if inside(row.input, "raw", str):
        return f"eee-input {digest(row.input['raw'], row.input.get('reference'))}", ""
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
