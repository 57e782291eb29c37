"""What leaving out clusters shows: covariance, degrees of freedom, design effect."""

import math
from typing import Any

import numpy as np
import pytest
from sklearn.metrics import average_precision_score, f1_score, r2_score, roc_auc_score

import assay
from assay.estimates.cluster_covariance import LEAST_CLUSTERS, deleted, smooth
from assay.evidence.argument_checks import as_predictions
from assay.evidence.reading import read
from assay.kernels.delong import delong_covariance
from assay.measures.custom import from_function
from assay.measures.registry import find_measure


def grouped(sizes: list[int], seed: int = 0, *, spread: float = 0.7) -> dict[str, Any]:
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(len(sizes)), sizes)
    truth = (rng.random(cluster.size) < 0.5).astype(int)
    shared = spread * rng.standard_normal(len(sizes))[cluster]
    scores = [1.2 * truth + shared + rng.standard_normal(truth.size) for _ in "ab"]
    return {"truth": truth, "a:score": scores[0], "b:score": scores[1], "cluster": cluster}


def labelled(columns: dict[str, Any]) -> dict[str, Any]:
    cut = {name: (columns[f"{name}:score"] > 0.6).astype(int) for name in "ab"}
    return {"truth": columns["truth"], **cut, "cluster": columns["cluster"]}


def found(columns: dict[str, Any], measure: str, *models: str) -> Any:
    return deleted(as_predictions(read(columns)), find_measure(measure), models or ("a", "b"))


class TestDeleted:
    @pytest.mark.parametrize(
        ("measure", "score"),
        [("roc_auc", roc_auc_score), ("average_precision", average_precision_score)],
    )
    def test_scores_by_hand(self, measure: str, score: Any) -> None:
        columns = grouped([5, 9, 12, 7, 20, 3])
        truth, cluster = columns["truth"], columns["cluster"]
        whole = np.array([score(truth, columns[f"{m}:score"]) for m in "ab"])
        left = np.array(
            [
                [score(truth[cluster != g], columns[f"{m}:score"][cluster != g]) for m in "ab"]
                for g in range(6)
            ]
        )
        expected = 5 / 6 * (left - whole).T @ (left - whole)
        np.testing.assert_allclose(found(columns, measure).covariance, expected, atol=1e-12)

    def test_labels_by_hand(self) -> None:
        columns = labelled(grouped([5, 9, 12, 7, 20, 3]))
        truth, cluster = columns["truth"], columns["cluster"]
        left = [
            f1_score(truth[cluster != g], columns["a"][cluster != g])
            - f1_score(truth[cluster != g], columns["b"][cluster != g])
            for g in range(6)
        ]
        whole = f1_score(truth, columns["a"]) - f1_score(truth, columns["b"])
        expected = 5 / 6 * sum((one - whole) ** 2 for one in left)
        assert found(columns, "f1").variance((1.0, -1.0)) == pytest.approx(expected, rel=1e-9)

    def test_degrees_of_freedom_follow_the_sizes(self) -> None:
        even, uneven = (
            found(grouped([10] * 6), "average_precision"),
            found(grouped([1, 1, 1, 1, 1, 55]), "average_precision"),
        )
        assert even.df == pytest.approx(5.0)
        kish = 60**2 / (5 + 55**2)
        assert uneven.effective == pytest.approx(kish)
        assert uneven.df == pytest.approx(max(1.0, math.sqrt(5 * (kish - 1))))

    def test_areas_count_clusters_of_the_scarcer_class(self) -> None:
        columns = grouped([10] * 6)
        columns["truth"] = np.where(columns["cluster"] < 3, columns["truth"], 0)
        columns["truth"][0] = 1
        positives = np.bincount(columns["cluster"], weights=columns["truth"])
        kish = positives.sum() ** 2 / (positives**2).sum()
        assert found(columns, "roc_auc").effective == pytest.approx(kish)
        assert found(columns, "average_precision").effective == pytest.approx(6.0)

    def test_design_effect_of_an_area_is_beside_delong(self) -> None:
        columns = grouped([10] * 12, seed=4)
        one = found(columns, "roc_auc")
        naive = delong_covariance(
            columns["truth"], np.stack([columns["a:score"], columns["b:score"]])
        )[1]
        signs = np.array([1.0, -1.0])
        effect = dict(one.facts((1.0, -1.0)))["design_effect"]
        assert effect == pytest.approx(one.variance((1.0, -1.0)) / (signs @ naive @ signs))
        assert dict(one.facts((1.0, -1.0)))["icc"] == pytest.approx((effect - 1) / 9)

    def test_gini_is_twice_the_area(self) -> None:
        columns = grouped([6, 8, 10, 12])
        area, gini = (found(columns, name) for name in ("roc_auc", "gini"))
        np.testing.assert_allclose(gini.covariance, 4 * area.covariance, atol=1e-12)
        facts = [dict(one.facts((1.0, -1.0)))["design_effect"] for one in (area, gini)]
        assert facts[0] == pytest.approx(facts[1])

    def test_equal_weights_change_nothing(self) -> None:
        columns = grouped([6, 8, 10, 12])
        weighted = {**columns, "weight": np.full(36, 3.0)}
        for measure in ("roc_auc", "average_precision"):
            one, other = (found(each, measure) for each in (columns, weighted))
            np.testing.assert_allclose(one.covariance, other.covariance, atol=1e-12)
            assert one.df == pytest.approx(other.df)

    def test_a_class_in_one_cluster_leaves_no_variance(self) -> None:
        columns = grouped([5, 5, 5, 5])
        columns["truth"] = (columns["cluster"] == 0).astype(int)
        assert math.isnan(found(columns, "roc_auc").variance((1.0, -1.0)))

    def test_few_clusters_are_noted(self) -> None:
        for count in (LEAST_CLUSTERS - 1, LEAST_CLUSTERS):
            notes = found(labelled(grouped([8] * count)), "f1").notes()
            assert [one.code for one in notes] == ["few-clusters"] * (count < LEAST_CLUSTERS)

    def test_steps_are_not_smooth(self) -> None:
        assert smooth(find_measure("f1"))
        assert not smooth(find_measure("median_ae"))
        assert not smooth(from_function(lambda truth, prediction: 0.0))


