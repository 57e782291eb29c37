"""From decisions about pairs to bars or letters: what is drawn equals what was decided, or is not.

Matrices are of models in rank order, true where a pair differs significantly; the diagonal is ignored.
"""

from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.core.arrays import BoolArray
from assay.kernels.letters import LETTERS, as_decisions, compact_letters, groups

__all__ = [
    "LETTERS", "as_decisions", "cliques", "compact_letters", "groups", "obstacle",
]  # fmt: skip

Bars = tuple[tuple[int, int], ...]
"""The first and the last model under each bar."""


def cliques(different: Any) -> Bars | None:
    """The longest runs of models in rank order of which no two were told apart, two models or more.

    None where runs cannot say it: two models do not differ significantly, and yet one ranked between them
    differs from either. A bar over all three would contradict the test.

    Examples
    --------
    >>> cliques([[False, False, True], [False, False, False], [True, False, False]])
    ((0, 1), (1, 2))
    >>> cliques([[False, True, False], [True, False, True], [False, True, False]]) is None
    True
    """
    same = ~as_decisions(different)
    k = len(same)
    last = [_end_of_run(same[first, first + 1 :]) + first for first in range(k)]
    alike = [int(np.count_nonzero(same[first, first + 1 :])) for first in range(k)]
    whole = all(
        end - first == count for first, (end, count) in enumerate(zip(last, alike, strict=True))
    )
    if not whole or any(later < end for end, later in pairwise(last)):
        return None
    ends = [-1, *last[:-1]]
    return tuple(
        (first, end)
        for first, (end, before) in enumerate(zip(last, ends, strict=True))
        if end > first and end > before
    )


def obstacle(different: Any) -> tuple[int, int, int] | None:
    """Three models in rank order that bars cannot show: the outer two alike, the middle one not."""
    apart = as_decisions(different)
    for first, last in combinations(range(len(apart)), 2):
        if apart[first, last]:
            continue
        between = apart[first, first + 1 : last] | apart[first + 1 : last, last]
        if between.any():
            return first, first + 1 + int(between.argmax()), last
    return None


def _end_of_run(same: BoolArray) -> int:
    """How many true values come before the first false one."""
    return int(same.size if same.all() else same.argmin())
