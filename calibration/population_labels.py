"""Label measures of samples of a population: differences of accuracy and of F1 of all pairs of models.

Samples are tables of counts, so that any number of items costs the same.
"""

from itertools import combinations
from typing import Any

import numpy as np

import assay
from assay.estimates.label_delta import slopes
from assay.kernels.tails import normal_reach
from assay.measures.registry import Measure
from calibration import population_cells
from calibration.batched_promises import labels_limits
from calibration.designs.label_measures import bound, pair_limits
from calibration.designs.means import Disagreement
from calibration.population_cells import CHECKED, Cell, Population, cell_of, plus

Limits = tuple[Any, Any]


def label_cells(population: Population, n: int, rng: np.random.Generator) -> list[Cell]:
    """Accuracy: Tango's interval, and Wald's as the plain one.

    The minority are the items that only the worse model is expected to have right.
    """
    name, truth, predicted = population
    found = []
    for a, b in combinations(predicted, 2):
        right = [(predicted[model] > 0.5) == (truth > 0.0) for model in (a, b)]
        shares = [np.mean(right[0] & ~right[1]), np.mean(right[1] & ~right[0])]
        chances = [*shares, 1.0 - sum(shares)]
        won, lost, _ = rng.multinomial(n, chances, population_cells.SAMPLES).T
        limits = labels_limits(won, lost, n, level=0.95)
        reach = normal_reach(0.95, "two-sided")
        spread = np.sqrt(won + lost - (won - lost) ** 2 / n) / n
        middle = (won - lost) / n
        _check_labels((int(won[0]), int(lost[0]), n), (limits[0][0], limits[1][0]))
        own: Cell = {}
        plain = middle - reach * spread, middle + reach * spread
        plus(own, limits, plain, float(shares[0] - shares[1]))
        found.append(
            cell_of(name, ("accuracy", a, b), n, own) | {"minority": float(n * min(shares))}
        )
    return found


def _check_labels(counts: tuple[int, int, int], ours: tuple[float, float]) -> None:
    won, lost, n = counts
    table = {
        "truth": np.ones(n, dtype=int),
        "a": (np.arange(n) >= lost).astype(int),
        "b": (np.arange(n) < n - won).astype(int),
    }
    _same(ours, assay.compare(table, measure="accuracy").verdict.outcome.effect.interval)


def f1_cells(population: Population, n: int, rng: np.random.Generator) -> list[Cell]:
    """F1: the interval of `paired_delta`, and that of the delta method on bare counts as the plain one."""
    name, truth, predicted = population
    measure, found = bound("f1", 2), []
    labels = (truth > 0.0).astype(int)
    for a, b in combinations(predicted, 2):
        said = [(predicted[model] > 0.5).astype(int) for model in (a, b)]
        whole = np.bincount(4 * labels + 2 * said[0] + said[1], minlength=8)
        tables = rng.multinomial(n, whole / truth.size, population_cells.SAMPLES)
        tables = tables.reshape(-1, 2, 2, 2)
        low, high = pair_limits(measure, tables)[0.05]
        known = ~np.isnan(low)
        tables, limits = tables[known], (low[known], high[known])
        for row in range(min(CHECKED, len(tables))):
            _check_f1(tables[row], (limits[0][row], limits[1][row]))
        own: Cell = {}
        middle = whole.reshape(1, 2, 2, 2)
        plus(own, limits, _bare(measure, tables), float(_apart(measure, middle)[0]))
        found.append(cell_of(name, ("f1", a, b), n, own) | {"minority": _minority(middle[0], n)})
    return found


def _minority(table: Any, n: int) -> float:
    """The smallest expected number of right or of wrong answers of a class by a model; as in the grid."""
    shares = [table.sum(axis=axis) / table.sum() for axis in (2, 1)]
    return float(n * min(one.min() for one in shares))


def _apart(measure: Measure, tables: Any) -> Any:
    values = [np.asarray(measure.function(tables.sum(axis=axis)), float) for axis in (3, 2)]
    return values[0] - values[1]


def _bare(measure: Measure, tables: Any) -> Limits:
    """The delta method without half counts; without a slope nothing is ruled out."""
    counts = tables.astype(float)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_a, of_b = (slopes(measure, counts.sum(axis=axis)) for axis in (3, 2))
        apart = of_a[:, :, :, None] - of_b[:, :, None, :]
        error = np.sqrt((counts * apart**2).sum(axis=(1, 2, 3)))
    reach = np.nan_to_num(normal_reach(0.95, "two-sided") * error, nan=1.0)
    value = _apart(measure, tables)
    return value - reach, value + reach


def _check_f1(table: Any, ours: tuple[float, float]) -> None:
    kinds = [np.repeat(side.ravel(), table.ravel()) for side in np.indices(table.shape)]
    if any(np.ptp(one) == 0 for one in kinds):
        return  # a class that somebody never names is not known to the public method
    columns = dict(zip(("truth", "a", "b"), kinds, strict=True))
    found = assay.compare(columns, measure="f1", positive=1).verdict.outcome.effect.interval
    _same(ours, found, 1e-5)  # slopes are quotients of small differences


def _same(ours: tuple[float, float], found: Any, far: float = 1e-6) -> None:
    if found is None or not np.allclose(ours, (found.low, found.high), rtol=far, atol=1e-7):
        raise Disagreement(f"{ours!r} in calibration, {found!r} from assay")
