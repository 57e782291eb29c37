"""McNemar's test and its variants."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, chi2

from assay.core.errors import EvidenceError, UsageError
from assay.hypotheses.paired_outcomes import VARIANTS, mcnemar, p_value_of
from tests.hypotheses.laws import codes, facts, limits, obeys_laws, rejection_rate


class TestMcnemar:
    def test_agresti_approval_ratings(self) -> None:
        # Agresti, Categorical Data Analysis, table 10.1: z² = 17.36 with (86 - 150)²/(86 + 150)
        outcome = mcnemar(794, 150, 86, 570)
        assert facts(outcome)["chi2"] == pytest.approx(17.3559, abs=1e-4)
        assert outcome.effect.value == pytest.approx(64 / 1600)

    def test_all_small_tables_against_the_exact_binomial(self) -> None:
        for only_a in range(31):
            for only_b in range(31):
                outcome = mcnemar(5, only_a, only_b, 5, variant="exact")
                discordant = only_a + only_b
                expected = binomtest(only_a, discordant).pvalue if discordant else 1.0
                assert outcome.p_value == pytest.approx(expected, rel=1e-12)

    @settings(deadline=None, max_examples=50)
    @given(st.tuples(*[st.integers(0, 25)] * 4).filter(lambda cells: sum(cells) > 0))
    def test_laws_of_the_default(self, cells: tuple[int, ...]) -> None:
        both, only_a, only_b, neither = cells
        obeys_laws(mcnemar, cells, (both, only_b, only_a, neither), {})

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_variants_mirror_and_say_that_they_differ(self, variant: Any) -> None:
        for side, other in (("two-sided", "two-sided"), ("greater", "less")):
            one = mcnemar(40, 12, 5, 3, variant=variant, alternative=side)
            two = mcnemar(40, 5, 12, 3, variant=variant, alternative=other)
            assert one.p_value == pytest.approx(two.p_value, rel=1e-12)
            assert one.statistic == pytest.approx(-(two.statistic or math.nan))
        assert ("variant-differs" in codes(one)) == (variant != "score")

    def test_one_sided_exact(self) -> None:
        outcome = mcnemar(40, 12, 5, 3, variant="exact", alternative="greater")
        assert outcome.p_value == pytest.approx(binomtest(12, 17, alternative="greater").pvalue)

    def test_one_sided_mid_p_keeps_its_digits(self) -> None:
        outcome = mcnemar(0, 120, 0, 0, variant="mid-p", alternative="greater")
        assert outcome.p_value == pytest.approx(0.5 * 2.0**-120, rel=1e-12)

    def test_correction_never_exceeds_the_difference(self) -> None:
        for only_a, only_b in ((1, 1), (7, 8), (0, 1), (100, 100)):
            outcome = mcnemar(10, only_a, only_b, 10, variant="continuity")
            assert outcome.p_value == 1.0

    @pytest.mark.parametrize("variant", VARIANTS)
    def test_identical_models(self, variant: Any) -> None:
        outcome = mcnemar(70, 0, 0, 30, variant=variant)
        assert outcome.p_value == 1.0
        assert outcome.effect.value == 0.0
        z2 = 1.959963984540054**2
        assert limits(outcome.effect.interval) == pytest.approx([-z2 / (100 + z2), z2 / (100 + z2)])
        assert codes(outcome) == {"no-disagreement"}
        assert facts(outcome)["chi2"] is None

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(1)

        def draw() -> tuple[int, ...]:
            only_a, only_b, _ = rng.multinomial(200, [0.14, 0.14, 0.72]).tolist()
            return 100, only_a, only_b, 100  # the test looks at no other cells

        assert 0.044 <= rejection_rate(mcnemar, draw, 5000) <= 0.056

    def test_arrays_of_right_and_wrong(self) -> None:
        a, b = [1, 1, 0, 1, 0, 1], [1, 0, 0, 0, 1, 1]
        assert mcnemar(a, b).p_value == mcnemar(2, 2, 1, 1).p_value

    def test_evidence_of_predictions(self) -> None:
        evidence = {"truth": [0, 1, 1, 0, 1], "a": [0, 1, 1, 0, 0], "b": [1, 1, 0, 0, 0]}
        outcome = mcnemar(evidence)
        assert (facts(outcome)["only_a"], facts(outcome)["only_b"]) == (2, 0)

    def test_tiny_p_values_have_a_logarithm(self) -> None:
        outcome = mcnemar(0, 5000, 0, 0)
        assert outcome.p_value == 0.0
        assert facts(outcome)["log10_p"] == pytest.approx(-1087.8, abs=0.5)

    def test_errors(self) -> None:
        with pytest.raises(UsageError, match="variant is one of"):
            mcnemar(5, 3, 2, 1, variant="yates")  # type: ignore[arg-type]
        with pytest.raises(EvidenceError, match="four counts"):
            mcnemar(5, 3, 2)
        with pytest.raises(EvidenceError, match="empty"):
            mcnemar(0, 0, 0, 0)

    def test_few_disagreements_make_a_wide_interval(self) -> None:
        assert "wide-where-few-differ" in codes(mcnemar(90, 4, 3, 3))
        assert "wide-where-few-differ" not in codes(mcnemar(60, 20, 15, 5))
        assert "wide-where-few-differ" not in codes(mcnemar(90, 4, 3, 3, alternative="less"))
        assert "wide-where-few-differ" not in codes(mcnemar(0, 60, 0, 0))  # all differ
        (one,) = [n for n in mcnemar(9, 1, 0, 0).notes if n.code == "wide-where-few-differ"]
        assert "on 1 item only" in one.message


@pytest.mark.parametrize(("only_a", "only_b"), [(10, 4), (3, 12), (6, 6)])
def test_chi_square_with_corrections(only_a: int, only_b: int) -> None:
    """Edwards takes 1 from the size of the difference, also from 0; R stops at 0."""
    size, discordant = abs(only_a - only_b), only_a + only_b
    for variant, corrected in (("continuity", max(size - 1, 0)), ("edwards", size - 1)):
        found = p_value_of(only_a, only_b, variant, "two-sided")  # type: ignore[arg-type]
        assert found == pytest.approx(chi2.sf(corrected**2 / discordant, 1), rel=1e-12)
    details = facts(mcnemar(20, only_a, only_b, 30))
    assert details["R_chi2_cc"] == pytest.approx(max(size - 1, 0) ** 2 / discordant)
    assert details["chi2_cc_edwards"] == pytest.approx((size - 1) ** 2 / discordant)
