"""The variance of a mean over time, by its definition."""

import numpy as np
import pytest

from assay.kernels.time_series import long_run_variance


@pytest.mark.parametrize("horizon", [1, 2, 3, 7])
def test_products_of_all_pairs_less_than_the_horizon_apart(horizon: int) -> None:
    values = np.random.default_rng(2).normal(size=7).cumsum()
    centred = values - values.mean()
    near = [
        first * second
        for place, first in enumerate(centred)
        for other, second in enumerate(centred)
        if abs(place - other) < horizon
    ]
    assert long_run_variance(centred, horizon) == pytest.approx(sum(near) / 7**2)
