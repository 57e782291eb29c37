"""What sways a judge."""

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError

statsmodels = pytest.importorskip("statsmodels.api")


class TestJudgeBias:
    def test_it_is_hc3_of_statsmodels(self) -> None:
        rng = np.random.default_rng(2)
        length = rng.integers(20, 900, 80).astype(float)
        errors = 0.001 * length + rng.standard_normal(80) * (1 + length / 900)
        fit = statsmodels.OLS(errors, statsmodels.add_constant(length)).fit(
            cov_type="HC3", use_t=True
        )
        found = assay.judge_bias(errors, length)
        assert found.effect.value == pytest.approx(fit.params[1])
        assert found.effect.standard_error == pytest.approx(fit.bse[1])
        assert found.p_value == pytest.approx(fit.pvalues[1])
        assert found.effect.interval is not None
        ends = found.effect.interval.low, found.effect.interval.high
        assert ends == pytest.approx(fit.conf_int()[1])

    def test_errors_on_a_line_have_no_p_value(self) -> None:
        length = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
        found = assay.judge_bias(0.5 * length + 1.0, length)
        assert found.effect.value == pytest.approx(0.5)
        assert (found.p_value, found.effect.interval) == (None, None)
        assert [one.code for one in found.notes] == ["zero-variance"]

    def test_a_constant_covariate_is_refused(self) -> None:
        with pytest.raises(EvidenceError, match="same on all items"):
            assay.judge_bias([0.0, 1.0, 0.0, 1.0], [3.0, 3.0, 3.0, 3.0])
