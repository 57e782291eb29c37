"""A judge's grades of all items, corrected by people's grades of some: two-phase sampling.

The estimate is the mean of people's grades, moved by what the judge says of the items that nobody graded:
mean(people) + slope (mean(judge, all) - mean(judge, graded)). With the slope of least squares this is the
regression estimator of double sampling (Cochran 1977, chapter 12), which prediction-powered inference with
tuning (PPI++) reaches as the number of judged items grows.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray, IntArray
from assay.core.tolerances import NOISE
from assay.kernels.binomial import jeffreys_limits
from assay.kernels.extended_likelihood import upper_mean
from assay.kernels.roots import bracketed_root
from assay.kernels.special import ndtr
from assay.kernels.tails import alpha_of, normal_reach, t_reach

Limits = tuple[float, float]
ROUNDING = 1e-20
"""Squares of residuals below this part of people's own are rounding: a judge on another scale that errs nowhere."""
FEW_LABELS = 40
"""Labels of which fewer leave a robust standard error unsteady."""
FARTHEST = 7.0
"""Normal quantiles beyond this are of levels that hardly differ from 1."""
MORE, FADES = 0.25, 2.5
"""How much farther the likelihood reaches where no residual carries the error, and how fast that fades with them
(decision 0295)."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedSample:
    """The design: which items people graded, how much each counts, and what belongs together."""

    size: int
    """Items that the judge graded."""
    graded: IntArray
    """The places of those that people graded."""
    shares: FloatArray
    """How much each item counts; adds up to 1."""
    own_shares: FloatArray
    """The same of graded items, divided by the probability of having been chosen; adds up to 1."""
    strata: IntArray | None = None
    """Of graded items: the stratum each was drawn from."""
    clusters: IntArray | None = None
    """Of all items."""

    @staticmethod
    def of(
        graded: IntArray,
        size: int,
        *,
        weights: FloatArray | None = None,
        chances: FloatArray | None = None,
        strata: IntArray | None = None,
        clusters: IntArray | None = None,
    ) -> "JudgedSample":
        """``chances`` are probabilities of graded items; ``strata`` are of all items and imply them."""
        weights = np.ones(size) if weights is None else weights
        own = weights[graded]
        if strata is not None:
            of_all = np.bincount(strata, minlength=int(strata.max()) + 1)
            of_graded = np.bincount(strata[graded], minlength=of_all.size)
            own = own * of_all[strata[graded]] / of_graded[strata[graded]]
        elif chances is not None:
            own = own / chances
        return JudgedSample(
            size=size,
            graded=graded,
            shares=weights / weights.sum(),
            own_shares=own / own.sum(),
            strata=None if strata is None else strata[graded],
            clusters=clusters,
        )

    @property
    def simple(self) -> bool:
        """Whether every item counts alike and was as likely to be chosen as any other."""
        return self.strata is None and self.clusters is None and self.even

    @property
    def even(self) -> bool:
        return bool(np.ptp(self.own_shares) == 0.0 and np.ptp(self.shares) == 0.0)

    @property
    def units(self) -> int:
        """Independent units that people graded."""
        if self.clusters is None:
            return int(self.graded.size)
        return int(np.unique(self.clusters[self.graded]).size)

    def df(self, spent: int) -> int:
        """Degrees of freedom after so many coefficients; strata take one each, a mean is one."""
        if self.strata is not None:
            return self.units - int(np.unique(self.strata).size) - (spent - 1)
        return self.units - spent

    def mean(self, values: FloatArray) -> float:
        """Of values of all items; exactly the value that all have, however sums are rounded."""
        return float((self.shares * values).sum() / self.shares.sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Corrected:
    """One mean, from people alone and with the judge's help."""

    people: float
    people_error: float
    value: float
    error: float
    slope: float
    association: float
    """n r², r the correlation of judge and people on graded items: below 4 the judge tells nothing."""
    surprises: float
    """How many residuals carry the standard error: (sum r²)²/sum r⁴."""
    terms: FloatArray
    """What each graded item adds to the error of ``value``; their squares add up to its first part."""
    plain: float
    """The standard error without corrections for few labels, which pseudo-items make needless."""
    cautious: float
    """The same with HC3, which gives more to residuals of items far from the judge's mean."""
    growth: float
    """n r², r the correlation of the size of residuals with the judge's grades."""
    tail: float
    """The part of ``error`` that the judge's grades of all items bring, which are a sample themselves."""
    reach: float
    """The range of people's grades, or of the judge's on people's scale: the largest error there may be."""
    df: float
    """Degrees of freedom of ``error``."""
    grows: bool = False
    """Whether errors grow with grades that lean, so that the mean is taken to lean as these do."""
    seldom: bool = False
    """Whether so few residuals carry the error that ``likely_limits`` answer, which ``error`` then stands for."""

    @property
    def flat(self) -> bool:
        """Whether nothing varies but by rounding, so that the error tells nothing."""
        return self.error <= NOISE * max(abs(self.people), abs(self.value))

    def satterthwaite(self, units: int) -> "Corrected":
        """The same with the degrees of freedom that the few residuals leave which carry the standard error.

        A sum of n squares has 2 / (1/surprises - 1/n) of them: n if residuals are normal, 2 if one carries all.
        """
        spread = 1.0 / max(self.surprises, 1.0) - 1.0 / units
        return replace(self, df=min(self.df, 2.0 / max(spread, 2.0 / units)))

    @property
    def kept(self) -> float:
        """The part of the slope that few labels should keep: F/(F + 4), F its square over that of its error."""
        unsure = 4.0 * (1.0 - self.association / self.terms.size)
        return self.association / (self.association + unsure) if self.association > 0.0 else 0.0

    def with_pseudo_items(self, second: float, size: int) -> tuple[float, float]:
        """Centre and standard error of a difference of rates with Bonett and Price's two pseudo-items.

        They count among as many labels as would have this error alone, ``second`` being the share of items on
        which the models differ and ``size`` that of judged items.
        """
        labels, varied = float(self.terms.size), second - self.value**2
        worth = labels if varied <= 0.0 or self.plain <= 0.0 else varied / self.plain**2
        worth = min(max(worth, labels / 1.5), size)
        kept = worth / (worth + 2.0)
        added = 2.0 * (1.0 + kept * self.value**2) / (worth + 2.0) ** 2
        return kept * self.value, float(np.sqrt(kept**2 * self.plain**2 + added))

    def likely_limits(self, level: float) -> Limits:
        """Limits by empirical likelihood, with the largest error there may be among the residuals.

        An error that was seen speaks of its own side only, and one that was not may lie on either.
        """
        t = t_reach(level, self.df, "two-sided")
        points = self.terms.size * (self.terms - self.terms.mean())
        threshold = t * t * likelihood_stretch(self.surprises)
        up, down = upper_mean(np.stack([points, -points]), threshold, self.reach)
        rest = (t * self.tail) ** 2
        return float(self.value - np.sqrt(down**2 + rest)), float(
            self.value + np.sqrt(up**2 + rest)
        )


