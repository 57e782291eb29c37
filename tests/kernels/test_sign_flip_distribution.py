"""Sign flips and reallotments against enumeration of all of them."""

import math
from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import hypergeom

from assay.kernels.integer_sums import lattice_step
from assay.kernels.sign_flip_distribution import (
    exact_flips,
    fixed_margin_tables,
    flip_tail,
    log_coins,
    lowest_shift,
    order_bound,
    reallotments,
    sampled_flips,
    sampled_subset_means,
    subset_means,
    two_by_two_tables,
)

DIFFERENCES = st.lists(st.integers(-6, 6).map(lambda k: k / 10), min_size=1, max_size=9)


def enumerated(differences: list[float]) -> float:
    """P(sign-flipped sum >= observed) over all sign patterns, in whole numbers."""
    whole = [round(10 * d) for d in differences]
    patterns = list(product((1, -1), repeat=len(whole)))
    sums = [sum(s * d for s, d in zip(signs, whole, strict=True)) for signs in patterns]
    return sum(total >= sum(whole) for total in sums) / len(patterns)


class TestFlipTail:
    def test_mooney(self) -> None:
        found = flip_tail(np.array([8.0, 17.0, -5.0, 10.0, -5.0]))
        assert found is not None
        assert 2 * found.p == 0.375

    @settings(deadline=None, max_examples=80)
    @given(DIFFERENCES)
    def test_enumeration(self, differences: list[float]) -> None:
        found = flip_tail(np.array(differences))
        assert found is not None
        assert found.p == pytest.approx(enumerated(differences), rel=1e-13)

    @pytest.mark.parametrize(
        ("size", "kind", "how"),
        [
            (25, "continuous", "meet-in-the-middle"),
            (60, "decimal", "convolution"),
            (20_000, "decimal", "inversion"),
            (500, "continuous", "inversion"),
            (500, "signs", "binomial"),
            (500, "positive", "count"),
        ],
    )
    def test_every_way_agrees_with_the_normal_distribution(
        self, size: int, kind: str, how: str
    ) -> None:
        rng = np.random.default_rng(size)
        differences = rng.normal(1 / math.sqrt(size), 1, size=size)
        if kind == "decimal":
            differences = np.round(differences, 1)
        if kind == "signs":
            differences = np.sign(differences)
        if kind == "positive":
            differences = np.abs(differences)
        found = flip_tail(differences)
        assert found is not None
        assert found.how == how
        if kind == "positive":
            assert found.log_p == pytest.approx(-size * math.log(2.0), rel=1e-14)
        else:
            z = differences.sum() / math.sqrt(float((differences**2).sum()))
            assert found.p == pytest.approx(math.erfc(z / math.sqrt(2)) / 2, abs=0.6 / size**0.5)

    def test_0_1_losses_are_a_binomial(self) -> None:
        found = flip_tail(np.repeat([1.0, -1.0, 0.0], [30, 14, 1000]))
        expected = sum(math.comb(44, k) for k in range(15)) / 2**44
        assert found is not None
        assert found.p == pytest.approx(expected, rel=1e-13)

    def test_no_difference(self) -> None:
        found = flip_tail(np.zeros(4))
        assert found is not None
        assert found.p == 1.0

    def test_far_binomial_tail_has_a_logarithm(self) -> None:
        found = flip_tail(np.repeat([1.0, -1.0], [8900, 100]))
        assert found is not None
        assert found.p == 0.0
        expected = math.lgamma(9001) - math.lgamma(101) - math.lgamma(8901) - 9000 * math.log(2.0)
        assert found.log_p == pytest.approx(expected, rel=1e-4)


