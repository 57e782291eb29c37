"""Worlds of labels: F1, MCC, balanced accuracy and macro F1 of one model and of two.

The defaults resample 9,999 times; here 999, the limits being the order statistics of the same
probabilities. Replicates are resampled together, and some of them by the public functions too.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.bootstrap import TIE, UNDEFINED_AT_MOST, pseudo_counts
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
    for classes, batch, goal in ((2, 1000, 20_000), (CLASSES, 500, 5_000)):
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
    return found + _two_models(measures, tables, rng, at, {**facts, **_reachable(world, n)})


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
    small = _smallest(tables) < SMALL_COUNT
    limits = {
        (name, alpha): (np.full(len(tables), one.low), np.full(len(tables), one.high))
        for name, one in measures.items()
        for alpha in ALPHAS
    }
    for name, one in measures.items():
        if one.proportion is not None:
            for alpha in ALPHAS:
                limits[name, alpha] = _by_proportion(one, tables, alpha)
    for rows in _parts(np.flatnonzero(small), RESAMPLES * tables[0].size):
        drawn = _smoothed(tables[rows], rng)
        _put(limits, resampled, drawn, tables[rows], rows, widened=True)
    for rows in _parts(np.flatnonzero(~small), RESAMPLES * tables[0].size):
        drawn = _resampled(tables[rows], rng)
        _put(limits, resampled, drawn, tables[rows], rows, widened=False)
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
    *,
    widened: bool,
) -> None:
    for name, one in measures.items():
        values = np.clip(np.asarray(one.function(drawn), np.float64), one.low, one.high)
        observed = np.asarray(one.function(tables), np.float64)
        usable = np.isnan(values).mean(axis=0) <= UNDEFINED_AT_MOST
        usable &= np.ptp(np.nan_to_num(values), axis=0) > TIE
        for alpha in ALPHAS:
            low, high = percentiles(values, alpha)
            if widened:
                low, high = np.fmin(low, observed), np.fmax(high, observed)
            limits[name, alpha][0][rows[usable]] = low[usable]
            limits[name, alpha][1][rows[usable]] = high[usable]


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
    shapes = tables + pseudo_counts(tables.shape[1])
    drawn = rng.standard_gamma(shapes, (RESAMPLES, *tables.shape))
    total = tables.sum(axis=(1, 2))[:, None, None]
    return np.asarray(drawn * (total / drawn.sum(axis=(2, 3), keepdims=True)))


def _resampled(tables: NDArray[Any], rng: Generator) -> FloatArray:
    flat = tables.reshape(len(tables), -1)
    n = int(flat[0].sum())
    drawn = rng.multinomial(n, flat / n, size=(RESAMPLES, len(flat)))
    return drawn.reshape(RESAMPLES, *tables.shape).astype(np.float64)


def _two_models(
    measures: Mapping[str, Measure],
    tables: NDArray[Any],
    rng: Generator,
    at: tuple[float, ...],
    facts: Mapping[str, float],
) -> list[Found]:
    counts: dict[str, dict[str, float]] = {name: {} for name in measures}
    sums: dict[str, dict[str, float]] = {name: {} for name in measures}
    defined = dict.fromkeys(measures, 0)
    for rows in _parts(np.arange(len(tables)), RESAMPLES * tables[0].size):
        limits = pair_limits(measures, tables[rows], rng)
        for name in measures:
            known = ~np.isnan(limits[name, ALPHAS[0]][0])
            defined[name] += int(known.sum())
            differ = tables[rows].sum(axis=(1, 2, 3)) - np.einsum("rtaa->r", tables[rows])
            _plus(counts[name], "noted", tally((differ < SMALL_COUNT) & known))
            for alpha in ALPHAS:
                low, high = (side[known] for side in limits[name, alpha])
                _plus(counts[name], at_alpha("level", alpha), tally((low > 0.0) | (high < 0.0)))
                more: dict[str, float] = {}
                wider: dict[str, float] = {}
                count_interval(more, wider, (low, high), 0.0, alpha)
                for key, value in more.items():
                    _plus(counts[name], key, value)
                for key, value in wider.items():
                    _plus(sums[name], key, value)
    return [
        Found(
            table=Table(
                procedure="paired_bootstrap",
                answers="compare",
                world="label_measures",
                measure=name,
                unit="item",
                parameters=PARAMETERS,
            ),
            at=at,
            replicates=defined[name],
            counts=counts[name],
            sums=sums[name],
            facts=facts,
        )
        for name in measures
    ]


def pair_limits(
    measures: Mapping[str, Measure], tables: NDArray[Any], rng: Generator
) -> dict[tuple[str, float], Limits]:
    """The limits of `paired_bootstrap` for each table of (truth, A, B); NaN where undefined."""
    n = int(tables[0].sum())
    flat = tables.reshape(len(tables), -1)
    drawn = rng.multinomial(n, flat / n, size=(RESAMPLES, len(flat)))
    drawn = drawn.reshape(RESAMPLES, *tables.shape).astype(np.float64)
    of_a, of_b = drawn.sum(axis=4), drawn.sum(axis=3)
    seen_a, seen_b = tables.sum(axis=3), tables.sum(axis=2)
    limits: dict[tuple[str, float], Limits] = {}
    for name, one in measures.items():
        values = _difference(one.function(of_a), one.function(of_b))
        observed = _difference(one.function(seen_a), one.function(seen_b))
        undefined = np.isnan(observed) | (np.isnan(values).mean(axis=0) > UNDEFINED_AT_MOST)
        flat_ones = np.ptp(np.nan_to_num(values), axis=0) == 0.0
        for alpha in ALPHAS:
            low, high = percentiles(values, alpha)
            squared = normal_reach(1.0 - alpha, "two-sided") ** 2
            width = (one.high - one.low) * squared / (n + squared)
            low, high = np.where(flat_ones, -width, low), np.where(flat_ones, width, high)
            limits[name, alpha] = (
                np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
            )  # fmt: skip
    return limits


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


def _plus(counts: dict[str, float], name: str, value: float) -> None:
    counts[name] = counts.get(name, 0.0) + value
