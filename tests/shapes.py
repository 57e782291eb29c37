"""For each shape of evidence: examples, and what the conformance laws do to them."""

from collections.abc import Callable
from typing import Any

import numpy as np

Evidence = tuple[Any, ...]

OPTIONS: dict[str, dict[str, Any]] = {
    name: {"margin": 0.1}
    for name in (
        "tost_means", "tost_two_samples", "tost_paired_proportions", "tost_proportions",
        "tost_measure", "non_inferiority_means", "non_inferiority_two_samples",
        "non_inferiority_paired_proportions", "non_inferiority_proportions",
        "non_inferiority_measure",
    )
}  # fmt: skip
"""Options that a method cannot do without."""


def examples(takes: str, seed: int) -> Evidence:
    """Ordinary evidence of a shape, from a seed."""
    return EXAMPLES[takes](np.random.default_rng(seed))


def swapped(takes: str, evidence: Evidence) -> Evidence:
    """The same evidence with A and B exchanged."""
    return SWAPS[takes](evidence)


def shuffled(takes: str, evidence: Evidence, seed: int) -> Evidence:
    """The same evidence with its units in another order."""
    return SHUFFLES[takes](evidence, np.random.default_rng(seed))


def shifted(takes: str, evidence: Evidence, seed: int) -> Evidence:
    """The same evidence with a constant added to all models of each block."""
    rng = np.random.default_rng(seed)
    if takes == "pairs":
        offsets = rng.integers(-3, 4, size=len(evidence[0])).astype(float)
        return tuple(np.asarray(values) + offsets for values in evidence)
    if takes == "blocks":
        blocks = np.asarray(evidence[0])
        return (blocks + rng.integers(-3, 4, size=(len(blocks), 1)).astype(float),)
    raise KeyError(takes)


def _scores(rng: np.random.Generator, size: Any) -> Any:
    return np.round(rng.normal(0.7, 0.1, size=size), 3)


def _scored(rng: np.random.Generator, models: int) -> Evidence:
    n = 40
    truth = rng.permutation(np.repeat([0, 1], [n - 15, 15]))
    scores = [np.round(0.5 * truth + rng.normal(0, 0.6, size=n), 2) for _ in range(models)]
    return (truth, *scores)


def _predictions(rng: np.random.Generator) -> Evidence:
    n = 60
    truth = rng.integers(0, 2, size=n)
    columns = {"truth": truth}
    for model, error in (("a", 0.2), ("b", 0.35)):
        columns[model] = np.where(rng.random(n) < error, 1 - truth, truth)
    return (columns,)


def _one_model(rng: np.random.Generator) -> dict[str, Any]:
    truth = rng.integers(0, 2, size=50)
    return {"truth": truth, "model": np.where(rng.random(50) < 0.25, 1 - truth, truth)}


def _blocks(rng: np.random.Generator) -> Evidence:
    return (np.round(_scores(rng, (12, 1)) + rng.normal(0, 0.05, size=(12, 4)), 3),)


def _fold_scored(rng: np.random.Generator) -> Evidence:
    truth, scores = _scored(rng, 1)
    folds = np.empty(len(truth), dtype=int)
    for label in (0, 1):
        places = np.flatnonzero(truth == label)
        folds[places] = np.arange(places.size) % 5
    return truth, scores, folds


def _sized(rng: np.random.Generator) -> Evidence:
    """Four subsamples of a half, eight of a quarter, sixteen of an eighth of 160 items."""
    sizes = np.repeat([80, 40, 20], [4, 8, 16])
    return np.round(rng.normal(0.02, 0.3, size=28) / np.sqrt(sizes), 4), sizes, 160


def _bootstrap_losses(rng: np.random.Generator) -> Evidence:
    fitted = (rng.random(30) < 0.1).astype(float)
    left_out = (rng.random((60, 30)) < rng.random(30) * 0.6).astype(float)
    left_out[rng.random((60, 30)) < 0.632] = np.nan
    return fitted, left_out


