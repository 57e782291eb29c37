"""DeLong's tests of two areas under ROC curves."""

import numpy as np
import pytest

from assay.core.errors import EvidenceError
from assay.core.vocabulary import ALTERNATIVES
from assay.hypotheses.roc import delong_independent, delong_test
from assay.kernels.tails import normal_p
from assay.reference import Case, cases
from tests.hypotheses.laws import codes, facts, limits, obeys_laws, rejection_rate
from tests.support import agree


def scored(rng: np.random.Generator, gain: float = 1.0) -> tuple[np.ndarray, ...]:
    truth = np.repeat([0, 1], [60, 50])
    shared = gain * truth + rng.normal(size=110)
    return truth, shared + rng.normal(size=110), shared + rng.normal(size=110)


class TestDelongTest:
    @pytest.mark.parametrize("case", list(cases("roc__delong_paired")), ids=lambda c: c.id)
    def test_reference(self, case: Case) -> None:
        given_, expected = case.input, case.expected
        outcome = delong_test(given_["y_true"], given_["score_a"], given_["score_b"])
        found = facts(outcome)
        for name in ("auc_a", "auc_b", "var_a", "var_b", "cov", "var_diff"):
            assert agree(found[name], expected[name], case.rtol), name
        assert agree(outcome.statistic, expected["z"], case.rtol)
        if expected["z"] is None:  # no variance: pROC's p is 1, and the width is not 0
            assert outcome.p_value == expected["pROC_p_value"]
            assert outcome.effect.interval is not None
            assert outcome.effect.interval.width > 0.1
            return
        assert agree(outcome.p_value, expected["p_value"], case.rtol)
        assert agree(limits(outcome.effect.interval), expected["diff_ci95"], case.rtol)

    @pytest.mark.parametrize("seed", range(5))
    def test_laws(self, seed: int) -> None:
        truth, a, b = scored(np.random.default_rng(seed))
        obeys_laws(delong_test, (truth, a, b + 0.3 * truth), (truth, b + 0.3 * truth, a), {})

    @pytest.mark.parametrize("level", [0.05, 0.3, 0.5])
    @pytest.mark.parametrize("apart", [False, True])
    def test_levels_below_a_half_of_areas_without_variance(self, level: float, apart: bool) -> None:
        truth, sure, blind = [0, 0, 1, 1], [0.0, 0.0, 1.0, 1.0], [0.5] * 4
        for a, b in ((sure, blind), (blind, sure)):
            for side in ALTERNATIVES:
                found = (
                    delong_independent(truth, a, truth, b, level=level, alternative=side)
                    if apart
                    else delong_test(truth, a, b, level=level, alternative=side)
                )
                interval, p_value = found.effect.interval, found.p_value
                assert interval is not None
                assert p_value is not None
                assert interval.contains(0.0) == (p_value > 1.0 - level), found

    def test_identical_curves(self) -> None:
        truth, a, _ = scored(np.random.default_rng(1))
        outcome = delong_test(truth, a, 2 * a + 1)
        assert outcome.p_value == 1.0
        assert codes(outcome) == {"no-disagreement", "zero-variance"}
        assert outcome.effect.interval is not None
        assert outcome.effect.interval.width > 0.0

    def test_different_areas_without_variance(self) -> None:
        outcome = delong_test([1, 0, 1, 0], [0.1, 0.1, 0.1, 0.1], [2, 1, 2, 1])
        assert outcome.p_value == pytest.approx(normal_p(-1.0, "two-sided"))
        assert codes(outcome) == {"zero-variance"}

    @pytest.mark.parametrize("pairs", [2, 5, 60])
    @pytest.mark.parametrize("side", ["two-sided", "greater", "less"])
    def test_opposite_rankings(self, pairs: int, side: str) -> None:
        truth = [0, 1] * pairs
        outcome = delong_test(truth, truth, [1 - one for one in truth], alternative=side)
        interval = outcome.effect.interval
        assert interval is not None
        assert outcome.p_value is not None
        assert outcome.effect.value == 1.0
        assert -1.0 <= interval.low < interval.high <= 1.0
        assert (outcome.p_value <= 0.05) == (not interval.contains(0.0))
        alone = delong_independent(truth, truth, truth, [1 - one for one in truth])
        assert alone.effect.interval is not None
        assert alone.p_value is not None
        assert alone.effect.interval.high == 1.0
        assert (alone.p_value <= 0.05) == (not alone.effect.interval.contains(0.0))

    def test_one_class(self) -> None:
        outcome = delong_test([1, 1, 1], [1, 2, 3], [3, 2, 1])
        assert outcome.p_value is None
        assert outcome.effect.value is None
        assert codes(outcome) == {"one-class"}

    def test_level_by_simulation(self) -> None:
        rng = np.random.default_rng(9)
        assert 0.042 <= rejection_rate(delong_test, lambda: scored(rng), 3000) <= 0.06

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="two models"):
            delong_test([0, 1], [0.2, 0.3])
        with pytest.raises(EvidenceError, match="two classes"):
            delong_test([0, 1, 2], [0.2, 0.3, 0.4], [0.2, 0.3, 0.4])


