"""Measures of predicted classes."""

import math
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.measures.labels import (
    accuracy_misleads,
    averaged,
    balanced_accuracy,
    f1,
    f_beta,
    precision,
    weighted_kappa,
    zero_where_undefined,
)
from assay.measures.registry import find_measure, measures

steady = settings(deadline=None, max_examples=60)
TWO = ("0", "1")


def value(name: str, confusion: Any, classes: tuple[str, ...] | None = None) -> float | None:
    """The measure of one matrix; None where undefined."""
    names = classes or tuple(str(k) for k in range(len(confusion)))
    positive = names[-1] if len(names) == 2 else None
    found = float(find_measure(name).bind(names, positive).function(confusion))
    return None if math.isnan(found) else found


def confusion_of(*columns: Any) -> Any:
    truth, predicted, n_classes = columns
    matrix = np.zeros((n_classes, n_classes))
    np.add.at(matrix, (np.asarray(truth), np.asarray(predicted)), 1)
    return matrix


labels = st.integers(2, 4).flatmap(
    lambda c: st.tuples(
        st.just(c),
        st.lists(st.tuples(st.integers(0, c - 1), st.integers(0, c - 1)), min_size=1, max_size=30),
    )
)
two_class_labels = st.lists(
    st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=30
)
stacks = st.integers(1, 5).flatmap(
    lambda c: st.lists(
        st.lists(st.integers(0, 4), min_size=c * c, max_size=c * c), min_size=1, max_size=5
    ).map(lambda rows: np.array(rows, dtype=float).reshape(-1, c, c))
)


class TestTwoClasses:
    @steady
    @given(two_class_labels)
    def test_agrees_with_sklearn(self, rows: list[tuple[int, int]]) -> None:
        truth, predicted = zip(*rows, strict=True)
        confusion = confusion_of(truth, predicted, 2)
        oracles: dict[str, Callable[..., float]] = {
            "precision": sk.precision_score,
            "recall": sk.recall_score,
            "f1": sk.f1_score,
            "jaccard": sk.jaccard_score,
        }
        for name, oracle in oracles.items():
            expected = oracle(truth, predicted, zero_division=0)
            assert (value(name, confusion) or 0.0) == pytest.approx(expected), name
        for beta, name in ((0.5, "f0.5"), (2, "f2"), (3, "f3")):
            expected = sk.fbeta_score(truth, predicted, beta=beta, zero_division=0)
            assert (value(name, confusion) or 0.0) == pytest.approx(expected), name
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # one class only
            expected = sk.matthews_corrcoef(truth, predicted)
        assert (value("mcc", confusion) or 0.0) == pytest.approx(expected)

    @steady
    @given(two_class_labels)
    def test_other_positive_class_mirrors(self, rows: list[tuple[int, int]]) -> None:
        confusion = confusion_of(*np.transpose(rows), 2)
        for one, other in (("recall", "specificity"), ("precision", "npv"), ("fpr", "fnr")):
            mirrored = float(find_measure(one).bind(TWO, "0").function(confusion))
            plain = value(other, confusion)
            assert mirrored == pytest.approx(math.nan if plain is None else plain, nan_ok=True)

    @steady
    @given(two_class_labels)
    def test_proportion_gives_the_measure(self, rows: list[tuple[int, int]]) -> None:
        confusion = confusion_of(*np.transpose(rows), 2)
        for name, measure in measures().items():
            if measure.proportion is None:
                continue
            for positive in TWO:
                bound = measure.bind(TWO, positive)
                assert bound.proportion is not None
                assert bound.from_proportion is not None
                part, whole = bound.proportion(confusion)
                plain = float(bound.function(confusion))
                if whole == 0:
                    assert math.isnan(plain), name
                else:
                    assert plain == pytest.approx(bound.from_proportion(part / whole)), name

    def test_which_measures_are_proportions(self) -> None:
        named = {name for name, measure in measures().items() if measure.proportion is not None}
        assert named == {
            "accuracy", "error_rate", "precision", "recall", "specificity", "npv", "fpr", "fnr",
            "fdr", "false_omission_rate", "jaccard", "f1", "precision_micro", "recall_micro",
            "f1_micro", "f2_micro", "f05_micro", "jaccard_micro", "recall_weighted",
        }  # fmt: skip

    def test_likelihood_ratios_may_be_infinite(self) -> None:
        perfect = [[5, 0], [0, 5]]
        assert value("lr_plus", perfect) == math.inf
        assert value("diagnostic_odds_ratio", perfect) == math.inf
        assert value("lr_minus", perfect) == 0.0

    def test_many_classes_are_refused_and_another_named(self) -> None:
        classes = ("a", "b", "c", "d", "e", "f")
        with pytest.raises(
            NotApplicable, match=r"f1 needs two classes, and there are 6 .*….*f1_macro"
        ):
            f1.bind(classes)
        for name, measure in measures().items():
            if measure.two_classes and measure.needs == "labels":
                with pytest.raises(NotApplicable, match=r"use .*\[class\]"):
                    find_measure(name).bind(("a", "b", "c"))

    def test_unbound_on_many_classes(self) -> None:
        with pytest.raises(EvidenceError, match="bind it to its classes"):
            f1.function(np.eye(3))

    def test_not_square(self) -> None:
        with pytest.raises(EvidenceError, match="square"):
            find_measure("accuracy").function([[1, 2, 3], [4, 5, 6]])


