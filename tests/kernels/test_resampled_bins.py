"""Resampled gaps of bins of equal mass agree with resampling every item."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.measures.calibration import Binning, calibration_error

N = 50_000
DRAWN, PLAIN = 20_000, 400


def _items(kind: str) -> tuple[NDArray[Any], NDArray[Any]]:
    rng = np.random.default_rng(4)
    chance = {
        "even": rng.random(N),
        "sure of nearly all": rng.beta(0.15, 0.15, N),
        "two digits": np.round(rng.random(N), 2),
        "rare": rng.beta(0.3, 20.0, N),
    }[kind]
    return (rng.random(N) < chance**1.1).astype(np.int64), chance


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("kind", ["even", "sure of nearly all", "two digits", "rare"])
def test_mean_spread_and_limits_are_those_of_plain_resampling(kind: str, worst: bool) -> None:
    truth, chance = _items(kind)
    measure = calibration_error(Binning(bins="mass"), worst=worst)
    assert measure.limit is not None
    assert measure.prepare is not None
    found = measure.limit(truth, chance, DRAWN, 1)
    assert found is not None
    rng = np.random.default_rng(5)
    of_weights = measure.prepare(truth, chance)
    shares = np.full(N, 1.0 / N)
    plain = np.concatenate([of_weights(rng.multinomial(N, shares, 50)) for _ in range(PLAIN // 50)])
    error = plain.std()
    assert found.mean() == pytest.approx(plain.mean(), abs=4.0 * error / PLAIN**0.5)
    assert found.std() == pytest.approx(error, rel=4.0 / (2.0 * PLAIN) ** 0.5)
    for share in (0.05, 0.5, 0.95):
        below = (plain <= np.quantile(found, share)).mean()
        assert below == pytest.approx(share, abs=4.0 * (share * (1.0 - share) / PLAIN) ** 0.5)


def test_few_items_and_many_ties_are_left_to_plain_resampling() -> None:
    measure = calibration_error(Binning(bins="mass"))
    assert measure.limit is not None
    truth, chance = _items("even")
    assert measure.limit(truth[:30_000], chance[:30_000], 99, 1) is None
    assert measure.limit(truth, np.round(chance, 1), 99, 1) is None


def test_one_seed_has_one_answer() -> None:
    truth, chance = _items("rare")
    limit = calibration_error(Binning(bins="mass")).limit
    assert limit is not None
    assert np.array_equal(limit(truth, chance, 50, 7), limit(truth, chance, 50, 7))  # type: ignore[arg-type]
    assert not np.array_equal(limit(truth, chance, 50, 7), limit(truth, chance, 50, 8))  # type: ignore[arg-type]
