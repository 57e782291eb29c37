"""Answers item by item that tools export: how the file of each is known, and which module makes answers of it.

An answer is of a model and an item, with scores by name. Everything after that is the same.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.sqlite_files import MAGIC
from assay.evidence.readers import (
    braintrust,
    deepeval,
    langfuse,
    langsmith,
    optuna,
    promptfoo,
)
from assay.evidence.readers.log_files import head_of, values_of
from assay.evidence.readers.log_items import Log, LogAnswer, run_of

Answers = Callable[[Any, str], Iterator[LogAnswer]]


def find(path: Path, title: str, *, tool: str) -> list[Log]:
    """The models in one file, each a log of its own."""
    found: dict[str, list[LogAnswer]] = {}
    stored = head_of(path).startswith(MAGIC)
    values = optuna.lists_of(path) if stored else values_of(path, title, Any)
    for answer in ANSWERS[tool](values, _stem(path)):
        found.setdefault(answer.model, []).append(answer)
    return [
        Log(
            path=path,
            title=title,
            harness=tool,
            model=model,
            task=tool,
            read=partial(run_of, answers, title),
        )
        for model, answers in found.items()
    ]


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.resolve().parent.name


ANSWERS: dict[str, Answers] = {
    "promptfoo": promptfoo.answers,
    "DeepEval": deepeval.answers,
    "Braintrust": braintrust.answers,
    "LangSmith": langsmith.answers,
    "Langfuse": langfuse.answers,
    "Optuna trials": optuna.answers,
}
LINES: dict[str, tuple[set[str], set[str]]] = {
    "Braintrust": (
        {"scores", "input"},
        {
            "root_span_id",
            "_xact_id",
            "experiment_id",
            "span_attributes",
            "classifications",
            "expected",
        },
    ),
    "LangSmith": ({"inputs", "feedback_stats"}, {"run_type", "reference_example_id", "session_id"}),
    "Langfuse": (
        {"id", "input", "scores"},
        {"projectId", "project_id", "traceId", "htmlPath", "latency"},
    ),
}
"""Keys of a line, as :data:`log_formats._LINES` has them."""
DOCUMENTS: tuple[tuple[str, tuple[bytes, ...]], ...] = (
    (
        "promptfoo",
        (rb'^\s*\{\s*"(?:evalId|results|version)"\s*:', rb'"(?:testIdx|promptIdx|promptId)"\s*:'),
    ),
    (
        "DeepEval",
        (rb'"(?:testCases|test_cases)"\s*:', rb'"(?:metricsData|metrics_data|metricsScores)"\s*:'),
    ),
    (
        "Braintrust",
        (
            rb"^\s*\[\s*\{",
            rb'"scores"\s*:\s*\{',
            rb'"(?:root_span_id|_xact_id|experiment_id|classifications)"\s*:',
        ),
    ),
    ("LangSmith", (rb"^\s*\[\s*\{", rb'"feedback_stats"\s*:', rb'"inputs"\s*:')),
    (
        "Langfuse",
        (
            rb'^\s*(?:\{\s*"data"\s*:\s*)?\[\s*\{',
            rb'"scores"\s*:\s*\[',
            rb'"(?:projectId|traceId|htmlPath)"\s*:',
        ),
    ),
    (
        "Langfuse",
        (
            rb"^\s*\[\s*\{",
            rb'"item"\s*:',
            rb'"evaluations"\s*:\s*\[',
            rb'"(?:experiment_id|dataset_run_id|trace_id)"\s*:',
        ),
    ),
)
"""What the beginning of a document must hold, as :data:`log_formats._DOCUMENTS` has it."""
