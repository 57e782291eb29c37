"""One order and one sign for A against B and B against A."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels.swap_symmetry import mirrored, oriented

ROWS = st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=6)


class TestOriented:
    @given(ROWS, st.integers(0, 99))
    def test_forgets_order_and_sign(self, rows: list[tuple[int, int]], seed: int) -> None:
        values, companions = np.array(rows, dtype=np.float64).T
        order, sign = oriented(values, companions)
        shuffle = np.random.default_rng(seed).permutation(len(rows))
        turned, partners = -values[shuffle], companions[shuffle]
        other, turned_sign = oriented(turned, partners)
        assert turned_sign == -sign
        np.testing.assert_array_equal(
            (sign or 1) * values[order], (turned_sign or 1) * turned[other]
        )
        np.testing.assert_array_equal(companions[order], partners[other])

    def test_a_mirror_image_of_itself_has_no_sign(self) -> None:
        values = np.array([0.2, -0.2, 0.0])
        assert oriented(values)[1] == 0
        assert oriented(values, np.array([1.0, 2.0, 1.0]))[1] != 0


class TestMirrored:
    def test_back_to_the_caller(self) -> None:
        assert mirrored(0.1, 0.3, 1) == (0.1, 0.3)
        assert mirrored(0.1, 0.3, -1) == (0.3, 0.1)
        assert mirrored(0.1, 0.3, 0) == (0.2, 0.2)
