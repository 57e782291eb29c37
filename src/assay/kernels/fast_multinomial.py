"""Counts from tables of 2^16 entries: Poisson numbers, and multinomial ones made of them, both exact.

A Poisson number of a fixed rate costs 16 random bits and a look into a table; a binomial number,
of which a multinomial draw needs one per cell, costs many times as much.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from numpy.typing import NDArray

from assay.core.arrays import AnyIntArray, FloatArray, IntArray

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
    table: AnyIntArray
    residual: FloatArray

    @classmethod
    def of(cls, rate: float) -> "PoissonTable":
        low, high = reach(rate)
        rest = _probabilities(rate, low, high) * ENTRIES
        entries = np.append(rest, 0.0).astype(np.int64)
        entries[-1] = ENTRIES - entries.sum()  # those that are not settled
        values = np.arange(entries.size, dtype=np.uint8 if rest.size < 2**8 else np.uint16)
        rest -= entries[:-1]
        np.cumsum(rest, out=rest)
        rest /= rest[-1]
        return cls(low, np.repeat(values, entries), rest)

    def look_up(self, rng: np.random.Generator, bits: NDArray[np.uint16]) -> AnyIntArray:
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


def pays(sizes: IntArray, n_resamples: int) -> bool:
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
    sizes: IntArray,
) -> Callable[[np.random.Generator, int], AnyIntArray]:
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
    kind = np.int32 if n < 2**31 else np.int64  # half the memory to walk through

    def tried(rng: np.random.Generator, rows: int) -> AnyIntArray:
        bits = random_bits(rng, rows * len(tables)).reshape(len(tables), rows)
        drawn = np.empty((sizes.size, rows), kind)
        drawn[sizes == 0] = 0
        drawn[largest] = n
        for cell, table, given in zip(others, tables, bits, strict=True):
            np.add(table.look_up(rng, given), kind(table.low), out=drawn[cell])
            drawn[largest] -= drawn[cell]
        chance = accepted.take(n - first - drawn[largest], mode="clip")
        return drawn.take(np.flatnonzero(rng.random(rows) < chance), axis=1)

    def draw(rng: np.random.Generator, rows: int) -> AnyIntArray:
        parts: list[AnyIntArray] = []
        while (left := rows - sum(part.shape[1] for part in parts)) > 0:
            parts.append(tried(rng, int(1.02 * left / share) + 32))
        whole = parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)
        return whole[:, :rows].T

    return draw


def _acceptance(n: int, largest: int) -> tuple[int, FloatArray]:
    """The first total, and the probabilities with which it and the next ones are accepted."""
    likeliest = n - largest  # there r is largest: it grows while n − S exceeds the largest cell
    low, high = reach(float(likeliest))
    left = np.arange(n - low, n - min(high, n), -1.0)  # n − S of all totals but the last
    return low, np.append(_chained(left / largest, likeliest - low), 0.0)  # beyond n: never


def _probabilities(rate: float, low: int, high: int) -> FloatArray:
    """Of low … high, each from its neighbour: P(k) / P(k − 1) = rate / k."""
    found = _chained(rate / np.arange(low + 1.0, high + 1.0), int(rate) - low)
    return np.asarray(found / found.sum())


def _chained(ratios: FloatArray, top: int) -> FloatArray:
    """Values whose neighbours have these ratios and whose ``top`` one is 1, by products from there."""
    found = np.empty(ratios.size + 1)
    found[top] = 1.0
    np.cumprod(ratios[top:], out=found[top + 1 :])
    np.cumprod(1.0 / ratios[:top][::-1], out=found[:top][::-1])
    return found
