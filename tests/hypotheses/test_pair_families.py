"""Families of pairs: p-values and ends by SciPy and statsmodels, whoever ranks or averages the models."""

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.multitest import multipletests

from assay.core.errors import EvidenceError, NotApplicable
from assay.core.results import Estimate, FamilyOutcome, Interval, TestOutcome
from assay.hypotheses.pair_families import (
    FamilyQuestion,
    adjusted_family,
    adjusted_outcomes,
    pair_indices,
    range_family,
    undefined_family,
)

MODELS = ("a", "b", "c", "d")
MEANS = np.array([0.9, 0.4, 0.1, 0.35])
ERRORS = np.array([0.2, 0.15, 0.3, 0.25, 0.2, 0.1])
NAMES = {"holm": "holm", "bonferroni": "bonferroni", "sidak": "sidak", "hommel": "hommel",
         "hochberg": "simes-hochberg", "bh": "fdr_bh", "by": "fdr_by"}  # fmt: skip
"""Adjustments as statsmodels calls them."""


def question(level: float = 0.95) -> FamilyQuestion:
    return FamilyQuestion(
        method="friedman_posthoc",
        models=MODELS,
        measure="accuracy",
        n=12,
        unit="dataset",
        level=level,
    )


def family(adjustment: str, df: float = np.inf, level: float = 0.95) -> FamilyOutcome:
    first, second = pair_indices(MODELS, None)
    differences = MEANS[first] - MEANS[second]
    return adjusted_family(question(level), differences, ERRORS, first, second, adjustment, df=df)


class TestAdjusted:
    @pytest.mark.parametrize("df", [np.inf, 7.0])
    @pytest.mark.parametrize("adjustment", [*NAMES, "none"])
    def test_p_values_as_statsmodels(self, adjustment: str, df: float) -> None:
        found = family(adjustment, df)
        law = stats.norm if math.isinf(df) else stats.t(df)
        differences = [MEANS[i] - MEANS[j] for i in range(4) for j in range(i + 1, 4)]
        z = np.array(differences) / ERRORS
        plain = 2.0 * law.sf(np.abs(z))
        expected = plain
        if adjustment != "none":
            expected = multipletests(plain, method=NAMES[adjustment])[1]
        assert [one.effect.value for one in found.outcomes] == pytest.approx(differences)
        assert [one.statistic for one in found.outcomes] == pytest.approx(z)
        assert [one.p_value for one in found.outcomes] == pytest.approx(expected)
        for one, p in zip(found.outcomes, plain, strict=True):
            facts = dict(one.details)
            assert facts["p_unadjusted"] == pytest.approx(p)
            assert facts["log10_p_unadjusted"] == pytest.approx(math.log10(p))
            assert facts["p_adjusted"] == one.p_value
        assert found.adjustment == adjustment
        assert dict(found.details) == {"n": 12, "k": 4}
        assert found.pairs[:4] == (("a", "b"), ("a", "c"), ("a", "d"), ("b", "c"))

    @pytest.mark.parametrize("level", [0.8, 0.95])
    @pytest.mark.parametrize("adjustment", ["holm", "bonferroni", "sidak", "none"])
    def test_an_interval_excludes_zero_where_p_is_small(
        self, adjustment: str, level: float
    ) -> None:
        for one in family(adjustment, 7.0, level).outcomes:
            interval = one.effect.interval
            assert interval is not None
            assert interval.level == level
            assert (interval.low > 0.0 or interval.high < 0.0) == (
                (one.p_value or 0.0) <= 1.0 - level
            )

    @pytest.mark.parametrize("df", [np.inf, 7.0])
    def test_ends_at_bonferronis_level(self, df: float) -> None:
        law = stats.norm if math.isinf(df) else stats.t(df)
        for one, error in zip(family("bonferroni", df).outcomes, ERRORS, strict=True):
            interval, value = one.effect.interval, one.effect.value
            assert interval is not None
            reach = law.ppf(1.0 - 0.05 / 12) * error
            assert (interval.low, interval.high) == pytest.approx((value - reach, value + reach))
            assert dict(one.details)["individual_level"] == pytest.approx(1.0 - 0.05 / 6)
            assert one.effect.standard_error == error

    def test_logarithms_of_tails_below_the_smallest_number(self) -> None:
        """P(|T| > t) of t so large that only its leading term is left."""
        first, second = pair_indices(("a", "b"), None)
        asked = FamilyQuestion(
            method="friedman_posthoc",
            models=("a", "b"),
            measure="mae",
            n=6,
            unit="dataset",
            level=0.95,
        )
        for df in (3.0, 5.0):
            t = 1e100
            found = adjusted_family(
                asked, np.array([t]), np.array([1.0]), first, second, "none", df=df
            )
            scale = math.lgamma((df + 1) / 2) - math.lgamma(df / 2) - math.log(math.pi * df) / 2
            log_tail = scale + (df + 1) / 2 * math.log(df) - math.log(df) - df * math.log(t)
            told = dict(found.outcomes[0].details)["log10_p_unadjusted"]
            assert told == pytest.approx((math.log(2) + log_tail) / math.log(10), rel=1e-12)

    def test_families_of_all_pairs_only(self) -> None:
        first, second = pair_indices(MODELS, "b")
        differences = MEANS[first] - MEANS[second]
        with pytest.raises(NotApplicable, match="for all pairs"):
            adjusted_family(question(), differences, ERRORS[:3], first, second, "shaffer")


