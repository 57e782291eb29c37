"""Estimates or differences with their intervals, one row each, best first."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.compare.judge_offset import offsets_of
from assay.compare.verdict import as_listed
from assay.core.errors import UsageError
from assay.core.formatting import clean, clean_name, finest_of, shorten
from assay.core.judge_results import JudgeReport
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
from assay.plots.forest_rows import Forest, ForestRow, draw_forest
from assay.plots.measure_labels import direction_of, measure_label, short_names
from assay.plots.study_figures import compared
from assay.plots.style import given_numbers, name_width

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 60
"""More rows than this are not readable in one figure; the rest is counted below it."""
NAME_WIDTH = 36


def forest(
    result: Any,
    *,
    measure: str = "estimate",
    null: float | None = None,
    margin: float | None = None,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw differences (of a comparison, family, test or judge) or estimates with their intervals.

    In a pair the better model comes first, unless a baseline sets the order. The margin is shaded
    and the value of no difference marked. The figure grows with its rows; in axes of yours the
    text shrinks instead. Pass ``result.estimates`` for the estimates behind a comparison. A
    mapping of names to (value, low, high) is drawn as it is, with the name of its ``measure``, and
    with ``null``, ``margin`` and ``level`` where you know them.

    Examples
    --------
    >>> axes = forest({"tree": (0.80, 0.71, 0.86), "net": (0.84, 0.77, 0.89)}, measure="accuracy")
    >>> [label.get_text() for label in axes.get_yticklabels()]
    ['net', 'tree']
    """
    if isinstance(result, Mapping):
        drawn = _of_numbers(result, measure, null, margin, level)
    else:
        drawn = _forest_of(result)
    if not drawn.rows:
        raise UsageError("nothing to draw: no estimate has a value")
    return draw_forest(drawn, ax)


def _of_numbers(
    given: Mapping[Any, Any], measure: str, null: float | None, margin: float | None, level: float
) -> Forest:
    rows = []
    labels = _model_labels(list(map(str, given)))
    for label, (name, numbers) in zip(labels, given.items(), strict=True):
        found = given_numbers(numbers, f"the numbers of {name!r}")
        if len(found) not in (1, 3):
            raise UsageError(
                f"a forest plot takes a value, or value, low and high; got {len(found)} numbers for {name}"
            )
        value, *ends = found
        interval = (
            Interval(low=ends[0], high=ends[1], level=level, method="given") if ends else None
        )
        one = Estimate(
            measure=measure, value=value, interval=interval, method="given", n=0, unit="item"
        )
        rows.append(ForestRow(label=label, estimate=one))
    return _arranged(
        rows, measure=measure, direction=direction_of(measure), axis=clean(measure), null=null,
        margin=margin, signed=null == 0.0,
    )  # fmt: skip


def _forest_of(result: Any) -> Forest:
    result = compared(result)
    if isinstance(result, Comparison):
        return _of_verdicts(result)
    if isinstance(result, FamilyOutcome):
        return _of_outcomes(pair_labels(result.pairs), result.outcomes)
    if isinstance(result, TestOutcome):
        return _of_outcomes([clean(result.effect.model or "A − B")], (result,))
    if isinstance(result, Evaluation):
        return _of_estimates(result.estimates)
    if isinstance(result, JudgeReport):
        return _of_judge(result)
    if isinstance(result, Estimate):
        return _of_estimates((result,))
    if isinstance(result, Sequence) and all(isinstance(one, Estimate) for one in result):
        return _of_estimates(tuple(result))
    if isinstance(result, Sequence) and all(isinstance(one, Comparison) for one in result):
        return _of_slices(tuple(result))
    raise UsageError(
        f"a forest plot draws a comparison, evaluation, family, test or estimates, or of numbers "
        f"{{'a': (value, low, high), …}}; got {type(result).__name__}"
    )


def _of_judge(result: JudgeReport) -> Forest:
    """Mean differences of grades, judge minus people; of grades that are no numbers the agreement."""
    gaps = offsets_of(result)
    if not gaps:
        return _of_estimates(result.estimates)
    labels = _model_labels([one.model or "judge" for one, _ in gaps])
    rows = [
        ForestRow(label=label, estimate=one, word=word)
        for label, (one, word) in zip(labels, gaps, strict=True)
    ]
    return _arranged(
        rows, measure="", direction=None, axis="mean difference of grades, judge − people", null=0.0,
        margin=result.margin, sides=("judge lower", "judge higher"), signed=True,
    )  # fmt: skip


