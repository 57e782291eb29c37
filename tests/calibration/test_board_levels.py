"""csranks at the level at which it covers ties: steps by normal critical values, and the level that is needed."""

import numpy as np
import pytest

from assay.kernels.special import ndtri
from calibration.board_levels import covering_alpha, found_better, matched, studentised
from calibration.boards import World


def world(shape: str, n: int = 8) -> World:
    return World(kind="datasets", k=5, n=n, shape=shape, noise="normal", replicates=300)


def test_statistics_are_paired_t() -> None:
    from scipy.stats import ttest_rel

    one = world("spread")
    table = one.drawn(np.random.default_rng([17, 0, 5, 8]))
    found = next(studentised(one))
    assert found[0, 3] == pytest.approx(ttest_rel(table[:, 0], table[:, 3]).statistic)


def test_a_pair_that_one_step_leaves_open_is_found_by_the_next() -> None:
    first, then = -ndtri(0.05 / 6), -ndtri(0.05 / 5)
    middle = (first + then) / 2
    statistics = np.array([[0.0, 9.0, middle], [-9.0, 0.0, 0.0], [-middle, 0.0, 0.0]])
    assert found_better(statistics, 0.05).tolist() == [
        [False, True, True],
        [False] * 3,
        [False] * 3,
    ]


def test_ties_over_few_data_sets_need_a_level_far_above_95_percent() -> None:
    alpha = covering_alpha(world("ties"))
    assert 1e-5 < alpha < 0.01
    assert matched(world("ties"), alpha)["covered"] == pytest.approx(0.945, abs=0.005)
    assert alpha < covering_alpha(world("ties", n=200)) < 0.09
