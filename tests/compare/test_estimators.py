"""Estimators in place of evidence: trained on splits, compared by the test that fits the splits."""

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.compose import ColumnTransformer
from sklearn.datasets import load_diabetes, load_iris, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.dummy import DummyClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.metrics import f1_score
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    TimeSeriesSplit,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

import assay
from assay import AssayError, UsageError
from assay.measures import from_function

X, Y = make_classification(n_samples=120, n_features=6, class_sep=1.5, random_state=3)
MODELS = {"bayes": GaussianNB(), "dummy": DummyClassifier()}


def test_the_default_is_ten_times_five_folds() -> None:
    found = assay.compare(MODELS, X, Y)
    assert found.choice.method == "cautious_resampled_t"
    assert (found.verdict.word, found.verdict.a) == ("better", "bayes")
    assert found.estimates[0].n == 50
    assert found.evidence.unit == "fold"


@pytest.mark.parametrize(
    ("cv", "n", "method"),
    [
        (10, 10, "corrected_resampled_t"),
        (KFold(4), 4, "corrected_resampled_t"),
        (RepeatedStratifiedKFold(n_splits=5, n_repeats=3), 15, "cautious_resampled_t"),
        (ShuffleSplit(8, test_size=0.25), 8, "corrected_resampled_t"),
        ({"scheme": "cv", "folds": 5, "repeats": 2}, 10, "cautious_resampled_t"),
    ],
)
def test_splits_as_people_say_them(cv: Any, n: int, method: str) -> None:
    found = assay.compare(MODELS, X, Y, cv=cv)
    assert found.choice.method == method
    assert found.estimates[0].n == n


def test_the_answer_is_that_of_the_method() -> None:
    study = assay.Study(
        name="comparison", learners=MODELS, datasets={"data": (X, Y)}, resampling="valid", seed=0
    )
    assert (study.resampling.folds, study.resampling.repeats) == (5, 10)
    found = assay.compare(MODELS, X, Y, rng=0)
    differences = found.verdict.outcome
    assert differences.method == "cautious_resampled_t"
    again = assay.compare(MODELS, X, Y, rng=0)
    assert again.verdict.outcome.p_value == differences.p_value


def test_regression_and_a_list() -> None:
    data = load_diabetes()
    found = assay.compare(
        [Ridge(), DecisionTreeRegressor()], data.data, data.target, fits=10, measure="mae"
    )
    assert {one.model for one in found.estimates} == {"Ridge", "DecisionTreeRegressor"}
    assert found.measure == "mae"


def test_three_models_are_one_family() -> None:
    found = assay.compare({**MODELS, "lr": LogisticRegression()}, X, Y, fits=10)
    assert len(found.verdicts) == 3
    assert found.choice.method == "cautious_resampled_t"


def _ring(n: int) -> tuple[Any, Any]:
    """One class around the other, which no line tells apart."""
    rng = np.random.default_rng(1)
    y = np.arange(n) % 2
    return (0.7 + 0.8 * y)[:, None] * rng.standard_normal((n, 4)), y


@pytest.mark.parametrize("measure", ["accuracy", "error_rate"])
def test_a_learner_that_hardly_learns_is_named(measure: str) -> None:
    X, y = _ring(120)
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    found = assay.compare(models, X, y, fits=10, measure=measure)
    (warned,) = [one for one in found.notes if one.code == "near-majority"]
    assert warned.level == "warning"
    assert warned.message.startswith("lda is hardly, if at all, better than always answering")
    assert "0.5)" in warned.message
    by_f1 = assay.compare(models, X, y, fits=10, measure="f1")
    assert "near-majority" not in [one.code for one in by_f1.notes]
    two = assay.compare({"a": GaussianNB(), "b": GaussianNB(var_smoothing=0.1)}, X, y, fits=10)
    assert "near-majority" not in [one.code for one in two.notes]


