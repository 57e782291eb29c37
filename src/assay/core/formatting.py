"""How numbers, names and sentences are written, for the terminal, figures, reports and the page alike.

Numbers have the digits that their uncertainty supports. One rule: a minus as wide as a plus, thousands set apart by
commas, a power of ten from a million up and below a ten-thousandth; `web/static/numbers.js` has it for browsers.
"""

import math
import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final

from assay.core.results import Estimate, Interval, Scalar, TestOutcome, Verdict

LARGE: Final = 1e6
SMALL: Final = 1e-4
"""From here on up and down, numbers are written as powers of ten."""
MINUS: Final = "\u2212"
"""The sign of negative numbers that are read; the hyphen is for programs."""
GIVEN: Final = 12
MOST_TYPED: Final = 8
"""People type no more digits: longer numbers were worked out, such as a third, and have six."""
HALF_UP: Final = 1e-12
"""One number reached in two ways may end a hair on either side of a half: both are rounded up."""
_MOST_PLACES = 300
_ZERO_PLACES = 5
"""A zero shows so many decimals at most: more would say nothing."""
_RAISED = "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"
_SUPERSCRIPTS = str.maketrans("-0123456789", _RAISED)
LOWERED: Final = str.maketrans(_RAISED, "-0123456789")
POWER: Final = re.compile(f"×10([{_RAISED}]+)")
"""A power of ten as it is written."""
_SHARP = 1e-12
"""An interval narrower than this, relative to its numbers, is a rounding error and gives no digits."""
_DIGITS = 4
"""Significant digits of a number without an interval."""
_MOST_EXTRA_DIGITS = 6
_LEAST_P = 0.001
"""Smaller p-values are printed as smaller than this; JSON and CSV have their digits."""
_MOST_P_DIGITS = 12
_ALIKE = 10.0
"""Half-widths within this factor of one another are written with the same digits in a table."""
_HAIR = 1e-9
"""Ends of intervals this close to the null, relative to their size, differ from it by rounding."""
_SEARCHED = 10.0
"""Ends that were searched for are known to so many times that."""
_SEQUENCES = re.compile(
    r"(?:\x1b\]|\x9d)[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)"  # OSC: titles, links, clipboard
    r"|(?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x9c]*(?:\x1b\\|\x9c)"  # DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|\x1b[@-_]"
)
_BREAKS = re.compile(r"[\t\n\v\f\r\x85\u2028\u2029]+")
_INVISIBLE = re.compile(  # order of writing, zero-width and tag characters: they make names lie
    "[\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff\U000e0000-\U000e007f]"
)


