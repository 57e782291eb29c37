"""Answers of an experiment of Braintrust."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.readers.log_items import LogAnswer, digest, inside, listed


def answers(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Experiments as they are exported, or `Eval(…).results` written as JSON; an answer that failed has no scores."""
    for row in listed(found):
        scores = inside(row, "scores", dict) or {}
        inner = row.get("span_parents")  # a step inside an answer
        if inner or not (scores or row.get("error")):
            continue
        asked = digest(row.get("input"))
        model = inside(row, "metadata.model", str) or stem
        yield LogAnswer(asked, scores, f"input {asked}", row, model)