def test_a_learner_that_hardly_learns_is_allowed_for() -> None:
    """A tenth of the constant answer's errors, 0.5 here, as standard deviation of its training."""
    X, y = _ring(120)
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    found = assay.compare(models, X, y, fits=10)
    outcome = found.verdict.outcome
    assert dict(outcome.details)["training_sd"] == pytest.approx(0.05)
    (warned,) = [one for one in found.notes if one.code == "near-majority"]
    assert "allow for a standard deviation of 0.05 more" in warned.message
    assert "up to 29% missed" in warned.message
    (plain,) = [one for title, one in found.also if title == "without the allowance for training"]
    assert plain.effect.standard_error is not None
    assert outcome.effect.standard_error == pytest.approx(
        np.hypot(plain.effect.standard_error, 0.05)
    )
    alone = {one.model: dict(one.details)["training_sd"] for one in found.estimates}
    assert alone == pytest.approx({"lda": 0.05, "nb": 0.0})
    many = assay.compare({**models, "lda2": LinearDiscriminantAnalysis()}, X, y, fits=10)
    spreads = {
        frozenset((one.a, one.b)): dict(one.outcome.details)["training_sd"] for one in many.verdicts
    }
    assert spreads[frozenset(("lda", "lda2"))] == pytest.approx(0.05 * np.sqrt(2.0))


@pytest.mark.parametrize("n", [200, 203])
def test_the_constant_answer_hangs_on_no_training(n: int) -> None:
    rng = np.random.default_rng(4)
    y = (np.arange(n) % 10 < 3).astype(int)
    X = 3.0 * y[:, None] + rng.normal(size=(n, 2))
    found = assay.compare(
        {"nb": GaussianNB(), "always": DummyClassifier(strategy="most_frequent")}, X, y, fits=10
    )
    assert dict(found.verdict.outcome.details)["training_sd"] == 0.0
    assert "near-majority" not in [one.code for one in found.notes]


def test_folds_of_predictions_know_the_majority_too() -> None:
    rng = np.random.default_rng(2)
    truth = (rng.random(200) < 0.1).astype(int)
    right = np.where(rng.random(200) < 0.99, truth, 1 - truth)
    table = {"truth": truth, "never": np.zeros(200, dtype=int), "right": right}
    found = assay.compare({**table, "fold": np.arange(200) % 5})
    (warned,) = [one for one in found.notes if one.code == "near-majority"]
    assert warned.message.startswith("never is hardly, if at all, better than always answering 0")


@pytest.mark.parametrize("measure", ["auc", "AUC", f1_score, ["auc", "f1"]])
def test_measures_go_by_any_of_their_names(measure: Any) -> None:
    found = assay.compare(MODELS, X, Y, fits=10, measure=measure)
    text = str(found)
    assert "auc" in text or "f1" in text


def test_groups_stay_together_whatever_they_are_called() -> None:
    """`cluster=` was read and forgotten: items of one group were trained on and tested."""
    sites = np.repeat(np.arange(12), 10)
    y = sites % 2  # the site tells the class, so that only new sites are a test
    X = np.eye(12)[sites] + 0.01 * np.random.default_rng(0).normal(size=(120, 12))
    models = {"lda": LinearDiscriminantAnalysis(), "nb": GaussianNB()}
    seen = assay.compare(models, X, y, fits=10)
    assert max(one.value or 0.0 for one in seen.estimates) > 0.99
    named: list[dict[str, Any]] = [
        {"groups": sites},
        {"cluster": sites.tolist()},
        {"groups": [f"site {one}" for one in sites]},
    ]
    found = [assay.compare(models, X, y, fits=10, **how) for how in named]
    for one in found:
        assert max(each.value or 0.0 for each in one.estimates) < 0.7
    assert found[0].estimates == found[1].estimates
    by_fold = assay.compare(models, X, y, cv=GroupKFold(4), groups=sites)
    assert by_fold.estimates[0].n == 4


