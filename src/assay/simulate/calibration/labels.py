"""Worlds of labels: F1, MCC, balanced accuracy and macro F1 of one model and of two.

One model: smoothed cells, drawn 999 times instead of 9,999, the limits being the order statistics
of the same probabilities. Two models: `paired_delta`, all replicates at once; some of each batch
go through the public method as well, and a difference stops the run.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.bootstrap import TIE
from assay.estimates.smoothed import pseudo_counts
from assay.hypotheses.paired_labels import paired_delta, pseudo_rows
from assay.kernels.binomial import mid_p_limits
from assay.kernels.tails import normal_reach, tail_of
from assay.measures.registry import Measure, find_measure
from assay.simulate.calibration.cells import (
    ALPHAS,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    tally,
)
from assay.simulate.calibration.exact import conditional_reach
from assay.simulate.calibration.means import CHECKED, Disagreement
from assay.simulate.worlds.labels import LabelMeasures

Generator = np.random.Generator
Limits = tuple[FloatArray, FloatArray]
RESAMPLES = 999
SMALL_COUNT = 10
BINARY = ("f1", "mcc", "balanced_accuracy")
MACRO = "f1_macro"
CLASSES = 5
NUMBERS = 2_000_000
PARAMETERS = ("prevalence", "recall", "precision", "n")


def label_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """Two jobs per cell: the measures of two classes together, and macro F1 of five."""
    world = worlds["label_measures"]
    cells = list(product(world["n"], world["prevalence"], world["recall"], world["precision"]))
    jobs = []
    for classes, batch, goal in ((2, 5000, 50_000), (CLASSES, 400, 10_000)):
        for n, prevalence, recall, precision in cells:
            name = f"labels {classes} prevalence={prevalence:g} recall={recall:g} precision={precision:g} n={n}"
            run = partial(labels, classes, prevalence, recall, precision, n)
            jobs.append(Job(name=name, world="label_measures", run=run, batch=batch, goal=goal))
    return jobs


def labels(
    classes: int,
    prevalence: float,
    recall: float,
    precision: float,
    n: int,
    rng: Generator,
    replicates: int,
) -> list[Found]:
    """Default intervals of one model, and the default comparison of two models that are alike."""
    world = LabelMeasures(
        classes=classes, prevalence=prevalence, recall=recall, precision=precision
    )
    names = BINARY if classes == 2 else (MACRO,)
    measures = {name: bound(name, classes) for name in names}
    tables = world.draw(replicates, n, rng, takes="predictions")["count"]
    tables = tables.reshape(replicates, classes, classes, classes)
    at = (prevalence, recall, precision, n)
    facts = {"minority": _minority(world, n)}
    found = _one_model(measures, tables.sum(axis=3), world, rng, at, facts)
    return found + _two_models(measures, tables, at, {**facts, **_reachable(world, n)})


def bound(name: str, classes: int) -> Measure:
    codes = tuple(str(code) for code in range(classes))
    return find_measure(name).bind(codes, "1" if classes == 2 else None)


def _minority(world: LabelMeasures, n: int) -> float:
    """The smallest expected number of right or of wrong answers of a class."""
    confusion = n * world.shares[:, None] * world.answers()
    right = np.diagonal(confusion)
    return float(np.minimum(right, confusion.sum(axis=1) - right).min())


def _reachable(world: LabelMeasures, n: int) -> dict[str, float]:
    """What a sign test of the disagreements on the rarest class could reach: few tell little."""
    apart = (1.0 - world.agreement) * (1.0 - (world.answers()[-1] ** 2).sum())
    share = float(world.shares[-1] * apart)
    return {at_alpha("reachable", alpha): conditional_reach(n, share, alpha) for alpha in ALPHAS}


def _one_model(
    measures: Mapping[str, Measure],
    confusions: NDArray[Any],
    world: LabelMeasures,
    rng: Generator,
    at: tuple[float, ...],
    facts: Mapping[str, float],
) -> list[Found]:
    flat = confusions.reshape(len(confusions), -1)
    distinct, times = np.unique(flat, axis=0, return_counts=True)
    tables = distinct.reshape(-1, world.classes, world.classes)
    small = _smallest(tables) < SMALL_COUNT
    limits = model_limits(measures, tables, rng)
    found = []
    for name, measure in measures.items():
        truth = world.truth(name, "confusion") or 0.0
        defined = ~np.isnan(np.asarray(measure.function(tables), np.float64))
        weights = times[defined].astype(np.float64)
        counts: dict[str, float] = {"noted": tally(small[defined], weights)}
        sums: dict[str, float] = {}
        for alpha in ALPHAS:
            low, high = (side[defined] for side in limits[name, alpha])
            count_interval(counts, sums, (low, high), truth, alpha, weights=weights)
        table = Table(
            procedure="label_measure",
            answers="evaluate",
            world="label_measures",
            measure=name,
            unit="item",
            parameters=PARAMETERS,
        )
        found.append(
            Found(
                table=table, at=at, replicates=int(weights.sum()), counts=counts, sums=sums,
                facts=facts,
            )
        )  # fmt: skip
    return found


def model_limits(
    measures: Mapping[str, Measure], tables: NDArray[Any], rng: Generator
) -> dict[tuple[str, float], Limits]:
    """The default limits of each measure for each confusion matrix, at both alphas."""
    resampled = {name: one for name, one in measures.items() if one.proportion is None}
    limits = {
        (name, alpha): (np.full(len(tables), one.low), np.full(len(tables), one.high))
        for name, one in measures.items()
        for alpha in ALPHAS
    }
    for name, one in measures.items():
        if one.proportion is not None:
            for alpha in ALPHAS:
                limits[name, alpha] = _by_proportion(one, tables, alpha)
    for rows in _parts(np.arange(len(tables)), RESAMPLES * tables[0].size):
        _put(limits, resampled, _smoothed(tables[rows], rng), tables[rows], rows)
    return limits


def _by_proportion(measure: Measure, tables: NDArray[Any], alpha: float) -> Limits:
    if measure.proportion is None or measure.from_proportion is None:
        raise TypeError(f"{measure.name} is no function of a proportion")
    parts = [measure.proportion(table) for table in tables]
    part, whole = np.array(parts, dtype=np.float64).T
    empty = whole == 0.0
    low, high = mid_p_limits(
        np.where(empty, 0.0, part), np.where(empty, 1.0, whole), tail_of(1.0 - alpha, "two-sided"),
        guarded=True,
    )  # fmt: skip
    change = np.vectorize(measure.from_proportion, otypes=[np.float64])
    return change(low), change(high)


def _put(
    limits: dict[tuple[str, float], Limits],
    measures: Mapping[str, Measure],
    drawn: FloatArray,
    tables: NDArray[Any],
    rows: NDArray[Any],
) -> None:
    for name, one in measures.items():
        values = np.clip(np.asarray(one.function(drawn), np.float64), one.low, one.high)
        observed = np.asarray(one.function(tables), np.float64)
        for alpha in ALPHAS:
            low, high = percentiles(values, alpha)
            limits[name, alpha][0][rows] = np.fmin(low, observed)
            limits[name, alpha][1][rows] = np.fmax(high, observed)


def percentiles(values: FloatArray, alpha: float) -> Limits:
    """The order statistics of the percentile interval along the first axis, NaN left out."""
    ordered = np.sort(values, axis=0)  # NaN last
    defined = (~np.isnan(values)).sum(axis=0)
    place = np.floor(alpha / 2.0 * (defined + 1) + 1e-9).astype(int)
    columns = np.arange(values.shape[1])
    return ordered[np.maximum(place - 1, 0), columns], ordered[
        np.maximum(defined - place, 0), columns
    ]


def _smoothed(tables: NDArray[Any], rng: Generator) -> FloatArray:
    """Confusion matrices ``(resamples, tables, C, C)`` from smoothed cells."""
    seen = tables.sum(axis=2) > 0
    known = seen | (seen.sum(axis=1) < 2)[:, None]  # of one class the others count too
    shapes = tables + pseudo_counts(tables.shape[1]) * known[:, :, None]
    drawn = rng.standard_gamma(shapes, (RESAMPLES, *tables.shape))
    total = tables.sum(axis=(1, 2))[:, None, None]
    return np.asarray(drawn * (total / drawn.sum(axis=(2, 3), keepdims=True)))


def _two_models(
    measures: Mapping[str, Measure],
    tables: NDArray[Any],
    at: tuple[float, ...],
    facts: Mapping[str, float],
) -> list[Found]:
    differ = tables.sum(axis=(1, 2, 3)) - np.einsum("rtaa->r", tables)
    rarest = np.where(tables.sum(axis=(2, 3)) > 0, tables.sum(axis=(2, 3)), tables.sum()).min(
        axis=1
    )
    noted = np.minimum(differ, rarest) < SMALL_COUNT
    found = []
    for name, measure in measures.items():
        limits = pair_limits(measure, tables)
        known = ~np.isnan(limits[ALPHAS[0]][0])
        counts: dict[str, float] = {"noted": tally(noted & known)}
        sums: dict[str, float] = {}
        for alpha in ALPHAS:
            low, high = (side[known] for side in limits[alpha])
            counts[at_alpha("level", alpha)] = tally((low > 0.0) | (high < 0.0))
            count_interval(counts, sums, (low, high), 0.0, alpha)
        _check(name, limits[ALPHAS[0]], tables)
        table = Table(
            procedure="paired_delta",
            answers="compare",
            world="label_measures",
            measure=name,
            unit="item",
            parameters=PARAMETERS,
        )
        found.append(
            Found(
                table=table, at=at, replicates=int(known.sum()), counts=counts, sums=sums,
                facts=facts,
            )
        )  # fmt: skip
    return found


def pair_limits(measure: Measure, tables: NDArray[Any]) -> dict[float, Limits]:
    """The limits of `paired_delta` for each table of (truth, A, B); NaN where undefined."""
    classes = tables.shape[1]
    smoothed = tables + _half_counts(tables)
    of_a, of_b = smoothed.sum(axis=3), smoothed.sum(axis=2)
    slope_a, slope_b = slopes(measure, of_a), slopes(measure, of_b)
    of_cells = slope_a[:, :, :, None] - slope_b[:, :, None, :]
    error = np.sqrt((smoothed * of_cells**2).reshape(-1, classes**3).sum(axis=1))
    centre = _difference(measure.function(of_a), measure.function(of_b))
    value = _difference(measure.function(tables.sum(axis=3)), measure.function(tables.sum(axis=2)))
    extent = measure.high - measure.low
    undefined = np.isnan(value) | ~(error > 0.0) | ~np.isfinite(centre)
    stretched = np.arctanh(np.where(undefined, 0.0, centre) / extent)
    limits: dict[float, Limits] = {}
    for alpha in ALPHAS:
        reach = normal_reach(1.0 - alpha, "two-sided") * error * extent / (extent**2 - centre**2)
        low = np.fmin(extent * np.tanh(stretched - reach), value)
        high = np.fmax(extent * np.tanh(stretched + reach), value)
        limits[alpha] = np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
    return limits


def _half_counts(tables: NDArray[Any]) -> FloatArray:
    """What `paired_delta` adds to each table: as `pseudo_rows`, for the classes that occur."""
    classes = tables.shape[1]
    rows, amounts = pseudo_rows(np.arange(classes), classes)
    added = np.zeros((classes, classes, classes))
    added[tuple(rows.T)] = amounts
    seen = tables.sum(axis=(2, 3)) > 0
    known = seen | (seen.sum(axis=1) < 2)[:, None]
    return np.asarray(added * known[:, :, None, None])


def slopes(measure: Measure, confusions: FloatArray) -> FloatArray:
    """The slope of the measure in every cell of every confusion matrix, by central differences."""
    found = np.zeros_like(confusions)
    for place in np.ndindex(confusions.shape[1:]):
        here = (slice(None), *place)
        step = 1e-3 * confusions[here]
        occupied = step > 0.0
        up, down = confusions.copy(), confusions.copy()
        up[here] += step
        down[here] -= step
        change = np.asarray(measure.function(up)) - np.asarray(measure.function(down))
        found[here] = np.where(occupied, change / np.where(occupied, 2.0 * step, 1.0), 0.0)
    return found


def _check(name: str, limits: Limits, tables: NDArray[Any]) -> None:
    """Some replicates go through the public method."""
    truth, a, b = (place.ravel() for place in np.indices(tables.shape[1:]))
    for row in range(min(CHECKED, len(tables))):
        kept = tables[row].ravel() > 0
        columns = {"truth": truth[kept], "a": a[kept], "b": b[kept]}
        counts = tables[row].ravel()[kept]
        if len({*columns["truth"], *columns["a"], *columns["b"]}) < tables.shape[1]:
            continue  # a class that nobody names is not known to the public method
        found = paired_delta({**columns, "count": counts}, measure=name).effect.interval
        if found is None:
            continue
        for ours, theirs in zip(limits, (found.low, found.high), strict=True):
            if not np.isclose(ours[row], theirs, rtol=1e-6, atol=1e-9):
                raise Disagreement(f"paired_delta: {ours[row]!r} in calibration, {theirs!r} there")


def _difference(first: Any, second: Any) -> FloatArray:
    """A minus B; rounding errors become ties."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    return np.where(np.abs(a - b) <= TIE * np.maximum(np.abs(a), np.abs(b)), 0.0, a - b)


def _smallest(tables: NDArray[Any]) -> NDArray[Any]:
    """The smallest number of right or of wrong answers of a class."""
    right = np.diagonal(tables, axis1=1, axis2=2)
    return np.asarray(np.minimum(right, tables.sum(axis=2) - right).min(axis=1))


def _parts(rows: NDArray[Any], numbers: int) -> list[NDArray[Any]]:
    size = max(1, NUMBERS // numbers)
    return [rows[start : start + size] for start in range(0, rows.size, size)]