class TestFBeta:
    def test_between_precision_and_recall(self) -> None:
        confusion = [[45, 5], [30, 20]]
        wanted = [
            value(name, confusion) for name in ("recall", "f3", "f2", "f1", "f05", "precision")
        ]
        assert wanted == sorted(wanted, key=lambda v: v or 0.0)

    def test_f1_is_a_function_of_jaccard(self) -> None:
        jaccard = value("jaccard", [[45, 5], [30, 20]])
        assert jaccard is not None
        assert value("f1", [[45, 5], [30, 20]]) == pytest.approx(2 * jaccard / (1 + jaccard))

    def test_zero_not_undefined_where_all_is_missed(self) -> None:
        assert value("f1", [[90, 0], [10, 0]]) == 0.0
        assert value("f1", [[90, 0], [0, 0]]) is None

    @pytest.mark.parametrize("beta", [0.0, -1.0, math.inf, math.nan])
    def test_bad_beta(self, beta: float) -> None:
        with pytest.raises(UsageError, match="beta is a number above 0"):
            f_beta(beta)


class TestPerClass:
    def test_names_of_classes(self) -> None:
        confusion = np.array([[8, 1, 3], [2, 9, 4], [1, 3, 11]])
        classes = ("Iris-setosa", "versi[x]", "virginica")
        assert value("recall[Iris-setosa]", confusion, classes) == pytest.approx(8 / 12)
        assert value("precision[versi[x]]", confusion, classes) == pytest.approx(9 / 13)
        assert value("specificity[virginica]", confusion, classes) == pytest.approx(20 / 27)

    def test_proportion_of_a_class(self) -> None:
        bound = find_measure("recall[b]").bind(("a", "b", "c"))
        assert bound.proportion is not None
        assert bound.proportion(np.arange(9).reshape(3, 3)) == (4.0, 12.0)

    def test_unknown_class(self) -> None:
        with pytest.raises(EvidenceError, match="no class 'dog'; classes: cat, cow"):
            find_measure("recall[dog]").bind(("cat", "cow"))

    def test_only_measures_of_one_class(self) -> None:
        with pytest.raises(UsageError, match="accuracy is not a measure of one class"):
            find_measure("accuracy[cat]")


class TestOneClassOnly:
    def test_positive_that_never_occurs(self) -> None:
        bound = f1.bind(("0",), "1")
        assert math.isnan(float(bound.function([[7]])))
        assert float(find_measure("specificity").bind(("0",), "1").function([[7]])) == 1.0

    def test_nothing_tells_which_is_positive(self) -> None:
        with pytest.raises(EvidenceError, match="say positive="):
            f1.bind(("0",))

    def test_unknown_positive(self) -> None:
        with pytest.raises(EvidenceError, match="no class 'yes'"):
            f1.bind(TWO, "yes")


