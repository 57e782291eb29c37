"""Kish's effective size by hand."""

import numpy as np
import pytest

from assay.kernels.effective_size import kish


@pytest.mark.parametrize(
    ("weights", "size"),
    [([1, 1, 1, 1], 4.0), ([3, 3], 2.0), ([1, 1, 2], 16 / 6), ([1, 0, 0], 1.0)],
)
def test_the_square_of_the_sum_over_the_sum_of_squares(weights: list[int], size: float) -> None:
    assert kish(np.array(weights, dtype=float)) == pytest.approx(size)