class TestDelongWithT:
    @pytest.mark.parametrize("seed", range(5))
    def test_by_hand(self, seed: int) -> None:
        """Differences of placements, class by class: Welch's formula of their two variances.

        No more than 0.8 of what it gives where each part has the share expected of its class.
        """
        truth, a, b = scored(np.random.default_rng(seed))
        parts = []
        for own, sign in ((truth == 1, 1.0), (truth == 0, -1.0)):
            other = ~own
            higher = [
                [
                    (sign * (x - scores[other]) > 0).mean() + (x == scores[other]).mean() / 2
                    for x in scores[own]
                ]
                for scores in (a, b)
            ]
            parts.append(np.subtract(*np.array(higher)))
        squares = [part.var(ddof=1) / part.size for part in parts]
        shares = sum(one**2 / (part.size - 1) for one, part in zip(squares, parts, strict=True))
        outcome = delong_test(truth, a, b, variant="t")
        sizes = [part.size for part in parts]
        expected = [size / sum(sizes) for size in sizes[::-1]]
        most = 0.8 / sum(w**2 / (size - 1) for w, size in zip(expected, sizes, strict=True))
        assert facts(outcome)["df"] == pytest.approx(min(sum(squares) ** 2 / shares, most))
        assert facts(outcome)["p_normal"] == pytest.approx(delong_test(truth, a, b).p_value)
        assert (outcome.p_value or 0.0) > (delong_test(truth, a, b).p_value or 1.0)

    @pytest.mark.parametrize("seed", range(3))
    def test_laws(self, seed: int) -> None:
        truth, a, b = scored(np.random.default_rng(seed))
        swapped = (truth, b + 0.3 * truth, a)
        obeys_laws(delong_test, (truth, a, b + 0.3 * truth), swapped, {"variant": "t"})

    def test_few_items_of_a_class_are_noted(self) -> None:
        rng = np.random.default_rng(1)
        truth = np.arange(40) < 5
        a, b = rng.normal(size=(2, 40)) + truth
        assert codes(delong_test(truth, a, b, variant="t")) == {"small-counts"}
        assert codes(delong_test(truth, a, b)) == {"small-counts"}

    def test_alike_positives_lend_no_degrees_of_freedom(self) -> None:
        """Three positives that move up together: Satterthwaite alone would trust 57 negatives."""
        truth = np.arange(60) < 3
        b = np.random.default_rng(2).normal(size=60)
        b[:3] = 0.0
        a = b + 0.5 * truth
        outcome = delong_test(truth, a, b, variant="t")
        assert facts(outcome)["df"] < 2.0
        assert (outcome.p_value or 0.0) > 4 * (facts(outcome)["p_normal"])

    def test_one_item_of_a_class_has_no_degrees_of_freedom(self) -> None:
        outcome = delong_test([1, 0, 0, 0], [3, 1, 2, 4], [1, 2, 3, 4], variant="t")
        assert "zero-variance" in codes(outcome)

    def test_unknown_variant(self) -> None:
        with pytest.raises(ValueError, match="variant"):
            delong_test([1, 0, 1, 0], [3, 1, 2, 4], [1, 2, 3, 4], variant="z")  # type: ignore[arg-type]


class TestDelongIndependent:
    @pytest.mark.parametrize("seed", range(3))
    def test_laws(self, seed: int) -> None:
        rng = np.random.default_rng(seed)
        truth, a, _ = scored(rng, 0.5)
        other, b, _ = scored(rng, 1.2)
        obeys_laws(delong_independent, (truth, a, other, b), (other, b, truth, a), {})

    def test_two_perfect_models(self) -> None:
        outcome = delong_independent([0, 0, 1, 1], [1, 2, 3, 4], [0, 0, 0, 1, 1], [1, 2, 3, 4, 5])
        assert outcome.p_value == 1.0
        assert "no-disagreement" in codes(outcome)

    def test_one_class(self) -> None:
        outcome = delong_independent([1, 1], [1, 2], [0, 1], [1, 2])
        assert outcome.p_value is None
        assert "one-class" in codes(outcome)


def test_two_p_values_have_two_names() -> None:
    rng = np.random.default_rng(1)
    truth = np.arange(40) % 2
    a, b = truth + rng.normal(size=(2, 40))
    normal, t = delong_test(truth, a, b), delong_test(truth, a, b, variant="t")
    assert normal.p_value != t.p_value
    assert (normal.method, t.method) == ("delong_test", "delong_test (t)")
