"""What scikit-learn gives: scores of folds, dictionaries of cross-validation, searches."""

from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pandas as pd

from tests.door.given import Answer, Given, Object, asked, certain, defensible

GOOD_BAD = (("bayes", "dummy"),)
CLOSE = (("bayes", "near"),)
FOLDS_10 = {"folds": 10}


@cache
def data(n: int = 240) -> tuple[Any, Any]:
    from sklearn.datasets import load_breast_cancer

    x, y = load_breast_cancer(return_X_y=True)
    return x[:n], y[:n]


def learners() -> dict[str, Any]:
    from sklearn.dummy import DummyClassifier
    from sklearn.naive_bayes import GaussianNB

    return {
        "bayes": GaussianNB(),
        "near": GaussianNB(var_smoothing=1e-7),
        "dummy": DummyClassifier(),
    }


def crossed(
    cv: Any,
    *,
    other: str = "dummy",
    keywords: Any = None,
    indices: bool = False,
    scoring: Any = None,
) -> Callable[[], Given]:
    """Dictionaries of `cross_validate` of two learners on the same splits."""

    def build() -> Given:
        from sklearn.model_selection import LeaveOneOut, cross_validate

        x, y = data(100 if isinstance(cv, LeaveOneOut) else 240)
        found = {
            name: cross_validate(
                learners()[name], x, y, cv=cv, return_indices=indices, scoring=scoring
            )
            for name in ("bayes", other)
        }
        return Given((found,), keywords or {}, _of_test(found))

    return build


def regressed(scoring: Any, keywords: Any = None, *, indices: bool = False) -> Callable[[], Given]:
    def build() -> Given:
        from sklearn.datasets import load_diabetes
        from sklearn.dummy import DummyRegressor
        from sklearn.linear_model import Ridge
        from sklearn.model_selection import cross_validate

        x, y = load_diabetes(return_X_y=True)
        models = {"bayes": Ridge(0.1), "dummy": DummyRegressor()}
        found = {
            name: cross_validate(model, x, y, cv=5, scoring=scoring, return_indices=indices)
            for name, model in models.items()
        }
        return Given((found,), keywords or {}, _of_test(found))

    return build


def _of_test(found: dict[str, Any]) -> dict[str, Any]:
    """scikit-learn's scores are all better higher."""
    key = next(name for name in next(iter(found.values())) if name.startswith("test_"))
    return {name: np.asarray(scores[key]) for name, scores in found.items()}


def scores(cv: Any, wrap: Callable[[dict[str, Any]], Any] = dict) -> Callable[[], Given]:
    """Bare arrays of `cross_val_score`."""

    def build() -> Given:
        from sklearn.model_selection import LeaveOneOut, cross_val_score

        x, y = data(100 if isinstance(cv, LeaveOneOut) else 240)
        found = {
            name: cross_val_score(learners()[name], x, y, cv=cv) for name in ("bayes", "dummy")
        }
        return Given((wrap(found),), {}, found)

    return build


def search(whole: bool) -> Callable[[], Given]:
    def build() -> Given:
        from sklearn.model_selection import GridSearchCV
        from sklearn.tree import DecisionTreeClassifier

        grid = GridSearchCV(
            DecisionTreeClassifier(random_state=0), {"max_depth": [1, 4]}, cv=10
        ).fit(*data())
        return Given((grid if whole else grid.cv_results_,))

    return build


