"""Bayesian comparisons: published tables, closed forms, brute force, mirrors and edges."""

import json
from math import inf, sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Posterior
from assay.core.wire import from_json, to_json
from assay.hypotheses.bayes import (
    bayes_correlated_t,
    bayes_sign,
    bayes_signed_rank,
    bayes_signed_rank_pairs,
)
from assay.hypotheses.resampled_scores import corrected_resampled_t
from tests.support import agree, shared_table

Floats = NDArray[np.float64]
DATA = Path(__file__).parent.parent / "data"
MODELS = ("nbc", "aode", "hnb", "j48", "j48gr")
DIFFERENCES = st.lists(st.integers(-40, 40).map(lambda x: x / 1000), min_size=1, max_size=12)
ROPES = st.sampled_from([0.0, 0.005, 0.01])

NOTEBOOK: dict[tuple[str, str], tuple[float, float, float]] = {
    ("nbc", "aode"): (0.000, 0.123, 0.877),
    ("nbc", "hnb"): (0.000, 0.001, 0.999),
    ("nbc", "j48"): (0.228, 0.006, 0.766),
    ("nbc", "j48gr"): (0.179, 0.004, 0.817),
    ("aode", "hnb"): (0.001, 0.965, 0.034),
    ("aode", "j48"): (0.904, 0.034, 0.062),
    ("aode", "j48gr"): (0.883, 0.046, 0.071),
    ("hnb", "j48"): (0.962, 0.020, 0.019),
    ("hnb", "j48gr"): (0.950, 0.026, 0.024),
    ("j48", "j48gr"): (0.000, 1.000, 0.000),
}
"""Signed rank, rope 0.01, 150,000 draws: first better, rope, second better (BayesianTestsML, Julia
notebook 6, on the mean accuracies of 54 data sets)."""


def uci_means() -> Floats:
    """Mean accuracies of five classifiers on 54 data sets, 100 folds each."""
    table = shared_table("bayesiantests_uci_10x10cv.csv")
    scores = np.loadtxt(table, delimiter=",", skiprows=1, usecols=range(3, 8)) / 100
    return np.asarray(scores.reshape(54, 100, 5).mean(axis=1))


def shares(posterior: Posterior) -> tuple[float, float, float]:
    return posterior.p_left, posterior.p_rope, posterior.p_right


def codes(posterior: Posterior) -> set[str]:
    return {note.code for note in posterior.notes}


def is_mirrored(one: Posterior, other: Posterior) -> bool:
    """Whether the two are each other's mirror image to the last bit."""
    same = shares(one) == shares(other)[::-1] and one.effect.value == -(other.effect.value or 0.0)
    first, second = one.effect.interval, other.effect.interval
    if first is None or second is None:
        return same and first is second
    return same and (first.low, first.high) == (-second.high, -second.low)


def with_moments(mean: float, sd: float, n: int) -> Floats:
    """``n`` numbers with this mean and standard deviation."""
    return mean + sd * sqrt((n - 1) / n) * np.where(np.arange(n) % 2, 1.0, -1.0)


