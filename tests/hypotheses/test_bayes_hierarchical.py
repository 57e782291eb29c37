"""The hierarchical comparison: published answers, mirrors, shrinkage, calibration and refusals."""

from math import sqrt

import numpy as np
import pytest
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.results import Posterior
from assay.core.wire import from_json, to_json
from assay.hypotheses.bayes_hierarchical import _limits, bayes_hierarchical
from tests.support import shared_table

Floats = NDArray[np.float64]


def naive_bayes_and_hnb() -> Floats:
    """Differences in accuracy on 54 data sets, 10 x 10 folds."""
    table = shared_table("bayesiantests_uci_10x10cv.csv")
    scores = np.loadtxt(table, delimiter=",", skiprows=1, usecols=(3, 5)) / 100
    return np.asarray((scores[:, 0] - scores[:, 1]).reshape(54, 100))


def some_differences(seed: int = 1, q: int = 8, n: int = 10, centre: float = 0.01) -> Floats:
    rng = np.random.default_rng(seed)
    return rng.normal(rng.normal(centre, 0.02, q)[:, None], 0.03, (q, n))


def shares(posterior: Posterior) -> tuple[float, float, float]:
    return posterior.p_left, posterior.p_rope, posterior.p_right


def codes(posterior: Posterior) -> set[str]:
    return {note.code for note in posterior.notes}


def shrunken(posterior: Posterior) -> list[float]:
    return [float(value) for name, value in posterior.details if name.startswith("shrunken")]  # type: ignore[arg-type]


