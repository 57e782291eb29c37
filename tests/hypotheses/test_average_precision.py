"""Two average precisions on the same items."""

from typing import Any

import numpy as np
import pytest
from scipy.stats import t as student

import assay
from assay.core.errors import EvidenceError
from assay.estimates.misplaced_items import misplaced_reaches
from assay.hypotheses.average_precision import average_precision_test
from assay.kernels.special import stdtrit
from assay.kernels.unseen_values import allowed
from tests.hypotheses.laws import codes, facts, limits, obeys_laws


def scored(seed: int, n: int = 60) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    a = rng.normal(size=n) + 1.5 * truth
    return truth, a, a + rng.normal(size=n)


class TestAveragePrecisionTest:
    @pytest.mark.parametrize("seed", range(3))
    def test_laws(self, seed: int) -> None:
        truth, a, b = scored(seed)
        obeys_laws(average_precision_test, (truth, a, b), (truth, b, a), {})

    def test_p_is_that_of_t(self) -> None:
        outcome = average_precision_test(*scored(3))
        found = facts(outcome)
        assert found["t"] == pytest.approx(
            (found["ap_a"] - found["ap_b"]) / np.sqrt(found["var_diff"])
        )
        assert outcome.p_value == pytest.approx(2 * student.sf(abs(found["t"]), found["df"]))
        assert found["df"] <= 0.8 * 58

    def test_near_the_paired_bootstrap_with_many_items(self) -> None:
        truth, a, b = scored(4, 3_000)
        outcome = average_precision_test(truth, a, b)
        columns = {"truth": truth.astype(int), "a:score": a, "b:score": b}
        other = assay.paired_bootstrap(
            columns, measure="average_precision", n_resamples=1999, rng=1
        )
        assert limits(outcome.effect.interval) == pytest.approx(
            limits(other.effect.interval), abs=0.008
        )

    def test_equal_rankings(self) -> None:
        truth, a, _ = scored(5)
        outcome = average_precision_test(truth, a, np.exp(a))
        assert outcome.p_value == 1.0
        assert {"no-disagreement", "zero-variance"} <= codes(outcome)

    def test_one_positive_says_little(self) -> None:
        outcome = average_precision_test([1, 0, 0, 0], [4, 3, 2, 1], [1, 2, 3, 4])
        assert outcome.effect.value == pytest.approx(0.75)
        assert (outcome.p_value or 0.0) > 0.3
        low, high = limits(outcome.effect.interval)
        assert low < 0.0 < high

    def test_few_items_of_a_class_are_noted(self) -> None:
        truth, a, b = scored(6, 400)
        assert codes(average_precision_test(np.arange(400) < 59, a, b)) == {"small-counts"}
        assert codes(average_precision_test(truth, a, b)) == set()

    def test_one_class(self) -> None:
        outcome = average_precision_test([0, 0, 0], [1, 2, 3], [3, 2, 1])
        assert (outcome.p_value, codes(outcome)) == (None, {"one-class"})

    def test_one_model(self) -> None:
        with pytest.raises(EvidenceError, match="give truth, scores_a, scores_b"):
            average_precision_test([0, 1], [1.0, 2.0])

    def test_compare_decides_by_it(self) -> None:
        truth, a, b = scored(7, 200)
        columns = {"truth": truth.astype(int), "a:score": a, "b:score": b}
        result = assay.compare(columns, measure="average_precision", n_resamples=199, rng=1)
        assert result.choice.method == "average_precision_test"


class TestNearlyPerfect:
    """Near 1 few items tell two models apart, and often none of them is in the sample."""

    truth = np.arange(200) % 2
    a = np.where(truth == 1, 2.0, 1.0) + np.linspace(0.0, 0.5, 200)
    b = a.copy()
    b[0] = 2.05  # one negative above a few positives

    def test_items_that_were_not_drawn_are_allowed_for(self) -> None:
        found = average_precision_test(self.truth, self.a, self.b)
        interval = found.effect.interval
        assert interval is not None
        value, error = found.effect.value, found.effect.standard_error
        assert value is not None
        assert error is not None
        missing = allowed(0.05, "two-sided")
        df = float(dict(found.details)["df"])  # type: ignore[arg-type]
        below, above = misplaced_reaches(missing, value, error, (100, 100), df)
        assert interval.high == pytest.approx(value + float(above) * error)
        assert interval.low == pytest.approx(value - float(below) * error)
        assert interval.high - interval.low > 1.2 * 2.0 * float(-stdtrit(df, 0.025)) * error

    @pytest.mark.parametrize("moved", [1, 3, 8, 20])
    @pytest.mark.parametrize("alternative", ["two-sided", "greater"])
    def test_p_values_invert_the_interval(self, moved: int, alternative: Any) -> None:
        b = self.a.copy()
        b[: 2 * moved : 2] += 1.2
        for level in (0.8, 0.95, 0.99, 0.999):
            found = average_precision_test(
                self.truth, self.a, b, level=level, alternative=alternative
            )
            interval = found.effect.interval
            assert interval is not None
            assert ((found.p_value or 0.0) <= 1.0 - level) != interval.contains(0.0)
