"""What a report shows, as plain data: renderers only format it.

Numbers are rounded here and nowhere else; a cell keeps the unrounded ones for CSV.
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

from assay._version import __version__
from assay.compare.measured_levels import place_words
from assay.compare.verdict import is_pseudo_median, winner_first
from assay.core.board_results import Board
from assay.core.errors import UsageError
from assay.core.formatting import (
    as_sentence,
    capital,
    clean,
    clean_name,
    listed,
    say_p,
    shown_percent,
    write_chance,
    write_estimate,
    write_given,
    write_p,
    write_rounded,
)
from assay.core.gate_results import Gate
from assay.core.judge_results import JudgeReport
from assay.core.method_names import method_name
from assay.core.notes import MESSAGES, by_count
from assay.core.plan_results import Plan
from assay.core.results import (
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    EvidenceSummary,
    FamilyOutcome,
    Posterior,
    Result,
    Simulation,
    TestOutcome,
    Verdict,
)
from assay.core.study_results import CurveComparison, StudyReport
from assay.core.vocabulary import (
    TURNED,
    UNIT_PLURAL,
    GateWord,
    VerdictWord,
    counted,
    direction_words,
)
from assay.plots.measure_labels import measure_label, measure_title
from assay.report import curve_tables, family_tables, other_methods, tables
from assay.report.figure_list import (
    ReportFigure,
    comparison_figures,
    curve_figures,
    estimate_figures,
    family_figures,
    outcome_figures,
    posterior_figures,
)
from assay.report.headline import headline
from assay.report.method_titles import interval_of, named_outcome, named_test
from assay.report.methods_paragraph import methods_paragraph
from assay.report.note_lists import NoteView, notes_of
from assay.report.option_names import names_in, with_options
from assay.report.ranking_table import compared
from assay.report.sentences import (
    estimate_sentence,
    family_headline,
    family_sentence,
    outcome_headline,
    outcome_sentence,
    posterior_sentence,
)
from assay.report.tables import ReportTable


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """One number that the reader should see first, with what it is."""

    label: str
    text: str
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """Everything a renderer needs, in the order it is read."""

    title: str
    word: VerdictWord | GateWord | None = None
    glance: str = ""
    """The answer in at most twelve words, where there is one."""
    headline: str = ""
    facts: tuple[Fact, ...] = ()
    figures: tuple[ReportFigure, ...] = ()
    tables: tuple[ReportTable, ...] = ()
    notes: tuple[NoteView, ...] = ()
    assumptions: tuple[str, ...] = ()
    decided: str = ""
    applies: str = ""
    """To what the conclusion applies."""
    does_not_say: str = ""
    evidence: tuple[Fact, ...] = ()
    methods: str = ""
    references: tuple[str, ...] = ()
    command: str = ""
    seed: int | None = None
    version: str = __version__


def applies(view: View) -> str:
    """To what the conclusion applies, and what it leaves open."""
    return " ".join(filter(None, (f"{view.applies}." if view.applies else "", view.does_not_say)))


def view(
    result: Result, *, title: str | None = None, command: str | None = None, typed: str = "cli"
) -> View:
    """The view of a result; ``command`` reproduces it, ``typed`` says whose words name options."""
    found = next((one for kind, one in _BUILDERS.items() if isinstance(result, kind)), None)
    if found is None:
        raise UsageError(f"a report is made from a result of assay; got {type(result).__name__}")
    if isinstance(found, tuple):
        module, name = found
        found = getattr(import_module(f"assay.report.{module}"), name)
    drawn: View = found(result)
    methods = methods_paragraph(result)
    seen = replace(
        drawn,
        title=clean(str(title)) if title else drawn.title,
        methods=methods.paragraph,
        references=methods.references,
        assumptions=methods.assumptions,
        notes=notes_of(result),
        command=clean(str(command or "")),
        seed=getattr(result, "seed", None),
    )
    return seen if typed == "python" else with_options(seen, names_in(result))


def _of_comparison(result: Comparison) -> View:
    names = [clean_name(model) for model in result.evidence.models]
    single = len(result.verdicts) == 1
    against = ""
    if len(names) == 1 and single:
        against = f" with {clean_name(result.verdicts[0].b)}"
    elif result.baseline is not None and not single:
        against = f" with {clean_name(result.baseline)}"
        names = [clean_name(one) for one in result.evidence.models if one != result.baseline]
    subject = listed(names) if len(names) <= 3 else f"{len(names)} models"
    pairs, ranking = tables.pairs(result), compared(result)
    return View(
        title=f"Comparison of {subject}{against} by {measure_title(result.measure)}",
        word=result.verdict.word if single else None,
        glance=headline(result),
        headline=clean(result.sentence or (result.verdict.sentence if single else "")),
        facts=comparison_facts(result),
        figures=comparison_figures(result, pairs, ranking),
        tables=(
            pairs,
            ranking,
            *tables.optional(other_methods.beside(result), other_methods.families(result)),
        ),
        decided=as_sentence(clean(result.choice.reason), clean(result.measure)),
        applies=result.evidence.applies_to,
        does_not_say=clean(result.does_not_say),
        evidence=evidence_facts(result.evidence),
    )


def comparison_facts(result: Comparison) -> tuple[Fact, ...]:
    """What a comparison found, in a few numbers."""
    if len(result.verdicts) == 1:
        return _verdict_facts(result, result.verdict)
    return _family_facts(result)


def _verdict_facts(result: Comparison, verdict: Verdict) -> tuple[Fact, ...]:
    """The effect with its interval first, then p, then the margin and what is needed."""
    if result.baseline is None:
        verdict = winner_first(verdict)
    outcome = verdict.outcome
    measure = measure_label(result.measure, result.direction)
    null = outcome.null
    label = f"{measure}, {clean_name(verdict.a)} − {clean_name(verdict.b)}"
    if null:
        label = f"{measure} of {clean_name(verdict.a)}"
    effect = _effect_fact(outcome, label, margin=result.margin)
    facts = [replace(effect, detail=f"{effect.detail}; {direction_words(result.direction)}")]
    if null:
        facts.append(Fact(label="compared with", text=clean_name(verdict.b).removeprefix("level ")))
    facts.append(_p_fact(outcome, 1 - result.level))
    if tables.record_columns((verdict,)):
        record = tables.record_cell(verdict)
        units = UNIT_PLURAL[outcome.effect.unit]
        facts.append(Fact(label="won-tied-lost", text=record.text, detail=f"{units}, counted"))
    facts += [
        *_chance_facts(result, verdict),
        *measured_facts(result),
        *_margin_facts(result.margin),
    ]
    if verdict.needed is not None:
        need = verdict.needed
        facts.append(
            Fact(
                label="evidence needed",
                text=f"about {counted(need.units, need.unit)}",
                detail=f"{need.have:,} here; {shown_percent(need.power)} power at a difference of "
                f"{write_given(need.margin)}",
            )
        )
    return tuple(facts)


def _chance_facts(result: Comparison, verdict: Verdict) -> list[Fact]:
    """The posterior probabilities beside a verdict, with the model and the prior."""
    shares = (verdict.p_better, verdict.p_equivalent, verdict.p_worse)
    known = [write_chance(share) for share in shares if share is not None]
    if not known:
        return []
    three = len(known) == 3
    return [
        Fact(
            label="P(better / equivalent / worse)" if three else "P(better)",
            text=" / ".join(known if three else known[:1]),
            detail=f"posterior probability ({tables.believed([result])}); for information, the verdict "
            "uses the test",
        )
    ]


def _family_facts(result: Comparison) -> tuple[Fact, ...]:
    words = Counter(verdict.word for verdict in result.verdicts)
    decided = sum(words[word] for word in TURNED)
    differ = by_count(decided, "differs", "differ")
    equivalent = f", {words['equivalent']:,} equivalent" if result.margin is not None else ""
    facts = [
        Fact(
            label="pairs",
            text=f"{len(result.verdicts):,} compared",
            detail=f"{decided:,} {differ} significantly{equivalent}, {words['undecided']:,} inconclusive",
        ),
        Fact(
            label="measure",
            text=measure_label(result.measure, result.direction),
            detail=f"{direction_words(result.direction)}",
        ),
    ]
    if result.omnibus is not None:
        facts.append(omnibus_fact(result.omnibus, 1 - result.level))
    return (*facts, *measured_facts(result), *_margin_facts(result.margin))


def measured_facts(result: Comparison) -> list[Fact]:
    """How often the deciding method errs near this design, where that was measured."""
    found = result.measured
    if found is None:
        return []
    if found.low is None or found.high is None:
        return [
            Fact(
                label="false-positive rate",
                text="not measured",
                detail="no similar design was simulated",
            )
        ]
    low, high = (f"{100 * share:.1f}%" for share in (found.low, found.high))
    drawn = "computed exactly"
    if found.replicates is not None:
        drawn = f"at least {found.replicates:,} simulations each"
    return [
        Fact(
            label="false-positive rate",
            text=low if low == high else f"{low} to {high}",
            detail=f"of the nearest design measured ({place_words(found.at)}; {drawn}), nominal "
            f"{shown_percent(found.nominal)}",
        )
    ]


def _margin_facts(margin: float | None) -> list[Fact]:
    if margin is None:
        return [Fact(label="margin", text="none", detail="equivalence was not tested; set margin=")]
    return [
        Fact(
            label="margin",
            text=f"±{write_given(margin)}",
            detail="the smallest relevant difference",
        )
    ]


def _effect_fact(outcome: TestOutcome, label: str, *, margin: float | None = None) -> Fact:
    effect = outcome.effect
    numbers = write_estimate(effect, signed=not outcome.null, null=outcome.null, margin=margin)
    detail = "no interval"
    if effect.interval is not None:
        level = shown_percent(effect.interval.level)
        kind = "pseudo-median (Hodges–Lehmann), " if is_pseudo_median(effect) else ""
        detail = f"{kind}{level} {interval_of(effect)} interval"
    return Fact(label=label, text=str(numbers), detail=detail)


def _p_fact(outcome: TestOutcome, alpha: float | None) -> Fact:
    side = "" if outcome.alternative == "two-sided" else f", one-sided ({outcome.alternative})"
    text = write_p(outcome, alpha=alpha)
    return Fact(
        label="p-value",
        text=text,
        detail=f"{named_outcome(outcome)}{side}",
    )


def omnibus_fact(outcome: TestOutcome, alpha: float | None) -> Fact:
    """The test of all models at once: Friedman test (Iman–Davenport): F(4, 116) = 14.5, p < .001."""
    details = dict(outcome.details)
    degrees = [details.get(name) for name in ("df1", "df2")]
    p = say_p(outcome, alpha=alpha)
    known = [one for one in degrees if isinstance(one, int | float)]
    if outcome.statistic is not None and len(known) == len(degrees):
        shown = ", ".join(write_rounded(one, 4) for one in known)
        p = f"F({shown}) = {tables.plain_number(outcome.statistic)}, {p}"
    return Fact(
        label="any difference",
        text=p,
        detail=f"{named_test(outcome.method)}; null: all models are equal",
    )


def _of_evaluation(result: Evaluation) -> View:
    names = [clean_name(model) for model in result.evidence.models]
    subject = listed(names) if len(names) <= 3 else f"{len(names)} models"
    measures = listed(dict.fromkeys(measure_title(one.measure) for one in result.estimates))
    its = "each with its" if len(result.estimates) > 1 else "with its"
    return View(
        title=f"Evaluation of {subject}",
        glance=headline(result),
        headline=f"{capital(measures)} of {subject} on "
        f"{_tried(result.evidence)}, {its} {shown_percent(result.level)} interval.",
        facts=tuple(map(_estimate_fact, result.estimates)) if len(names) == 1 else (),
        figures=(
            *estimate_figures(result.estimates, result.level),
            *curve_figures(result.curves),
        ),
        tables=(tables.estimates(result.estimates),),
        applies=result.evidence.applies_to,
        does_not_say="Each interval is for one model at a time. To find out whether one model is better "
        "than another, compare them.",
        evidence=evidence_facts(result.evidence),
    )


def _tried(evidence: EvidenceSummary) -> str:
    """How much was tried: items, answers where items were tried several times, and clusters."""
    if evidence.clusters is None:
        return counted(evidence.n, evidence.unit)
    said = dict(evidence.details)
    if "repeat" in said and said.get("cluster") == said.get("id"):
        return f"{evidence.n:,} answers to {counted(evidence.clusters, evidence.unit)}"
    return f"{counted(evidence.n, evidence.unit)} in {evidence.clusters:,} clusters"


def _estimate_fact(one: Estimate) -> Fact:
    detail = "no interval"
    if one.interval is not None:
        level = shown_percent(one.interval.level)
        detail = f"{level} {interval_of(one)} interval"
    return Fact(label=measure_label(one.measure), text=str(write_estimate(one)), detail=detail)


def _of_test(result: TestOutcome) -> View:
    effect = result.effect
    level = effect.interval.level if effect.interval else None
    facts = [
        _effect_fact(result, measure_label(effect.measure)),
        _p_fact(result, None if level is None else 1 - level),
    ]
    if result.statistic is not None:
        facts.append(Fact(label="statistic", text=tables.plain_number(result.statistic)))
    facts.append(Fact(label="tested against", text=write_given(result.null)))
    facts.append(Fact(label="n", text=f"{counted(effect.n, effect.unit)}"))
    return View(
        title=method_name(result.method),
        glance=outcome_headline(result),
        headline=outcome_sentence(result),
        facts=tuple(facts),
        figures=outcome_figures(result),
        tables=(tables.outcome(result), *tables.optional(tables.details(result.details))),
    )


def _of_estimate(result: Estimate) -> View:
    fact = _estimate_fact(result)
    return View(
        title=f"{measure_title(result.measure)} by {method_name(result.method)}",
        headline=estimate_sentence(result),
        facts=(fact, Fact(label="n", text=f"{counted(result.n, result.unit)}")),
        tables=tables.optional(
            replace(tables.estimates((result,)), told=True), tables.details(result.details)
        ),
    )


def _of_family(result: FamilyOutcome) -> View:
    facts = [
        Fact(label="pairs", text=f"{len(result.pairs):,}", detail=f"{len(result.models)} models"),
        Fact(label="adjustment", text=method_name(result.adjustment)),
    ]
    if result.omnibus is not None:
        facts.append(omnibus_fact(result.omnibus, None))
    return View(
        title=method_name(result.method),
        glance=family_headline(result),
        headline=f"{family_tables.found(result)}{family_sentence(result)}",
        facts=tuple(facts),
        figures=family_figures(result),
        tables=(
            *((tables.estimates(result.estimates),) if result.estimates else ()),
            family_tables.family(result),
            *tables.optional(tables.details(result.details)),
        ),
    )


def _of_posterior(result: Posterior) -> View:
    table = tables.posteriors((result,))
    return View(
        title=method_name(result.method),
        figures=tuple(posterior_figures((result,))),
        headline=posterior_sentence(result),
        tables=tables.optional(table, tables.details(result.details)),
    )


def _of_curve(result: Curve) -> View:
    return View(
        title=f"{clean(result.name)} of {clean_name(result.model)}",
        figures=curve_figures((result,)),
        tables=(curve_tables.curve(result), *tables.optional(tables.details(result.details))),
    )


def evidence_facts(summary: EvidenceSummary) -> tuple[Fact, ...]:
    facts = [Fact(label="recognised", text=clean(summary.description))]
    if summary.sources:
        facts.append(Fact(label="from", text=listed(map(clean, summary.sources))))
    facts.append(Fact(label="n", text=f"{counted(summary.n, summary.unit)}"))
    if summary.truth is not None:
        facts.append(Fact(label="truth", text=clean(summary.truth)))
    if summary.classes:
        facts.append(Fact(label="classes", text=listed(map(clean, summary.classes), most=12)))
    if summary.clusters is not None:
        facts.append(Fact(label="clusters", text=f"{summary.clusters:,}"))
    facts += [
        Fact(label=clean(name), text=tables.plain_number(value))
        for name, value in summary.details
        if not _said_elsewhere(name)
    ]
    return tuple(facts)


def _said_elsewhere(name: str) -> bool:
    """Details that the facts before them, the description or the notes say too."""
    return name in ("truth", "positive", *MESSAGES) or name.startswith("offers:")


_BUILDERS: dict[type[Any], Callable[[Any], View] | tuple[str, str]] = {
    Comparison: _of_comparison,
    Evaluation: _of_evaluation,
    TestOutcome: _of_test,
    Estimate: _of_estimate,
    FamilyOutcome: _of_family,
    Posterior: _of_posterior,
    Curve: _of_curve,
    Comparisons: ("several_view", "view_of_comparisons"),
    Gate: ("gate_view", "view_of_gate"),
    Plan: ("plan_view", "view_of_plan"),
    Simulation: ("simulation_view", "view_of_simulation"),
    StudyReport: ("study_view", "view_of_study"),
    CurveComparison: ("study_view", "view_of_curves"),
    Board: ("board_view", "view_of_board"),
    JudgeReport: ("judge_view", "view_of_judge"),
}
"""What makes the view; by module and name where the module needs this one, and is loaded when asked for."""
