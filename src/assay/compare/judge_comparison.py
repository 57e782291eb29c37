"""`assay.compare` with a judge: verdicts by people's labels, sharper by a judge's grades of all items."""

from dataclasses import replace
from itertools import combinations
from typing import Any

from assay.compare.choose import choose
from assay.compare.comparison_result import HELD, assumed, once
from assay.compare.design import Design, read_design
from assay.compare.findings import Findings, Settings
from assay.compare.sentences import sentence_of
from assay.compare.verdict import verdict_of
from assay.core.errors import EvidenceError, UsageError
from assay.core.formatting import finest_of
from assay.core.notes import Note, note
from assay.core.results import Choice, Comparison, Estimate, TestOutcome, Verdict, with_notes
from assay.estimates.judged_evaluation import choice_notes, estimates_at
from assay.estimates.judged_values import ItemValues, item_values, labelled_evidence
from assay.evidence.judged_items import FEWEST, Judged
from assay.hypotheses.judged_differences import difference_outcome
from assay.hypotheses.pair_families import adjusted_outcomes
from assay.kernels.judge_correction import p_of_limits

REASON = (
    "people labelled some of the items that a judge graded: people's labels, made more precise by the judge's "
    "grades of all items"
)


def compare_judged(
    judged: Judged,
    settings: Settings,
    *,
    measure: Any = None,
    baseline: str | None = None,
    against: float | str | None = None,
    margin: float | None = None,
    lower_is_better: bool | None = None,
) -> Comparison:
    """One decision object, as without a judge."""
    judged.check_direction()
    if judged.graded().size < FEWEST and len(judged.models) > 1:
        raise EvidenceError(
            f"people labelled {judged.graded().size} items for all of {', '.join(judged.models)}: a comparison needs "
            f"{FEWEST} or more items that were labelled for every model. A board uses every model's own labels"
        )
    design = read_design(
        labelled_evidence(judged),
        measure=measure,
        baseline=baseline,
        against=against,
        margin=margin,
        lower_is_better=lower_is_better,
    )
    estimates = tuple(
        estimates_at(
            judged, design.measure, m, n_resamples=settings.n_resamples, rng=settings.seed
        )(settings.level)
        for m in judged.models
    )
    found = (
        _level(judged, design, settings)
        if design.kind == "level"
        else _pairs(judged, design, settings)
    )
    return _comparison(judged, design, found, settings, estimates)


def _pairs(judged: Judged, design: Design, settings: Settings) -> Findings:
    """Every pair, or every pair of the baseline; Holm where there are several."""
    values = {model: item_values(judged, design.measure, model) for model in judged.models}

    def run(a: str, b: str, level: float) -> TestOutcome:
        return _outcome(judged, design, values, (a, b), replace(settings, level=level))

    pairs = list(combinations(design.models, 2))
    if design.baseline is not None:
        pairs = [(model, design.baseline) for model in design.models if model != design.baseline]
    outcomes = adjusted_outcomes(run, pairs, level=settings.level, adjustment="holm")
    if len(pairs) == 1:
        outcomes = (run(*pairs[0], settings.level),)
    return Findings(
        pairs=tuple((a, b, one) for (a, b), one in zip(pairs, outcomes, strict=True)),
        adjustment="holm" if len(pairs) > 1 else "",
        test=run,
    )


def _outcome(
    judged: Judged,
    design: Design,
    values: dict[str, ItemValues],
    pair: tuple[str, str],
    settings: Settings,
) -> TestOutcome:
    a, b = pair
    graded = judged.graded(a, b)
    both = values[a].right_or_wrong and values[b].right_or_wrong
    difference = values[a].minus(values[b], graded, judged.sample(graded))
    found = difference_outcome(difference, settings.level, counted=both)
    few = _few_shared(values, pair, int(graded.size))
    if isinstance(found, TestOutcome):
        found = replace(found, effect=replace(found.effect, measure=design.measure.called))
        return with_notes(found, *few)
    alone = read_design(labelled_evidence(judged, a, b), measure=design.measure)
    alone = replace(alone, models=pair)
    rule, _ = choose(alone)
    outcome = rule.run(alone, settings).pairs[0][2]
    effect = replace(
        outcome.effect,
        measure=design.measure.called,
        details=(
            *outcome.effect.details,
            ("judge_alone", difference.uncorrected),
            ("people_alone", outcome.effect.value),
            ("labels", int(graded.size)),
        ),
    )
    return with_notes(replace(outcome, effect=effect), *found, *few)


def _few_shared(
    values: dict[str, ItemValues], pair: tuple[str, str], shared: int
) -> tuple[Note, ...]:
    """Labels that a paired comparison leaves out, where these are most."""
    a, b = pair
    labels = min(int(values[model].graded.size) for model in pair)
    if 2 * shared >= labels:
        return ()
    return (note("few-shared-labels", shared=shared, a=a, b=b, labels=labels),)


def _level(judged: Judged, design: Design, settings: Settings) -> Findings:
    """One model against a level: the corrected interval decides, and gives the p-value."""
    if design.against is None:
        raise UsageError("one model needs a level to be compared with: against=0.8")
    model = judged.models[0]
    at = estimates_at(
        judged, design.measure, model, n_resamples=settings.n_resamples, rng=settings.seed
    )
    effect = at(settings.level)

    def limits(level: float) -> tuple[float, float]:
        interval = at(level).interval
        return (-float("inf"), float("inf")) if interval is None else (interval.low, interval.high)

    outcome = TestOutcome(
        method=effect.method,
        statistic=None,
        p_value=None
        if effect.interval is None or effect.value is None
        else p_of_limits(limits, effect.value, design.against),
        effect=effect,
        null=design.against,
        notes=effect.notes,
    )
    return Findings(pairs=((model, design.level_name, outcome),))


def _comparison(
    judged: Judged,
    design: Design,
    found: Findings,
    settings: Settings,
    estimates: tuple[Estimate, ...],
) -> Comparison:
    family = len(found.pairs)
    held = HELD[found.adjustment].format(count=f"{family:,} pairs") if family > 1 else ""
    ordered = design.kind == "level" or design.baseline is not None
    direction = design.measure.direction
    finest = finest_of(outcome.effect for _, _, outcome in found.pairs)
    verdicts = tuple(
        _planned(
            verdict_of(
                outcome,
                a=a,
                b=b,
                direction=direction,
                margin=design.margin,
                held=held,
                ordered=ordered,
                finest=finest,
            )
        )
        for a, b, outcome in found.pairs
    )
    of_pairs = [n for _, _, one in found.pairs for n in (*one.notes, *one.effect.notes)]
    return Comparison(
        evidence=judged.summary(),
        measure=design.measure.called,
        direction=direction,
        level=settings.level,
        margin=design.margin,
        baseline=design.baseline,
        choice=Choice(method=found.pairs[0][2].method, reason=REASON),
        estimates=estimates,
        verdicts=verdicts,
        sentence=sentence_of(design, found, verdicts, estimates),
        does_not_say=design.does_not_say,
        notes=once([*judged.notes, *choice_notes(judged), *assumed(design), *of_pairs]),
        seed=settings.seed,
        adjustment=found.adjustment,
        family=family,
    )


def _planned(verdict: Verdict) -> Verdict:
    """An undecided verdict without a number of items: how many labels help depends on the judge."""
    if verdict.word != "undecided" or verdict.margin is None:
        return verdict
    plan = (
        "To see how many labels are needed, use plan with the same evidence, "
        f"difference={verdict.margin:g} and power=0.8."
    )
    return replace(verdict, sentence=f"{verdict.sentence} {plan}")
