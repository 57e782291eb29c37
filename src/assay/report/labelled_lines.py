"""Pages of facts for the terminal: a label, and beside it what it holds, in lines that fit."""

import textwrap
from collections.abc import Collection, Iterable

WIDEST = 100
"""Columns of text at most, however wide the terminal, and where nobody says how wide it is."""


def labelled(
    facts: Iterable[tuple[str, str]], *, width: int, indent: int = 12, whole: Collection[str] = ()
) -> str:
    """Labels in a column, each once for the facts that follow one another; ``whole`` are lines to copy."""
    written: list[str] = []
    before = None
    for label, text in facts:
        head = f"{label if label != before else '':<{indent}}"
        before = label
        written += textwrap.wrap(
            text,
            len(head + text) if label in whole else min(width, WIDEST),
            initial_indent=head,
            subsequent_indent=" " * indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
    return "\n".join(written)
