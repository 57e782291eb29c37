"""Label measures of two models on different items, and of three on the same: the delta methods.

All replicates at once; some of each batch go through the public method as well, and a difference
stops the run. The multiplier that holds three pairs together is drawn 999 times here instead of
9,999, at the order statistics of the same probabilities.
"""

from collections.abc import Mapping
from functools import partial
from itertools import combinations, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.estimates.label_delta import slopes
from assay.hypotheses.independent_labels import enough_items, independent_delta, pseudo_table
from assay.hypotheses.simultaneous_labels import simultaneous_delta
from assay.kernels.tails import normal_reach
from assay.measures.registry import Measure
from assay.simulate.worlds.labels import LabelMeasures
from calibration.designs.attainable_size import two_rates_reach
from calibration.designs.cells import (
    ALPHAS,
    FloatArray,
    Found,
    Job,
    Table,
    at_alpha,
    count_interval,
    goal_of,
    noted_at,
    tally,
)
from calibration.designs.label_measures import BINARY, PARAMETERS, bound, defined_share
from calibration.designs.means import CHECKED, Disagreement

Generator = np.random.Generator
Limits = tuple[FloatArray, FloatArray]
DRAWS = 999
MODELS = 3
TOGETHER = 400
"""Replicates whose multipliers are drawn at a time."""


def more_label_jobs(worlds: Mapping[str, Any]) -> list[Job]:
    """Two jobs per cell, each of all measures of two classes: apart, and three at once."""
    grid = worlds["more_labels"]
    jobs = []
    for n, prevalence, quality in product(grid["n"], grid["prevalence"], grid["quality"]):
        world = LabelMeasures(prevalence=prevalence, recall=quality, precision=quality)
        goal = goal_of(defined_share("mcc", world, n))
        for name, run, batch in (("apart", apart, 50_000), ("three", at_once, 20_000)):
            jobs.append(
                Job(
                    name=f"labels {name} prevalence={prevalence:g} quality={quality:g} n={n}",
                    world="more_labels",
                    run=partial(run, world, n),
                    batch=batch,
                    goal=goal,
                )
            )
    return jobs


def apart(world: LabelMeasures, n: int, rng: Generator, replicates: int) -> list[Found]:
    """`independent_delta` of two models that are alike, each on n items of its own."""
    tables = [_answers(world, n, 1, rng, replicates) for _ in range(2)]
    sizes = np.stack([table.sum(axis=2) for table in tables], axis=1).reshape(replicates, -1)
    rarest = np.where(sizes > 0, sizes, n).min(axis=1)
    rare = max(1, round(n * world.prevalence))
    facts = {
        at_alpha("reachable", alpha): two_rates_reach(rare, rare, 1.0 - world.recall, alpha)
        for alpha in ALPHAS
    }
    found = []
    for name in BINARY:
        limits = apart_limits(bound(name, 2), tables)
        known = ~np.isnan(limits[ALPHAS[0]][0])
        counts: dict[str, float] = {}
        sums: dict[str, float] = {}
        for alpha in ALPHAS:
            counts[noted_at(alpha)] = tally((rarest < enough_items(1.0 - alpha)) & known)
            low, high = (side[known] for side in limits[alpha])
            counts[at_alpha("level", alpha)] = tally((low > 0.0) | (high < 0.0))
            count_interval(counts, sums, (low, high), 0.0, alpha)
        _check_apart(name, limits[ALPHAS[0]], tables)
        found.append(_found("independent_delta", name, world, n, known, counts, sums, facts))
    return found


def at_once(world: LabelMeasures, n: int, rng: Generator, replicates: int) -> list[Found]:
    """`simultaneous_delta` of three models that are alike: any pair called different is an error."""
    tables = _answers(world, n, MODELS, rng, replicates)
    found = []
    for name in BINARY:
        parts = joint_parts(bound(name, 2), tables)
        known = np.asarray(~np.isnan(parts["value"]).any(axis=1))
        parts = {key: part[known] for key, part in parts.items()}
        multipliers = drawn_multipliers(parts["covariance"], rng)
        counts: dict[str, float] = {}
        extent = bound(name, 2).high - bound(name, 2).low
        for alpha in ALPHAS:
            reach = multipliers[alpha][:, None] * parts["error"]
            low, high = stretched(parts["centre"], reach, parts["value"], extent)
            wrong = np.asarray(((low > 0.0) | (high < 0.0)).any(axis=1))
            counts[at_alpha("family_wise", alpha)] = tally(wrong)
        _check_joint(name, parts, tables[known])
        found.append(_found("simultaneous_delta", name, world, n, known, counts, {}, {}))
    return found


