"""Kernels at the sizes between which they change their way give the numbers of the version before.

Like those of `tests/hypotheses/test_kept_numbers.py`, these tell that a number has changed, not that it is right.
"""

import dataclasses
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.kept_numbers import CLOSE, SINGLE, Kept, hold, keeping
from tests.kernels import calls_of_ranks, calls_of_sums

GROUPS = {
    one.__name__: one
    for one in (
        calls_of_sums.signs,
        calls_of_sums.means,
        calls_of_sums.intervals,
        calls_of_sums.shares,
        calls_of_sums.areas,
        calls_of_ranks.ranked,
        calls_of_ranks.weighted,
        calls_of_ranks.others,
    )
}
SINGLES = ("draws", "decisions", "winner", "reach")
"""Beginnings of the names of calls that draw in single precision."""
WHOLE = 6
"""Entries up to which an array is kept as it is; of a longer one some sums and both ends are."""


def leaves(value: Any) -> Iterator[Any]:
    if dataclasses.is_dataclass(value):
        for field in dataclasses.fields(value):
            yield from leaves(getattr(value, field.name))
    elif isinstance(value, np.ndarray) and value.size > WHOLE:
        numbers = value.astype(np.float64).ravel()
        held = np.where(np.isfinite(numbers), numbers, 0.0)
        ways = np.sqrt(np.arange(2.0, 2.0 + held.size))
        yield from (held.size, numbers[0], numbers[-1], held.sum(), held @ ways, held**2 @ ways)
    elif isinstance(value, np.ndarray):
        yield from leaves(value.tolist())
    elif isinstance(value, dict):
        yield from leaves(list(value.values()))
    elif isinstance(value, list | tuple):
        for one in value:
            yield from leaves(one)
    elif isinstance(value, np.generic):
        yield value.item()
    elif callable(value):
        yield type(value).__name__
    else:
        yield value


@pytest.fixture(scope="module")
def kept() -> Iterator[Kept]:
    yield from keeping("numbers_of_kernels")


QUESTIONS = [
    pytest.param(group, name, call, id=f"{group}-{name}")
    for group, listed in GROUPS.items()
    for name, call in listed()
]


@pytest.mark.parametrize(("group", "name", "call"), QUESTIONS)
def test_a_kernel_gives_the_numbers_of_the_version_before(
    group: str, name: str, call: calls_of_sums.Call, kept: Kept
) -> None:
    near = SINGLE if name.startswith(SINGLES) else CLOSE
    found = [float(one) if isinstance(one, np.generic) else one for one in leaves(call())]
    hold(kept, group, name, found, near)


def test_no_number_of_a_kernel_is_left_behind(kept: Kept) -> None:
    asked = [(group, name) for group, listed in GROUPS.items() for name, _ in listed()]
    assert len(asked) == len(set(asked))
    assert {(group, name) for group, names in kept.items() for name in names} == set(asked)
