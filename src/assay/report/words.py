"""The words of reports: names of methods, and the methods paragraph with its references."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from assay._version import __version__
from assay.core.errors import UsageError
from assay.core.methods import Method, find_method
from assay.core.numbers import shown_percent
from assay.core.results import (
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Gate,
    Plan,
    Posterior,
    Result,
    Simulation,
    TestOutcome,
)
from assay.core.studies import CurveComparison, StudyReport
from assay.core.vocabulary import counted, direction_words, population
from assay.core.writing import clean, clean_name
from assay.plots.labels import measure_title
from assay.plots.method_names import method_name as method_name  # where reports look for it
from assay.report.references import works


def listed(names: Iterable[str], *, most: int = 6) -> str:
    """Names in a sentence: a, b and c; of many, the first and how many more."""
    shown = list(names)
    if len(shown) > most:
        return f"{', '.join(shown[:most])} and {len(shown) - most:,} more"
    return " and ".join([", ".join(shown[:-1]), shown[-1]] if len(shown) > 1 else shown)


def adjusted_by(adjustment: str, questions: int) -> str:
    """How a family of questions is held together."""
    if not adjustment or questions < 2:
        return "not adjusted: one question"
    by = {"holm": "Holm's adjustment", "max-t": "simultaneous (max-t)"}
    return f"{by.get(adjustment, method_name(adjustment))} over {questions:,}"


def record_of(method: str) -> Method | None:
    """The catalogue's record of a method; None for a name that is no method of assay."""
    try:
        return find_method(method)
    except UsageError:
        return None


@dataclass(slots=True)
class Citations:
    """Numbers works in the order they are first cited."""

    works: list[str] = field(default_factory=list)

    def mark(self, method: str) -> str:
        """The method's name with the numbers of its works: McNemar [1]."""
        record = record_of(method)
        numbers = [self._number(work) for work in works(record.reference)] if record else []
        name = method_name(method)
        return f"{name} [{', '.join(map(str, numbers))}]" if numbers else name

    def _number(self, work: str) -> int:
        work = clean(work)
        if work not in self.works:
            self.works.append(work)
        return self.works.index(work) + 1


@dataclass(frozen=True, slots=True, kw_only=True)
class MethodsText:
    """A paragraph fit for a paper, the works it cites, and what its methods assume."""

    paragraph: str
    references: tuple[str, ...]
    assumptions: tuple[str, ...]


def methods_paragraph(result: Result) -> MethodsText:
    """What was done, in words, built from the records of the methods that were really used."""
    cited = Citations()
    sentences = list(_sentences(result, cited))
    seed = getattr(result, "seed", None)
    if seed is not None:
        sentences.append(f"Random numbers started from seed {seed}.")
    sentences.append(f"Computed with assay {__version__}.")
    return MethodsText(
        paragraph=" ".join(sentences),
        references=tuple(cited.works),
        assumptions=result.assumptions
        if isinstance(result, Plan)
        else assumptions(deciding(result)),
    )


def deciding(result: Result) -> tuple[str, ...]:
    """The methods that the answer rests on, each once."""
    found: list[str] = []
    if isinstance(result, Comparison):
        found.append(result.choice.method)
        for verdict in result.verdicts:
            found += _methods_of(verdict.outcome)
    elif isinstance(result, Comparisons):
        found += [name for part in result.parts for name in deciding(part)]
    elif isinstance(result, Evaluation):
        for estimate in result.estimates:
            found += _methods_of(estimate)
    elif isinstance(result, FamilyOutcome):
        found.append(result.method)
        for outcome in result.outcomes:
            found += _methods_of(outcome)
    elif isinstance(result, TestOutcome | Estimate):
        found += _methods_of(result)
    elif isinstance(result, Posterior):
        found.append(result.method)
    elif isinstance(result, Gate | StudyReport):
        found += [name for one in result.comparisons for name in deciding(one)]
    elif isinstance(result, CurveComparison):
        found += [name for one in result.tests for name in _methods_of(one.outcome)]
    return tuple(dict.fromkeys(found))


def _methods_of(result: TestOutcome | Estimate) -> list[str]:
    if isinstance(result, TestOutcome):
        return [result.method, *_methods_of(result.effect)]
    # the interval's method says more than the estimate's, where they differ
    return [result.interval.method if result.interval is not None else result.method]


def assumptions(methods: Iterable[str]) -> tuple[str, ...]:
    """What the methods assume, each assumption once."""
    records = [record for record in map(record_of, methods) if record is not None]
    return tuple(dict.fromkeys(clean(one) for record in records for one in record.assumes))


