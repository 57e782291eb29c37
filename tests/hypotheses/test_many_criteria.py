"""Several criteria: published T², reference values, equivalences, corrections and refusals."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.wire import from_json, to_json
from assay.hypotheses.anova import oneway_anova
from assay.hypotheses.many_criteria import (
    hotelling_one_sample,
    hotelling_paired,
    hotelling_two_sample,
    manova,
)
from assay.hypotheses.resampled_scores import corrected_resampled_t, fold_t
from tests.support import agree

Floats = NDArray[np.float64]
TABLES = arrays(np.float64, (8, 2), elements=st.integers(-50, 50).map(lambda x: x / 100))

SWEAT = np.array(
    [
        [3.7, 48.5, 9.3], [5.7, 65.1, 8.0], [3.8, 47.2, 10.9], [3.2, 53.2, 12.0],
        [3.1, 55.5, 9.7], [4.6, 36.1, 7.9], [2.4, 24.8, 14.0], [7.2, 33.1, 7.6],
        [6.7, 47.4, 8.5], [5.4, 54.1, 11.3], [3.9, 36.9, 12.7], [4.5, 58.8, 12.3],
        [3.5, 27.8, 9.8], [4.5, 40.2, 8.4], [1.5, 13.5, 10.1], [8.5, 56.4, 7.1],
        [4.5, 71.6, 8.2], [6.5, 52.8, 10.9], [4.1, 44.1, 11.2], [5.5, 40.9, 9.4],
    ]
)  # fmt: skip
"""Johnson and Wichern, Applied Multivariate Statistical Analysis, table 5.1."""


def codes(result: Any) -> set[str]:
    return {note.code for note in result.notes}


class TestHotellingOneSample:
    def test_sweat(self) -> None:
        """Example 5.2: T² = 9.74 against the critical 8.18 at 10 %."""
        outcome = hotelling_one_sample(SWEAT, null=[4.0, 50.0, 10.0], level=0.9)
        assert outcome.statistic == pytest.approx(9.74, abs=0.005)
        assert outcome.rejects(0.1)
        assert not outcome.rejects(0.05)
        named = dict(
            zip(("rate", "sodium", "potassium"), np.transpose(SWEAT).tolist(), strict=True)
        )
        assert hotelling_one_sample(named, null=[4.0, 50.0, 10.0], level=0.9) == outcome
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.low > 0.0

    def test_one_criterion_is_the_t_test(self) -> None:
        scores = SWEAT[:, 0]
        outcome, t = hotelling_one_sample(scores[:, None], null=4.0), fold_t(scores, null=4.0)
        assert t.statistic is not None
        assert agree(outcome.statistic, t.statistic**2)
        assert agree(outcome.p_value, t.p_value)

    def test_more_criteria_than_units(self) -> None:
        with pytest.raises(NotApplicable, match="Use more units or fewer criteria"):
            hotelling_one_sample(SWEAT[:3])

    def test_levels_do_not_fit(self) -> None:
        with pytest.raises(EvidenceError, match="3 are needed, 2 came"):
            hotelling_one_sample(SWEAT, null=[4.0, 50.0])


class TestHotellingPaired:
    @given(TABLES, st.floats(0.5, 0.999))
    def test_the_interval_decides(self, differences: Floats, level: float) -> None:
        try:
            outcome = hotelling_paired(differences, level=level)
        except NotApplicable:
            return
        assert outcome.p_value is not None
        assert outcome.effect.interval is not None
        if abs(outcome.p_value - (1 - level)) > 1e-9:
            assert outcome.rejects(1 - level) != outcome.effect.interval.contains(0.0)

    @given(TABLES)
    def test_units_and_scales_do_not_matter(self, differences: Floats) -> None:
        try:
            outcome = hotelling_paired(differences)
        except NotApplicable:
            return
        mixed = differences[::-1] @ np.array([[1000.0, 1.0], [0.0, 2.0]])
        assert agree(hotelling_paired(mixed).p_value, outcome.p_value, 1e-6)

    def test_simultaneous_intervals_of_the_criteria(self) -> None:
        """Johnson and Wichern, (5-24): mean ± sqrt(p (n-1) / (n-p) F(p, n-p)) s / sqrt(n)."""
        stats = pytest.importorskip("scipy.stats")
        details = dict(hotelling_paired(SWEAT, level=0.9).details)
        reach = np.sqrt(3 * 19 / 17 * stats.f.ppf(0.9, 3, 17) * SWEAT[:, 1].var(ddof=1) / 20)
        assert agree(details["difference_2"], SWEAT[:, 1].mean())
        assert agree(details["low_2"], SWEAT[:, 1].mean() - reach)
        assert agree(details["high_2"], SWEAT[:, 1].mean() + reach)

    def test_over_folds_with_the_correction(self) -> None:
        """With one criterion it is the corrected resampled t."""
        a, b = SWEAT[:, 0], SWEAT[:, 2]
        outcome = hotelling_paired(a[:, None], b[:, None], folds=10)
        t = corrected_resampled_t(a, b, folds=10)
        assert t.statistic is not None
        assert agree(outcome.statistic, t.statistic**2)
        assert agree(outcome.p_value, t.p_value)
        assert codes(outcome) == {"heuristic-level"}

    def test_over_folds_without_the_correction(self) -> None:
        assert codes(hotelling_paired(SWEAT)) == {"folds-overlap"}
        assert codes(hotelling_paired(SWEAT, unit="item")) == set()

    def test_coverage_of_the_distance(self) -> None:
        """Differences (0.5, 0.5) with unit spread and no correlation: D² = 0.5."""
        rng = np.random.default_rng(4)
        covered = np.zeros(2)
        for _ in range(1000):
            outcome = hotelling_paired(rng.normal(0.5, 1.0, (15, 2)), level=0.9)
            assert outcome.effect.interval is not None
            upper: Any = dict(outcome.details)["mahalanobis_squared_upper"]
            covered += [outcome.effect.interval.low <= 0.5, upper >= 0.5]
        assert covered / 1000 == pytest.approx(0.9, abs=0.03)

    def test_json_round_trip(self) -> None:
        outcome = hotelling_paired(SWEAT)
        assert from_json(to_json(outcome)) == outcome

    def test_accuracy_and_error_together(self) -> None:
        accuracy = np.array([0.7, 0.8, 0.75, 0.9, 0.85])
        both = np.column_stack([accuracy, 1 - accuracy])
        with pytest.raises(NotApplicable, match=r"a linear combination .* drop it"):
            hotelling_paired(both, np.full((5, 2), 0.5))

    def test_a_criterion_that_does_not_vary(self) -> None:
        both = np.column_stack([[0.7, 0.8, 0.75, 0.9], [0.3 - 0.2, 0.1, 0.1, 0.1]])
        with pytest.raises(NotApplicable, match="criterion 2 does not vary"):
            hotelling_paired(both)

    def test_shapes_differ(self) -> None:
        with pytest.raises(EvidenceError, match=r"\(20, 3\) and \(19, 3\).*hotelling_two_sample"):
            hotelling_paired(SWEAT, SWEAT[1:])


class TestHotellingTwoSample:
    def test_is_manova_of_two_groups(self) -> None:
        a, b = SWEAT[:9], SWEAT[9:]
        two, many = hotelling_two_sample(a, b), manova([a, b])
        assert agree(two.p_value, many.p_value)
        assert dict(two.details)["df2"] == dict(many.details)["pillai_df2"]

    def test_says_what_it_ignores(self) -> None:
        assert codes(hotelling_two_sample(SWEAT, SWEAT + 1)) == {"ignores-blocks", "folds-overlap"}
        assert codes(hotelling_two_sample(SWEAT, SWEAT + 1, unit="seed")) == set()

    def test_criteria_differ(self) -> None:
        with pytest.raises(EvidenceError, match="got 3 and 2 columns"):
            hotelling_two_sample(SWEAT, SWEAT[:, :2])

    def test_too_few(self) -> None:
        with pytest.raises(
            NotApplicable, match="4 units are too few to estimate the covariance of 3 criteria"
        ):
            hotelling_two_sample(SWEAT[:2], SWEAT[2:4])


class TestManova:
    def test_one_criterion_is_one_way_anova(self) -> None:
        parts = [SWEAT[:6, :1], SWEAT[6:13, :1], SWEAT[13:, :1]]
        outcome, plain = manova(parts), oneway_anova([part[:, 0] for part in parts])
        for name in ("pillai", "wilks", "hotelling_lawley", "roy"):
            assert agree(dict(outcome.details)[f"{name}_p"], plain.p_value)
        assert agree(outcome.effect.value, plain.effect.value)
        assert outcome.effect.interval == plain.effect.interval

    @given(arrays(np.float64, (3, 6, 2), elements=st.integers(-50, 50).map(lambda x: x / 100)))
    def test_the_interval_decides(self, groups: Floats) -> None:
        try:
            outcome = manova(list(groups))
        except NotApplicable:
            return
        assert outcome.effect.interval is not None
        assert outcome.rejects(0.05) != outcome.effect.interval.contains(0.0)

    def test_variants_say_that_they_differ(self) -> None:
        parts = {"a": SWEAT[:6], "b": SWEAT[6:13], "c": SWEAT[13:]}
        assert codes(manova(parts, unit="seed")) == set()
        assert codes(manova(parts, unit="seed", variant="wilks")) == {"variant-differs"}
        assert codes(manova(parts, unit="seed", variant="roy")) == {"variant-differs", "roy-bound"}

    def test_shared_folds(self) -> None:
        assert codes(manova([SWEAT[:10], SWEAT[10:]])) == {"ignores-blocks", "folds-overlap"}

    def test_too_few_units_for_one_approximation(self) -> None:
        parts = [SWEAT[:2], SWEAT[2:4], SWEAT[4:6], SWEAT[6:7]]
        assert manova(parts).p_value is not None
        assert "mckeon" not in dict(manova(parts).details)
        with pytest.raises(NotApplicable, match="too few for the F of hotelling-lawley"):
            manova(parts, variant="hotelling-lawley")

    @pytest.mark.parametrize(
        ("groups", "message"),
        [
            ([SWEAT], "two groups or more; got 1"),
            ([SWEAT, SWEAT[:, :2]], "they have 3, 2 columns"),
            ([SWEAT[:2], SWEAT[2:4]], "too few to estimate the covariance"),
            ("nonsense", "there is no file nonsense"),
        ],
    )
    def test_errors(self, groups: Any, message: str) -> None:
        with pytest.raises(EvidenceError, match=message):
            manova(groups)

    def test_unknown_variant(self) -> None:
        with pytest.raises(UsageError, match="variant is one of pillai"):
            manova([SWEAT[:10], SWEAT[10:]], variant="lambda")  # type: ignore[arg-type]


class TestScale:
    """One criterion in other units, or one wild value, must not cost the answer its digits."""

    @pytest.mark.parametrize("factor", [1e-8, 1e8])
    def test_units_do_not_matter(self, factor: float) -> None:
        rng = np.random.default_rng(3)
        a, b = rng.normal(size=(12, 3)), rng.normal(0.4, 1, size=(12, 3))
        units = np.array([1.0, factor, 1.0])
        for method in (hotelling_paired, hotelling_two_sample):
            expected = method(a, b).statistic
            assert method(a * units, b * units).statistic == pytest.approx(expected, rel=1e-9)
        found, expected = manova([a * units, b * units]).p_value, manova([a, b]).p_value
        assert found == pytest.approx(expected, rel=1e-9)

    def test_one_wild_unit(self) -> None:
        rng = np.random.default_rng(4)
        table = rng.normal(size=(10, 3))
        table[-1] = [1.7e9, 0.7e9, 4.6e9]
        found = hotelling_one_sample(table).p_value
        assert found is None or 0.0 <= found <= 1.0
        groups = [table[:5, :2], table[5:, :2]]
        answer = manova(groups).p_value
        assert answer is None or 0.0 <= answer <= 1.0
