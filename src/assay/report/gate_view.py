"""What a report of a gate shows: its word first, then each measure, then how often such a gate errs."""

from assay.compare.gate_sentences import (
    demand_of,
    in_order,
    names_of,
    only_margins,
    write_bounds,
)
from assay.core.formatting import (
    as_sentence,
    clean,
    clean_name,
    listed,
    shown,
    shown_percent,
    write_given,
)
from assay.core.gate_results import Gate, GateTrial
from assay.plots.measure_labels import measure_label, measure_title
from assay.report import tables
from assay.report.figure_list import ReportFigure
from assay.report.method_titles import named_interval
from assay.report.tables import Cell, ColumnOf, ReportTable, ends_of, number, table_of, whole, words
from assay.report.views import Fact, View, evidence_facts

RULES = {
    "all": "every measure must pass, one-sided at {level} each",
    "holm": "every measure must pass, one-sided at {level} together (Holm)",
    "family": "all must pass, one-sided at {level}; failures Holm-adjusted",
}
MOST_ITEMS = 200
"""Single items that a report lists, the worst ones first; JSON has all."""
_NEEDED = " Needed: units with which an equally good candidate passes with 80% probability."
ERRORS = {
    "false-fail": "fails equal models",
    "false-pass": "passes a candidate worse by the margin",
}


def view_of_gate(gate: Gate) -> View:
    """The view of a gate, drawn from it and from nothing else."""
    names = names_of(gate)
    measures = listed(dict.fromkeys(measure_title(check.measure) for check in gate.checks))
    first = next(iter(gate.comparisons), None)
    reasons = dict.fromkeys(
        as_sentence(clean(one.choice.reason), clean(one.measure)) for one in gate.comparisons
    )
    return View(
        title=f"Gate: {names} by {measures}",
        word=gate.word,
        glance=f"Gate {gate.word}: {names}",
        headline=clean(gate.sentence),
        facts=_facts(gate),
        figures=_figures(gate),
        tables=(
            checks_table(gate),
            *tables.optional(trials_table(gate)),
            tables.estimates(
                [
                    one
                    for whole in gate.comparisons
                    if whole.slice is None
                    for one in whole.estimates
                ]
            ),
        ),
        decided=" ".join(reasons),
        applies="" if first is None else first.evidence.applies_to,
        does_not_say="" if first is None else clean(first.does_not_say.partition(" A p-value")[0]),
        evidence=() if first is None else evidence_facts(first.evidence),
    )


def _figures(gate: Gate) -> tuple[ReportFigure, ...]:
    """The checks against what is required, where there is a difference to draw."""
    if all(check.difference is None for check in gate.checks):
        return ()
    required = "what is required" if not only_margins(gate.checks) else "the margin, shaded"
    return (
        ReportFigure(
            name="checks",
            caption=f"Each check with its interval against {required}; right is better.",
            alt=f"Intervals of {len(gate.checks)} checks. {clean(gate.sentence)}",
            table=checks_table(gate),
        ),
    )


def two_sided(level: float) -> str:
    """The level of an interval whose two ends are bounds of this level each."""
    return shown_percent(round(2 * level - 1, 12))


def rule_of(gate: Gate) -> str:
    """How the checks are held together, in words."""
    return RULES[gate.rule].format(level=shown_percent(gate.level))


def _facts(gate: Gate) -> tuple[Fact, ...]:
    facts = []
    if len(gate.checks) == 1 and only_margins(gate.checks):
        check, comparison = gate.checks[0], gate.comparisons[0]
        method = named_interval(comparison.verdict.outcome.effect.method)
        facts += [
            Fact(
                label=f"{measure_label(check.measure, comparison.direction)}, {_subtracted(gate)}",
                text=write_bounds(check),
                detail=f"{two_sided(check.level)} {method} interval; positive is better",
            ),
            Fact(
                label="margin",
                text=write_given(check.margin),
                detail="the largest acceptable loss",
            ),
        ]
    else:
        label = "measures" if only_margins(gate.checks) else "checks"
        facts.append(Fact(label=label, text=str(len(gate.checks)), detail=rule_of(gate)))
    return (*facts, Fact(label="exit code", text=str(gate.exit_code), detail=gate.word))