def _sentences(result: Result, cited: Citations) -> Iterator[str]:
    if isinstance(result, Comparison):
        yield from _of_comparison(result, cited)
    elif isinstance(result, Comparisons):
        yield from _of_comparisons(result, cited)
    elif isinstance(result, Evaluation):
        yield from _of_evaluation(result, cited)
    elif isinstance(result, FamilyOutcome):
        yield from _of_family(result, cited)
    elif isinstance(result, TestOutcome):
        yield from _of_test(result, cited)
    elif isinstance(result, Estimate):
        yield (
            f"The estimate of {measure_title(result.measure)} comes from "
            f"{_amount(result)}{_with_interval(result, cited)}."
        )
    elif isinstance(result, Posterior):
        yield (
            f"The posterior of the difference came from {cited.mark(result.method)}, with a region "
            f"of practical equivalence of ±{result.rope:g}."
        )
    elif isinstance(result, Gate):
        yield from _of_gate(result, cited)
    elif isinstance(result, StudyReport | CurveComparison):
        yield from _of_study(result, cited)
    elif isinstance(result, Plan | Simulation):
        yield _of_plan_or_simulation(result, cited)
    elif isinstance(result, Curve):
        yield f"The curve is {clean(result.name)} of {clean_name(result.model)}."


def _of_plan_or_simulation(result: Plan | Simulation, cited: Citations) -> str:
    if isinstance(result, Plan):
        return f"The plan is for {cited.mark(result.method)}, by {clean(result.reference)}."
    names = [cited.mark(name) for name in result.methods]
    worlds = listed(clean(name) for name, _ in result.worlds)
    counts = [cell.replicates for cell in result.cells if cell.replicates is not None]
    how = f"{max(counts):,} samples were drawn" if counts else "all possible samples were listed"
    verb = "was" if len(names) == 1 else "were"
    return f"{listed(names)} {verb} tried where the truth is known (world {worlds}): {how}."


def _of_comparison(result: Comparison, cited: Citations) -> Iterator[str]:
    summary = result.evidence
    names = [clean_name(model) for model in summary.models]
    verb = "were compared"
    if len(names) == 1:
        verb = f"was compared with {clean_name(result.verdicts[0].b)}"
    yield (
        f"{listed(names)} {verb} by {measure_title(result.measure)} ({direction_words(result.direction)}) "
        f"on {counted(summary.n, summary.unit)}"
        + (f" in {summary.clusters:,} clusters." if summary.clusters else ".")
    )
    yield _decision(result, cited)
    if result.measured is not None:
        yield clean(result.measured.sentence)
    if result.margin is not None:
        yield f"The smallest difference that matters was set to {result.margin:g}."
    estimated = _unique(_methods_of(one)[0] for one in result.estimates)
    if estimated:
        yield f"Single models carry {listed(map(cited.mark, estimated))} intervals."
    beside = _unique(name for _, outcome in result.also for name in _methods_of(outcome))
    beside = [name for name in beside if name not in deciding(result)]
    if result.omnibus is not None:
        beside.insert(0, result.omnibus.method)
    if beside:
        yield (
            f"Shown beside, with no part in the decision: {listed(map(cited.mark, beside), most=9)}."
        )
    yield from _of_beliefs([result], cited)
    yield f"The conclusions concern {population(summary.unit, len(summary.models))}."


def _of_beliefs(parts: Iterable[Comparison], cited: Citations) -> Iterator[str]:
    """The models and priors of the probabilities beside the verdicts."""
    found = _unique(
        f"{cited.mark(one.method)} (prior: {clean(one.prior)})"
        for part in parts
        for one in part.posteriors
    )
    if found:
        yield (
            f"The posterior probabilities come from {listed(found)}; they are of each pair by itself and "
            "have no part in the decision either."
        )


def _of_comparisons(result: Comparisons, cited: Citations) -> Iterator[str]:
    summary = result.evidence
    measures = [measure_title(name) for name in result.measures]
    yield (
        f"{listed(map(clean_name, summary.models))} were compared by {listed(measures, most=12)} on "
        f"{counted(summary.n, summary.unit)}"
        + (f" in {summary.clusters:,} clusters" if summary.clusters else "")
        + (f", overall and in {len(result.slices)} slices." if result.slices else ".")
    )
    for name in result.measures:
        part = result.part(name)
        method, *others = deciding(part)
        intervals = [one for one in others if one != method]
        words = f"In {measure_title(name)} the decision rests on {cited.mark(method)}"
        if intervals:
            words += f" with {listed(map(cited.mark, intervals))} intervals of the difference"
        margin = "" if part.margin is None else f"; differences below {part.margin:g} do not matter"
        yield f"{words}{margin}."
    yield (
        f"The {result.questions:,} questions (models, measures and slices together) are one family at "
        f"the {shown_percent(result.level)} level: {adjusted_by(result.adjustment, result.questions)}."
    )
    if result.joint:
        beside = _unique(outcome.method for _, outcome in result.joint)
        yield f"Shown beside, with no part in the decision: {listed(map(cited.mark, beside))}."
    yield from _of_beliefs(result.parts, cited)
    yield f"The conclusions concern {population(summary.unit, len(summary.models))}."


