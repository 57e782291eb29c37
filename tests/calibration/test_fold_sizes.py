"""Candidates of several sizes and sets of models: their splits, their public methods, and what the page says."""

import json

import numpy as np
import pytest

import assay
from assay.kernels.special import ndtri
from calibration.fold_candidates import RESULTS, gathered
from calibration.fold_candidates import summed as summed_before
from calibration.fold_grid import Cell
from calibration.fold_sizes import NAMES, answers, items_of_folds, measured, size_splits
from calibration.model_sets import RESULTS as SETS
from calibration.model_sets import measured as sets_of
from calibration.model_sets import section
from calibration.plain_folds_page import attempts

SMALL = Cell("gaussians", "ridge", "ridge", 50)


@pytest.mark.parametrize(("n", "parts"), [(50, (2, 3, 4)), (200, (2, 4, 8))])
def test_parts_of_a_cut_share_nothing_and_train_apart_from_what_they_test(
    n: int, parts: tuple[int, ...]
) -> None:
    splits = size_splits(n, None)
    assert tuple(np.unique(splits.parts)) == parts
    assert not (splits.train * splits.test).any()
    used = (splits.train + splits.test)[15:].reshape(-1, 5, n)
    assert (used == used[:, :1]).all()
    cut = used[splits.first_cut & (splits.parts == parts[0])][:, 0]
    assert (cut.sum(axis=0) == 1.0).all()
    assert np.count_nonzero(splits.first_cut) == sum(parts)


def test_answers_are_those_of_the_public_methods() -> None:
    splits, rng = size_splits(200, None), np.random.default_rng(3)
    found = rng.normal(0.1, 1.0, size=splits.train.shape)
    middle, reach = np.array(answers(found, splits)).T
    means = (splits.test * found).sum(axis=1) / splits.test.sum(axis=1)
    parts = means[15:].reshape(-1, 5).mean(axis=1)
    whole = assay.subsampling_t(parts, 200 / splits.parts, 200, mean=means[:5].mean())
    interval = whole.effect.interval
    assert interval is not None
    assert (middle[1] - reach[1], middle[1] + reach[1]) == pytest.approx(
        (interval.low, interval.high)
    )
    assert middle[0] == pytest.approx(middle[1])
    assert reach[0] > 0.0


def test_items_of_folds_are_a_set_of_two_models() -> None:
    rng, folds = np.random.default_rng(4), np.arange(100) % 10
    losses = (rng.random((100, 2)) < [0.2, 0.35]).astype(float)
    value, reach = items_of_folds(losses[:, 0] - losses[:, 1], folds)
    worse = assay.cv_confidence_set(losses, folds, level=0.975, n_resamples=100_000).outcomes[1]
    assert worse.effect.value == pytest.approx(-value)
    assert worse.effect.standard_error == pytest.approx(reach / ndtri(0.975))
    assert worse.effect.interval is not None
    assert worse.effect.interval.low == pytest.approx(-value - reach, abs=0.002)


def test_every_candidate_is_counted_on_the_samples_of_the_others() -> None:
    found = measured(SMALL, 6)
    assert {how: tuple(one) for how, one in found.items()} == {
        "by chance": NAMES, "stratified": NAMES,
    }  # fmt: skip
    before = summed_before(SMALL, gathered(SMALL, 6))
    assert set(before) == set(found)
    assert all(0.0 <= one["misses"] <= 1.0 for way in found.values() for one in way.values())


def test_the_page_has_all_of_them() -> None:
    tried = json.loads(RESULTS.read_text())
    text = attempts(tried)
    assert all(f"| {name} |" in text for name in NAMES)
    assert "**Several sizes.**" in text
    assert "No way to estimate the variance within one sample has both" in text


def test_sets_of_models_are_counted_and_told() -> None:
    one = sets_of("linear", 50, 4)
    assert one["models"] == 8
    assert one["best"] == "ridge"
    assert 1.0 <= one["left"] <= 8.0
    kept = json.loads(SETS.read_text())
    text = section(kept)
    assert all(
        f"| {found['left']:.1f} | {found['lacks_fitted']:.1%} |" in text for found in kept.values()
    )
    assert section({}) == ""
