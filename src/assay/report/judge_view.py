"""What a report of a judge shows: agreement, scores corrected and not, what sways it, what it is worth."""

from collections.abc import Iterable

from assay.core.formatting import (
    clean,
    clean_name,
    finest_of,
    say_p,
    shown,
    shown_percent,
    write_estimate,
)
from assay.core.judge_results import JudgeReport
from assay.report import tables
from assay.report.brief import notes_of
from assay.report.brief_grids import drawing_of
from assay.report.brief_lines import Brief, Grid, GridRow, LabelledLine
from assay.report.judge_headline import headline_of_judge, judge_figures
from assay.report.methods_paragraph import Citations
from assay.report.tables import (
    ColumnOf,
    ReportTable,
    estimated,
    number,
    p_value,
    table_of,
    whole,
    with_interval,
    words,
)
from assay.report.views import Fact, View, evidence_facts

UNDEFINED = "undefined"
APPLIES = "this judge on items like the ones that people labelled"


def view_of_judge(report: JudgeReport) -> View:
    """The view of a judge, drawn from the report and from nothing else."""
    return View(
        title=f"Judge: {clean(', '.join(report.judges))}",
        glance=headline_of_judge(report),
        headline=clean(report.sentence),
        facts=_facts(report),
        figures=judge_figures(report),
        tables=(
            answers_table(report),
            agreement_table(report),
            *tables.optional(tests_table(report), worths_table(report)),
        ),
        decided="People's labels are the standard. The judge's grades of all items make estimates more precise.",
        applies=APPLIES,
        does_not_say=clean(report.does_not_say),
        evidence=evidence_facts(report.evidence),
    )


def _facts(report: JudgeReport) -> tuple[Fact, ...]:
    first = report.estimates[0]
    written = write_estimate(first, finest=finest_of(report.estimates))
    interval = f"{shown_percent(report.level)} CI {written.interval}" if first.interval else ""
    facts = [Fact(label=first.measure, text=written.value, detail=interval)]
    facts += [
        Fact(
            label="worth in labels",
            text=f"{one.worth:,.0f}",
            detail=f"{one.labels:,} labels with this judge are as precise",
        )
        for one in report.worths[:1]
    ]
    return tuple(facts)


def answers_table(report: JudgeReport) -> ReportTable:
    """Every model's score three ways."""
    level = shown_percent(report.level)
    return table_of(
        report.answers,
        words("model", lambda one: clean_name(one.model)),
        number(
            "judge alone", lambda one: one.judge_alone, _hundredths, "judge_alone", none=UNDEFINED
        ),
        ColumnOf(
            "people alone",
            ("people", "people_low", "people_high"),
            lambda one: with_interval(one.people_alone),
        ),
        ColumnOf(
            f"corrected, {level} CI",
            ("corrected", "low", "high"),
            lambda one: with_interval(one.corrected, strong=True),
        ),
        name="answers",
        caption="Scores by the judge alone (uncorrected), by people's labels alone, and by both (corrected).",
    )


def _hundredths(value: float) -> str:
    return shown(value, 0.01)


def agreement_table(report: JudgeReport) -> ReportTable:
    level = shown_percent(report.level)
    return table_of(
        report.estimates,
        words("judge", lambda one: clean_name(one.model)),
        words("agreement", lambda one: clean(one.measure)),
        *estimated(("value", f"{level} CI"), lambda one: one, "value", none="no interval"),
        number("labels", lambda one: one.n, whole, "n"),
        name="agreement",
        caption="Agreement of the judge with people on the labelled items.",
    )


def tests_table(report: JudgeReport) -> ReportTable:
    return table_of(
        report.tests,
        words("question", lambda one: clean(one[0])),
        ColumnOf("effect", ("effect", "low", "high"), lambda one: with_interval(one[1].effect)),
        p_value(lambda one: one[1]),
        name="tests",
        caption="What sways the judge: p-values of biases are Holm-adjusted together.",
    )