def _found(
    procedure: str,
    measure: str,
    world: LabelMeasures,
    n: int,
    known: NDArray[Any],
    counts: Mapping[str, float],
    sums: Mapping[str, float],
    facts: Mapping[str, float],
) -> Found:
    table = Table(
        procedure=procedure,
        answers="compare",
        world="label_measures",
        measure=measure,
        unit="item",
        parameters=PARAMETERS,
    )
    return Found(
        table=table,
        at=(world.prevalence, world.recall, world.precision, n),
        replicates=int(known.sum()),
        counts=counts,
        sums=sums,
        facts=facts,
    )


def _answers(
    world: LabelMeasures, n: int, models: int, rng: Generator, replicates: int
) -> NDArray[Any]:
    """Counts by truth and the answers of so many models, of two classes.

    Given the truth each model repeats a common answer with probability √agreement, so that any
    two hang together as the two models of `LabelMeasures` do.
    """
    alone, copied = world.answers(), world.agreement**0.5
    joint = np.zeros((2,) * (1 + models))
    for truth, common, *answers in product(range(2), repeat=2 + models):
        chance = world.shares[truth] * alone[truth, common]
        for answer in answers:
            chance *= copied * (answer == common) + (1.0 - copied) * alone[truth, answer]
        joint[(truth, *answers)] += chance
    return rng.multinomial(n, joint.ravel(), size=replicates).reshape(replicates, *joint.shape)


def stretched(centre: FloatArray, reach: FloatArray, value: FloatArray, extent: float) -> Limits:
    """Limits on the scale without ends, atanh(D/R), widened to hold the plain difference."""
    middle = np.arctanh(centre / extent)
    half = reach * extent / (extent**2 - centre**2)
    low = np.minimum(extent * np.tanh(middle - half), value)
    return low, np.maximum(extent * np.tanh(middle + half), value)


def apart_limits(measure: Measure, tables: list[NDArray[Any]]) -> dict[float, Limits]:
    """The limits of `independent_delta` for confusion matrices of A and of B; NaN where undefined."""
    values, centres, squares = [], [], []
    for table in tables:
        filled = table + pseudo_table(np.ones((2, 2))) * _known(table)[:, :, None]
        values.append(np.asarray(measure.function(table), np.float64))
        centres.append(np.asarray(measure.function(filled), np.float64))
        squares.append((filled * slopes(measure, filled) ** 2).sum(axis=(1, 2)))
    value, centre = values[0] - values[1], centres[0] - centres[1]
    error = np.sqrt(squares[0] + squares[1])
    extent = measure.high - measure.low
    found = {}
    for alpha in ALPHAS:
        reach = normal_reach(1.0 - alpha, "two-sided") * error
        found[alpha] = stretched(centre, reach, value, extent)  # NaN of an undefined value stays
    return found


def _known(table: NDArray[Any]) -> NDArray[Any]:
    """Which true classes get pseudo-counts: those that occur; both where only one does."""
    axes = tuple(range(2, table.ndim))
    seen = table.sum(axis=axes) > 0
    return np.asarray(seen | (seen.sum(axis=1) < 2)[:, None])


