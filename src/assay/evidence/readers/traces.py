"""Answers item by item that tools keep: promptfoo, DeepEval, Braintrust, LangSmith, Langfuse, trials of Optuna.

Each tool has a function that makes answers of its file: a model, an item, scores by name. Everything after that is
the same.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from assay.core.errors import EvidenceError
from assay.core.sqlite_files import MAGIC
from assay.evidence.cell_text import id_text, number_of
from assay.evidence.readers.experiments import answers_of
from assay.evidence.readers.log_files import decoded, head_of, values_of
from assay.evidence.readers.log_items import Log, LogAnswer, digest, inside, run_of
from assay.evidence.readers.run_tables import after

Answers = Callable[[Any, str], Iterator[LogAnswer]]


def find(path: Path, title: str, *, tool: str) -> list[Log]:
    """The models in one file, each a log of its own."""
    found: dict[str, list[LogAnswer]] = {}
    stored = head_of(path).startswith(MAGIC)
    values = answers_of(path) if stored else values_of(path, title, Any)
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


def _listed(found: Any) -> list[dict[str, Any]]:
    if not isinstance(found, list) or not all(isinstance(one, dict) for one in found):
        raise EvidenceError("a list of answers was expected")
    return found


def _promptfoo(found: Any, stem: str) -> Iterator[LogAnswer]:
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
        yield LogAnswer(test, scores, f"vars {digest(asked)}", {**row, **asked}, model)


def _deepeval(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Success is that of all metrics of a test case; each metric has its score."""
    places = ("testCases", "testRunData.testCases", "test_cases")
    cases = next((one for place in places if (one := inside(found, place, list)) is not None), None)
    told = (inside(found, f"{place}hyperparameters.model", str) for place in ("", "testRunData."))
    model = next(filter(None, told), stem)
    for case in _listed(cases):
        metrics = case.get("metricsData") or case.get("metrics_data") or []
        scores = {str(one.get("name")): one.get("score") for one in _listed(metrics)}
        asked = digest(case.get("input"))
        scores = {"success": case.get("success"), **scores}
        yield LogAnswer(asked, scores, f"input {asked}", case, model)


def _braintrust(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Experiments as they are exported, or `Eval(…).results` written as JSON; an answer that failed has no scores."""
    for row in _listed(found):
        scores = inside(row, "scores", dict) or {}
        inner = row.get("span_parents")  # a step inside an answer
        if inner or not (scores or row.get("error")):
            continue
        asked = digest(row.get("input"))
        model = inside(row, "metadata.model", str) or stem
        yield LogAnswer(asked, scores, f"input {asked}", row, model)


def _langsmith(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Runs as they are exported, or the table that `evaluate(…).to_pandas()` gives, with columns `feedback.…`."""
    for row in _listed(found):
        stats = inside(row, "feedback_stats", dict) or {}
        scores = {name: inside(one, "avg", object) for name, one in stats.items()}
        scores |= after(row, "feedback.")
        if not scores:
            continue
        asked = digest(row.get("inputs") or after(row, "inputs."))
        item = row.get("reference_example_id") or row.get("example_id")
        model = inside(row, "extra.metadata.ls_model_name", str) or stem
        yield LogAnswer(id_text(item) if item else asked, scores, f"input {asked}", row, model)


def is_langsmith(columns: set[str]) -> bool:
    """Whether a table is that of an experiment of LangSmith."""
    return "example_id" in columns and any(name.startswith("feedback.") for name in columns)


def _langfuse(found: Any, stem: str) -> Iterator[LogAnswer]:
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
        yield LogAnswer(asked, scores, f"input {asked}", row, model)


def _optuna(found: Any, _: str) -> Iterator[LogAnswer]:
    """Lists among the user attributes of trials, such as `trial.set_user_attr("correct", [1, 0, …])`."""
    trials: dict[int, dict[str, list[Any]]] = {}
    for number, name, text in found:
        trials.setdefault(number, {})[name] = decoded(
            text.encode(), list[Any], f"{name} of trial {number}"
        )
    for number, lists in trials.items():
        for place in range(max(map(len, lists.values()))):
            scores = {name: one[place] for name, one in lists.items() if place < len(one)}
            yield LogAnswer(str(place), scores, f"place {place}", {}, f"trial {number}")


ANSWERS: dict[str, Answers] = {
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
