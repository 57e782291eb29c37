"""Worlds of labels: F1, MCC, balanced accuracy and macro F1 of one model and of two.

One model: F1 through the proportion that it is a function of; the others by smoothed cells (see
`smoothed`). Two models: `paired_delta`, all replicates at once; some of each batch go through the
public method as well, and a difference stops the run.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.tolerances import TIE
from assay.estimates.default_intervals import estimate
from assay.estimates.label_delta import delta_limits, slopes
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.hypotheses.paired_labels import paired_delta, pseudo_rows
from assay.kernels.binomial import mid_p_limits
from assay.kernels.tails import normal_reach, tail_of
from assay.measures.registry import Measure, find_measure
from assay.simulate.worlds.labels import LabelMeasures
from calibration.designs.cells import (
    ALPHAS,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    goal_of,
    tally,
)
from calibration.designs.listed_outcomes import conditional_reach
from calibration.designs.means import CHECKED, Disagreement
from calibration.designs.smoothed_cells import draw_widths, missed_by_draws

Generator = np.random.Generator
Limits = tuple[FloatArray, FloatArray]
SMALL_COUNT = 10
BINARY = ("f1", "mcc", "balanced_accuracy")
MACRO = "f1_macro"
CLASSES = 5
JOBS = (
    (2, ("f1",), 50_000),
    (2, ("mcc", "balanced_accuracy"), 20_000),
    (CLASSES, (MACRO,), 20_000),
)
"""Classes, measures and replicates of a batch: some seconds."""
PARAMETERS = ("prevalence", "recall", "precision", "n")


def label_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """Three jobs per cell: F1, the other measures of two classes, and macro F1 of five."""
    world = worlds["label_measures"]
    cells = list(product(world["n"], world["prevalence"], world["recall"], world["precision"]))
    jobs = []
    for classes, names, batch in JOBS:
        for n, prevalence, recall, precision in cells:
            name = (
                f"labels {names[0]} prevalence={prevalence:g} recall={recall:g} "
                f"precision={precision:g} n={n}"
            )
            world_of = LabelMeasures(
                classes=classes, prevalence=prevalence, recall=recall, precision=precision
            )
            run = partial(labels, names, world_of, n)
            goal = goal_of(defined_share(names[0], world_of, n))
            jobs.append(Job(name=name, world="label_measures", run=run, batch=batch, goal=goal))
    return jobs


def defined_share(name: str, world: LabelMeasures, n: int) -> float:
    """How many samples define the measure of both models: the others are drawn and not counted.

    F1 of a model is undefined where neither the truth nor the model names the positive class, MCC
    where one of them does not; the probability that nobody of some names it in n items is a power.
    """
    chance = world.answers()[:, -1]

    def unnamed(*, truth: bool, models: int) -> float:
        """P(no item is positive for the truth, if that is asked, nor for so many models)."""
        both = world.agreement * chance + (1.0 - world.agreement) * chance**2
        said = np.array([0.0 * chance, chance, 2.0 * chance - both][models])
        if truth:
            said[-1] = 1.0
        return float((1.0 - world.shares @ said) ** n)

    if name == "f1":
        return 1.0 - 2.0 * unnamed(truth=True, models=1) + unnamed(truth=True, models=2)
    if name == "mcc":
        alone = unnamed(truth=True, models=0) + 2.0 * unnamed(truth=False, models=1)
        pairs = 2.0 * unnamed(truth=True, models=1) + unnamed(truth=False, models=2)
        return 1.0 - alone + pairs - unnamed(truth=True, models=2)
    return 1.0


def labels(
    names: tuple[str, ...], world: LabelMeasures, n: int, rng: Generator, replicates: int
) -> list[Found]:
    """Default intervals of one model, and the default comparison of two models that are alike."""
    measures = {name: bound(name, world.classes) for name in names}
    tables = world.draw(replicates, n, rng, takes="predictions")["count"]
    tables = tables.reshape(replicates, *3 * (world.classes,))
    at = (world.prevalence, world.recall, world.precision, n)
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
    truths = {name: world.truth(name, "confusion") or 0.0 for name in measures}
    sampled = {} if world.classes > 2 else _sampled(measures)
    missed = missed_by_draws(sampled, tables, truths, rng) if sampled else {}
    widths = draw_widths(sampled, confusions, truths, rng) if sampled else {}
    found = []
    for name, measure in measures.items():
        defined = ~np.isnan(np.asarray(measure.function(tables), np.float64))
        weights = times[defined].astype(np.float64)
        size = int(weights.sum())
        counts: dict[str, float] = {"noted": tally(small[defined], weights)}
        sums: dict[str, float] = {}
        for alpha in ALPHAS:
            if name not in sampled:
                limits = closed_limits(measure, tables[defined], alpha)
                count_interval(counts, sums, limits, truths[name], alpha, weights=weights)
                continue
            below, above = (side[defined] for side in missed[name, alpha])
            counts[at_alpha("coverage", alpha)] = tally(~(below | above), weights)
            counts[at_alpha("missed_low", alpha)] = tally(below, weights)
            counts[at_alpha("missed_high", alpha)] = tally(above, weights)
            sums[at_alpha("width", alpha)] = widths[name, alpha] * size
        found.append(
            Found(
                table=_table("label_measure", "evaluate", name), at=at, replicates=size,
                counts=counts, sums=sums, facts=facts,
            )
        )  # fmt: skip
    return found


def _table(procedure: str, answers: str, measure: str) -> Table:
    return Table(
        procedure=procedure,
        answers=answers,
        world="label_measures",
        measure=measure,
        unit="item",
        parameters=PARAMETERS,
    )


def _sampled(measures: Mapping[str, Measure]) -> dict[str, Measure]:
    return {name: one for name, one in measures.items() if one.proportion is None}


def closed_limits(measure: Measure, tables: NDArray[Any], alpha: float) -> Limits:
    """The default limits that need no draws: of a proportion, or of more than two classes."""
    if measure.proportion is not None:
        return by_proportion(measure, tables, alpha)
    limits = delta_limits(measure, tables, alpha / 2.0)
    truth, said = (place.ravel() for place in np.indices(tables.shape[1:]))
    for row in range(min(CHECKED, len(tables))):
        kept = tables[row].ravel() > 0
        columns = {"truth": truth[kept], "a": said[kept]}
        if len({*columns["truth"], *columns["a"]}) < 3:
            continue  # smoothed cells are the public default of two classes
        columns["count"] = tables[row].ravel()[kept]
        evidence = as_predictions(read(columns))
        theirs = estimate(evidence, measure.name, level=1.0 - alpha).interval
        found = (limits[0][row], limits[1][row])
        if theirs is None or not np.allclose(found, (theirs.low, theirs.high), atol=1e-9):
            raise Disagreement(f"{measure.name}: {found!r} in calibration, {theirs!r} there")
    return limits


def by_proportion(measure: Measure, tables: NDArray[Any], alpha: float) -> Limits:
    """The default limits of a measure that is a function of a proportion."""
    if measure.proportion is None or measure.from_proportion is None:
        raise TypeError(f"{measure.name} is no function of a proportion")
    parts = np.array([measure.proportion(table) for table in tables], dtype=np.float64)
    distinct, place = np.unique(parts, axis=0, return_inverse=True)
    part, whole = distinct.T
    empty = whole == 0.0
    low, high = mid_p_limits(
        np.where(empty, 0.0, part), np.where(empty, 1.0, whole), tail_of(1.0 - alpha, "two-sided"),
        guarded=True,
    )  # fmt: skip
    change = np.vectorize(measure.from_proportion, otypes=[np.float64])
    return change(low)[place.ravel()], change(high)[place.ravel()]


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
        found.append(
            Found(
                table=_table("paired_delta", "compare", name), at=at,
                replicates=int(known.sum()), counts=counts, sums=sums, facts=facts,
            )
        )  # fmt: skip
    return found


def pair_limits(measure: Measure, tables: NDArray[Any]) -> dict[float, Limits]:
    """The limits of `paired_delta` for each table of (truth, A, B); NaN where undefined."""
    value, centre, error = pair_parts(measure, tables)
    extent = measure.high - measure.low
    undefined = np.isnan(error)
    stretched = np.arctanh(np.where(undefined, 0.0, centre) / extent)
    limits: dict[float, Limits] = {}
    for alpha in ALPHAS:
        reach = normal_reach(1.0 - alpha, "two-sided") * error * extent / (extent**2 - centre**2)
        low = np.fmin(extent * np.tanh(stretched - reach), value)
        high = np.fmax(extent * np.tanh(stretched + reach), value)
        limits[alpha] = np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)
    return limits


def pair_parts(measure: Measure, tables: NDArray[Any]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Differences, those with half counts, and their standard errors, NaN where undefined."""
    smoothed = tables + _half_counts(tables)
    of_a, of_b = smoothed.sum(axis=3), smoothed.sum(axis=2)
    slope_a, slope_b = slopes(measure, of_a), slopes(measure, of_b)
    # the sum of count * (slope_a - slope_b)² over the joint cells
    crossed = np.einsum("rtab,rtb->rta", smoothed, slope_b)
    square = (of_a * slope_a**2 + of_b * slope_b**2 - 2.0 * slope_a * crossed).sum(axis=(1, 2))
    error = np.sqrt(np.maximum(square, 0.0))
    centre = _difference(measure.function(of_a), measure.function(of_b))
    value = _difference(measure.function(tables.sum(axis=3)), measure.function(tables.sum(axis=2)))
    undefined = np.isnan(value) | ~(error > 0.0) | ~np.isfinite(centre)
    return value, centre, np.where(undefined, np.nan, error)


