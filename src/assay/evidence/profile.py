"""How the cells of a column are written, seen in its first rows: numbers, per cent, means with a spread."""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import product
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.evidence.cell_text import class_text, is_missing, number_of
from assay.evidence.gap_words import stands_for_nothing

Style = Literal[
    "numbers", "comma", "thousands", "percent", "shares", "spread", "unit", "comma unit", "words", "mixed", "empty"
]  # fmt: skip
_UNITS = ("unit", "comma unit")
_WRITTEN = ("comma", "thousands", "percent", "shares", "spread", *_UNITS)
"""Ways of writing a number that Python does not read."""

SAMPLE = 600
"""Rows that are looked at before anything is counted: from all over the table, which may be sorted."""

_BAD = ("incorrect", "wrong", "fail", "failed", "failure", "nok", "error", "unresolved", "unsolved")
_GOOD = ("correct", "right", "pass", "passed", "success", "ok", "resolved", "solved")
OUTCOMES = (
    ("0", "1"), ("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("i", "c"), *product(_BAD, _GOOD),
    *product(("✗", "✘", "✖", "✖️", "❌"), ("✓", "✔", "✔️", "✅")), ("👎", "👍"), ("nein", "ja"), ("non", "oui"),
    ("no", "sí"), ("no", "si"),
    ("falsch", "richtig"), ("falsch", "wahr"), ("falso", "vero"), ("faux", "vrai"), ("falso", "verdadero"),
    ("incorrecto", "correcto"),
)  # fmt: skip
"""Pairs of values that can say of an answer whether it was right, the second if so."""
UNSURE = frozenset({
    "0", "true", "yes", "y", "t", "ja", "oui", "sí", "si", "vrai", "verdadero", "wahr", "vero", "c",
    "richtig", "nok",
})  # fmt: skip
"""Right answers in these words may be answers as well."""

AFFIRMED = UNSURE - {"0", "c", "richtig", "nok"}
"""Words for yes: of bad answers they say that they are bad."""

_NUMBER = r"[-+−]?(?:\d+(?:[.,]\d+)?|[.,]\d+)(?:[eE][-+]?\d+)?"
_THOUSANDS = re.compile(r"[-+−]?\d{1,3}(?:[,'’]\d{3})+(?:\.\d+)?|[-+−]?\d+(?:\.\d+)?")
_THOUSAND = re.compile(r"(?<!\d)[1-9]\d{0,2}(?:,\d{3})+(?![\d,])")
_PLAIN_NUMBERS = re.compile(r"(?:-?[0-9]{1,30}(?:\.[0-9]{1,30})?\n)++")
"""Cells one below the other."""
_COMMA = re.compile(r"[-+−]?\d{1,3}(?:[.\s]\d{3})*,\d+|[-+−]?\d+,\d+")
_COMMAS = re.compile(r"(?:-?\d+(?:,\d+)?\n)++", re.ASCII)
"""A column of nothing but such numbers, a line for each."""
_PERCENT = re.compile(rf"(?P<mean>{_NUMBER})\s*%")
_SPREAD = re.compile(
    rf"(?P<mean>{_NUMBER})\s*+(?:%\s*+)?(?:±|\+/-|\+-|\$\\pm\$|\\pm)\s*(?P<sd>{_NUMBER})\s*%?"
    rf"|(?P<mean2>{_NUMBER})\s*+(?:%\s*+)?\(\s*+(?:±\s*+)?(?P<sd2>{_NUMBER})\s*+(?:%\s*+)?\)"
)
"""Spaces are never given back: a cell of many would be tried in every way of sharing them out."""
_INTERVAL = re.compile(
    rf"(?P<mean>{_NUMBER})\s*+[\[(]\s*+{_NUMBER}\s*+(?:[,;–-]|to|bis)\s*+{_NUMBER}\s*+[\])]"
)
_UNIT = re.compile(
    rf"(?P<before>[$€£]?)\s*+(?P<mean>{_NUMBER}|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?|\d{{1,3}}(?:\.\d{{3}})+,\d+)"
    r"\s*+(?P<after>°?[^\W\d]\w{0,5}(?:/[^\W\d]\w{0,5})?|[$€£°]|/\s?\d+)?"
)
"""A number with its unit: 12 ms, $3.50, 1.7x, 8/10."""
_PART_OF = re.compile(r"(0|[1-9]\d*)\s?/\s?([1-9]\d*)")
"""Right answers and how many there were: 76/102. A month and its year begin so as well."""
FEWEST_COUNTED = 5
"""Rows from which on it is no chance that a column counts them."""
EVEN = 1e-6
"""Steps that are as even as this are those of a clock or a counter."""
FEW_VALUES = 4
"""Scores differ from row to row; a setting has fewer than a fourth as many values as there are rows."""
CLASSES = 20
"""Different whole numbers with a word, such as 3 stars, up to which they are classes."""
_MARKS = re.compile(
    r"(?<![*†‡])[*†‡]++$|\s[•∘●○◦↑↓▲▼]$|^\*\*|\*\*$|^__|__$|^(?:\\(?:textbf|underline|mathbf|emph)\{)++|\}++$|^<[bui]>|</[bui]>$"
)
"""Signs that tables put beside a number: stars of significance, bold."""
_BOLD = re.compile(r"^(?:\*\*|__|\\textbf\{|\\mathbf\{|<b>)([^*_{}<>]++)(?:\*\*|__|\}|</b>)")
"""A mean in bold before its spread in plain letters."""


class Profile:
    """Some cells of one column and what they are; ``complete`` if they are all there are.

    ``array`` holds the same cells where they are plain numbers already. What every rule of reading asks for
    is worked out at once, what only some ask for when it is asked for.
    """

    def __init__(
        self,
        name: str,
        cells: Sequence[Any],
        complete: bool,  # noqa: FBT001 (a fact of the cells beside it)
        array: Any = None,
    ) -> None:
        self.name, self.cells, self.complete, self.array = name, cells, complete, array
        self.plain_texts = array is None and _are_plain_numbers(cells)
        """Whether all cells are texts as 12 or -0.345, which is soon seen of most columns of numbers."""
        plain = array is not None or self.plain_texts
        self.present = [one for one in cells if self.plain_texts or not is_missing(one)]
        self.missing = len(cells) - len(self.present)
        self.style = _style_of(self.present, plain=plain)
        """The way in which all cells that are there are written."""
        odd = not plain and self.style == "numbers" and not all(map(_is_number, self.present))
        self.is_written = odd or self.style in _WRITTEN
        """Whether cells of a column of numbers are written otherwise than as plain numbers."""
        numbers = self.numbers if self.style in ("numbers", *_WRITTEN) else np.empty(0)
        self.finite = numbers[np.isfinite(numbers)]
        self.is_numeric = self.finite.size > 0
        self.is_whole = self.is_numeric and bool((self.finite == np.floor(self.finite)).all())
        ends = (self.finite.min(), self.finite.max()) if self.is_numeric else (math.nan, math.nan)
        self.low, self.high = float(ends[0]), float(ends[1])
        self.in_unit = self.low >= 0.0 and self.high <= 1.0
        """Whether all numbers lie from 0 to 1."""

    @cached_property
    def numbers(self) -> FloatArray:
        """The numbers of the cells as they are written, NaN where there is none."""
        if self.array is not None:
            return np.asarray(self.array, dtype=np.float64)
        if self.plain_texts:
            return np.array(list(map(float, self.cells)))
        return np.array([written_number(cell, self.style) for cell in self.cells], dtype=np.float64)

    @property
    def unit(self) -> str:
        """What stands beside the numbers: ms, €; nothing where they stand alone."""
        return unit_of(self.present[0]) if self.style in _UNITS else ""

    @cached_property
    def garbled(self) -> int | None:
        """The place of the first cell that is no number in a column that is meant to hold numbers."""
        if self.array is not None or self.style not in ("words", "mixed"):
            return None
        known = [is_missing(cell) or number_of(_unmarked(cell)) is not None for cell in self.cells]
        like = [_LIKE_NUMBER.match(_unmarked(cell)) is not None for cell in self.present]
        meant = self.style == "mixed" or all(like)
        return known.index(False) if meant and False in known else None

    @cached_property
    def levels(self) -> frozenset[str]:
        """The distinct values as classes."""
        if self.plain_texts:  # with a last decimal that counts a number is its own class
            texts = set(self.cells)
            return frozenset(
                text if "." in text and text[-1] != "0" else class_text(text) for text in texts
            )
        plain = all(isinstance(cell, str | bool | int | float) for cell in self.present)
        return frozenset(map(class_text, set(self.present) if plain else self.present))

    @property
    def is_constant(self) -> bool:
        return len(self.levels) == 1

    @property
    def is_unique(self) -> bool:
        """Whether no value comes twice."""
        return len(self.levels) == len(self.present) == len(self.cells) > 1

    @cached_property
    def is_counter(self) -> bool:
        """Whether numbers count the rows: from 0 or 1 on without a gap, in even steps, or rising in a sample."""
        if not (self.is_unique and self.is_numeric and len(self.cells) > FEW_VALUES):
            return False
        steps = np.diff(self.numbers)
        if self.complete:
            whole = self.is_whole and self.low in (0.0, 1.0)
            even = np.ptp(steps) <= EVEN * abs(steps[0])
            return bool(even) or (whole and self.high - self.low == len(self.cells) - 1)
        return self.is_whole and bool((steps > 0).all())

    @property
    def counts_rows(self) -> bool:
        """Whether the values are 0, 1, 2 … or 1, 2, 3 … in the order of the rows."""
        if not self.is_unique or not self.is_whole or len(self.cells) < FEWEST_COUNTED:
            return False
        return self.low in (0.0, 1.0) and bool((np.diff(self.numbers) == 1.0).all())

    @property
    def repeats_few(self) -> bool:
        """Whether few values come again and again, as learning rates and other settings do."""
        return len(self.levels) * FEW_VALUES < len(self.cells)

    @property
    def is_binary(self) -> bool:
        """Whether the values are 0 and 1, true and false."""
        return bool(self.levels) and (self.levels <= {"0", "1"} or self.levels <= {"True", "False"})

    @property
    def is_outcome(self) -> bool:
        """Whether the words can say of answers whether they were right, and nothing else."""
        return self._is_of(pair for pair in OUTCOMES if not set(pair) & UNSURE)

    @property
    def may_be_outcome(self) -> bool:
        """Whether the words can say of answers whether they were right, and may be answers as well."""
        return self._is_of(OUTCOMES)

    @property
    def levels_folded(self) -> set[str]:
        """The distinct values without capitals and blanks around them."""
        return {level.strip().casefold() for level in self.levels}

    def _is_of(self, pairs: Iterable[tuple[str, str]]) -> bool:
        words = self.levels_folded
        return bool(words) and any(words <= set(pair) for pair in pairs)


def _are_plain_numbers(cells: Sequence[Any]) -> bool:
    """Whether all cells are texts of plain numbers."""
    if set(map(type, cells)) != {str}:
        return False
    text = "\n".join((*cells, ""))
    return text.count("\n") == len(cells) and _PLAIN_NUMBERS.fullmatch(text) is not None


def _style_of(present: Sequence[Any], *, plain: bool) -> Style:
    """The way in which all cells are written; ``plain`` ones are numbers as they stand."""
    if not present:
        return "empty"
    plain_numbers = (
        sum(number_of(cell) is not None for cell in present) if not plain else len(present)
    )
    if plain_numbers == len(present):
        return "numbers"
    texts = [_unmarked(cell) for cell in present]
    if not any(ch.isdigit() for text in texts for ch in text):
        return "words"
    shapes: tuple[tuple[Style, re.Pattern[str]], ...] = (
        ("percent", _PERCENT), ("comma", _COMMA), ("spread", _SPREAD), ("spread", _INTERVAL)
    )  # fmt: skip
    for style, pattern in shapes:
        others = [text for text in texts if not pattern.fullmatch(text)]
        alone = [number for text in others if (number := number_of(text)) is not None]
        if len(alone) == len(others) < len(texts):
            fractions = style == "percent" and alone and max(map(abs, alone)) <= 1.0
            return "shares" if fractions else style  # 0.81 beside 79% is no 0.81 per cent
    if all(number_of(text) is not None for text in texts):
        return "numbers"
    if all(_THOUSANDS.fullmatch(text) for text in texts):
        return "thousands"
    gaps = [cell for cell in present if stands_for_nothing(str(cell))]
    if gaps and len(gaps) + plain_numbers == len(present):
        return "numbers"
    parts = [_PART_OF.fullmatch(text) for text in texts]
    if None not in parts and len({one[2] for one in parts if one}) > 1:
        of = [(int(one[1]), int(one[2])) for one in parts if one]
        if all(part <= whole and not 1900 <= whole <= 2100 for part, whole in of):
            return "shares"
    if _has_one_unit(texts):
        commas = [text for text in texts if "," in text]
        return "unit" if all(map(_THOUSAND.search, commas)) else "comma unit"
    return "mixed" if plain_numbers * 2 > len(present) else "words"


_LIKE_NUMBER = re.compile(
    rf"[<>≤≥~≈±]\s*{_NUMBER}|\d+\s*/\s*\d+$|{_NUMBER}\s*[(\[]|[$€£]?\s*\d+\.\d+(?!\.)|\d+ \w{{1,5}}$"
)
"""How cells begin that should have been numbers; dates and versions do not."""


def unit_of(cell: Any) -> str:
    """What stands beside the number of a cell."""
    found = _UNIT.fullmatch(_unmarked(cell))
    return (found["before"] or found["after"] or "") if found else ""


def _has_one_unit(texts: Sequence[str]) -> bool:
    """Whether all cells are numbers with one unit; 3 stars, 4 stars and 5 stars are classes."""
    found = [_UNIT.fullmatch(text) for text in texts]
    if None in found:
        return False
    units = {(one["before"], one["after"]) for one in found if one}
    fractions = any(re.search("[.,]", one["mean"]) for one in found if one)
    out_of = all("/" in str(after) for _, after in units)
    return len(units) == 1 and (fractions or out_of or len(set(texts)) > CLASSES)


def _is_number(cell: Any) -> bool:
    """Whether a cell is a number as it stands; the text nan is none."""
    number = number_of(cell)
    return number is not None and not math.isnan(number)


def _unmarked(cell: Any) -> str:
    return _MARKS.sub("", _BOLD.sub(r"\1", str(cell).strip())).replace("\\%", "%").strip()


def written_number(cell: Any, style: Style) -> float:
    """The number a cell stands for: 68.1% is 0.681, and 0.68 ± 0.02 is 0.68."""
    if is_missing(cell) or (isinstance(cell, str) and stands_for_nothing(cell)):
        return math.nan
    number = number_of(cell)
    if number is not None:
        return number / 100.0 if style == "percent" else number
    text = _unmarked(cell)
    if style == "shares" and (parts := _PART_OF.fullmatch(text)):
        return int(parts[1]) / int(parts[2])
    if style == "thousands":
        text = re.sub("[,'’]", "", text)
    per_cent = text.endswith("%")
    found = _SPREAD.fullmatch(text)
    if found:
        text = found["mean"] or found["mean2"]
    elif beside := _INTERVAL.fullmatch(text) or (
        _UNIT.fullmatch(text) if style in _UNITS else None
    ):
        text = beside["mean"].replace(",", "") if style == "unit" else beside["mean"]
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
        text = re.sub(r"[.\s]", "", text).replace(",", ".")
    return number_of(text)


def comma_numbers(cells: Sequence[Any]) -> FloatArray | None:
    """The numbers of cells that are all written as 0,68 or 1 is; None where one is not."""
    if set(map(type, cells)) != {str}:
        return None
    text = "\n".join(cells)
    if text.count("\n") >= len(cells) or _COMMAS.fullmatch(f"{text}\n") is None:
        return None
    return np.array(text.replace(",", ".").split("\n"), dtype=np.float64)


def pointed_thousands(profile: Profile) -> bool:
    """Whether 1.477 beside 914 may be a thousand: three digits behind every point, and nearer to the others so."""
    cells = [cell for cell in profile.present if isinstance(cell, str)]
    points = (cell.strip() for cell in cells if "." in cell)
    if not all(re.fullmatch(r"-?[1-9]\d{0,2}\.\d{3}", text) for text in points):
        return False  # mostly at the first
    texts = [cell.strip() for cell in cells]
    if not any("." in text for text in texts):
        return False
    read = [(number_of(text), 1_000.0 if "." in text else 1.0) for text in texts]
    sizes = [(abs(number), times) for number, times in read if number]  # no words, and not 0
    as_fractions = [size for size, _ in sizes]
    as_thousands = [size * times for size, times in sizes]
    return max(as_thousands) / min(as_thousands) < max(as_fractions) / min(as_fractions)


def unsure_commas(profile: Profile) -> bool:
    """Whether 1,234 may be a thousand or a fraction: three digits behind every comma."""
    texts = [_unmarked(cell) for cell in profile.present if "," in str(cell)]
    if profile.style == "unit":  # $1,234 is a thousand
        found = [_UNIT.fullmatch(text) for text in texts]
        texts = [one["mean"] for one in found if one and not one["before"]]
    return bool(texts) and all(re.fullmatch(r"[-+−]?[1-9]\d{0,2},\d{3}", text) for text in texts)
