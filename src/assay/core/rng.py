"""Randomness as an argument: the seed used is in the result, and chunking never changes a byte."""

import numpy as np

from assay.core.checks import glimpse
from assay.core.errors import UsageError

Rng = int | np.random.Generator | None


DEFAULT_SEED = 0
"""What None stands for: a verdict does not change because it was asked for again (decision 0021)."""


def seed_of(rng: Rng) -> int:
    """The seed that stands for ``rng``: itself, one drawn from it, or the default one."""
    if rng is None:
        return DEFAULT_SEED
    if isinstance(rng, np.random.Generator):
        return int(rng.integers(2**32))
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise UsageError(
            f"rng is a seed (0 or a positive whole number), a numpy Generator or None; got {glimpse(rng)}"
        )
    return int(rng)


def stream(seed: int, *block: int) -> np.random.Generator:
    """An independent generator for one block of work.

    Work is cut into blocks of a fixed size, each with its own stream, so that the numbers do not
    depend on chunk size, on the order of execution or on the number of workers.
    """
    return np.random.Generator(np.random.SFC64(np.random.SeedSequence(seed, spawn_key=block)))
