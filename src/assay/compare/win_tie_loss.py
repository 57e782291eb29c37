"""Won, tied and lost: on how many data sets, folds or seeds in common each of a pair is ahead."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Findings
from assay.compare.score_gaps import tested
from assay.core.arrays import IntArray
from assay.core.results import Details
from assay.core.tolerances import TIE
from assay.evidence.blocks import Blocks
from assay.kernels.last_digits import whole_numbers

AT_ONCE = 2**12
"""Differences looked at together: no more than a cache holds; of longer tables pair by pair."""


def with_records(found: Findings, design: Design) -> Findings:
    """Each outcome of two algorithms with its record among the details; direction counted in."""
    if design.kind == "level" or design.unit == "seed":
        return found
    table = tested(design)
    sign = -1.0 if design.measure.direction == "lower" else 1.0
    records = records_of(table, [(a, b) for a, b, _ in found.pairs], sign)
    return replace(
        found,
        pairs=tuple(
            (a, b, replace(one, details=(*one.details, *record)))
            for (a, b, one), record in zip(found.pairs, records, strict=True)
        ),
    )


def records_of(
    table: Blocks, pairs: Sequence[tuple[str, str]], sign: float = 1.0
) -> Iterator[Details]:
    """Of each pair, the units both have: those on which A is ahead, level and behind."""
    place = {model: number for number, model in enumerate(table.models)}
    step = max(1, AT_ONCE // max(table.n, 1))
    if step == 1 and (printed := whole_numbers(table.values)):
        yield from _printed_records(printed[0], [(place[a], place[b]) for a, b in pairs], sign)
        return
    values = sign * np.ascontiguousarray(table.values.T)
    sizes = TIE * np.abs(values)
    for start in range(0, len(pairs), step):
        part = pairs[start : start + step]
        sides = ([place[pair[side]] for pair in part] for side in (0, 1))
        first, second = (rows[0] if step == 1 else rows for rows in sides)  # one row is not copied
        # NaN, and so neither ahead nor behind, where one is missing
        gaps = values[first] - values[second]
        scale = np.maximum(sizes[first], sizes[second])
        counts = (
            np.count_nonzero(one, axis=-1) for one in (gaps > scale, gaps < -scale, gaps == gaps)
        )
        for ahead, behind, both in zip(*map(np.atleast_1d, counts), strict=True):
            yield _record(int(ahead), int(behind), int(both))


def _printed_records(
    codes: IntArray, pairs: Sequence[tuple[int, int]], sign: float
) -> Iterator[Details]:
    """Of a long table of printed decimals: whole numbers are compared many at a time."""
    kind = np.min_scalar_type(-int(np.abs(codes).max(initial=0)) - 1)
    columns = np.ascontiguousarray(codes.T, dtype=kind)
    for a, b in pairs:
        above, below = columns[a] > columns[b], columns[a] < columns[b]
        ahead, behind = (above, below) if sign > 0.0 else (below, above)
        yield _record(int(np.count_nonzero(ahead)), int(np.count_nonzero(behind)), len(codes))


def _record(ahead: int, behind: int, both: int) -> Details:
    return ("won", ahead), ("tied", both - ahead - behind), ("lost", behind)
