"""The answer first: what the terminal shows of a result unless asked for all of it.

What was read, the verdict, a small table, how it was decided, to what it applies, and every
warning. Built from the result alone, without the tables and paragraphs of a report.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from assay.compare.ranking import Standing, standings
from assay.compare.verdict import is_pseudo_median, ties_left_out, winner_first
from assay.core.notes import Note, by_count
from assay.core.number_formatting import shown_percent
from assay.core.results import (
    Comparison,
    Comparisons,
    Estimate,
    Evaluation,
    EvidenceSummary,
    TestOutcome,
    Verdict,
)
from assay.core.text_formatting import clean, clean_name, finest_of, say_p, write_estimate, write_p
from assay.plots.measure_labels import measure_label
from assay.report.brief_lines import Brief, Drawing, Grid, Line, Row, Said, as_lines
from assay.report.measure_bases import basis_of
from assay.report.method_titles import interval_of, named_outcome, named_test

MOST_ROWS = 40
MOST_QUESTIONS = 12
"""Rows of a brief table; the others are in ``--details``."""
HINTS = {
    "cli": {
        "details": "--details",
        "figure": "--figure FILE.png",
        "report": "--output FILE.html",
        "margin": "--margin X (equivalence)",
        "compare": "assay compare (differences)",
        "items": "trained models on new items: assay compare PREDICTIONS.csv --truth y",
        "held": "10 × 5 folds (surer level)",
        "predictions": "predictions (trained models)",
    },
    "python": {
        "details": ".summary(details=True)",
        "figure": ".plot()",
        "report": '.save("report.html")',
        "margin": "margin=X (equivalence)",
        "compare": "assay.compare (differences)",
        "items": "trained models on new items: assay.compare(predictions, truth=y)",
        "held": "10 × 5 folds (surer level)",
        "predictions": "predictions (trained models)",
    },
}
"""Where to go next, as one types it."""


def brief_text(
    result: Any, *, width: int, color: bool = False, unicode: bool = True, typed: str = "python"
) -> str | None:
    """The brief answer as text; None for results that have no brief form."""
    found = brief_of(result, typed=typed)
    return None if found is None else as_lines(found, width=width, color=color, unicode=unicode)


def brief_of(result: Any, *, typed: str = "python") -> Brief | None:
    """What is said of a result in brief; None of those that have no brief form."""
    builders: dict[type[Any], Callable[[Any, dict[str, str]], Brief]] = {
        Comparison: _of_comparison,
        Comparisons: _of_comparisons,
        Evaluation: _of_evaluation,
    }
    if not isinstance(result, tuple(builders)):
        from assay.report.brief_others import BUILDERS  # which needs this module, and more

        builders = BUILDERS
    for kind, build in builders.items():
        if isinstance(result, kind):
            return build(result, HINTS[typed])
    return None


def _of_comparison(result: Comparison, hints: dict[str, str]) -> Brief:
    single = len(result.verdicts) == 1
    warnings, details = notes_of(noted(result), hints)
    last = hints["margin"] if result.margin is None else hints["report"]
    other = _other_question(result, hints) if single else ()
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=_without_models(result.evidence),
        answer=clean(result.sentence or (result.verdict.sentence if single else "")),
        word=result.verdict.word if single else None,
        most_lines=4 - len(other) if single else 2,
        grid=_pair_grid(result) if single else _many_grid(result),
        spaced=single,
        lines=(
            *_letters_line(result),
            *_estimated_directly(result),
            _decided(result),
            applies_line(result),
            *other,
        ),
        warnings=warnings,
        hints=(
            details,
            *_held_design(result, hints),
            *(() if single or result.evidence.unit != "fold" else (hints["predictions"],)),
            hints["figure"],
            last,
        ),
    )


def _other_question(result: Comparison | Comparisons, hints: dict[str, str]) -> tuple[Line, ...]:
    """Scores of folds answer for algorithms: how to ask about trained models.

    Of predictions with their folds the warnings say it (`scored-by-fold`, `pooled-models`).
    """
    predicted = any(one.code == "scored-by-fold" for one in result.notes)
    asked = result.evidence.unit == "fold" and not predicted
    return (Line(label="Or ask", text=hints["items"]),) if asked else ()


def _held_design(result: Comparison, hints: dict[str, str]) -> tuple[str, ...]:
    """What to run instead, where these splits do not support a test that held its level."""
    unheld = any(one.code == "unheld-folds" for one in result.notes)
    return (hints["held"],) if unheld else ()


def _without_models(evidence: EvidenceSummary) -> str:
    """What was read without the names of the models, which the table has."""
    return clean(evidence.description.replace(f" ({', '.join(evidence.models)})", "", 1))


def _pair_grid(result: Comparison) -> Grid:
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
    effects = [] if outcome.null else [outcome.effect]
    finest = finest_of([*ordered, *effects])
    rows = [_estimate_row(one, "estimates", finest) for one in ordered]
    if outcome.null:
        level = write_estimate(_point(outcome, outcome.null)).value
        rows.append(Row(cells=(clean_name(verdict.b), level, "", "")))
    else:
        rows.append(_difference_row(verdict, finest, _basis(outcome, ordered)))
    level_of = shown_percent(result.level)
    heads = ("", _head(result), f"{level_of} CI", basis_of(ordered[0])[1] or "n")
    return Grid(heads=heads, rows=tuple(rows), numbers=frozenset({1, 2, 3}))


def _shared_basis(models: Sequence[Estimate], effect: Estimate) -> str:
    """On how many items a difference rests; nothing where each model has predicted positives of its own."""
    bases = dict.fromkeys(map(basis_of, models))
    (count, word), *others = bases
    return f"{effect.n:,}" if not word else "" if others else f"{count:,}"


def _basis(outcome: TestOutcome, models: Sequence[Estimate]) -> str:
    """The n of a difference, without the ties that a pseudo-median leaves out."""
    ties = ties_left_out(outcome) if is_pseudo_median(outcome.effect) else 0
    return f"{outcome.effect.n - ties:,}" if ties else _shared_basis(models, outcome.effect)


def _head(result: Comparison) -> str:
    """The measure; what everybody expects, that higher is better, need not be said."""
    better = " (lower is better)" if result.direction == "lower" else ""
    return f"{clean(result.measure)}{better}"


def _point(outcome: TestOutcome, value: float) -> Estimate:
    return replace(outcome.effect, value=value, interval=None)


def _estimate_row(one: Estimate, axis: str, finest: float | None) -> Row:
    written = write_estimate(one, finest=finest)
    name = clean_name(one.model) if one.model is not None else ""
    return Row(
        cells=(name, written.value, written.interval or "no interval", f"{basis_of(one)[0]:,}"),
        drawing=_drawing(one, axis),
    )


def _drawing(one: Estimate, axis: str, *, zero: bool = False) -> Drawing | None:
    if one.value is None or one.interval is None:
        return None
    return Drawing(value=one.value, interval=one.interval, axis=axis, zero=zero)


def _difference_row(verdict: Verdict, finest: float | None, n: str) -> Row:
    effect = verdict.outcome.effect
    written = write_estimate(effect, signed=True, null=0.0, margin=verdict.margin, finest=finest)
    return Row(
        cells=(
            "pseudo-median" if is_pseudo_median(effect) else "difference",
            written.value,
            written.interval or "no interval",
            n,
        ),
        drawing=_drawing(effect, "differences", zero=True),
        strong=verdict.different,
    )


def _many_grid(result: Comparison) -> Grid:
    found = standings(result)
    if result.baseline is not None:
        return _baseline_grid(result, found)
    level = shown_percent(result.level)
    ranked = all(one.mean_rank is not None for one in found) and bool(found)
    lettered = all(one.letters is not None for one in found) and bool(found)
    heads = ["", _head(result), f"{level} CI"]
    heads += ["mean rank"] if ranked else []
    heads += ["group"] if lettered else []
    finest = finest_of(one.estimate for one in found)
    rows = []
    for one in found[:MOST_ROWS]:
        row = _estimate_row(one.estimate, "estimates", finest)
        cells = list(row.cells[:3])
        cells += [f"{one.mean_rank:.2f}"] if ranked else []
        cells += [str(one.letters)] if lettered else []
        rows.append(Row(cells=tuple(cells), drawing=row.drawing))
    return Grid(
        heads=tuple(heads),
        rows=tuple(rows),
        numbers=frozenset({1, 2, 3} if ranked else {1, 2}),
        left_out=left_out(len(found) - MOST_ROWS, "model", "models"),
    )


def _baseline_grid(result: Comparison, found: Sequence[Standing]) -> Grid:
    """Every model beside the baseline: its estimate, the difference, the interval and the p-value."""
    verdicts = {verdict.a: verdict for verdict in result.verdicts}
    finest = finest_of(verdict.outcome.effect for verdict in result.verdicts)
    scale = finest_of(one.estimate for one in found)
    rows = []
    for one in found[:MOST_ROWS]:
        value = write_estimate(one.estimate, finest=scale).value
        name = clean_name(one.model)
        if one.model not in verdicts:
            rows.append(Row(cells=(name, value, "baseline", "", ""), strong=True))
            continue
        verdict = verdicts[one.model]
        rows.append(Row(cells=(name, value, *_effect_cells(verdict, finest)), drawing=_drawing(
            verdict.outcome.effect, "differences", zero=True)))  # fmt: skip
    effect = "pseudo-median" if _of_medians(result.verdicts) else "difference"
    return Grid(
        heads=("", _head(result), effect, _interval_head(result), "p"),
        rows=tuple(rows),
        numbers=frozenset({1, 2, 3, 4}),
        left_out=left_out(len(found) - MOST_ROWS, "model", "models"),
    )


def _interval_head(result: Comparison | Comparisons) -> str:
    """What the intervals of differences are; those of a corrected family are wider than that of one."""
    family = result.family if isinstance(result, Comparison) else result.questions
    return "adjusted CI" if family > 1 else f"{shown_percent(result.level)} CI"


def _of_medians(verdicts: Iterable[Verdict]) -> bool:
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


def _letters_line(result: Comparison) -> tuple[Line, ...]:
    if len(result.verdicts) < 2:
        return ()
    found = standings(result)
    if not found or any(one.letters is None for one in found):
        return ()
    text = "same letter: no significant difference; each CI is for one model"
    return (Line(label="Groups", text=text),)


def _decided(result: Comparison) -> Line:
    """The deciding test with its correction and level; then, as far as there is room, its company."""
    text = named_test(result.choice.method)
    if len(result.verdicts) == 1:
        text = named_outcome(result.verdict.outcome)
    if result.adjustment == "holm" and result.family > 1:
        text += f", Holm-adjusted over {result.family:,} pairs"
    elif result.family > 1:
        text += f" over {result.family:,} pairs"
    text += f", α = {_alpha(result.level)}"
    more = []
    named = {(one.outcome.method, one.outcome.effect.interval.method): one.outcome.effect
             for one in result.verdicts if one.outcome.effect.interval is not None}  # fmt: skip
    if _of_medians(result.verdicts):
        more.append("; Hodges–Lehmann pseudo-median")
    elif len(named) == 1 and result.family == 1 and len(set(*named)) == 2:
        interval = interval_of(*named.values())
        more.append("" if interval in text else f"; {interval} interval")
    if result.omnibus is not None:
        more.append(f"; {named_test(result.omnibus.method)}: {say_p(result.omnibus)}")
    clusters = result.evidence.clusters
    more += ["" if clusters is None else f"; {clusters:,} clusters", _false_positives(result)]
    return Line(label="Test", text=text, more=tuple(filter(None, more)))


def _estimated_directly(result: Comparison) -> tuple[Line, ...]:
    """Said where the difference is not that of the two values above it, which a reader would subtract."""
    if len(result.verdicts) > 1 or _of_medians(result.verdicts):
        return ()
    values = {one.model: one.value for one in result.estimates}
    verdict = result.verdict
    a, b, effect = values.get(verdict.a), values.get(verdict.b), verdict.outcome.effect.value
    if a is None or b is None or effect is None or math.isclose(a - b, effect, abs_tol=1e-9):
        return ()
    return (Line(label="Effect", text="estimated directly, not by subtracting the two values"),)


def _false_positives(result: Comparison) -> str:
    found = result.measured
    if found is None or found.low is None or found.high is None:
        return ""
    ends = dict.fromkeys(f"{100 * share:.1f}" for share in (found.low, found.high))
    return f"; false-positive rate {'–'.join(ends)}% in simulation"


def _alpha(level: float) -> str:
    return f"{round(1 - level, 12):g}".removeprefix("0")


def applies_line(result: Any) -> Line:
    evidence = result.evidence
    return Line(
        label="Applies",
        text=f"to {evidence.applies_to}",
    )


def _of_comparisons(result: Comparisons, hints: dict[str, str]) -> Brief:
    warnings, details = notes_of(
        [*result.notes, *(one for part in result.parts for one in noted(part))], hints
    )
    methods = dict.fromkeys(named_test(part.choice.method) for part in result.parts)
    adjusted = "Holm-adjusted" if result.adjustment == "holm" else "simultaneous"
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=_without_models(result.evidence),
        answer=clean(result.sentence),
        most_lines=4,
        grid=_questions_grid(result),
        lines=(
            Line(
                label="Test",
                text=f"{adjusted} over {result.questions:,} comparisons, α = {_alpha(result.level)}",
                more=(f"; {', '.join(methods)}",),
            ),
            applies_line(result),
            *_other_question(result, hints),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], hints["margin"]),
    )


def _questions_grid(result: Comparisons) -> Grid:
    """One pair: its difference in every measure and slice; many models: who leads in each."""
    single = all(len(part.verdicts) == 1 for part in result.parts)
    sliced = result.sliced_by is not None
    heads = ["", *(["slice"] if sliced else [])]
    finest = finest_of(verdict.outcome.effect for verdict in result.verdicts)
    rows = []
    for part in result.parts[:MOST_QUESTIONS]:
        cells = [clean(part.measure)]
        cells += [clean_name(part.slice) if part.slice is not None else "all"] if sliced else []
        if not single:
            rows.append(Row(cells=(*cells, *_leader_cells(part))))
            continue
        verdict = part.verdict
        rows.append(
            Row(
                cells=(*cells, *_effect_cells(verdict, finest), verdict.word),
                drawing=_drawing(
                    verdict.outcome.effect, part.measure, zero=not verdict.outcome.null
                ),
                strong=part.slice is None,
            )
        )
    place = len(heads)
    if single:
        pair = f"{clean_name(result.verdicts[0].a)} − {clean_name(result.verdicts[0].b)}"
        effect = pair if len(pair) <= 24 else "difference"
        heads += [effect, _interval_head(result), "p", "verdict"]
    else:
        heads += ["first", "pairs that differ"]
    return Grid(
        heads=tuple(heads),
        rows=tuple(rows),
        numbers=frozenset({place, place + 1, place + 2} if single else ()),
        left_out=left_out(len(result.parts) - MOST_QUESTIONS, "row", "rows"),
    )


def _leader_cells(part: Comparison) -> tuple[str, str]:
    found = standings(part)
    different = sum(verdict.different for verdict in part.verdicts)
    name = clean_name(found[0].model) if found else ""
    return name, f"{different:,} of {len(part.verdicts):,}"


def _of_evaluation(result: Evaluation, hints: dict[str, str]) -> Brief:
    measures = list(dict.fromkeys(one.measure for one in result.estimates))
    single = len(measures) == 1
    ordered = [one for name in measures for one in _best_first(result.estimates, name)]
    # shares share a scale, so that what looks alike is alike
    shares = all("↑" in measure_label(name) for name in measures)
    shares = shares and all(one.value is None or 0.0 <= one.value <= 1.0 for one in ordered)
    rows = []
    for one in ordered[:MOST_ROWS]:
        row = _estimate_row(one, "shares" if shares else one.measure, finest_of(ordered))
        name, value, interval, _ = row.cells
        n, what = basis_of(one)
        label = () if single else (measure_label(one.measure),)
        basis = f"{n:,} {what}" if what else f"{n:,}"
        rows.append(Row(cells=(name, *label, value, interval, basis), drawing=row.drawing))
    heads = ("", *(() if single else ("measure",)), *((measure_label(measures[0]),) if single else ("estimate",)),
             f"{shown_percent(result.level)} CI", "n")  # fmt: skip
    place = 1 if single else 2
    methods = dict.fromkeys(interval_of(one) for one in ordered if one.interval is not None)
    warnings, details = notes_of(noted(result), hints)
    arrows = "".join(
        f"; {arrow} {side} is better"
        for side, arrow in (("higher", "↑"), ("lower", "↓"))
        if any(arrow in measure_label(name) for name in measures)
    )
    several = len(result.evidence.models) > 1
    return Brief(
        read=clean(result.evidence.description),
        read_shorter=_without_models(result.evidence),
        grid=Grid(
            heads=heads,
            rows=tuple(rows),
            numbers=frozenset({place, place + 1}),
            left_out=left_out(len(ordered) - MOST_ROWS, "row", "rows"),
        ),
        lines=(
            Line(
                label="Interval",
                text=f"{', '.join(methods) or 'none'}{arrows}",
                more=("; for differences: assay compare",) if several else (),
            ),
            applies_line(result),
        ),
        warnings=warnings,
        hints=(details, hints["figure"], *((hints["compare"],) if several else ())),
    )


def _best_first(estimates: Sequence[Estimate], measure: str) -> list[Estimate]:
    from assay.report.tables import in_order

    return in_order([one for one in estimates if one.measure == measure])


def left_out(more: int, one: str, many: str) -> str:
    return f"… {more:,} more {by_count(more, one, many)} with --details" if more > 0 else ""


def noted(result: Any) -> list[Note]:
    """The notes on what was decided and on the estimates; those of methods shown beside are not."""
    return [*result.notes, *(note for one in result.estimates for note in one.notes)]


def notes_of(notes: Iterable[Note], hints: dict[str, str]) -> tuple[tuple[Said, ...], str]:
    """Every warning once, and where the cautions and remarks are, counted."""
    unique = list(dict.fromkeys(notes))
    said = [
        Said(level="warning", message=clean(one.message), code=one.code)
        for one in unique
        if one.level == "warning"
    ]
    codes: Counter[str] = Counter()
    for _, level in dict.fromkeys((one.code, one.level) for one in unique):
        codes[level] += 1
    names = {"caution": ("caution", "cautions"), "remark": ("remark", "remarks")}
    others = [f"{codes[one]} {by_count(codes[one], *names[one])}" for one in names if codes[one]]
    return tuple(said), f"{hints['details']} ({', '.join(['everything', *others])})"
