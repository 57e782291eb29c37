"""Cells that are dates, and their order."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

_DATE = re.compile(r"\d{4}[-/]\d{1,2}(?:[-/]\d{1,2})?(?:[ T].*)?", re.ASCII)
_TURNED = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4})([ T].*)?", re.ASCII)
_ZONE = re.compile(r"(?<=\d:\d\d)(.*?)(?:Z|[+-]\d\d(?::?\d\d){0,2})$", re.ASCII)
"""DuckDB writes +09, and +09:18:59 of times before zones were made even."""


def is_date(levels: Collection[Any]) -> bool:
    """Whether all of a column's values are written as dates."""
    return bool(levels) and all(
        _DATE.fullmatch(str(one)) or _TURNED.fullmatch(str(one)) for one in levels
    )


def times_of(levels: Sequence[Any]) -> Any:
    """Times that can be put in order, or None; of 3/4/2024 the first number is the day if it can be."""
    try:
        return np.array([float(one) for one in levels])
    except (TypeError, ValueError):
        pass
    for written in (r"\3-\2-\1\4", r"\3-\1-\2\4"):
        texts = [_padded(_ZONE.sub(r"\1", _TURNED.sub(written, str(one)))) for one in levels]
        try:
            return np.array(texts, dtype="datetime64[us]")
        except ValueError:
            continue
    return None


def _padded(text: str) -> str:
    """2024/3/1 as 2024-03-01."""
    date = re.match(r"[\d/-]*", text)
    end = 0 if date is None else date.end()
    return "-".join(part.zfill(2) for part in re.split("[/-]", text[:end])) + text[end:]
