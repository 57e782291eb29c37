"""Running studies with real processes: the same numbers, whatever happens on the way."""

from pathlib import Path
from typing import Any

import pytest
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import assay
from assay.core.errors import EvidenceError, UsageError
from assay.study.learners import Learner
from assay.study.run import StudyResult
from assay.study.spec import Study
from assay.study.tuning import Tuning
from tests.study import estimators
from tests.study.survival import content


def study(**changes: Any) -> Study:
    facts: dict[str, Any] = {
        "learners": {
            "forest": RandomForestClassifier(n_estimators=10),
            "nb": GaussianNB(),
            "svm": Learner(SVC(), tuning=Tuning(grid={"C": [0.1, 10.0]}, folds=3)),
        },
        "datasets": ["iris", "wine"],
        "resampling": {"scheme": "cv", "folds": 3},
        "measures": ["accuracy", "log_loss"],
        "seed": 7,
    }
    return Study(**{**facts, **changes})


def finished(one: Study, store: Path, **options: Any) -> StudyResult:
    return one.run(store, progress=False, **options)


def by_learner(result: StudyResult) -> dict[str, dict[str, Any]]:
    return {record["learner"]: record for record in result.records()}


@pytest.fixture(scope="module")
def done(tmp_path_factory: pytest.TempPathFactory) -> StudyResult:
    """A study finished by two workers."""
    return finished(study(), tmp_path_factory.mktemp("run") / "two.db", workers=2)


class TestResults:
    def test_scores_are_those_of_scikit_learn_on_the_same_splits(self, done: StudyResult) -> None:
        from assay.study.splits import make_splits

        data = done.study.datasets["wine"]
        splits = make_splits(data, done.study.resampling, 7)
        found = done.scores("accuracy")
        for entry, value in zip(found.entries, found.values, strict=True):
            if (entry.dataset, entry.learner) == ("wine", "nb"):
                train, test = splits[entry.repeat, entry.fold]
                model = GaussianNB().fit(data.X[train], data.y[train])
                assert value == pytest.approx(model.score(data.X[test], data.y[test]), abs=1e-15)

    def test_one_worker_and_two_give_the_same_bits(self, done: StudyResult, tmp_path: Path) -> None:
        one = finished(study(), tmp_path / "one.db", workers=1)
        assert content(Path(one.store.location)) == content(Path(done.store.location))
        assert len(content(Path(one.store.location))) == 18

    def test_everything_is_recorded(self, done: StudyResult) -> None:
        record = next(one for one in done.records() if one["learner"] == "forest")
        assert record["status"] == "ok"
        assert record["n_train"] + record["n_test"] == 150
        assert record["fit_cpu"] > 0
        assert record["predict_wall"] > 0
        assert record["complexity_name"] == "leaves"
        assert record["details"]["complexity"]["trees"] == 10
        assert record["environment"]["scikit-learn"]
        assert '"n_estimators":10' in record["learner_description"]
        assert done.scores("accuracy", part="train").values.min() > 0.6

    def test_a_measure_that_a_learner_cannot_give_is_told(self, done: StudyResult) -> None:
        svm = next(one for one in done.records() if one["learner"] == "svm")
        assert "log_loss is undefined here" in svm["details"]["warnings"]
        blocks = done.scores("log_loss").by_dataset()
        assert [value != value for value in blocks.values[0]] == [False, False, True]

    def test_the_tables(self, done: StudyResult) -> None:
        blocks = done.scores().by_dataset()
        assert (blocks.names, blocks.models) == (("iris", "wine"), ("forest", "nb", "svm"))
        assert (blocks.values > 0.6).all()
        assert done.scores().by_fold("iris").values.shape == (3, 3)
        with pytest.raises(UsageError, match="say one of iris, wine"):
            done.scores().by_fold()

    def test_tuning_is_summed_up(self, done: StudyResult) -> None:
        summaries = {one.dataset: one for one in done.tuning()}
        assert set(summaries) == {"iris", "wine"}
        assert sum(count for _, count in summaries["iris"].wins) == 3
        assert summaries["iris"].outer == pytest.approx(done.scores().by_dataset().values[0, 2])

    def test_the_model_to_use_is_refitted_on_all_data(self, done: StudyResult) -> None:
        model = done.refit("iris", "svm")
        assert model.best_estimator_.support_vectors_.shape[0] > 0
        with pytest.raises(UsageError, match="the study has no 'tree'"):
            done.refit("iris", "tree")

    def test_predictions_are_evidence(self, done: StudyResult) -> None:
        evidence = done.predictions("iris")
        assert evidence.n == 150
        assert evidence.models == ("forest", "nb", "svm")
        assert evidence.offers["nb"] == {"labels", "probabilities"}
        overall = assay.evaluate(evidence.select("nb"), measures=("accuracy",), rng=1)
        mean = done.scores("accuracy").by_dataset().values[0, 1]
        assert overall.estimates[0].value == pytest.approx(mean)
        verdict = assay.compare(evidence.select("forest", "nb"), measure="accuracy", rng=1)
        assert len(verdict.verdicts) == 1

    def test_regression_and_repeated_items_as_clusters(self, tmp_path: Path) -> None:
        values = Study(
            learners={"line": LinearRegression(), "tree": DecisionTreeRegressor(max_depth=3)},
            datasets=["diabetes"],
            resampling={"scheme": "cv", "folds": 2, "repeats": 2},
            measures=["rmse", "r2"],
        )
        found = finished(values, tmp_path / "s.db", workers=1)
        assert found.failures == ()
        assert found.scores("r2").by_dataset().values[0, 0] > 0.3
        evidence = found.predictions("diabetes")
        assert evidence.offers["line"] == {"values"}
        assert (evidence.n, evidence.clusters) == (884, 442)


