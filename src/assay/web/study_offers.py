"""What a study can be started with from the page: learners, ways to split and measures, with their words."""

from dataclasses import dataclass
from typing import Any

from assay.study.feature_tables import Task
from assay.study.splits import Scheme

Step = tuple[str, dict[str, Any]]
"""An estimator of scikit-learn by its dotted name, and its parameters."""
SCALED: Step = ("sklearn.preprocessing.StandardScaler", {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A learner by its name in the study; an empty kind of task is one that it cannot do."""

    name: str
    label: str
    classification: tuple[Step, ...] = ()
    regression: tuple[Step, ...] = ()

    def steps(self, task: Task) -> tuple[Step, ...]:
        return self.classification if task == "classification" else self.regression


def _both(
    name: str, label: str, classifier: str, regressor: str, *first: Step, **params: Any
) -> Offer:
    """A learner that does both, with the same parameters."""
    return Offer(
        name=name,
        label=label,
        classification=(*first, (f"sklearn.{classifier}", params)),
        regression=(*first, (f"sklearn.{regressor}", params)),
    )


LEARNERS: dict[str, Offer] = {
    one.name: one
    for one in (
        _both(
            "baseline",
            "Baseline: the most frequent class, or the mean",
            "dummy.DummyClassifier",
            "dummy.DummyRegressor",
        ),
        Offer(
            name="linear",
            label="Linear: logistic or ridge regression",
            classification=(
                SCALED,
                ("sklearn.linear_model.LogisticRegression", {"max_iter": 2000}),
            ),
            regression=(SCALED, ("sklearn.linear_model.Ridge", {})),
        ),
        Offer(
            name="bayes",
            label="Naive Bayes (classes only)",
            classification=(("sklearn.naive_bayes.GaussianNB", {}),),
        ),
        _both(
            "neighbours",
            "Nearest neighbours (k = 5)",
            "neighbors.KNeighborsClassifier",
            "neighbors.KNeighborsRegressor",
            SCALED,
        ),
        _both(
            "tree",
            "Decision tree",
            "tree.DecisionTreeClassifier",
            "tree.DecisionTreeRegressor",
        ),
        _both(
            "forest",
            "Random forest (100 trees)",
            "ensemble.RandomForestClassifier",
            "ensemble.RandomForestRegressor",
        ),
        _both(
            "boosting",
            "Gradient boosting",
            "ensemble.HistGradientBoostingClassifier",
            "ensemble.HistGradientBoostingRegressor",
        ),
        _both(
            "svm",
            "Support vector machine (RBF kernel)",
            "svm.SVC",
            "svm.SVR",
            SCALED,
        ),
        _both(
            "network",
            "Neural network (one layer of 100)",
            "neural_network.MLPClassifier",
            "neural_network.MLPRegressor",
            SCALED,
            max_iter=500,
        ),
    )
}
"""Learners by name, in the order of the page."""

SCHEMES: dict[Scheme, str] = {
    "cv": "cross-validation: 10 folds, once",
    "holdout": "one split: a third for testing",
    "subsampling": "random splits: 10, a third for testing",
    "5x2": "5 × 2 cross-validation",
    "bootstrap": "bootstrap: 50 samples, tested out of bag",
    "leave-one-out": "leave one out",
    "time": "in order of time: 5 steps",
}
TAKES: dict[str, tuple[Scheme, ...]] = {
    "folds": ("cv", "time"),
    "repeats": ("cv", "subsampling", "bootstrap"),
    "test_size": ("holdout", "subsampling"),
}
"""The fields of the form, and the schemes that have a use for each."""

MEASURES: dict[Task, tuple[str, ...]] = {
    "classification": (
        *("accuracy", "balanced_accuracy", "f1_macro", "mcc"),
        *("roc_auc", "log_loss", "brier"),
    ),
    "regression": ("rmse", "mae", "r2"),
}
TASK_WORDS: dict[Task, str] = {"classification": "classes", "regression": "numbers"}