def _subtracted(gate: Gate) -> str:
    """Which model is taken from which, so that positive is better."""
    names = [clean_name(gate.candidate), clean_name(str(gate.baseline))]
    lower = [one.direction == "lower" for one in gate.comparisons]
    first, second = names[::-1] if all(lower) and lower else names
    turned = f" (where lower is better {second} − {first})" if any(lower) and not all(lower) else ""
    return f"{first} − {second}{turned}"


def checks_table(gate: Gate) -> ReportTable:
    """One row for each measure."""
    if not only_margins(gate.checks):
        return _demands_table(gate)
    levels = {check.level for check in gate.checks}
    bound = f"{two_sided(levels.pop())} CI" if len(levels) == 1 else "CI"
    needed = any(check.needed is not None for check in gate.checks)
    return table_of(
        gate.checks,
        *_of_checks("gain", bound, "difference"),
        number("margin", lambda check: check.margin, write_given),
        words("gate", lambda check: check.word),
        number("needed", lambda check: check.needed and check.needed.units, whole),
        name="gate",
        caption=f"Gain: {_subtracted(gate)}, positive is better. A measure passes if the lower end is "
        "above −margin. It fails if the lower end is below and the upper end is below "
        f"0.{_NEEDED if needed else ''}",
        told=len(gate.checks) == 1,
    ).without(*([] if needed else ["needed"]))


def _of_checks(value: str, interval: str, *parts: str) -> tuple[ColumnOf, ...]:
    """What every check has: its measure, its number with these ``parts``, and the ends of its interval."""
    return (
        ColumnOf(
            "measure",
            (),
            lambda check: Cell(text=measure_label(check.measure), strong=check.word != "passed"),
        ),
        ColumnOf(
            value,
            parts,
            lambda check: Cell(
                text=write_bounds(check).partition(" ")[0],
                numbers=tuple(getattr(check, part) for part in parts),
            ),
        ),
        ColumnOf(
            interval,
            ("low", "high"),
            lambda check: Cell(
                text=write_bounds(check).partition(" ")[2] or "none",
                numbers=(check.low, check.high),
            ),
        ),
    )


def _demands_table(gate: Gate) -> ReportTable:
    """One row for each demand: the measure, where, the value or difference, what is required."""
    listed_ = in_order(gate.checks, MOST_ITEMS)
    left = len(gate.checks) - len(listed_)
    more = f" {left:,} more items, all no worse, are in the JSON." if left else ""
    measure, *numbers = _of_checks("value or gain", "CI", "value", "difference")
    return table_of(
        listed_,
        measure,
        words(clean(gate.sliced_by or "item"), lambda one: clean(one.slice or one.item or "all")),
        *numbers,
        number("level", lambda check: check.level, two_sided),
        words("required", demand_of),
        number("n", lambda check: check.n, whole),
        words("gate", lambda check: check.word),
        name="gate",
        caption="A gain is positive where the candidate is better; a value is the candidate's own. Both ends of an "
        "interval are one-sided bounds. A check passes if its interval meets what is required, and fails if it lies "
        f"on the other side.{more}",
    )


def trials_table(gate: Gate) -> ReportTable | None:
    """How often such a gate errs, beside what it may."""
    if not gate.trials:
        return None
    drawn = {"items": "items", "clusters": "whole clusters"}[gate.trials[0].drawn]
    return table_of(
        gate.trials,
        words("the gate", lambda trial: ERRORS[trial.error]),
        words("measure", lambda one: "any" if one.measure is None else measure_label(one.measure)),
        number("true difference", lambda trial: trial.difference, shown, "difference"),
        number("rate", lambda trial: trial.rate, "{:.3f}".format, none="none"),
        ColumnOf("counted", ("low", "high"), _counted_cell),
        number("nominal", lambda trial: trial.nominal, shown),
        number("trials", lambda trial: trial.replicates, whole),
        name="trials",
        caption=f"Error rates of this gate on resampled data with known truth ({drawn} drawn), with "
        "95% Monte-Carlo intervals. Nominal is the rate that must not be exceeded.",
    )


def _counted_cell(trial: GateTrial) -> Cell:
    ends = ends_of(trial.interval)
    text = "out of reach" if trial.interval is None else f"[{ends[0]:.3f}, {ends[1]:.3f}]"
    return Cell(text=text, numbers=ends)