def _of_gate(result: Gate, cited: Citations) -> Iterator[str]:
    summary = result.comparisons[0].evidence
    yield (
        f"{clean_name(result.candidate)} was tested for non-inferiority to {clean_name(result.baseline)} on "
        f"{counted(summary.n, summary.unit)}"
        + (f" in {summary.clusters:,} clusters." if summary.clusters else ".")
    )
    for check, comparison in zip(result.checks, result.comparisons, strict=True):
        method = cited.mark(deciding(comparison)[-1])
        yield (
            f"In {measure_title(check.measure)} the margin was {check.margin:g}; the one-sided bounds at "
            f"{shown_percent(check.level)} are the ends of a {shown_percent(comparison.level)} interval "
            f"({method})."
        )
    if result.rule == "holm":
        yield "The measures were tested together by Holm's step-down."
    elif len(result.checks) > 1:
        yield "All measures had to pass, each at that level."
    yield f"The conclusions concern {population(summary.unit, len(summary.models))}."


def _of_study(result: StudyReport | CurveComparison, cited: Citations) -> Iterator[str]:
    if isinstance(result, CurveComparison):
        yield from _of_curves(result, cited)
        return
    design = dict(result.design)
    yield (
        f"{len(result.evidence.models)} learners ran on {len(result.scores[0].datasets)} data sets with "
        f"{clean(design['splits'])}, all on the same splits."
    )
    for one in result.comparisons[:1]:
        yield from _of_comparison(one, cited)
    if len(result.comparisons) > 1:
        others = listed(measure_title(one.measure) for one in result.comparisons[1:])
        yield (
            f"{others} {'was' if len(result.comparisons) == 2 else 'were'} compared in the same way; the "
            f"{result.questions:,} questions of all measures are one family at the "
            f"{shown_percent(result.level)} level: {adjusted_by(result.adjustment, result.questions)}."
        )
    for curve in result.curves[:1]:
        yield from _of_curves(curve, cited)


def _of_curves(result: CurveComparison, cited: Citations) -> Iterator[str]:
    yield (
        f"Curves carry corrected t intervals at level 1 − α/points (Bonferroni), so that a band holds for "
        f"all points of a curve at {shown_percent(result.level)}."
    )
    tested = _unique(name for one in result.tests for name in _methods_of(one.outcome))
    if tested:
        yield (
            f"Learners were compared at every point by {cited.mark(tested[0])}, with Holm's correction "
            "over all points and pairs."
        )


def _decision(result: Comparison, cited: Citations) -> str:
    method, *others = deciding(result)
    intervals = [name for name in others if name != method]
    words = f"The decision rests on {cited.mark(method)}"
    if intervals:
        of = " of the difference" if len(result.evidence.models) > 1 else ""
        words += f" with {listed(map(cited.mark, intervals))} intervals{of}"
    words += f" at the {shown_percent(result.level)} level"
    record = record_of(method)
    if len(result.verdicts) > 1:
        words += f", over {len(result.verdicts):,} pairs"
        if record is not None and record.gives == "family":
            words += " whose intervals and p-values hold together"
        if result.adjustment:
            words += f" ({adjusted_by(result.adjustment, result.family)})"
        if result.baseline is not None:
            words += f", each against {clean_name(result.baseline)}"
    return words + "."


def _of_evaluation(result: Evaluation, cited: Citations) -> Iterator[str]:
    summary = result.evidence
    measures = _unique(measure_title(one.measure) for one in result.estimates)
    yield (
        f"{listed(clean_name(model) for model in summary.models)} "
        f"{'was' if len(summary.models) == 1 else 'were'} measured by {listed(measures, most=12)} on "
        f"{counted(summary.n, summary.unit)}"
        + (f" in {summary.clusters:,} clusters." if summary.clusters else ".")
    )
    for method in deciding(result):
        used = _unique(
            measure_title(e.measure) for e in result.estimates if method in _methods_of(e)
        )
        yield f"The intervals of {listed(used, most=12)} are {cited.mark(method)} intervals."
    yield (
        f"Intervals have level {shown_percent(result.level)} each, one at a time: they are not made "
        "for comparing models with one another."
    )
    yield f"The conclusions concern {population(summary.unit, len(summary.models))}."


def _of_family(result: FamilyOutcome, cited: Citations) -> Iterator[str]:
    adjusted = method_name(result.adjustment)
    yield (
        f"{len(result.models)} models were compared in {len(result.pairs):,} pairs by "
        f"{listed(map(cited.mark, deciding(result)))}, adjusted together by {adjusted}."
    )
    if result.omnibus is not None:
        yield f"The hypothesis that all are equal was tested by {cited.mark(result.omnibus.method)}."


def _of_test(result: TestOutcome, cited: Citations) -> Iterator[str]:
    sides = {"two-sided": "two-sided", "greater": "one-sided (greater)", "less": "one-sided (less)"}
    yield (
        f"{cited.mark(result.method)}, {sides[result.alternative]}, tested "
        f"{measure_title(result.effect.measure)} against {result.null:g} on {_amount(result.effect)}; "
        f"the effect is given{_with_interval(result.effect, cited)}."
    )


def _amount(estimate: Estimate) -> str:
    return f"{counted(estimate.n, estimate.unit)}"


def _with_interval(estimate: Estimate, cited: Citations) -> str:
    if estimate.interval is None:
        return ""
    level = shown_percent(estimate.interval.level)
    return f" with a {level} interval ({cited.mark(estimate.interval.method)})"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
