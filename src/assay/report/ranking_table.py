"""The models of a comparison in one ranking: estimates, mean ranks, letters, and counts of verdicts."""

from collections import Counter
from dataclasses import replace

from assay.compare.ranking import ModelStanding, standings
from assay.core.results import Comparison
from assay.core.vocabulary import TURNED
from assay.report.tables import Cell, Column, ReportTable, estimates, in_order

_OVERLAP = "Compare models by their differences, not by whether these intervals overlap."


def compared(result: Comparison) -> ReportTable:
    """The estimates behind a comparison, best first; of many models their ranking."""
    table = estimates(result.estimates, direction=result.direction)
    if len(result.estimates) > 1:
        table = replace(table, caption=f"{table.caption} {_OVERLAP}")
    if len(result.verdicts) < 2:
        return table
    known = zip(in_order(result.estimates, result.direction), table.rows, strict=True)
    rows = {one.model: row for one, row in known}
    found = standings(result)
    ranked = all(one.mean_rank is not None for one in found)
    lettered = all(one.letters is not None for one in found)
    ahead, behind = ("higher", "lower") if result.direction == "unknown" else ("better", "worse")
    words = [ahead, behind, *(["equivalent"] if result.margin is not None else []), "undecided"]
    counts = _counts(result)
    ordered = []
    for one in found:
        met = counts.get(one.model, Counter())
        name, *rest = rows[one.model]
        cells = [Cell(text=f"{met[word]:,}", numbers=(met[word],)) for word in words]
        unbeaten = not met[behind] and met[ahead] > 0
        ordered.append(
            (
                replace(name, strong=unbeaten),
                *rest,
                *_standing_cells(one, ranked=ranked, lettered=lettered),
                *cells,
            )
        )
    return ReportTable(
        name=table.name,
        caption=f"{table.caption}{_said(ranked=ranked, lettered=lettered)} The last columns count the "
        f"verdicts of each model against the others; bold: {ahead} than some, {behind} than none.",
        columns=(
            *table.columns,
            *([Column(name="mean rank", parts=("mean_rank",))] if ranked else []),
            *([Column(name="group")] if lettered else []),
            *(Column(name=word, parts=(word,)) for word in words),
        ),
        rows=tuple(ordered),
    )


def _counts(result: Comparison) -> dict[str, Counter[str]]:
    """How often each model got each verdict."""
    counts: dict[str, Counter[str]] = {}
    for verdict in result.verdicts:
        counts.setdefault(verdict.a, Counter())[verdict.word] += 1
        counts.setdefault(verdict.b, Counter())[TURNED.get(verdict.word, verdict.word)] += 1
    return counts


def _standing_cells(one: ModelStanding, *, ranked: bool, lettered: bool) -> list[Cell]:
    cells = [Cell(text=f"{one.mean_rank:.2f}", numbers=(one.mean_rank,))] if ranked else []
    return [*cells, *([Cell(text=str(one.letters))] if lettered else [])]


def _said(*, ranked: bool, lettered: bool) -> str:
    rank = " Mean rank over the data sets, 1 is best." if ranked else ""
    return rank + (" Models that share a letter do not differ significantly." if lettered else "")