def _cases() -> list[Object]:
    from sklearn.model_selection import (
        KFold,
        LeaveOneOut,
        RepeatedStratifiedKFold,
        ShuffleSplit,
    )

    kfold = KFold(10, shuffle=True, random_state=0)
    repeated = RepeatedStratifiedKFold(n_splits=5, n_repeats=6, random_state=1)
    random = ShuffleSplit(30, test_size=0.3, random_state=0)
    halves = RepeatedStratifiedKFold(n_splits=2, n_repeats=5, random_state=2)
    told = {"unit": "fold", "folds": 10, "lower_is_better": False}
    fold: dict[str, Any] = {"unit": "fold"}
    squared, absolute, root = (
        "neg_mean_squared_error",
        "neg_mean_absolute_error",
        "neg_root_mean_squared_error",
    )
    pair = ("bayes", "near")
    return [
        asked(
            "cross-val-score",
            scores(10),
            "ten numbers a learner: folds or items, better higher or lower",
            Answer(told, order=GOOD_BAD, unit="fold"),
            corrected=1 / 9,
        ),
        asked(
            "cross-val-score-frame",
            scores(10, pd.DataFrame),
            "ten numbers a learner in a frame",
            Answer(told, order=GOOD_BAD, unit="fold"),
            corrected=1 / 9,
        ),
        asked(
            "leave-one-out-scores",
            scores(LeaveOneOut()),
            "0 and 1 of each item: nothing says that 1 is right",
            Answer({"correct": True}, order=GOOD_BAD),
        ),
        defensible(
            "cross-validate",
            crossed(10),
            GOOD_BAD,
            "ten test scores: ten folds, unless the splits were random",
            FOLDS_10,
            corrected=1 / 9,
            **fold,
        ),
        certain(
            "cross-validate-told",
            crossed(10, keywords=FOLDS_10),
            GOOD_BAD,
            "the design is told",
            corrected=1 / 9,
            n=10,
            **fold,
        ),
        certain(
            "cross-validate-indices",
            crossed(kfold, indices=True),
            GOOD_BAD,
            "the indices show ten folds",
            corrected=1 / 9,
            n=10,
            **fold,
        ),
        certain(
            "repeated-indices",
            crossed(repeated, indices=True),
            GOOD_BAD,
            "the indices show six repeats of five folds",
            corrected=1 / 4,
            n=30,
            **fold,
        ),
        certain(
            "repeated-indices-close",
            crossed(repeated, other="near", indices=True),
            (),
            "a small difference over repeated folds",
            same=CLOSE,
            corrected=1 / 4,
            models=pair,
            **fold,
        ),
        defensible(
            "repeated-close",
            crossed(repeated, other="near"),
            (),
            "30 scores of unknown design decide nothing small",
            {"folds": 5, "repeats": 6},
            same=CLOSE,
            corrected=1 / 4,
            models=pair,
            **fold,
        ),
        certain(
            "repeated-told",
            crossed(repeated, keywords={"folds": 5, "repeats": 6}),
            GOOD_BAD,
            "the design is told",
            corrected=1 / 4,
            **fold,
        ),
        defensible(
            "random-splits",
            crossed(random),
            GOOD_BAD,
            "30 scores differ so much that every design gives the same verdict",
            {"test_share": 0.3},
            corrected=3 / 7,
            **fold,
        ),
        asked(
            "random-splits-close",
            crossed(random, other="near"),
            "30 scores are no 30 folds of one run: the design must be told",
            Answer({"test_share": 0.3}, same=CLOSE, unit="fold"),
            same=CLOSE,
            corrected=3 / 7,
        ),
        certain(
            "random-indices",
            crossed(random, indices=True),
            GOOD_BAD,
            "the indices show 30 random splits",
            corrected=3 / 7,
            **fold,
        ),
        certain(
            "random-indices-close",
            crossed(random, other="near", indices=True),
            (),
            "a small difference over random splits",
            same=CLOSE,
            corrected=3 / 7,
            models=pair,
            **fold,
        ),
        certain(
            "five-by-two-indices",
            crossed(halves, indices=True),
            GOOD_BAD,
            "the indices show five times two folds",
            corrected=1.0,
            **fold,
        ),
        defensible(
            "leave-one-out",
            crossed(LeaveOneOut(), indices=True),
            GOOD_BAD,
            "each fold is one item",
            unit=None,
        ),
        certain(
            "negated",
            regressed(squared, indices=True),
            GOOD_BAD,
            "scikit-learn's scores are better higher",
            corrected=1 / 4,
            **fold,
        ),
        certain(
            "negated-list",
            regressed([absolute], indices=True),
            GOOD_BAD,
            "neg_mean_absolute_error is better higher",
            corrected=1 / 4,
            **fold,
        ),
        certain(
            "negated-two",
            regressed([root, "r2"], {"measure": root}, indices=True),
            GOOD_BAD,
            "the measure is told, and better higher",
            corrected=1 / 4,
            **fold,
        ),
        defensible(
            "negated-two-plain",
            regressed([root, "r2"], indices=True),
            GOOD_BAD,
            "two measures: which one decides is open",
            {"measure": "r2"},
            corrected=1 / 4,
            **fold,
        ),
        defensible(
            "search",
            search(whole=True),
            (),
            "a search knows its candidates and splits",
            {"folds": 10},
            **fold,
        ),
        defensible(
            "search-results",
            search(whole=False),
            (),
            "ten splits of each candidate",
            {"folds": 10},
            **fold,
        ),
    ]


CASES = _cases()
