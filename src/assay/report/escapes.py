"""Text made harmless for the place it goes to; it has been through ``clean`` before."""

import re

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
    "…": r"\ldots{}",
}
_NUMBER = re.compile(r"[-+<>\[\](), .\d∞]*(?:\de-?\d+)?")
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
    """Text for LaTeX with every special character escaped; nothing in it is a command."""
    escaped = "".join(_LATEX.get(letter, letter) for letter in text)
    return re.sub("-(?=-)", "-{}", escaped)  # -- would become a dash


def number_for_latex(text: str) -> str:
    """A written number or interval as mathematics; words among numbers stay words."""
    if not _NUMBER.fullmatch(text):
        return for_latex(text)
    powers = re.sub(r"(\d)e(-?\d+)", r"\1\\times10^{\2}", text)
    grouped = re.sub(r",(?! )", "{,}", powers)  # the comma of 1,000 takes no space
    return "$" + grouped.replace("∞", r"\infty").replace(", ", r",\ ") + "$"


def for_csv(text: str) -> str:
    """Text for a spreadsheet: what would be read as a formula gets an apostrophe before it."""
    return f"'{text}" if text.lstrip().startswith(_FORMULA) else text
