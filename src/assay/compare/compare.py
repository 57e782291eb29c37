"""`assay.compare`: evidence in, one decision object out."""

from typing import Any

from assay.compare.choose import choose
from assay.compare.design import Design, read_design
from assay.compare.pairwise import Findings, Settings
from assay.compare.verdict import verdict_of
from assay.core.checks import check_level, check_margin
from assay.core.notes import Note
from assay.core.results import Comparison, Curve, Estimate, Verdict
from assay.core.rng import Rng, seed_of
from assay.core.vocabulary import Unit
from assay.estimates.default import estimate
from assay.estimates.evaluate import roc_curves
from assay.estimates.mean_scores import mean_scores
from assay.evidence.readers import read
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


def compare(
    evidence: Any,
    *,
    measure: Any = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | None = None,
    unit: Unit | None = None,
    missing: str = "refuse",
    lower_is_better: bool | None = None,
    level: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = None,
    **reading: Any,
) -> Comparison:
    """Compare models and end in a verdict: better, worse, equivalent or undecided.

    Parameters
    ----------
    evidence
        Predictions as `assay.read` takes them: a path, a frame, a mapping of names to arrays.
    measure
        A name of the registry, a `Measure`, or your own function of (truth, prediction).
    baseline
        The model that the others are compared with; differences are model minus baseline.
    against
        For one model: the level it is compared with, a number or "chance".
    margin
        The smallest difference that matters; without one there is no *equivalent*.
    level, n_resamples, rng
        Confidence, bootstrap replicates and seed.
    reading
        What `assay.read` takes: truth, models, id, positive, cluster, weight, count …

    Examples
    --------
    >>> import assay
    >>> truth = [1, 1, 0, 0, 1, 0, 1, 0] * 25
    >>> a = truth[:190] + [0] * 10
    >>> b = truth[:150] + [1] * 50
    >>> assay.compare({"truth": truth, "a": a, "b": b}).verdict.word
    'better'
    """
    settings = Settings(level=check_level(level), n_resamples=n_resamples, seed=seed_of(rng))
    margin = check_margin(margin)
    named = measure if isinstance(measure, str) else None
    observed = read(evidence, unit=unit, measure=named, **reading)
    design = read_design(
        observed,
        measure=measure,
        baseline=baseline,
        against=against,
        margin=margin,
        missing=missing,
        lower_is_better=lower_is_better,
    )
    rule, choice = choose(design)
    found = rule.run(design, settings)
    verdicts = tuple(
        verdict_of(outcome, a=a, b=b, direction=design.measure.direction, margin=margin)
        for a, b, outcome in found.pairs
    )
    estimates = _estimates(design, settings)
    return Comparison(
        evidence=observed.summary(),
        measure=design.measure.name,
        direction=design.measure.direction,
        level=settings.level,
        margin=margin,
        baseline=baseline,
        choice=choice,
        estimates=estimates,
        verdicts=verdicts,
        omnibus=found.omnibus,
        also=found.also,
        summary=_summary(design, verdicts, estimates),
        does_not_say=_does_not_say(design),
        notes=_notes(design, found),
        seed=settings.seed,
        curves=_curves(design, settings.level),
        posteriors=found.posteriors,
        families=found.families,
    )


def _estimates(design: Design, settings: Settings) -> tuple[Estimate, ...]:
    if isinstance(design.evidence, Scores):
        return mean_scores(design.evidence, design.scored, level=settings.level)
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
    if design.measure.needs != "scores":
        return ()
    return tuple(curve for part in design.parts for curve in roc_curves(part, level=level))


def _summary(design: Design, verdicts: tuple[Verdict, ...], estimates: tuple[Estimate, ...]) -> str:
    """One sentence for the whole comparison."""
    if len(verdicts) == 1:
        return verdicts[0].sentence
    if design.baseline is not None:
        return _against_baseline(design.baseline, verdicts)
    best = _best(design, estimates)
    others = [model for model in design.models if model != best]
    rivals = [model for model in others if not _told_apart(best, model, verdicts)]
    worse = [model for model in others if model not in rivals]
    if not rivals:
        return f"{best} is better than each of the other {len(others)} models."
    sentence = f"{best} scores best; {_listed(rivals)} cannot be told apart from it"
    return (
        f"{sentence}, {_listed(worse)} {'is' if len(worse) == 1 else 'are'} worse."
        if worse
        else f"{sentence}."
    )


def _does_not_say(design: Design) -> str:
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
    clauses = [f"{word}: {_listed(models)}" for word, models in sorted(by_word.items())]
    return f"Against {baseline}: {'; '.join(clauses)}."


def _best(design: Design, estimates: tuple[Estimate, ...]) -> str:
    sign = 1 if design.measure.direction == "higher" else -1
    defined = [e for e in estimates if e.value is not None]
    return str(max(defined, key=lambda e: sign * (e.value or 0.0)).model)


def _told_apart(best: str, model: str, verdicts: tuple[Verdict, ...]) -> bool:
    return any({v.a, v.b} == {best, model} and v.different for v in verdicts)


def _listed(names: list[str], at_most: int = 6) -> str:
    if len(names) > at_most:
        return f"{', '.join(names[:at_most])} and {len(names) - at_most} more"
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _notes(design: Design, found: Findings) -> tuple[Note, ...]:
    """Every caveat of the evidence and of the decision once; estimates carry their own."""
    of_evidence = [one for part in design.parts for one in part.notes]
    of_pairs = [n for _, _, outcome in found.pairs for n in (*outcome.notes, *outcome.effect.notes)]
    if design.margin is not None:
        edges = (-design.margin, design.margin)
        of_pairs += [n for _, _, one in found.pairs for n in seed_sensitive(one, edges)]
    return _once([*of_evidence, *found.notes, *of_pairs])


def _once(notes: list[Note]) -> tuple[Note, ...]:
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