class TestBayesHierarchical:
    def test_naive_bayes_and_hnb(self) -> None:
        """The notebook of BayesianTestsML, by Stan: 0.998 for HNB, 0.002 for the rope, 0."""
        found = bayes_hierarchical(naive_bayes_and_hnb(), rope=0.01, folds=10, rng=1)
        details = dict(found.details)
        assert details["most_left"] == pytest.approx(0.998, abs=0.004)
        assert details["most_rope"] == pytest.approx(0.002, abs=0.004)
        assert details["most_right"] == pytest.approx(0.0, abs=0.001)
        assert found.notes == ()
        assert float(details["r_hat"]) < 1.03  # type: ignore[arg-type]

    def test_intervals_and_probabilities_are_calibrated(self) -> None:
        """In worlds drawn from the model, 80 % intervals hold the centre in about 80 %."""
        held, expected, seen = 0, 0.0, 0
        for seed in range(40):
            rng = np.random.default_rng([7, seed])
            deltas = 0.01 + 0.02 * rng.standard_t(5, 13)
            common = sqrt(0.1) * rng.normal(size=(12, 1))
            noise = common + sqrt(0.9) * rng.normal(size=(12, 10))
            found = bayes_hierarchical(
                deltas[:12, None] + 0.03 * noise, folds=10, n_resamples=2000, level=0.8, rng=seed
            )
            assert found.effect.interval is not None
            held += found.effect.interval.contains(0.01)
            expected += found.p_right
            seen += deltas[12] > 0
        assert 25 <= held <= 39
        assert abs(seen - expected) < 3 * sqrt(40 / 4)

    @pytest.mark.parametrize("rope", [0.0, 0.01])
    def test_swapping_mirrors_to_the_last_bit(self, rope: float) -> None:
        a, b = some_differences(1), some_differences(2)
        one = bayes_hierarchical(a, b, rope=rope, n_resamples=640, rng=3)
        other = bayes_hierarchical(b, a, rope=rope, n_resamples=640, rng=3)
        assert shares(one) == shares(other)[::-1]
        assert sum(shares(one)) == pytest.approx(1.0, abs=1e-12)
        assert one.effect.value == -(other.effect.value or 0.0)
        assert one.effect.interval is not None
        assert one.effect.interval.negated() == other.effect.interval
        assert shrunken(one) == [-value for value in shrunken(other)]

    def test_a_symmetric_table_gives_a_symmetric_answer(self) -> None:
        half = some_differences(1, q=4)
        found = bayes_hierarchical(np.vstack([half, -half]), rope=0.01, n_resamples=640, rng=3)
        assert found.p_left == found.p_right
        assert found.effect.value == 0.0
        values = shrunken(found)
        assert values[:4] == pytest.approx([-value for value in values[4:]], abs=1e-15)

    def test_order_of_data_sets_is_irrelevant(self) -> None:
        table = some_differences(1)
        one = bayes_hierarchical(table, rope=0.01, n_resamples=640, rng=3)
        other = bayes_hierarchical(table[::-1], rope=0.01, n_resamples=640, rng=3)
        assert shares(one) == shares(other)
        assert shrunken(one) == shrunken(other)[::-1]

    def test_units_of_measurement_are_irrelevant(self) -> None:
        table = some_differences(1)
        one = bayes_hierarchical(table, rope=0.01, n_resamples=640, rng=3)
        percent = bayes_hierarchical(100 * table, rope=1.0, n_resamples=640, rng=3)
        assert shares(percent) == pytest.approx(shares(one), abs=1e-6)

    def test_data_sets_are_drawn_together(self) -> None:
        table = some_differences(1)
        found = bayes_hierarchical(table, n_resamples=3200, rng=3)
        assert np.std(shrunken(found)) < np.std(table.mean(axis=1))

    def test_seeds_and_wire(self) -> None:
        table = some_differences(1)
        one = bayes_hierarchical(table, n_resamples=320, rng=5)
        assert one == bayes_hierarchical(table, n_resamples=320, rng=5)
        assert one.seed == 5
        assert one.p_left != bayes_hierarchical(table, n_resamples=320, rng=6).p_left
        assert from_json(to_json(one)) == one

    def test_few_draws_are_said_not_to_suffice(self) -> None:
        assert "not-converged" in codes(
            bayes_hierarchical(some_differences(), n_resamples=1, rng=1)
        )
        enough = bayes_hierarchical(some_differences(), n_resamples=20_000, rng=1)
        assert "not-converged" not in codes(enough)

    @pytest.mark.parametrize("rope", [0.0, 0.01])
    def test_some_data_sets_without_spread(self, rope: float) -> None:
        table = some_differences(1)
        table[2], table[5] = 0.0, 0.02
        found = bayes_hierarchical(table, rope=rope, n_resamples=3200, rng=3)
        (note,) = (note for note in found.notes if note.code == "zero-variance")
        assert "2 of 8 data sets" in note.message
        assert found.effect.interval is not None
        assert found.effect.interval.width > 0.0

    @pytest.mark.parametrize(("rope", "expected"), [(0.0, (0.5, 0, 0.5)), (0.01, (0, 1, 0))])
    def test_identical_algorithms(self, rope: float, expected: tuple[float, ...]) -> None:
        same = 0.8 + some_differences(1)
        found = bayes_hierarchical(same, same, rope=rope, rng=1)
        assert shares(found) == expected
        assert found.effect.interval is None
        assert "zero-variance" in codes(found)

    def test_nothing_varies_within_data_sets(self) -> None:
        table = np.repeat([[0.01], [0.02], [0.05]], 10, axis=1)
        with pytest.raises(NotApplicable, match="Use bayes_signed_rank"):
            bayes_hierarchical(table)
        assert bayes_hierarchical(table, rope=0.005, n_resamples=320, rng=1).p_right > 0.5

    @pytest.mark.parametrize("q", [1, 2])
    def test_too_few_data_sets(self, q: int) -> None:
        with pytest.raises(NotApplicable, match="for one data set use bayes_correlated_t"):
            bayes_hierarchical(some_differences(q=q))

    def test_one_fold(self) -> None:
        with pytest.raises(EvidenceError, match="2 columns"):
            bayes_hierarchical(some_differences(n=1))

    def test_other_folds(self) -> None:
        with pytest.raises(EvidenceError, match="the same data sets"):
            bayes_hierarchical(some_differences(n=10), some_differences(n=5))

    def test_design_must_be_said(self) -> None:
        with pytest.raises(UsageError, match="folds=K"):
            bayes_hierarchical(some_differences(n=50))


def test_limits_are_quantiles_turned_by_the_sign() -> None:
    centre = np.random.default_rng(2).gamma(2.0, size=(50, 4))
    low, middle, high = np.quantile(centre, [0.05, 0.5, 0.95])
    assert _limits(centre, 0.9, 1) == pytest.approx((low, middle, high), rel=1e-12)
    assert _limits(centre, 0.9, -1) == pytest.approx((-high, -middle, -low), rel=1e-12)
    reach = (high - low) / 2.0
    assert _limits(centre, 0.9, 0) == pytest.approx((-reach, 0.0, reach), rel=1e-12)
