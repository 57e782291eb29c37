"""The same mistake gets the same message everywhere."""

from typing import Any

import numpy as np
import pytest

from assay.core.checks import (
    as_matrix,
    as_pairs,
    as_values,
    check_count,
    check_level,
    check_margin,
)
from assay.core.errors import EvidenceError, UsageError
from assay.core.rng import seed_of, stream


class TestLevel:
    def test_percent_is_recognised(self) -> None:
        with pytest.raises(UsageError, match=r"did you mean 0\.95"):
            check_level(95)

    @pytest.mark.parametrize("level", [0.0, 1.0, -1.0, float("nan"), 200.0])
    def test_outside(self, level: float) -> None:
        with pytest.raises(UsageError, match="between 0 and 1"):
            check_level(level)


class TestCount:
    def test_whole_floats_pass(self) -> None:
        assert check_count(3.0, "n") == 3

    @pytest.mark.parametrize("value", [3.5, -1, "many", None, float("inf"), float("nan")])
    def test_others_do_not(self, value: Any) -> None:
        with pytest.raises(UsageError, match="n is a whole number"):
            check_count(value, "n")


class TestArrays:
    def test_missing_values_are_counted_and_placed(self) -> None:
        with pytest.raises(
            EvidenceError, match=r"2 missing or infinite values \(first at position 1\)"
        ):
            as_values([1.0, float("nan"), float("inf")], "scores")

    def test_text(self) -> None:
        with pytest.raises(EvidenceError, match="scores must be numbers"):
            as_values(["a"], "scores")

    def test_cells_are_named(self) -> None:
        with pytest.raises(EvidenceError, match=r"1 missing or infinite cells: \(0, 1\)"):
            as_matrix([[1.0, float("nan")]], "blocks")

    def test_unpaired_lengths_name_the_unpaired_methods(self) -> None:
        with pytest.raises(EvidenceError, match="mann_whitney"):
            as_pairs([1.0, 2.0], [1.0])


@pytest.mark.parametrize("margin", [0.0, -0.1, float("inf"), float("nan")])
def test_margin(margin: float) -> None:
    with pytest.raises(UsageError, match="smallest relevant difference, above 0"):
        check_margin(margin)


class TestRng:
    def test_a_seed_is_itself(self) -> None:
        assert seed_of(7) == 7

    def test_a_generator_gives_a_seed_and_moves_on(self) -> None:
        generator = np.random.default_rng(1)
        assert seed_of(generator) != seed_of(generator)

    @pytest.mark.parametrize("rng", [-1, 1.5, "seed", True])
    def test_others_are_refused(self, rng: Any) -> None:
        with pytest.raises(UsageError, match="rng is a seed"):
            seed_of(rng)

    def test_blocks_are_independent_and_repeatable(self) -> None:
        assert stream(1, 2).random() == stream(1, 2).random()
        assert stream(1, 2).random() != stream(1, 3).random()


def test_a_masked_count_is_none() -> None:
    with pytest.raises(UsageError, match="errors is a whole number, and it is masked"):
        check_count(np.ma.masked_array([1.0], mask=[True]), "errors")
