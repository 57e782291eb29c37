"""Two algorithms on one data set, their difference at several sizes: how it varies, and where its curve leads."""

import math
from dataclasses import replace
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from assay.core.arrays import FloatArray
from assay.core.checks import (
    as_values,
    check_choice,
    check_count,
)
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import note
from assay.core.results import Details, TestOutcome
from assay.core.tolerances import TIE
from assay.core.vocabulary import Alternative
from assay.estimates.method_question import MethodQuestion
from assay.kernels.special import fdtri

CurveShape = Literal["inverse", "power"]
SHAPES: tuple[CurveShape, ...] = ("inverse", "power")
EXPONENTS: FloatArray = np.round(np.linspace(0.25, 2.0, 36), 2)
"""Powers of the training size by which a difference may approach its limit."""
KEPT = 0.95
"""Exponents that fit worse than the best at this level are left out."""
RATE_VARIANCE = 1.0 / 12.0
"""Of a rate that may be anything between 0 and 1: the most by which an estimated one can vary."""


@method(
    question="Do two algorithms differ, with a variance from subsamples of several sizes?",
    takes="sized-differences",
    gives="test",
    unit="fold",
    assumes=(
        "subsamples are drawn without replacement, and each is trained and tested within",
        "the variance of the difference falls as a power of the size",
        "differences are near normal",
    ),
    reference="politis1994 bertail1999 politis1999",
    requirement="T6",
    formula="t = (mean - null) / standard_error, standard_error² = largest_variance / ratio^rate",
    name="subsampling t",
    title="t test with a variance from subsamples",
    undrawn="differences within subsamples of one sample, of several sizes",
)
def subsampling_t(
    differences: ArrayLike,
    sizes: ArrayLike,
    n: int,
    *,
    mean: float | None = None,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """Politis and Romano's subsampling: ``differences`` within subsamples of these ``sizes``, rate estimated.

    Each difference is that of the two algorithms, averaged over splits within one subsample of the
    ``n`` items. ``mean`` is the difference over splits of **all** the items; without it the mean of
    the largest subsamples stands in, for training sets as small as theirs.
    """
    table = _sized(differences, sizes)
    items = _total(n, table)
    largest = float(table.values[table.sizes == table.sizes.max()].mean())
    value = largest if mean is None else float(mean)
    as_values([value, null], "mean and null")
    spreads = [_SizeSpread.of(table, size, items) for size in np.unique(table.sizes)]
    if len(spreads) < 2:
        raise EvidenceError(
            "subsampling_t takes subsamples of two sizes or more, of which the rate is estimated; "
            f"all have {spreads[0].size:g} items. With one size use conservative_z"
        )
    flat = next((one for one in spreads if one.variance == 0.0), None)
    trained = "within the largest subsamples" if mean is None else "of the splits behind mean"
    details: Details = (
        ("mean", value),
        ("sizes", len(spreads)),
        ("subsamples", table.values.size),
        ("covers", f"the expected difference at the training size {trained}"),
    )
    asked = MethodQuestion.of(
        "subsampling_t", level=level, alternative=alternative, unit="fold", null=null
    )
    if flat is not None:
        remedy = "use larger subsamples, or cautious_resampled_t over repeated folds"
        what = f"the differences in subsamples of {flat.size:g} items"
        why = note("zero-variance", what=what, method="subsampling_t", remedy=remedy)
        return asked.unanswered(
            asked.estimate("mean_difference", value, table.values.size), why, details=details
        )
    found = _whole(spreads, items)
    details = (*details, *found.details)
    return asked.t_test(
        "mean_difference",
        value,
        math.sqrt(found.variance),
        found.df,
        table.values.size,
        details=details,
    )


class _Sized(NamedTuple):
    """Differences, and the size of each."""

    values: FloatArray
    sizes: FloatArray


class _SizeSpread(NamedTuple):
    """The variance of a difference within subsamples of one size."""

    size: float
    freedom: float
    variance: float

    @staticmethod
    def of(table: _Sized, size: float, items: int) -> "_SizeSpread":
        """Subsamples of a part of the items share that part: what they vary by lacks as much."""
        own = table.values[table.sizes == size]
        if own.size < 2:
            raise EvidenceError(
                f"give two subsamples or more of every size; there is one of {size:g} items"
            )
        freedom = (own.size - 1) * (1.0 - size / items)
        if float(np.ptp(own)) <= TIE * float(np.abs(table.values).max()):
            return _SizeSpread(size, freedom, 0.0)
        return _SizeSpread(size, freedom, float(((own - own.mean()) ** 2).sum()) / freedom)


class _Whole(NamedTuple):
    """What spreads of several sizes say of all the items."""

    variance: float
    df: float
    details: Details


def _whole(spreads: list[_SizeSpread], items: int) -> _Whole:
    """A line through the logarithms: log variance = intercept + rate log(items/size), weighted by freedom.

    The rate is kept between 0 (results never settle) and 1 (they settle as means do). A logarithm of a
    variance with f degrees of freedom varies by 2/f, the rate by no more than one between 0 and 1 can.
    """
    logs = np.log([one.variance for one in spreads])
    at = np.log([items / one.size for one in spreads])
    weights = np.array([one.freedom for one in spreads]) / 2.0
    middle, level = np.average(at, weights=weights), np.average(logs, weights=weights)
    squares = float((weights * (at - middle) ** 2).sum())
    slope = float((weights * (at - middle) * logs).sum()) / squares
    rate = min(max(slope, 0.0), 1.0)
    variance = math.exp(float(level) - rate * float(middle))
    spread = 1.0 / float(weights.sum()) + float(middle) ** 2 * min(1.0 / squares, RATE_VARIANCE)
    df = 2.0 / spread
    ratio = items / max(one.size for one in spreads)
    details: Details = (
        ("rate", rate),
        ("estimated_rate", slope),
        ("ratio", ratio),
        ("largest_variance", variance * ratio**rate),
        ("df", df),
    )
    return _Whole(variance, df, details)


@method(
    question="Do two algorithms differ, by a learning curve extrapolated to all the items?",
    takes="sized-differences",
    gives="test",
    unit="fold",
    assumes=(
        "training sets share no item, or few",
        "the difference follows the curve that is fitted, also beyond the sizes seen",
        "variances of differences are proportional to 1/size",
    ),
    reference="cortes1993 viering2023",
    requirement="T6",
    same_as="R: m <- {sizes}; predict(lm({differences} ~ I(1/m), weights = m), data.frame(m = {n}), "
    'interval = "confidence"{, level})',
    formula="t = (value - null) / standard_error, value = limit + slope / n^exponent",
    name="extrapolated t",
    title="t test of an extrapolated learning curve",
    variants={"power": "a power law"},
    undrawn="differences of two learners on disjoint training sets of several sizes",
)
def extrapolated_t(
    differences: ArrayLike,
    sizes: ArrayLike,
    n: int,
    *,
    variant: CurveShape = "inverse",
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    level: float = 0.95,
) -> TestOutcome:
    """A curve through paired differences at several training ``sizes``, read at ``n`` training items.

    "inverse" is a line in 1/size. "power" lets the exponent be any from 0.25 to 2: the interval is that
    of all exponents that fit the points not significantly worse than the best.
    """
    table = _sized(differences, sizes)
    kind = check_choice(variant, SHAPES, "variant")
    target = check_count(n, "n", at_least=1)
    asked = MethodQuestion.of(
        "extrapolated_t", level=level, alternative=alternative, unit="fold", null=null
    )
    as_values([null], "null")
    points, steps = table.values.size, np.unique(table.sizes).size
    needed = 2 if kind == "inverse" else 3
    details: Details = (
        ("n", target),
        ("points", points),
        ("sizes", steps),
        ("covers", f"the expected difference at {target} training items"),
    )
    if steps < needed or points <= needed:
        more = {"points": points, "sizes": steps, "needed": needed, "more": needed + 1}
        why = note("no-extrapolation", n=target, **more)
        effect = asked.estimate("mean_difference", None, points)
        return asked.unanswered(effect, why, details=details)
    exponents = np.ones(1) if kind == "inverse" else EXPONENTS
    lines = [_FittedCurve.through(table, target, float(exponent)) for exponent in exponents]
    best = min(lines, key=lambda line: line.residual)
    df = points - needed
    details = (*details, *best.details, ("df", df))
    if best.residual <= (TIE * float(np.abs(table.values).max())) ** 2 * table.sizes.sum():
        what, remedy = "differences about the curve", "give more training sets of each size"
        flat = note("zero-variance", what=what, method="extrapolated_t", remedy=remedy)
        effect = asked.estimate("mean_difference", best.value, points)
        return asked.unanswered(effect, flat, details=details)

    def tested(line: _FittedCurve) -> TestOutcome:
        error = line.error(df)
        return asked.t_test("mean_difference", line.value, error, df, points, details=details)

    if kind == "inverse":
        return tested(best)
    kept = {line.exponent: tested(line) for line in _not_worse(lines, best, df)}
    return _united(asked, tested(best), kept)


class _FittedCurve(NamedTuple):
    """A line in size^-exponent by weighted least squares, read at the target."""

    exponent: float
    limit: float
    slope: float
    value: float
    residual: float
    leverage: float

    @staticmethod
    def through(table: _Sized, target: int, exponent: float) -> "_FittedCurve":
        """Points weigh as much as they have items; sizes count in targets, so that powers stay small."""
        at = (table.sizes / target) ** -exponent
        weights = table.sizes
        middle = float(np.average(at, weights=weights))
        mean = float(np.average(table.values, weights=weights))
        squares = float((weights * (at - middle) ** 2).sum())
        slope = float((weights * (at - middle) * (table.values - mean)).sum()) / squares
        rest = table.values - mean - slope * (at - middle)
        return _FittedCurve(
            exponent=exponent,
            limit=mean - slope * middle,
            slope=slope * float(target) ** exponent,
            value=mean + slope * (1.0 - middle),
            residual=float((weights * rest**2).sum()),
            leverage=1.0 / float(weights.sum()) + (1.0 - middle) ** 2 / squares,
        )

    @property
    def details(self) -> Details:
        return (("limit", self.limit), ("slope", self.slope), ("exponent", self.exponent))

    def error(self, df: int) -> float:
        """The standard error of the curve at the target."""
        return math.sqrt(self.residual / df * self.leverage)


def _not_worse(lines: list[_FittedCurve], best: _FittedCurve, df: int) -> list[_FittedCurve]:
    """The curves whose exponent is not rejected, by the F of the profile of squares."""
    most = best.residual * (1.0 + float(fdtri(1, df, KEPT)) / df)
    return [line for line in lines if line.residual <= most]


def _united(
    asked: MethodQuestion, best: TestOutcome, kept: dict[float, TestOutcome]
) -> TestOutcome:
    """The interval that holds those of all curves kept, by exponent, and the largest of their p-values."""
    each = kept.values()
    intervals = [one.effect.interval for one in each if one.effect.interval is not None]
    p_value = max(one.p_value for one in each if one.p_value is not None)
    values = [one.effect.value for one in each if one.effect.value is not None]
    if asked.side == "two-sided" and min(values) < asked.null < max(values):
        # curves on either side of it: the interval that holds all of them holds it
        p_value = 1.0
    low, high = min(one.low for one in intervals), max(one.high for one in intervals)
    return replace(
        best,
        p_value=p_value,
        effect=replace(best.effect, interval=asked.interval(low, high)),
        details=(
            *best.details,
            ("lowest_exponent", min(kept)),
            ("highest_exponent", max(kept)),
        ),
    )


def _sized(differences: ArrayLike, sizes: ArrayLike) -> _Sized:
    """Differences with a size of at least one item for each."""
    values = as_values(differences, "differences")
    counts: FloatArray = as_values(sizes, "sizes")
    if counts.size != values.size:
        raise EvidenceError(
            f"give the size of each difference: {values.size} differences, {counts.size} sizes"
        )
    if counts.min() < 1.0:
        raise EvidenceError(f"sizes are numbers of items, 1 or more; got {counts.min():g}")
    return _Sized(values, counts)


def _total(n: int, table: _Sized) -> int:
    """All the items, of which every subsample leaves some out."""
    items = check_count(n, "n", at_least=2)
    if table.sizes.max() >= items:
        raise EvidenceError(
            f"subsamples have fewer than the n = {items} items; one has {table.sizes.max():g}. "
            "The difference over all the items is given as mean="
        )
    return items
