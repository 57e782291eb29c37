"""Which figures a result is drawn in: each by its name, with words and a table beside it."""

from collections.abc import Sequence
from dataclasses import dataclass

from assay.compare.verdict import beliefs_as_listed
from assay.core.formatting import clean, clean_name, listed, shown_percent
from assay.core.results import Comparison, Curve, Estimate, FamilyOutcome, Posterior, TestOutcome
from assay.plots.measure_labels import measure_label
from assay.plots.pair_decisions import MOST_PAIRS
from assay.report import curve_tables, family_tables, tables
from assay.report.figure_tables import ranked, ranks_table
from assay.report.ranking_table import compared
from assay.report.tables import ReportTable

_ROC_COLUMNS = ("fpr", "tpr", "low", "high")
_CURVES: dict[str, tuple[set[str], str]] = {
    "roc": (
        {"fpr", "tpr"},
        "ROC curves; the dotted diagonal is a model that guesses.",
    ),
    "precision_recall": (
        {"recall", "precision"},
        "Precision-recall curves; the dotted line is the share of positives.",
    ),
    "calibration": (
        {"predicted", "observed"},
        "Calibration: on the dotted line what was predicted came true as often as predicted.",
    ),
    "sequence": (
        {"items", "difference", "low", "high"},
        "Confidence sequences: mean differences over the items in the order in which they came. "
        "Limits hold at every look; a dot marks where zero was first excluded.",
    ),
    "profiles": (
        {"threshold", "share"},
        "Performance profiles: the share of runs above each score.",
    ),
    "qq": (
        {"normal", "values"},
        "Q-Q plot: on the line values are as a normal distribution has them.",
    ),
}
"""The figures of curves: the columns each needs, and its caption."""
_LONE = {
    "roc": (
        "ROC curve with its convex hull and, where items are independent, a band for the whole "
        "curve. The dotted diagonal is a model that guesses."
    ),
    "precision_recall": "Precision-recall curve and, where items are independent, a band that holds the "
    "whole curve; the dotted line is the share of positives.",
}
"""Captions of figures with one model, which show more of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportFigure:
    """A figure by name; ``table`` holds what it draws, for those who cannot see it; ``folded``: it can wait."""

    name: str
    caption: str
    alt: str
    table: ReportTable
    folded: bool = False


def comparison_figures(
    result: Comparison, pairs: ReportTable | None = None, ranking: ReportTable | None = None
) -> tuple[ReportFigure, ...]:
    """What a comparison draws; its tables of pairs and of models, where they are made already."""
    level = shown_percent(result.level)
    drawable = [v for v in result.verdicts if v.outcome.effect.value is not None]
    figures = _rank_figures(result, "ranks")
    matrix = _matrix_figures(result, ranking)
    many = bool(matrix) and len(drawable) > MOST_PAIRS
    differences: list[ReportFigure] = []
    if drawable:
        shaded = "; the shaded band is the margin" if result.margin is not None else ""
        order = "" if len(drawable) == 1 else ", significant ones first"
        order = order if result.baseline is None else ", best first"
        differences.append(
            ReportFigure(
                name="differences",
                caption=f"Differences in {measure_label(result.measure, result.direction)} with "
                f"{level} intervals{order}{shaded}.{tables.held_together(result)}",
                alt=f"Forest plot of {len(drawable)} differences. {clean(result.sentence)}",
                table=pairs or tables.pairs(result),
                folded=many,
            )
        )
    figures += [*matrix, *differences] if many else [*differences, *matrix]
    if len(result.estimates) > 1:
        figures += estimate_figures(result.estimates, result.level)
    figures += curve_figures(result.curves)
    if len(result.verdicts) == 1:  # of many pairs the table has the probabilities
        figures += posterior_figures(beliefs_as_listed(result))
    for title, family in result.families:  # shown beside: the verdicts above do not rest on them
        if "critical_difference" in dict(family.details):
            figures += _rank_figures(family, f"ranks:{title}")
    return tuple(figures)


def _rank_figures(result: Comparison | FamilyOutcome, name: str) -> list[ReportFigure]:
    """The critical-difference diagram, where there are mean ranks to draw."""
    decisions = ranked(result)
    if decisions is None:
        return []
    who = "which models do not differ significantly"
    if decisions.control is not None:
        who = f"which models differ significantly from {clean_name(decisions.control)}"
    return [
        ReportFigure(
            name=name,
            caption=f"Mean ranks, best left, and {who} ({decisions.test}).",
            alt=f"Diagram of the mean ranks of {len(decisions.models)} models, and {who}.",
            table=ranks_table(decisions),
        )
    ]


def _matrix_figures(result: Comparison, ranking: ReportTable | None) -> list[ReportFigure]:
    """All pairs at once, where there are more than two models and every pair was compared."""
    models = len(result.evidence.models)
    if models < 3 or len(result.verdicts) != models * (models - 1) // 2:
        return []
    return [
        ReportFigure(
            name="matrix",
            caption=f"Differences in {measure_label(result.measure, result.direction)}, row − "
            f"column, best first; the marks are the verdicts.{tables.held_together(result)}",
            alt=f"Matrix of the {len(result.verdicts):,} differences with their verdicts. "
            f"{clean(result.sentence)}",
            table=ranking or compared(result),
        )
    ]


def posterior_figures(posteriors: tuple[Posterior, ...]) -> list[ReportFigure]:
    table = tables.posteriors(posteriors)
    if table is None:
        return []
    where = "below, within and above the region of practical equivalence"
    if not any(belief.rope for belief in posteriors):
        where = "below and above zero"
    return [
        ReportFigure(
            name="posterior",
            caption=f"Posterior probabilities that the difference (first − second) is {where}.",
            alt="Bars of posterior probabilities.",
            table=table,
        )
    ]


def estimate_figures(estimates: Sequence[Estimate], level: float) -> list[ReportFigure]:
    figures = []
    for measure in dict.fromkeys(one.measure for one in estimates):
        rows = [one for one in estimates if one.measure == measure and one.value is not None]
        if rows:
            name = measure_label(measure)
            figures.append(
                ReportFigure(
                    name=f"estimates:{measure}",
                    caption=f"{name} of each model with {shown_percent(level)} intervals, best "
                    "first.",
                    alt=f"Forest plot of {name} of {len(rows)} models.",
                    table=tables.estimates(rows),
                )
            )
    return figures


def curve_figures(curves: tuple[Curve, ...]) -> tuple[ReportFigure, ...]:
    """One figure for each kind of curve that there is a figure for."""
    figures = []
    for kind, (needed, words) in _CURVES.items():
        found = [curve for curve in curves if needed <= set(dict(curve.columns))]
        if found:
            models = dict.fromkeys(clean_name(curve.model) for curve in found)
            names = listed(models)
            caption = _LONE.get(kind, words) if len(models) == 1 else words
            figures.append(
                ReportFigure(
                    name=kind,
                    caption=caption,
                    alt=f"{caption.split(';')[0].split(':')[0].rstrip('.')} of {names}.",
                    table=curve_tables.points(found, _ROC_COLUMNS if kind == "roc" else ()),
                )
            )
    return tuple(figures)


def family_figures(result: FamilyOutcome) -> tuple[ReportFigure, ...]:
    models = [one for one in result.estimates if one.model is not None]
    levels = [one.interval.level for one in models if one.interval is not None]
    figures = (
        *_rank_figures(result, "ranks"),
        *(estimate_figures(models, levels[0]) if levels else ()),
    )
    if not any(outcome.effect.value is not None for outcome in result.outcomes):
        return figures
    return (
        *figures,
        ReportFigure(
            name="differences",
            caption="Differences with their intervals.",
            alt=f"Forest plot of {len(result.pairs)} differences.",
            table=family_tables.family(result),
        ),
    )


def outcome_figures(result: TestOutcome) -> tuple[ReportFigure, ...]:
    """The effect of a test against what was tested."""
    if result.effect.value is None or result.effect.interval is None:
        return ()
    return (
        ReportFigure(
            name="effect",
            caption="The effect with its interval; the line is what was tested.",
            alt="Forest plot of the effect.",
            table=tables.outcome(result),
        ),
    )