class TestBayesCorrelatedT:
    def test_naive_bayes_and_aode_on_54_data_sets(self) -> None:
        """Every data set of Benavoli et al. (2017), 10 x 10 folds, rope 0.01."""
        stored = json.loads((DATA / "tables__published.json").read_text())
        (case,) = (c for c in stored["cases"] if c["id"].endswith("nbc_vs_aode_correlated_t"))
        defined = [row for row in case["expected"].values() if not row.get("undefined")]
        assert len(defined) == 52
        for row in defined:
            sd = row["mean_diff"] / row["t"] / sqrt(1 / 100 + 1 / 9)
            found = bayes_correlated_t(with_moments(row["mean_diff"], sd, 100), rope=0.01, folds=10)
            expected = (row["bayes_left"], row["bayes_rope"], row["bayes_right"])
            assert agree(shares(found), expected, 1e-9)

    @given(st.lists(st.integers(-50, 50).map(lambda x: x / 1000), min_size=3, max_size=10))
    def test_twin_of_the_corrected_t(self, differences: list[float]) -> None:
        """Without a rope the smaller tail is half the p-value, and the interval is the same."""
        test = corrected_resampled_t(differences)
        found = bayes_correlated_t(differences)
        if test.p_value is None:
            assert "zero-variance" in codes(found)
            return
        assert agree(min(found.p_left, found.p_right), test.p_value / 2)
        assert test.effect.interval is not None
        assert found.effect.interval is not None
        assert agree(found.effect.interval.low, test.effect.interval.low)
        assert agree(found.effect.interval.high, test.effect.interval.high)

    @given(DIFFERENCES.filter(lambda d: len(d) > 1), ROPES)
    def test_swapping_mirrors(self, differences: list[float], rope: float) -> None:
        zeros = np.zeros(len(differences))
        one = bayes_correlated_t(differences, zeros, rope=rope)
        other = bayes_correlated_t(zeros, differences, rope=rope)
        assert is_mirrored(one, other)
        assert sum(shares(one)) == pytest.approx(1.0, abs=1e-12)

    def test_small_tails_keep_their_digits(self) -> None:
        found = bayes_correlated_t(with_moments(0.5, 0.01, 100), rope=0.01, folds=10)
        assert 0.0 < found.p_left < found.p_rope < 1e-60

    @pytest.mark.parametrize(
        ("value", "rope", "expected"),
        [
            (0.0, 0.0, (0.5, 0.0, 0.5)),
            (0.0, 0.01, (0.0, 1.0, 0.0)),
            (0.02, 0.01, (0.0, 0.0, 1.0)),
            (-0.02, 0.01, (1.0, 0.0, 0.0)),
            (-0.02, 0.0, (1.0, 0.0, 0.0)),
            (0.01, 0.01, (0.0, 0.5, 0.5)),
        ],
    )
    def test_folds_that_agree_are_one_point(
        self, value: float, rope: float, expected: tuple[float, ...]
    ) -> None:
        scores = np.array([0.7, 0.8, 0.9])
        found = bayes_correlated_t(scores + value, scores, rope=rope)
        assert shares(found) == expected
        assert found.effect.interval is None
        assert "zero-variance" in codes(found)

    def test_credible_and_on_the_wire(self) -> None:
        found = bayes_correlated_t([0.01, 0.02, -0.01], rope=0.01)
        assert dict(found.effect.details)["kind"] == "credible"
        assert codes(found) == {"assumed-one-run"}
        assert from_json(to_json(found)) == found

    def test_one_fold_says_nothing(self) -> None:
        with pytest.raises(EvidenceError, match="at least 2 values"):
            bayes_correlated_t([0.01])

    @pytest.mark.parametrize(
        ("rope", "match"),
        [
            (-0.01, "largest difference that does not matter"),
            (float("inf"), "largest difference that does not matter"),
            (float("nan"), "rope= is a number, got nan"),
        ],
    )
    def test_rope_is_half_a_width(self, rope: float, match: str) -> None:
        with pytest.raises(UsageError, match=match):
            bayes_correlated_t([0.01, 0.02], rope=rope)

    def test_many_scores_need_their_design(self) -> None:
        with pytest.raises(UsageError, match="folds=K"):
            bayes_correlated_t(np.linspace(-0.1, 0.1, 100))


