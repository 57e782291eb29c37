"""The figure that answers a result, and all figures that it has."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from assay import plots
from assay.core.board_results import Board
from assay.core.errors import UsageError
from assay.core.gate_results import Gate
from assay.core.judge_results import JudgeReport
from assay.core.plan_results import Plan
from assay.core.results import (
    Comparison,
    Comparisons,
    Curve,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Posterior,
    Simulation,
    TestOutcome,
)
from assay.core.study_results import CurveComparison, StudyReport
from assay.plots.pair_decisions import MOST_PAIRS, mean_ranks
from assay.plots.study_figures import compared

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Draw = Callable[..., "Axes"]
"""Draws one figure, into the Axes of the keyword ``ax`` if they are given."""
Named = tuple[str, Draw]

_CURVES: dict[str, set[str]] = {
    "roc": {"fpr", "tpr"},
    "precision_recall": {"recall", "precision"},
    "calibration": {"predicted", "observed"},
    "sequence": {"items", "difference", "low", "high"},
    "profiles": {"threshold", "share"},
    "qq": {"normal", "values"},
    "error_rates": {"rate"},
    "learning": {"mean"},
}
"""The figures of curves, each with the columns by which a curve is known to belong there."""


def main_figure(result: Any, *, kind: str | None = None, ax: "Axes | None" = None) -> "Axes":
    """Draw the one figure that answers a result, or its figure of the name ``kind``.

    Mean ranks of a comparison over data sets, differences of one on items, the ROC curves of an
    evaluation of scores, the checks of a gate, the curve of a plan: :func:`all_figures` lists the
    names of all that a result has.

    Examples
    --------
    >>> import assay
    >>> test = assay.mcnemar([[40, 12], [3, 45]])
    >>> main_figure(test).get_xlabel().splitlines()[0]
    'difference in accuracy ↑, 95% interval'
    """
    found = dict(_figures(compared(result)))
    if not found:
        raise UsageError(f"there is no figure of {type(result).__name__}")
    if kind is not None:
        return _of_kind(found, kind)(ax=ax)
    refused: UsageError | None = None
    for draw in found.values():
        try:
            return draw(ax=ax)
        except UsageError as error:  # an undefined p-value has no place among ranks, say
            refused = refused or error
    raise refused or UsageError("there is nothing to draw")


def all_figures(result: Any) -> "dict[str, Figure]":
    """Every figure of a result by its name, the one that answers it first.

    Examples
    --------
    >>> import assay
    >>> tree = [0.70, 0.80, 0.90, 0.60, 0.75, 0.66]
    >>> scores = {"tree": tree, "net": [one + 0.02 * n for n, one in enumerate(tree)]}
    >>> list(all_figures(assay.compare(scores, unit="dataset", measure="accuracy")))
    ['differences', 'estimates', 'posterior']
    """
    drawn: dict[str, Figure] = {}
    refused: UsageError | None = None
    for name, draw in _figures(compared(result)):
        try:
            figure = draw(ax=None).get_figure(root=True)
        except UsageError as error:
            refused = refused or error
            continue
        if figure is not None:
            drawn[name] = figure
    if not drawn:
        raise refused or UsageError(f"there is no figure of {type(result).__name__}")
    return drawn


def _of_kind(found: dict[str, Draw], kind: str) -> Draw:
    if not isinstance(kind, str) or kind not in found:
        raise UsageError(f"this result has the figures {', '.join(found)}; got kind={kind!r}")
    return found[kind]


def _figures(result: Any) -> Iterator[Named]:
    """The names of the figures of a result with what draws each, the main one first."""
    for kind, figures in _OF.items():
        if isinstance(result, kind):
            yield from figures(result)
            return
    if isinstance(result, Sequence) and result and all(isinstance(one, Curve) for one in result):
        yield from _of_curves(tuple(result))


def _of_comparison(result: Comparison) -> Iterator[Named]:
    every_pair = len(result.evidence.models) * (len(result.evidence.models) - 1) // 2
    first: list[Named] = [("differences", partial(plots.forest, result))]
    if len(result.evidence.models) > 2:
        if len(result.verdicts) == every_pair:
            matrix: Named = ("matrix", partial(plots.pairwise_matrix, result))
            first.insert(0 if every_pair > MOST_PAIRS else 1, matrix)
        if mean_ranks(result) is not None:
            first.insert(0, ("ranks", partial(plots.critical_difference, result)))
    yield from first
    yield from _of_estimates(result.estimates)
    yield from _of_curves(result.curves)
    if result.posteriors:
        yield "posterior", partial(plots.posterior, result)


def _of_comparisons(result: Comparisons) -> Iterator[Named]:
    """One pair in slices is one figure for each measure; else the figures of every whole part."""
    for part in result.parts:
        if part.slice is not None:
            continue
        if result.slices and len(part.verdicts) == 1:
            alike = [one for one in result.parts if one.measure == part.measure]
            yield f"slices-{_file_name(part.measure)}", partial(plots.forest, alike)
        for name, draw in _of_comparison(part):
            yield f"{name}-{_file_name(part.measure)}", draw


def _of_evaluation(result: Evaluation) -> Iterator[Named]:
    curves = list(_of_curves(result.curves, of=result))
    yield from (one for one in curves if one[0] == "roc")
    yield from _of_estimates(result.estimates)
    yield from (one for one in curves if one[0] != "roc")


def _of_estimates(estimates: tuple[Estimate, ...]) -> Iterator[Named]:
    """A figure for each measure: two measures seldom have one scale."""
    measures = list(dict.fromkeys(one.measure for one in estimates if one.value is not None))
    for measure in measures:
        name = "estimates" if len(measures) == 1 else f"estimates-{_file_name(measure)}"
        chosen = [one for one in estimates if one.measure == measure]
        yield name, partial(plots.forest, chosen)


def _of_curves(curves: tuple[Curve, ...], *, of: Any = None) -> Iterator[Named]:
    """Each kind of curve in its own figure, with the estimates of the result ``of`` beside it."""
    left = list(curves)
    for name, needed in _CURVES.items():
        found = [curve for curve in left if needed <= set(dict(curve.columns))]
        left = [curve for curve in left if curve not in found]
        if found:
            yield name, partial(getattr(plots, name), found if of is None else of)


def _of_family(result: FamilyOutcome) -> Iterator[Named]:
    if mean_ranks(result) is not None:
        yield "ranks", partial(plots.critical_difference, result)
    yield "differences", partial(plots.forest, result)
    if len(result.models) > 2:
        yield "matrix", partial(plots.pairwise_matrix, result)
    yield from _of_estimates(tuple(one for one in result.estimates if one.model is not None))


def _of_posterior(result: Posterior) -> Iterator[Named]:
    yield "posterior", partial(plots.posterior, result)
    details = dict(result.details)
    if details.get("scale"):
        yield "posterior_density", partial(plots.posterior_density, result)
    if result.rope and "weight_rope" in details:
        yield "simplex", partial(plots.simplex, result)


def _of_gate(result: Gate) -> Iterator[Named]:
    yield "checks", partial(plots.checks, result)
    for part in result.comparisons:
        for name, draw in _of_comparison(part):
            yield f"{name}-{_file_name(part.measure)}", draw


def _of_board(result: Board) -> Iterator[Named]:
    yield "ladder", partial(plots.rank_ladder, result)
    yield "estimates", partial(plots.forest, result.estimates)


def _of_judge(result: JudgeReport) -> Iterator[Named]:
    found = [replace(one.corrected, measure=one.measure) for one in result.answers]
    yield "answers", partial(plots.forest, found)


def _of_study(report: StudyReport) -> Iterator[Named]:
    for part in report.comparisons:
        for name, draw in _of_comparison(part):
            yield f"{name}-{_file_name(part.measure)}", draw
    for one in report.curves:
        noise = f"-{one.noise_on}" if one.noise_on else ""
        name = f"{one.kind}{noise}-{one.dataset}-{one.measure}"
        yield _file_name(name), partial(plots.learning, one)


def _file_name(text: str) -> str:
    """Letters, digits, points, hyphens and underscores only: figures are saved by their names."""
    kept = "".join(letter if letter.isalnum() or letter in "._-" else "-" for letter in text)
    return kept.strip(".-")[:80] or "unnamed"


_OF: dict[type[Any], Callable[[Any], Iterator[Named]]] = {
    Comparison: _of_comparison,
    Comparisons: _of_comparisons,
    Evaluation: _of_evaluation,
    FamilyOutcome: _of_family,
    TestOutcome: lambda result: iter([("differences", partial(plots.forest, result))]),
    Estimate: lambda result: iter([("estimates", partial(plots.forest, result))]),
    Posterior: _of_posterior,
    Curve: lambda result: _of_curves((result,)),
    Gate: _of_gate,
    Plan: lambda result: iter([("power", partial(plots.power_curve, result))]),
    Simulation: lambda result: iter([("simulation", partial(plots.simulation, result))]),
    CurveComparison: lambda result: iter([(result.kind, partial(plots.learning, result))]),
    StudyReport: _of_study,
    Board: _of_board,
    JudgeReport: _of_judge,
}
