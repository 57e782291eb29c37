"""Words that a message has twice: the call for a reader in Python, the command for one at a terminal."""

import re

_OPEN, _OR, _CLOSE = "\x0e", "\x1f", "\x0f"
_EITHER = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_OR}([^{_OPEN}{_CLOSE}]*){_CLOSE}")


def either(python: str, typed: str) -> str:
    """What to write in Python or to type at a terminal; the reader of an error sees one of them."""
    return f"{_OPEN}{python}{_OR}{typed}{_CLOSE}"


def in_python(message: str) -> str:
    """The message for a reader in Python."""
    return _EITHER.sub(r"\1", message)


def at_terminal(message: str) -> str:
    """The message for a reader at a terminal."""
    return _EITHER.sub(r"\2", message)