def _of_verdicts(result: Comparison) -> Forest:
    verdicts = as_listed(result)
    null = result.verdicts[0].outcome.null if result.verdicts else 0.0
    pairs = [(verdict.a, verdict.b) for verdict in verdicts]
    labels = _model_labels([a for a, _ in pairs]) if null else pair_labels(pairs)
    rows = list(map(_row, verdicts, labels))
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
        listed=True,
    )


def _of_slices(parts: tuple[Comparison, ...]) -> Forest:
    """Comparisons in one measure, each on a slice of the evidence or on the whole of it."""
    drawn = [
        [replace(row, label=_slice_label(part, row.label)) for row in _of_verdicts(part).rows]
        for part in parts
    ]  # fmt: skip
    first = _of_verdicts(parts[0])
    return replace(first, rows=tuple(row for rows in drawn for row in rows)[:MOST_ROWS])


def _slice_label(part: Comparison, label: str) -> str:
    name = "all" if part.slice is None else clean_name(part.slice)
    return name if len(part.verdicts) == 1 else f"{name}: {label}"


def _row(verdict: Verdict, label: str) -> ForestRow:
    return ForestRow(label=label, estimate=verdict.outcome.effect, word=verdict.word)


def _sides(result: Comparison) -> tuple[str, str]:
    """What a difference below and above zero speaks for."""
    width = NAME_WIDTH // 2
    names: tuple[str, ...] = ("first", "second")
    if len(result.verdicts) == 1:
        (only,) = as_listed(result)
        names = short_names([only.a, only.b], width)
    elif result.baseline is not None:
        names = ("the other", shorten(clean_name(result.baseline), width))
    first, second = names
    below, above = (first, second) if result.direction == "lower" else (second, first)
    return f"{below} better", f"{above} better"


def _of_outcomes(labels: list[str], outcomes: tuple[TestOutcome, ...]) -> Forest:
    measure = outcomes[0].effect.measure if outcomes else ""
    null = outcomes[0].null if outcomes else 0.0
    rows = [
        ForestRow(label=label, estimate=outcome.effect)
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
    sides = {
        "higher": ("second better", "first better"),
        "lower": ("first better", "second better"),
    }
    direction = direction_of(measure)
    return None if direction is None else sides[direction]


def _of_estimates(estimates: tuple[Estimate, ...]) -> Forest:
    """Estimates, by measure in the order given and best first within a measure."""
    names = list(dict.fromkeys(one.measure for one in estimates))
    labels = _estimate_labels(estimates, several=len(names) > 1)
    parts = [
        _arranged(
            [
                ForestRow(label=label, estimate=one)
                for label, one in zip(labels, estimates, strict=True)
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


def _arranged(
    rows: list[ForestRow], *, direction: Direction | None, listed: bool = False, **facts: Any
) -> Forest:
    """The rows with a value, best first unless they are ``listed`` in an order of their own.

    Of too many, those farthest from no difference.
    """
    null = facts.get("null")
    finest = finest_of(row.estimate for row in rows)
    kept = [replace(row, finest=finest) for row in rows if row.estimate.value is not None]
    sign = 1.0 if direction == "lower" else -1.0
    if not listed:
        kept.sort(key=lambda row: sign * (row.estimate.value or 0.0))
    left_out = len(kept) - MOST_ROWS
    if left_out > 0 and null is not None:
        places = range(len(kept))
        farthest = sorted(places, key=lambda at: -abs((kept[at].estimate.value or 0.0) - null))
        kept = [kept[at] for at in sorted(farthest[:MOST_ROWS])]
    return Forest(
        rows=tuple(kept[:MOST_ROWS]), direction=direction, left_out=max(left_out, 0), **facts
    )


def pair_labels(pairs: Sequence[tuple[str, str]]) -> list[str]:
    """Two models each on one line, long names on two; shortened names stay different."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    short = dict(zip(names, short_names(names, name_width(NAME_WIDTH - 8)), strict=True))
    found = []
    for a, b in pairs:
        whole = f"{clean_name(a)} − {clean_name(b)}"
        fits = len(whole) - 3 <= name_width(NAME_WIDTH)
        found.append(whole if fits else f"{short[a]}\n− {short[b]}")
    return found


def _model_labels(names: Sequence[str], *, less: int = 0) -> tuple[str, ...]:
    return short_names(names, name_width(NAME_WIDTH - less))


def _estimate_labels(estimates: Sequence[Estimate], *, several: bool) -> list[str]:
    """The models; where there are several measures, each with the name of its own."""
    names = [one.model or ("" if several else clean(one.measure)) for one in estimates]
    shown = _model_labels(names, less=8 if several else 0)
    if not several:
        return list(shown)
    both = zip(shown, (measure_label(one.measure) for one in estimates), strict=True)
    return ["  ".join(filter(None, one)) for one in both]
