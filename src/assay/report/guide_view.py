"""The advice of the choosing guide in words, for the terminal."""

import textwrap
from collections.abc import Iterator

from assay.compare.guide import Advice

WIDTH, INDENT = 100, 14


def advice_text(advice: Advice) -> str:
    """The advice as lines for the terminal."""
    lines = [f"Use {advice.method}: {advice.question}", ""]
    for label, texts in (
        ("Why", (advice.reason,)),
        ("Beside", advice.beside),
        ("Refused", advice.refused),
        ("Assumes", advice.assumes),
        ("Applies to", (advice.speaks_about,)),
        ("Limits", (advice.does_not_say,)),
    ):
        lines += _labelled(label, texts)
    lines += _labelled("Command", (advice.command,), width=1000)
    lines += _labelled("Python", (advice.call,), width=1000)
    lines += _labelled("Docs", (advice.docs,))
    return "\n".join(lines)


def _labelled(label: str, texts: tuple[str, ...], *, width: int = WIDTH) -> Iterator[str]:
    for place, text in enumerate(texts):
        head = f"{'' if place else label:<{INDENT}}"
        yield from textwrap.wrap(
            text, width, initial_indent=head, subsequent_indent=" " * INDENT, break_long_words=False
        )
