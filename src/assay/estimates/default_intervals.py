"""The default interval of every measure: which one, and what to do where it has no width.

A value that is defined always gets an interval: at 0 and 1, with one class, with one item. What
little evidence cannot rule out is part of the answer.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.checks import check_choice, check_level
from assay.core.notes import Note, by_count, note
from assay.core.results import Estimate, Interval, with_notes
from assay.core.rng import Rng, seed_of
from assay.estimates.interval_question import IntervalQuestion
from assay.estimates.mean_limits import stretched
from assay.estimates.measure_needs import check_offers, features_of
from assay.estimates.proportions import SMALL_COUNT, proportion
from assay.evidence.item_arrays import Columns
from assay.evidence.predictions import Predictions
from assay.kernels.effective_size import kish
from assay.kernels.tails import normal_reach, t_reach, tail_of
from assay.measures.registry import Measure, find_measure

MANY_CLASSES = 50
"""With more classes, label measures have jackknife intervals."""

STEPPED_CLUSTERS, MANY_CLUSTERS = 10, 30
"""Clusters from which on their percentile bootstrap covers as much of a median as the jackknife does, and
nearly what it says (decision 0053)."""

NOISY = 0.25
"""The share of a calibration error that noise makes from which on a note says so."""

_OWN = "; others are methods of their own: assay.wilson(…), or `assay test wilson FILE`"


def estimate(
    evidence: Predictions,
    measure: str | Measure | Callable[..., float],
    model: str | None = None,
    *,
    level: float = 0.95,
    interval: str = "default",
    n_resamples: int = 9999,
    rng: Rng = None,
) -> Estimate:
    """A measure of one model with its default interval, or with a bootstrap interval by name."""
    return estimates(evidence, measure, model, interval=interval, n_resamples=n_resamples, rng=rng)(
        level
    )


def estimates(
    evidence: Predictions,
    measure: str | Measure | Callable[..., float],
    model: str | None = None,
    *,
    interval: str = "default",
    n_resamples: int = 9999,
    rng: Rng = None,
) -> Callable[[float], Estimate]:
    """The estimate as a function of its level: evidence is read and resampled once."""
    kind = None
    if interval != "default":
        from assay.estimates.bootstrap import KINDS, bootstrap_of

        kind = check_choice(interval, ("default", *KINDS), "interval", hint=_OWN)
    chosen, name = find_measure(measure), model or evidence.models[0]
    check_offers(evidence, chosen, (name,))
    alone = evidence.select(name)
    question = IntervalQuestion(
        evidence=alone,
        measure=chosen.bind(evidence.classes, evidence.positive),
        level=0.95,
        n_resamples=n_resamples,
        seed=seed_of(rng),
    )

    def at(level: float) -> Estimate:
        if kind is None:
            found = _default(replace(question, level=check_level(level)))
        else:
            found = bootstrap_of(
                alone, chosen, level=level, interval=kind, n_resamples=n_resamples, rng=rng
            )
        return replace(found, measure=chosen.called, model=name, n=evidence.n, unit="item")

    return at


def _default(question: IntervalQuestion) -> Estimate:
    measure = question.measure
    if measure.of_area is not None:
        return _area(question)
    if measure.reduction == "tally":
        return _labels(question) if question.evidence.independent else _dependent_labels(question)
    if measure.reduction == "moments":
        features = question.kept.once("features", lambda: _features(question))
        if features.shape[1] == 1:
            return _mean(question, features[:, 0])
    if measure.name == "max_error":
        return _maximum(question)
    if not question.evidence.independent:
        return _dependent(question)
    if measure.name == "average_precision":
        return _average_precision(question)
    if measure.reduction == "sorted_scores":
        return _ranking(question)
    if measure.reduction == "moments" and not measure.biased:
        return _or_range(question, question.jackknife())
    if measure.reduction == "moments" and measure.name.startswith("ece"):
        return _gaps(question, features)
    from assay.estimates.bootstrap import FEWEST_UNITS

    found = question.bootstrap("basic" if measure.biased else "percentile")
    if question.evidence.n < FEWEST_UNITS:  # too few distinct resamples to mean anything
        found = replace(found, interval=None)
    return _or_range(question, found)


def _gaps(question: IntervalQuestion, features: FloatArray) -> Estimate:
    """The expected calibration error in fixed bins: its gaps, less what noise makes of them."""
    from assay.estimates.calibration_errors import gap_limits

    n = len(features)
    if n < 2:
        return _or_range(question, replace(question.bootstrap("basic"), interval=None))
    value, low, high, noise = gap_limits(features, t_reach(question.level, n - 1.0, "two-sided"))
    notes: tuple[Note, ...] = ()
    if noise > NOISY * value:
        notes = (note("calibration-noise", bins=features.shape[1], n=n, noise=noise),)
    found = _plain(question, value, (low, high), "binned gaps", notes)
    found = replace(found, seed=None, details=(("noise", noise),))
    return found if noise > 0.0 else _or_range(question, replace(found, interval=None))


def _dependent(question: IntervalQuestion) -> Estimate:
    """Clusters or weights: the jackknife, but of rows as such, whose measures may have steps."""
    from assay.estimates.bias_jackknife import debiased_jackknife

    clusters, biased = question.evidence.clusters, question.measure.biased
    stepped = question.measure.reduction == "rows" and not biased
    if stepped and (clusters is None or clusters >= STEPPED_CLUSTERS):
        found = question.bootstrap("percentile")
        if clusters is not None and clusters < MANY_CLUSTERS:
            found = with_notes(
                found, note("few-resampled", measure=question.measure.called, count=clusters)
            )
        return _or_range(question, found)
    if biased:
        return _or_range(question, debiased_jackknife(question.reduced, **question.sizes))
    found = question.jackknife()
    if question.measure.name == "average_precision":
        from assay.estimates.average_precision import heavy_negatives

        found = with_notes(_from_below(question, found), *heavy_negatives(question.columns))
    return _or_range(question, found)


def _from_below(question: IntervalQuestion, found: Estimate) -> Estimate:
    """Average precision lies too high on few positives: the lower limit starts from what deletions make of it."""
    interval, error, bias = found.interval, found.standard_error, float(question.spread.bias[0])
    if interval is None or error is None or found.value is None or not bias > 0.0:
        return found
    reach = t_reach(question.level, float(dict(found.details)["df"]), "two-sided") * error  # type: ignore[arg-type]
    centre, ends = found.value - bias, (question.measure.low, question.measure.high)
    low = stretched(centre, reach, ends)[0] if centre > ends[0] else ends[0]
    return replace(found, interval=replace(interval, low=min(interval.low, low)))


def _area(question: IntervalQuestion) -> Estimate:
    """The AUC: a score interval, a jackknife with clusters or weights."""
    from assay.estimates.roc import auc_score

    evidence, level = question.evidence, question.level
    if evidence.clusters is not None:
        from assay.estimates.clustered_areas import area_of_clusters

        found = area_of_clusters(question.spread, question.columns, **question.sizes)
        return _one_class(found) if found.value is None else _or_range(question, found)
    if evidence.weighted:
        return _weighted_area(question, question.columns)
    return _mapped(auc_score(evidence.areas(), level=level), _of_area(question.measure))


def _of_area(measure: Measure) -> Callable[[float], float]:
    slope = measure.of_area or 1.0
    return lambda area: slope * area - (slope - 1.0)


def _weighted_area(question: IntervalQuestion, columns: Columns) -> Estimate:
    """A jackknife; where nothing varies, Newcombe's limits for the effective numbers of items."""
    from assay.estimates.roc import newcombe_limits

    found = question.jackknife()
    if found.value is None:
        return _one_class(found)
    if found.interval is not None or columns.weights is None or columns.clusters is not None:
        return _or_range(question, found)
    change = _of_area(question.measure)
    positives, negatives = (
        max(1, int(kish(columns.weights[columns.truth == side]))) for side in (1, 0)
    )
    area = (found.value - change(0.0)) / (change(1.0) - change(0.0))
    limits = newcombe_limits(area, positives, negatives, normal_reach(question.level, "two-sided"))
    interval = question.interval((change(limits[0]), change(limits[1])), "auc_newcombe")
    return replace(found, interval=interval, notes=_flat("Newcombe's interval is given"))


