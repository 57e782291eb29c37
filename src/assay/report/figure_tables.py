"""What figures of ranks and curves draw, as tables: for those who cannot see the figure."""

from assay.core.errors import UsageError
from assay.core.formatting import clean_name, listed
from assay.core.results import Comparison, FamilyOutcome
from assay.plots.cliques import compact_letters
from assay.plots.pair_decisions import PairDecisions, decisions_of, mean_ranks
from assay.report.tables import Cell, Column, ReportTable


def ranked(result: Comparison | FamilyOutcome) -> PairDecisions | None:
    """The decisions of a result with mean ranks and an answer to every pair; else None."""
    if mean_ranks(result) is None:
        return None
    try:
        found = decisions_of(result, figure="a diagram of ranks")
    except UsageError:
        return None
    answered = all(decided.different is not None for decided in found.pairs.values())
    return found if answered else None


def ranks_table(decisions: PairDecisions) -> ReportTable:
    """Models by mean rank, and from which others each does not differ significantly."""
    order = decisions.order
    different = decisions.matrix(order)
    letters = None if decisions.control is not None else compact_letters(different)
    columns = [Column(name="model"), Column(name="mean rank", parts=("mean_rank",))]
    if letters is not None:
        columns.append(Column(name="group"))
    columns.append(Column(name="no significant difference from"))
    rows = []
    for place, model in enumerate(order):
        rank = (decisions.ranks or {})[model]
        alike = [clean_name(other) for other in order if _alike(decisions, model, other)]
        rows.append(
            (
                Cell(text=clean_name(model)),
                Cell(text=f"{rank:.2f}", numbers=(rank,)),
                *(() if letters is None else (Cell(text=letters[place]),)),
                Cell(text=listed(alike, most=8) if alike else "nobody"),
            )
        )
    groups = (
        " Models that share a letter do not differ significantly." if letters is not None else ""
    )
    return ReportTable(
        name="ranks",
        caption=f"Mean ranks, 1 is best ({decisions.test}).{groups}",
        columns=tuple(columns),
        rows=tuple(rows),
    )


def _alike(decisions: PairDecisions, model: str, other: str) -> bool:
    decided, _ = decisions.of(model, other)
    return decided is not None and not decided.different
