"""Raw arguments turned into the shape a method takes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, NotApplicable, UsageError
from assay.evidence.shapes import (
    Counts,
    as_counts,
    as_paired_table,
    as_scored_labels,
    as_successes,
    as_two_counts,
)
from assay.evidence.tally import PairedTable
from tests.evidence.forms import Table, predictions, unpaired, write_csv

TWO: Table = {"y": [0, 1, 1, 0, 1], "a": [0, 1, 0, 0, 1], "b": [1, 1, 1, 0, 0]}
ONE: Table = {"y": TWO["y"], "a": TWO["a"]}
SCORED: Table = {"y": [0, 1, 1], "a": [0.2, 0.7, 0.4], "b": [0.3, 0.6, 0.9]}


class TestAsCounts:
    def test_numbers_and_evidence(self, tmp_path: Path) -> None:
        assert as_counts(1, 5) == Counts(errors=1, n=5)
        for evidence in (ONE, write_csv(tmp_path / "t.csv", ONE), predictions(ONE)):
            assert as_counts(evidence) == Counts(errors=1, n=5)

    def test_two_models_are_too_many(self) -> None:
        with pytest.raises(EvidenceError, match=r"takes one model; .* has 2: .*select\('a'"):
            as_counts(TWO)

    def test_weights_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match=r"importance weights: use assay\.evaluate"):
            as_counts({**ONE, "weight": [1, 2, 3, 4, 5]})

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
    def test_numbers_and_evidence(self) -> None:
        expected = (Counts(errors=1, n=5), Counts(errors=0, n=2))
        other = {"y": [0, 1], "b": [0, 1]}
        assert as_two_counts(1, 5, 0, 2) == expected
        assert as_two_counts(ONE, other) == expected
        assert as_two_counts(unpaired(ONE, other)) == expected

    def test_refusals(self) -> None:
        with pytest.raises(EvidenceError, match="give errors and items of both models"):
            as_two_counts(1, 2, 3)


class TestAsPairedTable:
    EXPECTED = PairedTable(both_right=2, only_a=2, only_b=1, both_wrong=0)

    def test_every_spelling(self, tmp_path: Path) -> None:
        right_a, right_b = [1, 1, 0, 1, 1], [0, 1, 1, 1, 0]
        for arguments in (
            (2, 2, 1, 0),
            ([[2, 2], [1, 0]],),
            (right_a, right_b),
            (TWO,),
            (write_csv(tmp_path / "t.csv", TWO),),
        ):
            assert as_paired_table(*arguments) == self.EXPECTED

    def test_different_items_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="on different items"):
            as_paired_table(unpaired(ONE, {"y": [0, 1], "b": [0, 1]}))

    @pytest.mark.parametrize(
        ("arguments", "match"),
        [
            ((0, 0, 0, 0), "the table is empty"),
            ((1, 2, 3), "give four counts"),
            (([0, 2], [1, 1]), "1 .right. or 0 .wrong."),
        ],
    )
    def test_refusals(self, arguments: Any, match: str) -> None:
        with pytest.raises(EvidenceError, match=match):
            as_paired_table(*arguments)


class TestAsSuccesses:
    def test_evidence_becomes_rows(self) -> None:
        found = as_successes(TWO)
        assert sorted(map(tuple, found.tolist())) == [(0, 1), (1, 0), (1, 0), (1, 1), (1, 1)]

    def test_numbers(self) -> None:
        assert as_successes([[0, 1], [1, 1]]).tolist() == [[0, 1], [1, 1]]
        with pytest.raises(EvidenceError, match="for scores use friedman"):
            as_successes([[0.5, 1], [1, 1]])


class TestAsScoredLabels:
    def test_arrays_and_evidence(self) -> None:
        plain = as_scored_labels([0, 1, 1], [0.2, 0.7, 0.4], [0.3, 0.6, 0.9])
        given = as_scored_labels(SCORED)
        assert np.array_equal(plain.truth, given.truth)
        assert np.array_equal(plain.scores, given.scores)

    def test_the_positive_class_of_evidence(self) -> None:
        found = as_scored_labels(predictions(SCORED, positive=0))
        assert found.truth.tolist() == [True, False, False]

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
