"""Caveats as data: a code, a message with the numbers put in, and a docs paragraph for each code.

Every code is listed here once, explained in ``docs/notes.md``, and met by at least one test.
"""

from dataclasses import dataclass

MESSAGES: dict[str, str] = {
    "small-counts": "only {count} {what}: intervals rest on few cases, so {method} is used",
    "zero-variance": "{what} do not vary, so {method} has no standard error; {remedy}",
}
"""The message of each code; words in braces are filled in by :func:`note`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something the reader should know about a result."""

    code: str
    message: str


def note(code: str, /, **facts: object) -> Note:
    """The note ``code`` with its facts put in."""
    return Note(code=code, message=MESSAGES[code].format(**facts))