class TestPairs:
    @pytest.mark.parametrize("control", ["c", 2])
    def test_every_other_model_beside_the_control(self, control: str | int) -> None:
        first, second = pair_indices(MODELS, control)
        assert first.tolist() == [0, 1, 3]
        assert second.tolist() == [2, 2, 2]

    @pytest.mark.parametrize("control", ["e", 4, -1, True])
    def test_no_such_control(self, control: str | int) -> None:
        with pytest.raises(EvidenceError, match="no model"):
            pair_indices(MODELS, control)


class TestRange:
    @pytest.mark.parametrize("df", [9.0, np.inf])
    def test_as_scipy(self, df: float) -> None:
        found = range_family(question(0.9), MEANS, ERRORS, df=df)
        law = stats.studentized_range(4, df)
        most = law.ppf(0.9)
        for one, error in zip(found.outcomes, ERRORS, strict=True):
            value = float(one.effect.value or 0.0)
            q = math.sqrt(2.0) * abs(value) / error
            assert one.statistic == pytest.approx(q)
            assert one.p_value == pytest.approx(law.sf(q), rel=1e-6)
            interval = one.effect.interval
            assert interval is not None
            reach = most / math.sqrt(2.0) * error
            assert (interval.low, interval.high) == pytest.approx(
                (value - reach, value + reach), rel=1e-6
            )
            facts = dict(one.details)
            assert facts["log10_p"] == pytest.approx(math.log10(one.p_value or 1.0), rel=1e-9)
            assert facts["p_unadjusted"] == pytest.approx(2.0 * stats.t.sf(abs(value) / error, df))
        assert found.adjustment == "single-step"


def test_without_spread_there_are_differences_only() -> None:
    first, second = pair_indices(MODELS, None)
    found = undefined_family(question(), MEANS[first] - MEANS[second], first, second)
    assert [one.effect.value for one in found.outcomes] == pytest.approx(
        MEANS[first] - MEANS[second]
    )
    assert all(one.p_value is None and one.effect.interval is None for one in found.outcomes)
    assert {note.code for one in found.outcomes for note in one.notes} == {"zero-variance"}


P_VALUES: dict[tuple[str, str], float | None] = {
    ("a", "b"): 0.01,
    ("a", "c"): None,
    ("b", "c"): 0.04,
}


class TestOutcomes:
    def run(self, a: str, b: str, level: float) -> TestOutcome:
        interval = Interval(low=-level, high=level, level=level, method="paired_t")
        effect = Estimate(
            measure="mae", value=0.1, interval=interval, method="paired_t", n=9, unit="item"
        )
        return TestOutcome(method="paired_t", statistic=1.0, p_value=P_VALUES[a, b], effect=effect)

    def test_each_interval_at_the_level_of_its_own_step(self) -> None:
        found = adjusted_outcomes(self.run, list(P_VALUES), level=0.95)
        assert [one.p_value for one in found] == [pytest.approx(0.02), None, pytest.approx(0.04)]
        for one, step in ((found[0], 1.0 - 0.05 / 2), (found[2], 0.95)):
            interval = one.effect.interval
            assert interval is not None
            assert interval.level == 0.95
            assert interval.high == pytest.approx(step)  # as it was asked for
            assert dict(one.details)["individual_level"] == pytest.approx(step)
        assert dict(found[0].details)["p_unadjusted"] == 0.01

    def test_pairs_without_an_answer_stand_aside(self) -> None:
        asked = [("a", "c")]
        assert adjusted_outcomes(self.run, asked, level=0.95) == (self.run("a", "c", 0.95),)
