"""The default at a price: what so many fits can pay."""

import pytest

from assay.core.fold_budgets import PRICES, price_of


@pytest.mark.parametrize(
    ("fits", "price"), [(10, 10), (24, 10), (25, 25), (60, 50), (499, 100), (5000, 500), (3, 10)]
)
def test_the_dearest_that_can_be_paid(fits: int, price: int) -> None:
    assert price_of(fits).fits == price


def test_every_price_has_its_splits_and_a_level_that_was_counted() -> None:
    for one in PRICES:
        assert one.repeats * one.folds == one.fits
        assert one.method == "cautious_resampled_t"
        assert 0.0 <= one.mean <= one.worst <= 0.06
        assert one.cells >= 12
