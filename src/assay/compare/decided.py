"""From what a procedure found to the decision object, with its sentences and notes."""

import math
from dataclasses import replace

from assay.compare.across import gap_notes, tested
from assay.compare.beliefs import posteriors_of, with_chances
from assay.compare.calibrated import measured_level, place_of
from assay.compare.design import Design
from assay.compare.pairwise import Findings, Settings
from assay.compare.reach import out_of_reach, within_reach
from assay.compare.records import with_records
from assay.compare.verdict import verdict_of
from assay.core.notes import Note, by_count, note
from assay.core.results import (
    Choice,
    Comparison,
    Curve,
    Estimate,
    MeasuredLevel,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import TURNED, Unit
from assay.estimates.curves import Kind, curve_notes, evidence_curves
from assay.estimates.default import estimate
from assay.estimates.mean_scores import mean_scores
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.hypotheses.replicated import seed_sensitive

DOES_NOT_SAY: dict[Unit, str] = {
    "item": "Nothing is said about the learning algorithms: {models} tested as fitted, and training "
    "again was no part of the evidence.",
    "fold": "Nothing is said about other data sets, nor about the one model that will be fitted to all data.",
    "seed": "Nothing is said about other tasks: only the seed was varied.",
    "dataset": "Nothing is said about any single data set, nor about data sets unlike these.",
}
"""What a conclusion over each unit leaves open."""


HELD: dict[str, str] = {
    "": "",
    "holm": "Holm's adjustment over {count}",
    "max-t": "simultaneous over {count}",
    "arriving": "its own share of {count} in order of arrival",
}
"""How intervals hold together, as a verdict says it."""


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
    asked = "pairs" if questions is None else "questions"
    found = with_records(_within_reach(found, settings.level, family, asked), design)
    beliefs = posteriors_of(design, found, settings)
    held = HELD[found.adjustment].format(count=f"{family:,} {asked}") if family > 1 else ""
    verdicts = tuple(
        with_chances(_verdict(design, pair, held), belief)
        for pair, belief in zip(found.pairs, beliefs, strict=True)
    )
    estimates = _estimates(design, settings)
    return Comparison(
        evidence=design.evidence.summary(),
        measure=design.measure.name,
        direction=design.measure.direction,
        level=settings.level,
        margin=design.margin,
        baseline=design.baseline,
        choice=choice,
        estimates=estimates,
        verdicts=verdicts,
        omnibus=found.omnibus,
        also=found.also,
        summary=_summary(design, verdicts, estimates),
        does_not_say=does_not_say(design),
        notes=_notes(design, found),
        seed=settings.seed,
        curves=_curves(design, settings.level),
        posteriors=tuple(belief for belief in beliefs if belief is not None),
        families=found.families,
        slice=slice,
        adjustment=found.adjustment,
        family=family,
        measured=_measured(design, found, choice.method, settings.level),
    )


def _measured(design: Design, found: Findings, method: str, level: float) -> MeasuredLevel | None:
    """How often the method errs near this design; of one that had no answer there is nothing to say."""
    if all(
        outcome.effect.interval is None or out_of_reach(outcome) for _, _, outcome in found.pairs
    ):
        return None
    return measured_level(place_of(design, found, method), level=level)


def _verdict(design: Design, pair: tuple[str, str, TestOutcome], held: str) -> Verdict:
    a, b, outcome = pair
    direction, margin = design.measure.direction, design.margin
    alone = design.kind == "level"
    return verdict_of(outcome, a=a, b=b, direction=direction, margin=margin, held=held, alone=alone)


def _within_reach(found: Findings, level: float, family: int, of: str) -> Findings:
    """No p-value where no outcome of the design could have reached the level."""
    size = family if found.adjustment == "holm" else 1
    return replace(
        found,
        pairs=tuple(
            (a, b, within_reach(one, level=level, questions=size, of=of))
            for a, b, one in found.pairs
        ),
        also=tuple((title, within_reach(one, level=level)) for title, one in found.also),
    )


def _estimates(design: Design, settings: Settings) -> tuple[Estimate, ...]:
    if isinstance(design.evidence, Scores):
        table = tested(design)
        return mean_scores(design.evidence, design.scored, level=settings.level, table=table)
    return tuple(
        estimate(
            part,
            design.measure,
            model,
            level=settings.level,
            n_resamples=settings.n_resamples,
            rng=settings.seed,
        )
        for part in design.parts
        for model in part.models
    )


def _curves(design: Design, level: float) -> tuple[Curve, ...]:
    """The curves whose area is compared: precision and recall, else ROC."""
    if design.measure.needs != "scores":
        return ()
    kind: Kind = "precision_recall" if design.measure.name == "average_precision" else "roc"
    return tuple(
        curve
        for part in design.parts
        for curve in evidence_curves(part, level=level, kinds=(kind,))
    )


def _summary(design: Design, verdicts: tuple[Verdict, ...], estimates: tuple[Estimate, ...]) -> str:
    """One sentence for the whole comparison."""
    if len(verdicts) == 1:
        return verdicts[0].sentence
    if design.baseline is not None:
        return _against_baseline(design.baseline, verdicts)
    best = _best(design, verdicts, estimates)
    others = _beside(best, design, verdicts)
    if set(others) == {"worse"}:
        return f"{best} is better than each of the other {len(others['worse'])} models."
    clauses = {
        "higher": "{is_} higher than it pair by pair",
        "better": "{is_} better than it pair by pair",
        "undecided": "cannot be told apart from it",
        "equivalent": f"{{is_}} equivalent to it within ±{design.margin or 0.0:g}",
        "worse": "{is_} worse",
        "lower": "{is_} lower",
    }
    said = [
        f"{listed(others[word])} {clause.format(is_=by_count(len(others[word]), 'is', 'are'))}"
        for word, clause in clauses.items()
        if word in others
    ]
    head = "has the highest values" if design.measure.direction == "unknown" else "scores best"
    return f"{best} {head}; {', '.join(said)}."


def does_not_say(design: Design) -> str:
    alone = design.kind == "level"
    open_question = DOES_NOT_SAY[design.unit].format(
        models="one model was" if alone else "these models were"
    )
    null = "the model is at that level" if alone else "the models are equal"
    return f"{open_question} A p-value is not the probability that {null}."


def _against_baseline(baseline: str, verdicts: tuple[Verdict, ...]) -> str:
    by_word: dict[str, list[str]] = {}
    for verdict in verdicts:
        by_word.setdefault(verdict.word, []).append(verdict.a)
    clauses = [f"{word}: {listed(models)}" for word, models in sorted(by_word.items())]
    return f"Against {baseline}: {'; '.join(clauses)}."


def _best(design: Design, verdicts: tuple[Verdict, ...], estimates: tuple[Estimate, ...]) -> str:
    """The best mean; where models have different units, the one ahead in most of its pairs.

    A model that lacks the hard data sets has a high mean and need not be ahead of anyone.
    """
    sign = -1.0 if design.measure.direction == "lower" else 1.0
    means = {one.model: sign * one.value for one in estimates if one.value is not None}
    if len({one.n for one in estimates}) == 1:
        return str(max(means, key=lambda model: means[model]))
    ahead = dict.fromkeys(design.models, 0)
    for verdict in verdicts:
        difference = sign * (verdict.outcome.effect.value or 0.0)
        ahead[verdict.a if difference > 0 else verdict.b] += difference != 0.0
    return max(ahead, key=lambda model: (ahead[model], means.get(model, -math.inf)))


def _beside(best: str, design: Design, verdicts: tuple[Verdict, ...]) -> dict[str, list[str]]:
    """The other models by what was decided of each beside the best."""
    words: dict[str, str] = {v.a: v.word for v in verdicts if v.b == best}
    words |= {v.b: TURNED.get(v.word, v.word) for v in verdicts if v.a == best}
    found: dict[str, list[str]] = {}
    for model in design.models:
        if model != best:
            found.setdefault(words.get(model, "undecided"), []).append(model)
    return found


def listed(names: list[str], at_most: int = 6) -> str:
    if len(names) > at_most:
        return f"{', '.join(names[:at_most])} and {len(names) - at_most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _notes(design: Design, found: Findings) -> tuple[Note, ...]:
    """Every caveat of the evidence and of the decision once; estimates carry their own."""
    of_evidence = [*gap_notes(design), *(one for part in design.parts for one in part.notes)]
    of_pairs = [n for _, _, outcome in found.pairs for n in (*outcome.notes, *outcome.effect.notes)]
    if design.margin is not None:
        edges = (-design.margin, design.margin)
        of_pairs += [n for _, _, one in found.pairs for n in seed_sensitive(one, edges)]
    of_curves: list[Note] = []
    if design.measure.needs == "scores":
        of_curves = [one for part in design.parts for one in curve_notes(part)]
    return once([*of_evidence, *assumed(design), *found.notes, *of_pairs, *of_curves])


def assumed(design: Design) -> tuple[Note, ...]:
    """What was taken for granted, and what the evidence cannot show."""
    notes = []
    if design.measure.direction == "unknown":
        notes.append(note("direction-unknown", measure=design.measure.name))
    if design.chance and design.against is not None and design.measure.chance is None:
        rate = design.against if design.measure.direction == "higher" else 1.0 - design.against
        notes.append(note("rate-from-same-data", rate=rate, n=design.parts[0].n))
    if design.measure.needs == "labels" and any(map(_one_class, design.parts)):
        unknown = "how the models treat the others is no part of the answer"
        notes.append(note("one-class", consequence=unknown))
    if design.measure.needs == "scores":
        notes += [
            note("pooled-scores", folds=part.rows.distinct([part.roles["fold"]])[0])
            for part in design.parts
            if "fold" in part.roles
        ]
    return tuple(notes)


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
