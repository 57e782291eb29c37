"""Promises and real populations: what is counted, and what the pages say of it."""

import numpy as np
import pytest
from scipy import stats

from assay.hypotheses.sequential import anytime_mean_difference
from calibration import many_models, populations, promises
from calibration.population_cells import Cell


def test_the_path_is_that_of_the_public_test() -> None:
    """Zero is excluded at a look exactly where the public p-value is at most 5 % at one of the looks."""
    for seed, drift in ((0, 0.0), (1, 0.3), (2, 0.15), (3, -0.3)):
        kind = np.random.default_rng(seed).choice([-1.0, 0.0, 1.0], 200, p=[0.2, 0.6, 0.2])
        kind = np.where(
            np.random.default_rng(seed + 9).random(200) < abs(drift), np.sign(drift), kind
        )
        half = (kind + 1.0) / 2.0
        ours = any(promises._excluded(side) for side in (half, 1.0 - half))
        looks = [
            anytime_mean_difference(kind[:look]).effect.interval for look in range(10, 201, 10)
        ]
        theirs = any(one is not None and not one.contains(0.0) for one in looks)
        assert ours == theirs


def test_shares_of_uniform_numbers() -> None:
    means = np.random.default_rng(0).random((2, 200_000)).mean(axis=0)
    for share in (0.6, 0.75, 0.9):
        assert (means < many_models.cut(share)).mean() == pytest.approx(share, abs=0.005)


class TestFamilies:
    def test_p_values_are_those_of_scipy(self) -> None:
        scores = np.random.default_rng(1).random((3, 15, 4))
        pairs = np.array([(0, 1), (1, 3)])
        found = many_models.signed_rank_p(scores, pairs)
        for row, (place, (a, b)) in ((r, p) for r in range(3) for p in enumerate(pairs)):
            theirs = stats.wilcoxon(scores[row, :, a], scores[row, :, b], method="exact").pvalue
            assert found[row, place] == pytest.approx(theirs)

    def test_holm_stops_at_the_first_p_value_that_is_too_large(self) -> None:
        p = np.array([[0.03, 0.001, 0.9, 0.02], [0.012, 0.016, 0.025, 0.05]])
        assert many_models.holm(p).tolist() == [[False, True, False, False], [True] * 4]


def test_winners_ask_the_public_function_where_one_interval_does_not_settle_it() -> None:
    ((_, hits, of), *_) = many_models.winners(np.random.default_rng(3), 0.002)
    assert of == 40
    assert hits >= 36


def test_the_page_names_what_was_not_measured() -> None:
    told = promises.page({"needed": {"cells": [["a mean, n = 60", 160, 200]]}})
    assert "| a mean, n = 60 | 80.0% (" in told
    assert told.count("Not measured.") == len(promises.PROMISES) - 1


def cell(covered: int, plain: int, **more: object) -> Cell:
    found = {"set": "adult", "measure": "brier", "a": "tree", "b": "forest", "n": 50}
    return found | {"samples": 1000, "covered": covered, "t": plain, "width": 1.2} | more


class TestPopulations:
    def test_short_cells_are_named(self) -> None:
        told = populations.page([cell(960, 800), cell(700, 690, a="boosting", again=[710, 1000])])
        assert "| brier | 50 | 2 | 2 | 1 | 69.0 | 70.0 |" in told
        assert "| adult | boosting, forest | brier | 50 | 70.0 | 71.0 | 69.0 |" in told
        assert "0 of 1 cells (0.0%; at most 3% may)." in populations.page([cell(960, 950)])

    def test_few_cases_have_a_lower_limit(self) -> None:
        few = cell(925, 900, samples=20_000) | {"covered": 18_560}
        assert "1 of 1 cells" in populations.page([few])
        assert "0 of 1 cells" in populations.page([few | {"minority": 9.0}])

    def test_short_means_surely_short(self) -> None:
        assert not populations.surely_short(920, 1000)
        assert populations.surely_short(900, 1000)


@pytest.mark.parametrize("name", ["gate", "equivalence", "needed", "agreement", "repeated_answers"])
def test_batched_promises_are_those_of_the_public_functions(name: str) -> None:
    """A hundredth of the samples: the first of every cell go through the public functions."""
    measure, _, asked = promises.PROMISES[name]
    for what, hits, of in measure(np.random.default_rng(5), 0.01):
        assert of >= 150, what  # raters who always agree do not count
        least, most = {"at most 5 %": (0.0, 0.12), "75 to 85 %": (0.66, 0.94)}.get(
            asked, (0.85, 1.0)
        )
        assert least <= hits / of <= most, what