def likelihood_stretch(surprises: Any) -> Any:
    """By how much the threshold of the likelihood exceeds t²: few residuals say little of what was not seen."""
    return 1.0 + MORE * np.exp(-np.asarray(surprises) / FADES)


def corrected(
    people: FloatArray, judge: FloatArray, sample: JudgedSample, *, kept: float = 1.0
) -> Corrected:
    """The regression estimator with a robust standard error (HC2), for any design.

    ``people`` are of graded items, ``judge`` of all. The variance has two parts: residuals of graded items,
    and the judge's grades of all items, which are a sample themselves. ``kept`` is the part of the slope to use.
    """
    share, own = sample.own_shares, judge[sample.graded]
    whole = sample.mean(judge)
    mean, own_mean = float(share @ people), float(share @ own)
    off, aside = people - mean, own - own_mean
    spread, joint, varied = share @ aside**2, share @ (aside * off), share @ off**2
    flat = spread <= 1e-24 * max(1.0, own_mean**2) or varied <= 0.0
    slope = 0.0 if flat else kept * float(joint / spread)
    residuals = off - slope * aside
    moved = np.zeros_like(aside) if flat else aside * (whole - own_mean) / spread
    leverage = share * (1.0 + (0.0 if flat else aside**2 / spread))
    terms = share * (1.0 + moved) * residuals / np.sqrt(np.maximum(1.0 - leverage, 0.05))
    tail = slope * sample.shares * (judge - whole)
    squares = _unit_sums(terms, np.zeros(0), sample) ** 2
    total, error = float(squares.sum()), _error(terms, tail, sample)
    agreed = share @ residuals**2 <= ROUNDING * varied
    return Corrected(
        people=mean,
        people_error=_error(share * off / np.sqrt(np.maximum(1.0 - share, 0.05)), None, sample),
        value=mean + slope * (whole - own_mean),
        error=error
        if flat
        else max(error, _even_error(residuals, share * (1.0 + moved), tail, sample)),
        slope=slope,
        association=0.0 if flat else float(sample.units * joint**2 / (spread * varied)),
        surprises=0.0 if agreed or total <= 0.0 else total**2 / float((squares**2).sum()),
        terms=terms,
        cautious=_error(terms / np.sqrt(np.maximum(1.0 - leverage, 0.05)), tail, sample),
        growth=_growth(np.abs(residuals), aside, sample),
        plain=float(np.sqrt((share * residuals) @ (share * residuals) + tail @ tail)),
        tail=float(np.sqrt(tail @ tail)),
        reach=max(float(np.ptp(people)), abs(slope) * float(np.ptp(judge))),
        df=max(sample.df(2), 1),
    )