def write_to(value: float, places: int, largest: float = 0.0) -> str:
    """The number to so many decimals, a half upwards; ``largest`` is the size of those it stands with.

    Numbers of one interval are all written out, or all have the same power of ten.
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    seen = value if places > _MOST_PLACES else round(value * (1.0 + HALF_UP), places)
    if not math.isfinite(seen):
        seen = value
    largest = max(abs(seen), round(largest, min(places, _MOST_PLACES)) or largest)
    if seen == 0.0:
        shown = SMALL <= largest < LARGE or largest == 0.0
        return f"{0.0:.{max(places, 0)}f}" if shown and places <= _ZERO_PLACES else "0"
    if SMALL <= largest < LARGE:
        return f"{seen:,.{max(places, 0)}f}".replace("-", MINUS)
    power = int(f"{largest:.14e}".partition("e")[2])
    mantissa = Decimal(f"{seen:.16e}").scaleb(-power)
    return power_of_ten(f"{mantissa:.{max(places + power, 0)}f}e{power}")


def write_rounded(value: float, digits: int) -> str:
    """The number to so many significant digits, without needless zeros; whole digits are kept."""
    if value == 0.0 or not math.isfinite(value):
        return write_to(value, 0)
    text = f"{value:.{digits - 1}e}"
    mantissa, _, power = text.partition("e")
    plain = SMALL <= abs(float(text)) < LARGE
    if plain:
        mantissa = f"{value:,.{max(digits - 1 - int(power), 0)}f}"
    if "." in mantissa:
        mantissa = mantissa.rstrip("0").removesuffix(".")
    return mantissa.replace("-", MINUS) if plain else power_of_ten(f"{mantissa}e{power}")


def write_given(value: float | str | None) -> str:
    """A number that somebody typed, such as a margin, in all its digits."""
    if value is None or isinstance(value, str):
        return value or "undefined"
    digits = f"{abs(value):.{GIVEN - 1}e}".partition("e")[0].replace(".", "").rstrip("0")
    return write_rounded(value, GIVEN if len(digits) <= MOST_TYPED else 6)


def power_of_ten(text: str) -> str:
    """A number of the form -4.7e-08 as it is set in print: −4.7×10⁻⁸."""
    mantissa, mark, power = text.partition("e")
    return true_minus(f"{mantissa}×10{str(int(power)).translate(_SUPERSCRIPTS)}" if mark else text)


def true_minus(text: str) -> str:
    """A number with the sign that is as wide as a plus."""
    return text.replace("-", MINUS, 1) if text.startswith("-") else text


def shown(
    value: float | None, half_width: float | None = None, largest: float | None = None
) -> str:
    """A number rounded to two significant digits of its uncertainty, four digits without one.

    ``largest`` is the size of the numbers that it stands with, the ends of one interval.
    """
    if value is None or math.isnan(value):
        return "undefined"
    size = max(abs(value), largest or 0.0)
    sharp = half_width is None or not math.isfinite(half_width) or half_width <= _SHARP * size
    if half_width is None or sharp or math.isinf(value):
        return write_rounded(value, _DIGITS)
    return write_to(value, _places(half_width), max(largest or 0.0, half_width))


def decimals(half_width: float) -> int:
    """Digits after the point that give two significant ones of the uncertainty, as `shown` has them."""
    return max(_places(half_width), 0)


def _places(half_width: float) -> int:
    return 1 - math.floor(math.log10(half_width))


def shown_p(p_value: float | None) -> str:
    """A p-value with two significant digits; tiny ones in powers of ten."""
    if p_value is None:
        return "undefined"
    if p_value == 0.0:
        return "<10⁻³⁰⁰"
    if p_value < 1e-4:
        return power_of_ten(f"{p_value:.0e}")
    if p_value >= 0.995:
        return f"{p_value:.3f}" if p_value < 0.9995 else "1.00"
    return f"{p_value:.2f}" if p_value >= 0.0995 else f"{p_value:#.2g}"


def write_chance(probability: float, digits: int = 3) -> str:
    """A probability as it is read: never rounded to certainty."""
    half = 0.5 * 10.0**-digits
    if probability < half:
        return f"<{10.0**-digits:.{digits}f}"
    most = 1.0 - 10.0**-digits
    return f">{most:.{digits}f}" if probability > 1.0 - half else f"{probability:.{digits}f}"


def say_power(power: float | None) -> str:
    """A power in a sentence and in a table: a tenth of a percent."""
    if power is None:
        return "no"
    return f"{100 * power:.1f}".removesuffix(".0") + "%" if power <= 0.9995 else "over 99.9%"


def shown_percent(level: float) -> str:
    """A confidence level as a percentage, without needless zeros."""
    return f"{write_rounded(100 * level, 6)}%"


def say_alpha(level: float) -> str:
    """The significance level that goes with a confidence level: .05."""
    return f"{round(1 - level, 12):g}".removeprefix("0")


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """An estimate in digits: the value and its interval, rounded alike."""

    value: str
    interval: str

    def __str__(self) -> str:
        return f"{self.value} {self.interval}".strip()


def write_estimate(
    estimate: Estimate,
    *,
    signed: bool = False,
    null: float | None = None,
    margin: float | None = None,
    finest: float | None = None,
) -> Written:
    """Value and interval to two significant digits of the half-width.

    ``finest`` is the smallest half-width among numbers that belong together: the differences of one
    answer (`effect_digits`), the estimates of one measure (`estimate_digits`). All of them have its
    digits wherever they stand, in sentences, tables and figures.
    Digits are added where rounding would move an end of the interval across the null or across
    the margin on its own side: what is printed never contradicts what was decided.
    """
    value, interval = estimate.value, estimate.interval
    ends = () if interval is None else (interval.low, interval.high)
    half_width: float | None = None
    if interval is not None:
        half_width = _half_width(value, interval)
        if finest is not None and 0.0 < finest < _ALIKE * half_width:
            half_width = finest
        interval, opened = _at_null(interval, null)
        for _ in range(_MOST_EXTRA_DIGITS):
            if null is None or not _misleads(interval, half_width, null, margin or 0.0):
                break
            half_width /= 10
        ends = (interval.low, interval.high)
    largest = max(map(abs, filter(math.isfinite, (value or 0.0, *ends))), default=0.0)
    texts = [
        f"+{text}" if signed and number and number > 0 and text.strip("0.") else text
        for number in (value, *ends)
        for text in (shown(number, half_width, largest),)
    ]
    if interval is None:
        return Written(value=texts[0], interval="")
    middle, low, high = texts
    if interval.low == math.inf:  # no end is known of what is infinite
        return Written(value="∞", interval="")
    low = "(−∞" if interval.low == -math.inf else f"{'(' if 'low' in opened else '['}{low}"
    high = "∞)" if interval.high == math.inf else f"{high}{')' if 'high' in opened else ']'}"
    return Written(value=middle, interval=f"{low}, {high}")


def finest_of(estimates: Iterable[Estimate]) -> float | None:
    """The half-width that gives numbers the same digits; None where they differ too much."""
    known = [(one.value, one.interval) for one in estimates if one.interval is not None]
    bounded = [one for one in known if math.isfinite(min(map(abs, (one[1].low, one[1].high))))]
    found = [_half_width(*one) for one in bounded or known]
    widths = [width for width in found if width > 0.0 and math.isfinite(width)]
    if not widths or max(widths) > _ALIKE * min(widths):
        return None
    return min(widths)


def effect_digits(verdicts: Iterable[Verdict]) -> float | None:
    """The half-width whose digits all differences of an answer have, wherever they stand."""
    return finest_of(verdict.outcome.effect for verdict in verdicts)


def estimate_digits(estimates: Iterable[Estimate], measure: str) -> float | None:
    """The half-width whose digits all estimates of one measure have, wherever they stand."""
    return finest_of(one for one in estimates if one.measure == measure)


def write_p(outcome: TestOutcome, *, alpha: float | None = None) -> str:
    """The p-value of an outcome as journals print it (APA), on the right side of ``alpha``.

    No zero before the point, two or three digits after it, ``< .001`` below that and ``> .99`` near
    one; ``out of reach`` where no outcome could have been significant.
    """
    p = outcome.p_value
    if p is None:
        reachable = all(one.code != "cannot-reach-alpha" for one in outcome.notes)
        return "undefined" if reachable else "out of reach"
    if p < _LEAST_P and (alpha is None or alpha >= _LEAST_P):
        return "< .001"
    if p >= 0.995 and (alpha is None or alpha < 0.99):
        return "> .99"
    digits = 2 if p >= 0.0995 else 3 if p >= _LEAST_P else 4
    while digits < _MOST_P_DIGITS and _p_misleads(p, digits, alpha):
        digits += 1
    return f"{p:.{digits}f}".removeprefix("0")


def say_p(outcome: TestOutcome, *, alpha: float | None = None) -> str:
    """The p-value in a sentence: ``p = .032`` or ``p < .001``."""
    text = write_p(outcome, alpha=alpha)
    if outcome.p_value is None:
        return f"p {text}"
    return f"p {text}" if text[0] in "<>" else f"p = {text}"


def _p_misleads(p: float, digits: int, alpha: float | None) -> bool:
    """Whether rounding moves a p-value across the level, or a positive one to zero."""
    seen = float(f"{p:.{digits}f}")
    crossed = alpha is not None and (seen <= alpha) != (p <= alpha)
    return crossed or (seen == 0.0 and p > 0.0)


def write_number(value: Scalar) -> str:
    """A fact of a result that has no interval of its own."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return clean(value)
    if value is not None and math.isfinite(value) and value == int(value) and abs(value) < 1e15:
        counted = isinstance(value, int) or abs(value) < LARGE
        return true_minus(f"{int(value):,}") if counted else write_given(value)
    return shown(value)