class TestUnevenSizes:
    @pytest.mark.parametrize("measure", ["f1", "mcc", "roc_auc", "average_precision", "accuracy"])
    def test_a_few_large_clusters_are_noted_in_every_measure(self, measure: str) -> None:
        """Of one model and of two, and with as many clusters of one size not at all."""
        for sizes, noted in (([2] * 12 + [60] * 3, True), ([10] * 15, False)):
            columns = grouped(sizes)
            table = columns if measure in ("roc_auc", "average_precision") else labelled(columns)
            one = assay.evaluate(read(table).select("a"), measures=measure).estimates[0]
            two = assay.compare(read(table), measure=measure).verdict.outcome
            for notes in (one.notes, two.notes):
                assert ("uneven-clusters" in {each.code for each in notes}) == noted


class TestFunctionsOfMeans:
    @pytest.mark.parametrize(
        ("measure", "score"),
        [
            ("r2", r2_score),
            ("correlation", lambda truth, guess: np.corrcoef(truth, guess)[0, 1]),
            ("rmse", lambda truth, guess: math.sqrt(((truth - guess) ** 2).mean())),
        ],
    )
    def test_each_item_is_left_out_exactly(self, measure: str, score: Any) -> None:
        """2,100 items and ties: more than were left out one at a time before, when groups of them were."""
        rng = np.random.default_rng(4)
        truth = np.r_[rng.standard_normal(2000), np.zeros(100)]
        guesses = [np.r_[truth[:2000] + rng.standard_normal(2000), np.ones(100)] for _ in "ab"]
        table = {"truth": truth, "a": guesses[0], "b": guesses[1]}
        spread = found(table, measure)
        whole = [score(truth, guess) for guess in guesses]
        strays = np.array([
            [score(np.delete(truth, i), np.delete(guess, i)) - value
             for guess, value in zip(guesses, whole, strict=True)]
            for i in range(truth.size)
        ])  # fmt: skip
        expected = (truth.size - 1.0) / truth.size * strays.T @ strays
        assert spread.covariance == pytest.approx(expected, rel=1e-6)

    def test_equal_models_are_rarely_called_different(self) -> None:
        """400 pairs on 20 items each: the percentile bootstrap called one in nine different."""
        rng, rejected = np.random.default_rng(8), 0
        for _ in range(400):
            truth = rng.standard_normal(20)
            a, b = (0.9 * truth + 0.7 * rng.standard_normal(20) for _ in "ab")
            table = {"truth": truth, "a": a, "b": b}
            evidence = read(table, truth="truth", models=["a", "b"])
            rejected += assay.paired_jackknife(evidence, measure="r2").rejects(0.05)
        assert rejected <= 24  # 6 %
