"""Out-of-bag, .632 and .632+ estimates from the losses of a bootstrap run."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import Estimate
from assay.estimates.learner_losses import bootstrap_run
from assay.estimates.method_question import MethodQuestion
from assay.estimates.out_of_bag import (
    bootstrap_632,
    bootstrap_632_plus,
    loss_estimate,
    out_of_bag,
)
from tests.estimates.learners import centroids, scores_of, true_errors, two_classes
from tests.support import agree

NAN = float("nan")
SHARES = st.floats(0.0, 1.0).map(lambda x: round(x, 9))


def limits(estimate: Estimate) -> tuple[float, float]:
    assert estimate.interval is not None
    return estimate.interval.low, estimate.interval.high


def details(estimate: Estimate) -> dict[str, Any]:
    return dict(estimate.details)


def codes(estimate: Estimate) -> set[str]:
    return {note.code for note in estimate.notes}


def noise_run() -> Any:
    """1-nearest neighbour on labels that have nothing to do with the features."""
    from sklearn.neighbors import KNeighborsClassifier

    rng = np.random.default_rng(3)
    features, labels = rng.normal(size=(200, 4)), rng.permutation(np.arange(200) % 2)
    return bootstrap_run(KNeighborsClassifier(1), features, labels, n_resamples=60, rng=5)


def centroid_run(
    rng: np.random.Generator, n: int, p: int, apart: float, samples: int
) -> tuple[Any, Any, float, float, Any]:
    """Fitted and out-of-bag losses, no-information rate, true error of the fitted model, draws."""
    features, labels = two_classes(rng, n, p, apart)
    whole = centroids(np.ones((1, n)), features, labels)
    predicted = scores_of(whole, features)[0] > 0
    draws = rng.multinomial(n, np.full(n, 1.0 / n), size=samples)
    models = centroids(draws.astype(float), features, labels)
    losses = ((scores_of(models, features) > 0) != labels).astype(float)
    losses[draws > 0] = NAN
    share, called = labels.mean(), predicted.mean()
    rate = share * (1 - called) + (1 - share) * called
    fitted = (predicted != labels).astype(float)
    return fitted, losses, float(rate), float(true_errors(whole, apart)[0]), draws


class TestOutOfBag:
    def test_items_weigh_alike_however_often_they_were_left_out(self) -> None:
        estimate = out_of_bag([[1.0, NAN, 0.0], [0.0, 1.0, NAN], [NAN, 1.0, NAN]])
        assert agree(estimate.value, (0.5 + 1.0 + 0.0) / 3)
        assert estimate.measure == "error_rate"
        assert codes(estimate) == {"oob-pessimistic"}

    def test_a_bagged_learners_own_estimate_is_wilsons(self) -> None:
        from assay.estimates.proportions import wilson

        losses = np.repeat([1.0, 0.0], [20, 80])
        estimate = out_of_bag(losses)
        assert agree(limits(estimate), list(limits(wilson(20, 100))))
        assert details(estimate)["covers"] == "these fitted models on new items"

    def test_the_spread_is_efron_and_tibshiranis(self) -> None:
        """Their D_i needs how often an item was drawn; only whether it was will do as well."""
        ratios = []
        for seed in range(12):
            rng = np.random.default_rng(seed)
            _, losses, _, _, draws = centroid_run(rng, 40, 10, 1.5, 2000)
            n, samples = 40, len(draws)
            means = np.nanmean(losses, axis=0)
            shares = np.nansum(losses, axis=1) / n
            products = (draws - draws.mean(0)) * (shares - shares.mean())[:, None]
            scale = (1 - 1 / n) ** -n
            change = (2 + 1 / (n - 1)) * (means - means.mean()) / n + scale * products.mean(0)
            noise = scale**2 * (products.var(0) / samples).sum()
            error = np.sqrt((change**2).sum() - noise)
            found = out_of_bag(losses).standard_error
            assert found is not None
            ratios.append(found / error)
        assert 0.97 < np.mean(ratios) < 1.05
        assert min(ratios) > 0.85
        assert max(ratios) < 1.15

    @given(st.floats(0.01, 100.0))
    def test_a_loss_keeps_its_units(self, factor: float) -> None:
        rng = np.random.default_rng(1)
        losses = rng.gamma(2.0, size=(40, 15))
        losses[rng.random((40, 15)) < 0.632] = NAN
        plain, scaled = out_of_bag(losses), out_of_bag(factor * losses)
        assert plain.measure == "mean_loss"
        assert agree(scaled.value, factor * (plain.value or 0.0))
        assert agree(limits(scaled), [factor * end for end in limits(plain)])

    def test_no_error_at_all_still_has_a_width(self) -> None:
        estimate = out_of_bag(np.zeros(50))
        assert limits(estimate)[0] == 0.0
        assert 0.05 < limits(estimate)[1] < 0.1
        assert codes(estimate) == {"oob-pessimistic", "zero-variance"}

    def test_equal_losses_that_are_no_rate_have_no_interval(self) -> None:
        estimate = out_of_bag(np.full(20, 2.5))
        assert (estimate.value, estimate.interval, estimate.standard_error) == (2.5, None, None)

    def test_items_never_left_out_are_named(self) -> None:
        estimate = out_of_bag([[1.0, NAN, 0.0, NAN], [0.0, 1.0, NAN, NAN]])
        assert agree(estimate.value, 0.5)
        assert "never-out-of-bag" in codes(estimate)
        assert estimate.n == 4

    def test_in_bag_losses_that_were_left_in_are_refused(self) -> None:
        with pytest.raises(EvidenceError, match="must be NaN"):
            out_of_bag(np.zeros((5, 10)))

    @pytest.mark.parametrize(
        ("losses", "message"),
        [
            ("nonsense", "there is no file nonsense"),
            (np.zeros((2, 2, 2)), "shape"),
            ([0.0, float("inf")], "finite"),
            ([], "shape"),
            ([[NAN, NAN], [NAN, 1.0]], "fewer than two items"),
        ],
    )
    def test_errors(self, losses: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            out_of_bag(losses)


class TestBootstrap632:
    def test_one_nearest_neighbour_on_noise(self) -> None:
        run = noise_run()
        estimate = bootstrap_632(run.fitted, run.out_of_bag)
        assert details(estimate)["resubstitution"] == 0.0
        assert agree(estimate.value, 0.632 * details(estimate)["out_of_bag"])
        assert 0.28 < (estimate.value or 0.0) < 0.36  # far below the 0.5 that is true

    def test_one_loss_per_item_holds_the_training_fixed(self) -> None:
        estimate = bootstrap_632([0.0, 0.0, 1.0, 0.0], [0.5, 0.0, 1.0, 0.25])
        assert agree(estimate.value, 0.368 * 0.25 + 0.632 * 0.4375)
        assert codes(estimate) == {"training-held-fixed"}

    def test_a_matrix_allows_for_training(self) -> None:
        rng = np.random.default_rng(2)
        fitted, losses, *_ = centroid_run(rng, 40, 20, 1.0, 200)
        whole = bootstrap_632(fitted, losses)
        items = bootstrap_632(fitted, np.nanmean(losses, axis=0))
        assert agree(whole.value, items.value or 0.0)
        assert codes(whole) == set()
        assert whole.standard_error is not None
        assert items.standard_error is not None
        assert whole.standard_error > 1.2 * items.standard_error
        assert agree(details(whole)["items_error"], items.standard_error)

    def test_a_matrix_the_wrong_way_round(self) -> None:
        losses = np.array([[0.0, NAN, 1.0], [NAN, 1.0, 0.0]])
        with pytest.raises(EvidenceError, match="rows are samples"):
            bootstrap_632([0.0, 0.0, 1.0], losses.T)


class TestBootstrap632Plus:
    def test_one_nearest_neighbour_on_noise(self) -> None:
        run = noise_run()
        estimate = bootstrap_632_plus(run.fitted, run.out_of_bag, run.no_information)
        assert 0.42 < (estimate.value or 0.0) < 0.58
        assert details(estimate)["overfitting"] > 0.9
        assert 0.0 <= limits(estimate)[0] < 0.5 < limits(estimate)[1] <= 1.0

    def test_by_hand(self) -> None:
        """err = 0.1, Err1 = 0.3, gamma = 0.5: R = 0.5, w = 0.632/0.816."""
        estimate = bootstrap_632_plus(np.repeat([1.0, 0.0], [1, 9]), np.full(10, 0.3), 0.5)
        weight = 0.632 / (1 - 0.368 * 0.5)
        assert agree(estimate.value, (1 - weight) * 0.1 + weight * 0.3)
        assert agree(details(estimate)["overfitting"], 0.5)

    def test_an_error_above_the_no_information_rate(self) -> None:
        """Efron and Tibshirani's eq. 32 with Err1' = gamma and R' = 1."""
        estimate = bootstrap_632_plus(np.zeros(10), np.full(10, 0.6), 0.5)
        assert agree(estimate.value, 0.632 * 0.6 + 0.368 * 0.5)

    @pytest.mark.parametrize(("outside", "gamma"), [(0.1, 0.5), (0.4, 0.1)])
    def test_no_overfitting_gives_the_plain_estimate(self, outside: float, gamma: float) -> None:
        fitted = np.repeat([1.0, 0.0], [2, 8])
        estimate = bootstrap_632_plus(fitted, np.full(10, outside), gamma)
        assert details(estimate)["overfitting"] == 0.0
        assert agree(estimate.value, 0.368 * 0.2 + 0.632 * outside)

    @given(st.integers(0, 10), SHARES, SHARES)
    def test_lies_between_its_two_errors(self, wrong: int, outside: float, gamma: float) -> None:
        fitted = np.repeat([1.0, 0.0], [wrong, 10 - wrong])
        estimate = bootstrap_632_plus(fitted, np.full(10, outside), gamma)
        ends = sorted([wrong / 10, outside])
        assert estimate.value is not None
        assert ends[0] - 1e-12 <= estimate.value <= ends[1] + 1e-12
        assert 0.0 <= details(estimate)["overfitting"] <= 1.0

    @pytest.mark.parametrize("gamma", [NAN, None, "half", float("inf")])
    def test_a_rate_that_is_none(self, gamma: Any) -> None:
        with pytest.raises(UsageError, match="no_information_rate"):
            bootstrap_632_plus([0.0, 1.0], [0.5, 0.5], gamma)