def _half_width(value: float | None, interval: Interval) -> float:
    """Half the width; for a one-sided interval the distance of its end from the estimate."""
    if math.isfinite(interval.width):
        return interval.width / 2
    ends = [end for end in (interval.low, interval.high) if math.isfinite(end)]
    if value is None or not math.isfinite(value):
        return 0.0
    if ends:
        return abs(value - ends[0])
    # without any end nothing is known of the value: two digits of it are enough
    return 10.0 ** math.floor(math.log10(abs(value))) if value else 0.0


def _at_null(interval: Interval, null: float | None) -> tuple[Interval, tuple[str, ...]]:
    """Ends that miss the null by a rounding error stand on it.

    Inverting a rank test gives ends just inside: the null is rejected and everything beyond it is
    not, so they are written as left out. A search for the end of an exact test stops just outside.
    """
    if null is None or not math.isfinite(interval.width):
        return interval, ()
    hair = _HAIR * max(abs(interval.low), abs(interval.high), interval.width)
    ends = {"low": interval.low - null, "high": null - interval.high}
    opened = tuple(name for name, beyond in ends.items() if 0.0 < beyond <= hair)
    held = tuple(name for name, beyond in ends.items() if -_SEARCHED * hair <= beyond <= 0.0)
    low, high = (
        null if end in (*opened, *held) else getattr(interval, end) for end in ("low", "high")
    )
    return replace(interval, low=low, high=high), opened


