"""Limits of a calibration error in fixed bins."""

import numpy as np
import pytest
from scipy import stats

from assay.estimates.calibration_errors import gap_limits


def test_one_bin_by_hand() -> None:
    features = np.array([[0.5], [-0.2], [0.4], [0.1]])
    value, low, high, noise = gap_limits(features, 2.0)
    error = features.std(ddof=1) / 2.0
    assert value == pytest.approx(0.2)
    assert high == pytest.approx(0.2 + 2.0 * error)
    assert noise == pytest.approx(np.sqrt(2 / np.pi) * error)
    assert low == 0.0


def test_a_large_gap_is_bounded_from_below() -> None:
    features = np.array([[0.5], [0.45], [0.55], [0.5], [0.52]])
    found = gap_limits(features, 2.0)
    assert 0.4 < found.low < found.value < found.high


def test_noise_is_the_mean_size_of_normal_numbers() -> None:
    rng = np.random.default_rng(0)
    features = np.eye(4)[rng.integers(0, 4, 4000)] * rng.standard_normal(4000)[:, None]
    sizes = [
        np.abs(features[rng.integers(0, 4000, 4000)].mean(0) - features.mean(0)).sum()
        for _ in range(400)
    ]
    assert gap_limits(features, 2.0).noise == pytest.approx(np.mean(sizes), rel=0.05)


@pytest.mark.parametrize("sharpness", [1.0, 1.5, 2.5])
def test_coverage(sharpness: float) -> None:
    """True errors .0, .06 and .13, from two million items; ten bins, 200 items."""
    true = {1.0: 0.0, 1.5: 0.0616, 2.5: 0.1294}[sharpness]
    rng, inside = np.random.default_rng(1), 0
    for _ in range(300):
        logits = 1.5 * rng.standard_normal(200)
        truth = rng.random(200) < 1 / (1 + np.exp(-logits))
        chance = 1 / (1 + np.exp(-sharpness * logits))
        features = np.zeros((200, 10))
        features[np.arange(200), np.clip(np.ceil(chance * 10).astype(int) - 1, 0, 9)] = (
            truth - chance
        )
        found = gap_limits(features, float(stats.t.isf(0.025, 199)))
        inside += found.low <= true <= found.high
    assert inside >= 278
