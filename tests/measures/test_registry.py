"""Measures by name, and the laws that every registered measure obeys."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.measures import registry
from assay.measures.registry import (
    find_measure,
    measures,
    one_vs_rest,
    parametrised,
    register,
)
from tests.measures.drawn_evidence import EVIDENCE, evaluate

steady = settings(deadline=None, max_examples=25)
DOCS = Path(__file__).parents[2] / "docs" / "measures.md"
NAMES = [*measures(), *parametrised()]
LAWFUL = [name for name in NAMES if not name.startswith(("kappa_linear[", "pass"))]


@pytest.mark.parametrize("name", LAWFUL)
class TestLaws:
    @steady
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
    def test_within_its_range(self, name: str, seed: int, n: int) -> None:
        measure = find_measure(name)
        truth, prediction, ideal = EVIDENCE[measure.needs](measure, np.random.default_rng(seed), n)
        for made in (prediction, ideal):
            found = evaluate(measure, truth, made)
            slack = 1e-9
            assert math.isnan(found) or measure.low - slack <= found <= measure.high + slack

    @steady
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
    def test_direction(self, name: str, seed: int, n: int) -> None:
        """Nothing is better than predicting the truth."""
        measure = find_measure(name)
        truth, prediction, ideal = EVIDENCE[measure.needs](measure, np.random.default_rng(seed), n)
        found, best = evaluate(measure, truth, prediction), evaluate(measure, truth, ideal)
        if not measure.comparable or math.isnan(found) or math.isnan(best):
            return
        slack = 1e-9
        if measure.direction == "higher":
            assert best >= found - slack
        else:
            assert best <= found + slack

    @steady
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
    def test_order_of_items_is_irrelevant(self, name: str, seed: int, n: int) -> None:
        measure = find_measure(name)
        rng = np.random.default_rng(seed)
        truth, prediction, _ = EVIDENCE[measure.needs](measure, rng, n)
        order = rng.permutation(n)
        shuffled = truth[order] if truth.size else truth
        found = evaluate(measure, shuffled, prediction[order])
        expected = evaluate(measure, truth, prediction)
        assert found == pytest.approx(expected, nan_ok=True, rel=1e-9, abs=1e-9)

    @steady
    @given(seed=st.integers(0, 2**32), n=st.integers(1, 12))
    def test_doubling_weights_changes_nothing(self, name: str, seed: int, n: int) -> None:
        measure = find_measure(name)
        if name.startswith("total_cost") or name in ("ece_mass", "mce_mass"):
            return  # a total grows; equal mass depends on the number of items
        rng = np.random.default_rng(seed)
        truth, prediction, _ = EVIDENCE[measure.needs](measure, rng, n)
        weights = rng.integers(1, 4, n)
        once = evaluate(measure, truth, prediction, weights)
        twice = evaluate(measure, truth, prediction, 2 * weights)
        assert twice == pytest.approx(once, nan_ok=True, rel=1e-9, abs=1e-9)


SIGNED, POSITIVE, ANY = (-1.0, 1.0), (0.0, math.inf), (-math.inf, math.inf)
RANGES = {
    **dict.fromkeys(
        ("mcc", "kappa", "kappa_linear", "kappa_quadratic", "youden_j", "correlation", "gini"),
        SIGNED,
    ),
    **dict.fromkeys(("lr_plus", "lr_minus", "diagnostic_odds_ratio", "log_loss"), POSITIVE),
    **dict.fromkeys(("mse", "rmse", "mae", "mape", "median_ae", "max_error"), POSITIVE),
    **dict.fromkeys(("mean_error", "mean_loss", "log_likelihood", "mean_rating", "reward"), ANY),
    **dict.fromkeys(("r2", "explained_variance"), (-math.inf, 1.0)),
    **dict.fromkeys(("brier", "brier_sum", "smape"), (0.0, 2.0)),
}
"""The ends of the values of a measure by its definition, where they are not 0 and 1."""
CHANCES = {
    **dict.fromkeys(("lr_plus", "lr_minus", "diagnostic_odds_ratio"), 1.0),
    **dict.fromkeys(("mcc", "kappa", "kappa_linear", "kappa_quadratic", "youden_j"), 0.0),
    **dict.fromkeys(("gini", "correlation", "r2", "explained_variance"), 0.0),
    "roc_auc": 0.5,
    **dict.fromkeys(("ovr", "ovr_weighted", "ovo", "ovo_weighted"), 0.5),
}
"""What a model that knows nothing has, whatever the classes: a likelihood ratio of 1, no correlation."""


@pytest.mark.parametrize("name", measures())
def test_range_and_chance_are_those_of_its_definition(name: str) -> None:
    measure = find_measure(name)
    assert (measure.low, measure.high) == RANGES.get(name, (0.0, 1.0))
    assert measure.chance == CHANCES.get(name.removeprefix("roc_auc_"))


@pytest.mark.parametrize("name", NAMES)
class TestFacts:
    def test_found_by_its_own_name(self, name: str) -> None:
        measure = find_measure(name)
        assert measure.name == name
        assert find_measure(measure) is measure

    def test_facts(self, name: str) -> None:
        measure = find_measure(name)
        assert measure.low < measure.high
        assert measure.title
        assert measure.requirement in {"M1", "M2", "M3", "M4", "M5", "M6"}
        assert measure.chance is None or measure.low <= measure.chance <= measure.high
        assert (measure.features is not None) == (measure.reduction == "moments")
        by_sorting = measure.reduction == "sorted_scores" or "_mass" in measure.name
        assert (measure.prepare is not None) == by_sorting
        assert (measure.proportion is None) == (measure.from_proportion is None)
        assert not measure.two_classes or measure.instead

    def test_documented(self, name: str) -> None:
        assert f"`{name}`" in DOCS.read_text() or f"\n## {name}\n" in DOCS.read_text()


class TestFindMeasure:
    @pytest.mark.parametrize(
        ("asked", "name"),
        [
            ("F1", "f1"),
            ("balanced-accuracy", "balanced_accuracy"),
            (" accuracy ", "accuracy"),
            ("sensitivity", "recall"),
            ("tnr", "specificity"),
            ("AUC", "roc_auc"),
            ("ap", "average_precision"),
            ("error", "error_rate"),
            ("f0.5", "f05"),
            ("f0.5_macro", "f05_macro"),
            ("f1.5", "f1.5"),
            ("fbeta[3]", "f3"),
            ("f-beta[0.5]", "f05"),
            ("sensitivity[Cat-A]", "recall[Cat-A]"),
            ("ECE[15]", "ece[15]"),
            ("partial_auc_mcclish[0.1]", "partial_auc_mcclish[0.1]"),
        ],
    )
    def test_spellings(self, asked: str, name: str) -> None:
        assert find_measure(asked).name == name

    @pytest.mark.parametrize(
        ("asked", "message"),
        [
            ("f_1", "did you mean f1"),
            ("macro_f1", "did you mean f1_macro"),
            ("acc", "did you mean accuracy"),
            ("f025", "no measure 'f025'"),
            ("zzzzzz", "known are accuracy"),
            ("partial_auc", r"needs a parameter, such as partial_auc\[0.1\]"),
            ("recall[cat", r"no measure 'recall\[cat'"),
            ("f1_macro[cat]", "not a measure of one class"),
            ("roc_auc[cat]", "not a measure of one class"),
        ],
    )
    def test_unknown(self, asked: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            find_measure(asked)

    def test_registering_another(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(registry, "_REGISTRY", dict(registry._REGISTRY))
        mine = register(find_measure(lambda truth, prediction: 1.0))
        assert find_measure("custom") is mine
        assert [*measures()][-1] == "custom"

    def test_order_of_the_requirements(self) -> None:
        assert [*measures()][:4] == ["accuracy", "error_rate", "precision", "recall"]


class TestBind:
    def test_values_have_no_classes(self) -> None:
        measure = find_measure("mse")
        assert measure.bind(()) is measure
        assert measure.bind(("0", "1")) is measure

    def test_binding_twice_changes_nothing(self) -> None:
        confusion = [[5, 2], [1, 9]]
        once = find_measure("recall").bind(("0", "1"), "0")
        assert once.bind(("0", "1"), "1").function(confusion) == once.function(confusion)

    def test_the_positive_class_is_said(self) -> None:
        confusion = [[5, 2], [1, 9]]
        recall = find_measure("recall")
        with pytest.raises(AmbiguousEvidence, match="Which class is positive, 'a' or 'b'"):
            recall.bind(("a", "b"))
        assert float(recall.bind(("a", "b"), "b").function(confusion)) == pytest.approx(0.9)
        assert float(recall.bind(("a", "b"), "a").function(confusion)) == pytest.approx(5 / 7)


class TestOneVsRest:
    def test_cells(self) -> None:
        matrix = np.arange(9.0).reshape(3, 3)
        found = one_vs_rest(matrix, 1)
        assert found.tolist() == [[0 + 2 + 6 + 8, 1 + 7], [3 + 5, 4]]
        assert one_vs_rest(matrix, None).tolist() == [[36, 0], [0, 0]]


def test_only_accuracy_and_its_complement_count_items() -> None:
    """Other measures made from them must not be taken for shares of right answers."""
    counts = {name: one.counts for name, one in measures().items() if one.counts}
    assert counts == {"accuracy": "right", "error_rate": "wrong"}


@pytest.mark.parametrize("name", LAWFUL)
@pytest.mark.parametrize("positive", ["a", "b", "c"])
def test_margins_say_the_same_as_the_table(name: str, positive: str) -> None:
    """A measure that also takes hits and margins finds in them what it finds in the confusions."""
    measure = find_measure(name)
    if measure.needs != "labels" or measure.reduction != "tally" or measure.class_order:
        pytest.skip("not of labels in any order")
    try:
        bound = measure.bind(("a", "b", "c"), positive)
    except NotApplicable:
        pytest.skip("of two classes only")
    if bound.margins is None:
        pytest.skip("of the table only")
    tables = np.random.default_rng(4).integers(0, 9, (6, 3, 3)).astype(np.float64)
    hits = np.diagonal(tables, axis1=-2, axis2=-1)
    found = bound.margins(hits, tables.sum(-1), tables.sum(-2))
    np.testing.assert_allclose(found, bound.function(tables), rtol=1e-12)


def test_a_positive_class_may_be_missing_only_where_there_is_one_class() -> None:
    f1 = find_measure("f1")
    assert f1.bind(("no",), "yes") is not None
    with pytest.raises(EvidenceError, match="there is no class 'maybe'"):
        f1.bind(("no", "yes"), "maybe")


@pytest.mark.parametrize("name", ["f1", "precision", "specificity", "jaccard"])
def test_one_class_of_three_is_read_from_margins_too(name: str) -> None:
    table = np.array([[5.0, 2.0, 1.0], [3.0, 9.0, 2.0], [0.0, 4.0, 7.0]])
    measure = find_measure(f"{name}[b]").bind(("a", "b", "c"), None)
    assert measure.margins is not None
    found = measure.margins(np.diagonal(table), table.sum(axis=1), table.sum(axis=0))
    two = np.array([[13.0, 6.0], [5.0, 9.0]])  # the rest and b: 9 hits, 5 missed, 6 called wrongly
    assert float(found) == pytest.approx(float(find_measure(name).function(two)))


def test_titles_of_kappa() -> None:
    titles = [find_measure(name).title for name in ("kappa", "kappa_linear", "kappa_quadratic")]
    assert titles == [
        "Cohen's kappa",
        "Cohen's kappa, linear weights",
        "Cohen's kappa, quadratic weights",
    ]
