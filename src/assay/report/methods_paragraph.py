"""The words of reports: names of methods, and the methods paragraph with its references."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from assay._version import __version__
from assay.compare.gate_sentences import only_margins
from assay.core.board_results import Board
from assay.core.errors import UsageError
from assay.core.formatting import (
    capital,
    clean,
    clean_name,
    listed,
    say_alpha,
    shown_percent,
    write_given,
)
from assay.core.gate_results import Gate, GateCheck
from assay.core.judge_results import JudgeReport
from assay.core.method_names import method_name
from assay.core.methods import Method, find_method
from assay.core.plan_results import Plan
from assay.core.results import (
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Posterior,
    Result,
    Simulation,
    TestOutcome,
)
from assay.core.study_results import CurveComparison, StudyReport
from assay.core.vocabulary import counted, direction_words
from assay.plots.measure_labels import measure_title
from assay.report.method_titles import by_test, named_interval
from assay.report.references import works


def adjusted_by(adjustment: str, questions: int) -> str:
    """How a family of questions is held together."""
    if not adjustment or questions < 2:
        return "not adjusted (one comparison)"
    by = {"holm": "Holm-adjusted", "max-t": "simultaneous (max-t)"}
    return f"{by.get(adjustment, method_name(adjustment))} over {questions:,} comparisons"


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
        return f"{method_name(method)}{self.numbers(method)}"

    def test(self, method: str, *, but: str = "") -> str:
        """A test as it stands after *by*, with the numbers of its works: McNemar's test [1].

        Those of the correction ``but`` are left out, where it is cited itself.
        """
        return f"{by_test(method)}{self.numbers(method, but=but)}"

    def intervals(self, methods: Sequence[str]) -> str:
        """Intervals with the numbers of their works: Tango and t intervals [2, 3]."""
        names = listed(dict.fromkeys(map(named_interval, methods)))
        return f"{names} intervals{self.numbers(*methods)}"

    def numbers(self, *methods: str, but: str = "") -> str:
        """The numbers of the works of methods, after a space; nothing where they have none."""
        known, other = [
            [work for record in map(record_of, names) if record for work in works(record.reference)]
            for names in (methods, (but,) if but else ())
        ]
        found = [self._number(work) for work in known if work not in other]
        listed_once = ", ".join(map(str, dict.fromkeys(found)))
        return f" [{listed_once}]" if found else ""

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
        sentences.append(f"The random seed was {seed}.")
    sentences.append(f"Computations used assay {__version__}.")
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
    if isinstance(result, Comparison | Board):
        found += _chosen(result)
    elif isinstance(result, Comparisons):
        found += [name for part in result.parts for name in deciding(part)]
    elif isinstance(result, Evaluation | JudgeReport):
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


def _chosen(result: Comparison | Board) -> list[str]:
    if isinstance(result, Board):
        return [result.choice.method, "winner_score"]
    others = [name for verdict in result.verdicts for name in _methods_of(verdict.outcome)]
    return [result.choice.method, *others]


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
            f"{capital(measure_title(result.measure))} was estimated from "
            f"{_amount(result)}{_with_interval(result, cited)}."
        )
    elif isinstance(result, Posterior):
        yield (
            f"The posterior of the difference was computed by {cited.mark(result.method)}, with a region "
            f"of practical equivalence of ±{write_given(result.rope)}."
        )
    elif isinstance(result, Gate | Board | JudgeReport):
        yield from _of_gate(result, cited) if isinstance(result, Gate) else _of_board(result, cited)
    elif isinstance(result, StudyReport | CurveComparison):
        yield from _of_study(result, cited)
    elif isinstance(result, Plan | Simulation):
        yield _of_plan_or_simulation(result, cited)
    elif isinstance(result, Curve):
        yield f"The curve is {clean(result.name)} of {clean_name(result.model)}."


def _of_plan_or_simulation(result: Plan | Simulation, cited: Citations) -> str:
    if isinstance(result, Plan):
        return f"The study was planned for {cited.test(result.method)}, after {clean(result.reference)}."
    names = [cited.mark(name) for name in result.methods]
    worlds = listed(clean(name) for name, _ in result.worlds)
    counts = [cell.replicates for cell in result.cells if cell.replicates is not None]
    how = f"{max(counts):,} simulated samples" if counts else "all possible samples"
    verb = "was" if len(names) == 1 else "were"
    return f"{listed(names)} {verb} applied to {how} with known truth ({worlds})."


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
    if result.omnibus is not None:
        yield f"The null hypothesis of no differences was tested by {cited.test(result.omnibus.method)}."
    estimated = _unique(_methods_of(one)[0] for one in result.estimates)
    if estimated:
        yield (
            f"Single models are given with {shown_percent(result.level)} {cited.intervals(estimated)}."
        )
    if result.margin is not None:
        yield f"Differences of less than {write_given(result.margin)} were considered irrelevant (margin)."
    if result.measured is not None:
        yield clean(result.measured.sentence)
    yield from _of_beliefs([result], cited)
    yield f"The conclusions apply to {summary.applies_to}."


def _of_beliefs(parts: Iterable[Comparison], cited: Citations) -> Iterator[str]:
    """The models and priors of the probabilities beside the verdicts."""
    found = _unique(
        f"{cited.mark(one.method)} (prior: {clean(one.prior)})"
        for part in parts
        for one in part.posteriors
    )
    if found:
        yield (
            f"For information, posterior probabilities were computed pair by pair: {listed(found)}."
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
        words = f"Differences in {measure_title(name)} were tested by {cited.test(method)}"
        if intervals:
            words += f" with {cited.intervals(intervals)}"
        margin = "" if part.margin is None else f", with a margin of {write_given(part.margin)}"
        yield f"{words}{margin}."
    yield (
        f"Intervals and p-values are {adjusted_by(result.adjustment, result.questions)} (models, measures "
        f"and slices), α = {say_alpha(result.level)}."
    )
    if result.joint:
        tests = _unique(outcome.method for _, outcome in result.joint)
        yield f"All measures together were tested by {listed(map(cited.test, tests))}, for information."
    yield from _of_beliefs(result.parts, cited)
    yield f"The conclusions apply to {summary.applies_to}."


def _required(check: GateCheck, measure: str) -> str:
    """What a check had to show, as a clause."""
    if check.required is not None:
        return f"{measure} was required to be {check.asks.replace('-', ' ')} {write_given(check.required)}"
    if check.asks == "better":
        return f"the gain in {measure} was required to exceed {write_given(check.margin)}"
    return f"a loss in {measure} was required to be smaller than {write_given(check.margin)}"


def _of_gate(result: Gate, cited: Citations) -> Iterator[str]:
    plain = only_margins(result.checks)
    summary = result.comparisons[0].evidence if result.comparisons else None
    tested = "tested for non-inferiority to" if plain else "compared with"
    against = "what was required" if result.baseline is None else clean_name(result.baseline)
    if summary is not None:
        yield (
            f"{clean_name(result.candidate)} was {tested} {against} on "
            f"{counted(summary.n, summary.unit)}"
            + (f" in {summary.clusters:,} clusters." if summary.clusters else ".")
        )
    for check, comparison in _rested_on(result):
        method = cited.intervals(deciding(comparison)[-1:])
        measure = measure_title(check.measure)
        asked = f"The margin for {measure} was {write_given(check.margin)}"
        if not plain:
            asked = _required(check, measure)
        yield (
            f"{capital(asked)}; one-sided tests at {shown_percent(round(check.level, 4))} "
            f"used the ends of {shown_percent(round(comparison.level, 4))} {method}."
        )
    if any(check.item is not None for check in result.checks):
        level = next(check.required for check in result.checks if check.item is not None)
        yield (
            f"The share of right repeats of each item had to reach {write_given(level)} (exact binomial bounds)."
        )
    if result.rule == "holm":
        yield "The measures were tested together by Holm's step-down procedure."
    elif result.rule == "family":
        yield (
            f"All {len(result.checks)} checks had to pass (intersection–union); failures are "
            "Holm-adjusted over them."
        )
    elif len(result.checks) > 1:
        yield "Every measure had to pass, each at that level."
    if summary is not None:
        yield f"The conclusions apply to {summary.applies_to}."


def _rested_on(result: Gate) -> Iterator[tuple[GateCheck, Comparison]]:
    """The checks on all items, each with the comparison that it rests on."""
    checks = [check for check in result.checks if check.item is None and check.slice is None]
    return zip(checks, [one for one in result.comparisons if one.slice is None], strict=True)


def _of_board(result: Board | JudgeReport, cited: Citations) -> Iterable[str]:
    if isinstance(result, JudgeReport):
        from assay.report.judge_view import judge_sentences  # which needs this module

        return judge_sentences(result, cited)
    from assay.report.board_view import board_sentences  # which needs this module

    return board_sentences(result, cited)


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
            f"{result.questions:,} comparisons of all measures are one family at the "
            f"{shown_percent(result.level)} level ({adjusted_by(result.adjustment, result.questions)})."
        )
    for curve in result.curves[:1]:
        yield from _of_curves(curve, cited)


def _of_curves(result: CurveComparison, cited: Citations) -> Iterator[str]:
    method = dict(result.curves[0].details).get("interval")
    named = "t" if method is None else named_interval(str(method))
    yield (
        f"Curves are given with {named} intervals, Bonferroni-adjusted so that a band covers all points "
        f"of a curve at {shown_percent(result.level)}."
    )
    tested = _unique(name for one in result.tests for name in _methods_of(one.outcome))
    if tested:
        yield (
            f"Learners were compared at every point by {cited.test(tested[0])} with Holm's correction "
            "over all points and pairs."
        )


def _decision(result: Comparison, cited: Citations) -> str:
    """The deciding test, its intervals, the correction and the level, fit to be quoted."""
    method, *others = deciding(result)
    corrected = result.adjustment == "holm" and len(result.verdicts) > 1
    test = cited.test(method, but="holm" if corrected else "")
    intervals = [name for name in others if name != method]
    if len(result.evidence.models) == 1:
        words = f"The difference from that level was tested by {test}"
    elif len(result.verdicts) == 1:
        words = f"The models were compared by {test}"
    elif result.baseline is not None:
        words = f"Models were compared with {clean_name(result.baseline)} by {test}"
    else:
        words = f"Pairs of models were compared by {test}"
    if corrected:
        words += f" with Holm's correction{cited.numbers('holm')}"
    words += f" (two-sided, α = {say_alpha(result.level)}"
    if len(result.verdicts) > 1:
        words += f", {len(result.verdicts):,} pairs"
    words += ")"
    if intervals:
        words += f", with {cited.intervals(intervals)} for the difference"
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
        yield f"{capital(listed(used, most=12))} is given with {cited.intervals([method])}."
    yield (
        f"Each interval has a confidence level of {shown_percent(result.level)} for one model; intervals "
        "are not adjusted for comparing models."
    )
    yield f"The conclusions apply to {summary.applies_to}."


def _of_family(result: FamilyOutcome, cited: Citations) -> Iterator[str]:
    adjusted = method_name(result.adjustment)
    found = [name for name in deciding(result) if name != result.method]
    intervals = _unique(
        one.effect.interval.method for one in result.outcomes if one.effect.interval
    )
    tests = [name for name in found if name not in intervals] or [result.method]
    with_ = [name for name in intervals if name not in tests]
    yield (
        f"{len(result.models)} models were compared in {len(result.pairs):,} pairs by "
        f"{listed(map(cited.test, tests))}"
        + (f" with {cited.intervals(with_)}" if with_ else "")
        + f" ({adjusted} adjustment)."
    )
    if result.omnibus is not None:
        yield f"The null hypothesis of no differences was tested by {cited.test(result.omnibus.method)}."


def _of_test(result: TestOutcome, cited: Citations) -> Iterator[str]:
    sides = {"two-sided": "two-sided", "greater": "one-sided (greater)", "less": "one-sided (less)"}
    yield (
        f"{capital(measure_title(result.effect.measure))} was tested against {write_given(result.null)} by "
        f"{cited.test(result.method)} ({sides[result.alternative]}) on {_amount(result.effect)}"
        f"{_with_interval(result.effect, cited)}."
    )


def _amount(estimate: Estimate) -> str:
    return f"{counted(estimate.n, estimate.unit)}"


def _with_interval(estimate: Estimate, cited: Citations) -> str:
    if estimate.interval is None:
        return ""
    level = shown_percent(estimate.interval.level)
    method = estimate.interval.method
    return f", with a {level} {named_interval(method)} interval{cited.numbers(method)}"


def _unique(names: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(names))
