"""Has a learning curve levelled off, and would more data help?"""

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from assay.compare.fold_notes import holds_level
from assay.compare.verdict import decide
from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, UsageError
from assay.core.formatting import shown_percent, write_estimate, write_given
from assay.core.notes import Note, note
from assay.core.results import Estimate, Interval, TestOutcome
from assay.core.study_results import Levelling, Trend
from assay.estimates.folds import CAUTION
from assay.estimates.near_majority import near_majority
from assay.evidence.curve_scores import CurveScores
from assay.hypotheses.resampled_scores import cautious_resampled_t, corrected_resampled_t
from assay.kernels.power_law import PowerLaw, fit_power_law
from assay.kernels.tails import t_reach

LEAST_POINTS, LEAST_SPLITS = 4, 3
"""What a power law needs: a point more than it has numbers, and splits to tell its error."""

STRETCH = 32
"""A power law is fitted from this part of the largest size on: the first steps follow another one."""


def levelled(
    scores: CurveScores, model: str, *, level: float = 0.95, margin: float | None = None
) -> Levelling:
    """Has the learning curve of ``model`` levelled off, and would more data help?

    The gain over the last doubling of the training set (or the last step, where the points are
    closer) decides, by the test that ``compare`` has for the splits; a power law fitted to the points
    says what another doubling would bring if the law goes on.
    """
    if scores.kind != "learning" or scores.direction is None:
        raise UsageError("whether more data help is asked of learning curves of a measure")
    at, table = complete_points(scores, model)
    if at.size < 2:
        raise EvidenceError(f"the curve of {model} has fewer than two complete points")
    half = np.flatnonzero(at <= at[-1] / 2 * 1.05)
    start = int(half[-1]) if half.size else at.size - 2
    gain = paired(scores, table[-1], table[start], level)
    gain = replace(gain, effect=replace(gain.effect, measure=scores.measure, model=model))
    ahead, limit, notes = _forecast(scores, model, at, table, level)
    trend = _trend(gain.effect.interval, scores, margin)
    found = Levelling(
        model=model,
        trend=trend,
        sentence="",
        start=float(at[start]),
        end=float(at[-1]),
        gain=gain,
        next_doubling=ahead,
        asymptote=limit,
        notes=notes,
    )
    return replace(found, sentence=_sentence(found, scores, margin))


def paired(
    scores: CurveScores, a: FloatArray, b: FloatArray, level: float, near_at: float | None = None
) -> TestOutcome:
    """The test of two rows of splits: over repeated five folds that with the doubled correction.

    ``near_at`` is the level at which a row may be hardly better than the most frequent class.
    """
    if not holds_level(scores):
        return corrected_resampled_t(a, b, level=level, **design_of(scores))
    near = near_points(scores, {"a": a, "b": b}, near_at or level)
    spread = math.hypot(*near.values())
    return cautious_resampled_t(a, b, level=level, training_sd=spread, **design_of(scores))


def near_points(
    scores: CurveScores, rows: Mapping[str, FloatArray], level: float
) -> dict[str, float]:
    """Rows of splits that may be hardly better than the most frequent class, as `compare` has it."""
    return near_majority(scores, scores.measure, rows, level=level, splits=design_of(scores))


def design_of(scores: CurveScores) -> dict[str, Any]:
    """The design of the splits, as the corrected tests take it.

    The share tested is that of the whole split also where a point uses a prefix of the training
    part: prefixes of different splits share less, so that this errs, if at all, on the safe side.
    """
    return {"n_test": scores.n_test, "n_train": scores.n_train}


def complete_points(scores: CurveScores, model: str) -> tuple[FloatArray, FloatArray]:
    """The points at which a learner has a value on every split."""
    table = scores.column(model)
    kept = ~np.isnan(table).any(axis=1)
    return scores.at[kept], table[kept]


def _forecast(
    scores: CurveScores, model: str, at: FloatArray, table: FloatArray, level: float
) -> tuple[Estimate | None, Estimate | None, tuple[Note, ...]]:
    """What another doubling would bring, and where the curve would end, if a power law holds."""
    splits = table.shape[1]
    law: PowerLaw | None = None
    kept = at >= at[-1] / STRETCH
    if kept.sum() >= LEAST_POINTS and splits >= LEAST_SPLITS:
        caution = CAUTION if holds_level(scores) else 1.0
        inflation = 1.0 / splits + caution * float(scores.n_test.mean() / scores.n_train.mean())
        law = fit_power_law(at[kept], table[kept], inflation)
    if law is None:
        return None, None, (note("no-power-law", points=int(kept.sum()), splits=splits),)
    reach = t_reach(level, splits - 1, "two-sided")
    ahead, limit = (
        Estimate(
            measure=scores.measure,
            value=value,
            interval=Interval(
                low=value - reach * error,
                high=value + reach * error,
                level=level,
                method="power_law",
            ),
            method="power_law",
            n=splits,
            unit="fold",
            model=model,
            standard_error=error,
            details=(("exponent", law.exponent), ("amplitude", law.amplitude)),
        )
        for value, error in (law.gain(2.0), law.limit())
    )
    beyond = note("extrapolated", largest=float(at[-1]))
    if not scores.low <= law.asymptote <= scores.high:
        return (
            ahead,
            None,
            (beyond, note("undefined-value", measure=f"the end of {scores.measure}")),
        )
    return ahead, limit, (beyond,)


def _trend(interval: Interval | None, scores: CurveScores, margin: float | None) -> Trend:
    if interval is None or scores.direction is None:
        return "undecided"
    words: dict[str, Trend] = {
        "equivalent": "levelled",
        "better": "rising",
        "worse": "falling",
        "undecided": "undecided",
    }
    return words[decide(interval, margin=margin, direction=scores.direction)]


def _sentence(found: Levelling, scores: CurveScores, margin: float | None) -> str:
    effect = found.gain.effect
    if effect.interval is None:
        return (
            f"{found.model}: undecided. Between {found.start:,.0f} and {found.end:,.0f} training "
            f"items the splits do not vary, so the change has no interval."
        )
    heads = {
        "rising": "still improving",
        "levelled": f"levelled off within a margin of {write_given(margin)}"
        if margin is not None
        else "",
        "falling": "getting worse with more data",
        "undecided": "undecided",
    }
    written = write_estimate(effect, signed=True, null=0.0, margin=margin)
    level = shown_percent(effect.interval.level)
    lower = ", lower is better" if scores.direction == "lower" else ""
    still = found.trend == "levelled" and not effect.interval.contains(0.0)
    parts = [
        f"{found.model}: {heads[found.trend]}{', but with a significant change' if still else ''}. From "
        f"{found.start:,.0f} to {found.end:,.0f} training items {scores.measure} changed by {written} "
        f"({level} interval{lower}).",
        _advice(found, margin),
        _forecast_words(found),
    ]
    return " ".join(part for part in parts if part)


def _advice(found: Levelling, margin: float | None) -> str:
    if found.trend == "rising":
        return "More data of the same kind would probably help."
    if found.trend == "levelled":
        return "More data of the same kind would hardly change it, unless the curve turns."
    if found.trend == "falling":
        return "Look at the learner before collecting more data."
    if margin is None:
        return "No significant change; set margin= to find out whether it has levelled off."
    return "The splits do not settle whether more data would help. More repeats or more data are needed."


def _forecast_words(found: Levelling) -> str:
    ahead = found.next_doubling
    if ahead is None:
        return "A power law does not fit these points, so no forecast is given."
    return (
        f"If the power law fitted to the points goes on, doubling the data again would change it by "
        f"{write_estimate(ahead, signed=True, null=0.0)}."
    )
