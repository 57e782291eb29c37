"""One line that a leaderboard or a README can embed, and how a board was decided."""

from textwrap import fill

from assay.core.board_results import Board
from assay.core.errors import UsageError
from assay.core.formatting import (
    as_sentence,
    clean,
    clean_name,
    finest_of,
    shown,
    shown_percent,
    write_estimate,
)
from assay.core.results import Evaluation
from assay.report.board_view import ranks_text, score_name
from assay.report.escapes import for_markdown
from assay.report.explain import explain_result


def badge_of(board: Board, model: str) -> str:
    """A model's rank with its set and its score, as Markdown."""
    if model not in {row.model for row in board.rows}:
        raise UsageError(
            f"no model {model!r} on this board; there are {', '.join(r.model for r in board.rows[:10])}"
        )
    row = board.row(model)
    best = ", may be the best" if row.may_be_best else ""
    written = write_estimate(row.estimate, finest=finest_of(board.estimates))
    score = for_markdown(f"{score_name(board).rstrip(' ↑↓')} {written}")
    return (
        f"**{for_markdown(clean_name(model))}**: rank {row.rank} of {len(board.rows)} ({shown_percent(board.level)} "
        f"confidence set {ranks_text(row)}{best}), {score}, {board.units}\n"
    )


def explain_board(board: Board, *, width: int = 100) -> str:
    """How the ranks were decided, with the critical value, and the formula of the winner's score."""
    facts = dict(board.details)
    decided = (
        f"{as_sentence(board.choice.reason)} A pair is decided where its t statistic exceeds "
        f"{shown(_number(facts['critical']))}; without steps the limit would be "
        f"{shown(_number(facts['single_step']))}. docs/boards.md has the formulas."
    )
    winner = () if board.winner is None else (board.winner,)
    found = Evaluation(evidence=board.evidence, estimates=winner, level=board.level)
    return f"{fill(clean(decided), min(width, 100))}\n\n{explain_result(found, width=width)}"


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) else None
