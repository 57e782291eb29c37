"""What a report of a study shows: scores, who is better, the curves and their answers, what is missing."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any

from assay.core.formatting import (
    as_sentence,
    capital,
    clean,
    clean_name,
    finest_of,
    listed,
    shown,
    shown_percent,
    write_estimate,
    write_given,
    write_number,
    write_rounded,
)
from assay.core.methods import record_of
from assay.core.results import Comparison, Estimate
from assay.core.study_results import (
    Crossing,
    CurveComparison,
    Levelling,
    PointTest,
    ScoreTable,
    StudyGap,
    StudyReport,
    TuningSummary,
)
from assay.evidence.cell_text import plural
from assay.plots.measure_labels import direction_of, measure_label
from assay.report import other_methods, tables
from assay.report.curve_tables import points
from assay.report.figure_list import ReportFigure, comparison_figures
from assay.report.headline import best_first, headline
from assay.report.methods_paragraph import adjusted_by
from assay.report.ranking_table import compared
from assay.report.tables import (
    Cell,
    Column,
    ColumnOf,
    ReportTable,
    ends_of,
    estimated,
    number,
    p_value,
    table_of,
    whole,
    words,
)
from assay.report.views import Fact, View, evidence_facts

MOST_CURVES = 12
"""Figures of curves in one report; all curves are in its tables and in the JSON."""
_AXIS = {"learning": "training items", "noise": "noise level"}
_OPEN = "Means over splits do not describe the final model trained on all data."


def view_of_study(report: StudyReport) -> View:
    """The view of a study, drawn from its report and from nothing else."""
    first = report.comparisons[0] if report.comparisons else None
    single = first is not None and len(first.verdicts) == 1
    return View(
        title=f"Study {clean(report.name)}",
        word=first.verdict.word if first is not None and single else None,
        glance=headline(first) if first is not None else "",
        headline=clean(report.sentence),
        facts=(
            *(Fact(label=clean(name), text=clean(text)) for name, text in report.design),
            *_held_facts(report),
        ),
        figures=(
            *(_of_part(0, one) for one in (comparison_figures(first) if first else ())),
            *(
                _curve_figure(one, f"curve:{place}")
                for place, one in enumerate(report.curves[:MOST_CURVES])
            ),
        ),
        tables=tuple(_study_tables(report)),
        decided=clean(" ".join(_decided(report))),
        does_not_say=f"{clean(first.does_not_say)} {_OPEN}" if first is not None else _OPEN,
        evidence=evidence_facts(report.evidence),
    )


def _held_facts(report: StudyReport) -> list[Fact]:
    """How the pairs of all measures are held together, where there is more than one question."""
    if report.questions < 2:
        return []
    measures = plural(len(report.comparisons), "measure")
    return [
        Fact(
            label="correction",
            text=adjusted_by(report.adjustment, report.questions),
            detail=f"all pairs in {measures}; of intervals and p-values",
        )
    ]


def _decided(report: StudyReport) -> Iterable[str]:
    """Why the procedure fits, and what makes of all measures one family."""
    if not report.comparisons:
        return
    first, *others = report.comparisons
    yield as_sentence(first.choice.reason, first.measure)
    if others:
        yield (
            f"The {report.questions:,} comparisons, all pairs in {listed(one.measure for one in report.comparisons)}, "
            f"are one family: {adjusted_by(report.adjustment, report.questions)}."
        )


def _of_part(place: int, figure: ReportFigure) -> ReportFigure:
    return replace(figure, name=f"part:{place}:{figure.name}")


def _study_tables(report: StudyReport) -> Iterable[ReportTable]:
    yield from tables.optional(_gaps(report.gaps), _refused(report.refused))
    ranked = {one.measure: best_first(one) for one in report.comparisons}
    for means in report.scores:
        yield score_table(means, ranked.get(means.measure, []), report.level)
    for one in report.comparisons:
        yield from _named(one)
    for curve in report.curves:
        yield from _curve_tables(curve)
    yield from tables.optional(_tuning(report.tuning))


def _named(one: Comparison) -> tuple[ReportTable, ...]:
    """The tables of a comparison, each named for its measure."""
    found = (tables.pairs(one), compared(one), *tables.optional(other_methods.beside(one)))
    return tuple(replace(table, name=f"{table.name} {one.measure}", told=False) for table in found)


def view_of_curves(found: CurveComparison) -> View:
    """The view of curves compared at every point."""
    words = _kind_words(found)
    what = f"{capital(words)} on {clean_name(found.dataset)}"
    answers = [one.sentence for one in found.levelling]
    return View(
        title=f"{what}, by {measure_label(found.measure)}",
        headline=clean(" ".join(answers) if answers else _crossed(found.crossings)),
        facts=(
            Fact(label="points", text=_points_words(found)),
            Fact(label="bands", text=f"{shown_percent(found.level)}, for all points of a curve"),
        ),
        figures=(_curve_figure(found, "learning"),),
        tables=tuple(_curve_tables(found)),
        does_not_say="Nothing was measured between the points, and beyond the last one a forecast "
        "holds only if its law does.",
    )


def _kind_words(found: CurveComparison) -> str:
    return f"{found.kind} curves{f' (noise on {found.noise_on})' if found.noise_on else ''}"


def _points_words(found: CurveComparison) -> str:
    at = sorted({point for curve in found.curves for point in curve.columns[0][1]})
    return listed((write_given(value) for value in at), most=12)


def _curve_figure(found: CurveComparison, name: str) -> ReportFigure:
    learners = listed(clean_name(curve.model) for curve in found.curves)
    words = _kind_words(found)
    caption = (
        f"{capital(words)}, {clean_name(found.dataset)}: "
        f"{measure_label(found.measure)} by {_AXIS.get(found.kind, found.kind)}, with "
        f"{shown_percent(found.level)} bands for all points of a curve."
    )
    return ReportFigure(
        name=name, caption=caption, alt=f"{caption} Learners: {learners}.", table=_points(found)
    )


def _points(found: CurveComparison) -> ReportTable:
    table = points(list(found.curves))
    return replace(table, name=f"{found.kind} {found.noise_on or ''} {found.dataset}".strip())


def _curve_tables(found: CurveComparison) -> Iterable[ReportTable]:
    label = f"{found.kind} {found.dataset}"
    if found.noise_on:
        label = f"{found.kind} on {found.noise_on} {found.dataset}"
    yield from tables.optional(
        _levelling(found.levelling, found, label),
        _crossings(found.crossings, found, label),
        _tests(found.tests, found, label),
    )


def _levelling(answers: tuple[Levelling, ...], found: CurveComparison, label: str) -> ReportTable:
    how: dict[str, Any] = {"signed": True, "null": 0.0}
    return table_of(
        answers,
        words("learner", lambda one: clean_name(one.model)),
        words("answer", lambda one: one.trend),
        number("from", lambda one: one.start, whole),
        number("to", lambda one: one.end, whole),
        *estimated(
            ("change", "interval"),
            lambda one: one.gain.effect,
            "change",
            none="",
            margin=found.margin,
            **how,
        ),
        ColumnOf(
            "another doubling",
            ("forecast",),
            lambda one: (
                Cell(text="no forecast", numbers=(None,))
                if one.next_doubling is None
                else Cell(
                    text=str(write_estimate(one.next_doubling, **how)),
                    numbers=(one.next_doubling.value,),
                )
            ),
        ),
        name=f"levelling {label}",
        caption=f"Would more data help on {clean_name(found.dataset)}? The change of "
        f"{measure_label(found.measure)} between two sizes of the training set, 'from' and 'to'.",
    )


def _crossings(crossings: tuple[Crossing, ...], found: CurveComparison, label: str) -> ReportTable:
    return table_of(
        crossings,
        words("higher before", lambda one: clean_name(one.a)),
        words("higher after", lambda one: clean_name(one.b)),
        number("at", lambda one: one.at, lambda at: shown(at, 0.01 * max(abs(at), 1.0))),
        words("established", _where),
        name=f"crossings {label}",
        caption=f"Where {_kind_words(found)} cross on {clean_name(found.dataset)}. A crossing is established if the "
        "adjusted tests find one learner ahead before it and the other after it.",
    )


def _where(one: Crossing) -> str:
    if not one.established or one.low is None or one.high is None:
        return "no, may be chance"
    return f"yes, between {write_number(one.low)} and {write_number(one.high)}"


def _crossed(crossings: tuple[Crossing, ...]) -> str:
    sure = [one for one in crossings if one.established]
    if not sure:
        return "No crossing of two curves is established."
    return " ".join(
        f"{one.a} is ahead before and {one.b} after {write_rounded(one.at, 3)}." for one in sure
    )


def _tests(tests: tuple[PointTest, ...], found: CurveComparison, label: str) -> ReportTable:
    alpha, lower = 1 - found.level, direction_of(found.measure) == "lower"
    return table_of(
        [_ahead_first(one, lower=lower) for one in tests],
        number(_AXIS.get(found.kind, found.kind), lambda one: one.at, write_given, "at"),
        words("first", lambda one: clean_name(one.a)),
        words("second", lambda one: clean_name(one.b)),
        *estimated(
            ("difference", "interval"),
            lambda one: one.outcome.effect,
            "difference",
            none="",
            signed=True,
            null=0.0,
        ),
        p_value(lambda one: one.outcome, alpha),
        name=f"points {label}",
        caption=f"Every point of the {_kind_words(found)} on {clean_name(found.dataset)}, first − second in "
        f"{measure_label(found.measure)}; intervals and p adjusted for all points and pairs (Holm).",
    )


def _ahead_first(one: PointTest, *, lower: bool) -> PointTest:
    """A point and a pair, whoever is ahead there first."""
    effect = one.outcome.effect
    if not effect.value or (effect.value > 0.0) != lower:
        return one
    turned = replace(one.outcome, effect=effect.negated())
    return replace(one, a=one.b, b=one.a, outcome=turned)


def score_table(one: ScoreTable, best: Sequence[str], level: float) -> ReportTable:
    """Learners in the order of their comparison, the best first; without one as they were named."""
    sign = 1.0 if one.direction == "higher" else -1.0
    learners = [name for name in best if name in one.learners]
    learners += [name for name in one.learners if name not in learners]
    means = _means(one)
    finest = finest_of(means.values()) or 0.01
    rows = []
    for name in one.datasets:
        found = [means[name, learner] for learner in learners]
        known = [sign * mean.value for mean in found if mean.value is not None]
        best_said = (
            shown(sign * max(known), finest) if known else ""
        )  # all that look like it are bold
        rows.append(
            (Cell(text=clean_name(name)), *(_mean_cell(mean, finest, best_said) for mean in found))
        )
    used = {mean.interval.method for mean in means.values() if mean.interval is not None}
    kinds = " or ".join(sorted(getattr(record_of(one), "interval", "") or one for one in used))
    spread = f" with {shown_percent(level)} intervals ({kinds})" if used else ""
    known_some = any(mean.value is not None for mean in means.values())
    alone = " One split of a data set gives no interval." if known_some and not used else ""
    names = list(map(clean_name, learners))
    return ReportTable(
        name=f"scores {one.measure}",
        caption=f"Mean {measure_label(one.measure, one.direction)} over the splits{spread}; the best of "
        f"each data set is bold. A learner without a score on every split has no mean.{alone}",
        columns=(
            Column(name="data set"),
            *(Column(name=name, parts=(name, f"{name} low", f"{name} high")) for name in names),
        ),
        rows=tuple(rows),
    )


def _means(one: ScoreTable) -> dict[tuple[str, str], Estimate]:
    """The mean of each learner on each data set, by their names."""
    none = tuple((None,) * len(one.learners) for _ in one.datasets)
    return {
        (dataset, learner): Estimate(
            measure=one.measure, value=value, interval=interval, method="mean", n=1, unit="fold",
            model=learner,
        )
        for dataset, values, intervals in zip(
            one.datasets, one.values, one.intervals or none, strict=True
        )
        for learner, value, interval in zip(one.learners, values, intervals, strict=True)
    }  # fmt: skip


def _mean_cell(mean: Estimate, finest: float, best: str) -> Cell:
    value = shown(mean.value, finest)
    text = str(write_estimate(mean, finest=finest)) if mean.interval is not None else value
    if mean.value is None:
        text = "no mean"
    ends = ends_of(mean.interval)
    return Cell(
        text=text, numbers=(mean.value, *ends), strong=mean.value is not None and value == best
    )


def _gaps(found: tuple[StudyGap, ...]) -> ReportTable:
    return table_of(
        found,
        words("learner", lambda one: clean_name(one.learner)),
        number("tasks", lambda one: one.tasks, whole),
        words("data sets", lambda one: listed(map(clean_name, one.datasets), most=4)),
        words("why", lambda one: clean(one.reason)),
        name="missing",
        caption="Scores that are missing, and why.",
    )


def _refused(found: tuple[tuple[str, str], ...]) -> ReportTable:
    return table_of(
        found,
        words("measure", lambda one: clean(one[0])),
        words("why", lambda one: clean(one[1])),
        name="not compared",
        caption="Measures in which the learners were not compared.",
    )


def _tuning(found: tuple[TuningSummary, ...]) -> ReportTable:
    return table_of(
        found,
        words("data set", lambda one: clean_name(one.dataset)),
        words("learner", lambda one: clean_name(one.learner)),
        words("measure", lambda one: clean(one.measure)),
        *(number(name, attrgetter(name), _hundredths) for name in ("outer", "inner", "optimism")),
        words(
            "chosen most often", lambda one: f"{clean(one.wins[0][0])} ({one.wins[0][1]} splits)"
        ),
        name="tuning",
        caption="Tuned learners: the outer score is honest; the inner one chose the settings, and "
        "flatters by the optimism.",
    )


def _hundredths(value: float) -> str:
    return shown(value, 0.01)