class TestCoverage:
    def test_of_the_error_of_the_fitted_model(self) -> None:
        """Nearest centroid, 40 items in 10 dimensions."""
        rng = np.random.default_rng(11)
        covered, bias = [], []
        for _ in range(250):
            fitted, losses, rate, truth, _ = centroid_run(rng, 40, 10, 1.5, 100)
            estimates = (
                out_of_bag(losses),
                bootstrap_632(fitted, losses),
                bootstrap_632_plus(fitted, losses, rate),
            )
            covered.append([limits(one)[0] <= truth <= limits(one)[1] for one in estimates])
            bias.append([(one.value or 0.0) - truth for one in estimates])
        assert (np.mean(covered, axis=0) > 0.93).all()
        pessimistic, plain, plus = np.mean(bias, axis=0)
        assert pessimistic > 0.015  # what the note `oob-pessimistic` says
        assert plain < plus
        assert abs(plus) < 0.015

    @pytest.mark.slow
    @pytest.mark.parametrize(
        ("n", "p", "apart"),
        [(40, 2, 1.5), (100, 5, 1.5), (100, 20, 2.5), (100, 50, 1.0), (100, 5, 4.0)],
    )
    def test_over_worlds(self, n: int, p: int, apart: float) -> None:
        rng = np.random.default_rng(12)
        covered = []
        for _ in range(500):
            fitted, losses, rate, truth, _ = centroid_run(rng, n, p, apart, 200)
            low, high = limits(bootstrap_632_plus(fitted, losses, rate))
            covered.append(low <= truth <= high)
        assert 0.93 <= np.mean(covered) <= 0.995


class TestLossEstimate:
    @staticmethod
    def ends(
        value: float, error: float, side: str = "two-sided", *, rate: bool, positive: bool = False
    ) -> tuple[float, float]:
        asked = MethodQuestion.of("cv_bayle", level=0.95, alternative=side)
        return limits(loss_estimate(asked, value, error, 50, rate=rate, positive=positive))

    def test_one_sided(self) -> None:
        lower = self.ends(0.2, 0.05, "greater", rate=False)
        assert agree(lower, [0.2 - 1.6448536269514722 * 0.05, "Infinity"])
        low, high = self.ends(0.2, 0.05, "less", rate=True)
        assert low == 0.0
        assert 0.2 + 1.645 * 0.05 < high < 0.32

    def test_is_cut_at_zero(self) -> None:
        assert self.ends(0.1, 0.1, rate=False, positive=True)[0] == 0.0
