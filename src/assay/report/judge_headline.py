"""The answer about a judge at a glance: whether it grades as people do, and the difference drawn."""

from assay.compare.judge_offset import offsets_of
from assay.core.formatting import listed, shown_percent, write_estimate, write_given
from assay.core.judge_results import JudgeReport
from assay.core.notes import by_count
from assay.core.vocabulary import TURNED
from assay.report import tables
from assay.report.figure_list import ReportFigure
from assay.report.headline import short, short_of


def headline_of_judge(report: JudgeReport) -> str:
    """In at most twelve words; of grades that are no numbers, how far the judge agrees."""
    gaps = offsets_of(report)
    named = listed(short_of(report.judges)) if len(report.judges) < 3 else ""
    if not gaps:
        one = report.estimates[0]
        return f"{short(one.model or report.judges[0])}: {one.measure} with people {write_estimate(one).value}"
    if len(gaps) == 1:
        word = gaps[0][1]
        if word == "equivalent":
            return f"{named} grades like people, within ±{write_given(report.margin)}"
        if word in TURNED:
            return f"{named} grades {word} than people"
        return f"No clear difference between {named} and people"
    apart = sum(word in TURNED for _, word in gaps)
    if not apart:
        return f"No clear difference between {len(gaps)} judges and people"
    differ = by_count(apart, "grades", "grade")
    return f"{apart} of {len(gaps)} judges {differ} differently from people"


def judge_figures(report: JudgeReport) -> tuple[ReportFigure, ...]:
    """The mean differences of grades against zero and the margin, or else the agreement."""
    level = shown_percent(report.level)
    gaps = [one for one, _ in offsets_of(report)]
    shaded = "; the shaded band is the margin" if report.margin else ""
    caption = f"Mean difference of grades on labelled items, judge − people, with its {level} interval{shaded}."
    if not gaps:
        caption = (
            f"Agreement of the judge with people on the labelled items, with {level} intervals."
        )
    return (
        ReportFigure(
            name="judge",
            caption=caption,
            alt=f"{headline_of_judge(report)}. {caption}",
            table=tables.estimates(gaps or report.estimates),
        ),
    )