class TestAveraged:
    @steady
    @given(labels)
    def test_agrees_with_sklearn(self, rows: tuple[int, list[tuple[int, int]]]) -> None:
        """Where every class occurs in the truth; elsewhere conventions differ."""
        c, pairs = rows
        truth, predicted = zip(*pairs, strict=True)
        assume(len(set(truth)) == c)
        confusion = confusion_of(truth, predicted, c)
        oracles: dict[str, Callable[..., float]] = {
            "precision": sk.precision_score,
            "recall": sk.recall_score,
            "f1": sk.f1_score,
            "jaccard": sk.jaccard_score,
        }
        for name, oracle in oracles.items():
            for average in ("macro", "micro", "weighted"):
                expected = oracle(truth, predicted, average=average, zero_division=0)
                assert value(f"{name}_{average}", confusion) == pytest.approx(expected), name
        assert value("accuracy", confusion) == pytest.approx(sk.accuracy_score(truth, predicted))
        assert value("balanced_accuracy", confusion) == pytest.approx(
            sk.balanced_accuracy_score(truth, predicted)
        )
        mcc = sk.matthews_corrcoef(truth, predicted)
        assert value("mcc[zero]", confusion) == pytest.approx(mcc, abs=1e-12)

    @steady
    @given(labels)
    def test_zero_is_scikit_learns_convention(
        self, rows: tuple[int, list[tuple[int, int]]]
    ) -> None:
        c, pairs = rows
        truth, predicted = zip(*pairs, strict=True)
        confusion = confusion_of(truth, predicted, c)
        for name, oracle in (("precision", sk.precision_score), ("recall", sk.recall_score)):
            for average in ("macro", "weighted"):
                expected = oracle(
                    truth, predicted, labels=range(c), average=average, zero_division=0
                )
                assert value(f"{name}_{average}[zero]", confusion) == pytest.approx(expected)

    def test_class_never_predicted_counts_zero(self) -> None:
        # class 1 occurs and is never predicted: its precision is 0/0 and its F1 is 0
        assert value("precision_macro", [[3, 0], [2, 0]]) == pytest.approx(0.3)
        assert value("precision_macro[nan]", [[3, 0], [2, 0]]) is None
        assert value("precision[1]", [[3, 0], [2, 0]]) is None

    def test_class_that_never_occurs_is_left_out(self) -> None:
        confusion = [[3, 0, 0], [1, 4, 0], [0, 0, 0]]
        assert value("recall_macro", confusion) == pytest.approx((1 + 0.8) / 2)
        assert value("f1_macro", confusion) == pytest.approx((6 / 7 + 8 / 9) / 2)
        assert value("f1_macro[zero]", confusion) == pytest.approx((6 / 7 + 8 / 9) / 3)
        assert value("f1_macro[nan]", confusion) is None

    def test_class_only_predicted_lowers_precision_not_recall(self) -> None:
        confusion = [[3, 0, 1], [0, 4, 0], [0, 0, 0]]
        assert value("recall_macro", confusion) == pytest.approx(0.875)
        assert value("precision_macro", confusion) == pytest.approx(2 / 3)

    def test_nothing_at_all(self) -> None:
        for name in ("f1_macro", "f1_micro", "f1_weighted", "balanced_accuracy"):
            assert value(name, np.zeros((3, 3))) is None

    def test_bad_words(self) -> None:
        with pytest.raises(UsageError, match="average is one of macro"):
            averaged(precision, "samples")  # type: ignore[arg-type]
        with pytest.raises(UsageError, match="undefined is one of skip"):
            balanced_accuracy("one")  # type: ignore[arg-type]


class TestKappa:
    @steady
    @given(labels)
    def test_agrees_with_sklearn(self, rows: tuple[int, list[tuple[int, int]]]) -> None:
        c, pairs = rows
        truth, predicted = zip(*pairs, strict=True)
        confusion = confusion_of(truth, predicted, c)
        for name, weights in (
            ("kappa", None),
            ("kappa_linear", "linear"),
            ("kappa_quadratic", "quadratic"),
        ):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                expected = sk.cohen_kappa_score(truth, predicted, labels=range(c), weights=weights)
            found = value(name, confusion)
            plain = math.nan if found is None else found
            assert plain == pytest.approx(expected, nan_ok=True, abs=1e-12), name

    def test_order_of_classes(self) -> None:
        classes = ("high", "low", "medium")  # canonical order is not the order meant
        confusion = np.array([[5, 0, 2], [0, 6, 3], [1, 1, 7]])
        ordered = value("kappa_linear[low,medium,high]", confusion, classes)
        places = [1, 2, 0]
        assert ordered == value("kappa_linear", confusion[np.ix_(places, places)])
        assert ordered != value("kappa_linear", confusion, classes)

    def test_class_of_the_order_that_never_occurs(self) -> None:
        found = value("kappa_quadratic[a,b,c]", [[5, 1], [2, 6]], ("a", "c"))
        assert found == value("kappa_quadratic", [[5, 0, 1], [0, 0, 0], [2, 0, 6]])

    def test_order_of_classes_of_many_matrices(self) -> None:
        stack = np.random.default_rng(3).integers(1, 20, (4, 3, 3))
        bound = find_measure("kappa_linear[c,a,b]").bind(("a", "b", "c"))
        assert bound.function(stack) == pytest.approx([float(bound.function(one)) for one in stack])

    def test_class_missing_from_the_order(self) -> None:
        with pytest.raises(EvidenceError, match="no class 'z'"):
            find_measure("kappa_linear[a,b]").bind(("a", "z"))

    def test_bad_weights(self) -> None:
        with pytest.raises(UsageError, match="weights is one of none, linear"):
            weighted_kappa("cubic")  # type: ignore[arg-type]


