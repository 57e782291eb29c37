"""The little Markdown that our documentation is written in, as blocks that a template escapes."""

import re
from dataclasses import dataclass
from typing import Literal

Piece = tuple[Literal["text", "code", "strong", "emphasis"], str]
_INLINE = re.compile(
    r"`(?P<code>[^`]+)`|\*\*(?P<strong>[^*]+)\*\*|(?<!\*)\*(?P<emphasis>[^*\s][^*]*)\*(?!\*)"
)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]*\)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """A paragraph, a list, a table (head first) or code; each line is a row of cells of pieces."""

    kind: Literal["paragraph", "list", "table", "code", "heading"]
    rows: tuple[tuple[tuple[Piece, ...], ...], ...]


def blocks(text: str) -> list[Block]:
    """The blocks of a text; links become their words, as pages here have other addresses."""
    found: list[Block] = []
    for part in re.split(r"\n\s*\n", _fenced(text).strip("\n")):
        lines = [line for line in part.split("\n") if line.strip()]
        if lines:
            found.append(_block(lines))
    return found


def _fenced(text: str) -> str:
    """Fenced code as indented code, its empty lines kept in one block."""
    out, inside = [], False
    for line in text.split("\n"):
        if line.startswith("```"):
            inside = not inside
            out.append("")
        else:
            out.append(f"    {line or ' .'}" if inside else line)
    return "\n".join(out)


def _block(lines: list[str]) -> Block:
    if all(line.startswith("    ") for line in lines):
        shown = [line[4:] if line.strip() != "." else "" for line in lines]
        return Block(kind="code", rows=(((("code", "\n".join(shown)),),),))
    if lines[0].startswith("#"):
        return Block(kind="heading", rows=((_pieces(lines[0].lstrip("# ")),),))
    if lines[0].startswith("|"):
        rows = [_cells(line) for line in lines if not re.fullmatch(r"[|:\- ]+", line)]
        return Block(kind="table", rows=tuple(rows))
    if lines[0].lstrip().startswith(("- ", "* ")):
        items: list[str] = []
        for line in lines:
            if line.lstrip().startswith(("- ", "* ")):
                items.append(line.lstrip()[2:])
            else:
                items[-1] += f" {line.strip()}"
        return Block(kind="list", rows=tuple((_pieces(item),) for item in items))
    return Block(kind="paragraph", rows=((_pieces(" ".join(lines)),),))


def _cells(line: str) -> tuple[tuple[Piece, ...], ...]:
    inner = line.strip().strip("|")
    return tuple(
        _pieces(cell.replace("\\|", "|").strip()) for cell in re.split(r"(?<!\\)\|", inner)
    )


def _pieces(text: str) -> tuple[Piece, ...]:
    plain = _LINK.sub(r"\1", text)
    found: list[Piece] = []
    end = 0
    for match in _INLINE.finditer(plain):
        if match.start() > end:
            found.append(("text", plain[end : match.start()]))
        kind = str(match.lastgroup)
        found.append((kind, match[kind]))  # type: ignore[arg-type]
        end = match.end()
    if end < len(plain):
        found.append(("text", plain[end:]))
    return tuple(found)
