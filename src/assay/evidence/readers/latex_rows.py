r"""Rows of a LaTeX table, as they stand in a paper: cells between &, rows that end with \\."""

import re

_END = re.compile(r"\\\\(?:\[[^\]]*\])?")
_SPANNED = re.compile(r"\\multicolumn\s*\{(\d+)\}\s*\{[^{}]*\}\s*\{((?:[^{}]|\{[^{}]*\})*)\}")
_DROPPED = re.compile(
    r"(?m)(?<!\\)%.*$|\\(?:c?midrule|cline|(?:top|bottom)rule|hline|centering|small|label|begin|end|caption)\b"
    r"(?:\([a-z]*\)|\[[^\]]*\]|\{[^{}]*\})*|\\multirow\s*\{[^{}]*\}\s*\{[^{}]*\}"
)
_STYLED = re.compile(r"\\[a-zA-Z]+\*?\s*\{([^{}]*)\}")
_SIGNS = {
    r"\pm": "±",
    "_{": " ",
    "^{": " ",
    r"\uparrow": "↑",
    r"\downarrow": "↓",
    r"\%": "%",
    r"\_": "_",
    r"\&": "and",
    "~": " ",
    "$": "",
    "{": "",
    "}": "",
}


def cells_of_latex(text: str) -> str | None:
    r"""The text of a LaTeX table with tabs between its cells; None of text that has no & and \\."""
    if not re.search(r"&[^\n]*\\\\", text):
        return None
    text = _DROPPED.sub("", text.replace(r"\&", "and"))
    text = _SPANNED.sub(lambda found: found[2] + "&" * (int(found[1]) - 1), text)
    rows = [" ".join(row.split()) for row in _END.split(text) if "&" in row]
    return "".join("\t".join(map(_plain, row.split("&"))) + "\n" for row in rows)


def _plain(cell: str) -> str:
    r"""What is printed of a cell: 0.91 of \textbf{0.91}."""
    while (changed := _STYLED.sub(r"\1", cell)) != cell:
        cell = changed
    for sign, printed in _SIGNS.items():
        cell = cell.replace(sign, printed)
    return re.sub(r"\\[a-zA-Z]+\s?", "", cell).strip()
