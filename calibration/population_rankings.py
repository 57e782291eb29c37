"""Rankings of samples of a population: differences of areas and of average precisions of all pairs of models."""

from itertools import combinations
from typing import Any

import numpy as np

from assay.estimates.average_precision import difference_parts
from assay.estimates.misplaced_items import misplaced_reaches
from assay.hypotheses.average_precision import average_precision_test
from assay.kernels.batched_rankings import DUST, power_sums, precision_influence, ranked
from assay.kernels.no_variation import flat_limits
from assay.kernels.special import stdtrit
from assay.kernels.tails import normal_reach
from assay.kernels.unseen_values import allowed
from calibration.designs.means import Disagreement
from calibration.population_areas import Areas, check_areas
from calibration.population_cells import CHECKED, Cell, Population, cell_of, plus, samples

Limits = tuple[Any, Any]
SHOWN = 500
"""Samples whose intervals of areas are worked out whole, for their width."""


def area_cells(population: Population, n: int, rng: np.random.Generator) -> list[Cell]:
    """Differences of areas under ROC curves of all pairs of models; widths of some samples only."""
    name, truth, predicted = population
    labels = truth > 0.0
    true = {(a, b): d.value[0] for a, b, d in Areas(labels[None], {
        model: own[None] for model, own in predicted.items()}).pairs()}  # fmt: skip
    counts: dict[tuple[str, str], Cell] = {pair: {} for pair in true}
    for first, places in samples(truth.size, n, rng):
        drawn = places[np.ptp(truth[places], axis=1) > 0.0]
        areas = Areas(labels[drawn], {model: own[drawn] for model, own in predicted.items()})
        shown = SHOWN if first else 0
        for a, b, difference in areas.pairs():
            limits = difference.limits(true[a, b], shown)
            check_areas(areas, a, b, limits, CHECKED if first else 0)
            plus(counts[a, b], limits, difference.plain(), true[a, b], shown)
    return [cell_of(name, ("roc_auc", *pair), n, own) for pair, own in counts.items()]


def precision_cells(population: Population, n: int, rng: np.random.Generator) -> list[Cell]:
    """Differences of average precisions of all pairs of models; the plain interval is the normal one."""
    name, truth, predicted = population
    labels = truth > 0.0
    true = {m: precision_influence(ranked(labels[None], own[None]))[0][0] for m, own in predicted.items()}  # fmt: skip
    pairs = list(combinations(predicted, 2))
    counts: dict[tuple[str, str], Cell] = {pair: {} for pair in pairs}
    for first, places in samples(truth.size, n, rng):
        drawn = places[np.ptp(truth[places], axis=1) > 0.0]
        said = labels[drawn]
        positives = said.sum(axis=1).astype(float)
        found = {model: _slopes(said, own[drawn]) for model, own in predicted.items()}
        shown = SHOWN if first else 0
        for a, b in pairs:
            sizes, true_gap = (positives, n - positives), float(true[a] - true[b])
            limits, plain = precision_limits(found[a], found[b], sizes, true_gap, shown)
            scores = predicted[a][drawn], predicted[b][drawn]
            for row in range(CHECKED if first else 0):
                _check(said[row], [own[row] for own in scores], (limits[0][row], limits[1][row]))
            plus(counts[a, b], limits, plain, true_gap, shown)
    return [cell_of(name, ("average_precision", *pair), n, own) for pair, own in counts.items()]


def _slopes(truth: Any, scores: Any) -> tuple[Any, Any]:
    """Average precisions, and what each item adds to them."""
    rows = ranked(truth, scores)
    value, slopes, _ = precision_influence(rows)
    return value, rows.in_rows(slopes)


def precision_limits(
    a: tuple[Any, Any], b: tuple[Any, Any], sizes: tuple[Any, Any], truth: float, shown: int
) -> tuple[Limits, Limits]:
    """The default's 95 % limits of each difference, and those with the normal distribution.

    What is allowed for unseen items is dear, and left out beyond the first ``shown`` where t holds the truth.
    """
    powers = power_sums(a[1] - b[1])
    parts = difference_parts(a[0] - b[0], powers, *sizes)
    value, varies = parts["difference"], parts["variance"] > DUST
    reach = normal_reach(0.95, "two-sided")
    flat = flat_limits(value, 1.0, np.minimum(*sizes), reach)  # type: ignore[arg-type]
    error = np.sqrt(np.where(varies, parts["variance"], 1.0))
    far, missing = -stdtrit(parts["df"], 0.025), allowed(0.05, "two-sided")
    due = np.flatnonzero((np.abs(value - truth) > far * error) | (np.arange(len(value)) < shown))
    own = (value[due], error[due], (sizes[0][due], sizes[1][due]), parts["df"][due])
    reaches = np.tile(far, (2, 1))
    reaches[:, due] = np.maximum(reaches[:, due], misplaced_reaches(missing, *own))
    low = np.maximum(value - reaches[0] * error, -1.0)
    high = np.minimum(value + reaches[1] * error, 1.0)
    near = reach * np.sqrt(powers[0])
    return (
        (np.where(varies, low, flat[0]), np.where(varies, high, flat[1])),
        (np.where(varies, value - near, flat[0]), np.where(varies, value + near, flat[1])),
    )


def _check(truth: Any, scores: list[Any], ours: tuple[float, float]) -> None:
    found = average_precision_test(truth, *scores).effect.interval
    if found is None or not np.allclose(ours, (found.low, found.high), rtol=1e-6, atol=1e-9):
        raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")
