"""Looking again while the evidence grows: the first so many units of each sample, in their order."""

from collections.abc import Callable

import numpy as np

from assay.core.errors import NotApplicable
from assay.core.vocabulary import Takes
from assay.simulate.answer_arrays import Answers
from assay.simulate.worlds.base import Arrays

LOOKED: dict[Takes, Takes] = {
    "pairs": "pairs",
    "sample": "sample",
    "two-samples": "two-samples",
    "runs": "runs",
    "paired-table": "pairs",
    "counts": "sample",
}
"""Shapes whose evidence can grow, and the shape in which its units are drawn one by one."""


def drawn_as(takes: Takes) -> Takes:
    """The shape in which units are drawn, to be looked at as they come."""
    if takes not in LOOKED:
        raise NotApplicable(
            f"evidence of the shape {takes} does not grow unit by unit; looks are for methods that "
            f"take {', '.join(LOOKED)}"
        )
    return LOOKED[takes]


def look_sizes(n: int, looks: int) -> list[int]:
    """How many units there are at each look: equal steps, two at the first."""
    steps = {max(2, -(-n * look // looks)) for look in range(1, looks + 1)}
    return sorted(size for size in steps if size <= n) or [n]


def first_units(takes: Takes, arrays: Arrays, size: int) -> Arrays:
    """The evidence as it stood after so many units."""
    seen = {name: array[:, :size] for name, array in arrays.items()}
    if takes == "counts":
        errors = seen["values"].sum(axis=1).astype(np.int64)
        return {"errors": errors, "n": np.full(len(errors), size)}
    if takes == "paired-table":
        a, b = seen["a"] > 0.5, seen["b"] > 0.5
        cells = [(a & b), (a & ~b), (~a & b), (~a & ~b)]
        return {"cells": np.stack([cell.sum(axis=1) for cell in cells], axis=1)}
    return seen


def ever(
    takes: Takes, arrays: Arrays, sizes: list[int], answer: Callable[[Arrays], Answers]
) -> Answers:
    """The last answer, with the smallest p-value of all looks: one stops at the first rejection."""
    last = None
    smallest = None
    for size in sizes:
        last = answer(first_units(takes, arrays, size))
        smallest = last.p if smallest is None else np.fmin(smallest, last.p)
    if last is None or smallest is None:
        raise ValueError("there is at least one look")
    return last._replace(p=smallest)