def joint_parts(measure: Measure, tables: NDArray[Any]) -> dict[str, FloatArray]:
    """Differences of all pairs, plain and smoothed, their errors, and the models' covariance."""
    known = _known(tables)[:, :, None]
    alone = [_marginal(tables, (model,)) for model in range(MODELS)]
    filled = [one + 1.0 * known for one in alone]  # half a count in each of two joint cells
    slope = [slopes(measure, one) for one in filled]
    values = np.stack([np.asarray(measure.function(one), np.float64) for one in alone], axis=1)
    centres = np.stack([np.asarray(measure.function(one), np.float64) for one in filled], axis=1)
    covariance = np.empty((len(tables), MODELS, MODELS))
    for model in range(MODELS):
        covariance[:, model, model] = (filled[model] * slope[model] ** 2).sum(axis=(1, 2))
    for a, b in combinations(range(MODELS), 2):
        shared = _marginal(tables, (a, b)) + 0.5 * known[..., None]
        both = np.einsum("rtab,rta,rtb->r", shared, slope[a], slope[b])
        covariance[:, a, b] = covariance[:, b, a] = both
    a, b = np.array(list(combinations(range(MODELS), 2))).T
    spread = np.einsum("rii->ri", covariance)
    return {
        "value": values[:, a] - values[:, b],
        "centre": centres[:, a] - centres[:, b],
        "error": np.sqrt(spread[:, a] + spread[:, b] - 2.0 * covariance[:, a, b]),
        "covariance": covariance,
    }


def _marginal(tables: NDArray[Any], models: tuple[int, ...]) -> NDArray[Any]:
    """Counts by truth and the answers of some of the models."""
    others = tuple(2 + model for model in range(MODELS) if model not in models)
    return np.asarray(tables.sum(axis=others))


def drawn_multipliers(covariance: FloatArray, rng: Generator) -> dict[float, FloatArray]:
    """For each replicate the order statistics of the largest of its pairs, in standard errors."""
    a, b = np.array(list(combinations(range(MODELS), 2))).T
    found = {alpha: np.empty(len(covariance)) for alpha in ALPHAS}
    for start in range(0, len(covariance), TOGETHER):
        part = covariance[start : start + TOGETHER]
        drawn = rng.standard_normal((len(part), DRAWS, MODELS)) @ np.swapaxes(
            np.linalg.cholesky(part), 1, 2
        )
        spread = np.einsum("rii->ri", part)
        errors = np.sqrt(spread[:, a] + spread[:, b] - 2.0 * part[:, a, b])
        largest = (np.abs(drawn[..., a] - drawn[..., b]) / errors[:, None, :]).max(axis=2)
        for alpha in ALPHAS:
            place = DRAWS - round(alpha * (DRAWS + 1))
            found[alpha][start : start + TOGETHER] = np.partition(largest, place, axis=1)[:, place]
    return found


def _check_apart(name: str, limits: Limits, tables: list[NDArray[Any]]) -> None:
    """Some replicates go through the public method."""
    truth, said = (place.ravel() for place in np.indices((2, 2)))
    for row in range(min(CHECKED, len(tables[0]))):
        if any(table[row].sum(axis=0).min() == 0 for table in tables):
            continue  # a class that a model never names may not be known to the public method
        parts = [{"truth": truth, "a": said, "count": table[row].ravel()} for table in tables]
        theirs = independent_delta(*parts, measure=name).effect.interval
        ours = (limits[0][row], limits[1][row])
        if theirs is None or not np.allclose(ours, (theirs.low, theirs.high), atol=1e-6):
            raise Disagreement(f"independent_delta: {ours!r} in calibration, {theirs!r} there")


def _check_joint(name: str, parts: Mapping[str, FloatArray], tables: NDArray[Any]) -> None:
    """The same: differences and standard errors; multipliers are drawn."""
    places = dict(zip(("truth", "a", "b", "c"), np.indices(tables.shape[1:]), strict=True))
    columns = {key: place.ravel() for key, place in places.items()}
    for row in range(min(CHECKED, len(tables))):
        family = simultaneous_delta(
            {**columns, "count": tables[row].ravel()}, measure=name, n_resamples=999, rng=1
        )
        theirs = [(dict(one.details)["D"], one.effect.standard_error) for one in family.outcomes]
        ours = np.stack([parts["centre"][row], parts["error"][row]], axis=1)
        if not np.allclose(ours, np.array(theirs, np.float64), atol=1e-6):
            raise Disagreement(f"simultaneous_delta: {ours!r} in calibration, {theirs!r} there")
