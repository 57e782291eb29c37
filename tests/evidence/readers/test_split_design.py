"""The design behind scores of splits: computed from indices, told, or asked."""

from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold, ShuffleSplit, StratifiedKFold

from assay.core.errors import EvidenceError, UsageError
from assay.core.questions import AmbiguousEvidence
from assay.evidence.readers.split_design import is_assumed, places_of, same_splits
from assay.evidence.reading_options import Told

N = 40


def indices(splitter: Any) -> dict[str, Any]:
    """Train and test indices as cross_validate(…, return_indices=True) gives them."""
    labels = np.arange(N) % 2
    train, test = zip(*splitter.split(np.zeros((N, 1)), labels), strict=True)
    return {"train": train, "test": test}


class TestFromIndices:
    @pytest.mark.parametrize("splitter", [KFold(5), StratifiedKFold(4, shuffle=True)])
    def test_one_run_of_folds(self, splitter: Any) -> None:
        places = places_of(splitter.n_splits, Told(), indices(splitter))
        assert [place["fold"] for place in places] == list(range(splitter.n_splits))
        assert all("repeat" not in place for place in places)
        assert {place["n_train"] + place["n_test"] for place in places} == {N}

    def test_repeated_folds(self) -> None:
        found = indices(RepeatedKFold(n_splits=5, n_repeats=3, random_state=0))
        places = places_of(15, Told(), found)
        assert [(place["repeat"], place["fold"]) for place in places] == [
            (repeat, fold) for repeat in range(3) for fold in range(5)
        ]
        assert {place["n_test"] for place in places} == {8.0}

    def test_random_splits_keep_their_sizes(self) -> None:
        found = indices(ShuffleSplit(12, test_size=0.25, random_state=0))
        places = places_of(12, Told(), found)
        assert all("repeat" not in place for place in places)
        assert {(place["n_train"], place["n_test"]) for place in places} == {(30.0, 10.0)}

    def test_more_than_ten_folds_need_no_question(self) -> None:
        assert len(places_of(20, Told(), indices(KFold(20)))) == 20


class TestAsTold:
    def test_folds_and_repeats(self) -> None:
        places = places_of(6, Told.of({"folds": 3}), None)
        assert places == [{"repeat": r, "fold": f} for r in range(2) for f in range(3)]
        assert places_of(6, Told.of({"repeats": 2}), None) == places
        assert places_of(6, Told.of({"folds": 3, "repeats": 2}), None) == places

    def test_one_long_run(self) -> None:
        assert places_of(50, Told.of({"folds": 50}), None) == [{"fold": n} for n in range(50)]

    def test_random_splits(self) -> None:
        places = places_of(3, Told.of({"test_share": 0.2}), None)
        assert [place["fold"] for place in places] == [0, 1, 2]
        assert {(place["n_train"], place["n_test"]) for place in places} == {(0.8, 0.2)}

    @pytest.mark.parametrize(
        ("options", "match"),
        [
            ({"folds": 4}, "there are 6 splits, which 4 folds do not make up"),
            ({"folds": 3, "repeats": 4}, "which 3 folds do not make up"),
            ({"folds": 1}, "at least 2"),
            ({"repeats": 0}, "at least 1"),
            ({"test_share": 1.0}, "between 0 and 1"),
            ({"test_share": 0}, "between 0 and 1"),
        ],
    )
    def test_refusals(self, options: dict[str, Any], match: str) -> None:
        with pytest.raises(UsageError, match=match):
            places_of(6, Told.of(options), None)


class TestAsked:
    def test_a_few_splits_are_one_run(self) -> None:
        assert places_of(10, Told(), None) == [{"fold": n} for n in range(10)]
        assert is_assumed(10, Told(), None)

    @pytest.mark.parametrize(
        ("options", "given"),
        [({"folds": 10}, None), ({"test_share": 0.3}, None), ({}, indices(KFold(10)))],
    )
    def test_what_is_told_or_seen_is_not_assumed(self, options: Any, given: Any) -> None:
        assert not is_assumed(10, Told.of(options), given)

    def test_many_splits_may_be_anything(self) -> None:
        with pytest.raises(AmbiguousEvidence, match="How were the 50 splits made") as asked:
            places_of(50, Told(), None)
        (question,) = asked.value.questions
        assert [answer.option for answer in question.answers] == [
            "--folds 10 --repeats 5",
            "--folds 5 --repeats 10",
            "--folds 2 --repeats 25",
            "--folds 50",
            "--test-share 0.3",
        ]
        for answer in question.answers:
            assert len(places_of(50, Told.of(answer.arguments), None)) == 50


class TestSameSplits:
    def test_shared_by_all_models(self) -> None:
        found = indices(KFold(5))
        assert same_splits({"a": {"indices": found}, "b": {"indices": found}}) is found

    def test_unknown_for_one(self) -> None:
        assert same_splits({"a": {"indices": indices(KFold(5))}, "b": {}}) is None
        assert same_splits({}) is None

    def test_different_splits_cannot_be_paired(self) -> None:
        one = {"indices": indices(KFold(5))}
        for other in (KFold(5, shuffle=True, random_state=1), KFold(4)):
            with pytest.raises(EvidenceError, match="tested on different splits"):
                same_splits({"a": one, "b": {"indices": indices(other)}})
