"""Folds dealt by chance and other candidates: batched forms as the methods, and what the page says of them."""

import json

import numpy as np
import pytest

import assay
from assay.core.fold_budgets import PRICES
from calibration.fold_candidates import RESULTS as TRIED
from calibration.fold_candidates import Sums, candidates, gathered, splits_of, summed
from calibration.fold_grid import Cell, cells
from calibration.plain_folds import PRICES as MEASURED
from calibration.plain_folds import RESULTS, left_out_by, measured, ordered
from calibration.plain_folds import prices as prices_of
from calibration.plain_folds_page import attempts, by_price, causes, prices

SMALL = Cell("gaussians", "ridge", "ridge", 50)


def test_every_item_is_left_out_once_in_each_repeat() -> None:
    left_out = left_out_by(50, 25)
    assert left_out.shape == (25, 50)
    assert (left_out.reshape(5, 5, 50).sum(axis=1) == 1.0).all()


def test_a_cell_is_counted_at_every_price() -> None:
    found = measured(SMALL, 20)
    assert found["replicates"] == 20
    assert list(found["two"]) == [str(price) for price in (*MEASURED, 500)]
    wide, narrow = (found["two"]["50"][name]["width"] for name in ("cautious", "corrected"))
    assert wide / narrow == pytest.approx(np.sqrt(0.52 / 0.27), rel=1e-3)
    assert found["one"]["50"]["cautious"]["truth"] > 0.0 == found["two"]["50"]["cautious"]["truth"]


def test_all_cells_of_the_grid_are_meant() -> None:
    assert sorted(ordered({})) == sorted(cells())


def test_what_was_measured_least_comes_first() -> None:
    every = cells()
    kept = {cell.name: {"replicates": cell.replicates} for cell in every}
    kept[every[-1].name] = {"replicates": every[-1].replicates // 2}
    assert ordered(kept)[0] == every[-1]


def test_dear_learners_are_not_fitted_500_times() -> None:
    assert prices_of(Cell("ring", "tree", "tree", 50)) == (10, 25, 50, 100)
    assert prices_of(Cell("ring", "1-NN", "1-NN", 200))[-1] == 500
    assert prices_of(Cell("ring", "ridge", "ridge", 2000))[-1] == 100
    assert prices_of(Cell("ring", "1-NN", "1-NN", 2000))[-1] == 50


def test_the_table_of_defaults_is_what_was_measured() -> None:
    assert [one._asdict() for one in PRICES] == prices(json.loads(RESULTS.read_text()))
    assert [one.fits for one in PRICES] == [10, 25, 50, 100, 500]


def test_the_page_says_the_worst_level() -> None:
    text = by_price(json.loads(RESULTS.read_text()))
    assert all(f"| {one.fits} | cautious t, {one.repeats} x 5 folds |" in text for one in PRICES)
    assert f"{PRICES[2].worst:.1%}" in text


def test_a_jackknife_by_hand() -> None:
    """Leaving out a fold and cross-validating the rest is what the fits without pairs of folds give."""
    rng = np.random.default_rng(3)
    splits = splits_of(40, None)
    found = rng.normal(size=splits.train.shape)
    sums = Sums.of(found, splits)
    owner, place = splits.tens, {}
    first = 100
    for i in range(10):
        for j in range(i + 1, 10):
            place[i, j] = place[j, i] = first
            first += 1
    by_hand = [
        np.mean([found[place[owner[item], out], item] for item in range(40) if owner[item] != out])
        for out in range(10)
    ]
    assert sums.without_ten == pytest.approx(by_hand)


def test_candidates_agree_with_the_methods() -> None:
    sums = gathered(SMALL, 3)["by chance"]
    found = candidates(sums, 50)
    for name, method in (
        ("corrected t, 10 x 5 folds (50)", assay.corrected_resampled_t),
        ("cautious t, 10 x 5 folds (50)", assay.cautious_resampled_t),
    ):
        value, reach = found[name][1]
        interval = method(sums.fives[1], folds=5).effect.interval
        assert (value[1] - reach[1], value[1] + reach[1]) == pytest.approx(
            (interval.low, interval.high)
        )
    value, reach = found["five pairs of disjoint halves, z (55)"][1]
    theirs = assay.conservative_z(sums.halves[1], mean=float(sums.fives[1, :5].mean()))
    assert theirs.effect.interval.high == pytest.approx(value[1] + reach[1])


def test_a_bootstrap_keeps_all_copies_on_one_side() -> None:
    splits = splits_of(50, None)
    train, test = splits.train[-50:], splits.test[-50:]
    assert (train.sum(axis=1) + test.sum(axis=1) == 50.0).all()
    assert not ((train > 0.0) & (test > 0.0)).any()


def test_summed_tells_misses_on_both_sides() -> None:
    sums = gathered(SMALL, 30)
    one = summed(SMALL, sums)["stratified"]["candidates"]["corrected t, 10 x 5 folds (50)"]
    assert one["low"] + one["high"] == pytest.approx(one["misses"])


def test_why_intervals_fail_is_told_by_figures() -> None:
    tried = json.loads(TRIED.read_text())
    text = "".join(causes(tried))
    ring = tried["ring, LDA / naive Bayes, 2000, 0"]["by chance"]["candidates"]
    assert f"misses in {ring['cautious t, 10 x 5 folds (50)']['misses']:.0%} of the samples" in text
    assert min(one["misses"] for one in ring.values()) > 0.06


def test_no_candidate_has_level_and_power() -> None:
    """The jackknife came nearest: the page names the cell that excludes it."""
    text = attempts(json.loads(TRIED.read_text()))
    assert "has both**" in text
    assert "The nearest is the delete-a-fold jackknife, 4 x 5 folds, t of 8, 60 fits" in text
