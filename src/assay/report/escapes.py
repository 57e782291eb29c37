"""Text made harmless for the place it goes to; it has been through ``clean`` before."""

import re
import unicodedata
from itertools import chain, pairwise

from assay.core.formatting import LOWERED

_MARKDOWN = re.compile(r"[\\`*_<>|~$&]|\](?=[(\[:])")  # a lone bracket is no link
_START = re.compile(r"^(\s*)([-+=#!]|\d+(?=[.)]))")
_LATEX = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "`": r"\textasciigrave{}",
    '"': r"\symbol{34}",
    "[": "{[}",  # after \\ a bracket would open an option
    "]": "{]}",
    "*": "{*}",  # after \\ a star would be swallowed
    "−": "$-$",
    "±": r"$\pm$",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "∞": r"$\infty$",
    "⟨": r"$\langle$",
    "⟩": r"$\rangle$",
    "²": r"$^2$",
    "×": r"$\times$",
    "≤": r"$\le$",
    "≥": r"$\ge$",
    "≠": r"$\ne$",
    "≈": r"$\approx$",
    "→": r"$\rightarrow$",
    "√": r"$\surd$",
    "·": r"$\cdot$",
    "¹": r"$^1$",
    "³": r"$^3$",
    **{letter: f"$^{plain}$" for letter, plain in zip("⁻⁰⁴⁵⁶⁷⁸⁹", "-0456789", strict=True)},
    "µ": r"$\mu$",
    "…": r"\ldots{}",
    "–": "--",
    "—": "---",
    "\u00a0": "~",
}
_GREEK_LETTERS = "αβγδεζηθικλμνξπρστυφχψωΓΔΘΛΞΠΣΦΨΩ"
_GREEK_NAMES = (
    "alpha beta gamma delta varepsilon zeta eta theta iota kappa lambda mu nu xi pi rho sigma tau upsilon "
    "varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega"
)
_GREEK = {
    letter: f"$\\{name}$" for letter, name in zip(_GREEK_LETTERS, _GREEK_NAMES.split(), strict=True)
}
_DASHES = frozenset("-–—")
"""Two of them side by side would become another one."""
_TYPESET = "ßøØæÆåÅœŒłŁ‘’“”§©"
"""What LaTeX's own font can set besides ASCII and letters with the accents below."""
_ACCENTS = {"\u0300", "\u0301", "\u0302", "\u0303", "\u0304", "\u0306", "\u0307", "\u0308", "\u030a",
            "\u030b", "\u030c", "\u0327"}  # fmt: skip
_RECORD = re.compile(r"\d+-\d+-\d+")
_NUMBER = re.compile(r"(?:[-−+±<>\[\](), .\d∞]|×?10[⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)*")
_POWER = re.compile("(×?)10([⁻⁰¹²³⁴⁵⁶⁷⁸⁹]+)")
_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # the wide ones open formulas too


def for_markdown(text: str) -> str:
    """Text inside a line of GitHub's Markdown: no cell, tag, link, mention or formula comes of it.

    Mentions and issue numbers are found after rendering, where a backslash is gone: an empty
    comment keeps them apart.
    """
    escaped = _MARKDOWN.sub(lambda found: "\\" + found[0], text)
    escaped = re.sub(r"@(?=\w)", "@<!-- -->", escaped)
    escaped = re.sub(r"#(?=\d)", "#<!-- -->", escaped)
    return escaped.replace("://", "\\://").replace("www.", "www\\.")


def paragraph_for_markdown(text: str) -> str:
    """Text that starts a line: it opens no list, heading or rule either."""

    def plain(found: re.Match[str]) -> str:
        mark = found[2]
        return f"{found[1]}{mark}\\" if mark[0].isdigit() else f"{found[1]}\\{mark}"

    return _START.sub(plain, for_markdown(text))


def for_latex(text: str) -> str:
    """Text for LaTeX with every special character escaped; nothing in it is a command.

    What the fonts of a plain article lack is named by its code point: a table that compiles and shows
    ⟨U+4E2D⟩ is better than one that stops.
    """
    letters = map(_letter_for_latex, text)
    apart = ("{}" if {one, other} <= _DASHES else "" for one, other in pairwise(text))
    return "".join(chain(*zip(("", *apart), letters, strict=False)))


def _letter_for_latex(letter: str) -> str:
    known = _LATEX.get(letter) or _GREEK.get(letter)
    if known is not None:
        return known
    if letter.isascii() or letter in _TYPESET:
        return letter
    parts = unicodedata.normalize("NFD", letter)
    accented = "\u00c0" <= letter <= "\u017f" and len(parts) == 2 and parts[1] in _ACCENTS
    return letter if accented else f"$\\langle$U+{ord(letter):04X}$\\rangle$"


def number_for_latex(text: str) -> str:
    """A written number or interval as mathematics; words among numbers stay words.

    Won-tied-lost, 27-0-3, is no subtraction: dashes stand between its counts.
    """
    if _RECORD.fullmatch(text):
        return text.replace("-", "--")
    if not text or not _NUMBER.fullmatch(text):
        return for_latex(text)
    powers = _POWER.sub(_power_for_latex, text)
    grouped = re.sub(r",(?! )", "{,}", powers)  # the comma of 1,000 takes no space
    for sign, typeset in (("∞", r"\infty"), ("−", "-"), ("±", r"\pm "), (", ", r",\ ")):
        grouped = grouped.replace(sign, typeset)
    return f"${grouped}$"


def _power_for_latex(found: re.Match[str]) -> str:
    times = r"\times" if found[1] else ""
    return f"{times}10^{{{found[2].translate(LOWERED)}}}"


def for_csv(text: str) -> str:
    """Text for a spreadsheet: what would be read as a formula gets an apostrophe before it."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
