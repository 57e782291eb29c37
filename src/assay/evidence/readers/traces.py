"""Answers item by item that tools keep: promptfoo, DeepEval, Braintrust, LangSmith, Langfuse, trials of Optuna.

Each tool has a function that makes rows of one shape of its file: a model, an item, scores by name. Everything
after that is the same.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from assay.core.errors import EvidenceError
from assay.core.sqlite_files import MAGIC
from assay.evidence.cell_text import id_text, number_of
from assay.evidence.readers.experiments import answers_of
from assay.evidence.readers.log_files import decoded, decoded_lines, document, head_of
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
from assay.evidence.readers.run_tables import rows_of


class Row(NamedTuple):
    """One answer: whose, to what, and how it was scored; ``facts`` may name its cluster."""

    model: str
    item: str
    scores: Mapping[str, Any]
    content: str
    facts: Any


Rows = Callable[[Any, str], Iterator[Row]]


def find(path: Path, title: str, *, tool: str) -> list[Log]:
    """The models in one file, each a log of its own."""
    rows: dict[str, list[Row]] = {}
    for row in ROWS[tool](_loaded(path, title), _stem(path)):
        rows.setdefault(row.model, []).append(row)
    return [
        Log(
            path=path,
            title=title,
            harness=tool,
            model=model,
            task=tool,
            read=partial(_read, tuple(found), title),
        )
        for model, found in rows.items()
    ]


def _read(rows: tuple[Row, ...], title: str, wanted: Wanted) -> LogRun:
    available = list(dict.fromkeys(name for row in rows for name in row.scores))
    metric, notes = chosen_metric(wanted.metric, available, title)
    items = []
    for repeat, row in zip(times_seen(row.item for row in rows), rows, strict=True):
        score, why = score_of(row.scores.get(metric), f"item {row.item} of {title}")
        items.append(
            Item(
                id=row.item,
                repeat=repeat,
                score=score,
                content=row.content,
                why=why,
                cluster=cluster_of(row.facts, wanted.cluster),
            )
        )
    return LogRun(metric=metric, items=tuple(items), higher=higher_by_name(metric), notes=notes)


def _loaded(path: Path, title: str) -> Any:
    """A document, the values of its lines, the rows of a table, or those of a storage of Optuna."""
    head = head_of(path).lstrip()
    if head.startswith(MAGIC):
        return answers_of(path)
    lines = path.name.endswith((".jsonl", ".jsonl.gz", ".ndjson"))
    if lines and not head.startswith(b"["):
        return [value for _, value in decoded_lines(path, title, dict[str, Any])]
    return document(path, title, Any) if head[:1] in (b"{", b"[") else list(rows_of(path))


def _stem(path: Path) -> str:
    return path.name.split(".")[0] or path.resolve().parent.name


def _listed(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise EvidenceError("a list of answers was expected")
    return found


def _promptfoo(found: Any, stem: str) -> Iterator[Row]:
    """The model is the provider, with the prompt where there are several; success is the verdict."""
    inner = inside(found, "results.results", list) or inside(found, "results", list)
    # answers are written as they come in, so the order is made here
    rows = sorted(
        _listed(inner),
        key=lambda row: (str(row.get("promptIdx")), number_of(row.get("testIdx")) or 0),
    )
    prompts = {inside(row, "prompt.label", str) or inside(row, "prompt.raw", str) for row in rows}
    for row in rows:
        provider = inside(row, "provider.label", str) or inside(row, "provider.id", str)
        model = provider or inside(row, "provider", str) or stem
        prompt = inside(row, "prompt.label", str) or inside(row, "prompt.raw", str) or ""
        if len(prompts) > 1:
            model = f"{model} · {prompt[:60]}"
        asked = inside(row, "vars", dict) or inside(row, "testCase.vars", dict) or {}
        named = inside(row, "namedScores", dict) or {}
        test = digest(asked) if asked else id_text(row.get("testIdx", ""))
        scores = {"success": row.get("success"), "score": row.get("score"), **named}
        yield Row(model, test, scores, f"vars {digest(asked)}", {**row, **asked})


def _deepeval(found: Any, stem: str) -> Iterator[Row]:
    """Success is that of all metrics of a test case; each metric has its score."""
    places = ("testCases", "testRunData.testCases", "test_cases")
    cases = next((one for place in places if (one := inside(found, place, list)) is not None), None)
    told = (inside(found, f"{place}hyperparameters.model", str) for place in ("", "testRunData."))
    model = next(filter(None, told), stem)
    for case in _listed(cases):
        metrics = case.get("metricsData") or case.get("metrics_data") or []
        scores = {str(one.get("name")): one.get("score") for one in _listed(metrics)}
        asked = case.get("input")
        yield Row(
            model,
            digest(asked),
            {"success": case.get("success"), **scores},
            f"input {digest(asked)}",
            case,
        )


def _braintrust(found: Any, stem: str) -> Iterator[Row]:
    """Experiments as they are exported, or `Eval(…).results` written as JSON; an answer that failed has no scores."""
    for row in _listed(found):
        scores = inside(row, "scores", dict) or {}
        inner = row.get("span_parents")  # a step inside an answer
        if inner or not (scores or row.get("error")):
            continue
        asked = digest(row.get("input"))
        model = inside(row, "metadata.model", str) or stem
        yield Row(model, asked, scores, f"input {asked}", row)


def _langsmith(found: Any, stem: str) -> Iterator[Row]:
    """Runs as they are exported, or the table that `evaluate(…).to_pandas()` gives, with columns `feedback.…`."""
    for row in _listed(found):
        stats = inside(row, "feedback_stats", dict) or {}
        scores = {name: inside(one, "avg", object) for name, one in stats.items()}
        scores |= _columns(row, "feedback.")
        if not scores:
            continue
        asked = digest(row.get("inputs") or _columns(row, "inputs."))
        item = row.get("reference_example_id") or row.get("example_id")
        model = inside(row, "extra.metadata.ls_model_name", str) or stem
        yield Row(model, id_text(item) if item else asked, scores, f"input {asked}", row)


def _columns(row: Mapping[str, Any], start: str) -> dict[str, Any]:
    return {name.removeprefix(start): cell for name, cell in row.items() if name.startswith(start)}


def is_langsmith(columns: set[str]) -> bool:
    """Whether a table is that of an experiment of LangSmith."""
    return "example_id" in columns and any(name.startswith("feedback.") for name in columns)


def _langfuse(found: Any, stem: str) -> Iterator[Row]:
    """Scores of traces as they are exported, or `run_experiment(…).item_results` written as JSON."""
    for row in _listed(found if isinstance(found, list) else inside(found, "data", list)):
        listed = row.get("scores") or row.get("evaluations")
        if not isinstance(listed, list) or not listed:
            continue
        if all(isinstance(one, str) for one in listed):
            raise EvidenceError(
                "traces of Langfuse were listed with only the ids of their scores. Fetch each "
                "with its scores, langfuse.api.trace.get(id), and write those as JSON"
            )
        # a category has a number too, which says nothing; its word is refused as a score
        scores = {
            str(one.get("name")): one.get("value") if said is None else said
            for one in _listed(listed)
            for said in [one.get("stringValue")]
        }
        asked = digest(row.get("input") or inside(row, "item.input", object))
        model = inside(row, "metadata.model", str) or stem
        yield Row(model, asked, scores, f"input {asked}", row)


def _optuna(found: Any, _: str) -> Iterator[Row]:
    """Lists among the user attributes of trials, such as `trial.set_user_attr("correct", [1, 0, …])`."""
    trials: dict[int, dict[str, list[Any]]] = {}
    for number, name, text in found:
        trials.setdefault(number, {})[name] = decoded(
            text.encode(), list[Any], f"{name} of trial {number}"
        )
    for number, lists in trials.items():
        for place in range(max(map(len, lists.values()))):
            scores = {name: one[place] for name, one in lists.items() if place < len(one)}
            yield Row(f"trial {number}", str(place), scores, f"place {place}", {})


ROWS: dict[str, Rows] = {
    "promptfoo": _promptfoo,
    "DeepEval": _deepeval,
    "Braintrust": _braintrust,
    "LangSmith": _langsmith,
    "Langfuse": _langfuse,
    "Optuna trials": _optuna,
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
