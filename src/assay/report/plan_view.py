"""What a report of a plan shows: the answer, the cases where something is not known, the curve."""

from assay.core.formatting import clean, shown, shown_percent
from assay.core.method_names import method_name
from assay.core.plan_results import Plan, PlanCase
from assay.core.results import Scalar
from assay.core.vocabulary import POPULATION, UNIT_PLURAL
from assay.plan.sentences import is_width, planned_interval, solved
from assay.plots.measure_labels import measure_title
from assay.report import tables
from assay.report.figure_list import ReportFigure
from assay.report.formulas import filled
from assay.report.labelled_lines import WIDEST, labelled
from assay.report.method_titles import named_test
from assay.report.tables import Cell, Column, ReportTable
from assay.report.views import Fact, View

_AFTERWARDS = (
    "A plan is as good as its assumptions. After the study, report the interval; power computed from the "
    "observed difference only repeats the p-value."
)


def _units(plan: Plan) -> str:
    """What n counts; of questions that are answered several times, the answers."""
    return "answers" if "questions" in dict(plan.details) else UNIT_PLURAL[plan.unit]


def view_of_plan(plan: Plan) -> View:
    """The view of a plan, drawn from it and from nothing else."""
    curve = _points(plan)
    drawn = len(plan.curve.columns) > 1
    planned = named_test(plan.method)
    if is_width(plan):
        planned = f"a {shown_percent(plan.level)} interval ({planned_interval(plan)})"
    return View(
        title=f"Plan: {clean(plan.question)}, by {measure_title(plan.measure)}",
        glance=_glance(plan),
        headline=clean(plan.sentence),
        facts=_facts(plan),
        figures=(_figure(plan, curve),) if drawn else (),
        tables=tables.optional(
            _answers(plan), curve if drawn else None, tables.details(plan.details)
        ),
        decided=f"Planned for {planned}. Assumptions: {clean('; '.join(plan.assumptions))}.",
        applies=POPULATION[plan.unit],
        does_not_say=_AFTERWARDS,
    )


def _glance(plan: Plan) -> str:
    """What was sought, in at most twelve words."""
    units, n = _units(plan), _ends(plan, "n")
    if plan.solved_for == "n":
        goal = "find a difference of " + _ends(plan, "difference")
        if is_width(plan):
            goal = "get an interval of ±" + _ends(plan, "half_width")
        if plan.n is None and not plan.cases:
            return f"No number of {units} is enough"
        return f"{n} {units} are needed to {goal}"
    found = _ends(plan, plan.solved_for)
    if plan.solved_for == "power":
        return f"Power {found} with {n} {units}"
    if plan.solved_for == "half_width":
        return f"Half-width {found} with {n} {units}"
    return f"{n} {units} find a difference of {found}"


def explain_plan(plan: Plan, *, width: int = WIDEST) -> str:
    """The formula of a plan, the same with its numbers, what it assumes and who says so."""
    names: dict[str, Scalar] = {
        **dict(plan.details),
        "n": plan.n,
        "power": dict(plan.details).get("power_at_n", plan.power),
        "difference": plan.difference,
        "half_width": plan.half_width,
    }
    lines = [("Plan for", f"{plan.method}: {plan.question}"), ("Formula", plan.formula)]
    numbers = filled(plan.formula, {k: v for k, v in names.items() if not isinstance(v, str)})
    if numbers != plan.formula:
        lines.append(("Numbers", numbers))
    lines.append(("Answer", plan.sentence))
    lines += [("Assumes", one) for one in plan.assumptions]
    lines += [("Reference", plan.reference), ("Docs", "docs/methods/power.md")]
    return labelled(((label, clean(text)) for label, text in lines), width=width)


def _facts(plan: Plan) -> tuple[Fact, ...]:
    """What was sought first, then what was given."""
    units = _units(plan)
    total = dict(plan.details).get("n_total")
    each = f"of each model, {total:,} in all" if isinstance(total, int) else ""
    known = {
        "n": Fact(label=units, text=_ends(plan, "n"), detail=each),
        "power": Fact(label="power", text=_ends(plan, "power")),
        "difference": Fact(
            label=f"difference in {measure_title(plan.measure)}", text=_ends(plan, "difference")
        ),
        "half_width": Fact(label="half-width", text=_ends(plan, "half_width")),
    }
    names = ("half_width", "n") if is_width(plan) else ("n", "power", "difference")
    ordered = [plan.solved_for, *(name for name in names if name != plan.solved_for)]
    side = (
        plan.alternative if plan.alternative == "two-sided" else f"one-sided ({plan.alternative})"
    )
    return (
        *(known[name] for name in ordered),
        Fact(label="level", text=shown_percent(plan.level), detail=side),
    )


def _ends(plan: Plan, name: str) -> str:
    """One number, or the two between which it lies."""
    found = [getattr(case, name) for case in plan.cases or (plan,)]
    if name == plan.solved_for and name in ("difference", "half_width"):
        written = dict.fromkeys("none" if value is None else solved(value) for value in found)
    else:
        written = dict.fromkeys(_written(value, name) for value in found)
    return " to ".join(written)


def _written(value: float | None, name: str) -> str:
    if value is None:
        return "none"
    return f"{int(value):,}" if name == "n" else shown(value)


def _answers(plan: Plan) -> ReportTable:
    """The plan as a row, or a row for each case."""
    label = method_name(plan.method)
    one = PlanCase(
        label=label,
        n=plan.n,
        power=plan.power,
        difference=plan.difference,
        half_width=plan.half_width,
    )
    answers = plan.cases or (one,)
    names = [name for name in ("n", "power", "difference", "half_width") if _has(answers, name)]
    heads = {"n": _units(plan), "half_width": "half-width"}
    ends = "What the answer would be in the best and in the worst case."
    return ReportTable(
        name="plan",
        told=not plan.cases,
        caption=ends if plan.cases else clean(plan.sentence),
        columns=(
            Column(name="case" if plan.cases else "test"),
            *(Column(name=heads.get(name, name), parts=(name,)) for name in names),
        ),
        rows=tuple(
            (
                Cell(text=clean(case.label)),
                *(
                    Cell(text=_written(value, name), numbers=(value,))
                    for name in names
                    for value in (getattr(case, name),)
                ),
            )
            for case in answers
        ),
    )


def _points(plan: Plan) -> ReportTable:
    """The curve as a table, units as whole numbers."""
    (_, units), *columns = plan.curve.columns
    names = [name for name, _ in columns]
    rows = zip(units, *(values for _, values in columns), strict=True)
    return ReportTable(
        name="curve",
        caption=f"{clean(plan.curve.name).capitalize()} by the number of {_units(plan)}.",
        columns=(
            Column(name=_units(plan), parts=("n",)),
            *(Column(name=clean(name), parts=(name,)) for name in names),
        ),
        rows=tuple(
            (
                Cell(text=f"{int(n):,}", numbers=(int(n),)),
                *(Cell(text=f"{value:.3f}", numbers=(value,)) for value in values),
            )
            for n, *values in rows
        ),
    )


def _has(cases: tuple[PlanCase, ...], name: str) -> bool:
    return any(getattr(case, name) is not None for case in cases)


def _figure(plan: Plan, curve: ReportTable) -> ReportFigure:
    what = clean(plan.curve.name)
    return ReportFigure(
        name="power",
        caption=f"{what.capitalize()} by the number of {_units(plan)}; dotted lines mark the plan.",
        alt=f"Curve of {what} by the number of {_units(plan)}. {clean(plan.sentence)}",
        table=curve,
    )
