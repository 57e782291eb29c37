"""From what a procedure found to the decision object, with its sentences and notes."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from assay.compare.design import Design
from assay.compare.findings import Findings, Others, Settings
from assay.compare.measured_levels import measured_level, place_of
from assay.compare.needed_evidence import needed_evidence
from assay.compare.score_gaps import gap_notes, tested, used_summary
from assay.compare.sentences import Pair, opposed_means, sentence_of
from assay.compare.verdict import chances_of, verdict_of
from assay.compare.verdict_posteriors import posteriors_of
from assay.compare.win_tie_loss import with_records
from assay.core.formatting import finest_of, listed
from assay.core.memo import Later, later, replaced
from assay.core.notes import Note, note
from assay.core.progress import steps
from assay.core.results import (
    Choice,
    Comparison,
    Curve,
    Estimate,
    Interval,
    MeasuredLevel,
    Posterior,
    TestOutcome,
    Verdict,
    with_notes,
)
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.hypotheses.least_p import out_of_reach, within_reach
from assay.measures.registry import Measure

MOST_CLASSES = 50
"""Classes beyond which no majority is looked for: their matrix takes longer than it tells."""
HELD: dict[str, str] = {
    "": "",
    "holm": "Holm-adjusted over {count}",
    "max-t": "simultaneous over {count}",
    "arriving": "its share of α among {count} in order of arrival",
}
"""How intervals are adjusted together, as a verdict says it."""


def comparison_of(
    design: Design,
    choice: Choice,
    found: Findings,
    settings: Settings,
    *,
    slice: str | None = None,  # noqa: A002 (the word of the command line)
    questions: int | None = None,
) -> Comparison:
    """The decision object of one measure on one body of evidence.

    ``questions`` is the size of the family, where it is larger than the pairs found here.
    """
    family = len(found.pairs) if questions is None else questions
    asked = "pairs" if questions is None else "comparisons"
    found = _settled(found, design, settings.level, (family, asked))
    scored = isinstance(design.evidence, Scores)
    if scored:
        found = with_records(found, design)
    beliefs = Later(
        partial(
            posteriors_of,
            found.pairs,
            design.measure,
            settings,
            rope=design.margin or 0.0,
            scored=design if scored else None,
        )
    )
    verdicts = _verdicts(design, settings, found, beliefs, (family, asked))
    lone = len(verdicts) == 1 and not scored  # its sentence is that of the verdict
    estimates = (
        later(partial(_estimates, design, settings), of_rows=True)
        if lone
        else _estimates(design, settings)
    )
    # pseudo-medians are of scores
    opposed = opposed_means(found.pairs, estimates) if scored else []
    return Comparison(
        evidence=used_summary(design) if scored else design.evidence.summary(),
        measure=design.measure.called,
        direction=design.measure.direction,
        level=settings.level,
        margin=design.margin,
        baseline=design.baseline,
        choice=choice,
        estimates=estimates,
        verdicts=verdicts,
        omnibus=found.omnibus,
        also=later(partial(_beside, found.also, design.measure, settings.level)),
        sentence=verdicts[0].sentence
        if len(verdicts) == 1 and not opposed
        else sentence_of(design, found, verdicts, estimates, opposed),
        does_not_say=design.does_not_say,
        notes=_notes(design, found, opposed),
        seed=settings.seed,
        curves=later(partial(_curves, design, settings.level), of_rows=True)
        if design.measure.needs == "scores"
        else (),
        posteriors=later(lambda: tuple(belief for belief in beliefs() if belief is not None)),
        families=found.families,
        slice=slice,
        adjustment=found.adjustment,
        family=family,
        measured=_measured(design, found, choice.method, settings.level),
    )


def _verdicts(
    design: Design,
    settings: Settings,
    found: Findings,
    beliefs: Callable[[], tuple[Posterior | None, ...]],
    of: tuple[int, str],
) -> tuple[Verdict, ...]:
    """The verdict of every pair, written in the same digits."""
    family, asked = of
    held = HELD[found.adjustment].format(count=f"{family:,} {asked}") if family > 1 else ""
    finest = finest_of(outcome.effect for _, _, outcome in found.pairs)
    return tuple(
        verdict_of(
            pair[2],
            a=pair[0],
            b=pair[1],
            direction=design.measure.direction,
            margin=design.margin,
            held=held,
            ordered=design.kind == "level" or design.baseline is not None,
            finest=finest,
            plan=partial(needed_evidence, design, settings, pair, questions=family),
            chances=chances_of(
                beliefs, place, direction=design.measure.direction, margin=design.margin
            ),
        )
        for place, pair in enumerate(steps("comparing", found.pairs) if family > 1 else found.pairs)
    )


def verdict_alone(result: Comparison) -> Comparison:
    """The comparison as far as it decides: other methods and posteriors are left out, not worked out."""
    verdicts = tuple(
        replaced(one, p_better=None, p_equivalent=None, p_worse=None) for one in result.verdicts
    )
    return replaced(result, verdicts=verdicts, also=(), posteriors=())


def _settled(found: Findings, design: Design, level: float, of: tuple[int, str]) -> Findings:
    """The differences as they were called, cut to what is possible; no p-value where none could reach the level."""
    low, high = design.range
    size, asked = of if found.adjustment == "holm" else (1, of[1])
    pairs = []
    for a, b, one in found.pairs:
        outcome = _typed(one, design.measure) if design.measure.typed else one
        interval = outcome.effect.interval
        # a value lies in the range of the measure, a difference no farther than two values of it differ
        ends = (low, high) if design.kind == "level" else (low - high, high - low)
        if interval is not None and (
            -math.inf < interval.low < ends[0] or ends[1] < interval.high < math.inf
        ):  # an open end of a one-sided interval stays
            outcome = _cut(outcome, interval, *ends)
        pairs.append((a, b, within_reach(outcome, level=level, questions=size, of=asked)))
    return replace(found, pairs=tuple(pairs))


def _cut(outcome: TestOutcome, interval: Interval, low: float, high: float) -> TestOutcome:
    """The interval within what is possible."""
    within = replace(interval, low=max(interval.low, low), high=min(interval.high, high))
    told = note("interval-cut", low=interval.low, high=interval.high)
    return replace(outcome, effect=with_notes(replace(outcome.effect, interval=within), told))


def _measured(design: Design, found: Findings, method: str, level: float) -> MeasuredLevel | None:
    """How often the method errs near this design; of one that had no answer there is nothing to say."""
    if all(
        outcome.effect.interval is None or out_of_reach(outcome) for _, _, outcome in found.pairs
    ):
        return None
    return measured_level(place_of(design, found, method), level=level)


def _typed(outcome: TestOutcome, measure: Measure) -> TestOutcome:
    """The difference under the name that was typed: sensitivity stays sensitivity."""
    if outcome.effect.measure != measure.name:
        return outcome
    return replace(outcome, effect=replace(outcome.effect, measure=measure.called))


def _beside(
    others: Callable[[], Others], measure: Measure, level: float
) -> tuple[tuple[str, TestOutcome], ...]:
    """Other methods under the name that was typed, each by itself."""
    return tuple(
        (title, within_reach(_typed(outcome, measure), level=level)) for title, outcome in others()
    )


def _estimates(design: Design, settings: Settings) -> tuple[Estimate, ...]:
    if isinstance(design.evidence, Scores):
        from assay.estimates.mean_scores import mean_scores

        table = tested(design)
        return mean_scores(design.evidence, design.scored, level=settings.level, table=table)
    from assay.estimates.default_intervals import estimates

    found = tuple(
        estimates(part, design.measure, model, n_resamples=settings.n_resamples, rng=settings.seed)(
            settings.level
        )
        for part in design.parts
        for model in part.models
    )
    return found if design.measure.of_area != 1.0 else tuple(map(_with_reversal, found))


def _with_reversal(found: Estimate) -> Estimate:
    """A note on an area clearly below that of chance: whoever is above it may owe that to a sign."""
    clear = found.interval is not None and found.interval.high < 0.5
    if not clear or found.value is None:
        return found
    from assay.measures.ranking import auc_notes

    return with_notes(found, *auc_notes(found.value))


def _curves(design: Design, level: float) -> tuple[Curve, ...]:
    """The curves whose area is compared: precision and recall, else ROC."""
    from assay.estimates.classifier_curves import Kind, evidence_curves

    kind: Kind = "precision_recall" if design.measure.name == "average_precision" else "roc"
    return tuple(
        curve
        for part in design.parts
        for curve in evidence_curves(part, level=level, kinds=(kind,))
    )


def _notes(design: Design, found: Findings, opposed: Sequence[Pair]) -> tuple[Note, ...]:
    """Every caveat of the evidence and of the decision once; estimates carry their own."""
    of_evidence = [one for part in design.parts for one in part.notes]
    if isinstance(design.evidence, Scores):
        of_evidence = list(gap_notes(design, design.evidence))
    of_pairs = [n for _, _, outcome in found.pairs for n in (*outcome.notes, *outcome.effect.notes)]
    if design.margin is not None:
        from assay.hypotheses.replicate_answers import seed_sensitive

        edges = (-design.margin, design.margin)
        of_pairs += [n for _, _, one in found.pairs for n in seed_sensitive(one, edges)]
    of_curves: list[Note] = []
    if design.measure.needs == "scores":
        from assay.estimates.classifier_curves import curve_notes

        of_curves = [one for part in design.parts for one in curve_notes(part)]
    of_means = []
    if opposed:
        names = listed([f"{a} − {b}" for a, b, _ in opposed], most=2)
        of_means = [note("mean-disagrees", pairs=names)]
    return once([*of_evidence, *assumed(design), *of_means, *found.notes, *of_pairs, *of_curves])


def _majority(design: Design, part: Predictions) -> Note | None:
    """Whether accuracy hides that one class is nearly all there is."""
    labelled = part.origin is None and 1 < len(part.classes) <= MOST_CLASSES
    if design.measure.counts is None or not labelled or "truth" not in part.roles:
        return None
    from assay.measures.labels import accuracies_mislead

    tally = part.tally(part.models)
    return accuracies_mislead({one: tally.confusion(one) for one in part.models}, part.classes)


def assumed(design: Design) -> tuple[Note, ...]:
    """What was taken for granted, and what the evidence cannot show."""
    notes = []
    if design.measure.direction == "unknown":
        notes.append(note("direction-unknown", measure=design.measure.called))
    if design.chance and design.against is not None and design.measure.chance is None:
        rate = design.against if design.measure.direction == "higher" else 1.0 - design.against
        notes.append(note("rate-from-same-data", rate=rate, n=design.parts[0].n))
    notes += filter(None, map(partial(_majority, design), design.parts))
    if design.measure.needs == "labels" and any(map(_one_class, design.parts)):
        unknown = "how the models treat the other classes is unknown"
        notes.append(note("one-class", consequence=unknown))
    pooled = "pooled-scores" if design.measure.needs == "scores" else "pooled-models"
    notes += [
        note(pooled, folds=part.rows.distinct([part.roles["fold"]])[0])
        for part in design.parts
        if "fold" in part.roles
    ]
    if design.measure.needs == "scores":
        repeats = map(partial(_pooled_repeats, design.measure.called), design.parts)
        notes += filter(None, repeats)
    return tuple(notes)


def _pooled_repeats(measure: str, evidence: Predictions) -> Note | None:
    """A note where the scores of several repeats of an item (readers, runs) share one ranking."""
    column = evidence.roles.get("repeat")
    count = 0 if column is None else evidence.rows.distinct([column])[0]
    return (
        note("pooled-repeats", count=count, column=column, measure=measure) if count > 1 else None
    )


def _one_class(evidence: Predictions) -> bool:
    """Whether all items are of one class; a log of right and wrong answers knows no classes."""
    if evidence.origin is not None:
        return False
    return len(set(evidence.tally(evidence.models[:1]).rows[:, 0].tolist())) == 1


def once(notes: list[Note]) -> tuple[Note, ...]:
    """One note per code; how often it came up with other numbers is added."""
    by_code: dict[str, list[str]] = {}
    for one in dict.fromkeys(notes):
        by_code.setdefault(one.code, []).append(one.message)
    return tuple(
        Note(
            code=code,
            message=messages[0] + (f" ({len(messages) - 1} more alike)" if messages[1:] else ""),
        )
        for code, messages in by_code.items()
    )
