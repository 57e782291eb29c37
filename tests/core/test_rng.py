"""The seed that stands for what was given."""

from typing import Any

import numpy as np
import pytest

from assay.core.errors import UsageError
from assay.core.rng import DEFAULT_SEED, seed_of, stream


class TestSeedOf:
    def test_none_is_the_same_every_time(self) -> None:
        assert seed_of(None) == seed_of(None) == DEFAULT_SEED

    def test_a_number_is_itself(self) -> None:
        from_numpy: Any = np.int64(7)
        assert seed_of(7) == seed_of(from_numpy) == 7

    def test_a_generator_moves_on(self) -> None:
        generator = np.random.default_rng(1)
        assert seed_of(generator) != seed_of(generator)

    @pytest.mark.parametrize("wrong", [-1, 1.5, True, "7"])
    def test_anything_else(self, wrong: object) -> None:
        with pytest.raises(UsageError, match="rng is a seed"):
            seed_of(wrong)  # type: ignore[arg-type]


class TestStream:
    def test_blocks_differ_and_repeat(self) -> None:
        one, again, other = (stream(3, block).random() for block in (0, 0, 1))
        assert one == again != other
