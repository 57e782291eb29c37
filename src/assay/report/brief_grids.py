"""The small tables of brief answers: each model and the difference, many models ranked, every question."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from assay.compare.ranking import ModelStanding, standings
from assay.compare.several_sentences import second_leads
from assay.compare.verdict import (
    ahead_first,
    is_pseudo_median,
    ties_left_out,
    turned_round,
    winner_first,
)
from assay.core.formatting import (
    clean,
    clean_name,
    effect_digits,
    estimate_digits,
    finest_of,
    fitted,
    shown_percent,
    write_estimate,
    write_p,
)
from assay.core.notes import by_count
from assay.core.results import (
    Comparison,
    Comparisons,
    Estimate,
    Evaluation,
    TestOutcome,
    Verdict,
)
from assay.core.vocabulary import TURNED
from assay.measures.registry import basis_of
from assay.plots.measure_labels import measure_label
from assay.report.brief_lines import Drawing, Grid, GridRow

MOST_ROWS = 40
MOST_QUESTIONS = 12
"""Rows of a brief table; the others are in ``--details``."""
WIDE_MODELS = (2, 3)
"""Models whose estimates and intervals stand side by side in a terminal."""
NAME_BESIDE = 12
"""Letters of a model's name above its column."""
MOST_BESIDE = 3
"""Measures of many models that stand beside one another."""


def pair_grid(result: Comparison) -> Grid:
    """The two models, the winner first, and their difference; of one model its level instead."""
    verdict = result.verdict
    if result.baseline is None:
        verdict = winner_first(verdict)
    outcome = verdict.outcome
    found = {one.model: one for one in result.estimates}
    ordered = [found[name] for name in (verdict.a, verdict.b) if name in found]
    ordered += [one for one in result.estimates if one not in ordered]
    if outcome.null and len(ordered) == 1:  # the interval that decided
        ordered = [replace(ordered[0], interval=outcome.effect.interval)]
    rows = [estimate_row(one, "estimates", finest_of(ordered)) for one in ordered]
    if outcome.null:
        level = write_estimate(_point(outcome, outcome.null)).value
        rows.append(GridRow(cells=(clean_name(verdict.b), level, "", "")))
    else:
        finest = finest_of([outcome.effect])
        rows.append(_difference_row(verdict, finest, _basis(outcome, ordered)))
    level_of = shown_percent(result.level)
    heads = (
        "",
        _head(result),
        f"{level_of} CI",
        next((basis_of(one)[1] for one in ordered), "") or "n",
    )
    return Grid(heads=heads, rows=tuple(rows), numbers=frozenset({1, 2, 3}))


def _basis(outcome: TestOutcome, models: Sequence[Estimate]) -> str:
    """The n of a difference, without the ties that a pseudo-median leaves out.

    Nothing where each model has predicted positives of its own.
    """
    ties = ties_left_out(outcome) if is_pseudo_median(outcome.effect) else 0
    (count, word), *others = dict.fromkeys(map(basis_of, models)) or [(outcome.effect.n, "")]
    if ties or not word:
        return f"{outcome.effect.n - ties:,}"
    return "" if others else f"{count:,}"


def _head(result: Comparison) -> str:
    """The measure; what everybody expects, that higher is better, need not be said."""
    better = " (lower is better)" if result.direction == "lower" else ""
    return f"{clean(result.measure)}{better}"


def _point(outcome: TestOutcome, value: float) -> Estimate:
    return replace(outcome.effect, value=value, interval=None)


def estimate_row(one: Estimate, axis: str, finest: float | None) -> GridRow:
    written = write_estimate(one, finest=finest)
    name = clean_name(one.model) if one.model is not None else ""
    return GridRow(
        cells=(name, written.value, written.interval or "no interval", f"{basis_of(one)[0]:,}"),
        drawing=drawing_of(one, axis),
    )


