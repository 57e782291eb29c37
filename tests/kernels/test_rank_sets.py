"""Decisions over all pairs against brute force, and the ranks that they leave."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.kernels.rank_draws import RankDraws, flipped, gaussian
from assay.kernels.rank_sets import (
    TOUCH,
    decide,
    decide_one,
    largest,
    possible_winners,
    quantile,
    rank_bounds,
    reachable,
)

Matrix = NDArray[np.float64]


def scores(n: int, means: list[float], seed: int = 0) -> Matrix:
    rng = np.random.default_rng(seed)
    return np.asarray((rng.normal(0.0, 1.0, (n, len(means))) + np.array(means)) / n)


def all_statistics(draws: RankDraws) -> NDArray[np.float64]:
    """Every draw and its opposite, every ordered pair."""
    sums = np.asarray(draws.sums, dtype=np.float64)
    ratios = (sums[:, :, None] - sums[:, None, :]) * np.asarray(draws.weights, dtype=np.float64)
    return draws.statistics(np.concatenate([ratios, -ratios]))


def brute_force(draws: RankDraws, alpha: float, share: float = 0.0) -> NDArray[np.bool_]:
    """csranks' step-down over ordered pairs, written as its paper has it; room as in the two-step tests."""
    scattered = all_statistics(draws)
    observed = draws.statistics(draws.observed)
    left = ~np.eye(draws.models, dtype=bool)
    shift = np.zeros_like(observed)
    if share:
        bound = quantile(scattered[:, left].max(axis=1), share, complete=draws.complete)
        shift = np.minimum(observed + bound, 0.0)
    better = np.zeros_like(left)
    while left.any():
        maxima = (scattered + shift)[:, left].max(axis=1)
        critical = max(quantile(maxima, alpha - share, complete=draws.complete), 0.0)
        found = left & (observed > critical * TOUCH)
        if not found.any():
            break
        better |= found
        left &= ~found
    return better


def brute_force_one(draws: RankDraws, model: int, alpha: float) -> tuple[int, int]:
    """The same of one model's comparisons only, in both directions, until nothing more is decided."""
    scattered, observed = all_statistics(draws)[:, model], draws.statistics(draws.observed)[model]
    others = np.arange(draws.models) != model
    open_ = {sign: others.copy() for sign in (1.0, -1.0)}
    while True:
        maxima = [
            (sign * scattered)[:, left].max(axis=1) for sign, left in open_.items() if left.any()
        ]
        critical = quantile(np.max(maxima, axis=0), alpha, complete=draws.complete) * TOUCH
        decided = {sign: left & (sign * observed > critical) for sign, left in open_.items()}
        if not any(found.any() for found in decided.values()):
            ahead, behind = ((others & ~left).sum() for left in open_.values())
            return 1 + int(behind), draws.models - int(ahead)
        open_ = {sign: left & ~decided[sign] for sign, left in open_.items()}


@pytest.mark.parametrize("seed", range(4))
def test_one_model_alone_equals_brute_force(seed: int) -> None:
    draws = flipped(scores(30, [0.0, 0.5, 0.6, 1.5, 3.0], seed), n_draws=400, seed=seed)
    for model in range(5):
        assert decide_one(draws, model, 0.05) == brute_force_one(draws, model, 0.05)


