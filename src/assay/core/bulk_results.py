"""Many results at once, from columns: a family of pairs has thousands of them."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields
from itertools import repeat
from typing import Any, TypeVar

Result = TypeVar("Result")


def from_columns(
    kind: type[Result], columns: Mapping[str, Sequence[Any]], **same: Any
) -> list[Result]:
    """As ``kind(…)`` for every row of the columns, what is the ``same`` in all rows named once.

    ``kind`` is a slotted dataclass without a ``__post_init__``. The fields are filled one after the
    other, each for all rows, which takes a third of the time of as many calls.
    """
    sizes = {len(column) for column in columns.values()}
    if len(sizes) != 1:
        raise TypeError(f"columns are of one length; got {sorted(sizes)}")
    made = [object.__new__(kind) for _ in range(sizes.pop())]
    unknown = {*columns, *same}
    for field in fields(kind):  # type: ignore[arg-type]
        name = field.name
        unknown.discard(name)
        column = columns.get(name)
        if column is None:
            value = same.get(name, field.default)
            if value is MISSING:
                raise TypeError(f"{kind.__name__} needs {name}")
            column = repeat(value)  # type: ignore[assignment]
        deque(map(getattr(kind, name).__set__, made, column), maxlen=0)  # type: ignore[arg-type]
    if unknown:
        raise TypeError(f"{kind.__name__} has no {', '.join(sorted(unknown))}")
    return made