def _half_counts(tables: NDArray[Any]) -> FloatArray:
    """What `paired_delta` adds to each table: as `pseudo_rows`, for the classes that occur."""
    classes = tables.shape[1]
    rows, amounts = pseudo_rows(np.arange(classes), classes)
    added = np.zeros((classes, classes, classes))
    added[tuple(rows.T)] = amounts
    seen = tables.sum(axis=(2, 3)) > 0
    known = seen | (seen.sum(axis=1) < 2)[:, None]
    return np.asarray(added * known[:, :, None, None])


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
            if not np.isclose(ours[row], theirs, rtol=1e-5, atol=1e-7):
                raise Disagreement(f"paired_delta: {ours[row]!r} in calibration, {theirs!r} there")


def _difference(first: Any, second: Any) -> FloatArray:
    """A minus B; rounding errors become ties."""
    a, b = np.asarray(first, np.float64), np.asarray(second, np.float64)
    return np.where(np.abs(a - b) <= TIE * np.maximum(np.abs(a), np.abs(b)), 0.0, a - b)


def _smallest(tables: NDArray[Any]) -> FloatArray:
    """The smallest number of right or of wrong answers of a class that somebody names."""
    right = np.diagonal(tables, axis1=1, axis2=2)
    rows, columns = tables.sum(axis=2), tables.sum(axis=1)
    fewer = np.minimum(right, rows - right)
    return np.asarray(np.where((rows > 0) | (columns > 0), fewer, np.inf).min(axis=1))