def drawing_of(one: Estimate, axis: str, *, zero: bool = False) -> Drawing | None:
    """The interval of an estimate as it is drawn beside it; nothing where there is none."""
    if one.value is None or one.interval is None:
        return None
    return Drawing(value=one.value, interval=one.interval, axis=axis, zero=zero)


def _difference_row(verdict: Verdict, finest: float | None, n: str) -> GridRow:
    effect = verdict.outcome.effect
    written = write_estimate(effect, signed=True, null=0.0, margin=verdict.margin, finest=finest)
    return GridRow(
        cells=(
            "pseudo-median" if is_pseudo_median(effect) else "difference",
            written.value,
            written.interval or "no interval",
            n,
        ),
        drawing=drawing_of(effect, "differences", zero=True),
        strong=verdict.different,
    )


def many_grid(result: Comparison) -> Grid:
    found = standings(result)
    if result.baseline is not None:
        return _baseline_grid(result, found)
    level = shown_percent(result.level)
    ranked = all(one.mean_rank is not None for one in found) and bool(found)
    lettered = all(one.letters is not None for one in found) and bool(found)
    heads = ["", _head(result), f"{level} CI"]
    heads += ["mean rank"] if ranked else []
    heads += ["group"] if lettered else []
    finest = finest_of(result.estimates)
    rows = []
    for one in found[:MOST_ROWS]:
        row = estimate_row(one.estimate, "estimates", finest)
        cells = list(row.cells[:3])
        cells += [f"{one.mean_rank:.2f}"] if ranked else []
        cells += [str(one.letters)] if lettered else []
        rows.append(GridRow(cells=tuple(cells), drawing=row.drawing))
    return Grid(
        heads=tuple(heads),
        rows=tuple(rows),
        numbers=frozenset({1, 2, 3} if ranked else {1, 2}),
        left_out=left_out(len(found) - MOST_ROWS, "model", "models"),
    )


def _baseline_grid(result: Comparison, found: Sequence[ModelStanding]) -> Grid:
    """Every model beside the baseline: its estimate, the difference, the interval and the p-value."""
    verdicts = {verdict.a: verdict for verdict in result.verdicts}
    finest, scale = effect_digits(result.verdicts), finest_of(result.estimates)
    rows = []
    for one in found[:MOST_ROWS]:
        value = write_estimate(one.estimate, finest=scale).value
        name = clean_name(one.model)
        if one.model not in verdicts:
            rows.append(GridRow(cells=(name, value, "baseline", "", ""), strong=True))
            continue
        verdict = verdicts[one.model]
        rows.append(GridRow(cells=(name, value, *_effect_cells(verdict, finest)), drawing=drawing_of(
            verdict.outcome.effect, "differences", zero=True)))  # fmt: skip
    effect = "pseudo-median" if of_medians(result.verdicts) else "difference"
    return Grid(
        heads=("", _head(result), effect, _interval_head(result), _p_head(result)),
        rows=tuple(rows),
        numbers=frozenset({1, 2, 3, 4}),
        left_out=left_out(len(found) - MOST_ROWS, "model", "models"),
    )


def _interval_head(result: Comparison | Comparisons) -> str:
    """What the intervals of differences are; those of a corrected family are wider than that of one."""
    family = result.family if isinstance(result, Comparison) else result.questions
    level = shown_percent(result.level)
    return f"{level} CI (adj.)" if family > 1 else f"{level} CI"


def _p_head(result: Comparison | Comparisons) -> str:
    family = result.family if isinstance(result, Comparison) else result.questions
    return "adj. p" if family > 1 else "p"


def of_medians(verdicts: Iterable[Verdict]) -> bool:
    return any(is_pseudo_median(verdict.outcome.effect) for verdict in verdicts)


