"""How far a judge agrees with people: by class, beyond chance, and on average."""

from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.results import Estimate
from assay.estimates.agreement import cohens_kappa, gwet_ac1, krippendorff_alpha
from assay.estimates.means import mean_t
from assay.estimates.proportions import proportion

MOST_GRADES = 10
"""With more different grades they are numbers, and no classes to be hit or missed."""


def agreement_of(
    people: FloatArray, judge: FloatArray, classes: tuple[str, ...], name: str, level: float
) -> tuple[Estimate, ...]:
    """Agreement of one judge on the items that people labelled; ``classes`` are named, grades are numbers.

    There is none where the judge's usual grade is not one that people could give: it has a scale of its own.
    """
    usual = float(np.median(judge))
    if not classes and np.ptp(people) > 0.0 and not people.min() <= usual <= people.max():
        return ()
    values = np.unique(np.concatenate([people, judge]))
    found: list[Estimate] = []
    if classes or values.size <= MOST_GRADES:
        names = classes or tuple(f"{value:g}" for value in values)
        order = np.arange(float(len(classes))) if classes else values
        codes = [np.searchsorted(order, column).astype(np.int64) for column in (people, judge)]
        found += _of_classes(codes[0], codes[1], names, level)
    if not classes:
        found += _of_numbers(people, judge, level, few=values.size <= 2)
    return tuple(replace(one, model=name) for one in found)


def _share(right: int, n: int, measure: str, level: float) -> Estimate:
    """A share of hits, from the interval of misses."""
    missed = proportion(n - right, n, level=level)
    return replace(
        missed,
        measure=measure,
        value=right / n,
        interval=None
        if missed.interval is None
        else missed.interval.mapped(lambda rate: 1.0 - rate),
    )


def _of_classes(
    people: IntArray, judge: IntArray, names: tuple[str, ...], level: float
) -> list[Estimate]:
    size = len(names)
    table = np.bincount(people * size + judge, minlength=size * size).reshape(size, size)
    found = [_share(int(np.trace(table)), int(table.sum()), "agreement", level)]
    found += [
        _share(
            int(table[code, code]),
            int(table[code].sum()),
            f"agreement where people say {name}",
            level,
        )
        for code, name in enumerate(names)
        if table[code].sum()
    ]
    if size > 1 and (table.sum(axis=0) + table.sum(axis=1) > 0).sum() > 1:
        counts = table.tolist()
        found += [replace(cohens_kappa(counts, level=level), measure="kappa")]
        found += [gwet_ac1(counts, level=level)]
    found += [replace(krippendorff_alpha(_pairs(people, judge), level=level), measure="alpha")]
    return found


def _of_numbers(
    people: FloatArray, judge: FloatArray, level: float, *, few: bool
) -> list[Estimate]:
    bias = replace(mean_t(judge - people, level=level), measure="judge minus people")
    if few:
        return [bias]
    alpha = krippendorff_alpha(_pairs(people, judge), metric="interval", level=level)
    return [replace(alpha, measure="alpha (interval)"), bias]


def _pairs(people: FloatArray | IntArray, judge: FloatArray | IntArray) -> list[list[float]]:
    return [[float(one), float(other)] for one, other in zip(people, judge, strict=True)]