class TestBayesSign:
    def test_coins(self) -> None:
        """Three wins of three, a prior of two split: Beta(4, 1) is above one half with 1 - 1/2^4."""
        found = bayes_sign([0.1, 0.2, 0.3], prior_strength=2.0)
        assert agree(found.p_right, 15 / 16)
        details = dict(found.details)
        assert (details["weight_left"], details["weight_right"]) == (1.0, 4.0)
        assert found.p_rope == 0.0

    def test_against_draws(self) -> None:
        rng = np.random.default_rng(3)
        differences = np.array([0.03, 0.02, 0.004, -0.02, 0.05, -0.001, 0.012])
        found = bayes_sign(differences, rope=0.01)
        largest = rng.dirichlet([1, 2 + 1, 4], 200_000).argmax(axis=1)
        drawn = np.bincount(largest, minlength=3) / largest.size
        assert np.abs(np.array(shares(found)) - drawn).max() < 4 * sqrt(0.25 / largest.size)
        assert agree(dict(found.details)["mean_right"], 4 / 8)

    @pytest.mark.parametrize("place", ["rope", "left", "right"])
    def test_median_against_draws(self, place: Any) -> None:
        """The interval holds what the weighted medians of random weights say."""
        rng = np.random.default_rng(4)
        differences = np.array([0.03, 0.02, 0.004, -0.02, 0.05, -0.001, 0.012])
        at = {"rope": 0.0, "left": -1.0, "right": 1.0}[place]  # far out stands for infinity
        atoms = np.append(differences, at)
        order = np.argsort(atoms)
        alpha = np.append(np.ones(differences.size), 0.6)
        weights = rng.dirichlet(alpha, 100_000)[:, order].cumsum(axis=1)
        medians = atoms[order][(weights < 0.5).sum(axis=1)]
        found = bayes_sign(differences, prior_strength=0.6, prior_place=place, level=0.8).effect
        low, middle, high = np.quantile(medians, [0.1, 0.5, 0.9], method="inverted_cdf")
        assert found.interval is not None
        assert (found.interval.low, found.interval.high) == pytest.approx((low, high))
        assert found.value == pytest.approx(middle)

    @given(DIFFERENCES, ROPES, st.sampled_from([0.0, 0.6, 1.0]))
    def test_swapping_mirrors(self, values: list[float], rope: float, strength: float) -> None:
        zeros = np.zeros(len(values))
        one = bayes_sign(values, zeros, rope=rope, prior_strength=strength)
        other = bayes_sign(zeros, values, rope=rope, prior_strength=strength)
        assert is_mirrored(one, other)
        assert sum(shares(one)) == pytest.approx(1.0, abs=1e-12)

    def test_swapping_mirrors_the_place_of_the_prior(self) -> None:
        values, zeros = np.array([0.02, -0.03, 0.05]), np.zeros(3)
        one = bayes_sign(values, zeros, rope=0.01, prior_place="left")
        assert is_mirrored(one, bayes_sign(zeros, values, rope=0.01, prior_place="right"))

    def test_identical_models(self) -> None:
        same = np.linspace(0.5, 0.9, 9)
        assert shares(bayes_sign(same, same)) == (0.5, 0.0, 0.5)
        inside = bayes_sign(same, same, rope=0.01)
        assert shares(inside) == (0.0, 1.0, 0.0)
        assert inside.effect.interval is None
        assert codes(inside) == {"point-posterior"}

    def test_one_unit(self) -> None:
        assert shares(bayes_sign([0.1], rope=0.01)) == pytest.approx((0.0, 0.5, 0.5))

    def test_on_the_edge_is_in_the_rope(self) -> None:
        """0.83 - 0.82 exceeds 0.01 in binary, not in decimals."""
        assert 0.83 - 0.82 > 0.01
        assert dict(bayes_sign([0.83], [0.82], rope=0.01).details)["weight_rope"] == 2.0

    def test_a_prior_on_one_side_may_leave_the_interval_open(self) -> None:
        found = bayes_sign([0.1, 0.2], prior_place="left")
        assert found.effect.interval is not None
        assert found.effect.interval.low == -inf
        assert found.effect.value == 0.1
        assert from_json(to_json(found)) == found

    def test_unknown_place(self) -> None:
        with pytest.raises(UsageError, match="prior_place is one of left, rope, right"):
            bayes_sign([0.1, 0.2], prior_place="middle")  # type: ignore[arg-type]

    def test_a_prior_that_outweighs_the_data(self) -> None:
        with pytest.raises(UsageError, match="outweighs the 2 that were seen"):
            bayes_sign([0.1, 0.2], prior_strength=2.0, prior_place="left")

    def test_negative_prior(self) -> None:
        with pytest.raises(UsageError, match="prior_strength counts pseudo-observations"):
            bayes_sign([0.1, 0.2], prior_strength=-1.0)


