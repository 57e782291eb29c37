"""The brief answer of a study: who is better, what the curves say, what is missing."""

from collections import Counter
from collections.abc import Iterable

from assay.core.formatting import capital, clean, clean_name
from assay.core.notes import by_count
from assay.core.study_results import CurveComparison, StudyReport
from assay.report.brief import applies_line, decided_line, letters_line, noted, notes_of
from assay.report.brief_grids import many_grid, pair_grid
from assay.report.brief_lines import Brief, LabelledLine

MOST_NAMED = 3
"""Learners and data sets that a line names for each trend."""
TRENDS = {
    "rising": "rising",
    "falling": "falling",
    "levelled": "levelled off",
    "undecided": "undecided",
}


def brief_of_study(report: StudyReport, hints: dict[str, str]) -> Brief:
    """What was run, who is better by the first measure, then the curves and the gaps."""
    first = report.comparisons[0] if report.comparisons else None
    notes = [*report.notes, *(one for part in report.comparisons for one in noted(part))]
    warnings, details = notes_of(notes, hints)
    single = first is not None and len(first.verdicts) == 1
    grid = None
    if first is not None:
        grid = pair_grid(first) if single else many_grid(first)
    return Brief(
        read=_read(report),
        answer=clean(report.sentence),
        word=first.verdict.word if first is not None and single else None,
        most_lines=3 if single else 2,
        grid=grid,
        spaced=False,
        lines=(
            *(() if grid is None else letters_line(grid)),
            *(() if first is None else (decided_line(first),)),
            *_curve_lines(report.curves),
            *_gap_lines(report),
            applies_line(report),
        ),
        warnings=warnings,
        hints=(details, hints["report"], hints["figure"]),
    )


def _read(report: StudyReport) -> str:
    return capital(clean(report.evidence.description))


def _curve_lines(curves: Iterable[CurveComparison]) -> Iterable[LabelledLine]:
    """How many curves still rise, and whose; a name for each of the first few."""
    found: dict[str, list[str]] = {}
    for curve in curves:
        for one in curve.levelling if curve.curve_kind == "learning" else ():
            found.setdefault(one.trend, []).append(
                f"{clean_name(one.model)} on {clean_name(curve.dataset)}"
            )
    if not found:
        return
    total = sum(map(len, found.values()))
    counts: Counter[str] = Counter({trend: len(names) for trend, names in found.items()})
    said = ", ".join(f"{counts[trend]} {TRENDS[trend]}" for trend in TRENDS if counts[trend])
    rising = found.get("rising", [])
    named = f": {', '.join(rising[:MOST_NAMED])}" if rising else ""
    more = f" and {len(rising) - MOST_NAMED} more" if len(rising) > MOST_NAMED else ""
    yield LabelledLine(
        label="Curves",
        text=f"of {total} learning {by_count(total, 'curve', 'curves')} {said}",
        more=(f" (rising{named}{more})" if rising else "",),
    )


def _gap_lines(report: StudyReport) -> Iterable[LabelledLine]:
    missing = sum(gap.tasks for gap in report.gaps)
    if missing:
        learners = ", ".join(dict.fromkeys(clean_name(gap.learner) for gap in report.gaps))
        reasons = list(dict.fromkeys(clean(gap.reason) for gap in report.gaps))
        yield LabelledLine(
            label="Missing",
            text=f"{missing:,} {by_count(missing, 'score', 'scores')} of {learners}",
            more=(f": {reasons[0]}",) if len(reasons) == 1 else (),
        )
