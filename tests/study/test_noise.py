"""Noise in training data: how much is replaced, by what, and nothing else."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB

from assay.core.errors import UsageError
from assay.core.rng import stream
from assay.store.record_types import PlanEntry
from assay.study.curve_tasks import Curves, training_part
from assay.study.datasets import resolve
from assay.study.noise import NoiseCurve, apply_noise
from assay.study.run import StudyResult
from assay.study.spec import Study

X = np.arange(40, dtype=float).reshape(20, 2)
Y = np.array(list("aaaaaaaaaabbbbbccccc"), dtype=object)


class TestLabels:
    def test_the_stated_share_is_drawn_anew_from_the_classes(self) -> None:
        data = resolve("adult")
        noisy = apply_noise(data.X, data.y, "labels", 0.4, stream(1))
        # two classes: half of the draws are the old label
        assert noisy.rate == pytest.approx(0.2, abs=0.02)
        assert noisy.rate == np.mean(noisy.y != data.y)
        assert noisy.X is data.X
        assert set(noisy.y.tolist()) == set(data.y.tolist())

    def test_draws_are_even_over_classes_not_over_rows(self) -> None:
        rare = np.array(["a"] * 9900 + ["b"] * 100, dtype=object)
        noisy = apply_noise(np.zeros((10000, 1)), rare, "labels", 1.0, stream(3))
        assert np.mean(noisy.y == "b") == pytest.approx(0.5, abs=0.02)

    def test_higher_levels_hold_the_lower_ones(self) -> None:
        low, high = (apply_noise(X, Y, "labels", level, stream(2)).y for level in (0.3, 0.8))
        changed = low != Y
        assert changed.any()
        assert (high[changed] == low[changed]).all()

    def test_a_regression_draws_from_its_own_values(self) -> None:
        y = np.linspace(0.0, 1.0, 50)
        noisy = apply_noise(np.zeros((50, 1)), y, "labels", 0.5, stream(1), task="regression")
        assert np.isin(noisy.y, y).all()
        assert 0.3 < noisy.rate <= 0.5

    @given(st.floats(0.0, 1.0), st.integers(0, 999))
    def test_never_more_than_stated_and_nothing_in_place(self, level: float, seed: int) -> None:
        before = Y.copy()
        noisy = apply_noise(X, Y, "labels", level, stream(seed))
        assert noisy.rate <= round(level * Y.size) / Y.size
        assert (before == Y).all()


class TestFeatures:
    def test_values_come_from_their_own_column(self) -> None:
        noisy = apply_noise(X, Y, "features", 0.5, stream(1))
        for column in range(2):
            assert set(noisy.X[:, column]) <= set(X[:, column])
        assert noisy.rate == np.mean(noisy.X != X)
        assert 0.3 < noisy.rate <= 0.5
        assert noisy.y is Y
        assert X[0, 0] == 0.0

    def test_higher_levels_hold_the_lower_ones(self) -> None:
        low, high = (apply_noise(X, Y, "features", level, stream(2)).X for level in (0.2, 0.7))
        changed = low != X
        assert changed.any()
        assert (high[changed] == low[changed]).all()

    def test_missing_values_and_categories(self) -> None:
        data = resolve("titanic")
        noisy = apply_noise(data.X, data.y, "features", 0.3, stream(4))
        age = data.features.index("age")
        before, after = (np.isnan(x[:, age].astype(float)).mean() for x in (data.X, noisy.X))
        assert after == pytest.approx(before, abs=0.04)
        same = [
            one == other or (one is None and other is None) or (one != one and other != other)
            for one, other in zip(data.X.ravel(), noisy.X.ravel(), strict=True)
        ]
        assert noisy.rate == pytest.approx(1 - np.mean(same))

    def test_a_frame_stays_a_frame_of_the_same_types(self) -> None:
        frame = pd.DataFrame(
            {
                "x": np.arange(30.0),
                "kind": pd.Categorical(list("uvw") * 10),
                "count": pd.array([1, None, 3] * 10, dtype="Int64"),
                "word": ["one", None, "two"] * 10,
            }
        )
        before = frame.copy()
        noisy = apply_noise(frame, np.zeros(30), "features", 0.5, stream(1))
        pd.testing.assert_frame_equal(frame, before)
        assert (noisy.X.dtypes == frame.dtypes).all()
        assert set(noisy.X["kind"]) <= set("uvw")
        assert 0.2 < noisy.rate < 0.5
        assert len(noisy.X) == 30

    def test_a_constant_column_cannot_change(self) -> None:
        assert apply_noise(np.ones((9, 3)), Y[:9], "features", 1.0, stream(1)).rate == 0.0


class TestTrainingPart:
    def test_same_split_same_noise_for_every_learner(self) -> None:
        data, train = resolve("wine"), np.arange(0, 178, 2)
        parts = [
            training_part(
                PlanEntry("", "wine", name, 0, fold, None, "labels", 0.3), data, train, 5, Curves()
            )
            for name, fold in (("a", 0), ("b", 0), ("a", 1))
        ]
        assert parts[0].y.tolist() == parts[1].y.tolist()
        assert parts[0].y.tolist() != parts[2].y.tolist()
        assert parts[0].noise_rate == np.mean(parts[0].y != data.y[train])
        assert parts[0].rows is train


class TestNoiseCurve:
    def test_kinds_and_levels(self) -> None:
        curve = NoiseCurve(on=("labels", "features"), levels=(0.4, 0.0, 0.1)).checked()
        assert curve.kinds == ("labels", "features")
        assert curve.above_zero == (0.1, 0.4)
        assert NoiseCurve().kinds == ("labels",)

    @pytest.mark.parametrize(
        ("facts", "message"),
        [
            ({"on": "weights"}, "noise is on labels or features; got 'weights'"),
            ({"on": ()}, "noise is on"),
            ({"levels": (0.1, 1.2)}, "shares from 0 to 1"),
            ({"levels": (0.0,)}, "one of them above 0"),
        ],
    )
    def test_refusals(self, facts: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            NoiseCurve(**facts).checked()


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    study = Study(
        name="noise",
        learners={"nb": GaussianNB()},
        datasets=["wine", "penguins"],
        resampling={"scheme": "cv", "folds": 4},
        curves={"noise": {"on": ["labels", "features"], "levels": [0, 0.25, 0.5]}},
        seed=1,
    )
    return study.run(tmp_path_factory.mktemp("noise") / "s.db", workers=1, progress=False)


class TestStudy:
    def test_points_and_effective_rates(self, done: StudyResult) -> None:
        scores = done.curve("noise", dataset="wine")
        assert scores.at.tolist() == [0.0, 0.25, 0.5]
        assert scores.setting == "level"
        assert scores.effective is not None
        # three classes: a third of the draws are the old label
        assert scores.effective == pytest.approx([0.0, 0.25 * 2 / 3, 0.5 * 2 / 3], abs=0.05)
        assert scores.effective[0] == 0.0

    def test_noise_is_in_training_only(self, done: StudyResult) -> None:
        plain = done.scores().by_fold("wine").values[:, 0]
        assert done.curve("noise", dataset="wine").column("nb")[0].tolist() == plain.tolist()
        # tests are clean: half of the training labels drawn anew leave most answers right
        assert done.curve("noise", dataset="wine").column("nb")[-1].mean() > 0.85

    def test_features_of_mixed_columns(self, done: StudyResult) -> None:
        scores = done.curve("noise", dataset="penguins", on="features")
        assert not np.isnan(scores.values).any()
        assert scores.column("nb")[0].tolist() != scores.column("nb")[2].tolist()
        assert scores.effective is not None
        assert 0.25 < scores.effective[2] < 0.5

    def test_the_rate_is_in_the_record(self, done: StudyResult) -> None:
        rates = [
            (one["noise_level"], one["details"].get("noise_rate"))
            for one in done.records()
            if one["noise_on"] is None or one["noise_level"] == 0.5
        ]
        assert all((rate is None) == (level is None) for level, rate in rates)
        assert all(0.0 < rate < 0.5 for _, rate in rates if rate is not None)

    def test_study_files(self, tmp_path: Path) -> None:
        path = tmp_path / "s.toml"
        path.write_text(
            'datasets = ["diabetes"]\n'
            '[learners.line]\nestimator = "sklearn.linear_model.LinearRegression"\n'
            '[curves.noise]\non = "labels"\nlevels = [0.0, 0.2]\n'
        )
        study = Study.from_toml(path)
        assert isinstance(study.learners["line"].estimator, LinearRegression)
        assert sum(one.noise_level == 0.2 for one in study.plan().entries) == 10
