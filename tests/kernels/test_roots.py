"""The bracketed solver over arrays."""

import numpy as np
from numpy.typing import NDArray

from assay.kernels.roots import bracketed_root


class TestBracketedRoot:
    def test_finds_many_roots_at_once(self) -> None:
        targets = np.linspace(0.001, 50.0, 400)
        roots = bracketed_root(lambda x: x**3 - targets, 0.0, np.full(400, 10.0))
        np.testing.assert_allclose(roots, np.cbrt(targets), rtol=1e-14)

    def test_needs_few_evaluations_of_a_smooth_function(self) -> None:
        calls = 0

        def function(x: NDArray[np.float64]) -> NDArray[np.float64]:
            nonlocal calls
            calls += 1
            return np.exp(x) - 2.0

        assert abs(float(bracketed_root(function, -5.0, 5.0)) - np.log(2.0)) < 1e-15
        assert calls < 20

    def test_a_step_function_is_bisected(self) -> None:
        root = bracketed_root(lambda x: np.where(x < 0.3, -1.0, 1.0), 0.0, 1.0)
        assert abs(float(root) - 0.3) < 1e-15

    def test_an_end_that_is_a_root_is_returned(self) -> None:
        assert float(bracketed_root(lambda x: x, 0.0, 1.0)) == 0.0

    def test_without_a_sign_change_the_nearer_end_is_returned(self) -> None:
        assert float(bracketed_root(lambda x: x + 1.0, 0.0, 1.0)) == 0.0

    def test_its_input_is_left_alone(self) -> None:
        low, high = np.array([0.0, 1.0]), np.array([3.0, 3.0])
        bracketed_root(lambda x: x - 2.0, low, high)
        assert low.tolist() == [0.0, 1.0]
        assert high.tolist() == [3.0, 3.0]
