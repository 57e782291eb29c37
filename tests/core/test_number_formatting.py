"""Numbers as people read them."""

import math

import pytest

from assay.core.number_formatting import say_power, shown, shown_p, shown_percent


@pytest.mark.parametrize(
    ("value", "half_width", "text"),
    [
        (0.84567, 0.0123, "0.846"),
        (0.84567, 0.123, "0.85"),
        (-0.00001, 0.012, "0.000"),
        (1234.5, 56.0, "1235"),
        (0.5, None, "0.5"),
        (0.5, 0.0, "0.5"),
        (None, 0.1, "undefined"),
        (math.inf, None, "inf"),
        (-math.inf, 0.1, "-inf"),
    ],
)
def test_shown(value: float | None, half_width: float | None, text: str) -> None:
    assert shown(value, half_width) == text


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (0.0314, "0.031"),
        (0.5, "0.50"),
        (0.00123, "0.0012"),
        (3.2e-22, "3e-22"),
        (4e-5, "4e-5"),
        (1.0, "1.00"),
        (0.998, "0.998"),
        (0.0, "<1e-300"),
        (None, "undefined"),
    ],
)
def test_shown_p(p_value: float | None, text: str) -> None:
    assert shown_p(p_value) == text


def test_shown_percent() -> None:
    assert shown_percent(0.95) == "95%"
    assert shown_percent(0.999) == "99.9%"


def test_a_half_is_rounded_alike_however_it_was_reached() -> None:
    """7/80 as a quotient and as a difference of accuracies differ in the last bit."""
    for one, other in ((7 / 80, 0.85 - 0.7625), (-7 / 80, 0.7625 - 0.85)):
        assert one != other
        assert shown(one, 0.03) == shown(other, 0.03)


def test_a_power_has_one_rounding() -> None:
    assert [say_power(value) for value in (0.0755, 0.5, 0.99951, None)] == [
        "7.5%",
        "50%",
        "over 99.9%",
        "no",
    ]
