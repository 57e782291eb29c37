"""Tables of other methods on the same evidence, for comparison: their answers beside the one that decides."""

from dataclasses import replace

from assay.compare.verdict import as_listed, winner_first
from assay.core.formatting import clean, clean_name, effect_digits
from assay.core.results import Comparison, TestOutcome
from assay.plots.pair_decisions import MOST_PAIRS
from assay.report.effect_scales import UNSIGNED, scale_of
from assay.report.method_titles import named_test
from assay.report.tables import Cell, Column, ReportTable, effect_cells, effect_columns, p_cell


def beside(result: Comparison, *, turned: bool | None = None) -> ReportTable | None:
    """Other methods on the same evidence, and whether each would have said the same.

    ``turned`` says whether the second model comes first, as in the table of pairs; else who is ahead does.
    """
    if not result.also:
        return None
    alpha = 1 - result.level
    single = result.verdicts[0] if len(result.verdicts) == 1 else None
    if turned is None:
        ahead = single is not None and winner_first(single) is not single
        turned = ahead and result.baseline is None
    rows = []
    for label, outcome in result.also:
        told = _turned_round(outcome) if turned else outcome
        alike = single is not None and outcome.rejects(alpha) == single.different
        rows.append(
            (
                Cell(text=clean(label)),
                Cell(text=scale_of(outcome)),
                *effect_cells(told, **_shared(result, outcome)),
                p_cell(outcome, alpha),
                Cell(text="" if outcome.p_value is None else "yes" if alike else "no"),
            )
        )
    scaled = any(outcome.effect.measure != result.measure for _, outcome in result.also)
    spare = [] if scaled else ["effect is"]
    spare += ["same conclusion"] if single is None else []
    return ReportTable(
        name="also",
        caption="Other methods on the same data, for comparison. The verdict comes from one test "
        f"alone: {named_test(result.choice.method)}.",
        columns=(
            Column(name="also shown"),
            Column(name="effect is"),
            *effect_columns("effect", result.level),
            Column(name="p", parts=("p",)),
            Column(name="same conclusion"),
        ),
        rows=tuple(rows),
    ).without(*spare)


def _shared(result: Comparison, outcome: TestOutcome) -> dict[str, float | None]:
    """What differences in the measure share with the verdicts: the margin and the digits."""
    if outcome.effect.measure != result.measure:
        return {}
    return {"margin": result.margin, "finest": effect_digits(result.verdicts)}


def _turned_round(outcome: TestOutcome) -> TestOutcome:
    """The effect as B against A, as the verdict beside it is told."""
    effect = outcome.effect
    if effect.measure == "probability_of_improvement":
        other = effect.interval and effect.interval.mapped(lambda share: 1.0 - share)
        value = None if effect.value is None else 1.0 - effect.value
        return replace(outcome, effect=replace(effect, value=value, interval=other))
    signed = not outcome.null and effect.measure not in UNSIGNED
    return replace(outcome, effect=effect.negated()) if signed else outcome


def families(result: Comparison) -> ReportTable | None:
    """The same pairs by other families of tests: their adjusted p-values side by side."""
    shown = [(title, family) for title, family in result.families if family.outcomes]
    if not shown:
        return None
    found = [dict(zip(one.pairs, one.outcomes, strict=True)) for _, one in shown]
    alpha = 1 - result.level
    rows = []
    for verdict in as_listed(result):
        pair = (verdict.a, verdict.b)
        outcomes = [one.get(pair) or one.get(pair[::-1]) for one in found]
        cells = [Cell(text="") if one is None else p_cell(one, alpha) for one in outcomes]
        rows.append((Cell(text=clean_name(pair[0])), Cell(text=clean_name(pair[1])), *cells))
    return ReportTable(
        name="families",
        caption="Adjusted p-values of the same pairs by other families of tests, for comparison. The "
        f"verdicts come from one family alone: {named_test(result.choice.method)}.",
        columns=(
            Column(name="first"),
            Column(name="second"),
            *(Column(name=clean(title), parts=(f"p: {title}",)) for title, _ in shown),
        ),
        rows=tuple(rows),
        folded=len(rows) > MOST_PAIRS,
    )
