"""Learning curves: schedules, nested prefixes, and the scores of a real study."""

from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import EvidenceError, UsageError
from assay.store.record_types import PlanEntry
from assay.study.curve_tasks import Curves, as_curves, training_part
from assay.study.datasets import made, resolve
from assay.study.learning_sizes import (
    LearningCurve,
    apply_train_size,
    class_sequence,
    smallest_useful,
)
from assay.study.run import StudyResult
from assay.study.spec import Study
from assay.study.splits import Resampling, make_splits, split_seed


class TestSchedules:
    DATA = resolve("iris")

    def test_geometric_doubles(self) -> None:
        curve = LearningCurve(points=5, smallest=10)
        assert curve.below(self.DATA, 160) == (10, 20, 40, 80)

    def test_arithmetic_steps(self) -> None:
        assert LearningCurve(schedule="arithmetic", points=4).below(self.DATA, 120) == (30, 60, 90)
        curve = LearningCurve(schedule="arithmetic", points=3, smallest=20)
        assert curve.below(self.DATA, 120) == (20, 70)

    def test_sizes_as_rows_and_shares(self) -> None:
        assert LearningCurve(sizes=(0.5, 10, 0.1, 1.0)).below(self.DATA, 100) == (10, 50)

    def test_small_parts_have_fewer_points_not_repeated_ones(self) -> None:
        assert LearningCurve(points=8, smallest=10).below(self.DATA, 14) == (10, 11, 12, 13)

    def test_the_first_point_meets_every_class(self) -> None:
        assert smallest_useful(resolve("diabetes")) == 10
        assert smallest_useful(self.DATA) == 10
        flares = resolve("solar_flare")  # 36 of 1,066 are the smaller class
        rows = apply_train_size(np.arange(flares.n), smallest_useful(flares), 0, labels=flares.y)
        assert len(set(flares.y[rows].tolist())) == 2

    @pytest.mark.parametrize(
        ("facts", "message"),
        [
            ({"schedule": "harmonic"}, "schedule is one of geometric, arithmetic"),
            ({"points": 1}, "at least 2 points"),
            ({"smallest": 0}, "at least 1"),
            ({"sizes": (0.0,)}, "rows \\(10\\) or shares"),
            ({"sizes": (10.5,)}, "rows \\(10\\) or shares"),
            ({"sizes": (10,), "smallest": 5}, "not both"),
        ],
    )
    def test_refusals(self, facts: dict[str, Any], message: str) -> None:
        with pytest.raises(UsageError, match=message):
            LearningCurve(**facts).checked()

    def test_too_large(self) -> None:
        with pytest.raises(EvidenceError, match=r"200 training rows were asked for.* 135"):
            LearningCurve(sizes=(200,)).below(self.DATA, 135)
        with pytest.raises(EvidenceError, match="from 150 rows on"):
            LearningCurve(smallest=150).below(self.DATA, 135)


