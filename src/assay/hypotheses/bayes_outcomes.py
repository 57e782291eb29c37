"""Right or wrong by posterior probabilities: one model against a level, two on the same or other items (T16)."""

from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import MOST
from assay.core.errors import UsageError
from assay.core.methods import method
from assay.core.results import Posterior
from assay.evidence.argument_checks import as_counts, as_paired_table, as_two_counts
from assay.hypotheses.posteriors import Shares, question
from assay.kernels.beta_differences import (
    Tail,
    independent_quantiles,
    independent_tail,
    paired_quantiles,
    paired_tail,
)
from assay.kernels.special import betainc, betaincc, betaincinv
from assay.kernels.tails import tail_of

HALF = 0.5
"""Jeffreys' prior: half an item in each cell."""

_REFERENCE = "Gelman et al. (2013), Bayesian Data Analysis, 3rd edition, chapters 2 and 3"


@method(
    question="How probable is it that one model's error rate is above, near or below a level?",
    takes="counts",
    gives="posterior",
    unit="item",
    assumes=(
        "independent items",
        "a prior as heavy as prior_strength items right and as many wrong",
    ),
    reference=_REFERENCE,
    requirement="T16",
    same_as="R: pbeta({null} - {rope}, {errors} + 0.5, {n} - {errors} + 0.5)",
    formula="rate ~ beta(errors + prior_strength, n - errors + prior_strength); p_left = P(rate < null - "
    "rope)",
    name="Bayesian proportion",
)
def bayes_proportion(
    *evidence: Any,
    null: float = 0.5,
    rope: float = 0.0,
    prior_strength: float = HALF,
    level: float = 0.95,
) -> Posterior:
    """The posterior of an error rate less the level ``null``, from (errors, n) or labelled evidence.

    Closed form, by the beta distribution; the default prior is Jeffreys'.
    """
    counts = as_counts(*evidence)
    errors, n = counts.errors, counts.n
    asked = question("bayes_proportion", "error_rate", rope, level, "item")
    rate, prior = _rate(null), _strength(prior_strength)
    shape = (errors + prior, n - errors + prior)
    ends = np.clip([rate - asked.rope, rate + asked.rope], 0.0, 1.0)
    left, right = float(betainc(*shape, ends[0])), float(betaincc(*shape, ends[1]))
    low, middle, high = (betaincinv(*shape, _three(asked.level)) - rate).tolist()
    return asked.answer(
        _whole(left, right, asked.rope),
        (low, middle, high),
        n,
        prior=_prior(prior),
        details=(("errors", errors), ("n", n), ("null", rate), ("prior_strength", prior)),
    )


@method(
    question="How probable is it that one of two models is more accurate on the same items, or that they are "
    "equivalent?",
    takes="paired-table",
    gives="posterior",
    unit="item",
    assumes=(
        "independent items",
        "both models were tested on every item",
        "a prior as heavy as prior_strength items in each cell of the paired table",
    ),
    reference=_REFERENCE,
    requirement="T16",
    formula="(theta_a, theta_b, rest) ~ Dirichlet(only_a + prior_strength, only_b + prior_strength, agree + "
    "2 prior_strength); p_right = P(theta_a - theta_b > rope)",
    name="Bayesian paired proportions",
)
def bayes_paired_proportions(
    *table: Any, rope: float = 0.0, prior_strength: float = HALF, level: float = 0.95
) -> Posterior:
    """The posterior of accuracy A minus accuracy B from (both_right, only_a, only_b, both_wrong).

    The shares of items that only A, and that only B, gets right are Dirichlet; without a rope the
    answer is a beta probability, with one it is found by quadrature. Nothing is drawn.
    """
    cells = as_paired_table(*table)
    asked = question("bayes_paired_proportions", "accuracy", rope, level, "item")
    prior = _strength(prior_strength)
    only_a, only_b = cells.only_a + prior, cells.only_b + prior
    agree = cells.both_right + cells.both_wrong + 2.0 * prior
    left, right = paired_tail(only_b, only_a, agree), paired_tail(only_a, only_b, agree)
    low, middle, high = paired_quantiles(only_a, only_b, agree, _three(asked.level)).tolist()
    return asked.answer(
        _shares(left, right, asked.rope),
        (low, middle, high),
        cells.n,
        prior=_prior(prior),
        details=(
            ("only_a", cells.only_a),
            ("only_b", cells.only_b),
            ("agree", cells.both_right + cells.both_wrong),
            ("prior_strength", prior),
        ),
    )


@method(
    question="How probable is it that one of two models tested on different items errs less, or that they are "
    "equivalent?",
    takes="two-counts",
    gives="posterior",
    unit="item",
    assumes=(
        "independent items",
        "two independent test sets",
        "a prior as heavy as prior_strength items right and as many wrong of each model",
    ),
    reference=_REFERENCE,
    requirement="T16",
    formula="rate_a ~ beta(errors_a + prior_strength, n_a - errors_a + prior_strength), rate_b alike; "
    "p_right = P(rate_a - rate_b > rope)",
    name="Bayesian two proportions",
)
def bayes_two_proportions(
    *evidence: Any, rope: float = 0.0, prior_strength: float = HALF, level: float = 0.95
) -> Posterior:
    """The posterior of error rate A minus error rate B from (errors_a, n_a, errors_b, n_b).

    Two independent beta distributions, their difference by quadrature; nothing is drawn.
    """
    a, b = as_two_counts(*evidence)
    asked = question("bayes_two_proportions", "error_rate", rope, level, "item")
    prior = _strength(prior_strength)
    first, second = ((one.errors + prior, one.n - one.errors + prior) for one in (a, b))
    tails = (independent_tail(second, first), independent_tail(first, second))
    low, middle, high = independent_quantiles(first, second, _three(asked.level)).tolist()
    return asked.answer(
        _shares(*tails, asked.rope),
        (low, middle, high),
        a.n + b.n,
        prior=_prior(prior),
        details=(
            ("errors_a", a.errors),
            ("n_a", a.n),
            ("errors_b", b.errors),
            ("n_b", b.n),
            ("prior_strength", prior),
        ),
    )


def _three(level: float) -> FloatArray:
    """The probabilities below the low end, the middle and the high end of a credible interval."""
    tail = tail_of(level, "two-sided")
    return np.array([tail, 0.5, 1.0 - tail])


def _shares(left: Tail, right: Tail, rope: float) -> Shares:
    below, above = left(rope), right(rope)
    return _whole(below, above, rope)


def _whole(left: float, right: float, rope: float) -> Shares:
    """Left, rope and right that add up to one."""
    if rope == 0.0:
        return left / (left + right), 0.0, right / (left + right)
    total = max(left + right, 1.0)  # a little more than one by the error of a quadrature
    return left / total, max(1.0 - (left + right), 0.0), right / total


def _rate(null: float) -> float:
    rate = float(null)
    if not 0.0 <= rate <= 1.0:
        raise UsageError(f"null is an error rate between 0 and 1, got {null!r}")
    return rate


def _strength(prior_strength: float) -> float:
    value = float(prior_strength)
    if not 0.0 < value <= MOST:
        raise UsageError(
            f"prior_strength counts pseudo-observations in each cell: above 0, at most {MOST:g}; got {prior_strength!r}"
        )
    return value


def _prior(strength: float) -> str:
    if strength == HALF:
        return "Jeffreys, 0.5 in each cell"
    return f"{strength:g} in each cell"