def _growth(sizes: FloatArray, aside: FloatArray, sample: JudgedSample) -> float:
    """How clearly the size of residuals goes with the judge's grades, less their mean."""
    share = sample.own_shares
    off = sizes - share @ sizes
    spread = float(share @ off**2) * float(share @ aside**2)
    return float(sample.units * (share @ (off * aside)) ** 2 / spread) if spread > 0.0 else 0.0


def _unit_sums(terms: FloatArray, tail: FloatArray, sample: JudgedSample) -> FloatArray:
    """Terms by independent unit: items, or clusters with the judge's part of all their items."""
    if sample.clusters is None:
        return terms
    size = int(sample.clusters.max()) + 1
    sums = np.bincount(sample.clusters[sample.graded], weights=terms, minlength=size)
    if tail.size:
        sums = sums + np.bincount(sample.clusters, weights=tail, minlength=size)
    return np.asarray(sums, np.float64)


def _error(terms: FloatArray, tail: FloatArray | None, sample: JudgedSample) -> float:
    """The standard error of a sum of terms of graded items and of a tail over all items."""
    rest = np.zeros(0) if tail is None else tail
    if sample.clusters is not None:
        sums = _unit_sums(terms, rest, sample)
        units = max(sample.units, 2)
        return float(np.sqrt(units / (units - 1) * np.sum(sums**2)))
    first = float(np.sum(terms**2)) if sample.strata is None else _within(terms, sample.strata)
    return float(np.sqrt(first + float(rest @ rest)))


def _even_error(
    residuals: FloatArray, weights: FloatArray, tail: FloatArray, sample: JudgedSample
) -> float:
    """The same with one variance for all residuals, which few labels estimate more steadily; 0 of other evidence."""
    if not sample.simple or not 3 <= sample.graded.size < FEW_LABELS:
        return 0.0
    variance = float(residuals @ residuals) / (residuals.size - 2)
    return float(np.sqrt(variance * float(weights @ weights) + float(tail @ tail)))