def test_the_kind_of_the_estimators_tells_the_kind_of_the_target() -> None:
    ratings = Y + 1
    found = assay.compare({"ridge": Ridge(), "tree": DecisionTreeRegressor()}, X, ratings, fits=10)
    assert found.measure == "rmse"
    codes = np.arange(120) % 30
    assert assay.compare(MODELS, X, codes, fits=10).measure == "accuracy"


def test_a_target_by_name_and_frames_of_polars() -> None:
    polars = pytest.importorskip("polars")
    table = {f"x{place}": column for place, column in enumerate(X.T)}
    plain = assay.compare(MODELS, X, Y, fits=10).estimates
    assert (
        assay.compare(MODELS, polars.DataFrame(table), polars.Series(Y), fits=10).estimates == plain
    )
    named = assay.compare(MODELS, polars.DataFrame({**table, "y": Y}), "y", fits=10)
    assert [one.n for one in named.estimates] == [10, 10]


def test_data_as_scikit_learn_and_studies_name_them() -> None:
    iris = load_iris()
    models = {"nb": GaussianNB(), "lda": LinearDiscriminantAnalysis()}
    plain = assay.compare(models, iris.data, iris.target, fits=10).estimates
    assert assay.compare(models, X=iris.data, y=iris.target, fits=10).estimates == plain
    assert assay.compare(models, (iris.data, iris.target), fits=10).estimates == plain
    for one in (iris, "iris", load_iris(as_frame=True)):
        assert [each.n for each in assay.compare(models, one, fits=10).estimates] == [10, 10]


def test_what_was_done_to_the_features_is_told() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(X, columns=list("abcdef"))
    frame.loc[3, "b"] = np.nan
    frame["site"] = np.where(Y == 1, "east", "west")
    own = make_pipeline(
        ColumnTransformer([("numbers", SimpleImputer(), list("abcdef"))]), LogisticRegression()
    )
    found = assay.compare({**MODELS, "own": own}, frame, Y, fits=10)
    (told,) = [one for one in found.notes if one.code == "prepared-features"]
    assert told.message.startswith(
        "bayes, dummy got one indicator for each value of 'site' and the median"
    )
    plain = assay.compare(MODELS, X, Y, fits=10)
    assert "prepared-features" not in [one.code for one in plain.notes]


def test_fits_that_warned_are_counted() -> None:
    found = assay.compare({**MODELS, "lr": LogisticRegression(max_iter=1)}, X, Y, fits=10)
    (told,) = [one for one in found.notes if one.code == "fits-warned"]
    assert told.message.startswith("10 of 10 fits of lr warned: ConvergenceWarning: lbfgs failed")
    assert "\n" not in told.message
    assert "fits-warned" not in [one.code for one in assay.compare(MODELS, X, Y, fits=10).notes]


def test_rows_of_frames_in_another_order_are_refused() -> None:
    pandas = pytest.importorskip("pandas")
    frame, target = pandas.DataFrame(X), pandas.Series(Y)
    with pytest.raises(AssayError, match=r"same rows in another order. Give y.loc\[X.index\]"):
        assay.compare(MODELS, frame, target[::-1], fits=10)
    plain = assay.compare(MODELS, frame, target, fits=10).estimates
    assert (
        assay.compare(MODELS, frame, target.set_axis(target.index + 7), fits=10).estimates == plain
    )
    masked = np.ma.masked_array(X, mask=X > 1.0)
    found = assay.compare(MODELS, masked, Y, fits=10)
    assert "prepared-features" in [one.code for one in found.notes]


def test_folds_without_a_score_of_any_model_are_still_folds() -> None:
    """Three of a class in five folds: the splits with an area were called 3 folds, and another test decided."""
    rare = (np.arange(120) < 3).astype(int)
    found = assay.compare(
        {"nb": GaussianNB(), "lr": LogisticRegression()}, X, rare, fits=10, measure="auc"
    )
    assert found.choice.method == "cautious_resampled_t"
    assert found.evidence.description.startswith("5 folds × 2 repeats")
    assert found.estimates[0].n == 6
    assert {"study-gaps", "class-below-folds"} <= {one.code for one in found.notes}


