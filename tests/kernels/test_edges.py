"""Ways through the kernels that only unusual input takes, beside definitions written out."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import optimize, stats

from assay.kernels.adjustments import _rom_constants
from assay.kernels.auc import _products
from assay.kernels.binomial import wilson_limits
from assay.kernels.bootstrap_intervals import stretched_interval
from assay.kernels.bootstrap_ratios import ratio_draws
from assay.kernels.bradley_terry import _climbed, _log_likelihood, fitted
from assay.kernels.concordance import kendall_w_limits
from assay.kernels.counted_pairs import CountedPairs, counted_pairs
from assay.kernels.delong import placed_areas
from assay.kernels.integer_sums import lattice_step, subset_sum_cdf
from assay.kernels.judge_correction import JudgedSample
from assay.kernels.letters import compact_letters, groups
from assay.kernels.noncentral import _t_noncentrality
from assay.kernels.ranks import clean_differences, round_ties
from assay.kernels.resampled_bins import SortedItems
from assay.kernels.sign_flip_distribution import _signs_differ, smooth_root
from assay.kernels.signed_rank_pairs import (
    _averages_at,
    _distributions,
    pair_ranks,
    signed_rank_cdf,
)
from assay.kernels.stochastic_order import _drawn_pooled
from assay.kernels.walsh_averages import DrawnWeights
from assay.kernels.winner_limits import two_sided_reach


@pytest.mark.parametrize("z", [-1.3, -0.2, 0.0, 0.4, 2.0])
@pytest.mark.parametrize(("k", "n"), [(0, 7), (3, 7), (7, 7), (20, 900)])
def test_wilson_limits_of_any_quantile(k: int, n: int, z: float) -> None:
    """The formula as Wilson has it; levels below a half have a negative quantile."""
    root = z * math.sqrt(k * (n - k) / n + z * z / 4)
    due = [(k + z * z / 2 + sign * root) / (n + z * z) for sign in (-1, 1)]
    assert wilson_limits(k, n, z) == pytest.approx(due, abs=1e-14)


class TestLetters:
    def test_two_models_share_a_letter_exactly_if_they_do_not_differ(self) -> None:
        rng = np.random.default_rng(1)
        for k in (3, 5, 7):
            for _ in range(60):
                apart = np.triu(rng.random((k, k)) < rng.random(), 1)
                apart |= apart.T
                letters = compact_letters(apart)
                assert letters is not None
                for a, b in product(range(k), repeat=2):
                    assert bool(set(letters[a]) & set(letters[b])) != apart[a, b]
                found = groups(apart)
                assert found is not None
                for left_out in found:  # no group is needless
                    others = [set(one) for one in found if one != left_out]
                    pairs = [{a, b} for a in left_out for b in left_out]
                    assert not all(any(pair <= one for one in others) for pair in pairs)

    @staticmethod
    def couples(count: int) -> np.ndarray:
        """As many couples, each told apart: a group for every way to take one of each."""
        apart = np.zeros((2 * count, 2 * count), dtype=bool)
        for place in range(0, 2 * count, 2):
            apart[place, place + 1] = apart[place + 1, place] = True
        return apart

    def test_sixteen_groups_have_letters_and_thirty_two_have_none(self) -> None:
        four = groups(self.couples(4))
        assert four is not None
        assert set().union(*four) == set(range(8))
        assert len(compact_letters(self.couples(4)) or ()) == 8

    def test_there_may_be_too_many_groups(self) -> None:
        assert groups(self.couples(7)) is None
        assert compact_letters(self.couples(7)) is None

    def test_twenty_six_models_that_all_differ_have_all_letters(self) -> None:
        assert compact_letters(~np.eye(26, dtype=bool)) == tuple("abcdefghijklmnopqrstuvwxyz")
        assert compact_letters(~np.eye(27, dtype=bool)) is None


class TestBradleyTerry:
    wins = np.array([[0.0, 9.0, 40.0], [1.0, 0.0, 7.0], [1.0, 2.0, 0.0]])

    def test_a_step_too_long_is_halved(self) -> None:
        counts, won = self.wins + 0.0, self.wins + 0.0
        values, step = np.zeros(3), np.array([300.0, 0.0, -300.0])
        found = _climbed(values, step, counts, won)
        before = _log_likelihood(values, counts, won)
        assert _log_likelihood(found, counts, won) >= before
        size = found[0] / 300.0
        assert 0.0 < size < 1.0
        assert math.log2(size) == round(math.log2(size))
        assert _log_likelihood(2 * found, counts, won) < before

    def test_the_maximum_is_that_of_a_search(self) -> None:
        zero = np.zeros((3, 3))
        found = fitted(self.wins, zero, zero, position=False)
        assert found is not None

        def loss(strengths: np.ndarray) -> float:
            gaps = strengths[:, None] - strengths[None, :]
            return float((self.wins * np.logaddexp(0.0, -gaps)).sum())

        due = optimize.minimize(loss, np.zeros(3), tol=1e-10).x
        assert found.values == pytest.approx(due - due.mean(), abs=1e-4)


@pytest.mark.parametrize("weight", [1, 2**15])
def test_products_of_sums_that_do_not_fit_in_32_bits(weight: int) -> None:
    sums = np.array([[1, 3, 2**20], [0, 5, 2**16]], dtype=np.int32)
    weights = np.array([[weight, 2, weight], [1, 1, weight]], dtype=np.int32)
    due = [
        sum(int(a) * int(b) for a, b in zip(one, other, strict=True))
        for one, other in zip(sums, weights, strict=True)
    ]
    assert _products(sums.copy(), weights).tolist() == due


class TestLattices:
    def test_none_of_numbers_without_a_common_step(self) -> None:
        assert lattice_step(np.array([1.0, math.sqrt(2.0), math.pi])) is None
        assert lattice_step(np.array([0.0, 0.0])) is None
        assert lattice_step(np.array([math.inf, 1.0])) is None

    @pytest.mark.parametrize("size", [3, 400])
    def test_the_largest_common_step(self, size: int) -> None:
        """0.4 is the greatest common divisor of 1.2, 2.0 and 2.8."""
        assert lattice_step(np.resize([1.2, 2.0, 2.8], size)) == pytest.approx(0.4, rel=1e-12)

    def test_sums_of_subsets_by_listing_them(self) -> None:
        weights = [2, 4, 4, 6, 10]
        sums = [sum(w for w, held in zip(weights, way, strict=True) if held)
                for way in product((0, 1), repeat=5)]  # fmt: skip
        for at in range(-2, 30):
            due = sum(one <= at for one in sums) / 32
            assert subset_sum_cdf(weights, at) == pytest.approx(due, abs=1e-15)


@pytest.mark.parametrize("t", [-40.0, 0.3, 6.0, 60.0])
@pytest.mark.parametrize("df", [1.0, 3.0, 40.0])
@pytest.mark.parametrize("below", [1e-4, 0.025, 0.5, 0.975, 0.9999])
def test_noncentrality_of_a_t_far_out(t: float, df: float, below: float) -> None:
    found = _t_noncentrality(t, df, below)
    assert stats.nct.cdf(t, df, found) == pytest.approx(below, rel=1e-5)


class TestManyEqualDifferences:
    @staticmethod
    def both() -> tuple[CountedPairs, np.ndarray]:
        values = np.random.default_rng(3).integers(0, 30, size=(1300, 3)) / 100.0
        first, second = np.triu_indices(3, 1)
        found = counted_pairs(values, first, second)
        assert found is not None
        return found, values

    def test_beyond_those_kept_differences_are_counted_anew(self) -> None:
        found, values = self.both()
        low, counts = found._counted(2)
        found.kept.clear()
        assert found._counted(2)[0] == low
        assert found._counted(2)[1].tolist() == counts.tolist()
        whole = np.rint(100 * (values[:, 1] - values[:, 2])).astype(int)
        assert low == whole.min()
        assert counts.tolist() == [int((whole == low + k).sum()) for k in range(counts.size)]

    def test_the_exact_p_value_is_that_of_ranks(self) -> None:
        found, values = self.both()
        few = CountedPairs(
            **{name: getattr(found, name) for name in found.__dataclass_fields__}
            | {"values": values[:20], "codes": found.codes[:, :20]}
        )
        due = pair_ranks(values[:20], found.first, found.second).exact_p()
        assert few.exact_p().tolist() == due.tolist()
        assert not found.exact_is_cheap()


def test_the_first_draws_of_many() -> None:
    rng = np.random.default_rng(1)
    units, prior = rng.random((3, 5)), rng.random(5)
    sums = np.vstack([np.zeros(5), np.cumsum(units, axis=0)])
    found = DrawnWeights(units=units, sums=sums, prior=prior).first(2)
    assert found.units.tolist() == units[:, :2].tolist()
    assert found.whole == pytest.approx((units.sum(axis=0)[:2] + prior[:2]) ** 2)


def test_areas_of_equal_models_have_no_degrees_of_freedom() -> None:
    truth, scores = [1, 1, 1, 0, 0, 0, 0], np.array([0.9, 0.4, 0.6, 0.5, 0.1, 0.45, 0.2])
    assert math.isnan(placed_areas(truth, np.stack([scores, scores])).difference_df())
    assert math.isnan(placed_areas(truth[2:], np.stack([scores, -scores])[:, 2:]).difference_df())


@pytest.mark.parametrize("step", [0.3, 1.0, 3.0, 5.0])
@pytest.mark.parametrize("root", [-70.0, -0.1, 0.1, 900.0])
def test_ends_around_a_root_far_from_the_guess(root: float, step: float) -> None:
    low, high = _signs_differ(lambda x: x - root, 0.0, step)
    assert low <= root < high


def test_a_smooth_root_by_secants() -> None:
    found = smooth_root(lambda x: np.expm1(x) - 1.0, 0.5, 0.5)
    assert found == pytest.approx(math.log(2.0), abs=1e-7)
    assert smooth_root(lambda x: x - 20.0, 0.0, 1.0) is None  # beyond five steps from the guess
    assert smooth_root(lambda x: 0.0 * x, 0.0, 1.0) is None


def test_sums_of_items_before_each_place() -> None:
    outcome, confidence = np.array([0.0, 1.0, 1.0, 0.0]), np.array([0.2, 0.3, 0.5, 0.9])
    found = SortedItems.of(outcome, confidence, np.arange(5))
    assert found.happened.tolist() == [0.0, 0.0, 1.0, 2.0, 2.0]
    for kind, power in product((0, 1), (1, 2)):
        terms = [c**power if o == kind else 0.0 for o, c in zip(outcome, confidence, strict=True)]
        due = [math.fsum(terms[:place]) for place in range(5)]
        assert found.sums[kind, power - 1] == pytest.approx(due)


def test_roms_first_constants() -> None:
    """Rom (1990): α, α/2 and α/3 + α²/12."""
    alpha = np.array([0.05, 0.2])
    due = [alpha, alpha / 2, alpha / 3 + alpha**2 / 12]
    assert _rom_constants(alpha, 5)[:3] == pytest.approx(np.array(due))


def test_every_value_of_a_pooled_sample_can_be_drawn() -> None:
    """Own values weigh 1 + 1/4 of five, others 1/4: of 1.25, 0.25, 0.25, 1.25 in 3."""
    joint, own = np.array([1.0, 2.0, 3.0, 4.0]), np.array([True, False, False, True])
    uniforms = np.array([0.0, 1.24, 1.26, 1.49, 1.51, 1.74, 1.76, 2.9999]) / 3.0
    due = [1.0, 1.0, 2.0, 2.0, 3.0, 3.0, 4.0, 4.0]
    assert _drawn_pooled(joint, own, uniforms).tolist() == due


def test_forty_blocks_without_agreement_have_little_concordance() -> None:
    """Forty cannot rule out that a share s = 1 - 0.025^(1/40) is of one order: s² or more, far from 1."""
    rng = np.random.default_rng(2)
    centred = np.array([rng.permutation(5) for _ in range(40)]) - 2.0
    low, high = kendall_w_limits(centred, 0.95)
    assert low == 0.0
    assert (1 - 0.025 ** (1 / 40)) ** 2 <= high < 0.3


def test_powers_of_the_influence_of_units() -> None:
    sums, sizes = np.array([3.0, 1.0, 7.0, 2.0, 4.0, 9.0]), np.array([4.0, 2.0, 8.0, 5.0, 4.0, 9.0])
    found = ratio_draws(sums, sizes)
    assert found is not None
    off = [a - sums.sum() / sizes.sum() * b for a, b in zip(sums, sizes, strict=True)]
    assert found.skewness() == pytest.approx((sum(x**2 for x in off), sum(x**3 for x in off)))


def test_tied_ranks_have_the_p_value_of_all_signs() -> None:
    differences = np.array([1.0, 1.0, -1.0, 2.0, 3.0, 3.0, 2.0])
    ranks = stats.rankdata(np.abs(differences))
    sums = [float(ranks @ way) for way in product((0, 1), repeat=7)]
    seen = float(ranks[differences > 0].sum())
    least = min(seen, float(ranks.sum()) - seen)
    due = min(1.0, 2 * sum(one <= least for one in sums) / 2**7)
    values = np.column_stack([differences, np.zeros(7)])
    found = pair_ranks(values, np.array([0]), np.array([1])).exact_p()
    assert found.tolist() == pytest.approx([due])


def test_limits_are_infinite_only_where_no_average_is_outside() -> None:
    """Averages of 1, 2, 4: 1, 1.5, 2, 2.5, 3, 4; the second from either end, and none."""
    values, sizes = np.array([[1.0, 2.0, 4.0], [1.0, 2.0, 4.0]]), np.array([3, 3])
    found = _averages_at(values, sizes, np.array([2, 0]))
    assert found[:, 0].tolist() == [2.25, 1.5, 3.0]
    assert found[:, 1].tolist() == [2.25, -math.inf, math.inf]


class TestLimitsOnAnotherScale:
    def test_above_an_end_they_are_ratios(self) -> None:
        """Three above the end 2, reach 0.6: the logarithm of the distance moves by 0.6/3."""
        found = stretched_interval(5.0, 0.6, low=2.0)
        assert found == pytest.approx((2.0 + 3.0 * math.exp(-0.2), 2.0 + 3.0 * math.exp(0.2)))

    def test_below_an_end_they_mirror(self) -> None:
        found = stretched_interval(-5.0, 0.6, high=-2.0)
        assert found == pytest.approx((-2.0 - 3.0 * math.exp(0.2), -2.0 - 3.0 * math.exp(-0.2)))

    def test_between_two_ends_they_are_odds(self) -> None:
        """Of 0.25 in [0, 1] the logit moves by 0.3/(0.25 · 0.75) = 1.6."""
        odds = [math.exp(math.log(1 / 3) + sign * 1.6) for sign in (-1, 1)]
        due = [one / (1 + one) for one in odds]
        assert stretched_interval(0.25, 0.3, low=0.0, high=1.0) == pytest.approx(due)

    def test_without_ends_they_are_plain(self) -> None:
        assert stretched_interval(0.25, 0.3) == pytest.approx((-0.05, 0.55))


def test_distributions_in_one_pass_are_those_one_by_one() -> None:
    sizes = np.arange(1, 60)
    found = dict(_distributions(sizes))
    assert sorted(found) == sizes.tolist()
    for n, cdf in found.items():
        assert cdf == pytest.approx(signed_rank_cdf(n), rel=1e-12)


@pytest.mark.parametrize(
    ("own", "shares", "even"),
    [
        ([0.5, 0.5], [0.25] * 4, True),
        ([0.4, 0.6], [0.25] * 4, False),
        ([0.5, 0.5], [0.4, 0.2, 0.2, 0.2], False),
    ],
)
def test_a_simple_sample_counts_all_items_alike(
    own: list[float], shares: list[float], even: bool
) -> None:
    sample = JudgedSample(
        size=4, graded=np.array([0, 2]), shares=np.array(shares), own_shares=np.array(own),
        strata=None, clusters=None,
    )  # fmt: skip
    assert sample.even is even
    assert sample.simple is even


def test_rounding_noise_is_no_difference() -> None:
    """0.3 - 0.1 and 0.2 differ in the last digit of a float; 1e-9 is a difference."""
    found = clean_differences(np.array([0.3 - 0.1, 0.5, 0.2]), np.array([0.2, 0.4, 0.2 + 1e-9]))
    assert found.tolist() == pytest.approx([0.0, 0.1, -1e-9], abs=1e-15)
    assert found[0] == 0.0


def test_two_opposite_blocks_bound_their_concordance_by_what_was_not_seen() -> None:
    """Different blocks correlate by -1, so that only the share 1 - √0.025 of unseen ones is left: its square."""
    low, high = kendall_w_limits(np.array([[-1.0, 0.0, 1.0], [1.0, 0.0, -1.0]]), 0.95)
    assert (low, high) == pytest.approx((0.0, (1.0 - math.sqrt(0.025)) ** 2))


def test_a_tail_that_few_draws_do_not_show_is_drawn_more_often() -> None:
    """Šidák's bound of two independent models at one in a thousand, from ten times a thousand draws."""
    due = stats.norm.isf((1 - 0.999**0.5) / 2)
    assert two_sided_reach(np.eye(2), 1e-3, 10, 0) == pytest.approx(due, abs=0.3)


def test_rows_of_nothing_have_no_ties() -> None:
    assert round_ties(np.empty((3, 0))).shape == (3, 0)
    assert round_ties(np.empty(0)).shape == (0,)
