"""A board as text, tables and words: all from the one result."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.report.board_badge import badge_of, explain_board
from assay.report.board_view import board_table, neighbours_table, ranks_text, tasks_table
from assay.report.views import view


def board(**options: Any) -> assay.Board:
    rng = np.random.default_rng(0)
    names = {"a|b": 0.9, "m2": 0.85, "m3": 0.5}
    table: dict[str, Any] = {name: (rng.random(300) < p).astype(int) for name, p in names.items()}
    if "suite" in options:
        table["task"] = ["x", "y", "z"] * 100
    return assay.board(table, correct=True, **options)


@pytest.mark.parametrize("form", assay.report.FORMATS)
def test_every_format_has_every_model(form: str) -> None:
    text = assay.render(board(), form)
    for name in ("m2", "m3"):
        assert name in text


def test_names_are_escaped() -> None:
    assert "a\\|b" in assay.render(board(), "markdown")
    assert "a\\|b" in badge_of(board(), "a|b")


def test_the_table_has_unrounded_numbers() -> None:
    found = board()
    table = board_table(found)
    for cells, row in zip(table.rows, found.rows, strict=True):
        assert cells[1].numbers == (row.rank,)
        assert cells[2].numbers == (row.low, row.high)
        assert cells[3].numbers == (row.estimate.value,)


def test_ranks_are_written_as_a_range() -> None:
    found = board()
    assert ranks_text(found.row("m3")) == "3"
    assert ranks_text(found.row("m2")).count("–") == (found.row("m2").low < found.row("m2").high)


def test_neighbours_say_that_they_plan() -> None:
    table = neighbours_table(board())
    assert "80% power" in table.caption
    assert table.columns[-1].name == "items needed"


def test_a_suite_has_its_tasks() -> None:
    assert not tasks_table(board()).rows
    table = tasks_table(board(suite="task"))
    assert [row[0].text for row in table.rows] == ["x", "y", "z"]
    assert "new items of these 3 tasks, weighted alike" in view(board(suite="task")).applies
    sample = board(suite="task", tasks_as="sample")
    assert "new tasks like the ones used" in view(sample).applies
    found = neighbours_table(sample)
    assert found.columns[-1].name == "tasks needed"


def test_the_headline_says_how_many_may_be_the_best() -> None:
    seen = view(board())
    assert seen.glance == "m2 ranks first; 2 of 3 models may be the best"
    assert assay.render(board(), "html").index("<svg") < assay.render(board(), "html").index(
        "Evidence</h2>"
    )


def test_methods_are_said() -> None:
    seen = view(board())
    assert "simultaneous 95% confidence sets" in seen.methods
    assert "corrected for selection" in seen.methods


def test_the_decision_is_explained() -> None:
    text = explain_board(board())
    assert "exceeds" in text
    assert "winner" in text


def test_the_frame() -> None:
    frame = board().to_frame("pandas")
    assert list(frame["model"]) == [row.model for row in board().rows]
    assert {"rank", "rank_low", "rank_high", "score", "may_be_best"} <= set(frame.columns)


def test_many_models_are_cut_in_brief() -> None:
    rng = np.random.default_rng(1)
    found = assay.board({f"m{n}": rng.integers(0, 2, 60) for n in range(50)}, correct=True)
    assert "10 more models" in str(found)
    assert "m49" in found.summary(details=True)
