"""The view of several measures and slices that were decided together."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from assay.compare.several_sentences import held_sentence, second_leads
from assay.compare.verdict import ahead_first, turned_round
from assay.core.formatting import clean, clean_name, listed, shown_percent, write_given
from assay.core.notes import by_count
from assay.core.results import Comparison, Comparisons
from assay.core.vocabulary import TURNED, direction_words
from assay.evidence.cell_text import plural
from assay.plots.measure_labels import measure_label, measure_title
from assay.report import other_methods, tables
from assay.report.effect_scales import scale_of
from assay.report.figure_list import ReportFigure, comparison_figures
from assay.report.headline import first_of_each, headline_of_several
from assay.report.methods_paragraph import adjusted_by
from assay.report.ranking_table import compared
from assay.report.tables import Cell, Column, ReportTable
from assay.report.views import Fact, View, evidence_facts

WHOLE = "all"
"""What the whole evidence is called among its slices."""


def view_of_comparisons(result: Comparisons) -> View:
    names = [clean_name(model) for model in result.evidence.models]
    subject = listed(names) if len(names) <= 3 else f"{len(names)} models"
    by = listed(measure_title(name) for name in result.measures)
    sliced = f", in slices of {clean(result.sliced_by)}" if result.sliced_by else ""
    first = first_of_each(result)
    held = held_sentence(result.parts, result.level, result.questions)
    return View(
        title=f"Comparison of {subject} by {by}{sliced}",
        glance=headline_of_several(result),
        headline=" ".join(filter(None, (first, held))) if first else clean(result.sentence),
        facts=_facts(result),
        figures=_figures(result),
        tables=(
            pairs_table(result),
            *tables.optional(joint_table(result)),
            *_estimated(result),
            *_beside(result),
        ),
        decided=clean(" ".join(_decided(result))),
        applies=result.evidence.applies_to,
        does_not_say=clean(result.does_not_say),
        evidence=evidence_facts(result.evidence),
    )


def _facts(result: Comparisons) -> tuple[Fact, ...]:
    words = Counter(verdict.word for verdict in result.verdicts)
    told = sum(words[word] for word in TURNED)
    slices = f", {plural(len(result.slices), 'slice')}" if result.slices else ""
    measures = plural(len(result.measures), "measure")
    of = (
        f"{measures}{slices}; "
        if slices or result.questions != len(result.measures)
        else "in all: "
    )
    margins = {part.measure: part.margin for part in result.parts}
    return (
        Fact(
            label="comparisons",
            text=f"{result.questions:,}",
            detail=f"{of}{told:,} {by_count(told, 'differs', 'differ')} significantly, "
            f"{words['equivalent']:,} equivalent, {words['undecided']:,} inconclusive",
        ),
        Fact(
            label="correction",
            text=adjusted_by(result.adjustment, result.questions),
            detail="of intervals and p-values",
        ),
        *(_measure_fact(result, name) for name in result.measures),
        Fact(
            label="margin",
            text=listed(
                f"±{write_given(margin)} ({clean(name)})"
                for name, margin in margins.items()
                if margin
            )
            or "none",
            detail="the smallest relevant difference"
            if any(margins.values())
            else "equivalence was not tested; set margin=",
        ),
    )


def _measure_fact(result: Comparisons, measure: str) -> Fact:
    whole = result.part(measure)
    words = Counter(verdict.word for verdict in whole.verdicts)
    detail = f"{direction_words(whole.direction)}"
    if len(whole.verdicts) == 1:
        verdict = ahead_first(whole, whole.verdict)
        who = f"{clean_name(verdict.a)} is " if verdict.word in TURNED else ""
        text = f"{who}{verdict.word}"
        return Fact(label=measure_label(measure, whole.direction), text=text, detail=detail)
    differing = sum(words[word] for word in TURNED)
    found = {
        f"{by_count(differing, 'differs', 'differ')} significantly": differing,
        "equivalent": words["equivalent"],
        "inconclusive": words["undecided"],
    }
    counted = ", ".join(f"{count:,} {word}" for word, count in found.items() if count)
    return Fact(label=measure_label(measure, whole.direction), text=counted, detail=detail)


def pairs_table(result: Comparisons, *, ordered: bool = False) -> ReportTable:
    """Every question of the family: the measure, the slice, the pair and what decides it.

    The winner of each pair stands first, unless all rows are ``ordered`` alike. What is undecided
    about one pair keeps the order of the others.
    """
    null = any(verdict.outcome.null for verdict in result.verdicts)
    quantity = "value" if null else "difference"
    heads = [Column(name="measure"), *([Column(name="slice")] if result.sliced_by else [])]
    single = all(len(part.verdicts) == 1 for part in result.parts)
    turned = single and second_leads(result.parts)
    rows = []
    for part in result.parts:
        label = [Cell(text=clean(part.measure))]
        if result.sliced_by:
            label.append(Cell(text=WHOLE if part.slice is None else clean_name(part.slice)))
        shown = _in_order(part, turned=turned) if single and not ordered else part
        table = tables.pairs(shown, result.verdicts, ordered=ordered or single)
        rows += [(*label, *row) for row in table.rows]
    senses = {name: direction_words(result.part(name).direction) for name in result.measures}
    better = listed(dict.fromkeys(senses.values()))
    if len(set(senses.values())) > 1:
        better = listed(f"{clean(name)}: {sense}" for name, sense in senses.items())
    return ReportTable(
        name="differences",
        caption=f"{'Values' if null else 'Differences, first − second'}; {better}. "
        f"Intervals and p-values: {adjusted_by(result.adjustment, result.questions)}."
        f"{tables.chances_said(result.parts)}{tables.needed_said(result.verdicts)}",
        columns=(
            *heads,
            Column(name="first"),
            Column(name="second"),
            *tables.effect_columns(quantity, result.level),
            Column(name="p", parts=("p",)),
            *tables.record_columns(result.verdicts),
            *tables.chance_columns(result.verdicts),
            Column(name="verdict"),
            *tables.needed_columns(result.verdicts),
        ),
        rows=tuple(rows),
    )


def _in_order(part: Comparison, *, turned: bool) -> Comparison:
    """The one pair with its winner first; undecided, in the order of the family."""
    verdict = part.verdicts[0]
    if verdict.word in TURNED:
        return replace(part, verdicts=(ahead_first(part, part.verdict),))
    return replace(part, verdicts=(turned_round(verdict),)) if turned else part


def joint_table(result: Comparisons) -> ReportTable | None:
    """Tests of all measures at once, shown beside."""
    if not result.joint:
        return None
    return ReportTable(
        name="joint",
        caption="All measures at once, for information: the null hypothesis is that the models are equal "
        "in every one of them. The verdicts do not use it.",
        columns=(
            Column(name="test"),
            Column(name="effect is"),
            *tables.effect_columns("effect", result.level),
            Column(name="p", parts=("p",)),
        ),
        rows=tuple(
            (
                Cell(text=clean(title)),
                Cell(text=scale_of(outcome)),
                *tables.effect_cells(outcome),
                tables.p_cell(outcome, 1 - result.level),
            )
            for title, outcome in result.joint
        ),
    )


def _estimated(result: Comparisons) -> Iterable[ReportTable]:
    """Of many models a table for each measure; else, and of slices, one table of all estimates."""
    many = any(len(part.verdicts) > 1 for part in result.parts)
    if many:
        for part in result.parts:
            if part.slice is None:
                yield _labelled(result, part, compared(part))
    parts = [part for part in result.parts if not many or part.slice is not None]
    if not parts:
        return
    heads = [Column(name="slice")] if result.sliced_by else []
    rows = []
    for part in parts:
        named = [Cell(text=WHOLE if part.slice is None else clean_name(part.slice))]
        rows += [
            (Cell(text=clean(part.measure)), *(named if heads else ()), *row)
            for row in tables.estimates(part.estimates, direction=part.direction)
            .without("measure", "interval method")
            .rows
        ]
    yield ReportTable(
        name="estimates",
        caption=f"Estimates with {shown_percent(result.level)} intervals, one at a time. Compare models by "
        "their differences, not by whether these intervals overlap.",
        columns=(
            Column(name="measure"),
            *heads,
            Column(name="model"),
            Column(name="estimate", parts=("estimate",)),
            Column(name="interval", parts=("low", "high")),
            Column(name="n", parts=("n",)),
        ),
        rows=tuple(rows),
    )


def _labelled(result: Comparisons, part: Comparison, table: ReportTable) -> ReportTable:
    """A table of one part, its name and caption saying which."""
    place = f"{part.measure}" + (f":{part.slice}" if part.slice is not None else "")
    where = ""
    if result.sliced_by:
        where = "All slices. " if part.slice is None else f"Slice {clean_name(part.slice)}. "
    return replace(table, name=f"{table.name}:{place}", caption=f"{where}{table.caption}")


def _beside(result: Comparisons) -> Iterable[ReportTable]:
    for part in result.parts:
        if part.slice is not None:
            continue
        single = len(part.verdicts) == 1
        shown = _in_order(part, turned=second_leads(result.parts)) if single else part
        turned = single and shown.verdicts[0].a != part.verdicts[0].a
        for table in tables.optional(other_methods.beside(part, turned=turned)):
            caption = f"By {clean(part.measure)}, not adjusted for other questions. {table.caption}"
            yield replace(_labelled(result, part, table), caption=caption)


def _figures(result: Comparisons) -> tuple[ReportFigure, ...]:
    """Of one pair in slices one figure for each measure; else the figures of every whole part.

    The first stands under the headline: a difference that was found, where there is one.
    """
    figures: list[ReportFigure] = []
    found = [place for place, part in enumerate(result.parts) if _differs(part)]
    for place, part in enumerate(result.parts):
        if part.slice is not None:
            continue
        own = comparison_figures(part)
        if result.slices and len(part.verdicts) == 1:
            own = tuple(one for one in own if one.name != "differences")
            figures.append(_sliced_figure(result, part))
        figures += [replace(one, name=f"part:{place}:{one.name}") for one in own]
    lead = [f"part:{found[0]}:{kind}" for kind in ("differences", "matrix")] if found else []
    first = next((one.name for one in figures if one.name in lead and not one.folded), "")
    return tuple(sorted(figures, key=lambda one: one.name != first))


def _differs(part: Comparison) -> bool:
    return part.slice is None and any(verdict.different for verdict in part.verdicts)


def _sliced_figure(result: Comparisons, whole: Comparison) -> ReportFigure:
    name = measure_label(whole.measure, whole.direction)
    table = pairs_table(result, ordered=True)
    mine = tuple(row for row in table.rows if row[0].text == clean(whole.measure))
    return ReportFigure(
        name=f"slices:{whole.measure}",
        caption=f"Differences in {name} in each slice with {shown_percent(result.level)} intervals, "
        f"{adjusted_by(result.adjustment, result.questions)}.",
        alt=f"Forest plot of the difference in {name} in {len(mine)} slices.",
        table=replace(table, rows=mine),
    )


def _decided(result: Comparisons) -> Iterable[str]:
    for measure in result.measures:
        reason = result.part(measure).choice.reason
        yield f"{measure}: {reason}."
    yield f"Intervals and p-values are {adjusted_by(result.adjustment, result.questions)}."
