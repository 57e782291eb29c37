"""Learning curves whose expected gain is known."""

from dataclasses import replace

import numpy as np
import pytest

from assay.compare.learning_plateau import levelled
from calibration import curve_verdicts as curves


def test_the_expected_gain_is_that_of_many_curves() -> None:
    rng = np.random.default_rng(1)
    found = [curves.curve(rng, curves.folds(rng), gains=True) for _ in range(150)]
    gains = np.array([(one.values[-2] - one.values[-1]).mean() for one in found])
    error = gains.std(ddof=1) / gains.size**0.5
    assert gains.mean() == pytest.approx(curves.gain(found[0].at), abs=4 * error)
    assert error < curves.gain(found[0].at) / 4


def test_without_gains_sizes_are_alike() -> None:
    rng = np.random.default_rng(2)
    found = [curves.curve(rng, curves.thirds(rng), gains=False) for _ in range(60)]
    gains = np.array([(one.values[-2] - one.values[-1]).mean() for one in found])
    assert abs(gains.mean()) < 4 * gains.std(ddof=1) / gains.size**0.5


@pytest.mark.parametrize("splits", [curves.folds, curves.thirds])
def test_every_split_tests_its_share(splits: object) -> None:
    tested = splits(np.random.default_rng(3))  # type: ignore[operator]
    assert set(tested.sum(1).tolist()) in ({30}, {100})


def test_verdicts_are_those_of_levelled() -> None:
    rng = np.random.default_rng(5)
    for gains in (True, False) * 6:
        scores = curves.curve(rng, curves.folds(rng), gains=gains)
        assert curves.verdict(scores) == levelled(scores, "a", margin=curves.gain(scores.at)).trend
    steep = replace(scores, values=scores.values + np.array([9.0, 6.0, 3.0, 0.0])[:, None, None])
    assert curves.verdict(steep) == "rising"
    assert levelled(steep, "a", margin=curves.gain(steep.at)).trend == "rising"


def test_counts_verdicts() -> None:
    cells = list(curves.learning_curves(np.random.default_rng(4), 0.0005))
    assert [of for _, _, of in cells] == [10] * 4
    assert all(0 <= hits <= of for _, hits, of in cells)
