"""For each shape of evidence: ties, ends of the range, the smallest sizes, and sizes that other ways are taken for."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from tests.shapes import Evidence

Draw = np.random.Generator


def unusual(takes: str) -> list[Evidence]:
    """Evidence of a shape that takes other ways than the ordinary examples."""
    return UNUSUAL[takes](np.random.default_rng(7)) if takes in UNUSUAL else []


def _samples(rng: Draw) -> list[Any]:
    return [
        np.array([0.25, 0.75]),
        np.round(rng.normal(0.6, 0.2, 45), 1),
        rng.exponential(size=26),
        np.array([0.5, 0.5, 0.5, 0.7]),
        np.zeros(6),
    ]


def _pairs(rng: Draw) -> list[Evidence]:
    tied, apart = np.round(rng.normal(0.1, 0.3, 34), 1), rng.normal(0.1, 0.3, 34)
    differences = [
        np.array([0.2, -0.1]),
        np.array([0.3, 0.1, 0.2, 0.4, 0.5]),
        np.array([0.0, 0.0, 0.5, -0.5, 1.0, 1.5, 0.0, -1.0]),
        np.round(rng.normal(0.3, 1.0, 24), 2),
        tied,
        apart,
        np.zeros(5),
    ]
    return [(0.5 + one, np.full(one.size, 0.5)) for one in differences]


def _two_samples(rng: Draw) -> list[Evidence]:
    return [
        (np.array([0.1, 0.4]), np.array([0.2, 0.3, 0.9])),
        (np.array([1.0, 2.0, 2.0, 3.0]), np.array([2.0, 2.0, 4.0, 5.0, 5.0, 6.0])),
        (np.array([5.0, 6.0, 7.0]), np.array([1.0, 2.0, 3.0, 4.0])),
        (rng.exponential(size=30), rng.exponential(1.4, size=22)),
        (np.array([0.5, 0.5, 0.5]), np.array([0.2, 0.6, 0.7, 0.9])),
    ]


def _blocks(rng: Draw) -> list[Evidence]:
    return [
        (rng.integers(0, 4, (6, 3)).astype(float),),
        (np.round(rng.normal(size=(20, 2)), 1),),
        (rng.normal(size=(5, 6)) + np.arange(6.0) / 4,),
        (np.column_stack([np.arange(9.0), np.arange(9.0), np.arange(9.0) % 4]),),
    ]


def _scored(truth: Any, *scores: Any) -> Evidence:
    return (np.array(truth), *(np.array(one, dtype=float) for one in scores))


def _one_scored(rng: Draw) -> list[Evidence]:
    coarse = rng.integers(0, 2, 30)
    return [
        _scored([0, 1, 0, 1, 1], [1, 2, 2, 2, 3]),
        _scored([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6]),
        _scored(coarse, np.round(coarse + rng.normal(size=30))),
    ]


def _two_scored(rng: Draw) -> list[Evidence]:
    coarse = rng.integers(0, 2, 30)
    noise = np.round(coarse[:, None] + rng.normal(size=(30, 2)))
    return [
        _scored([0, 1, 0, 1, 1, 0], [1, 2, 2, 2, 3, 0], [3, 2, 1, 4, 4, 2]),
        _scored([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6], [1, 5, 2, 3, 4, 6]),
        _scored(coarse, *noise.T),
    ]


def _labels(truth: list[str], **models: list[str]) -> Evidence:
    return ({"truth": truth, **models},)


def _predicted(rng: Draw) -> list[Evidence]:
    truth = rng.choice(list("xyz"), 40)
    a, b = (np.where(rng.random(40) < p, truth, rng.choice(list("xyz"), 40)) for p in (0.7, 0.4))
    return [
        _labels(truth.tolist(), a=a.tolist(), b=b.tolist()),
        _labels(list("xxyyxyxx"), a=list("xxyyxyxy"), b=list("xyxyxyyy")),
    ]


def _clusters(rng: Draw) -> list[tuple[Any, Any, Any]]:
    codes = np.repeat(np.arange(7), [1, 2, 3, 1, 5, 4, 2])
    one = rng.normal(0.2, 1.0, codes.size) + rng.normal(size=7)[codes]
    return [
        (one, np.zeros(codes.size), codes),
        (np.round(one), np.round(rng.normal(size=codes.size)), codes),
    ]


def _beside_groups(rng: Draw) -> list[Evidence]:
    return [
        ([np.array([1.0, 2.0, 2.0]), np.array([2.0, 3.0, 3.0, 4.0])],),
        ([rng.normal(at / 3, 1 + at / 2, 6 + at) for at in range(4)],),
        ([rng.integers(0, 4, 6).astype(float) for _ in range(3)],),
    ]


def _preferred(rng: Draw) -> list[Evidence]:
    names = np.array(list("abc"))
    left, right = np.array([rng.choice(3, 2, replace=False) for _ in range(40)]).T
    winner = np.where(rng.random(40) < 0.7, names[np.minimum(left, right)], names[left])
    pair = (["a"] * 9, ["b"] * 9, ["a", "b", "a", "tie", "a", "a", "a", "b", "a"])
    return [(names[left], names[right], winner.astype(object)), tuple(map(np.array, pair))]


def _rated(rng: Draw) -> list[Evidence]:
    two = rng.integers(1, 4, (12, 2)).astype(float)
    holes = rng.integers(1, 4, (12, 4)).astype(float)
    holes[[0, 3, 3, 7], [1, 0, 2, 3]] = np.nan
    return [(two,), (holes,)]


UNUSUAL: dict[str, Callable[[Draw], list[Evidence]]] = {
    "counts": lambda _: [(0, 30), (30, 30), (1, 5), (1, 1), (430, 1000), (3, 4000)],
    "two-counts": lambda _: [(0, 40, 3, 25), (9, 9, 5, 5), (3, 7, 1, 9), (430, 1000, 390, 900)],
    "paired-table": lambda _: [(10, 0, 0, 5), (20, 5, 0, 3), (3, 2, 9, 1), (700, 60, 40, 200)],
    "margins": lambda _: [(0, 7, 40), (40, 39, 40), (3, 3, 5)],
    "contingency-table": lambda _: [(np.array(one),) for one in ([[3, 0], [1, 4]], [[9, 5, 1, 2]] * 3)],
    "confusion": lambda _: [(np.array(one),) for one in ([[5, 0], [3, 2]], [[0, 3], [0, 7]])],
    "sample": lambda rng: [(one,) for one in _samples(rng)],
    "clustered-sample": lambda rng: [(a, codes) for a, _, codes in _clusters(rng)],
    "clustered-pairs": _clusters,
    "two-samples": _two_samples,
    "runs": _two_samples,
    "pairs": _pairs,
    "groups": _beside_groups,
    "blocks": _blocks,
    "successes": lambda rng: [
        ((rng.random((12, 2)) < 0.6).astype(int),),
        ((rng.random((9, 4)) < [1.0, 0.5, 0.3, 0.8]).astype(int),),
    ],
    "scored-labels": _one_scored,
    "paired-scored-labels": _two_scored,
    "two-scored-labels": lambda rng: [(*a, *b) for a, b in pairwise(_one_scored(rng))],
    "p-values": lambda _: [([0.04],), ([0.0, 0.01, 0.01, 1.0],), (np.linspace(0.001, 0.6, 11) ** 2,)],
    "summary": lambda _: [(0.0, 1.0, 2), (3.0, 0.5, 40)],
    "effect": lambda _: [(0.0, 1.0), (-4.0, 0.5)],
    "many-runs": lambda rng: [({name: rng.exponential(size=4 + at) for at, name in enumerate("abcd")},)],
    "ranks": lambda _: [({"a": 1.0, "b": 2.0}, 5), ({"a": 1.4, "b": 2.2, "c": 3.0, "d": 3.9, "e": 4.5}, 9)],
    "model-predictions": lambda rng: [({k: v for k, v in one[0].items() if k != "b"},) for one in _predicted(rng)],
    "predictions": _predicted,
    "preferences": _preferred,
    "ratings": _rated,
    "replicated-pairs": lambda rng: [(rng.normal(0.1, 0.2, (5, 2)),), (rng.normal(size=(5, 2)),)],
    "criteria-pairs": lambda rng: [(rng.normal(size=(6, 3)), rng.normal(0.5, 1, (6, 3)))],
    "criteria-groups": lambda rng: [([rng.normal(at, 1, (5 + at, 2)) for at in range(2)],)],
    "fold-losses": lambda rng: [(rng.exponential(size=17), np.arange(17) % 3)],
    "paired-fold-losses": lambda rng: [(rng.exponential(size=17), rng.random(17), np.arange(17) % 3)],
    "judged": lambda rng: [
        (np.where(np.arange(50) < 20, rng.random(50), np.nan), rng.random(50)),
        (np.array([1, 0, 1, 1, *[np.nan] * 6]), np.array([1, 0, 0, 1, 1, 1, 0, 1, 0, 1.0])),
    ],
}  # fmt: skip
