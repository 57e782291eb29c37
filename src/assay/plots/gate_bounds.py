"""The checks of a gate: each measure with its bounds, and the loss that it may not exceed."""

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from assay.compare.gate_sentences import demand_of, in_order, level_interval, only_margins, place_of
from assay.core.errors import UsageError
from assay.core.formatting import clean_name, shorten
from assay.core.gate_results import Gate, GateCheck
from assay.core.results import Estimate, Interval
from assay.plots.forest_rows import Forest, ForestRow, draw_forest
from assay.plots.measure_labels import measure_title
from assay.plots.style import given_numbers

if TYPE_CHECKING:
    from matplotlib.axes import Axes

NAME_WIDTH = 18
MOST_ITEMS = 20
"""Single items that are drawn, the worst ones."""


def checks(
    result: Gate | Mapping[str, tuple[float, float, float, float]], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw each check of a gate: candidate minus baseline, to the right is better.

    What is shaded is worse by more than the margin: a gate passes where no interval reaches it.
    A level is drawn as the candidate's distance from it.
    Measures with different margins stand on one axis, each in units of its own margin; the numbers
    beside are in the units of the measure. A mapping of measures to (difference, low, high,
    margin) is drawn too.

    Examples
    --------
    >>> axes = checks({"accuracy": (0.01, -0.002, 0.022, 0.01)})
    >>> axes.get_xlabel().splitlines()[0]
    'difference in accuracy, 90% interval'
    """
    found = _rows(result)
    known = [row for row in found if row.estimate.value is not None]
    if not known:
        raise UsageError("nothing to draw: no check of this gate has a difference")
    demands = isinstance(result, Gate) and not only_margins(result.checks)
    margins = {row.margin for row in known}
    names = {row.estimate.measure for row in known}
    axis = f"difference in {measure_title(names.pop())}" if len(names) == 1 else "difference"
    if demands:
        axis = "distance from what is required (right of 0 passes)"
    elif len(margins) > 1 and None not in margins and 0.0 not in margins:
        known, margins = [_in_margins(row) for row in known], {1.0}
        axis = "difference / margin of the measure"
    sides = None
    if isinstance(result, Gate) and result.baseline is not None and not demands:
        both = (clean_name(result.baseline), clean_name(result.candidate))
        first, second = (shorten(name, NAME_WIDTH) for name in both)
        sides = (f"{first} better", f"{second} better")
    drawn = Forest(
        rows=tuple(known), measure="", direction=None, axis=axis, null=0.0,
        margin=margins.pop() if len(margins) == 1 else 1.0,
        one_sided=True, sides=sides, signed=not demands,
    )  # fmt: skip
    return draw_forest(drawn, ax)


def _rows(result: Any) -> list[ForestRow]:
    if isinstance(result, Gate):
        if only_margins(result.checks):
            return [_row(check) for check in result.checks]
        return [_demanded(check) for check in in_order(result.checks, MOST_ITEMS)]
    if isinstance(result, Mapping):
        return [_given(str(name), numbers) for name, numbers in result.items()]
    raise UsageError(
        "this figure draws a gate, or a mapping of measures to (difference, low, high, margin); got "
        f"{type(result).__name__}"
    )


def _row(check: GateCheck) -> ForestRow:
    interval = None
    if check.low is not None and check.high is not None:
        interval = Interval(
            low=check.low, high=check.high, level=2.0 * check.level - 1.0, method="gate"
        )
    one = Estimate(
        measure=check.measure, value=check.difference, interval=interval, method="gate", n=0,
        unit="item",
    )  # fmt: skip
    title = measure_title(check.measure)
    return ForestRow(label=title, estimate=one, word=check.word, margin=check.margin)


def _demanded(check: GateCheck) -> ForestRow:
    """A check drawn as its distance from what is required, and written in its own units."""
    row = _row(check)
    one, above = row.estimate, -check.margin if check.asks == "not-worse" else check.margin
    interval = None if one.interval is None else one.interval.mapped(lambda end: end - above)
    written = replace(one, value=check.value, interval=level_interval(check))
    return replace(
        row,
        label=f"{row.label}{place_of(check)} {demand_of(check)}",
        estimate=replace(one, value=(one.value or 0.0) - above, interval=interval),
        written=one if check.required is None else written,
        margin=None,
    )


def _given(measure: str, numbers: Any) -> ForestRow:
    found = given_numbers(numbers, f"the numbers of {measure!r}")
    if len(found) != 4:
        raise UsageError(
            f"{measure!r} needs its difference, low, high and margin; got {len(found)} numbers"
        )
    value, low, high, margin = found
    word = "passed" if low > -margin else "failed" if high < 0.0 else "undecided"
    interval = Interval(low=low, high=high, level=0.9, method="given")
    one = Estimate(
        measure=measure, value=value, interval=interval, method="given", n=0, unit="item"
    )
    return ForestRow(label=measure_title(measure), estimate=one, word=word, margin=margin)


def _in_margins(row: ForestRow) -> ForestRow:
    """The row drawn in units of its margin, and written in its own."""
    one, margin = row.estimate, row.margin or 1.0
    interval = None if one.interval is None else one.interval.mapped(lambda end: end / margin)
    scaled = replace(one, value=(one.value or 0.0) / margin, interval=interval)
    return replace(row, estimate=scaled, written=one)
