"""Models compared on clustered and weighted items, one cluster left out at a time."""

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

import assay
from assay.core.errors import EvidenceError, NotApplicable
from assay.core.results import TestOutcome
from assay.hypotheses.cluster_jackknife import (
    independent_jackknife,
    paired_jackknife,
    simultaneous_jackknife,
)
from tests.estimates.test_cluster_covariance import grouped, labelled
from tests.hypotheses.laws import codes, facts, obeys_laws


def limits(outcome: TestOutcome) -> tuple[float, float]:
    assert outcome.effect.interval is not None
    return outcome.effect.interval.low, outcome.effect.interval.high


def swapped(columns: dict[str, Any]) -> dict[str, Any]:
    other = {"a": "b", "b": "a", "a:score": "b:score", "b:score": "a:score"}
    return {name: columns[other.get(name, name)] for name in columns}


def losses(sizes: list[int], seed: int = 0) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    shared = rng.standard_normal(len(sizes))[cluster]
    both = rng.standard_normal((2, cluster.size))
    return {"a:loss": both[0] + 0.4 * shared, "b:loss": both[1] + 0.5, "cluster": cluster}


class TestPairedJackknife:
    def test_a_mean_of_equal_clusters_is_students_t_of_their_means(self) -> None:
        columns = losses([6] * 9)
        means = (columns["a:loss"] - columns["b:loss"]).reshape(9, 6).mean(axis=1)
        expected = stats.ttest_1samp(means, 0.0)
        outcome = paired_jackknife(columns, measure="mean_loss")
        assert outcome.statistic == pytest.approx(expected.statistic)
        assert outcome.p_value == pytest.approx(expected.pvalue)
        assert limits(outcome) == pytest.approx(tuple(expected.confidence_interval(0.95)))

    def test_a_mean_of_unequal_clusters_is_cr3(self) -> None:
        """Least squares on a constant without each cluster (MacKinnon, Nielsen & Webb 2023, eq. 16)."""
        columns = losses([3, 9, 14, 6, 2])
        difference = columns["a:loss"] - columns["b:loss"]
        left = [
            np.linalg.lstsq(np.ones((int(kept.sum()), 1)), difference[kept], rcond=None)[0][0]
            for kept in (columns["cluster"] != g for g in range(5))
        ]
        expected = 4 / 5 * sum((one - difference.mean()) ** 2 for one in left)
        found = facts(paired_jackknife(columns, measure="mean_loss"))
        assert found["standard_error"] == pytest.approx(math.sqrt(expected))

    @pytest.mark.parametrize("measure", ["f1", "mcc", "balanced_accuracy", "accuracy"])
    def test_laws_of_labels(self, measure: str) -> None:
        columns = labelled(grouped([4, 9, 12, 7, 20, 3], seed=1))
        obeys_laws(paired_jackknife, (columns,), (swapped(columns),), {"measure": measure})

    @pytest.mark.parametrize("measure", ["roc_auc", "average_precision"])
    def test_laws_of_scores(self, measure: str) -> None:
        columns = grouped([4, 9, 12, 7, 20, 3], seed=2)
        obeys_laws(paired_jackknife, (columns,), (swapped(columns),), {"measure": measure})

    @given(seed=st.integers(0, 2**16), groups=st.integers(2, 9))
    @settings(max_examples=25, deadline=None)
    def test_the_interval_decides(self, seed: int, groups: int) -> None:
        columns = labelled(grouped([7] * groups, seed=seed))
        for level in (0.8, 0.95):
            outcome = paired_jackknife(columns, measure="f1", level=level)
            if outcome.p_value is not None and outcome.effect.interval is not None:
                inside = outcome.effect.interval.contains(0.0)
                assert inside == (outcome.p_value > round(1 - level, 12))

    def test_order_of_items_and_names_of_clusters_do_not_matter(self) -> None:
        columns = labelled(grouped([4, 9, 12, 7], seed=3))
        order = np.random.default_rng(0).permutation(32)
        other = {name: column[order] for name, column in columns.items()}
        other["cluster"] = np.array(["w", "z", "a", "k"])[other["cluster"]]
        one, two = (paired_jackknife(each) for each in (columns, other))
        assert one.p_value == pytest.approx(two.p_value)
        assert limits(one) == pytest.approx(limits(two))

    def test_keeps_its_level_where_the_percentile_bootstrap_did_not(self) -> None:
        """Six clusters, F1 of exchangeable models: the bootstrap rejected 14 of 100."""
        rejected = [
            paired_jackknife(labelled(grouped([10] * 6, seed=seed))).rejects(0.05)
            for seed in range(400)
        ]
        assert np.mean(rejected) <= 0.06

    def test_equal_models_are_not_told_apart(self) -> None:
        columns = labelled(grouped([5, 6, 7, 8]))
        outcome = paired_jackknife({**columns, "b": columns["a"]})
        assert outcome.p_value == 1.0
        assert "no-disagreement" in codes(outcome)
        low, high = limits(outcome)
        assert low < 0.0 < high

    def test_a_class_in_one_cluster_rules_nothing_out(self) -> None:
        columns = grouped([5, 5, 5, 5])
        columns["truth"] = (columns["cluster"] == 0).astype(int)
        outcome = paired_jackknife(columns, measure="roc_auc")
        assert limits(outcome) == (-1.0, 1.0)
        assert outcome.p_value == 1.0
        assert {"jackknife-undefined", "whole-range"} <= set(codes(outcome))

    def test_one_cluster_says_nothing(self) -> None:
        outcome = paired_jackknife(labelled(grouped([12])))
        assert outcome.effect.interval is None
        assert outcome.p_value is None
        assert "one-cluster" in codes(outcome)

    def test_items_are_units_without_clusters(self) -> None:
        columns = labelled(grouped([60]))
        del columns["cluster"]
        found = facts(paired_jackknife(columns))
        assert (found["units"], found["df"], found["effective_n"]) == ("items", 59.0, 60.0)

    def test_weights_lower_the_degrees_of_freedom(self) -> None:
        columns = labelled(grouped([60]))
        weight = np.exp(np.random.default_rng(5).standard_normal(60))
        found = facts(paired_jackknife({**columns, "cluster": np.arange(60), "weight": weight}))
        kish = weight.sum() ** 2 / (weight**2).sum()
        assert found["df"] == pytest.approx(math.sqrt(59 * (kish - 1)))

    def test_measures_with_steps_are_refused(self) -> None:
        values = {"truth": [1.0, 2, 3, 4], "a:value": [1.0, 2, 3, 5], "b:value": [2.0, 2, 2, 2]}
        with pytest.raises(NotApplicable, match="use paired_bootstrap"):
            paired_jackknife({**values, "cluster": [1, 1, 2, 2]}, measure="median_ae")


