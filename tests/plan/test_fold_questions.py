"""Power of two algorithms over folds of one data set."""

import math
from itertools import product

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import UsageError
from assay.core.fold_budgets import PRICES
from assay.core.formatting import say_power
from assay.plan.fold_questions import FITS
from assay.plan.power_means import resampled_t_limit


def scores(folds: int, repeats: int, seed: int = 3) -> dict[str, list[object]]:
    """Scores of two models by repeat and fold, as columns."""
    places = list(product(("a", "b"), range(repeats), range(folds)))
    values = 0.8 + 0.03 * np.random.default_rng(seed).standard_normal(len(places))
    models, turns, parts = (list(column) for column in zip(*places, strict=True))
    return {"model": models, "repeat": turns, "fold": parts, "score": values.tolist()}


class TestAlgorithms:
    def test_power_of_every_number_of_fits_by_difference_alone(self) -> None:
        found = assay.plan("accuracy", algorithms=True, sd=0.03, difference=0.05)
        (_, fits), (_, powers) = found.curve.columns
        assert fits == FITS
        assert (found.n, found.method, found.unit) == (50, "cautious_resampled_t", "fold")
        assert powers[2] == pytest.approx(found.power)
        assert list(powers) == sorted(powers)
        text = str(found)
        assert "fits per model" in text
        for (
            price
        ) in PRICES:  # what to run, the power in the sentence's digits, the level that was counted
            assert f"{price.repeats} × {price.folds} folds" in text
            runs = f"worst of {price.cells} settings with {price.samples:,} runs"
            assert f"{100 * price.worst:.1f}% ({runs})" in text
        assert text.count(say_power(found.power)) == 2
        assert "500" in text
        assert "both algorithms clearly beat a constant answer" in found.assumptions

    @pytest.mark.parametrize("correlation", [0.0, 0.2, 0.4])
    @pytest.mark.parametrize("fits", [10, 50])
    def test_equally_correlated_normal_folds_reject_as_often(
        self, correlation: float, fits: int
    ) -> None:
        """Against draws of the very model: sd is the spread that folds show, within a sample."""
        rng = np.random.default_rng(8)
        draws, difference = 20_000, 1.2
        common = math.sqrt(correlation / (1.0 - correlation)) * rng.standard_normal((draws, 1))
        values = difference + common + rng.standard_normal((draws, fits))
        error = values.std(axis=1, ddof=1) * math.sqrt(1.0 / fits + 2.0 / 4.0)
        rejected = np.abs(values.mean(axis=1) / error) > stats.t.ppf(0.975, fits - 1)
        found = assay.plan(
            algorithms=True, sd=1.0, difference=difference, n=fits, correlation=correlation
        )
        assert found.power == pytest.approx(rejected.mean(), abs=4.0 * 0.5 / math.sqrt(draws))

    def test_power_as_r_has_it(self) -> None:
        """Both tails of pt(±qt(.975, 49) w, 49, ncp) in R 4, w² = 0.52/0.27, ncp = (5/3)/sqrt(0.27)."""
        found = assay.plan(algorithms=True, sd=0.03, difference=0.05)
        assert found.power == pytest.approx(0.661657392494, rel=1e-9)

    def test_power_alone_finds_the_difference_at_fifty_fits(self) -> None:
        found = assay.plan(algorithms=True, sd=0.03, power=0.8)
        assert found.n == 50
        again = assay.plan(algorithms=True, sd=0.03, difference=found.difference)
        assert again.power == pytest.approx(0.8, abs=1e-6)

    def test_a_limit_that_no_number_of_fits_exceeds(self) -> None:
        found = assay.plan(algorithms=True, sd=0.03, difference=0.04, power=0.8)
        assert found.n is None
        (note,) = [one for one in found.notes if one.code == "folds-limit"]
        limit = resampled_t_limit(4 / 3, 0.5, 0.25, 0.05, "two-sided")
        assert f"below {limit:.3g}" in note.message
        many = assay.plan(algorithms=True, sd=0.03, difference=0.04, n=1_000_000)
        assert many.power == pytest.approx(limit, abs=1e-4)

    def test_a_pilot_of_other_folds_is_rescaled_by_the_root_of_its_test_items(self) -> None:
        pilot = scores(10, 1)
        found = assay.plan(pilot=pilot, algorithms=True, difference=0.03)
        table = np.array(pilot["score"], dtype=float).reshape(2, 10)
        sd = float((table[0] - table[1]).std(ddof=1)) * math.sqrt(0.5)
        assert dict(found.details)["sd"] == pytest.approx(sd)

    def test_refusals_say_what_to_give(self) -> None:
        truth = [0, 1] * 20
        pilot = {"truth": truth, "a": truth, "b": truth[::-1]}
        with pytest.raises(UsageError, match="scores of the models by fold"):
            assay.plan(pilot=pilot, algorithms=True, difference=0.1)
        with pytest.raises(UsageError, match="leave out unit='dataset'"):
            assay.plan(algorithms=True, unit="dataset", sd=0.1, difference=0.1)
        with pytest.raises(UsageError, match="correlate by 0 or more"):
            assay.plan(algorithms=True, sd=0.1, difference=0.1, correlation=-0.2)
        with pytest.raises(UsageError, match="sd is not known"):
            assay.plan(algorithms=True, difference=0.1)


class TestTheTestOfCompare:
    """A plan is for the test that compare will take."""

    def test_repeats_of_five_folds(self) -> None:
        pilot = scores(5, 4)
        planned = assay.plan(pilot=pilot, difference=0.03, n=20)
        assert planned.method == assay.compare(pilot).choice.method == "cautious_resampled_t"

    def test_one_run_of_five_and_ten_folds(self) -> None:
        for pilot in (scores(5, 1), scores(10, 1), scores(10, 3)):
            planned = assay.plan(pilot=pilot, difference=0.03, power=0.5)
            assert planned.method == assay.compare(pilot).choice.method == "corrected_resampled_t"

    def test_other_splits_say_what_to_run_instead(self) -> None:
        for how in ({"folds": 10}, {"test_share": 0.1}):
            found = assay.plan(unit="fold", sd=0.02, difference=0.03, n=10, **how)
            assert "unheld-folds" in [one.code for one in found.notes]
        held = assay.plan(unit="fold", sd=0.02, difference=0.03, n=10, folds=5)
        assert "unheld-folds" not in [one.code for one in held.notes]
