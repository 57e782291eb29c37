"""Evidence at the edge of what numbers can be, one maker for each shape a method takes."""

from collections.abc import Callable
from typing import Any

import numpy as np

Evidence = tuple[Any, ...]
Rng = np.random.Generator

LARGEST = float(np.finfo(float).max)
SMALLEST = float(np.nextafter(0.0, 1.0))
BEYOND = 2**53
"""The first whole number whose neighbour is not a float."""

SAMPLES: dict[str, Callable[[Rng, int], Any]] = {
    "ordinary": lambda rng, n: np.round(rng.normal(0.7, 0.1, n), 3),
    "shares": lambda rng, n: rng.random(n),
    "constant": lambda rng, n: np.full(n, rng.choice([0.0, 1.0, 0.1, -3.0, 1e300, SMALLEST])),
    "nearly constant": lambda rng, n: 1.0 + rng.integers(0, 2, n) * np.finfo(float).eps,
    "ones and zeros": lambda rng, n: rng.integers(0, 2, n).astype(float),
    "ties": lambda rng, n: rng.integers(0, 3, n) / 10,
    "huge": lambda rng, n: rng.normal(size=n) * 1e307,
    "largest": lambda rng, n: rng.choice([-LARGEST, LARGEST], n),
    "large": lambda rng, n: rng.normal(size=n) * 1e160,
    "tiny": lambda rng, n: rng.normal(size=n) * 1e-300,
    "small": lambda rng, n: rng.normal(size=n) * 1e-170,
    "subnormal": lambda rng, n: rng.integers(-5, 6, n) * SMALLEST,
    "mixed": lambda rng, n: 10.0 ** rng.uniform(-320, 308, n) * rng.choice([-1, 1], n),
    "one apart": lambda rng, n: np.where(np.arange(n) == 0, rng.choice([1e308, 1e-308, 5.0]), 1.0),
    "far and close": lambda rng, n: 1e15 + rng.integers(0, 9, n),
    "whole": lambda rng, n: [int(x) for x in BEYOND + rng.integers(0, 5, n)],
    "beyond floats": lambda rng, n: [10**400 + int(x) for x in rng.integers(0, 5, n)],
    "missing": lambda rng, n: np.where(rng.random(n) < 0.2, np.nan, rng.random(n)),
    "infinite": lambda rng, n: np.where(rng.random(n) < 0.2, np.inf, rng.random(n)),
    "negative zero": lambda rng, n: rng.choice([-0.0, 0.0], n),
    "booleans": lambda rng, n: rng.random(n) < 0.5,
    "singles": lambda rng, n: rng.normal(size=n).astype(np.float32),
}


def size(rng: Rng) -> int:
    """A number of units, mostly very few."""
    return int(rng.choice([0, 1, 1, 2, 2, 2, 3, 3, 4, 5, 6, 8, 12, 20, 30, 60]))


def values(rng: Rng, n: int) -> Any:
    return SAMPLES[str(rng.choice(list(SAMPLES)))](rng, n)


def alike(rng: Rng, n: int, k: int) -> list[Any]:
    """``k`` samples of one kind, sometimes equal, sometimes one a shift of another."""
    kind = SAMPLES[str(rng.choice(list(SAMPLES)))]
    found = [kind(rng, n) for _ in range(k)]
    how = rng.integers(6)
    if how == 0:
        found = [found[0]] * k
    elif how == 1 and isinstance(found[0], np.ndarray) and found[0].dtype == float:
        with np.errstate(over="ignore"):
            found = [found[0] + place for place in range(k)]
    elif how == 2:
        found[-1] = values(rng, n)
    return found


def count(rng: Rng) -> int:
    how = rng.integers(8)
    if how < 4:
        return int(rng.integers(0, 6))
    if how < 6:
        return int(rng.integers(0, 10 ** int(rng.integers(1, 9))))
    return int(rng.choice([0, 10**9, 10**12, 2**31, 2**53, 2**53 + 1, 2**63, 10**18]))