def test_learners_of_a_study_are_estimators_too() -> None:
    models = {"nb": assay.Learner(GaussianNB()), "lr": LogisticRegression()}
    found = assay.compare(models, X, Y, fits=10)
    assert {one.model for one in found.estimates} == {"nb", "lr"}


def test_few_of_a_class_are_told() -> None:
    rare = np.arange(120) < 3
    found = assay.compare({**MODELS, "lr": LogisticRegression()}, X, rare, fits=10)
    assert "class-below-folds" in [one.code for one in found.notes]


@pytest.mark.parametrize(
    ("measure", "level"), [("accuracy", 0.75), ("error_rate", 0.25), ("auc", 0.5)]
)
def test_chance_is_the_most_frequent_class(measure: str, level: float) -> None:
    rare = (np.arange(120) < 30).astype(int)
    found = assay.compare({"nb": GaussianNB()}, X, rare, fits=10, measure=measure, against="chance")
    assert found.verdict.outcome.null == pytest.approx(level)


def test_a_value_beside_a_level_stays_within_its_range() -> None:
    found = assay.compare({"nb": GaussianNB()}, X, Y, fits=10, against=0.6)
    interval = found.verdict.outcome.effect.interval
    assert interval is not None
    assert interval.low > 0.6
    assert interval.high <= 1.0
    assert "interval-cut" in [one.code for one in found.verdict.outcome.effect.notes]


def test_the_same_estimator_twice_has_no_verdict() -> None:
    found = assay.compare({"a": Ridge(), "b": Ridge()}, X, X[:, 0], fits=10)
    assert (
        found.sentence == "No verdict on a and b: they have the same rmse on each of the 10 folds."
    )
    alone = assay.compare({"nb": GaussianNB()}, 3.0 * Y[:, None] + X, Y, fits=10, against=0.6)
    assert alone.sentence == (
        "No verdict on nb and level 0.6: nb has accuracy 1 on each of the 10 folds, so a t test has no "
        "standard error."
    )


WRONG: list[tuple[Any, tuple[Any, ...], dict[str, Any], str]] = [
    (GaussianNB(), (LogisticRegression(), X, Y), {}, "in a mapping"),
    (MODELS, (X, Y), {"cv": GroupKFold(5)}, "give groups="),
    (MODELS, (X, Y), {"cv": list(KFold(5).split(X))}, "got list$"),
    (MODELS, (X, Y), {"groups": [1, 2]}, "one group for each of 120 rows"),
    (MODELS, (X, Y), {"groups": np.zeros(120)}, "1 group; cv needs 5"),
    (MODELS, (X, Y), {"weight": np.ones(120)}, "weight= is an option of reading evidence"),
    (MODELS, (X, np.zeros(120)), {}, "one class only"),
    (MODELS, (X, [f"id {place}" for place in range(120)]), {}, "a class of its own"),
    (MODELS, (X, X[:, 0]), {}, "needs regressors"),
    (
        {"ridge": Ridge(), "nb": GaussianNB()},
        (X, Y),
        {},
        "ridge is a regressor and nb a classifier",
    ),
    (MODELS, (["a text"] * 120, Y), {}, "a frame, from which a ColumnTransformer"),
    ({"ridge": Ridge()}, (X, X[:, 0]), {"against": "chance"}, "DummyRegressor"),
    (MODELS, (X, Y), {"cv": True}, "got bool$"),
    ({"nb": GaussianNB(), "no": None}, (X, Y), {}, "'no' is no estimator as the others are"),
    ({"": GaussianNB(), "b": GaussianNB()}, (X, Y), {}, "needs a name"),
    (MODELS, (X, np.ma.masked_array(Y, mask=Y == 1)), {}, "the target is masked in some rows"),
    (MODELS, (X, Y), {"cv": "fold"}, "no scheme 'fold' of splits; there are valid, holdout"),
    (MODELS, (X, Y), {"cv": ShuffleSplit(6, train_size=0.5, test_size=0.1)}, "leave items out"),
]


