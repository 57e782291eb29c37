"""The tables of a report: cells as they are read, with the unrounded numbers behind them."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from typing import Any, Literal, NamedTuple

from assay.compare.verdict import as_listed, is_pseudo_median
from assay.core.formatting import (
    clean,
    clean_name,
    effect_digits,
    estimate_digits,
    listed,
    shown_percent,
    write_chance,
    write_estimate,
    write_given,
    write_number,
    write_p,
)
from assay.core.method_names import method_name
from assay.core.progress import steps
from assay.core.results import (
    Comparison,
    Details,
    Estimate,
    Interval,
    Posterior,
    Scalar,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import UNIT_PLURAL, Sense, direction_words
from assay.measures.registry import basis_of
from assay.plots.measure_labels import direction_of, measure_label
from assay.plots.pair_decisions import MOST_PAIRS
from assay.report.effect_scales import UNSIGNED
from assay.report.method_titles import interval_method_of
from assay.report.methods_paragraph import adjusted_by

plain_number = write_number


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """What is read, and the unrounded numbers it was written from."""

    text: str
    numbers: tuple[Scalar, ...] = ()
    strong: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """A heading; ``parts`` name the unrounded numbers behind its cells, in CSV; words have none."""

    name: str
    parts: tuple[str, ...] = ()

    @property
    def kind(self) -> Literal["text", "number"]:
        return "number" if self.parts else "text"


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportTable:
    """Rows of cells; ``told`` says that the facts already give everything in it, ``folded`` that it can wait."""

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    told: bool = False
    folded: bool = False

    def first(self, most: int) -> tuple[tuple[tuple[Cell, ...], ...], int]:
        """At most that many rows, and how many are left out."""
        return self.rows[:most], max(len(self.rows) - most, 0)

    def without(self, *names: str) -> "ReportTable":
        """The table without the columns of these names."""
        kept = [column.name not in names for column in self.columns]
        rows = tuple(tuple(compress(row, kept)) for row in self.rows)
        return replace(self, columns=tuple(compress(self.columns, kept)), rows=rows)


class ColumnOf(NamedTuple):
    """A column (see `Column`) and the cell that each thing of a table has in it."""

    name: str
    parts: tuple[str, ...]
    cell: Callable[[Any], Cell]


def words(name: str, text: Callable[[Any], str]) -> ColumnOf:
    """A column of words."""
    return ColumnOf(name, (), lambda one: Cell(text=text(one)))


def number(
    name: str,
    value: Callable[[Any], Scalar],
    text: Callable[[Any], str],
    part: str = "",
    *,
    none: str = "",
) -> ColumnOf:
    """A column of numbers as ``text`` writes them; ``part`` is their name in CSV, where it is another."""

    def cell(one: Any) -> Cell:
        found = value(one)
        return Cell(text=none if found is None else text(found), numbers=(found,))

    return ColumnOf(name, (part or name,), cell)


def whole(value: float) -> str:
    """A count as it is written."""
    return f"{value:,.0f}"


def estimated(
    heads: tuple[str, str],
    of: Callable[[Any], Estimate],
    part: str,
    *,
    none: str = "none",
    **how: Any,
) -> tuple[ColumnOf, ColumnOf]:
    """Two columns: an estimate, called ``part`` in CSV, and its interval."""
    return (
        ColumnOf(
            heads[0],
            (part,),
            lambda one: Cell(text=write_estimate(of(one), **how).value, numbers=(of(one).value,)),
        ),
        ColumnOf(
            heads[1],
            ("low", "high"),
            lambda one: Cell(
                text=write_estimate(of(one), **how).interval or none,
                numbers=ends_of(of(one).interval),
            ),
        ),
    )


def p_value(of: Callable[[Any], TestOutcome], alpha: float | None = None) -> ColumnOf:
    """The column of p-values."""
    return ColumnOf(
        "p",
        ("p",),
        lambda one: Cell(text=write_p(of(one), alpha=alpha), numbers=(of(one).p_value,)),
    )


def with_interval(one: Estimate, *, strong: bool = False, **how: Any) -> Cell:
    """An estimate and its interval in one cell."""
    text = str(write_estimate(one, **how))
    return Cell(text=text, numbers=(one.value, *ends_of(one.interval)), strong=strong)


def table_of(
    things: Iterable[Any],
    *columns: ColumnOf,
    name: str,
    caption: str,
    told: bool = False,
) -> ReportTable:
    """One row for each thing, made column by column."""
    return ReportTable(
        name=name,
        caption=caption,
        columns=tuple(Column(name=one.name, parts=one.parts) for one in columns),
        rows=tuple(tuple(one.cell(thing) for one in columns) for thing in things),
        told=told,
    )


def optional(*found: ReportTable | None) -> tuple[ReportTable, ...]:
    """Those that have something to show."""
    return tuple(table for table in found if table is not None and table.rows)


def pairs(
    result: Comparison, among: Sequence[Verdict] = (), *, ordered: bool = False
) -> ReportTable:
    """The differences that decide, in the order of `as_listed`, or as they were asked if ``ordered``.

    ``among`` are the verdicts that share the columns, where they are more than these.
    """
    together = among or result.verdicts
    extra = (*record_columns(together), *chance_columns(together))
    needed = needed_columns(together)
    ranked = as_listed(result, as_asked=ordered)
    finest = effect_digits(result.verdicts)
    quantity, caption = _quantity(result)
    return ReportTable(
        name="differences",
        caption=f"{caption}{held_together(result)}"
        f"{chances_said([result])}{needed_said(result.verdicts)}",
        columns=(
            Column(name="first"),
            Column(name="second"),
            *effect_columns(quantity, result.level),
            Column(name="p", parts=("p",)),
            *extra,
            Column(name="verdict"),
            *needed,
        ),
        rows=tuple(
            (*_pair_row(verdict, result, extra, finest), *(needed_cell(verdict) for _ in needed))
            for verdict in steps("writing", ranked)
        ),
        told=len(result.verdicts) == 1,
        folded=len(result.verdicts) > MOST_PAIRS,
    )


def _quantity(result: Comparison) -> tuple[str, str]:
    """What the pairs are compared in, as the head of a column and as a caption begins."""
    label, better = (
        measure_label(result.measure, result.direction),
        direction_words(result.direction),
    )
    if any(verdict.outcome.null for verdict in result.verdicts):
        return clean(result.measure), f"{label} against a level; {better}."
    medians = any(is_pseudo_median(verdict.outcome.effect) for verdict in result.verdicts)
    kind = "Pseudo-medians of the differences" if medians else "Differences"
    caption = f"{kind} in {label}, first − second; {better}."
    return "pseudo-median" if medians else "difference", caption


def held_together(result: Comparison) -> str:
    """How intervals and p-values of many questions are adjusted, as a sentence of a caption."""
    if not result.adjustment or result.family < 2:
        return ""
    return f" Intervals and p-values: {adjusted_by(result.adjustment, result.family)}."


def _pair_row(
    verdict: Verdict, result: Comparison, extra: Sequence[Column], finest: float | None
) -> tuple[Cell, ...]:
    outcome = verdict.outcome
    split = verdict.word == "equivalent" and verdict.different
    return (
        Cell(text=clean_name(verdict.a), strong=verdict.word == "better"),
        Cell(text=clean_name(verdict.b), strong=verdict.word == "worse"),
        *effect_cells(outcome, margin=result.margin, finest=finest),
        p_cell(outcome, 1 - result.level),
        *(
            record_cell(verdict) if one.parts == RECORD else chance_cell(verdict, one)
            for one in extra
        ),
        Cell(text=f"{verdict.word}, not zero" if split else verdict.word),
    )


def needed_columns(verdicts: Sequence[Verdict]) -> tuple[Column, ...]:
    """How much evidence undecided pairs need, where that is known of any."""
    if all(one.needed is None for one in verdicts):
        return ()
    return (Column(name="needed", parts=("needed",)),)


def needed_cell(verdict: Verdict) -> Cell:
    units = None if verdict.needed is None else verdict.needed.units
    return Cell(text="" if units is None else f"{units:,}", numbers=(units,))


def needed_said(verdicts: Iterable[Verdict]) -> str:
    """What the numbers of units needed are for, as a sentence of a caption."""
    need = next((one.needed for one in verdicts if one.needed is not None), None)
    if need is None:
        return ""
    again = "; to look again use a sequential comparison" if need.sequential else ""
    return f" Needed: {UNIT_PLURAL[need.unit]} for {shown_percent(need.power)} power at the margin{again}."


RECORD = ("won", "tied", "lost")


def record_columns(verdicts: Sequence[Verdict]) -> tuple[Column, ...]:
    """Data sets or folds won, tied and lost, where every pair has such a record."""
    if not verdicts or not all(set(RECORD) <= dict(one.outcome.details).keys() for one in verdicts):
        return ()
    return (Column(name="won-tied-lost", parts=RECORD),)


def record_cell(verdict: Verdict) -> Cell:
    return record_of(dict(verdict.outcome.details))


def record_of(details: Mapping[str, Scalar]) -> Cell:
    counts = tuple(details[name] for name in RECORD)
    return Cell(text="-".join(str(count) for count in counts), numbers=counts)


def chance_columns(verdicts: Sequence[Verdict]) -> tuple[Column, ...]:
    """The posterior probabilities beside the verdicts: one of better, or three with a margin."""
    if all(one.p_better is None for one in verdicts):
        return ()
    if all(one.p_equivalent is None for one in verdicts):
        return (Column(name="P(better)", parts=("p_better",)),)
    parts = ("p_better", "p_equivalent", "p_worse")
    return (Column(name="P(b/e/w)", parts=parts),)


def chance_cell(verdict: Verdict, column: Column) -> Cell:
    """The probabilities as they are read: of three, two digits each, to keep tables narrow."""
    numbers = tuple(getattr(verdict, name) for name in column.parts)
    digits = 3 if len(numbers) == 1 else 2
    text = "/".join("–" if one is None else write_chance(one, digits) for one in numbers)
    if digits == 2:
        text = text.replace("0.", ".")
    return Cell(text="" if verdict.p_better is None else text, numbers=numbers)


def believed(parts: Iterable[Comparison]) -> str:
    """The models behind the posterior probabilities, each with its prior."""
    found = dict.fromkeys(
        f"{method_name(one.method)}, prior: {one.prior}"
        for part in parts
        for one in part.posteriors
    )
    return "; ".join(found)


def chances_said(parts: Sequence[Comparison]) -> str:
    """Whose the probabilities beside the verdicts are, as a sentence of a caption."""
    models = believed(parts)
    if not models or all(v.p_better is None for part in parts for v in part.verdicts):
        return ""
    verdicts = [verdict for part in parts for verdict in part.verdicts]
    each = ", each pair by itself" if len(verdicts) > 1 else ""
    (column,) = chance_columns(verdicts)
    of = "" if len(column.parts) == 1 else " of better, equivalent, worse"
    return (
        f" {column.name}: posterior probability{of}{each} ({models}), for information; the verdicts use "
        "the test."
    )


def in_order(found: Sequence[Estimate], direction: Sense | None = None) -> list[Estimate]:
    """Estimates by measure in the order given, best first within a measure, undefined last."""
    names = list(dict.fromkeys(one.measure for one in found))

    def rank(one: Estimate) -> tuple[int, bool, float]:
        sign = 1.0 if (direction or direction_of(one.measure)) == "lower" else -1.0
        return names.index(one.measure), one.value is None, sign * (one.value or 0.0)

    return sorted(found, key=rank)


def estimates(found: Sequence[Estimate], *, direction: Sense | None = None) -> ReportTable:
    """Estimates by measure, best first; measures keep their order."""
    names = list(dict.fromkeys(one.measure for one in found))
    levels = {one.interval.level for one in found if one.interval is not None}
    level = levels.pop() if len(levels) == 1 else None

    interval = f"{shown_percent(level)} interval" if level is not None else "interval"
    methods = list(dict.fromkeys(map(interval_method_of, found)))
    by = f" ({methods[0]})" if len(methods) == 1 else ""
    heading = measure_label(names[0], direction) if len(names) == 1 else listed(map(clean, names))
    finest = {name: estimate_digits(found, name) for name in names}
    spare = [] if len(names) > 1 else ["measure"]
    spare += [] if len(methods) > 1 else ["interval method"]
    return ReportTable(
        name="estimates",
        caption=f"Estimates of {heading} with {interval}s{by}, best first.",
        columns=(
            Column(name="model"),
            Column(name="measure"),
            Column(name="estimate", parts=("estimate",)),
            Column(name=interval, parts=("low", "high")),
            Column(name="n", parts=("n",)),
            Column(name="interval method"),
        ),
        rows=tuple(_estimate_row(one, finest[one.measure]) for one in in_order(found, direction)),
    ).without(*spare)


def _estimate_row(one: Estimate, finest: float | None) -> tuple[Cell, ...]:
    numbers = write_estimate(one, finest=finest)
    count, which = basis_of(one)
    return (
        Cell(text=clean_name(one.model) if one.model is not None else ""),
        Cell(text=measure_label(one.measure)),
        Cell(text=numbers.value, numbers=(one.value,)),
        Cell(text=numbers.interval or "none", numbers=ends_of(one.interval)),
        Cell(text=f"{count:,} {which}".rstrip(), numbers=(count,)),
        Cell(text=interval_method_of(one)),
    )


def posteriors(found: Iterable[Posterior]) -> ReportTable | None:
    shown = tuple(found)
    if not shown:
        return None
    return table_of(
        shown,
        words("method", lambda one: method_name(one.method)),
        number("region", lambda one: one.rope, lambda rope: f"±{write_given(rope)}", "rope"),
        number("P(below)", lambda one: one.p_left, "{:.3f}".format, "p_left"),
        number("P(within)", lambda one: one.p_rope, "{:.3f}".format, "p_rope"),
        number("P(above)", lambda one: one.p_right, "{:.3f}".format, "p_right"),
        name="posterior",
        caption="Posterior probabilities that the difference (first − second) is below, within and "
        "above the region of practical equivalence.",
    )


def outcome(result: TestOutcome) -> ReportTable:
    """One test as one row."""
    level = result.effect.interval.level if result.effect.interval is not None else None
    return ReportTable(
        name="test",
        caption=f"{measure_label(result.effect.measure)} against {write_given(result.null)}.",
        columns=(
            Column(name="method"),
            *effect_columns("effect", level),
            Column(name="statistic", parts=("statistic",)),
            Column(name="p", parts=("p",)),
            Column(name="n", parts=("n",)),
        ),
        rows=(
            (
                Cell(text=method_name(result.method)),
                *effect_cells(result),
                Cell(text=write_number(result.statistic), numbers=(result.statistic,)),
                p_cell(result, None if level is None else 1 - level),
                Cell(text=f"{result.effect.n:,}", numbers=(result.effect.n,)),
            ),
        ),
        told=True,
    )


def details(found: Details) -> ReportTable | None:
    """The numbers behind a formula, under the names the formula uses."""
    if not found:
        return None
    return table_of(
        found,
        words("name", lambda one: clean(one[0])),
        ColumnOf(
            "value", ("value",), lambda one: Cell(text=write_number(one[1]), numbers=(one[1],))
        ),
        name="details",
        caption="The numbers behind it.",
    )


def effect_columns(quantity: str, level: float | None) -> tuple[Column, Column]:
    interval = f"{shown_percent(level)} interval" if level is not None else "interval"
    return (
        Column(name=quantity, parts=("effect",)),
        Column(name=interval, parts=("low", "high")),
    )


def effect_cells(
    outcome: TestOutcome, *, margin: float | None = None, finest: float | None = None
) -> tuple[Cell, Cell]:
    effect = outcome.effect
    signed = not outcome.null and effect.measure not in UNSIGNED
    numbers = write_estimate(effect, signed=signed, null=outcome.null, margin=margin, finest=finest)
    return (
        Cell(text=numbers.value, numbers=(effect.value,)),
        Cell(text=numbers.interval or "none", numbers=ends_of(effect.interval)),
    )


def ends_of(interval: Interval | None) -> tuple[float | None, float | None]:
    """The unrounded ends of an interval, where there is one."""
    return (None, None) if interval is None else (interval.low, interval.high)


def p_cell(outcome: TestOutcome, alpha: float | None) -> Cell:
    if outcome.p_value is None and outcome.statistic is None and not outcome.notes:
        return Cell(text="", numbers=(None,))  # an interval without a test
    return Cell(text=write_p(outcome, alpha=alpha), numbers=(outcome.p_value,))