class TestMcc:
    def test_digits_survive_a_huge_majority(self) -> None:
        n = 10**9
        found = value("mcc", [[n, 0], [1, 1]])
        assert found == pytest.approx(math.sqrt(0.5 * n / (n + 1)), rel=1e-9)

    def test_rounding_does_not_leave_its_range(self) -> None:
        assert value("mcc", [[0, 511], [270, 0]]) == -1.0

    def test_undefined_with_an_empty_margin(self) -> None:
        assert value("mcc", [[5, 0], [3, 0]]) is None
        assert value("mcc[zero]", [[5, 0], [3, 0]]) == 0.0


class TestVectorised:
    @steady
    @given(stacks)
    def test_stack_equals_loop(self, stack: Any) -> None:
        classes = tuple("abcde"[: stack.shape[-1]])
        for name, measure in measures().items():
            if measure.reduction != "tally" or (measure.two_classes and len(classes) != 2):
                continue
            function = measure.bind(classes, classes[-1]).function
            looped = [float(function(matrix)) for matrix in stack]
            np.testing.assert_array_equal(function(stack), looped, err_msg=name)
            np.testing.assert_array_equal(function(stack[None]), [looped], err_msg=name)


class TestOfRight:
    @pytest.mark.parametrize("classes", ["ab", "abcd"])
    def test_counts_of_right_answers_give_the_same_value(self, classes: str) -> None:
        """A measure made from another must not inherit what holds for the other alone."""
        confusion = np.random.default_rng(1).integers(1, 30, (len(classes), len(classes)))
        bound = {name: one.bind(tuple(classes)) for name, one in measures().items() if one.of_right}
        assert set(bound) >= {"accuracy", "error_rate"}
        for name, measure in bound.items():
            assert measure.of_right is not None, name
            found = measure.of_right(np.trace(confusion), confusion.sum())
            assert float(found) == float(measure.function(confusion)), name


class TestAccuracyMisleads:
    def test_lecture_example(self) -> None:
        """9,990 of class 0 and 10 of class 1: always answering 0 is 99.9 % right."""
        found = accuracy_misleads([[9990, 0], [10, 0]], ("0", "1"))
        assert found is not None
        assert found.code == "accuracy-misleads"
        assert (
            "always answering 0 gives an accuracy of 0.999, and the model has 0.999"
            in found.message
        )

    def test_even_a_perfect_model(self) -> None:
        assert accuracy_misleads([[9990, 0], [0, 10]]) is not None

    def test_no_better_than_the_majority(self) -> None:
        assert accuracy_misleads([[50, 10], [25, 15]]) is None
        assert accuracy_misleads([[50, 10], [30, 10]]) is not None

    def test_silent_where_accuracy_speaks(self) -> None:
        assert accuracy_misleads([[40, 10], [5, 45]]) is None
        assert accuracy_misleads([[0, 0], [0, 0]]) is None


class TestOtherWays:
    """Other ways to the value of a table: a proportion, or hits and margins."""

    table = np.array([[30.0, 12.0], [5.0, 23.0]])

    def test_f1_from_jaccards_proportion(self) -> None:
        measure = f_beta(1)
        assert measure.proportion is not None
        assert measure.from_proportion is not None
        k, n = measure.proportion(self.table)
        assert (k, n) == (23.0, 40.0)
        assert measure.from_proportion(k / n) == pytest.approx(float(measure.function(self.table)))

    def test_weighted_kappa_needs_more_than_margins(self) -> None:
        plain, linear = weighted_kappa("none"), weighted_kappa("linear")
        assert linear.margins is None
        assert plain.margins is not None
        hits, truth, predicted = (
            np.array([30.0, 23.0]),
            np.array([42.0, 28.0]),
            np.array([35.0, 35.0]),
        )
        due = float(plain.function(self.table))
        assert float(plain.margins(hits, truth, predicted)) == pytest.approx(due, rel=1e-12)

    def test_margins_of_nothing_are_zero_where_asked(self) -> None:
        measure = zero_where_undefined(weighted_kappa("none"))
        assert measure.margins is not None
        alone = np.array([8.0, 0.0])
        assert float(measure.margins(alone, alone, alone)) == 0.0
