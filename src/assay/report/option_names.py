"""Words of the library as they are typed at the command line: `truth=` is `--truth` there.

Messages and results speak Python (`margin=`), so that their sentences read well there and in JSON. Here, and
nowhere else, they become what one types (`--margin`); tables and names stay as they are.
"""

import re
import shlex
from dataclasses import fields, is_dataclass, replace
from typing import Any, TypeVar

from assay.core.formatting import clean
from assay.core.wording import at_terminal

Shown = TypeVar("Shown")

_SENTENCES = {
    "answer", "lines", "warnings", "text", "more", "message", "headline", "facts", "detail", "notes", "decided",
    "does_not_say", "assumptions",
}  # fmt: skip
"""Fields of views and briefs that hold sentences, or parts that hold some."""
_PHRASES = {
    "evidence.labels_from_scores(threshold=0.5)": "--threshold 0.5",
    "at_least={'accuracy': 0.9}": "--at-least accuracy=0.9",
    "n=, power= and difference=": "--n, --power and --difference",
    "or n= alone": "or --n alone",
    "id=False": "--by-position",
    "paired=False": "--unpaired",
    "correct=True": "--correct",
    "losses=True": "--losses",
    "models_in_rows=True": "--models-in-rows",
    "lower_is_better=True": "--lower-is-better",
    "sequential=True": "--sequential",
    "lower_is_better=False": "--higher-is-better",
}
_OPTIONS = {
    **{
        name: f"--{name}"
        for name in (
            *("truth", "judge", "id", "models", "positive", "weight", "count", "cluster", "repeat"),
            *("threshold", "unit", "measure", "metric", "task", "unscored", "against"),
            *("baseline", "margin", "level", "interval", "variant", "missing", "null"),
            *("slice", "where", "scores", "ignore", "percent", "decimal", "folds", "repeats"),
            *("names", "sheet", "candidate", "sd"),
            *("suite", "weights", "aggregate", "sets", "best", "cost", "ledger", "aa", "each"),
            *("question", "bound"),
            *("discordant", "correlation", "icc", "prevalence", "difference", "power"),
        )
    },
    "half_width": "--half-width",
    "sd_within": "--sd-within",
    "cluster_size": "--cluster-size",
    "at_least": "--at-least",
    "at_most": "--at-most",
    "better_by": "--better-by",
    "on_mismatch": "--on-mismatch",
    "labelled_at": "--labelled-at",
    "test_share": "--test-share",
    "tasks_as": "--tasks-as",
    "n_resamples": "--resamples",
    "max_loss": "--max-loss",
    "n_test": "--n-test",
    "n_train": "--n-train",
    "rng": "--seed",
}
_NAMED = re.compile(
    rf"(?<!['\"\w-])({'|'.join(_OPTIONS)})=(?:'([^']*)'|([-+]?[\w.]*\w(?:\[[\w.e-]*\])?))?(?![\w=])"
)


_TWICE = re.compile(r"(--[a-z-]+) \((\1\b[^()]*)\)")
"""What was written for both, ``truth= (--truth COL)``, and is one and the same when typed."""


def as_typed(message: str) -> str:
    """A message that is safe to show, with the options a user of the command line can type."""
    return clean(_TWICE.sub(r"\2", with_options(at_terminal(message))))


def with_options(shown: Shown, names: tuple[str, ...] = ()) -> Shown:
    """A text, a view or a brief with options for arguments; ``names`` are of models, say, and stay: `cost=10`."""
    found: Any = shown
    if isinstance(shown, str):
        found = _text_with_options(shown, names)
    elif isinstance(shown, tuple):
        found = tuple(with_options(one, names) for one in shown)
    elif is_dataclass(shown) and not isinstance(shown, type):
        sentences = [field.name for field in fields(shown) if field.name in _SENTENCES]
        found = replace(
            shown, **{name: with_options(getattr(shown, name), names) for name in sentences}
        )
    return found  # type: ignore[no-any-return]


def _text_with_options(text: str, names: tuple[str, ...]) -> str:
    equal = [re.escape(name) for name in names if "=" in name]
    if equal:
        parts = re.split(f"({'|'.join(sorted(equal, key=len, reverse=True))})", text)
        return "".join(
            part if place % 2 else _text_with_options(part, ()) for place, part in enumerate(parts)
        )
    for python, typed in _PHRASES.items():
        text = text.replace(python, typed)
    return _NAMED.sub(_option, text)


def names_in(result: Any) -> tuple[str, ...]:
    """The names of models and slices in the sentences of a result."""
    evidence = getattr(result, "evidence", None)
    parts = getattr(result, "parts", ())
    return (*getattr(evidence, "models", ()), *(str(part.slice) for part in parts))


def _option(found: re.Match[str]) -> str:
    value = found[2] if found[2] is not None else found[3]
    return f"{_OPTIONS[found[1]]} {shlex.quote(value)}" if value else _OPTIONS[found[1]]