@pytest.mark.parametrize(("estimators", "data", "options", "said"), WRONG)
def test_what_cannot_be_trained_is_said_with_what_to_do(
    estimators: Any, data: tuple[Any, ...], options: dict[str, Any], said: str
) -> None:
    with pytest.raises(AssayError, match=said):
        assay.compare(estimators, *data, **options)


def worst_error(truth: Any, predicted: Any) -> float:
    return float(np.abs(np.asarray(truth) - np.asarray(predicted)).max())


def share_right(truth: Any, predicted: Any) -> float:
    return float(np.mean(np.asarray(truth) == np.asarray(predicted)))


def test_any_function_is_a_measure_of_numbers_and_of_classes() -> None:
    """The store of a function whose direction nobody said was called damaged; of numbers it was refused."""
    models = {"ridge": Ridge(), "tree": DecisionTreeRegressor(random_state=0)}
    y = X[:, 0] + X[:, 1] ** 2
    found = assay.compare(models, X, y, fits=10, measure=lambda a, b: -worst_error(a, b))
    assert found.verdict.word in ("higher", "lower", "undecided")
    lower = assay.compare(models, X, y, fits=10, measure=share_right, lower_is_better=True)
    assert lower.estimates[0].n == 10
    told = from_function(worst_error, direction="lower", needs="values", name="peak")
    assert assay.compare(models, X, y, fits=10, measure=told).direction == "lower"
    both = assay.compare(models, X, y, fits=10, measure=["rmse", told])
    assert [part.measure for part in both.parts] == ["rmse", "peak"]
    ours = assay.compare(MODELS, X, Y, fits=10, measure=share_right)
    theirs = assay.compare(MODELS, X, Y, fits=10)
    assert [one.value for one in ours.estimates] == [one.value for one in theirs.estimates]


def test_tuning_by_a_function_needs_its_direction() -> None:
    tuned = assay.Learner(Ridge(), tuning=assay.Tuning(grid={"alpha": [1.0, 2.0]}))
    with pytest.raises(UsageError, match="tuned by share_right, which does not say which way"):
        assay.Study(learners={"a": tuned}, datasets={"d": (X, X[:, 0])}, measures=[share_right])


@pytest.mark.parametrize(
    ("cv", "tested"),
    [
        (ShuffleSplit(6, test_size=0.25), 30),
        (ShuffleSplit(6, test_size=40), 40),
        (ShuffleSplit(6, train_size=0.5), 60),
        (ShuffleSplit(6, train_size=90), 30),
        (ShuffleSplit(6), 12),
    ],
)
def test_random_splits_are_as_large_as_said(cv: Any, tested: int) -> None:
    found = assay.compare(MODELS, X, Y, cv=cv)
    assert dict(found.verdict.outcome.details)["ratio"] == pytest.approx(tested / (120 - tested))
    assert found.evidence.description.startswith("6 splits × 2 models")


def test_what_does_not_fit_is_said() -> None:
    with pytest.raises(UsageError, match="X, y"):
        assay.compare(MODELS, X)
    with pytest.raises(UsageError, match="train estimators"):
        assay.compare({"a": [1, 0], "b": [0, 1]}, cv=3)
    with pytest.raises(UsageError, match="number of folds"):
        assay.compare(MODELS, X, Y, cv=TimeSeriesSplit(3))
    with pytest.raises(UsageError, match="fits="):
        assay.compare(MODELS, X, Y, cv=5, fits=50)
    with pytest.raises(UsageError, match="10"):
        assay.compare(MODELS, X, Y, fits=5)
    with pytest.raises(UsageError, match="name the estimators"):
        assay.compare([GaussianNB(), GaussianNB()], X, Y)


