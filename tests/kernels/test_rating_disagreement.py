"""Disagreement with each item left out is that of the other items."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from assay.kernels.rating_disagreement import Disagreement, interval, nominal, ordinal, ratio

VALUES = np.array([0.0, 1.0, 2.5, 7.0])
KERNELS: dict[str, Callable[[Any], Disagreement]] = {
    "nominal": lambda codes: nominal(codes, 4),
    "ordinal": lambda codes: ordinal(codes, 4),
    "interval": lambda codes: interval(codes, VALUES),
    "ratio": lambda codes: ratio(codes, VALUES),
}


@pytest.mark.parametrize("name", KERNELS)
class TestEveryDistance:
    @settings(max_examples=40)
    @given(
        arrays(
            np.int64, st.tuples(st.integers(3, 8), st.integers(2, 5)), elements=st.integers(-1, 3)
        )
    )
    def test_leaving_out(self, name: str, codes: np.ndarray[Any, Any]) -> None:
        kept = codes[(codes >= 0).sum(axis=1) > 1]
        if len(kept) < 3:
            return
        found = KERNELS[name](kept)
        for place in range(len(kept)):
            others = KERNELS[name](np.delete(kept, place, axis=0))
            scale = max(1.0, found.across)
            assert found.within_without[place] == pytest.approx(others.within, abs=1e-11 * scale)
            assert found.across_without[place] == pytest.approx(others.across, abs=1e-11 * scale)
            assert found.ratings_without[place] == others.ratings

    def test_one_category_does_not_disagree(self, name: str) -> None:
        found = KERNELS[name](np.full((4, 3), 2))
        assert (found.within, found.across, found.ratings) == (0.0, 0.0, 12)


def test_by_hand() -> None:
    """Two items, (a, b) and (a, a): within 2/1; across 2 * 3 * 1 ordered pairs that differ."""
    found = nominal(np.array([[0, 1], [0, 0]]), 2)
    assert (found.within, found.across, found.ratings) == (2.0, 6.0, 4)
