"""Laws of paired and unpaired comparisons on scales that no score has: 1e8 and a bit, 1e-200, mixed."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import AssayError
from assay.core.results import TestOutcome
from assay.hypotheses.paired_scores import paired_t, sign_test, wilcoxon
from assay.hypotheses.resampled_scores import corrected_resampled_t
from assay.hypotheses.two_samples import mann_whitney, two_sample_t

MIRRORED = {"two-sided": "two-sided", "less": "greater", "greater": "less"}
SIDES = st.sampled_from(sorted(MIRRORED))
LEVELS = st.sampled_from([0.5, 0.8, 0.95, 0.9999])
WHOLE = st.lists(st.integers(-40, 40), min_size=1, max_size=25)
SCALES = st.sampled_from([(0.0, 1.0), (1e8, 0.125), (0.0, 1e-200), (-1e5, 0.001), (0.0, 1e12)])
"""An offset and a unit: values are offset + unit * whole number."""

PAIRED: dict[str, Any] = {
    "paired_t": paired_t,
    "wilcoxon": wilcoxon,
    "sign_test": sign_test,
    "corrected_resampled_t": lambda a, b, **options: corrected_resampled_t(
        a, b, n_test=10, n_train=90, **options
    ),
}
UNPAIRED: dict[str, Any] = {"two_sample_t": two_sample_t, "mann_whitney": mann_whitney}


def answer(test: Any, *arguments: Any, **options: Any) -> TestOutcome | None:
    """The outcome, or None where the evidence is refused."""
    try:
        found: TestOutcome = test(*arguments, **options)
    except AssayError:
        return None
    return found


def alike(one: float | None, other: float | None, scale: float = 0.0) -> bool:
    if one is None or other is None:
        return one is other
    return one == other or math.isclose(one, other, rel_tol=1e-6, abs_tol=1e-12 * scale + 1e-300)


def check_mirror(one: TestOutcome | None, other: TestOutcome | None, scale: float) -> None:
    assert (one is None) == (other is None)
    if one is None or other is None:
        return
    assert alike(one.p_value, other.p_value, 1.0)
    mine, theirs = one.effect.interval, other.effect.interval
    assert (mine is None) == (theirs is None)
    if mine is not None and theirs is not None:
        assert alike(mine.low, -theirs.high, scale)
        assert alike(mine.high, -theirs.low, scale)


def check_decision(one: TestOutcome | None, level: float) -> None:
    """The interval decides: p is at most alpha where it leaves out zero."""
    if one is None or one.p_value is None or one.effect.interval is None:
        return
    low, high = one.effect.interval.low, one.effect.interval.high
    if 0.0 in (low, high) or math.isclose(one.p_value, 1.0 - level, rel_tol=1e-6):
        return
    assert (one.p_value <= 1.0 - level) == (not low <= 0.0 <= high)


@settings(deadline=None, max_examples=60)
@given(WHOLE, WHOLE, SCALES, SIDES, LEVELS, st.randoms(use_true_random=False))
@pytest.mark.parametrize("name", PAIRED)
def test_pairs(
    name: str,
    first: list[int],
    second: list[int],
    scale: tuple[float, float],
    side: str,
    level: float,
    random: Any,
) -> None:
    n, (offset, unit), test = min(len(first), len(second)), scale, PAIRED[name]
    a, b = (offset + unit * np.array(values[:n], float) for values in (first, second))
    order = random.sample(range(n), n)
    size = float(max(np.abs(a).max(), np.abs(b).max()))
    found = answer(test, a, b, alternative=side, level=level)
    check_decision(found, level)
    mirrored = answer(test, b, a, alternative=MIRRORED[side], level=level)
    check_mirror(found, mirrored, size)
    shuffled = answer(test, b[order], a[order], alternative=MIRRORED[side], level=level)
    check_mirror(found, shuffled, size)


@settings(deadline=None, max_examples=60)
@given(WHOLE, WHOLE, SCALES, SIDES, LEVELS)
@pytest.mark.parametrize("name", UNPAIRED)
def test_samples(
    name: str,
    first: list[int],
    second: list[int],
    scale: tuple[float, float],
    side: str,
    level: float,
) -> None:
    (offset, unit), test = scale, UNPAIRED[name]
    a, b = (offset + unit * np.array(values, float) for values in (first, second))
    size = float(max(np.abs(a).max(), np.abs(b).max()))
    found = answer(test, a, b, alternative=side, level=level)
    check_decision(found, level)
    mirrored = answer(test, b[::-1], a[::-1], alternative=MIRRORED[side], level=level)
    check_mirror(found, mirrored, size)


@settings(deadline=None, max_examples=40)
@given(WHOLE, st.sampled_from([(0.0, 1.0), (1e8, 0.125), (0.0, 1e12)]))
@pytest.mark.parametrize("name", ["paired_t", "sign_test"])
def test_p_falls_as_differences_rise(
    name: str, values: list[int], scale: tuple[float, float]
) -> None:
    """Wilcoxon's need not: a difference that becomes zero is dropped, and its rank with it."""
    offset, unit = scale
    b = np.full(len(values), offset)
    a = b + unit * np.array(values, float)
    found = [
        answer(PAIRED[name], a + shift * unit, b, alternative="greater")
        for shift in (-9.5, -1.5, 0.5, 7.5)
    ]
    p = [one.p_value for one in found if one is not None and one.p_value is not None]
    assert all(late <= early * (1.0 + 1e-9) for early, late in itertools.pairwise(p))