def _labels(question: IntervalQuestion) -> Estimate:
    """Independent items: a proportion where the measure is one, else smoothed counts."""
    tally, measure = question.evidence.tally(), question.measure
    if measure.of_right is not None:
        share = measure.of_right(tally.counts[tally.right(tally.models[0])].sum(), tally.n)
        return _proportion(question, round(tally.n * float(share)), tally.n)
    confusion = tally.confusion(tally.models[0])
    value = float(measure.function(confusion))
    if np.isnan(value):
        return _undefined(question)
    if measure.proportion is not None and measure.from_proportion is not None:
        return _proportion(question, *measure.proportion(confusion))
    if len(tally.classes) > MANY_CLASSES:
        # pseudo-counts of so many classes would add up: the jackknife is centred on the estimate
        found = question.jackknife()
        few = _small_counts(confusion, tally.classes, "the jackknife")
        if found.interval is not None:
            return found if few is None else with_notes(found, few)
    small = _small_counts(confusion, tally.classes, "smoothing")
    notes: tuple[Note, ...] = () if small is None else (small,)
    if np.count_nonzero(confusion.sum(axis=1)) < 2:
        consequence = "how the model treats the others is unknown, and the interval says so"
        notes = (*notes, note("one-class", consequence=consequence))
    closed = None if len(tally.classes) < 3 else _by_slopes(question, confusion, value, notes)
    return closed or _smoothed(question, confusion, value, notes)


