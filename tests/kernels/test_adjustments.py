from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.hypotheses.multiplicity import adjust, shaffer
from assay.kernels.adjustments import RULES, individual_levels

SINGLE: tuple[Any, ...] = tuple(RULES)


class TestIndividualLevels:
    @pytest.mark.parametrize(
        "method", [name for name in SINGLE if name != "hommel"] + ["shaffer", "none"]
    )
    @given(p=st.lists(st.floats(0.0, 0.2), min_size=6, max_size=6), alpha=st.floats(0.01, 0.2))
    def test_decides_as_the_adjusted_p(self, method: str, p: list[float], alpha: float) -> None:
        levels = individual_levels(np.array(p), adjustment=method, alpha=alpha)
        assert levels is not None
        adjusted = np.array(_adjusted(p, method))
        clear = np.abs(adjusted - alpha) > 1e-9
        assert ((adjusted <= alpha) == (np.array(p) <= levels))[clear].all()

    @pytest.mark.parametrize("method", ["holm", "hochberg", "bh", "shaffer", "finner", "li", "rom"])
    def test_is_the_largest_p_still_rejected(self, method: str) -> None:
        rng = np.random.default_rng(8)
        for _ in range(25):
            p = rng.random(6) * 0.12
            levels = individual_levels(p, adjustment=method, alpha=0.05)
            assert levels is not None
            for place, level in enumerate(levels):
                below, above = p.copy(), p.copy()
                below[place], above[place] = level * (1 - 1e-9), level * (1 + 1e-9)
                assert _adjusted(below, method)[place] <= 0.05
                assert _adjusted(above, method)[place] > 0.05

    def test_without_constants(self) -> None:
        assert individual_levels(np.array([0.1, 0.2]), adjustment="hommel", alpha=0.05) is None


@pytest.mark.parametrize(
    ("constant", "hypotheses"), [(0.05, 1), (0.025, 2), (0.0169, 3), (0.0127, 4), (0.0102, 5)]
)
def test_roms_constants(constant: float, hypotheses: int) -> None:
    """Rom 1990, table 1, printed to four digits: the smallest of so many p is rejected at 0.05."""
    p = [1.0] * (hypotheses - 1)
    assert adjust([constant - 1e-4, *p], method="rom")[0] < 0.05
    assert adjust([constant + 1e-4, *p], method="rom")[0] > 0.05


def _adjusted(p: Any, method: str) -> tuple[float, ...]:
    if method == "none":
        return tuple(p)
    return shaffer(p) if method == "shaffer" else adjust(p, method=method)  # type: ignore[arg-type]
