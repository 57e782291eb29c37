"""What was read of the evidence behind a page, column by column, and which questions are open."""

import os
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from assay.core.errors import AssayError
from assay.core.formatting import clean, clean_name
from assay.core.questions import Answer, Question
from assay.core.results import Comparison
from assay.evidence.open_questions import which_direction
from assay.evidence.readers.log_formats import recognise
from assay.evidence.readers.source_tables import open_sources
from assay.evidence.reading import Reading, look
from assay.report.reading_view import column_values
from assay.web.page_state import written

MOST_COLUMNS = 200
"""Columns that are listed one by one."""


def looked(source: dict[str, Any], told: dict[str, Any]) -> Reading:
    """What uploaded files hold, or what a study left in its store."""
    if source["kind"] == "study":
        from assay.web.job_studies import evidence_of

        return look(evidence_of(source, told))
    os.chdir(source["folder"])  # so that files go by their names, and nobody sees our folders
    return look(*map(Path, source["names"]), **told)


def columns_of(source: dict[str, Any]) -> list[str]:
    """The columns of uploaded tables that could not be read any further; none of logs."""
    if source["kind"] != "files":
        return []
    os.chdir(source["folder"])
    paths = [Path(name) for name in source["names"]]
    try:
        tables = open_sources([path for path in paths if recognise(path) is None])
    except AssayError:
        return []
    return list(dict.fromkeys(name for table in tables for name in table.names))


def reading_facts(reading: Reading) -> dict[str, Any]:
    """The reading as the page shows it."""
    return {
        "sentence": clean(reading.sentence),
        "shape": reading.shape,
        "unit": reading.unit,
        "models": list(reading.models),
        "summary_rows": list(map(clean_name, reading.summary_rows)),
        "looked_at": next((one.looked_at for one in reading.columns if one.looked_at), None),
        "columns": [
            {
                "name": clean_name(one.name) or "(no name)",
                "role": one.role,
                "why": one.why,
                "values": column_values(one),
            }
            for one in reading.columns[:MOST_COLUMNS]
        ],
    }


def question_facts(question: Question, columns: Collection[str]) -> dict[str, Any]:
    """A question with its answers, each as the part of an address that says it."""
    return {
        "code": question.code,
        "text": clean(question.text),
        "answers": [_answer_facts(answer, columns) for answer in question.answers],
    }


def _answer_facts(answer: Answer, columns: Collection[str]) -> dict[str, Any]:
    fills = _left_to_fill(answer.arguments, columns)
    return {
        "text": clean(answer.text),
        "says": "" if fills else urlencode(written(answer.arguments)),
        "fills": fills,
        "example": _example(answer.arguments[fills]) if fills else "",
    }


def _left_to_fill(arguments: Mapping[str, Any], columns: Collection[str]) -> str | None:
    """The option of which an answer gives an example only: the visitor fills it in."""
    for name, value in arguments.items():
        unknown = name == "models" and not set(value) <= set(columns)
        if name in ("names", "test_share") or unknown or (name, value) == ("measure", "NAME"):
            return name
    return None


def _example(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


def direction_question(result: Any) -> list[Question]:
    """The question that a neutral answer leaves: which way is better."""
    if not isinstance(result, Comparison) or result.direction != "unknown":
        return []
    if any(verdict.word in ("higher", "lower") for verdict in result.verdicts):
        return [which_direction(result.measure)]
    return []
