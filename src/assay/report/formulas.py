"""Numbers put into formulas: the names of a formula are the names of a result's details."""

import ast
import math
import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from assay.core.results import Interval, Scalar

Names = Mapping[str, Scalar]

# letters, digits and underscores of ASCII only: ² is a letter to Python
_NAME = r"[A-Za-z][A-Za-z0-9_]*"
_WORD = re.compile(rf"(?<![A-Za-z0-9_'.])({_NAME})(?![A-Za-z0-9_'(])")
_CLAUSE = re.compile(rf"[,;] (?={_NAME}²? = )")
_DEFINED = re.compile(rf"(?P<name>{_NAME})(?P<square>²?) = (?P<right>.+)", re.DOTALL)
_SIDE_BY_SIDE = re.compile(r"(?<=[\d)²]) (?=[\d(])")
_DOUBLED = re.compile(r"(?<=[(|])\((-[^()]+)\)(?=[)|])")
_PROSE = re.compile(r" (?:of|by|over|in|with|rank|ranks)\b")

_FUNCTIONS: dict[str, Callable[..., float]] = {
    "sqrt": math.sqrt,
    "min": min,
    "max": max,
    "floor": math.floor,
    "abs": abs,
}
_OPERATORS: dict[type[ast.AST], Callable[..., float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.Pow: operator.pow,
    ast.USub: operator.neg,
}


def filled(formula: str, names: Names, interval: Interval | None = None) -> str:
    """The formula with numbers for names, and after each part the number it comes to.

    What a later part defines (``p = errors/n``) is worked out and put into the earlier ones.
    """
    parts = _CLAUSE.split(formula)
    known = _worked_out(parts, names)
    shown = [
        _part(part, known, interval if first == 0 else None) for first, part in enumerate(parts)
    ]
    between = [*_CLAUSE.findall(formula), ""]
    return "".join(part + mark for part, mark in zip(shown, between, strict=True))


def evaluated(expression: str, names: Names) -> float | None:
    """The value of an expression of numbers, names, + - · / ^ ², roots and parentheses; else None."""
    text = _WORD.sub(lambda found: _exact(names.get(found[1]), found[1]), expression)
    text = re.sub(r"\|([^|]+)\|", r"abs(\1)", text)
    text = _SIDE_BY_SIDE.sub(
        "*", re.sub(rf"(?<=[\d)²]) (?=(?:{'|'.join(_FUNCTIONS)})\()", "*", text)
    )
    for sign, python in ((")(", ")*("), ("²", "**2"), ("^", "**"), ("·", "*"), ("−", "-")):
        text = text.replace(sign, python)
    try:
        return float(_value(ast.parse(text.strip(), mode="eval").body))
    except (SyntaxError, ValueError, ArithmeticError, TypeError):
        return None


def number(value: Scalar) -> str:
    """A number as it stands in a formula; a negative one in parentheses."""
    text = bare(value)
    return f"({text})" if text.startswith("-") else text


def bare(value: Scalar) -> str:
    """A number that stands alone."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    if math.isinf(value):
        return "∞" if value > 0 else "-∞"
    whole = float(value).is_integer() and abs(value) < 1e15
    return str(int(value)) if whole else f"{value:.6g}"


def _worked_out(parts: list[str], names: Names) -> dict[str, Scalar]:
    known = dict(names)
    for part in reversed(parts):
        defined = _DEFINED.fullmatch(part)
        if defined is None or defined["name"] in known:
            continue
        value = evaluated(_before_words(defined["right"])[0], known)
        if value is not None and (value >= 0.0 or not defined["square"]):
            known[defined["name"]] = math.sqrt(value) if defined["square"] else value
    return known


def _part(part: str, names: Names, interval: Interval | None) -> str:
    defined = _DEFINED.fullmatch(part)
    if defined is None:
        main, rest = _before_words(part)
        ends = ""
        if interval is not None and "±" in main:
            ends = f" = [{bare(interval.low)}, {bare(interval.high)}]"
        return f"{_substituted(main, names)}{ends}{_substituted(rest, names)}"
    main, rest = _before_words(defined["right"])
    right, after = _substituted(main, names), _substituted(rest, names)
    value = names.get(defined["name"])
    left = f"{defined['name']}{defined['square']}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        result = bare(float(value) ** 2 if defined["square"] else value)
        right = right if right == result else f"{right} = {result}"
    return f"{left} = {right}{after}"


def _before_words(text: str) -> tuple[str, str]:
    """The part up to the first comma outside parentheses, and the words after it."""
    depth = 0
    for place, letter in enumerate(text):
        depth += (letter in "([⌊") - (letter in ")]⌋")
        if letter in ",;" and depth == 0:
            return text[:place], text[place:]
    return text, ""


def _substituted(text: str, names: Names) -> str:
    def put(found: re.Match[str]) -> str:
        value = names.get(found[1])
        if value is None or isinstance(value, str | bool) or _PROSE.match(text, found.end()):
            return found[1]
        return number(value)

    return _DOUBLED.sub(r"\1", _SIDE_BY_SIDE.sub(" · ", _WORD.sub(put, text)))


def _exact(value: Scalar, name: str) -> str:
    if value is None or isinstance(value, str | bool):
        return name
    return f"({float(value)!r})" if value < 0 else repr(float(value))


def _value(node: ast.AST) -> Any:
    """The value of a tree of arithmetic; anything else is a ValueError."""
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return node.value
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and not node.keywords:
        function = _FUNCTIONS.get(node.func.id)
        if function is not None:
            return function(*(_value(argument) for argument in node.args))
    raise ValueError(f"not arithmetic: {ast.dump(node)}")
