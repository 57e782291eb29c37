"""How the cells of a column are written, seen in its first rows: numbers, per cent, means with a spread."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence.cell_text import MISSING_WORDS, class_text, is_missing, number_of

Style = Literal["numbers", "comma", "thousands", "percent", "spread", "words", "mixed", "empty"]

SAMPLE = 600
"""Rows that are looked at before anything is counted: from all over the table, which may be sorted."""

OUTCOMES = tuple(
    frozenset(pair)
    for pair in (
        ("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("incorrect", "correct"),
        ("wrong", "right"), ("fail", "pass"), ("failed", "passed"), ("f", "t"),
    )
)  # fmt: skip
"""Pairs of values that can say of an answer whether it was right."""
UNSURE = frozenset({"0", "true", "yes", "y", "t"})
"""Right answers in these words may be answers as well."""
RIGHT_WORDS = ("1", "true", "yes", "y", "correct", "right", "pass", "passed", "t")

_NUMBER = r"[-+−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_THOUSANDS = re.compile(r"[-+−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?|[-+−]?\d+(?:\.\d+)?")
_COMMA = re.compile(r"[-+−]?\d{1,3}(?:\.\d{3})*,\d+|[-+−]?\d+,\d+")
_PERCENT = re.compile(rf"(?P<mean>{_NUMBER})\s*%")
_SPREAD = re.compile(
    rf"(?P<mean>{_NUMBER})\s*+(?:%\s*+)?(?:±|\+/-|\+-|\$\\pm\$|\\pm)\s*(?P<sd>{_NUMBER})\s*%?"
    rf"|(?P<mean2>{_NUMBER})\s*+(?:%\s*+)?\(\s*+(?:±\s*+)?(?P<sd2>{_NUMBER})\s*+(?:%\s*+)?\)"
)
"""Spaces are never given back: a cell of many would be tried in every way of sharing them out."""
_MARKS = re.compile(r"(?<![*†‡])[*†‡]++$|^\*\*|\*\*$|^\\textbf\{|\}$")
"""Signs that tables put beside a number: stars of significance, bold."""
GAPS = MISSING_WORDS | {
    *("—", "–", "--", "---", "n.a.", "na.", "fail", "failed", "timeout", "oom", "error", "err"),
    *("crash", "crashed", "dnf", "time out", "timed out", "t/o", "tle", "mem", "memout", "x"),
}
"""Words for a number that is not there."""


@dataclass(frozen=True, eq=False)
class Profile:
    """Some cells of one column; ``complete`` if they are all there are.

    ``array`` holds the same cells where they are plain numbers already.
    """

    name: str
    cells: Sequence[Any]
    complete: bool
    array: Any = None

    @staticmethod
    def of_array(name: str, array: Any, *, complete: bool) -> "Profile":
        plain_numbers = array if array.dtype.kind in "biuf" else None
        return Profile(name, array.tolist(), complete, plain_numbers)

    @cached_property
    def style(self) -> Style:
        """The way in which all cells that are there are written."""
        present = self.present
        if not present:
            return "empty"
        if self.array is not None:
            return "numbers"
        plain_numbers = sum(number_of(cell) is not None for cell in present)
        if plain_numbers == len(present):
            return "numbers"
        texts = [_unmarked(cell) for cell in present]
        if not any(ch.isdigit() for text in texts for ch in text):
            return "words"
        shapes: tuple[tuple[Style, re.Pattern[str]], ...] = (
            ("percent", _PERCENT), ("comma", _COMMA), ("spread", _SPREAD)
        )  # fmt: skip
        for style, pattern in shapes:
            others = [text for text in texts if not pattern.fullmatch(text)]
            if all(number_of(text) is not None for text in others) and len(others) < len(texts):
                return style
        if all(number_of(text) is not None for text in texts):
            return "numbers"
        if all(_THOUSANDS.fullmatch(text) for text in texts):
            return "thousands"
        gaps = [cell for cell in present if str(cell).strip().lower() in GAPS]
        if gaps and len(gaps) + plain_numbers == len(present):
            return "numbers"
        return "mixed" if plain_numbers * 2 > len(present) else "words"

    @cached_property
    def present(self) -> list[Any]:
        return [cell for cell in self.cells if not is_missing(cell)]

    @property
    def missing(self) -> int:
        return len(self.cells) - len(self.present)

    @cached_property
    def numbers(self) -> FloatArray:
        """The numbers of the cells as they are written, NaN where there is none."""
        if self.array is not None:
            return np.asarray(self.array, dtype=np.float64)
        return np.array([written_number(cell, self.style) for cell in self.cells], dtype=np.float64)

    @cached_property
    def finite(self) -> FloatArray:
        return self.numbers[np.isfinite(self.numbers)]

    @property
    def is_numeric(self) -> bool:
        return (
            self.style in ("numbers", "comma", "thousands", "percent", "spread")
            and self.finite.size > 0
        )

    @cached_property
    def levels(self) -> frozenset[str]:
        """The distinct values as classes."""
        distinct = set(self.present) if all(map(_is_plain, self.present)) else self.present
        return frozenset(map(class_text, distinct))

    @property
    def is_constant(self) -> bool:
        return len(self.levels) == 1

    @property
    def is_unique(self) -> bool:
        """Whether no value comes twice."""
        return len(self.levels) == len(self.present) == len(self.cells) > 1

    @property
    def is_binary(self) -> bool:
        """Whether the values are 0 and 1, true and false."""
        return bool(self.levels) and (self.levels <= {"0", "1"} or self.levels <= {"True", "False"})

    @property
    def is_outcome(self) -> bool:
        """Whether the words can say of answers whether they were right, and nothing else."""
        words = {level.strip().lower() for level in self.levels}
        return bool(words) and any(words <= pair for pair in OUTCOMES if not pair & UNSURE)

    @property
    def is_whole(self) -> bool:
        return self.is_numeric and bool((self.finite == np.floor(self.finite)).all())

    @property
    def low(self) -> float:
        return float(self.finite.min()) if self.finite.size else math.nan

    @property
    def high(self) -> float:
        return float(self.finite.max()) if self.finite.size else math.nan

    @property
    def in_unit(self) -> bool:
        """Whether all numbers lie from 0 to 1."""
        return self.is_numeric and self.low >= 0.0 and self.high <= 1.0


def _is_plain(cell: Any) -> bool:
    return isinstance(cell, str | bool | int | float)


def _unmarked(cell: Any) -> str:
    return _MARKS.sub("", str(cell).strip()).strip()


def written_number(cell: Any, style: Style) -> float:
    """The number a cell stands for: 68.1% is 0.681, and 0.68 ± 0.02 is 0.68."""
    if is_missing(cell) or (isinstance(cell, str) and cell.strip().lower() in GAPS):
        return math.nan
    number = number_of(cell)
    if number is not None:
        return number / 100.0 if style == "percent" else number
    text = _unmarked(cell)
    if style == "thousands":
        text = text.replace(",", "")
    per_cent = text.endswith("%")
    found = _SPREAD.fullmatch(text)
    if found:
        text = found["mean"] or found["mean2"]
    read = point_number(text.rstrip("% "))
    if read is None:
        return math.nan
    return read / 100.0 if per_cent or style == "percent" else read


def written_spread(cell: Any) -> float | None:
    """The spread beside a mean: 0.02 of 0.68 ± 0.02."""
    found = _SPREAD.fullmatch(_unmarked(cell))
    return None if found is None else point_number(found["sd"] or found["sd2"])


def point_number(text: str) -> float | None:
    """A number written with a comma or a point."""
    text = text.replace("−", "-")
    if _COMMA.fullmatch(text):
        text = text.replace(".", "").replace(",", ".")
    return number_of(text)


def unsure_commas(profile: Profile) -> bool:
    """Whether 1,234 may be a thousand or a fraction: three digits behind every comma."""
    texts = [_unmarked(cell) for cell in profile.present if "," in str(cell)]
    return bool(texts) and all(re.fullmatch(r"[-+−]?[1-9]\d{0,2},\d{3}", text) for text in texts)
