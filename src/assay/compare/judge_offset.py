"""How far a judge's grades lie above or below people's, against zero and the margin."""

from assay.core.judge_results import JudgeReport
from assay.core.results import Estimate
from assay.core.vocabulary import VerdictWord

GAP = "judge minus people"
"""The measure of the mean difference of grades on the labelled items."""


def offsets_of(report: JudgeReport) -> tuple[tuple[Estimate, VerdictWord], ...]:
    """Each judge's mean difference from people with its verdict; none where grades are no numbers."""
    found = (one for one in report.estimates if one.measure == GAP and one.value is not None)
    return tuple((one, _word(one, report.margin)) for one in found)


def _word(gap: Estimate, margin: float | None) -> VerdictWord:
    """The interval decides: within the margin, beyond zero, or neither."""
    if gap.interval is None:
        return "undecided"
    low, high = gap.interval.low, gap.interval.high
    if margin and -margin < low and high < margin:
        return "equivalent"
    return "higher" if low > 0 else "lower" if high < 0 else "undecided"
