"""What a board says in words."""

from typing import TYPE_CHECKING

from assay.core.arrays import BoolArray
from assay.core.board_results import Board
from assay.core.formatting import finest_of, shown_percent, write_estimate
from assay.core.notes import by_count
from assay.estimates.board_aggregates import AGGREGATES
from assay.estimates.unit_scores import UnitScores
from assay.hypotheses.friedman_posthoc import wilcoxon_pairs
from assay.kernels.tails import alpha_of

if TYPE_CHECKING:
    from assay.compare.board import RankedField

MOST_NAMED = 6
MOST_LETTERS = 80
MOST_COMPARED = 30
"""Models of a board beside which signed ranks are computed: their pairs take time."""


def sentence_of(board: Board) -> str:
    """Who leads, who else may be the best, and how many pairs differ."""
    first = board.rows[0]
    tied = [row.model for row in board.rows if row.rank == 1]
    side = "highest" if board.direction == "higher" else "lowest"
    what = board.measure if board.aggregate == "mean" else AGGREGATES[board.aggregate].title
    value = write_estimate(first.estimate, finest=finest_of(board.estimates)).value
    lead = f"{first.model} has the {side} {what} ({value})"
    if len(tied) > 1:
        lead = f"{_listed(tied)} share the {side} {what} ({value})"
    pairs = len(board.rows) * (len(board.rows) - 1) // 2
    apart = (
        f"{board.pairs_apart:,} of {pairs:,} pairs {by_count(board.pairs_apart, 'differs', 'differ')}"
        if board.pairs_apart
        else "No pair differs"
    )
    return f"{lead}{_possible_winners(board)} {apart} significantly."


def _possible_winners(board: Board) -> str:
    """Who may be the best: a question of its own, whose answer may be shorter than the sets of all ranks."""
    level = shown_percent(board.level)
    possible = [row.model for row in board.rows if row.may_be_best]
    first = [row.model for row in board.rows if row.low == 1]
    if len(possible) > 1:
        of_all = len(possible) == len(board.rows)
        who = (
            f"Any of the {len(possible)} models"
            if of_all
            else f"{len(possible)} of {len(board.rows)} models"
        )
        others = [model for model in first if model not in possible]
        beside = (
            f" The rank sets, which hold jointly, do not exclude {_listed(others)} either."
            if others
            else ""
        )
        return f". {who} may be the best{'' if of_all else f': {_listed(possible)}'}.{beside}"
    if first == possible:
        return f" and is the only model that may be the best ({level} confidence)."
    others = [model for model in first if model not in possible]
    return (
        f" and is the only model that may be the best ({level} confidence). "
        f"The rank sets, which hold jointly, do not exclude {_listed(others)}."
    )


def reason_of(found: "RankedField", aggregate: str, *, pooled: bool) -> str:
    """Why this procedure fits."""
    of = (
        "mean"
        if aggregate == "mean"
        else f"{AGGREGATES[aggregate].title}, {AGGREGATES[aggregate].formula},"
    )
    how = "signs of whole units flipped at random" if found.table is not None else "normal draws"
    if found.table is not None and found.table.strata is not None:
        how = "signs of items about their task's mean flipped at random"
    if pooled:
        how += ", one standard error for all pairs"
    if found.table is not None and found.table.tasks and aggregate == "mean":
        of = "mean of task means"
    return (
        f"ranks by the {of} over {found.words}; all pairs jointly by the max-t method "
        f"(step-down; {how})"
    )


def does_not_say(
    found: "RankedField", aggregate: str, title: str, *, apart: BoolArray, level: float
) -> str:
    """What a reader may take it for, and what it is not; ``apart`` are the pairs that the board separates."""
    said = "A set of ranks holds for the true scores over all such units, not for a rank on the next board."
    if aggregate in ("mean_rank", "win_rate", "borda", "elo", "improvability"):
        said += f" The {title} depends on which other models are on the board."
    elif found.table is not None and found.table.unit == "dataset" and not found.table.tasks:
        said += f" Ranks are by the mean. {_by_signed_ranks(found.table, apart, level)}"
    return said


def _by_signed_ranks(table: UnitScores, apart: BoolArray, level: float) -> str:
    """What `assay compare` decides over the same data sets, and where the two part."""
    asks = "compare decides over data sets by signed ranks, which ask about the typical difference"
    if table.scores is None or len(table.models) > MOST_COMPARED:
        return f"{asks}. It may decide otherwise."
    family = wilcoxon_pairs(table.scores, level=level)
    place = {name: index for index, name in enumerate(family.models)}
    there = 0
    here: list[str] = []
    only: list[str] = []
    for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True):
        decided = outcome.p_value is not None and outcome.p_value <= alpha_of(level)
        there += decided
        if decided != apart[place[a], place[b]]:
            pair = f"{table.models[place[a]]} and {table.models[place[b]]}"
            (only if decided else here).append(pair)
    differ = by_count(there, "differs", "differ")
    said = f"{asks}. By signed ranks {there:,} of {len(family.pairs):,} pairs {differ}"
    if not here and not only:
        return f"{said}, the same ones."
    parts = [f"Only by signed ranks: {_listed(only, '; ')}."] if only else []
    parts += [f"Only by the mean: {_listed(here, '; ')}."] if here else []
    return " ".join([f"{said}.", *parts])


def _listed(names: list[str], between: str = ", ") -> str:
    """The first few names, fewer where they are long."""
    most = MOST_NAMED
    while most > 1 and sum(map(len, names[:most])) > MOST_LETTERS:
        most -= 1
    if len(names) > most:
        return f"{between.join(names[:most])} and {len(names) - most:,} more"
    if between != ", ":
        return between.join(names)
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
