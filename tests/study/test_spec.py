"""What a study is: keys that follow what matters, and checks before anything runs."""

from typing import Any

import pytest
from sklearn.linear_model import LinearRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import EvidenceError, UsageError
from assay.study.datasets import made, resolve
from assay.study.learners import Learner
from assay.study.spec import Study, task_key
from assay.study.tuning import Tuning


def study(**changes: Any) -> Study:
    facts: dict[str, Any] = {
        "learners": {"tree": DecisionTreeClassifier(), "nb": GaussianNB()},
        "datasets": ["iris"],
        "resampling": {"scheme": "cv", "folds": 3},
        "seed": 1,
    }
    return Study(**{**facts, **changes})


def keys(one: Study) -> list[str]:
    return [entry.key for entry in one.plan().entries]


class TestKeys:
    def test_the_same_study_has_the_same_keys(self) -> None:
        assert keys(study()) == keys(study())
        assert len(set(keys(study()))) == 6
        assert all(len(key) == 32 for key in keys(study()))

    @pytest.mark.parametrize(
        "changes",
        [
            {"seed": 2},
            {"datasets": ["wine"]},
            {"resampling": {"scheme": "cv", "folds": 3, "balance": "over"}},
            {"resampling": {"scheme": "cv", "folds": 3, "stratify": False}},
            {"learners": {"tree": DecisionTreeClassifier(max_depth=3), "nb": GaussianNB(priors=[1, 0, 0])}},
        ],
        ids=["seed", "data", "balance", "stratify", "parameters"],
    )  # fmt: skip
    def test_what_determines_the_result_changes_the_key(self, changes: dict[str, Any]) -> None:
        assert not set(keys(study())) & set(keys(study(**changes)))

    def test_one_changed_cell_of_the_data_changes_the_key(self) -> None:
        data = resolve("iris")
        X = data.X.copy()
        X[17, 2] += 1e-9
        other = made("iris", X, data.y, source="memory")
        assert not set(keys(study())) & set(keys(study(datasets=[other])))

    def test_names_measures_and_other_learners_do_not_change_it(self) -> None:
        renamed = study(learners={"baum": DecisionTreeClassifier()}, measures=["mcc", "log_loss"])
        assert set(keys(renamed)) < set(keys(study()))

    def test_training_size_and_noise_are_part_of_it(self) -> None:
        variants = [
            task_key("base", 0, 0),
            task_key("base", 0, 0, train_size=50),
            task_key("base", 0, 0, noise_on="labels", noise_level=0.1),
            task_key("base", 0, 0, noise_on="features", noise_level=0.1),
            task_key("base", 0, 1),
            task_key("base", 1, 0),
            task_key("other", 0, 0),
        ]
        assert len(set(variants)) == len(variants)

    def test_the_measure_that_tunes_is_part_of_it(self) -> None:
        tuned = {"tree": Learner(DecisionTreeClassifier(), tuning=Tuning(grid={"max_depth": [1]}))}
        by_accuracy = study(learners=tuned)
        by_mcc = study(learners=tuned, measures=["mcc"])
        assert not set(keys(by_accuracy)) & set(keys(by_mcc))


class TestDefaults:
    def test_the_measure_follows_the_task(self) -> None:
        assert [one.name for one in study().measures] == ["accuracy"]
        values = study(learners={"line": LinearRegression()}, datasets=["diabetes"])
        assert [one.name for one in values.measures] == ["rmse"]

    def test_data_sets_by_name_pair_or_mapping(self) -> None:
        iris = resolve("iris")
        found = study(datasets={"mine": (iris.X, iris.y), "wine": "wine"})
        assert list(found.datasets) == ["mine", "wine"]


def test_fits_may_stand_beside_the_scheme_in_python_too() -> None:
    given: dict[str, Any] = {"learners": {"tree": DecisionTreeClassifier()}, "datasets": ["iris"]}
    found = Study(**given, resampling="valid", fits=25)
    assert (found.resampling.folds, found.resampling.repeats) == (5, 5)
    with pytest.raises(UsageError, match="goes with resampling='valid'"):
        Study(**given, resampling="cv", fits=25)


class TestErrors:
    @pytest.mark.parametrize(
        ("changes", "message"),
        [
            ({"learners": {}}, "at least one learner"),
            ({"datasets": []}, "at least one data set"),
            ({"datasets": ["iris", "iris"]}, "two data sets are called 'iris'"),
            ({"measures": ["acuracy"]}, "did you mean accuracy"),
            ({"measures": ["rmse"]}, "rmse needs values, and iris is a classification"),
            ({"learners": {"line": LinearRegression()}}, "the learner line is a regressor"),
            (
                {"datasets": ["iris", "diabetes"], "measures": []},
                r"classification \(iris\) and regression \(diabetes\): keep the two kinds in two",
            ),
            ({"resampling": {"schema": "cv"}}, "unknown field `schema`"),
            ({"resampling": "cross"}, "no scheme 'cross' of splits; there are valid"),
            ({"seed": -1}, "seed is a whole number"),
            (
                {"learners": {"svm": Learner(SVC(), tuning=Tuning(grid={"C": []}))}},
                "learner svm: tune.C is a list of values",
            ),
        ],
    )
    def test_mistakes_are_named_before_anything_runs(
        self, changes: dict[str, Any], message: str
    ) -> None:
        with pytest.raises((UsageError, EvidenceError), match=message):
            study(**changes)
