"""Calibration of judges: what is counted in bulk is what `evaluate` and `compare` answer."""

import json
from typing import Any

import numpy as np
import pytest

import assay
from calibration.judges import CELLS, DESIGNS, NEIGHBOURS, RESULTS, TWINS, Cell, bulk_of
from calibration.judges_bulk import Bulk, pair_chances
from calibration.judges_neighbours import masses
from calibration.judges_page import failing, page
from calibration.judges_twins import covered, found, stretch, turns, twin_of

SEED = 3


def cells(target: str) -> list[Cell]:
    return [
        cell
        for cell in CELLS
        if cell.target == target
        and (cell.labels, cell.judged) in ((20, 500), (50, 500), (200, 5000))
        and cell.judge in ("weak", "good", "excellent")
    ]


def drawn(cell: Cell, draws: int = 4) -> Bulk:
    return bulk_of(cell, draws, np.random.default_rng(SEED))


@pytest.mark.parametrize(
    "cell", [*cells("rate 0.8"), *cells("mean"), *cells("ratings")], ids=lambda cell: cell.name
)
def test_a_mean_in_bulk_is_that_of_evaluate(cell: Cell) -> None:
    bulk = drawn(cell)
    told: dict[str, Any] = (
        {"correct": True} if cell.target.startswith("rate") else {"lower_is_better": False}
    )
    for draw in range(bulk.used.size):
        people, judge = bulk.columns(draw)
        found = assay.evaluate(
            {"human": people, "gpt": judge},
            truth="human",
            judge="gpt",
            labelled_at="random",
            **told,
        ).estimates[0]
        assert found.method.startswith("judged") == bulk.used[draw]
        assert found.interval is not None
        assert found.interval.low == pytest.approx(bulk.ours[0][draw], abs=1e-9)
        assert found.interval.high == pytest.approx(bulk.ours[1][draw], abs=1e-9)
        said = dict(found.details)
        assert said["people_low"] == pytest.approx(bulk.labels[0][draw], abs=1e-9)


@pytest.mark.parametrize(
    "cell",
    [*cells("pair of rates"), *cells("pair of ratings"), *cells("pair of rates favoured")],
    ids=lambda cell: cell.name,
)
def test_a_pair_in_bulk_is_that_of_compare(cell: Cell) -> None:
    bulk = drawn(cell)
    rates = cell.target.startswith("pair of rates")
    told: dict[str, Any] = {"correct": True} if rates else {"lower_is_better": False}
    for draw in range(bulk.used.size):
        people, judge = bulk.columns(draw)
        if rates:  # right and wrong answers with these differences
            people_b, judge_b = np.maximum(-people, 0.0), np.maximum(-judge, 0.0)
        else:
            people_b, judge_b = (
                np.where(np.isnan(people), np.nan, 0.0),
                np.zeros_like(judge),
            )  # one model graded 0 only
        columns = {
            "human_a": people + people_b, "human_b": people_b, "gpt_a": judge + judge_b, "gpt_b": judge_b
        }  # fmt: skip
        found = assay.compare(
            columns, truth=["human_a", "human_b"], judge=["gpt_a", "gpt_b"], labelled_at="random", **told
        ).verdicts[0].outcome  # fmt: skip
        assert found.method.startswith("judged") == bulk.used[draw]
        if bulk.used[draw]:
            assert found.effect.interval is not None
            assert found.effect.interval.low == pytest.approx(bulk.ours[0][draw], abs=1e-9)
            assert found.effect.interval.high == pytest.approx(bulk.ours[1][draw], abs=1e-9)


def test_a_twin_is_hardly_told_from_its_cell_and_as_far_off_as_said() -> None:
    cell = next(one for one in CELLS if one.name == "pair of rates | 50 | 5000 | excellent")
    turn = next(iter(turns(cell)))
    assert found(turn, 0.0, 50) == pytest.approx(0.05, abs=0.01)  # no difference: the level
    assert found(turn, 0.02, 50) < 0.7 < found(turn, 0.2, 50)
    twin = twin_of(cell, turn, 0.02, 2000)
    assert twin.truth == pytest.approx(0.02)
    assert covered(twin.ours, twin.truth) > 0.94 > covered(twin.truescore, twin.truth)


def test_widened_so_far_an_interval_covers_as_often() -> None:
    middle = np.random.default_rng(1).standard_normal(4000)
    ends = middle - 1.0, middle + 1.0
    times = stretch(ends, 0.0)
    assert covered((middle - times, middle + times), 0.0) == pytest.approx(0.935, abs=1e-3)


def test_a_neighbour_leaves_enough_labels_without_a_sign() -> None:
    cell = next(one for one in CELLS if one.name == "ratings | 50 | 5000 | excellent")
    turn = next(iter(turns(cell)))
    shares = masses(cell, turn)
    assert shares
    assert all((1.0 - mass) ** 50 >= 0.0649 for mass in shares)
    one, other = (twin_of(cell, turn, shares[0], 300, seed=seed) for seed in (0, 1))
    assert one.truth == other.truth
    assert not np.array_equal(one.ours[0], other.ours[0])


def test_chances_of_differences_add_up() -> None:
    chances = pair_chances((0.9, 0.7))
    assert chances.sum() == pytest.approx(1.0)
    assert chances == pytest.approx(chances[::-1, ::-1])  # two models of the same quality


def test_the_page_is_written_from_the_results() -> None:
    kept = json.loads(RESULTS.read_text())
    written = page(
        kept, CELLS, *(json.loads(path.read_text()) for path in (TWINS, DESIGNS, NEIGHBOURS))
    )
    assert "## Summary" in written
    assert (RESULTS.parents[2] / "docs" / "calibration-judges.md").read_text() == written


def test_a_cell_that_fails_is_named() -> None:
    cell = next(cell for cell in CELLS if cell.target == "ratings" and cell.labels == 50)
    good = {"covered": 0.95, "width": 1.0, "draws": 10_000}
    found = {"ours": {**good, "covered": 0.92}, "labels": good, "draws": 10_000, "used": 1.0}
    assert failing([(cell, found)], "covered") == [cell]
    found = {"ours": {**good, "width": 1.04}, "labels": good, "draws": 10_000, "used": 1.0}
    assert failing([(cell, found)], "covered") == []
    assert failing([(cell, found)], "labels") == [cell]
    found |= {"truescore": good}
    assert failing([(cell, found)], "peers") == [cell]
