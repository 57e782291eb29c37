"""A difference with a standard error: its normal or t posterior."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import stats

import assay
from assay.core.errors import UsageError
from assay.hypotheses.bayes_effects import bayes_normal
from tests.hypotheses.laws import limits


class TestBayesNormal:
    def test_is_the_twin_of_the_paired_t(self) -> None:
        rng = np.random.default_rng(1)
        a, b = rng.normal(0.2, 1.0, 30), rng.normal(0.0, 1.0, 30)
        outcome = assay.paired_t(a, b)
        found = bayes_normal(outcome.effect.value, outcome.effect.standard_error, df=29)
        assert min(found.p_left, found.p_right) == pytest.approx((outcome.p_value or 0.0) / 2.0)
        assert limits(found.effect.interval) == pytest.approx(limits(outcome.effect.interval))

    @pytest.mark.parametrize("df", [4.0, math.inf])
    def test_probabilities_of_the_three_parts(self, df: float) -> None:
        found = bayes_normal(0.03, 0.02, df=df, rope=0.01)
        law = stats.norm(0.03, 0.02) if math.isinf(df) else stats.t(df, 0.03, 0.02)
        assert found.p_left == pytest.approx(law.cdf(-0.01))
        assert found.p_rope == pytest.approx(law.cdf(0.01) - law.cdf(-0.01))
        assert found.p_right == pytest.approx(law.sf(0.01))

    def test_is_the_twin_of_the_delta_method(self) -> None:
        rng = np.random.default_rng(2)
        truth = rng.integers(0, 2, 80)
        models = {
            m: np.where(rng.random(80) < e, 1 - truth, truth) for m, e in (("a", 0.1), ("b", 0.3))
        }
        outcome = assay.paired_delta({"truth": truth, **models})
        facts = dict(outcome.details)
        found = bayes_normal(facts["D"], facts["standard_error"], extent=facts["R"])
        assert found.p_left == pytest.approx((outcome.p_value or 0.0) / 2.0)
        assert limits(found.effect.interval) == pytest.approx(limits(outcome.effect.interval))

    def test_stays_in_the_range(self) -> None:
        found = bayes_normal(0.9, 0.3, extent=1.0, rope=0.05)
        assert limits(found.effect.interval)[1] < 1.0
        assert found.p_left + found.p_rope + found.p_right == pytest.approx(1.0)

    def test_a_rope_as_wide_as_the_range_holds_all(self) -> None:
        assert bayes_normal(0.2, 0.1, extent=1.0, rope=1.0).p_rope == 1.0

    def test_far_tails_keep_their_digits(self) -> None:
        found = bayes_normal(5.0, 0.2, rope=0.1)
        assert 0.0 < found.p_left < found.p_rope < 1e-100

    @pytest.mark.parametrize(
        ("numbers", "options"),
        [((0.1, 0.0), {}), ((0.1, -1.0), {}), ((0.1, 0.1), {"df": 0.0}), ((math.nan, 0.1), {}),
         ((0.1, math.inf), {}), ((1.0, 0.1), {"extent": 1.0})],
    )  # fmt: skip
    def test_refuses(self, numbers: tuple[float, ...], options: dict[str, Any]) -> None:
        with pytest.raises(UsageError, match=r"above 0|is a number|inside"):
            bayes_normal(*numbers, **options)
