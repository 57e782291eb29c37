from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2 as chi_square
from scipy.stats import kruskal, mannwhitneyu

from assay.core.errors import EvidenceError
from assay.core.results import FamilyOutcome
from assay.hypotheses.kruskal_wallis import conover_iman, dunn, kruskal_wallis, nemenyi_kruskal
from assay.hypotheses.multiplicity import adjust

FAMILIES = (dunn, conover_iman, nemenyi_kruskal)


def column(family: FamilyOutcome, name: str) -> list[Any]:
    return [dict(outcome.details)[name] for outcome in family.outcomes]


def random_groups(seed: int) -> list[Any]:
    rng = np.random.default_rng(seed)
    return [np.round(rng.normal(shift, 1, size=n), 1) for shift, n in ((0, 8), (0.5, 11), (1.2, 7))]


class TestKruskalWallis:
    def test_all_values_alike(self) -> None:
        outcome = kruskal_wallis([[1, 1, 1], [1, 1]])
        assert outcome.p_value is None
        assert "zero-variance" in {note.code for note in outcome.notes}

    def test_two_groups_are_mann_whitney(self) -> None:
        a, b = random_groups(1)[:2]
        expected = mannwhitneyu(a, b, method="asymptotic", use_continuity=False).pvalue
        assert kruskal_wallis([a, b]).p_value == pytest.approx(expected, rel=1e-9)

    @given(seed=st.integers(0, 500), level=st.sampled_from([0.8, 0.95, 0.99]))
    @settings(max_examples=40)
    def test_the_interval_decides(self, seed: int, level: float) -> None:
        outcome = kruskal_wallis(random_groups(seed), level=level)
        interval = outcome.effect.interval
        assert interval is not None
        assert outcome.p_value is not None
        assert (outcome.p_value <= 1 - level) == (interval.low > 0.0)
        assert outcome.effect.value is not None
        assert interval.contains(outcome.effect.value)

    def test_lower_bound_inverts_the_noncentral_chi_square(self) -> None:
        from scipy.stats import ncx2

        outcome = kruskal_wallis(random_groups(3))
        interval = outcome.effect.interval
        assert interval is not None
        assert interval.low > 0.0
        assert outcome.statistic is not None
        noncentrality = interval.low * 25
        assert ncx2.sf(outcome.statistic, 2, noncentrality) == pytest.approx(0.05, rel=1e-6)
        assert chi_square.sf(outcome.statistic, 2) == pytest.approx(outcome.p_value, rel=1e-9)

    def test_blocks_are_ignored_and_said_so(self) -> None:
        groups = np.random.default_rng(0).normal(size=(3, 9))
        assert [note.code for note in kruskal_wallis(groups).notes] == ["ignores-blocks"]
        assert kruskal_wallis(groups, unit="seed").notes == ()
        assert kruskal_wallis(random_groups(2)).notes == ()

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="two groups or more"):
            kruskal_wallis([[1, 2, 3]])


class TestPairsOfGroups:
    @pytest.mark.parametrize("test", FAMILIES)
    def test_the_interval_decides(self, test: Any) -> None:
        for seed in range(10):
            for outcome in test(random_groups(seed), level=0.9).outcomes:
                rejects = outcome.p_value <= 0.1
                assert rejects == (not outcome.effect.interval.contains(0.0))

    def test_adjustment(self) -> None:
        family = dunn(random_groups(4), adjustment="bh")
        expected = adjust(column(family, "p_unadjusted"), method="bh")
        assert tuple(outcome.p_value for outcome in family.outcomes) == expected
        assert family.adjustment == "bh"

    @pytest.mark.parametrize("test", FAMILIES)
    def test_a_is_greater_gives_a_positive_effect(self, test: Any) -> None:
        family = test({"high": [7, 8, 9, 6.5], "low": [1, 2, 3.5]})
        assert family.pairs == (("high", "low"),)
        assert family.outcomes[0].effect.value > 0

    @pytest.mark.parametrize("test", [dunn, conover_iman])
    def test_all_values_alike(self, test: Any) -> None:
        family = test([[1, 1, 1], [1, 1]])
        assert family.outcomes[0].p_value is None
        assert "zero-variance" in {note.code for note in family.notes}

    def test_complete_separation_leaves_conover_no_spread(self) -> None:
        family = conover_iman([[1, 1], [2, 2], [3, 3]])
        assert [outcome.p_value for outcome in family.outcomes] == [None] * 3


def test_small_values_beside_a_large_one_have_ranks_of_their_own() -> None:
    groups = [[1e-12, 1e-13, 4e-13], [1.0, 2.0, 2e-12]]
    found = kruskal_wallis(groups)
    assert found.p_value == pytest.approx(kruskal(*groups).pvalue, rel=1e-12)