class TestLowestShift:
    @settings(deadline=None, max_examples=40)
    @given(DIFFERENCES, st.sampled_from([0.05, 0.1, 0.2]))
    def test_is_where_the_test_turns(self, differences: list[float], alpha: float) -> None:
        values = np.array(differences)
        found = flip_tail(values)
        assert found is not None
        accepted = found.p > alpha
        bound = lowest_shift(values, alpha, null_accepted=accepted)
        assert bound is not None
        assert accepted == (bound <= 0.0)
        for shift in np.linspace(-1, 1, 17) + 0.013:
            rejected = enumerated_shifted(differences, shift) <= alpha
            assert rejected == (shift < bound), shift

    @pytest.mark.parametrize("size", [25, 45, 300])
    def test_larger_samples(self, size: int) -> None:
        values = np.random.default_rng(size).normal(0.3, 1, size=size)
        found = flip_tail(values)
        assert found is not None
        bound = lowest_shift(values, 0.025, null_accepted=found.p > 0.025)
        assert bound is not None
        for shift, rejected in ((bound - 1e-4, True), (bound + 1e-4, False)):
            moved = flip_tail(values - shift)
            assert moved is not None
            assert (moved.p <= 0.025) == rejected

    def test_too_few_for_any_bound(self) -> None:
        assert lowest_shift(np.array([1.0, 2.0]), 0.025, null_accepted=True) == -math.inf

    def test_constant(self) -> None:
        assert lowest_shift(np.full(25, 0.5), 0.025, null_accepted=False) == 0.5


def enumerated_shifted(differences: list[float], shift: float) -> float:
    moved = [d - shift for d in differences]
    patterns = list(product((1, -1), repeat=len(moved)))
    sums = [sum(s * d for s, d in zip(signs, moved, strict=True)) for signs in patterns]
    return sum(total >= sum(moved) - 1e-9 for total in sums) / len(patterns)


class TestSampledFlips:
    def test_never_zero_and_near_the_exact_p(self) -> None:
        values = np.random.default_rng(5).normal(0.4, 1, size=30)
        exact = exact_flips(values, 0.025, "two-sided")
        assert exact is not None
        found = sampled_flips(values, 0.025, "two-sided", 9999, np.random.default_rng(1))
        assert found.p >= 1 / 10_000
        assert found.p == pytest.approx(exact.p, abs=5 * math.sqrt(exact.p / 9999))
        assert found.low == pytest.approx(exact.low, abs=0.05)
        assert found.high == pytest.approx(exact.high, abs=0.05)

    def test_all_positive(self) -> None:
        values = np.arange(1.0, 41.0)
        found = sampled_flips(values, 0.025, "greater", 99, np.random.default_rng(1))
        assert found.p == 1 / 100
        assert found.high == math.inf
        assert found.low > 0.0


class TestLatticeStep:
    @pytest.mark.parametrize("step", [1.0, 0.5, 0.001, 1 / 3])
    def test_finds_the_step(self, step: float) -> None:
        assert lattice_step(step * np.array([3.0, 10.0, 4.0])) == pytest.approx(step)

    def test_none_for_continuous_values(self) -> None:
        assert lattice_step(np.random.default_rng(0).random(50)) is None


class TestSubsetMeans:
    def test_all_of_them(self) -> None:
        assert sorted(subset_means(np.array([1.0, 2.0, -1.0]))) == pytest.approx(
            sorted([1, 2, -1, 1.5, 0, 0.5, 2 / 3])
        )

    def test_order_bound(self) -> None:
        means = np.array([3.0, 1.0, 2.0])
        assert order_bound(means, 0.25, 4.0) == 1.0
        assert order_bound(means, 0.2, 4.0) == -math.inf
        assert order_bound(means, 1.0, 4.0) == math.inf

    def test_every_order_bound_of_many(self) -> None:
        means = np.random.default_rng(2).normal(size=400)
        bounds = [order_bound(means, place / 401, 401.0) for place in range(1, 401)]
        assert bounds == np.sort(means).tolist()


