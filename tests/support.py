"""Comparison of results with reference values, shared by all tests."""

import math
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

PATIENCE = 300.0
"""Seconds after which what a test waits for hangs; on a busy machine everything takes long."""
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


def needs(program: str, package: str) -> pytest.MarkDecorator:
    """Skip where a program is absent; CI sets ASSAY_REQUIRE_ALL, and then the test fails instead."""
    absent = shutil.which(program) is None and not os.environ.get("ASSAY_REQUIRE_ALL")
    return pytest.mark.skipif(absent, reason=f"{program} is not installed (Debian's {package})")


def until(true: Callable[[], object]) -> None:
    """Wait for something to come true, however busy the machine is."""
    deadline = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < deadline, "waited in vain"
        time.sleep(0.02)


def lives(pid: int) -> bool:
    """Whether there is such a process, and not only what is left of it."""
    import psutil

    try:
        return bool(psutil.Process(pid).status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False


def shared_table(name: str) -> Path:
    """A published score table that is not ours to carry; the test is skipped where it is absent."""
    beside = Path(__file__).parent.parent.parent / "shared"
    path = Path(os.environ.get("ASSAY_SHARED", beside)) / "tables" / name
    if not path.exists():
        pytest.skip(f"the score table {name} is not at hand (ASSAY_SHARED)")
    return path