def test_a_script_without_a_main_guard(tmp_path: Path) -> None:
    """Notebooks and scripts train in their own process, and leave nothing behind."""
    script = tmp_path / "script.py"
    script.write_text(
        "import assay\n"
        "from sklearn.datasets import make_classification\n"
        "from sklearn.dummy import DummyClassifier\n"
        "class Mine(DummyClassifier):\n"
        "    pass\n"
        "X, y = make_classification(n_samples=60, random_state=1)\n"
        "print(assay.compare({'a': Mine(), 'b': Mine(strategy='uniform')}, X, y, fits=10).verdict.word)\n"
    )
    folder = tmp_path / "temporary"
    folder.mkdir()
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=True,
        env={"TMPDIR": str(folder), "PATH": "/usr/bin:/bin", "PYTHONPATH": ":".join(sys.path)},
    )  # fmt: skip
    assert done.stdout.strip() in ("undecided", "better", "worse")
    assert not list(folder.iterdir())


class TestCautiousT:
    def test_by_hand(self) -> None:
        values = np.random.default_rng(4).normal(0.02, 0.03, 50)
        found = assay.cautious_resampled_t(values, folds=5)
        t = values.mean() / (values.std(ddof=1) * np.sqrt(1 / 50 + 2 / 4))
        assert found.statistic == pytest.approx(t)
        corrected = assay.corrected_resampled_t(values, folds=5)
        assert found.p_value is not None
        assert corrected.p_value is not None
        assert found.p_value > corrected.p_value
        assert found.effect.interval is not None
        assert (found.p_value <= 0.05) == (not found.effect.interval.contains(0.0))


def test_estimators_are_no_predictions() -> None:
    with pytest.raises(AssayError, match=r"'bayes' is a GaussianNB, a model: train and"):
        assay.evaluate(MODELS, X, Y)
    pandas = pytest.importorskip("pandas")
    with pytest.raises(AssayError, match="two columns of the same name: 'a', 'a'"):
        assay.compare(MODELS, pandas.DataFrame(X, columns=list("aabcde")), Y)


class Unlucky(GaussianNB):  # type: ignore[misc]
    """Fails where the first item of its training part stands so."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        if X[0, 0] > 0.0:
            raise RuntimeError("out of luck")
        return super().fit(X, y)


@pytest.mark.parametrize("measure", ["accuracy", ["accuracy", "f1"]])
def test_splits_on_which_an_estimator_failed_are_left_out_if_asked(measure: Any) -> None:
    """The remedy that the refusal names led to another refusal: sizes of 50 splits came for 43 scores."""
    models = {**MODELS, "unlucky": Unlucky()}
    with pytest.raises(AssayError, match="say missing='complete'"):
        assay.compare(models, X, Y, fits=25, measure=measure)
    found = assay.compare(models, X, Y, fits=25, measure=measure, missing="complete")
    assert "unlucky on data" in str(found.summary(details=True))
    if measure == "accuracy":
        used = {one.n for one in found.estimates}
        assert len(used) == 1
        assert 2 <= used.pop() < 25


def test_folds_with_a_gap_are_left_out_if_asked() -> None:
    rng = np.random.default_rng(5)
    scores = {name: rng.normal(0.8, 0.02, 20) for name in "ab"}
    scores["a"][7] = np.nan
    table = {"repeat": np.arange(20) // 5, "fold": np.arange(20) % 5, **scores}
    found = assay.compare(table, measure="accuracy", missing="complete")
    details = dict(found.verdict.outcome.details)
    assert found.verdict.outcome.method == "cautious_resampled_t"
    assert details["ratio"] == pytest.approx(0.25)
    assert [one.n for one in found.estimates] == [19, 19]
