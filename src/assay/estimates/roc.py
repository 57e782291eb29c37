"""The area under the ROC curve with its uncertainty: one curve, a difference, clusters."""

import math
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from assay.core.arrays import BoolArray, FloatArray, IndexArray
from assay.core.checks import as_codes, as_floats
from assay.core.errors import EvidenceError
from assay.core.methods import method
from assay.core.notes import Note, by_count, note
from assay.core.results import Details, Estimate, Interval
from assay.estimates.method_question import MethodQuestion
from assay.estimates.misplaced_items import allowing_for_misplaced
from assay.evidence.argument_checks import as_placed_areas, as_scored_labels
from assay.kernels.auc import (
    hanley_mcneil_variance,
    placements,
)
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.delong import PlacedAreas, difference_variance
from assay.kernels.no_variation import flat_limits
from assay.kernels.roots import bracketed_root
from assay.kernels.tails import t_reach

PRIOR_ITEMS = 12.0
"""How many items of the rarer class the variance of the area alone counts for in `auc_score`."""

FEW = 10
"""Items of a class, or items that tell how sure the area is, below which a note is given."""

_area = partial(
    method,
    question="How well do the scores rank positives above negatives?",
    takes="scored-labels",
    gives="estimate",
    unit="item",
    requirement="I6",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Area:
    """An AUC, the sizes it rests on, and DeLong's variance (NaN with one item of a class).

    Of scores in bins also how far the area can be from that of the scores themselves (``shift``),
    and how small and how large its standard error can be.
    """

    value: float
    variance: float
    n_positive: int
    n_negative: int
    shift: float = 0.0
    least: float = math.nan
    error: float = math.nan
    resting: float = math.nan
    """On how many items the variance rests in effect, where that was asked for."""

    @property
    def rarer(self) -> int:
        return min(self.n_positive, self.n_negative)

    @property
    def known(self) -> bool:
        return not math.isnan(self.variance)

    @property
    def varies(self) -> bool:
        return self.variance > 1e-14  # sums of placements that cancel leave this much dust

    @property
    def may_be_flat(self) -> bool:
        """Whether the placements may be all equal; without bins the opposite of ``varies``."""
        return not (self.varies if not self.shift else self.least**2 > 1e-14)

    @property
    def widest(self) -> "tuple[_Area, _Area]":
        """The lowest and the highest area that the scores themselves may have."""
        low, high = max(self.value - self.shift, 0.0), min(self.value + self.shift, 1.0)
        return replace(self, value=low), replace(self, value=high)


@_area(
    assumes=("independent items",),
    reference="DeLong, DeLong & Clarke-Pearson (1988), Biometrics 44",
    same_as="R: pROC::ci.auc({truth}, {scores}{, level})",
    formula="auc ± z sqrt(variance)",
    name="DeLong",
    interval="DeLong",
    planned_by="one_area",
    batched_by="one_area",
)
def delong(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The AUC with DeLong's symmetric interval, not cut to [0, 1] (the cut one is in details).

    Where all placements are equal (AUC 0 or 1, constant scores) its variance is 0; Newcombe's
    interval is given then, with a note.
    """
    asked = MethodQuestion.of("delong", level=level, alternative=alternative)
    area, z = _area_of(*evidence), asked.z
    if area.rarer == 0:
        return _one_class(asked, area)
    reach = area.shift + z * area.error if area.known else 0.0
    raw = (area.value - reach, area.value + reach)
    alone = hanley_mcneil_variance(area.value, area.n_positive, area.n_negative)
    details: Details = (("z", z), ("hanley_mcneil_variance", alone))
    if area.known:
        details += (
            ("wald_low", raw[0]),
            ("wald_high", raw[1]),
            ("clipped_low", max(raw[0], 0.0)),
            ("clipped_high", min(raw[1], 1.0)),
        )
    if not area.may_be_flat:
        return _estimate(asked, area, asked.sided(raw), details)
    limits = _hull(raw if area.known else None, _score_limits(area, z))
    interval = asked.sided(limits, called="auc_newcombe")
    remedy = "Newcombe's interval is given"
    missing = note("zero-variance", what="the placements", method="delong", remedy=remedy)
    return _estimate(asked, area, interval, details, (missing,))


@_area(
    assumes=("independent items", "score distributions not far from exponential or binormal"),
    reference="Newcombe (2006), Statistics in Medicine 25: 559-573, method 5",
    formula="(auc - A)² = z² V(A), V(A) = A (1 - A)(1 + N (1 - A)/(2 - A) + N A/(1 + A)) / (n_positive n_negative), "
    "N = (n_positive + n_negative)/2 - 1",
    name="AUC Newcombe",
    interval="Newcombe",
)
def auc_newcombe(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The AUC with the score-type interval of Newcombe's method 5: defined at 0 and 1."""
    asked = MethodQuestion.of("auc_newcombe", level=level, alternative=alternative)
    area, z = _area_of(*evidence), asked.z
    if area.rarer == 0:
        return _one_class(asked, area)
    return _estimate(asked, area, asked.sided(_score_limits(area, z)), (("z", z),))


@_area(
    assumes=("independent items",),
    reference="assay, docs/methods/roc.md; newcombe2006 delong1988",
    formula="(auc - A)² = z² ratio V(A), ratio = (k variance/V(auc) + 12)/(k + 12), k = min(n_positive, n_negative)",
    name="AUC score",
    interval="Wilson-type",
)
def auc_score(*evidence: Any, level: float = 0.95, alternative: str = "two-sided") -> Estimate:
    """The default interval of an AUC: Newcombe's shape with the variance that DeLong sees.

    DeLong's variance adapts to the scores but is itself uncertain when a class is rare, so it is
    weighed as k items of the rarer class against 12 for the variance of the area alone.
    """
    asked = MethodQuestion.of("auc_score", level=level, alternative=alternative)
    area, z = _area_of(*evidence), asked.z
    if area.rarer == 0:
        return _one_class(asked, area)
    ratio = 1.0
    if area.varies:
        found = (area.rarer * _excess(area) + PRIOR_ITEMS) / (area.rarer + PRIOR_ITEMS)
        ratio = max(found, 1.0) if area.may_be_flat else found
    interval = asked.sided(_score_limits(area, z, ratio))
    details: Details = (("z", z), ("ratio", ratio), ("resting", area.resting))
    return _estimate(asked, area, interval, details, _few(area))


@_area(
    assumes=("independent clusters", "many clusters, none of which dominates"),
    reference="Obuchowski (1997), Biometrics 53: 567-578",
    formula="logit⁻¹(logit(auc) ± t(clusters - 1) sqrt(variance)/(auc (1 - auc)))",
    name="cluster AUC",
    interval="cluster-robust",
)
def cluster_auc(
    *evidence: Any,
    clusters: ArrayLike | None = None,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """The AUC of items that come in clusters (patients with several images).

    Without ``clusters`` every item is its own. Where the placements do not vary, Newcombe's
    interval for as many items as there are clusters with positives and with negatives is given.
    """
    asked = MethodQuestion.of("cluster_auc", level=level, alternative=alternative)
    labels = as_scored_labels(*evidence)
    truth, scores = labels.truth, labels.scores[0]
    codes = np.arange(truth.size) if clusters is None else as_codes(clusters, "cluster", truth.size)
    area, present = _clustered_area(truth, scores, codes)
    groups = int(codes.max()) + 1
    if area.rarer == 0:
        return _one_class(asked, area)
    details: Details = (
        ("clusters", groups),
        ("positive_clusters", present[0]),
        ("negative_clusters", present[1]),
    )
    if not area.varies or groups < 2:
        limits = newcombe_limits(area.value, *present, asked.z)
        remedy = "Newcombe's interval for the numbers of clusters is given"
        missing = note("zero-variance", what="the placements", method="cluster_auc", remedy=remedy)
        interval = asked.sided(limits, called="auc_newcombe")
        return _estimate(asked, area, interval, details, (missing,))
    reach = t_reach(asked.level, groups - 1, asked.side) * math.sqrt(area.variance)
    details += (
        ("df", groups - 1),
        ("wald_low", area.value - reach),
        ("wald_high", area.value + reach),
    )
    limits = stretched_interval(area.value, reach, low=0.0, high=1.0)
    return _estimate(asked, area, asked.sided(limits), details)


def auc_difference_interval(
    truth: ArrayLike,
    scores: ArrayLike,
    *,
    variant: str = "normal",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """AUC of A minus B on the same items, with DeLong's interval; ``scores`` has two rows.

    ``variant`` "t" takes Student's t with Satterthwaite's degrees of freedom for the normal.
    Where the difference does not vary (equal rankings), what m items of the rarer class cannot
    rule out, in the shape of Tango's interval where all pairs agree (``kernels.flat``).
    """
    rows = np.atleast_2d(as_floats(scores, "scores"))
    placed = as_placed_areas(truth, *rows)
    return auc_difference_of(placed, variant=variant, level=level, alternative=alternative)


def auc_difference_of(
    placed: PlacedAreas,
    *,
    variant: str = "normal",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """As :func:`auc_difference_interval`, from areas that were placed already.

    Scores in bins: wide enough to hold the interval of the scores themselves; with "t" the degrees
    of freedom are then the fewest there can be, one less than the items of the rarer class.
    """
    asked = MethodQuestion.of("auc_difference_interval", level=level, alternative=alternative)
    if placed.areas.size != 2:
        raise EvidenceError(f"a difference needs the scores of two models; got {placed.areas.size}")
    covariance = placed.covariance
    found = _Area(
        value=float(placed.areas[0] - placed.areas[1]),
        variance=difference_variance(covariance),
        n_positive=placed.n_positive,
        n_negative=placed.n_negative,
        shift=placed.most_shift((1, -1)),
        **_errors(placed, (1, -1)),
    )
    details: Details = (
        ("auc_a", _known(placed.areas[0])),
        ("auc_b", _known(placed.areas[1])),
        ("var_a", _known(covariance[0, 0])),
        ("var_b", _known(covariance[1, 1])),
        ("cov", _known(covariance[0, 1])),
        ("z", asked.z),
    )
    if variant != "t" or not found.varies:
        return _difference(asked, found, asked.z, details)
    df = placed.least_df() if placed.binned else placed.difference_df()
    details = (*details, ("df", df))
    reach = t_reach(asked.level, df, asked.side)
    estimate = _difference(asked, found, reach, details)
    if found.shift:
        return estimate
    return allowing_for_misplaced(estimate, placed, found.error, reach, df)


def auc_difference_apart(
    placed_a: PlacedAreas,
    placed_b: PlacedAreas,
    *,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """AUC of A minus B on different items: DeLong's variances added, t with Welch's df (pROC)."""
    name = "auc_difference_independent"
    asked = MethodQuestion.of(name, level=level, alternative=alternative)
    a, b = _area_of(placed_a), _area_of(placed_b)
    sizes = [one.n_positive + one.n_negative for one in (a, b)]
    variance = a.variance + b.variance
    found = _Area(
        value=a.value - b.value,
        variance=variance,
        n_positive=min(a.n_positive, b.n_positive),
        n_negative=min(a.n_negative, b.n_negative),
        shift=a.shift + b.shift,
        least=math.hypot(a.least, b.least),
        error=math.hypot(a.error, b.error),
    )
    df, reach = math.inf, asked.z
    if found.varies:
        shares = (a.variance**2 / (sizes[0] - 1) + b.variance**2 / (sizes[1] - 1)) / variance**2
        df = float(min(sizes) - 1) if found.shift else 1.0 / shares
        reach = t_reach(asked.level, df, asked.side)
    details: Details = (
        ("auc_a", a.value),
        ("auc_b", b.value),
        ("var_a", _known(a.variance)),
        ("var_b", _known(b.variance)),
        ("df", df),
    )
    return replace(_difference(asked, found, reach, details), n=sum(sizes))


def newcombe_limits(
    area: float, n_positive: int, n_negative: int, z: float, ratio: float = 1.0
) -> tuple[float, float]:
    """Areas A with (area − A)² = z² · ratio · V(A): Newcombe's limits where the ratio is 1."""
    squared = z * z * ratio

    def outside(candidate: FloatArray) -> FloatArray:
        variance = newcombe_variance(candidate, n_positive, n_negative)
        return np.asarray((area - candidate) ** 2 - squared * variance)

    # A hair off the area, which at 0 and 1 is a root itself
    low = float(bracketed_root(outside, 0.0, area - 1e-12)) if area > 0.0 else 0.0
    high = float(bracketed_root(outside, area + 1e-12, 1.0)) if area < 1.0 else 1.0
    return min(low, area), max(high, area)


def newcombe_variance(area: Any, n_positive: Any, n_negative: Any) -> Any:
    """Hanley and McNeil's variance with both class sizes replaced by their mean (Newcombe 2006)."""
    size = (n_positive + n_negative) / 2.0 - 1.0
    growth = 1.0 + size * (1.0 - area) / (2.0 - area) + size * area / (1.0 + area)
    return area * (1.0 - area) * growth / (n_positive * n_negative)


def _errors(placed: PlacedAreas, contrast: tuple[int, ...]) -> dict[str, float]:
    return dict(zip(("least", "error"), placed.errors(contrast), strict=True))


def _excess(area: _Area) -> float:
    """DeLong's variance beside that of the area alone; of scores in bins the most it can be.

    V has one hump, so it is smallest at an end of what the area can be. And no variance of
    placements with mean A exceeds A (1 − A), which bounds the ratio where V vanishes.
    """
    sizes = (area.n_positive, area.n_negative)
    if not area.shift:
        return float(area.variance / newcombe_variance(area.value, *sizes))
    most = sum(math.prod(sizes) / (size - 1) for size in sizes) / (1.0 + (sum(sizes) / 2 - 1) / 2)
    alone = min(newcombe_variance(one.value, *sizes) for one in area.widest)
    return min(area.error**2 / alone, most) if alone > 0.0 else most


def _hull(*limits: tuple[float, float] | None) -> tuple[float, float]:
    """The smallest interval that holds the others."""
    lows, highs = zip(*(one for one in limits if one is not None), strict=True)
    return min(lows), max(highs)


def _score_limits(area: _Area, z: float, ratio: float = 1.0) -> tuple[float, float]:
    """Newcombe's limits; of scores in bins those of the lowest and of the highest possible area."""
    lowest, highest = area.widest
    sizes = (area.n_positive, area.n_negative)
    low, high = newcombe_limits(lowest.value, *sizes, z, ratio)
    return low, newcombe_limits(highest.value, *sizes, z, ratio)[1] if area.shift else high


def _area_of(*evidence: Any) -> _Area:
    placed = as_placed_areas(*evidence)
    if placed.areas.size != 1:
        raise EvidenceError(
            f"this estimates one model's AUC; got scores of {placed.areas.size}: for two use delong_test"
        )
    return _Area(
        value=float(placed.areas[0]),
        variance=float(placed.covariance[0, 0]),
        n_positive=placed.n_positive,
        n_negative=placed.n_negative,
        shift=placed.most_shift((1,)),
        **_errors(placed, (1,)),
        resting=float(placed.resting[0]),
    )


def _few(area: _Area) -> tuple[Note, ...]:
    """A note where the interval rests on few items: of a class, or of those misplaced."""
    if area.rarer < FEW:
        count, what = area.rarer, f"{by_count(area.rarer, 'item', 'items')} of the rarer class"
    elif area.resting < FEW:
        count, what = int(area.resting), "items, in effect, on which the variance rests"
    else:
        return ()
    return (note("small-counts", count=count, what=what, method="auc_score"),)


def _clustered_area(
    truth: BoolArray, scores: FloatArray, codes: IndexArray
) -> tuple[_Area, tuple[int, int]]:
    """The AUC with Obuchowski's variance, and the numbers of clusters with items of each class."""
    n_positive = int(np.count_nonzero(truth))
    n_negative = truth.size - n_positive
    empty = _Area(value=math.nan, variance=math.nan, n_positive=n_positive, n_negative=n_negative)
    if empty.rarer == 0:
        return empty, (0, 0)
    of_positives, of_negatives = placements(truth, scores)
    area, groups = float(of_positives.mean()), int(codes.max()) + 1
    sums, present = [], []
    for member, placed in ((truth, of_positives), (~truth, of_negatives)):
        sums.append(np.bincount(codes[member], weights=placed - area, minlength=groups))
        present.append(np.unique(codes[member]).size)

    def spread(one: NDArray[Any], other: NDArray[Any], count: int) -> float:
        return count / (count - 1) * float(one @ other) if count > 1 else math.nan

    variance = (
        spread(sums[0], sums[0], present[0]) / n_positive**2
        + spread(sums[1], sums[1], present[1]) / n_negative**2
        + 2.0 * spread(sums[0], sums[1], groups) / (n_positive * n_negative)
    )
    found = replace(empty, value=area, variance=variance)
    return found, (present[0], present[1])


def _known(value: float) -> float | None:
    return None if math.isnan(value) else float(value)


def _difference(asked: MethodQuestion, found: _Area, reach: float, details: Details) -> Estimate:
    if found.rarer == 0:
        return _one_class(asked, found)
    notes: tuple[Note, ...] = ()
    half_width = found.shift + reach * found.error if found.known else 0.0
    limits = (found.value - half_width, found.value + half_width)
    if found.may_be_flat:
        flat = flat_limits(found.value, 1.0, found.rarer, reach)
        moved = flat[0] - found.shift, flat[1] + found.shift
        limits = _hull(limits if found.shift else None, moved)
        remedy = f"what {found.rarer} items of the rarer class cannot rule out is given"
        notes = (note("zero-variance", what="the differences", method="DeLong", remedy=remedy),)
    low, high = limits
    limits = (max(low, -1.0), min(high, 1.0))
    if limits != (low, high):
        details = (*details, ("wald_low", low), ("wald_high", high))
    return _estimate(asked, found, asked.sided(limits, (-1.0, 1.0)), details, notes)


def _one_class(asked: MethodQuestion, area: _Area) -> Estimate:
    missing = note("one-class", consequence="there is no pair to rank, so no AUC")
    empty = replace(area, value=math.nan, variance=math.nan)
    return replace(_estimate(asked, empty, None, (), (missing,)), value=None)


def _estimate(
    asked: MethodQuestion,
    area: _Area,
    interval: Interval | None,
    details: Details,
    notes: tuple[Note, ...] = (),
) -> Estimate:
    facts: Details = (
        ("auc", _known(area.value)),
        ("variance", _known(area.variance)),
        ("n_positive", area.n_positive),
        ("n_negative", area.n_negative),
    )
    if area.shift:
        facts += (("bin_bound", area.shift), ("largest_error", area.error))
        notes = (*notes, note("binned-scores", bound=area.shift))
    return asked.estimate(
        "roc_auc",
        area.value,
        area.n_positive + area.n_negative,
        interval,
        None if area.may_be_flat else math.sqrt(area.variance),
        notes=notes,
        details=(*facts, *details),
    )
