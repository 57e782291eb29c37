"""Verdicts on learning curves, of least squares on normal features: the expected gain is known."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from assay.compare.learning_plateau import _trend, levelled, paired
from assay.evidence.curve_scores import CurveScores
from calibration.designs.means import Disagreement

Generator = np.random.Generator
Cell = tuple[str, int, int]
ITEMS, FEATURES = 300, 5
REPLICATES, CHECKED = 20_000, 3
SHARES = (0.125, 0.25, 0.5, 1.0)
"""Points of the curve, as shares of the training part."""
ENOUGH = 20
"""Items that a learner without anything to gain takes, however many it is given."""


def learning_curves(rng: Generator, scale: float) -> Iterable[Cell]:
    """A change said where none is expected; *levelled off* said where the gain is exactly the margin."""
    for name, splits in (("ten folds", folds), ("15 random thirds", thirds)):
        replicates = int(REPLICATES * scale)
        said: dict[bool, list[str]] = {True: [], False: []}
        for row in range(replicates):
            for gains, trends in said.items():
                scores = curve(rng, splits(rng), gains=gains)
                trends.append(verdict(scores))
                if (
                    row < CHECKED
                    and trends[-1] != levelled(scores, "a", margin=gain(scores.at)).trend
                ):
                    raise Disagreement(f"{trends[-1]} in calibration")
        changed = sum(one in ("rising", "falling") for one in said[False])
        yield f"{name}, nothing to gain: a change is said", changed, replicates
        flat = said[True].count("levelled")
        yield f"{name}, the gain of the last doubling is the margin: levelled off", flat, replicates


def verdict(scores: CurveScores) -> str:
    """What `levelled` says of the last doubling, without its forecast of the next."""
    values = scores.column("a")
    change = paired(scores, values[-1], values[-2], 0.95).effect.interval
    return _trend(change, scores, gain(scores.at))


def folds(rng: Generator) -> Any:
    """Which items each split tests: (splits, items)."""
    return rng.permutation(ITEMS) % 10 == np.arange(10)[:, None]


def thirds(rng: Generator) -> Any:
    return np.array([rng.permutation(ITEMS) < ITEMS // 3 for _ in range(15)])


def curve(rng: Generator, tested: Any, *, gains: bool) -> CurveScores:
    """Mean squared errors on every split at every size, of least squares on 5 features and noise of 1."""
    features = rng.standard_normal((ITEMS, FEATURES))
    truth = features.sum(1) + rng.standard_normal(ITEMS)
    trained = ITEMS - int(tested[0].sum())
    sizes = np.array([round(share * trained) for share in SHARES])
    values = np.empty((sizes.size, len(tested), 1))
    for place, test in enumerate(tested):
        order = rng.permutation(np.flatnonzero(~test))
        for point, size in enumerate(sizes):
            taken = order[:size] if gains else rng.choice(order[:size], ENOUGH, replace=False)
            slopes = np.linalg.lstsq(features[taken], truth[taken], rcond=None)[0]
            values[point, place, 0] = np.mean((truth[test] - features[test] @ slopes) ** 2)
    tests = tested.sum(1).astype(float)
    return CurveScores(
        kind="learning", dataset="drawn", measure="mse", models=("a",), at=sizes.astype(float), values=values,
        n_train=ITEMS - tests, n_test=tests, direction="lower", low=0.0,
    )  # fmt: skip


def gain(sizes: Any) -> float:
    """By how much the expected squared error, 1 + p/(m − p − 1), falls over the last doubling."""
    half, whole = (1.0 + FEATURES / (m - FEATURES - 1.0) for m in sizes[-2:])
    return float(half - whole)