def drawn_signed_rank(
    differences: Floats, rope: float, strength: float, draws: int
) -> tuple[Floats, Floats]:
    """The definition, pair by pair: how often each side wins, and mean shares."""
    rng = np.random.default_rng(0)
    values = np.append(differences, 0.0)
    sums = values[:, None] + values[None, :]
    right = np.heaviside(np.round(sums - 2 * rope, 9), 0.5)
    left = np.heaviside(np.round(-sums - 2 * rope, 9), 0.5)
    weights = rng.dirichlet(np.append(np.ones(differences.size), strength), draws)
    theta = np.stack(
        [np.einsum("di,ij,dj->d", weights, region, weights) for region in (left, right)]
    )
    theta = np.insert(theta, 1, 1.0 - theta.sum(axis=0), axis=0)
    if rope == 0.0:
        theta[1] = -1.0
    wins = np.bincount(theta.argmax(axis=0), minlength=3) / draws
    return wins, np.maximum(theta.mean(axis=1), 0.0)


class TestBayesSignedRank:
    def test_five_classifiers_on_54_data_sets(self) -> None:
        found = bayes_signed_rank_pairs(
            uci_means(), models=MODELS, rope=0.01, n_resamples=100_000, rng=1
        )
        assert list(found) == list(NOTEBOOK)
        for pair, (first, rope, second) in NOTEBOOK.items():
            one = found[pair]
            off = max(abs(one.p_right - first), abs(one.p_rope - rope), abs(one.p_left - second))
            assert off < 4 * sqrt(0.25 / 100_000) + 0.0005, pair

    @pytest.mark.parametrize("strength", [0.25, 0.5, 2.0])
    def test_one_unit_in_closed_form(self, strength: float) -> None:
        """Weights g and 1 - g, g ~ Beta(strength, 1): P(g < x) = x**strength."""
        draws = 200_000
        error = 4 * sqrt(0.25 / draws)
        far = bayes_signed_rank([0.1], rope=0.01, prior_strength=strength, n_resamples=draws, rng=1)
        assert far.p_right == pytest.approx(sqrt(0.5) ** strength, abs=error)
        near = bayes_signed_rank(
            [0.015], rope=0.01, prior_strength=strength, n_resamples=draws, rng=1
        )
        assert near.p_right == pytest.approx((1 - sqrt(0.5)) ** strength, abs=error)

    @pytest.mark.parametrize("rope", [0.0, 0.01])
    @pytest.mark.parametrize("n", [2, 3, 7])
    def test_against_the_definition(self, n: int, rope: float) -> None:
        differences = np.round(np.random.default_rng(n).normal(0.004, 0.02, n), 2)
        draws = 40_000
        wins, means = drawn_signed_rank(differences, rope, 0.5, draws)
        found = bayes_signed_rank(differences, rope=rope, n_resamples=draws, rng=2)
        assert np.abs(np.array(shares(found)) - wins).max() < 6 * sqrt(0.25 / draws)
        details = dict(found.details)
        exact = [details[f"mean_{place}"] for place in ("left", "rope", "right")]
        assert exact == pytest.approx(means.tolist(), abs=0.01)

    def test_without_a_rope_the_interval_agrees(self) -> None:
        """P(pseudo-median > 0) is p_right, so an interval above 0 means p_right above 97.5 %."""
        rng = np.random.default_rng(8)
        for shift in (0.0, 0.006, 0.01, 0.02):
            found = bayes_signed_rank(rng.normal(shift, 0.02, 30), rng=5)
            assert found.effect.interval is not None
            if abs(found.p_right - 0.975) > 0.01:
                assert (found.effect.interval.low > 0.0) == (found.p_right > 0.975)

    @settings(max_examples=40)
    @given(DIFFERENCES, ROPES)
    def test_swapping_mirrors(self, values: list[float], rope: float) -> None:
        zeros = np.zeros(len(values))
        one = bayes_signed_rank(values, zeros, rope=rope, n_resamples=300, rng=1)
        other = bayes_signed_rank(zeros, values, rope=rope, n_resamples=300, rng=1)
        assert is_mirrored(one, other)
        assert sum(shares(one)) == pytest.approx(1.0, abs=1e-12)

    @settings(max_examples=20)
    @given(DIFFERENCES, st.randoms(use_true_random=False))
    def test_order_is_irrelevant(self, values: list[float], random: Any) -> None:
        other = random.sample(values, len(values))
        one = bayes_signed_rank(values, rope=0.005, n_resamples=200, rng=1)
        assert bayes_signed_rank(other, rope=0.005, n_resamples=200, rng=1) == one

    def test_a_symmetric_sample_gives_a_symmetric_answer(self) -> None:
        found = bayes_signed_rank([-0.03, -0.01, 0.01, 0.03], n_resamples=501, rng=1)
        assert found.p_left == found.p_right == 0.5
        assert found.effect.value == 0.0

    def test_identical_models(self) -> None:
        same = np.linspace(0.5, 0.9, 9)
        found = bayes_signed_rank(same, same, n_resamples=501, rng=1)
        assert shares(found) == (0.5, 0.0, 0.5)
        assert found.effect.interval is None
        assert codes(found) == {"point-posterior"}
        inside = bayes_signed_rank(same, same, rope=0.01, n_resamples=501, rng=1)
        assert shares(inside) == (0.0, 1.0, 0.0)

    def test_sampling_gives_zero_only_where_it_is_certain(self) -> None:
        ahead = bayes_signed_rank(np.full(30, 0.1), rope=0.01, n_resamples=100, rng=1)
        assert ahead.p_left == 0.0
        assert 0.0 < ahead.p_rope < 0.01
        mixed = np.append(np.full(30, 0.1), -0.2)
        assert bayes_signed_rank(mixed, rope=0.01, n_resamples=100, rng=1).p_left > 0.0

    def test_seeds(self) -> None:
        values = np.random.default_rng(1).normal(0.0, 0.02, 20)
        one = bayes_signed_rank(values, n_resamples=5000, rng=7)
        assert one == bayes_signed_rank(values, n_resamples=5000, rng=7)
        assert one.seed == 7
        assert one.p_left != bayes_signed_rank(values, n_resamples=5000, rng=8).p_left
        drawn = bayes_signed_rank(values, n_resamples=100, rng=np.random.default_rng(1))
        assert drawn == bayes_signed_rank(values, n_resamples=100, rng=drawn.seed)

    def test_no_draws(self) -> None:
        with pytest.raises(UsageError, match="n_resamples is a whole number of at least 1"):
            bayes_signed_rank([0.1, 0.2], n_resamples=0)

    def test_unpaired(self) -> None:
        with pytest.raises(EvidenceError, match="one value of A and one of B"):
            bayes_signed_rank([0.1, 0.2], [0.1])


class TestBayesSignedRankPairs:
    def test_each_pair_as_if_alone(self) -> None:
        means = uci_means()
        found = bayes_signed_rank_pairs(means, rope=0.01, n_resamples=3000, rng=4)
        assert list(found)[:2] == [("1", "2"), ("1", "3")]
        for (first, second), posterior in found.items():
            a, b = means[:, int(first) - 1], means[:, int(second) - 1]
            assert posterior == bayes_signed_rank(a, b, rope=0.01, n_resamples=3000, rng=4)

    def test_names(self) -> None:
        with pytest.raises(EvidenceError, match="3 columns need 3 different names"):
            bayes_signed_rank_pairs(np.eye(3), models=["a", "b", "a"])
        with pytest.raises(EvidenceError, match="3 columns need 3 different names"):
            bayes_signed_rank_pairs(np.eye(3), models=["a", "b", "c", "a"])

    def test_one_column(self) -> None:
        with pytest.raises(EvidenceError, match="at least 1 rows and 2 columns"):
            bayes_signed_rank_pairs([[1.0], [2.0]])