def _proportion(question: IntervalQuestion, part: float, whole: float) -> Estimate:
    """A monotone function of k of m, through the interval of the proportion."""
    measure = question.measure
    change = measure.from_proportion or (lambda share: share)
    # the notes of a proportion speak of errors: what counts against the model
    if measure.direction == "lower":
        return _mapped(proportion(int(part), int(whole), level=question.level), change)
    found = proportion(int(whole - part), int(whole), level=question.level)
    return _mapped(found, lambda wrong: change(1.0 - wrong))


def _dependent_labels(question: IntervalQuestion) -> Estimate:
    """Labels of items that are clustered or weighted."""
    measure, evidence = question.measure, question.evidence
    if measure.of_right is not None:
        columns = question.columns
        right = columns.predictions[0] == columns.truth
        counted = right if measure.counts == "right" else ~right
        return _mean(question, counted.astype(np.float64))
    reduced = question.reduced
    found = question.jackknife()
    if found.value is None:
        return found
    tally, model = evidence.tally(), evidence.models[0]
    if found.interval is not None:
        counted = replace(tally, weight_sums=None).confusion(model)
        few = _small_counts(counted, evidence.classes, "the jackknife")
        return found if few is None else with_notes(found, few)
    confusion = tally.confusion(model)
    shrink = reduced.effective / confusion.sum()  # as many items as there are independent units
    notes = _flat("smoothed cells are used")
    return _smoothed(question, confusion * shrink, found.value, notes, scale=1.0 / shrink)


