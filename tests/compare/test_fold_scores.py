"""Predictions that name their folds: the question about algorithms, and the one about trained models."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold, cross_val_predict, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import assay

RNG = np.random.default_rng(8)
N = 120


def _table(folds: Any, **more: Any) -> dict[str, Any]:
    truth = RNG.integers(0, 2, N)
    return {
        "truth": truth,
        "a": np.where(RNG.random(N) < 0.9, truth, 1 - truth),
        "b": np.where(RNG.random(N) < 0.7, truth, 1 - truth),
        "fold": folds,
        **more,
    }


def _codes(found: Any) -> set[str]:
    return {one.code for one in found.notes}


class TestTheAlgorithms:
    @pytest.mark.parametrize("measure", ["accuracy", "f1"])
    def test_the_answer_is_that_of_cross_validate(self, measure: str) -> None:
        X, y = load_breast_cancer(return_X_y=True)
        splits = StratifiedKFold(10, shuffle=True, random_state=1)
        folds = np.zeros(len(y), dtype=int)
        for place, (_, tested) in enumerate(splits.split(X, y)):
            folds[tested] = place
        models = {
            "lr": make_pipeline(StandardScaler(), LogisticRegression()),
            "tree": DecisionTreeClassifier(max_depth=2, random_state=1),
        }
        predicted = {name: cross_val_predict(one, X, y, cv=splits) for name, one in models.items()}
        scores = {
            name: cross_validate(one, X, y, cv=splits, scoring=[measure], return_indices=True)
            for name, one in models.items()
        }
        found = assay.compare({"truth": y, **predicted, "fold": folds}, measure=measure)
        by_score = assay.compare(scores, measure=measure)
        assert found.choice.method == by_score.choice.method == "corrected_resampled_t"
        ours, theirs = found.verdict.outcome, by_score.verdict.outcome
        assert ours.p_value == pytest.approx(theirs.p_value, rel=1e-9)
        assert ours.effect.interval is not None
        assert theirs.effect.interval is not None
        assert ours.effect.interval.low == pytest.approx(theirs.effect.interval.low, rel=1e-9)
        assert "scored-by-fold" in _codes(found)

    def test_repeated_five_folds_are_decided_by_the_cautious_t(self) -> None:
        truth = np.tile(RNG.integers(0, 2, N), 10)
        right = RNG.random((2, N * 10)) < [[0.9], [0.7]]
        frame = pd.DataFrame(
            {
                "item": np.tile(np.arange(N), 10),
                "repeat": np.repeat(np.arange(10), N),
                "fold": np.concatenate([RNG.permutation(N) % 5 for _ in range(10)]),
                "truth": truth,
                "a": np.where(right[0], truth, 1 - truth),
                "b": np.where(right[1], truth, 1 - truth),
            }
        )
        found = assay.compare(frame)
        assert found.choice.method == "cautious_resampled_t"
        assert found.evidence.n == 50
        a_right = frame["a"] == frame["truth"]
        cells = a_right.groupby([frame["repeat"], frame["fold"]]).mean()
        assert found.estimates[0].value == pytest.approx(cells.mean())

    def test_areas_are_ranked_within_folds(self) -> None:
        truth = RNG.integers(0, 2, N)
        folds = np.arange(N) % 4
        shifted = RNG.normal(truth, 1.0) + 10.0 * folds  # each model with a scale of its own
        data = {"truth": truth, "a:score": shifted, "b:score": RNG.normal(truth, 1.0)}
        found = assay.compare({**data, "fold": folds}, measure="roc_auc")
        assert found.evidence.unit == "fold"
        assert found.estimates[0].value == pytest.approx(0.76, abs=0.12)
        assert "pooled-scores" not in _codes(found)

    def test_one_algorithm_against_a_level(self) -> None:
        table = _table(np.arange(N) % 10)
        del table["b"]
        assert assay.compare(table, against=0.5).choice.method == "corrected_t_one"
        assert assay.compare(table, against="chance").evidence.unit == "item"

    def test_several_measures_are_all_scored(self) -> None:
        found = assay.compare(_table(np.arange(N) % 10), measure=["accuracy", "f1"])
        assert [part.evidence.unit for part in found.parts] == ["fold", "fold"]


class TestTheTrainedModels:
    def test_items_are_counted_together_where_asked(self) -> None:
        table = _table(np.arange(N) % 10)
        pooled = assay.compare(table, unit="item")
        del table["fold"]
        assert pooled.verdict.outcome.p_value == assay.compare(table).verdict.outcome.p_value
        assert {"pooled-models"} <= _codes(pooled)

    @pytest.mark.parametrize(
        ("folds", "why"),
        [
            (np.arange(N), "more than 100 values"),
            (np.zeros(N, dtype=int), "one fold is no cross-validation"),
            (np.minimum(np.arange(N), 50), "holds one item"),
        ],
    )
    def test_folds_that_cannot_be_scored(self, folds: Any, why: str) -> None:
        table = _table(folds)
        assert assay.compare(table).evidence.unit == "item"
        with pytest.raises(assay.NotApplicable, match=why):
            assay.compare(table, unit="fold")

    def test_a_measure_that_is_undefined_in_a_fold(self) -> None:
        table = _table(np.arange(N) % 10)
        table["truth"] = (np.arange(N) % 10 > 0).astype(int)  # fold 0 has no positive
        table["a"] = table["truth"]
        found = assay.compare(table, measure="recall")
        assert found.evidence.unit == "item"
        with pytest.raises(assay.NotApplicable, match="recall of a is undefined in fold 0"):
            assay.compare(table, measure="recall", unit="fold")

    def test_without_folds_there_is_nothing_to_score(self, tmp_path: Path) -> None:
        table = _table(np.arange(N) % 10)
        del table["fold"]
        with pytest.raises(assay.UsageError, match="in a column called fold"):
            assay.compare(table, unit="fold")
        pd.DataFrame(table).to_csv(tmp_path / "t.csv", index=False)
        with pytest.raises(assay.UsageError, match="in a column called fold"):
            assay.compare(tmp_path / "t.csv", unit="fold")

    def test_data_sets_are_still_no_items(self) -> None:
        with pytest.raises(assay.UsageError, match="needs scores of the models by dataset"):
            assay.compare(_table(np.arange(N) % 10), unit="dataset")
