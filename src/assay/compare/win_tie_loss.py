"""Won, tied and lost: on how many data sets, folds or seeds in common each of a pair is ahead."""

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from assay.compare.design import Design
from assay.compare.findings import Findings
from assay.compare.score_gaps import tested
from assay.core.results import Details
from assay.core.tolerances import TIE
from assay.evidence.blocks import Blocks

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
    values = sign * np.ascontiguousarray(table.values.T)
    sizes = TIE * np.abs(values)
    step = max(1, AT_ONCE // max(values.shape[1], 1))
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
            yield (
                ("won", int(ahead)),
                ("tied", int(both - ahead - behind)),
                ("lost", int(behind)),
            )
