"""Traces of Langfuse with their scores."""

from collections.abc import Iterator
from typing import Any

from assay.core.errors import EvidenceError
from assay.evidence.readers.log_items import LogAnswer, digest, inside, listed


def answers(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Scores of traces as they are exported, or `run_experiment(…).item_results` written as JSON."""
    for row in listed(found if isinstance(found, list) else inside(found, "data", list)):
        given = row.get("scores") or row.get("evaluations")
        if not isinstance(given, list) or not given:
            continue
        if all(isinstance(one, str) for one in given):
            raise EvidenceError(
                "traces of Langfuse were listed with only the ids of their scores. Fetch each "
                "with its scores, langfuse.api.trace.get(id), and write those as JSON"
            )
        # a category has a number too, which says nothing; its word is refused as a score
        scores = {
            str(one.get("name")): one.get("value") if said is None else said
            for one in listed(given)
            for said in [one.get("stringValue")]
        }
        asked = digest(row.get("input") or inside(row, "item.input", object))
        model = inside(row, "metadata.model", str) or stem
        yield LogAnswer(asked, scores, f"input {asked}", row, model)
