"""Runs and experiments of LangSmith."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.cell_text import id_text
from assay.evidence.readers.log_items import LogAnswer, digest, inside, listed
from assay.evidence.readers.run_tables import after


def answers(found: Any, stem: str) -> Iterator[LogAnswer]:
    """Runs as they are exported, or the table that `evaluate(…).to_pandas()` gives, with columns `feedback.…`."""
    for row in listed(found):
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