def worths_table(report: JudgeReport) -> ReportTable:
    """What each judge is worth; of one alone there are no others to compare with."""
    of_panel = ("others without it", "keep") if len(report.worths) < 2 else ()
    keeping = " A judge is worth keeping if the panel loses 5% or more without it."
    return table_of(
        report.worths,
        words("judge", lambda one: clean_name(one.judge)),
        number("labels", lambda one: one.labels, whole),
        number("worth", lambda one: one.worth, whole),
        number("others without it", lambda one: one.without, whole, "without"),
        words("keep", lambda one: {None: "", True: "yes", False: "no"}[one.keep]),
        name="worth",
        caption="What a judge is worth: so many labels alone would be as precise."
        + ("" if of_panel else keeping),
    ).without(*of_panel)


FULL_NAMES = {
    "kappa": "Cohen's kappa",
    "AC1": "Gwet's AC1",
    "alpha": "Krippendorff's alpha",
    "judge minus people": "mean grade, judge − people",
}
"""Coefficients of agreement by those who gave them."""
IN_DETAILS = frozenset({"AC1", "alpha"})
"""Coefficients beside Cohen's kappa, which the brief answer leaves to the details."""


def brief_of_judge(report: JudgeReport, hints: dict[str, str]) -> Brief:
    """What the terminal shows of a judge."""
    warnings, details = notes_of(
        [*report.notes, *(n for one in report.estimates for n in one.notes)], hints
    )
    rows = []
    for one in report.estimates:
        if one.measure in IN_DETAILS:
            continue
        written = write_estimate(one, finest=finest_of(report.estimates))
        difference = one.measure.startswith("judge minus")
        drawing = None if difference else drawing_of(one, "agreement")
        name = f"{clean_name(one.model)}: " if len(report.judges) > 1 else ""
        rows.append(
            GridRow(
                cells=(
                    f"{name}{FULL_NAMES.get(one.measure, clean(one.measure))}",
                    written.value,
                    written.interval or "none",
                    f"{one.n:,}",
                ),
                drawing=drawing,
            )
        )
    return Brief(
        read=_read(report),
        answer=clean(report.sentence),
        most_lines=4,
        grid=Grid(
            heads=("", "value", f"{shown_percent(report.level)} CI", "labels"),
            rows=tuple(rows),
            numbers=frozenset({1, 2, 3}),
        ),
        lines=tuple(_lines(report)),
        warnings=warnings,
        hints=(details, hints["report"]),
    )


def _read(report: JudgeReport) -> str:
    """What was read; a lone model is named beside its score already."""
    said = clean(report.evidence.description)
    return said.partition("; ")[2] if said.startswith("1 model (") else said


def _lines(report: JudgeReport) -> Iterable[LabelledLine]:
    for one in report.answers:
        alone = UNDEFINED if one.judge_alone is None else _hundredths(one.judge_alone)
        people, both = write_estimate(one.people_alone), write_estimate(one.corrected)
        yield LabelledLine(
            label=clean_name(one.model)[:9],
            text=f"{clean(one.measure)} corrected {both}; judge {alone}; people {people.value}",
            most=2,
        )
    for title, test in report.tests:
        p = "" if test.p_value is None else f", {say_p(test)}"
        kind, _, rest = title.partition(": ")
        yield LabelledLine(
            label=kind.capitalize(), text=f"{clean(rest)}: {write_estimate(test.effect)}{p}"
        )
    for worth in report.worths if len(report.worths) > 1 else ():
        kept = "keep" if worth.keep else "adds little"
        without = "" if worth.without is None else f"; the others without it {worth.without:,.0f}"
        yield LabelledLine(
            label="Worth",
            text=f"{clean_name(worth.judge)}: {worth.worth:,.0f} labels{without} ({kept})",
        )
    yield LabelledLine(label="Applies", text=f"to {APPLIES}")


def judge_sentences(report: JudgeReport, cited: Citations) -> Iterable[str]:
    """How the judge was measured, fit to be quoted."""
    named = dict.fromkeys(one.method for one in report.estimates)
    yield (
        f"Agreement of {clean(' and '.join(report.judges))} with people was measured on the labelled items"
        f"{cited.numbers(*named)}."
    )
    used = dict.fromkeys(one.corrected.method for one in report.answers)
    yield f"Scores were corrected by people's labels{cited.numbers(*used)}."
    if report.tests:
        kinds = dict.fromkeys(one.method for _, one in report.tests)
        yield f"Bias, position and drift were tested{cited.numbers(*kinds)}; p-values of biases are Holm-adjusted."
    yield f"The conclusions apply to {APPLIES}."
