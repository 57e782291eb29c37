"""Lines of code per file: what is left without blank lines, comments, docstrings, signatures, imports.

The decorators of a function or class belong to its signature.
``python tools/code_lines.py src/assay/evidence`` prints a line per file and the total; several files
and folders may be named. ``--total`` prints the total alone.
"""

import argparse
import ast
import io
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

_SILENT = {
    tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT,
    tokenize.ENDMARKER,
}  # fmt: skip


def code_lines(source: str) -> int:
    """How many lines of a module hold code other than its imports, signatures and docstrings."""
    left_out = {line for span in _spans_left_out(ast.parse(source)) for line in span}
    return len(_lines_with_code(source) - left_out)


def _lines_with_code(source: str) -> set[int]:
    tokens = tokenize.generate_tokens(io.StringIO(source).readline)
    spoken = (token for token in tokens if token.type not in _SILENT)
    return {line for token in spoken for line in range(token.start[0], token.end[0] + 1)}


def _spans_left_out(tree: ast.AST) -> Iterator[range]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield range(_first_line_of(node), _first_line_of(node.body[0]))
        elif isinstance(node, ast.Expr) and _is_text(node.value):
            yield range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _first_line_of(statement: ast.stmt) -> int:
    """Where a statement begins, the decorators of a function or class included."""
    decorators = getattr(statement, "decorator_list", [])
    return min([statement.lineno, *(decorator.lineno for decorator in decorators)])


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _files(places: Sequence[Path]) -> Iterator[Path]:
    for place in places:
        yield from sorted(place.rglob("*.py")) if place.is_dir() else [place]


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("places", nargs="+", type=Path, help="files and folders to count")
    parser.add_argument("--total", action="store_true", help="print the total alone")
    options = parser.parse_args(arguments)
    counted = {path: code_lines(path.read_text("utf-8")) for path in _files(options.places)}
    if not options.total:
        for path, count in counted.items():
            print(f"{count:7,}  {path}")
    print(f"{sum(counted.values()):7,}  in {len(counted)} files")


if __name__ == "__main__":
    main()
