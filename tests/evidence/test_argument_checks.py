"""The numbers and arrays that a method was given, checked."""

from typing import Any

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, EvidenceError, UsageError
from assay.evidence.argument_checks import (
    Counts,
    as_confusion,
    as_counts,
    as_paired_table,
    as_placed_areas,
    as_predictions,
    as_scored_labels,
    as_successes,
    as_two_counts,
)
from assay.evidence.reading import read
from assay.evidence.tally import PairedTable


class TestAsCounts:
    def test_numbers(self) -> None:
        assert as_counts(1, 5) == Counts(errors=1, n=5)

    @pytest.mark.parametrize(
        ("arguments", "match"),
        [((6, 5), "6 errors of 5 items"), ((1, 2, 3), "number of errors"), ((5,), "got int")],
    )
    def test_refusals(self, arguments: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            as_counts(*arguments)

    def test_fractions(self) -> None:
        with pytest.raises(UsageError, match="whole number"):
            as_counts(1.5, 5)


class TestAsTwoCounts:
    def test_numbers(self) -> None:
        assert as_two_counts(1, 5, 0, 2) == (Counts(errors=1, n=5), Counts(errors=0, n=2))

    @pytest.mark.parametrize("given", [(), (1, 2), (1, 2, 3)])
    def test_refusals(self, given: tuple[int, ...]) -> None:
        with pytest.raises(EvidenceError, match="give errors and items of both models"):
            as_two_counts(*given)


class TestAsPairedTable:
    EXPECTED = PairedTable(both_right=2, only_a=2, only_b=1, both_wrong=0)

    def test_every_spelling(self) -> None:
        right_a, right_b = [1, 1, 0, 1, 1], [0, 1, 1, 1, 0]
        for arguments in (
            (2, 2, 1, 0),
            ([[2, 2], [1, 0]],),
            (right_a, right_b),
            (np.array(right_a) == 1, np.array(right_b) == 1),
        ):
            assert as_paired_table(*arguments) == self.EXPECTED

    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            ((0, 0, 0, 0), "the table is empty"),
            ((1, 2, 3), "give four counts"),
            (([0, 2], [1, 1]), "1 .right. or 0 .wrong."),
            (
                (np.array([True]), np.array([True, False])),
                r"one outcome of each .*got shapes \(1,\) and \(2,\)",
            ),
            (([1, 2, 3],), "got list"),
        ],
    )
    def test_refusals(self, arguments: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            as_paired_table(*arguments)


class TestAsSuccesses:
    def test_numbers(self) -> None:
        assert as_successes([[0, 1], [1, 1]]).tolist() == [[0, 1], [1, 1]]
        with pytest.raises(EvidenceError, match="for scores use friedman"):
            as_successes([[0.5, 1], [1, 1]])


class TestAsScoredLabels:
    def test_the_later_class_is_positive(self) -> None:
        found = as_scored_labels(["no", "yes", "yes"], [0.2, 0.7, 0.4], [0.3, 0.6, 0.9])
        assert found.truth.tolist() == [False, True, True]
        assert found.scores.tolist() == [[0.2, 0.7, 0.4], [0.3, 0.6, 0.9]]

    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            (([0, 1, 2], [1, 2, 3]), "ROC methods need two classes; truth has 3"),
            (([0, 1], [1, 2, 3]), "2 labels but 3 scores"),
            (([], [1]), "one list of labels"),
        ],
    )
    def test_refusals(self, arguments: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            as_scored_labels(*arguments)

    @pytest.mark.parametrize(("label", "positive"), [(1, True), (0, False), ("False", False)])
    def test_one_class(self, label: Any, positive: bool) -> None:
        assert as_scored_labels([label] * 2, [1, 2]).truth.tolist() == [positive] * 2


class TestAsPlacedAreas:
    def test_of_scores_and_as_they_are(self) -> None:
        placed = as_placed_areas([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
        assert placed.areas.tolist() == [0.75]
        assert as_placed_areas(placed) is placed


class TestAsConfusion:
    def test_arrays_and_a_matrix_agree(self) -> None:
        matrix, classes, positive = as_confusion((["x", "x", "y"], ["x", "y", "y"]))
        assert positive is None
        assert matrix.tolist() == [[1, 1], [0, 1]]
        assert classes == ("x", "y")
        assert as_confusion(([[1, 1], [0, 1]],))[1:] == (("0", "1"), "1")
        assert as_confusion((["no", "yes"], ["yes", "yes"]))[2] == "yes"

    @pytest.mark.parametrize(
        ("given", "match"),
        [
            ((), "give truth and prediction"),
            ((5,), "expected numbers or evidence .*got int"),
            (([[1, 2, 3], [1, 2, 3]],), "is square"),
            (([[0.5, 1], [1, 1]],), "whole numbers from 0 up"),
        ],
    )
    def test_refusals(self, given: tuple[Any, ...], match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            as_confusion(given)


class TestAsPredictions:
    def test_all_else_is_refused(self) -> None:
        evidence = read({"truth": [0, 1], "a": [0, 0]})
        assert as_predictions(evidence) is evidence
        with pytest.raises(EvidenceError, match=r"expected numbers or evidence .*got list"):
            as_predictions([1, 2])


def test_names_that_come_twice_beside_results_are_no_names() -> None:
    results = [[0.9, 0.8, 0.85], [0.7, 0.75, 0.8]]
    with pytest.raises(AssayError):
        assay.compare({"names": ["rf", "lr", "rf"], "results": results}, measure="accuracy")


@pytest.mark.parametrize(("right", "wrong"), [("1", "0"), ("pass", "fail"), ("✓", "✗")])
def test_the_line_of_what_was_read_says_right_as_the_cells_do(right: str, wrong: str) -> None:
    table = {"id": list(range(8)), "a": [right, wrong] * 4, "b": [right] * 6 + [wrong] * 2}
    found = assay.read(table, correct=True)
    assert f"; {right} = right; higher is better" in found.summary().description


def test_a_model_whose_name_is_a_length_of_time() -> None:
    names = [np.timedelta64(1, "D"), "b", "c"]
    assert assay.look([1, 0] * 10, dict.fromkeys(names, [1, 0] * 10)) is not None