def trial(rng: Rng) -> tuple[int, int]:
    """Errors and items: at the ends, in between, rarely more errors than items."""
    n = count(rng)
    errors = [0, n, n // 2, min(1, n), max(n - 1, 0), n // 10, n + 1]
    return errors[int(rng.choice(7, p=[0.2, 0.15, 0.2, 0.15, 0.15, 0.14, 0.01]))], n


def truth(rng: Rng, n: int) -> Any:
    how = rng.integers(6)
    if how == 0:
        return np.full(n, rng.integers(0, 2))
    if how == 1:
        return (np.arange(n) == 0).astype(int)
    if how == 2:
        return np.where(rng.random(n) < 0.5, "no", "yes")
    return rng.integers(0, 2, n)


def groups(rng: Rng, n: int) -> Any:
    """Clusters or folds: one, each its own, uneven, a few, missing, huge codes."""
    how = rng.integers(6)
    if how == 0:
        return np.zeros(n, dtype=int)
    if how == 1:
        return np.arange(n)
    if how == 2:
        return (np.arange(n) == 0).astype(int)
    if how == 3:
        return np.where(rng.random(n) < 0.5, BEYOND, BEYOND + 1)
    return np.arange(n) % int(rng.choice([2, 3, 5]))


def matrix(rng: Rng, n: int | None = None, k: int | None = None) -> Any:
    n = size(rng) if n is None else n
    k = int(rng.choice([0, 1, 2, 2, 3, 3, 4, 6])) if k is None else k
    columns = alike(rng, n, k) if k else []
    try:
        return np.column_stack([np.asarray(one, dtype=float) for one in columns])
    except (ValueError, OverflowError):
        return np.full((n, k), 0.5)


def table(rng: Rng, rows: int, columns: int) -> Any:
    how = rng.integers(5)
    if how == 0:
        return np.zeros((rows, columns), dtype=int)
    if how == 1:
        return np.diag(rng.integers(0, 5, max(rows, columns)))[:rows, :columns]
    if how == 2:
        return [[count(rng) for _ in range(columns)] for _ in range(rows)]
    return rng.integers(0, 4, (rows, columns))


def predictions(rng: Rng, k: int) -> dict[str, Any]:
    """A truth and ``k`` models: labels of few or many classes, scores, or values."""
    n = size(rng)
    how = rng.integers(6)
    if how == 0:
        return {"truth": truth(rng, n), **{f"m{place}": rng.random(n) for place in range(k)}}
    if how == 1:
        named = dict(zip((f"m{place}" for place in range(k)), alike(rng, n, k), strict=True))
        return {"truth": values(rng, n), **named}
    classes = int(rng.choice([1, 2, 2, 3, 10, max(n, 1)]))
    labels = [rng.integers(0, classes, n) for _ in range(k + 1)]
    if how == 2:
        labels = [labels[0]] * (k + 1)
    if how == 3:
        labels[1:] = [np.full(n, classes - 1)] * k
    return dict(zip(("truth", *(f"m{place}" for place in range(k))), labels, strict=True))


def preferred(rng: Rng) -> Evidence:
    k = int(rng.choice([1, 2, 3, 5]))
    if rng.random() < 0.5:
        return (table(rng, k, k),)
    names = np.array([f"m{place}" for place in range(k)])
    n = size(rng)
    a, b = names[rng.integers(0, k, n)], names[rng.integers(0, k, n)]
    return a, b, np.where(rng.random(n) < 0.5, a, np.where(rng.random(n) < 0.5, b, "tie"))


def left_out(rng: Rng) -> tuple[Any, Any]:
    n, samples = size(rng), int(rng.choice([1, 2, 5, 30]))
    losses = matrix(rng, samples, n)
    with np.errstate(invalid="ignore"):
        return values(rng, n), np.where(rng.random((samples, n)) < 0.6, np.nan, losses)


def _ranks(rng: Rng) -> Evidence:
    k = int(rng.choice([1, 2, 3, 6]))
    return {f"m{place}": value for place, value in enumerate(values(rng, k))}, count(rng)


def _scored(rng: Rng, models: int) -> Evidence:
    n = size(rng)
    return (truth(rng, n), *alike(rng, n, models))


def _clustered(rng: Rng, k: int) -> Evidence:
    n = size(rng)
    return (*alike(rng, n, k), groups(rng, n))


def _pair(rng: Rng) -> Evidence:
    return tuple(alike(rng, size(rng), 2))


def _apart(rng: Rng) -> Evidence:
    return values(rng, size(rng)), values(rng, size(rng))


def _criteria(rng: Rng) -> Evidence:
    n, k = size(rng), int(rng.choice([1, 2, 3]))
    return matrix(rng, n, k), matrix(rng, n, k)


def _nested(rng: Rng) -> Evidence:
    n = size(rng)
    folds = groups(rng, n)
    return matrix(rng, n, max(len(set(np.asarray(folds).tolist())), 1)), folds


def _sized(rng: Rng) -> Evidence:
    n = size(rng)
    return values(rng, n), rng.choice([1, 10, 20, 40], n), int(rng.choice([2, 40, 80, 10**9]))


def _many_losses(rng: Rng) -> Evidence:
    n = size(rng)
    return matrix(rng, n, int(rng.integers(1, 5))), groups(rng, n)


def _many_runs(rng: Rng) -> Evidence:
    k = int(rng.choice([1, 2, 3]))
    return ({f"m{place}": one for place, one in enumerate(alike(rng, size(rng), k))},)


SHAPES: dict[str, Callable[[Rng], Evidence]] = {
    "counts": trial,
    "two-counts": lambda rng: (*trial(rng), *trial(rng)),
    "margins": lambda rng: (trial(rng)[0], *trial(rng)),
    "paired-table": lambda rng: tuple(count(rng) for _ in range(4)),
    "contingency-table": lambda rng: (table(rng, *rng.integers(1, 4, 2)),),
    "confusion": lambda rng: (table(rng, *[int(rng.integers(1, 4))] * 2),),
    "sample": lambda rng: (values(rng, size(rng)),),
    "clustered-sample": lambda rng: _clustered(rng, 1),
    "clustered-pairs": lambda rng: _clustered(rng, 2),
    "two-samples": lambda rng: _apart(rng) if rng.random() < 0.5 else _pair(rng),
    "pairs": _pair,
    "groups": lambda rng: ([values(rng, size(rng)) for _ in range(int(rng.integers(1, 5)))],),
    "blocks": lambda rng: (matrix(rng),),
    "successes": lambda rng: (rng.integers(0, 2, (size(rng), int(rng.integers(1, 5)))),),
    "scored-labels": lambda rng: _scored(rng, 1),
    "paired-scored-labels": lambda rng: _scored(rng, 2),
    "two-scored-labels": lambda rng: (*_scored(rng, 1), *_scored(rng, 1)),
    "p-values": lambda rng: (values(rng, size(rng)),),
    "replicated-pairs": lambda rng: (matrix(rng),),
    "sized-differences": _sized,
    "criteria-pairs": _criteria,
    "fold-score-pairs": _criteria,
    "criteria-groups": lambda rng: ([_criteria(rng)[0] for _ in range(int(rng.integers(1, 4)))],),
    "runs": lambda rng: _apart(rng) if rng.random() < 0.5 else _pair(rng),
    "many-runs": _many_runs,
    "fold-losses": lambda rng: _clustered(rng, 1),
    "paired-fold-losses": lambda rng: _clustered(rng, 2),
    "many-fold-losses": _many_losses,
    "fold-scored-labels": lambda rng: (*(scored := _scored(rng, 1)), groups(rng, len(scored[0]))),
    "nested-losses": _nested,
    "out-of-bag-losses": lambda rng: (left_out(rng)[1],),
    "bootstrap-losses": left_out,
    "bootstrap-losses-rate": lambda rng: (*left_out(rng), float(rng.random())),
    "summary": lambda rng: (values(rng, 1)[0], rng.choice([0.0, 1.0, 1e300, SMALLEST]), count(rng)),
    "effect": lambda rng: (values(rng, 1)[0], rng.choice([0.0, 1.0, 1e308, SMALLEST])),
    "ranks": _ranks,
    "model-predictions": lambda rng: (predictions(rng, 1),),
    "predictions": lambda rng: (predictions(rng, int(rng.integers(1, 4))),),
    "two-predictions": lambda rng: (predictions(rng, 1), predictions(rng, 1)),
    "preferences": preferred,
    "ratings": lambda rng: (matrix(rng),),
    "judged": lambda rng: (values(rng, 12), values(rng, 12)),
}
