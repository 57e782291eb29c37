"""The form of options: every fact that can be told about evidence, in the page's words."""

import re
import tomllib
from dataclasses import dataclass, replace
from importlib.resources import files
from typing import Any, Literal

import msgspec

from assay.core.errors import AssayError
from assay.core.formatting import clean
from assay.core.wording import at_terminal
from assay.report.note_lists import NoteView, notes_of
from assay.report.option_names import with_options

Kind = Literal["column", "columns", "models", "class", "text", "number", "choice", "flag"]


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """One option: its name in Python and in the address, and what the page calls it."""

    name: str
    label: str
    kind: Kind = "column"
    choices: tuple[tuple[str, str], ...] = ()
    """Values with their words; the first of them is what holds if nothing is said."""
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FormGroup:
    """Options about one thing."""

    title: str
    fields: tuple[FormField, ...]


FORM: tuple[FormGroup, ...] = msgspec.convert(
    tomllib.loads(files("assay.web").joinpath("reading_form.toml").read_text(encoding="utf-8"))[
        "group"
    ],
    tuple[FormGroup, ...],
)
"""Every option of reading that the page has a field for."""

_ASKED = {
    "measure": "Measure",
    "baseline": "Baseline",
    "against": "Compare with a level",
    "margin": "Margin",
    "level": "Confidence",
    "resamples": "Resamples",
    "seed": "Seed",
    "correction": "Correction",
    "threshold": "Threshold",
    "model": "Model",
}
LABELS: dict[str, str] = {
    **{field.name: field.label for group in FORM for field in group.fields},
    **_ASKED,
}
"""What the page calls each field."""
_PHRASES = {
    "id=False": "by_position=",
    "paired=False": "paired='no'",
    "correct=True": "correct=",
    "losses=True": "losses=",
    "models_in_rows=True": "models_in_rows=",
    "lower_is_better=True": "lower_is_better='lower'",
    "lower_is_better=False": "lower_is_better='higher'",
    "n_resamples=": "resamples=",
    "rng=": "seed=",
    "name the judge's column with judge=": "name the judge's column in the tab “Judge”",
}
_ROWS = re.compile(r"--where (\S+)(?=[\s.,;]|$)")
"""Rows to keep, as they are typed: a column and its value, which are no option and its value."""
_NAMED = re.compile(
    rf"(?<!['\"\w-])({'|'.join(LABELS)})=(?:'([^']*)'|\"([^\"]*)\"|(\[[^\]]*\])|([-+]?[\w.]*\w))?"
)


def in_page_words(said: str | AssayError) -> str:
    """A message of the library: commands as they are typed, options named as the page names its fields."""
    message = at_terminal(said.for_both) if isinstance(said, AssayError) else said
    for python, ours in _PHRASES.items():
        message = message.replace(python, ours)
    parts = _ROWS.split(message)  # every other part is what to keep
    told = [
        f"“{LABELS['where']}”: {part}" if place % 2 else _NAMED.sub(_field, part)
        for place, part in enumerate(parts)
    ]
    return clean("".join(told))


def page_notes(result: Any, *, without: str = "") -> tuple[NoteView, ...]:
    """The notes of a result in the words of the page; what it has no field for as it is typed."""
    return tuple(
        replace(one, message=with_options(in_page_words(one.message)))
        for one in notes_of(result)
        if one.code != without
    )


def _field(found: re.Match[str]) -> str:
    value = next((said for said in found.groups()[1:] if said), None)
    words = dict(_choices(found[1]))
    label = f"“{LABELS[found[1]]}”"
    return f"{label}: {words.get(value, value)}" if value else label


def _choices(name: str) -> tuple[tuple[str, str], ...]:
    fields = (field for group in FORM for field in group.fields)
    return next((field.choices for field in fields if field.name == name), ())
