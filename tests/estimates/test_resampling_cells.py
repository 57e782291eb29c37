"""Evidence reduced to cells: the same values as on the rows, few cells where rows repeat."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, NotApplicable
from assay.estimates.measure_needs import check_offers
from assay.estimates.resampling_cells import Reduced, reduce
from assay.evidence.predictions import Predictions
from assay.evidence.reading import read
from assay.kernels.effective_size import kish
from assay.measures.registry import find_measure

RNG = np.random.default_rng(2)
N = 200
TRUTH = (RNG.random(N) < 0.4).astype(int)
SCORE = np.clip(0.3 + 0.4 * TRUTH + RNG.normal(0, 0.2, N), 0.01, 0.99)


def evidence(columns: dict[str, Any], **options: Any) -> Predictions:
    found = read({"truth": TRUTH, **columns}, truth="truth", **options)
    assert isinstance(found, Predictions)
    return found


def reduced(measure: str, columns: dict[str, Any], **options: Any) -> Reduced:
    return reduce(evidence(columns, **options), find_measure(measure))


class TestReduce:
    def test_labels_become_few_cells(self) -> None:
        columns = {"a": (SCORE > 0.5).astype(int), "b": (SCORE > 0.4).astype(int)}
        found = reduced("accuracy", columns)
        assert found.counts.size <= 8
        assert found.counts.sum() == found.effective == N
        expected = [np.mean(labels == TRUTH) for labels in columns.values()]
        np.testing.assert_allclose(found.values, expected)

    def test_many_tied_scores_become_few_cells(self) -> None:
        found = reduced("roc_auc", {"a:score": np.round(SCORE, 1)})
        assert found.counts.size <= 22
        assert found.counts.sum() == N
        distinct = reduced("roc_auc", {"a:score": SCORE})
        assert distinct.counts.size == N

    def test_weights_of_one_item_move_only_that_item(self) -> None:
        found = reduced("brier", {"a:score": SCORE})
        alone = np.zeros((1, N))
        alone[0, 3] = 1.0
        losses = np.sort((SCORE - TRUTH) ** 2)
        assert np.abs(losses - found.evaluated(alone)[0, 0]).min() < 1e-12

    def test_an_infinite_loss_counts_only_where_it_is_drawn(self) -> None:
        scores = SCORE.copy()
        scores[0] = 1.0 - TRUTH[0]
        found = reduced("log_loss", {"a:score": scores})
        assert found.values[0] == np.inf
        one_left_out = found.evaluated(np.ones((N, N)) - np.eye(N))[:, 0]
        assert np.count_nonzero(np.isfinite(one_left_out)) == 1

    def test_clusters_are_the_cells(self) -> None:
        found = reduced(
            "f1", {"a": (SCORE > 0.5).astype(int), "who": np.arange(N) // 5}, cluster="who"
        )
        assert found.unit == "clusters"
        assert found.counts.tolist() == [1] * 40
        plain = reduced("f1", {"a": (SCORE > 0.5).astype(int)})
        np.testing.assert_allclose(found.values, plain.values)

    def test_values_stay_in_the_range_of_the_measure(self) -> None:
        weight = RNG.random(N)
        found = reduced("roc_auc", {"a:score": TRUTH + 0.1, "w": weight}, weight="w")
        assert found.values[0] == 1.0


class TestCheckOffers:
    def test_says_what_is_needed(self) -> None:
        given = evidence({"a:score": SCORE})
        with pytest.raises(NotApplicable, match="mae needs predicted numbers, but 'a' holds"):
            check_offers(given, find_measure("mae"), ("a",))
        with pytest.raises(EvidenceError, match="no model 'b'; there are a"):
            check_offers(given, find_measure("roc_auc"), ("b",))


class TestKish:
    def test_equal_weights_count_fully_and_unequal_less(self) -> None:
        assert kish(np.full(7, 3.0)) == pytest.approx(7)
        assert kish(np.array([1.0, 0.0, 0.0])) == 1.0
        assert kish(np.array([1.0, 2.0])) == pytest.approx(9 / 5)


class TestManyClasses:
    """Measures that need only sums of rows and columns get no matrices."""

    MEASURES = ("f1_macro", "precision_weighted", "mcc", "mcc[zero]", "kappa", "balanced_accuracy")

    @pytest.mark.parametrize("measure", [*MEASURES, "recall_micro", "f1[3]", "jaccard[3]"])
    @pytest.mark.parametrize("extra", ["none", "weight", "cluster"])
    def test_the_same_as_from_matrices(self, measure: str, extra: str) -> None:
        rng = np.random.default_rng(8)
        n, classes = 600, 25
        truth = rng.integers(0, classes, n)
        columns = {
            "truth": truth,
            "a": np.where(rng.random(n) < 0.3, rng.integers(0, classes, n), truth),
            "b": np.where(rng.random(n) < 0.5, rng.integers(0, classes, n), truth),
        }
        said: dict[str, Any] = {}
        if extra != "none":
            columns[extra] = rng.integers(1, 40, n)
            said[extra] = extra
        evidence = read(columns, **said)
        assert isinstance(evidence, Predictions)
        chosen = find_measure(measure)
        quick = reduce(evidence, chosen)
        bound = chosen.bind(evidence.classes, evidence.positive)
        slow = reduce(evidence, replace(bound, margins=None))
        weights = rng.integers(0, 4, (7, quick.counts.size))
        assert quick.measure.margins is not None
        assert quick.evaluated(weights) == pytest.approx(slow.evaluated(weights), rel=1e-12)
