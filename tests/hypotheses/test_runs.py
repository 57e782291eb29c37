"""Almost stochastic order of runs."""

import math
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, UsageError
from assay.core.results import TestOutcome
from assay.hypotheses.runs import aso, multi_aso
from tests.support import agree

A = [0.71, 0.74, 0.69, 0.77, 0.75, 0.72, 0.70]
B = [0.66, 0.70, 0.68, 0.65, 0.71, 0.69]


def eps_min(outcome: TestOutcome) -> float:
    assert outcome.effect.interval is not None
    return outcome.effect.interval.high


def codes(outcome: TestOutcome) -> set[str]:
    return {note.code for note in outcome.notes}


class TestAso:
    def test_dominance_is_seen(self) -> None:
        outcome = aso(A, B, rng=1)
        assert outcome.effect.value == 0.0
        assert eps_min(outcome) < 0.2
        assert outcome.rejects(0.05)
        assert not aso(B, A, rng=1).rejects(0.5)

    def test_deep_significance(self) -> None:
        """deepsig 1.2.8, aso(a, b, seed=1) of these scores: 0.0698, with its own resamples."""
        rng = np.random.default_rng(0)
        a, b = rng.normal(0.7, 0.1, 10), rng.normal(0.65, 0.1, 10)
        assert abs(eps_min(aso(a, b, variant="normal", rng=1)) - 0.0698) < 0.01

    @pytest.mark.parametrize("variant", ["smoothed", "normal"])
    @pytest.mark.parametrize("level", [0.8, 0.95, 0.99])
    def test_the_interval_decides(self, variant: Any, level: float) -> None:
        for seed in range(12):
            rng = np.random.default_rng(seed)
            a, b = rng.normal(0.5, 1, 9), rng.normal(0, 1, 7)
            outcome = aso(a, b, variant=variant, level=level, n_resamples=499, rng=seed)
            if outcome.p_value is None:
                assert "zero-variance" in codes(outcome)
                continue
            assert outcome.rejects(1 - level + 1e-12) == (eps_min(outcome) < outcome.null)

    @pytest.mark.parametrize(("n", "m"), [(3, 3), (5, 10), (12, 12)])
    def test_level_when_both_are_alike(self, n: int, m: int) -> None:
        rng = np.random.default_rng(2)
        rejected = {"smoothed": 0, "normal": 0}
        for seed in range(300):
            a, b = rng.exponential(size=n), rng.exponential(size=m)
            for variant in rejected:
                outcome = aso(a, b, variant=variant, n_resamples=199, rng=seed)  # type: ignore[arg-type]
                rejected[variant] += outcome.rejects(0.05)
        assert rejected["smoothed"] <= 0.09 * 300  # 5 % and three standard errors
        assert rejected["normal"] >= 0.12 * 300  # why it is not the default

    def test_lower_is_better(self) -> None:
        turned = aso([-x for x in A], [-x for x in B], direction="lower", rng=1)
        assert turned.p_value == aso(A, B, rng=1).p_value

    def test_a_stricter_null(self) -> None:
        default, strict = aso(A, B, rng=1), aso(A, B, null=0.05, rng=1)
        assert default.p_value is not None
        assert strict.p_value is not None
        assert strict.p_value > default.p_value
        assert eps_min(strict) == eps_min(default)

    def test_too_few_runs_for_any_answer(self) -> None:
        outcome = aso([0.9, 0.95], [0.1, 0.2], rng=1)
        assert codes(outcome) == {"cannot-reach-alpha"}
        assert eps_min(outcome) == 1.0
        assert outcome.p_value is not None
        assert outcome.p_value >= 1 / math.comb(4, 2)
        assert codes(aso([0.9, 0.95, 0.8], [0.1, 0.2, 0.3], rng=1)) == {"few-runs"}

    def test_too_few_resamples_for_any_answer(self) -> None:
        outcome = aso(A, B, n_resamples=9, rng=1)
        assert codes(outcome) == {"cannot-reach-alpha"}
        assert "the smallest possible p-value is 0.1" in outcome.notes[0].message
        assert eps_min(outcome) == 1.0

    def test_the_observed_runs_count_as_a_resample(self) -> None:
        """None of 99 resamples of runs far apart violates the order."""
        assert aso(np.arange(30.0, 40.0), np.arange(10.0), n_resamples=99, rng=1).p_value == 0.01

    def test_one_resample(self) -> None:
        with pytest.raises(UsageError, match="n_resamples"):
            aso(A, B, n_resamples=1)

    def test_one_run_each(self) -> None:
        assert not aso([1.0], [0.0], rng=1).rejects(0.3)

    def test_equal_runs(self) -> None:
        outcome = aso([0.5] * 6, [0.1 + 0.4] * 6, rng=1)
        assert outcome.effect.value == 0.5
        assert outcome.p_value == 1.0
        assert "no-disagreement" in codes(outcome)

    def test_the_normal_bound_of_a_complete_separation(self) -> None:
        outcome = aso([5.0, 6.0, 7.0, 8.0, 9.0], [1.0] * 5, variant="normal", rng=1)
        assert (outcome.p_value, outcome.effect.interval) == (None, None)
        assert codes(outcome) == {"heuristic-level", "zero-variance"}

    def test_same_seed_same_bytes_whatever_the_order(self) -> None:
        one = aso(A, B, rng=5)
        assert one == aso(A[::-1], B[::-1], rng=5)
        assert one.seed == 5
        assert eps_min(one) != eps_min(aso(A, B, rng=6))

    @pytest.mark.parametrize("null", [0.0, 0.7, -0.1])
    def test_a_null_that_is_no_ratio(self, null: float) -> None:
        with pytest.raises(UsageError, match="violation ratio below which A counts as better"):
            aso(A, B, null=null)

    def test_several_tasks(self) -> None:
        with pytest.raises(EvidenceError, match="probability_of_improvement"):
            aso([[1.0, 2.0], [3.0, 4.0]], B)


