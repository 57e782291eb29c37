"""Answers of promptfoo, item by item."""

from collections.abc import Iterator
from typing import Any

from assay.evidence.cell_text import id_text, number_of
from assay.evidence.readers.log_items import LogAnswer, digest, inside, listed


def answers(found: Any, stem: str) -> Iterator[LogAnswer]:
    """The model is the provider, with the prompt where there are several; success is the verdict."""
    inner = inside(found, "results.results", list) or inside(found, "results", list)
    # answers are written as they come in, so the order is made here
    rows = sorted(
        listed(inner),
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