class TestDecide:
    @pytest.mark.parametrize("share", [0.0, 0.005])
    @pytest.mark.parametrize("seed", range(6))
    def test_equals_brute_force(self, seed: int, share: float) -> None:
        means = list(np.linspace(0.0, 2.0, 7))
        draws = flipped(scores(40, means, seed), n_draws=400, seed=seed)
        assert (decide(draws, 0.05, share=share).better == brute_force(draws, 0.05, share)).all()

    def test_equals_brute_force_where_all_signs_are_enumerated(self) -> None:
        draws = flipped(scores(8, [0.0, 1.0, 3.0, 3.2]), n_draws=999, seed=0)
        assert draws.complete
        assert (decide(draws, 0.05).better == brute_force(draws, 0.05)).all()

    def test_with_normal_draws_it_is_csranks(self) -> None:
        rng = np.random.default_rng(2)
        draws = gaussian(rng.normal(0, 3, 9), rng.normal(0, 1, (9, 9)), n_draws=500, seed=3)
        assert (decide(draws, 0.05).better == brute_force(draws, 0.05)).all()

    def test_pairs_that_were_not_asked_about_are_not_decided(self) -> None:
        draws = flipped(scores(60, [0.0, 0.0, 4.0]), n_draws=300, seed=1)
        among = np.zeros((3, 3), dtype=bool)
        among[1, :] = among[:, 1] = True
        better = decide(draws, 0.05, among=among).better
        assert better[2, 1]
        assert not better[2, 0]

    def test_five_units_cannot_separate_anything(self) -> None:
        draws = flipped(np.tile([0.0, 1.0], (5, 1)) + scores(5, [0, 0]) / 100, n_draws=99, seed=0)
        assert not decide(draws, 0.05).better.any()
        assert not reachable(draws, 0.05)
        assert reachable(flipped(scores(6, [0, 0]), n_draws=99, seed=0), 0.05)

    def test_copies_are_never_better_than_each_other(self) -> None:
        table = scores(50, [0.0, 2.0])
        draws = flipped(np.column_stack([table, table[:, 1]]), n_draws=200, seed=1)
        better = decide(draws, 0.05).better
        assert better[1, 0]
        assert better[2, 0]
        assert not better[1, 2]
        assert not better[2, 1]

    def test_holds_its_error_where_all_models_are_equal(self) -> None:
        claims = sum(
            decide(flipped(scores(10, [0.0] * 5, seed), n_draws=300, seed=seed), 0.05).better.any()
            for seed in range(400)
        )
        assert 4 <= claims <= 38  # 20 expected, 99.99 % of binomial counts


@given(st.integers(0, 10_000), st.integers(2, 8), st.integers(2, 30))
def test_ranks_bound_the_observed_one(seed: int, k: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    draws = flipped(rng.integers(0, 3, (n, k)) / n, n_draws=128, seed=seed)
    low, high = rank_bounds(decide(draws, 0.1).better)
    ranks = 1 + (draws.values[None, :] > draws.values[:, None] + 1e-12).sum(axis=1)
    assert ((low >= 1) & (low <= ranks) & (ranks <= high) & (high <= k)).all()


class TestOneModel:
    def test_a_marginal_set_is_no_wider_than_the_joint_one(self) -> None:
        draws = flipped(scores(80, list(np.linspace(0, 1.5, 8))), n_draws=999, seed=4)
        low, high = rank_bounds(decide(draws, 0.05).better)
        for model in range(8):
            one_low, one_high = decide_one(draws, model, 0.05)
            assert low[model] <= one_low <= one_high <= high[model]

    def test_of_two_models_both_are_the_same(self) -> None:
        draws = flipped(scores(40, [0.0, 1.0]), n_draws=999, seed=4)
        low, high = rank_bounds(decide(draws, 0.05).better)
        assert decide_one(draws, 0, 0.05) == (low[0], high[0])


class TestWinners:
    def test_a_clear_leader_is_the_only_one(self) -> None:
        draws = flipped(scores(100, [0.0, 0.0, 3.0]), n_draws=500, seed=1)
        kept = possible_winners(draws, 0.05, np.arange(3), share=0.005)
        assert kept.tolist() == [False, False, True]

    def test_the_observed_best_is_always_kept(self) -> None:
        for seed in range(30):
            draws = flipped(scores(9, [0.0, 0.1, 0.2], seed), n_draws=300, seed=seed)
            kept = possible_winners(draws, 0.05, np.arange(3))
            assert kept[int(np.argmax(draws.values))]

    def test_a_lone_kind_of_model_is_kept(self) -> None:
        draws = flipped(np.tile(scores(20, [0.0]), (1, 3)), n_draws=100, seed=1)
        assert possible_winners(draws, 0.05, np.arange(3)).all()


def test_the_largest_of_each_draw() -> None:
    draws = flipped(scores(30, [0.0] * 6), n_draws=200, seed=2)
    brute = np.abs(all_statistics(draws)).max(axis=(1, 2))[:200]
    assert largest(draws) == pytest.approx(brute, rel=1e-4)


def test_the_quantile_counts_the_observation_among_the_draws() -> None:
    assert quantile(np.arange(1.0, 20.0), 0.05, complete=False) == 19.0
    assert quantile(np.arange(1.0, 19.0), 0.05, complete=False) == np.inf
    assert quantile(np.arange(1.0, 21.0), 0.05, complete=True) == 19.0
