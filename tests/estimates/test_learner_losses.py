"""Losses from predictions, and what resampling a scikit-learn learner leaves behind."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, UsageError
from assay.estimates.cross_validation import nested_cv
from assay.estimates.learner_losses import (
    Loss,
    bagged_losses,
    bootstrap_run,
    losses_of,
    nested_cv_run,
    no_information_rate,
)
from assay.estimates.out_of_bag import out_of_bag
from tests.support import agree

NUMBERS = st.lists(st.floats(-100, 100).map(lambda x: round(x, 2)), min_size=1, max_size=20)


class Majority:
    """The commonest class of the training labels; counts how often it was fitted."""

    fits = 0

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {}

    def fit(self, X: Any, y: Any) -> "Majority":
        Majority.fits += 1
        values, counts = np.unique(np.asarray(y), return_counts=True)
        self.answer_ = values[counts.argmax()]
        self.seen_ = len(X)
        return self

    def predict(self, X: Any) -> Any:
        return np.full(len(X), self.answer_)


def labelled(n: int = 40) -> tuple[Any, Any]:
    rng = np.random.default_rng(0)
    labels = rng.permutation(np.arange(n) % 2)
    return rng.normal(size=(n, 3)) + labels[:, None], labels


class TestLossesOf:
    def test_missing_predictions_are_not_errors(self) -> None:
        found = losses_of([1.0, 0.0, 1.0], [[1.0, np.nan, 0.0], [np.nan, 0.0, 1.0]])
        assert agree(found[0].tolist()[::2], [0.0, 1.0])
        assert np.isnan(found).tolist() == [[False, True, False], [True, False, False]]

    def test_text_labels(self) -> None:
        found = losses_of(["cat", "dog", "cat"], np.array(["cat", None, "dog"], dtype=object))
        assert found[0] == 0.0
        assert np.isnan(found[1])
        assert found[2] == 1.0

    @pytest.mark.parametrize(("loss", "expected"), [("squared", 4.0), ("absolute", 2.0)])
    def test_numbers(self, loss: Loss, expected: float) -> None:
        assert losses_of([1.0, 5.0], [3.0, 3.0], loss).tolist() == [expected, expected]

    def test_errors(self) -> None:
        with pytest.raises(EvidenceError, match="last dimension"):
            losses_of([0, 1], [0, 1, 1])
        with pytest.raises(EvidenceError, match="both as text"):
            losses_of([0, 1], ["0", "1"])
        with pytest.raises(EvidenceError, match="zero-one"):
            losses_of(["a", "b"], ["a", "b"], "squared")
        with pytest.raises(UsageError, match="loss is one of"):
            losses_of([0, 1], [0, 1], "hinge")  # type: ignore[arg-type]


class TestNoInformationRate:
    @given(NUMBERS, NUMBERS, st.sampled_from(["zero-one", "squared", "absolute"]))
    def test_is_the_mean_over_all_pairs(
        self, truth: list[float], predictions: list[float], loss: Loss
    ) -> None:
        size = min(len(truth), len(predictions))
        expected, given_ = np.array(truth[:size]), np.array(predictions[:size])
        pairs = np.array([losses_of(expected, np.full(size, one), loss) for one in given_])
        assert agree(no_information_rate(expected, given_, loss), float(pairs.mean()), atol=1e-8)

    def test_whole_numbers_and_floats_are_the_same_labels(self) -> None:
        assert no_information_rate([0, 1, 1, 1], [0.0, 0.0, 1.0, 1.0]) == 0.5

    def test_text(self) -> None:
        truth = np.array(["a", "a", "b", "c"], dtype=object)
        assert agree(
            no_information_rate(truth, np.array(["a", "a", "a", "d"], dtype=object)), 0.625
        )

    def test_many_items_need_no_pairs(self) -> None:
        rng = np.random.default_rng(1)
        truth = rng.normal(size=200_000)
        assert abs(no_information_rate(truth, truth, "absolute") - 2 / np.sqrt(np.pi)) < 0.01


class TestBootstrapRun:
    def test_by_hand(self) -> None:
        features, labels = labelled()
        run = bootstrap_run(Majority(), features, labels, n_resamples=25, rng=3)
        assert run.out_of_bag.shape == (25, 40)
        assert 0.3 < (~np.isnan(run.out_of_bag)).mean() < 0.44
        assert run.fitted.mean() == 0.5
        assert run.no_information == 0.5
        for row in run.out_of_bag:  # one class is called for all
            wrong = set(labels[row == 1.0])
            assert len(wrong) <= 1
            assert not wrong & set(labels[row == 0.0])

    def test_frames_give_what_arrays_give_and_the_estimator_stays_unfitted(self) -> None:
        import pandas as pd
        from sklearn.tree import DecisionTreeClassifier

        features, labels = labelled()
        tree = DecisionTreeClassifier(random_state=0)
        plain = bootstrap_run(tree, features, labels, n_resamples=10, rng=1)
        names = np.where(labels == 1, "yes", "no")
        frame = pd.DataFrame(features, index=np.arange(40)[::-1], columns=list("abc"))
        framed = bootstrap_run(
            tree, frame, pd.Series(names, index=frame.index), n_resamples=10, rng=1
        )
        np.testing.assert_array_equal(plain.out_of_bag, framed.out_of_bag)
        assert plain.fitted.tolist() == framed.fitted.tolist()
        assert not hasattr(tree, "tree_")

    def test_numbers(self) -> None:
        from sklearn.linear_model import LinearRegression

        features, _ = labelled()
        run = bootstrap_run(
            LinearRegression(), features, 10 * features[:, 0], loss="squared", n_resamples=5, rng=1
        )
        assert np.nanmax(run.out_of_bag) < 1e-10
        assert agree(run.no_information, 2 * float(np.var(10 * features[:, 0])), 1e-6)

    def test_a_sample_of_one_class_is_drawn_again(self) -> None:
        from sklearn.linear_model import LogisticRegression

        features = np.arange(6.0)[:, None]
        run = bootstrap_run(
            LogisticRegression(), features, [0, 0, 0, 0, 0, 1], n_resamples=30, rng=0
        )
        assert np.isfinite(run.fitted).all()


class TestBaggedLosses:
    def test_a_forests_own_estimate(self) -> None:
        from sklearn.ensemble import RandomForestClassifier

        features, labels = labelled(120)
        forest = RandomForestClassifier(60, oob_score=True, random_state=0).fit(features, labels)
        estimate = out_of_bag(bagged_losses(forest, labels))
        assert agree(estimate.value, 1.0 - forest.oob_score_)

    def test_numbers(self) -> None:
        from sklearn.ensemble import BaggingRegressor

        features, _ = labelled(60)
        target = features.sum(axis=1)
        model = BaggingRegressor(n_estimators=50, oob_score=True, random_state=0)
        losses = bagged_losses(model.fit(features, target), target, loss="squared")
        assert agree(1.0 - losses.mean() / target.var(), model.oob_score_)

    @pytest.mark.filterwarnings("ignore:Some inputs do not have OOB scores")
    @pytest.mark.filterwarnings("ignore:invalid value encountered in divide")
    def test_an_item_in_every_sample_has_none(self) -> None:
        from sklearn.ensemble import RandomForestClassifier

        features, labels = labelled()
        forest = RandomForestClassifier(2, oob_score=True, random_state=0).fit(features, labels)
        losses = bagged_losses(forest, labels)
        missing = int(np.isnan(losses).sum())
        assert 5 < missing < 30  # 0.632² of 40 are expected
        notes = {note.code: note.message for note in out_of_bag(losses).notes}
        assert notes["never-out-of-bag"].startswith(f"{missing} of 40 items")

    def test_a_learner_without_them(self) -> None:
        with pytest.raises(UsageError, match="oob_score=True"):
            bagged_losses(Majority(), [0, 1])


class TestNestedCvRun:
    def test_every_fold_and_pair_is_left_out(self) -> None:
        features, labels = labelled()
        Majority.fits = 0
        run = nested_cv_run(Majority(), features, labels, folds=5, repeats=2, rng=4)
        assert Majority.fits == 2 * 15
        assert run.losses.shape == (2, 40, 5)
        for losses, folds in zip(run.losses, run.folds, strict=True):
            for item in (0, 17):
                for other in range(5):
                    train = (folds != folds[item]) & (folds != other)
                    values, counts = np.unique(labels[train], return_counts=True)
                    assert losses[item, other] == float(values[counts.argmax()] != labels[item])

    def test_a_fit_without_two_folds_serves_both_orders(self) -> None:
        """Algorithm 1 read literally fits folds² models in a repeat, each pair twice: the same table."""
        features, labels = labelled(60)
        Majority.fits = 0
        run = nested_cv_run(Majority(), features, labels, folds=5, repeats=4, rng=2)
        shared, Majority.fits = Majority.fits, 0
        literal = np.empty_like(run.losses)
        for turn, own in enumerate(run.folds):
            for outer in range(5):
                for inner in range(5):
                    kept, tested = (own != outer) & (own != inner), own == inner
                    model = Majority().fit(features[kept], labels[kept])
                    literal[turn, tested, outer] = model.predict(features[tested]) != labels[tested]
        assert (shared, Majority.fits) == (60, 100)
        assert (literal == run.losses).all()
        found, again = (nested_cv(losses, run.folds) for losses in (run.losses, literal))
        assert found == again

    def test_errors(self) -> None:
        features, labels = labelled()
        with pytest.raises(UsageError, match="at least 3"):
            nested_cv_run(Majority(), features, labels, folds=2)
        with pytest.raises(UsageError, match="at least two items"):
            nested_cv_run(Majority(), features, labels, folds=30)
