"""One small example for each shape of evidence: what the pages of methods work through."""

from collections.abc import Callable
from typing import Any

import numpy as np

Evidence = tuple[Any, ...]
OPTIONS: dict[str, dict[str, Any]] = {"margin": {"margin": 0.1}}
"""Options that some methods cannot do without, by the name of the argument."""

PEOPLE = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0] + [float("nan")] * 10
VERDICTS = [1.0, 0.0, 1.0, 1.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0] * 2
A = [0.82, 0.79, 0.86, 0.81, 0.84, 0.88, 0.77, 0.83, 0.85, 0.80]
B = [0.80, 0.78, 0.83, 0.82, 0.80, 0.85, 0.76, 0.80, 0.84, 0.78]
C = [0.75, 0.74, 0.80, 0.77, 0.78, 0.82, 0.73, 0.78, 0.79, 0.75]
TRUTH = [0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 0, 1, 0, 1]
SCORES = [.1, .3, .2, .6, .4, .05, .9, .7, .35, .8, .55, .95, .5, .65, .15, .45]  # fmt: skip
OTHERS = [.2, .25, .4, .5, .45, .1, .7, .6, .3, .85, .4, .9, .6, .5, .35, .65]  # fmt: skip

FITTED = np.array([0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0])
"""Losses of the model fitted to all eight items, and of models of four bootstrap samples on what they left out."""
LEFT_OUT = np.full((4, 8), np.nan)
LEFT_OUT[[0, 0, 1, 1, 2, 2, 3, 3], [0, 2, 1, 3, 4, 6, 5, 7]] = [0, 1, 0, 1, 0, 0, 1, 1]


def _labels(wrong: tuple[int, ...]) -> list[int]:
    return [1 - label if place in wrong else label for place, label in enumerate(TRUTH * 3)]


def _model(wrong: tuple[int, ...]) -> dict[str, Any]:
    return {"truth": TRUTH * 3, "model": _labels(wrong)}


EXAMPLES: dict[str, Callable[[], Evidence]] = {
    "counts": lambda: (20, 100),
    "two-counts": lambda: (20, 100, 30, 100),
    "paired-table": lambda: (50, 10, 4, 36),
    "margins": lambda: (20, 25, 100),
    "contingency-table": lambda: ([[30, 12, 8], [22, 18, 10]],),
    "confusion": lambda: ([[40, 5, 2], [6, 30, 4], [1, 3, 9]],),
    "sample": lambda: (A,),
    "clustered-sample": lambda: (A + B[:2], [place // 2 for place in range(12)]),
    "clustered-pairs": lambda: (A + A[:2], B + C[:2], [place // 2 for place in range(12)]),
    "two-samples": lambda: (A, C),
    "pairs": lambda: (A, B),
    "groups": lambda: ([A, B, C],),
    "blocks": lambda: ({"a": A, "b": B, "c": C},),
    "successes": lambda: (
        [
            [1, 1, 0],
            [1, 0, 0],
            [1, 1, 1],
            [1, 1, 0],
            [0, 0, 0],
            [1, 1, 0],
            [1, 0, 1],
            [1, 1, 1],
            [1, 0, 0],
            [1, 1, 0],
        ],
    ),
    "scored-labels": lambda: (TRUTH, SCORES),
    "paired-scored-labels": lambda: (TRUTH, SCORES, OTHERS),
    "two-scored-labels": lambda: (TRUTH, SCORES, TRUTH, OTHERS),
    "p-values": lambda: ([0.001, 0.012, 0.03, 0.04, 0.2, 0.6],),
    "replicated-pairs": lambda: (
        [[0.01, 0.03], [0.02, -0.01], [0.04, 0.02], [0.0, 0.03], [0.02, 0.01]],
    ),
    "sized-differences": lambda: (
        [0.09, 0.02, 0.05, 0.07, 0.03, 0.08, 0.04, 0.05, 0.02, 0.04],
        [20, 20, 20, 20, 40, 40, 40, 40, 80, 80],
        160,
    ),
    "runs": lambda: (A, C),
    "many-runs": lambda: ({"a": A, "b": B, "c": C},),
    "fold-losses": lambda: (A * 2, [place % 5 for place in range(20)]),
    "paired-fold-losses": lambda: (A * 2, B * 2, [place % 5 for place in range(20)]),
    "many-fold-losses": lambda: (
        {"a": A * 2, "b": B * 2, "c": C * 2},
        [place % 5 for place in range(20)],
    ),
    "fold-scored-labels": lambda: (TRUTH * 2, SCORES + OTHERS, [place // 8 for place in range(32)]),
    "summary": lambda: (0.8, 0.05, 10),
    "effect": lambda: (0.02, 0.01),
    "ranks": lambda: ({"a": 1.5, "b": 2.0, "c": 2.5}, 12),
    "model-predictions": lambda: (_model((1, 9, 20, 33)),),
    "predictions": lambda: (
        {"truth": TRUTH * 3, "a": _labels((1, 9, 20)), "b": _labels((1, 5, 12, 22, 30, 33, 40))},
    ),
    "two-predictions": lambda: (_model((1, 9, 20)), _model((1, 5, 12, 22, 30, 33))),
    "criteria-pairs": lambda: (np.array([A, B]).T, np.array([C, C]).T),
    "fold-score-pairs": lambda: (np.array([A, B]).T, np.array([C, B]).T + 0.01),
    "criteria-groups": lambda: (
        [np.array([A, B]).T, np.array([C, B]).T + 0.01, np.array([B, C]).T + 0.02],
    ),
    "nested-losses": lambda: (
        np.array([[(item * 7 + fold) % 5 == 0 for fold in range(5)] for item in range(20)], float),
        [item % 5 for item in range(20)],
    ),
    "out-of-bag-losses": lambda: (A,),
    "bootstrap-losses": lambda: (FITTED, LEFT_OUT),
    "bootstrap-losses-rate": lambda: (FITTED, LEFT_OUT, 0.5),
    "preferences": lambda: ([[0, 12, 15, 9], [8, 0, 11, 10], [4, 9, 0, 8], [6, 5, 7, 0]],),
    "judged": lambda: (PEOPLE, VERDICTS),
    "ratings": lambda: (
        [[1, 1, 1], [2, 2, 3], [3, 3, 3], [1, 2, 1], [2, 2, 2], [3, 3, 2], [1, 1, 1], [2, 3, 2]],
    ),
}
"""Small evidence of each shape, for the worked example of a method."""
