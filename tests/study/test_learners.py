"""Learners: preparation inside the split, seeds, balance, complexity, and names from files."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.neural_network import MLPClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC
from sklearn.tree import DecisionTreeClassifier

from assay.core.errors import UsageError
from assay.study.balance import Balanced, balanced_rows
from assay.study.datasets import Dataset, made, resolve
from assay.study.learners import (
    Learner,
    as_learner,
    complexity_of,
    from_name,
    innermost,
    seed_at,
)
from assay.study.preparation import column_kinds, preparation_for
from assay.study.splits import Resampling
from assay.study.tuning import Tuning

PLAIN = Resampling().settled()


def mixed(frame: bool = True) -> Dataset:
    rng = np.random.default_rng(0)
    size = rng.normal(size=60)
    size[::7] = np.nan
    colour = np.array(["red", "green", None, "blue"] * 15, dtype=object)
    table = pd.DataFrame({"size": size, "colour": colour, "count": np.arange(60)})
    X = table if frame else table.astype(object).to_numpy()
    if not frame:
        X[:, 1] = colour
    y = np.where(np.nan_to_num(size) > 0, "up", "down")
    return made("mixed", X, y.astype(object), source="memory")


class TestPreparation:
    @pytest.mark.parametrize("frame", [True, False])
    def test_mixed_columns_with_gaps_become_numbers(self, frame: bool) -> None:
        data = mixed(frame)
        numbers, categories, missing = column_kinds(data.X)
        assert (len(numbers), len(categories), missing) == (2, 1, True)
        built = Learner(DecisionTreeClassifier()).build(data, PLAIN, 1, None)
        fitted = built.estimator.fit(data.X, data.y)
        made_numbers = fitted[:-1].transform(data.X)
        assert made_numbers.shape == (60, 2 + 4)  # red, green, blue and the missing one
        assert np.isfinite(made_numbers.astype(float)).all()

    def test_an_unseen_category_is_no_error(self) -> None:
        data = mixed()
        fitted = Learner(DecisionTreeClassifier()).build(data, PLAIN, 1, None).estimator
        fitted.fit(data.X[:40], data.y[:40])
        strange = data.X[40:].assign(colour="violet")
        assert len(fitted.predict(strange)) == 20

    def test_the_median_is_of_the_training_part(self) -> None:
        X = np.array([[1.0], [2.0], [3.0], [np.nan], [100.0]])
        step = preparation_for(X).fit(X[:4])
        assert step.transform(X)[3, 0] == 2.0

    def test_complete_numbers_are_left_alone(self) -> None:
        assert preparation_for(np.ones((3, 2))) is None

    def test_a_pipeline_that_deals_with_gaps_itself_is_left_alone(self) -> None:
        own = make_pipeline(SimpleImputer(), GaussianNB())
        built = Learner(own).build(mixed(), PLAIN, 1, None)
        assert [name for name, _ in built.estimator.steps] == ["simpleimputer", "gaussiannb"]

    def test_a_pipeline_that_only_scales_gets_it_in_front_and_keeps_its_names(self) -> None:
        own = make_pipeline(StandardScaler(), SVC())
        built = Learner(own).build(mixed(), PLAIN, 1, None)
        assert [name for name, _ in built.estimator.steps] == ["prepare", "standardscaler", "svc"]
        assert built.prefix == ""

    def test_prepare_false_gives_the_learner_the_data_as_they_are(self) -> None:
        built = Learner(SVC(), prepare=False).build(mixed(), PLAIN, 1, None)
        assert isinstance(built.estimator, SVC)


class TestSeeds:
    def test_every_open_seed_is_fixed_and_given_ones_are_kept(self) -> None:
        data = resolve("iris")
        one = Learner(RandomForestClassifier()).build(data, PLAIN, 3, None).estimator
        assert one.random_state == seed_at(3, "random_state")
        kept = Learner(RandomForestClassifier(random_state=9)).build(data, PLAIN, 3, None)
        assert kept.estimator.random_state == 9

    def test_the_users_estimator_is_not_touched(self) -> None:
        tree = DecisionTreeClassifier()
        Learner(tree).build(resolve("iris"), PLAIN, 3, None).estimator.fit([[1], [2]], [0, 1])
        assert tree.random_state is None
        assert not hasattr(tree, "tree_")

    def test_threads_are_one(self) -> None:
        built = Learner(RandomForestClassifier(n_jobs=-1)).build(resolve("iris"), PLAIN, 3, None)
        assert built.estimator.n_jobs is None
        same = [Learner(RandomForestClassifier(n_jobs=n)).description("x") for n in (1, -1)]
        assert same[0] == same[1]


class TestBalance:
    def test_over_and_under(self) -> None:
        y = np.array(["a"] * 20 + ["b"] * 5)
        over = y[balanced_rows(y, "over", 1)]
        assert np.unique(over, return_counts=True)[1].tolist() == [20, 20]
        under = balanced_rows(y, "under", 1)
        assert np.unique(y[under], return_counts=True)[1].tolist() == [5, 5]
        assert len(set(under)) == 10

    def test_it_sits_inside_the_search_so_that_copies_never_cross_inner_folds(self) -> None:
        tuning = Tuning(grid={"max_depth": [1, 2]})
        learner = Learner(DecisionTreeClassifier(), tuning=tuning)
        settled = Resampling(balance="over").settled()
        built = learner.build(resolve("wine"), settled, 1, None)
        assert isinstance(built.estimator.estimator, Balanced)
        assert built.estimator.param_grid == {"estimator__max_depth": [1, 2]}

    def test_probabilities_exist_where_the_learner_has_them(self) -> None:
        data = resolve("wine")
        fitted = Balanced(GaussianNB(), "under", 1).fit(data.X, data.y)
        assert fitted.predict_proba(data.X).shape == (178, 3)
        assert not hasattr(Balanced(SVC()), "predict_proba")


class TestComplexity:
    @pytest.mark.parametrize(
        ("model", "name", "value"),
        [
            (DecisionTreeClassifier(max_leaf_nodes=4), "leaves", 4),
            (RandomForestClassifier(n_estimators=3, max_leaf_nodes=2), "leaves", 6),
            (HistGradientBoostingClassifier(max_iter=2, max_leaf_nodes=3), "leaves", 18),
            (LogisticRegression(max_iter=10), "non-zero coefficients", 39),
            (GaussianNB(), "parameters", 78),
            (KNeighborsClassifier(), "examples kept", 178),
            (MLPClassifier((5,), max_iter=5), "parameters", 13 * 5 + 5 + 5 * 3 + 3),
        ],
    )
    @pytest.mark.filterwarnings("ignore")
    def test_it_is_counted_and_named(self, model: Any, name: str, value: float) -> None:
        data = resolve("wine")
        found = complexity_of(model.fit(data.X, data.y))
        assert next(iter(found.items())) == (name, value)

    def test_a_lasso_counts_what_it_kept(self) -> None:
        data = resolve("diabetes")
        found = complexity_of(Lasso(alpha=1.0).fit(data.X, data.y))
        assert 0 < found["non-zero coefficients"] < found["parameters"] == 11

    def test_it_looks_inside_pipelines_and_searches(self) -> None:
        data = resolve("wine")
        model = make_pipeline(StandardScaler(), SVC()).fit(data.X, data.y)
        assert complexity_of(innermost(model))["support vectors"] > 10

    def test_a_hook_of_ones_own(self) -> None:
        data = resolve("wine")
        learner = Learner(GaussianNB(), complexity=lambda model: {"classes": len(model.classes_)})
        built = learner.build(data, PLAIN, 1, None)
        built.estimator.fit(data.X, data.y)
        assert built.complexity() == {"classes": 3.0}


class TestNames:
    def test_an_estimator_by_its_dotted_name(self) -> None:
        found = from_name("sklearn.tree.DecisionTreeClassifier", {"max_depth": 2}, ("sklearn",))
        assert found.max_depth == 2

    def test_an_estimator_inside_another(self) -> None:
        inner = {"estimator": "sklearn.tree.DecisionTreeClassifier", "params": {"max_depth": 1}}
        name = "sklearn.ensemble.AdaBoostClassifier"
        assert from_name(name, {"estimator": inner}, ("sklearn",)).estimator.max_depth == 1

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("os.system", r"allow=\['os'\]"),
            ("sklearn.tree.Nothing", "there is no estimator"),
            ("sklearn.utils.Bunch", "is not an estimator class"),
            ("sklearn.os.system", "there is no estimator|is not an estimator"),
            ("sklearn.metrics.accuracy_score", "is not an estimator class"),
            ("sklearn", "there is no estimator"),
        ],
    )
    def test_anything_else_is_refused(self, name: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            from_name(name, {}, ("sklearn",))

    def test_a_wrong_parameter_is_named(self) -> None:
        with pytest.raises(UsageError, match="unexpected keyword argument 'depth'"):
            from_name("sklearn.tree.DecisionTreeClassifier", {"depth": 3}, ("sklearn",))

    def test_a_class_is_not_an_estimator_object(self) -> None:
        with pytest.raises(UsageError, match="learner tree: an estimator object"):
            as_learner(DecisionTreeClassifier, "tree")
