"""How a computed value is held against the reference."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

ZERO = 1e-12
"""How far from an expected zero a value may lie: a relative error of nothing does not exist."""

NOISE = 1e-17
"""Differences below the rounding of binary numbers: other programs have 4e-31 where 0 is meant.
p-values may be as small as that and get no such allowance."""

_INFINITIES = {"Infinity": math.inf, "-Infinity": -math.inf}


def relative_error(actual: Any, expected: Any, noise: float = 0.0) -> float:
    """The largest relative error; infinite where one side is missing or of another shape.

    Undefined agrees with undefined only; words and truth values agree or do not. Differences up
    to ``noise`` are none.
    """
    if isinstance(expected, str):
        expected = _INFINITIES.get(expected, expected)
    if expected is None or actual is None:
        return 0.0 if actual is expected else math.inf
    if isinstance(expected, Mapping):
        found = [relative_error(actual.get(name), one, noise) for name, one in expected.items()]
        return max(found, default=0.0)
    if isinstance(expected, list):
        values = list(actual)
        if len(values) != len(expected):
            return math.inf
        pairs = zip(values, expected, strict=True)
        return max((relative_error(one, other, noise) for one, other in pairs), default=0.0)
    if isinstance(expected, bool | str):
        return 0.0 if actual == expected else math.inf
    return _of_numbers(float(actual), float(expected), noise)


def leaves(tree: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of nested dictionaries under its path, such as ``welch.p_value``."""
    for name, value in tree.items():
        path = f"{prefix}{name}"
        if isinstance(value, Mapping):
            yield from leaves(value, f"{path}.")
        else:
            yield path, value


def _of_numbers(actual: float, expected: float, noise: float) -> float:
    if actual == expected:
        return 0.0
    if not (math.isfinite(actual) and math.isfinite(expected)):
        return math.inf
    distance = abs(actual - expected)
    if expected == 0.0:
        return 0.0 if distance <= ZERO else math.inf
    return 0.0 if distance <= noise else distance / abs(expected)
