"""How names and sentences are written: once, for the terminal, figures and reports alike."""

import re
import unicodedata
from collections.abc import Iterable

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


def clean(text: str) -> str:
    """Text from anyone made safe to show: one line, no control sequences, nothing invisible.

    Characters that reorder or hide what is read are shown by their code, such as ⟨U+202E⟩.
    """
    text = _BREAKS.sub(" ", _SEQUENCES.sub("", text))
    text = _INVISIBLE.sub(lambda found: f"⟨U+{ord(found[0]):04X}⟩", text)
    shown = {"Cc": "", "Cs": "\ufffd"}
    return "".join(shown.get(unicodedata.category(letter), letter) for letter in text)


def listed(names: Iterable[str], *, most: int = 6) -> str:
    """Names in a sentence: a, b and c; of many, the first and how many more."""
    shown = list(names)
    if len(shown) > most:
        return f"{', '.join(shown[:most])} and {len(shown) - most:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


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