class TestResume:
    def test_again_runs_nothing_and_a_new_learner_runs_alone(self, tmp_path: Path) -> None:
        store, diary = tmp_path / "s.db", tmp_path / "diary"
        first = {"diary": estimators.Diary(str(diary), 0.0)}
        changes: dict[str, Any] = {"datasets": ["iris"], "measures": ["accuracy"]}
        finished(study(learners=first, **changes), store, workers=1)
        assert len(diary.read_text().splitlines()) == 3
        more = study(learners={**first, "nb": GaussianNB()}, **changes)
        found = finished(more, store, workers=1)
        assert len(diary.read_text().splitlines()) == 3
        assert len(found.scores().entries) == 6
        finished(more, store, workers=1, force=True, only="iris/diary")
        assert len(diary.read_text().splitlines()) == 6

    def test_only_runs_a_part_and_says_what_is_missing(self, tmp_path: Path) -> None:
        found = finished(study(), tmp_path / "s.db", workers=1, only="wine/nb")
        assert len(found.missing) == 15
        assert {entry.learner for entry in found.missing} == {"forest", "nb", "svm"}
        with pytest.raises(EvidenceError, match="tasks have no predictions"):
            found.predictions("wine")
        assert found.predictions("wine", learners=["nb"]).n == 178
        with pytest.raises(UsageError, match="nothing of the study matches 'tree'"):
            finished(study(), tmp_path / "s.db", only="tree")

    def test_a_measure_added_later_needs_no_fit(self, done: StudyResult, tmp_path: Path) -> None:
        store = tmp_path / "s.db"
        diary = tmp_path / "diary"
        learners = {"diary": estimators.Diary(str(diary), 0.0), "nb": GaussianNB()}
        facts: dict[str, Any] = {"learners": learners, "datasets": ["iris"]}
        finished(study(**facts, measures=["accuracy"]), store, workers=1)
        both = [estimators.half_right, "accuracy", "log_loss"]
        found = finished(study(**facts, measures=both), store, workers=1)
        assert len(diary.read_text().splitlines()) == 3
        one = found.scores("accuracy").by_dataset().values
        assert (found.scores("half_right").by_dataset().values == one / 2).all()
        direct = done.scores("log_loss").by_dataset().values[0, 1]
        assert found.scores("log_loss").by_dataset().values[0, 1] == direct


class TestMisfortune:
    def test_bad_learners_do_not_stop_the_others(self, tmp_path: Path) -> None:
        learners = {
            "tree": DecisionTreeClassifier(),
            "raises": estimators.Raises(),
            "nan": estimators.SaysNaN(),
            "hangs": estimators.Hangs(),
            "dies": estimators.Dies(),
        }
        one = study(
            learners=learners, datasets=["iris"], resampling="holdout", measures=["accuracy"]
        )
        store = tmp_path / "s.db"
        finished(one, store, workers=2, only=["tree", "raises", "nan", "dies"])
        found = finished(one, store, workers=2, time_limit=0.5)
        failures = {failure.learner: failure for failure in found.failures}
        status = {name: failure.status for name, failure in failures.items()}
        assert status == {
            "raises": "failed", "nan": "failed", "hangs": "timeout", "dies": "lost",
        }  # fmt: skip
        assert failures["raises"].reason == "ValueError: this learner always raises"
        assert "Traceback" in failures["raises"].error
        assert "NaN or infinite for 50 of 50 items" in failures["nan"].reason
        assert failures["hangs"].reason == "stopped after 0.5 s"
        assert "SIGKILL" in failures["dies"].reason
        attempts = {record["learner"]: record["attempts"] for record in found.records()}
        assert attempts["dies"] == 3
        assert found.missing == ()
        values = dict(zip(found.scores().learners, found.scores().values, strict=True))
        assert values["tree"] > 0.8
        assert sum(value != value for value in values.values()) == 4
        with pytest.raises(EvidenceError, match="4 of 5 tasks have no predictions"):
            found.predictions("iris")
        self.again(one, store)

    def again(self, one: Study, store: Path) -> None:
        """Failures are finished work; a larger limit gives those a new chance that broke it."""
        before = by_learner(finished(one, store, workers=1, time_limit=0.5))
        after = by_learner(finished(one, store, workers=1, time_limit=0.6))
        assert {name for name in after if after[name] != before[name]} == {"hangs"}
        assert after["hangs"]["limit_value"] == 0.6

    def test_a_learner_without_end_of_memory(self, tmp_path: Path) -> None:
        """Its worker makes way for a fresh one, and the tasks behind it run."""
        learners = {"greedy": estimators.Greedy(), "nb": GaussianNB()}
        one = study(learners=learners, datasets=["iris"], measures=["accuracy"])
        found = finished(one, tmp_path / "s.db", workers=1, memory_limit=500.0)
        assert [failure.status for failure in found.failures] == ["memory"] * 3
        assert "MemoryError" in found.failures[0].reason
        assert found.scores().by_dataset().values[0, 1] > 0.9
        assert [record["limit_value"] for record in found.records()[:3]] == [500.0] * 3

    def test_splits_that_need_care_are_noted(self, tmp_path: Path) -> None:
        import numpy as np

        y = np.array(["a"] * 58 + ["b"] * 2, dtype=object)
        rare = study(
            learners={"nb": GaussianNB()}, measures=["accuracy"],
            datasets={"rare": (np.random.default_rng(1).normal(size=(60, 2)), y)},
        )  # fmt: skip
        assert [one.code for one in rare.notes] == ["class-below-folds"]
