"""Estimates or differences with their intervals, one row each, best first."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from assay.core.errors import UsageError
from assay.core.numbers import shown_percent
from assay.core.results import (
    Comparison,
    Estimate,
    Evaluation,
    FamilyOutcome,
    Interval,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import Direction, known_side
from assay.core.writing import clean, clean_name, shorten, write_estimate
from assay.evidence.reading import Offering
from assay.plots.finished import compared
from assay.plots.labels import direction_of, measure_label
from assay.plots.style import (
    BLUE,
    FAINT,
    GREEN,
    INK,
    PAPER,
    RULE,
    VERMILION,
    new_axes,
    plain,
    styled,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 60
"""More rows than this are not readable in one figure; the rest is counted below it."""
NAME_WIDTH = 36
ROW_HEIGHT = 0.30  # inches; 9 point text needs 0.18

MARKS: dict[str, tuple[str, str, str]] = {
    "better": ("o", BLUE, "better"),
    "worse": ("s", VERMILION, "worse"),
    "higher": ("o", BLUE, "higher"),
    "lower": ("s", VERMILION, "lower"),
    "equivalent": ("D", GREEN, "equivalent within the margin"),
    "undecided": ("o", FAINT, "undecided"),
    "": ("o", INK, ""),
}
"""Marker, colour and legend of each verdict; undecided is hollow, so colour never speaks alone."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the figure."""

    label: str
    estimate: Estimate
    word: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Forest:
    """What is drawn: rows in order, the value of no difference, the margin and the axis text."""

    rows: tuple[Row, ...]
    measure: str
    direction: Direction | None
    axis: str
    null: float | None = None
    margin: float | None = None
    sides: tuple[str, str] | None = None  # who is ahead below and above the null
    left_out: int = 0
    signed: bool = False


