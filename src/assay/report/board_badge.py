"""One line that a leaderboard or a README can embed."""

from assay.core.boards import Board
from assay.core.errors import UsageError
from assay.core.numbers import shown_percent
from assay.core.writing import clean_name, write_estimate
from assay.report.board_view import ranks_text, score_name
from assay.report.escapes import for_markdown


def badge_of(board: Board, model: str) -> str:
    """A model's rank with its set and its score, as Markdown."""
    if model not in {row.model for row in board.rows}:
        raise UsageError(
            f"no model {model!r} on this board; there are {', '.join(r.model for r in board.rows[:10])}"
        )
    row = board.row(model)
    best = ", may be the best" if row.may_be_best else ""
    score = for_markdown(f"{score_name(board).rstrip(' ↑↓')} {write_estimate(row.estimate)}")
    return (
        f"**{for_markdown(clean_name(model))}**: rank {row.rank} of {len(board.rows)} ({shown_percent(board.level)} "
        f"confidence set {ranks_text(row)}{best}), {score}, {board.units}\n"
    )
