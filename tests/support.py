"""Comparison of results with reference values, shared by all tests."""

import math
from typing import Any

NUMBERS = {"Infinity": math.inf, "-Infinity": -math.inf}


def agree(actual: Any, expected: Any, rtol: float = 1e-9, *, atol: float = 1e-12) -> bool:
    """Whether a value equals its reference: None is None, infinities by name, lists by element."""
    expected = NUMBERS.get(expected, expected) if isinstance(expected, str) else expected
    if expected is None or actual is None:
        return actual is None and expected is None
    if isinstance(expected, list | tuple):
        return len(actual) == len(expected) and all(
            agree(one, other, rtol, atol=atol) for one, other in zip(actual, expected, strict=True)
        )
    if isinstance(expected, bool | str):
        return bool(actual == expected)
    return math.isclose(float(actual), float(expected), rel_tol=rtol, abs_tol=atol)
