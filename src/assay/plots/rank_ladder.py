"""The ladder of a board: every model's rank with the ranks it may have, best on top."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.board_results import Board, BoardRow
from assay.core.errors import UsageError
from assay.core.formatting import finest_of, shown_percent, write_estimate
from assay.core.results import Estimate
from assay.plots.measure_labels import measure_label, short_names
from assay.plots.style import (
    BLUE,
    FAINT,
    INK,
    RULE,
    axis_words,
    given_numbers,
    name_width,
    new_axes,
    own_axes,
    plain,
    styled,
    text_size,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EACH_NAMED = 60
"""With more models than this only some rungs are named: names one above the other could not be read."""
NAMED_OF_MANY = 50
ROW, LEAST_ROW = 0.22, 0.05
"""Inches of a rung, where all are named and where they are many."""
NAME_WIDTH = 30
BEST = "blue, ringed: may be the best"
WIDTH = 6.7


def rank_ladder(
    result: Board | Mapping[str, Sequence[float]], *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the ranks of a board: a dot at each rank, a bar over the ranks that are possible.

    Names with rank, lowest and highest rank will do instead of a board.

    Models that may be the best are blue. Up to 60 models are named with their scores; of more, some are
    named and every one is drawn.

    Examples
    --------
    >>> import assay
    >>> found = assay.board({"old": [1, 0] * 50, "new": [1, 1, 1, 0] * 25}, correct=True)
    >>> [label.get_text() for label in rank_ladder(found).get_yticklabels()]
    ['new', 'old']
    >>> axes = rank_ladder({"old": (2, 1, 2), "new": (1, 1, 2)})
    """
    if isinstance(result, Board):
        rows, words = result.rows, _words(result)
    elif isinstance(result, Mapping) and result:
        rows = tuple(sorted(map(_plain_row, result, result.values()), key=lambda row: row.rank))
        words = f"rank with the ranks that are possible; {BEST}"
    else:
        raise UsageError(
            "a ladder is drawn from a board (assay.board), or from names with rank, lowest and highest rank, "
            f"{{'a': (1, 1, 2), 'b': (2, 1, 2)}}; got {type(result).__name__}"
        )
    label = axis_words(words, share=0.75)
    below = 0.75 + 0.15 * len(label.splitlines())
    height = (ROW if len(rows) <= EACH_NAMED else LEAST_ROW) * len(rows) + below
    with styled():
        axes = own_axes(ax) if ax is not None else new_axes(WIDTH, height, shape="rows")
        _draw_rungs(axes, rows)
        _name_rungs(axes, rows)
        _finish(axes, len(rows))
        bare = all(row.estimate.value is None for row in rows)  # then the axes end at the edge
        axes.set_xlabel(label, loc="right" if bare else "center")
    return axes


def _plain_row(name: str, ranks: Sequence[float]) -> BoardRow:
    """A model of which only ranks are known."""
    found = given_numbers(ranks, f"the ranks of {name!r}")
    if len(found) != 3 or not math.isfinite(sum(found)) or not found[1] <= found[0] <= found[2]:
        raise UsageError(f"{name!r} needs its rank, the lowest and the highest; got {ranks}")
    unknown = Estimate(
        measure="rank", value=None, interval=None, method="given", n=0, unit="item", model=name
    )
    rank, low, high = (round(one) for one in found)
    return BoardRow(
        model=str(name), estimate=unknown, rank=rank, low=low, high=high, may_be_best=low == 1
    )


def _words(board: Board) -> str:
    kind = "simultaneous " if board.sets == "joint" else ""
    beside = measure_label(board.rows[0].estimate.measure)
    if len(board.rows) <= EACH_NAMED and board.rows[0].letters is not None:
        beside += "; same letter: no significant difference"
    return f"rank with {kind}{shown_percent(board.level)} confidence set; {BEST}\nright: {beside}"


def _draw_rungs(axes: "Axes", rows: tuple[BoardRow, ...]) -> None:
    many = len(rows) > EACH_NAMED
    colors = [BLUE if row.may_be_best else INK for row in rows]
    places = list(range(len(rows)))
    axes.hlines(
        places,
        [row.low for row in rows],
        [row.high for row in rows],
        colors=[BLUE if row.may_be_best else FAINT for row in rows],
        linewidth=1.2 if many else 2.2,
        zorder=2,
    )
    axes.scatter(
        [row.rank for row in rows],
        places,
        c=colors,
        s=5.0 if many else 24.0,
        zorder=3,
        linewidths=0,
    )
    best = [place for place, row in enumerate(rows) if row.may_be_best]
    if not many:
        # a ring is read in grey as well
        axes.scatter(
            [rows[place].rank for place in best], best, s=76.0, zorder=3, facecolors="none",
            edgecolors=BLUE, linewidths=1.0,
        )  # fmt: skip
        for ends in ("low", "high"):
            axes.scatter(
                [getattr(row, ends) for row in rows], places, marker="|", s=36.0, zorder=2,
                c=[BLUE if row.may_be_best else FAINT for row in rows],
            )  # fmt: skip


def _name_rungs(axes: "Axes", rows: tuple[BoardRow, ...]) -> None:
    step = 1 if len(rows) <= EACH_NAMED else -(-len(rows) // NAMED_OF_MANY)
    named = list(range(0, len(rows), step))
    names = short_names([rows[place].model for place in named], name_width(NAME_WIDTH))
    size = text_size() if step == 1 else 0.7 * text_size()
    axes.set_yticks(named, names, fontsize=size)
    plain(*axes.get_yticklabels())
    if all(row.estimate.value is None for row in rows):
        return
    beside: Any = axes.secondary_yaxis("right")
    finest = finest_of(row.estimate for row in rows)
    scores = [write_estimate(rows[place].estimate, finest=finest).value for place in named]
    letters = [rows[place].letters for place in named]
    texts = [
        score if letter is None or step > 1 else f"{score}  {letter}"
        for score, letter in zip(scores, letters, strict=True)
    ]
    beside.set_yticks(named, texts, fontsize=size)
    beside.tick_params(length=0)
    beside.spines["right"].set_visible(False)


def _finish(axes: "Axes", k: int) -> None:
    axes.set_ylim(k - 0.4, -0.6)
    axes.set_xlim(1 - 0.02 * k - 0.3, k + 0.02 * k + 0.3)
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000) if k / step <= 14)
    ticks = sorted(
        {1, *range(step, k + 1, step), k} - ({k - k % step} if 0 < k % step < step / 2 else set())
    )
    axes.set_xticks(ticks)
    axes.grid(axis="x", color=RULE, linewidth=0.6, zorder=0)
    axes.set_axisbelow(True)
    axes.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
