"""The ladder of ranks: what is drawn is what the board says, for few models and for many."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import UsageError
from assay.plots import rank_ladder
from assay.plots.rank_ladder import EACH_NAMED, NAMED_OF_MANY
from assay.plots.style import BLUE


def board(k: int) -> assay.Board:
    rng = np.random.default_rng(0)
    names = [f"model {place}" for place in range(k)]
    right = (rng.random((120, k)) < np.linspace(0.3, 0.9, k)).astype(int)
    return assay.board(dict(zip(names, right.T, strict=True)), correct=True)


def bars(axes: Any) -> list[tuple[float, float]]:
    (lines,) = [one for one in axes.collections if hasattr(one, "get_segments")]
    return [(segment[0][0], segment[1][0]) for segment in lines.get_segments()]


@pytest.mark.parametrize("k", [2, 10, 200])
def test_bars_and_dots_are_the_sets_and_the_ranks(k: int) -> None:
    found = board(k)
    axes = rank_ladder(found)
    assert bars(axes) == [(row.low, row.high) for row in found.rows]
    dots: Any = axes.collections[1].get_offsets()
    assert [tuple(dot) for dot in dots] == [
        (row.rank, place) for place, row in enumerate(found.rows)
    ]


def test_few_models_are_all_named_and_many_some() -> None:
    few = rank_ladder(board(10))
    assert few.get_yticklabels()[0].get_text() == board(10).rows[0].model
    assert len(few.get_yticklabels()) == 10
    many = rank_ladder(board(200))
    assert EACH_NAMED < 200
    assert len(many.get_yticklabels()) <= NAMED_OF_MANY
    assert many.figure.get_size_inches()[1] < 15  # type: ignore[union-attr]


def test_possible_winners_are_blue() -> None:
    from matplotlib.colors import to_rgba

    found = board(10)
    colors = rank_ladder(found).collections[1].get_facecolors()  # type: ignore[attr-defined]
    blue = [tuple(color) == to_rgba(BLUE) for color in colors]
    assert blue == [row.may_be_best for row in found.rows]


def test_it_is_the_main_figure_and_takes_axes() -> None:
    from matplotlib.figure import Figure

    axes = Figure().add_subplot()
    assert board(3).plot(ax=axes) is axes
    assert "confidence set" in axes.get_xlabel()


def test_only_boards_have_ladders() -> None:
    with pytest.raises(UsageError, match="drawn from a board"):
        rank_ladder(assay.mcnemar(50, 10, 4, 36))


def test_ranks_of_ones_own() -> None:
    axes = rank_ladder({"tree": (3, 2, 3), "forest": (1, 1, 2), "ridge": (2, 1, 3)})
    assert [label.get_text() for label in axes.get_yticklabels()] == ["forest", "ridge", "tree"]
    assert bars(axes) == [(1, 2), (1, 3), (2, 3)]
    assert "ringed: may be the best" in " ".join(axes.get_xlabel().split())
    with pytest.raises(UsageError, match="'tree' needs its rank, the lowest and the highest"):
        rank_ladder({"tree": (1, 2, 3)})


def test_all_scores_have_the_same_digits() -> None:
    axes = rank_ladder(board(200))
    (beside,) = axes.child_axes
    assert {len(label.get_text()) for label in beside.get_yticklabels()} == {len("0.875")}