class TestMultiAso:
    def test_two_models_are_one_pair_with_bonferroni(self) -> None:
        family = multi_aso({"a": A, "b": B}, rng=1)
        alone = aso(A, B, rng=1)
        assert family.pairs == (("a", "b"), ("b", "a"))
        assert alone.p_value is not None
        assert agree(family.outcomes[0].p_value, min(1.0, 2 * alone.p_value))
        assert family.adjustment == "bonferroni"
        assert agree(dict(family.details)["individual_level"], 0.975)

    def test_both_orders_of_a_pair(self) -> None:
        family = multi_aso({"a": A, "b": B, "c": [x - 0.01 for x in A]}, rng=1)
        ratios = {
            pair: found.effect.value
            for pair, found in zip(family.pairs, family.outcomes, strict=True)
        }
        assert len(ratios) == 6
        for a, b in family.pairs:
            assert agree((ratios[a, b] or 0.0) + (ratios[b, a] or 0.0), 1.0)

    def test_family_wise_level(self) -> None:
        rng = np.random.default_rng(3)
        wrong = 0
        for seed in range(100):
            scores = {str(model): rng.normal(size=10) for model in range(5)}
            family = multi_aso(scores, n_resamples=999, rng=seed)
            wrong += any(outcome.rejects(0.05) for outcome in family.outcomes)
        assert wrong <= 12

    def test_many_comparisons_of_few_runs_say_that_they_cannot(self) -> None:
        scores = {str(model): np.arange(4) + 10.0 * model for model in range(6)}
        family = multi_aso(scores, rng=1)
        assert all("cannot-reach-alpha" in codes(outcome) for outcome in family.outcomes)

    def test_a_sequence_of_runs(self) -> None:
        assert multi_aso([A, B], rng=1).models == ("model 1", "model 2")

    def test_one_model(self) -> None:
        with pytest.raises(EvidenceError, match="two models at least; got 1"):
            multi_aso({"a": A})
        with pytest.raises(EvidenceError, match=r"there is no file runs\.csv.*two models"):
            multi_aso("runs.csv")