def _misleads(interval: Interval, half_width: float, null: float, margin: float) -> bool:
    """Whether rounding moves an end to another side of the null or of its margin."""
    for end, far in ((interval.low, null - margin), (interval.high, null + margin)):
        seen = end
        if math.isfinite(end) and half_width > 0:
            seen = round(end * (1.0 + HALF_UP), _places(half_width))
        if any((seen > mark, seen < mark) != (end > mark, end < mark) for mark in (null, far)):
            return True
    return False


def clean(text: str) -> str:
    """Text from anyone made safe to show: one line, no control sequences, nothing invisible.

    Characters that reorder or hide what is read are shown by their code, such as ⟨U+202E⟩.
    """
    text = _BREAKS.sub(" ", _SEQUENCES.sub("", text))
    text = _INVISIBLE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
    instead = {"Cc": "", "Cs": "\ufffd"}
    return "".join(instead.get(unicodedata.category(letter), letter) for letter in text)


def listed(names: Iterable[str], *, most: int = 6) -> str:
    """Names in a sentence: a, b and c; of many, the first and how many more."""
    told = list(names)
    if len(told) > most:
        return f"{', '.join(told[:most])} and {len(told) - most:,} more"
    return " and ".join([", ".join(told[:-1]), told[-1]] if len(told) > 1 else told)


def capital(text: str) -> str:
    """The text with a capital letter at its start."""
    return f"{text[:1].upper()}{text[1:]}"


def as_sentence(text: str, *names: str) -> str:
    """A clause with a capital letter and a full stop; a name or symbol at its start stays as it is written."""
    word = text.partition(" ")[0]
    kept = word in (*names, "k") or not text[:1].isascii()
    return f"{text[:1] if kept else text[:1].upper()}{text[1:]}."


def clean_name(name: str | None) -> str:
    """The name of a model, never empty."""
    return clean(name or "").strip() or "(unnamed)"


def shorten(text: str, width: int) -> str:
    """The text with its middle left out, because names differ at both ends."""
    if len(text) <= width:
        return text
    tail = (width - 1) // 2
    return f"{text[: width - 1 - tail]}…{text[len(text) - tail :]}"


def fitted(names: Sequence[str], width: int) -> tuple[str, ...]:
    """Names of at most ``width`` letters; those that begin and end alike keep the part in which they differ."""
    if max(map(len, names), default=0) <= width:
        return tuple(names)
    alike: dict[str, list[str]] = {}
    for name in dict.fromkeys(names):
        alike.setdefault(shorten(name, width), []).append(name)
    told = {name: _told_apart(name, group, width) for group in alike.values() for name in group}
    return tuple(told[name] for name in names)


def _told_apart(name: str, alike: Sequence[str], width: int) -> str:
    """A name that begins and ends as others do, with the part in which they differ."""
    if len(alike) == 1:
        return shorten(name, width)
    start = _shared(alike)
    end = _shared([one[start:][::-1] for one in alike])
    core = name[start : len(name) - end]
    room = width - len(core) - 2
    if room < 2:
        return shorten(name, width)
    after = name[len(name) - end :]
    after = after if len(after) <= room // 4 else f"{after[: room // 4]}…"
    near = (room - room // 4) // 2
    before = name[:start] if start <= 2 * near else f"{name[:near]}…{name[start - near : start]}"
    return f"{before}{core}{after}"


def _shared(texts: Sequence[str]) -> int:
    """How many letters all begin with."""
    unlike = (at for at, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1)
    return next(unlike, min(map(len, texts)))