def _mean(question: IntervalQuestion, values: FloatArray) -> Estimate:
    """A mean of one number per item (or a function of it): Student's t, or over clusters."""
    measure, level = question.measure, question.level
    columns = question.unsorted if question.evidence.independent else question.columns
    if np.isnan(values).any():
        return _undefined(question)
    if np.isinf(values).any():
        found = question.bootstrap("percentile")
        remedy = "clip it, as in log_loss[1e-15]" if "log_loss" in measure.name else "look at it"
        return with_notes(found, note("infinite-value", measure=measure.called, remedy=remedy))
    change = _of_mean(measure)
    found = question.kept.once("mean", lambda: _spread(values, columns))
    low, high = (measure.low, measure.high) if measure.is_mean or measure.of_right is not None else (
        0.0 if values.min() >= 0 else -np.inf, np.inf
    )  # fmt: skip
    from assay.estimates.loss_ranges import check_losses, loss_ends
    from assay.estimates.mean_limits import mean_limits

    possible = None
    if measure.is_mean:
        check_losses(values, measure)
        possible = question.kept.once("possible", lambda: loss_ends(measure, columns))
    limits, notes = mean_limits(found, values, columns, (low, high), level, possible)
    if found.standard_error is None:
        found = replace(found, notes=())
    found = with_notes(found, *notes)
    interval = Interval(low=limits[0], high=limits[1], level=level, method=found.method)
    return _mapped(replace(found, interval=interval), change)


def _spread(values: FloatArray, columns: Columns) -> Estimate:
    """The mean with its standard error and degrees of freedom."""
    from assay.estimates.clustered_means import cluster_mean
    from assay.estimates.means import mean_t

    if columns.clusters is None:
        return mean_t(values, weights=columns.weights)
    return cluster_mean(values, columns.clusters, weights=columns.weights)


def _average_precision(question: IntervalQuestion) -> Estimate:
    from assay.estimates.average_precision import average_precision_wilson

    columns = question.columns
    truth, scores = columns.truth.astype(bool), columns.predictions[0]
    found = average_precision_wilson(truth, scores, level=question.level)
    return _one_class(_undefined(question)) if found.value is None else found


def _ranking(question: IntervalQuestion) -> Estimate:
    """Partial areas, many-class AUC: BCa, or smoothed items where few."""
    from assay.estimates.many_class_areas import averaged_area
    from assay.estimates.smoothed_intervals import smoothed_ranking_draws, widened

    measure, columns = question.measure, question.columns
    sizes = np.bincount(columns.truth, minlength=2)
    found: Estimate | None = None
    if sizes.min() >= SMALL_COUNT:
        found = averaged_area(columns, measure, question.level) or question.bootstrap("bca")
        if found.interval is not None or found.value is None:
            return found
    value = float(measure.function(columns.truth, columns.predictions[0]))
    if np.isnan(value):
        return _one_class(_undefined(question))
    rows, drawn = (columns.truth, columns.predictions[0]), question.draws
    draws = question.kept.once("draws", lambda: smoothed_ranking_draws(*rows, measure, **drawn))
    limits = widened(draws, value, question.level)
    notes = _flat("smoothed items are used")
    if found is None:
        rarest = int(sizes.min())
        what = f"{by_count(rarest, 'item', 'items')} of the rarest class"
        notes = (note("small-counts", count=rarest, what=what, method="smoothed counts"),)
    return _plain(question, value, limits, "smoothed items", notes)


def _maximum(question: IntervalQuestion) -> Estimate:
    """The largest error seen: the largest there is cannot be smaller, and has no upper limit."""
    columns = question.columns
    value = float(question.measure.function(columns.truth, columns.predictions[0]))
    found = _plain(question, value, (value, np.inf), "maximum", (note("unbounded-maximum"),))
    return replace(found, seed=None, details=())  # nothing is drawn


def _smoothed(
    question: IntervalQuestion,
    confusion: FloatArray,
    value: float,
    notes: tuple[Note, ...],
    scale: float = 1.0,
) -> Estimate:
    from assay.estimates.smoothed_intervals import scaled, smoothed_draws, widened

    measure, drawn = scaled(question.measure, scale), question.draws
    draws = question.kept.once("draws", lambda: smoothed_draws(confusion, measure, **drawn))
    limits = widened(draws, value, question.level)
    found = _plain(question, value, limits, "smoothed cells", notes)
    spread = float(np.std(draws, ddof=1)) if draws.size > 1 else math.nan
    found = replace(found, standard_error=spread if math.isfinite(spread) else None)
    return found if limits[0] < limits[1] else _or_range(question, replace(found, interval=None))