def _effect_cells(verdict: Verdict, finest: float | None) -> tuple[str, str, str]:
    outcome = verdict.outcome
    interval = outcome.effect.interval
    written = write_estimate(
        outcome.effect,
        signed=not outcome.null,
        null=outcome.null,
        margin=verdict.margin,
        finest=finest,
    )
    alpha = None if interval is None else round(1 - interval.level, 12)
    p = (
        ""
        if outcome.p_value is None and outcome.statistic is None
        else write_p(outcome, alpha=alpha)
    )
    return written.value, written.interval or "no interval", p


def questions_grid(result: Comparisons) -> Grid:
    """One pair: its difference in every measure and slice; many models: who leads in each."""
    single = all(len(part.verdicts) == 1 for part in result.parts)
    if not single and result.sliced_by is None and len(result.parts) <= MOST_BESIDE:
        return _measures_grid(result)
    heads = _question_heads(result)
    turned = single and second_leads(result.parts)
    rows = []
    for part in result.parts[:MOST_QUESTIONS]:
        cells = _question_cells(part, heads)
        if not single:
            rows.append(GridRow(cells=(*cells, *_leader_cells(part))))
            continue
        verdict = turned_round(part.verdict) if turned else part.verdict
        effect = verdict.outcome.effect
        numbers = _effect_cells(verdict, effect_digits(part.verdicts))
        rows.append(
            GridRow(
                cells=(*cells, *numbers, _basis(verdict.outcome, part.estimates), _winner(part)),
                drawing=drawing_of(effect, part.measure, zero=not verdict.outcome.null),
                strong=part.slice is None,
            )
        )
    place = len(heads)
    if single:
        names = [clean_name(result.verdicts[0].a), clean_name(result.verdicts[0].b)]
        pair = " − ".join(reversed(names) if turned else names)
        effect_head = pair if len(pair) <= 24 else "difference"
        heads += [effect_head, _interval_head(result), _p_head(result), "n", "verdict"]
    else:
        heads += ["first", "pairs that differ"]
    return Grid(
        heads=tuple(heads),
        rows=tuple(rows),
        numbers=frozenset(range(place, place + 4) if single else ()),
        left_out=left_out(len(result.parts) - MOST_QUESTIONS, "row", "rows"),
    )


def _winner(part: Comparison) -> str:
    """The verdict in rows that share one order of the models: who is better, by name."""
    verdict = ahead_first(part, part.verdict)
    if part.baseline is not None or verdict.outcome.null or verdict.word not in TURNED:
        return verdict.word
    ahead, _ = fitted([clean_name(verdict.a), clean_name(verdict.b)], NAME_BESIDE)
    return f"{ahead} {verdict.word}"


def _measures_grid(result: Comparisons) -> Grid:
    """Many models: each with its value and letters in every measure, in the order of the first."""
    ranked = [{one.model: one for one in standings(part)} for part in result.parts]
    order = list(ranked[0])
    rows = []
    for model in order[:MOST_ROWS]:
        cells = [clean_name(model)]
        for part, found in zip(result.parts, ranked, strict=True):
            one = found[model]
            value = write_estimate(one.estimate, finest=finest_of(part.estimates)).value
            cells += [value, one.letters or ""]
        rows.append(GridRow(cells=tuple(cells)))
    heads = [text for part in result.parts for text in (_head(part), "group")]
    return Grid(
        heads=("", *heads),
        rows=tuple(rows),
        numbers=frozenset(range(1, 2 * len(ranked), 2)),
        left_out=left_out(len(order) - MOST_ROWS, "model", "models"),
    )


def _question_heads(result: Comparisons) -> list[str]:
    """What tells the rows apart: the measure, the slice, or both."""
    if result.sliced_by is None:
        return [""]
    sliced = f"{clean_name(result.sliced_by)}"
    return [sliced] if len({part.measure for part in result.parts}) == 1 else ["", sliced]


def _question_cells(part: Comparison, heads: Sequence[str]) -> list[str]:
    place = clean_name(part.slice) if part.slice is not None else "all"
    measure = clean(part.measure)
    return [measure, place] if len(heads) == 2 else [place if heads[0] else measure]


