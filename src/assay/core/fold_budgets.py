"""What to run for so many fits of each of two algorithms on one data set, and what it was measured to do."""

import json
from pathlib import Path
from typing import NamedTuple

FITS_OF_VALID = 50
"""Fits of each algorithm unless said."""


class Price(NamedTuple):
    """Splits at a price, the test that decides them, and its figures in `calibration.plain_folds`."""

    fits: int
    folds: int
    repeats: int
    method: str
    mean: float
    """False differences between equal learners at a nominal 5 %, the mean over cells."""
    worst: float
    """The same in the worst cell."""
    cells: int
    samples: int
    """Samples of the worst cell."""


def _read() -> tuple[Price, ...]:
    text = Path(__file__).with_name("fold_budgets.json").read_text(encoding="utf-8")
    return tuple(Price(**one) for one in json.loads(text))


PRICES = _read()
"""By price, least first; `python -m calibration.held_folds` writes the table with docs/folds.md."""


def price_of(fits: int) -> Price:
    """The dearest that so many fits can pay, or the cheapest there is."""
    return max((one for one in PRICES if one.fits <= fits), default=PRICES[0])
