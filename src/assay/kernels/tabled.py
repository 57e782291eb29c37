"""Counts from tables of 2^16 entries: Poisson numbers, and multinomial ones made of them, both exact.

A Poisson number of a fixed rate costs 16 random bits and a look into a table; a binomial number,
of which a multinomial draw needs one per cell, costs many times as much.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.integer[Any]]

ENTRIES = 2**16
_TAIL = 41.5
"""exp(-41.5) is 1e-18: less than the rounding of the probabilities."""
_WIDEST = 2_500.0
"""The standard deviation beyond which too many entries of a table would be unsettled."""
_OFTEN = 0.05
"""The share of the largest cell from which enough tries are accepted."""


@dataclass(frozen=True, slots=True, eq=False)
class PoissonTable:
    """Poisson numbers of one rate, less ``low``.

    Of the entries, floor(2^16 P(k)) say k; the few that remain send to a second draw from the
    cumulative probabilities of the remainders, so that no probability is rounded.
    """

    low: int
    table: IntArray
    residual: FloatArray

    @classmethod
    def of(cls, rate: float) -> "PoissonTable":
        low, high = reach(rate)
        expected = _probabilities(rate, low, high) * ENTRIES
        settled = np.floor(expected).astype(np.int64)
        values = np.arange(expected.size + 1, dtype=np.uint16)
        if expected.size < 2**8:
            values = values.astype(np.uint8)
        unsettled = ENTRIES - int(settled.sum())
        table = np.repeat(values, np.append(settled, unsettled))
        residual = np.cumsum(expected - settled)
        return cls(low, table, residual / residual[-1])

    def look_up(self, rng: np.random.Generator, bits: NDArray[np.uint16]) -> IntArray:
        """One number for each of these 16 bits."""
        drawn = self.table.take(bits)
        unsettled = np.flatnonzero(drawn == self.residual.size)
        drawn[unsettled] = np.searchsorted(self.residual, rng.random(unsettled.size), side="right")
        return drawn


def random_bits(rng: np.random.Generator, size: int) -> NDArray[np.uint16]:
    """16 bits a number, four numbers a word."""
    words = rng.bit_generator.random_raw(ceil(size / 4))
    return np.asarray(words, dtype="<u8").view("<u2")[:size]


def reach(rate: float) -> tuple[int, int]:
    """Ends that a Poisson number leaves with a probability below 1e-18 (Bernstein's bound)."""
    third = _TAIL / 3.0
    low = rate - sqrt(2.0 * _TAIL * rate)
    high = rate + third + sqrt(third * third + 2.0 * _TAIL * rate)
    return max(0, int(low)), ceil(high)


def pays(sizes: NDArray[np.int64], n_resamples: int) -> bool:
    """Whether tables for these cells are built in less time than they save."""
    others = np.delete(sizes, int(sizes.argmax()))
    spread = sqrt(float(others.max(initial=0)))
    return (
        others.size > 0
        and spread <= _WIDEST
        and n_resamples >= 1500 + 7 * spread
        and float(sizes.max()) >= _OFTEN * float(sizes.sum())
    )


def multinomial_drawer(
    sizes: NDArray[np.int64],
) -> Callable[[np.random.Generator, int], IntArray]:
    """As many items as there are, drawn with replacement, as counts of cells ``(rows, cells)``.

    All cells but the largest are drawn as independent Poisson numbers, and the largest gets the
    rest. The ratio of the multinomial probability to that of the draw depends on the total S of
    the others alone, r(S + 1) / r(S) = (n − S) / (size of the largest), so a draw is accepted
    with probability r(S) / max r: on average √(share of the largest).
    """
    n, largest = int(sizes.sum()), int(sizes.argmax())
    others = np.flatnonzero((sizes > 0) & (np.arange(sizes.size) != largest))
    tables = [PoissonTable.of(float(sizes[cell])) for cell in others]
    first, accepted = _acceptance(n, int(sizes[largest]))
    share = sqrt(sizes[largest] / n)

    def tried(rng: np.random.Generator, rows: int) -> NDArray[np.int64]:
        bits = random_bits(rng, rows * len(tables)).reshape(len(tables), rows)
        drawn = np.zeros((sizes.size, rows), np.int64)
        for cell, table, given in zip(others, tables, bits, strict=True):
            np.add(table.look_up(rng, given), np.int64(table.low), out=drawn[cell])
        total = drawn.sum(axis=0)
        drawn[largest] = n - total
        places = np.clip(total - first, 0, accepted.size - 1)
        return drawn.take(np.flatnonzero(rng.random(rows) < accepted[places]), axis=1)

    def draw(rng: np.random.Generator, rows: int) -> IntArray:
        parts: list[NDArray[np.int64]] = []
        while (left := rows - sum(part.shape[1] for part in parts)) > 0:
            parts.append(tried(rng, int(1.02 * left / share) + 32))
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return whole[:, :rows].T

    return draw


def _acceptance(n: int, largest: int) -> tuple[int, FloatArray]:
    """The first total, and the probabilities with which it and the next ones are accepted."""
    low, high = reach(float(n - largest))
    steps = np.arange(n - largest - low, n - largest - min(high, n), -1.0) / largest
    logs = np.append(0.0, np.cumsum(np.log1p(steps)))
    return low, np.append(np.exp(logs - logs.max()), 0.0)  # more than n others: never


def _probabilities(rate: float, low: int, high: int) -> FloatArray:
    """Of low … high, each from its neighbour: log P(k) − log P(k − 1) = log(rate / k)."""
    logs = np.append(0.0, np.cumsum(np.log(rate / np.arange(low + 1, high + 1))))
    found = np.exp(logs - logs.max())
    return np.asarray(found / found.sum())