def _leader_cells(part: Comparison) -> tuple[str, str]:
    found = standings(part)
    different = sum(verdict.different for verdict in part.verdicts)
    name = clean_name(found[0].model) if found else ""
    return name, f"{different:,} of {len(part.verdicts):,}"


def measures_grid(result: Evaluation) -> Grid | None:
    """A row for each measure, where a row for each estimate would be too many and models are few."""
    measures = list(dict.fromkeys(one.measure for one in result.estimates))
    models = list(dict.fromkeys(one.model for one in result.estimates))
    most = 7 if len(models) == 2 else 2 + len(models)  # rows that leave the whole short enough
    if len(models) in WIDE_MODELS and len(measures) > 1 and len(result.estimates) > most:
        return _measures_by_models(result, measures)
    return None


def estimates_grid(result: Evaluation) -> Grid:
    """A row for each estimate, with its interval drawn."""
    measures = list(dict.fromkeys(one.measure for one in result.estimates))
    single = len(measures) == 1
    ordered = [one for name in measures for one in _best_first(result.estimates, name)]
    # shares share a scale, so that what looks alike is alike
    shares = all("↑" in measure_label(name) for name in measures)
    shares = shares and all(one.value is None or 0.0 <= one.value <= 1.0 for one in ordered)
    rows = []
    for one in ordered[:MOST_ROWS]:
        digits = estimate_digits(result.estimates, one.measure)
        row = estimate_row(one, "shares" if shares else one.measure, digits)
        name, value, interval, _ = row.cells
        label = () if single else (measure_label(one.measure),)
        rows.append(
            GridRow(cells=(name, *label, value, interval, _rests_on(one)), drawing=row.drawing)
        )
    first = (measure_label(measures[0]),) if single else ("measure", "estimate")
    place = 1 if single else 2
    return Grid(
        heads=("", *first, f"{shown_percent(result.level)} CI", "n"),
        rows=tuple(rows),
        numbers=frozenset({place, place + 1}),
        left_out=left_out(len(ordered) - MOST_ROWS, "row", "rows"),
    )


def _measures_by_models(result: Evaluation, measures: Sequence[str]) -> Grid:
    """A row for each measure, a column for each model, the best in the first measure first."""
    order = [one.model for one in _best_first(result.estimates, measures[0])]
    rows = []
    for measure in measures:
        found = {one.model: one for one in result.estimates if one.measure == measure}
        digits = estimate_digits(result.estimates, measure)
        written = [write_estimate(found[model], finest=digits) for model in order]
        cells = [f"{one.value} {one.interval or 'no interval'}" for one in written]
        bases = dict.fromkeys(_rests_on(found[model]) for model in order)
        n = next(iter(bases)) if len(bases) == 1 else ""
        rows.append(GridRow(cells=(measure_label(measure), *cells, n)))
    level = shown_percent(result.level)
    told = fitted([clean_name(model) for model in order], NAME_BESIDE)
    names = [f"{name}, {level} CI" for name in told]
    heads = ("", *names, "n")
    if len({row.cells[-1] for row in rows}) == 1:  # what was read says it
        heads = heads[:-1]
        rows = [replace(row, cells=row.cells[:-1]) for row in rows]
    return Grid(heads=heads, rows=tuple(rows), numbers=frozenset())


def _rests_on(one: Estimate) -> str:
    n, what = basis_of(one)
    return f"{n:,} {what}" if what else f"{n:,}"


def _best_first(estimates: Sequence[Estimate], measure: str) -> list[Estimate]:
    from assay.report.tables import in_order

    return in_order([one for one in estimates if one.measure == measure])


def left_out(more: int, one: str, many: str) -> str:
    return f"… {more:,} more {by_count(more, one, many)} in the details" if more > 0 else ""
