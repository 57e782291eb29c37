"""What was worked out once and is asked for again: at another level, of the same evidence."""

from collections.abc import Callable
from typing import Any, TypeVar

Found = TypeVar("Found")


class Kept:
    """Values by name, each worked out when it is first asked for."""

    __slots__ = ("_found",)

    def __init__(self) -> None:
        self._found: dict[Any, Any] = {}

    def once(self, name: Any, find: Callable[[], Found]) -> Found:
        """What ``find`` gave the first time this name was asked for."""
        if name not in self._found:
            self._found[name] = find()
        found: Found = self._found[name]
        return found
