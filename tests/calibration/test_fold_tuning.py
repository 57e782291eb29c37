"""Unlike learners made equally good by noise, and what the page says of them."""

import json

import numpy as np
import pytest

from calibration import fold_grid
from calibration.fold_cells_page import chance_by_cell, samples_said, tuned
from calibration.fold_grid import TUNING, Cell, cells, true_loss, truths
from calibration.fold_tuning import pairs
from calibration.fold_tuning import tuned as tune
from calibration.plain_folds import RESULTS, by_fit, measured

TUNED = Cell("gaussians", "1-NN", "ridge", 50, 1.2)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """True losses of few training samples."""
    monkeypatch.setattr(fold_grid, "TRUTH_SAMPLES", 30)
    true_loss.cache_clear()


@pytest.mark.usefixtures("few")
def test_noise_makes_the_better_learner_as_bad_as_the_other() -> None:
    found = tune("gaussians", "ridge", "1-NN", 50)
    assert (found["worse"], found["better"]) == ("1-NN", "ridge")
    worse = true_loss("gaussians", "1-NN", 0, 0.0, 40)
    assert true_loss("gaussians", "ridge", 1, found["noise"], 40) == pytest.approx(worse, rel=0.02)
    assert true_loss("gaussians", "ridge", 1, 0.0, 40) < 0.95 * worse
    true_loss.cache_clear()


@pytest.mark.usefixtures("few")
def test_what_noise_cannot_do_is_said() -> None:
    """Of a rare class the worst that ridge can do is to say the other one always."""
    assert tune("rare class", "ridge", "tree", 50)["noise"] is None
    true_loss.cache_clear()


def test_the_second_of_a_tuned_cell_sees_a_view_of_its_own() -> None:
    assert (TUNED.tuned, TUNED.two_views, TUNED.equal) == (True, True, False)
    assert not Cell("gaussians", "1-NN", "ridge", 50).two_views
    assert not Cell("gaussians", "ridge", "ridge", 50, 1.5).tuned
    spoilt, clear = (by_fit(TUNED._replace(noise=noise), 40).b.mean() for noise in (3.0, 0.1))
    assert spoilt > clear + 0.05


def test_every_pair_that_was_tuned_is_a_cell_and_all_pairs_are_meant() -> None:
    kept = json.loads(TUNING.read_text())
    made = [one for one in kept.values() if one["noise"] is not None]
    assert sum(cell.tuned for cell in cells()) == len(made) > 0
    assert set(kept) <= {f"{one[0]}, {one[1]} / {one[2]}, {one[3]}" for one in pairs()}
    assert max(abs(one["off"]) for one in made) < 0.01


def test_the_stored_spreads_make_losses_equal() -> None:
    cell = next(one for one in cells() if one.tuned and one.n == 50 and one.b == "ridge")
    difference, loss = truths(cell, 0.8)
    assert abs(difference) < 0.01 * loss


def test_the_page_counts_claims_of_tuned_cells() -> None:
    cell = next(one for one in cells() if one.tuned)
    found = measured(cell, 30)
    for answers in found["two"].values():
        answers["cautious"]["rejects"] = 0.3
    text = tuned({cell.name: found})
    assert "| 50 | 1 | " in text
    assert "30.0% | 30.0% | 1 |" in text
    assert tuned({}) == ""
    assert f"{cell.a} / {cell.b} | {cell.noise:g} |" in chance_by_cell({cell.name: found})


def test_samples_are_counted_in_words() -> None:
    counts = (2000, 500, 40)
    kept = {str(place): {"replicates": count} for place, count in enumerate(counts)}
    assert samples_said(kept) == (
        "Samples of the 3 cells: 2,000 or more in 1, 500 to 1,999 in 1, fewer in 1. Cells of fewer than 200 "
        "count in no level."
    )


def test_every_stored_cell_is_one_of_the_grid() -> None:
    stored = json.loads(RESULTS.read_text())
    assert set(stored) <= {cell.name for cell in cells()}
    assert np.isfinite([one["two"]["50"]["cautious"]["misses"] for one in stored.values()]).all()
