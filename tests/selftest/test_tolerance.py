"""When a computed value agrees with its reference."""

import math

from assay.selftest.tolerance import leaves, relative_error


class TestRelativeError:
    def test_numbers(self) -> None:
        assert relative_error(1.01, 1.0) == abs(1.01 - 1.0)
        assert relative_error(-2.0, 2.0) == 2.0
        assert relative_error(0.0, 1e-30) == 1.0

    def test_expected_zero_has_an_absolute_tolerance(self) -> None:
        assert relative_error(1e-13, 0) == 0.0
        assert relative_error(1e-11, 0) == math.inf

    def test_noise(self) -> None:
        assert relative_error(0.0, 4e-31, noise=1e-17) == 0.0
        assert relative_error(1e-16, 4e-31, noise=1e-17) > 1.0

    def test_undefined_agrees_with_undefined_only(self) -> None:
        assert relative_error(None, None) == 0.0
        assert relative_error(None, 0.0) == math.inf
        assert relative_error(0.0, None) == math.inf

    def test_infinities_go_by_name(self) -> None:
        assert relative_error(math.inf, "Infinity") == 0.0
        assert relative_error(math.inf, "-Infinity") == math.inf
        assert relative_error(1.0, "Infinity") == math.inf
        assert relative_error(math.nan, 1.0) == math.inf

    def test_lists_go_by_the_worst(self) -> None:
        assert relative_error((1.0, 2.2), [1, 2]) == abs(2.2 - 2.0) / 2.0
        assert relative_error([1.0], [1, 2]) == math.inf
        assert relative_error([[1.0, None]], [[1, None]]) == 0.0

    def test_dictionaries_miss_nothing(self) -> None:
        assert relative_error({"a": 1.0, "more": 3}, {"a": 1}) == 0.0
        assert relative_error({}, {"a": 1}) == math.inf

    def test_words_and_truth_values_are_exact(self) -> None:
        assert relative_error("better", "better") == 0.0
        assert relative_error("worse", "better") == math.inf
        assert relative_error(False, True) == math.inf


def test_leaves_have_paths() -> None:
    tree = {"t": 1.0, "welch": {"df": 3, "ci": [0, 1]}}
    assert dict(leaves(tree)) == {"t": 1.0, "welch.df": 3, "welch.ci": [0, 1]}
