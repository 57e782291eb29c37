"""What a report of a gate shows: its word first, then each measure, then how often such a gate errs."""

from assay.compare.gate_sentences import (
    demand_of,
    in_order,
    names_of,
    only_margins,
    write_bounds,
)
from assay.core.gate_results import Gate, GateCheck, GateTrial
from assay.core.number_formatting import shown, shown_percent
from assay.core.text_formatting import as_sentence, clean, clean_name, listed
from assay.plots.measure_labels import measure_label, measure_title
from assay.report import tables
from assay.report.method_titles import named_interval
from assay.report.tables import Cell, Column, Table, ends_of
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
        headline=clean(gate.sentence),
        facts=_facts(gate),
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
                text=f"{check.margin:g}",
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


def checks_table(gate: Gate) -> Table:
    """One row for each measure."""
    if not only_margins(gate.checks):
        return _demands_table(gate)
    levels = {check.level for check in gate.checks}
    bound = f"{two_sided(levels.pop())} CI" if len(levels) == 1 else "CI"
    needed = any(check.needed is not None for check in gate.checks)
    return Table(
        name="gate",
        caption=(
            f"Gain: {_subtracted(gate)}, positive is better. A measure passes if the lower end is "
            "above −margin. It fails if the lower end is below and the upper end is below "
            f"0.{_NEEDED if needed else ''}"
        ),
        columns=(
            Column(name="measure"),
            Column(name="gain", parts=("difference",)),
            Column(name=bound, parts=("low", "high")),
            Column(name="margin", parts=("margin",)),
            Column(name="gate"),
            Column(name="needed", parts=("needed",)),
        ),
        rows=tuple(map(_check_row, gate.checks)),
        told=len(gate.checks) == 1,
    ).without(*([] if needed else ["needed"]))


def _demands_table(gate: Gate) -> Table:
    """One row for each demand: the measure, where, the value or difference, what is required."""
    listed_ = in_order(gate.checks, MOST_ITEMS)
    left = len(gate.checks) - len(listed_)
    more = f" {left:,} more items, all no worse, are in the JSON." if left else ""
    where = gate.sliced_by or "item"
    return Table(
        name="gate",
        caption="A gain is positive where the candidate is better; a value is the candidate's own. Both ends of an "
        "interval are one-sided bounds. A check passes if its interval meets what is required, and fails if it lies "
        f"on the other side.{more}",
        columns=(
            Column(name="measure"),
            Column(name=clean(where)),
            Column(name="value or gain", parts=("value", "difference")),
            Column(name="CI", parts=("low", "high")),
            Column(name="level", parts=("level",)),
            Column(name="required"),
            Column(name="n", parts=("n",)),
            Column(name="gate"),
        ),
        rows=tuple(_demand_row(check) for check in listed_),
    )


def _demand_row(check: GateCheck) -> tuple[Cell, ...]:
    value, _, interval = write_bounds(check).partition(" ")
    return (
        Cell(text=measure_label(check.measure), strong=check.word != "passed"),
        Cell(text=clean(check.slice or check.item or "all")),
        Cell(text=value, numbers=(check.value, check.difference)),
        Cell(text=interval or "none", numbers=(check.low, check.high)),
        Cell(text=two_sided(check.level), numbers=(check.level,)),
        Cell(text=demand_of(check)),
        Cell(text="" if check.n is None else f"{check.n:,}", numbers=(check.n,)),
        Cell(text=check.word),
    )


def _check_row(check: GateCheck) -> tuple[Cell, ...]:
    value, _, interval = write_bounds(check).partition(" ")
    units = None if check.needed is None else check.needed.units
    return (
        Cell(text=measure_label(check.measure), strong=check.word != "passed"),
        Cell(text=value, numbers=(check.difference,)),
        Cell(text=interval or "none", numbers=(check.low, check.high)),
        Cell(text=f"{check.margin:g}", numbers=(check.margin,)),
        Cell(text=check.word),
        Cell(text="" if units is None else f"{units:,}", numbers=(units,)),
    )


def trials_table(gate: Gate) -> Table | None:
    """How often such a gate errs, beside what it may."""
    if not gate.trials:
        return None
    drawn = {"items": "items", "clusters": "whole clusters"}[gate.trials[0].drawn]
    return Table(
        name="trials",
        caption=(
            f"Error rates of this gate on resampled data with known truth ({drawn} drawn), with "
            "95% Monte-Carlo intervals. Nominal is the rate that must not be exceeded."
        ),
        columns=(
            Column(name="the gate"),
            Column(name="measure"),
            Column(name="true difference", parts=("difference",)),
            Column(name="rate", parts=("rate",)),
            Column(name="counted", parts=("low", "high")),
            Column(name="nominal", parts=("nominal",)),
            Column(name="trials", parts=("trials",)),
        ),
        rows=tuple(_trial_row(trial) for trial in gate.trials),
    )


def _trial_row(trial: GateTrial) -> tuple[Cell, ...]:
    interval = trial.interval
    ends = ends_of(interval)
    counted = "out of reach" if interval is None else f"[{ends[0]:.3f}, {ends[1]:.3f}]"
    return (
        Cell(text=ERRORS[trial.error]),
        Cell(text="any" if trial.measure is None else measure_label(trial.measure)),
        Cell(text=shown(trial.difference), numbers=(trial.difference,)),
        Cell(text="none" if trial.rate is None else f"{trial.rate:.3f}", numbers=(trial.rate,)),
        Cell(text=counted, numbers=ends),
        Cell(text=shown(trial.nominal), numbers=(trial.nominal,)),
        Cell(text=f"{trial.replicates:,}", numbers=(trial.replicates,)),
    )
