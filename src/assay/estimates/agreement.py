"""Agreement beyond chance: a model and the truth (M5), two raters or many (T19), with intervals."""

import math
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import method
from assay.core.notes import Note, note
from assay.core.results import Details, Estimate, Interval
from assay.estimates.method_question import MethodQuestion
from assay.evidence.argument_checks import as_confusion
from assay.evidence.ratings import Ratings, as_ratings
from assay.kernels import rating_disagreement
from assay.kernels.rating_disagreement import Disagreement
from assay.kernels.tails import ends, t_reach

Weights = Literal["none", "linear", "quadratic"]
WEIGHTS: tuple[Weights, ...] = ("none", "linear", "quadratic")
Metric = Literal["nominal", "ordinal", "interval", "ratio"]
METRICS: tuple[Metric, ...] = ("nominal", "ordinal", "interval", "ratio")
FEW_OUTSIDE = 10
FEW_ITEMS = 50
"""Items below which the normal interval of kappa is noted (docs/calibration-promises.md)."""
ROUNDING = 1e-12
MOST_VALUES = 1_000
FLAT = 1e-14
"""A variance of agreement below this is rounding."""


@method(
    question="How far do two raters, or a model and the truth, agree beyond chance?",
    takes="confusion",
    gives="estimate",
    unit="item",
    assumes=("independent items", "enough items for a normal approximation"),
    reference="Fleiss, Cohen & Everitt (1969), Psychological Bulletin 72: 323-327; "
    "Cohen (1960), Educational and Psychological Measurement 20: 37-46",
    requirement="M5",
    same_as="R: vcd::Kappa({table}, weights = 'Equal-Spacing')  # or 'Fleiss-Cohen' for quadratic",
    formula="kappa = (agreement - chance)/(1 - chance) ± z standard_error",
    name="Cohen's kappa",
)
def cohens_kappa(
    *evidence: Any,
    weights: Weights = "none",
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """Cohen's kappa, weighted or not, with the asymptotic standard error for intervals.

    From a table of counts, (truth, prediction), or evidence of one model. ``weights`` let near
    misses count, classes in the order of the table. The standard error is the one for intervals,
    not the one for testing kappa = 0. `assay evaluate --measure kappa` has the bootstrap interval.
    """
    matrix, classes, _ = as_confusion(evidence)
    kind = check_choice(weights, WEIGHTS, "weights")
    asked = MethodQuestion.of("cohens_kappa", level=level, alternative=alternative)
    n = int(matrix.sum())
    shares = matrix / n
    agreement = agreement_weights(len(classes), kind)
    observed = float((agreement * shares).sum())
    chance = float(shares.sum(axis=1) @ agreement @ shares.sum(axis=0))
    details: Details = (("agreement", observed), ("chance", chance), ("n", n), ("weights", kind))
    measure = "kappa" if kind == "none" else f"kappa_{kind}"
    if 1.0 - chance < FLAT:  # one class, met by both
        missing = note("undefined-value", measure="kappa")
        return asked.estimate(measure, None, n, notes=(missing,), details=details)
    value = (observed - chance) / (1.0 - chance)
    error = _standard_error(shares, agreement, value, chance, n)
    details = (*details, ("standard_error", error))
    if error == 0.0:
        flat = note(
            "zero-variance",
            what="the items",
            method="cohens_kappa",
            remedy="the bootstrap interval of evaluate allows for few items",
        )
        return asked.estimate(measure, value, n, notes=(flat,), details=details)
    interval, notes = _interval(asked, value, asked.z * error)
    notes = (*notes, *_few_of_a_kind(int(np.trace(matrix)), n, asked.level))
    details = (*details, ("z", asked.z))
    return asked.estimate(measure, value, n, interval, error, notes=notes, details=details)


@method(
    question="How far do several raters agree beyond chance, where some ratings may be missing?",
    takes="ratings",
    gives="estimate",
    unit="item",
    assumes=("independent items", "raters are interchangeable"),
    reference="krippendorff2011 hayes2007",
    requirement="T19",
    same_as="R: irr::kripp.alpha(t(ratings), method = {metric})",
    formula="alpha = 1 - observed/expected",
    name="Krippendorff alpha",
)
def krippendorff_alpha(
    *evidence: Any,
    metric: Metric = "nominal",
    counts: bool = False,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """Krippendorff's alpha of two raters or more, with a jackknife interval over items.

    From a table with a row per item and a column per rater, None or NaN where one did not rate, or
    from lists of item, rater and rating. ``metric`` says what ratings are; all but nominal need
    numbers. With ``counts`` columns are categories and cells numbers of raters.
    """
    found, notes = _paired(as_ratings(*evidence, counts=counts))
    kind = check_choice(metric, METRICS, "metric")
    distances = _distances(found, kind)
    return _among_raters(
        MethodQuestion.of("krippendorff_alpha", level=level, alternative=alternative),
        "alpha", found, distances, 1, notes,
        (("metric", kind),),
    )  # fmt: skip


@method(
    question="How far do two raters agree beyond chance, where one answer is far more frequent than the others?",
    takes="confusion",
    gives="estimate",
    unit="item",
    assumes=("independent items", "enough items for a t interval"),
    reference="Gwet (2008), British Journal of Mathematical and Statistical Psychology 61: 29-48",
    requirement="T19",
    same_as="R: irrCAC::gwet.ac1.table({table})",
    formula="AC1 = (agreement - chance)/(1 - chance) ± t standard_error",
    name="Gwet's AC1",
)
def gwet_ac1(*evidence: Any, level: float = 0.95) -> Estimate:
    """Gwet's AC1, whose chance agreement does not grow with the share of the most frequent answer.

    From a table of counts, (truth, prediction), or evidence of one model. Kappa falls to 0 where nearly all
    items are of one class, however well raters agree; AC1 does not.
    """
    matrix = as_confusion(evidence)[0]
    table, asked = np.asarray(matrix, np.float64), MethodQuestion.of("gwet_ac1", level=level)
    n, size = float(table.sum()), len(table)
    if size < 2 or n < 2:
        raise EvidenceError("AC1 needs two classes and two items or more")
    share = (table.sum(axis=0) + table.sum(axis=1)) / (2.0 * n)
    agreement = float(np.trace(table)) / n
    chance = float(share @ (1.0 - share)) / (size - 1)
    value = (agreement - chance) / (1.0 - chance)
    # what an item of each cell adds to the estimate (Gwet's linearised variance)
    own = (1.0 - share)[:, None] / 2.0 + (1.0 - share)[None, :] / 2.0
    each = (np.eye(size) - chance) / (1.0 - chance)
    each = each - 2.0 * (1.0 - value) * (own / (size - 1) - chance) / (1.0 - chance)
    error = math.sqrt(float((table * (each - value) ** 2).sum()) / (n * (n - 1.0)))
    interval = None
    notes: tuple[Note, ...] = ()
    if error > 0.0:
        low, high = ends(value, t_reach(asked.level, n - 1.0, "two-sided") * error, "two-sided")
        interval = asked.interval(max(low, -1.0), min(high, 1.0))
    else:
        remedy = "krippendorff_alpha allows for few items"
        notes = (note("zero-variance", what="the items", method="gwet_ac1", remedy=remedy),)
    details = (
        ("agreement", agreement), ("chance", chance), ("standard_error", error), ("classes", size),
    )  # fmt: skip
    return asked.estimate("AC1", value, int(n), interval, error, notes=notes, details=details)


@method(
    question="How far do several raters agree beyond chance, if all items have the same number of ratings?",
    takes="ratings",
    gives="estimate",
    unit="item",
    assumes=("independent items", "raters are interchangeable"),
    reference="fleiss1971",
    requirement="T19",
    same_as="R: irr::kappam.fleiss(ratings)",
    formula="kappa = 1 - observed/expected",
    name="Fleiss' kappa",
)
def fleiss_kappa(
    *evidence: Any,
    counts: bool = False,
    level: float = 0.95,
    alternative: str = "two-sided",
) -> Estimate:
    """Fleiss' kappa of many raters, with a jackknife interval over items.

    From a table with a row per item and a column per rater; with ``counts`` columns are categories
    and cells numbers of raters. Every item must have the same number of ratings.
    """
    found = as_ratings(*evidence, counts=counts)
    given = found.given
    if given.min() != given.max():
        raise NotApplicable(
            f"fleiss_kappa needs the same number of ratings of every item; there are {given.min()} to "
            f"{given.max()}: krippendorff_alpha allows for missing ones"
        )
    found, notes = _paired(found)
    distances = _distances(found, "nominal")
    return _among_raters(
        MethodQuestion.of("fleiss_kappa", level=level, alternative=alternative),
        "fleiss_kappa",
        found,
        distances,
        0,
        notes,
        (),
    )


def agreement_weights(k: int, weights: Weights) -> FloatArray:
    """1 for the same class, less the farther two classes are apart in their order."""
    apart = np.abs(np.arange(k)[:, None] - np.arange(k)[None, :])
    if weights == "none":
        return np.asarray(apart == 0, dtype=np.float64)
    return np.asarray(1.0 - (apart / max(k - 1, 1)) ** (1 if weights == "linear" else 2))


def _standard_error(
    shares: FloatArray, agreement: FloatArray, kappa: float, chance: float, n: int
) -> float:
    """Fleiss, Cohen and Everitt (1969), eq. 13: of kappa where it need not be 0."""
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    mean = (agreement @ columns)[:, None] + (rows @ agreement)[None, :]
    squares = float((shares * (agreement - mean * (1.0 - kappa)) ** 2).sum())
    variance = squares - (kappa - chance * (1.0 - kappa)) ** 2
    return math.sqrt(variance / n) / (1.0 - chance) if variance > FLAT else 0.0


def _interval(
    asked: MethodQuestion, value: float, reach: float
) -> tuple[Interval, tuple[Note, ...]]:
    """Kappa plus and minus its reach, cut at 1 with a note."""
    low, high = ends(value, reach, asked.side)
    low = min(low, 1.0)
    cut = asked.side != "greater" and high > 1.0
    notes = (note("interval-cut", low=low, high=high),) if cut else ()
    return asked.interval(max(low, -1.0), min(max(high, -1.0), 1.0)), notes


def _paired(found: Ratings) -> tuple[Ratings, tuple[Note, ...]]:
    """The items with two ratings or more, of which there must be two, in an order of their own.

    Sums then have the same bits however the items came.
    """
    given = found.given
    enough = given > 1
    if enough.sum() < 2:
        raise EvidenceError(
            f"agreement needs at least two items with two ratings each; there are {int(enough.sum())} of "
            f"{given.size} items and {found.raters} raters"
        )
    codes = found.codes[enough]
    kept = replace(found, codes=codes[np.lexsort(codes.T)])
    if enough.all():
        return kept, ()
    return kept, (note("single-ratings", count=int((~enough).sum()), n=given.size),)


def _distances(found: Ratings, metric: Metric) -> Disagreement:
    if metric == "nominal":
        return rating_disagreement.nominal(found.codes, len(found.categories))
    codes, values = found.numbers()
    if metric == "interval":
        return rating_disagreement.interval(codes, values)
    if values.size > MOST_VALUES:
        raise EvidenceError(
            f"the metric {metric} compares all pairs of different ratings, and there are "
            f"{values.size:,} ratings. Round them to at most {MOST_VALUES:,} values, or use the "
            "metric interval"
        )
    if metric == "ordinal":
        return rating_disagreement.ordinal(codes, values.size)
    if values[0] < 0:
        raise EvidenceError(
            f"the metric ratio needs ratings from 0 up, where 0 is nothing; got {values[0]:g}: take "
            "the metric interval"
        )
    return rating_disagreement.ratio(codes, values)


def _among_raters(
    asked: MethodQuestion,
    measure: str,
    found: Ratings,
    sums: Disagreement,
    correction: int,
    notes: tuple[Note, ...],
    told: Details,
) -> Estimate:
    """1 - observed/expected disagreement, of which ``correction`` ratings are taken off for alpha."""
    n = len(found.codes)
    facts: Details = (
        ("items", n), ("raters", found.raters), ("ratings", sums.ratings),
        ("categories", len(found.categories)), *told,
    )  # fmt: skip

    def made(
        value: float | None, interval: Interval | None, error: float | None, *more: Note
    ) -> Estimate:
        return asked.estimate(
            measure, value, n, interval, error, notes=(*notes, *more), details=facts
        )

    if sums.across <= 0.0:  # one category only
        return made(None, None, None, note("undefined-value", measure=measure))
    observed = sums.within / sums.ratings
    expected = sums.across / sums.ratings / (sums.ratings - correction)
    facts = (*facts, ("observed", observed), ("expected", expected))
    value = 1.0 - observed / expected
    error = _jackknifed(sums, correction)
    if error is None or error <= FLAT:
        steady = note(
            "zero-variance",
            what="the items",
            method=asked.method,
            remedy="more items, with some disagreement among them, would have one",
        )
        return made(value, None, None, steady)
    facts = (*facts, ("standard_error", error))
    interval, cut = _bent_interval(asked, value, error, n)
    return made(value, interval, error, *cut, *_few_outside(found))


def _jackknifed(sums: Disagreement, correction: int) -> float | None:
    """The standard error from leaving out each item; None where that leaves one category only."""
    if (sums.across_without <= ROUNDING * sums.across).any():
        return None
    left = sums.ratings_without - correction
    values = 1.0 - left * sums.within_without / sums.across_without
    return math.sqrt(values.size - 1) * float(values.std())


def _bent_interval(
    asked: MethodQuestion, value: float, error: float, n: int
) -> tuple[Interval, tuple[Note, ...]]:
    """Symmetric in log(1 - value), so that it ends before 1; see docs/methods/agreement.md."""
    reach = t_reach(asked.level, n - 1, asked.side) * error / (1.0 - value)
    low, high = ends(-math.log1p(-value), reach, asked.side)
    with np.errstate(over="ignore"):  # far below -1 is cut there
        bottom, top = (float(-np.expm1(-end)) for end in (low, high))
    top = max(top, -1.0)
    cut = (note("interval-cut", low=bottom, high=top),) if low > -math.inf and bottom < -1.0 else ()
    return asked.interval(max(bottom, -1.0), top), cut


def _few_of_a_kind(agreed: int, n: int, level: float) -> tuple[Note, ...]:
    """A warning where the normal interval of kappa covers 90 to 92 % of the time instead of 95."""
    if n >= FEW_ITEMS and FEW_OUTSIDE <= agreed <= n - FEW_OUTSIDE:
        return ()
    why = (
        f"with fewer than {FEW_ITEMS} items, or {FEW_OUTSIDE} disagreements, the normal interval of kappa "
        "covers less than stated; evaluate with measure='kappa' has another"
    )
    return (note("few-for-the-level", n=n, level=level, why=why),)


def _few_outside(found: Ratings) -> tuple[Note, ...]:
    """A warning where nearly all ratings are of one category."""
    common = int(np.bincount(found.codes[found.codes >= 0]).argmax())
    others = int(((found.codes >= 0) & (found.codes != common)).any(axis=1).sum())
    if others >= FEW_OUTSIDE:
        return ()
    return (note("few-outside", count=others, category=found.categories[common]),)
