"""Average precision of one model and of two: resampled by the public functions, replicate by replicate."""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from assay.estimates.default import estimate
from assay.evidence.shapes import as_predictions
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.simulate.calibration.areas import TIES, draw_scores
from assay.simulate.calibration.cells import (
    ALPHAS,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    tally,
)
from assay.simulate.calibration.labels import RESAMPLES
from assay.simulate.worlds.scores import ScoredLabels

Generator = np.random.Generator
MEASURE = "average_precision"
BATCHES = {30: 100, 100: 60, 1000: 15}
"""Replicates of a batch by the number of items: a few seconds."""
GOAL = 20
"""Batches."""

ONE = Table(
    procedure="ranking", answers="evaluate", world="scores", measure=MEASURE, unit="item",
    parameters=("ties", "auc", "prevalence", "n"),
)  # fmt: skip
PAIR = Table(
    procedure="paired_bootstrap", answers="compare", world="scores", measure=MEASURE, unit="item",
    parameters=("ties", "auc", "prevalence", "n", "correlation"),
)  # fmt: skip


def precision_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """One job per cell; the cell of correlation 0 measures one model as well."""
    world = worlds["scores"]
    cells = product(world["n"], TIES, world["auc"], world["prevalence"], world["correlation"])
    return [
        Job(
            name=f"precisions {ties} auc={area:g} prevalence={prevalence:g} n={n} rho={rho:g}",
            world="scores",
            run=partial(precisions, ties, area, prevalence, n, rho),
            batch=BATCHES.get(n, 50),
            goal=GOAL * BATCHES.get(n, 50),
        )
        for n, ties, area, prevalence, rho in cells
    ]


def precisions(
    ties: str, area: float, prevalence: float, n: int, rho: float, rng: Generator, replicates: int
) -> list[Found]:
    """The default interval of average precision, and the paired bootstrap of two like models."""
    world = ScoredLabels(auc=area, prevalence=prevalence, levels=TIES[ties])
    truth = world.truth(MEASURE, "scored-labels") or 0.0
    limits: dict[float, list[tuple[float, float]]] = {alpha: [] for alpha in ALPHAS}
    p_values: list[float] = []
    noted = 0
    for n_positive in rng.binomial(n, prevalence, replicates).tolist():
        if not 0 < n_positive < n:
            continue
        a, b = draw_scores(rng, ties, area, n_positive, n, rho, 1)[:, 0]
        labels = (np.arange(n) < n_positive).astype(int)
        evidence = as_predictions({"truth": labels, "a": a, "b": b}, models=2)
        seed = int(rng.integers(2**32))
        outcome = paired_bootstrap(evidence, measure=MEASURE, n_resamples=RESAMPLES, rng=seed)
        if outcome.p_value is not None:
            p_values.append(outcome.p_value)
        if rho == 0.0:
            noted += n_positive < 10
            for alpha in ALPHAS:
                found = estimate(
                    evidence, MEASURE, "a", level=1.0 - alpha, n_resamples=RESAMPLES, rng=seed
                ).interval
                if found is not None:
                    limits[alpha].append((found.low, found.high))
    facts = {"minority": n * prevalence}
    p = np.array(p_values)
    tested = {at_alpha("level", alpha): tally(p <= alpha) for alpha in ALPHAS}
    at = (ties, area, prevalence, n)
    result = [Found(table=PAIR, at=(*at, rho), replicates=p.size, counts=tested, facts=facts)]
    if rho == 0.0:
        counts: dict[str, float] = {"noted": float(noted)}
        sums: dict[str, float] = {}
        for alpha in ALPHAS:
            ends = np.array(limits[alpha]).reshape(-1, 2)
            count_interval(counts, sums, (ends[:, 0], ends[:, 1]), truth, alpha)
        size = len(limits[ALPHAS[0]])
        result.append(
            Found(table=ONE, at=at, replicates=size, counts=counts, sums=sums, facts=facts)
        )
    return result