def _within(terms: FloatArray, strata: IntArray) -> float:
    """The same where items were drawn within strata: what lies between strata is no error."""
    counts = np.bincount(strata)
    means = np.bincount(strata, weights=terms) / np.maximum(counts, 1)
    squares = np.bincount(strata, weights=(terms - means[strata]) ** 2)
    factor = counts / np.maximum(counts - 1, 1)
    return float(factor @ squares)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class JudgedStrata:
    """Right or wrong by people, within what the judge says: the counts behind a stratified estimate."""

    weights: FloatArray
    """The share of all judged items in each stratum."""
    counts: FloatArray
    """Graded items in each stratum."""
    plus: FloatArray
    minus: FloatArray
    """Graded items that count +1 and -1; none of the latter where one model is estimated."""
    size: int
    """Items judged."""

    @staticmethod
    def of(people: FloatArray, judge: FloatArray, graded: IntArray) -> "JudgedStrata":
        """``people`` of graded items and ``judge`` of all are -1, 0 and 1."""
        _, strata = np.unique((judge + 1.0).astype(np.int8), return_inverse=True)
        count = int(strata.max()) + 1
        own = strata[graded]
        return JudgedStrata(
            weights=np.bincount(strata, minlength=count) / judge.size,
            counts=np.bincount(own, minlength=count).astype(np.float64),
            plus=np.bincount(own[people > 0.0], minlength=count).astype(np.float64),
            minus=np.bincount(own[people < 0.0], minlength=count).astype(np.float64),
            size=judge.size,
        )

    @property
    def means(self) -> FloatArray:
        """Of each stratum; where nobody graded an item, of all of them."""
        pooled = (self.plus.sum() - self.minus.sum()) / self.counts.sum()
        with np.errstate(invalid="ignore"):
            return np.where(self.counts > 0, (self.plus - self.minus) / self.counts, pooled)

    @property
    def value(self) -> float:
        return float(self.weights @ self.means)

    @property
    def unseen(self) -> float:
        """The variance that the strata's own shares add, which all judged items estimate."""
        means = self.means
        return float(self.weights @ (means - self.value) ** 2) / self.size

    def limits(self, level: float, *, paired: bool) -> Limits:
        """Square and add (Zou & Donner 2008): each stratum's own distances from Jeffreys' limits, weighted.

        Of a difference the distances of both its rates are squared and added, with twice their covariance.
        """
        z = normal_reach(level, "two-sided")
        down, up = self._distances(self.plus, level)
        if paired:
            more, less = self._distances(self.minus, level)
            shared = 2.0 * z * z * self.plus * self.minus / np.maximum(self.counts, 1.0) ** 3
            down, up = np.sqrt(down**2 + less**2 + shared), np.sqrt(up**2 + more**2 + shared)
        rest = z * z * self.unseen
        below = np.sqrt(np.sum((self.weights * down) ** 2) + rest)
        above = np.sqrt(np.sum((self.weights * up) ** 2) + rest)
        least = -1.0 if paired else 0.0
        return float(max(self.value - below, least)), float(min(self.value + above, 1.0))

    def _distances(self, hits: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        """From a rate in each stratum down and up to its limits; where nobody graded an item, to 0 and 1."""
        tail = alpha_of(level) / 2.0
        counts = np.maximum(self.counts, 1.0)
        rates = hits / counts
        low, high = jeffreys_limits(hits, counts, tail)
        down = np.where(hits == 0.0, 0.0, rates - low)
        up = np.where(hits == counts, 0.0, high - rates)
        unseen = self.counts == 0
        return np.where(unseen, 1.0, down), np.where(unseen, 1.0, up)


def p_of_limits(limits: Callable[[float], Limits], value: float, null: float) -> float:
    """The p-value that an interval implies: one minus the level at which an end of it meets the null.

    Ends move nearly in proportion to the normal quantile, so a few corrections in proportion find it; those of the
    likelihood slow down towards the end of the scale, and are searched for.
    """
    distance, z = abs(value - null), 1.96

    def reach_at(z: float) -> float:
        low, high = limits(1.0 - 2.0 * float(ndtr(-z)))
        return value - low if null < value else high - value

    for _ in range(30):
        reach = reach_at(z)
        if distance == 0.0 or reach <= 0.0:
            return 1.0 if distance == 0.0 else 0.0
        better = min(max(z * distance / reach, 1e-6), FARTHEST)
        if abs(better - z) <= 1e-9 * z:
            break
        z = better
    else:
        found = bracketed_root(
            np.vectorize(lambda one: reach_at(one) - distance, [float]), 1e-6, FARTHEST
        )
        z = float(found)
    return float(2.0 * ndtr(-z))
