"""The winner's truncated normal: simulated coverage, limits of clear and narrow leads."""

import numpy as np
import pytest
from scipy.special import ndtr, ndtri
from scipy.stats import truncnorm

from assay.kernels.winner_limits import _chance_below, two_sided_reach, winner_limits


def test_a_clear_lead_needs_no_correction() -> None:
    found = winner_limits(
        np.array([100.0, 0.0, 0.0]), np.eye(3), alpha=0.05, share=0.005, n_draws=2000, seed=0
    )
    assert found.centre == pytest.approx(0.0, abs=1e-6)
    inside = (1.0 - (0.025 - 0.005) / 0.995) * ndtr(
        found.reach
    )  # no more than the reach above the truth
    assert -found.low == pytest.approx(ndtri(inside), abs=1e-6)
    assert found.high == pytest.approx(1.96, abs=0.001)


def test_a_narrow_lead_moves_the_score_down_and_no_farther_than_the_reach() -> None:
    found = winner_limits(
        np.array([0.001, 0.0]), np.eye(2), alpha=0.05, share=0.005, n_draws=20_000, seed=0
    )
    assert -found.reach <= found.low < found.centre < 0.0
    assert found.lead == pytest.approx(0.001, abs=1e-6)


def test_a_tie_owes_no_more_than_equal_models_do_on_average() -> None:
    found = winner_limits(
        np.array([1.0, 1.0]), np.eye(2), alpha=0.05, share=0.005, n_draws=50_000, seed=0
    )
    assert found.centre == pytest.approx(-1.0 / np.sqrt(np.pi), abs=0.02)
    assert found.low == pytest.approx(-found.reach, abs=1e-3)


def test_copies_of_the_winner_cost_nothing() -> None:
    root = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
    values = np.array([9.0, 9.0, 0.0])
    found = winner_limits(values, root, alpha=0.05, share=0.005, n_draws=2000, seed=0)
    assert found.centre == pytest.approx(0.0, abs=1e-6)


@pytest.mark.parametrize(
    "truth", [(0.0, 0.0, 0.0, 0.0), (1.0, 0.5, 0.0, 0.0), (6.0, 0.0, 0.0, 0.0)]
)
def test_covers_whoever_wins(truth: tuple[float, ...]) -> None:
    rng, means = np.random.default_rng(3), np.array(truth)
    root = np.asarray(np.linalg.cholesky(0.7 * np.eye(4) + 0.3).T, dtype=np.float64)
    held = 0
    for _ in range(500):
        values = means + rng.standard_normal(4) @ root
        found = winner_limits(values, root, alpha=0.05, share=0.005, n_draws=2000, seed=1)
        best = int(np.argmax(values))
        held += values[best] + found.low <= means[best] <= values[best] + found.high
    assert held >= 456  # 475 expected at least; 0.1 % of binomial counts are below


def test_the_reach_of_independent_models_is_sidaks() -> None:
    both = two_sided_reach(np.eye(5), 0.05, 200_000, 0)
    assert both == pytest.approx(-ndtri((1 - 0.95 ** (1 / 5)) / 2), abs=0.02)


def test_a_model_that_does_not_vary_widens_nothing() -> None:
    root = np.array([[1.0, 0.4], [0.0, 0.9]])
    still = np.column_stack([root, np.zeros(2)])
    assert two_sided_reach(still, 0.05, 500, 1) == two_sided_reach(root, 0.05, 500, 1)


@pytest.mark.parametrize("truth", [-6.0, -1.0, 0.3, 2.0, 7.0])
@pytest.mark.parametrize(("lower", "upper"), [(-0.5, 9.0), (-4.0, 0.5), (-1.0, 1.0)])
def test_the_chance_of_a_smaller_score_is_that_of_a_normal_cut_off(
    truth: float, lower: float, upper: float
) -> None:
    low, high = lower - truth, min(upper - truth, 3.0)
    due = truncnorm.cdf(-truth, low, high) if low < high else float(truth < 0.0)
    assert _chance_below(truth, lower, upper, 3.0) == pytest.approx(due, rel=1e-9, abs=1e-300)