class TestIndependentJackknife:
    def apart(self, seed: int = 0) -> tuple[dict[str, Any], dict[str, Any]]:
        one, other = (
            labelled(grouped([6] * 8, seed=seed)),
            labelled(grouped([9] * 7, seed=seed + 1)),
        )
        return (
            {name: one[name] for name in ("truth", "a", "cluster")},
            {name: other[name] for name in ("truth", "b", "cluster")},
        )

    def test_means_of_equal_clusters_are_welchs_t(self) -> None:
        one, other = losses([6] * 8), losses([4] * 7, seed=3)
        first = {"a:loss": one["a:loss"], "cluster": one["cluster"]}
        second = {"b:loss": other["b:loss"], "cluster": other["cluster"]}
        outcome = independent_jackknife(first, second, measure="mean_loss")
        means = one["a:loss"].reshape(8, 6).mean(1), other["b:loss"].reshape(7, 4).mean(1)
        expected = stats.ttest_ind(*means, equal_var=False)
        assert outcome.p_value == pytest.approx(expected.pvalue)
        assert facts(outcome)["df"] == pytest.approx(expected.df)

    def test_mirrors(self) -> None:
        one, other = self.apart()
        there, back = independent_jackknife(one, other), independent_jackknife(other, one)
        assert there.p_value == pytest.approx(back.p_value)
        low, high = limits(there)
        assert limits(back) == pytest.approx((-high, -low))

    def test_compare_chooses_it(self) -> None:
        one, other = self.apart()
        evidence = assay.read(one, other, paired=False)
        assert assay.compare(evidence, measure="f1").choice.method == "independent_jackknife"


class TestSimultaneousJackknife:
    def many(self, seed: int = 0, groups: int = 10, k: int = 4) -> dict[str, Any]:
        rng = np.random.default_rng(seed)
        cluster = np.repeat(np.arange(groups), 8)
        truth = rng.integers(0, 2, cluster.size)
        models = {
            f"m{j}": np.where(rng.random(cluster.size) < 0.25, 1 - truth, truth) for j in range(k)
        }
        return {"truth": truth, **models, "cluster": cluster}

    def test_errors_are_those_of_pairs(self) -> None:
        columns = self.many()
        family = simultaneous_jackknife(columns, rng=1)
        for (a, b), outcome in zip(family.pairs, family.outcomes, strict=True):
            pair = paired_jackknife(columns, models=(a, b))
            assert outcome.effect.value == pytest.approx(pair.effect.value)
            assert outcome.effect.standard_error == pytest.approx(pair.effect.standard_error)

    def test_the_multiplier_lies_between_one_pair_and_bonferroni(self) -> None:
        found: dict[str, Any] = dict(simultaneous_jackknife(self.many(), rng=1).details)
        multiplier = found["multiplier"]
        assert stats.t.ppf(0.975, 9) < multiplier < stats.t.ppf(1 - 0.025 / 6, 9) * 1.02

    def test_families_err_no_more_often_than_said(self) -> None:
        wrong = [
            any(
                one.rejects(0.05)
                for one in simultaneous_jackknife(
                    self.many(seed, groups=6), n_resamples=499, rng=1
                ).outcomes
            )
            for seed in range(200)
        ]
        assert np.mean(wrong) <= 0.08

    def test_a_baseline_has_fewer_pairs(self) -> None:
        family = simultaneous_jackknife(self.many(), baseline="m0", rng=1)
        assert family.pairs == (("m1", "m0"), ("m2", "m0"), ("m3", "m0"))

    def test_equal_models_are_not_told_apart(self) -> None:
        columns = self.many()
        columns["m1"] = columns["m0"]
        family = simultaneous_jackknife(columns, rng=1)
        assert family.outcomes[0].p_value == 1.0
        assert "no-disagreement" in codes(family.outcomes[0])

    def test_compare_chooses_it_also_for_several_measures(self) -> None:
        found = assay.compare(self.many(), measure=["f1", "mcc"], rng=1)
        assert {part.choice.method for part in found.parts} == {"simultaneous_jackknife"}

    def test_one_model_is_not_compared(self) -> None:
        columns = self.many(k=1)
        with pytest.raises(EvidenceError, match="comparing needs two models"):
            simultaneous_jackknife(columns)

    def test_a_class_in_one_cluster_is_refused(self) -> None:
        columns = self.many()
        columns["truth"] = (columns["cluster"] == 0).astype(int)
        scores = {f"m{j}:score": np.random.default_rng(j).random(80) for j in range(3)}
        evidence = {"truth": columns["truth"], "cluster": columns["cluster"], **scores}
        with pytest.raises(NotApplicable, match="undefined without some cluster"):
            simultaneous_jackknife(evidence, measure="roc_auc")
