"""A view or a brief for the terminal: options as they are typed, where results name arguments.

Results speak Python (`margin=`), so that their sentences read well there and in JSON. Here, and
nowhere else, they become what one types (`--margin`); tables and names stay as they are.
"""

from collections.abc import Iterable
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from assay.core.option_names import with_options

Shown = TypeVar("Shown")

_SENTENCES = {
    "answer", "lines", "warnings", "text", "more", "message", "headline", "facts", "detail", "notes", "decided",
    "does_not_say", "assumptions",
}  # fmt: skip
"""Fields of views and briefs that hold sentences, or parts that hold some."""


def as_typed(shown: Shown, names: Iterable[str]) -> Shown:
    """The same with options in its sentences; ``names`` of models may look like arguments."""
    kept = tuple(names)
    return replace(  # type: ignore[type-var]
        shown,
        **{
            field.name: _typed(getattr(shown, field.name), kept)
            for field in fields(shown)  # type: ignore[arg-type]
            if field.name in _SENTENCES
        },
    )


def _typed(value: Any, names: tuple[str, ...]) -> Any:
    if isinstance(value, str):
        return with_options(value, names)
    if isinstance(value, tuple):
        return tuple(_typed(one, names) for one in value)
    return as_typed(value, names) if is_dataclass(value) else value


def names_in(result: Any) -> tuple[str, ...]:
    """The names of models and slices in the sentences of a result."""
    evidence = getattr(result, "evidence", None)
    parts = getattr(result, "parts", ())
    return (*getattr(evidence, "models", ()), *(str(part.slice) for part in parts))