def forest(
    result: Comparison
    | Evaluation
    | FamilyOutcome
    | TestOutcome
    | Estimate
    | Sequence[Estimate]
    | Offering,
    *,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw differences (of a comparison, family or test) or estimates with their intervals.

    The margin is shaded and the value of no difference marked. The figure grows with its rows; in
    axes of yours the text shrinks instead. Pass ``result.estimates`` for the estimates behind a
    comparison, and the estimates of one measure where several have different scales.

    Examples
    --------
    >>> from assay.core.results import Estimate, Interval
    >>> interval = Interval(low=0.71, high=0.86, level=0.95, method="wilson")
    >>> one = Estimate(measure="my_score", value=0.8, interval=interval, method="wilson", n=100,
    ...     unit="item", model="tree")
    >>> forest(one).get_xlabel()
    'my_score, 95% interval'
    """
    drawn = _forest_of(result)
    if not drawn.rows:
        raise UsageError("nothing to draw: no estimate has a value")
    with styled():
        own = ax is None
        axes = new_axes(7.2, _height(drawn)) if ax is None else ax
        size = 9.0 if own else _text_size(axes, len(drawn.rows))
        axes.set_xlim(*_limits(drawn))
        _draw_background(axes, drawn)
        _draw_rows(axes, drawn, size)
        _draw_axis(axes, drawn, size)
    return axes


def _forest_of(result: Any) -> Forest:
    result = compared(result)
    if isinstance(result, Comparison):
        return _of_verdicts(result)
    if isinstance(result, FamilyOutcome):
        labels = [_pair(a, b) for a, b in result.pairs]
        return _of_outcomes(labels, result.outcomes)
    if isinstance(result, TestOutcome):
        return _of_outcomes([clean(result.effect.model or "A − B")], (result,))
    if isinstance(result, Evaluation):
        return _of_estimates(result.estimates)
    if isinstance(result, Estimate):
        return _of_estimates((result,))
    if isinstance(result, Sequence) and all(isinstance(one, Estimate) for one in result):
        return _of_estimates(tuple(result))
    if isinstance(result, Sequence) and all(isinstance(one, Comparison) for one in result):
        return _of_slices(tuple(result))
    raise UsageError(
        f"a forest plot draws a comparison, evaluation, family, test or estimates; got "
        f"{type(result).__name__}"
    )


def _of_verdicts(result: Comparison) -> Forest:
    rows = [
        Row(label=_verdict_label(verdict), estimate=verdict.outcome.effect, word=verdict.word)
        for verdict in result.verdicts
    ]
    null = result.verdicts[0].outcome.null if result.verdicts else 0.0
    single = null != 0.0  # one model against a level: the effect is the quantity itself
    name = clean(result.measure)
    return _arranged(
        rows,
        measure=result.measure,
        direction=known_side(result.direction),
        axis=name if single else f"difference in {name}",
        null=null,
        margin=result.margin,
        sides=None if single else _sides(result),
        signed=not single,
    )


def _of_slices(parts: tuple[Comparison, ...]) -> Forest:
    """Comparisons in one measure, each on a slice of the evidence or on the whole of it."""
    drawn = [
        [Row(label=_slice_label(part, row.label), estimate=row.estimate, word=row.word)
         for row in _of_verdicts(part).rows]
        for part in parts
    ]  # fmt: skip
    first = _of_verdicts(parts[0])
    return replace(first, rows=tuple(row for rows in drawn for row in rows)[:MOST_ROWS])


def _slice_label(part: Comparison, label: str) -> str:
    name = "all" if part.slice is None else clean_name(part.slice)
    return name if len(part.verdicts) == 1 else f"{name}: {label}"


def _sides(result: Comparison) -> tuple[str, str]:
    """What a difference below and above zero speaks for."""
    width = NAME_WIDTH // 2
    seconds = {verdict.b for verdict in result.verdicts}
    second = shorten(clean_name(seconds.pop()), width) if len(seconds) == 1 else "second"
    first = "first"
    if second != "second":
        only = len(result.verdicts) == 1
        first = shorten(clean_name(result.verdicts[0].a), width) if only else "the other"
    return (first, second) if result.direction == "lower" else (second, first)


def _of_outcomes(labels: list[str], outcomes: tuple[TestOutcome, ...]) -> Forest:
    measure = outcomes[0].effect.measure if outcomes else ""
    null = outcomes[0].null if outcomes else 0.0
    rows = [
        Row(label=label, estimate=outcome.effect)
        for label, outcome in zip(labels, outcomes, strict=True)
    ]
    return _arranged(
        rows,
        measure=measure,
        direction=direction_of(measure),
        axis=clean(measure) if null else f"difference in {clean(measure)}",
        null=null,
        sides=None if null else _plain_sides(measure),
        signed=not null,
    )


def _plain_sides(measure: str) -> tuple[str, str] | None:
    sides = {"higher": ("second", "first"), "lower": ("first", "second")}
    direction = direction_of(measure)
    return None if direction is None else sides[direction]


def _of_estimates(estimates: tuple[Estimate, ...]) -> Forest:
    """Estimates, by measure in the order given and best first within a measure."""
    names = list(dict.fromkeys(one.measure for one in estimates))
    parts = [
        _arranged(
            [
                Row(label=_estimate_label(one, names), estimate=one)
                for one in estimates
                if one.measure == name
            ],
            measure=name,
            direction=direction_of(name),
            axis=clean(name),
        )
        for name in names
    ]
    if len(parts) == 1:
        return parts[0]
    rows = tuple(row for part in parts for row in part.rows)
    return Forest(
        rows=rows[:MOST_ROWS],
        measure="",
        direction=None,
        axis="estimate",
        left_out=sum(part.left_out for part in parts) + max(len(rows) - MOST_ROWS, 0),
    )


def _arranged(rows: list[Row], *, direction: Direction | None, **facts: Any) -> Forest:
    """The rows with a value, best first; of too many, those farthest from no difference."""
    null = facts.get("null")
    kept = [row for row in rows if row.estimate.value is not None]
    sign = 1.0 if direction == "lower" else -1.0
    best_first: Callable[[Row], float] = lambda row: sign * (row.estimate.value or 0.0)  # noqa: E731
    kept.sort(key=best_first)
    left_out = len(kept) - MOST_ROWS
    if left_out > 0 and null is not None:
        kept.sort(key=lambda row: -abs((row.estimate.value or 0.0) - null))
        kept = sorted(kept[:MOST_ROWS], key=best_first)
    return Forest(
        rows=tuple(kept[:MOST_ROWS]), direction=direction, left_out=max(left_out, 0), **facts
    )


def _pair(a: str, b: str) -> str:
    width = NAME_WIDTH // 2 + 4
    return f"{shorten(clean_name(a), width)} − {shorten(clean_name(b), width)}"


def _verdict_label(verdict: Verdict) -> str:
    if verdict.outcome.null:
        return shorten(clean_name(verdict.a), NAME_WIDTH)
    return _pair(verdict.a, verdict.b)


def _estimate_label(estimate: Estimate, measures: list[str]) -> str:
    name = clean_name(estimate.model) if estimate.model is not None else ""
    if len(measures) > 1:
        measure = measure_label(estimate.measure)
        return f"{shorten(name, NAME_WIDTH - 8)}  {measure}" if name else measure
    return shorten(name or clean(estimate.measure), NAME_WIDTH)


def _height(drawn: Forest) -> float:
    return 1.15 + ROW_HEIGHT * len(drawn.rows) + (0.25 if _legend(drawn) else 0.0)


def _text_size(axes: "Axes", rows: int) -> float:
    """The largest text up to 9 points that leaves a gap between rows of axes we may not resize."""
    figure = axes.get_figure(root=True)
    inches = axes.get_position().height * (figure.get_size_inches()[1] if figure else 4.0)
    return min(9.0, max(3.0, 72 * inches / rows / 1.5))


def _draw_background(axes: "Axes", drawn: Forest) -> None:
    if drawn.margin is not None and drawn.null is not None:
        axes.axvspan(
            drawn.null - drawn.margin, drawn.null + drawn.margin, color=RULE, alpha=0.55, lw=0
        )
    if drawn.null is not None:
        axes.axvline(drawn.null, color=INK, lw=0.9)


def _limits(drawn: Forest) -> tuple[float, float]:
    """The range of everything finite, with room at both ends."""
    numbers = [row.estimate.value for row in drawn.rows if row.estimate.value is not None]
    for row in drawn.rows:
        if row.estimate.interval is not None:
            numbers += [row.estimate.interval.low, row.estimate.interval.high]
    if drawn.null is not None:
        numbers += [drawn.null - (drawn.margin or 0.0), drawn.null + (drawn.margin or 0.0)]
    numbers = [number for number in numbers if math.isfinite(number)]
    low, high = min(numbers), max(numbers)
    room = 0.06 * (high - low) or 0.05 * abs(high) or 0.05
    return low - room, high + room


def _draw_rows(axes: "Axes", drawn: Forest, size: float) -> None:
    """Whisker, marker and the numbers themselves, row by row from the top."""
    for place, row in enumerate(drawn.rows):
        marker, color, _ = MARKS[row.word]
        _draw_whisker(axes, row.estimate.interval, place, color)
        axes.plot(
            [row.estimate.value or 0.0], [place], marker, color=color, ms=6, mew=1.4, zorder=3,
            mfc=PAPER if row.word == "undecided" else color,
        )  # fmt: skip
        numbers = write_estimate(
            row.estimate, signed=drawn.signed, null=drawn.null, margin=drawn.margin
        )
        text = axes.text(
            1.02, place, str(numbers), transform=axes.get_yaxis_transform(), va="center",
            size=size - 0.5, color=INK,
        )  # fmt: skip
        plain(text)


def _draw_whisker(axes: "Axes", interval: Interval | None, place: int, color: str) -> None:
    """A line over the interval; an end at infinity is an arrow at the edge."""
    if interval is None:
        return
    low, high = axes.get_xlim()
    ends = [max(interval.low, low), min(interval.high, high)]
    axes.plot(ends, [place, place], color=color, lw=1.6, zorder=2, solid_capstyle="butt")
    for end, edge, arrow in ((interval.low, low, "<"), (interval.high, high, ">")):
        if math.isinf(end):
            axes.plot([edge], [place], arrow, color=color, ms=5, clip_on=False, zorder=2)


def _draw_axis(axes: "Axes", drawn: Forest, size: float) -> None:
    axes.set_ylim(len(drawn.rows) - 0.4, -0.6)
    axes.set_yticks(range(len(drawn.rows)), [row.label for row in drawn.rows], size=size)
    plain(*axes.get_yticklabels())
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=True, axis="x", color=RULE, lw=0.6)
    axes.set_axisbelow(True)
    for side in ("left", "right", "top"):
        axes.spines[side].set_visible(False)
    plain(axes.set_xlabel(_axis_label(drawn)))
    legend = _legend(drawn)
    if legend:
        handles, labels = _handles(legend, drawn)
        axes.legend(
            handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), ncols=len(labels),
            borderaxespad=0.2, handletextpad=0.4, columnspacing=1.2, fontsize=8,
        )  # fmt: skip


def _axis_label(drawn: Forest) -> str:
    levels = {row.estimate.interval.level for row in drawn.rows if row.estimate.interval}
    level = f", {shown_percent(levels.pop())} interval" if len(levels) == 1 else ""
    label = f"{measure_label(drawn.axis, drawn.direction)}{level}"
    if drawn.direction == "lower":
        label += "; lower is better"
    if drawn.sides is not None:
        label += f"\n← {drawn.sides[0]} better · {drawn.sides[1]} better →"
    elif drawn.null:
        label += f"; the line is at {drawn.null:g}"
    if drawn.left_out:
        label += f"\n… {drawn.left_out:,} more not drawn"
    return label


def _legend(drawn: Forest) -> list[str]:
    """The verdicts that occur, in the order of MARKS, and the margin."""
    words = {row.word for row in drawn.rows} - {""}
    found = [word for word in MARKS if word in words]
    return [*found, "margin"] if found and drawn.margin is not None else found


def _handles(legend: list[str], drawn: Forest) -> tuple[list[Any], list[str]]:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles: list[Any] = []
    labels = []
    for word in legend:
        if word == "margin":
            handles.append(Patch(color=RULE, alpha=0.55, lw=0))
            labels.append(f"margin ±{drawn.margin:g}")
            continue
        marker, color, label = MARKS[word]
        face = PAPER if word == "undecided" else color
        handles.append(Line2D([], [], color=color, marker=marker, ms=6, lw=1.6, mfc=face, mew=1.4))
        labels.append(label)
    return handles, labels
