"""Contributions of units: they sum to the score, whatever the unit, and their root has its covariance."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.estimates.unit_scores import (
    UnitScores,
    of_items,
    of_scores,
    of_tasks,
    root_of,
    suite_weights,
)
from assay.evidence.predictions import Predictions
from assay.evidence.scores import Scores
from assay.evidence.slices import slices_of
from assay.measures.registry import find_measure

TRUTH = [0, 1, 1, 0, 1, 0, 1, 1]
LABELS: dict[str, Any] = {"truth": TRUTH, "a": TRUTH, "b": [0, 1, 0, 0, 0, 0, 1, 1]}


def predictions(table: dict[str, Any], **options: Any) -> Predictions:
    found = assay.read(table, **options)
    assert isinstance(found, Predictions)
    return found


class TestItems:
    def test_accuracy(self) -> None:
        found = of_items(predictions(LABELS), find_measure("accuracy"))
        assert found.values.tolist() == [1.0, 0.75]
        assert found.right == (8, 6)
        assert found.words == "8 items"
        assert found.contributions.sum(axis=0) == pytest.approx([1.0, 0.75])

    def test_the_error_rate_counts_errors(self) -> None:
        found = of_items(predictions(LABELS), find_measure("error_rate"))
        assert found.values.tolist() == [0.0, 0.25]

    def test_losses(self) -> None:
        table = {"a": [0.5, 1.5], "b": [1.0, 4.0]}
        found = of_items(predictions(table, losses=True), find_measure("mean_loss"))
        assert found.values == pytest.approx([1.0, 2.5])
        assert found.right is None

    def test_clusters_are_summed(self) -> None:
        table = {**LABELS, "group": list("aabbccdd")}
        found = of_items(predictions(table, cluster="group"), find_measure("accuracy"))
        assert found.n == 4
        assert found.words == "8 items in 4 clusters"
        assert found.contributions[:, 1].tolist() == pytest.approx([2 / 8, 1 / 8, 1 / 8, 2 / 8])

    def test_weights_count(self) -> None:
        table = {**LABELS, "w": [1, 1, 2, 1, 4, 1, 1, 1]}
        found = of_items(predictions(table, weight="w"), find_measure("accuracy"))
        assert found.values == pytest.approx([1.0, 0.5])

    def test_other_measures_by_leaving_items_out(self) -> None:
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 2, 300)
        table = {"truth": truth, "a": np.where(rng.random(300) < 0.8, truth, 1 - truth)}
        table["b"] = np.where(rng.random(300) < 0.7, truth, 1 - truth)
        evidence = predictions(table, positive=1)
        found = of_items(evidence, find_measure("f1"))
        wanted = assay.evaluate(evidence, measures="f1").estimates
        assert found.values == pytest.approx([one.value for one in wanted])
        spread = np.sqrt((found.root**2).sum(axis=0))
        boot = assay.evaluate(
            evidence, measures="f1", interval="normal", n_resamples=999
        ).estimates[0]
        assert boot.interval is not None
        assert spread[0] == pytest.approx(boot.interval.width / 2 / 1.96, rel=0.1)

    def test_a_measure_that_is_undefined_is_refused(self) -> None:
        table = {"truth": [1, 1, 0, 0], "a": [0, 0, 0, 0], "b": [1, 0, 0, 0]}
        with pytest.raises(NotApplicable, match="undefined"):
            of_items(predictions(table, positive=1), find_measure("precision"))


class TestScores:
    def test_data_sets(self) -> None:
        table = {"dataset": list("xyz"), "a": [0.5, 0.6, 0.7], "b": [0.4, 0.7, 0.6]}
        evidence = assay.read(table, measure="accuracy")
        assert isinstance(evidence, Scores)
        found = of_scores(evidence, evidence.measures[0], missing="refuse")
        assert found.values == pytest.approx([0.6, 17 / 30])
        assert found.names == ("x", "y", "z")

    def test_gaps_are_refused_or_left_out(self) -> None:
        records = [
            {"model": model, "dataset": data, "score": 0.5, "measure": "accuracy"}
            for model in "ab"
            for data in "xyz"
            if (model, data) != ("b", "z")
        ]
        evidence = Scores.from_records(records)
        with pytest.raises(EvidenceError, match="missing='complete'"):
            of_scores(evidence, "accuracy", missing="refuse")
        found = of_scores(evidence, "accuracy", missing="complete")
        assert found.n == 2
        assert [one.code for one in found.notes] == ["missing-cells"]

    def test_folds_are_refused(self) -> None:
        records = [
            {"model": model, "fold": fold, "score": 0.5 + 0.1 * fold, "measure": "accuracy"}
            for model in "ab"
            for fold in range(5)
        ]
        with pytest.raises(NotApplicable, match="share training data"):
            of_scores(Scores.from_records(records), "accuracy", missing="refuse")


class TestTasks:
    def parts(self) -> dict[str, Any]:
        table = {**LABELS, "task": ["x"] * 6 + ["y"] * 2}
        return slices_of(predictions(table, slice="task"))

    def test_the_mean_of_task_means(self) -> None:
        parts = self.parts()
        weights = suite_weights(parts, "tasks")
        found = of_tasks(parts, find_measure("accuracy"), weights, tasks="sample")
        assert found.values == pytest.approx([1.0, (4 / 6 + 1.0) / 2])
        fixed = of_tasks(parts, find_measure("accuracy"), weights, tasks="fixed")
        assert fixed.values == pytest.approx(found.values)
        assert fixed.words == "8 items of 2 tasks"

    def test_by_items_it_is_the_mean_over_items(self) -> None:
        parts = self.parts()
        found = of_tasks(
            parts, find_measure("accuracy"), suite_weights(parts, "items"), tasks="fixed"
        )
        assert found.values == pytest.approx([1.0, 0.75])

    def test_the_spread_is_that_inside_tasks(self) -> None:
        parts = self.parts()
        found = of_tasks(
            parts, find_measure("accuracy"), suite_weights(parts, "tasks"), tasks="fixed"
        )
        by_hand = 0.25 * np.var([1, 1, 0, 1, 0, 1], ddof=1) / 6
        assert (found.root**2).sum(axis=0)[1] == pytest.approx(by_hand)

    def test_groups_count_alike(self) -> None:
        parts = dict.fromkeys(("mmlu_law", "mmlu_math", "gsm"), self.parts()["x"])
        weights = suite_weights(parts, "groups")
        assert weights == {"mmlu_law": 0.5, "mmlu_math": 0.5, "gsm": 1.0}

    def test_given_weights(self) -> None:
        parts = self.parts()
        assert suite_weights(parts, {"y": 3, "x": 1}) == {"x": 1.0, "y": 3.0}
        with pytest.raises(UsageError, match="no task 'z'"):
            suite_weights(parts, {"x": 1, "y": 1, "z": 1})
        with pytest.raises(UsageError, match="has no weight"):
            suite_weights(parts, {"x": 1})
        with pytest.raises(UsageError, match="not all 0"):
            suite_weights(parts, {"x": 0, "y": 0})
        with pytest.raises(UsageError, match="weighted by"):
            suite_weights(parts, "length")

    def test_a_task_of_one_item_has_no_spread(self) -> None:
        table = {**LABELS, "task": ["x"] * 7 + ["y"]}
        parts = slices_of(predictions(table, slice="task"))
        with pytest.raises(NotApplicable, match=r"tasks_as=.sample"):
            of_tasks(parts, find_measure("accuracy"), suite_weights(parts, "tasks"), tasks="fixed")


def test_the_root_of_many_units_is_that_of_the_covariance() -> None:
    rng = np.random.default_rng(1)
    table = rng.normal(0, 1, (50, 3)) @ rng.normal(0, 1, (3, 3)) / 50
    root = root_of(table, np.zeros(50, dtype=np.int64))
    assert root.T @ root == pytest.approx(np.cov(table, rowvar=False) * 50)
    units = UnitScores(models=("a", "b", "c"), contributions=table, unit="item", words="")
    assert units.root == pytest.approx(root)
