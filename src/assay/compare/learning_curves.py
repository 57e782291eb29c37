"""Curves compared: bands, a paired test at every point, and where curves cross."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations, pairwise
from typing import Any

import numpy as np

from assay.compare.fold_notes import holds_level, near_note
from assay.compare.learning_plateau import (
    complete_points,
    design_of,
    levelled,
    near_points,
    paired,
)
from assay.core.checks import check_level, check_margin, many_names
from assay.core.errors import UsageError
from assay.core.notes import Note, note
from assay.core.results import Curve, Estimate, Interval, TestOutcome
from assay.core.study_results import Crossing, CurveComparison, Levelling, PointTest
from assay.core.tolerances import TIE
from assay.estimates.folds import cautious_t_interval, corrected_t_interval
from assay.evidence.curve_scores import CurveScores
from assay.hypotheses.pair_families import adjusted_outcomes

LOGARITHMIC = 20.0
"""From this ratio of the largest size to the smallest on, crossings lie on a logarithmic axis."""


@many_names
def compare_curves(
    scores: CurveScores, *, level: float = 0.95, margin: float | None = None
) -> CurveComparison:
    """Learning or noise curves of one data set, point by point.

    Bands hold for all points of a curve at once (Bonferroni); learners are compared at every point
    by the resampled t that ``compare`` has for the splits, adjusted over all points and pairs (Holm).
    ``margin`` is the smallest change that matters: without it nothing can be said to have levelled off.
    """
    if not isinstance(scores, CurveScores):
        raise UsageError(
            "curves are the scores of a study by size or noise, result.curve('learning', dataset=…), and "
            f"assay.study_report compares all of a study's; got {type(scores).__name__}"
        )
    level, margin = check_level(level), check_margin(margin)
    curves = tuple(_band(scores, model, level) for model in scores.models)
    tests = _tests(scores, level)
    gaps = int(np.isnan(scores.values).sum())
    policy = "a learner has no point where one of its splits is missing"
    levelling: tuple[Levelling, ...] = ()
    if scores.kind == "learning" and scores.direction is not None:
        levelling = tuple(
            levelled(scores, model, level=level, margin=margin)
            for model in scores.models
            if complete_points(scores, model)[0].size >= 2
        )
    return CurveComparison(
        curve_kind=scores.kind,
        dataset=scores.dataset,
        measure=scores.measure,
        level=level,
        margin=margin,
        curves=curves,
        differences=_differences(scores, tests, level),
        tests=tests,
        crossings=_crossings(scores, tests, level),
        levelling=levelling,
        noise_on=scores.noise_on,
        notes=(
            *((note("missing-cells", count=gaps, policy=policy),) if gaps else ()),
            *_near_notes(scores, level),
        ),
    )


def _band(scores: CurveScores, model: str, level: float) -> Curve:
    at, table = complete_points(scores, model)
    alone = 1.0 - (1.0 - level) / max(at.size, 1)
    interval_of = cautious_t_interval if holds_level(scores) else corrected_t_interval
    near = _near(scores, model, level)
    estimates = [
        interval_of(row, level=alone, **design_of(scores), **near.get(point, {}))
        for point, row in zip(at, table, strict=True)
    ]
    ends = [_within(one.interval, scores) for one in estimates]
    columns: dict[str, Any] = {
        scores.setting: at,
        "mean": [one.value for one in estimates],
        "low": [low for low, _ in ends],
        "high": [high for _, high in ends],
        "n": [float(one.n) for one in estimates],
    }
    if scores.effective is not None:
        columns["effective"] = scores.effective[np.isin(scores.at, at)]
    return Curve(
        name=scores.kind,
        model=model,
        columns=_columns(columns),
        notes=_band_notes(estimates, ends, scores.measure),
        details=(
            ("measure", scores.measure),
            ("dataset", scores.dataset),
            ("level", level),
            ("individual_level", alone),
            ("interval", interval_of.__name__),
            ("ratio", float(scores.n_test.mean() / scores.n_train.mean())),
        ),
    )


def _band_notes(
    estimates: Sequence[Estimate], ends: Sequence[tuple[float, float]], measure: str
) -> tuple[Note, ...]:
    """What is said of the intervals of a band: of each, of those that were cut, and of those that are not there."""
    notes = dict.fromkeys(one for estimate in estimates for one in estimate.notes)
    cut = [
        one.interval
        for one, (low, high) in zip(estimates, ends, strict=True)
        if one.interval is not None and (low, high) != (one.interval.low, one.interval.high)
    ]
    if cut:
        worst = max(cut, key=lambda interval: interval.width)
        notes[note("interval-cut", low=worst.low, high=worst.high)] = None
    if any(one.interval is None for one in estimates):
        notes[note("whole-range", measure=measure)] = None
    return tuple(notes)


def _near(scores: CurveScores, model: str, level: float) -> dict[float, dict[str, Any]]:
    """By point at which a learner may be hardly better than the most frequent class: what its band allows for."""
    at, table = complete_points(scores, model)
    if not holds_level(scores):
        return {}
    rows = {str(place): row for place, row in enumerate(table)}
    found = near_points(scores, rows, level)
    return {at[int(place)]: {"training_sd": spread} for place, spread in found.items() if spread}


def _near_notes(scores: CurveScores, level: float) -> tuple[Note, ...]:
    found = {model: _near(scores, model, level) for model in scores.models}
    near = {
        model: max(one["training_sd"] for one in points.values())
        for model, points in found.items()
        if points
    }
    return near_note(scores, scores.measure, near)


def _within(interval: Interval | None, scores: CurveScores) -> tuple[float, float]:
    """The ends of a band inside the range of the measure; all of it where nothing varies."""
    if interval is None:
        return scores.low, scores.high
    return max(interval.low, scores.low), min(interval.high, scores.high)


def _columns(columns: Mapping[str, Any]) -> tuple[tuple[str, tuple[float, ...]], ...]:
    return tuple((name, tuple(map(float, values))) for name, values in columns.items())


def _tests(scores: CurveScores, level: float) -> tuple[PointTest, ...]:
    """Every pair at every point, with Holm over all of them."""
    places = [
        (point, a, b)
        for a, b in combinations(scores.models, 2)
        for point in range(scores.at.size)
        if not np.isnan(
            scores.values[point][:, [scores.models.index(a), scores.models.index(b)]]
        ).any()
    ]

    def run(place: str, _: str, one_level: float) -> TestOutcome:
        point, a, b = places[int(place)]
        first, second = scores.column(a)[point], scores.column(b)[point]
        return paired(scores, first, second, one_level, level)

    keys = [(str(place), "") for place in range(len(places))]
    outcomes = adjusted_outcomes(run, keys, level=level, adjustment="holm")
    return tuple(
        PointTest(
            at=float(scores.at[point]),
            a=a,
            b=b,
            outcome=_inside(
                replace(one, effect=replace(one.effect, measure=scores.measure)), scores
            ),
        )
        for (point, a, b), one in zip(places, outcomes, strict=True)
    )


def _inside(outcome: TestOutcome, scores: CurveScores) -> TestOutcome:
    """A difference no farther out than two values of the measure can differ."""
    interval, width = outcome.effect.interval, scores.high - scores.low
    if interval is None or not np.isfinite(width) or not np.isfinite(interval.width):
        return outcome
    within = replace(interval, low=max(interval.low, -width), high=min(interval.high, width))
    return replace(outcome, effect=replace(outcome.effect, interval=within))


def _differences(
    scores: CurveScores, tests: Sequence[PointTest], level: float
) -> tuple[Curve, ...]:
    curves = []
    for a, b in combinations(scores.models, 2):
        known = [
            (one.at, one.outcome.effect, one.outcome.effect.interval, one.outcome.p_value)
            for one in tests
            if (one.a, one.b) == (a, b)
        ]
        told = [(at, effect.value, held, p) for at, effect, held, p in known if held is not None]
        columns: dict[str, Any] = {
            scores.setting: [at for at, _, _, _ in told],
            "mean": [value for _, value, _, _ in told],
            "low": [held.low for _, _, held, _ in told],
            "high": [held.high for _, _, held, _ in told],
            "p": [p for _, _, _, p in told],
        }
        flat = len(known) - len(told)
        why = note(
            "zero-variance",
            what=f"the differences at {flat} of {len(known)} points",
            method="a t test",
            remedy="those points are left out",
        )
        curves.append(
            Curve(
                name="difference",
                model=f"{a} − {b}",
                columns=_columns(columns),
                notes=(why,) if flat else (),
                details=(
                    ("measure", scores.measure),
                    ("dataset", scores.dataset),
                    ("level", level),
                    ("adjustment", "holm"),
                ),
            )
        )
    return tuple(curves)


def _crossings(
    scores: CurveScores, tests: Sequence[PointTest], level: float
) -> tuple[Crossing, ...]:
    """Sign changes of the mean difference, between neighbouring points that both learners have."""
    scale, back = _axis(scores)
    found = []
    for a, b in combinations(scores.models, 2):
        mine = [one for one in tests if (one.a, one.b) == (a, b)]
        means = np.abs(scores.values[~np.isnan(scores.values)])
        tie = TIE * float(means.max(initial=0.0))
        gaps = [(one.at, _unless_tied(one.outcome.effect.value, tie)) for one in mine]
        side = 0.0
        for (start, before), (end, after) in pairwise(gaps):
            side = before or side  # where the means touch, the side they came from
            if side * after < 0:
                share = before / (before - after)
                at = float(back(scale(start) + share * (scale(end) - scale(start))))
                names = (a, b) if side > 0 else (b, a)
                found.append(_established(names, at, side, mine, 1.0 - level))
    return tuple(found)


def _unless_tied(difference: float | None, tie: float) -> float:
    """Means that differ by rounding alone are on no side of each other."""
    return 0.0 if difference is None or abs(difference) <= tie else difference


def _axis(scores: CurveScores) -> tuple[np.ufunc, np.ufunc]:
    """The scale on which a figure draws the points, so that text and figure name one crossing."""
    smallest, largest = float(scores.at[0]), float(scores.at[-1])
    if scores.kind == "learning" and smallest > 0 and largest / smallest >= LOGARITHMIC:
        return np.log, np.exp
    return np.positive, np.positive


def _established(
    names: tuple[str, str], at: float, before: float, tests: Sequence[PointTest], alpha: float
) -> Crossing:
    """Whether the tests, not only the means, change sides around ``at``."""

    def surely(one: PointTest, sign: float) -> bool:
        value = one.outcome.effect.value or 0.0
        return one.outcome.rejects(round(alpha, 12)) and value * sign > 0

    first = [one.at for one in tests if one.at < at and surely(one, before)]
    later = [one.at for one in tests if one.at > at and surely(one, -before)]
    if not first or not later:
        return Crossing(a=names[0], b=names[1], at=at, established=False)
    return Crossing(
        a=names[0], b=names[1], at=at, established=True, low=max(first), high=min(later)
    )
