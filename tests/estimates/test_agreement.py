"""Kappa with its asymptotic interval: R's vcd and statsmodels, published values, edges."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

import assay
from assay.core.errors import AssayError
from assay.estimates.agreement import WEIGHTS, cohens_kappa

FLEISS = [[53, 5, 2], [11, 14, 5], [1, 6, 3]]
"""Fleiss, Cohen & Everitt (1969), table 1, as percentages of 200: psychotic, neurotic, organic."""


class TestCohensKappa:
    def test_published_table(self) -> None:
        """Kappa .429 with standard error .054 in the paper (n = 200, shares of that table)."""
        found = cohens_kappa(2 * np.array(FLEISS))
        assert found.value == pytest.approx(0.429, abs=5e-4)
        assert found.standard_error == pytest.approx(0.054, abs=6e-4)

    def test_interval_of_vcd(self) -> None:
        """R: vcd::Kappa(matrix(c(8, 2, 1, 1, 9, 3, 3, 4, 11), 3)), 0.4961 with ASE 0.1100."""
        found = cohens_kappa([[8, 1, 3], [2, 9, 4], [1, 3, 11]])
        assert found.interval is not None
        assert found.value == pytest.approx(0.49614395886889456, rel=1e-12)
        reach = 1.959963984540054 * 0.11001831875054535
        assert found.interval.low == pytest.approx(0.49614395886889456 - reach, rel=1e-9)
        assert found.interval.high == pytest.approx(0.49614395886889456 + reach, rel=1e-9)

    @given(arrays(np.int64, (3, 3), elements=st.integers(1, 30)))
    def test_agrees_with_statsmodels(self, table: np.ndarray) -> None:
        from statsmodels.stats.inter_rater import cohens_kappa as other

        for weights, kind in zip(WEIGHTS, (None, "linear", "quadratic"), strict=True):
            found = cohens_kappa(table, weights=weights)
            expected = other(table, wt=kind)
            assert found.value == pytest.approx(expected.kappa, rel=1e-9, abs=1e-12)
            assert found.standard_error == pytest.approx(expected.std_kappa, rel=1e-9)

    def test_complete_agreement_has_no_interval(self) -> None:
        found = cohens_kappa([[10, 0], [0, 10]])
        assert (found.value, found.interval) == (1.0, None)
        assert [one.code for one in found.notes] == ["zero-variance"]

    def test_one_class_is_undefined(self) -> None:
        found = cohens_kappa([[10, 0], [0, 0]])
        assert found.value is None
        assert [one.code for one in found.notes] == ["undefined-value"]

    def test_an_interval_beyond_one_is_cut(self) -> None:
        found = cohens_kappa([[20, 1], [0, 20]])
        assert found.interval is not None
        assert found.interval.high == 1.0
        assert [one.code for one in found.notes] == ["interval-cut", "few-for-the-level"]

    def test_one_sided(self) -> None:
        both = cohens_kappa(FLEISS, level=0.9).interval
        upper = cohens_kappa(FLEISS, level=0.95, alternative="less").interval
        assert both is not None
        assert upper is not None
        assert upper.high == pytest.approx(both.high)

    def test_labels_and_evidence(self) -> None:
        truth, model = ["a", "b", "b", "c"] * 5, ["a", "b", "c", "c"] * 5
        expected = cohens_kappa([[5, 0, 0], [0, 5, 5], [0, 0, 5]])
        assert cohens_kappa(truth, model).value == expected.value
        assert cohens_kappa({"truth": truth, "svm": model}).interval == expected.interval

    def test_wrong_words(self) -> None:
        with pytest.raises(AssayError, match="weights is one of none, linear, quadratic"):
            cohens_kappa(FLEISS, weights="cubic")  # type: ignore[arg-type]
        with pytest.raises(AssayError, match="square"):
            cohens_kappa([[1, 2, 3], [4, 5, 6]])


class TestGwetAC1:
    def test_gwets_own_example(self) -> None:
        """Gwet (2008): 118, 5, 2, 0 of 125 subjects; kappa is below 0, AC1 is 0.94."""
        found = assay.gwet_ac1([[118, 5], [2, 0]])
        assert found.value == pytest.approx(0.9408, abs=5e-5)
        assert assay.cohens_kappa([[118, 5], [2, 0]]).value == pytest.approx(-0.0234, abs=5e-5)

    def test_the_standard_error_is_that_of_leaving_items_out(self) -> None:
        table = np.array([[40, 9, 3], [4, 30, 6], [2, 5, 25]])
        found = assay.gwet_ac1(table.tolist())
        n, left_out, times = table.sum(), [], []
        for cell in np.ndindex(3, 3):
            less = table.copy()
            less[cell] -= 1
            left_out.append(assay.gwet_ac1(less.tolist()).value)
            times.append(table[cell])
        values = np.repeat(left_out, times)
        jackknife = np.sqrt((n - 1) / n * np.sum((values - values.mean()) ** 2))
        assert found.standard_error == pytest.approx(jackknife, rel=0.02)

    def test_perfect_agreement_has_no_spread(self) -> None:
        found = assay.gwet_ac1([[30, 0], [0, 20]])
        assert (found.value, found.interval) == (1.0, None)
        assert [one.code for one in found.notes] == ["zero-variance"]