def _preferred(rng: np.random.Generator) -> Evidence:
    names = np.array(["red", "green", "blue", "grey"])
    a, b = np.array([rng.choice(4, 2, replace=False) for _ in range(90)]).T
    first = rng.random(90) < 1 / (1 + np.exp(0.6 * (a - b)))
    winner = np.where(first, names[a], names[b]).astype(object)
    winner[rng.random(90) < 0.15] = "tie"
    return names[a], names[b], winner


def _rated(rng: np.random.Generator) -> Evidence:
    items = rng.integers(1, 5, size=(25, 1))
    return (np.where(rng.random((25, 3)) < 0.6, items, rng.integers(1, 5, size=(25, 3))),)


def _judged(rng: np.random.Generator) -> Evidence:
    """People's 0 and 1 on the first 30 of 60 items, and a judge that repeats most of them."""
    people = (rng.random(60) < 0.6).astype(float)
    judge = np.where(rng.random(60) < 0.8, people, 1.0 - people)
    people[30:] = np.nan
    return people, judge


EXAMPLES: dict[str, Callable[[np.random.Generator], Evidence]] = {
    "counts": lambda rng: (int(rng.integers(0, 31)), 30),
    "two-counts": lambda rng: (int(rng.integers(0, 41)), 40, int(rng.integers(0, 26)), 25),
    "paired-table": lambda rng: tuple(int(x) for x in rng.multinomial(60, [0.6, 0.17, 0.08, 0.15])),
    "margins": lambda rng: (int(rng.integers(0, 41)), int(rng.integers(0, 41)), 40),
    "contingency-table": lambda rng: (rng.integers(1, 20, size=(2, 3)),),
    "confusion": lambda rng: (rng.integers(1, 20, size=(3, 3)),),
    "sample": lambda rng: (_scores(rng, 15),),
    "clustered-sample": lambda rng: (_scores(rng, 24), np.repeat(np.arange(8), 3)),
    "clustered-pairs": lambda rng: (
        _scores(rng, 24),
        _scores(rng, 24) - 0.05,
        np.repeat(np.arange(8), 3),
    ),
    "two-samples": lambda rng: (_scores(rng, 12), _scores(rng, 15) - 0.05),
    "pairs": lambda rng: (_scores(rng, 14), _scores(rng, 14) - 0.05),
    "groups": lambda rng: ([_scores(rng, 9), _scores(rng, 11), _scores(rng, 8)],),
    "blocks": _blocks,
    "successes": lambda rng: ((rng.random((30, 3)) < [0.8, 0.6, 0.5]).astype(int),),
    "scored-labels": lambda rng: _scored(rng, 1),
    "paired-scored-labels": lambda rng: _scored(rng, 2),
    "two-scored-labels": lambda rng: (*_scored(rng, 1), *_scored(rng, 1)),
    "p-values": lambda rng: (rng.random(6),),
    "replicated-pairs": lambda rng: (np.round(rng.normal(0.01, 0.03, size=(5, 2)), 3),),
    "sized-differences": _sized,
    "criteria-pairs": lambda rng: (rng.normal(size=(12, 2)), rng.normal(0.4, 1, size=(12, 2))),
    "fold-score-pairs": lambda rng: (
        rng.normal(size=(12, 2)),
        rng.normal(0.4, 1, size=(12, 2)),
    ),
    "criteria-groups": lambda rng: ([rng.normal(size=(10, 2)) for _ in range(3)],),
    "runs": lambda rng: (_scores(rng, 10), _scores(rng, 10) - 0.05),
    "many-runs": lambda rng: ({name: _scores(rng, 10) for name in "abc"},),
    "fold-losses": lambda rng: (_scores(rng, 40), np.arange(40) % 5),
    "paired-fold-losses": lambda rng: (
        _scores(rng, 40),
        _scores(rng, 40) - 0.03,
        np.arange(40) % 5,
    ),
    "many-fold-losses": lambda rng: (
        _scores(rng, (40, 3)) + np.array([0.0, 0.02, 0.05]),
        np.arange(40) % 5,
    ),
    "fold-scored-labels": _fold_scored,
    "nested-losses": lambda rng: ((rng.random((30, 5)) < 0.3).astype(float), np.arange(30) % 5),
    "out-of-bag-losses": lambda rng: (_bootstrap_losses(rng)[1],),
    "bootstrap-losses": _bootstrap_losses,
    "bootstrap-losses-rate": lambda rng: (*_bootstrap_losses(rng), 0.5),
    "summary": lambda rng: (float(rng.normal()), 1.5, 12),
    "effect": lambda rng: (float(rng.normal()), 1.5),
    "ranks": lambda rng: ({"a": 1.5, "b": 2.0, "c": 2.5}, 12),
    "model-predictions": lambda rng: (_one_model(rng),),
    "predictions": _predictions,
    "two-predictions": lambda rng: (_one_model(rng), _one_model(rng)),
    "preferences": _preferred,
    "ratings": _rated,
    "judged": _judged,
}


