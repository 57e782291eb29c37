"""What is worked out once: at another level, of the same evidence, or when a result is first asked for it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Generic, TypeVar

Found = TypeVar("Found")
Kind = TypeVar("Kind")
_NAMED = "_filled_later"
"""Where a class keeps the names of its fields that may be given later."""
_STANDING = ContextVar("rows that nobody changes", default=False)


class Kept(dict[Any, Any]):
    """Values by name, each worked out when it is first asked for."""

    __slots__ = ()

    def once(self, name: Any, find: Callable[[], Found]) -> Found:
        """What ``find`` gave the first time this name was asked for."""
        if name not in self:
            self[name] = find()
        found: Found = self[name]
        return found


@dataclass(slots=True, eq=False)
class Later(Generic[Found]):
    """A value worked out when it is first asked for, once for all who hold it.

    ``find`` closes over numbers of its own, never over rows: whoever brought those may change
    them in the meantime. Afterwards it is let go.
    """

    find: Callable[[], Found] | None
    found: Any = None

    def __call__(self) -> Found:
        find = self.find  # another thread may be asking too
        if find is not None:
            self.found = find()
            self.find = None
        found: Found = self.found
        return found


def later(find: Callable[[], Found], *, of_rows: bool = False) -> Found:
    """What ``find`` gives, as the value of a field that `filled_later` names.

    What is found ``of_rows`` is found at once, unless these stay as they are (`while_rows_stand`).
    """
    if of_rows and not _STANDING.get():
        return find()
    return Later(find)  # type: ignore[return-value]  # whoever reads the field gets the value


@contextmanager
def while_rows_stand() -> Iterator[None]:
    """Promises that nobody changes the rows of what is compared here before its result was read."""
    token = _STANDING.set(True)
    try:
        yield
    finally:
        _STANDING.reset(token)


def filled_later(*names: str) -> Callable[[type[Kind]], type[Kind]]:
    """A slotted dataclass, frozen or not, whose named fields may be given as `later`.

    Whoever reads such a field gets its value: to compare, copy, pickle or write a result asks for all of them.
    """

    def decorated(kind: type[Kind]) -> type[Kind]:
        for name in names:
            setattr(kind, name, _Field(kind.__dict__[name]))
        setattr(kind, _NAMED, names)
        return kind

    return decorated


def replaced(result: Found, **changes: Any) -> Found:
    """As `dataclasses.replace`; what is left for later stays so."""
    fields = vars(type(result))
    for name in fields[_NAMED]:
        changes.setdefault(name, fields[name].slot.__get__(result))
    return replace(result, **changes)  # type: ignore[type-var]  # only dataclasses have such fields


class _Field:
    """A slot that gives the value of a `Later`, and keeps it."""

    def __init__(self, slot: Any) -> None:
        self.slot = slot
        """What holds the value, or how to work it out."""

    def __get__(self, owner: Any, kind: Any = None) -> Any:
        if owner is None:
            return self
        value = self.slot.__get__(owner)
        if isinstance(value, Later):
            value = value()
            self.slot.__set__(owner, value)
        return value

    def __set__(self, owner: Any, value: Any) -> None:
        self.slot.__set__(owner, value)