class TestReallotments:
    @settings(deadline=None, max_examples=40)
    @given(
        st.lists(st.integers(0, 9), min_size=1, max_size=5),
        st.lists(st.integers(0, 9), min_size=1, max_size=5),
    )
    def test_shifts_are_where_the_difference_is_reached(self, a: list[int], b: list[int]) -> None:
        joint = np.array([*a, *b], dtype=float)
        shifts = reallotments(joint, len(a), None)
        for shift in (-2.013, 0.0, 1.37):
            moved = joint.copy()
            moved[: len(a)] -= shift
            observed = moved[: len(a)].mean() - moved[len(a) :].mean()
            reached = 0
            for places in list(combinations(range(joint.size), len(a)))[1:]:
                mask = np.zeros(joint.size, dtype=bool)
                mask[list(places)] = True
                reached += moved[mask].mean() - moved[~mask].mean() >= observed - 1e-9
            assert np.count_nonzero(shifts <= shift + 1e-12) == reached

    def test_drawn(self) -> None:
        joint = np.arange(12.0)
        shifts = reallotments(joint, 5, (50, np.random.default_rng(3)))
        assert shifts.shape == (50,)


class TestTables:
    def test_two_by_two_is_hypergeometric(self) -> None:
        tables, shares = two_by_two_tables(np.array([[20.0, 3.0], [4.0, 1.0]]))
        assert tables[:, 1, 1].tolist() == [0.0, 1.0, 2.0, 3.0, 4.0]
        assert shares.tolist() == pytest.approx(hypergeom.pmf(range(5), 28, 4, 5), rel=1e-12)

    def test_two_by_two(self) -> None:
        tables, shares = two_by_two_tables(np.array([[3.0, 1.0], [1.0, 3.0]]))
        assert shares == pytest.approx(np.array([1, 16, 36, 16, 1]) / 70)
        assert (tables.sum(axis=1) == [4, 4]).all()
        assert (tables.sum(axis=2) == [4, 4]).all()

    def test_drawn_tables_keep_the_margins(self) -> None:
        matrix = np.array([[8.0, 1.0, 3.0], [2.0, 9.0, 4.0], [1.0, 3.0, 11.0]])
        tables = fixed_margin_tables(matrix, 2000, np.random.default_rng(0))
        assert (tables.sum(axis=1) == matrix.sum(axis=0)).all()
        assert (tables.sum(axis=2) == matrix.sum(axis=1)).all()
        expected = np.outer(matrix.sum(axis=1), matrix.sum(axis=0)) / matrix.sum()
        assert tables.mean(axis=0) == pytest.approx(expected, abs=0.15)


class TestLogCoins:
    @pytest.mark.parametrize(
        ("heads", "n"),
        [(0, 1), (1, 1), (3, 10), (10, 10), (0, 900), (2, 1_000), (30, 1_400), (200, 2_000)],
    )
    def test_by_whole_numbers(self, heads: int, n: int) -> None:
        ways = sum(math.comb(n, k) for k in range(heads + 1))
        assert log_coins(heads, n) == pytest.approx(math.log(ways) - n * math.log(2), rel=1e-12)


class TestSampledSubsetMeans:
    def test_every_subset_as_often_as_any_other(self) -> None:
        values, rows = np.array([8.0, -1.0, 3.0]), 16_000
        subsets = [one for size in range(4) for one in combinations(values, size)]
        assert len({np.mean(one) for one in subsets if one}) == 7
        found = sampled_subset_means(values, rows, np.random.default_rng(1))
        empty = np.isnan(found)
        for one in subsets:
            like = empty if not one else np.isclose(found, np.mean(one))
            assert like.mean() == pytest.approx(1 / 8, abs=0.013)  # five standard errors
            empty = empty & ~like if one else empty

    def test_more_values_than_a_byte_has_bits(self) -> None:
        values = np.array([1.0, *np.zeros(10)])
        found = sampled_subset_means(values, 4_000, np.random.default_rng(3))
        holds = found > 0.0
        assert np.mean(holds) == pytest.approx(1 / 2, abs=0.04)
        sizes = 1.0 / found[holds]  # the one, and half of ten others
        assert sizes == pytest.approx(np.round(sizes))
        assert sizes.mean() == pytest.approx(6.0, abs=0.18)
        assert sizes.max() <= 11.0

    def test_sums_that_cancel_are_none(self) -> None:
        values = np.array([0.1, 0.2, -0.3])
        found = sampled_subset_means(values, 400, np.random.default_rng(1))
        assert (found == 0.0).any()
