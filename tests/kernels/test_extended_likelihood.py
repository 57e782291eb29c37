"""Empirical likelihood of a mean with an end of the scale among its points."""

import numpy as np
import pytest

from assay.kernels.extended_likelihood import upper_mean

RNG = np.random.default_rng(4)
T = 3.84


def best_of_many(points: np.ndarray, end: float) -> float:
    """The largest mean over a fine net of all weights that the first-order conditions allow."""
    n, found = points.size, -np.inf
    for far in max(end, points.max()) + np.geomspace(1e-9, 1e6, 20_000):
        p = 1.0 / (far - points)
        p /= p.sum()
        if -2.0 * np.log(n * p).sum() <= T:
            found = max(found, float(p @ points))
    if end > points.max():
        for rest in np.linspace(0.0, 1.0, 20_001)[:-1]:
            p = 1.0 / (end - points)
            p *= (1.0 - rest) / p.sum()
            if -2.0 * np.log(n * p).sum() <= T:
                found = max(found, float(p @ points + rest * end))
    return found


@pytest.mark.parametrize("end", [4.0, 1.5, 0.9, 0.2])
def test_it_is_the_largest_mean_that_the_likelihood_allows(end: float) -> None:
    points = np.where(RNG.random(25) < 0.2, RNG.normal(0.0, 0.4, 25), 0.0)
    assert upper_mean(points, T, end)[0] == pytest.approx(best_of_many(points, end), abs=2e-4)


@pytest.mark.parametrize("n", [1, 5, 50, 2000])
def test_equal_points_have_the_limit_of_a_binomial_that_was_never_seen(n: int) -> None:
    """All weights (1 - p)/n have -2 n log(1 - p) = T."""
    assert upper_mean(np.zeros(n), T, 4.0)[0] == pytest.approx(-4.0 * np.expm1(-T / (2 * n)))


def test_rows_are_answered_alike_together_and_alone() -> None:
    rows = RNG.normal(size=(6, 30))
    ends = np.array([9.0, 3.0, 2.0, 1.0, 0.0, -1.0])
    together = upper_mean(rows, np.full(6, T), ends)
    alone = [upper_mean(row, T, end)[0] for row, end in zip(rows, ends, strict=True)]
    assert together == pytest.approx(alone, rel=1e-12)


def test_it_lies_between_the_mean_and_the_largest_value_and_rises_with_the_threshold() -> None:
    points = RNG.exponential(1.0, 40)
    found = [upper_mean(points, t, 20.0)[0] for t in (1e-12, 0.1, 1.0, 4.0, 20.0, 400.0)]
    assert found[0] == pytest.approx(points.mean(), abs=1e-4)
    assert np.all(np.diff(found) > 0.0)
    assert found[-1] < 20.0


def test_points_that_do_not_vary_have_no_other_mean_without_an_end() -> None:
    assert upper_mean(np.full(7, 2.5), T, 2.5)[0] == 2.5
    assert upper_mean(np.zeros(7), T, 0.0)[0] == 0.0


def test_units_do_not_matter() -> None:
    points = RNG.normal(size=30)
    usual = upper_mean(points, T, 3.0)[0]
    for scale in (1e-150, 1e-6, 1e6, 1e150):
        assert upper_mean(scale * points, T, scale * 3.0)[0] == pytest.approx(scale * usual)


def test_near_normal_points_have_the_usual_limit() -> None:
    points = RNG.normal(size=4000)
    usual = points.mean() + np.sqrt(T) * points.std() / np.sqrt(4000)
    assert upper_mean(points, T, 4.0)[0] == pytest.approx(usual, abs=1e-3)
