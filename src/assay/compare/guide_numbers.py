"""Advice for numbers that were typed: counts, summaries and p-values have one method each."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from assay.core.errors import NotApplicable
from assay.core.vocabulary import POPULATION


@dataclass(frozen=True, slots=True, kw_only=True)
class FromNumbers:
    """One row of the table: which method, why, and how it is called."""

    method: str
    reason: str
    command: str
    call: str
    beside: tuple[str, ...]
    refused: tuple[str, ...]
    speaks_about: str
    does_not_say: str = "A p-value is not the probability that the models are equal."


@cache
def _table() -> dict[tuple[str, ...], FromNumbers]:
    """By what the user has, and the answers that matter for it."""
    text = files("assay.compare").joinpath("guide_numbers.toml").read_text(encoding="utf-8")
    found = {}
    for row in tomllib.loads(text)["advice"]:
        key, unit = tuple(row.pop("answers")), row.pop("unit", "item")
        listed: dict[str, Any] = {name: tuple(row.pop(name, ())) for name in ("beside", "refused")}
        found[key] = FromNumbers(**{"speaks_about": POPULATION[unit], **row}, **listed)
    return found


_KEYS = ("have", "models", "goal", "same_items", "joint", "summary", "control")


def from_numbers(settled: Mapping[str, str]) -> FromNumbers:
    """The row for these answers; three or more counts need their predictions."""
    key = tuple(settled[name] for name in _KEYS if name in settled)
    if key in _table():
        return _table()[key]
    raise NotApplicable(
        "counts of three or more models are compared two at a time (mcnemar or two_proportions_z, then "
        "holm). With the predictions all are compared at once"
    )
