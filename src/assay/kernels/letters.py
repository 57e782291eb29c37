"""Letters that say who differs from whom: two models share one exactly if they do not differ.

Matrices are of models in rank order, true where a pair differs; the diagonal is ignored.
"""

from typing import Any

import numpy as np

from assay.core.arrays import BoolArray
from assay.core.errors import UsageError

LETTERS = "abcdefghijklmnopqrstuvwxyz"
_MOST_GROUPS = 100
"""Groups held at once while looking for letters; with more there is nothing left to read."""


def groups(different: Any) -> tuple[tuple[int, ...], ...] | None:
    """Groups such that two models share one exactly if they do not differ significantly.

    By inserting and absorbing (Piepho 2004, J. Comput. Graph. Stat. 13:456–466), then dropping
    groups that the others make needless. None where there would be too many to read.
    """
    apart = as_decisions(different)
    k = len(apart)
    found = [(1 << k) - 1]
    for first, second in zip(*np.nonzero(np.triu(apart, 1)), strict=True):
        found = _split(found, 1 << int(first), 1 << int(second))
        if len(found) > _MOST_GROUPS:
            return None
    members = [tuple(place for place in range(k) if group >> place & 1) for group in found]
    return tuple(sorted(_needed(members)))


def compact_letters(different: Any) -> tuple[str, ...] | None:
    """The letters of each model: two share a letter exactly if they do not differ significantly.

    None where the alphabet does not suffice.

    Examples
    --------
    >>> compact_letters([[False, False, True], [False, False, False], [True, False, False]])
    ('a', 'ab', 'b')
    """
    found = groups(different)
    if found is None or len(found) > len(LETTERS):
        return None
    return tuple(
        "".join(letter for letter, group in zip(LETTERS, found, strict=False) if place in group)
        for place in range(len(as_decisions(different)))
    )


def as_decisions(different: Any) -> BoolArray:
    """A symmetric matrix of true and false, its diagonal false."""
    matrix = np.array(different)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or matrix.dtype != np.bool_:
        raise UsageError(
            "decisions are a square matrix of true (different) and false, one row per model; got "
            f"shape {matrix.shape} of {matrix.dtype}"
        )
    if (matrix != matrix.T).any():
        raise UsageError("decisions must be the same whichever model of a pair comes first")
    np.fill_diagonal(matrix, val=False)
    return matrix


def _split(found: list[int], one: int, other: int) -> list[int]:
    """Every group that holds both is split in two; what another group contains is absorbed."""
    both = one | other
    kept = [group for group in found if group & both != both]
    halves = [
        part for group in found if group & both == both for part in (group & ~one, group & ~other)
    ]
    # no group contained another before, so that only one that was not split can contain a half
    return [*kept, *(part for part in halves if not any(part & more == part for more in kept))]


def _needed(members: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The groups without those whose every pair, and every lone model, is in another group too."""
    count: dict[tuple[int, int], int] = {}
    shared = {group: [(a, b) for a in group for b in group if a <= b] for group in members}
    for pairs in shared.values():
        for pair in pairs:
            count[pair] = count.get(pair, 0) + 1
    kept = []
    for group in sorted(members, key=lambda group: (len(group), group)):
        if all(count[pair] > 1 for pair in shared[group]):
            for pair in shared[group]:
                count[pair] -= 1
        else:
            kept.append(group)
    return kept