class TestPrefixes:
    TRAIN = np.arange(60) + 3

    @pytest.mark.parametrize("how", ["shuffled", "stratified", "grouped"])
    def test_smaller_sets_nest_in_larger_ones(self, how: str) -> None:
        extra: dict[str, Any] = {
            "shuffled": {},
            "stratified": {"labels": np.repeat(["a", "b"], [45, 15])},
            "grouped": {"groups": np.arange(60) // 4},
        }[how]
        small = apply_train_size(self.TRAIN, 10, 1, 0, 2, **extra)
        large = apply_train_size(self.TRAIN, 40, 1, 0, 2, **extra)
        assert small.tolist() == large[:10].tolist()
        assert set(large.tolist()) <= set(self.TRAIN.tolist())
        whole = apply_train_size(self.TRAIN, 60, 1, 0, 2, **extra)
        assert sorted(whole.tolist()) == self.TRAIN.tolist()

    def test_every_split_has_its_own_order(self) -> None:
        one = apply_train_size(self.TRAIN, 60, 1, 0, 2)
        other = apply_train_size(self.TRAIN, 60, 1, 0, 3)
        assert one.tolist() != other.tolist()

    @given(st.lists(st.integers(1, 40), min_size=1, max_size=5), st.integers(0, 99), st.data())
    def test_stratified_prefixes_keep_proportions(
        self, counts: list[int], seed: int, data: st.DataObject
    ) -> None:
        labels = np.repeat(np.arange(len(counts)), counts)
        size = data.draw(st.integers(1, labels.size))
        found = Counter(labels[apply_train_size(np.arange(labels.size), size, seed, labels=labels)])
        for label, count in enumerate(counts):
            assert abs(found[label] - size * count / labels.size) < 1

    @given(st.lists(st.integers(1, 60), min_size=2, max_size=8))
    def test_no_prefix_deviates_more_than_tijdeman_proved(self, counts: list[int]) -> None:
        sequence, n = class_sequence(tuple(counts)), sum(counts)
        assert np.bincount(sequence).tolist() == counts
        bound = 1 - 1 / (2 * len(counts) - 2)
        for label, count in enumerate(counts):
            exact = np.arange(1, n + 1) * count / n
            assert np.abs(np.cumsum(sequence == label) - exact).max() <= bound + 1e-9

    def test_which_of_equal_classes_comes_first_is_chance(self) -> None:
        labels = np.repeat(["a", "b", "c"], 20)
        first = {
            labels[apply_train_size(np.arange(60), 1, seed, labels=labels)][0] for seed in range(40)
        }
        assert first == {"a", "b", "c"}

    def test_groups_come_whole(self) -> None:
        groups = np.arange(60) % 15
        rows = apply_train_size(np.arange(60), 10, 5, groups=groups)
        sizes = sorted(Counter(groups[rows].tolist()).values())
        assert sizes == [2, 4, 4]

    def test_a_bootstrap_sample_keeps_its_copies(self) -> None:
        train = np.array([4, 4, 7, 7, 7, 9])
        assert Counter(apply_train_size(train, 6, 0).tolist()) == Counter(train.tolist())

    def test_too_many(self) -> None:
        with pytest.raises(
            EvidenceError, match="61 training rows were asked for; this split has 60"
        ):
            apply_train_size(self.TRAIN, 61, 1)


class TestTrainingPart:
    def test_plain_tasks_see_the_whole_part_as_it_is(self) -> None:
        data = resolve("wine")
        settled = Resampling(folds=5).settled()
        train, _ = make_splits(data, settled, 1)[0, 0]
        part = training_part(PlanEntry("", "wine", "nb", 0, 0), data, train, 9, Curves())
        assert part.rows is train
        assert (data.X[train] == part.X).all()
        assert part.noise_rate is None

    def test_the_order_is_that_of_the_curve(self) -> None:
        data = resolve("wine")
        train, _ = make_splits(data, Resampling(folds=5).settled(), 1)[0, 0]
        entry = PlanEntry("", "wine", "nb", 0, 0, train_size=12)
        orders = []
        for stratify in (True, False):
            curves = as_curves({"learning": {"stratify": stratify}})
            orders.append(training_part(entry, data, train, 9, curves).rows)
        labels = data.y[train]
        assert orders[0].tolist() == apply_train_size(train, 12, 9, 0, 0, labels=labels).tolist()
        assert orders[1].tolist() == apply_train_size(train, 12, 9, 0, 0).tolist()
        assert orders[0].tolist() != orders[1].tolist()

    def test_tables_become_curves_and_errors_name_the_key(self) -> None:
        assert as_curves(None) == Curves()
        assert as_curves({"learning": {"points": 3}}).learning == LearningCurve(points=3)
        with pytest.raises(UsageError, match=r"curves: .*pointz"):
            as_curves({"learning": {"pointz": 3}})


class TestPlan:
    def study(self, **changes: Any) -> Study:
        facts: dict[str, Any] = {
            "learners": {"nb": GaussianNB()},
            "datasets": ["iris"],
            "resampling": {"scheme": "cv", "folds": 5},
            "curves": {"learning": {"sizes": [20, 60]}},
        }
        return Study(**{**facts, **changes})

    def test_points_are_tasks_of_their_own(self) -> None:
        entries = self.study().plan().entries
        assert Counter(one.train_size for one in entries) == {None: 5, 20: 5, 60: 5}
        assert len({one.key for one in entries}) == 15

    def test_plain_tasks_keep_their_keys(self) -> None:
        plain = {one.key for one in self.study(curves=None).plan().entries}
        assert plain == {one.key for one in self.study().plan().entries if one.plain}

    def test_the_order_of_rows_is_part_of_the_key(self) -> None:
        other = self.study(curves={"learning": {"sizes": [20, 60], "stratify": False}})
        shared = {one.key for one in other.plan().entries}
        shared &= {one.key for one in self.study().plan().entries}
        assert len(shared) == 5

    def test_time_has_no_prefixes(self) -> None:
        with pytest.raises(UsageError, match="trains on more and more of the past"):
            self.study(resampling="time")

    def test_study_files(self, tmp_path: Path) -> None:
        path = tmp_path / "s.toml"
        text = (
            'datasets = ["iris"]\n[learners.nb]\nestimator = "sklearn.naive_bayes.GaussianNB"\n'
            '[curves.learning]\nschedule = "geometric"\npoints = 4\n'
        )
        path.write_text(text)
        study = Study.from_toml(path)
        assert study.curves.learning == LearningCurve(points=4)
        assert len(study.plan().entries) == 40
        path.write_text(text.replace("points = 4", "points = 1"))
        with pytest.raises(UsageError, match=r"line 4: a curve has at least 2 points"):
            Study.from_toml(path)


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    study = Study(
        name="curves",
        learners={
            "tree": DecisionTreeClassifier(min_samples_leaf=3),
            "many": KNeighborsClassifier(n_neighbors=25),  # cannot predict from fewer rows
        },
        datasets=["wine"],
        resampling={"scheme": "cv", "folds": 5},
        measures=["accuracy", "balanced_accuracy"],
        curves={"learning": {"points": 4, "smallest": 15}},
        seed=3,
    )
    return study.run(tmp_path_factory.mktemp("curve") / "s.db", workers=1, progress=False)


class TestStudy:
    def test_scores_are_those_of_scikit_learn_on_the_same_prefixes(self, done: StudyResult) -> None:
        data = done.study.datasets["wine"]
        splits = make_splits(data, done.study.resampling, 3)
        seed = split_seed(data, done.study.resampling, 3)
        scores = done.curve("learning")
        neighbours = scores.column("many")
        for place, size in enumerate([int(size) for size in scores.at[1:-1]], start=1):
            for fold in range(5):
                train, test = splits[0, fold]
                rows = apply_train_size(train, size, seed, 0, fold, labels=data.y[train])
                model = KNeighborsClassifier(n_neighbors=25).fit(data.X[rows], data.y[rows])
                assert neighbours[place, fold] == model.score(data.X[test], data.y[test])

    def test_points(self, done: StudyResult) -> None:
        scores = done.curve("learning")
        assert scores.at.tolist() == [15.0, 32.0, 67.0, 142.4]
        assert (scores.setting, scores.measure, scores.direction) == ("size", "accuracy", "higher")
        assert (scores.low, scores.high) == (0.0, 1.0)
        assert scores.n_train.mean() == 142.4
        assert scores.n_test.sum() == 178

    def test_a_point_that_failed_is_missing(self, done: StudyResult) -> None:
        scores = done.curve("learning")
        assert np.isnan(scores.column("many")[0]).all()
        assert not np.isnan(scores.values[1:]).any()
        assert {one.learner for one in done.failures} == {"many"}

    def test_other_quantities(self, done: StudyResult) -> None:
        leaves = done.curve("learning", measure="leaves").column("tree")
        assert (leaves[-1] > leaves[0]).all()
        assert (done.curve("learning", measure="complexity").column("tree") == leaves).all()
        seconds = done.curve("learning", measure="fit_cpu")
        assert (seconds.column("tree") > 0).all()
        assert seconds.direction is None
        balanced = done.curve("learning", measure="balanced_accuracy")
        assert balanced.measure == "balanced_accuracy"

    def test_main_tables_hold_plain_tasks_only(self, done: StudyResult) -> None:
        table = done.scores().by_fold()
        assert table.values.shape == (5, 2)
        assert table.values[:, 0].tolist() == done.curve("learning").column("tree")[-1].tolist()

    def test_what_is_not_there(self, done: StudyResult) -> None:
        with pytest.raises(UsageError, match="no noise curve on wine of noise on labels"):
            done.curve("noise")
        with pytest.raises(UsageError, match="say which data set: wine; got 'iris'"):
            done.curve("learning", dataset="iris")
        with pytest.raises(UsageError, match="did not record 'f1'"):
            done.curve("learning", measure="f1")


def test_groups_order_the_rows_of_a_study() -> None:
    rng = np.random.default_rng(0)
    data = made(
        "g", rng.normal(size=(40, 2)), rng.normal(size=40), source="", groups=np.arange(40) // 5
    )
    train = np.arange(30)
    entry = PlanEntry("", "g", "x", 0, 0, train_size=10)
    part = training_part(entry, data, train, 1, Curves())
    assert data.groups is not None
    assert sorted(Counter(data.groups[part.rows].tolist()).values()) == [5, 5]
