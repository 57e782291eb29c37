"""Rates with the uncertainty of counting them, and what a rejection means where the truth is known."""

import math
from typing import Any, NamedTuple

import numpy as np

from assay.core.arrays import BoolArray, FloatArray
from assay.core.methods import Method
from assay.core.results import Details, Interval, Quantity
from assay.core.vocabulary import Takes
from assay.estimates.proportions import clopper_pearson
from assay.kernels.special import ndtri
from assay.simulate.answer_arrays import Answers
from assay.simulate.worlds import World
from assay.simulate.worlds.grouped import Tests
from assay.simulate.worlds.labels import LabelMeasures

MONTE_CARLO = 0.95
"""The level of the intervals of the counting."""
SAME = 1e-12


class AnswerWeights(NamedTuple):
    """How much each answer counts: how often it was drawn, or its probability."""

    weight: FloatArray
    replicates: int | None
    """None where the answers are all outcomes with their probabilities."""


class Rate(NamedTuple):
    """A share of the replicates with its Monte-Carlo interval."""

    value: float
    interval: Interval | None


def rate_of(happened: BoolArray, weights: AnswerWeights) -> Rate:
    """The weighted share of answers of which something is true."""
    total = float(weights.weight[happened].sum())
    if weights.replicates is None:
        return Rate(total / float(weights.weight.sum()), None)
    count = round(total)
    interval = clopper_pearson(count, weights.replicates, level=MONTE_CARLO).interval
    return Rate(count / weights.replicates, interval)


def mean_of(shares: FloatArray, weights: AnswerWeights) -> Rate:
    """The mean of shares, of which a replicate may have any between 0 and 1."""
    value, error = weighted_mean(shares, weights)
    if error is None:
        return Rate(value, None)
    reach = float(-ndtri((1.0 - MONTE_CARLO) / 2.0)) * error
    low, high = max(0.0, value - reach), min(1.0, value + reach)
    return Rate(value, Interval(low=low, high=high, level=MONTE_CARLO, method="mean_t"))


def weighted_mean(values: FloatArray, weights: AnswerWeights) -> tuple[float, float | None]:
    """The mean, and its standard error unless all outcomes were enumerated."""
    share = weights.weight / weights.weight.sum()
    mean = float((share * values).sum())
    if weights.replicates is None:
        return mean, None
    variance = float((share * (values - mean) ** 2).sum())
    return mean, math.sqrt(variance / max(1, weights.replicates - 1))


class Counted(NamedTuple):
    """One thing counted of the answers at one alpha."""

    quantity: Quantity
    rate: Rate
    details: Details = ()


def error_rates(
    method: Method,
    world: World,
    answers: Answers,
    weights: AnswerWeights,
    *,
    takes: Takes,
    n: int,
    alpha: float,
    options: dict[str, Any],
) -> list[Counted]:
    """Errors of the first and of the second kind; undefined answers do not reject."""
    rejected = np.where(np.isnan(answers.p), False, answers.p <= alpha + SAME)
    if method.gives == "check":
        return [Counted("rejections", rate_of(rejected[:, 0], weights))]
    if answers.p.shape[1] == 1 and not answers.pairs and method.gives != "adjustment":
        alone = rejected[:, 0]
        if null_is_true(method, world, answers, takes, n, options):
            return [Counted("type I error", rate_of(alone, weights))]
        missed = rate_of(~alone, weights)
        return [Counted("type II error", missed, (("power", 1.0 - missed.value),))]
    return _family_rates(rejected, _true_nulls(world, answers, n), weights)


def _family_rates(rejected: BoolArray, null: BoolArray, weights: AnswerWeights) -> list[Counted]:
    """The chance of any false alarm, and the share of real differences missed."""
    found = []
    if null.any():
        anything = np.asarray(rejected[:, null].any(axis=1))
        found.append(Counted("family-wise error", rate_of(anything, weights)))
    if not null.all():
        missed = mean_of(1.0 - rejected[:, ~null].mean(axis=1), weights)
        found.append(Counted("type II error", missed, (("power", 1.0 - missed.value),)))
    return found


def _true_nulls(world: World, answers: Answers, n: int) -> BoolArray:
    """Which questions of a family have the answer no."""
    if answers.pairs:
        return np.array([world.is_alike(a) and world.is_alike(b) for a, b in answers.pairs])
    if isinstance(world, Tests):
        return world.true_nulls(n)
    return np.full(answers.p.shape[1], world.null_holds)


def null_is_true(
    method: Method,
    world: World,
    answers: Answers,
    takes: Takes,
    n: int,
    options: dict[str, Any],
) -> bool:
    """Whether a rejection would be a false alarm, by the truth of the effect where it is known."""
    truth = world.truth(answers.measure, takes, n) if answers.measure else None
    if method.equivalence:
        margin = float(options["margin"])
        return abs(world.effect if truth is None else truth) >= margin - SAME
    if truth is None:
        return world.null_holds
    if method.id == "no_information_rate" and isinstance(world, LabelMeasures):
        return truth <= float(world.shares.max()) + SAME  # its null is estimated from the sample
    if answers.alternative == "greater":
        return truth <= answers.null + SAME
    if answers.alternative == "less":
        return truth >= answers.null - SAME
    return abs(truth - answers.null) <= SAME


def coverage_rate(answers: Answers, truth: float, weights: AnswerWeights) -> Counted:
    """How often all intervals hold the truth, and their mean width."""
    slack = SAME * max(1.0, abs(truth))
    with np.errstate(invalid="ignore"):
        inside = (answers.low - slack <= truth) & (truth <= answers.high + slack)
        width = answers.high - answers.low
    finite = np.isfinite(width).all(axis=1)
    details: Details = ()
    if finite.any():
        known = AnswerWeights(weights.weight[finite], weights.replicates)
        details = (("mean_width", weighted_mean(width[finite].mean(axis=1), known)[0]),)
    return Counted(
        "coverage", rate_of(np.asarray(inside.all(axis=1)), weights), (("truth", truth), *details)
    )
