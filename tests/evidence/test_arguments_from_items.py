"""Predictions turned into counts, tables of right and wrong, and scores with their truth."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from assay.core.errors import EvidenceError, NotApplicable
from assay.core.methods import find_method
from assay.evidence.method_arguments import arguments_of
from assay.evidence.method_source import SourceOptions
from tests.evidence.forms import Table, predictions, unpaired, write_csv

TWO: Table = {"y": [0, 1, 1, 0, 1], "a": [0, 1, 0, 0, 1], "b": [1, 1, 1, 0, 0]}
ONE: Table = {"y": TWO["y"], "a": TWO["a"]}
OTHER: Table = {"y": [0, 1], "b": [0, 1]}
SCORED: Table = {"y": [0, 1, 1], "a": [0.2, 0.7, 0.4], "b": [0.3, 0.6, 0.9]}


def arguments(method: str, *sources: Any) -> tuple[Any, ...]:
    return arguments_of(find_method(method), sources, SourceOptions())[0]


class TestCounts:
    def test_every_form_gives_the_same(self, tmp_path: Path) -> None:
        for evidence in (ONE, write_csv(tmp_path / "t.csv", ONE), predictions(ONE)):
            assert arguments("wilson", evidence) == (1, 5)

    def test_two_models_are_too_many(self) -> None:
        with pytest.raises(EvidenceError, match=r"this takes one model: .*models=\['a'\]"):
            arguments("wilson", TWO)

    def test_weights_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match=r"importance weights: use assay\.evaluate"):
            arguments("wilson", {**ONE, "weight": [1, 2, 3, 4, 5]})

    def test_two_files_and_one_piece_of_evidence(self) -> None:
        assert arguments("fisher_exact", ONE, OTHER) == (1, 5, 0, 2)
        assert arguments("fisher_exact", unpaired(ONE, OTHER)) == (1, 5, 0, 2)

    def test_three_models_on_different_items_are_too_many(self) -> None:
        third = {"y": [0, 1], "c": [1, 1]}
        with pytest.raises(EvidenceError, match=r"this takes 2 models: .*select\('a', 'b'\)"):
            arguments("fisher_exact", unpaired(ONE, OTHER, third))


class TestPairedTable:
    def test_files_and_mappings(self, tmp_path: Path) -> None:
        for evidence in (TWO, write_csv(tmp_path / "t.csv", TWO)):
            assert arguments("mcnemar", evidence) == (2, 2, 1, 0)

    def test_columns_of_right_and_wrong(self) -> None:
        right = {"first": [1, 1, 0, 1, 1], "second": [0, 1, 1, 1, 0]}
        assert arguments("mcnemar", right) == (2, 2, 1, 0)
        with pytest.raises(NotApplicable, match=r"holds 3 columns .*mcnemar takes labels of two"):
            arguments("mcnemar", {**right, "third": [1, 0, 1, 0, 1]})

    def test_different_items_are_refused(self) -> None:
        with pytest.raises(NotApplicable, match="on different items"):
            arguments("mcnemar", unpaired(ONE, OTHER))


def test_successes_are_a_row_per_item() -> None:
    (found,) = arguments("cochran_q", TWO)
    assert sorted(map(tuple, found.tolist())) == [(0, 1), (1, 0), (1, 0), (1, 1), (1, 1)]


class TestScoredLabels:
    def test_the_truth_and_the_scores_of_both_models(self) -> None:
        truth, *scores = arguments("average_precision_test", SCORED)
        assert truth.tolist() == [False, True, True]
        assert np.array_equal(scores, [SCORED["a"], SCORED["b"]])

    def test_the_positive_class_of_evidence(self) -> None:
        truth, *_ = arguments("average_precision_test", predictions(SCORED, positive=0))
        assert truth.tolist() == [True, False, False]

    def test_a_method_that_needs_areas_only_gets_them(self) -> None:
        (placed,) = arguments("delong_test", SCORED)
        assert placed.areas.tolist() == [1.0, 1.0]


def test_losses_beside_scores_are_not_turned_round() -> None:
    losses = {"a:loss": [0.1, 0.2, 0.4, 0.3], "b:loss": [0.2, 0.1, 0.5, 0.7]}
    scores = {f"{model}:score": [0.1, 0.8, 0.6, 0.3] for model in "ab"}
    found = arguments("paired_t", {"y": [0, 1, 1, 0], **scores, **losses})
    assert [one.tolist() for one in found] == list(losses.values())
