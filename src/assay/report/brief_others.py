"""Brief answers of single tests, estimates, families, posteriors, plans, simulations and gates."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assay.compare.verdict import is_pseudo_median
from assay.core.board_results import Board
from assay.core.fold_budgets import PRICES, Price
from assay.core.formatting import (
    clean,
    clean_name,
    say_alpha,
    say_p,
    say_power,
    shown_percent,
    write_estimate,
    write_given,
    write_p,
)
from assay.core.gate_results import Gate
from assay.core.judge_results import JudgeReport
from assay.core.method_names import method_name
from assay.core.methods import find_method, record_of
from assay.core.plan_results import Plan
from assay.core.results import Estimate, FamilyOutcome, Posterior, Simulation, TestOutcome
from assay.core.study_results import StudyReport
from assay.core.vocabulary import UNIT_PLURAL, counted, population
from assay.plan.sentences import is_width, planned_interval, solved
from assay.report.brief import notes_of
from assay.report.brief_grids import drawing_of
from assay.report.brief_lines import Brief, Grid, GridRow, LabelledLine
from assay.report.method_titles import interval_of, named_test
from assay.report.sentences import (
    estimate_sentence,
    family_sentence,
    outcome_sentence,
    posterior_sentence,
)

RANK = "mean_rank"
"""The effect of families of rank tests, of which the smaller is the better."""
MOST_PAIRS = 20
MOST_CELLS = 20
MOST_ASSUMED = 5
"""Lines of assumptions, which are never cut."""
MOST_POINTS = 6
"""Points of a curve that are shown as a table; one of more is drawn."""


def _of_test(result: TestOutcome, hints: dict[str, str]) -> Brief:
    effect = result.effect
    warnings, details = notes_of((*result.notes, *effect.notes), hints)
    record, side = record_of(result.method), f"{_sides(result.alternative)}, "
    if record is not None and "alternative" not in record.parameters:
        side = ""  # of several models at once there are no sides
    more = []
    if is_pseudo_median(effect):
        more.append("; Hodges–Lehmann pseudo-median")
    elif effect.interval is not None and effect.interval.method != result.method:
        more.append(f"; {interval_of(effect)} interval")
    return Brief(
        answer=outcome_sentence(result),
        lines=(
            LabelledLine(
                label="Test",
                text=f"{named_test(result.method)}, {side}n = {_counted(result)}",
                more=tuple(more),
            ),
        ),
        warnings=warnings,
        hints=(details, hints["report"]),
    )


def _counted(result: TestOutcome) -> str:
    """What a test rests on; of groups and of checks it is single scores, whatever they come from."""
    effect, record = result.effect, record_of(result.method)
    single = record is not None and (record.gives == "check" or record.takes == "groups")
    return f"{effect.n:,} values" if single else counted(effect.n, effect.unit)


def _of_estimate(result: Estimate, hints: dict[str, str]) -> Brief:
    warnings, details = notes_of(result.notes, hints)
    return Brief(
        answer=estimate_sentence(result),
        lines=(
            LabelledLine(
                label="Method",
                text=f"{interval_of(result)} interval, n = {counted(result.n, result.unit)}",
            ),
        ),
        warnings=warnings,
        hints=(details, hints["report"]),
    )


def _pair_row(pair: tuple[str, str], outcome: TestOutcome) -> GridRow:
    effect = outcome.effect
    written = write_estimate(effect, signed=True, null=outcome.null)
    alpha = None if effect.interval is None else round(1 - effect.interval.level, 12)
    return GridRow(
        cells=(
            " − ".join(map(clean_name, pair)),
            written.value,
            written.interval or "none",
            write_p(outcome, alpha=alpha),
        ),
        drawing=drawing_of(effect, "pairs", zero=True),
        strong=alpha is not None and outcome.rejects(alpha),
    )


def _of_family(result: FamilyOutcome, hints: dict[str, str]) -> Brief:
    notes = [note for one in result.outcomes for note in (*one.notes, *one.effect.notes)]
    warnings, details = notes_of([*result.notes, *notes], hints)
    pairs = list(zip(result.pairs, result.outcomes, strict=True))[:MOST_PAIRS]
    more = len(result.pairs) - MOST_PAIRS
    omnibus = result.omnibus
    return Brief(
        answer=family_sentence(result),
        grid=Grid(
            heads=("", _difference_head(result), _interval_head(result), "p"),
            rows=tuple(_pair_row(*_winner_first(*pair)) for pair in pairs),
            numbers=frozenset({1, 2, 3}),
            left_out=f"… {more:,} more pairs in the details" if more > 0 else "",
        ),
        lines=(
            *_rank_lines(result),
            LabelledLine(
                label="Test",
                text=f"{named_test(result.method)}, {method_name(result.adjustment)} adjustment",
                more=()
                if omnibus is None
                else (f"; {named_test(omnibus.method)} {say_p(omnibus)}",),
            ),
        ),
        warnings=warnings,
        hints=(details, hints["report"]),
    )


def _rank_lines(result: FamilyOutcome) -> tuple[LabelledLine, ...]:
    """The ranks that each model may have, where they are what was asked for."""
    ranked = [one for one in result.estimates if one.measure == "rank" and one.value is not None]
    said = [
        f"{clean_name(one.model or 'model')} {write_given(one.value)}"
        + (
            ""
            if one.interval is None
            else f" ({write_given(one.interval.low)}–{write_given(one.interval.high)})"
        )
        for one in sorted(ranked, key=lambda one: one.value or 0.0)
    ]
    return (LabelledLine(label="Ranks", text=" · ".join(said)),) if said else ()


def _winner_first(
    pair: tuple[str, str], outcome: TestOutcome
) -> tuple[tuple[str, str], TestOutcome]:
    """A pair with the larger first, of ranks the smaller; a test of one side stays as it is."""
    value = outcome.effect.value
    if outcome.null or outcome.alternative != "two-sided" or value is None:
        return pair, outcome
    if (-value if outcome.effect.measure == RANK else value) >= 0.0:
        return pair, outcome
    return (pair[1], pair[0]), replace(outcome, effect=outcome.effect.negated())


def _difference_head(result: FamilyOutcome) -> str:
    """What the differences are; of strengths, the log-odds that the first is preferred."""
    measures = {one.effect.measure for one in result.outcomes}
    heads = {"log_strength": "log-odds", RANK: "mean rank (1 is best)"}
    return heads.get(measures.pop(), "difference") if len(measures) == 1 else "difference"


def _interval_head(result: FamilyOutcome) -> str:
    levels = {one.effect.interval.level for one in result.outcomes if one.effect.interval}
    return f"{shown_percent(levels.pop())} CI" if len(levels) == 1 else "CI"


def _of_posterior(result: Posterior, hints: dict[str, str]) -> Brief:
    warnings, details = notes_of((*result.notes, *result.effect.notes), hints)
    return Brief(
        answer=posterior_sentence(result),
        lines=(
            LabelledLine(
                label="Model",
                text=method_name(result.method),
                more=(f"; prior: {clean(result.prior)}",) if result.prior else (),
            ),
        ),
        warnings=warnings,
        hints=(details, hints["report"]),
    )


def _of_plan(result: Plan, hints: dict[str, str]) -> Brief:
    warnings, details = notes_of(result.notes, hints)
    return Brief(
        answer=clean(result.sentence),
        most_lines=4,
        grid=_plan_grid(result),
        lines=(
            _planned_for(result),
            LabelledLine(
                label="Assumes", text=clean("; ".join(result.assumptions)), most=MOST_ASSUMED
            ),
            LabelledLine(label="Applies", text=f"to {population(result.unit, 2)}"),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["report"]),
    )


def _planned_for(result: Plan) -> LabelledLine:
    """The test that is planned, or the interval where its width is."""
    if is_width(result):
        return LabelledLine(
            label="Interval", text=f"{shown_percent(result.level)}: {planned_interval(result)}"
        )
    text = f"{named_test(result.method)}, {_side(result)}"
    pairs = dict(result.details).get("pairs")
    if pairs is not None and not find_method(result.method).asks_of_all:
        text += f" over {pairs} pairs (Bonferroni)"
    return LabelledLine(label="Test", text=text)


def _sides(alternative: str) -> str:
    return alternative if alternative == "two-sided" else f"one-sided ({alternative})"


def _side(result: Plan) -> str:
    side = _sides(result.alternative)
    return f"{side}, α = {say_alpha(result.level)}"


def _few_points(result: Plan) -> Grid | None:
    """Power at the numbers of fits that a plan for algorithms shows, and the level measured there."""
    (_, units), *columns = result.curve.columns
    if not columns or len(units) > MOST_POINTS:
        return None
    over_folds = result.unit == "fold"
    known = {one.fits: one for one in PRICES if over_folds and one.method == result.method}
    rows = tuple(
        GridRow(
            cells=(f"{int(n):,}", say_power(share), *_measured(known.get(int(n)), known)),
            strong=n == result.n,
        )
        for n, share in zip(units, columns[0][1], strict=True)
    )
    heads = ("fits per model" if over_folds else UNIT_PLURAL[result.unit], clean(result.curve.name))
    more = ("splits", "simulated false-positive rate") if known else ()
    return Grid(heads=(*heads, *more), rows=rows, numbers=frozenset({0, 1}))


def _measured(price: Price | None, known: Mapping[int, Price]) -> tuple[str, ...]:
    """Splits at a price, and the worst false-positive rate of equal learners that was counted."""
    if not known:
        return ()
    if price is None:
        return "", ""
    splits = f"{price.repeats} × {price.folds} folds"
    runs = f"worst of {price.cells} settings with {price.samples:,} runs"
    return splits, f"{100 * price.worst:.1f}% ({runs})"


def _plan_grid(result: Plan) -> Grid | None:
    """The best and the worst case, where something that matters is not known; or a curve of few points."""
    if not result.cases:
        return _few_points(result)
    units = UNIT_PLURAL[result.unit]
    rows = tuple(
        GridRow(
            cells=(
                clean(case.label),
                "none" if case.n is None else f"{case.n:,}",
                "" if case.power is None else f"{case.power:.2f}",
                "" if case.difference is None else _size(result, case.difference),
            )
        )
        for case in result.cases
    )
    return Grid(
        heads=("case", units, "power", "difference"), rows=rows, numbers=frozenset({1, 2, 3})
    )


def _size(result: Plan, difference: float) -> str:
    """As the sentence has it: typed in full, worked out in three digits."""
    return solved(difference) if result.solved_for == "difference" else write_given(difference)


def _of_simulation(result: Simulation, hints: dict[str, str]) -> Brief:
    from assay.report.simulation_view import cells_table

    warnings, details = notes_of(result.notes, hints)
    table = cells_table(result)
    shown = table.rows[:MOST_CELLS]
    more = len(table.rows) - len(shown)
    return Brief(
        answer=clean(result.sentence),
        most_lines=4,
        grid=Grid(
            heads=tuple(column.name for column in table.columns),
            rows=tuple(GridRow(cells=tuple(cell.text for cell in row)) for row in shown),
            numbers=frozenset(
                place for place, column in enumerate(table.columns) if column.kind == "number"
            ),
            left_out=f"… {more:,} more rows in the details" if more > 0 else "",
        ),
        lines=(
            LabelledLine(
                label="Applies",
                text="to the simulated data described in the details, not to every data set",
            ),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["report"]),
    )


def _of_board(result: Board, hints: dict[str, str]) -> Brief:
    from assay.report.board_view import brief_of_board  # which needs the views

    return brief_of_board(result, hints)


def _of_judge(result: JudgeReport, hints: dict[str, str]) -> Brief:
    from assay.report.judge_view import brief_of_judge  # which needs the views

    return brief_of_judge(result, hints)


def _of_gate(result: Gate, hints: dict[str, str]) -> Brief:
    from assay.report.brief_gate import brief_of_gate

    return brief_of_gate(result, hints)


def _of_study(result: StudyReport, hints: dict[str, str]) -> Brief:
    from assay.report.brief_study import brief_of_study

    return brief_of_study(result, hints)


BUILDERS: dict[type[Any], Callable[[Any, dict[str, str]], Brief]] = {
    TestOutcome: _of_test,
    Estimate: _of_estimate,
    FamilyOutcome: _of_family,
    Posterior: _of_posterior,
    Plan: _of_plan,
    Simulation: _of_simulation,
    Board: _of_board,
    JudgeReport: _of_judge,
    Gate: _of_gate,
    StudyReport: _of_study,
}