def _swap_predictions(evidence: Evidence) -> Evidence:
    (columns,) = evidence
    return ({"truth": columns["truth"], "a": columns["b"], "b": columns["a"]},)


SWAPS: dict[str, Callable[[Evidence], Evidence]] = {
    "two-counts": lambda e: (e[2], e[3], e[0], e[1]),
    "paired-table": lambda e: (e[0], e[2], e[1], e[3]),
    "clustered-pairs": lambda e: (e[1], e[0], e[2]),
    "margins": lambda e: (e[1], e[0], e[2]),
    "paired-fold-losses": lambda e: (e[1], e[0], e[2]),
    "two-samples": lambda e: (e[1], e[0]),
    "pairs": lambda e: (e[1], e[0]),
    "runs": lambda e: (e[1], e[0]),
    "paired-scored-labels": lambda e: (e[0], e[2], e[1]),
    "two-scored-labels": lambda e: (e[2], e[3], e[0], e[1]),
    "replicated-pairs": lambda e: (-np.asarray(e[0]),),
    "sized-differences": lambda e: (-np.asarray(e[0]), e[1], e[2]),
    "criteria-pairs": lambda e: (e[1], e[0]),
    "fold-score-pairs": lambda e: (e[1], e[0]),
    "predictions": _swap_predictions,
    "two-predictions": lambda e: (e[1], e[0]),
}


def _together(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    order = rng.permutation(len(evidence[0]))
    return tuple(np.asarray(values)[order] for values in evidence)


def _apart(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    return tuple(rng.permutation(np.asarray(values)) for values in evidence)


def _two_scored(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    return (*_together(evidence[:2], rng), *_together(evidence[2:], rng))


def _shuffle_predictions(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    (columns,) = evidence
    order = rng.permutation(len(columns["truth"]))
    return ({name: np.asarray(values)[order] for name, values in columns.items()},)


def _shuffle_bootstrap(evidence: Evidence, rng: np.random.Generator) -> Evidence:
    fitted, left_out, *rest = evidence
    order = rng.permutation(len(fitted))
    return (fitted[order], left_out[:, order], *rest)


SHUFFLES: dict[str, Callable[[Evidence, np.random.Generator], Evidence]] = {
    "sample": _together,
    "clustered-sample": _together,
    "clustered-pairs": _together,
    "fold-losses": _together,
    "paired-fold-losses": _together,
    "many-fold-losses": _together,
    "fold-scored-labels": _together,
    "nested-losses": _together,
    "out-of-bag-losses": lambda e, rng: (e[0][:, rng.permutation(e[0].shape[1])],),
    "bootstrap-losses": _shuffle_bootstrap,
    "bootstrap-losses-rate": _shuffle_bootstrap,
    "two-samples": _apart,
    "runs": _apart,
    "pairs": _together,
    "groups": lambda e, rng: ([rng.permutation(group) for group in e[0]],),
    "blocks": _together,
    "successes": _together,
    "scored-labels": _together,
    "paired-scored-labels": _together,
    "two-scored-labels": _two_scored,
    "replicated-pairs": _together,
    "sized-differences": lambda e, rng: (*_together(e[:2], rng), e[2]),
    "criteria-pairs": _together,
    "fold-score-pairs": _together,
    "criteria-groups": lambda e, rng: ([rng.permutation(group) for group in e[0]],),
    "model-predictions": _shuffle_predictions,
    "predictions": _shuffle_predictions,
    "preferences": _together,
    "ratings": _together,
    "judged": _together,
}
