"""A plan from evidence at hand: its spread, never the difference it shows."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.core.arrays import FloatArray
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.notes import Note, note
from assay.core.results import Estimate, TestOutcome
from assay.core.vocabulary import UNIT_PLURAL
from assay.estimates.bootstrap import bootstrap
from assay.estimates.clustered_means import cluster_difference
from assay.estimates.folds import HELD_FOLDS, are_held
from assay.estimates.measure_needs import asked_measure
from assay.evidence.predictions import Predictions, Unpaired
from assay.evidence.scores import Scores
from assay.hypotheses.average_precision import average_precision_test
from assay.hypotheses.independent_measures import independent_bootstrap
from assay.hypotheses.label_slopes import MOST_CLASSES
from assay.hypotheses.paired_labels import counted_spread, paired_delta
from assay.hypotheses.paired_measures import paired_bootstrap
from assay.hypotheses.roc import delong_apart, delong_test
from assay.kernels.ranks import decimal_differences
from assay.kernels.special import chdtri
from assay.measures.registry import Measure
from assay.plan import algorithm_questions, fold_questions, item_questions
from assay.plan.planning_facts import PlanFacts, PlanQuestion, PlanSetting, each
from assay.plan.power_means import normal_power, t_power
from assay.plan.power_ranks import differences_like
from assay.plan.test_choice import is_outcome

FEW_UNITS = 30
"""Units below which the spread of a pilot is worth a warning."""
_UNSEEN = "the study is like the pilot, whose difference is not used"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Pilot:
    """The question that a pilot poses, in which measure, and its own number of units."""

    question: PlanQuestion
    measure: str
    n: int


def pose_from(
    evidence: Predictions | Unpaired | Scores,
    measure: Any,
    facts: PlanFacts,
    setting: PlanSetting,
    *,
    drawn: TestOutcome | None = None,
) -> Pilot:
    """The question whose nuisance parameters are those of the evidence.

    ``drawn`` is the test of this very evidence by random resamples, where it was made already.
    """
    idle = [name for name in facts.given() if name != "against"]
    if idle:
        raise UsageError(f"{' and '.join(idle)} would be taken from the pilot: leave it out")
    if setting.algorithms and not (isinstance(evidence, Scores) and evidence.unit == "fold"):
        raise UsageError(
            "a plan for algorithms takes its spread from scores by fold: give those as the pilot, or sd="
        )
    if isinstance(evidence, Scores):
        found = _of_scores(evidence, measure, setting)
    else:
        parts = evidence.parts if isinstance(evidence, Unpaired) else (evidence,)
        chosen = asked_measure(measure, parts)
        ours = replace(setting, outcome=is_outcome(chosen), squares=chosen.squared)
        found = _of_predictions(evidence, chosen, facts, ours, drawn)
    question = found.question
    assumptions = (*question.assumptions, _UNSEEN)
    return replace(found, question=replace(question, assumptions=assumptions))


def _of_predictions(
    evidence: Predictions | Unpaired,
    measure: Measure,
    facts: PlanFacts,
    setting: PlanSetting,
    drawn: TestOutcome | None,
) -> Pilot:
    if isinstance(evidence, Unpaired):
        question, n = _apart(evidence, measure, setting, drawn)
    elif len(evidence.models) == 1:
        question, n = _one_model(evidence, measure, facts, setting), evidence.n
    else:
        question, n = _two_models(evidence, measure, setting, drawn), evidence.n
    return Pilot(question=question, measure=measure.called, n=n)


def _two_models(
    evidence: Predictions, measure: Measure, setting: PlanSetting, drawn: TestOutcome | None
) -> PlanQuestion:
    a, b = _pair(evidence.models)
    clustered = evidence.clusters is not None
    mean = is_outcome(measure) or measure.is_mean
    if mean and clustered and not evidence.weighted:
        return _clusters(evidence, measure, setting)
    if is_outcome(measure) and not evidence.weighted:
        table = evidence.tally((a, b)).paired_table(a, b)
        count = table.only_a + table.only_b
        if not count:
            raise EvidenceError(
                f"{a} and {b} never disagree on the {table.n} items of the pilot, so the share of "
                "disagreements is unknown. Give discordant= instead of the pilot"
            )
        question = item_questions.mcnemar(PlanFacts(discordant=count / table.n), setting)[0]
        return replace(question, notes=_uncertain(count, "items of disagreement"))
    if measure.is_mean and not evidence.weighted:
        differences = decimal_differences(*_values(evidence, measure))
        return item_questions.paired_means(PlanFacts(sd=_spread(differences, "items")), setting)[0]
    if measure.of_area == 1.0 and not clustered and not evidence.weighted:
        return _scaled(delong_test(evidence.areas((a, b)), variant="t"), evidence.n, setting)
    few = len(evidence.classes) <= MOST_CLASSES
    if measure.reduction == "tally" and few and not clustered and not evidence.weighted:
        return _counted(evidence, measure, setting)
    if measure.name == "average_precision" and not clustered and not evidence.weighted:
        columns = evidence.sorted_columns("scores", (a, b))
        found = average_precision_test(columns.truth, *columns.predictions)
        return _scaled(found, evidence.n, setting)
    outcome = drawn or paired_bootstrap(
        evidence, measure=measure, n_resamples=setting.n_resamples, rng=setting.seed
    )
    question = _scaled(outcome, evidence.n, setting)
    if evidence.clusters is None:
        return replace(question, notes=_uncertain(evidence.n, "units"))
    return replace(
        question,
        repeated="repeat" in evidence.roles,
        details=(*question.details, ("cluster_size", evidence.n / evidence.clusters)),
        notes=_uncertain(evidence.clusters, "units"),
    )


def _one_model(
    evidence: Predictions, measure: Measure, facts: PlanFacts, setting: PlanSetting
) -> PlanQuestion:
    """One model: against a level, or (without one) only how wide its interval is."""
    plain = not evidence.weighted and evidence.clusters is None
    if facts.against is not None and is_outcome(measure) and plain:
        return item_questions.one_proportion(facts, setting)[0]
    found = bootstrap(evidence, measure=measure, n_resamples=setting.n_resamples, rng=setting.seed)
    question = _scaled(found, evidence.n, setting)
    asks = f"{measure.called} of one model"
    if facts.against is None:
        return replace(question, asks=f"the interval of {asks}", power=None)
    return replace(question, method="measure_against", asks=f"{asks} against a level")


def _apart(
    evidence: Unpaired, measure: Measure, setting: PlanSetting, drawn: TestOutcome | None
) -> tuple[PlanQuestion, int]:
    first, second = evidence.parts if len(evidence.parts) == 2 else _pair(())
    n = round(2.0 / (1.0 / first.n + 1.0 / second.n))  # equal sizes with the same standard error
    plain = not any(part.weighted or part.clusters is not None for part in evidence.parts)
    if is_outcome(measure) and plain:
        tallies = [part.tally() for part in evidence.parts]
        right = sum(int(one.counts[one.right(one.models[0])].sum()) for one in tallies)
        rate = right / (first.n + second.n)
        if not 0.0 < rate < 1.0:
            raise EvidenceError(
                "all items of the pilot have the same outcome: give baseline, the rate you expect"
            )
        return item_questions.two_proportions(PlanFacts(baseline=rate), setting)[0], n
    if measure.of_area == 1.0 and plain:
        outcome = delong_apart(*(part.areas() for part in (first, second)))
    else:
        outcome = drawn or independent_bootstrap(
            first,
            second,
            measure=measure,
            n_resamples=setting.n_resamples,
            rng=setting.seed,
        )
    return replace(_scaled(outcome, n, setting), apart=True), n


def _scaled(found: TestOutcome | Estimate, n: int, setting: PlanSetting) -> PlanQuestion:
    """A standard error that shrinks with the root of the number of units."""
    effect = found.effect if isinstance(found, TestOutcome) else found
    error = effect.standard_error
    if error is None or not error > 0.0:
        why = found.notes[0].message if found.notes else "it does not vary"
        raise EvidenceError(f"the pilot gives {effect.measure} no standard error: {why}")
    sigma = error * float(np.sqrt(n))

    def power(units: FloatArray, difference: float) -> FloatArray:
        return normal_power(difference * np.sqrt(units) / sigma, setting.alpha, setting.side)

    return PlanQuestion(
        method=found.method,
        asks=f"{effect.measure} of two models",
        unit="item",
        power=power,
        assumptions=("the standard error shrinks with the root of n", "a normal estimate"),
        reference="Efron & Tibshirani (1993), An Introduction to the Bootstrap, chapter 25",
        formula="power = Φ(difference/error - z) + Φ(-difference/error - z), "
        "error = standard_error sqrt(pilot_n/n)",
        least=10,
        sigma=sigma,
        drawn=found.seed is not None,
        details=(("standard_error", error), ("pilot_n", n)),
    )


def _counted(evidence: Predictions, measure: Measure, setting: PlanSetting) -> PlanQuestion:
    """A label measure that is no mean: the delta method on the counts that n such items would have."""
    a, b = evidence.models
    tally = evidence.tally((a, b))
    differ = int(tally.counts[tally.rows[:, 1] != tally.rows[:, 2]].sum())
    if not differ:
        raise EvidenceError(
            f"{a} and {b} never disagree on the {evidence.n} items of the pilot, so the share of "
            "disagreements is unknown. Use a pilot in which they disagree"
        )
    question = _scaled(paired_delta(evidence, measure=measure), evidence.n, setting)
    bound = measure.bind(evidence.classes, evidence.positive)
    extent = bound.high - bound.low

    def power(n: float, difference: float) -> float:
        share, error = counted_spread(tally, bound, n)
        centre = difference * share
        if np.isfinite(extent):  # on a scale without ends, as the test has it
            part = min(abs(centre) / extent, 1.0 - 1e-12)
            centre = float(np.arctanh(part)) * (1.0 - part**2) * extent * np.sign(centre)
        return float(normal_power(np.array(centre / error), setting.alpha, setting.side))

    return replace(
        question,
        power=each(power),
        assumptions=("the joint table of n items is like the pilot's", "a normal estimate"),
        reference="decision 0020; Agresti (2013), Categorical Data Analysis, section 16.1",
        formula="power = Φ(shrunk/error - z) + Φ(-shrunk/error - z), both from the pilot's table at n items "
        "with half a count in each cell",
        notes=_uncertain(differ, "items of disagreement"),
    )


def _clusters(evidence: Predictions, measure: Measure, setting: PlanSetting) -> PlanQuestion:
    """A mean on items in clusters: the cluster-robust standard error, with t over clusters."""
    columns = evidence.sorted_columns(measure.needs)
    a, b = _values(evidence, measure)
    estimate = cluster_difference(a, b, columns.clusters)
    question = _scaled(replace(estimate, measure=measure.called), evidence.n, setting)
    count = evidence.clusters or 1
    size, sigma = evidence.n / count, float(question.sigma or 1.0)

    def power(n: float, difference: float) -> float:
        shift = difference * n**0.5 / sigma
        return t_power(shift, max(n / size - 1.0, 0.5), setting.alpha, setting.side)

    return replace(
        question,
        power=each(power),
        least=int(np.ceil(2.0 * size)),
        repeated="repeat" in evidence.roles,
        details=(*question.details, ("cluster_size", size)),
        notes=_uncertain(count, "clusters"),
    )


def _of_scores(scores: Scores, measure: Any, setting: PlanSetting) -> Pilot:
    name = str(measure) if measure is not None else scores.measures[0]
    if measure is None and len(scores.measures) > 1:
        raise UsageError(f"name a measure; the scores have {', '.join(scores.measures)}")
    a, b = _pair(scores.models)
    setting = replace(setting, unit=scores.unit, outcome=False)
    if scores.unit == "seed":
        runs = [scores.runs(name)[model] for model in (a, b)]
        sds = _spread(runs[0], "seeds"), _spread(runs[1], "seeds")
        question = item_questions.separate_means(PlanFacts(sd=sds), setting)[0]
        count = min(one.size for one in runs)
        return Pilot(question=_noted(question, count), measure=name, n=count)
    table = scores.blocks(name).values
    complete = table[~np.isnan(table).any(axis=1)]
    differences = decimal_differences(complete[:, 0], complete[:, 1])
    sd = _spread(differences, UNIT_PLURAL[scores.unit])
    if scores.unit == "fold":
        question = _over_folds(scores, setting, sd)
    else:
        shape = "differences are like those of the pilot, without their centre"
        question = algorithm_questions.rank_question(setting, differences_like(differences), shape)
    return Pilot(question=_noted(question, differences.size), measure=name, n=differences.size)


def _over_folds(scores: Scores, setting: PlanSetting, sd: float) -> PlanQuestion:
    """The test that `compare` would take; for algorithms the one that held, at its own folds."""
    folds = max(1, scores.folds)
    held = are_held(scores.folds, scores.repeats)
    if not (held or setting.algorithms):
        return fold_questions.fold_question(setting, sd, _ratio(scores, folds), folds)
    tested = _ratio(scores, folds) / (1.0 + _ratio(scores, folds))
    # the spread of a mean over test items falls with the root of their number
    return fold_questions.cautious_question(setting, sd * math.sqrt(tested * HELD_FOLDS))


def _ratio(scores: Scores, folds: int) -> float:
    sizes = scores.sizes()
    if sizes is not None:
        return float(sizes[0].mean() / sizes[1].mean())
    if folds < 2:
        raise EvidenceError(
            "how the splits were made is not in the pilot: add columns n_test and n_train"
        )
    return 1.0 / (folds - 1.0)


def _values(evidence: Predictions, measure: Measure) -> tuple[FloatArray, FloatArray]:
    """The values of both models, item by item, whose means the measure is."""
    columns = evidence.sorted_columns(measure.needs)
    if measure.reduction == "tally":
        right = columns.predictions == columns.truth
        values = right if measure.counts == "right" else ~right
        return values[0].astype(np.float64), values[1].astype(np.float64)
    if measure.features is None:
        raise TypeError(f"{measure.called} has no value of one item")
    first, second = (
        np.asarray(measure.features(columns.truth, rows)[:, 0], dtype=np.float64)
        for rows in columns.predictions
    )
    return first, second


def _spread(values: FloatArray, units: str) -> float:
    if values.size < 2 or float(np.ptp(values)) <= 1e-10 * float(np.abs(values).max()):
        raise EvidenceError(
            f"the {values.size} {units} of the pilot do not vary, so nothing can be planned from "
            "them. Give sd= instead of the pilot"
        )
    return float(values.std(ddof=1))


def _noted(question: PlanQuestion, count: int) -> PlanQuestion:
    units = UNIT_PLURAL[question.unit]
    return replace(question, notes=(*question.notes, *_uncertain(count, units)))


def _uncertain(count: int, units: str) -> tuple[Note, ...]:
    """By how much the spread of so few units, and with it n, may be off: chi-square limits."""
    if count >= FEW_UNITS:
        return ()
    df = max(count - 1, 1)
    low, high = (float(df / chdtri(df, tail)) for tail in (0.025, 0.975))
    return (note("pilot-small", count=count, units=units, low=low, high=high),)


def _pair(models: tuple[str, ...]) -> tuple[Any, Any]:
    if len(models) != 2:
        raise NotApplicable(
            f"a plan is for a pair of models; the pilot has {len(models)}: choose two with models="
        )
    return models[0], models[1]
