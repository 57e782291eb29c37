"""Printed decimals as whole numbers of their last digit."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from assay.kernels.last_digits import DIGITS, whole_numbers


@pytest.mark.parametrize("digits", range(DIGITS + 1))
def test_values_are_found_again(digits: int) -> None:
    values = np.random.default_rng(digits).normal(0.0, 5.0, (50, 3)).round(digits)
    found = whole_numbers(values)
    assert found is not None
    assert_array_equal(found[0] / found[1], values)
    assert found[1] <= 10.0**digits


@pytest.mark.parametrize(
    "values", [[1 / 3, 0.5], [0.5, np.nan], [0.5, np.inf], [0.000_001, 3e9]], ids=str
)
def test_others_are_none(values: list[float]) -> None:
    assert whole_numbers(np.array(values)) is None


def test_one_long_value_among_many_is_seen() -> None:
    values = np.full(100_000, 0.25)
    values[77_777] = 1 / 3
    assert whole_numbers(values) is None