def _by_slopes(
    question: IntervalQuestion, confusion: FloatArray, value: float, notes: tuple[Note, ...]
) -> Estimate | None:
    """More than two classes: the delta method; None of a measure without ends or slopes."""
    from assay.estimates.label_delta import delta_limits, delta_parts

    measure = question.measure
    if not (math.isfinite(measure.low) and math.isfinite(measure.high)):
        return None
    tables = np.asarray(confusion, np.float64)[None]
    low, high = delta_limits(measure, tables, tail_of(question.level, "two-sided"))
    if not low[0] < high[0]:
        return None
    _, variance, df = delta_parts(measure, tables)
    found = _plain(question, value, (float(low[0]), float(high[0])), "smoothed delta", notes)
    return replace(
        found,
        standard_error=math.sqrt(float(variance[0])),
        seed=None,
        details=(("df", float(df[0])),),
    )


def _small_counts(confusion: FloatArray, classes: tuple[str, ...], method: str) -> Note | None:
    """A note on the smallest number of right or of wrong answers of a class, where it is small."""
    right = np.diagonal(confusion)
    wrong = confusion.sum(axis=1) - right
    counts = np.stack([right, wrong])
    row, column = np.unravel_index(int(counts.argmin()), counts.shape)
    fewest = int(counts[row, column])
    if fewest >= SMALL_COUNT:
        return None
    answers = f"{('right', 'wrong')[int(row)]} {by_count(fewest, 'answer', 'answers')}"
    what = f"{answers} in class {classes[int(column)]}"
    return note("small-counts", count=fewest, what=what, method=method)


def _flat(remedy: str) -> tuple[Note, ...]:
    return (note("zero-variance", what="the replicates", method="resampling", remedy=remedy),)


def _or_range(question: IntervalQuestion, found: Estimate) -> Estimate:
    """The estimate; without an interval, the whole range of its measure."""
    if found.interval is not None or found.value is None:
        return found
    whole = question.interval((-np.inf, np.inf), "whole range")
    return with_notes(replace(found, interval=whole), note("whole-range", measure=found.measure))


def _undefined(question: IntervalQuestion) -> Estimate:
    found = _plain(question, 0.0, (0.0, 0.0), "undefined", ())
    missing = note("undefined-value", measure=question.measure.called)
    return replace(found, value=None, interval=None, notes=(missing,))


def _one_class(found: Estimate) -> Estimate:
    return with_notes(found, note("one-class", consequence="there is nothing to rank"))


def _plain(
    question: IntervalQuestion,
    value: float,
    limits: tuple[float, float],
    name: str,
    notes: tuple[Note, ...],
) -> Estimate:
    return Estimate(
        measure=question.measure.called,
        value=value,
        interval=question.interval(limits, name),
        method=name,
        n=question.evidence.n,
        unit="item",
        notes=notes,
        seed=question.seed,
        details=(("n_resamples", question.n_resamples),),
    )


def _mapped(found: Estimate, change: Callable[[float], float]) -> Estimate:
    """The estimate of a monotone function of what was estimated; errors by the delta method."""
    if found.value is None:
        return found
    error = found.standard_error
    if error is not None:
        step = 1e-4 * error
        error *= abs(change(found.value + step) - change(found.value - step)) / (2.0 * step)
    return replace(
        found,
        value=change(found.value),
        interval=None if found.interval is None else found.interval.mapped(change),
        standard_error=error,
    )


def _of_mean(measure: Measure) -> Callable[[float], float]:
    if measure.reduction == "tally":
        return lambda mean: mean
    return lambda mean: float(measure.function(np.array([mean])))


def _features(question: IntervalQuestion) -> FloatArray:
    if question.evidence.independent:
        rows = question.unsorted
        found = features_of(question.measure, rows.truth, rows.predictions[0])
        if found.shape[1] == 1:
            return np.sort(found, axis=0)
    return features_of(question.measure, question.columns.truth, question.columns.predictions[0])
